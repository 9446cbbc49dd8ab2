/* SPDX-License-Identifier: MIT */
/* Limits of a thread's time: work counts, over several stretches; waiting does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

#include "clipfree/base/cf_host.h"
#include "clipfree/base/cf_time_limit.h"

#define MS 1000000u

static void
work_ns(uint64_t time_ns)
{
   const uint64_t start_ns = cf_thread_cpu_ns();
   while (cf_thread_cpu_ns() - start_ns < time_ns)
      ;
}

static void
none_is_never_over(void **state)
{
   (void)state;
   cf_time_limit_begin(NULL);
   cf_time_limit_end(NULL);
   assert_false(cf_time_limit_over(NULL));
}

static void
work_counts(void **state)
{
   struct cf_time_limit limit = { .limit_ns = 20 * MS };
   (void)state;
   cf_time_limit_begin(&limit);
   assert_false(cf_time_limit_over(&limit));
   work_ns(21 * MS);
   assert_true(cf_time_limit_over(&limit));
}

static void
stretches_add_up(void **state)
{
   struct cf_time_limit limit = { .limit_ns = 50 * MS };
   (void)state;
   for (int i = 0; i < 3; i++) {
      cf_time_limit_begin(&limit);
      work_ns(15 * MS);
      cf_time_limit_end(&limit);
      work_ns(10 * MS); /* between them nothing counts */
   }
   assert_in_range(limit.used_ns, 45 * MS, 49 * MS);
   cf_time_limit_begin(&limit);
   assert_false(cf_time_limit_over(&limit));
   work_ns(6 * MS);
   assert_true(cf_time_limit_over(&limit));
}

static void
waiting_does_not_count(void **state)
{
   struct cf_time_limit limit = { .limit_ns = 10 * MS };
   (void)state;
   cf_time_limit_begin(&limit);
   nanosleep(&(struct timespec){ .tv_nsec = 30 * MS }, NULL);
   assert_false(cf_time_limit_over(&limit));
   cf_time_limit_end(&limit);
   assert_true(limit.used_ns < 10 * MS);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(none_is_never_over),
      cmocka_unit_test(work_counts),
      cmocka_unit_test(stretches_add_up),
      cmocka_unit_test(waiting_does_not_count),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
