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
#include "clipfree/base/cf_vec.h"
#include "clipfree/primitive/cf_prim.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/** Place in pixel 0 at which depth is taken, along x (axis 0) or y. */
CF_INLINE double
cf_depth_place_px(uint32_t sample, uint32_t axis)
{
   return sample == CF_SAMPLE_CENTRE ? 0.0 : cf_sample_offset_px(sample, axis);
}

/** Store v clamped to [low, high]; NaN becomes low. */
CF_INLINE void
cf_depth_store_clamped(const cf_f64x8 *v, float low, float high, float out[8])
{
   const cf_f32x8 z = __builtin_convertvector(*v, cf_f32x8);
#if defined(__AVX__)
   const cf_f32x8 clamped = cf_vec_clamp(z, CF_SPLAT(cf_f32x8, low), CF_SPLAT(cf_f32x8, high));
   memcpy(out, &clamped, sizeof clamped);
#else
   for (uint32_t k = 0; k < 8; k++) {
      const float above = z[k] > low ? z[k] : low;
      out[k] = above < high ? above : high;
   }
#endif
}

#if defined(__AVX512F__)
typedef cf_f64x8 cf_depth_part;
#else
typedef cf_f64x4 cf_depth_part; /* a part of a half: GCC builds wider vectors through memory */
#endif
#define CF_DEPTH_PARTS (sizeof(cf_f64x8) / sizeof(cf_depth_part))

/** Depths of a block's halves, not yet rounded: of the plane a x + b y + c, where (x, y) is the
 * place in the block's pixel 0. */
CF_INLINE void
cf_depth_of_halves(double a, double b, double c, double x, double y, cf_f64x8 half[2])
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
   cf_f64x8 half[2];
   cf_depth_of_halves(prim->z_a, prim->z_b, prim->z_c, x_px + cf_depth_place_px(sample, 0), y_px + cf_depth_place_px(sample, 1),
                      half);
   cf_depth_store_clamped(&half[0], prim->z_min, prim->z_max, depth);
   cf_depth_store_clamped(&half[1], prim->z_min, prim->z_max, depth + 8);
}

#endif
