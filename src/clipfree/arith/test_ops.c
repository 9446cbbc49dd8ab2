/* SPDX-License-Identifier: MIT */
/* References, limits and pinned hashes of the functions in test_ops.h. */
#include "clipfree/arith/test_ops.h"
#include "clipfree/arith/cf_fp.h"

#include <math.h>

/* ---- references: obvious, scalar, from libm and double arithmetic that is exact for f32 inputs
 * ---- */

static uint32_t
ref_canon(uint32_t u)
{
   return isnan(cf_float(u)) ? CF_NAN_BITS : u;
}

static uint32_t
ref_fsat(uint32_t u)
{
   float x = cf_float(u);
   return cf_bits(!(x > 0) ? 0.0f : x > 1 ? 1.0f : x);
}

static uint32_t
ref_floor(uint32_t u)
{
   return ref_canon(cf_bits(floorf(cf_float(u))));
}

static uint32_t
ref_ceil(uint32_t u)
{
   return ref_canon(cf_bits(ceilf(cf_float(u))));
}

static uint32_t
ref_trunc(uint32_t u)
{
   return ref_canon(cf_bits(truncf(cf_float(u))));
}

static uint32_t
ref_round_even(uint32_t u)
{
   return ref_canon(cf_bits(nearbyintf(cf_float(u))));
}

static uint32_t
ref_fract(uint32_t u)
{
   double x = cf_float(u);
   float r = (float)(x - floor(x));
   return ref_canon(cf_bits(r >= 1 ? 0x1.fffffep-1f : r));
}

static uint32_t
ref_f2i(uint32_t u)
{
   double x = trunc(cf_float(u));
   return isnan(x)         ? 0
          : x < -0x1p31    ? 0x80000000u
          : x > 0x1p31 - 1 ? 0x7fffffffu
                           : (uint32_t)(int64_t)x;
}

static uint32_t
ref_f2u(uint32_t u)
{
   double x = trunc(cf_float(u));
   return isnan(x) || x < 0 ? 0 : x > 0x1p32 - 1 ? 0xffffffffu : (uint32_t)(int64_t)x;
}

static uint32_t
ref_i2f(uint32_t u)
{
   return cf_bits((float)(double)(int32_t)u);
}

static uint32_t
ref_u2f(uint32_t u)
{
   return cf_bits((float)(double)u);
}

static uint32_t
ref_f32_to_f16(uint32_t u)
{
   double x = fabs((double)cf_float(u));
   uint32_t sign = u >> 31 << 15;
   if (isnan(x))
      return 0x7e00;
   int e = x < 0x1p-14 ? -14 : ilogb(x);
   if (x >= 65520)
      return sign | 0x7c00;
   /* Counting upwards from zero, binary16 values are the integers; a carry into the exponent comes
    * out right. */
   return sign | (uint32_t)(nearbyint(ldexp(x, 10 - e)) + 1024.0 * (e + 14));
}

/* A double quotient or root of f32 values is never so close to a tie of f32 that rounding twice
 * matters. */
static uint32_t
ref_rcp(uint32_t u)
{
   return ref_canon(cf_bits((float)(1.0 / (double)cf_float(u))));
}

static uint32_t
ref_sqrt(uint32_t u)
{
   return ref_canon(cf_bits((float)sqrt((double)cf_float(u))));
}

static double
ref_rsqrt(double x)
{
   return 1.0 / sqrt(x);
}

#define EXACT(name, sample, full)                                                                  \
   [CF_OP_##name] = { #name, CF_OP_EXACT, 0, 0, ref_##name, NULL, sample, full }
#define ULP(name, limit, ref, sample, full)                                                        \
   [CF_OP_##name] = { #name, CF_OP_ULP, limit, 0, NULL, ref, sample, full }
#define ABS(name, limit, domain, ref, sample, full)                                                \
   [CF_OP_##name] = { #name, CF_OP_ABS, limit, domain, NULL, ref, sample, full }

const struct cf_op_info cf_arith_ops[CF_OP_COUNT] = {
   EXACT(canon, 0xf9a64a3f93bd5109, 0xba93245718a4bddb),
   EXACT(fsat, 0x28b0497b562a84c0, 0xc7e8ea319b342e78),
   EXACT(floor, 0xf0b7f7d08ba9c849, 0xc1191e97b44eea17),
   EXACT(ceil, 0x51e27f5eee226bb6, 0xb4c5954c79eccb80),
   EXACT(trunc, 0x37b9e29e12a04f4a, 0xec0734fc04bd4481),
   EXACT(round_even, 0x4e4155c0b77939b1, 0x917b7c5b9284f373),
   EXACT(fract, 0xe3eaf132df7b819e, 0x81fa8cf2ee318fba),
   EXACT(f2i, 0xd50f8062a768fbf5, 0x08a69c5123b8987d),
   EXACT(f2u, 0x90e465b0d7f45cfe, 0x66152cb16f781f37),
   EXACT(i2f, 0x1fbebd8075424003, 0x9d5f889ee25b14eb),
   EXACT(u2f, 0x3a5a6ebd1f42198c, 0x78596e690a9ba18c),
   EXACT(f32_to_f16, 0xbcf8b4bfd94a5f06, 0xca4488dc801ddd21),
   EXACT(rcp, 0x234b2e9a3a5ecf5e, 0x2a4b0ef07c1e4f2b),
   EXACT(sqrt, 0xa9cf4578d7ea5381, 0xa60dc00ff3acdc95),
   ULP(rsqrt, 1.5, ref_rsqrt, 0xa90524db1d36589a, 0xadff62fbd3973599),
   ULP(exp2, 1.25, exp2, 0xc240e8f5a0c931d9, 0xfea30fca462a8839),
   ULP(log2, 1.5, log2, 0xcefb3b76e355c865, 0x203bfd9cf34d875f),
   ABS(sin, 0x1p-23, 102943.0, sin, 0x65872ba877356644, 0x1617399f7a3dc8e9),
   ABS(cos, 0x1p-23, 102943.0, cos, 0x752b92f5bc546bfd, 0xae279f1455a843cc),
};

const struct cf_op_level cf_op_levels[CF_OP_LEVELS] = {
   { "x86-64 or generic", 1, cf_op_kernels_base, cf_nary_kernels_base },
   { "x86-64-v3", 3, cf_op_kernels_v3, cf_nary_kernels_v3 },
   { "x86-64-v4", 4, cf_op_kernels_v4, cf_nary_kernels_v4 },
};

uint64_t
cf_op_hash(uint64_t hash, const uint32_t *words, size_t n)
{
   for (size_t i = 0; i < n; i++)
      hash = (hash ^ words[i]) * 0xd6e8feb86659fd93ull;
   return hash ^ (hash >> 32);
}

uint32_t
cf_op_sample_input(uint32_t i)
{
   /* Around each of these, three floats to either side, with both signs. */
   static const float centre[] = {
      0.0f,     0x1p-149f,   0x1p-126f,   0x1p-24f,        0x1p-14f, 0.25f,
      0.5f,     0.70710678f, 1.0f,        1.41421356f,     1.5f,     1.57079633f,
      2.0f,     2.5f,        3.14159265f, 126.0f,          128.0f,   129.0f,
      149.0f,   150.0f,      152.0f,      255.5f,          65504.0f, 65520.0f,
      65536.0f, 102943.0f,   0x1p22f,     0x1p23f,         0x1p24f,  0x1p31f,
      0x1p32f,  0x1p126f,    0x1p127f,    0x1.fffffep127f, INFINITY, NAN,
   };
   const uint32_t near_count = 14 * sizeof centre / sizeof centre[0];
   if (i >= near_count)
      return i * 4099u;
   uint32_t offset = i % 14;
   return (cf_bits(centre[i / 14]) + offset % 7 - 3) ^ (offset >= 7 ? CF_SIGN_BIT : 0);
}

double
cf_op_ulp(double exact)
{
   int e = fabs(exact) < 0x1p-126 ? -126 : ilogb(exact);
   return ldexp(1.0, e - 23);
}

double
cf_op_error_ulp(float y, double exact)
{
   if (isnan(exact) || isnan(y))
      return isnan(exact) && isnan(y) ? 0 : INFINITY;
   /* Exact values that round to infinity: inf is right, and so are errors measured as if the
    * exponent went on. */
   if (isinf(exact) || isinf(y)) {
      if (isinf(y) && isinf(exact))
         return y == exact ? 0 : INFINITY;
      if (isinf(y) && fabs(exact) >= 0x1.ffffffp127 && signbit(y) == signbit(exact))
         return 0;
   }
   return fabs((double)y - exact) / cf_op_ulp(exact);
}

int
cf_op_host_runs(int level)
{
#if defined(__x86_64__)
   __builtin_cpu_init();
   int v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
            __builtin_cpu_supports("bmi2");
   int v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl");
   return level == 4 ? v4 : level == 3 ? v3 : 1;
#else
   return level == 1;
#endif
}
