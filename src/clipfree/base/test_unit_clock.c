/* SPDX-License-Identifier: MIT */
/*
 * Clocks of units: what is charged between two splits is what the second one gives; no tick is lost
 * or given twice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>

#include "clipfree/base/cf_host.h"
#include "clipfree/base/cf_unit_clock.h"

#define WORK_NS 200000u

static void
work(void)
{
   const uint64_t start_ns = cf_time_ns();
   while (cf_time_ns() - start_ns < WORK_NS)
      ;
}

static void
splits_divide_the_time(void **state)
{
   uint64_t ns[CF_UNITS] = { 0 }, ticks[3][CF_UNITS];
   struct cf_unit_clock clock;
   cf_unit_clock_start(&clock, ns, CF_UNIT_RASTER);
   work();
   cf_unit_begin(&clock, CF_UNIT_SHADING);
   work();
   cf_unit_clock_split(&clock, ticks[0]);
   work(); /* still shading */
   cf_unit_begin(&clock, CF_UNIT_PIXELS);
   cf_unit_clock_split(&clock, ticks[1]);
   cf_unit_clock_split(&clock, ticks[2]);
   for (enum cf_unit unit = 0; unit < CF_UNITS; unit++) {
      const bool first = unit == CF_UNIT_RASTER || unit == CF_UNIT_SHADING;
      assert_int_equal(ticks[0][unit] > 0, first);
      if (unit != CF_UNIT_PIXELS) {
         assert_int_equal(ticks[1][unit] > 0, unit == CF_UNIT_SHADING);
         assert_int_equal(ticks[2][unit], 0);
      }
      assert_int_equal(ticks[0][unit] + ticks[1][unit] + ticks[2][unit], clock.ticks[unit]);
   }
   cf_unit_clock_stop(&clock);
   cf_unit_clock_start(&clock, ns, CF_UNIT_STATE);
   cf_unit_clock_split(&clock, ticks[0]); /* nothing is left of the last run */
   assert_int_equal(ticks[0][CF_UNIT_RASTER], 0);
}

/* The parts of a run add up to it, but for the time of none; without a clock nothing is done. */
static void
parts_add_up(void **state)
{
   uint64_t ns[CF_UNITS] = { 0 }, sum_ns = 0;
   struct cf_unit_clock clock;
   const uint64_t start_ns = cf_time_ns();
   cf_unit_clock_start(NULL, ns, CF_UNIT_RASTER);
   cf_unit_clock_stop(NULL);
   cf_unit_clock_start(&clock, ns, CF_UNIT_RASTER);
   work();
   cf_unit_begin(&clock, CF_UNIT_PIXELS);
   work();
   cf_unit_clock_stop(&clock);
   for (enum cf_unit unit = 0; unit < CF_UNITS; unit++) {
      sum_ns += ns[unit];
      if (unit != CF_UNIT_RASTER && unit != CF_UNIT_PIXELS)
         assert_int_equal(ns[unit], 0);
   }
   assert_true(sum_ns >= 2 * WORK_NS * 9 / 10 && sum_ns <= cf_time_ns() - start_ns);
}

/* Counters of two processors may differ: time never runs backwards. */
static void
counters_that_go_back(void **state)
{
   struct cf_unit_clock clock = { .since_ticks = UINT64_MAX, .unit = CF_UNIT_RASTER };
   assert_int_equal(cf_unit_clock_switch(&clock, CF_UNIT_PIXELS), CF_UNIT_RASTER);
   assert_int_equal(clock.ticks[CF_UNIT_RASTER], 0);
   assert_true(clock.since_ticks < UINT64_MAX);
   work();
   assert_int_equal(cf_unit_clock_switch(&clock, CF_UNIT_NONE), CF_UNIT_PIXELS);
   assert_true(clock.ticks[CF_UNIT_PIXELS] > 0);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(splits_divide_the_time),
      cmocka_unit_test(parts_add_up),
      cmocka_unit_test(counters_that_go_back),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
