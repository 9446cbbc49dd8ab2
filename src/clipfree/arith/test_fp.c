/* SPDX-License-Identifier: MIT */
/*
 * The policy of cf_fp.h for functions of several operands and for narrow formats: every pair of
 * boundary values and random ones, against references that spell the rules out, at every host
 * vector level.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "clipfree/arith/cf_fp.h"
#include "clipfree/arith/test_ops.h"
#include "clipfree/base/test_random.h"

#include <math.h>
#include <string.h>

/* ---- references ---- */

static uint32_t
canon(float x)
{
   return isnan(x) ? CF_NAN_BITS : cf_bits(x);
}

static uint32_t
ref_fmin(uint32_t a, uint32_t b)
{
   float x = cf_float(a), y = cf_float(b);
   if (isnan(x) || isnan(y))
      return canon(isnan(x) ? y : x);
   if (x == 0 && y == 0)
      return cf_bits(signbit(x) || signbit(y) ? -0.0f : 0.0f);
   return x < y ? a : b;
}

static uint32_t
ref_fmax(uint32_t a, uint32_t b)
{
   float x = cf_float(a), y = cf_float(b);
   if (isnan(x) || isnan(y))
      return canon(isnan(x) ? y : x);
   if (x == 0 && y == 0)
      return cf_bits(signbit(x) && signbit(y) ? -0.0f : 0.0f);
   return x > y ? a : b;
}

static uint32_t
ref_copysign(uint32_t a, uint32_t b)
{
   return cf_bits(copysignf(cf_float(a), cf_float(b)));
}

static uint32_t
ref_udiv(uint32_t a, uint32_t b)
{
   return b ? a / b : 0xffffffffu;
}

static uint32_t
ref_umod(uint32_t a, uint32_t b)
{
   return b ? a % b : a;
}

static uint32_t
ref_idiv(uint32_t a, uint32_t b)
{
   return b ? (uint32_t)((int64_t)(int32_t)a / (int32_t)b) : 0xffffffffu;
}

static uint32_t
ref_irem(uint32_t a, uint32_t b)
{
   return b ? (uint32_t)((int64_t)(int32_t)a % (int32_t)b) : a;
}

static uint32_t
ref_imod(uint32_t a, uint32_t b)
{
   int64_t x = (int32_t)a, y = (int32_t)b;
   if (!y)
      return a;
   int64_t r = x % y;
   return (uint32_t)(r && (r < 0) != (y < 0) ? r + y : r);
}

static uint32_t
ref_shl(uint32_t a, uint32_t b)
{
   return (uint32_t)((uint64_t)a << (b % 32));
}

static uint32_t
ref_shr(uint32_t a, uint32_t b)
{
   return (uint32_t)((uint64_t)a >> (b % 32));
}

static uint32_t
ref_asr(uint32_t a, uint32_t b)
{
   return (uint32_t)(int64_t)floor((int32_t)a / ldexp(1.0, b % 32));
}

static uint32_t
ref_f16_to_f32(uint32_t a, uint32_t b)
{
   int e = (a >> 10) & 31, m = a & 0x3ff;
   double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
   return canon((float)(a & 0x8000 ? -v : v));
}

static const struct {
   const char *name;
   enum cf_nary op;
   uint32_t (*ref)(uint32_t a, uint32_t b);
} functions[] = {
#define FUNCTION(name)                                                                             \
   {                                                                                               \
#name, CF_NARY_##name, ref_##name                                                            \
   }
   FUNCTION(fmin), FUNCTION(fmax), FUNCTION(copysign), FUNCTION(udiv),
   FUNCTION(umod), FUNCTION(idiv), FUNCTION(irem),     FUNCTION(imod),
   FUNCTION(shl),  FUNCTION(shr),  FUNCTION(asr),      FUNCTION(f16_to_f32),
};

/* ---- inputs ---- */

static void
check_block(const uint32_t (*in)[CF_OP_BLOCK])
{
   static uint32_t out[CF_OP_BLOCK];
   for (int l = 0; l < CF_OP_LEVELS; l++) {
      if (!cf_op_host_runs(cf_op_levels[l].level))
         continue;
      for (unsigned f = 0; f < sizeof functions / sizeof functions[0]; f++) {
         cf_op_levels[l].naries[functions[f].op](out, in);
         for (unsigned i = 0; i < CF_OP_BLOCK; i++) {
            uint32_t expected = functions[f].ref(in[0][i], in[1][i]);
            if (out[i] != expected)
               fail_msg("%s(0x%08x, 0x%08x) = 0x%08x, expected 0x%08x, at %s", functions[f].name,
                        in[0][i], in[1][i], out[i], expected, cf_op_levels[l].name);
         }
      }
   }
}

static const uint32_t boundary[32] = {
   0,          1,          2,          3,          7,          31,         32,         33,
   0x7fffff,   0x800000,   0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x40000000, 0x7f7fffff,
   0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff, 0x80000000, 0x80000001, 0x80800000, 0xbf800000,
   0xbf800001, 0xff7fffff, 0xff800000, 0xff800001, 0xffc00000, 0xfffffffd, 0xfffffffe, 0xffffffff,
};

static void
test_boundary_pairs(void **state)
{
   static uint32_t in[6][CF_OP_BLOCK];
   for (unsigned i = 0; i < CF_OP_BLOCK; i++) {
      in[0][i] = boundary[i / 32];
      in[1][i] = boundary[i % 32];
   }
   check_block(in);
}

/* All 65536 first operands of the narrow formats. */
static void
test_narrow(void **state)
{
   static uint32_t in[6][CF_OP_BLOCK];
   for (uint32_t first = 0; first < 65536; first += CF_OP_BLOCK) {
      for (unsigned i = 0; i < CF_OP_BLOCK; i++) {
         in[0][i] = first + i;
         in[1][i] = first ^ i;
      }
      check_block(in);
   }
}

static void
test_random(void **state)
{
   static uint32_t in[6][CF_OP_BLOCK];
   struct cf_random r = cf_random_seed("arith-fp");
   for (int block = 0; block < 200; block++) {
      for (unsigned i = 0; i < CF_OP_BLOCK; i++) {
         in[0][i] = cf_random_u32(&r) >> cf_random_below(&r, 32);
         in[1][i] = cf_random_u32(&r) >> cf_random_below(&r, 32);
         if (cf_random_below(&r, 2))
            in[1][i] = -in[1][i];
         if (cf_random_below(&r, 16) == 0)
            in[1][i] = in[0][i] ^ (uint32_t)(cf_random_below(&r, 2) << 31);
      }
      check_block(in);
   }
}

/* f32 -> f16 -> f32 -> f16 gives back what went in. */
static void
test_round_trips(void **state)
{
   for (uint32_t h = 0; h < 65536; h++) {
      uint32_t expected = (h & 0x7fff) > 0x7c00 ? 0x7e00 : h;
      assert_int_equal(cf_f32_to_f16(cf_f16_to_f32((uint16_t)h)), expected);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_boundary_pairs),
      cmocka_unit_test(test_narrow),
      cmocka_unit_test(test_round_trips),
      cmocka_unit_test(test_random),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
