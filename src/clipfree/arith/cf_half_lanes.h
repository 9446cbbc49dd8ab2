/* SPDX-License-Identifier: MIT */
/*
 * Half floats in vectors, as cf_f16_to_f32 and cf_f32_to_f16 (cf_fp.h), for units that are compiled
 * once per host vector level: by the host's instructions where the level has them.
 */
#ifndef CF_HALF_LANES_H
#define CF_HALF_LANES_H

#include <string.h>

#include "clipfree/arith/cf_fp.h"
#include "clipfree/base/cf_vec.h"

/** Eight half floats in memory as floats; any NaN for a NaN. */
CF_INLINE cf_f32x8
cf_halves_load(const uint8_t *from)
{
   cf_u16x8 half;
   memcpy(&half, from, sizeof(half));
#if defined(__F16C__)
   return (cf_f32x8)_mm256_cvtph_ps((__m128i)half);
#else
   cf_f32x8 value;
   for (uint32_t i = 0; i < 8; i++)
      value[i] = cf_f16_to_f32(half[i]);
   return value;
#endif
}

/** Store four floats as half floats: to nearest even, 0x7e00 for a NaN. */
CF_INLINE void
cf_halves_store(uint8_t *to, cf_f32x4 value)
{
#if defined(__F16C__)
   const cf_i32x4 is_number = value == value;
   const cf_u32x4 canonical = ((cf_u32x4)value & (cf_u32x4)is_number) |
                              (CF_SPLAT(cf_u32x4, CF_NAN_BITS) & ~(cf_u32x4)is_number);
   const __m128i half = _mm_cvtps_ph((__m128)canonical, _MM_FROUND_TO_NEAREST_INT);
   memcpy(to, &half, 4 * sizeof(uint16_t));
#else
   uint16_t half[4];
   for (uint32_t i = 0; i < 4; i++)
      half[i] = cf_f32_to_f16(value[i]);
   memcpy(to, half, sizeof(half));
#endif
}

#endif
