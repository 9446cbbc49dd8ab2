/* SPDX-License-Identifier: MIT */
/*
 * The special-function unit: rcp, sqrt, rsqrt, exp2, log2, sin, cos on f32.
 *
 * Plain f32 operations (+ - * / sqrt, bit operations, selects) in a fixed order: the same bits on
 * every host and at every vector width, and easy to repeat in the JIT.  No libm, no fused
 * multiply-add, no host estimate instructions. Include conditions and NaN rules are those of
 * cf_fp.h.
 *
 * The error above each function is the largest over all 2^32 inputs, measured by
 * test_special_exhaustive.c against references good to 2^-28 ulp; special_results.txt holds the
 * inputs where it occurs and a hash of all results. 1 ulp is the spacing of floats at the exact
 * result.
 */
#ifndef CF_SPECIAL_H
#define CF_SPECIAL_H

#include "clipfree/arith/cf_fp.h"

/** 1/x, IEEE division: 0.5 ulp.  rcp(+-0) = +-inf, rcp(+-inf) = +-0. */
static inline float
cf_rcp(float x)
{
   return 1.0f / x;
}

/** Square root, IEEE: 0.5 ulp.  sqrt(-0) = -0, negative -> NaN. */
static inline float
cf_sqrt(float x)
{
   return __builtin_sqrtf(x);
}

/** 1 / sqrt(x), both rounded: 1.49 ulp.  rsqrt(+-0) = +-inf, rsqrt(inf) = 0, negative -> NaN. */
static inline float
cf_rsqrt(float x)
{
   return 1.0f / __builtin_sqrtf(x);
}

/**
 * 2^x: 1.08 ulp.  Exact for integers; underflows through the denormals to 0, overflows to inf at x
 * >= 128; NaN -> canonical NaN.
 *
 * x = n + r, |r| <= 1/2: 2^r is a polynomial of degree 6, 2^n two factors so that denormal results
 * round once.
 * Results that round to 0 are selected, not multiplied: pow(0, y) is frequent, and hosts take
 * hundreds of cycles for a product that underflows.
 */
static inline float
cf_exp2(float x)
{
   int none = x <= -150.0f;
   float c = cf_self(x < 129.0f, x, 129.0f);
   c = cf_self(none, 0.0f, c);
   float t = c + 0x1.8p23f; /* the low bits of t hold n */
   int32_t n = (int32_t)(cf_bits(t) - cf_bits(0x1.8p23f));
   float r = c - (t - 0x1.8p23f);
   float q = 0x1.3f906cp-13f;
   q = q * r + 0x1.5f0a66p-10f;
   q = q * r + 0x1.3b30b0p-7f;
   q = q * r + 0x1.c6af78p-5f;
   q = q * r + 0x1.ebfbd8p-3f;
   q = q * r + 0x1.62e430p-1f;
   float p = q * r + 1.0f;
   int32_t n1 = n >> 1, n2 = n - n1;
   float s1 = cf_float((uint32_t)(n1 + 127) << 23);
   float s2 = cf_float((uint32_t)(n2 + 127) << 23);
   float y = cf_self(none, 0.0f, p * s1 * s2);
   return cf_self(cf_isnan(x), cf_nan(), y);
}

/**
 * Base-2 logarithm: 1.33 ulp.  Exact for powers of two; log2(+-0) = -inf, log2(inf) = inf, negative
 * or NaN -> canonical NaN.
 *
 * x = 2^e (1 + f), sqrt(1/2) <= 1 + f < sqrt(2): log2(1 + f) = f + f R(f), R of degree 9, small
 * relative error near x = 1.
 */
static inline float
cf_log2(float x)
{
   int tiny = x < 0x1p-126f;
   uint32_t u = cf_bits(x * cf_self(tiny, 0x1p23f, 1.0f)); /* denormals made normal */
   uint32_t d = u - 0x3f3504f3u;                           /* sqrt(1/2) */
   int32_t e = ((int32_t)d >> 23) - (int32_t)cf_selu(tiny, 23, 0);
   float f = cf_float((d & 0x7fffff) + 0x3f3504f3u) - 1.0f;
   float q = -0x1.d2f51cp-4f;
   q = q * f + 0x1.829f80p-3f;
   q = q * f - 0x1.861244p-3f;
   q = q * f + 0x1.a1db56p-3f;
   q = q * f - 0x1.eac554p-3f;
   q = q * f + 0x1.27897cp-2f;
   q = q * f - 0x1.715aa0p-2f;
   q = q * f + 0x1.ec7042p-2f;
   q = q * f - 0x1.715470p-1f;
   q = q * f + 0x1.c551dap-2f;
   float y = (f + f * q) + (float)e;
   y = cf_self(x == 0.0f, cf_float(CF_SIGN_BIT | CF_INF_BITS), y);
   y = cf_self(cf_bits(x) == CF_INF_BITS, x, y);
   return cf_self((x < 0.0f) | cf_isnan(x), cf_nan(), y);
}

/*
 * sin(a + quadrant * pi/2) for finite a >= 0.
 *
 * a = k pi/2 + r with pi/2 in three parts, the first two of 8 bits so that their products with k <
 * 2^16 are exact; sin r and cos r are polynomials of degree 7 and 8.  Beyond k = 2^16 (a > 102943)
 * the products round and the error grows with a; r is clamped, so the result stays in [-1, 1].
 */
static inline float
cf_sin_quadrant(float a, uint32_t quadrant)
{
   a = cf_self(a < 0x1p22f, a, 0x1p22f);
   float t = a * 0x1.45f306p-1f + 0x1.8p23f;
   uint32_t k = cf_bits(t) + quadrant;
   float kf = t - 0x1.8p23f;
   float r = ((a - kf * 0x1.92p0f) - kf * 0x1.fap-12f) - kf * 0x1.54442ep-20f;
   r = cf_self(r < 0.7955f, r, 0.7955f); /* pi/4 and the most that t's rounding adds for k < 2^16 */
   r = cf_self(r > -0.7955f, r, -0.7955f);
   float z = r * r;
   float s = r + r * (z * ((-0x1.991b88p-13f * z + 0x1.1106c6p-7f) * z - 0x1.555544p-3f));
   float c =
      (1.0f - 0.5f * z) + z * z * ((0x1.99dee8p-16f * z - 0x1.6c0c16p-10f) * z + 0x1.55554ap-5f);
   float y = cf_self(k & 1, c, s);
   return cf_float(cf_bits(y) ^ ((k & 2) << 30));
}

/**
 * Sine: absolute error 2^-23.29 for |x| <= 102943.  Odd to the bit, sin(-0) = -0; in [-1, 1] for
 * every finite x; inf and NaN -> canonical NaN.
 */
static inline float
cf_sin(float x)
{
   float y = cf_sin_quadrant(cf_fabs(x), 0);
   y = cf_float(cf_bits(y) ^ (cf_bits(x) & CF_SIGN_BIT));
   return cf_self((cf_bits(x) & ~CF_SIGN_BIT) >= CF_INF_BITS, cf_nan(), y);
}

/**
 * Cosine: absolute error 2^-23.29 for |x| <= 102943.  Even to the bit; in [-1, 1] for every finite
 * x; inf and NaN -> canonical NaN.
 */
static inline float
cf_cos(float x)
{
   float y = cf_sin_quadrant(cf_fabs(x), 1);
   return cf_self((cf_bits(x) & ~CF_SIGN_BIT) >= CF_INF_BITS, cf_nan(), y);
}

#endif
