/* SPDX-License-Identifier: MIT */
/*
 * Slow draws: every reason has a sentence, is found where it applies, and is reported once per
 * program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "clipfree/command/cf_program_cache.h"
#include "clipfree/command/cf_slow.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/jit/cf_jit.h"
#include "clipfree/pixel/cf_pixel.h"

static void
test_every_reason_has_a_text(void **state)
{
   (void)state;
   for (enum cf_slow a = 0; a < CF_SLOW_REASONS; a++) {
      assert_non_null(cf_slow_text(a));
      assert_true(strlen(cf_slow_text(a)) < 200); /* fits a report together with the draw's name */
      for (enum cf_slow b = 0; b < a; b++)
         assert_string_not_equal(cf_slow_text(a), cf_slow_text(b));
   }
}

static void
test_reasons_are_reported_once(void **state)
{
   (void)state;
   struct cf_slow_reported reported = { 0 };
   int programs[CF_SLOW_PROGRAMS + 1] = { 0 };
   assert_int_equal(cf_slow_report(&reported, &programs[0], 1u << CF_SLOW_LINEAR),
                    1u << CF_SLOW_LINEAR);
   assert_int_equal(cf_slow_report(&reported, &programs[0], 1u << CF_SLOW_LINEAR), 0);
   assert_int_equal(
      cf_slow_report(&reported, &programs[0], 1u << CF_SLOW_LINEAR | 1u << CF_SLOW_FACES),
      1u << CF_SLOW_FACES);
   assert_int_equal(cf_slow_report(&reported, &programs[1], 1u << CF_SLOW_FACES),
                    1u << CF_SLOW_FACES);
   /* the oldest of many programs are forgotten */
   for (unsigned i = 1; i <= CF_SLOW_PROGRAMS; i++)
      cf_slow_report(&reported, &programs[i], 1u << CF_SLOW_FACES);
   assert_int_equal(cf_slow_report(&reported, &programs[CF_SLOW_PROGRAMS], 1u << CF_SLOW_FACES), 0);
   assert_int_equal(cf_slow_report(&reported, &programs[0], 1u << CF_SLOW_LINEAR),
                    1u << CF_SLOW_LINEAR);
}

static void
test_programs(void **state)
{
   (void)state;
   struct cf_jit *jit =
      cf_jit_create(&(struct cf_jit_config){ .policy = CF_JIT_AUTO, .level = CF_HOST_BASE });
   struct cf_cached_program cached = { .program = { .stage = CF_SHADER_STAGE_FRAGMENT,
                                                    .code_instrs = 1000 } };
   if (!jit)
      skip(); /* a build without the compiler */
   assert_int_equal(cf_slow_program(jit, &cached), 0);
   cached.program.code_instrs = 1001;
   assert_int_equal(cf_slow_program(jit, &cached), 1u << CF_SLOW_LONG);
   cached.program.code_instrs = 10;
   cached.texmodes = 1u << CF_TEXMODE_IMPLICIT | 1u << CF_TEXMODE_GRAD;
   assert_int_equal(cf_slow_program(jit, &cached), 0);
   cached.texmodes |= 1u << CF_TEXMODE_FETCH | 1u << CF_TEXMODE_SIZE;
   assert_int_equal(cf_slow_program(jit, &cached), 0);
   cached.texmodes |= 1u << CF_TEXMODE_QUERY_LOD;
   assert_int_equal(cf_slow_program(jit, &cached), 1u << CF_SLOW_LEVELS);
   cached.texmodes = 0;
   cached.program.sysvals = 1u << CF_SYSVAL_FRAG_X;
   assert_int_equal(cf_slow_program(jit, &cached), 0);
   cached.program.sysvals = 1u << CF_SYSVAL_LANE;
   assert_int_equal(cf_slow_program(jit, &cached), 1u << CF_SLOW_INPUTS);
   cached.program.stage = CF_SHADER_STAGE_VERTEX;
   assert_int_equal(cf_slow_program(jit, &cached), 0);
   cf_jit_destroy(jit);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_reason_has_a_text),
      cmocka_unit_test(test_reasons_are_reported_once),
      cmocka_unit_test(test_programs),
   };
   return cmocka_run_group_tests_name("slow draws", tests, NULL, NULL);
}
