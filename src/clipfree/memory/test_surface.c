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
#include "clipfree/memory/cf_channel.h"
#include "clipfree/memory/cf_surface.h"
#include "clipfree/memory/test_image.h"

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
   struct test_image m;
   test_image_init(&m, 2, 1, true, true, 130, 70);
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
   test_image_resolve(&m.image);
   check_clears_pending(&m.image, 0);
   test_image_free(&m);
}

/* A tile resolved for reading stays known: the next clear to the same value writes nothing, until a
 * draw. */
static void
clears_are_remembered(void **state)
{
   (void)state;
   struct test_image m;
   test_image_init(&m, 2, 1, true, true, 130, 70);
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
   test_image_free(&m);
}

/* Clears of any bits of whole images write no memory. */
static void
masked_clears_are_lazy(void **state)
{
   (void)state;
   test_image_random = cf_random_seed("memory-surface-masks");
   for (uint32_t round = 0; round < 40; round++) {
      struct test_image m;
      test_image_init(&m, round % 5, round % 2 ? CF_SAMPLES : 1, true, true,
                      1 + test_image_below(140), 1 + test_image_below(140));
      test_image_pixels(&m);
      uint8_t *before = malloc(m.size_B);
      memcpy(before, m.image.data, m.size_B);
      for (uint32_t i = 0; i < 4; i++) {
         uint32_t mask[4];
         const uint32_t value[4] = { test_image_u32(), test_image_u32(), test_image_u32(),
                                     test_image_u32() };
         test_image_mask(mask);
         cf_image_clear(&m.image, value, mask, 0, 0, m.image.width_px, m.image.height_px);
         for (uint32_t n = 0; n < m.image.width_px * m.image.height_px * m.image.samples; n++)
            test_merge_pixel(m.pixel[n], value, mask, m.image.format->pixel_B);
      }
      assert_memory_equal(m.image.data, before, m.size_B);
      test_image_check(&m);
      free(before);
      test_image_free(&m);
   }
}

/* Clears of a rectangle only write to tiles at its border. */
static void
border_alone_is_written(void **state)
{
   (void)state;
   struct test_image m;
   const uint32_t all[4] = {~0u, ~0u, ~0u, ~0u}, depth[4] = {0x00ffffff}, value[4] = {0x12345678};
   test_image_init(&m, 2, 1, true, true, 300, 300);
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
   test_image_free(&m);
}

/* A copy of known pixels does not resolve the source, and writes nothing where the destination
 * knows them already. */
static void
copies_of_clears_are_lazy(void **state)
{
   (void)state;
   const uint32_t value[4] = {0x12345678}, all[4] = {~0u, ~0u, ~0u, ~0u};
   for (uint32_t samples = 1; samples <= CF_SAMPLES; samples += CF_SAMPLES - 1) {
      struct test_image from, to, rows;
      test_image_init(&from, 2, samples, true, true, 130, 70);
      test_image_init(&to, 2, 1, true, true, 130, 70);
      test_image_init(&rows, 2, 1, false, false, 130, 70);
      cf_image_clear(&from.image, value, all, 0, 0, 130, 70);
      cf_image_copy((struct cf_image_at){ &from.image, 0, 0 },
                    (struct cf_image_at){ &to.image, 0, 0 }, 130, 70);
      cf_image_copy((struct cf_image_at){ &from.image, 1, 1 },
                    (struct cf_image_at){ &rows.image, 0, 0 }, 129, 69);
      check_clears_pending(&from.image, 6);
      check_clears_pending(&to.image, 0);
      for (size_t i = 0; i < from.size_B; i++)
         assert_int_equal(from.image.data[i], 0);
      for (uint32_t i = 0; i < 130 * 70; i++)
         assert_memory_equal(to.image.data + cf_image_offset_B(&to.image, i % 130, i / 130), value, 4);
      memset(to.image.data, 0, to.size_B); /* shows whether the next copy writes memory */
      cf_image_copy((struct cf_image_at){ &from.image, 0, 0 },
                    (struct cf_image_at){ &to.image, 0, 0 }, 130, 70);
      for (uint32_t i = 0; i < to.size_B; i++)
         assert_int_equal(to.image.data[i], 0);
      for (uint32_t i = 0; i < 129 * 69; i++)
         assert_memory_equal(rows.image.data + cf_image_offset_B(&rows.image, i % 129, i / 129), value, 4);
      test_image_free(&from);
      test_image_free(&to);
      test_image_free(&rows);
   }
}

/* Drawing makes only the drawn bits unknown: clearing those makes whole pixels known again. */
static void
parts_stay_known(void **state)
{
   (void)state;
   struct test_image m;
   const uint32_t all[4] = {~0u, ~0u, ~0u, ~0u}, depth[4] = {0x00ffffff}, value[4] = {0x2a00ffff};
   test_image_init(&m, 2, 1, true, true, 64, 64);
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
   test_image_free(&m);
}

/* cf_average_equal equals cf_image_average of equal samples. */
static void
equal_samples_are_averaged_alike(void **state)
{
   (void)state;
   test_image_random = cf_random_seed("memory-surface-average");
   for (uint32_t format = 1; format < CF_FORMAT_COUNT; format++) {
      struct test_image from, to;
      const struct cf_format_info *info = cf_format_info_of((enum cf_format)format);
      uint32_t log2_size = 0;
      while (log2_size < 4 && 1u << log2_size != info->pixel_B)
         log2_size++;
      if (1u << log2_size != info->pixel_B)
         continue;
      test_image_init(&from, log2_size, CF_SAMPLES, true, false, 4, 4);
      test_image_init(&to, log2_size, 1, false, false, 4, 4);
      from.image.format = to.image.format = info;
      for (uint32_t i = 0; i < 100; i++) {
         const uint32_t value[4] = { test_image_u32(), test_image_u32(), test_image_u32(),
                                     test_image_u32() },
                        all[4] = { ~0u, ~0u, ~0u, ~0u };
         uint32_t average[4];
         cf_image_clear(&from.image, value, all, 0, 0, 4, 4);
         cf_image_average((struct cf_image_at){ &from.image, 0, 0 },
                          (struct cf_image_at){ &to.image, 0, 0 }, 4, 4);
         cf_average_equal(info, value, average);
         assert_memory_equal(average, to.image.data, info->pixel_B);
      }
      test_image_free(&from);
      test_image_free(&to);
   }
}

/* The average of a channel's codes, one at a time. */
static uint32_t
average_code(const struct cf_format_channel *channel, const uint32_t code[4])
{
   const enum cf_channel_type type = channel->type;
   float value[4];
   if (type == CF_CHANNEL_UNORM)
      return (uint32_t)(((uint64_t)code[0] + code[1] + code[2] + code[3] + 2) / 4);
   if (type != CF_CHANNEL_SRGB && type != CF_CHANNEL_FLOAT)
      return code[0];
   for (int s = 0; s < 4; s++)
      value[s] = cf_channel_decode(type, channel->bits, code[s]);
   return cf_channel_encode(type, channel->bits,
                            ((value[0] + value[1]) + (value[2] + value[3])) / 4);
}

static void
average_channels(const struct cf_format_info *format, const uint8_t *const sample[4],
                 uint32_t pixel, uint32_t out[4])
{
   memset(out, 0, 4 * sizeof(out[0]));
   for (uint32_t c = 0; c < format->channels; c++) {
      const struct cf_format_channel *channel = &format->channel[c];
      const uint32_t w = channel->offset_bits / 32, shift = channel->offset_bits % 32;
      uint32_t code[4];
      for (int s = 0; s < 4; s++) {
         uint32_t word[4] = { 0 };
         memcpy(word, sample[s] + pixel * format->pixel_B, format->pixel_B);
         code[s] = word[w] >> shift & cf_channel_max(channel->bits);
      }
      out[w] |= average_code(channel, code) << shift;
   }
}

/* Blocks of each format, at each host level: of any bits, of the largest and the smallest codes, of
 * numbers near each other. */
static void
blocks_are_averaged_by_channel(void **state)
{
   (void)state;
   test_image_random = cf_random_seed("memory-surface-blocks");
   for (uint32_t format = 1; format < CF_FORMAT_COUNT; format++) {
      const struct cf_format_info *info = cf_format_info_of((enum cf_format)format);
      if (info->compression || !info->pixel_B || (info->pixel_B & (info->pixel_B - 1)))
         continue;
      for (uint32_t n = 0; n < 60; n++) {
         _Alignas(64) uint32_t block[4][16 * 4];
         uint8_t out[16 * 16];
         const uint8_t *const sample[4] = { (uint8_t *)block[0], (uint8_t *)block[1],
                                            (uint8_t *)block[2], (uint8_t *)block[3] };
         for (uint32_t i = 0; i < 16 * 4; i++) {
            const uint32_t kind = test_image_below(4), first = test_image_u32();
            for (int s = 0; s < 4; s++)
               block[s][i] = kind == 0   ? 0u - test_image_below(2)
                             : kind == 1 ? first + test_image_below(3)
                                         : test_image_u32();
         }
         cf_average_ops_at(test_image_below(cf_host_level() + 1))->block(info, sample, out);
         for (uint32_t pixel = 0; pixel < 16; pixel++) {
            uint32_t average[4];
            average_channels(info, sample, pixel, average);
            assert_memory_equal(out + pixel * info->pixel_B, average, info->pixel_B);
         }
      }
   }
}

static void
random_operations(void **state)
{
   (void)state;
   test_image_random = cf_random_seed("memory-surface");
   for (int round = 0; round < 160; round++) {
      const uint32_t log2_size = test_image_below(5);
      struct test_image m[3];
      for (int i = 0; i < 3; i++) {
         const uint32_t samples = test_image_below(3) == 0 ? CF_SAMPLES : 1;
         const bool blocks = samples > 1 || test_image_below(3) > 0;
         test_image_init(&m[i], log2_size, samples, blocks, test_image_below(2),
                         1 + test_image_below(140), 1 + test_image_below(140));
      }
      for (int i = 0; i < 3; i++)
         test_image_pixels(&m[i]);
      for (int step = 0; step < 30; step++) {
         struct test_image *a = &m[test_image_below(3)], *b = &m[test_image_below(3)];
         const uint32_t x = test_image_below((a->image.width_px + 63) / 64),
                        y = test_image_below((a->image.height_px + 63) / 64);
         switch (test_image_below(9)) {
         case 0:
            test_image_copy(a, b);
            break;
         case 1:
            test_image_copy(a, a);
            break;
         case 2:
         case 3:
            test_image_clear(a);
            break;
         case 4: cf_image_resolve_tile_to_read(&a->image, x, y); break;
         case 5:
            test_image_gather(a, b);
            break;
         case 6:
         case 7:
            test_image_draw(a, x, y);
            break;
         default: cf_image_resolve_tile(&a->image, x, y); break;
         }
         if (step % 5 == 4) {
            for (int i = 0; i < 3; i++)
               test_image_check(&m[i]);
         }
      }
      for (int i = 0; i < 3; i++) {
         test_image_resolve(&m[i].image);
         test_image_check(&m[i]);
         test_image_free(&m[i]);
      }
   }
}

/* Whole rows of an image are one piece of memory where both images' rows join without a gap; random
 * pitches leave gaps in either, both or none. */
static void
whole_rows(void **state)
{
   (void)state;
   enum { WIDTH_PX = 132, HEIGHT_PX = 136 };
   test_image_random = cf_random_seed("memory-surface-rows");
   for (uint32_t i = 0; i < 160; i++) {
      const uint32_t log2_size = i % 5, blocks = i / 5 % 2;
      const uint32_t min_px = 4 * test_image_below(HEIGHT_PX / 4),
                     height_px = 4 + 4 * test_image_below((HEIGHT_PX - min_px) / 4);
      struct test_image from, to;
      test_image_init(&from, log2_size, 1, blocks, i / 10 % 2, WIDTH_PX, HEIGHT_PX);
      test_image_init(&to, log2_size, 1, blocks, i / 20 % 2, WIDTH_PX, HEIGHT_PX);
      test_image_pixels(&from);
      test_image_pixels(&to);
      cf_image_copy((struct cf_image_at){ &from.image, 0, min_px },
                    (struct cf_image_at){ &to.image, 0, min_px }, WIDTH_PX, height_px);
      memcpy(to.pixel[(size_t)min_px * WIDTH_PX], from.pixel[(size_t)min_px * WIDTH_PX],
             (size_t)height_px * WIDTH_PX * sizeof(to.pixel[0]));
      test_image_check(&from);
      test_image_check(&to);
      test_image_free(&from);
      test_image_free(&to);
   }
}

/* Rectangles without pixels, or beside the image, change nothing. */
static void
nothing_to_do(void **state)
{
   (void)state;
   struct test_image a, b;
   const uint32_t value[4] = { 0x12345678 }, all[4] = { ~0u, ~0u, ~0u, ~0u }, place = 0;
   test_image_init(&a, 2, 1, true, true, 70, 70);
   test_image_init(&b, 2, 1, true, true, 70, 70);
   test_image_pixels(&a);
   test_image_pixels(&b);
   cf_image_clear(&b.image, value, all, 10, 10, 10, 20);
   cf_image_clear(&b.image, value, all, 10, 10, 20, 10);
   cf_image_clear(&b.image, value, all, 70, 0, 80, 70);
   const struct cf_image_at from = { &a.image, 5, 5 }, to = { &b.image, 6, 6 };
   cf_image_copy(from, to, 0, 9);
   cf_image_copy(from, to, 9, 0);
   cf_image_copy_bits(from, to, 0, 9, all);
   cf_image_gather(&a.image, &place, &place, to, 0, 1, NULL);
   cf_image_gather(&a.image, &place, &place, to, 1, 0, NULL);
   check_clears_pending(&b.image, 0);
   test_image_check(&b);
   test_image_free(&a);
   test_image_free(&b);
}

/* Discarded clears are not written; an image without states of tiles has none. */
static void
discarded(void **state)
{
   (void)state;
   const uint32_t value[4] = { 0x12345678 }, all[4] = { ~0u, ~0u, ~0u, ~0u };
   struct test_image lazy, plain;
   test_image_init(&lazy, 2, 1, true, true, 70, 70);
   cf_image_clear(&lazy.image, value, all, 0, 0, 70, 70);
   check_clears_pending(&lazy.image, 4);
   cf_image_discard(&lazy.image);
   check_clears_pending(&lazy.image, 0);
   test_image_resolve(&lazy.image);
   test_image_check(&lazy); /* zeros */
   test_image_init(&plain, 2, 1, true, false, 70, 70);
   test_image_pixels(&plain);
   cf_image_discard(&plain.image);
   test_image_check(&plain);
   test_image_free(&lazy);
   test_image_free(&plain);
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
      cmocka_unit_test(blocks_are_averaged_by_channel),
      cmocka_unit_test(random_operations),
      cmocka_unit_test(whole_rows),
      cmocka_unit_test(nothing_to_do),
      cmocka_unit_test(discarded),
   };
   return cmocka_run_group_tests_name("surface", tests, NULL, NULL);
}
