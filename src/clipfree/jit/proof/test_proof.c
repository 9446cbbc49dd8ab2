/* SPDX-License-Identifier: MIT */
/*
 * The proof of machine code: functions that are fine are proven, and planted escapes
 * (test_proof_cases.S) are refused, each for its own reason. Most escapes are a fine function with
 * one thing changed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test_proof_map.h"

static void
test_cases(void **unused)
{
   unsigned fine = 0, refused = 0, wrong = 0;
   for (const struct test_proof_case *c = cf_proof_cases; c->name[0]; c++) {
      const size_t code_B = test_proof_code_B(c);
      const struct cf_proof_verdict verdict = test_proof_check(
         c->code - TEST_PROOF_CONSTANTS_B, TEST_PROOF_CONSTANTS_B + code_B, code_B);
      const char *why = verdict.wrong ? verdict.wrong : "";
      fine += !c->why[0];
      refused += c->why[0] != 0;
      if (strcmp(why, c->why) != 0) {
         print_error("%s: '%s' at byte %zu, not '%s'\n", c->name, why,
                     verdict.at_B - TEST_PROOF_CONSTANTS_B, c->why);
         wrong++;
      }
   }
   print_message("%u functions are fine, %u escapes\n", fine, refused);
   assert_int_equal(wrong, 0);
   assert_true(fine >= 30 && refused >= 230);
}

/* No escape has the name of another. */
static void
test_names(void **unused)
{
   for (const struct test_proof_case *c = cf_proof_cases; c->name[0]; c++) {
      for (const struct test_proof_case *other = cf_proof_cases; other < c; other++)
         assert_string_not_equal(c->name, other->name);
   }
}

/* ---- damaged code ---- */

static uint64_t random_state;

static uint32_t
any_u32(void)
{
   random_state = random_state * 6364136223846793005u + 1442695040888963407u;
   return (uint32_t)(random_state >> 32);
}

/* Any bytes get a verdict, and are read nowhere beyond their end; in a build with sanitizers that
 * shows. */
static void
test_damaged(void **unused)
{
   random_state = 22;
   print_message("seed %llu\n", (unsigned long long)random_state);
   for (const struct test_proof_case *c = cf_proof_cases; c->name[0]; c++) {
      const size_t code_B = test_proof_code_B(c), memory_B = TEST_PROOF_CONSTANTS_B + code_B;
      for (unsigned n = 0; n < 200; n++) {
         uint8_t *memory = malloc(memory_B);
         assert_non_null(memory);
         memcpy(memory, c->code - TEST_PROOF_CONSTANTS_B, memory_B);
         for (unsigned k = 0; k <= n % 3; k++)
            memory[TEST_PROOF_CONSTANTS_B + any_u32() % code_B] = (uint8_t)any_u32();
         const struct cf_proof_verdict verdict = test_proof_check(memory, memory_B, code_B);
         assert_true(verdict.at_B >= TEST_PROOF_CONSTANTS_B && verdict.at_B <= memory_B);
         free(memory);
      }
   }
}

static void
test_bounds(void **unused)
{
   static const uint8_t ret[TEST_PROOF_CONSTANTS_B + 1] = { [TEST_PROOF_CONSTANTS_B] = 0xc3 };
   assert_null(test_proof_check(ret, sizeof(ret), 1).wrong);
   assert_string_equal(test_proof_check(ret, TEST_PROOF_CONSTANTS_B, 1).wrong,
                       "code outside of its memory");
   assert_string_equal(test_proof_check(ret, sizeof(ret), 0).wrong, "code outside of its memory");
   assert_string_equal(test_proof_check(ret, SIZE_MAX, CF_PROOF_MOST_B + 1).wrong,
                       "code outside of its memory");
}

int
main(void)
{
   if (!cf_proof_is_built()) {
      printf("there is no decoder in this build: nothing is proven\n");
      return 77;
   }
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cases),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_damaged),
      cmocka_unit_test(test_bounds),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
