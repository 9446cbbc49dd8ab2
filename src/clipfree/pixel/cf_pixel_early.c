/* SPDX-License-Identifier: MIT */
/*
 * Early depth tests of the blocks of a primitive, in place. Compiled once per host vector level.
 *
 * Depth alone in block layout, the usual case, has a loop of its own: a block, or half of one, is a vector, and the state
 * stays in registers. Everything else is cf_pixel_test_block for each block, which is also the reference: both give the
 * same bits.
 */
#include "clipfree/pixel/cf_pixel_lanes.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#pragma GCC diagnostic ignored "-Wpsabi" /* vectors never leave this file: what passes them is always inlined */

/* What all blocks of a call share: comparisons are all ones for the results that pass. */
struct early {
   uint32_t less, equal, greater, unordered, write;
};

static struct early
early_of(const struct cf_pixel_config *config)
{
   const uint32_t func = config->depth_test ? config->depth_stencil.depth_func : CF_COMPARE_ALWAYS;
   const uint32_t less = -(func & 1), equal = -(func >> 1 & 1), greater = -(func >> 2 & 1);
   return (struct early){less, equal, greater, less & greater, config->depth_write ? ~0u : 0};
}

/* What stored depths are multiplied with: as depth_to_stored (cf_pixel_tests.c). */
ALWAYS_INLINE double
scale_of(enum cf_zs_layout layout)
{
   return layout == CF_ZS_Z16 ? 65535.0 : 16777215.0;
}

#define Z24_BITS 0xffffff

#if defined(__AVX512F__)

/* The pixels of a block as one vector, and masks as numbers. */

ALWAYS_INLINE __m512i
stored_depths(enum cf_zs_layout layout, const float *depth)
{
   /* NaN gives 0 */
   const __m512 z = _mm512_min_ps(_mm512_max_ps(_mm512_loadu_ps(depth), _mm512_setzero_ps()), _mm512_set1_ps(1.0f));
   if (layout == CF_ZS_Z32F)
      return _mm512_castps_si512(z);
   const __m512d scale = _mm512_set1_pd(scale_of(layout)), half = _mm512_set1_pd(0.5);
   const __m512d low = _mm512_cvtps_pd(_mm512_castps512_ps256(z)) * scale + half;
   const __m512d high = _mm512_cvtps_pd(_mm512_extractf32x8_ps(z, 1)) * scale + half;
   return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvttpd_epi32(low)), _mm512_cvttpd_epi32(high), 1);
}

/* Test and write a block; returns the pixels that pass. `pixels`: its first one, in memory. */
ALWAYS_INLINE uint32_t
test_pixels(const struct early *e, enum cf_zs_layout layout, uint8_t *pixels, uint32_t mask, const float *depth)
{
   const __m512i fresh = stored_depths(layout, depth);
   const __m512i word = layout == CF_ZS_Z16 ? _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)pixels))
                                            : _mm512_loadu_si512(pixels);
   const __m512i depth_bits = _mm512_set1_epi32(layout == CF_ZS_Z24 ? Z24_BITS : -1);
   const __m512i old = _mm512_and_si512(word, depth_bits);
   uint32_t less, equal, greater;
   if (layout == CF_ZS_Z32F) {
      const __m512 a = _mm512_castsi512_ps(fresh), b = _mm512_castsi512_ps(old);
      less = _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
      equal = _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ);
      greater = _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ);
   } else {
      less = _mm512_cmplt_epi32_mask(fresh, old);
      equal = _mm512_cmpeq_epi32_mask(fresh, old);
      greater = ~(less | equal);
   }
   uint32_t pass = (less & e->less) | (equal & e->equal) | (greater & e->greater);
   if (layout == CF_ZS_Z32F)
      pass |= ~(less | equal | greater) & e->unordered;
   pass &= mask;
   const __mmask16 written = (__mmask16)(pass & e->write);
   if (layout == CF_ZS_Z16)
      _mm512_mask_cvtepi32_storeu_epi16(pixels, written, fresh);
   else
      _mm512_mask_storeu_epi32(pixels, written, _mm512_or_si512(_mm512_andnot_si512(depth_bits, word), fresh));
   return pass;
}

#else

/* Half a block, eight pixels, as a vector. */

#define HALF 8

typedef int32_t i32x8 __attribute__((vector_size(4 * HALF)));
typedef float f32x8 __attribute__((vector_size(4 * HALF)));
typedef double f64x8 __attribute__((vector_size(8 * HALF)));
typedef uint16_t u16x8 __attribute__((vector_size(2 * HALF)));

#define SPLAT(v) ((int32_t)(v) - (i32x8){0})

/* Bit k: lane k of a comparison's result. */
ALWAYS_INLINE uint32_t
mask_of(const i32x8 *c)
{
#if defined(__AVX2__)
   return (uint32_t)_mm256_movemask_ps((__m256)*c);
#else
   uint32_t mask = 0;
   for (uint32_t k = 0; k < HALF; k++)
      mask |= (*c)[k] < 0 ? 1u << k : 0;
   return mask;
#endif
}

/* Lanes of the mask's low bits. */
ALWAYS_INLINE i32x8
lanes_of(uint32_t mask)
{
   const i32x8 bit = {1, 2, 4, 8, 16, 32, 64, 128};
   return (SPLAT(mask) & bit) == bit;
}

/* saturate and depth_to_stored (cf_pixel_tests.c). */
ALWAYS_INLINE i32x8
stored_depths(enum cf_zs_layout layout, const float *depth)
{
   i32x8 bits;
   memcpy(&bits, depth, sizeof(bits));
   const i32x8 one = SPLAT(cf_bits(1.0f));
   const i32x8 inside = (bits > 0) & ~(bits > SPLAT(CF_INF_BITS)), above = bits > one;
   const i32x8 z = ((bits & ~above) | (one & above)) & inside;
   if (layout == CF_ZS_Z32F)
      return z;
   return __builtin_convertvector(__builtin_convertvector((f32x8)z, f64x8) * scale_of(layout) + 0.5, i32x8);
}

ALWAYS_INLINE uint32_t
test_half(const struct early *e, enum cf_zs_layout layout, uint8_t *pixels, uint32_t mask, const float *depth)
{
   const i32x8 depth_bits = SPLAT(layout == CF_ZS_Z24 ? Z24_BITS : -1);
   const i32x8 fresh = stored_depths(layout, depth);
   i32x8 word, less, equal, greater;
   u16x8 halfwords;
   if (layout == CF_ZS_Z16) {
      memcpy(&halfwords, pixels, sizeof(halfwords));
      word = __builtin_convertvector(halfwords, i32x8);
   } else {
      memcpy(&word, pixels, sizeof(word));
   }
   const i32x8 old = word & depth_bits;
   if (layout == CF_ZS_Z32F) {
      less = (f32x8)fresh < (f32x8)old;
      equal = (f32x8)fresh == (f32x8)old;
      greater = (f32x8)fresh > (f32x8)old;
   } else {
      less = fresh < old;
      equal = fresh == old;
      greater = ~(less | equal);
   }
   i32x8 pass = (less & SPLAT(e->less)) | (equal & SPLAT(e->equal)) | (greater & SPLAT(e->greater));
   if (layout == CF_ZS_Z32F)
      pass |= ~(less | equal | greater) & SPLAT(e->unordered);
   pass &= lanes_of(mask);
   const i32x8 written = pass & SPLAT(e->write) & depth_bits;
   word = (word & ~written) | (fresh & written);
   if (layout == CF_ZS_Z16) {
      halfwords = __builtin_convertvector(word, u16x8);
      memcpy(pixels, &halfwords, sizeof(halfwords));
   } else {
      memcpy(pixels, &word, sizeof(word));
   }
   return mask_of(&pass);
}

/* Test and write a block; returns the pixels that pass. `pixels`: its first one, in memory. */
ALWAYS_INLINE uint32_t
test_pixels(const struct early *e, enum cf_zs_layout layout, uint8_t *pixels, uint32_t mask, const float *depth)
{
   const uint32_t half_B = HALF * (layout == CF_ZS_Z16 ? 2 : 4);
   return test_half(e, layout, pixels, mask, depth) | test_half(e, layout, pixels + half_B, mask >> HALF, depth + HALF) << HALF;
}

#endif

/* The layout is a constant. */
ALWAYS_INLINE void
test_depth(const struct cf_pixel_config *config, enum cf_zs_layout layout, struct cf_raster_block *blocks, uint32_t count,
           const float (*depth)[16])
{
   const struct early e = early_of(config);
   const uint32_t block_B = 16 * (layout == CF_ZS_Z16 ? 2 : 4);
   uint8_t *const data = config->zs.data;
   const uint32_t row_pitch_B = config->zs.row_pitch_B;
   for (uint32_t i = 0; i < count; i++) {
      struct cf_raster_block *b = &blocks[i];
      uint8_t *pixels = data + (size_t)(b->y_px / 4u) * row_pitch_B + (size_t)(b->x_px / 4u) * block_B;
      b->mask = (uint16_t)test_pixels(&e, layout, pixels, b->mask, depth[i]);
   }
}

static void
test_each(const struct cf_pixel_config *config, struct cf_raster_block *blocks, uint32_t count, const float (*depth)[16],
          bool front)
{
   for (uint32_t i = 0; i < count; i++) {
      struct cf_raster_block *b = &blocks[i];
      b->mask = (uint16_t)CF_LANES(cf_pixel_test_block)(config, b->x_px, b->y_px, b->mask, depth[i], front);
   }
}

void
CF_LANES(cf_pixel_test_blocks)(const struct cf_pixel_config *config, struct cf_raster_block *blocks, uint32_t count,
                               const float (*depth)[16], bool front)
{
   const bool in_place = config->zs.blocks && config->tests_needed && !config->stencil_test;
   if (count == 0)
      return;
   switch (in_place ? config->zs_layout : CF_ZS_NONE) {
   case CF_ZS_Z16:
      test_depth(config, CF_ZS_Z16, blocks, count, depth);
      break;
   case CF_ZS_Z24:
      test_depth(config, CF_ZS_Z24, blocks, count, depth);
      break;
   case CF_ZS_Z32F:
      test_depth(config, CF_ZS_Z32F, blocks, count, depth);
      break;
   default:
      test_each(config, blocks, count, depth, front);
      break;
   }
}
