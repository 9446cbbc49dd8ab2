/* SPDX-License-Identifier: MIT */
#include "test_proof_map.h"

#define OF_STATE(member) offsetof(struct test_proof_state, member)

static const struct cf_proof_range state_writes[] = { { OF_STATE(written),
                                                        sizeof(struct test_proof_state) } };
static const struct cf_proof_range memory_writes[] = { { -TEST_PROOF_BEFORE_B,
                                                         TEST_PROOF_AFTER_B } };
static const struct cf_proof_range rows_writes[] = { { 0, TEST_PROOF_ROWS *TEST_PROOF_ROW_B } };
static const struct cf_proof_pointer state_pointers[] = {
   { OF_STATE(memory), 0, 1, TEST_PROOF_MEMORY_REGION },
   { OF_STATE(table), 0, 1, TEST_PROOF_TABLE_REGION },
   { OF_STATE(rows), 0, 1, TEST_PROOF_ROW_REGION }
};
static const struct cf_proof_pointer table_pointers[] = { { 0, sizeof(void *), TEST_PROOF_FUNCTIONS,
                                                            TEST_PROOF_FUNCTION_REGION } };
static const struct cf_proof_argument function_arguments[] = {
   { CF_PROOF_TAKES_REGION, TEST_PROOF_STATE_REGION }, { CF_PROOF_TAKES_NUMBER }
};

const struct cf_proof_region test_proof_regions[TEST_PROOF_REGIONS] = {
   [TEST_PROOF_STATE_REGION] = { "state",
                                 { 0, sizeof(struct test_proof_state) },
                                 .writes = state_writes,
                                 .write_count = 1,
                                 .pointers = state_pointers,
                                 .pointer_count = 3 },
   [TEST_PROOF_MEMORY_REGION] = { "memory",
                                  { -TEST_PROOF_BEFORE_B, TEST_PROOF_AFTER_B },
                                  .writes = memory_writes,
                                  .write_count = 1 },
   [TEST_PROOF_TABLE_REGION] = { "table",
                                 { 0, TEST_PROOF_FUNCTIONS * sizeof(void *) },
                                 .pointers = table_pointers,
                                 .pointer_count = 1 },
   [TEST_PROOF_ROW_REGION] = { "rows",
                               { 0, TEST_PROOF_ROWS *TEST_PROOF_ROW_B },
                               .writes = rows_writes,
                               .write_count = 1 },
   [TEST_PROOF_FUNCTION_REGION] = { "function", .arguments = function_arguments,
                                    .argument_count = 2 },
};

size_t
test_proof_code_B(const struct test_proof_case *c)
{
   return (size_t)(c[1].code - c->code) - TEST_PROOF_CONSTANTS_B;
}

struct cf_proof_verdict
test_proof_check_in(const struct cf_proof_region *regions, const uint8_t *memory, size_t memory_B,
                    size_t code_B)
{
   const struct cf_proof_code code = { .memory = memory,
                                       .memory_B = memory_B,
                                       .begin_B = TEST_PROOF_CONSTANTS_B,
                                       .end_B = TEST_PROOF_CONSTANTS_B + code_B,
                                       .entry_B = TEST_PROOF_CONSTANTS_B,
                                       .arguments = function_arguments,
                                       .argument_count = 2 };
   return cf_proof_check(&code, &(struct cf_proof_map){ regions, TEST_PROOF_REGIONS });
}

struct cf_proof_verdict
test_proof_check(const uint8_t *memory, size_t memory_B, size_t code_B)
{
   return test_proof_check_in(test_proof_regions, memory, memory_B, code_B);
}
