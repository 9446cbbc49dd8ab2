/* SPDX-License-Identifier: MIT */
/*
 * Set-up of four primitives at once, one a lane: vertices transposed into vectors, vectors
 * transposed into primitives, in rows of four numbers of 8 bytes that follow each other. For hosts
 * with vectors of four f64.
 */
#ifndef CF_WIDE_ROWS_H
#define CF_WIDE_ROWS_H

#include "clipfree/base/cf_vec.h"
#include "clipfree/primitive/cf_setup.h"

#include <stddef.h>
#include <string.h>

#define CF_WIDE_LANES 4

_Static_assert(CF_WIDE_LANES <= CF_SINK_PRIMS, "room");

/* One vertex of each primitive, in clip space. */
struct cf_wide_vertex {
   cf_f64x4 x, y, z, w;
};

/* Vertex k of the primitives. t: their vertex records. */
static inline struct cf_wide_vertex
cf_wide_load(const float *const *const t[CF_WIDE_LANES], uint32_t k)
{
   const __m128 r0 = _mm_loadu_ps(t[0][k]), r1 = _mm_loadu_ps(t[1][k]);
   const __m128 r2 = _mm_loadu_ps(t[2][k]), r3 = _mm_loadu_ps(t[3][k]);
   const __m128 xy01 = _mm_unpacklo_ps(r0, r1), zw01 = _mm_unpackhi_ps(r0, r1);
   const __m128 xy23 = _mm_unpacklo_ps(r2, r3), zw23 = _mm_unpackhi_ps(r2, r3);
   return (struct cf_wide_vertex){
      (cf_f64x4)_mm256_cvtps_pd(_mm_movelh_ps(xy01, xy23)),
      (cf_f64x4)_mm256_cvtps_pd(_mm_movehl_ps(xy23, xy01)),
      (cf_f64x4)_mm256_cvtps_pd(_mm_movelh_ps(zw01, zw23)),
      (cf_f64x4)_mm256_cvtps_pd(_mm_movehl_ps(zw23, zw01)),
   };
}

/* (rounded_down, rounded_up, which give no -0: only of bounds, where it does not matter, does
 * this.) */
static inline cf_f64x4
cf_wide_floor(cf_f64x4 v)
{
   return (cf_f64x4)_mm256_floor_pd((__m256d)v);
}

static inline cf_f64x4
cf_wide_ceil(cf_f64x4 v)
{
   return (cf_f64x4)_mm256_ceil_pd((__m256d)v);
}

/* The bits of the f32 next to z, clamped to low .. high (cf_setup_depth_range). */
static inline cf_i64x4
cf_wide_clamp(cf_f64x4 z, float low, float high)
{
   const cf_f32x4 rounded = (cf_f32x4)_mm256_cvtpd_ps((__m256d)z);
   const cf_f32x4 clamped =
      cf_vec_clamp(rounded, CF_SPLAT(cf_f32x4, low), CF_SPLAT(cf_f32x4, high));
   return (cf_i64x4)_mm256_cvtepu32_epi64((__m128i)clamped);
}

/* The power of two that brings v > 0 into [1, 2) (cf_scale_to_one). */
static inline cf_f64x4
cf_wide_scale_to_one(cf_f64x4 v)
{
   return (cf_f64x4)((2046 - ((cf_i64x4)v >> 52)) << 52);
}

static inline void
cf_wide_store_row(struct cf_prim *prim, size_t at_B, cf_f64x4 row)
{
   memcpy((uint8_t *)prim + at_B, &row, sizeof row);
}

/* Transpose: lane i of the columns c0 .. c3 becomes the row at at_B of primitive i. */
static inline void
cf_wide_store(struct cf_prim *const prim[CF_WIDE_LANES], size_t at_B, cf_f64x4 c0, cf_f64x4 c1,
              cf_f64x4 c2, cf_f64x4 c3)
{
   const cf_f64x4 even01 = __builtin_shufflevector(c0, c1, 0, 4, 2, 6),
                  even23 = __builtin_shufflevector(c2, c3, 0, 4, 2, 6);
   const cf_f64x4 odd01 = __builtin_shufflevector(c0, c1, 1, 5, 3, 7),
                  odd23 = __builtin_shufflevector(c2, c3, 1, 5, 3, 7);
   cf_wide_store_row(prim[0], at_B, __builtin_shufflevector(even01, even23, 0, 1, 4, 5));
   cf_wide_store_row(prim[1], at_B, __builtin_shufflevector(odd01, odd23, 0, 1, 4, 5));
   cf_wide_store_row(prim[2], at_B, __builtin_shufflevector(even01, even23, 2, 3, 6, 7));
   cf_wide_store_row(prim[3], at_B, __builtin_shufflevector(odd01, odd23, 2, 3, 6, 7));
}

/* Primitives that are set up at once, a lane each. Lanes that are not drawn write to `nowhere`. */
struct cf_wide_prims {
   struct cf_prim nowhere, *of_lane[CF_WIDE_LANES];
   float (*varyings[CF_WIDE_LANES])[3]; /* by lane, of those drawn */
};

/* Reserve the primitives of the lanes in `drawn`. False: there is none, or no memory. */
static inline bool
cf_wide_reserve(const struct cf_setup *setup, uint32_t drawn, struct cf_wide_prims *prims)
{
   struct cf_prim *reserved[CF_WIDE_LANES];
   float(*varyings[CF_WIDE_LANES])[3];
   const uint32_t count = (uint32_t)__builtin_popcount(drawn);
   if (count == 0 || !setup->sink->reserve(setup->sink->user, count, reserved, varyings))
      return false;
   for (uint32_t i = 0, n = 0; i < CF_WIDE_LANES; n += drawn >> i++ & 1) {
      prims->of_lane[i] = drawn >> i & 1 ? reserved[n] : &prims->nowhere;
      prims->varyings[i] = drawn >> i & 1 ? varyings[n] : NULL;
   }
   return true;
}

#endif
