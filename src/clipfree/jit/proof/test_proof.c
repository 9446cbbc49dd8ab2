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

#include "clipfree/jit/proof/cf_proof.h"

#define CONSTANTS_B 64

struct proof_case {
   const char *name, *why;
   const uint8_t *code;
};

extern const struct proof_case cf_proof_cases[];

/* ---- the map ---- */

enum { STATE, MEMORY, TABLE, ROWS, FUNCTION, REGIONS };

static const struct cf_proof_range state_writes[] = { { 32, 64 } };
static const struct cf_proof_range memory_writes[] = { { -(INT64_C(4) << 30), INT64_C(20) << 30 } };
static const struct cf_proof_range rows_writes[] = { { 0, 16 * 128 } };
static const struct cf_proof_pointer state_pointers[] = { { 0, 0, 1, MEMORY },
                                                          { 8, 0, 1, TABLE },
                                                          { 16, 0, 1, ROWS } };
static const struct cf_proof_pointer table_pointers[] = { { 0, 8, 2, FUNCTION } };
static const struct cf_proof_argument function_arguments[] = { { CF_PROOF_TAKES_REGION, STATE },
                                                               { CF_PROOF_TAKES_NUMBER } };

static const struct cf_proof_region regions[REGIONS] = {
   [STATE] = { "state",
               { 0, 64 },
               .writes = state_writes,
               .write_count = 1,
               .pointers = state_pointers,
               .pointer_count = 3 },
   [MEMORY] = { "memory",
                { -(INT64_C(4) << 30), INT64_C(20) << 30 },
                .writes = memory_writes,
                .write_count = 1 },
   [TABLE] = { "table", { 0, 16 }, .pointers = table_pointers, .pointer_count = 1 },
   [ROWS] = { "rows", { 0, 16 * 128 }, .writes = rows_writes, .write_count = 1 },
   [FUNCTION] = { "function", .arguments = function_arguments, .argument_count = 2 },
};

static struct cf_proof_verdict
check(const uint8_t *memory, size_t memory_B, size_t code_B)
{
   const struct cf_proof_code code = { .memory = memory,
                                       .memory_B = memory_B,
                                       .begin_B = CONSTANTS_B,
                                       .end_B = CONSTANTS_B + code_B,
                                       .entry_B = CONSTANTS_B,
                                       .arguments = function_arguments,
                                       .argument_count = 2 };
   return cf_proof_check(&code, &(struct cf_proof_map){ regions, REGIONS });
}

/* ---- planted escapes ---- */

static size_t
size_of(const struct proof_case *c)
{
   return (size_t)(c[1].code - c->code) - CONSTANTS_B;
}

static void
test_cases(void **unused)
{
   unsigned fine = 0, refused = 0, wrong = 0;
   for (const struct proof_case *c = cf_proof_cases; c->name[0]; c++) {
      const size_t code_B = size_of(c);
      const struct cf_proof_verdict verdict =
         check(c->code - CONSTANTS_B, CONSTANTS_B + code_B, code_B);
      const char *why = verdict.wrong ? verdict.wrong : "";
      fine += !c->why[0];
      refused += c->why[0] != 0;
      if (strcmp(why, c->why) != 0) {
         print_error("%s: '%s' at byte %zu, not '%s'\n", c->name, why, verdict.at_B - CONSTANTS_B,
                     c->why);
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
   for (const struct proof_case *c = cf_proof_cases; c->name[0]; c++) {
      for (const struct proof_case *other = cf_proof_cases; other < c; other++)
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
   for (const struct proof_case *c = cf_proof_cases; c->name[0]; c++) {
      const size_t code_B = size_of(c), memory_B = CONSTANTS_B + code_B;
      for (unsigned n = 0; n < 200; n++) {
         uint8_t *memory = malloc(memory_B);
         assert_non_null(memory);
         memcpy(memory, c->code - CONSTANTS_B, memory_B);
         for (unsigned k = 0; k <= n % 3; k++)
            memory[CONSTANTS_B + any_u32() % code_B] = (uint8_t)any_u32();
         const struct cf_proof_verdict verdict = check(memory, memory_B, code_B);
         assert_true(verdict.at_B >= CONSTANTS_B && verdict.at_B <= memory_B);
         free(memory);
      }
   }
}

static void
test_bounds(void **unused)
{
   static const uint8_t ret[CONSTANTS_B + 1] = { [CONSTANTS_B] = 0xc3 };
   assert_null(check(ret, sizeof(ret), 1).wrong);
   assert_string_equal(check(ret, CONSTANTS_B, 1).wrong, "code outside of its memory");
   assert_string_equal(check(ret, sizeof(ret), 0).wrong, "code outside of its memory");
   assert_string_equal(check(ret, SIZE_MAX, CF_PROOF_MOST_B + 1).wrong,
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
