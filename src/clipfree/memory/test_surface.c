/* SPDX-License-Identifier: MIT */
/*
 * Surfaces: random clears, resolves and copies, of one sample and of four, against a model that
 * keeps one 16-byte value per sample.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/arith/cf_fp.h"
#include "clipfree/base/test_random.h"
#include "clipfree/memory/cf_average.h"
#include "clipfree/memory/cf_surface.h"

#define GUARD_B 256
#define GUARD 0xa5

/* An image and the expected values of its pixels. */
struct model {
   struct cf_image image;
   uint8_t *allocation;
   size_t size_B;
   uint8_t (*pixel)[16]; /* samples of a pixel next to each other */
};

static struct cf_random rng;

static uint32_t
random_u32(void)
{
   return cf_random_u32(&rng);
}

static uint32_t
random_below(uint32_t n)
{
   return random_u32() % n;
}

static const enum cf_format format_of_size[5] = {CF_FORMAT_R8_UNORM, CF_FORMAT_B5G6R5_UNORM, CF_FORMAT_R8G8B8A8_UNORM,
                                                 CF_FORMAT_R16G16B16A16_FLOAT, CF_FORMAT_R32G32B32A32_FLOAT};

/* The expected value of a sample. */
static uint8_t *
expected(const struct model *m, uint32_t x_px, uint32_t y_px, uint32_t sample)
{
   return m->pixel[((size_t)y_px * m->image.width_px + x_px) * m->image.samples + sample];
}

static void
model_init(struct model *m, uint32_t log2_size, uint32_t samples, bool blocks, bool tiles, uint32_t width_px, uint32_t height_px)
{
   const uint32_t pixel_B = 1u << log2_size;
   const uint32_t width_blocks = (width_px + 3) / 4, height_blocks = (height_px + 3) / 4;
   struct cf_image *image = &m->image;
   *image = (struct cf_image){.format = cf_format_info_of(format_of_size[log2_size]), .width_px = width_px,
                              .height_px = height_px, .blocks = blocks, .samples = samples};
   assert_int_equal(image->format->pixel_B, pixel_B);
   image->row_pitch_B = blocks ? samples * (width_blocks * 16 * pixel_B + 64 * random_below(2)) : width_px * pixel_B + random_below(9);
   m->size_B = (size_t)image->row_pitch_B * (blocks ? height_blocks : height_px);
   m->allocation = malloc(m->size_B + 2 * GUARD_B);
   memset(m->allocation, GUARD, m->size_B + 2 * GUARD_B);
   image->data = m->allocation + GUARD_B;
   memset(image->data, 0, m->size_B);
   m->pixel = calloc((size_t)width_px * height_px * samples, 16);
   if (tiles) {
      image->tiles_per_row = (width_px + CF_TILE_PX - 1) / CF_TILE_PX;
      image->tiles = calloc(image->tiles_per_row * ((height_px + CF_TILE_PX - 1) / CF_TILE_PX), sizeof(struct cf_tile_state));
   }
}

static void
model_free(struct model *m)
{
   free(m->allocation);
   free(m->image.tiles);
   free(m->pixel);
}

static const struct cf_tile_state *
state_of(const struct cf_image *image, uint32_t x_px, uint32_t y_px)
{
   return &image->tiles[y_px / CF_TILE_PX * image->tiles_per_row + x_px / CF_TILE_PX];
}

/* Replace the bits of `mask` by those of `value`. */
static void
merge_pixel(uint8_t *pixel, const void *value, const void *mask, uint32_t pixel_B)
{
   const uint8_t *v = value, *m = mask;
   for (uint32_t i = 0; i < pixel_B; i++)
      pixel[i] = (uint8_t)((pixel[i] & ~m[i]) | (v[i] & m[i]));
}

/* The sample's value, tile states applied. */
static void
stored_pixel(const struct cf_image *image, uint32_t x_px, uint32_t y_px, uint32_t sample, uint8_t pixel[16])
{
   const uint32_t pixel_B = image->format->pixel_B;
   memcpy(pixel, image->data + sample * (image->row_pitch_B / image->samples) + cf_image_offset_B(image, x_px, y_px), pixel_B);
   if (image->tiles)
      merge_pixel(pixel, state_of(image, x_px, y_px)->value, state_of(image, x_px, y_px)->pending, pixel_B);
}

/* Known bits have the state's value, and only known bits are pending. */
static void
check_state(const struct cf_image *image, uint32_t x_px, uint32_t y_px, const uint8_t *pixel)
{
   const struct cf_tile_state *state = state_of(image, x_px, y_px);
   const uint8_t *value = (const uint8_t *)state->value, *known = (const uint8_t *)state->known;
   for (uint32_t i = 0; i < image->format->pixel_B; i++)
      assert_int_equal((pixel[i] ^ value[i]) & known[i], 0);
   for (uint32_t i = 0; i < 4; i++)
      assert_int_equal(state->pending[i] & ~state->known[i], 0);
}

static void
model_check(const struct model *m)
{
   const struct cf_image *image = &m->image;
   uint8_t pixel[16];
   for (uint32_t y = 0; y < image->height_px; y++) {
      for (uint32_t i = 0; i < image->width_px * image->samples; i++) {
         const uint32_t x = i / image->samples, sample = i % image->samples;
         stored_pixel(image, x, y, sample, pixel);
         assert_memory_equal(pixel, expected(m, x, y, sample), image->format->pixel_B);
         if (image->tiles)
            check_state(image, x, y, pixel);
      }
   }
   for (uint32_t i = 0; i < GUARD_B; i++) {
      assert_int_equal(m->allocation[i], GUARD);
      assert_int_equal(m->allocation[GUARD_B + m->size_B + i], GUARD);
   }
}

/* A random range of [0, size), often starting or ending at a multiple of 64 or 4 or at the end. */
static void
random_range(uint32_t size, uint32_t *min, uint32_t *max)
{
   static const uint32_t unit[4] = {1, 1, 4, 64};
   *min = random_below(size) / unit[random_below(4)] * unit[random_below(4)];
   if (*min >= size)
      *min = 0;
   *max = *min + 1 + random_below(size - *min);
   const uint32_t u = unit[random_below(4)];
   *max = random_below(3) == 0 ? size : (*max + u - 1) / u * u;
   if (*max > size)
      *max = size;
}

/* A mask of depth, of stencil, of a byte, or of random bits. */
static void
random_mask(uint32_t mask[4])
{
   const uint32_t kind = random_below(6);
   for (uint32_t i = 0; i < 4; i++)
      mask[i] = kind == 0 ? 0xff000000u : kind == 1 ? 0x00ffffff : kind == 2 ? 0xff00u : kind == 3 ? random_u32() : ~0u;
}

static void
random_clear(struct model *m)
{
   uint32_t value[4], mask[4], min_x, min_y, max_x, max_y;
   const bool same = random_below(2);
   random_mask(mask);
   for (uint32_t i = 0; i < 4; i++)
      value[i] = same ? 0x7f7f7f7f : random_u32();
   random_range(m->image.width_px, &min_x, &max_x);
   random_range(m->image.height_px, &min_y, &max_y);
   /* clipped to the image */
   const uint32_t beyond_px = random_below(2) && max_x == m->image.width_px ? 100 : 0;
   cf_image_clear(&m->image, value, mask, min_x, min_y, max_x + beyond_px, max_y);
   for (uint32_t y = min_y; y < max_y; y++) {
      for (uint32_t n = min_x * m->image.samples; n < max_x * m->image.samples; n++)
         merge_pixel(expected(m, n / m->image.samples, y, n % m->image.samples), value, mask, m->image.format->pixel_B);
   }
}

/* Draw random bits of random pixels in a tile. */
static void
random_drawing(struct model *m, uint32_t tile_x, uint32_t tile_y)
{
   uint32_t mask[4];
   random_mask(mask);
   cf_image_resolve_tile_bits(&m->image, tile_x, tile_y, mask);
   for (uint32_t i = 0; i < 50; i++) {
      const uint32_t x = tile_x * 64 + random_below(64), y = tile_y * 64 + random_below(64), sample = random_below(m->image.samples);
      const uint32_t value[4] = {random_u32(), random_u32(), random_u32(), random_u32()};
      const struct cf_image plane = cf_image_sample(&m->image, sample);
      if (x >= m->image.width_px || y >= m->image.height_px)
         continue;
      merge_pixel(plane.data + cf_image_offset_B(&plane, x, y), value, mask, m->image.format->pixel_B);
      merge_pixel(expected(m, x, y, sample), value, mask, m->image.format->pixel_B);
   }
}

/* The average of four samples, format by format. */
static void
average(uint32_t pixel_B, uint8_t (*sample)[16], uint8_t out[16])
{
   uint32_t sum[3] = {2, 2, 2};
   uint16_t half[4];
   float f[4], r;
   switch (pixel_B) {
   case 2: /* 5, 6, 5 bits */
      for (int s = 0; s < 4; s++) {
         memcpy(half, sample[s], 2);
         sum[0] += half[0] & 31;
         sum[1] += half[0] >> 5 & 63;
         sum[2] += half[0] >> 11;
      }
      half[0] = (uint16_t)(sum[0] / 4 | sum[1] / 4 << 5 | sum[2] / 4 << 11);
      memcpy(out, half, 2);
      break;
   case 8: /* four halves */
      for (int c = 0; c < 4; c++) {
         for (int s = 0; s < 4; s++) {
            memcpy(half, sample[s] + 2 * c, 2);
            f[s] = cf_f16_to_f32(half[0]);
         }
         half[0] = cf_f32_to_f16(((f[0] + f[1]) + (f[2] + f[3])) / 4);
         memcpy(out + 2 * c, half, 2);
      }
      break;
   case 16: /* four floats */
      for (int c = 0; c < 4; c++) {
         for (int s = 0; s < 4; s++)
            memcpy(&f[s], sample[s] + 4 * c, 4);
         r = cf_canon(((f[0] + f[1]) + (f[2] + f[3])) / 4);
         memcpy(out + 4 * c, &r, 4);
      }
      break;
   default: /* bytes */
      for (uint32_t i = 0; i < pixel_B; i++)
         out[i] = (uint8_t)((sample[0][i] + sample[1][i] + sample[2][i] + sample[3][i] + 2) / 4);
      break;
   }
}

/* The averages of one of the host's vector levels. */
static const struct cf_average_ops *
random_average(void)
{
   return cf_average_ops_at((enum cf_host_level)random_below(cf_host_level() + 1));
}

/* Convert a pixel's samples for an image of `samples` samples. */
static void
convert_samples(const struct model *s, uint32_t x_px, uint32_t y_px, uint32_t samples, bool first, uint8_t (*out)[16])
{
   uint8_t(*sample)[16] = s->pixel + ((size_t)y_px * s->image.width_px + x_px) * s->image.samples;
   if (s->image.samples > samples && !first) {
      average(s->image.format->pixel_B, sample, out[0]);
      return;
   }
   for (uint32_t i = 0; i < samples; i++)
      memcpy(out[i], sample[i % s->image.samples], 16);
}

/* Make the memory of the whole image valid. */
static void
resolve(const struct cf_image *image)
{
   const uint32_t rows = image->tiles ? (image->height_px + CF_TILE_PX - 1) / CF_TILE_PX : 0;
   for (uint32_t i = 0; i < rows * image->tiles_per_row; i++)
      cf_image_resolve_tile_to_read(image, i % image->tiles_per_row, i / image->tiles_per_row);
}

static void
random_copy(struct model *s, struct model *d)
{
   const uint32_t max_width = s->image.width_px < d->image.width_px ? s->image.width_px : d->image.width_px;
   const uint32_t max_height = s->image.height_px < d->image.height_px ? s->image.height_px : d->image.height_px;
   const uint32_t width = 1 + random_below(max_width), height = 1 + random_below(max_height);
   const uint32_t align = random_below(2) ? ~3u : ~0u;
   const uint32_t sx = random_below(s->image.width_px - width + 1) & align, sy = random_below(s->image.height_px - height + 1) & align;
   const uint32_t dx = random_below(d->image.width_px - width + 1) & align, dy = random_below(d->image.height_px - height + 1) & align;
   const struct cf_image_at from = { &s->image, sx, sy }, to = { &d->image, dx, dy };
   const bool plain = random_below(3);
   const uint32_t mask[4] = {random_u32(), random_u32(), random_u32(), random_u32()};
   if (plain)
      cf_image_copy(from, to, width, height, random_average());
   else
      cf_image_copy_bits(from, to, width, height, mask);
   const uint32_t samples = d->image.samples;
   uint8_t(*temporary)[16] = malloc((size_t)width * height * samples * 16);
   for (uint32_t i = 0; i < width * height; i++)
      convert_samples(s, sx + i % width, sy + i / width, samples, !plain, temporary + i * samples);
   if (!plain) {
      for (uint32_t i = 0; i < width * height * samples * 16; i++) {
         const uint32_t n = i / 16, pixel = n / samples, m = ((const uint8_t *)mask)[i % 16];
         const uint8_t old = expected(d, dx + pixel % width, dy + pixel / width, n % samples)[i % 16];
         temporary[n][i % 16] = (uint8_t)((old & ~m) | (temporary[n][i % 16] & m));
      }
   }
   for (uint32_t y = 0; y < height; y++)
      memcpy(expected(d, dx, dy + y, 0), temporary[y * width * samples], width * samples * 16);
   free(temporary);
}

/* Gather random rows and columns of an image of one sample. */
static void
random_gather(struct model *s, struct model *d)
{
   const uint32_t width = 1 + random_below(d->image.width_px), height = 1 + random_below(d->image.height_px);
   const uint32_t x0 = random_below(d->image.width_px - width + 1), y0 = random_below(d->image.height_px - height + 1);
   const uint32_t mask[4] = {random_u32(), random_u32(), random_u32(), random_u32()};
   const bool plain = random_below(2);
   uint32_t columns[140], rows[140];
   if (s == d || s->image.samples > 1)
      return;
   for (uint32_t i = 0; i < width; i++)
      columns[i] = random_below(s->image.width_px);
   for (uint32_t i = 0; i < height; i++)
      rows[i] = random_below(s->image.height_px);
   resolve(&s->image);
   cf_image_gather(&s->image, columns, rows, (struct cf_image_at){ &d->image, x0, y0 }, width,
                   height, plain ? NULL : mask);
   for (uint32_t n = 0; n < width * height * d->image.samples; n++) {
      const uint32_t x = n / d->image.samples % width, y = n / d->image.samples / width;
      const uint8_t *from = expected(s, columns[x], rows[y], 0);
      uint8_t *to = expected(d, x0 + x, y0 + y, n % d->image.samples);
      for (uint32_t i = 0; i < 16; i++) {
         const uint8_t m = plain ? 0xff : ((const uint8_t *)mask)[i];
         to[i] = (uint8_t)((to[i] & ~m) | (from[i] & m));
      }
   }
}

/* Write random pixels, so that copies do not only move clears. */
static void
random_pixels(struct model *m)
{
   resolve(&m->image);
   for (uint32_t y = 0; y < m->image.height_px; y++) {
      for (uint32_t n = 0; n < m->image.width_px * m->image.samples; n++) {
         const uint32_t x = n / m->image.samples, sample = n % m->image.samples;
         const struct cf_image plane = cf_image_sample(&m->image, sample);
         uint32_t value[4] = {random_u32(), random_u32(), random_u32(), random_u32()};
         memcpy(expected(m, x, y, sample), value, 16);
         memcpy(plane.data + cf_image_offset_B(&plane, x, y), value, m->image.format->pixel_B);
      }
   }
}

static void
check_clears_pending(const struct cf_image *image, uint32_t expected)
{
   uint32_t pending = 0;
   const uint32_t tiles = image->tiles_per_row * ((image->height_px + CF_TILE_PX - 1) / CF_TILE_PX);
   for (uint32_t i = 0; i < tiles; i++)
      pending += cf_tile_is_pending(&image->tiles[i]);
   assert_int_equal(pending, expected);
}

/* A clear of the whole image writes no memory, nor does one of the stencil byte alone; reading a
 * tile writes it. */
static void
clears_are_lazy(void **state)
{
   (void)state;
   struct model m;
   model_init(&m, 2, 1, true, true, 130, 70);
   const uint32_t value[4] = {0x00ffffff, 0, 0, 0}, all[4] = {~0u, ~0u, ~0u, ~0u};
   const uint32_t stencil[4] = {0x2a000000, 0, 0, 0}, stencil_mask[4] = {0xff000000, 0, 0, 0};
   cf_image_clear(&m.image, value, all, 0, 0, 130, 70);
   check_clears_pending(&m.image, 6);
   for (size_t i = 0; i < m.size_B; i++)
      assert_int_equal(m.image.data[i], 0);
   cf_image_clear(&m.image, stencil, stencil_mask, 0, 0, 130, 70);
   check_clears_pending(&m.image, 6);
   cf_image_resolve_tile(&m.image, 2, 1);
   check_clears_pending(&m.image, 5);
   uint32_t pixel;
   memcpy(&pixel, m.image.data + cf_image_offset_B(&m.image, 129, 69), 4);
   assert_int_equal(pixel, 0x2affffff);
   cf_image_clear(&m.image, value, all, 0, 0, 65, 64);
   check_clears_pending(&m.image, 4); /* all of tile (0, 0), a part of tile (1, 0) */
   resolve(&m.image);
   check_clears_pending(&m.image, 0);
   model_free(&m);
}

/* A tile resolved for reading stays known: the next clear to the same value writes nothing, until a
 * draw. */
static void
clears_are_remembered(void **state)
{
   (void)state;
   struct model m;
   model_init(&m, 2, 1, true, true, 130, 70);
   const uint32_t value[4] = {0x00ffffff, 0, 0, 0}, other[4] = {0x12345678, 0, 0, 0}, all[4] = {~0u, ~0u, ~0u, ~0u};
   const uint32_t low[4] = {0xffff, 0, 0, 0};
   cf_image_clear(&m.image, value, all, 0, 0, 130, 70);
   for (uint32_t i = 0; i < 6; i++)
      cf_image_resolve_tile_to_read(&m.image, i % 3, i / 3);
   cf_image_clear(&m.image, value, all, 0, 0, 130, 70);
   check_clears_pending(&m.image, 0);
   cf_image_clear(&m.image, value, low, 0, 0, 130, 70);
   check_clears_pending(&m.image, 0);
   cf_image_resolve_tile(&m.image, 1, 0);
   cf_image_clear(&m.image, value, all, 0, 0, 130, 70);
   check_clears_pending(&m.image, 1);
   cf_image_clear(&m.image, other, low, 0, 0, 130, 70);
   check_clears_pending(&m.image, 6);
   cf_image_resolve_tile_to_read(&m.image, 0, 0);
   uint32_t pixel;
   memcpy(&pixel, m.image.data, 4);
   assert_int_equal(pixel, 0x00ff5678);
   model_free(&m);
}

/* Clears of any bits of whole images write no memory. */
static void
masked_clears_are_lazy(void **state)
{
   (void)state;
   rng = cf_random_seed("memory-surface-masks");
   for (uint32_t round = 0; round < 40; round++) {
      struct model m;
      model_init(&m, round % 5, round % 2 ? CF_SAMPLES : 1, true, true, 1 + random_below(140), 1 + random_below(140));
      random_pixels(&m);
      uint8_t *before = malloc(m.size_B);
      memcpy(before, m.image.data, m.size_B);
      for (uint32_t i = 0; i < 4; i++) {
         uint32_t mask[4];
         const uint32_t value[4] = {random_u32(), random_u32(), random_u32(), random_u32()};
         random_mask(mask);
         cf_image_clear(&m.image, value, mask, 0, 0, m.image.width_px, m.image.height_px);
         for (uint32_t n = 0; n < m.image.width_px * m.image.height_px * m.image.samples; n++)
            merge_pixel(m.pixel[n], value, mask, m.image.format->pixel_B);
      }
      assert_memory_equal(m.image.data, before, m.size_B);
      model_check(&m);
      free(before);
      model_free(&m);
   }
}

/* Clears of a rectangle only write to tiles at its border. */
static void
border_alone_is_written(void **state)
{
   (void)state;
   struct model m;
   const uint32_t all[4] = {~0u, ~0u, ~0u, ~0u}, depth[4] = {0x00ffffff}, value[4] = {0x12345678};
   model_init(&m, 2, 1, true, true, 300, 300);
   cf_image_clear(&m.image, value, all, 10, 20, 290, 280);
   cf_image_clear(&m.image, all, depth, 20, 30, 280, 270);
   for (uint32_t y = 0; y < 300; y++) {
      for (uint32_t x = 0; x < 300; x++) {
         uint32_t pixel;
         memcpy(&pixel, m.image.data + cf_image_offset_B(&m.image, x, y), 4);
         const bool in = x >= 10 && x < 290 && y >= 20 && y < 280, inner = x >= 20 && x < 280 && y >= 30 && y < 270;
         const bool whole = x >= 64 && x < 256 && y >= 64 && y < 256;
         assert_int_equal(pixel, whole || !in ? 0 : inner ? 0x12ffffff : 0x12345678);
      }
   }
   check_clears_pending(&m.image, 9);
   model_free(&m);
}

/* A copy of known pixels does not resolve the source, and writes nothing where the destination
 * knows them already. */
static void
copies_of_clears_are_lazy(void **state)
{
   (void)state;
   const uint32_t value[4] = {0x12345678}, all[4] = {~0u, ~0u, ~0u, ~0u};
   for (uint32_t samples = 1; samples <= CF_SAMPLES; samples += CF_SAMPLES - 1) {
      struct model from, to, rows;
      model_init(&from, 2, samples, true, true, 130, 70);
      model_init(&to, 2, 1, true, true, 130, 70);
      model_init(&rows, 2, 1, false, false, 130, 70);
      cf_image_clear(&from.image, value, all, 0, 0, 130, 70);
      cf_image_copy((struct cf_image_at){ &from.image, 0, 0 },
                    (struct cf_image_at){ &to.image, 0, 0 }, 130, 70, random_average());
      cf_image_copy((struct cf_image_at){ &from.image, 1, 1 },
                    (struct cf_image_at){ &rows.image, 0, 0 }, 129, 69, random_average());
      check_clears_pending(&from.image, 6);
      check_clears_pending(&to.image, 0);
      for (size_t i = 0; i < from.size_B; i++)
         assert_int_equal(from.image.data[i], 0);
      for (uint32_t i = 0; i < 130 * 70; i++)
         assert_memory_equal(to.image.data + cf_image_offset_B(&to.image, i % 130, i / 130), value, 4);
      memset(to.image.data, 0, to.size_B); /* shows whether the next copy writes memory */
      cf_image_copy((struct cf_image_at){ &from.image, 0, 0 },
                    (struct cf_image_at){ &to.image, 0, 0 }, 130, 70, random_average());
      for (uint32_t i = 0; i < to.size_B; i++)
         assert_int_equal(to.image.data[i], 0);
      for (uint32_t i = 0; i < 129 * 69; i++)
         assert_memory_equal(rows.image.data + cf_image_offset_B(&rows.image, i % 129, i / 129), value, 4);
      model_free(&from);
      model_free(&to);
      model_free(&rows);
   }
}

/* Drawing makes only the drawn bits unknown: clearing those makes whole pixels known again. */
static void
parts_stay_known(void **state)
{
   (void)state;
   struct model m;
   const uint32_t all[4] = {~0u, ~0u, ~0u, ~0u}, depth[4] = {0x00ffffff}, value[4] = {0x2a00ffff};
   model_init(&m, 2, 1, true, true, 64, 64);
   cf_image_clear(&m.image, value, all, 0, 0, 64, 64);
   cf_image_resolve_tile_bits(&m.image, 0, 0, depth);
   assert_int_equal(m.image.tiles[0].known[0], 0xff000000);
   check_clears_pending(&m.image, 0);
   cf_image_clear(&m.image, value, depth, 0, 0, 64, 64);
   assert_int_equal(m.image.tiles[0].known[0], 0xffffffff);
   assert_int_equal(m.image.tiles[0].pending[0], 0x00ffffff);
   assert_false(cf_image_must_resolve_to_copy(&m.image, 0, 0));
   cf_image_discard(&m.image);
   assert_int_equal(m.image.tiles[0].known[0], 0xff000000);
   check_clears_pending(&m.image, 0);
   model_free(&m);
}

/* A pixel of equal samples gets the average of an image of them. */
static void
equal_samples_are_averaged_alike(void **state)
{
   (void)state;
   rng = cf_random_seed("memory-surface-average");
   for (uint32_t format = 1; format < CF_FORMAT_COUNT; format++) {
      struct model from, to;
      const struct cf_format_info *info = cf_format_info_of((enum cf_format)format);
      uint32_t log2_size = 0;
      while (log2_size < 4 && 1u << log2_size != info->pixel_B)
         log2_size++;
      if (1u << log2_size != info->pixel_B)
         continue;
      model_init(&from, log2_size, CF_SAMPLES, true, false, 4, 4);
      model_init(&to, log2_size, 1, false, false, 4, 4);
      from.image.format = to.image.format = info;
      for (uint32_t i = 0; i < 100; i++) {
         const uint32_t value[4] = {random_u32(), random_u32(), random_u32(), random_u32()}, all[4] = {~0u, ~0u, ~0u, ~0u};
         const struct cf_average_ops *ops = random_average();
         uint32_t average[4];
         cf_image_clear(&from.image, value, all, 0, 0, 4, 4);
         ops->image((struct cf_image_at){ &from.image, 0, 0 },
                    (struct cf_image_at){ &to.image, 0, 0 }, 4, 4);
         ops->equal(info, value, average);
         assert_memory_equal(average, to.image.data, info->pixel_B);
      }
      model_free(&from);
      model_free(&to);
   }
}

static void
random_operations(void **state)
{
   (void)state;
   rng = cf_random_seed("memory-surface");
   for (int round = 0; round < 160; round++) {
      const uint32_t log2_size = random_below(5);
      struct model m[3];
      for (int i = 0; i < 3; i++) {
         const uint32_t samples = random_below(3) == 0 ? CF_SAMPLES : 1;
         const bool blocks = samples > 1 || random_below(3) > 0;
         model_init(&m[i], log2_size, samples, blocks, random_below(2), 1 + random_below(140), 1 + random_below(140));
      }
      for (int i = 0; i < 3; i++)
         random_pixels(&m[i]);
      for (int step = 0; step < 30; step++) {
         struct model *a = &m[random_below(3)], *b = &m[random_below(3)];
         const uint32_t x = random_below((a->image.width_px + 63) / 64), y = random_below((a->image.height_px + 63) / 64);
         switch (random_below(9)) {
         case 0: random_copy(a, b); break;
         case 1: random_copy(a, a); break;
         case 2:
         case 3: random_clear(a); break;
         case 4: cf_image_resolve_tile_to_read(&a->image, x, y); break;
         case 5: random_gather(a, b); break;
         case 6:
         case 7: random_drawing(a, x, y); break;
         default: cf_image_resolve_tile(&a->image, x, y); break;
         }
         if (step % 5 == 4) {
            for (int i = 0; i < 3; i++)
               model_check(&m[i]);
         }
      }
      for (int i = 0; i < 3; i++) {
         resolve(&m[i].image);
         model_check(&m[i]);
         model_free(&m[i]);
      }
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(clears_are_lazy),
      cmocka_unit_test(clears_are_remembered),
      cmocka_unit_test(masked_clears_are_lazy),
      cmocka_unit_test(border_alone_is_written),
      cmocka_unit_test(copies_of_clears_are_lazy),
      cmocka_unit_test(parts_stay_known),
      cmocka_unit_test(equal_samples_are_averaged_alike),
      cmocka_unit_test(random_operations),
   };
   return cmocka_run_group_tests_name("surface", tests, NULL, NULL);
}
