/* SPDX-License-Identifier: MIT */
#include "clipfree/memory/test_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/arith/cf_fp.h"

#define GUARD_B 256
#define GUARD 0xa5

struct cf_random test_image_random;

uint32_t
test_image_u32(void)
{
   return cf_random_u32(&test_image_random);
}

uint32_t
test_image_below(uint32_t n)
{
   return test_image_u32() % n;
}

static const enum cf_format format_of_size[5] = { CF_FORMAT_R8_UNORM, CF_FORMAT_B5G6R5_UNORM,
                                                  CF_FORMAT_R8G8B8A8_UNORM,
                                                  CF_FORMAT_R16G16B16A16_FLOAT,
                                                  CF_FORMAT_R32G32B32A32_FLOAT };

/* The expected value of a sample. */
static uint8_t *
expected(const struct test_image *m, uint32_t x_px, uint32_t y_px, uint32_t sample)
{
   return m->pixel[((size_t)y_px * m->image.width_px + x_px) * m->image.samples + sample];
}

void
test_image_init(struct test_image *m, uint32_t log2_size, uint32_t samples, bool blocks, bool tiles,
                uint32_t width_px, uint32_t height_px)
{
   const uint32_t pixel_B = 1u << log2_size;
   const uint32_t width_blocks = (width_px + 3) / 4, height_blocks = (height_px + 3) / 4;
   struct cf_image *image = &m->image;
   *image = (struct cf_image){ .format = cf_format_info_of(format_of_size[log2_size]),
                               .width_px = width_px,
                               .height_px = height_px,
                               .blocks = blocks,
                               .samples = samples };
   assert_int_equal(image->format->pixel_B, pixel_B);
   image->row_pitch_B = blocks ? samples * (width_blocks * 16 * pixel_B + 64 * test_image_below(2))
                               : width_px * pixel_B + test_image_below(9);
   m->size_B = (size_t)image->row_pitch_B * (blocks ? height_blocks : height_px);
   m->allocation = malloc(m->size_B + 2 * GUARD_B);
   memset(m->allocation, GUARD, m->size_B + 2 * GUARD_B);
   image->data = m->allocation + GUARD_B;
   memset(image->data, 0, m->size_B);
   m->pixel = calloc((size_t)width_px * height_px * samples, 16);
   if (tiles) {
      image->tiles_per_row = (width_px + CF_TILE_PX - 1) / CF_TILE_PX;
      image->tiles = calloc(image->tiles_per_row * ((height_px + CF_TILE_PX - 1) / CF_TILE_PX),
                            sizeof(struct cf_tile_state));
   }
}

void
test_image_free(struct test_image *m)
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
void
test_merge_pixel(uint8_t *pixel, const void *value, const void *mask, uint32_t pixel_B)
{
   const uint8_t *v = value, *m = mask;
   for (uint32_t i = 0; i < pixel_B; i++)
      pixel[i] = (uint8_t)((pixel[i] & ~m[i]) | (v[i] & m[i]));
}

/* The sample's value, tile states applied. */
static void
stored_pixel(const struct cf_image *image, uint32_t x_px, uint32_t y_px, uint32_t sample,
             uint8_t pixel[16])
{
   const uint32_t pixel_B = image->format->pixel_B;
   memcpy(pixel,
          image->data + sample * (image->row_pitch_B / image->samples) +
             cf_image_offset_B(image, x_px, y_px),
          pixel_B);
   if (image->tiles)
      test_merge_pixel(pixel, state_of(image, x_px, y_px)->value,
                       state_of(image, x_px, y_px)->pending, pixel_B);
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

void
test_image_check(const struct test_image *m)
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
   static const uint32_t unit[4] = { 1, 1, 4, 64 };
   *min = test_image_below(size) / unit[test_image_below(4)] * unit[test_image_below(4)];
   if (*min >= size)
      *min = 0;
   *max = *min + 1 + test_image_below(size - *min);
   const uint32_t u = unit[test_image_below(4)];
   *max = test_image_below(3) == 0 ? size : (*max + u - 1) / u * u;
   if (*max > size)
      *max = size;
}

/* A mask of depth, of stencil, of a byte, or of random bits. */
void
test_image_mask(uint32_t mask[4])
{
   const uint32_t kind = test_image_below(6);
   for (uint32_t i = 0; i < 4; i++)
      mask[i] = kind == 0   ? 0xff000000u
                : kind == 1 ? 0x00ffffff
                : kind == 2 ? 0xff00u
                : kind == 3 ? test_image_u32()
                            : ~0u;
}

void
test_image_clear(struct test_image *m)
{
   uint32_t value[4], mask[4], min_x, min_y, max_x, max_y;
   const bool same = test_image_below(2);
   test_image_mask(mask);
   for (uint32_t i = 0; i < 4; i++)
      value[i] = same ? 0x7f7f7f7f : test_image_u32();
   random_range(m->image.width_px, &min_x, &max_x);
   random_range(m->image.height_px, &min_y, &max_y);
   /* clipped to the image */
   const uint32_t beyond_px = test_image_below(2) && max_x == m->image.width_px ? 100 : 0;
   cf_image_clear(&m->image, value, mask, min_x, min_y, max_x + beyond_px, max_y);
   for (uint32_t y = min_y; y < max_y; y++) {
      for (uint32_t n = min_x * m->image.samples; n < max_x * m->image.samples; n++)
         test_merge_pixel(expected(m, n / m->image.samples, y, n % m->image.samples), value, mask,
                          m->image.format->pixel_B);
   }
}

/* Draw random bits of random pixels in a tile. */
void
test_image_draw(struct test_image *m, uint32_t tile_x, uint32_t tile_y)
{
   uint32_t mask[4];
   test_image_mask(mask);
   cf_image_resolve_tile_bits(&m->image, tile_x, tile_y, mask);
   for (uint32_t i = 0; i < 50; i++) {
      const uint32_t x = tile_x * 64 + test_image_below(64), y = tile_y * 64 + test_image_below(64),
                     sample = test_image_below(m->image.samples);
      const uint32_t value[4] = { test_image_u32(), test_image_u32(), test_image_u32(),
                                  test_image_u32() };
      const struct cf_image plane = cf_image_sample(&m->image, sample);
      if (x >= m->image.width_px || y >= m->image.height_px)
         continue;
      test_merge_pixel(plane.data + cf_image_offset_B(&plane, x, y), value, mask,
                       m->image.format->pixel_B);
      test_merge_pixel(expected(m, x, y, sample), value, mask, m->image.format->pixel_B);
   }
}

/* The average of four samples, format by format. */
static void
average(uint32_t pixel_B, uint8_t (*sample)[16], uint8_t out[16])
{
   uint32_t sum[3] = { 2, 2, 2 };
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

/* Convert a pixel's samples for an image of `samples` samples. */
static void
convert_samples(const struct test_image *s, uint32_t x_px, uint32_t y_px, uint32_t samples,
                bool first, uint8_t (*out)[16])
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
void
test_image_resolve(const struct cf_image *image)
{
   const uint32_t rows = image->tiles ? (image->height_px + CF_TILE_PX - 1) / CF_TILE_PX : 0;
   for (uint32_t i = 0; i < rows * image->tiles_per_row; i++)
      cf_image_resolve_tile_to_read(image, i % image->tiles_per_row, i / image->tiles_per_row);
}

void
test_image_copy(struct test_image *s, struct test_image *d)
{
   const uint32_t max_width =
      s->image.width_px < d->image.width_px ? s->image.width_px : d->image.width_px;
   const uint32_t max_height =
      s->image.height_px < d->image.height_px ? s->image.height_px : d->image.height_px;
   const uint32_t width = 1 + test_image_below(max_width),
                  height = 1 + test_image_below(max_height);
   const uint32_t align = test_image_below(2) ? ~3u : ~0u;
   const uint32_t sx = test_image_below(s->image.width_px - width + 1) & align,
                  sy = test_image_below(s->image.height_px - height + 1) & align;
   const uint32_t dx = test_image_below(d->image.width_px - width + 1) & align,
                  dy = test_image_below(d->image.height_px - height + 1) & align;
   const struct cf_image_at from = { &s->image, sx, sy }, to = { &d->image, dx, dy };
   const bool plain = test_image_below(3);
   const uint32_t mask[4] = { test_image_u32(), test_image_u32(), test_image_u32(),
                              test_image_u32() };
   if (plain)
      cf_image_copy(from, to, width, height);
   else
      cf_image_copy_bits(from, to, width, height, mask);
   const uint32_t samples = d->image.samples;
   uint8_t(*temporary)[16] = malloc((size_t)width * height * samples * 16);
   for (uint32_t i = 0; i < width * height; i++)
      convert_samples(s, sx + i % width, sy + i / width, samples, !plain, temporary + i * samples);
   if (!plain) {
      for (uint32_t i = 0; i < width * height * samples * 16; i++) {
         const uint32_t n = i / 16, pixel = n / samples, m = ((const uint8_t *)mask)[i % 16];
         const uint8_t old =
            expected(d, dx + pixel % width, dy + pixel / width, n % samples)[i % 16];
         temporary[n][i % 16] = (uint8_t)((old & ~m) | (temporary[n][i % 16] & m));
      }
   }
   for (uint32_t y = 0; y < height; y++)
      memcpy(expected(d, dx, dy + y, 0), temporary[y * width * samples], width * samples * 16);
   free(temporary);
}

/* Gather random rows and columns of an image of one sample. */
void
test_image_gather(struct test_image *s, struct test_image *d)
{
   const uint32_t width = 1 + test_image_below(d->image.width_px),
                  height = 1 + test_image_below(d->image.height_px);
   const uint32_t x0 = test_image_below(d->image.width_px - width + 1),
                  y0 = test_image_below(d->image.height_px - height + 1);
   const uint32_t mask[4] = { test_image_u32(), test_image_u32(), test_image_u32(),
                              test_image_u32() };
   const bool plain = test_image_below(2);
   uint32_t columns[TEST_IMAGE_MOST_PX], rows[TEST_IMAGE_MOST_PX];
   if (s == d || s->image.samples > 1)
      return;
   for (uint32_t i = 0; i < width; i++)
      columns[i] = test_image_below(s->image.width_px);
   for (uint32_t i = 0; i < height; i++)
      rows[i] = test_image_below(s->image.height_px);
   test_image_resolve(&s->image);
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
void
test_image_pixels(struct test_image *m)
{
   test_image_resolve(&m->image);
   for (uint32_t y = 0; y < m->image.height_px; y++) {
      for (uint32_t n = 0; n < m->image.width_px * m->image.samples; n++) {
         const uint32_t x = n / m->image.samples, sample = n % m->image.samples;
         const struct cf_image plane = cf_image_sample(&m->image, sample);
         uint32_t value[4] = { test_image_u32(), test_image_u32(), test_image_u32(),
                               test_image_u32() };
         memcpy(expected(m, x, y, sample), value, 16);
         memcpy(plane.data + cf_image_offset_B(&plane, x, y), value, m->image.format->pixel_B);
      }
   }
}
