/* SPDX-License-Identifier: MIT */
/*
 * The JIT against the interpreter: every operation, on boundary values and random bits, with vector
 * and scalar destination, at every host level this machine runs. Bit for bit, except that a NaN is
 * a NaN where the result is a float.
 */
#include "clipfree/jit/llvm/test_jit.h"

static const struct cf_jit_compiler *compiler;

#define INPUTS 3
#define ROUNDS 3000 /* tasks of 32 inputs each */

/* Inputs arrive as system values (frag_x ..) and as uniforms u0 .. */
static void
make_text(enum cf_op op, char *text, size_t size)
{
   static const char *const operands[2][4] = { { "", "v0", "v0, v1", "v0, v1, v2" },
                                               { "", "u0", "u0, s1", "u0, s1, u2" } };
   const unsigned n = cf_ops[op].sources;
   const char *name = cf_ops[op].name;
   int length = snprintf(text, size,
                         "sys v0, frag_x\nsys v1, frag_y\nsys v2, frag_z\nmov s1, u1\n"
                         "%s v3, %s\nout 0, v3\noutf 1, v3\nmov v4, v0\n%s v4, %s\nout 3, v4\n",
                         name, operands[0][n], name, operands[0][n]);
   if (!cf_ops[op].cross_lane)
      length += snprintf(text + length, size - (size_t)length, "%s s3, %s\nout 2, s3\n", name,
                         operands[1][n]);
   snprintf(text + length, size - (size_t)length, "end");
}

#define OUTPUTS 4

static void
set_inputs(struct fixture *f, uint32_t *constants, uint64_t *random, unsigned round)
{
   for (unsigned k = 0; k < INPUTS; k++) {
      for (unsigned lane = 0; lane < LANES; lane++)
         f->task->sys[CF_SYSVAL_FRAG_X + k][lane] = make_input(random, round * LANES + lane, k);
      constants[k] = make_input(random, round, k);
   }
}

static void
test_op(enum cf_op op, int level)
{
   struct fixture f;
   uint32_t constants[INPUTS] = { 0 };
   char text[512];
   fixture_init(&f);
   f.stage.constants[0].data = constants;
   f.stage.constants[0].dwords = INPUTS;
   make_text(op, text, sizeof(text));
   if (!fixture_load(&f, text))
      fail_msg("%s", f.error);
   fixture_engine(&f, compiler, level, NULL);
   struct cf_engine *engine = f.stage.program->engine;
   uint64_t random = 0x1234567 + op;
   const bool is_float = cf_ops[op].types[0] == 'f' || op == CF_OP_MOV;
   for (unsigned round = 0; round < ROUNDS; round++) {
      static uint32_t expected[OUTPUTS][LANES];
      set_inputs(&f, constants, &random, round);
      ((struct cf_decoded *)f.stage.program)->engine = NULL;
      fixture_run(&f, (enum cf_host_level)level, 0xffffffff);
      memcpy(expected, f.task->out, sizeof(expected));
      memset(f.task->out, 0x55, sizeof(expected));
      ((struct cf_decoded *)f.stage.program)->engine = engine;
      fixture_run(&f, (enum cf_host_level)level, 0xffffffff);
      for (unsigned i = 0; i < (cf_ops[op].cross_lane ? 2u : 3u); i++) {
         for (unsigned lane = 0; lane < LANES; lane++) {
            const uint32_t got = f.task->out[i][lane], want = expected[i][lane];
            if (got != want && !(i != 1 && is_float && same_float(got, want)))
               fail_msg("%s of 0x%08x 0x%08x 0x%08x (u 0x%08x 0x%08x 0x%08x): output %u is 0x%08x, "
                        "interpreted 0x%08x, level %d",
                        cf_ops[op].name, f.task->sys[CF_SYSVAL_FRAG_X][lane],
                        f.task->sys[CF_SYSVAL_FRAG_Y][lane], f.task->sys[CF_SYSVAL_FRAG_Z][lane],
                        constants[0], constants[1], constants[2], i, got, want, level);
         }
      }
   }
   fixture_end(&f);
}

static void
test_every_op(void **state)
{
   (void)state;
   for (int level = CF_HOST_BASE; level <= (int)cf_host_level(); level++) {
      for (unsigned op = 0; op < CF_OP_LIMIT; op++) {
         if (cf_op_info(op) && cf_ops[op].alu && op != CF_OP_MOVI)
            test_op((enum cf_op)op, level);
      }
   }
}

int
main(int argc, char **argv)
{
   assert_int_equal(argc, 2);
   compiler = open_compiler(argv[1]);
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_op),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
