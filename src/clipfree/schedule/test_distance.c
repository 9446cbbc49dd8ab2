/* SPDX-License-Identifier: MIT */
/* Distances between workers: what they count as, from times of loads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "clipfree/schedule/cf_distance.h"

#define WORKERS 3
#define ENOUGH 8 /* samples before a worker counts */

static struct cf_distances distances;

static int
set_up(void **state)
{
   (void)state;
   return cf_distances_init(&distances, WORKERS) ? 0 : 1;
}

static int
tear_down(void **state)
{
   (void)state;
   cf_distances_free(&distances);
   return 0;
}

static void
add(uint32_t worker, uint32_t count, uint64_t time_ns)
{
   for (uint32_t i = 0; i < count; i++)
      cf_distances_add(&distances, worker, time_ns);
}

static void
test_unknown_at_first(void **state)
{
   (void)state;
   assert_false(cf_distances_are_near(&distances));
   add(0, ENOUGH - 1, 70);
   assert_false(cf_distances_are_near(&distances));
   add(0, 1, 70);
   assert_true(cf_distances_are_near(&distances));
}

/* One worker that is far makes them far, until it is near. */
static void
test_one_is_far(void **state)
{
   (void)state;
   add(0, ENOUGH, 70);
   add(1, ENOUGH, 190);
   assert_false(cf_distances_are_near(&distances));
   add(2, ENOUGH, 70);
   assert_false(cf_distances_are_near(&distances));
   add(1, 40, 70);
   assert_true(cf_distances_are_near(&distances));
   assert_int_equal(distances.near, WORKERS);
   assert_int_equal(distances.far, 0);
   add(2, 40, 190);
   assert_false(cf_distances_are_near(&distances));
   assert_int_equal(distances.near, WORKERS - 1);
   assert_int_equal(distances.far, 1);
}

/* An interrupt in a load, however long, is forgotten after some others. */
static void
test_interrupts(void **state)
{
   (void)state;
   add(0, ENOUGH, 70);
   add(0, 1, UINT64_MAX);
   add(0, 8, 70);
   assert_true(cf_distances_are_near(&distances));
}

/* Loads are timed when the next worker has done something since: not while it sleeps. */
static void
test_only_what_changed(void **state)
{
   (void)state;
   for (uint32_t i = 0; i < 1000; i++)
      cf_distances_note(&distances, 0);
   assert_int_equal(distances.worker[0].samples, 0);
   for (uint32_t i = 0; i < 1000; i++) {
      cf_distances_note(&distances, 1);
      cf_distances_note(&distances, 0);
   }
   assert_int_equal(distances.worker[0].samples, ENOUGH);
   assert_int_equal(distances.worker[1].samples, 0);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_unknown_at_first, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_one_is_far, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_interrupts, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_only_what_changed, set_up, tear_down),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
