/* SPDX-License-Identifier: MIT */
/*
 * What programs are refused and why; loads, stores, inputs and outputs, each against what the
 * descriptors say, inside and outside their bounds, at every host level.
 */
#include "clipfree/base/test_random.h"
#include "clipfree/shader/cf_geometry_layout.h"
#include "clipfree/shader/cf_program_find.h"
#include "clipfree/shader/cf_run.h"
#include "clipfree/shader/cf_run_watched.h"
#include "clipfree/shader/test_shader.h"
#include "clipfree/texture/cf_texture.h"
#include "clipfree/texture/test_linear_texture.h"

#include <sys/mman.h>
#include <unistd.h>

#define FOR_LEVELS(level)                                                                          \
   for (enum cf_host_level level = CF_HOST_BASE; level <= cf_host_level(); level++)

/* ---- purity ---- */

/* Say of an operation whether it has an effect outside of its task. None has one today, so the
 * table, which is constant, is made writable. */
static void
set_effect(enum cf_op op, bool effect)
{
   const uintptr_t page_B = (uintptr_t)sysconf(_SC_PAGESIZE);
   const uintptr_t from = (uintptr_t)&cf_ops[op] & ~(page_B - 1), to = (uintptr_t)&cf_ops[op + 1];
   assert_int_equal(mprotect((void *)from, to - from, PROT_READ | PROT_WRITE), 0);
   ((struct cf_op_info *)cf_op_info(op))->effect = effect;
}

/* Whether a program with a store is pure, and has a program for positions. */
static void
check_purity(bool effect)
{
   static const char text[] =
      "ldf v0, 0[v0]\nfexp2 v4, v0\nfexp2 v4, v4\nfexp2 v4, v4\nmovi v5, 0\nsts [v5 + 0], v4\n"
      "out 0, v0\nout 1, v4\nend";
   struct fixture f;
   fixture_init(&f);
   f.info.stage = CF_SHADER_STAGE_VERTEX;
   f.info.scratch_dwords = 1;
   set_effect(CF_OP_STS, effect);
   if (!fixture_load(&f, text))
      fail_msg("%s", f.error);
   assert_int_equal(cf_program_is_pure(f.stage.program), !effect);
   cf_program_add_positions((struct cf_decoded *)f.stage.program, true);
   assert_int_equal(cf_program_positions(f.stage.program) != NULL, !effect);
   set_effect(CF_OP_STS, false);
   fixture_end(&f);
}

/* A program with an operation that has an effect is not pure; its tasks do not run twice. */
static void
test_purity(void **state)
{
   (void)state;
   check_purity(false);
   check_purity(true);
}

/* ---- validation ---- */

static const struct {
   const char *text, *error;
} refused[] = {
   { "mov v0, v1", "instruction 0 'mov v0, v1': the end instruction must be the last one" },
   { "end\nend", "instruction 0 'end': the end instruction must be the last one" },
   { "mov v8, v1\nend", "v8: the program declares 8 vector registers" },
   { "mov v1, v8\nend", "v8: the program declares 8 vector registers" },
   { "fmad v1, v1, v1, v9\nend", "v9: the program declares 8 vector registers" },
   { "tex v5.x, 0, v0, v0, 0, 0, implicit\nend", "v8: the program declares 8 vector registers" },
   { "mov s4, 0\nend", "s4: the program declares 4 scalar registers" },
   { "mov v0, s5\nend", "s5: the program declares 4 scalar registers" },
   { "out 6, v0\nend", "the program declares 6 output dwords" },
   { "outf 6, v0\nend", "the program declares 6 output dwords" },
   { "ldvar v0, 10, smooth\nend", "the program declares 10 input dwords" },
   { "ldf v0, 0[v0]\nend", "only vertex programs have vertex elements" },
   { "sys v0, vertex_id\nend", "this stage has no such value" },
   { "sys v0, frag_y\nend", "does not declare this value in sysvals" },
   { "else 1\nend", "instruction 0 'else 1': no if is open" },
   { "endif\nend", "no if is open" },
   { "endloop 0\nend", "no loop is open" },
   { "if v0, 1\nend", "1 constructs are still open" },
   { "loop\nend", "1 constructs are still open" },
   { "loop\nif v0, 2\nendloop 1\nend", "no loop is open" },
   { "if v0, 1\nloop\nendif\nend", "no if is open" },
   { "if v0, 1\nelse 2\nelse 3\nendif\nend", "no if is open" },
   { "brk v0, 1\nend", "outside a loop" },
   { "if v0, 2\ncont v0, 2\nendif\nend", "outside a loop" },
   { "if v0, 2\nendif\nend", "instruction 0 'if v0, 2': the target must be 1" },
   { "if v0, 2\nelse 2\nendif\nend", "instruction 0 'if v0, 2': the target must be 1" },
   { "if v0, 1\nelse 3\nendif\nend", "instruction 1 'else 3': the target must be 2" },
   { "loop\nbrk v0, 3\nendloop 1\nend", "instruction 1 'brk v0, 3': the target must be 2" },
   { "loop\nendloop 0\nend", "its endloop, 1, must go to 1" },
   { "loop\nif v0, 3\nbrk v0, 4\nendif\nendloop 1\nend",
     "instruction 2 'brk v0, 4': the target must be 3" },
   { "loop\nif v0, 3\ncont v0, 5\nelse 5\nkill v0, 3\nendif\nendloop 1\nend",
     "instruction 4 'kill v0, 3': the target must be 5" },
   { "kill v0, 1\nmov v0, v0\nend", "instruction 0 'kill v0, 1': the target must be 2" },
   { "demote v0, 4294967295\nend", "the target must be 1" },
   { "grad 0, 0\ngrad 1, 0\ngrad 2, 0\ngrad 3, 0\ngrad 4, 0\ntex v0.x, 0, 0, 0, 0, 0, grad\nend",
     "operand 5 is not set" },
   { "grad 0, 0\ngrad 1, 0\nif v0, 4\ngrad 2, 0\nendif\ngrad 3, 0\ngrad 4, 0\ngrad 5, 0\ntex v0.x, "
     "0, 0, 0, 0, 0, grad\nend",
     "operand 0 is not set" },
   { "grad 7, 0\ntex v0.x, 0, 0, 0, 0, 0, implicit_at\nend", "operand 6 is not set" },
   { "grad 6, 0\nif v0, 3\ngrad 7, 0\nendif\ntex v0.x, 0, 0, 0, 0, 0, lod_at\nend",
     "operand 6 is not set" },
};

static void
narrow(struct fixture *f)
{
   f->info.vector_regs = 8;
   f->info.scalar_regs = 4;
   f->info.outputs = 6;
   f->info.inputs = 10;
   f->info.sysvals = 1u << CF_SYSVAL_FRAG_X;
}

static void
test_refused(void **state)
{
   (void)state;
   struct fixture f;
   fixture_init(&f);
   narrow(&f);
   for (unsigned i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
      if (fixture_load(&f, refused[i].text))
         fail_msg("accepted:\n%s", refused[i].text);
      if (!strstr(f.error, refused[i].error))
         fail_msg("'%s' does not contain '%s'", f.error, refused[i].error);
   }
   assert_true(fixture_load(&f, "tex v4.xyzw, 15, v7, v0, 0, 0, implicit\nout 5, s3\nldvar v7, 9, "
                                "flat\nsys v0, frag_x\nend"));
   f.info.uses_kill = false;
   assert_false(fixture_load(&f, "kill v0, 1\nend"));
   assert_non_null(strstr(f.error, "uses_kill"));
   f.info.stage = CF_SHADER_STAGE_VERTEX;
   assert_false(fixture_load(&f, "ldvar v0, 0, flat\nend"));
   assert_non_null(strstr(f.error, "only fragment programs"));
   assert_false(fixture_load(&f, "demote v0, 1\nend"));
   assert_non_null(strstr(f.error, "only fragment programs"));
   assert_false(fixture_load(&f, "sys v0, frag_x\nend"));
   fixture_end(&f);
}

static void
test_refused_declarations(void **state)
{
   (void)state;
   struct fixture f;
   uint32_t *fields[] = { &f.info.vector_regs, &f.info.scalar_regs, &f.info.scratch_dwords,
                          &f.info.outputs, &f.info.inputs };
   const uint32_t limits[] = { 128, 128, 65536, CF_MAX_OUTPUTS, CF_MAX_VARYING_DWORDS };
   fixture_init(&f);
   for (unsigned i = 0; i < 5; i++) {
      const uint32_t was = *fields[i];
      *fields[i] = limits[i];
      assert_true(fixture_load(&f, "end"));
      *fields[i] = limits[i] + 1;
      assert_false(fixture_load(&f, "end"));
      *fields[i] = was;
   }
   assert_false(fixture_load(&f, ""));
   const uint64_t zero = 0;
   f.info.code_instrs = 1;
   assert_null(cf_program_decode(&f.info, &zero, f.error, sizeof(f.error)));
   assert_non_null(strstr(f.error, "instruction 0 0x0000000000000000: undefined operation"));
   fixture_end(&f);
}

/* What geometry programs say of themselves, each field at its limits. */
static void
test_refused_geometry(void **state)
{
   (void)state;
   struct fixture f;
   fixture_init(&f);
   f.info.stage = CF_SHADER_STAGE_GEOMETRY;
   f.info.output_prim = CF_PRIM_KIND_LINE_STRIP;
   f.info.max_vertices = CF_MAX_GEOMETRY_VERTICES;
   f.info.outputs = 8;
   f.info.inputs = 8;
   f.info.scratch_dwords = 65536;
   for (uint32_t vertices = 0; vertices <= 7; vertices++) {
      f.info.input_vertices = vertices;
      const bool accepted = (vertices >= 1 && vertices <= 4) || vertices == 6;
      assert_int_equal(fixture_load(&f, "end"), accepted);
      assert_true(accepted || strstr(f.error, "must be 1, 2, 3, 4 or 6"));
   }
   f.info.input_vertices = 3;
   for (enum cf_prim_kind kind = CF_PRIM_KIND_POINTS; kind <= CF_PRIM_KIND_TRIANGLE_FAN; kind++) {
      f.info.output_prim = kind;
      const bool accepted = kind == CF_PRIM_KIND_POINTS || kind == CF_PRIM_KIND_LINE_STRIP ||
                            kind == CF_PRIM_KIND_TRIANGLE_STRIP;
      assert_int_equal(fixture_load(&f, "end"), accepted);
      assert_true(accepted || strstr(f.error, "output_prim is none of"));
   }
   f.info.output_prim = CF_PRIM_KIND_POINTS;
   f.info.max_vertices++;
   assert_false(fixture_load(&f, "end"));
   assert_non_null(strstr(f.error, "max_vertices is"));
   f.info.max_vertices--;
   f.info.scratch_dwords = cf_geometry_scratch_dwords(&f.info) - 1;
   assert_false(fixture_load(&f, "end"));
   assert_non_null(strstr(f.error, "its inputs and outputs take"));
   f.info.scratch_dwords++;
   assert_true(fixture_load(&f, "end"));
   assert_false(fixture_load(&f, "out 0, v0\nend"));
   assert_non_null(strstr(f.error, "geometry programs have their outputs in scratch"));
   fixture_end(&f);
}

/* Where an element is fetched first; of one that is not, where the program ends. */
static void
test_fetch_pc(void **state)
{
   (void)state;
   struct fixture f;
   fixture_init(&f);
   f.info.stage = CF_SHADER_STAGE_VERTEX;
   assert_true(fixture_load(&f, "mov v1, v0\nldf v2, 3[v0]\nldf v3, 1[v0]\nldf v4, 3[v0]\nend"));
   assert_int_equal(cf_program_fetch_pc(f.stage.program, 3), 1);
   assert_int_equal(cf_program_fetch_pc(f.stage.program, 1), 2);
   assert_int_equal(cf_program_fetch_pc(f.stage.program, 0), 4);
   fixture_end(&f);
}

static void
test_nesting_limit(void **state)
{
   (void)state;
   struct fixture f;
   fixture_init(&f);
   for (unsigned depth = 64; depth <= 65; depth++) {
      char text[4096] = "";
      size_t length = 0;
      for (unsigned i = 0; i < depth; i++)
         length += (size_t)sprintf(text + length, "if v0, %u\n", 2 * depth - 1 - i);
      for (unsigned i = 0; i < depth; i++)
         length += (size_t)sprintf(text + length, "endif\n");
      sprintf(text + length, "end");
      assert_int_equal(fixture_load(&f, text), depth == 64);
   }
   assert_non_null(strstr(f.error, "nested more than 64 deep"));
   fixture_end(&f);
}

/* Words at random, mostly instructions: decoding never accepts what then runs out of its bounds
 * (run under sanitizers). */
static void
test_random_words(void **state)
{
   (void)state;
   struct cf_random seeds = cf_random_seed("shader-program test_random_words");
   const uint64_t seed = cf_random_u64(&seeds) | 1;
   uint64_t random = seed;
   struct fixture f;
   unsigned accepted = 0;
   fixture_init(&f);
   for (unsigned n = 0; n < 60000; n++) {
      uint64_t code[3];
      for (unsigned i = 0; i < 2; i++) {
         const unsigned op = random_u32(&random) % CF_OP_LIMIT;
         const struct cf_op_info *info = cf_op_info(op);
         code[i] = (uint64_t)random_u32(&random) << 32 | random_u32(&random);
         code[i] = (code[i] & ~0xffull & (info ? ~cf_forms[info->form].reserved : ~0ull)) | op;
      }
      code[2] = CF_OP_END;
      f.info.code_instrs = 3;
      f.info.stage = random_u32(&random) & 1 ? CF_SHADER_STAGE_VERTEX : CF_SHADER_STAGE_FRAGMENT;
      struct cf_decoded *decoded = cf_program_decode(&f.info, code, f.error, sizeof(f.error));
      if (!decoded)
         continue;
      accepted++;
      const float varyings[CF_MAX_VARYING_DWORDS][3] = { { 0 } };
      for (unsigned quad = 0; quad < CF_TASK_QUADS; quad++)
         f.task->varyings[quad] = varyings;
      f.stage.program = decoded;
      fixture_run(&f, cf_host_level(), random_u32(&random));
      cf_program_free(decoded);
   }
   print_message("%u programs accepted\n", accepted);
   assert_true(accepted > 1000);
   f.stage.program = NULL;
   fixture_end(&f);
}

/* ---- constants and scratch ---- */

static void
test_constants(void **state)
{
   (void)state;
   struct fixture f;
   uint32_t bank0[4] = { 10, 11, 12, 13 }, bank3[200];
   for (unsigned i = 0; i < 200; i++)
      bank3[i] = 1000 + i;
   fixture_init(&f);
   f.stage.constants[0].data = bank0;
   f.stage.constants[0].dwords = 4;
   f.stage.constants[3].data = bank3;
   f.stage.constants[3].dwords = 200;
   assert_true(fixture_load(&f, "mov v0, u3\n"
                                "mov v1, u4\n" /* outside: 0 */
                                "sys v2, lane\n"
                                "ldu v3, 3[v2 + 180]\n" /* lanes 20.. are outside */
                                "ldu s0, 3[5 + 190]\n"
                                "ldu s1, 3[-1 + 1]\n" /* does not wrap to 0 */
                                "ldu v4, 7[v2 + 0]\n"
                                "ldu v5, 3[s0 + 0]\n" /* 1195: outside */
                                "and v6, v2, 1\n"
                                "if v6, l\nldu v7, 0[2 + 0]\nl: endif\nend"));
   FOR_LEVELS(level)
   {
      for (unsigned lane = 0; lane < LANES; lane++) {
         f.task->sys[CF_SYSVAL_LANE][lane] = lane;
         f.task->v[5][lane] = f.task->v[7][lane] = 1;
      }
      fixture_run(&f, level, 0xffffffff);
      for (unsigned lane = 0; lane < LANES; lane++) {
         assert_int_equal(f.task->v[0][lane], 13);
         assert_int_equal(f.task->v[1][lane], 0);
         assert_int_equal(f.task->v[3][lane], lane < 20 ? 1180 + lane : 0);
         assert_int_equal(f.task->s[0][lane], 1195);
         assert_int_equal(f.task->s[1][lane], 0);
         assert_int_equal(f.task->v[4][lane], 0);
         assert_int_equal(f.task->v[5][lane], 0);
         assert_int_equal(f.task->v[7][lane], lane & 1 ? 12 : 1);
      }
   }
   fixture_end(&f);
}

static void
test_scratch(void **state)
{
   (void)state;
   struct fixture f;
   fixture_init(&f);
   f.info.scratch_dwords = 10;
   assert_true(fixture_load(&f, "sts [v0 + 3], v1\n" /* lanes 7.. are outside */
                                "lds v2, [v0 + 3]\n"
                                "lds v3, [4 + 0]\n"
                                "sts [-1 + 1], v1\n"
                                "lds v4, [0 + 0]\n"
                                "if v5, l\nsts [9 + 0], 44\nlds v6, [9 + 0]\nl: endif\nend"));
   FOR_LEVELS(level)
   {
      memset(f.task->scratch, 0x33, SCRATCH_DWORDS * sizeof(*f.task->scratch));
      for (unsigned lane = 0; lane < LANES; lane++) {
         f.task->v[0][lane] = lane;
         f.task->v[1][lane] = 100 + lane;
         f.task->v[5][lane] = lane < 16;
         f.task->v[6][lane] = 7;
      }
      fixture_run(&f, level, 0xffffffff);
      for (unsigned lane = 0; lane < LANES; lane++) {
         assert_int_equal(f.task->v[2][lane], lane < 7 ? 100 + lane : 0);
         assert_int_equal(f.task->v[3][lane], lane == 1 ? 101 : 0);
         assert_int_equal(f.task->v[4][lane], 0);
         assert_int_equal(f.task->v[6][lane], lane < 16 ? 44 : 7);
         for (unsigned dword = 10; dword < SCRATCH_DWORDS; dword++)
            assert_int_equal(f.task->scratch[dword][lane], 0x33333333);
      }
   }
   f.task->scratch_dwords = 4; /* less than the program declares */
   fixture_run(&f, CF_HOST_BASE, 0xffffffff);
   assert_int_equal(f.task->v[2][1], 0);
   fixture_end(&f);
}

/* ---- vertex elements ---- */

/* Of a task of the lanes `started`, of which those in exec fetch; what lanes get that were not started is undefined. */
static void
check_fetch(struct fixture *f, const struct cf_fetch *fetch, const uint32_t *numbers, uint32_t started, uint32_t exec)
{
   FOR_LEVELS(level)
   {
      for (unsigned c = 0; c < 4; c++)
         memset(f->task->v[4 + c], 0x55, sizeof(f->task->v[4 + c]));
      fixture_run(f, level, started);
      for (unsigned lane = 0; lane < LANES; lane++) {
         float expected[4] = { 0 };
         if (!(started >> lane & 1))
            continue;
         const uint64_t offset_B = (uint64_t)numbers[lane] * fetch->stride_B;
         if (fetch->data && offset_B + fetch->format->pixel_B <= fetch->size_B)
            cf_format_fetch(fetch->format, fetch->data + offset_B, expected);
         for (unsigned c = 0; c < 4; c++) {
            const uint32_t want = exec >> lane & 1 ? cf_bits(expected[c]) : 0x55555555;
            if (f->task->v[4 + c][lane] != want)
               fail_msg("%s level %d lane %u component %u: %08x, expected %08x",
                        fetch->format->name, (int)level, lane, c, f->task->v[4 + c][lane], want);
         }
      }
   }
}

static void
test_fetch(void **state)
{
   (void)state;
   struct cf_random seeds = cf_random_seed("shader-program test_fetch");
   const uint64_t seed = cf_random_u64(&seeds) | 1;
   uint64_t random = seed;
   uint8_t data[999];
   struct fixture f;
   unsigned formats = 0;
   fixture_init(&f);
   f.info.stage = CF_SHADER_STAGE_VERTEX;
   f.info.uses_kill = false;
   assert_true(fixture_load(&f, "if v1, l\nldf v4, 9[v0]\nl: endif\nend"));
   for (unsigned i = 0; i < sizeof(data); i++)
      data[i] = (uint8_t)random_u32(&random);
   struct cf_fetch *fetch = &f.stage.fetch[9];
   for (unsigned code = 0; code < CF_FORMAT_COUNT; code++) {
      fetch->format = cf_format_info_of((enum cf_format)code);
      if (!(fetch->format->uses & CF_USE_VERTEX))
         continue;
      formats++;
      for (unsigned round = 0; round < 12; round++) {
         const uint32_t few = round % 4 < 2 ? 0xffffffff : 0xffu >> random_u32(&random) % 8;
         const uint32_t exec = round % 2 ? few : few & random_u32(&random);
         fetch->data = round == 11 ? NULL : data;
         fetch->size_B = round == 10 ? fetch->format->pixel_B - 1 : sizeof(data);
         fetch->stride_B = round == 3 ? 0 : random_u32(&random) % 40;
         for (unsigned lane = 0; lane < LANES; lane++) {
            f.task->v[0][lane] = lane % 8 == 7 ? random_u32(&random) : lane + round * 3;
            f.task->v[1][lane] = exec >> lane & 1;
         }
         check_fetch(&f, fetch, f.task->v[0], 0xffffffff, exec);
         check_fetch(&f, fetch, f.task->v[0], few, exec);
      }
   }
   assert_true(formats > 20);
   fixture_end(&f);
}

static void
test_fetch_instances(void **state)
{
   (void)state;
   struct fixture f;
   float data[40];
   uint32_t numbers[LANES];
   fixture_init(&f);
   f.info.stage = CF_SHADER_STAGE_VERTEX;
   f.info.uses_kill = false;
   assert_true(fixture_load(&f, "ldf v4, 0[v0]\nend"));
   f.stage.fetch[0] = (struct cf_fetch){
      .data = (const uint8_t *)data,
      .size_B = sizeof(data),
      .stride_B = 4,
      .divisor = 3,
      .format = cf_format_info_of(CF_FORMAT_R32_FLOAT),
   };
   for (unsigned i = 0; i < 40; i++)
      data[i] = (float)i;
   for (unsigned lane = 0; lane < LANES; lane++) {
      f.task->v[0][lane] = 12345;
      f.task->sys[CF_SYSVAL_INSTANCE_ID][lane] = lane;
      f.task->sys[CF_SYSVAL_BASE_INSTANCE][lane] = 5;
      numbers[lane] = 5 + lane / 3;
   }
   check_fetch(&f, &f.stage.fetch[0], numbers, 0xffffffff, 0xffffffff);
   fixture_end(&f);
}

/* ---- varyings, system values, outputs ---- */

/* A smooth varying of a lane that other triangles may share: in f64. */
static float
ref_shared(const struct cf_task *task, unsigned lane, const float p[3])
{
   volatile double weight[2], sum = p[0];
   for (unsigned k = 0; k < 2; k++) {
      weight[k] = (double)task->bary[k][lane] + (double)task->bary_rest[k][lane];
      weight[k] *= (double)p[1 + k];
      sum += weight[k];
   }
   return (float)sum;
}

static void
test_varyings(void **state)
{
   (void)state;
   struct cf_random seeds = cf_random_seed("shader-program test_varyings");
   const uint64_t seed = cf_random_u64(&seeds) | 1;
   uint64_t random = seed;
   static float varyings[CF_TASK_QUADS][4][3];
   static const char *const modes[] = { "smooth", "flat", "linear", "centroid" };
   struct fixture f;
   fixture_init(&f);
   for (unsigned round = 0; round < 200; round++) {
      const unsigned mode = round % 4, index = round / 8 % 4;
      /* quads outside exec have no primitive; lanes are masked inside the program too */
      const uint32_t exec = round % 5 ? 0xffffffff : 0x00f0ff00;
      char text[200];
      snprintf(text, sizeof(text), "ldvar v0, %u, %s\nif v1, l\nldvar v2, %u, %s\nl: endif\nend",
               index, modes[mode], index, modes[mode]);
      assert_true(fixture_load(&f, text));
      f.task->one_primitive = round / 4 % 2;
      for (unsigned quad = 0; quad < CF_TASK_QUADS; quad++) {
         for (unsigned k = 0; k < 12; k++)
            varyings[quad][k / 3][k % 3] = (float)(int32_t)random_u32(&random) * 0x1p-28f;
         f.task->varyings[quad] =
            exec >> 4 * quad & 15 ? varyings[f.task->one_primitive ? 5 : quad] : NULL;
      }
      for (unsigned lane = 0; lane < LANES; lane++) {
         for (unsigned k = 0; k < 2; k++) {
            f.task->bary[k][lane] = (float)random_u32(&random) * 0x1p-32f;
            f.task->linear[k][lane] = (float)random_u32(&random) * 0x1p-32f;
            f.task->centroid[k][lane] = (float)random_u32(&random) * 0x1p-32f;
            f.task->bary_rest[k][lane] = (float)(int32_t)random_u32(&random) * 0x1p-56f;
         }
         f.task->v[1][lane] = random_u32(&random) & 1;
      }
      f.task->shared = round % 3 ? random_u32(&random) : 0;
      FOR_LEVELS(level)
      {
         memset(f.task->v[2], 0x55, sizeof(f.task->v[2]));
         fixture_run(&f, level, exec);
         for (unsigned lane = 0; lane < LANES; lane++) {
            if (!(exec >> lane & 1))
               continue;
            const float *p = f.task->varyings[lane / 4][index];
            float(*bary)[LANES] = mode == 2 ? f.task->linear : mode == 3 ? f.task->centroid : f.task->bary;
            volatile float first = bary[0][lane] * p[1], second = bary[1][lane] * p[2],
                           sum = p[0] + first;
            const bool shared = mode == 0 && f.task->shared >> lane & 1;
            const float expected = mode == 1 ? p[0]
                                   : shared  ? ref_shared(f.task, lane, p)
                                             : sum + second;
            assert_int_equal(f.task->v[0][lane], cf_bits(expected));
            assert_int_equal(f.task->v[2][lane],
                             f.task->v[1][lane] ? cf_bits(expected) : 0x55555555);
         }
      }
   }
   fixture_end(&f);
}

static void
test_inputs_outputs(void **state)
{
   (void)state;
   struct fixture f;
   fixture_init(&f);
   assert_true(fixture_load(&f, "sys v0, frag_x\nout 0, v0\nout 135, s2\noutf 1, v1\nout 2, v1\nif "
                                "v2, l\nout 3, 17\nl: endif\nend"));
   FOR_LEVELS(level)
   {
      for (unsigned lane = 0; lane < LANES; lane++) {
         f.task->sys[CF_SYSVAL_FRAG_X][lane] = 5 * lane;
         f.task->s[2][lane] = 99;
         f.task->v[1][lane] = lane & 1 ? 0xffc54321 : 0x3f812345;
         f.task->v[2][lane] = lane > 9;
         f.task->out[3][lane] = 1;
      }
      fixture_run(&f, level, 0xffffffff);
      for (unsigned lane = 0; lane < LANES; lane++) {
         assert_int_equal(f.task->out[0][lane], 5 * lane);
         assert_int_equal(f.task->out[135][lane], 99);
         assert_int_equal(f.task->out[1][lane], lane & 1 ? 0x7fc00000 : 0x3f812345);
         assert_int_equal(f.task->out[2][lane], lane & 1 ? 0xffc54321 : 0x3f812345);
         assert_int_equal(f.task->out[3][lane], lane > 9 ? 17 : 1);
      }
   }
   /* nothing to run: nothing happens */
   fixture_run(&f, CF_HOST_BASE, 0);
   assert_int_equal(f.task->alive, 0);
   fixture_end(&f);
}

/* ---- textures ---- */

/* Events of texels: one a lane, of unit 3, and of the texel that the lane reads. */
static void
watch_texel(void *user, const struct cf_task_event *task, const struct cf_texel *texel)
{
   uint32_t *lanes = user;
   assert_int_equal(texel->unit, 3);
   assert_int_equal(texel->x_px, texel->lane & 1);
   assert_int_equal(texel->y_px, texel->lane >> 1 & 1);
   assert_int_equal(cf_run_at(task->run), 1);
   assert_int_equal(texel->at, 1);
   assert_int_equal(*lanes >> texel->lane & 1, 0);
   *lanes |= 1u << texel->lane;
}

/* The event of the branch before them. */
static void
watch_branch(void *user, const struct cf_task_event *task, const struct cf_branch *branch)
{
   (void)user;
   assert_int_equal(cf_run_at(task->run), 0);
   assert_int_equal(branch->at, 0);
   assert_int_equal(branch->lanes, UINT32_MAX);
   assert_int_equal(branch->taken, (1u << 20) - 1);
}

/* References: the first of each lane's own, the second one of all, the third in some lanes. */
static void
watch_reference(void *user, const struct cf_task_event *task, const struct cf_reference *r)
{
   uint32_t *events = user;
   assert_int_equal(cf_run_at(task->run), r->at);
   assert_int_equal(r->lanes, *events == 2 ? 0xff : UINT32_MAX);
   assert_int_equal(r->offset, *events == 0 ? 5 : *events == 1 ? 3 : 0);
   for (uint32_t lane = 0; lane < LANES; lane++)
      assert_int_equal(r->dword[lane], *events == 1 ? 2 : lane);
   assert_int_equal(r->at, *events == 2 ? 3 : *events);
   ++*events;
}

static void
test_references(void **state)
{
   (void)state;
   static const uint32_t constants[64];
   struct fixture f;
   uint32_t events = 0;
   const struct cf_observer observer = { .user = &events, .reference = watch_reference };
   struct cf_task_event event = { .draw = 0 };
   fixture_init(&f);
   f.stage.constants[0].data = constants;
   f.stage.constants[0].dwords = 64;
   assert_true(fixture_load(&f, "sts [v0 + 5], v0\nldu v1, 0[2 + 3]\nif v2, l\nlds v3, [v0 + 0]\n"
                                "l: endif\nend"));
   for (unsigned lane = 0; lane < LANES; lane++) {
      f.task->v[0][lane] = lane;
      f.task->v[2][lane] = lane < 8;
   }
   f.task->exec = f.task->alive = UINT32_MAX;
   cf_shader_ops_at(CF_HOST_BASE)->prepare(&f.stage, f.task);
   cf_run_watched(cf_shader_ops_at(CF_HOST_BASE), &f.stage, f.task, &observer, &event);
   assert_int_equal(events, 3);
   fixture_end(&f);
}

static void
run_watched(struct fixture *f, enum cf_host_level level)
{
   uint32_t lanes = 0;
   const struct cf_observer observer = { .user = &lanes,
                                         .texel = watch_texel,
                                         .branch = watch_branch };
   struct cf_task_event event = { .draw = 0 };
   f->task->exec = f->task->alive = UINT32_MAX;
   cf_shader_ops_at(level)->prepare(&f->stage, f->task);
   cf_run_watched(cf_shader_ops_at(level), &f->stage, f->task, &observer, &event);
   assert_int_equal(lanes, (1u << 20) - 1); /* those that the branch lets through */
}

static void
test_texture(void **state)
{
   (void)state;
   static const uint8_t texels[2][2][4] = { { { 0, 51, 102, 255 }, { 255, 0, 0, 0 } },
                                            { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } } };
   const struct cf_texture texture = test_linear_texture(0, 2, 2);
   const struct cf_sampler sampler = { 0 };
   struct cf_texture_unit unit;
   struct fixture f;
   assert_null(cf_texture_unit_init(&unit, &texture, &sampler, &texels[0][0][0]));
   fixture_init(&f);
   f.stage.textures[3] = &unit;
   /* the destination holds the coordinates; under a mask; a unit with nothing bound */
   assert_true(fixture_load(&f, "if v2, l\ntex v0.xyw, 3, v0, v1, 0, 0, fetch\ntex v4.yw, 4, v0, "
                                "v1, 0, 0, implicit\nl: endif\nend"));
   FOR_LEVELS(level)
   for (unsigned watched = 0; watched < 2; watched++) {
      for (unsigned lane = 0; lane < LANES; lane++) {
         f.task->v[0][lane] = lane & 1;
         f.task->v[1][lane] = lane >> 1 & 1;
         f.task->v[2][lane] = lane < 20;
         for (unsigned c = 4; c < 8; c++)
            f.task->v[c][lane] = 77;
      }
      if (watched)
         run_watched(&f, level);
      else
         fixture_run(&f, level, 0xffffffff);
      for (unsigned lane = 0; lane < LANES; lane++) {
         const uint8_t *texel = texels[lane >> 1 & 1][lane & 1];
         const bool on = lane < 20;
         assert_int_equal(f.task->v[0][lane], on ? cf_bits((float)texel[0] / 255.0f) : lane & 1);
         assert_int_equal(f.task->v[1][lane],
                          on ? cf_bits((float)texel[1] / 255.0f) : lane >> 1 & 1);
         assert_int_equal(f.task->v[2][lane], on);
         assert_int_equal(f.task->v[3][lane], on ? cf_bits((float)texel[3] / 255.0f) : 0);
         assert_int_equal(f.task->v[4][lane], 77);
         assert_int_equal(f.task->v[5][lane], on ? 0 : 77);
         assert_int_equal(f.task->v[7][lane], on ? cf_bits(1.0f) : 77);
      }
      memset(f.task->v[3], 0, sizeof(f.task->v[3]));
   }
   fixture_end(&f);
}

/* ---- programs in memory */

/* Put a descriptor at the start of memory and look for it. */
static bool
find(const struct cf_memory *memory, uint64_t at, struct cf_program info,
     struct cf_found_program *found)
{
   cf_program_pack(cf_memory_at(memory, at, 4 * CF_PROGRAM_DWORDS), &info);
   return cf_program_find(memory, at, found);
}

/* Of each thing that a descriptor may say wrong one; equal code has equal hashes, wherever it is.
 */
static void
test_find(void **state)
{
   const uint64_t size_B = 8 * (CF_MAX_PROGRAM_INSTRS + 2);
   struct cf_memory *memory = cf_memory_create(0);
   const uint64_t at = cf_memory_alloc(memory, 4 * CF_PROGRAM_DWORDS),
                  code = cf_memory_alloc(memory, size_B);
   struct cf_program info = { .stage = CF_SHADER_STAGE_FRAGMENT, .code = code, .code_instrs = 2 };
   struct cf_found_program found, other;
   uint64_t *words = cf_memory_at(memory, code, size_B);
   (void)state;
   for (uint64_t i = 0; i < size_B / 8; i++)
      words[i] = i & 1 ? 5 : 3;
   assert_true(find(memory, at, info, &found));
   assert_ptr_equal(found.code, words);
   assert_int_equal(found.info.code_instrs, 2);
   info.code = code + 16;
   assert_true(find(memory, at, info, &other));
   assert_ptr_equal(other.code, words + 2);
   assert_true(other.hash == found.hash);
   words[3]++;
   assert_true(find(memory, at, info, &other));
   assert_true(other.hash != found.hash);
   info.code = code;
   info.code_instrs = CF_MAX_PROGRAM_INSTRS;
   assert_true(find(memory, at, info, &found));
   info.code_instrs++;
   assert_false(find(memory, at, info, &found));
   info.code_instrs = 0;
   assert_false(find(memory, at, info, &found));
   info.code_instrs = 2;
   info.code = at + (1 << 30);
   assert_false(find(memory, at, info, &found));
   info.code = code;
   assert_true(find(memory, at, info, &found));
   info.code = code + 4; /* words are aligned */
   assert_false(find(memory, at, info, &found));
   info.code = code;
   assert_true(find(memory, at, info, &found));
   uint8_t *odd = (uint8_t *)cf_memory_at(memory, at, 4 * CF_PROGRAM_DWORDS + 1) + 1;
   memmove(odd, odd - 1, 4 * CF_PROGRAM_DWORDS);
   assert_false(cf_program_find(memory, at + 1, &found)); /* and descriptors */
   assert_true(find(memory, at, info, &found));
   ((uint32_t *)cf_memory_at(memory, at, 16))[3] |= 0xfe; /* reserved bits */
   const bool malformed = !cf_program_find(memory, at, &found);
   assert_false(cf_program_find(memory, at + (1 << 30), &found));
   assert_true(malformed);
   cf_memory_destroy(memory);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_refused_declarations),
      cmocka_unit_test(test_refused_geometry),
      cmocka_unit_test(test_fetch_pc),
      cmocka_unit_test(test_nesting_limit),
      cmocka_unit_test(test_random_words),
      cmocka_unit_test(test_constants),
      cmocka_unit_test(test_scratch),
      cmocka_unit_test(test_fetch),
      cmocka_unit_test(test_fetch_instances),
      cmocka_unit_test(test_varyings),
      cmocka_unit_test(test_inputs_outputs),
      cmocka_unit_test(test_texture),
      cmocka_unit_test(test_find),
      cmocka_unit_test(test_references),
      cmocka_unit_test(test_purity),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
