/* SPDX-License-Identifier: MIT */
/* Loops over lanes, and over the members of sets. */
#ifndef CF_FOR_H
#define CF_FOR_H

#include <stdint.h>

#include "clipfree/base/cf_lanes.h"

#ifdef __clang__
#define CF_LANES_INDEPENDENT _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define CF_LANES_INDEPENDENT _Pragma("GCC ivdep")
#endif

/** For each lane of a task, in loops without dependency from lane to lane but sums: what is written
 * is what was read at the same lane, or something else. So each is a few vector instructions.
 * Where one lane needs another's result, or each lane calls a function, a plain loop is right. */
#define CF_FOR_LANES(lane)                                                                         \
   CF_LANES_INDEPENDENT for (unsigned lane = 0; lane < CF_TASK_LANES; lane++)

/** For each bit that is set, of 32, from the lowest on: i is its number. */
#define CF_FOR_BITS(i, set)                                                                        \
   for (uint32_t i, left_of_##i = (set);                                                           \
        left_of_##i != 0 && (i = (uint32_t)__builtin_ctz(left_of_##i), 1);                         \
        left_of_##i &= left_of_##i - 1)

#endif
