/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: the 4x4 children of a node of the raster walk (cf_raster_walk.h), 16 values
 * at once, compiled per host vector level. Child k is at (child_col(k), child_row(k)), in Morton
 * order (cf_block_element): bits 4 q .. 4 q + 3 of a mask of pixels are quad q.
 */
#ifndef CF_RASTER_CHILDREN_H
#define CF_RASTER_CHILDREN_H

#include <stdint.h>

#include "clipfree/base/cf_vec.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* column and row of child k, as floats; those of the first child are x and y */
#define CF_CHILD_COLUMNS(x)                                                                        \
   {                                                                                               \
      x, x + 1, x, x + 1, x + 2, x + 3, x + 2, x + 3, x, x + 1, x, x + 1, x + 2, x + 3, x + 2,     \
         x + 3                                                                                     \
   }
#define CF_CHILD_ROWS(y)                                                                           \
   {                                                                                               \
      y, y, y + 1, y + 1, y, y, y + 1, y + 1, y + 2, y + 2, y + 3, y + 3, y + 2, y + 2, y + 3,     \
         y + 3                                                                                     \
   }
static const float child_x[16] = CF_CHILD_COLUMNS(0), child_y[16] = CF_CHILD_ROWS(0);
/* masks of the children in columns (rows) 0 .. i - 1 */
static const uint16_t below_x[5] = { 0x0000, 0x0505, 0x0f0f, 0x5f5f, 0xffff };
static const uint16_t below_y[5] = { 0x0000, 0x0033, 0x00ff, 0x33ff, 0xffff };

static inline int32_t
child_col(uint32_t k)
{
   return (k & 1) | (k >> 1 & 2);
}

static inline int32_t
child_row(uint32_t k)
{
   return (k >> 1 & 1) | (k >> 2 & 2);
}

#if defined(__AVX512F__)
#define CF_WIDTH 16
#elif defined(__AVX__)
#define CF_WIDTH 8
#else
#define CF_WIDTH 4
#endif

typedef CF_VEC(f32, CF_WIDTH) f32xn;

struct vec16 {
   f32xn part[16 / CF_WIDTH];
};

/* Bit k: v[k] > limit; false for NaN. */
static inline uint32_t
mask_above(struct vec16 v, float limit)
{
   uint32_t mask = 0;
   for (uint32_t k = 0; k < 16 / CF_WIDTH; k++) {
#if defined(__AVX512F__)
      const uint32_t part =
         _mm512_cmp_ps_mask((__m512)v.part[k], _mm512_set1_ps(limit), _CMP_GT_OQ);
#elif defined(__AVX__)
      const uint32_t part =
         _mm256_movemask_ps(_mm256_cmp_ps((__m256)v.part[k], _mm256_set1_ps(limit), _CMP_GT_OQ));
#elif defined(__SSE2__)
      const uint32_t part = _mm_movemask_ps(_mm_cmpgt_ps((__m128)v.part[k], _mm_set1_ps(limit)));
#else
      const uint32_t part = (v.part[k][0] > limit) | (v.part[k][1] > limit) << 1 |
                            (v.part[k][2] > limit) << 2 | (v.part[k][3] > limit) << 3;
#endif
      mask |= part << k * CF_WIDTH;
   }
   return mask;
}

/* Bit k: v[i][k] > limit[i] for all three. */
static inline uint32_t
mask_all_above(const struct vec16 v[3], const float limit[3])
{
   uint32_t mask = 0;
   for (uint32_t k = 0; k < 16 / CF_WIDTH; k++) {
#if defined(__AVX__) && !defined(__AVX512F__)
      __m256 above = _mm256_cmp_ps((__m256)v[0].part[k], _mm256_set1_ps(limit[0]), _CMP_GT_OQ);
      for (uint32_t i = 1; i < 3; i++)
         above = _mm256_and_ps(
            above, _mm256_cmp_ps((__m256)v[i].part[k], _mm256_set1_ps(limit[i]), _CMP_GT_OQ));
      mask |= (uint32_t)_mm256_movemask_ps(above) << k * CF_WIDTH;
#elif defined(__SSE2__) && !defined(__AVX512F__)
      __m128 above = _mm_cmpgt_ps((__m128)v[0].part[k], _mm_set1_ps(limit[0]));
      for (uint32_t i = 1; i < 3; i++)
         above = _mm_and_ps(above, _mm_cmpgt_ps((__m128)v[i].part[k], _mm_set1_ps(limit[i])));
      mask |= (uint32_t)_mm_movemask_ps(above) << k * CF_WIDTH;
#else
      (void)mask;
      return mask_above(v[0], limit[0]) & mask_above(v[1], limit[1]) & mask_above(v[2], limit[2]);
#endif
   }
   return mask;
}

#endif
