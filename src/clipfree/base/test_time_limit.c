/* SPDX-License-Identifier: MIT */
/*
 * Limits of a thread's time: work counts, over several stretches; waiting does not. Loops on a good
 * pace go on, and nothing else does.
 */
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
   cf_time_limit_begin(NULL, 1, 1);
   cf_time_limit_end(NULL, 1);
   assert_false(cf_time_limit_over(NULL));
}

static void
work_counts(void **state)
{
   struct cf_time_limit limit = { .limit_ns = 20 * MS };
   (void)state;
   cf_time_limit_begin(&limit, 1, CF_TIME_ITEMS_UNKNOWN);
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
      cf_time_limit_begin(&limit, 1, CF_TIME_ITEMS_UNKNOWN);
      work_ns(15 * MS);
      cf_time_limit_end(&limit, 100);
      work_ns(10 * MS); /* between them nothing counts */
   }
   assert_in_range(limit.used_ns, 45 * MS, 49 * MS);
   cf_time_limit_begin(&limit, 1, CF_TIME_ITEMS_UNKNOWN);
   assert_false(cf_time_limit_over(&limit));
   work_ns(6 * MS);
   assert_true(cf_time_limit_over(&limit));
}

static void
waiting_does_not_count(void **state)
{
   struct cf_time_limit limit = { .limit_ns = 10 * MS };
   (void)state;
   cf_time_limit_begin(&limit, 1, CF_TIME_ITEMS_UNKNOWN);
   nanosleep(&(struct timespec){ .tv_nsec = 30 * MS }, NULL);
   assert_false(cf_time_limit_over(&limit));
   cf_time_limit_end(&limit, 100);
   assert_true(limit.used_ns < 10 * MS);
}

/* What an item may use that begins now. */
static uint64_t
allowed_ms(struct cf_time_limit limit, uint64_t loop, uint32_t left)
{
   cf_time_limit_begin(&limit, loop, left);
   return limit.allowed_ns / MS;
}

/* Of a limit of 100 ms 150 were used, 30 items of loop 7 took all of them. */
static void
a_good_pace_goes_on(void **state)
{
   const struct cf_time_limit limit = {
      .limit_ns = 100 * MS, .used_ns = 150 * MS, .loop = 7, .loop_ns = 150 * MS, .loop_items = 30
   };
   (void)state;
   assert_int_equal(allowed_ms(limit, 7, 1), 250);
   assert_int_equal(allowed_ms(limit, 7, 90), 250); /* at 600 ms, its end */
   assert_int_equal(allowed_ms(limit, 7, 91), 100);
   assert_int_equal(allowed_ms(limit, 7, CF_TIME_ITEMS_UNKNOWN - 1), 100);
   assert_int_equal(allowed_ms(limit, 7, CF_TIME_ITEMS_UNKNOWN), 100);
   assert_int_equal(allowed_ms(limit, 8, 100000), 250); /* nothing is known of another loop */
   assert_int_equal(allowed_ms(limit, 8, CF_TIME_ITEMS_UNKNOWN), 100);
}

static void
nobody_uses_more_than_the_most(void **state)
{
   const struct cf_time_limit late = { .limit_ns = 100 * MS, .used_ns = 580 * MS };
   const struct cf_time_limit over = { .limit_ns = 100 * MS, .used_ns = 601 * MS };
   (void)state;
   assert_int_equal(allowed_ms(late, 1, 1), 600);
   assert_int_equal(allowed_ms(over, 1, 1), 100);
}

/* What comes after is not allowed more, however well it gets on. */
static void
exceeding_it_lasts(void **state)
{
   struct cf_time_limit limit = { .limit_ns = 10 * MS };
   (void)state;
   cf_time_limit_begin(&limit, 1, 1);
   work_ns(11 * MS);
   assert_true(cf_time_limit_over(&limit));
   cf_time_limit_end(&limit, 100);
   assert_int_equal(limit.exceeded_ns, 10 * MS);
   assert_int_equal(allowed_ms(limit, 2, 1), 10);
   limit.limit_ns = 12 * MS;
   cf_time_limit_begin(&limit, 2, 1);
   work_ns(2 * MS);
   cf_time_limit_end(&limit, 100);
   assert_int_equal(limit.exceeded_ns, 10 * MS); /* what was exceeded first */
}

static void
long_tasks_have_the_limit(void **state)
{
   struct cf_time_limit limit = { .limit_ns = 10 * MS };
   (void)state;
   cf_time_limit_begin(&limit, 1, 2);
   work_ns(9 * MS);
   cf_time_limit_end(&limit, 3); /* of 3 ms */
   assert_in_range(allowed_ms(limit, 1, 1), 19, 30);
   cf_time_limit_begin(&limit, 2, 1);
   work_ns(9 * MS);
   cf_time_limit_end(&limit, 1); /* of 9 ms */
   assert_int_equal(allowed_ms(limit, 2, 1), 10);
   assert_int_equal(allowed_ms(limit, 3, 1), 10);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(none_is_never_over),  cmocka_unit_test(work_counts),
      cmocka_unit_test(stretches_add_up),    cmocka_unit_test(waiting_does_not_count),
      cmocka_unit_test(a_good_pace_goes_on), cmocka_unit_test(nobody_uses_more_than_the_most),
      cmocka_unit_test(exceeding_it_lasts),  cmocka_unit_test(long_tasks_have_the_limit),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
