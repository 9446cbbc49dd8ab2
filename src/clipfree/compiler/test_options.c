/* SPDX-License-Identifier: MIT */
/*
 * What the compiler tells of a program if it is asked to, without changing the code, and the
 * program's limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cf_compiler.h"
#include "cf_ir.h"
#include "clipfree/shader/cf_task.h"
#include "compiler/nir/nir_builder.h"

static nir_def *
input(nir_builder *b)
{
   nir_def *place = nir_load_barycentric_pixel(b, 32, .interp_mode = INTERP_MODE_SMOOTH);
   return nir_load_interpolated_input(
      b, 1, 32, place, nir_imm_int(b, 0), .dest_type = nir_type_float32,
      .io_semantics = { .location = VARYING_SLOT_VAR0, .num_slots = 1 });
}

static void
output(nir_builder *b, nir_def *value, unsigned location)
{
   nir_store_output(b, value, nir_imm_int(b, 0), .src_type = nir_type_float32, .write_mask = 1,
                    .io_semantics = { .location = location, .num_slots = 1 });
}

/* A loop that an input ends, behind a comparison with 0, a division and a condition. */
static nir_shader *
create_shader(void)
{
   nir_builder b = nir_builder_init_simple_shader(MESA_SHADER_FRAGMENT, &cf_nir_options, "options");
   nir_def *x = input(&b);
   x->parent_instr->lines = 3;
   nir_variable *sum = nir_local_variable_create(b.impl, glsl_float_type(), "sum");
   nir_store_var(&b, sum, nir_fdiv(&b, x, nir_imm_float(&b, 4)), 1);
   nir_push_loop(&b);
   nir_push_if(&b, nir_fge(&b, nir_load_var(&b, sum), nir_imm_float(&b, 0)));
   nir_jump(&b, nir_jump_break);
   nir_pop_if(&b, NULL);
   nir_store_var(&b, sum, nir_fadd(&b, nir_load_var(&b, sum), nir_fmul(&b, x, x)), 1);
   nir_pop_loop(&b, NULL);
   nir_def *result = nir_load_var(&b, sum);
   result->parent_instr->lines = 5;
   output(&b, nir_fadd(&b, result, x), FRAG_RESULT_DATA0);
   nir_builder_last_instr(&b)->lines = 8;
   return b.shader;
}

static struct cf_binary *
compile(const nir_shader *nir, struct cf_compile_options options)
{
   struct cf_binary *binary = cf_compile(nir, &options);
   if (binary->error)
      fail_msg("%s", binary->error);
   return binary;
}

/* What it prints. The caller frees it, and the binary. */
static char *
printed(const nir_shader *nir, uint32_t debug, struct cf_binary **binary)
{
   char *text;
   size_t size;
   FILE *const real = stderr;
   stderr = open_memstream(&text, &size);
   *binary = compile(nir, (struct cf_compile_options){ .debug = debug, .lines = true });
   fclose(stderr);
   stderr = real;
   return text;
}

static unsigned
occurrences(const char *text, const char *what)
{
   unsigned count = 0;
   for (; (text = strstr(text, what)); text += strlen(what))
      count++;
   return count;
}

static void
assert_same_code(const struct cf_binary *a, const struct cf_binary *b)
{
   assert_int_equal(a->program.code_instrs, b->program.code_instrs);
   assert_memory_equal(a->code, b->code, a->program.code_instrs * sizeof(*a->code));
}

/* ---- what it prints */

/* NIR as it comes and lowered; the IR made, optimised and with registers; code; one line. */
static void
test_debug(void **state)
{
   static const struct {
      uint32_t flag;
      const char *what;
      unsigned count;
   } cases[] = {
      { 0, "shader", 0 },
      { CF_COMPILE_NIR, "shader: MESA_SHADER_FRAGMENT", 2 },
      { CF_COMPILE_IR, "ir:\n   0:   ", 3 },
      { CF_COMPILE_IR, "optimised ir:\n", 1 },
      { CF_COMPILE_IR, "allocated ir:\n", 1 },
      { CF_COMPILE_ASM, "# ", 1 },
      { CF_COMPILE_SHADERDB, "SHADER-DB: FS shader: ", 1 },
      { CF_COMPILE_SHADERDB, " 1 loops, ", 1 },
      { CF_COMPILE_NOVALIDATE, "shader", 0 },
   };
   nir_shader *nir = create_shader();
   struct cf_binary *plain = compile(nir, (struct cf_compile_options){ 0 }), *binary;
   for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
      char *text = printed(nir, cases[i].flag, &binary);
      assert_int_equal(occurrences(text, cases[i].what), cases[i].count);
      assert_int_equal(*text != 0, cases[i].count != 0);
      assert_same_code(plain, binary);
      free(text);
      cf_binary_free(binary);
   }
   cf_binary_free(plain);
   ralloc_free(nir);
}

/* Code is printed with its lines, where there are marks that say what positions stand for. */
static void
test_lines_of_code(void **state)
{
   nir_shader *nir = create_shader();
   struct cf_binary *binary;
   char *text = printed(nir, CF_COMPILE_ASM, &binary);
   assert_int_equal(occurrences(text, "line "), 0);
   assert_null(binary->lines);
   free(text);
   cf_binary_free(binary);

   nir->line_marks = rzalloc_array(nir, struct nir_line_mark, 1);
   nir->line_marks[0].first = 1;
   nir->line_marks[0].line = 101;
   nir->line_mark_count = 1;
   text = printed(nir, CF_COMPILE_ASM, &binary);
   assert_true(binary->line_count > 0);
   assert_true(occurrences(text, "line ") > 0);
   for (uint32_t i = 0; i < binary->line_count; i++)
      assert_in_range(binary->lines[i].line, 103, 108);
   free(text);
   cf_binary_free(binary);
   ralloc_free(nir);
}

/* ---- what it shows */

struct seen {
   char stages[256];
   bool empty;
};

static void
look(void *user, const char *stage, const char *text)
{
   struct seen *seen = user;
   strcat(strcat(seen->stages, stage), " ");
   seen->empty |= !*text;
}

static void
test_look(void **state)
{
   nir_shader *nir = create_shader();
   struct seen all = { 0 }, fewer = { 0 };
   struct cf_binary *binary =
      compile(nir, (struct cf_compile_options){ .look = look, .user = &all });
   cf_binary_free(binary);
   assert_string_equal(
      all.stages, "nir cf_from_nir cf_opt_flow cf_opt_dead cf_schedule cf_lower_constants cf_ra ");
   assert_false(all.empty);
   binary = compile(nir, (struct cf_compile_options){
                            .look = look,
                            .user = &fewer,
                            .passes_off = BITFIELD_BIT(CF_PASS_FLOW) | BITFIELD_BIT(CF_PASS_DEAD) |
                                          BITFIELD_BIT(CF_PASS_SCHEDULE) });
   cf_binary_free(binary);
   assert_string_equal(fewer.stages, "nir cf_from_nir cf_lower_constants cf_ra ");
   ralloc_free(nir);
}

/* Code is valid without any one pass, and without all of them not shorter. */
static void
test_passes_off(void **state)
{
   nir_shader *nir = create_shader();
   struct cf_binary *all = compile(nir, (struct cf_compile_options){ 0 });
   for (unsigned pass = 0; pass < CF_PASS_COUNT; pass++) {
      struct cf_binary *binary =
         compile(nir, (struct cf_compile_options){ .passes_off = BITFIELD_BIT(pass) });
      assert_int_equal(binary->program.inputs, all->program.inputs);
      assert_int_equal(binary->program.outputs, all->program.outputs);
      cf_binary_free(binary);
   }
   struct cf_binary *none =
      compile(nir, (struct cf_compile_options){ .passes_off = BITFIELD_MASK(CF_PASS_COUNT) });
   assert_true(none->program.code_instrs >= all->program.code_instrs);
   cf_binary_free(none);
   cf_binary_free(all);
   ralloc_free(nir);
}

/* The text of NIR, with a line of it for each instruction that one of NIR's made. */
static void
test_nir(void **state)
{
   nir_shader *nir = create_shader();
   struct cf_binary *plain = compile(nir, (struct cf_compile_options){ 0 });
   struct cf_binary *binary = compile(nir, (struct cf_compile_options){ .nir = true });
   assert_null(plain->nir);
   assert_null(plain->nir_lines);
   assert_same_code(plain, binary);
   const unsigned lines = occurrences(binary->nir, "\n");
   unsigned known = 0;
   for (uint32_t i = 0; i < binary->program.code_instrs; i++) {
      assert_in_range(binary->nir_lines[i], 0, lines);
      known += binary->nir_lines[i] > 0;
   }
   assert_true(known > 0);
   cf_binary_free(binary);
   cf_binary_free(plain);
   ralloc_free(nir);
}

/* A program that is refused has a reason, and nothing else. */
static void
test_refused(void **state)
{
   nir_builder b = nir_builder_init_simple_shader(MESA_SHADER_FRAGMENT, &cf_nir_options, "options");
   output(&b, input(&b), FRAG_RESULT_STENCIL);
   const struct cf_compile_options options = { .nir = true, .debug = CF_COMPILE_ASM };
   struct cf_binary *binary = cf_compile(b.shader, &options);
   assert_non_null(strstr(binary->error, "not supported"));
   assert_null(binary->code);
   assert_null(binary->nir);
   cf_binary_free(binary);
   ralloc_free(b.shader);
}

static void
test_early_tests(void **state)
{
   for (unsigned early = 0; early < 2; early++) {
      nir_shader *nir = create_shader();
      nir->info.fs.early_fragment_tests = early;
      struct cf_binary *binary = compile(nir, (struct cf_compile_options){ 0 });
      assert_int_equal(binary->program.stage, CF_SHADER_STAGE_FRAGMENT);
      assert_int_equal(binary->program.early_tests, early);
      cf_binary_free(binary);
      ralloc_free(nir);
   }
}

/* ---- limits of what is packed */

/* The reason why a program of `count` instructions is refused; NULL: it is packed. */
static const char *
reason_of(struct cf_ir *ir, unsigned count)
{
   struct cf_ra_result regs = { 0 };
   struct cf_binary binary = { 0 };
   const struct cf_src zero = cf_src_const(0);
   while (ir->count < count - 1)
      cf_ir_append(ir, CF_OP_OUT, CF_NO_VREG, 1, &zero);
   cf_ir_append(ir, CF_OP_END, CF_NO_VREG, 0, NULL);
   const bool packed = cf_pack(ir, &regs, &binary);
   assert_int_equal(packed, ir->error == NULL);
   if (packed)
      assert_int_equal(binary.program.code_instrs, count);
   assert_int_equal(binary.code != NULL, packed);
   free(binary.code);
   return ir->error;
}

static void
test_size(void **state)
{
   struct cf_ir *most = cf_ir_create(NULL), *more = cf_ir_create(NULL);
   assert_null(reason_of(most, CF_MAX_PROGRAM_INSTRS));
   char expected[80];
   snprintf(expected, sizeof(expected), "it has %u instructions, more than %u",
            CF_MAX_PROGRAM_INSTRS + 1, CF_MAX_PROGRAM_INSTRS);
   assert_string_equal(reason_of(more, CF_MAX_PROGRAM_INSTRS + 1), expected);
   ralloc_free(most);
   ralloc_free(more);
}

static void
test_scratch(void **state)
{
   struct cf_ir *most = cf_ir_create(NULL), *more = cf_ir_create(NULL);
   most->scratch_dwords = CF_MAX_SCRATCH_DWORDS;
   more->scratch_dwords = CF_MAX_SCRATCH_DWORDS + 1;
   assert_null(reason_of(most, 2));
   assert_string_equal(reason_of(more, 2), "it needs more than 65536 dwords of scratch");
   ralloc_free(most);
   ralloc_free(more);
}

static void
test_nesting(void **state)
{
   for (unsigned depth = CF_MAX_NESTING; depth <= CF_MAX_NESTING + 1; depth++) {
      struct cf_ir *ir = cf_ir_create(NULL);
      for (unsigned i = 0; i < depth; i++)
         cf_ir_append(ir, CF_OP_LOOP, CF_NO_VREG, 0, NULL);
      for (unsigned i = 0; i < depth; i++)
         cf_ir_append(ir, CF_OP_ENDLOOP, CF_NO_VREG, 0, NULL);
      const char *reason = reason_of(ir, 2 * depth + 1);
      assert_int_equal(reason == NULL, depth == CF_MAX_NESTING);
      if (reason)
         assert_string_equal(reason, "control flow is nested more than 60 deep");
      ralloc_free(ir);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_debug),       cmocka_unit_test(test_lines_of_code),
      cmocka_unit_test(test_look),        cmocka_unit_test(test_passes_off),
      cmocka_unit_test(test_nir),         cmocka_unit_test(test_refused),
      cmocka_unit_test(test_early_tests), cmocka_unit_test(test_size),
      cmocka_unit_test(test_scratch),     cmocka_unit_test(test_nesting),
   };
   glsl_type_singleton_init_or_ref();
   int result = cmocka_run_group_tests(tests, NULL, NULL);
   glsl_type_singleton_decref();
   return result;
}
