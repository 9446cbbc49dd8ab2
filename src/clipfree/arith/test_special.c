/* SPDX-License-Identifier: MIT */
/*
 * The one-operand functions: boundary values and random inputs against their references and MPFR,
 * special values spelled out, and the same pinned bits at every host vector level.
 * test_special_exhaustive.c does all inputs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "clipfree/arith/cf_special.h"
#include "clipfree/arith/test_ops.h"
#include "clipfree/base/test_random.h"

#include <math.h>
#include <mpfr.h>
#include <stdio.h>

static void
sample_block(uint32_t *in, uint32_t first)
{
   for (unsigned i = 0; i < CF_OP_BLOCK; i++)
      in[i] = cf_op_sample_input(first + i);
}

/* Every level gives the pinned bits on the sample, hence the same bits. */
static void
test_pinned(void **state)
{
   static uint32_t in[CF_OP_BLOCK], out[CF_OP_BLOCK];
   int wrong = 0;
   for (int l = 0; l < CF_OP_LEVELS; l++) {
      const struct cf_op_level *level = &cf_op_levels[l];
      if (!cf_op_host_runs(level->level)) {
         printf("this host cannot run %s: not tested\n", level->name);
         continue;
      }
      for (int op = 0; op < CF_OP_COUNT; op++) {
         uint64_t hash = CF_OP_HASH_SEED;
         for (uint32_t first = 0; first < CF_OP_SAMPLE_COUNT; first += CF_OP_BLOCK) {
            sample_block(in, first);
            level->ops[op](out, in);
            hash = cf_op_hash(hash, out, CF_OP_BLOCK);
         }
         if (hash != cf_arith_ops[op].sample_hash) {
            printf("%s at %s: hash 0x%016llx, pinned 0x%016llx\n", cf_arith_ops[op].name,
                   level->name, (unsigned long long)hash,
                   (unsigned long long)cf_arith_ops[op].sample_hash);
            wrong++;
         }
      }
   }
   assert_int_equal(wrong, 0);
}

/* The value of an approximated function to 120 bits. */
static void
mpfr_reference(mpfr_t r, enum cf_op op, float x)
{
   mpfr_t a;
   mpfr_init2(a, 24);
   mpfr_set_flt(a, x, MPFR_RNDN);
   switch (op) {
   case CF_OP_rsqrt: /* MPFR's is +inf at -0 */
      mpfr_rec_sqrt(r, a, MPFR_RNDN);
      if (x == 0)
         mpfr_set_inf(r, signbit(x) ? -1 : 1);
      break;
   case CF_OP_exp2:
      mpfr_exp2(r, a, MPFR_RNDN);
      break;
   case CF_OP_log2:
      mpfr_log2(r, a, MPFR_RNDN);
      break;
   case CF_OP_sin:
      mpfr_sin(r, a, MPFR_RNDN);
      break;
   case CF_OP_cos:
      mpfr_cos(r, a, MPFR_RNDN);
      break;
   default:
      fail_msg("%s has no MPFR reference", cf_arith_ops[op].name);
   }
   mpfr_clear(a);
}

/* |y - r| as a double, good to 2^-50 of itself. */
static double
mpfr_distance(float y, const mpfr_t r)
{
   mpfr_t d;
   mpfr_init2(d, 200);
   mpfr_sub_d(d, r, y, MPFR_RNDN);
   double distance = fabs(mpfr_get_d(d, MPFR_RNDN));
   mpfr_clear(d);
   return distance;
}

static int
is_right(enum cf_op op, uint32_t in, uint32_t out)
{
   const struct cf_op_info *info = &cf_arith_ops[op];
   if (info->unit == CF_OP_EXACT)
      return out == info->ref_bits(in);

   float x = cf_float(in), y = cf_float(out);
   if (info->unit == CF_OP_ABS && isfinite(x) && fabsf(x) > info->domain)
      return fabsf(y) <= 1;
   mpfr_t r;
   mpfr_init2(r, 120);
   mpfr_reference(r, op, x);
   double exact = mpfr_get_d(r, MPFR_RNDN);
   int right;
   if (isnan(exact))
      right = out == CF_NAN_BITS;
   else if (isinf(exact) || isinf(y))
      right = cf_op_error_ulp(y, exact) == 0;
   else if (info->unit == CF_OP_ABS)
      right = mpfr_distance(y, r) <= info->limit && fabsf(y) <= 1;
   else
      right = mpfr_distance(y, r) / cf_op_ulp(exact) <= info->limit;
   mpfr_clear(r);
   return right;
}

static void
check(enum cf_op op, const uint32_t *in)
{
   static uint32_t out[CF_OP_BLOCK];
   cf_op_kernels_base[op](out, in);
   for (unsigned i = 0; i < CF_OP_BLOCK; i++) {
      if (!is_right(op, in[i], out[i]))
         fail_msg("%s(0x%08x = %a) = 0x%08x = %a", cf_arith_ops[op].name, in[i], cf_float(in[i]),
                  out[i], cf_float(out[i]));
   }
}

static void
test_boundary(void **state)
{
   static uint32_t in[CF_OP_BLOCK];
   sample_block(in, 0);
   for (int op = 0; op < CF_OP_COUNT; op++)
      check(op, in);
}

static void
test_random(void **state)
{
   static uint32_t in[CF_OP_BLOCK];
   struct cf_random r = cf_random_seed("arith-special");
   for (int block = 0; block < 40; block++) {
      /* Any bits in even blocks, magnitudes that pictures use (2^-24 .. 2^16) in odd ones. */
      for (unsigned i = 0; i < CF_OP_BLOCK; i++) {
         uint32_t any = cf_random_u32(&r);
         in[i] = block % 2 ? (any & 0x807fffff) | (103 + cf_random_below(&r, 40)) << 23 : any;
      }
      for (int op = 0; op < CF_OP_COUNT; op++)
         check(op, in);
   }
}

#define ASSERT_BITS(y, bits) assert_int_equal(cf_bits(y), bits)

static void
test_special_values(void **state)
{
   ASSERT_BITS(cf_rcp(-0.0f), 0xff800000);
   ASSERT_BITS(cf_rcp(-INFINITY), 0x80000000);
   ASSERT_BITS(cf_sqrt(-0.0f), 0x80000000);
   assert_true(isnan(cf_sqrt(-1.0f)));
   ASSERT_BITS(cf_rsqrt(0.0f), 0x7f800000);
   ASSERT_BITS(cf_rsqrt(INFINITY), 0);
   ASSERT_BITS(cf_rsqrt(4.0f), 0x3f000000);
   for (int n = -149; n < 128; n++) {
      assert_true(cf_exp2((float)n) == ldexpf(1.0f, n));
      assert_true(cf_log2(ldexpf(1.0f, n)) == (float)n);
   }
   for (uint32_t bits = 0; bits <= 0x3f800000; bits += bits < 0x3f000000 ? 997 : 1)
      assert_true(cf_log2(cf_float(bits)) <= 0.0f); /* no magnified sample has a level above 0 */
   ASSERT_BITS(cf_exp2(128.0f), CF_INF_BITS);
   ASSERT_BITS(cf_exp2(INFINITY), CF_INF_BITS);
   ASSERT_BITS(cf_exp2(-150.0f), 0);
   ASSERT_BITS(cf_exp2(-INFINITY), 0);
   ASSERT_BITS(cf_exp2(cf_float(0xffc12345)), CF_NAN_BITS);
   ASSERT_BITS(cf_log2(0.0f), 0xff800000);
   ASSERT_BITS(cf_log2(-0.0f), 0xff800000);
   ASSERT_BITS(cf_log2(1.0f), 0);
   ASSERT_BITS(cf_log2(INFINITY), CF_INF_BITS);
   ASSERT_BITS(cf_log2(-0x1p-149f), CF_NAN_BITS);
   ASSERT_BITS(cf_log2(-INFINITY), CF_NAN_BITS);
   ASSERT_BITS(cf_sin(0.0f), 0);
   ASSERT_BITS(cf_sin(-0.0f), 0x80000000);
   ASSERT_BITS(cf_cos(0.0f), cf_bits(1.0f));
   ASSERT_BITS(cf_sin(-INFINITY), CF_NAN_BITS);
   ASSERT_BITS(cf_cos(INFINITY), CF_NAN_BITS);
   assert_true(fabsf(cf_sin(0x1.fffffep127f)) <= 1);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_special_values),
      cmocka_unit_test(test_boundary),
      cmocka_unit_test(test_pinned),
      cmocka_unit_test(test_random),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
