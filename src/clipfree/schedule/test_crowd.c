/* SPDX-License-Identifier: MIT */
/* How many helpers a crowd of processes leaves, by times of an owner that are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clipfree/schedule/cf_crowd.h"

#define MS 1000000u

/* The owner works for a millisecond at a time, `count` times, and gets `percent` of it. */
static void
work(struct cf_crowd *crowd, uint32_t count, uint32_t percent, uint64_t *now_ns)
{
   for (uint32_t i = 0; i < count; i++) {
      *now_ns += MS;
      cf_crowd_note(crowd, MS, MS / 100 * percent, *now_ns);
   }
}

static void
all_may_be_awake_on_an_idle_machine(void **state)
{
   (void)state;
   struct cf_crowd crowd = cf_crowd(7);
   uint64_t now_ns = 5000 * (uint64_t)MS;
   assert_int_equal(cf_crowd_allowed(&crowd, now_ns), 7);
   work(&crowd, 1000, 100, &now_ns);
   assert_int_equal(cf_crowd_allowed(&crowd, now_ns), 7);
   work(&crowd, 1000, 60, &now_ns); /* the least */
   assert_int_equal(cf_crowd_allowed(&crowd, now_ns), 7);
}

/* Nothing is decided before a window is full. */
static void
a_short_wait_is_no_crowd(void **state)
{
   (void)state;
   struct cf_crowd crowd = cf_crowd(1);
   uint64_t now_ns = 0;
   work(&crowd, CF_CROWD_WINDOW_NS / MS - 1, 0, &now_ns);
   assert_int_equal(cf_crowd_allowed(&crowd, now_ns), 1);
   work(&crowd, 1, 0, &now_ns);
   assert_int_equal(cf_crowd_allowed(&crowd, now_ns), 0);
}

static void
a_crowd_leaves_its_share(void **state)
{
   (void)state;
   struct cf_crowd crowd = cf_crowd(15);
   uint64_t now_ns = 0;
   work(&crowd, 20, 34, &now_ns);
   assert_int_equal(cf_crowd_allowed(&crowd, now_ns), 5);
   work(&crowd, 20, 50, &now_ns);
   assert_int_equal(cf_crowd_allowed(&crowd, now_ns), 2);
   work(&crowd, 20, 100, &now_ns);
   assert_int_equal(cf_crowd_allowed(&crowd, now_ns), 2);
}

/* After a rest without a crowd twice as many try again, up to all of them. */
static void
helpers_come_back(void **state)
{
   (void)state;
   struct cf_crowd crowd = cf_crowd(3);
   uint64_t now_ns = 0;
   work(&crowd, 20, 10, &now_ns);
   assert_int_equal(cf_crowd_allowed(&crowd, now_ns), 0);
   work(&crowd, 1000, 10, &now_ns); /* the crowd stays */
   assert_int_equal(cf_crowd_allowed(&crowd, now_ns), 0);
   static const uint32_t allowed[] = { 1, 2, 3, 3 };
   for (uint32_t i = 0; i < 4; i++) {
      work(&crowd, CF_CROWD_REST_NS / MS - 1, 90, &now_ns);
      assert_int_equal(cf_crowd_allowed(&crowd, now_ns), i > 0 ? allowed[i - 1] : 0);
      work(&crowd, 1, 90, &now_ns);
      assert_int_equal(cf_crowd_allowed(&crowd, now_ns), allowed[i]);
   }
}

/* Before and after a change are different times: a window does not count both. */
static void
a_window_begins_when_helpers_come_back(void **state)
{
   (void)state;
   struct cf_crowd crowd = cf_crowd(1);
   uint64_t now_ns = 0;
   work(&crowd, 20, 0, &now_ns);
   work(&crowd, 19, 0, &now_ns);
   now_ns += CF_CROWD_REST_NS;
   assert_int_equal(cf_crowd_allowed(&crowd, now_ns), 1);
   work(&crowd, 19, 0, &now_ns);
   assert_int_equal(cf_crowd_allowed(&crowd, now_ns), 1);
}

/* The thread's clock may be ahead of the host's. */
static void
more_than_all_is_all(void **state)
{
   (void)state;
   struct cf_crowd crowd = cf_crowd(1);
   cf_crowd_note(&crowd, MS, 1000 * (uint64_t)MS, MS);
   cf_crowd_note(&crowd, 100 * MS, MS, 101 * MS);
   assert_int_equal(cf_crowd_allowed(&crowd, 101 * MS), 0);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_may_be_awake_on_an_idle_machine),
      cmocka_unit_test(a_short_wait_is_no_crowd),
      cmocka_unit_test(a_crowd_leaves_its_share),
      cmocka_unit_test(helpers_come_back),
      cmocka_unit_test(a_window_begins_when_helpers_come_back),
      cmocka_unit_test(more_than_all_is_all),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
