/* SPDX-License-Identifier: MIT */
/*
 * The special functions of paper C's vertex shader: CORDIC in fixed point, with the number of
 * iterations as a parameter (the paper's is 13). For study: the GPU's own functions are those of
 * cf_special.h, which these replace one for one where CLIPFREE_SFU asks for it.
 *
 * Each argument is reduced as in cf_special.h to a mantissa or an angle near 0, taken to 30 bits
 * behind the point, iterated, and scaled back. A rotation drives the angle z to 0, a vectoring
 * drives y to 0; both in one of three systems (J. S. Walther, A unified algorithm for elementary
 * functions, 1971):
 *
 *   circular     x, y -> x - d y 2^-i, y + d x 2^-i, z - d atan 2^-i,   i = 0, 1, 2 ...            sin, cos
 *   linear       x, y -> x,            y + d x 2^-i, z - d 2^-i,        i = 1, 2, 3 ...            rcp
 *   hyperbolic   x, y -> x + d y 2^-i, y + d x 2^-i, z - d atanh 2^-i,  i = 1, 2, 3, 4, 4, 5 ...   exp2, log2, sqrt, rsqrt
 *
 * (4, 13 are repeated, without which the hyperbolic system does not converge.) Errors fall by about
 * one bit an iteration: docs/papers.md. Arguments with results outside the reduced range - zeros,
 * infinities, NaN, denormal numbers, negative ones where that is an error - give what cf_special.h
 * gives.
 */
#ifndef CF_CORDIC_H
#define CF_CORDIC_H

#include "clipfree/arith/cf_special.h"

#define CF_CORDIC_MAX_ITERATIONS 30
#define CF_CORDIC_ONE (1 << 30)

/* atan 2^-i, and atanh 2^-i at i - 1, in units of 2^-30. */
static const int32_t cf_cordic_atan[31] = {
   843314857, 497837829, 263043837, 133525159, 67021687, 33543516,
   16775851, 8388437, 4194283, 2097149, 1048576, 524288,
   262144, 131072, 65536, 32768, 16384, 8192,
   4096, 2048, 1024, 512, 256, 128,
   64, 32, 16, 8, 4, 2,
   1,
};
static const int32_t cf_cordic_atanh[31] = {
   589812981, 274247419, 134923406, 67196451, 33565361, 16778582,
   8388779, 4194325, 2097155, 1048576, 524288, 262144,
   131072, 65536, 32768, 16384, 8192, 4096,
   2048, 1024, 512, 256, 128, 64,
   32, 16, 8, 4, 2, 1,
   0,
};

/* Gain correction for n iterations of the circular and hyperbolic systems: the product of (1 +-
 * 2^-2i)^-1/2, in units of 2^-30. */
static const int64_t cf_cordic_circular_gain[32] = {
   1073741824, 759250125, 679093957, 658817909, 653730436, 652457347,
   652138997, 652059405, 652039507, 652034532, 652033289, 652032978,
   652032900, 652032881, 652032876, 652032874, 652032874, 652032874,
   652032874, 652032874, 652032874, 652032874, 652032874, 652032874,
   652032874, 652032874, 652032874, 652032874, 652032874, 652032874,
   652032874, 652032874,
};
static const int64_t cf_cordic_hyperbolic_gain[32] = {
   1073741824, 1239850262, 1280511845, 1290634625, 1293162805, 1295695938,
   1296329066, 1296487338, 1296526905, 1296536797, 1296539270, 1296539888,
   1296540043, 1296540081, 1296540091, 1296540101, 1296540103, 1296540104,
   1296540104, 1296540104, 1296540104, 1296540104, 1296540104, 1296540104,
   1296540104, 1296540104, 1296540104, 1296540104, 1296540104, 1296540104,
   1296540104, 1296540104,
};

struct cf_cordic {
   int64_t x, y, z;
};

/* (cos z, sin z), |z| below 1.7. */
static inline struct cf_cordic
cf_cordic_rotate(int64_t z, unsigned iterations)
{
   struct cf_cordic c = { cf_cordic_circular_gain[iterations], 0, z };
   for (unsigned i = 0; i < iterations; i++) {
      const int64_t d = c.z < 0 ? -1 : 1, x = c.x;
      c.x -= d * (c.y >> i);
      c.y += d * (x >> i);
      c.z -= d * cf_cordic_atan[i];
   }
   return c;
}

/* y / x, for |y| <= x. */
static inline int64_t
cf_cordic_divide(int64_t y, int64_t x, unsigned iterations)
{
   int64_t z = 0;
   for (unsigned i = 1; i <= iterations; i++) {
      const int64_t d = y < 0 ? -1 : 1;
      y -= d * (x >> i);
      z += d * (CF_CORDIC_ONE >> i);
   }
   return z;
}

/* The shift of the hyperbolic system's iteration n = 0, 1, 2 ... */
static inline unsigned
cf_cordic_hyperbolic_shift(unsigned n)
{
   return n + 1 - (n >= 4) - (n >= 14);
}

/* Rotation: from (1, 0) to (cosh z, sinh z), |z| below 1.1. Vectoring: sqrt(x^2 - y^2) in x, up to
 * the gain, z + atanh(y / x) in z. */
static inline struct cf_cordic
cf_cordic_hyperbolic(struct cf_cordic c, int vectoring, unsigned iterations)
{
   for (unsigned n = 0; n < iterations; n++) {
      const unsigned i = cf_cordic_hyperbolic_shift(n);
      const int64_t d = (vectoring ? c.y >= 0 : c.z < 0) ? -1 : 1, x = c.x;
      c.x += d * (c.y >> i);
      c.y += d * (x >> i);
      c.z -= d * cf_cordic_atanh[i - 1];
   }
   return c;
}

/* The float nearest to v / 2^30 * 2^exponent (once more rounded if denormal). */
static inline float
cf_cordic_float(int64_t v, int exponent)
{
   const int half = exponent / 2, rest = exponent - half;
   return (float)v * 0x1p-30f * cf_float((uint32_t)(half + 127) << 23) *
          cf_float((uint32_t)(rest + 127) << 23);
}

/* A positive normal number's mantissa, in [1, 2), in units of 2^-30, and its exponent. */
static inline int64_t
cf_cordic_split(float x, int *exponent)
{
   *exponent = (int)(cf_bits(x) >> 23 & 0xff) - 127;
   return (int64_t)((cf_bits(x) & 0x7fffff) | 0x800000) << 7;
}

static inline int
cf_cordic_is_normal(float x)
{
   const uint32_t exponent = cf_bits(x) >> 23 & 0xff;
   return exponent != 0 && exponent != 0xff;
}

/** cf_rcp by CORDIC. */
static inline float
cf_cordic_rcp(float x, unsigned iterations)
{
   int exponent;
   if (!cf_cordic_is_normal(x))
      return cf_rcp(x);
   const int64_t mantissa = cf_cordic_split(x, &exponent);
   const float y =
      cf_cordic_float(cf_cordic_divide(CF_CORDIC_ONE, mantissa, iterations), -exponent);
   return cf_float(cf_bits(y) | (cf_bits(x) & CF_SIGN_BIT));
}

/** cf_sqrt by CORDIC: of m in [1/2, 2), sqrt(m) = sqrt((m + 1/4)^2 - (m - 1/4)^2). */
static inline float
cf_cordic_sqrt(float x, unsigned iterations)
{
   int exponent;
   if (!cf_cordic_is_normal(x) || x < 0.0f)
      return cf_sqrt(x);
   int64_t m = cf_cordic_split(x, &exponent);
   if (exponent & 1) {
      m >>= 1;
      exponent++;
   }
   const struct cf_cordic c = cf_cordic_hyperbolic(
      (struct cf_cordic){ m + CF_CORDIC_ONE / 4, m - CF_CORDIC_ONE / 4, 0 }, 1, iterations);
   return cf_cordic_float((c.x >> 1) * cf_cordic_hyperbolic_gain[iterations] >> 29, exponent / 2);
}

/** cf_rsqrt by CORDIC: a square root, then a division. */
static inline float
cf_cordic_rsqrt(float x, unsigned iterations)
{
   if (!cf_cordic_is_normal(x) || x < 0.0f)
      return cf_rsqrt(x);
   return cf_cordic_rcp(cf_cordic_sqrt(x, iterations), iterations);
}

/** cf_exp2 by CORDIC: 2^n e^(r ln 2), |r| <= 1/2. */
static inline float
cf_cordic_exp2(float x, unsigned iterations)
{
   if (!(x > -126.0f && x < 128.0f))
      return cf_exp2(x);
   const float n = cf_round_even(x);
   const int64_t z = (int64_t)((x - n) * 0x1p30f) * 744261118 >> 30; /* ln 2 */
   const struct cf_cordic c = cf_cordic_hyperbolic(
      (struct cf_cordic){ cf_cordic_hyperbolic_gain[iterations], 0, z }, 0, iterations);
   return cf_cordic_float(c.x + c.y, (int)n);
}

/** cf_log2 by CORDIC: e + 2 atanh((m - 1) / (m + 1)) / ln 2, m in [sqrt(1/2), sqrt(2)). */
static inline float
cf_cordic_log2(float x, unsigned iterations)
{
   int exponent;
   if (!cf_cordic_is_normal(x) || x < 0.0f)
      return cf_log2(x);
   int64_t m = cf_cordic_split(x, &exponent);
   if (m > 1518500250) { /* sqrt(2) */
      m >>= 1;
      exponent++;
   }
   const struct cf_cordic c = cf_cordic_hyperbolic(
      (struct cf_cordic){ m + CF_CORDIC_ONE, m - CF_CORDIC_ONE, 0 }, 1, iterations);
   const int64_t log2 = c.z * 1549082005 >> 29; /* 1 / ln 2 */
   return (float)((int64_t)exponent * ((int64_t)1 << 30) + log2) * 0x1p-30f;
}

/* sin(a + quadrant pi/2), as cf_sin_quadrant. */
static inline float
cf_cordic_sin_quadrant(float a, uint32_t quadrant, unsigned iterations)
{
   a = a < 0x1p22f ? a : 0x1p22f;
   const float t = a * 0x1.45f306p-1f + 0x1.8p23f, kf = t - 0x1.8p23f;
   const uint32_t k = cf_bits(t) + quadrant;
   const float r = ((a - kf * 0x1.92p0f) - kf * 0x1.fap-12f) - kf * 0x1.54442ep-20f;
   const struct cf_cordic c =
      cf_cordic_rotate((int64_t)(cf_fmin(cf_fmax(r, -0.8f), 0.8f) * 0x1p30f), iterations);
   const float y = (float)(k & 1 ? c.x : c.y) * 0x1p-30f;
   return cf_float(cf_bits(y) ^ ((k & 2) << 30));
}

/** cf_sin by CORDIC. */
static inline float
cf_cordic_sin(float x, unsigned iterations)
{
   if ((cf_bits(x) & ~CF_SIGN_BIT) >= CF_INF_BITS)
      return cf_sin(x);
   const float y = cf_cordic_sin_quadrant(cf_fabs(x), 0, iterations);
   return cf_float(cf_bits(y) ^ (cf_bits(x) & CF_SIGN_BIT));
}

/** cf_cos by CORDIC. */
static inline float
cf_cordic_cos(float x, unsigned iterations)
{
   if ((cf_bits(x) & ~CF_SIGN_BIT) >= CF_INF_BITS)
      return cf_cos(x);
   return cf_cordic_sin_quadrant(cf_fabs(x), 1, iterations);
}

#endif
