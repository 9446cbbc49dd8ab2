/* SPDX-License-Identifier: MIT */
/*
 * Depths of the blocks of a primitive and their early tests, in place. Compiled once per host vector level.
 *
 * Depth alone in block layout, the usual case, has a loop of its own: a block, or half of one, is a vector, from the
 * primitive's depth plane to what is stored, and the state stays in registers. Everything else is cf_pixel_test_block for
 * each block, which is also the reference: both give the same bits.
 */
#include "clipfree/pixel/cf_pixel_lanes.h"
#include "clipfree/primitive/cf_depth_lanes.h"

#pragma GCC diagnostic ignored "-Wpsabi" /* vectors never leave this file: what passes them is always inlined */

/* What all blocks of a call share: comparisons are all ones for the results that pass. low and high lie in [0, 1], so depths
 * between them can be stored: clamping to the primitive's range and then to [0, 1] is one clamp. */
struct early {
   uint32_t less, equal, greater, unordered, write;
   double a, b, c;    /* the depth plane */
   double x_px, y_px; /* the place in pixel 0 */
   float low, high;
};

ALWAYS_INLINE struct early
early_of(const struct cf_pixel_config *config, const struct cf_prim *prim, uint32_t place)
{
   const uint32_t func = config->depth_test ? config->depth_stencil.depth_func : CF_COMPARE_ALWAYS;
   const uint32_t less = -(func & 1), equal = -(func >> 1 & 1), greater = -(func >> 2 & 1);
   return (struct early){
      .less = less,
      .equal = equal,
      .greater = greater,
      .unordered = less & greater,
      .write = config->depth_write ? ~0u : 0,
      .a = prim->z_a,
      .b = prim->z_b,
      .c = prim->z_c,
      .x_px = cf_depth_place_px(place, 0),
      .y_px = cf_depth_place_px(place, 1),
      .low = saturate(prim->z_min),
      .high = saturate(prim->z_max),
   };
}

#define Z24_BITS 0xffffff

#if defined(__AVX512F__)

/* The pixels of a block as one vector, and masks as numbers. */

ALWAYS_INLINE __m256
clamped(const struct early *e, cf_half_f64 half)
{
   const __m256 z = _mm512_cvtpd_ps((__m512d)half);
   return _mm256_min_ps(_mm256_max_ps(z, _mm256_set1_ps(e->low)), _mm256_set1_ps(e->high)); /* NaN gives low */
}

/* depth_to_stored of the depths of the block at (x, y). */
ALWAYS_INLINE __m512i
stored_depths(const struct early *e, enum cf_zs_layout layout, double x_px, double y_px)
{
   cf_half_f64 half[2];
   cf_depth_of_halves(e->a, e->b, e->c, x_px + e->x_px, y_px + e->y_px, half);
   const __m256 upper = clamped(e, half[0]), lower = clamped(e, half[1]);
   if (layout == CF_ZS_Z32F)
      return _mm512_castps_si512(_mm512_insertf32x8(_mm512_castps256_ps512(upper), lower, 1));
   const __m512d scale = _mm512_set1_pd(depth_scale(layout)), rounding = _mm512_set1_pd(0.5);
   const __m256i first = _mm512_cvttpd_epi32(_mm512_cvtps_pd(upper) * scale + rounding);
   const __m256i second = _mm512_cvttpd_epi32(_mm512_cvtps_pd(lower) * scale + rounding);
   return _mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1);
}

/* Test and write the block at (x, y); returns the pixels that pass. `pixels`: its first one, in memory. */
ALWAYS_INLINE uint32_t
test_pixels(const struct early *e, enum cf_zs_layout layout, uint8_t *pixels, uint32_t mask, uint32_t x_px, uint32_t y_px)
{
   const __m512i fresh = stored_depths(e, layout, x_px, y_px);
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

/* depth_to_stored of depths in [0, 1]. */
ALWAYS_INLINE i32x8
stored_depths(enum cf_zs_layout layout, const float *depth)
{
   f32x8 z;
   memcpy(&z, depth, sizeof(z));
   if (layout == CF_ZS_Z32F)
      return (i32x8)z;
   return __builtin_convertvector(__builtin_convertvector(z, f64x8) * depth_scale(layout) + 0.5, i32x8);
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

/* Test and write the block at (x, y); returns the pixels that pass. `pixels`: its first one, in memory. */
ALWAYS_INLINE uint32_t
test_pixels(const struct early *e, enum cf_zs_layout layout, uint8_t *pixels, uint32_t mask, uint32_t x_px, uint32_t y_px)
{
   const uint32_t half_B = HALF * (layout == CF_ZS_Z16 ? 2 : 4);
   cf_half_f64 half[2];
   float depth[16];
   cf_depth_of_halves(e->a, e->b, e->c, x_px + e->x_px, y_px + e->y_px, half);
   cf_depth_store_clamped(&half[0], e->low, e->high, depth);
   cf_depth_store_clamped(&half[1], e->low, e->high, depth + HALF);
   return test_half(e, layout, pixels, mask, depth) | test_half(e, layout, pixels + half_B, mask >> HALF, depth + HALF) << HALF;
}

#endif

/* The layout is a constant. */
ALWAYS_INLINE uint32_t
test_depth(const struct cf_pixel_config *config, enum cf_zs_layout layout, const struct cf_prim *prim, uint32_t place,
           struct cf_raster_block *blocks, uint32_t count)
{
   const struct early e = early_of(config, prim, place);
   const uint32_t block_B = 16 * (layout == CF_ZS_Z16 ? 2 : 4);
   uint8_t *const data = config->zs.data;
   const uint32_t row_pitch_B = config->zs.row_pitch_B;
   uint32_t hidden = 0;
   for (uint32_t i = 0; i < count; i++) {
      struct cf_raster_block *b = &blocks[i];
      uint8_t *pixels = data + (size_t)(b->y_px / 4u) * row_pitch_B + (size_t)(b->x_px / 4u) * block_B;
      b->mask = (uint16_t)test_pixels(&e, layout, pixels, b->mask, b->x_px, b->y_px);
      hidden += b->mask == 0;
   }
   return hidden;
}

static uint32_t
test_each(const struct cf_pixel_config *config, const struct cf_prim *prim, uint32_t place, struct cf_raster_block *blocks,
          uint32_t count)
{
   uint32_t hidden = 0;
   for (uint32_t i = 0; i < count; i++) {
      struct cf_raster_block *b = &blocks[i];
      float depth[16];
      cf_depth_of_block(prim, b->x_px, b->y_px, place, depth);
      b->mask = (uint16_t)CF_LANES(cf_pixel_test_block)(config, b->x_px, b->y_px, b->mask, depth, prim->front);
      hidden += b->mask == 0;
   }
   return hidden;
}

uint32_t
CF_LANES(cf_pixel_test_blocks)(const struct cf_pixel_config *config, const struct cf_prim *prim, uint32_t place,
                               struct cf_raster_block *blocks, uint32_t count)
{
   const bool in_place = config->zs.blocks && config->tests_needed && !config->stencil_test;
   if (count == 0)
      return 0;
   switch (in_place ? config->zs_layout : CF_ZS_NONE) {
   case CF_ZS_Z16:
      return test_depth(config, CF_ZS_Z16, prim, place, blocks, count);
   case CF_ZS_Z24:
      return test_depth(config, CF_ZS_Z24, prim, place, blocks, count);
   case CF_ZS_Z32F:
      return test_depth(config, CF_ZS_Z32F, prim, place, blocks, count);
   default:
      return test_each(config, prim, place, blocks, count);
   }
}

/* ------------------------------------------------------------------ bounds */

/* The layout and the side are constants. Bits of floats compare as integers do, but for NaNs and negative ones, none of which a
 * draw stores: farther than 0 they must not hide anything, nearer than it they are bounds that hide less. */
ALWAYS_INLINE void
merge_bounds(const struct cf_image *zs, enum cf_zs_layout layout, bool farthest, uint32_t x_px, uint32_t y_px,
             int32_t bounds[16][16])
{
   const uint32_t pixel_B = layout == CF_ZS_Z16 ? 2 : layout == CF_ZS_Z32F_S8 ? 8 : 4;
   for (uint32_t row = 0; row < CF_TILE_PX / 4 && y_px + 4 * row < zs->height_px; row++) {
      const uint8_t *pixels = zs->data + (size_t)(y_px / 4 + row) * zs->row_pitch_B + (size_t)(x_px / 4) * 16 * pixel_B;
      for (uint32_t column = 0; column < CF_TILE_PX / 4 && x_px + 4 * column < zs->width_px; column++) {
         int32_t bound = bounds[row][column];
         for (uint32_t i = 0; i < 16; i++) {
            int32_t z;
            if (layout == CF_ZS_Z16) {
               uint16_t halfword;
               memcpy(&halfword, pixels + 2 * i, sizeof(halfword));
               z = halfword;
            } else {
               memcpy(&z, pixels + i * pixel_B, sizeof(z));
               z &= layout == CF_ZS_Z24 ? Z24_BITS : -1;
            }
            bound = farthest == (z > bound) ? z : bound;
         }
         bounds[row][column] = bound;
         pixels += 16 * pixel_B;
      }
   }
}

ALWAYS_INLINE void
merge_side(const struct cf_image *zs, enum cf_zs_layout layout, enum cf_depth_side side, uint32_t x_px, uint32_t y_px,
           int32_t bounds[16][16])
{
   if (side == CF_DEPTH_FARTHEST)
      merge_bounds(zs, layout, true, x_px, y_px, bounds);
   else
      merge_bounds(zs, layout, false, x_px, y_px, bounds);
}

void
CF_LANES(cf_pixel_depth_bounds)(const struct cf_pixel_config *config, enum cf_depth_side side, uint32_t x_px, uint32_t y_px,
                                int32_t bounds[16][16])
{
   switch (config->zs_layout) {
   case CF_ZS_Z16:
      merge_side(&config->zs, CF_ZS_Z16, side, x_px, y_px, bounds);
      break;
   case CF_ZS_Z24:
      merge_side(&config->zs, CF_ZS_Z24, side, x_px, y_px, bounds);
      break;
   case CF_ZS_Z32F:
      merge_side(&config->zs, CF_ZS_Z32F, side, x_px, y_px, bounds);
      break;
   case CF_ZS_Z32F_S8:
      merge_side(&config->zs, CF_ZS_Z32F_S8, side, x_px, y_px, bounds);
      break;
   case CF_ZS_S8:
   case CF_ZS_NONE:
      break;
   }
}
