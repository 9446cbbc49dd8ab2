/* SPDX-License-Identifier: MIT */
/*
 * What stands in libFuzzer's place where a target has Mesa beside it, which is not built with
 * edges: inputs are chosen by what the target says they reach. Targets are written as for
 * libFuzzer, and called with its options, as far as tests/fuzz/run has them.
 */
#ifndef FUZZ_PLAIN_H
#define FUZZ_PLAIN_H

#include <stdint.h>

/** The input has reached this, a hash of anything that tells inputs apart. One that reaches
 * something new is kept, and goes on as others. */
void fuzz_reach(uint64_t what);

/** Count an input apart that came to nothing, such as one of which no variant could be made. */
void fuzz_void(void);

/** A number below n, n > 0, that follows from `random`, which moves on. */
uint32_t fuzz_random(uint64_t *random, uint32_t n);

#endif
