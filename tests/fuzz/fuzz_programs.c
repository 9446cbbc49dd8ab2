/* SPDX-License-Identifier: MIT */
/*
 * Programs of the ISA. Wild ones are words as they are: the validator refuses them, or they run to
 * their end, in both engines, and as text are the same words again. Tame ones (fuzz_tame.h) must
 * give the same bits at each host level, as a slice, and compiled. Few inputs are compiled, which
 * takes a hundred times as long as all the rest.
 *
 * Input: struct head, then words of 8 bytes.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/jit/llvm/test_jit.h"
#include "clipfree/texture/cf_texture.h"
#include "clipfree/texture/test_linear_texture.h"
#include "fuzz_tame.h"

#define MOST_WORDS 128
#define MOST_TASK_INSTRS 20000 /* loops of tame programs end before */
#define COMPILED_OF 64         /* one of so many inputs */
#define CONSTANTS 64
#define UNITS 2
#define PROGRAM_SEEDS 64
#define TEXELS_PX 8

struct head {
   uint8_t wild;                                                      /* odd: words as they are */
   uint8_t stage;                                                     /* enum cf_shader_stage */
   uint8_t vector_regs, scalar_regs, outputs, inputs, scratch_dwords; /* of wild programs */
   uint8_t reserved;
   uint32_t exec, alive;
   uint32_t values; /* a seed: uniforms, system values, varyings */
};

struct programs_input {
   struct head head;
   uint64_t words[MOST_WORDS];
   unsigned count;
};

static struct programs_input
parse(const uint8_t *data, size_t size_B)
{
   struct programs_input in = { 0 };
   const size_t head_B = size_B < sizeof(in.head) ? size_B : sizeof(in.head);
   memcpy(&in.head, data, head_B);
   in.count = (unsigned)((size_B - head_B) / sizeof(in.words[0]));
   if (in.count > MOST_WORDS)
      in.count = MOST_WORDS;
   memcpy(in.words, data + head_B, in.count * sizeof(in.words[0]));
   return in;
}

/* ---- tasks ---- */

/* A task with all that its inputs are. */
struct world {
   struct fixture f;
   uint32_t constants[2][CONSTANTS];
   float varyings[CF_TASK_QUADS][CF_MAX_VARYING_DWORDS][3];
   uint32_t scratch[256][LANES];
   uint8_t texels[UNITS][TEXELS_PX * TEXELS_PX * 4];
   struct cf_texture_unit unit[UNITS];
   const struct cf_jit_compiler *compiler; /* NULL: this build has none */
};

static void
open_units(struct world *w)
{
   struct cf_random random = { 2 };
   const struct cf_sampler sampler = { .max_lod = 10, .min_filter = CF_FILTER_LINEAR };
   for (unsigned n = 0; n < UNITS; n++) {
      const struct cf_texture texture = test_linear_texture(4096, TEXELS_PX, TEXELS_PX);
      for (unsigned i = 0; i < sizeof(w->texels[n]); i++)
         w->texels[n][i] = (uint8_t)cf_random_u32(&random);
      const char *wrong = cf_texture_unit_init(&w->unit[n], &texture, &sampler, w->texels[n]);
      if (wrong)
         fuzz_fail("texture: %s", wrong);
      w->f.stage.textures[n] = &w->unit[n];
   }
}

static void
open_fetches(struct world *w)
{
   static const enum cf_format formats[] = { CF_FORMAT_R32G32B32A32_FLOAT, CF_FORMAT_R8G8B8A8_UNORM,
                                             CF_FORMAT_R16G16_FLOAT, CF_FORMAT_R32_UINT };
   for (unsigned i = 0; i < 8; i++)
      w->f.stage.fetch[i] = (struct cf_fetch){ .data = w->texels[i % UNITS],
                                               .size_B = sizeof(w->texels[0]) - i,
                                               .stride_B = 4 * (i % 5),
                                               .divisor = i / 6,
                                               .format = cf_format_info_of(formats[i % 4]) };
   w->f.stage.fetches = CF_MAX_VERTEX_ELEMENTS;
   w->f.stage.units = CF_MAX_TEXTURE_UNITS;
}

static struct world *
open_world(void)
{
   static struct world w;
   if (w.f.task)
      return &w;
   setenv("CMOCKA_TEST_ABORT", "1", 1); /* what the fixture asserts */
   fixture_init(&w.f);
   w.f.stage.max_instrs = MOST_TASK_INSTRS;
   free(w.f.task->scratch);
   w.f.task->scratch = w.scratch;
   w.f.task->scratch_dwords = sizeof(w.scratch) / sizeof(w.scratch[0]);
   for (unsigned k = 0; k < 2; k++) {
      w.f.stage.constants[k].data = w.constants[k];
      w.f.stage.constants[k].dwords = CONSTANTS;
   }
   open_units(&w);
   open_fetches(&w);
#ifdef FUZZ_JIT_MODULE
   w.compiler = open_compiler(FUZZ_JIT_MODULE);
#endif
   return &w;
}

static uint32_t
random_value(struct cf_random *random)
{
   static const uint32_t special[] = { 0,          0x80000000, 0x3f800000, 0x7f800000,
                                       0xff800000, 0x7fc00000, 1,          0xffffffff };
   const uint32_t bits = cf_random_u32(random);
   switch (cf_random_below(random, 4)) {
   case 0:
      return special[bits % 8];
   case 1:
      return bits;
   case 2:
      return bits % 64;
   default:
      return cf_bits((float)(int32_t)bits * 0x1p-28f);
   }
}

static void
set_values(struct world *w, uint32_t seed)
{
   struct cf_random random = { seed };
   struct cf_task *task = w->f.task;
   for (unsigned i = 0; i < 2 * CONSTANTS; i++)
      w->constants[i / CONSTANTS][i % CONSTANTS] = random_value(&random);
   for (unsigned i = 0; i < CF_TASK_QUADS * TAME_INPUTS * 3; i++)
      w->varyings[i / (TAME_INPUTS * 3)][i / 3 % TAME_INPUTS][i % 3] =
         cf_float(random_value(&random));
   for (unsigned i = 0; i < CF_SYSVAL_LIMIT * LANES; i++)
      task->sys[i / LANES][i % LANES] =
         i / LANES == CF_SYSVAL_LANE ? i % LANES : random_value(&random);
   for (unsigned i = 0; i < 2 * LANES; i++) {
      task->bary[i / LANES][i % LANES] = (float)cf_random_below(&random, 1000) * 0.001f;
      task->linear[i / LANES][i % LANES] = (float)cf_random_below(&random, 1000) * 0.001f;
      task->centroid[i / LANES][i % LANES] = (float)cf_random_below(&random, 1000) * 0.001f;
      task->bary_rest[i / LANES][i % LANES] = (float)cf_random_below(&random, 1000) * 0x1p-33f;
   }
   task->shared = cf_random_below(&random, 2) ? 0 : cf_random_u32(&random);
   task->one_primitive = cf_random_below(&random, 2);
   for (unsigned quad = 0; quad < CF_TASK_QUADS; quad++)
      task->varyings[quad] = (const float(*)[3])w->varyings[task->one_primitive ? 0 : quad];
}

/* Run the stage's program, from registers and scratch with this in all bytes. */
static void
run(struct world *w, enum cf_host_level level, const struct head *head, int filled)
{
   struct cf_task *task = w->f.task;
   memset(task->v, filled, sizeof(task->v));
   memset(task->s, filled, sizeof(task->s));
   memset(task->tex_operand, filled, sizeof(task->tex_operand));
   memset(task->out, 0, sizeof(task->out));
   memset(w->scratch, filled, sizeof(w->scratch));
   task->timed_out = false;
   task->prepared = NULL;
   task->exec = head->exec ? head->exec : 1;
   task->alive = task->exec & (w->f.info.stage == CF_SHADER_STAGE_FRAGMENT ? head->alive : ~0u);
   cf_shader_ops_at(level)->prepare(&w->f.stage, task);
   cf_shader_ops_at(level)->run(&w->f.stage, task);
}

/* ---- results ---- */

/* What a run left. */
struct result {
   uint32_t out[TAME_OUTPUTS][LANES];
   uint32_t alive;
   bool timed_out;
};

static struct result
result_of(const struct world *w)
{
   struct result r = { .alive = w->f.task->alive, .timed_out = w->f.task->timed_out };
   memcpy(r.out, w->f.task->out, sizeof(r.out));
   return r;
}

static void
print_program(const struct world *w)
{
   for (unsigned i = 0; i < w->f.stage.program->count; i++) {
      char text[128];
      cf_disassemble_instr(&w->f.stage.program->instrs[i], text, sizeof(text));
      fprintf(stderr, "%5u  %s\n", i, text);
   }
}

/* The first `outputs` of the results are equal in lanes that export. */
static void
compare(const struct world *w, const struct result *a, const struct result *b, unsigned outputs,
        const char *what)
{
   const uint32_t lanes = w->f.task->exec & a->alive;
   if (a->timed_out != b->timed_out || (!a->timed_out && a->alive != b->alive)) {
      print_program(w);
      fuzz_fail("%s: alive 0x%08x, not 0x%08x; timed out %d, not %d", what, b->alive, a->alive,
                b->timed_out, a->timed_out);
   }
   for (unsigned i = 0; i < outputs * LANES && !a->timed_out; i++) {
      const unsigned output = i / LANES, lane = i % LANES;
      if (!(lanes >> lane & 1) || a->out[output][lane] == b->out[output][lane])
         continue;
      print_program(w);
      fuzz_fail("%s: output %u of lane %u is 0x%08x, not 0x%08x", what, output, lane,
                b->out[output][lane], a->out[output][lane]);
   }
}

/* ---- programs ---- */

/* Decode a program of the fixture's `info`. False: it is refused. */
static bool
load(struct world *w, const uint64_t *code, unsigned count)
{
   struct fixture *f = &w->f;
   cf_program_free((struct cf_decoded *)f->stage.program);
   f->info.code_instrs = count;
   f->error[0] = 0;
   f->stage.program = cf_program_decode(&f->info, code, f->error, sizeof(f->error));
   if (!f->stage.program && !f->error[0])
      fuzz_fail("a program is refused without a reason");
   return f->stage.program != NULL;
}

/* As text it is the same program. */
static void
check_text(const uint64_t *code, unsigned count)
{
   char *text, error[256];
   size_t text_B;
   uint64_t *again;
   unsigned again_count;
   FILE *file = open_memstream(&text, &text_B);
   cf_disassemble(file, code, count);
   fclose(file);
   if (!cf_assemble_text(text, &again, &again_count, error, sizeof(error)))
      fuzz_fail("its text cannot be assembled: %s\n%s", error, text);
   if (again_count != count || memcmp(again, code, count * sizeof(*code)) != 0)
      fuzz_fail("its text is another program:\n%s", text);
   free(again);
   free(text);
}

/* Compiled code is taken where it is proven that it may run. What the proof cannot follow is
 * interpreted, as in the GPU. */
static bool
is_taken(struct world *w)
{
   const struct cf_jit_source source = { .units = NULL };
   return !fixture_engine_taken(&w->f, w->compiler, (int)cf_host_level(), &source);
}

static void
run_wild(struct world *w, const struct programs_input *in, bool compiled)
{
   const struct head *head = &in->head;
   w->f.info.stage = (enum cf_shader_stage)(head->stage % 3);
   w->f.info.vector_regs = head->vector_regs;
   w->f.info.scalar_regs = head->scalar_regs;
   w->f.info.outputs = head->outputs;
   w->f.info.inputs = head->inputs;
   w->f.info.scratch_dwords = head->scratch_dwords;
   w->f.info.input_vertices = 1;
   w->f.info.output_prim = CF_PRIM_KIND_POINTS;
   if (!load(w, in->words, in->count))
      return;
   check_text(in->words, in->count);
   for (unsigned level = 0; level <= cf_host_level(); level++)
      run(w, (enum cf_host_level)level, head, 0);
   if (!compiled || !w->compiler)
      return;
   if (is_taken(w))
      run(w, cf_host_level(), head, 0);
}

static void
run_slice(struct world *w, const struct head *head, const struct result *expected)
{
   const struct cf_decoded *whole = w->f.stage.program;
   struct cf_decoded *slice = cf_program_slice(whole);
   if (!slice)
      fuzz_fail("there is no slice");
   w->f.stage.program = slice;
   run(w, cf_host_level(), head, 0x11);
   const struct result result = result_of(w);
   compare(w, expected, &result, CF_RECORD_HEAD_DWORDS, "as a slice");
   w->f.stage.program = whole;
   cf_program_free(slice);
}

static void
run_compiled(struct world *w, const struct head *head, const struct result *expected)
{
   if (!is_taken(w))
      return;
   run(w, cf_host_level(), head, 0x22);
   const struct result result = result_of(w);
   compare(w, expected, &result, TAME_OUTPUTS, "compiled");
}

static void
run_tame(struct world *w, const struct programs_input *in, bool compiled)
{
   static uint64_t code[TAME_MOST_INSTRS];
   const struct head *head = &in->head;
   w->f.info.stage = head->stage & 1 ? CF_SHADER_STAGE_FRAGMENT : CF_SHADER_STAGE_VERTEX;
   w->f.info.vector_regs = TAME_VECTOR_REGS;
   w->f.info.scalar_regs = TAME_SCALAR_REGS;
   w->f.info.outputs = TAME_OUTPUTS;
   w->f.info.inputs = TAME_INPUTS;
   w->f.info.scratch_dwords = TAME_SCRATCH_DW;
   const unsigned count = fuzz_tame(in->words, in->count, w->f.info.stage, code);
   if (!load(w, code, count))
      fuzz_fail("a tame program is refused: %s", w->f.error);
   check_text(code, count);
   run(w, cf_host_level(), head, 0);
   const struct result expected = result_of(w);
   for (unsigned level = 0; level < cf_host_level(); level++) {
      run(w, (enum cf_host_level)level, head, 0x33);
      const struct result result = result_of(w);
      compare(w, &expected, &result, TAME_OUTPUTS, "at another host level");
   }
   if (w->f.info.stage == CF_SHADER_STAGE_VERTEX && !expected.timed_out)
      run_slice(w, head, &expected);
   if (compiled && w->compiler)
      run_compiled(w, head, &expected);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
   struct world *w = open_world();
   const struct programs_input in = parse(data, size_B);
   set_values(w, in.head.values);
   const bool compiled = fuzz_hash(data, size_B) % COMPILED_OF == 0;
   if (in.head.wild & 1)
      run_wild(w, &in, compiled);
   else
      run_tame(w, &in, compiled);
   return 0;
}

/* ---- mutations ---- */

/* An instruction of any operation, with any operands. */
static uint64_t
random_instr(struct cf_random *random)
{
   for (;;) {
      const unsigned opcode = cf_random_below(random, CF_OP_LIMIT);
      const struct cf_op_info *op = cf_op_info(opcode);
      struct cf_instr instr;
      const char *reason;
      if (!op)
         continue;
      const uint64_t word =
         (cf_random_u64(random) & ~cf_forms[op->form].reserved & ~0xffull) | opcode;
      if (cf_instr_decode(word, &instr, &reason))
         return word;
   }
}

/* Another value in one field of an instruction. */
static uint64_t
change_field(struct cf_random *random, uint64_t word)
{
   const struct cf_op_info *op = cf_op_info(word & 0xff);
   const struct cf_form_info *form = op ? &cf_forms[op->form] : NULL;
   if (!form || form->field_count == 0 || cf_random_below(random, 16) == 0)
      return word ^ 1ull << cf_random_below(random, 64);
   const struct cf_field_info *field = &form->fields[cf_random_below(random, form->field_count)];
   const uint64_t mask = (field->bits < 64 ? 1ull << field->bits : 0) - 1;
   return (word & ~(mask << field->low)) | (cf_random_u64(random) & mask) << field->low;
}

static void
insert_words(struct programs_input *in, unsigned at, const uint64_t *words, unsigned count)
{
   if (count > MOST_WORDS - in->count)
      return;
   memmove(&in->words[at + count], &in->words[at], (in->count - at) * sizeof(*words));
   memcpy(&in->words[at], words, count * sizeof(*words));
   in->count += count;
}

/* A loop around some words, or an if, half of the time with an else between them. */
static void
insert_construct(struct programs_input *in, struct cf_random *random)
{
   const bool loop = cf_random_below(random, 2);
   const unsigned begin = cf_random_below(random, in->count + 1);
   const unsigned end = begin + cf_random_below(random, in->count - begin + 1);
   const struct cf_instr condition = { .op = CF_OP_IF,
                                       .src = { cf_v(cf_random_below(random, TAME_REGS)) } };
   const uint64_t first = loop ? CF_OP_LOOP : cf_instr_encode(&condition);
   const uint64_t last = loop ? CF_OP_ENDLOOP : CF_OP_ENDIF, other = CF_OP_ELSE;
   insert_words(in, end, &last, 1);
   if (!loop && cf_random_below(random, 2))
      insert_words(in, begin + cf_random_below(random, end - begin + 1), &other, 1);
   insert_words(in, begin, &first, 1);
}

static void
mutate_words(struct programs_input *in, struct cf_random *random)
{
   /* a place between words, and a word; without any the array's first */
   const unsigned at = cf_random_below(random, in->count + 1);
   const unsigned i = at < in->count ? at : in->count ? in->count - 1 : 0;
   uint64_t word = random_instr(random);
   switch (cf_random_below(random, 8)) {
   case 0:
      insert_construct(in, random);
      break;
   case 1:
   case 2:
      insert_words(in, at, &word, 1);
      break;
   case 3:
      word = in->words[i];
      insert_words(in, cf_random_below(random, in->count + 1), &word, 1);
      break;
   case 4:
      if (in->count > 0)
         memmove(&in->words[i], &in->words[i + 1], (--in->count - i) * sizeof(word));
      break;
   case 5:
      in->words[i] = word;
      break;
   default:
      in->words[i] = change_field(random, in->words[i]);
   }
}

static void
mutate_head(struct head *head, struct cf_random *random)
{
   switch (cf_random_below(random, 5)) {
   case 0:
      head->exec = cf_random_below(random, 2) ? ~0u : cf_random_u32(random);
      break;
   case 1:
      head->alive = cf_random_below(random, 2) ? ~0u : cf_random_u32(random);
      break;
   case 2:
      head->values = cf_random_u32(random);
      break;
   case 3:
      head->stage = (uint8_t)cf_random_below(random, 3);
      break;
   default:
      ((uint8_t *)head)[cf_random_below(random, 8)] = (uint8_t)cf_random_u32(random);
   }
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size_B, size_t max_B, unsigned seed)
{
   struct cf_random random = { seed };
   if (cf_random_below(&random, 16) == 0)
      return LLVMFuzzerMutate(data, size_B, max_B);
   struct programs_input in = parse(data, size_B);
   for (unsigned n = 1 + cf_random_below(&random, 4); n > 0; n--) {
      if (cf_random_below(&random, 8) == 0)
         mutate_head(&in.head, &random);
      else
         mutate_words(&in, &random);
   }
   const size_t words_B = in.count * sizeof(in.words[0]);
   if (sizeof(in.head) + words_B > max_B)
      return size_B;
   memcpy(data, &in.head, sizeof(in.head));
   memcpy(data + sizeof(in.head), in.words, words_B);
   return sizeof(in.head) + words_B;
}

/* ---- seeds ---- */

static void
write_program(const char *folder, const char *name, const struct programs_input *in)
{
   uint8_t data[sizeof(*in)];
   const size_t words_B = in->count * sizeof(in->words[0]);
   memcpy(data, &in->head, sizeof(in->head));
   memcpy(data + sizeof(in->head), in->words, words_B);
   fuzz_write_seed(folder, name, data, sizeof(in->head) + words_B);
}

/* One operation, tame and wild. */
static void
write_operation(const char *folder, struct programs_input *in, unsigned opcode,
                struct cf_random *random)
{
   const struct cf_op_info *op = cf_op_info(opcode);
   do
      in->words[0] = random_instr(random);
   while ((in->words[0] & 0xff) != opcode);
   in->words[1] = CF_OP_END;
   in->count = 2;
   in->head.stage = op->form == CF_FORM_LDF ? 0 : 1;
   in->head.values = opcode;
   for (unsigned wild = 0; wild < 2; wild++) {
      char name[64];
      in->head.wild = (uint8_t)wild;
      snprintf(name, sizeof(name), "%s-%s", wild ? "wild" : "tame", op->name);
      write_program(folder, name, in);
   }
}

/* Each operation, and tame programs of many. */
void
fuzz_write_seeds(const char *folder)
{
   struct cf_random random = { 3 };
   struct programs_input in = { .head = { .vector_regs = 128,
                                          .scalar_regs = 128,
                                          .outputs = 32,
                                          .inputs = 16,
                                          .scratch_dwords = 16,
                                          .exec = ~0u,
                                          .alive = ~0u } };
   for (unsigned opcode = 0; opcode < CF_OP_LIMIT; opcode++) {
      if (cf_op_info(opcode))
         write_operation(folder, &in, opcode, &random);
   }
   in.head.wild = 0;
   for (unsigned n = 0; n < PROGRAM_SEEDS; n++) {
      char name[32];
      in.count = 0;
      in.head.stage = (uint8_t)(n % 2);
      for (unsigned i = 0; i < 2 * MOST_WORDS / 3; i++)
         mutate_words(&in, &random);
      snprintf(name, sizeof(name), "program-%u", n);
      write_program(folder, name, &in);
   }
}
