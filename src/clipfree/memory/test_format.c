/* SPDX-License-Identifier: MIT */
/*
 * Formats: known values of every channel type; every format's representable values survive fetch
 * and store.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "clipfree/arith/cf_fp.h"
#include "clipfree/memory/cf_format.h"

static void
fetch(enum cf_format format, uint64_t low, float rgba[4])
{
   uint8_t pixel[16] = {0};
   memcpy(pixel, &low, sizeof(low));
   cf_format_fetch(cf_format_info_of(format), pixel, rgba);
}

static void
assert_rgba(const float got[4], float r, float g, float b, float a)
{
   const float want[4] = {r, g, b, a};
   for (int i = 0; i < 4; i++)
      assert_true(got[i] == want[i]);
}

static void
known_values(void **state)
{
   (void)state;
   float rgba[4];
   fetch(CF_FORMAT_B5G6R5_UNORM, 0xf800, rgba);
   assert_rgba(rgba, 1, 0, 0, 1);
   fetch(CF_FORMAT_B8G8R8A8_UNORM, 0x80ff0033, rgba);
   assert_rgba(rgba, 1, 0, 0.2f, 128.0f / 255.0f);
   fetch(CF_FORMAT_L8A8_UNORM, 0xff33, rgba);
   assert_rgba(rgba, 0.2f, 0.2f, 0.2f, 1);
   fetch(CF_FORMAT_A8_UNORM, 0xff, rgba);
   assert_rgba(rgba, 0, 0, 0, 1);
   fetch(CF_FORMAT_I8_UNORM, 0x33, rgba);
   assert_rgba(rgba, 0.2f, 0.2f, 0.2f, 0.2f);
   fetch(CF_FORMAT_R8G8_SNORM, 0x8081, rgba);
   assert_rgba(rgba, -1, -1, 0, 1);
   fetch(CF_FORMAT_R16G16_FLOAT, 0xc0003c00, rgba);
   assert_rgba(rgba, 1, -2, 0, 1);
   fetch(CF_FORMAT_R32G32_FIXED, 0xffff000000018000u, rgba);
   assert_rgba(rgba, 1.5f, -1, 0, 1);
   fetch(CF_FORMAT_R8G8B8A8_SSCALED, 0x7f80ff01, rgba);
   assert_rgba(rgba, 1, -1, -128, 127);
   fetch(CF_FORMAT_Z24_UNORM_S8_UINT, 0xabffffff, rgba);
   assert_rgba(rgba, 1, 1, 1, 1);
   fetch(CF_FORMAT_R32_UINT, 7, rgba);
   assert_int_equal(cf_bits(rgba[0]), 7);
   assert_int_equal(cf_bits(rgba[3]), 1);
}

static void
srgb_follows_the_definition(void **state)
{
   (void)state;
   for (int n = 0; n < 256; n++) {
      const double c = n / 255.0;
      const double linear = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
      assert_true(fabs(cf_srgb_to_linear[n] - linear) <= 1e-7 * linear);
      assert_int_equal(cf_linear_to_srgb8(cf_srgb_to_linear[n]), n);
      if (n > 0) {
         assert_int_equal(cf_linear_to_srgb8(cf_srgb_threshold[n]), n);
         assert_int_equal(cf_linear_to_srgb8(nextafterf(cf_srgb_threshold[n], 0)), n - 1);
      }
   }
   assert_int_equal(cf_linear_to_srgb8(NAN), 0);
   for (int i = 0; i < 2; i++) {
      const float sign = i ? -1 : 1;
      assert_int_equal(cf_linear_to_srgb8(sign * INFINITY), i ? 0 : 255);
      assert_int_equal(cf_linear_to_srgb8(sign * 2), i ? 0 : 255);
      assert_int_equal(cf_linear_to_srgb8(sign * FLT_MIN), 0);
      assert_int_equal(cf_linear_to_srgb8(sign * 0), 0);
   }
}

/* The highest code whose threshold is at most x. */
static uint32_t
ref_srgb8(float x)
{
   uint32_t code = 0;
   while (code < 255 && x >= cf_srgb_threshold[code + 1])
      code++;
   return code;
}

/* Values around the limits of buckets, and random ones between 2^-16 and 2. */
static void
srgb_buckets(void **state)
{
   (void)state;
   uint32_t random = 2024;
   for (uint32_t bits = cf_bits(0x1p-16f); bits <= cf_bits(2.0f); bits += 1 << 16) {
      for (uint32_t n = 0; n < 8; n++) {
         random = random * 1664525 + 1013904223;
         const uint32_t at = n < 3 ? bits + n - 1 : bits + (random >> 16);
         assert_int_equal(cf_linear_to_srgb8(cf_float(at)), ref_srgb8(cf_float(at)));
      }
   }
}

/* Bytes -> rgba -> bytes is the identity for formats whose r, g, b, a read every channel. */
static void
round_trip(void **state)
{
   (void)state;
   uint32_t random = 12345, tried = 0;
   for (uint32_t code = 1; code < CF_FORMAT_COUNT; code++) {
      const struct cf_format_info *format = cf_format_info_of(code);
      if (!format->pixel_B || format->channel[0].letter == 'z' || format->channel[0].letter == 's')
         continue;
      for (int n = 0; n < 2000; n++) {
         uint8_t pixel[16], again[16];
         float rgba[4], rgba_again[4];
         for (uint32_t i = 0; i < 16; i++) {
            random = random * 1664525 + 1013904223;
            pixel[i] = (uint8_t)(n == 0 ? 0 : n == 1 ? 255 : random >> 24);
         }
         cf_format_fetch(format, pixel, rgba);
         cf_format_store(format, again, rgba);
         cf_format_fetch(format, again, rgba_again);
         for (int i = 0; i < 4; i++)
            assert_true(cf_bits(cf_canon(rgba[i])) == cf_bits(cf_canon(rgba_again[i])));
         tried++;
      }
   }
   assert_true(tried > 100000);
}

static void
store_clamps_and_rounds(void **state)
{
   (void)state;
   uint8_t pixel[16];
   cf_format_store(cf_format_info_of(CF_FORMAT_R8G8B8A8_UNORM), pixel, (float[]){-1, 2, NAN, 0.5f});
   assert_memory_equal(pixel, ((uint8_t[]){0, 255, 0, 128}), 4); /* 127.5 is a tie: even */
   cf_format_store(cf_format_info_of(CF_FORMAT_R8G8_SNORM), pixel, (float[]){-2, 2, 0, 0});
   assert_memory_equal(pixel, ((uint8_t[]){0x81, 0x7f}), 2);
   cf_format_store(cf_format_info_of(CF_FORMAT_B5G6R5_UNORM), pixel, (float[]){1, 0, 0, 0});
   assert_memory_equal(pixel, ((uint8_t[]){0x00, 0xf8}), 2);
}

/* A code that no format has is that of none. */
static void
unknown_codes(void **state)
{
   (void)state;
   const struct cf_format_info *none = cf_format_info_of(CF_FORMAT_NONE);
   assert_int_equal(none->pixel_B, 0);
   assert_ptr_equal(cf_format_info_of((enum cf_format)CF_FORMAT_COUNT), none);
   assert_ptr_equal(cf_format_info_of((enum cf_format)UINT32_MAX), none);
   assert_ptr_not_equal(cf_format_info_of((enum cf_format)(CF_FORMAT_COUNT - 1)), none);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_values),
      cmocka_unit_test(unknown_codes),
      cmocka_unit_test(srgb_follows_the_definition),
      cmocka_unit_test(srgb_buckets),
      cmocka_unit_test(round_trip),
      cmocka_unit_test(store_clamps_and_rounds),
   };
   return cmocka_run_group_tests_name("memory-format", tests, NULL, NULL);
}
