/* SPDX-License-Identifier: MIT */
#include "test_proof_map.h"

enum { STATE, MEMORY, TABLE, ROWS, FUNCTION, REGIONS };

#define OF_STATE(member) offsetof(struct test_proof_state, member)

static const struct cf_proof_range state_writes[] = { { OF_STATE(written),
                                                        sizeof(struct test_proof_state) } };
static const struct cf_proof_range memory_writes[] = { { -TEST_PROOF_BEFORE_B,
                                                         TEST_PROOF_AFTER_B } };
static const struct cf_proof_range rows_writes[] = { { 0, TEST_PROOF_ROWS *TEST_PROOF_ROW_B } };
static const struct cf_proof_pointer state_pointers[] = { { OF_STATE(memory), 0, 1, MEMORY },
                                                          { OF_STATE(table), 0, 1, TABLE },
                                                          { OF_STATE(rows), 0, 1, ROWS } };
static const struct cf_proof_pointer table_pointers[] = { { 0, sizeof(void *), TEST_PROOF_FUNCTIONS,
                                                            FUNCTION } };
static const struct cf_proof_argument function_arguments[] = { { CF_PROOF_TAKES_REGION, STATE },
                                                               { CF_PROOF_TAKES_NUMBER } };

static const struct cf_proof_region regions[REGIONS] = {
   [STATE] = { "state",
               { 0, sizeof(struct test_proof_state) },
               .writes = state_writes,
               .write_count = 1,
               .pointers = state_pointers,
               .pointer_count = 3 },
   [MEMORY] = { "memory",
                { -TEST_PROOF_BEFORE_B, TEST_PROOF_AFTER_B },
                .writes = memory_writes,
                .write_count = 1 },
   [TABLE] = { "table",
               { 0, TEST_PROOF_FUNCTIONS * sizeof(void *) },
               .pointers = table_pointers,
               .pointer_count = 1 },
   [ROWS] = { "rows",
              { 0, TEST_PROOF_ROWS *TEST_PROOF_ROW_B },
              .writes = rows_writes,
              .write_count = 1 },
   [FUNCTION] = { "function", .arguments = function_arguments, .argument_count = 2 },
};

const struct cf_proof_map test_proof_map = { regions, REGIONS };

size_t
test_proof_code_B(const struct test_proof_case *c)
{
   return (size_t)(c[1].code - c->code) - TEST_PROOF_CONSTANTS_B;
}

struct cf_proof_verdict
test_proof_check(const uint8_t *memory, size_t memory_B, size_t code_B)
{
   const struct cf_proof_code code = { .memory = memory,
                                       .memory_B = memory_B,
                                       .begin_B = TEST_PROOF_CONSTANTS_B,
                                       .end_B = TEST_PROOF_CONSTANTS_B + code_B,
                                       .entry_B = TEST_PROOF_CONSTANTS_B,
                                       .arguments = function_arguments,
                                       .argument_count = 2 };
   return cf_proof_check(&code, &test_proof_map);
}
