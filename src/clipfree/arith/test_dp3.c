/* SPDX-License-Identifier: MIT */
/*
 * DP3, DP2, FMA and the multiply-add baseline against MPFR, bit by bit, at every host vector level:
 * boundary values, any bits, near and exact cancellation, denormal results, overflow, ties.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "clipfree/arith/cf_dp3.h"
#include "clipfree/arith/test_ops.h"
#include "clipfree/base/test_random.h"

#include <math.h>
#include <mpfr.h>

/* ---- references ---- */

/* The sum of n exact terms to f32 with one rounding; a term is in[2t] * in[2t + 1], the last one
 * alone if n is odd. */
static uint32_t
ref_sum(const float *in, unsigned n)
{
   const unsigned terms = (n + 1) / 2;
   double naive = 0;
   int all_minus = 1;
   mpfr_t sum, t;
   mpfr_inits2(800, sum, t, NULL); /* 2^-298 .. 2^257: exact */
   mpfr_set_zero(sum, 1);
   for (unsigned i = 0; i < terms; i++) {
      double p = (double)in[2 * i] * (2 * i + 1 < n ? (double)in[2 * i + 1] : 1.0);
      naive = i ? naive + p : p;
      all_minus &= signbit(p) != 0;
      mpfr_set_d(t, p, MPFR_RNDN);
      mpfr_add(sum, sum, t, MPFR_RNDN);
   }
   float r = !isfinite(naive)   ? (float)naive
             : mpfr_zero_p(sum) ? (all_minus ? -0.0f : 0.0f)
                                : mpfr_get_flt(sum, MPFR_RNDN);
   mpfr_clears(sum, t, NULL);
   return isnan(r) ? CF_NAN_BITS : cf_bits(r);
}

static uint32_t
ref_fma(const float *in)
{
   return ref_sum(in, 3);
}

static uint32_t
ref_dp2(const float *in)
{
   return ref_sum(in, 4);
}

static uint32_t
ref_dp3(const float *in)
{
   return ref_sum(in, 6);
}

static uint32_t
ref_dp3_fma(const float *in)
{
   float inner = cf_float(ref_sum((float[]){ in[2], in[3], in[4] * in[5] }, 3));
   return ref_sum((float[]){ in[0], in[1], inner }, 3);
}

static const struct {
   const char *name;
   enum cf_nary op;
   uint32_t (*ref)(const float *in);
} functions[] = {
   { "fma", CF_NARY_fma, ref_fma },
   { "dp2", CF_NARY_dp2, ref_dp2 },
   { "dp3", CF_NARY_dp3, ref_dp3 },
   { "dp3_fma", CF_NARY_dp3_fma, ref_dp3_fma },
};

static void
check_block(const uint32_t (*in)[CF_OP_BLOCK])
{
   static uint32_t out[CF_OP_LEVELS][CF_OP_BLOCK];
   for (unsigned f = 0; f < sizeof functions / sizeof functions[0]; f++) {
      for (int l = 0; l < CF_OP_LEVELS; l++)
         cf_op_levels[cf_op_host_runs(cf_op_levels[l].level) ? l : 0].naries[functions[f].op](
            out[l], in);
      for (unsigned i = 0; i < CF_OP_BLOCK; i++) {
         float x[6];
         for (int k = 0; k < 6; k++)
            x[k] = cf_float(in[k][i]);
         uint32_t expected = functions[f].ref(x);
         for (int l = 0; l < CF_OP_LEVELS; l++) {
            if (out[l][i] != expected)
               fail_msg("%s(%a, %a, %a, %a, %a, %a) = %a, expected %a, at %s", functions[f].name,
                        x[0], x[1], x[2], x[3], x[4], x[5], cf_float(out[l][i]), cf_float(expected),
                        cf_op_levels[l].name);
         }
      }
   }
}

/* ---- inputs ---- */

static void
set(uint32_t (*in)[CF_OP_BLOCK], unsigned i, const float *x)
{
   for (int k = 0; k < 6; k++)
      in[k][i] = cf_bits(x[k]);
}

static float
random_float(struct cf_random *r, int exp_min, int exp_max)
{
   float m = cf_float(0x3f800000 | cf_random_u32(r) >> 9);
   float x = ldexpf(m, exp_min + (int)cf_random_below(r, (uint32_t)(exp_max - exp_min + 1)));
   return cf_random_below(r, 2) ? -x : x;
}

static void
test_boundary(void **state)
{
   static const float pool[] = {
      0.0f,
      -0.0f,
      1.0f,
      -1.0f,
      0x1p-149f,
      -0x1p-149f,
      0x1p-126f,
      0x1.fffffep-127f,
      0x1p-75f,
      0x1.000002p0f,
      0x1.fffffep127f,
      -0x1.fffffep127f,
      0x1p64f,
      INFINITY,
      -INFINITY,
      NAN,
   };
   static uint32_t in[6][CF_OP_BLOCK];
   struct cf_random r = cf_random_seed("arith-dp3 boundary");
   for (int block = 0; block < 40; block++) {
      for (unsigned i = 0; i < CF_OP_BLOCK; i++) {
         for (int k = 0; k < 6;
              k++) /* finite ones often, so that their combinations are seen too */
            in[k][i] = cf_bits(pool[cf_random_below(&r, block % 2 ? 13 : 16)]);
      }
      check_block(in);
   }
}

static void
test_any_bits(void **state)
{
   static uint32_t in[6][CF_OP_BLOCK];
   struct cf_random r = cf_random_seed("arith-dp3 any bits");
   for (int block = 0; block < 20; block++) {
      for (unsigned i = 0; i < CF_OP_BLOCK; i++) {
         for (int k = 0; k < 6; k++)
            in[k][i] = cf_random_u32(&r);
      }
      check_block(in);
   }
}

/* Exponents within a few of each other: every alignment of three products occurs. */
static void
test_alignments(void **state)
{
   static uint32_t in[6][CF_OP_BLOCK];
   struct cf_random r = cf_random_seed("arith-dp3 alignments");
   for (int block = 0; block < 60; block++) {
      int range = 1 << block % 6;
      for (unsigned i = 0; i < CF_OP_BLOCK; i++) {
         float x[6];
         for (int k = 0; k < 6; k++)
            x[k] = random_float(&r, -range, range);
         set(in, i, x);
      }
      check_block(in);
   }
}

/* The two large products cancel but for a few bits or altogether, in each of the three positions.
 */
static void
test_cancellation(void **state)
{
   static uint32_t in[6][CF_OP_BLOCK];
   struct cf_random r = cf_random_seed("arith-dp3 cancellation");
   for (int block = 0; block < 60; block++) {
      int scale = block % 3 == 0 ? 0 : block % 3 == 1 ? -70 : 40;
      for (unsigned i = 0; i < CF_OP_BLOCK; i++) {
         float a = random_float(&r, scale, scale + 2), b = random_float(&r, scale, scale + 2);
         float c = cf_float(cf_bits(b) + cf_random_below(&r, 3) - 1),
               d = cf_float(cf_bits(a) + cf_random_below(&r, 3) - 1);
         float e = random_float(&r, scale - 30, scale), f = random_float(&r, scale - 30, scale);
         float x[6] = { a, b, -c, d, e, cf_random_below(&r, 4) ? f : 0.0f };
         unsigned turn = 2 * cf_random_below(&r, 3);
         for (int k = 0; k < 6; k++)
            in[(k + turn) % 6][i] = cf_bits(x[k]);
      }
      check_block(in);
   }
}

/* Sums next to the midpoint of two floats, normal and denormal, decided by a third product far
 * below. */
static void
test_ties(void **state)
{
   static uint32_t in[6][CF_OP_BLOCK];
   struct cf_random r = cf_random_seed("arith-dp3 ties");
   for (int block = 0; block < 60; block++) {
      for (unsigned i = 0; i < CF_OP_BLOCK; i++) {
         int denormal = block % 2;
         float large =
            denormal ? (float)cf_random_below(&r, 1 << 20) * 0x1p-149f : random_float(&r, 0, 0);
         int half_ulp = denormal ? -150 : -24;
         float x[6] = {
            large, 1.0f, ldexpf(1.0f, half_ulp / 2), ldexpf(1.0f, half_ulp - half_ulp / 2), 0, 0
         };
         if (cf_random_below(&r, 2))
            x[2] = -x[2];
         if (cf_random_below(&r, 4)) {
            x[4] = random_float(&r, -120, denormal ? -100 : -20);
            x[5] = random_float(&r, -120, denormal ? -100 : -20);
         }
         unsigned turn = 2 * cf_random_below(&r, 3);
         for (int k = 0; k < 6; k++)
            in[(k + turn) % 6][i] = cf_bits(x[k]);
      }
      check_block(in);
   }
}

static void
test_overflow(void **state)
{
   static uint32_t in[6][CF_OP_BLOCK];
   struct cf_random r = cf_random_seed("arith-dp3 overflow");
   for (unsigned i = 0; i < CF_OP_BLOCK; i++) {
      float x[6];
      for (int k = 0; k < 6; k++)
         x[k] = random_float(&r, i % 2 ? 63 : 120, i % 2 ? 63 : 127);
      set(in, i, x);
   }
   check_block(in);
}

/* What the unit is for (paper A, Fig. 5): the baseline loses a result that DP3 keeps. */
static void
test_baseline_differs(void **state)
{
   float a = 0x1.000002p0f;
   assert_true(cf_dp3(a, a, -a, a, 0x1p-60f, 1.0f) == 0x1p-60f);
   assert_true(cf_dp3_fma(a, a, -a, a, 0x1p-60f, 1.0f) != 0x1p-60f);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_boundary),
      cmocka_unit_test(test_any_bits),
      cmocka_unit_test(test_alignments),
      cmocka_unit_test(test_cancellation),
      cmocka_unit_test(test_ties),
      cmocka_unit_test(test_overflow),
      cmocka_unit_test(test_baseline_differs),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
