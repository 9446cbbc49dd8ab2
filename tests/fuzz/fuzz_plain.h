/* SPDX-License-Identifier: MIT */
/*
 * What targets that have Mesa beside them say of their inputs. Where Mesa is not built with edges,
 * fuzz_plain.c stands in libFuzzer's place and chooses inputs by that; beside libFuzzer, in a build
 * with edges, it counts too (fuzz_edges.c). Targets are written as for libFuzzer, and called with
 * its options, as far as tests/fuzz/run has them.
 */
#ifndef FUZZ_PLAIN_H
#define FUZZ_PLAIN_H

#include <stdint.h>

/** The input has reached this, a hash of anything that tells inputs apart. One that reaches
 * something new is kept, and goes on as others. */
void fuzz_reach(uint64_t what);

/** Count an input apart that came to nothing, such as one of which no variant could be made. */
void fuzz_void(void);

#endif
