/* SPDX-License-Identifier: MIT */
/*
 * Functions to look at (test_proof_cases.S), and the regions that they are called with: for the
 * proof's test and for the fuzz target `code`.
 */
#ifndef TEST_PROOF_MAP_H
#define TEST_PROOF_MAP_H

#include "clipfree/jit/proof/cf_proof.h"

#define TEST_PROOF_ROWS 16
#define TEST_PROOF_ROW_B 128
#define TEST_PROOF_FUNCTIONS 2
/* What may be accessed around the pointer to memory. */
#define TEST_PROOF_BEFORE_B (INT64_C(4) << 30)
#define TEST_PROOF_AFTER_B (INT64_C(20) << 30)
#define TEST_PROOF_CONSTANTS_B 64 /* before the code */

enum test_proof_region {
   TEST_PROOF_STATE_REGION,
   TEST_PROOF_MEMORY_REGION,
   TEST_PROOF_TABLE_REGION,
   TEST_PROOF_ROW_REGION,
   TEST_PROOF_FUNCTION_REGION, /* what the table points to */
   TEST_PROOF_REGIONS
};

/* What a function's first argument points to. */
struct test_proof_state {
   uint8_t *memory;
   void (*const *table)(struct test_proof_state *state, uint64_t number);
   uint8_t (*rows)[TEST_PROOF_ROW_B];
   uint8_t read[8];
   uint8_t written[32];
};

/* A function, behind its constants, and why it is refused; "": it is fine. */
struct test_proof_case {
   const char *name, *why;
   const uint8_t *code;
};

/* All of them. The last one has no name, and begins where the one before it ends. */
extern const struct test_proof_case cf_proof_cases[];
/* The same, of calls of functions that take more; test_proof.c has their map. */
extern const struct test_proof_case cf_proof_call_cases[];

/** Bytes of a function. */
size_t test_proof_code_B(const struct test_proof_case *c);

extern const struct cf_proof_region test_proof_regions[TEST_PROOF_REGIONS];

/** Look at `code_B` bytes of code that begin behind the constants in `memory`, and end with it. */
struct cf_proof_verdict test_proof_check(const uint8_t *memory, size_t memory_B, size_t code_B);
/** The same in other regions, TEST_PROOF_REGIONS of them. */
struct cf_proof_verdict test_proof_check_in(const struct cf_proof_region *regions,
                                            const uint8_t *memory, size_t memory_B, size_t code_B);

#endif
