/* SPDX-License-Identifier: MIT */
/*
 * Early depth and stencil tests of 4x4 blocks, in place, with depths from the primitive's plane.
 * Compiled once per host vector level.
 *
 * Block layout: a vector holds a block, or half of one, from the depth plane to the stored pixels.
 * The state is prepared once per call (struct early) and stays in registers; tests and stencil
 * operations that it makes needless are skipped for all blocks. Linear layouts call
 * cf_pixel_test_block for each block, which is also the reference: both give the same bits.
 */
#include "clipfree/base/cf_inline.h"
#include "clipfree/base/cf_vec.h"
#include "clipfree/pixel/cf_pixel_lanes.h"
#include "clipfree/pixel/cf_pixel_samples.h"
#include "clipfree/primitive/cf_depth_lanes.h"

#define Z24_BITS 0xffffff

CF_INLINE bool
is_float(enum cf_zs_layout layout)
{
   return layout == CF_ZS_Z32F || layout == CF_ZS_Z32F_S8;
}

CF_INLINE uint32_t
pixel_bytes(enum cf_zs_layout layout)
{
   return layout == CF_ZS_S8 ? 1 : layout == CF_ZS_Z16 ? 2 : layout == CF_ZS_Z32F_S8 ? 8 : 4;
}

/* ------------------------------------------------------------------ vectors */

#if defined(__AVX512F__)
#define LANES 16 /* a block */
#define MASKED_STORES true
#else
#define LANES 8 /* half a block */
#define MASKED_STORES false
#endif

typedef CF_VEC(i32, LANES) i32xn;
typedef CF_VEC(u32, LANES) u32xn;
typedef CF_VEC(f32, LANES) f32xn;

/* A comparison's result, one of each lane. LESS and its like compare lane by lane, choose() takes a
 * where the mask is true and b elsewhere. */
#if defined(__AVX512F__)
typedef __mmask16 lanes;
#else
typedef i32xn lanes;
#endif

#if defined(__AVX512F__)

#define COMPARE_INT(a, op, b) (_mm512_cmp_epi32_mask((__m512i)(a), (__m512i)(b), op))
#define LESS(a, b) COMPARE_INT(a, _MM_CMPINT_LT, b)
#define EQUAL(a, b) COMPARE_INT(a, _MM_CMPINT_EQ, b)
#define COMPARE_FLOAT(a, op, b) (_mm512_cmp_ps_mask((__m512)(a), (__m512)(b), op))
#define LESS_FLOAT(a, b) COMPARE_FLOAT(a, _CMP_LT_OQ, b)
#define EQUAL_FLOAT(a, b) COMPARE_FLOAT(a, _CMP_EQ_OQ, b)

CF_INLINE lanes
all_lanes(bool all)
{
   return all ? 0xffff : 0;
}

/* Lanes k whose bit k is 1. */
CF_INLINE lanes
lanes_of(uint32_t bits)
{
   return (lanes)bits;
}

CF_INLINE uint32_t
bits_of(lanes mask)
{
   return mask;
}

CF_INLINE i32xn
choose(lanes mask, i32xn a, i32xn b)
{
   return (i32xn)_mm512_mask_mov_epi32((__m512i)b, mask, (__m512i)a);
}

CF_INLINE i32xn
larger(i32xn a, i32xn b)
{
   return (i32xn)_mm512_max_epi32((__m512i)a, (__m512i)b);
}

CF_INLINE i32xn
smaller(i32xn a, i32xn b)
{
   return (i32xn)_mm512_min_epi32((__m512i)a, (__m512i)b);
}

#else

#define LESS(a, b) ((a) < (b))
#define EQUAL(a, b) ((a) == (b))
#define LESS_FLOAT(a, b) ((f32xn)(a) < (f32xn)(b))
#define EQUAL_FLOAT(a, b) ((f32xn)(a) == (f32xn)(b))

CF_INLINE lanes
all_lanes(bool all)
{
   return CF_SPLAT(lanes, all ? -1 : 0);
}

/* Lanes k whose bit k is 1. */
CF_INLINE lanes
lanes_of(uint32_t bits)
{
   const lanes bit = { 1, 2, 4, 8, 16, 32, 64, 128 };
   return (CF_SPLAT(lanes, (int32_t)bits) & bit) == bit;
}

CF_INLINE uint32_t
bits_of(lanes mask)
{
#if defined(__AVX2__)
   return (uint32_t)_mm256_movemask_ps((__m256)mask);
#else
   uint32_t bits = 0;
   for (uint32_t k = 0; k < LANES; k++)
      bits |= mask[k] < 0 ? 1u << k : 0;
   return bits;
#endif
}

CF_INLINE i32xn
choose(lanes mask, i32xn a, i32xn b)
{
   return (a & mask) | (b & ~mask);
}

CF_INLINE i32xn
larger(i32xn a, i32xn b)
{
   const i32xn above = a > b;
   return (a & above) | (b & ~above);
}

CF_INLINE i32xn
smaller(i32xn a, i32xn b)
{
   const i32xn below = a < b;
   return (a & below) | (b & ~below);
}

#endif

/* ------------------------------------------------------------------ state */

/* A comparison: all lanes of each result (less, equal, ...) that passes. */
struct compare_lanes {
   lanes less, equal, greater, unordered;
};

/* State of an early test, shared by all blocks of a call. low .. high is the primitive's depth
 * range cut to [0, 1], the range that can be stored: one clamp applies both. */
struct early {
   struct compare_lanes depth;
   lanes write;       /* all: depth is written; none: it is not */
   bool uses_depth;   /* false: depth test always, no depth write */
   double a, b, c;    /* the depth plane */
   double x_px, y_px; /* where depth is sampled in pixel (0, 0) */
   cf_f32x8 low, high;
   /* only with a stencil test: */
   struct compare_lanes stencil;
   struct cf_stencil_face face;
   bool one_update; /* fail, zfail and zpass are the same operation */
   bool writes;     /* depth or stencil may change */
};

CF_INLINE struct compare_lanes
compare_of(uint32_t func)
{
   const lanes less = all_lanes(func & 1), equal = all_lanes(func >> 1 & 1),
               greater = all_lanes(func >> 2 & 1);
   return (struct compare_lanes){ less, equal, greater, less & greater };
}

CF_INLINE bool
same_update(const struct cf_stencil_update *a, const struct cf_stencil_update *b)
{
   return memcmp(a, b, sizeof(*a)) == 0;
}

/* Set the face's stencil operations. zfail without a depth test that can fail, and fail without a
 * stencil test that can fail, are never reached: they become zpass, which may set one_update. */
CF_INLINE void
add_stencil(struct early *e, const struct cf_stencil_face *face, uint32_t depth_func,
            bool writes_depth)
{
   static const struct cf_stencil_update stencil_keep = { 255, 0, 0, 0, 255 };
   struct cf_stencil_face *f = &e->face;
   *f = *face;
   if (depth_func == CF_COMPARE_ALWAYS)
      f->zfail = f->zpass;
   if (f->func == CF_COMPARE_ALWAYS)
      f->fail = f->zpass;
   e->stencil = compare_of(f->func);
   e->one_update = same_update(&f->zfail, &f->zpass) && same_update(&f->fail, &f->zpass);
   e->writes =
      writes_depth || (f->write_mask && !(e->one_update && same_update(&f->zpass, &stencil_keep)));
}

/* Set the depth plane of a primitive. */
CF_INLINE void
set_prim(struct early *e, const struct cf_prim *prim)
{
   const struct cf_depth_plane plane = cf_prim_depth_plane(prim);
   const cf_f32x8 zero = { 0 }, one = CF_SPLAT(cf_f32x8, 1.0f);
   e->a = plane.a;
   e->b = plane.b;
   e->c = plane.c;
   e->low = cf_vec_clamp(CF_SPLAT(cf_f32x8, plane.low), zero, one);
   e->high = cf_vec_clamp(CF_SPLAT(cf_f32x8, plane.high), zero, one);
}

CF_INLINE struct early
early_of(const struct cf_pixel_config *config, bool stencil, const struct cf_prim *prim, uint32_t place)
{
   const uint32_t func = config->depth_test ? config->depth_stencil.depth_func : CF_COMPARE_ALWAYS;
   struct early e = {
      .depth = compare_of(func),
      .write = all_lanes(config->depth_write),
      .uses_depth = func != CF_COMPARE_ALWAYS || config->depth_write,
      .x_px = cf_depth_place_px(place, 0),
      .y_px = cf_depth_place_px(place, 1),
   };
   set_prim(&e, prim);
   if (stencil)
      add_stencil(&e, &config->stencil[cf_prim_front_facing(prim) ? 0 : 1], func,
                  config->depth_write);
   return e;
}

/* ------------------------------------------------------------------ depths and pixels */

/* Pixels of a vector. `rest`: the dword that holds the stencil bits; its other bits are written
 * back unchanged. */
struct zs_pixels {
   i32xn depth, rest;
};

#if defined(__AVX512F__)

/* Depths of the primitive in the block at (x, y), as they are stored (depth_to_stored). */
CF_INLINE void
stored_depths(const struct early *e, enum cf_zs_layout layout, double x_px, double y_px, i32xn stored[16 / LANES])
{
   cf_f32x8 half[2];
   cf_depth_of_halves(e->a, e->b, e->c, x_px + e->x_px, y_px + e->y_px, half);
   const __m256 upper = (__m256)cf_vec_clamp(half[0], e->low, e->high),
                lower = (__m256)cf_vec_clamp(half[1], e->low, e->high);
   if (is_float(layout)) {
      stored[0] = (i32xn)_mm512_insertf32x8(_mm512_castps256_ps512(upper), lower, 1);
      return;
   }
   const __m512d scale = _mm512_set1_pd(depth_scale(layout)), rounding = _mm512_set1_pd(0.5);
   const __m256i first = _mm512_cvttpd_epi32(_mm512_cvtps_pd(upper) * scale + rounding);
   const __m256i second = _mm512_cvttpd_epi32(_mm512_cvtps_pd(lower) * scale + rounding);
   stored[0] = (i32xn)_mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1);
}

CF_INLINE struct zs_pixels
load_zs(enum cf_zs_layout layout, const uint8_t *pixels)
{
   const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
   if (layout == CF_ZS_S8)
      return (struct zs_pixels){ (i32xn){0}, (i32xn)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)pixels)) };
   if (layout == CF_ZS_Z16)
      return (struct zs_pixels){ (i32xn)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)pixels)), (i32xn){0} };
   const __m512i word = _mm512_loadu_si512(pixels);
   if (layout != CF_ZS_Z32F_S8)
      return (struct zs_pixels){ (i32xn)word & (layout == CF_ZS_Z24 ? Z24_BITS : -1), (i32xn)word };
   const __m512i more = _mm512_loadu_si512(pixels + 64), odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
   return (struct zs_pixels){ (i32xn)_mm512_permutex2var_epi32(word, even, more), (i32xn)_mm512_permutex2var_epi32(word, odd, more) };
}

/* `changed`: lanes that are stored, so that cache lines of hidden blocks stay clean. Layouts S8 and
 * Z32F_S8 are stored whole. */
CF_INLINE void
store_zs(enum cf_zs_layout layout, uint8_t *pixels, lanes changed, struct zs_pixels zs)
{
   const __m512i pairs = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
   const __m512i depth = (__m512i)zs.depth, rest = (__m512i)zs.rest;
   if (layout == CF_ZS_S8) {
      _mm_storeu_si128((__m128i *)pixels, _mm512_cvtepi32_epi8(rest));
   } else if (layout == CF_ZS_Z16) {
      _mm512_mask_cvtepi32_storeu_epi16(pixels, changed, depth);
   } else if (layout == CF_ZS_Z32F_S8) {
      _mm512_storeu_si512(pixels, _mm512_permutex2var_epi32(depth, pairs, rest));
      _mm512_storeu_si512(pixels + 64, _mm512_permutex2var_epi32(depth, _mm512_add_epi32(pairs, _mm512_set1_epi32(8)), rest));
   } else {
      _mm512_mask_storeu_epi32(
         pixels, changed,
         (__m512i)(layout == CF_ZS_Z24 ? zs.depth | (zs.rest & ~Z24_BITS) : zs.depth));
   }
}

#else

typedef CF_VEC(f64, LANES) f64xn;
typedef CF_VEC(u16, LANES) u16xn;
typedef CF_VEC(u8, LANES) u8xn;

/* Depths of the primitive in the block at (x, y), as they are stored (depth_to_stored). */
CF_INLINE void
stored_depths(const struct early *e, enum cf_zs_layout layout, double x_px, double y_px, i32xn stored[16 / LANES])
{
   f32xn half[2];
   cf_depth_of_halves(e->a, e->b, e->c, x_px + e->x_px, y_px + e->y_px, half);
   for (uint32_t part = 0; part < 2; part++) {
      const f32xn z = cf_vec_clamp(half[part], e->low, e->high);
      stored[part] = is_float(layout) ? (i32xn)z : __builtin_convertvector(__builtin_convertvector(z, f64xn) * depth_scale(layout) + 0.5, i32xn);
   }
}

CF_INLINE struct zs_pixels
load_zs(enum cf_zs_layout layout, const uint8_t *pixels)
{
   struct zs_pixels zs = { { 0 }, { 0 } };
   i32xn first, second; /* two dwords a pixel, depth and rest */
   u16xn halfwords;
   u8xn bytes;
   i32xn words;
   switch (layout) {
   case CF_ZS_S8:
      memcpy(&bytes, pixels, sizeof(bytes));
      zs.rest = __builtin_convertvector(bytes, i32xn);
      break;
   case CF_ZS_Z16:
      memcpy(&halfwords, pixels, sizeof(halfwords));
      zs.depth = __builtin_convertvector(halfwords, i32xn);
      break;
   case CF_ZS_Z32F_S8:
      memcpy(&first, pixels, sizeof(first));
      memcpy(&second, pixels + sizeof(first), sizeof(second));
      zs.depth = __builtin_shufflevector(first, second, 0, 2, 4, 6, 8, 10, 12, 14);
      zs.rest = __builtin_shufflevector(first, second, 1, 3, 5, 7, 9, 11, 13, 15);
      break;
   default:
      memcpy(&words, pixels, sizeof(words));
      zs.depth = words & (layout == CF_ZS_Z24 ? Z24_BITS : -1);
      zs.rest = words;
      break;
   }
   return zs;
}

CF_INLINE void
store_zs(enum cf_zs_layout layout, uint8_t *pixels, lanes changed, struct zs_pixels zs)
{
   (void)changed;
   i32xn first, second;
   const u16xn halfwords = __builtin_convertvector(zs.depth, u16xn);
   const u8xn bytes = __builtin_convertvector(zs.rest, u8xn);
   const i32xn words = layout == CF_ZS_Z24 ? zs.depth | (zs.rest & ~Z24_BITS) : zs.depth;
   switch (layout) {
   case CF_ZS_S8:
      memcpy(pixels, &bytes, sizeof(bytes));
      break;
   case CF_ZS_Z16:
      memcpy(pixels, &halfwords, sizeof(halfwords));
      break;
   case CF_ZS_Z32F_S8:
      first = __builtin_shufflevector(zs.depth, zs.rest, 0, 8, 1, 9, 2, 10, 3, 11);
      second = __builtin_shufflevector(zs.depth, zs.rest, 4, 12, 5, 13, 6, 14, 7, 15);
      memcpy(pixels, &first, sizeof(first));
      memcpy(pixels + sizeof(first), &second, sizeof(second));
      break;
   default:
      memcpy(pixels, &words, sizeof(words));
      break;
   }
}

#endif

/* ------------------------------------------------------------------ tests */

CF_INLINE lanes
test_depths(const struct compare_lanes *compare, enum cf_zs_layout layout, i32xn fresh, i32xn old)
{
   const lanes less = is_float(layout) ? LESS_FLOAT(fresh, old) : LESS(fresh, old);
   const lanes equal = is_float(layout) ? EQUAL_FLOAT(fresh, old) : EQUAL(fresh, old);
   const lanes greater = is_float(layout) ? LESS_FLOAT(old, fresh) : ~(less | equal);
   lanes pass = (less & compare->less) | (equal & compare->equal) | (greater & compare->greater);
   if (is_float(layout))
      pass |= ~(less | equal | greater) & compare->unordered;
   return pass;
}

CF_INLINE i32xn
update_stencils(const struct cf_stencil_update *u, i32xn old)
{
   const i32xn s = ((old & u->and_bits) ^ u->xor_bits) + u->add;
   return smaller(larger(s, CF_SPLAT(i32xn, u->min)), CF_SPLAT(i32xn, u->max)) & 255;
}

/* Stencil test, and update in the lanes of the mask; stencil bits begin at bit `shift` of `rest`.
 * Returns the lanes that pass the stencil test. */
CF_INLINE lanes
test_stencils(const struct early *e, uint32_t shift, lanes mask, lanes depth_pass, i32xn *rest)
{
   const struct cf_stencil_face *f = &e->face;
   const i32xn old = (i32xn)((u32xn)*rest >> shift) & 255, masked = old & (int32_t)f->value_mask;
   const i32xn ref = CF_SPLAT(i32xn, (int32_t)f->ref);
   const lanes less = LESS(ref, masked), equal = EQUAL(ref, masked), greater = ~(less | equal);
   const lanes pass =
      (less & e->stencil.less) | (equal & e->stencil.equal) | (greater & e->stencil.greater);
   i32xn fresh = update_stencils(&f->zpass, old);
   if (!e->one_update) {
      fresh = choose(depth_pass, fresh, update_stencils(&f->zfail, old));
      fresh = choose(pass, fresh, update_stencils(&f->fail, old));
   }
   *rest = choose(mask, *rest ^ ((fresh ^ old) & (int32_t)f->write_mask) << (int32_t)shift, *rest);
   return pass;
}

/* Test and write the pixels of a vector whose bit is set. `fresh`: depths of the fragments, as they
 * are stored. Returns the bits of those that pass. */
CF_INLINE uint32_t
test_pixels(const struct early *e, enum cf_zs_layout layout, bool stencil, uint8_t *pixels,
            uint32_t bits, i32xn fresh)
{
   struct zs_pixels zs = load_zs(layout, pixels);
   const lanes depth_pass =
      layout == CF_ZS_S8 ? all_lanes(true) : test_depths(&e->depth, layout, fresh, zs.depth);
   const lanes mask = lanes_of(bits);
   lanes pass = mask & depth_pass;
   if (stencil)
      pass &= test_stencils(e, layout == CF_ZS_Z24 ? 24 : 0, mask, depth_pass, &zs.rest);
   const lanes written = pass & e->write;
   /* Z32F_S8 is stored whole, with its stencil. */
   const bool masked = MASKED_STORES && !stencil && layout != CF_ZS_Z32F_S8;
   zs.depth = masked ? fresh : choose(written, fresh, zs.depth);
   if (!stencil)
      store_zs(layout, pixels, written, zs);
   else if (e->writes)
      store_zs(layout, pixels, all_lanes(true), zs);
   return bits_of(pass);
}

/* Test the fragments in `mask` of the block at (x, y), whose stored pixels begin at `pixels`.
 * Returns those that pass. */
CF_INLINE uint32_t
test_block_at(const struct early *e, enum cf_zs_layout layout, bool stencil, uint8_t *pixels, uint32_t x_px, uint32_t y_px,
              uint32_t mask)
{
   i32xn fresh[16 / LANES] = { { 0 } };
   uint32_t pass = 0;
   if (!stencil || e->uses_depth)
      stored_depths(e, layout, x_px, y_px, fresh);
   for (uint32_t lane = 0; lane < 16; lane += LANES) {
      const uint32_t lanes = mask >> lane & (0xffffu >> (16 - LANES));
      pass |= test_pixels(e, layout, stencil, pixels + lane * pixel_bytes(layout), lanes, fresh[lane / LANES]) << lane;
   }
   return pass;
}

/* Byte offset of a block. */
CF_INLINE size_t
block_at_B(const struct cf_image *zs, enum cf_zs_layout layout, uint32_t x_px, uint32_t y_px)
{
   return (size_t)(y_px / 4) * zs->row_pitch_B + (size_t)(x_px / 4) * 16 * pixel_bytes(layout);
}

/* Tests in block layout; layout and stencil are compile-time constants; looks: no depth is written.
 * Returns the number of blocks of which nothing passed. */
CF_INLINE uint32_t
test_in_place(const struct cf_pixel_config *config, enum cf_zs_layout layout, bool stencil,
              bool looks, const struct cf_prim *prim, uint32_t place,
              struct cf_raster_block *blocks, uint32_t count)
{
   struct early e = early_of(config, stencil, prim, place);
   if (looks)
      e.write = all_lanes(false);
   const struct cf_image zs = config->zs;
   uint32_t hidden = 0;
   for (uint32_t i = 0; i < count; i++) {
      struct cf_raster_block *b = &blocks[i];
      const uint32_t pass =
         test_block_at(&e, layout, stencil, zs.data + block_at_B(&zs, layout, b->x_px, b->y_px), b->x_px, b->y_px, b->mask);
      b->mask = (uint16_t)pass;
      hidden += pass == 0;
   }
   return hidden;
}

/* The reference: cf_pixel_test_block for each block, in any layout. */
static uint32_t
test_each(const struct cf_pixel_config *config, const struct cf_prim *prim, uint32_t place, struct cf_raster_block *blocks,
          uint32_t count)
{
   uint32_t hidden = 0;
   for (uint32_t i = 0; i < count; i++) {
      struct cf_raster_block *b = &blocks[i];
      float depth[16];
      cf_depth_of_block(prim, b->x_px, b->y_px, place, depth);
      b->mask = (uint16_t)CF_LANES(cf_pixel_test_block)(config, b->x_px, b->y_px, b->mask, depth, cf_prim_front_facing(prim));
      hidden += b->mask == 0;
   }
   return hidden;
}

/* result = f(config, layout, stencil, ...), with constants of the image's layout and of the stencil
 * test, so that f is compiled once for each pair that occurs: Z16 and Z32F have no stencil bits, S8
 * has nothing else. */
#define CALL_IN_PLACE(result, f, config, ...)                                                      \
   switch ((config)->zs_layout) {                                                                  \
   case CF_ZS_Z16:                                                                                 \
      (result) = f(config, CF_ZS_Z16, false, __VA_ARGS__);                                         \
      break;                                                                                       \
   case CF_ZS_Z24:                                                                                 \
      (result) = (config)->stencil_test ? f(config, CF_ZS_Z24, true, __VA_ARGS__)                  \
                                        : f(config, CF_ZS_Z24, false, __VA_ARGS__);                \
      break;                                                                                       \
   case CF_ZS_Z32F:                                                                                \
      (result) = f(config, CF_ZS_Z32F, false, __VA_ARGS__);                                        \
      break;                                                                                       \
   case CF_ZS_Z32F_S8:                                                                             \
      (result) = (config)->stencil_test ? f(config, CF_ZS_Z32F_S8, true, __VA_ARGS__)              \
                                        : f(config, CF_ZS_Z32F_S8, false, __VA_ARGS__);            \
      break;                                                                                       \
   case CF_ZS_S8:                                                                                  \
      (result) = f(config, CF_ZS_S8, true, __VA_ARGS__);                                           \
      break;                                                                                       \
   case CF_ZS_NONE:                                                                                \
      break;                                                                                       \
   }

/* Whether there are tests, in an image of blocks. */
static bool
is_in_place(const struct cf_pixel_config *config)
{
   return config->zs.blocks && config->tests_needed;
}

uint32_t
CF_LANES(cf_pixel_test_blocks)(const struct cf_pixel_config *config, const struct cf_prim *prim, uint32_t place,
                               struct cf_raster_block *blocks, uint32_t count)
{
   uint32_t hidden = 0;
   if (count == 0)
      return 0;
   if (!is_in_place(config))
      return test_each(config, prim, place, blocks, count);
   CALL_IN_PLACE(hidden, test_in_place, config, false, prim, place, blocks, count);
   return hidden;
}

uint32_t
CF_LANES(cf_pixel_look_at_blocks)(const struct cf_pixel_config *config, const struct cf_prim *prim,
                                  struct cf_raster_block *blocks, uint32_t count)
{
   const uint32_t place = CF_SAMPLE_CENTRE;
   switch (config->zs_layout) {
   case CF_ZS_Z16:
      return test_in_place(config, CF_ZS_Z16, false, true, prim, place, blocks, count);
   case CF_ZS_Z24:
      return test_in_place(config, CF_ZS_Z24, false, true, prim, place, blocks, count);
   case CF_ZS_Z32F:
      return test_in_place(config, CF_ZS_Z32F, false, true, prim, place, blocks, count);
   case CF_ZS_Z32F_S8:
      return test_in_place(config, CF_ZS_Z32F_S8, false, true, prim, place, blocks, count);
   default:
      return 0; /* there is no depth */
   }
}

/* ------------------------------------------------------------------ many primitives */

/* Layout and stencil are compile-time constants; front and back have the same stencil state. Blocks
 * with a pixel left move to the front; returns their number. */
CF_INLINE uint32_t
test_prims_in_place(const struct cf_pixel_config *config, enum cf_zs_layout layout, bool stencil,
                    struct cf_prim_block *blocks, uint32_t count)
{
   struct early e = early_of(config, stencil, blocks[0].prim, CF_SAMPLE_CENTRE);
   const struct cf_image zs = config->zs;
   uint32_t left = 0;
   for (uint32_t i = 0; i < count; i++) {
      const struct cf_prim_block *b = &blocks[i];
      uint8_t *pixels = zs.data + block_at_B(&zs, layout, b->x_px, b->y_px);
      set_prim(&e, b->prim);
      const uint32_t pass = test_block_at(&e, layout, stencil, pixels, b->x_px, b->y_px, b->mask);
      blocks[left] = *b;
      blocks[left].mask = (uint16_t)pass;
      left += pass != 0;
   }
   return left;
}

static uint32_t
test_prims_each(const struct cf_pixel_config *config, struct cf_prim_block *blocks, uint32_t count)
{
   uint32_t left = 0;
   for (uint32_t i = 0; i < count; i++) {
      struct cf_prim_block b = blocks[i];
      struct cf_raster_block one = { b.x_px, b.y_px, b.mask };
      CF_LANES(cf_pixel_test_blocks)(config, b.prim, CF_SAMPLE_CENTRE, &one, 1);
      b.mask = one.mask;
      blocks[left] = b;
      left += b.mask != 0;
   }
   return left;
}

uint32_t
CF_LANES(cf_pixel_test_prims)(const struct cf_pixel_config *config, struct cf_prim_block *blocks, uint32_t count)
{
   uint32_t left = 0;
   if (count == 0)
      return 0;
   if (!is_in_place(config) || config->two_sided)
      return test_prims_each(config, blocks, count);
   CALL_IN_PLACE(left, test_prims_in_place, config, blocks, count);
   return left;
}

/* ------------------------------------------------------------------ several samples */

/* The number of blocks without a sample left. */
static uint32_t
hidden_blocks(const struct cf_raster_samples *blocks, uint32_t count)
{
   uint32_t hidden = 0;
   for (uint32_t i = 0; i < count; i++)
      hidden += (blocks[i].mask[0] | blocks[i].mask[1] | blocks[i].mask[2] | blocks[i].mask[3]) == 0;
   return hidden;
}

/* Layout and stencil are compile-time constants. Samples are in the outer loop: each has an image
 * of its own, so one image at a time is accessed. */
CF_INLINE uint32_t
test_samples_in_place(const struct cf_pixel_config *config, enum cf_zs_layout layout, bool stencil, const struct cf_prim *prim,
                      bool at_samples, struct cf_raster_samples *blocks, uint32_t count)
{
   for (uint32_t s = 0; s < CF_SAMPLES; s++) {
      const struct early e = early_of(&config[s], stencil, prim, cf_sample_depth_place(at_samples, s));
      const struct cf_image zs = config[s].zs;
      for (uint32_t i = 0; i < count; i++) {
         struct cf_raster_samples *b = &blocks[i];
         uint8_t *pixels = zs.data + block_at_B(&zs, layout, b->x_px, b->y_px);
         if (b->mask[s])
            b->mask[s] = (uint16_t)test_block_at(&e, layout, stencil, pixels, b->x_px, b->y_px, b->mask[s]);
      }
   }
   return hidden_blocks(blocks, count);
}

/* The reference: each sample of each block by cf_pixel_test_blocks. */
static uint32_t
test_samples_each(const struct cf_pixel_config *config, const struct cf_prim *prim, bool at_samples,
                  struct cf_raster_samples *blocks, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++) {
      for (uint32_t s = 0; s < CF_SAMPLES; s++) {
         struct cf_raster_block plane = { blocks[i].x_px, blocks[i].y_px, blocks[i].mask[s] };
         if (plane.mask)
            CF_LANES(cf_pixel_test_blocks)(&config[s], prim, cf_sample_depth_place(at_samples, s), &plane, 1);
         blocks[i].mask[s] = plane.mask;
      }
   }
   return hidden_blocks(blocks, count);
}

uint32_t
CF_LANES(cf_pixel_test_samples)(const struct cf_pixel_config *config, const struct cf_prim *prim, bool at_samples,
                                struct cf_raster_samples *blocks, uint32_t count)
{
   uint32_t hidden = 0;
   if (!is_in_place(config))
      return test_samples_each(config, prim, at_samples, blocks, count);
   CALL_IN_PLACE(hidden, test_samples_in_place, config, prim, at_samples, blocks, count);
   return hidden;
}

/* ------------------------------------------------------------------ bounds */

/* Merge the stored depths of a tile into the bounds of its blocks. Layout and side are compile-time
 * constants. Bits of floats from 0 on compare as integers do. Memory may hold negative floats and
 * NaNs, though draws store none; they hide no fragment that passes: a farthest bound is never below
 * 0, a negative nearest bound hides nothing, and `less`, `equal` and `greater` fail against a
 * NaN. */
CF_INLINE void
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

CF_INLINE void
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
