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

/* The same with functions that take more, cf_proof_call_cases. */
static const uint16_t function_of[16] = { 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
static const struct cf_proof_argument call_arguments[] = {
   { CF_PROOF_TAKES_REGION, TEST_PROOF_STATE_REGION },
   { CF_PROOF_TAKES_PART, TEST_PROOF_ROW_REGION, TEST_PROOF_ROW_B, function_of },
   { CF_PROOF_TAKES_INPUT, .size_B = 16 },
   { CF_PROOF_TAKES_OUTPUT, .size_B = 16 },
};

/* ---- planted escapes ---- */

/* How many functions are fine, and refused; each for its reason. */
struct counts {
   unsigned fine, refused, wrong;
};

static struct counts
check_cases(const struct cf_proof_region *map, const struct test_proof_case *cases)
{
   struct counts counts = { 0 };
   for (const struct test_proof_case *c = cases; c->name[0]; c++) {
      const size_t code_B = test_proof_code_B(c);
      const struct cf_proof_verdict verdict = test_proof_check_in(
         map, c->code - TEST_PROOF_CONSTANTS_B, TEST_PROOF_CONSTANTS_B + code_B, code_B);
      const char *why = verdict.wrong ? verdict.wrong : "";
      counts.fine += !c->why[0];
      counts.refused += c->why[0] != 0;
      if (strcmp(why, c->why) != 0) {
         print_error("%s: '%s' at byte %zu, not '%s'\n", c->name, why,
                     verdict.at_B - TEST_PROOF_CONSTANTS_B, c->why);
         counts.wrong++;
      }
   }
   print_message("%u functions are fine, %u escapes\n", counts.fine, counts.refused);
   return counts;
}

static void
test_cases(void **unused)
{
   const struct counts counts = check_cases(test_proof_regions, cf_proof_cases);
   assert_int_equal(counts.wrong, 0);
   assert_true(counts.fine >= 30 && counts.refused >= 230);
}

/* Calls with parts of regions, and with memory that is read or written. */
static void
test_calls(void **unused)
{
   struct cf_proof_region map[TEST_PROOF_REGIONS];
   struct cf_proof_argument arguments[4];
   memcpy(map, test_proof_regions, sizeof(map));
   memcpy(arguments, call_arguments, sizeof(arguments));
   map[TEST_PROOF_FUNCTION_REGION].arguments = arguments;
   map[TEST_PROOF_FUNCTION_REGION].argument_count = 4;
   const struct counts counts = check_cases(map, cf_proof_call_cases);
   assert_int_equal(counts.wrong, 0);
   assert_true(counts.fine >= 3 && counts.refused >= 10);

   /* any function may be called with any row: the row of another is fine, too */
   const struct test_proof_case *other = &cf_proof_call_cases[1];
   const size_t code_B = test_proof_code_B(other);
   assert_string_equal(other->name, "a call with the row of another function");
   arguments[1].function_of = NULL;
   assert_null(test_proof_check_in(map, other->code - TEST_PROOF_CONSTANTS_B,
                                   TEST_PROOF_CONSTANTS_B + code_B, code_B)
                  .wrong);
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

/* The entry is an instruction of the code. */
static void
test_entry(void **unused)
{
   /* no operation of two bytes, return */
   static const uint8_t memory[] = { 0x66, 0x90, 0xc3 };
   struct cf_proof_code code = { .memory = memory, .memory_B = 3, .end_B = 3 };
   const struct cf_proof_map map = { test_proof_regions, TEST_PROOF_REGIONS };
   assert_null(cf_proof_check(&code, &map).wrong);
   code.entry_B = 1;
   assert_string_equal(cf_proof_check(&code, &map).wrong,
                       "the entry is in the middle of an instruction");
   code.entry_B = 2;
   assert_null(cf_proof_check(&code, &map).wrong);
   code.entry_B = 3;
   assert_string_equal(cf_proof_check(&code, &map).wrong, "code outside of its memory");
   code.begin_B = 2, code.entry_B = 0;
   assert_string_equal(cf_proof_check(&code, &map).wrong, "code outside of its memory");
}

int
main(void)
{
   if (!cf_proof_is_built()) {
      printf("there is no decoder in this build: nothing is proven\n");
      return 77;
   }
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cases),  cmocka_unit_test(test_names), cmocka_unit_test(test_damaged),
      cmocka_unit_test(test_bounds), cmocka_unit_test(test_calls), cmocka_unit_test(test_entry),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
