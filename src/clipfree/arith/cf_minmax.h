/* SPDX-License-Identifier: MIT */
/* Minimum and maximum of unsigned numbers. */
#ifndef CF_MINMAX_H
#define CF_MINMAX_H

#include <stdint.h>

static inline uint32_t
cf_min_u32(uint32_t a, uint32_t b)
{
   return a < b ? a : b;
}

static inline uint32_t
cf_max_u32(uint32_t a, uint32_t b)
{
   return a > b ? a : b;
}

static inline uint64_t
cf_min_u64(uint64_t a, uint64_t b)
{
   return a < b ? a : b;
}

static inline uint64_t
cf_max_u64(uint64_t a, uint64_t b)
{
   return a > b ? a : b;
}

#endif
