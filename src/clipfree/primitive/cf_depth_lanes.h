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

#if defined(__AVX512F__)
typedef cf_f64x8 cf_depth_part;
#else
typedef cf_f64x4 cf_depth_part; /* half of it: GCC builds wider vectors through memory */
#endif
#define CF_DEPTH_PARTS (sizeof(cf_f64x8) / sizeof(cf_depth_part))

/* Eight depths, rounded to f32. */
CF_INLINE cf_f32x8
cf_depth_rounded(const cf_depth_part part[CF_DEPTH_PARTS])
{
#if defined(__AVX512F__)
   return (cf_f32x8)_mm512_cvtpd_ps((__m512d)part[0]);
#else
   return __builtin_shufflevector(__builtin_convertvector(part[0], cf_f32x4),
                                  __builtin_convertvector(part[1], cf_f32x4), 0, 1, 2, 3, 4, 5, 6,
                                  7);
#endif
}

/** Depths of a block's elements 0 .. 7 and 8 .. 15 by the plane a x + b y + c, before clamping.
 * (x, y): where depth is computed in the block's pixel 0. */
CF_INLINE void
cf_depth_of_halves(double a, double b, double c, double x, double y, cf_f32x8 half[2])
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
   half[0] = cf_depth_rounded(part);
   half[1] = cf_depth_rounded(part + CF_DEPTH_PARTS);
}

/** Depths of the block at (x_px, y_px), by element; sample: as in cf_depth_place_px. */
CF_INLINE void
cf_depth_of_block(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, uint32_t sample, float depth[16])
{
   const cf_f32x8 low = CF_SPLAT(cf_f32x8, prim->z_min), high = CF_SPLAT(cf_f32x8, prim->z_max);
   cf_f32x8 half[2];
   cf_depth_of_halves(prim->z_a, prim->z_b, prim->z_c, x_px + cf_depth_place_px(sample, 0), y_px + cf_depth_place_px(sample, 1),
                      half);
   for (uint32_t i = 0; i < 2; i++)
      half[i] = cf_vec_clamp(half[i], low, high);
   memcpy(depth, half, sizeof(half));
}

#endif
