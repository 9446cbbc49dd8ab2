/* SPDX-License-Identifier: MIT */
/*
 * Error-free transformations in f64: sums and products whose rounding error is itself a number.
 *
 * Everything here starts from f32 values.  A product of two f32 is exact in f64 (48 bits;
 * magnitudes 2^-298 .. 2^256 or zero), and sums of a few such products neither overflow nor leave
 * the normal range by rounding, so the transformations are exact for all finite inputs.  Compile
 * without contraction and fast-math (cf_fp.h).  Branch-free; vectorises in loops.
 */
#ifndef CF_EFT_H
#define CF_EFT_H

#include <stdint.h>

static inline uint64_t
cf_bits64(double x)
{
   union {
      double f;
      uint64_t u;
   } v = { .f = x };
   return v.u;
}

static inline double
cf_double(uint64_t u)
{
   union {
      uint64_t u;
      double f;
   } v = { .u = u };
   return v.f;
}

/** a * b of two f32, exact. */
static inline double
cf_two_product(float a, float b)
{
   return (double)a * (double)b;
}

/**
 * fl(a + b); *residual = (a + b) - fl(a + b), exact, for any order of magnitudes (Knuth's TwoSum).
 */
static inline double
cf_two_sum(double a, double b, double *residual)
{
   double s = a + b;
   double bv = s - a;
   double av = s - bv;
   *residual = (a - av) + (b - bv);
   return s;
}

/**
 * a + b rounded to odd: the exact sum if it is a double, else the neighbouring double with an odd
 * last bit.  Rounding the result once more, to at most 51 bits, is the same as rounding a + b
 * (Boldo & Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using
 * rounding to odd", IEEE Trans. Computers 57(4), 2008).  Infinite or NaN operands give garbage.
 */
static inline double
cf_add_odd(double a, double b)
{
   double e;
   uint64_t s = cf_bits64(cf_two_sum(a, b, &e));
   uint64_t beyond = (s ^ cf_bits64(e)) >> 63; /* |s| > |a + b|: truncate by stepping back */
   uint64_t odd = (s - beyond) | 1;
   return cf_double(e != 0.0 ? odd : s);
}

#endif
