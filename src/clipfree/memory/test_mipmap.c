/* SPDX-License-Identifier: MIT */
/*
 * Mipmap generation against the area integral that defines it, over all texels of the larger image:
 * random sizes, layouts and formats.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/arith/cf_fp.h"
#include "clipfree/base/test_random.h"
#include "clipfree/memory/cf_mipmap.h"

static struct cf_random rng;

static uint32_t
random_below(uint32_t n)
{
   return cf_random_below(&rng, n);
}

/* Reduce at one of the host's vector levels, a different one each time. */
static void
reduce(const struct cf_image *source, const struct cf_image *second,
       const struct cf_image *destination, uint32_t first_px, uint32_t end_px)
{
   const enum cf_host_level level = random_below(cf_host_level() + 1);
   cf_mipmap_ops_at(level)->reduce(source, second, destination, first_px, end_px);
}

static struct cf_image
make_image(enum cf_format format, uint32_t width, uint32_t height, bool blocks)
{
   const struct cf_format_info *info = cf_format_info_of(format);
   struct cf_image image = {
      .format = info, .width_px = width, .height_px = height, .blocks = blocks
   };
   image.row_pitch_B = blocks ? (width + 3) / 4 * info->block_B : width * info->pixel_B;
   const size_t size_B = (size_t)image.row_pitch_B * (blocks ? (height + 3) / 4 : height);
   image.data = malloc(size_B);
   for (size_t i = 0; i < size_B; i++)
      image.data[i] = (uint8_t)random_below(256);
   if (info->channel[0].type == CF_CHANNEL_FLOAT)
      for (size_t i = 0; i < size_B; i += info->channel[0].bits / 8) {
         const float value = (float)(int32_t)(random_below(2001) - 1000) / 128.0f;
         const uint32_t bits = info->channel[0].bits == 16 ? cf_f32_to_f16(value) : cf_bits(value);
         memcpy(image.data + i, &bits, info->channel[0].bits / 8);
      }
   return image;
}

/* Length of the intersection of [a, b] and [c, d]. */
static double
overlap(double a, double b, double c, double d)
{
   return fmax(0, fmin(b, d) - fmax(a, c));
}

/* The mean of one channel (letter) over a texel's area, in integer codes or decoded values. */
static double
ref_channel(const struct cf_image *const slices[2], const struct cf_image *to, uint32_t x,
            uint32_t y, uint32_t component)
{
   double sum = 0, area = 0;
   for (int z = 0; z < 2 && slices[z]; z++)
      for (uint32_t j = 0; j < slices[z]->height_px; j++)
         for (uint32_t i = 0; i < slices[z]->width_px; i++) {
            const double sx = (double)slices[z]->width_px / to->width_px,
                         sy = (double)slices[z]->height_px / to->height_px;
            const double share =
               overlap(x * sx, (x + 1) * sx, i, i + 1) * overlap(y * sy, (y + 1) * sy, j, j + 1);
            float rgba[4];
            if (share == 0)
               continue;
            cf_format_fetch(slices[z]->format, slices[z]->data + cf_image_offset_B(slices[z], i, j),
                            rgba);
            sum += share * rgba[component];
            area += share;
         }
   return sum / area;
}

static uint32_t
component_of(char letter)
{
   return letter == 'g' ? 1 : letter == 'b' ? 2 : letter == 'a' ? 3 : 0;
}

static void
check_texel(const struct cf_image *const slices[2], const struct cf_image *to, uint32_t x,
            uint32_t y)
{
   float rgba[4];
   cf_format_fetch(to->format, to->data + cf_image_offset_B(to, x, y), rgba);
   for (uint32_t c = 0; c < to->format->channels; c++) {
      const struct cf_format_channel *channel = &to->format->channel[c];
      const uint32_t component = component_of(channel->letter);
      const double want = ref_channel(slices, to, x, y, component), got = rgba[component];
      const double steps = (double)((1ull << channel->bits) - 1);
      const double tolerance = channel->type == CF_CHANNEL_FLOAT
                                  ? fabs(want) * (channel->bits == 16 ? 0x1p-10 : 0x1p-22) + 1e-7
                               : channel->type == CF_CHANNEL_SNORM ? 1.01 / steps
                                                                   : 0.5 / steps + 1e-6;
      if (channel->type == CF_CHANNEL_SRGB)
         assert_int_equal(cf_linear_to_srgb8((float)got), cf_linear_to_srgb8((float)want));
      else if (!(fabs(got - want) <= tolerance))
         fail_msg("%s %u x %u at %u %u: %c is %g, not %g", to->format->name, to->width_px,
                  to->height_px, x, y, channel->letter, got, want);
   }
}

static const enum cf_format formats[] = {
   CF_FORMAT_R8G8B8A8_UNORM, CF_FORMAT_B8G8R8X8_UNORM,     CF_FORMAT_B5G6R5_UNORM,
   CF_FORMAT_L8_UNORM,       CF_FORMAT_L8A8_UNORM,         CF_FORMAT_A8_UNORM,
   CF_FORMAT_B4G4R4A4_UNORM, CF_FORMAT_R10G10B10A2_UNORM,  CF_FORMAT_R16G16_UNORM,
   CF_FORMAT_R8G8B8A8_SRGB,  CF_FORMAT_R16G16B16A16_FLOAT, CF_FORMAT_R32_FLOAT,
   CF_FORMAT_R8G8B8A8_SNORM, CF_FORMAT_B8G8R8X8_SRGB,      CF_FORMAT_L8A8_SRGB,
   CF_FORMAT_L16A16_FLOAT,   CF_FORMAT_R32G32B32A32_FLOAT, CF_FORMAT_R16_SNORM,
   CF_FORMAT_R16G16_SNORM,   CF_FORMAT_R8_SNORM,
};

static void
random_images(void **state)
{
   (void)state;
   rng = cf_random_seed("memory-mipmap");
   for (int n = 0; n < 400; n++) {
      const enum cf_format format = formats[random_below(sizeof(formats) / sizeof(formats[0]))];
      uint32_t width = 1 + random_below(33), height = 1 + random_below(33);
      if (random_below(2)) /* as most are */
         width = (width + 1) & ~1u, height = (height + 1) & ~1u;
      if (random_below(8) == 0)
         height = 1;
      const bool blocks = random_below(4), has_second = random_below(3) == 0;
      struct cf_image source = make_image(format, width, height, blocks),
                      second = make_image(format, width, height, blocks);
      struct cf_image to =
         make_image(format, cf_mipmap_size_px(width), cf_mipmap_size_px(height), blocks);
      const struct cf_image *const slices[2] = {&source, has_second ? &second : NULL};
      const uint32_t middle = to.height_px / 2;
      reduce(&source, slices[1], &to, 0, middle);
      reduce(&source, slices[1], &to, middle, to.height_px);
      for (uint32_t y = 0; y < to.height_px; y++)
         for (uint32_t x = 0; x < to.width_px; x++)
            check_texel(slices, &to, x, y);
      free(source.data);
      free(second.data);
      free(to.data);
   }
}

/* The fast path of four bytes: every sum of four bytes, in every channel, ties to even; equal to
 * the slow path. */
static void
ties_to_even(void **state)
{
   (void)state;
   for (uint32_t sum = 0; sum <= 4 * 255; sum++) {
      const uint32_t part[4] = {sum / 4, (sum + 1) / 4, (sum + 2) / 4, (sum + 3) / 4};
      const uint32_t rest = sum % 4, want = sum / 4 + (rest == 3 || (rest == 2 && (sum / 4 & 1)));
      for (int blocks = 0; blocks < 2; blocks++) {
         struct cf_image source = make_image(CF_FORMAT_R8G8B8A8_UNORM, 2, 2, blocks),
                         to = make_image(CF_FORMAT_R8G8B8A8_UNORM, 1, 1, blocks);
         for (uint32_t i = 0; i < 4; i++) {
            const uint32_t pixel = part[i] * 0x01010101u;
            memcpy(source.data + cf_image_offset_B(&source, i & 1, i >> 1), &pixel, 4);
         }
         reduce(&source, NULL, &to, 0, 1);
         const uint32_t expected = want * 0x01010101u;
         assert_memory_equal(to.data, &expected, 4);
         free(source.data);
         free(to.data);
      }
   }
}

/* Half floats of any bits, whose sums are exact, too. */
static void
fill_with_halves(struct cf_image *image, uint32_t rows)
{
   for (size_t i = 0; i < (size_t)image->row_pitch_B * rows; i++)
      image->data[i] = (uint8_t)random_below(256);
}

/* The path for 2x2 texels gives the same bits as the general path, here taken with two equal
 * slices. Sums of such values are exact. */
static void
rows_of_fours(void **state)
{
   (void)state;
   uint32_t tried = 0;
   rng = cf_random_seed("memory-mipmap-fours");
   for (uint32_t code = 1; code < CF_FORMAT_COUNT; code++) {
      if (!cf_format_has_mean(cf_format_info_of(code)) ||
          !(cf_format_info_of(code)->uses & CF_USE_TEXTURE))
         continue;
      for (int blocks = 0; blocks < 2; blocks++) {
         struct cf_image source = make_image(code, 32, 24, blocks),
                         to = make_image(code, 16, 12, blocks),
                         two = make_image(code, 16, 12, blocks);
         if (source.format->channel[0].type == CF_CHANNEL_FLOAT &&
             source.format->channel[0].bits == 16)
            fill_with_halves(&source, blocks ? 24 / 4 : 24);
         reduce(&source, NULL, &to, 0, 12);
         reduce(&source, &source, &two, 0, 12);
         for (uint32_t i = 0; i < 16 * 12; i++) { /* unused channels differ */
            float rgba[4], rgba_two[4];
            cf_format_fetch(to.format, to.data + i * to.format->pixel_B, rgba);
            cf_format_fetch(to.format, two.data + i * to.format->pixel_B, rgba_two);
            assert_memory_equal(rgba, rgba_two, sizeof(rgba));
         }
         free(source.data);
         free(to.data);
         free(two.data);
         tried++;
      }
   }
   assert_true(tried >= 2 * 40);
}

/* Four equal half floats have themselves as mean, NaNs the canonical one: all codes, by the path
 * for quads and by the general one. */
static void
every_half(void **state)
{
   (void)state;
   enum { SIZE_PX = 128 };
   for (int blocks = 0; blocks < 2; blocks++) {
      struct cf_image source =
                         make_image(CF_FORMAT_R16G16B16A16_FLOAT, 2 * SIZE_PX, 2 * SIZE_PX, blocks),
                      to = make_image(CF_FORMAT_R16G16B16A16_FLOAT, SIZE_PX, SIZE_PX, blocks);
      for (uint32_t i = 0; i < 4 * SIZE_PX * SIZE_PX; i++) {
         const uint32_t x = i % (2 * SIZE_PX), y = i / (2 * SIZE_PX),
                        first = 4 * (y / 2 * SIZE_PX + x / 2);
         const uint16_t texel[4] = { (uint16_t)first, (uint16_t)(first + 1), (uint16_t)(first + 2),
                                     (uint16_t)(first + 3) };
         memcpy(source.data + cf_image_offset_B(&source, x, y), texel, sizeof(texel));
      }
      for (int level = 0; level <= (int)cf_host_level(); level++) {
         cf_mipmap_ops_at(level)->reduce(&source, NULL, &to, 0, SIZE_PX);
         for (uint32_t code = 0; code < 1u << 16; code++) {
            const uint32_t x = code / 4 % SIZE_PX, y = code / 4 / SIZE_PX;
            uint16_t texel[4];
            memcpy(texel, to.data + cf_image_offset_B(&to, x, y), sizeof(texel));
            const bool is_nan = (code & 0x7fff) > 0x7c00, is_zero = (code & 0x7fff) == 0;
            assert_int_equal(texel[code % 4], is_nan ? 0x7e00 : is_zero ? 0 : code);
         }
      }
      free(source.data);
      free(to.data);
   }
}

static void
unsupported_formats(void **state)
{
   (void)state;
   assert_true(cf_format_has_mean(cf_format_info_of(CF_FORMAT_R8G8B8A8_SRGB)));
   assert_false(cf_format_has_mean(cf_format_info_of(CF_FORMAT_Z24_UNORM_S8_UINT)));
   assert_false(cf_format_has_mean(cf_format_info_of(CF_FORMAT_DXT5_RGBA)));
   assert_false(cf_format_has_mean(cf_format_info_of(CF_FORMAT_R32_UINT)));
   assert_false(cf_format_has_mean(cf_format_info_of(CF_FORMAT_NONE)));
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_images),       cmocka_unit_test(ties_to_even),
      cmocka_unit_test(rows_of_fours),       cmocka_unit_test(every_half),
      cmocka_unit_test(unsupported_formats),
   };
   return cmocka_run_group_tests_name("memory-mipmap", tests, NULL, NULL);
}
