/* SPDX-License-Identifier: MIT */
/*
 * The compiler's entry point: the list of passes, the description of the program, and statistics.
 */
#include "cf_compiler.h"

#include <stdlib.h>
#include <string.h>

#include "cf_ir.h"
#include "cf_nir.h"
#include "clipfree/isa/cf_asm.h"
#include "clipfree/shader/cf_program.h"
#include "clipfree/shader/cf_task.h"
#include "util/macros.h"
#include "util/ralloc.h"

#define VALIDATE(after)                                                                            \
   do {                                                                                            \
      if (!(options->debug & CF_COMPILE_NOVALIDATE))                                               \
         cf_validate_ir(ir, after);                                                                \
   } while (0)

#define PASS(pass)                                                                                 \
   do {                                                                                            \
      pass(ir);                                                                                    \
      VALIDATE(#pass);                                                                             \
      look_at_ir(options, #pass, ir, NULL);                                                        \
   } while (0)

/* A pass that may be left out. */
#define OPTIONAL(number, pass)                                                                     \
   do {                                                                                            \
      if (!(options->passes_off & BITFIELD_BIT(number)))                                           \
         PASS(pass);                                                                               \
   } while (0)

static void
look_at_nir(const struct cf_compile_options *options, const char *stage, nir_shader *nir)
{
   char *text = NULL;
   size_t size;
   FILE *file = options->look ? open_memstream(&text, &size) : NULL;
   if (!file)
      return;
   nir_print_shader(nir, file);
   if (fclose(file) == 0)
      options->look(options->user, stage, text);
   free(text);
}

static void
look_at_ir(const struct cf_compile_options *options, const char *stage, const struct cf_ir *ir,
           const struct cf_ra_result *regs)
{
   char *text = NULL;
   size_t size;
   FILE *file = options->look ? open_memstream(&text, &size) : NULL;
   if (!file)
      return;
   cf_ir_print(file, ir, regs);
   if (fclose(file) == 0)
      options->look(options->user, stage, text);
   free(text);
}

static void
print(const struct cf_compile_options *options, uint32_t flag, const char *title,
      const struct cf_ir *ir, const struct cf_ra_result *regs)
{
   if (options->debug & flag) {
      fprintf(stderr, "%s:\n", title);
      cf_ir_print(stderr, ir, regs);
   }
}

/* Discarded fragments become helper lanes if later derivatives may need them, else they end at
 * once. */
static void
choose_discard(struct cf_ir *ir, bool needs_helpers)
{
   for (unsigned i = 0; i < ir->count; i++) {
      if (ir->instrs[i].op == CF_OP_KILL && needs_helpers)
         ir->instrs[i].op = CF_OP_DEMOTE;
   }
}

static void
optimize(struct cf_ir *ir, const struct cf_compile_options *options)
{
   OPTIONAL(CF_PASS_FLOW, cf_opt_flow);
   OPTIONAL(CF_PASS_DEAD, cf_opt_dead);
   OPTIONAL(CF_PASS_SCHEDULE, cf_schedule);
   PASS(cf_lower_constants);
}

static void
describe_stage(struct cf_binary *binary, const nir_shader *nir)
{
   if (nir->info.stage == MESA_SHADER_GEOMETRY)
      return; /* cf_nir_geometry.c has done so */
   bool fragment = nir->info.stage == MESA_SHADER_FRAGMENT;
   binary->program.stage = fragment ? CF_SHADER_STAGE_FRAGMENT : CF_SHADER_STAGE_VERTEX;
   binary->program.raster_point_size = !fragment && !binary->writes_point_size;
   binary->program.early_tests = fragment && nir->info.fs.early_fragment_tests;
   binary->program.inputs = fragment ? 4 * binary->varying_slots : 0;
}

static void
count_stats(struct cf_binary *binary, const struct cf_ir *ir, const nir_shader *nir)
{
   unsigned loops = 0, tex = 0;
   for (unsigned i = 0; i < ir->count; i++) {
      loops += ir->instrs[i].op == CF_OP_LOOP;
      tex += ir->instrs[i].op == CF_OP_TEX;
   }
   binary->spills = ir->spills;
   snprintf(
      binary->stats, sizeof(binary->stats),
      "%s shader: %u instrs, %u loops, %u vregs, %u sregs, %u:%u spills:scratch dwords, %u tex",
      _mesa_shader_stage_to_abbrev(nir->info.stage), ir->count, loops, binary->program.vector_regs,
      binary->program.scalar_regs, ir->spills, ir->scratch_dwords, tex);
}

/* Check that the GPU accepts the code. A refusal is a bug, but no reason to end the application:
 * compilation fails. */
static void
check_code(struct cf_ir *ir, const struct cf_binary *binary)
{
   char reason[256];
   struct cf_decoded *decoded =
      cf_program_decode(&binary->program, binary->code, reason, sizeof(reason));
   ir->out_of_memory = !decoded && !strcmp(reason, CF_PROGRAM_NO_MEMORY);
   if (!decoded)
      cf_ir_fail(ir, ralloc_asprintf(ir->mem_ctx, "the code is not valid: %s", reason));
   cf_program_free(decoded);
}

static void
compile(void *mem_ctx, nir_shader *nir, const struct cf_compile_options *options,
        struct cf_binary *binary, struct cf_ir **result)
{
   struct cf_ra_result regs = { 0 };
   struct cf_ir *ir = *result = cf_from_nir(mem_ctx, nir, options, binary);
   VALIDATE("cf_from_nir");
   if (ir->error)
      return;
   ir->passes_off = options->passes_off;
   choose_discard(ir, binary->program.needs_helpers);
   print(options, CF_COMPILE_IR, "ir", ir, NULL);
   look_at_ir(options, "cf_from_nir", ir, NULL);
   /* later passes remove some instructions, but never half: fail early if the program is
    * hopeless */
   if (!cf_ir_check_size(ir, 2 * CF_MAX_PROGRAM_INSTRS))
      return;
   optimize(ir, options);
   print(options, CF_COMPILE_IR, "optimised ir", ir, NULL);
   if (!cf_ra(ir, &regs))
      return;
   VALIDATE("cf_ra");
   if (!(options->debug & CF_COMPILE_NOVALIDATE))
      cf_validate_ra(ir, &regs);
   print(options, CF_COMPILE_IR, "allocated ir", ir, &regs);
   look_at_ir(options, "cf_ra", ir, &regs);
   if (!cf_pack(ir, &regs, binary))
      return;
   if (options->lines) {
      cf_describe_lines(ir, nir, binary);
      cf_describe_arrays(ir, binary);
      cf_describe_precisions(ir, binary);
   }
   if (binary->nir)
      cf_describe_nir(ir, binary);
   count_stats(binary, ir, nir);
   describe_stage(binary, nir);
   if (!(options->debug & CF_COMPILE_NOVALIDATE))
      check_code(ir, binary);
}

/* The lines of an instruction, as a comment. */
static void
say_lines(void *user, unsigned instr, char *text, size_t size)
{
   const struct cf_binary *binary = user;
   size_t length = 0;
   for (uint32_t i = 0; i < binary->line_count; i++) {
      char name[CF_NOTE_LINE_NAME_B];
      if (binary->lines[i].instr != instr)
         continue;
      cf_note_line_name(&binary->lines[i], name);
      length += snprintf(text + length, size - length, "%s%s", length ? ", " : "line ", name);
   }
}

static void
print_code(struct cf_binary *binary)
{
   char name[CF_PROGRAM_NAME_B];
   cf_program_name(name, binary->program.stage, binary->code, binary->program.code_instrs);
   fprintf(stderr, "# %s\n", name);
   cf_disassemble_commented(stderr, binary->code, binary->program.code_instrs, say_lines, binary);
}

static void
free_code(struct cf_binary *binary)
{
   free(binary->code);
   free(binary->lines);
   free(binary->arrays);
   free(binary->precisions);
   free(binary->nir);
   free(binary->nir_lines);
   binary->code = NULL;
   binary->lines = NULL;
   binary->arrays = NULL;
   binary->precisions = NULL;
   binary->nir = NULL;
   binary->nir_lines = NULL;
}

struct cf_binary *
cf_compile(const struct nir_shader *nir, const struct cf_compile_options *options)
{
   struct cf_binary *binary = calloc(1, sizeof(*binary));
   void *mem_ctx = ralloc_context(NULL);
   if (!binary || !mem_ctx) {
      free(binary);
      ralloc_free(mem_ctx);
      return NULL;
   }
   nir_shader *clone = nir_shader_clone(mem_ctx, nir);
   struct cf_ir *ir = NULL;
   if (options->debug & CF_COMPILE_NIR)
      nir_print_shader(clone, stderr);
   const char *refused = cf_nir_lower(clone, options->passes_off, binary);
   look_at_nir(options, "nir", clone);
   if (options->debug & CF_COMPILE_NIR)
      nir_print_shader(clone, stderr);

   char *text = options->nir ? cf_nir_text(mem_ctx, clone) : NULL;
   if (text)
      binary->nir = strdup(text);
   if (refused)
      cf_ir_fail(ir = cf_ir_create(mem_ctx), refused);
   else
      compile(mem_ctx, clone, options, binary, &ir);
   if (ir->error) {
      free_code(binary);
      binary->error = strdup(ir->error);
      if (!binary->error || ir->out_of_memory) {
         cf_binary_free(binary);
         binary = NULL;
      }
   } else {
      if (options->debug & CF_COMPILE_ASM)
         print_code(binary);
      if (options->debug & CF_COMPILE_SHADERDB)
         fprintf(stderr, "SHADER-DB: %s\n", binary->stats);
   }
   ralloc_free(mem_ctx);
   return binary;
}

void
cf_binary_free(struct cf_binary *binary)
{
   if (!binary)
      return;
   free_code(binary);
   free(binary->error);
   free(binary);
}
