/* SPDX-License-Identifier: MIT */
/*
 * The second engine without memory: each request of it fails, alone and with all after it, while
 * programs are compiled for tasks and for pixels. What a program computes is right, compiled or
 * not. (Whether all is freed, LeakSanitizer sees in suite `sanitize`: objects come from the
 * compiler's library, which is not led to the failing host.)
 */
#include "clipfree/base/test_failing_host.h"
#include "clipfree/jit/llvm/test_canvas.h"

#include <malloc.h>

#define MOST_RUNS 500
#define TASKS (2 * SPECIAL_TASKS) /* enough that code is made for the pixels */

/* Compiles and runs two programs while a request fails. Returns how many did; *compiled: tasks
 * whose pixels compiled code wrote in the end. */
static unsigned
run(unsigned fail_at, bool all, unsigned *compiled)
{
   const struct cf_jit_config config = config_of(CF_JIT_ALWAYS);
   struct fixture tasks, quads;
   struct canvas canvas;
   test_host.paused = true;
   fixture_init(&tasks);
   fixture_init(&quads);
   canvas_init(&canvas);
   assert_true(fixture_load(&tasks, text) && fixture_load(&quads, white_text));
   test_host.paused = false;
   test_host_arm(fail_at, all);
   struct cf_jit *jit = cf_jit_create(&config);
   if (jit) {
      cf_jit_attach(jit, (struct cf_decoded *)tasks.stage.program);
      cf_jit_attach(jit, (struct cf_decoded *)quads.stage.program);
      cf_jit_finish(jit);
      run_quad_tasks(&quads, &canvas, TASKS);
      cf_jit_finish(jit);
   }
   run_tasks(&tasks, 20);
   *compiled = run_quad_tasks(&quads, &canvas, 20);
   const unsigned failed = test_host_disarm();
   fixture_end(&tasks);
   fixture_end(&quads);
   if (jit)
      cf_jit_destroy(jit);
   return failed;
}

static void
without_memory(void **state)
{
   (void)state;
   unsigned compiled;
   assert_int_equal(run(0, false, &compiled), 0); /* also what is kept for the process */
   assert_int_equal(compiled, 20);
   for (int all = 0; all < 2; all++) {
      unsigned runs = 0, slower = 0, failed;
      do {
         failed = run(++runs, all, &compiled);
         slower += compiled < 20;
         assert_true(failed || compiled == 20);
      } while (failed && runs < MOST_RUNS);
      assert_true(runs < MOST_RUNS && slower >= 5);
   }
}

int
main(int argc, char **argv)
{
   mallopt(M_PERTURB, 0xa5); /* what is not initialised is not zero */
   module = argc > 1 ? argv[1] : NULL;
   assert_non_null(module);
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_memory),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
