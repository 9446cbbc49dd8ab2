/* SPDX-License-Identifier: MIT */
/*
 * Decoding and encoding of one channel: the formulas of the types in formats.toml. A code is the
 * channel's bits alone, from bit 0 on. Units call these functions in loops, and the JIT's IR is
 * generated from them, so they use only the C that jit/llvm/gen_jit_formulas.py knows: parameters
 * of type `enum`, `unsigned` and `bool` are constant in a loop, or when code is compiled.
 */
#ifndef CF_CHANNEL_H
#define CF_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree/arith/cf_fp.h"

enum cf_channel_type {
   CF_CHANNEL_NONE,
   CF_CHANNEL_UNORM,
   CF_CHANNEL_SNORM,
   CF_CHANNEL_UINT,
   CF_CHANNEL_SINT,
   CF_CHANNEL_FLOAT, /* 16 or 32 bits; 10 or 11, without a sign */
   CF_CHANNEL_USCALED,
   CF_CHANNEL_SSCALED,
   CF_CHANNEL_FIXED, /* 16.16 */
   CF_CHANNEL_SRGB,
   /* 9 bits of a mantissa, and in the upper 5 bits the exponent, which is that of all channels:
    * they overlap, each ends with the pixel */
   CF_CHANNEL_SHARED,
};

/* Generated (gen_formats.py). Of n bits, up to 16: 1 / (2^n - 1) in two floats, the first with room
 * for its product by any value of so many bits to be exact: u * [0] + u * [1] is u / (2^n - 1),
 * rounded once. */
extern const float cf_unorm_reciprocal[17][2];

/* sRGB code to linear; and for code n the smallest value that encodes to at least n (ties up). */
extern const float cf_srgb_to_linear[256];
extern const float cf_srgb_threshold[256];
/* From 2^-13 on, 128 buckets an octave: the code of the smallest value in each, shifted, and how
 * far from there the next code begins, in units of the last place; one that does not begin in the
 * bucket is beyond all of it. There are 1665 of them; the others are 0. */
#define CF_SRGB_CODE_SHIFT 17
extern const uint32_t cf_linear_to_srgb[2048];
/* c0 + c1 x + c2 x^2, with coefficients by bits 22 to 26 of x in [2^-13, 1], rounded down is the
 * code of x or the next one. */
extern const float cf_srgb_estimate[3][32];

/** The largest code. */
static inline uint32_t
cf_channel_max(unsigned bits)
{
   return UINT32_MAX >> (32 - bits);
}

static inline int32_t
cf_sign_extend(uint32_t code, unsigned bits)
{
   return (int32_t)(code << (32 - bits)) >> (32 - bits);
}

/* ---- normalised integers ---- */

/** a b + c, of a product a b that is exact in f32. So a multiply-add that rounds once gives the
 * same bits; code that the JIT makes uses it where the host has one. */
static inline float
cf_exact_product_plus(float a, float b, float c)
{
   return a * b + c;
}

/** GL 2.1 table 2.9, ES 3.0 equation 2.1: code / (2^bits - 1), rounded once. */
static inline float
cf_unorm_decode(uint32_t code, unsigned bits)
{
   if (bits > 24)
      return (float)((double)code / (double)cf_channel_max(bits));
   const float u = (float)(int32_t)code;
   if (bits > 16)
      return u / (float)cf_channel_max(bits);
   return cf_exact_product_plus(u, cf_unorm_reciprocal[bits][0], u * cf_unorm_reciprocal[bits][1]);
}

/** ES 3.0 equation 2.2: two codes are -1. */
static inline float
cf_snorm_decode(uint32_t code, unsigned bits)
{
   const int32_t i = cf_sign_extend(code, bits);
   if (bits > 17) {
      const float exact = (float)((double)i / (double)(int32_t)(cf_channel_max(bits) >> 1));
      return exact > -1.0f ? exact : -1.0f;
   }
   const float n = (float)i, x = cf_exact_product_plus(n, cf_unorm_reciprocal[bits - 1][0],
                                                       n * cf_unorm_reciprocal[bits - 1][1]);
   return x > -1.0f ? x : -1.0f;
}

/** Clamped to [low, 1], scaled and rounded to nearest even, exactly: the product of 24 and 32 bits
 * is rounded once, in double. NaN gives 0. */
static inline uint32_t
cf_norm_encode_exact(float x, float low, double max)
{
   const float above = x > low ? x : x == x ? low : 0.0f, inside = above < 1.0f ? above : 1.0f;
   const double magic =
      6755399441055744.0; /* 1.5 * 2^52: adding it rounds to an integer, ties to even */
   return (uint32_t)(int64_t)(((double)inside * max + magic) - magic);
}

/** Clamped to [0, 1], NaN gives 0. Up to 16 bits the product is rounded to f32 and then to the
 * nearest even code (cf_scale_to_uint); with more bits it is rounded once. The product is clamped,
 * not x: rounding keeps order, so that is the same, and vectors take one operation for each bound.
 */
static inline uint32_t
cf_unorm_encode(float x, unsigned bits)
{
   if (bits > 16)
      return cf_norm_encode_exact(x, 0.0f, (double)cf_channel_max(bits));
   const float max = (float)cf_channel_max(bits), scaled = x * max;
   const float above = scaled > 0.0f ? scaled : 0.0f, inside = above < max ? above : max;
   return cf_scale_to_uint(inside, 1.0f);
}

static inline uint32_t
cf_snorm_encode(float x, unsigned bits)
{
   return cf_norm_encode_exact(x, -1.0f, (double)(cf_channel_max(bits) >> 1)) &
          cf_channel_max(bits);
}

/* ---- sRGB ---- */

/** Linear to 8-bit sRGB (ES 3.0 section 4.1.8), to nearest; clamped, NaN gives 0. */
static inline uint32_t
cf_linear_to_srgb8(float linear)
{
   const float above_least = linear > 0x1p-13f ? linear : 0x1p-13f,
               x = above_least < 1.0f ? above_least : 1.0f;
   const uint32_t place = cf_bits(x) - cf_bits(0x1p-13f), bucket = cf_linear_to_srgb[place >> 16];
   const uint32_t next = bucket & ((1u << CF_SRGB_CODE_SHIFT) - 1);
   return (bucket >> CF_SRGB_CODE_SHIFT) + ((place & 0xffff) >= next);
}

/* ---- integers ---- */

/** The nearest integer of so many bits. */
static inline uint32_t
cf_uint_encode(uint32_t value, unsigned bits)
{
   return value < cf_channel_max(bits) ? value : cf_channel_max(bits);
}

static inline uint32_t
cf_sint_encode(int32_t value, unsigned bits)
{
   const int32_t most = (int32_t)(cf_channel_max(bits) >> 1), least = -most - 1;
   const int32_t above = value > least ? value : least, inside = above < most ? above : most;
   return (uint32_t)inside & cf_channel_max(bits);
}

/* ---- floats ---- */

/** ES 3.0 sections 2.1.3 and 2.1.4: of 10 or 11 bits, which are the upper ones of a half float, but
 * for its sign. Exact. */
static inline float
cf_ufloat_decode(uint32_t code, unsigned bits)
{
   return cf_f16_to_f32((uint16_t)(code << (15 - bits)));
}

/** To nearest even; what is below 0 gives 0, and what is finite at most the largest finite value
 * (EXT_packed_float, section 2.1.B). */
static inline uint32_t
cf_ufloat_encode(float x, unsigned bits)
{
   const unsigned dropped = 28 - bits; /* bits of the mantissa */
   const float half_unit =
      (float)(1u << (14 -
                     bits)); /* adding it rounds at 2^-14 / 2^(bits - 5), the unit of denormals */
   const uint32_t infinity = 31u << (bits - 5), nan = infinity | 1u << (bits - 6);
   uint32_t a = cf_bits(x);
   uint32_t normal =
      (a - (112u << 23) + ((1u << (dropped - 1)) - 1) + (a >> dropped & 1)) >> dropped;
   uint32_t small = a < 0x38800000u ? a : 0;
   uint32_t denormal = cf_bits(cf_float(small) + half_unit) - cf_bits(half_unit);
   uint32_t code = a < 0x38800000u ? denormal : normal;
   code = code < infinity ? code : infinity - 1;
   code = a == CF_INF_BITS ? infinity : code;
   code = a >= CF_SIGN_BIT ? 0 : code;
   return cf_isnan(x) ? nan : code;
}

static inline float
cf_float_decode(uint32_t code, unsigned bits)
{
   if (bits == 32)
      return cf_float(code);
   return bits == 16 ? cf_f16_to_f32((uint16_t)code) : cf_ufloat_decode(code, bits);
}

/** NaNs become canonical. */
static inline uint32_t
cf_float_encode(float x, unsigned bits)
{
   if (bits == 32)
      return cf_bits(cf_canon(x));
   return bits == 16 ? (uint32_t)cf_f32_to_f16(x) : cf_ufloat_encode(x, bits);
}

/* ---- floats that share their exponent ---- */

#define CF_SHARED_MANTISSA_BITS 9

/** ES 3.0 section 3.8.3.2: mantissa * 2^(exponent - 15 - 9). Exact. */
static inline float
cf_shared_decode(uint32_t code, unsigned bits)
{
   const float mantissa = (float)(int32_t)(code & ((1u << CF_SHARED_MANTISSA_BITS) - 1));
   return mantissa * cf_float(((code >> (bits - 5)) + (127 - 15 - CF_SHARED_MANTISSA_BITS)) << 23);
}

/** ES 3.0 section 3.8.3.2: the pixel nearest to r, g, b, each clamped to [0, 65408]; NaN gives 0.
 */
uint32_t cf_shared_encode(const float rgb[3]);

/* ---- all types ---- */

/** What the channel holds; of integers the bits of one. */
static inline float
cf_channel_decode(enum cf_channel_type type, unsigned bits, uint32_t code)
{
   switch (type) {
   case CF_CHANNEL_UNORM:
      return cf_unorm_decode(code, bits);
   case CF_CHANNEL_SNORM:
      return cf_snorm_decode(code, bits);
   case CF_CHANNEL_UINT:
      return cf_float(code);
   case CF_CHANNEL_SINT:
      return cf_float((uint32_t)cf_sign_extend(code, bits));
   case CF_CHANNEL_FLOAT:
      return cf_float_decode(code, bits);
   case CF_CHANNEL_USCALED:
      return cf_u2f(code);
   case CF_CHANNEL_SSCALED:
      return cf_i2f(cf_sign_extend(code, bits));
   case CF_CHANNEL_FIXED:
      return cf_i2f((int32_t)code) * 0x1p-16f;
   case CF_CHANNEL_SRGB:
      return cf_srgb_to_linear[code];
   case CF_CHANNEL_SHARED:
      return cf_shared_decode(code, bits);
   default:
      return 0.0f;
   }
}

/** The code of a value: normalised types are clamped and rounded to nearest even, NaN gives 0.
 * Integers are clamped. Not of channels that share an exponent: cf_shared_encode. */
static inline uint32_t
cf_channel_encode(enum cf_channel_type type, unsigned bits, float x)
{
   switch (type) {
   case CF_CHANNEL_UNORM:
      return cf_unorm_encode(x, bits);
   case CF_CHANNEL_SNORM:
      return cf_snorm_encode(x, bits);
   case CF_CHANNEL_UINT:
      return cf_uint_encode(cf_bits(x), bits);
   case CF_CHANNEL_SINT:
      return cf_sint_encode((int32_t)cf_bits(x), bits);
   case CF_CHANNEL_FLOAT:
      return cf_float_encode(x, bits);
   case CF_CHANNEL_USCALED:
      return cf_f2u(x) & cf_channel_max(bits);
   case CF_CHANNEL_SSCALED:
      return (uint32_t)cf_f2i(x) & cf_channel_max(bits);
   case CF_CHANNEL_FIXED:
      return (uint32_t)cf_f2i(x * 65536.0f);
   case CF_CHANNEL_SRGB:
      return cf_linear_to_srgb8(x);
   default:
      return 0;
   }
}

/* ---- loops ---- */

/* A switch on what a channel is: LOOP(type, bits) once for each type, so that formulas of one type
 * are left in each, and of floats and normalised integers for the sizes whose formulas differ. */
#define CF_CHANNEL_CASE(type, bits, LOOP)                                                          \
   case type:                                                                                      \
      LOOP(type, bits);                                                                            \
      break;
#define CF_CHANNEL_CASE_OF_NORM(type, bits, LOOP)                                                  \
   case type:                                                                                      \
      if ((bits) <= 16)                                                                            \
         LOOP(type, bits);                                                                         \
      else                                                                                         \
         LOOP(type, bits);                                                                         \
      break;
#define CF_CHANNEL_LOOPS(type, bits, LOOP)                                                         \
   switch (type) {                                                                                 \
      CF_CHANNEL_CASE_OF_NORM(CF_CHANNEL_UNORM, bits, LOOP)                                        \
      CF_CHANNEL_CASE_OF_NORM(CF_CHANNEL_SNORM, bits, LOOP)                                        \
      CF_CHANNEL_CASE(CF_CHANNEL_UINT, bits, LOOP)                                                 \
      CF_CHANNEL_CASE(CF_CHANNEL_SINT, bits, LOOP)                                                 \
   case CF_CHANNEL_FLOAT:                                                                          \
      if ((bits) == 32)                                                                            \
         LOOP(CF_CHANNEL_FLOAT, 32);                                                               \
      else if ((bits) == 16)                                                                       \
         LOOP(CF_CHANNEL_FLOAT, 16);                                                               \
      else                                                                                         \
         LOOP(CF_CHANNEL_FLOAT, ((bits) == 11 ? 11 : 10));                                         \
      break;                                                                                       \
      CF_CHANNEL_CASE(CF_CHANNEL_USCALED, bits, LOOP)                                              \
      CF_CHANNEL_CASE(CF_CHANNEL_SSCALED, bits, LOOP)                                              \
      CF_CHANNEL_CASE(CF_CHANNEL_FIXED, bits, LOOP)                                                \
      CF_CHANNEL_CASE(CF_CHANNEL_SRGB, bits, LOOP)                                                 \
      CF_CHANNEL_CASE(CF_CHANNEL_SHARED, bits, LOOP)                                               \
   default:                                                                                        \
      break;                                                                                       \
   }

#endif
