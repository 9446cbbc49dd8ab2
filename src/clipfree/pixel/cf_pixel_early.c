/* SPDX-License-Identifier: MIT */
/*
 * Early depth tests of the blocks of a primitive, in place. Compiled once per host vector level.
 *
 * Depth alone in block layout, the usual case, has a loop of its own: half a block, eight pixels, is a vector; state becomes
 * vectors once for all blocks. Everything else is cf_pixel_test_block for each block, which is also the reference: both give the
 * same bits.
 */
#include "clipfree/pixel/cf_pixel_lanes.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#pragma GCC diagnostic ignored "-Wpsabi" /* vectors never leave this file: what passes them is always inlined */

#define HALF 8 /* pixels of half a block */

typedef int32_t i32x8 __attribute__((vector_size(4 * HALF)));
typedef float f32x8 __attribute__((vector_size(4 * HALF)));
typedef double f64x8 __attribute__((vector_size(8 * HALF)));
typedef uint16_t u16x8 __attribute__((vector_size(2 * HALF)));

#define SPLAT(v) ((i32x8){(v), (v), (v), (v), (v), (v), (v), (v)})

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

/* What all blocks of a call share. Comparisons are all ones for the results that pass. */
struct early {
   i32x8 less, equal, greater, unordered, write;
};

static struct early
early_of(const struct cf_pixel_config *config)
{
   const uint32_t func = config->depth_test ? config->depth_stencil.depth_func : CF_COMPARE_ALWAYS;
   const int32_t less = -(int32_t)(func & 1), equal = -(int32_t)(func >> 1 & 1), greater = -(int32_t)(func >> 2 & 1);
   return (struct early){
      .less = SPLAT(less),
      .equal = SPLAT(equal),
      .greater = SPLAT(greater),
      .unordered = SPLAT(less & greater),
      .write = SPLAT(config->depth_write ? -1 : 0),
   };
}

/* Lanes of the mask's low bits. */
ALWAYS_INLINE i32x8
lanes_of(uint32_t mask)
{
   static const i32x8 bit = {1, 2, 4, 8, 16, 32, 64, 128};
   return (SPLAT((int32_t)mask) & bit) == bit;
}

/* saturate and depth_to_stored (cf_pixel_tests.c) of eight depths. */
ALWAYS_INLINE i32x8
stored_depth(enum cf_zs_layout layout, const float *depth)
{
   i32x8 bits;
   memcpy(&bits, depth, sizeof(bits));
   const i32x8 one = SPLAT((int32_t)cf_bits(1.0f));
   const i32x8 inside = (bits > 0) & ~(bits > SPLAT((int32_t)CF_INF_BITS)), above = bits > one;
   const i32x8 z = ((bits & ~above) | (one & above)) & inside;
   if (layout == CF_ZS_Z32F)
      return z;
   const f64x8 scaled = __builtin_convertvector((f32x8)z, f64x8) * (layout == CF_ZS_Z16 ? 65535.0 : 16777215.0) + 0.5;
   return __builtin_convertvector(scaled, i32x8);
}

/* Half a block: the lanes that pass. `pixels`: its first one, in memory. */
ALWAYS_INLINE uint32_t
test_half(const struct early *e, enum cf_zs_layout layout, uint8_t *pixels, uint32_t mask, const float *depth)
{
   const i32x8 high_bits = SPLAT(layout == CF_ZS_Z24 ? (int32_t)0xff000000 : 0);
   const i32x8 fresh = stored_depth(layout, depth);
   i32x8 word, less, equal, greater;
   u16x8 halfwords;
   if (layout == CF_ZS_Z16) {
      memcpy(&halfwords, pixels, sizeof(halfwords));
      word = __builtin_convertvector(halfwords, i32x8);
   } else {
      memcpy(&word, pixels, sizeof(word));
   }
   const i32x8 old = word & ~high_bits;
   if (layout == CF_ZS_Z32F) {
      less = (f32x8)fresh < (f32x8)old;
      equal = (f32x8)fresh == (f32x8)old;
      greater = (f32x8)fresh > (f32x8)old;
   } else {
      less = fresh < old;
      equal = fresh == old;
      greater = ~(less | equal);
   }
   i32x8 pass = (less & e->less) | (equal & e->equal) | (greater & e->greater);
   if (layout == CF_ZS_Z32F)
      pass |= ~(less | equal | greater) & e->unordered;
   pass &= lanes_of(mask);
   const i32x8 written = pass & e->write & ~high_bits;
   word = (word & ~written) | (fresh & written);
   if (layout == CF_ZS_Z16) {
      halfwords = __builtin_convertvector(word, u16x8);
      memcpy(pixels, &halfwords, sizeof(halfwords));
   } else {
      memcpy(pixels, &word, sizeof(word));
   }
   return mask_of(&pass);
}

/* The layout is a constant. */
ALWAYS_INLINE void
test_depth(const struct cf_pixel_config *config, enum cf_zs_layout layout, struct cf_raster_block *blocks, uint32_t count,
           const float (*depth)[16])
{
   const struct early e = early_of(config);
   const uint32_t half_B = HALF * (layout == CF_ZS_Z16 ? 2 : 4);
   for (uint32_t i = 0; i < count; i++) {
      struct cf_raster_block *b = &blocks[i];
      uint8_t *pixels = config->zs.data + (size_t)(b->y_px / 4u) * config->zs.row_pitch_B + (size_t)(b->x_px / 4u) * 2 * half_B;
      const uint32_t low = test_half(&e, layout, pixels, b->mask, depth[i]);
      const uint32_t high = test_half(&e, layout, pixels + half_B, b->mask >> 8, depth[i] + HALF);
      b->mask = (uint16_t)(low | high << 8);
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
      return;
   }
   forget_depth_range(config, blocks[0].x_px, blocks[0].y_px);
}
