/* SPDX-License-Identifier: MIT */
/*
 * Window depth at pixels, for files compiled per host vector level. One fixed order of operations, here and wherever else
 * depth is computed: (z_a x + z_b y) + z_c in f64, rounded to f32, clamped to the primitive's range.
 *
 * Every step is monotone in x and in y (rounding is), so the depth computed at the right corner of a rectangle bounds all
 * computed in it, to the last bit (cf_hiz.c).
 */
#ifndef CF_DEPTH_LANES_H
#define CF_DEPTH_LANES_H

#include <stdint.h>
#include <string.h>

#include "clipfree/base/cf_inline.h"
#include "clipfree/primitive/cf_prim.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* Half a block: elements 0 .. 7, or 8 .. 15 two rows below. */
typedef double cf_half_f64 __attribute__((vector_size(64)));
typedef float cf_half_f32 __attribute__((vector_size(32)));

/** Where depth is taken in pixel 0, in x (axis 0) or y. */
CF_INLINE double
cf_depth_place_px(uint32_t sample, uint32_t axis)
{
   return sample == CF_SAMPLE_CENTRE ? 0.0 : cf_sample_offset_px(sample, axis);
}

/** v clamped to [low, high], NaN to low, in memory. */
CF_INLINE void
cf_depth_store_clamped(const cf_half_f64 *v, float low, float high, float out[8])
{
   const cf_half_f32 z = __builtin_convertvector(*v, cf_half_f32);
#if defined(__AVX__)
   _mm256_storeu_ps(out, _mm256_min_ps(_mm256_max_ps((__m256)z, _mm256_set1_ps(low)), _mm256_set1_ps(high)));
#else
   for (uint32_t k = 0; k < 8; k++) {
      const float above = z[k] > low ? z[k] : low;
      out[k] = above < high ? above : high;
   }
#endif
}

#if defined(__AVX512F__)
typedef cf_half_f64 cf_depth_part;
#else
typedef double cf_depth_part __attribute__((vector_size(32))); /* of a half: GCC builds wider ones in pieces, through memory */
#endif
#define CF_DEPTH_PARTS (sizeof(cf_half_f64) / sizeof(cf_depth_part))

/** Depths before rounding of a block's halves, of the plane a x + b y + c; x, y: of its pixel 0, with the place. */
CF_INLINE void
cf_depth_of_halves(double a, double b, double c, double x, double y, cf_half_f64 half[2])
{
#if defined(__AVX512F__)
   const cf_depth_part element_x[] = { { 0, 1, 0, 1, 2, 3, 2, 3 } }, element_y = { 0, 0, 1, 1, 0, 0, 1, 1 };
#else
   const cf_depth_part element_x[] = { { 0, 1, 0, 1 }, { 2, 3, 2, 3 } }, element_y = { 0, 0, 1, 1 };
#endif
   const cf_depth_part rows = y + element_y, upper = b * rows, lower = b * (rows + 2.0);
   cf_depth_part part[2 * CF_DEPTH_PARTS];
   for (uint32_t i = 0; i < CF_DEPTH_PARTS; i++) {
      const cf_depth_part ax = a * (x + element_x[i]);
      part[i] = (ax + upper) + c;
      part[CF_DEPTH_PARTS + i] = (ax + lower) + c;
   }
   memcpy(half, part, sizeof(part));
}

/** Depths of a block, by element. */
CF_INLINE void
cf_depth_of_block(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, uint32_t sample, float depth[16])
{
   cf_half_f64 half[2];
   cf_depth_of_halves(prim->z_a, prim->z_b, prim->z_c, x_px + cf_depth_place_px(sample, 0), y_px + cf_depth_place_px(sample, 1),
                      half);
   cf_depth_store_clamped(&half[0], prim->z_min, prim->z_max, depth);
   cf_depth_store_clamped(&half[1], prim->z_min, prim->z_max, depth + 8);
}

#endif
