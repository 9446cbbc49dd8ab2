/* SPDX-License-Identifier: MIT */
/*
 * What the pixel engine's tests share: surfaces of their own, random quads, and the same call at every host level.
 */
#ifndef CF_TEST_PIXEL_H
#define CF_TEST_PIXEL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/pixel/cf_pixel.h"

static struct cf_random rng;

/* A surface with a copy per host level; level 0's is the one to look at. */
struct test_surface {
   struct cf_image image;
   uint8_t *data[CF_HOST_LEVELS], *before;
   size_t size_B;
};

static inline void
test_surface_init(struct test_surface *s, enum cf_format format, bool blocks, uint32_t width_px, uint32_t height_px)
{
   struct cf_image *image = &s->image;
   *image = (struct cf_image){.format = cf_format_info_of(format), .width_px = width_px, .height_px = height_px,
                              .blocks = blocks, .samples = 1};
   const uint32_t pixel_B = image->format->pixel_B;
   image->row_pitch_B = blocks ? (width_px + 3) / 4 * 16 * pixel_B : width_px * pixel_B;
   s->size_B = (size_t)image->row_pitch_B * (blocks ? (height_px + 3) / 4 : height_px);
   s->before = malloc(s->size_B);
   for (size_t i = 0; i < s->size_B; i++)
      s->before[i] = (uint8_t)cf_random_u32(&rng);
   for (uint32_t level = 0; level < CF_HOST_LEVELS; level++)
      s->data[level] = malloc(s->size_B); /* exact, so that a memory checker sees what lies beyond */
   image->data = s->data[0];
}

static inline void
test_surface_free(struct test_surface *s)
{
   for (uint32_t level = 0; level < CF_HOST_LEVELS; level++)
      free(s->data[level]);
   free(s->before);
}

/* Every level starts from the same bytes. */
static inline void
test_surface_reset(struct test_surface *s)
{
   for (uint32_t level = 0; level < CF_HOST_LEVELS; level++)
      memcpy(s->data[level], s->before, s->size_B);
}

static inline void
test_surface_levels_agree(const struct test_surface *s)
{
   for (uint32_t level = 1; level <= (uint32_t)cf_host_level(); level++)
      assert_memory_equal(s->data[level], s->data[0], s->size_B);
}

static inline enum cf_format
random_format(void)
{
   for (;;) {
      const struct cf_format_info *info = cf_format_info_of(cf_random_below(&rng, CF_FORMAT_COUNT));
      if (info->uses & CF_USE_COLOR)
         return info->code;
   }
}

/* Any state of a color target. */
static inline struct cf_blend
random_blend(void)
{
   struct cf_blend b = {
      .enable = cf_random_below(&rng, 4) > 0,
      .color_func = cf_random_below(&rng, 5),
      .alpha_func = cf_random_below(&rng, 5),
      .src_color = cf_random_below(&rng, 19),
      .dst_color = cf_random_below(&rng, 19),
      .src_alpha = cf_random_below(&rng, 19),
      .dst_alpha = cf_random_below(&rng, 19),
      .write_mask = cf_random_below(&rng, 2) ? 15 : cf_random_below(&rng, 16),
      .logicop_enable = cf_random_below(&rng, 5) == 0,
      .logicop = cf_random_below(&rng, 16),
      .alpha_to_one = cf_random_below(&rng, 6) == 0,
   };
   if (cf_random_below(&rng, 3) == 0) {
      b.alpha_func = b.color_func = CF_BLEND_FUNC_ADD;
      b.src_alpha = b.src_color;
      b.dst_alpha = b.dst_color;
   }
   return b;
}

/* Distinct quads and the lanes that may be drawn (inside the image), thinned out at random. */
struct test_quads {
   struct cf_quad quad[CF_TASK_QUADS];
   uint32_t count, mask;
};

/* Consecutive quads in memory, across the border of two blocks, in rotated order: 3 4 5 6 0 1 2.
 * So quads 0 .. 3 and 4 .. 7 may look like blocks, also with a copy of quad 0 as quad 7. */
static inline struct test_quads
rotated_quads(const struct cf_image *image)
{
   const uint32_t blocks = (image->width_px + 3) / 4, first = cf_random_below(&rng, 4 * blocks - 7),
                  shift = cf_random_below(&rng, CF_TASK_QUADS),
                  y_px = cf_random_below(&rng, (image->height_px + 3) / 4) * 4;
   struct test_quads t = {.count = 6 + cf_random_below(&rng, 3)};
   for (uint32_t q = 0; q < t.count; q++) {
      const uint32_t n = first + (q + shift) % t.count;
      t.quad[q] = (struct cf_quad){.x_px = (uint16_t)(n / 4 * 4 + n % 2 * 2),
                                   .y_px = (uint16_t)(y_px + n / 2 % 2 * 2)};
   }
   return t;
}

static inline struct test_quads
scattered_quads(const struct cf_image *image)
{
   struct test_quads t = {.count = 0};
   const uint32_t wanted = cf_random_below(&rng, 3) == 0 ? 1 + cf_random_below(&rng, 8) : 8;
   const bool whole_blocks = cf_random_below(&rng, 2);
   for (uint32_t tries = 0; t.count < wanted && tries < 64; tries++) {
      uint16_t x = (uint16_t)(cf_random_below(&rng, (image->width_px + 1) / 2) * 2);
      uint16_t y = (uint16_t)(cf_random_below(&rng, (image->height_px + 1) / 2) * 2);
      if (whole_blocks) { /* quads in the order of their block */
         x = t.count % 4 ? (t.quad[t.count / 4 * 4].x_px & ~3) + t.count % 2 * 2 : x & ~3;
         y = t.count % 4 ? (t.quad[t.count / 4 * 4].y_px & ~3) + t.count / 2 % 2 * 2 : y & ~3;
      }
      bool known = false;
      for (uint32_t q = 0; q < t.count; q++)
         known |= t.quad[q].x_px == x && t.quad[q].y_px == y;
      if (!known)
         t.quad[t.count++] = (struct cf_quad){.x_px = x, .y_px = y};
   }
   return t;
}

static inline struct test_quads
random_quads(const struct cf_image *image)
{
   const bool rotated = image->width_px > 4 && cf_random_below(&rng, 4) == 0;
   struct test_quads t = rotated ? rotated_quads(image) : scattered_quads(image);
   const uint32_t kind = cf_random_below(&rng, 3);
   const uint32_t wish = kind == 0 ? ~0u : kind == 1 ? cf_random_u32(&rng) : cf_random_u32(&rng) | cf_random_u32(&rng);
   for (uint32_t lane = 0; lane < 4 * t.count; lane++) {
      const uint32_t x = t.quad[lane / 4].x_px + (lane & 1), y = t.quad[lane / 4].y_px + (lane >> 1 & 1);
      if (x < image->width_px && y < image->height_px && wish >> lane & 1) {
         t.mask |= 1u << lane;
         t.quad[lane / 4].masks |= CF_QUAD_COVERED << (lane & 3);
      }
   }
   return t;
}

static inline uint32_t
lane_offset_B(const struct cf_image *image, const struct test_quads *t, uint32_t lane)
{
   return cf_image_offset_B(image, t->quad[lane / 4].x_px + (lane & 1u), t->quad[lane / 4].y_px + (lane >> 1 & 1u));
}

/* No byte of a pixel outside the drawn lanes has changed; padding of blocks does not count. */
static inline void
only_lanes_changed(const struct test_surface *s, const struct test_quads *t, uint32_t mask)
{
   const struct cf_image *image = &s->image;
   for (uint32_t y = 0; y < image->height_px; y++) {
      for (uint32_t x = 0; x < image->width_px; x++) {
         bool drawn = false;
         for (uint32_t lane = 0; lane < 4 * t->count; lane++)
            drawn |= mask >> lane & 1 && lane_offset_B(image, t, lane) == cf_image_offset_B(image, x, y);
         const uint32_t at = cf_image_offset_B(image, x, y);
         if (!drawn)
            assert_memory_equal(s->data[0] + at, s->before + at, image->format->pixel_B);
      }
   }
}

#endif
