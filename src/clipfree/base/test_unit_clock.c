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

int
main(void)
{
   const struct CMUnitTest tests[] = { cmocka_unit_test(splits_divide_the_time) };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
