/* SPDX-License-Identifier: MIT */
/*
 * Runs that belong to the caller: where they stop, what can be seen then, and how they end. That
 * they compute what a run at once does, random programs show (test_flow.c).
 */
#include "clipfree/shader/cf_decoded.h"
#include "clipfree/shader/cf_run.h"
#include "clipfree/shader/test_shader.h"

#define EVEN_LANES 0x55555555u

static void
begin(struct fixture *f, struct cf_run *run, enum cf_host_level level, uint32_t exec)
{
   f->task->exec = f->task->alive = exec;
   cf_shader_ops_at(level)->prepare(&f->stage, f->task);
   cf_shader_ops_at(level)->begin(run, &f->stage, f->task);
}

/* What comes next, in which lanes, and what v1 of lane 0 and 1 is by then. */
struct stop {
   uint32_t at, exec, first, second;
};

/* Instructions are seen one by one, branches in the lanes that take them. */
static void
test_steps(void **state)
{
   (void)state;
   static const char text[] = "movi v1, 7\n"
                              "if v0, other\n"
                              "movi v1, 8\n"
                              "other: else last\n"
                              "movi v1, 9\n"
                              "last: endif\n"
                              "end\n";
   static const struct stop stops[] = {
      { 1, ~0u, 7, 7 },         { 2, EVEN_LANES, 7, 7 },  { 3, EVEN_LANES, 8, 7 },
      { 4, ~EVEN_LANES, 8, 7 }, { 5, ~EVEN_LANES, 8, 9 }, { 6, ~0u, 8, 9 },
   };
   struct fixture f;
   fixture_init(&f);
   assert_true(fixture_load(&f, text));
   for (int level = CF_HOST_BASE; level <= (int)cf_host_level(); level++) {
      struct cf_run run;
      for (unsigned lane = 0; lane < LANES; lane++)
         f.task->v[0][lane] = EVEN_LANES >> lane & 1;
      begin(&f, &run, (enum cf_host_level)level, ~0u);
      assert_int_equal(cf_run_at(&run), 0);
      for (unsigned i = 0; i < sizeof(stops) / sizeof(stops[0]); i++) {
         assert_true(cf_run_step(&run));
         assert_int_equal(cf_run_at(&run), stops[i].at);
         assert_int_equal(run.exec, stops[i].exec);
         assert_int_equal(f.task->v[1][0], stops[i].first);
         assert_int_equal(f.task->v[1][1], stops[i].second);
      }
      assert_false(cf_run_step(&run));
      assert_null(run.next);
      assert_int_equal(f.task->alive, ~0u);
   }
   fixture_end(&f);
}

static bool
is_at(void *user, const struct cf_run *run)
{
   return cf_run_at(run) == *(const uint32_t *)user;
}

/* A breakpoint in a loop is met once an iteration, also if the run begins at it. */
static void
test_breakpoint(void **state)
{
   (void)state;
   struct fixture f;
   struct cf_run run;
   uint32_t breakpoint = 4, met = 0;
   fixture_init(&f);
   assert_true(fixture_load(&f, "movi v0, 5\nloop\nstart: ieq v1, v0, 0\nbrk v1, last\n"
                                "iadd v0, v0, -1\nlast: endloop start\nend"));
   begin(&f, &run, cf_host_level(), ~0u);
   while (run_until(&run, is_at, &breakpoint)) {
      assert_int_equal(cf_run_at(&run), breakpoint);
      assert_int_equal(f.task->v[0][0], 5 - met++);
   }
   assert_int_equal(met, 5);
   assert_false(run_until(&run, is_at, &breakpoint));
   fixture_end(&f);
}

/* A task of no lanes has ended; one of a vertex program has no varyings; what dies is not alive. */
static void
test_ends(void **state)
{
   (void)state;
   struct fixture f;
   struct cf_run run;
   fixture_init(&f);
   assert_true(fixture_load(&f, "kill v0, last\nlast: end"));
   memset(f.task->v[0], 0, sizeof(f.task->v[0]));
   f.task->v[0][3] = 1;
   begin(&f, &run, cf_host_level(), 0);
   assert_null(run.next);
   assert_false(cf_run_step(&run));
   begin(&f, &run, cf_host_level(), ~0u);
   while (cf_run_step(&run))
      ;
   assert_int_equal(f.task->alive, ~8u);
   f.info.stage = CF_SHADER_STAGE_VERTEX;
   f.info.uses_kill = false;
   f.info.inputs = 0;
   f.info.sysvals = 1u << CF_SYSVAL_VERTEX_ID;
   assert_true(fixture_load(&f, "sys v1, vertex_id\nend"));
   f.task->sys[CF_SYSVAL_VERTEX_ID][31] = 77;
   begin(&f, &run, cf_host_level(), ~0u);
   assert_true(cf_run_step(&run));
   assert_int_equal(f.task->v[1][31], 77);
   assert_false(cf_run_step(&run));
   fixture_end(&f);
}

/* The watchdog ends an endless loop that is run in steps as it ends one that is run at once. */
static void
test_watchdog(void **state)
{
   (void)state;
   struct fixture f;
   struct cf_run run;
   uint32_t steps = 1;
   fixture_init(&f);
   f.stage.max_instrs = 1000;
   assert_true(fixture_load(&f, "loop\nstart: mov v0, 0\nendloop start\nend"));
   begin(&f, &run, cf_host_level(), ~0u);
   while (cf_run_step(&run))
      steps++;
   assert_true(f.task->timed_out);
   assert_int_equal(f.task->alive, 0);
   assert_in_range(steps, 1000, 1004);
   begin(&f, &run, cf_host_level(), ~0u);
   assert_false(f.task->timed_out);
   fixture_end(&f);
}

/* The dword that an instruction refers to in its bank, or in each lane's scratch. */
static uint64_t
reference(const struct cf_run *run, uint32_t lane)
{
   return (uint64_t)cf_run_operand(run, 0)[lane] + cf_run_instr(run)->offset;
}

/* Between two steps, operand registers and masks tell what the next instruction will do: the
 * address that a load or store refers to, the lanes that take a branch. */
static void
test_references(void **state)
{
   (void)state;
   static const char text[] = "ldu v1, 2[v0 + 3]\n"
                              "sts [v0 + 5], v1\n"
                              "lds v2, [v0 + 5]\n"
                              "if v3, last\n"
                              "movi v2, 0\n"
                              "last: endif\n"
                              "end\n";
   uint32_t bank[64];
   for (uint32_t i = 0; i < 64; i++)
      bank[i] = 1000 + i;
   for (int level = CF_HOST_BASE; level <= (int)cf_host_level(); level++) {
      struct fixture f;
      struct cf_run run;
      fixture_init(&f);
      assert_true(fixture_load(&f, text));
      f.stage.constants[2].data = bank;
      f.stage.constants[2].dwords = 64;
      for (unsigned lane = 0; lane < LANES; lane++) {
         f.task->v[0][lane] = lane % 7;
         f.task->v[3][lane] = EVEN_LANES >> lane & 1;
      }
      begin(&f, &run, (enum cf_host_level)level, ~0u);
      assert_int_equal(cf_run_instr(&run)->bank, 2);
      for (unsigned lane = 0; lane < LANES; lane++)
         assert_int_equal(reference(&run, lane), lane % 7 + 3);
      assert_true(cf_run_step(&run));
      for (unsigned lane = 0; lane < LANES; lane++) {
         assert_int_equal(cf_run_operand(&run, 1)[lane],
                          bank[lane % 7 + 3]); /* what was loaded is stored */
         assert_int_equal(reference(&run, lane), lane % 7 + 5);
      }
      assert_true(cf_run_step(&run));
      for (unsigned lane = 0; lane < LANES; lane++)
         assert_int_equal(f.task->scratch[reference(&run, lane)][lane], bank[lane % 7 + 3]);
      assert_true(cf_run_step(&run) && cf_run_step(&run));
      assert_int_equal(run.exec, EVEN_LANES); /* lanes that take the branch */
      fixture_end(&f);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_steps),      cmocka_unit_test(test_breakpoint),
      cmocka_unit_test(test_ends),       cmocka_unit_test(test_watchdog),
      cmocka_unit_test(test_references),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
