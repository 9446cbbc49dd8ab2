/* SPDX-License-Identifier: MIT */
/*
 * Window depth of a block's pixels, for files compiled per host vector level. Wherever depth is
 * computed, the order of operations is this: (z_a x + z_b y) + z_c in f64, rounded to f32, clamped
 * to the primitive's range.
 *
 * Each step is monotone in x and in y, since rounding is. So the depth computed at the right corner
 * of a rectangle bounds all depths computed inside, to the last bit. Hierarchical Z (cf_hiz.c)
 * relies on it.
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

/** Offset from a pixel's centre at which depth is computed, along x (axis 0) or y: of a sample, or
 * 0 for CF_SAMPLE_CENTRE. */
CF_INLINE double
cf_depth_place_px(uint32_t sample, uint32_t axis)
{
   return sample == CF_SAMPLE_CENTRE ? 0.0 : cf_sample_offset_px(sample, axis);
}

/** Round v to f32, clamp it to [low, high] and store it; NaN becomes low. */
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
typedef cf_f64x4 cf_depth_part; /* half of it: GCC builds wider vectors through memory */
#endif
#define CF_DEPTH_PARTS (sizeof(cf_f64x8) / sizeof(cf_depth_part))

/** Depths of a block's elements 0 .. 7 and 8 .. 15 by the plane a x + b y + c, before rounding and
 * clamping. (x, y): where depth is computed in the block's pixel 0. */
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

/** Depths of the block at (x_px, y_px), by element; sample: as in cf_depth_place_px. */
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
