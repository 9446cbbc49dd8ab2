/* SPDX-License-Identifier: MIT */
/*
 * The DP3 unit of paper A: a0 b0 + a1 b1 + a2 b2 of f32 values with one rounding, to f32, at the
 * end.
 *
 * The paper aligns and adds the exact products in hardware; here they are exact in f64, added by
 * TwoSum, and the remainder is folded in by rounding to odd, so that the last conversion is the
 * only rounding (to nearest even).  Results are correct for all finite inputs, denormal results and
 * cancellation included; sums beyond the range give inf; inf and NaN inputs behave as in IEEE sums
 * of products.  A zero sum is +0, unless all three products are -0.
 *
 * cf_dp3_fma is the baseline the paper compares with in Fig. 5: multiply-add units that round after
 * every step.
 */
#ifndef CF_DP3_H
#define CF_DP3_H

#include "clipfree/arith/cf_eft.h"
#include "clipfree/arith/cf_fp.h"

/* Rounds an exact sum (to odd) to f32.  naive: the same sum rounded anyhow, for inf and NaN; signs:
 * AND of the addends' bits, whose sign is that of the sum if all agree on minus (for -0). */
static inline float
cf_dp_round(double odd, double naive, uint64_t signs)
{
   double s = naive - naive == 0.0 ? odd : naive;
   uint32_t r = cf_bits((float)s) | ((uint32_t)(signs >> 32) & CF_SIGN_BIT);
   return cf_float(r);
}

/** a0 b0 + a1 b1 + a2 b2, rounded once to f32. */
static inline float
cf_dp3(float a0, float b0, float a1, float b1, float a2, float b2)
{
   double p0 = cf_two_product(a0, b0);
   double p1 = cf_two_product(a1, b1);
   double p2 = cf_two_product(a2, b2);
   double e12, e;
   double s12 = cf_two_sum(p1, p2, &e12);
   double s = cf_two_sum(p0, s12, &e);
   double odd = cf_add_odd(s, cf_add_odd(e, e12));
   return cf_dp_round(odd, p0 + s12, cf_bits64(p0) & cf_bits64(p1) & cf_bits64(p2));
}

/** a0 b0 + a1 b1, rounded once to f32. */
static inline float
cf_dp2(float a0, float b0, float a1, float b1)
{
   double p0 = cf_two_product(a0, b0);
   double p1 = cf_two_product(a1, b1);
   return cf_dp_round(cf_add_odd(p0, p1), p0 + p1, cf_bits64(p0) & cf_bits64(p1));
}

/** a b + c, rounded once to f32: IEEE fusedMultiplyAdd, from f64 operations. */
static inline float
cf_fma(float a, float b, float c)
{
   double p = cf_two_product(a, b);
   return cf_dp_round(cf_add_odd(p, c), p + c, cf_bits64(p) & cf_bits64((double)c));
}

/**
 * The baseline of paper A, Fig. 5: fl(a0 b0 + fl(a1 b1 + fl(a2 b2))), a chain of multiply-adds
 * each rounded to f32.
 */
static inline float
cf_dp3_fma(float a0, float b0, float a1, float b1, float a2, float b2)
{
   return cf_fma(a0, b0, cf_fma(a1, b1, a2 * b2));
}

#endif
