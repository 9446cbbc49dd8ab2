/* SPDX-License-Identifier: MIT */
/*
 * Comparisons whose function is state (enum cf_compare), as masks: a loop or IR has no branch for
 * them, and of masks that are constants only those comparisons are left that count.
 */
#ifndef CF_COMPARE_H
#define CF_COMPARE_H

#include <stdint.h>

/* The bits of enum cf_compare say less, equal, greater. */
#define CF_COMPARE_MASK(func, bit) (0u - ((uint32_t)(func) >> (bit)&1u))

/** a func b, all ones if true. less, equal, greater: all ones for the results that pass. */
static inline uint32_t
cf_compare_ints(int32_t a, int32_t b, uint32_t less, uint32_t equal, uint32_t greater)
{
   return (a < b ? less : 0) | (a == b ? equal : 0) | (a > b ? greater : 0);
}

/** The same of floats. unordered: with a NaN, where neither of the three is true. */
static inline uint32_t
cf_compare_floats(float a, float b, uint32_t less, uint32_t equal, uint32_t greater,
                  uint32_t unordered)
{
   uint32_t neither = (a < b) | (a >= b) ? 0 : unordered;
   return (a < b ? less : 0) | (a == b ? equal : 0) | (a > b ? greater : 0) | neither;
}

#endif
