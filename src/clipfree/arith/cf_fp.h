/* SPDX-License-Identifier: MIT */
/*
 * The floating-point and integer policy of clipfree, in one header.
 *
 * Everything that C, IEEE 754 or a host leaves open is decided here: NaN, the sign of zero,
 * conversions out of range, shift counts, division by zero.  The interpreter includes these
 * functions; the JIT emits the same operations.
 *
 * Rules:
 * - IEEE binary32, round to nearest even, denormals kept.  Compile with -ffp-contract=off and
 *   without fast-math; -fno-math-errno and -fno-trapping-math change no value and let GCC vectorise
 *   loops that call these functions.
 * - Every function is branch-free: it computes both sides and selects, so a loop over lanes
 *   becomes vectors at any width.
 * - A NaN produced by arithmetic has an unspecified sign and payload (hosts differ): cf_canon()
 *   where bits become visible (stores, bit moves, packing).  Functions that return a NaN of their
 *   own making return CF_NAN_BITS.
 * - Signalling NaNs are treated as NaNs; exception flags are never read.
 */
#ifndef CF_FP_H
#define CF_FP_H

#include <limits.h>
#include <stdint.h>

#define CF_NAN_BITS 0x7fc00000u
#define CF_INF_BITS 0x7f800000u
#define CF_SIGN_BIT 0x80000000u

/* ---- bit casts and selects ---- */

/** The bits of x. */
static inline uint32_t
cf_bits(float x)
{
   union {
      float f;
      uint32_t u;
   } v = { .f = x };
   return v.u;
}

/** The float whose bits are u. */
static inline float
cf_float(uint32_t u)
{
   union {
      uint32_t u;
      float f;
   } v = { .u = u };
   return v.f;
}

/** c ? a : b, both sides already computed. */
static inline float
cf_self(int c, float a, float b)
{
   return c ? a : b;
}

/** c ? a : b, both sides already computed. */
static inline uint32_t
cf_selu(int c, uint32_t a, uint32_t b)
{
   return c ? a : b;
}

/** The canonical NaN, 0x7fc00000. */
static inline float
cf_nan(void)
{
   return cf_float(CF_NAN_BITS);
}

/** 1 if x is a NaN. */
static inline int
cf_isnan(float x)
{
   return (cf_bits(x) & ~CF_SIGN_BIT) > CF_INF_BITS;
}

/** x with any NaN made the canonical one. */
static inline float
cf_canon(float x)
{
   return cf_float(cf_selu(cf_isnan(x), CF_NAN_BITS, cf_bits(x)));
}

static inline float
cf_fabs(float x)
{
   return cf_float(cf_bits(x) & ~CF_SIGN_BIT);
}

/** |x| with the sign of s. */
static inline float
cf_copysign(float x, float s)
{
   return cf_float((cf_bits(x) & ~CF_SIGN_BIT) | (cf_bits(s) & CF_SIGN_BIT));
}

/* ---- minimum, maximum, saturate ---- */

/**
 * Minimum (IEEE 754-2019 minimumNumber): min(x, NaN) = min(NaN, x) = x, min(-0, +0) = -0 in either
 * order, two NaNs give the canonical NaN.
 */
static inline float
cf_fmin(float a, float b)
{
   uint32_t ua = cf_bits(a), ub = cf_bits(b);
   uint32_t r = cf_selu(a < b, ua, ub);
   r = cf_selu(a == b, ua | ub, r); /* equal numbers have equal bits, except zeros */
   r = cf_selu(cf_isnan(b), ua, r);
   return cf_float(cf_selu(cf_isnan(a) & cf_isnan(b), CF_NAN_BITS, r));
}

/**
 * Maximum: max(x, NaN) = max(NaN, x) = x, max(-0, +0) = +0 in either order, two NaNs give the
 * canonical NaN.
 */
static inline float
cf_fmax(float a, float b)
{
   uint32_t ua = cf_bits(a), ub = cf_bits(b);
   uint32_t r = cf_selu(a > b, ua, ub);
   r = cf_selu(a == b, ua & ub, r);
   r = cf_selu(cf_isnan(b), ua, r);
   return cf_float(cf_selu(cf_isnan(a) & cf_isnan(b), CF_NAN_BITS, r));
}

/** x clamped to [0, 1]; NaN -> +0, -0 -> +0. In integers: fewer operations in all vector
 * instruction sets. */
static inline float
cf_fsat(float x)
{
   int32_t bits = (int32_t)cf_bits(x), positive = bits > 0 ? bits : 0;
   int32_t one = (int32_t)cf_bits(1.0f), clamped = positive < one ? positive : one;
   return cf_float(positive > (int32_t)CF_INF_BITS ? 0 : (uint32_t)clamped);
}

/* ---- rounding to integral values ---- */

/** Nearest integer, ties to even; the sign of zeros is x's; |x| >= 2^23, inf, NaN unchanged. */
static inline float
cf_round_even(float x)
{
   float a = cf_fabs(x);
   float r = (a + 0x1p23f) - 0x1p23f; /* the addition rounds at the units bit */
   return cf_self(a < 0x1p23f, cf_copysign(r, x), x);
}

/** Towards zero; otherwise as cf_round_even. */
static inline float
cf_trunc(float x)
{
   float a = cf_fabs(x);
   float r = (a + 0x1p23f) - 0x1p23f;
   r = r - cf_self(r > a, 1.0f, 0.0f);
   return cf_self(a < 0x1p23f, cf_copysign(r, x), x);
}

/** Largest integral value <= x; floor(-0) = -0. */
static inline float
cf_floor(float x)
{
   float r = cf_round_even(x);
   float f = r - cf_self(r > x, 1.0f, 0.0f);
   return cf_copysign(f, x);
}

/** Smallest integral value >= x; ceil(-0.5) = -0. */
static inline float
cf_ceil(float x)
{
   float r = cf_round_even(x);
   float c = r + cf_self(r < x, 1.0f, 0.0f);
   return cf_copysign(c, x);
}

/**
 * x - floor(x), always in [0, 1): where the subtraction would round up to 1 (tiny negative x) the
 * result is the largest float below 1.  Inf and NaN -> canonical NaN.
 */
static inline float
cf_fract(float x)
{
   float r = x - cf_floor(x);
   r = cf_self(r >= 1.0f, 0x1.fffffep-1f, r);
   return cf_canon(r);
}

/* ---- float <-> integer ---- */

/** float -> int32, towards zero, saturating; NaN -> 0. */
static inline int32_t
cf_f2i(float x)
{
   float c = cf_self(x >= -0x1p31f, x, -0x1p31f);
   c = cf_self(c < 0x1p31f, c, 0x1.fffffep30f);
   c = cf_self(cf_isnan(x), 0.0f, c);
   int32_t i = (int32_t)c;
   return x >= 0x1p31f ? INT32_MAX : i;
}

/** float -> uint32, towards zero, saturating: negative and NaN -> 0. */
static inline uint32_t
cf_f2u(float x)
{
   float c = cf_self(x > 0.0f, x, 0.0f);
   c = cf_self(c < 0x1p32f, c, 0x1.fffffep31f);
   int big = c >= 0x1p31f; /* SSE2 and AVX2 convert to signed only */
   uint32_t u = (uint32_t)(int32_t)(c - cf_self(big, 0x1p31f, 0.0f));
   u ^= cf_selu(big, CF_SIGN_BIT, 0);
   return cf_selu(x >= 0x1p32f, UINT32_MAX, u);
}

/** int32 -> float, rounded to nearest even. */
static inline float
cf_i2f(int32_t i)
{
   return (float)i;
}

/** uint32 -> float, rounded to nearest even (once: the halves and their scaling are exact). */
static inline float
cf_u2f(uint32_t u)
{
   return (float)(int32_t)(u >> 16) * 0x1p16f + (float)(int32_t)(u & 0xffff);
}

/* ---- half floats ---- */

/** float -> binary16 bits, to nearest even, with denormals; overflow -> inf, NaN -> 0x7e00. */
static inline uint16_t
cf_f32_to_f16(float x)
{
   uint32_t u = cf_bits(x);
   uint32_t a = u & ~CF_SIGN_BIT;
   uint32_t sign = (u >> 16) & 0x8000;
   /* Normal: rebias the exponent by 127 - 15 and round at bit 13; a carry out of the mantissa goes
    * up to infinity. */
   uint32_t n = (a - (112u << 23) + 0xfff + ((a >> 13) & 1)) >> 13;
   /* Below 2^-14: the addition of 0.5 rounds at 2^-24, the unit of binary16 denormals. */
   uint32_t small = cf_selu(a < 0x38800000, a, 0);
   uint32_t d = cf_bits(cf_float(small) + 0.5f) - cf_bits(0.5f);
   uint32_t h = cf_selu(a < 0x38800000, d, n);
   h = cf_selu(a >= 0x47800000, 0x7c00, h);
   h |= sign;
   return (uint16_t)cf_selu(a > CF_INF_BITS, 0x7e00, h);
}

/** binary16 bits -> float, exact; NaN -> canonical NaN. */
static inline float
cf_f16_to_f32(uint16_t h)
{
   uint32_t a = h & 0x7fffu;
   uint32_t n = (a << 13) + (112u << 23);
   uint32_t d = cf_bits((float)(int32_t)(a & 0x3ff) * 0x1p-24f);
   uint32_t r = cf_selu(a < 0x400, d, n);
   r = cf_selu(a >= 0x7c00, CF_INF_BITS, r);
   r |= (uint32_t)(h & 0x8000u) << 16;
   return cf_float(cf_selu(a > 0x7c00, CF_NAN_BITS, r));
}

/* ---- formats of mediump and lowp ---- */

/* What cf_round_to rounds to; numbers of instructions (isa.toml, fround). */
enum cf_round_format {
   CF_ROUND_HALF,         /* binary16 */
   CF_ROUND_HALF_FLUSHED, /* binary16, denormals become zeros */
   CF_ROUND_LEAST,        /* GLSL ES 1.00 4.5.2 for mediump: +-(2^-14 .. 2^14), 2^-10 relative */
   CF_ROUND_LOW,          /* for lowp: -2 .. 2 - 2^-8 in steps of 2^-8; NaN -> 0 */
};

/* binary16 without what lies below 2^-14 or, of the least format, at 2^14 and above. */
static inline float
cf_round_to_medium(float x, uint32_t format)
{
   uint32_t half = cf_bits(cf_f16_to_f32(cf_f32_to_f16(x)));
   uint32_t sign = half & CF_SIGN_BIT, size = half & ~CF_SIGN_BIT;
   uint32_t least = cf_selu(format == CF_ROUND_HALF, 0, cf_bits(0x1p-14f));
   uint32_t most = cf_selu(format == CF_ROUND_LEAST, cf_bits(0x1p14f), CF_INF_BITS);
   size = cf_selu(size < least, 0, size);
   size = cf_selu((size >= most) & (size < CF_INF_BITS), CF_INF_BITS, size);
   return cf_float(sign | size);
}

static inline float
cf_round_to_low(float x)
{
   float r = cf_fmin(cf_fmax(x, -2.0f), 2.0f - 0x1p-8f);
   r = cf_round_even(r * 0x1p8f) * 0x1p-8f;
   return cf_self(cf_isnan(x), 0.0f, r);
}

/** The nearest number of a format (its lower two bits count), ties to even; what is too large
 * becomes infinity, of lowp the largest. */
static inline float
cf_round_to(float x, uint32_t format)
{
   uint32_t low = (format & 3) == CF_ROUND_LOW;
   return cf_self(low, cf_round_to_low(x), cf_round_to_medium(x, format & 3));
}

/* ---- normalised integers ---- */

/** x * scale rounded to f32, then to the nearest even integer; 0 <= x * scale < 2^22. Rounding
 * twice matters next to midpoints: with scale 255 for 128 values of x. */
static inline uint32_t
cf_scale_to_uint(float x, float scale)
{
   return cf_bits(x * scale + 0x1p23f) - cf_bits(0x1p23f);
}

/* ---- integers: wrap-around two's complement, shift counts modulo 32 ---- */

static inline uint32_t
cf_shl(uint32_t a, uint32_t n)
{
   return a << (n & 31);
}

static inline uint32_t
cf_shr(uint32_t a, uint32_t n)
{
   return a >> (n & 31);
}

static inline int32_t
cf_asr(int32_t a, uint32_t n)
{
   return a >> (n & 31);
}

/*
 * Division is total and keeps a = q * b + r (modulo 2^32) for every pair:
 *    x / 0      q = ~0 (unsigned), -1 (signed);   r = x
 *    INT_MIN/-1 q = INT_MIN;                      r = 0
 */

/** Unsigned quotient; x / 0 = 0xffffffff. */
static inline uint32_t
cf_udiv(uint32_t a, uint32_t b)
{
   uint32_t q = a / cf_selu(b == 0, 1, b);
   return cf_selu(b == 0, UINT32_MAX, q);
}

/** Unsigned remainder; x % 0 = x. */
static inline uint32_t
cf_umod(uint32_t a, uint32_t b)
{
   return a - cf_udiv(a, b) * b;
}

/** Signed quotient towards zero; x / 0 = -1, INT_MIN / -1 = INT_MIN. */
static inline int32_t
cf_idiv(int32_t a, int32_t b)
{
   uint32_t ua = (uint32_t)a, ub = (uint32_t)b;
   uint32_t sa = 0u - (ua >> 31), sb = 0u - (ub >> 31); /* all ones if negative */
   uint32_t q = cf_udiv((ua ^ sa) - sa, (ub ^ sb) - sb);
   uint32_t s = sa ^ sb;
   return (int32_t)cf_selu(b == 0, UINT32_MAX, (q ^ s) - s);
}

/** Signed remainder with the sign of a; x rem 0 = x, INT_MIN rem -1 = 0. */
static inline int32_t
cf_irem(int32_t a, int32_t b)
{
   return (int32_t)((uint32_t)a - (uint32_t)cf_idiv(a, b) * (uint32_t)b);
}

/** Signed modulo with the sign of b (floored division); x mod 0 = x, INT_MIN mod -1 = 0. */
static inline int32_t
cf_imod(int32_t a, int32_t b)
{
   int32_t r = cf_irem(a, b);
   int32_t fix = ((r != 0) & (b != 0) & ((r ^ b) < 0)) ? b : 0;
   return r + fix;
}

#endif
