/* SPDX-License-Identifier: MIT */
/*
 * The formulas of channels against what specifications say, computed in double precision or found
 * by search: every code of at most 16 bits, and of values those at and around which a code changes,
 * and random ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "clipfree/base/test_random.h"
#include "clipfree/memory/cf_channel.h"
#include "clipfree/memory/cf_srgb_lanes.h"

static struct cf_random rng = { 20240611 };

/* ---- normalised integers ---- */

static void
unorm_is_the_quotient(void **state)
{
   (void)state;
   for (unsigned bits = 1; bits <= 16; bits++) {
      for (uint32_t code = 0; code <= cf_channel_max(bits); code++) {
         const float x = cf_unorm_decode(code, bits);
         assert_true(x == (float)code / (float)cf_channel_max(bits));
         assert_int_equal(cf_unorm_encode(x, bits), code);
      }
   }
   for (unsigned n = 0; n < 100000; n++) {
      const uint32_t code = cf_random_u32(&rng);
      assert_true(cf_unorm_decode(code >> 8, 24) == (float)(code >> 8) / 16777215.0f);
      assert_true(cf_unorm_decode(code, 32) == (float)((double)code / 4294967295.0));
   }
}

static void
snorm_is_the_quotient(void **state)
{
   (void)state;
   for (unsigned bits = 2; bits <= 16; bits++) {
      const int max = (1 << (bits - 1)) - 1;
      for (int i = -max - 1; i <= max; i++) {
         const float want = fmaxf((float)i / (float)max, -1.0f);
         assert_true(cf_snorm_decode((uint32_t)i & cf_channel_max(bits), bits) == want);
         assert_int_equal(cf_snorm_encode(want, bits),
                          (uint32_t)(i < -max ? -max : i) & cf_channel_max(bits));
      }
   }
   for (unsigned n = 0; n < 100000; n++) {
      const uint32_t code = cf_random_u32(&rng);
      assert_true(cf_snorm_decode(code, 32) ==
                  (float)fmax((double)(int32_t)code / 2147483647.0, -1.0));
   }
}

/* Around the middle between two codes, and anything. */
static float
hard_value(unsigned bits)
{
   const double max = (double)cf_channel_max(bits);
   const uint32_t code = cf_random_u32(&rng) & cf_channel_max(bits),
                  kind = cf_random_below(&rng, 8);
   const float middle = (float)(((double)code + 0.5) / max);
   return kind < 6    ? cf_float(cf_bits(middle) + kind - 3)
          : kind == 6 ? (float)code / (float)max
                      : cf_float(cf_random_u32(&rng));
}

static void
unorm_rounds_to_even(void **state)
{
   (void)state;
   static const float specials[] = { -0.0f, -1.0f, 2.0f, INFINITY, -INFINITY, NAN, 1e-30f };
   static const bool full[] = { false, false, true, true, false, false, false };
   for (unsigned bits = 1; bits <= 32; bits++) {
      const double max = (double)cf_channel_max(bits);
      for (unsigned i = 0; i < 7; i++)
         assert_int_equal(cf_unorm_encode(specials[i], bits), full[i] ? cf_channel_max(bits) : 0);
      for (unsigned n = 0; n < 20000; n++) {
         const float x = hard_value(bits), inside = x > 0 ? x < 1 ? x : 1 : 0;
         const double scaled = bits <= 16 ? (double)(inside * (float)max)
                                          : (double)inside * max; /* cf_fp.h: rounded twice */
         assert_int_equal(cf_unorm_encode(x, bits), (uint32_t)(int64_t)rint(scaled));
      }
   }
}

static void
snorm_rounds_to_even(void **state)
{
   (void)state;
   assert_int_equal(cf_snorm_encode(NAN, 8), 0);
   for (unsigned bits = 2; bits <= 32; bits++) {
      const double max = (double)(cf_channel_max(bits) >> 1);
      for (unsigned n = 0; n < 20000; n++) {
         const float positive = hard_value(bits - 1),
                     x = cf_random_below(&rng, 2) ? positive : -positive;
         const double inside = isnan(x) ? 0 : fmax(fmin((double)x, 1), -1);
         const uint32_t want = (uint32_t)(int64_t)rint(inside * max) & cf_channel_max(bits);
         assert_int_equal(cf_snorm_encode(x, bits), want);
      }
   }
}

/* ---- floats without a sign ---- */

/* ES 3.0 section 2.1.3. */
static double
ufloat_value(uint32_t code, unsigned bits)
{
   const unsigned mantissa_bits = bits - 5, exponent = code >> mantissa_bits,
                  mantissa = code & ((1u << mantissa_bits) - 1);
   if (exponent == 31)
      return mantissa ? (double)NAN : (double)INFINITY;
   if (exponent == 0)
      return ldexp(mantissa, -14 - (int)mantissa_bits);
   return ldexp(1.0 + ldexp(mantissa, -(int)mantissa_bits), (int)exponent - 15);
}

static void
ufloat_is_the_definition(void **state)
{
   (void)state;
   for (unsigned bits = 10; bits <= 11; bits++) {
      for (uint32_t code = 0; code < 1u << bits; code++) {
         const float got = cf_ufloat_decode(code, bits);
         const double want = ufloat_value(code, bits);
         assert_true(isnan(want) ? isnan(got) : (double)got == want);
         assert_int_equal(cf_ufloat_encode(got, bits), isnan(want) ? 0x3fu << (bits - 6) : code);
      }
   }
   assert_true(cf_ufloat_decode(0x7bf, 11) ==
               65024.0f); /* the largest, as the specification has them */
   assert_true(cf_ufloat_decode(0x3df, 10) == 64512.0f);
}

/* The nearest finite code, of two the even one. */
static uint32_t
ref_ufloat(float x, unsigned bits)
{
   const uint32_t infinity = 31u << (bits - 5);
   uint32_t best = 0;
   if (isnan(x))
      return 0x3fu << (bits - 6);
   if (isinf(x))
      return x > 0 ? infinity : 0;
   const double inside = fmax(fmin((double)x, 1e6), 0); /* differences are exact */
   for (uint32_t code = 1; code < infinity; code++) {
      const double distance = fabs(ufloat_value(code, bits) - inside),
                   least = fabs(ufloat_value(best, bits) - inside);
      if (distance < least || (distance == least && code % 2 == 0))
         best = code;
   }
   return best;
}

static void
ufloat_rounds_to_even(void **state)
{
   (void)state;
   static const float specials[] = { 0.0f, -0.0f,    -1.0f,    -INFINITY, INFINITY, NAN,
                                     -NAN, 65024.0f, 65279.0f, 65280.0f,  1e30f,    0x1p-30f };
   for (unsigned bits = 10; bits <= 11; bits++) {
      for (unsigned i = 0; i < sizeof(specials) / sizeof(specials[0]); i++)
         assert_int_equal(cf_ufloat_encode(specials[i], bits), ref_ufloat(specials[i], bits));
      for (uint32_t code = 0; code + 1 < 31u << (bits - 5);
           code++) { /* around the middle of each two */
         const float middle =
            (float)((ufloat_value(code, bits) + ufloat_value(code + 1, bits)) / 2);
         assert_int_equal(cf_ufloat_encode(middle, bits), code + code % 2);
         assert_int_equal(cf_ufloat_encode(nextafterf(middle, 0), bits), code);
         assert_int_equal(cf_ufloat_encode(nextafterf(middle, INFINITY), bits), code + 1);
      }
      for (unsigned n = 0; n < 3000; n++) {
         const float x = cf_float(cf_random_u32(&rng));
         assert_int_equal(cf_ufloat_encode(x, bits), ref_ufloat(x, bits));
      }
   }
}

/* ---- floats that share their exponent ---- */

/* ES 3.0 section 3.8.3.2, channel c of the pixel. */
static double
shared_value(uint32_t word, unsigned c)
{
   return ldexp(word >> 9 * c & 511, (int)(word >> 27) - 15 - 9);
}

static float
shared_channel(uint32_t word, unsigned c)
{
   return cf_shared_decode(word >> 9 * c, 32 - 9 * c);
}

static void
shared_is_the_definition(void **state)
{
   (void)state;
   for (unsigned exponent = 0; exponent < 32; exponent++) {
      for (unsigned mantissa = 0; mantissa < 512; mantissa++) {
         const uint32_t word = exponent << 27 | mantissa << 18 | (511 - mantissa) << 9 | mantissa;
         for (unsigned c = 0; c < 3; c++)
            assert_true((double)shared_channel(word, c) == shared_value(word, c));
      }
   }
   assert_true(shared_channel(UINT32_MAX, 0) == 65408.0f); /* the largest */
}

/* The same section, in its words and in doubles. */
static uint32_t
ref_shared(const float rgb[3])
{
   double in[3], most = 0;
   for (unsigned c = 0; c < 3; c++) {
      in[c] = isnan(rgb[c]) ? 0 : fmax(0, fmin(65408, (double)rgb[c]));
      most = fmax(most, in[c]);
   }
   const int preliminary = (int)fmax(-16, most > 0 ? floor(log2(most)) : -16) + 1 + 15;
   const double most_s = floor(most / exp2(preliminary - 15 - 9) + 0.5);
   const int exponent = most_s == 512 ? preliminary + 1 : preliminary;
   uint32_t word = (uint32_t)exponent << 27;
   for (unsigned c = 0; c < 3; c++)
      word |= (uint32_t)floor(in[c] / exp2(exponent - 15 - 9) + 0.5) << 9 * c;
   return word;
}

static void
shared_rounds_by_its_largest(void **state)
{
   (void)state;
   static const float specials[] = { 0.0f,     -1.0f,    NAN,      INFINITY, -INFINITY, 65408.0f,
                                     65407.0f, 0x1p-16f, 0x1p-25f, 0x1p-26f, 511.5f,    1.0f };
   const unsigned count = sizeof(specials) / sizeof(specials[0]);
   for (unsigned n = 0; n < count * count * count; n++) {
      const float rgb[3] = { specials[n % count], specials[n / count % count],
                             specials[n / count / count] };
      assert_int_equal(cf_shared_encode(rgb), ref_shared(rgb));
   }
   for (unsigned n = 0; n < 100000; n++) {
      float rgb[3];
      for (unsigned c = 0; c < 3; c++) /* of 2^-28 to 2^19 */
         rgb[c] = cf_float((cf_random_below(&rng, 48) + 99) << 23 | (cf_random_u32(&rng) >> 9));
      const uint32_t word = cf_shared_encode(rgb);
      assert_int_equal(word, ref_shared(rgb));
      float again[3];
      for (unsigned c = 0; c < 3; c++)
         again[c] = shared_channel(word, c);
      for (unsigned c = 0; c < 3; c++)
         assert_true(shared_channel(cf_shared_encode(again), c) == again[c]);
   }
}

/* ---- integers and the rest ---- */

static void
integers_are_their_bits(void **state)
{
   (void)state;
   assert_int_equal(cf_bits(cf_channel_decode(CF_CHANNEL_UINT, 10, 1023)), 1023);
   assert_int_equal(cf_bits(cf_channel_decode(CF_CHANNEL_SINT, 10, 1023)), UINT32_MAX);
   assert_int_equal(cf_bits(cf_channel_decode(CF_CHANNEL_SINT, 32, 0x80000000u)), 0x80000000u);
   assert_int_equal(cf_channel_encode(CF_CHANNEL_SINT, 8, cf_float((uint32_t)-2)), 0xfe);
   for (unsigned bits = 2; bits <= 32; bits++) {
      const int64_t max = (1ll << bits) - 1, most = max >> 1;
      for (unsigned n = 0; n < 10000; n++) {
         const uint32_t value = cf_random_u32(&rng) >> cf_random_below(&rng, 32);
         const int64_t i = (int32_t)(n % 2 ? value : 0u - value), clamped = i > most ? most
                                                                            : i < -most - 1
                                                                               ? -most - 1
                                                                               : i;
         assert_int_equal(cf_channel_encode(CF_CHANNEL_SINT, bits, cf_float((uint32_t)i)),
                          clamped & max);
         assert_int_equal(cf_channel_encode(CF_CHANNEL_UINT, bits, cf_float(value)),
                          value < max ? value : max);
      }
   }
   assert_true(cf_channel_decode(CF_CHANNEL_SSCALED, 8, 0x80) == -128.0f);
   assert_true(cf_channel_decode(CF_CHANNEL_USCALED, 32, UINT32_MAX) == 4294967296.0f);
   assert_true(cf_channel_decode(CF_CHANNEL_FIXED, 32, 0xffff8000u) == -0.5f);
   assert_int_equal(cf_channel_encode(CF_CHANNEL_FIXED, 32, -0.5f), 0xffff8000u);
   assert_int_equal(cf_channel_encode(CF_CHANNEL_USCALED, 8, 255.75f), 255);
   assert_int_equal(cf_channel_encode(CF_CHANNEL_SSCALED, 16, -2.5f), 0xfffe);
   assert_int_equal(cf_channel_encode(CF_CHANNEL_NONE, 8, 1.0f), 0);
}

/* ---- sRGB in vectors ---- */

/* At and around each value where the code changes, beyond both ends, and NaN. */
static void
srgb_lanes_are_the_formula(void **state)
{
   (void)state;
   for (uint32_t i = 0; i < 256 + 8; i++) {
      static const float beyond[8] = { -1.0f, -0.0f,        0.0f,     0x1p-13f,
                                       1.5f,  0x1.fffp-14f, INFINITY, NAN };
      const float at = i < 256 ? cf_srgb_threshold[i] : beyond[i - 256];
      const cf_f32x4 linear = { nextafterf(at, -INFINITY), at, nextafterf(at, INFINITY) };
      const cf_u32x4 code = cf_linear_to_srgb8_lanes(linear);
      for (uint32_t c = 0; c < 3; c++)
         assert_int_equal(code[c], cf_linear_to_srgb8(linear[c]));
   }
}

int
main(void)
{
   printf("seed %llu\n", (unsigned long long)rng.state);
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(unorm_is_the_quotient),    cmocka_unit_test(snorm_is_the_quotient),
      cmocka_unit_test(unorm_rounds_to_even),     cmocka_unit_test(snorm_rounds_to_even),
      cmocka_unit_test(ufloat_is_the_definition), cmocka_unit_test(ufloat_rounds_to_even),
      cmocka_unit_test(shared_is_the_definition), cmocka_unit_test(shared_rounds_by_its_largest),
      cmocka_unit_test(integers_are_their_bits),  cmocka_unit_test(srgb_lanes_are_the_formula),
   };
   return cmocka_run_group_tests_name("memory-channel", tests, NULL, NULL);
}
