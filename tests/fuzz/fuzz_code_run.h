/* SPDX-License-Identifier: MIT */
/*
 * Machine code, run as the GPU runs compiled code, in a place where it shows what it did that it
 * may not: `fuzz_code_run` calls it with the regions of jit/proof/test_proof_map.h, which end at
 * pages that cannot be accessed, and looks afterwards at all that lies around them, at the stack
 * above it and at the registers of its caller.
 *
 * Limitations: x86-64 with AVX2. Reads that hit something else are not noticed.
 */
#ifndef FUZZ_CODE_RUN_H
#define FUZZ_CODE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fuzz_code_world;

/* How code came to its end. */
enum fuzz_code_end {
   FUZZ_CODE_RETURNED,
   FUZZ_CODE_FAULTED, /* where it may (docs/fuzzing.md) */
   FUZZ_CODE_TIME,    /* it goes round in circles */
   FUZZ_CODE_UNKNOWN, /* an instruction that this processor does not have */
   FUZZ_CODE_ESCAPED, /* it did what it may not */
};

/** Reserve what code runs in: once in a process. NULL: this processor has no AVX2. */
struct fuzz_code_world *fuzz_code_open(void);

/** Run `size_B` bytes: constants, then a function. `seed`: of the numbers that it finds, and of
 * which end of each region is at a page that cannot be accessed. `what`: what it did that it may
 * not. */
enum fuzz_code_end fuzz_code_run(struct fuzz_code_world *world, const uint8_t *code, size_t size_B,
                                 uint32_t seed, const char **what);

#endif
