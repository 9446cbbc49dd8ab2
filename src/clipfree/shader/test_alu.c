/* SPDX-License-Identifier: MIT */
/*
 * Every ALU operation against a reference written by hand, on boundary values and random bits, at
 * every host level: plain and under a mask, with vector and with scalar destination. Special
 * functions are compared with double-precision libm within bounds (arith's own tests have the exact
 * ones).
 */
#include <math.h>

#include "clipfree/arith/cf_cordic.h"
#include "clipfree/base/test_random.h"
#include "clipfree/shader/test_shader.h"

/* ---- the reference ---- */

static double
ulp_of(double value)
{
   int exponent;
   frexp(value, &exponent);
   return ldexp(1.0, exponent - 24 < -149 ? -149 : exponent - 24);
}

static uint32_t
half_reference(float x)
{
   const uint32_t sign = cf_bits(x) >> 16 & 0x8000;
   const double a = fabs((double)x);
   if (isnan(x))
      return 0x7e00;
   if (a >= 65520.0)
      return 0x7c00 | sign;
   int exponent;
   frexp(a, &exponent);
   exponent = exponent - 1 < -14 ? -14 : exponent - 1;
   const double steps =
      rint(ldexp(a, 10 - exponent)); /* of the binade's spacing; 1024 and more if normal */
   const uint32_t n = (uint32_t)steps;
   return sign | (n < 1024 ? n
                           : (uint32_t)(exponent + 15) * 1024 + n -
                                1024); /* a carry raises the exponent */
}

static float
float_of_half(uint32_t h)
{
   const int exponent = h >> 10 & 31, mantissa = h & 1023;
   const double sign = h & 0x8000 ? -1.0 : 1.0;
   if (exponent == 31)
      return mantissa ? NAN : (float)(sign * INFINITY);
   return (float)(sign *
                  ldexp(exponent ? mantissa + 1024 : mantissa, (exponent ? exponent : 1) - 25));
}

static float
minimum(float a, float b, bool want_max)
{
   if (isnan(a))
      return b;
   if (isnan(b))
      return a;
   if (a == b)
      return want_max ? (signbit(a) ? b : a) : (signbit(a) ? a : b);
   return (a < b) != want_max ? a : b;
}

static double
clamped(double value, double low, double high)
{
   return isnan(value) ? 0.0 : value < low ? low : value > high ? high : value;
}

static uint32_t
boolean(bool b)
{
   return b ? 0xffffffff : 0;
}

static float
fract_reference(float x)
{
   if (!isfinite(x))
      return NAN;
   const float result = (float)((double)x - floor((double)x));
   return result < 1.0f ? result : nextafterf(1.0f, 0.0f);
}

static int64_t
floor_mod(int64_t a, int64_t b)
{
   const int64_t r = a % b;
   return r && (r < 0) != (b < 0) ? r + b : r;
}

/* A format by its least and greatest numbers and the exponent of its smallest step. */
static uint32_t
round_reference(float x, uint32_t format)
{
   static const struct {
      double least, most;
   } medium[] = { { 0, 65520 }, { 0x1p-14, 65520 }, { 0x1p-14, 0x1p14 } };
   if (format % 4 == 3) {
      const double steps = isnan(x) ? 0 : rint(256 * clamped((double)x, -2, 2));
      return cf_bits((float)(clamped(steps, -512, 511) / 256));
   }
   int exponent;
   frexp((double)x, &exponent);
   const int step = exponent - 11 < -24 ? -24 : exponent - 11;
   const double r = ldexp(rint(ldexp((double)x, -step)), step);
   if (!isfinite(x) || fabs(r) >= medium[format % 4].most)
      return cf_bits(x > 0 ? INFINITY : x < 0 ? -INFINITY : NAN);
   return cf_bits(copysignf(fabs(r) < medium[format % 4].least ? 0 : (float)r, x));
}

/* Exact operations on floats. */
static uint32_t
float_reference(enum cf_op op, float a, float b, float c)
{
   /* clang-format off */
   switch (op) {
   case CF_OP_FADD: return cf_bits((float)((double)a + (double)b));
   case CF_OP_FSUB: return cf_bits((float)((double)a - (double)b));
   case CF_OP_FMUL: return cf_bits((float)((double)a * (double)b));
   case CF_OP_FMAD: return cf_bits((float)((double)(float)((double)a * (double)b) + (double)c));
   case CF_OP_FMSUB: return cf_bits((float)((double)(float)((double)a * (double)b) - (double)c));
   case CF_OP_FSUBM: return cf_bits((float)((double)c - (double)(float)((double)a * (double)b)));
   case CF_OP_FDIV: return cf_bits((float)((double)a / (double)b));
   case CF_OP_FMIN: return cf_bits(minimum(a, b, false));
   case CF_OP_FMAX: return cf_bits(minimum(a, b, true));
   case CF_OP_FNEG: return cf_bits(a) ^ 0x80000000;
   case CF_OP_FABS: return cf_bits(a) & 0x7fffffff;
   case CF_OP_FSAT: return cf_bits((float)(a > 0 ? clamped(a, 0.0, 1.0) : 0.0));
   case CF_OP_FFLOOR: return cf_bits(floorf(a));
   case CF_OP_FCEIL: return cf_bits(ceilf(a));
   case CF_OP_FTRUNC: return cf_bits(truncf(a));
   case CF_OP_FRNE: return cf_bits(rintf(a));
   case CF_OP_FFRACT: return cf_bits(fract_reference(a));
   case CF_OP_FSIGN: return cf_bits(a > 0 ? 1.0f : a < 0 ? -1.0f : 0.0f);
   case CF_OP_FRCP: return cf_bits((float)(1.0 / (double)a));
   case CF_OP_FSQRT: return cf_bits((float)sqrt((double)a));
   case CF_OP_FRSQ: return cf_bits((float)(1.0 / (double)(float)sqrt((double)a)));
   case CF_OP_FLT: return boolean(a < b);
   case CF_OP_FGE: return boolean(a >= b);
   case CF_OP_FEQ: return boolean(a == b);
   case CF_OP_FNE: return boolean(!(a == b));
   case CF_OP_F2I: return (uint32_t)(int32_t)clamped(trunc((double)a), INT32_MIN, INT32_MAX);
   case CF_OP_F2U: return (uint32_t)clamped(trunc((double)a), 0, UINT32_MAX);
   case CF_OP_F2H: return half_reference(a);
   case CF_OP_FROUND: return round_reference(a, cf_bits(b));
   default: fail_msg("no reference for %s", cf_ops[op].name); return 0;
   }
   /* clang-format on */
}

/* Operations on integers; wide arithmetic, then cut to 32 bits. */
static uint32_t
integer_reference(enum cf_op op, uint32_t a, uint32_t b, uint32_t c)
{
   const int64_t sa = (int32_t)a, sb = (int32_t)b;
   const uint64_t ua = a, ub = b;
   /* clang-format off */
   switch (op) {
   case CF_OP_MOV: return a;
   case CF_OP_SEL: return a ? b : c;
   case CF_OP_ILT: return boolean(sa < sb);
   case CF_OP_IGE: return boolean(sa >= sb);
   case CF_OP_IEQ: return boolean(ua == ub);
   case CF_OP_INE: return boolean(ua != ub);
   case CF_OP_ULT: return boolean(ua < ub);
   case CF_OP_UGE: return boolean(ua >= ub);
   case CF_OP_IADD: return (uint32_t)(ua + ub);
   case CF_OP_ISUB: return (uint32_t)(ua - ub);
   case CF_OP_IMUL: return (uint32_t)(ua * ub);
   case CF_OP_UMULH: return (uint32_t)(ua * ub >> 32);
   case CF_OP_IMULH: return (uint32_t)((uint64_t)(sa * sb) >> 32);
   case CF_OP_IMAD: return (uint32_t)(ua * ub + c);
   case CF_OP_INEG: return (uint32_t)-sa;
   case CF_OP_IABS: return (uint32_t)(sa < 0 ? -sa : sa);
   case CF_OP_IMIN: return (uint32_t)(sa < sb ? sa : sb);
   case CF_OP_IMAX: return (uint32_t)(sa < sb ? sb : sa);
   case CF_OP_UMIN: return (uint32_t)(ua < ub ? ua : ub);
   case CF_OP_UMAX: return (uint32_t)(ua < ub ? ub : ua);
   case CF_OP_UDIV: return ub ? (uint32_t)(ua / ub) : 0xffffffff;
   case CF_OP_UMOD: return ub ? (uint32_t)(ua % ub) : a;
   case CF_OP_IDIV: return sb ? (uint32_t)(sa / sb) : 0xffffffff;
   case CF_OP_IREM: return sb ? (uint32_t)(sa % sb) : a;
   case CF_OP_IMOD: return sb ? (uint32_t)floor_mod(sa, sb) : a;
   case CF_OP_AND: return a & b;
   case CF_OP_OR: return a | b;
   case CF_OP_XOR: return a ^ b;
   case CF_OP_NOT: return ~a;
   case CF_OP_SHL: return (uint32_t)(ua << b % 32);
   case CF_OP_SHR: return (uint32_t)(ua >> b % 32);
   case CF_OP_ASR: return (uint32_t)(uint64_t)(sa >> b % 32);
   case CF_OP_I2F: return cf_bits((float)(double)sa);
   case CF_OP_U2F: return cf_bits((float)(double)ua);
   case CF_OP_B2F: return a ? 0x3f800000 : 0;
   case CF_OP_B2I: return a ? 1 : 0;
   case CF_OP_H2F: return cf_bits(float_of_half(a & 0xffff));
   default: fail_msg("no reference for %s", cf_ops[op].name); return 0;
   }
   /* clang-format on */
}

/* exp2, log2, sin, cos: the double value and the error allowed; false if the result must be NaN. */
static bool
special_reference(enum cf_op op, float x, double *value, double *bound)
{
   switch (op) {
   case CF_OP_FEXP2:
      *value = exp2((double)x);
      *bound = 2 * ulp_of(*value);
      break;
   case CF_OP_FLOG2:
      *value = log2((double)x);
      *bound = 4 * ulp_of(*value);
      break;
   default:
      if (!isfinite(x))
         return false;
      *value = op == CF_OP_FSIN ? sin((double)x) : cos((double)x);
      *bound = fabsf(x) < 100000.0f ? 0x1p-22 : 2.0;
      break;
   }
   return !isnan(*value);
}

static bool
is_special(enum cf_op op)
{
   return op == CF_OP_FEXP2 || op == CF_OP_FLOG2 || op == CF_OP_FSIN || op == CF_OP_FCOS;
}

static bool
is_right(enum cf_op op, const uint32_t in[3], uint32_t got, uint32_t *expected)
{
   const bool float_result = cf_ops[op].types[0] == 'f';
   *expected = 0x7fc00000;
   if (is_special(op)) {
      double value, bound;
      if (!special_reference(op, cf_float(in[0]), &value, &bound))
         return is_nan_bits(got);
      *expected = cf_bits((float)value);
      return got == *expected || fabs((double)cf_float(got) - value) <= bound;
   }
   if (cf_ops[op].types[1] == 'f' || op == CF_OP_FNEG || op == CF_OP_FABS)
      *expected = float_reference(op, cf_float(in[0]), cf_float(in[1]), cf_float(in[2]));
   else
      *expected = integer_reference(op, in[0], in[1], in[2]);
   return float_result ? same_float(got, *expected) : got == *expected;
}

/* ---- inputs ---- */

#define ROUNDS 800

static void
make_text(enum cf_op op, char *text, size_t size)
{
   const unsigned n = cf_ops[op].sources;
   static const char *const operands[2][4] = { { "", "v0", "v0, v1", "v0, v1, v2" },
                                               { "", "s0", "s0, s1", "s0, s1, s2" } };
   snprintf(text, size, "%s v3, %s\n%s s3, %s\nend", cf_ops[op].name, operands[0][n],
            cf_ops[op].name, operands[1][n]);
}

static void
check_op(struct fixture *f, enum cf_op op, enum cf_host_level level, uint64_t seed)
{
   uint64_t random = seed;
   char text[128];
   make_text(op, text, sizeof(text));
   assert_true(fixture_load(f, text));
   for (unsigned round = 0; round < ROUNDS; round++) {
      const uint32_t exec = round % 3 ? 0xffffffff : random_u32(&random) | 1u << round % 32;
      for (unsigned lane = 0; lane < LANES; lane++) {
         for (unsigned k = 0; k < 3; k++) {
            f->task->v[k][lane] = make_input(&random, round * LANES + lane, k);
            f->task->s[k][lane] = make_input(&random, round * LANES + 5, k);
         }
      }
      fixture_run(f, level, exec);
      for (unsigned lane = 0; lane < LANES; lane++) {
         const uint32_t in[3] = { f->task->v[0][lane], f->task->v[1][lane], f->task->v[2][lane] };
         const uint32_t scalar_in[3] = { f->task->s[0][lane], f->task->s[1][lane],
                                         f->task->s[2][lane] };
         uint32_t expected;
         if ((exec >> lane & 1) && !is_right(op, in, f->task->v[3][lane], &expected))
            fail_msg("%s level %d seed 0x%llx: %08x %08x %08x -> %08x, expected %08x",
                     cf_ops[op].name, (int)level, (unsigned long long)seed, in[0], in[1], in[2],
                     f->task->v[3][lane], expected);
         if (!is_right(op, scalar_in, f->task->s[3][lane], &expected))
            fail_msg("%s to s3 level %d: %08x %08x %08x -> %08x, expected %08x", cf_ops[op].name,
                     (int)level, scalar_in[0], scalar_in[1], scalar_in[2], f->task->s[3][lane],
                     expected);
      }
   }
}

static void
test_every_op(void **state)
{
   (void)state;
   struct cf_random seeds = cf_random_seed("shader-alu test_every_op");
   const uint64_t seed = cf_random_u64(&seeds) | 1;
   struct fixture f;
   unsigned ops = 0;
   fixture_init(&f);
   for (unsigned op = 0; op < CF_OP_LIMIT; op++) {
      const struct cf_op_info *info = cf_op_info(op);
      if (!info || !info->alu || info->cross_lane || op == CF_OP_MOVI)
         continue;
      ops++;
      for (int level = CF_HOST_BASE; level <= (int)cf_host_level(); level++)
         check_op(&f, (enum cf_op)op, (enum cf_host_level)level, seed + op);
   }
   assert_true(ops > 60);
   fixture_end(&f);
}

/* ---- special functions by CORDIC ---- */

static const struct {
   enum cf_op op;
   float (*function)(float x, unsigned iterations);
} by_cordic[] = {
   { CF_OP_FRCP, cf_cordic_rcp },   { CF_OP_FRSQ, cf_cordic_rsqrt },
   { CF_OP_FSQRT, cf_cordic_sqrt }, { CF_OP_FEXP2, cf_cordic_exp2 },
   { CF_OP_FLOG2, cf_cordic_log2 }, { CF_OP_FSIN, cf_cordic_sin },
   { CF_OP_FCOS, cf_cordic_cos },
};

/* Of vectors and scalars; the operation after it is what it was. */
static void
check_by_cordic(struct fixture *f, unsigned k, enum cf_host_level level, unsigned iterations,
                uint64_t seed)
{
   uint64_t random = seed;
   char text[128];
   snprintf(text, sizeof(text), "%s v3, v0\n%s s3, s0\nfadd v4, v0, v0\nend",
            cf_ops[by_cordic[k].op].name, cf_ops[by_cordic[k].op].name);
   assert_true(fixture_load(f, text));
   cf_program_use_cordic((struct cf_decoded *)f->stage.program, iterations);
   for (unsigned lane = 0; lane < LANES; lane++) {
      f->task->v[0][lane] = make_input(&random, lane, 0);
      f->task->s[0][lane] = make_input(&random, 5, 0);
   }
   fixture_run(f, level, 0xffffffff);
   for (unsigned lane = 0; lane < LANES; lane++) {
      const float in = cf_float(f->task->v[0][lane]), scalar = cf_float(f->task->s[0][lane]);
      assert_true(same_float(f->task->v[3][lane], cf_bits(by_cordic[k].function(in, iterations))));
      assert_true(
         same_float(f->task->s[3][lane], cf_bits(by_cordic[k].function(scalar, iterations))));
      assert_true(same_float(f->task->v[4][lane], cf_bits(in + in)));
   }
}

static void
test_cordic(void **state)
{
   (void)state;
   struct cf_random seeds = cf_random_seed("shader-alu test_cordic");
   struct fixture f;
   fixture_init(&f);
   for (unsigned k = 0; k < sizeof(by_cordic) / sizeof(by_cordic[0]); k++) {
      for (unsigned round = 0; round < 40; round++) {
         for (int level = CF_HOST_BASE; level <= (int)cf_host_level(); level++)
            check_by_cordic(&f, k, (enum cf_host_level)level, 1 + round % 26,
                            cf_random_u64(&seeds) | 1);
      }
   }
   fixture_end(&f);
}

/* Under a mask inside the task, lanes outside keep their values; in place and with all kinds of
 * operands. */
static void
test_masked_in_place(void **state)
{
   (void)state;
   struct fixture f;
   const uint32_t constants[4] = { 0, 0, 1000, 0 };
   fixture_init(&f);
   f.stage.constants[0].data = constants;
   f.stage.constants[0].dwords = 4;
   assert_true(fixture_load(&f, "if v1, done\n"
                                "imad v0, v0, 2, u2\n"
                                "iadd v0, v0, s7\n"
                                "iadd s7, s7, -1\n"
                                "movi v2, 0x12345678\n"
                                "done: endif\n"
                                "end"));
   for (int level = CF_HOST_BASE; level <= (int)cf_host_level(); level++) {
      for (unsigned lane = 0; lane < LANES; lane++) {
         f.task->v[0][lane] = lane;
         f.task->v[1][lane] = lane % 3 == 0;
         f.task->v[2][lane] = 7;
         f.task->s[7][lane] = 50;
      }
      fixture_run(&f, (enum cf_host_level)level, 0xffffffff);
      for (unsigned lane = 0; lane < LANES; lane++) {
         assert_int_equal(f.task->v[0][lane], lane % 3 == 0 ? lane * 2 + 1050 : lane);
         assert_int_equal(f.task->v[2][lane], lane % 3 == 0 ? 0x12345678 : 7);
         assert_int_equal(f.task->s[7][lane], 49);
      }
   }
   fixture_end(&f);
}

/* Lanes in the branch: some subset of every quad's. */
static bool
taken(unsigned lane)
{
   return 0x8cd7ea5b >> lane & 1;
}

/* Differences in the quad, also in place; 0 where one of the two lanes is not in exec. */
static void
test_cross_lane(void **state)
{
   (void)state;
   static const char *const names[] = { "fddx", "fddy", "fddxc", "fddyc" };
   struct fixture f;
   fixture_init(&f);
   for (unsigned n = 0; n < 4; n++) {
      char text[128];
      snprintf(text, sizeof(text), "%s v1, v0\nif v2, done\n%s v0, v0\ndone: endif\nend", names[n],
               names[n]);
      assert_true(fixture_load(&f, text));
      for (int level = CF_HOST_BASE; level <= (int)cf_host_level(); level++) {
         float value[LANES], expected[LANES], divergent[LANES];
         for (unsigned lane = 0; lane < LANES; lane++) {
            value[lane] = (float)(lane * lane) * 0.37f;
            f.task->v[0][lane] = cf_bits(value[lane]);
            f.task->v[2][lane] = taken(lane);
         }
         for (unsigned lane = 0; lane < LANES; lane++) {
            const float *q = &value[lane - lane % 4];
            const unsigned x = lane & 1, y = lane >> 1 & 1;
            const float results[] = { q[2 * y + 1] - q[2 * y], q[2 + x] - q[x], q[1] - q[0],
                                      q[2] - q[0] };
            const unsigned pair[][2] = { { 2 * y, 2 * y + 1 }, { x, 2 + x }, { 0, 1 }, { 0, 2 } };
            expected[lane] = results[n];
            divergent[lane] = 0.0f;
            if (taken(lane - lane % 4 + pair[n][0]) && taken(lane - lane % 4 + pair[n][1]))
               divergent[lane] = results[n];
         }
         fixture_run(&f, (enum cf_host_level)level, 0xffffffff);
         for (unsigned lane = 0; lane < LANES; lane++) {
            assert_int_equal(f.task->v[1][lane], cf_bits(expected[lane]));
            assert_int_equal(f.task->v[0][lane],
                             cf_bits(taken(lane) ? divergent[lane] : value[lane]));
         }
      }
   }
   fixture_end(&f);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_op),
      cmocka_unit_test(test_cordic),
      cmocka_unit_test(test_masked_in_place),
      cmocka_unit_test(test_cross_lane),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
