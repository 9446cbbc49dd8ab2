/* SPDX-License-Identifier: MIT
 *
 * Functions that are new in GLSL ES 3.00 (sections 8.1 to 8.6) on random values, in both stages,
 * against references in double precision; es3_integers.c has the packing functions.
 *
 * Section 4.5.1 says how far off sums, products, quotients, exponentials, logarithms and roots may
 * be. What has no precision there gets that of the formula that defines it (sinh, cosh, tanh), or,
 * where section 8.1 names an inverse alone (asinh, acosh, atanh), of the formula of logarithms and
 * roots that it is computed with.
 */
#include "es3_rules.h"

#include <math.h>
#include <stdlib.h>

enum { SIZE_PX = ES3_EVALUATED_PX, PIXELS = SIZE_PX * SIZE_PX, VALUES = 4 * PIXELS };

/* ------------------------------------------------------------------------- numbers with errors */

/* What a shader has of a number: within `error` of `value`. */
struct near {
   double value, error;
};

/* The distance of floats around a number. */
static double
ulp(double value)
{
   const double x = fabs(value);
   return ldexp(1, (x < 0x1p-126 ? -126 : ilogb(x)) - 23);
}

/* A result of inexact operands that is itself so many ulps off. */
static struct near
off_by(double value, double error, double ulps)
{
   return (struct near){ value, error + ulps * ulp(fabs(value) + error) };
}

static struct near
exactly(double value)
{
   return (struct near){ value, 0 };
}

static struct near
sum(struct near a, struct near b)
{
   return off_by(a.value + b.value, a.error + b.error, 0.5);
}

static struct near
negative(struct near a)
{
   return (struct near){ -a.value, a.error };
}

static struct near
half(struct near a)
{
   return (struct near){ a.value / 2, a.error / 2 };
}

static struct near
product(struct near a, struct near b)
{
   return off_by(a.value * b.value,
                 fabs(a.value) * b.error + fabs(b.value) * a.error + a.error * b.error, 0.5);
}

static struct near
quotient(struct near a, struct near b)
{
   const double value = a.value / b.value;
   return off_by(value, (a.error + fabs(value) * b.error) / (fabs(b.value) - b.error), 2.5);
}

static struct near
exponential(struct near a)
{
   const double value = exp(a.value);
   return off_by(value, value * expm1(a.error), 3 + 2 * fabs(a.value));
}

/* Around 1 the error is an absolute one. */
static struct near
logarithm(struct near a)
{
   const double value = log(a.value), error = a.error / (a.value - a.error);
   if (a.value - a.error > 2 || a.value + a.error < 0.5)
      return off_by(value, error, 3);
   return (struct near){ value, error + fmax(0x1p-21, 3 * ulp(value)) };
}

/* 1 / inversesqrt(), of 2.5 and of 2 ulps. */
static struct near
root(struct near a)
{
   const double value = sqrt(a.value);
   const double least = sqrt(fmax(a.value - a.error, 0));
   return off_by(value, value - least, 5);
}

/* ---------------------------------------------------------------------------------- references */

/* The result as a float, or as bits that must be equal. */
struct answer {
   struct near number;
   uint32_t bits;
   bool is_number, whole /* and it must be a whole number */;
};

static struct answer
number(struct near n)
{
   return (struct answer){ .number = { n.value, n.error + 0x1p-126 }, .is_number = true };
}

static struct answer
bits(uint32_t value)
{
   return (struct answer){ .bits = value };
}

static struct near
sinh_twice(double x)
{
   return sum(exponential(exactly(x)), negative(exponential(exactly(-x))));
}

static struct near
cosh_twice(double x)
{
   return sum(exponential(exactly(x)), exponential(exactly(-x)));
}

static struct near
asinh_of(double x)
{
   const struct near y = exactly(fabs(x));
   const struct near value = logarithm(sum(y, root(sum(product(y, y), exactly(1)))));
   return x < 0 ? negative(value) : value;
}

static struct near
acosh_of(double x)
{
   const struct near y = exactly(x);
   return logarithm(sum(y, root(sum(product(y, y), exactly(-1)))));
}

static struct near
atanh_of(double x)
{
   return half(logarithm(quotient(sum(exactly(1), exactly(x)), sum(exactly(1), exactly(-x)))));
}

/* Section 8.3: a half goes either way. */
static struct answer
round_of(double x)
{
   struct answer a = number(exactly(floor(x + 0.5)));
   if (x - floor(x) == 0.5)
      a.number = (struct near){ x, 0.5 };
   a.whole = true;
   return a;
}

static uint32_t
clamped(int32_t a, int32_t b, int32_t c)
{
   const int32_t low = b < c ? b : c, high = b < c ? c : b;
   return (uint32_t)(a < low ? low : a > high ? high : a);
}

/* --------------------------------------------------------------------------- by component */

/* Any bits; bits that are no NaN and not denormal, which may be lost (sections 4.5.1, 8.3); floats
 * of [low, high]. */
enum domain { ANY, NUMBER, RANGE };

#define SIGNED(x) ((int32_t)(x))
#define IS_NAN(x) (((x)&0x7fffffff) > 0x7f800000)

/* name, expression, domain, lowest, highest, the same in C; x is a as a float. NaNs are open in
 * section 4.5.1: that isnan() tells them from numbers is what IEEE 754's floats are good for. */
#define BUILT_INS(X)                                                                               \
   X(sinh, "FB(sinh(B(a)))", RANGE, -87, 87, number(half(sinh_twice(x))))                          \
   X(cosh, "FB(cosh(B(a)))", RANGE, -87, 87, number(half(cosh_twice(x))))                          \
   X(tanh, "FB(tanh(B(a)))", RANGE, -20, 20, number(quotient(sinh_twice(x), cosh_twice(x))))       \
   X(asinh, "FB(asinh(B(a)))", RANGE, -1e18f, 1e18f, number(asinh_of(x)))                          \
   X(asinh_small, "FB(asinh(B(a)))", RANGE, -9, 9, number(asinh_of(x)))                            \
   X(acosh, "FB(acosh(B(a)))", RANGE, 1, 1e18f, number(acosh_of(x)))                               \
   X(acosh_small, "FB(acosh(B(a)))", RANGE, 1, 9, number(acosh_of(x)))                             \
   X(atanh, "FB(atanh(B(a)))", RANGE, -0.999f, 0.999f, number(atanh_of(x)))                        \
   X(round, "FB(round(B(a)))", RANGE, -1e8f, 1e8f, round_of(x))                                    \
   X(round_small, "FB(round(B(a)))", RANGE, -9, 9, round_of(x))                                    \
   X(even, "FB(roundEven(B(a)))", RANGE, -1e8f, 1e8f, number(exactly(nearbyint(x))))               \
   X(even_small, "FB(roundEven(B(a)))", RANGE, -9, 9, number(exactly(nearbyint(x))))               \
   X(trunc, "FB(trunc(B(a)))", RANGE, -1e8f, 1e8f, number(exactly(trunc(x))))                      \
   X(trunc_small, "FB(trunc(B(a)))", RANGE, -9, 9, number(exactly(trunc(x))))                      \
   X(fraction, "FB(modf(B(a), w))", RANGE, -999, 999, number(exactly(x - trunc(x))))               \
   X(whole, "FB((modf(B(a), w), w))", RANGE, -999, 999, number(exactly(trunc(x))))                 \
   X(isnan, "U(isnan(B(a)))", ANY, 0, 0, bits(IS_NAN(a)))                                          \
   X(isinf, "U(isinf(B(a)))", ANY, 0, 0, bits((a & 0x7fffffff) == 0x7f800000))                     \
   X(mix, "FB(mix(B(a), B(b), T(c & 1u)))", NUMBER, 0, 0, bits(c & 1 ? b : a))                     \
   X(there, "U(floatBitsToInt(intBitsToFloat(I(a))))", NUMBER, 0, 0, bits(a))                      \
   X(to_bits, "U(floatBitsToInt(F(I(a) >> 8)))", ANY, 0, 0,                                        \
     bits(es3_bits((float)(SIGNED(a) >> 8))))                                                      \
   X(to_float, "U(uintBitsToFloat((a & 0x7fffffu) | 0x4b000000u))", ANY, 0, 0,                     \
     bits((a & 0x7fffff) | 0x800000))                                                              \
   X(to_int, "U(I(intBitsToFloat(I((a & 0x7fffffu) | 0xcb000000u))))", ANY, 0, 0,                  \
     bits(0u - ((a & 0x7fffff) | 0x800000)))                                                       \
   X(least, "U(min(I(a), I(b)))", ANY, 0, 0, bits(SIGNED(a) < SIGNED(b) ? a : b))                  \
   X(most, "U(max(I(a), I(b)))", ANY, 0, 0, bits(SIGNED(a) > SIGNED(b) ? a : b))                   \
   X(clamp, "U(clamp(I(a), min(I(b), I(c)), max(I(b), I(c))))", ANY, 0, 0,                         \
     bits(clamped(SIGNED(a), SIGNED(b), SIGNED(c))))                                               \
   X(abs, "U(abs(I(a | 1u)))", ANY, 0, 0, bits((uint32_t)abs(SIGNED(a | 1))))                      \
   X(sign, "U(sign(I(a)))", ANY, 0, 0, bits((uint32_t)((SIGNED(a) > 0) - (SIGNED(a) < 0))))

#define FUNCTION(name, text, domain, low, high, result)                                            \
   static struct answer answer_##name(uint32_t a, uint32_t b, uint32_t c)                          \
   {                                                                                               \
      const double x = es3_float(a);                                                               \
      (void)b, (void)c, (void)x;                                                                   \
      return result;                                                                               \
   }
BUILT_INS(FUNCTION)

static const struct built_in {
   const char *text;
   enum domain domain;
   float low, high;
   struct answer (*answer)(uint32_t a, uint32_t b, uint32_t c);
} built_ins[] = {
#define ENTRY(name, text, domain, low, high, result) { text, domain, low, high, answer_##name },
   BUILT_INS(ENTRY)
};

/* Half of them near the low end, or near 0 on both sides; and halves, which are ties. */
static float
float_within(struct rules *r, float low, float high)
{
   const float near_zero = ldexpf(high - fmaxf(low, 0), -rules_between(r, 0, 40));
   float x = rules_float(r, low, high);
   if (rules_chance(r, 50))
      x = low < 0 ? rules_float(r, -near_zero, near_zero) : low + rules_float(r, 0, near_zero);
   else if (rules_chance(r, 30))
      x = (float)rules_between(r, -20, 20) / 2;
   return fminf(fmaxf(x, low), high);
}

static void
choose(struct rules *r, const struct built_in *b, uint32_t *values[3])
{
   for (int i = 0; i < VALUES; i++) {
      for (int v = 0; v < 3; v++) {
         uint32_t bits = es3_random_bits(r);
         if (b->domain == RANGE)
            bits = es3_bits(float_within(r, b->low, b->high));
         const uint32_t exponent = bits >> 23 & 255;
         if (b->domain != ANY && exponent == 0)
            bits &= 0x80000000;
         if (b->domain == NUMBER && exponent == 255)
            bits &= 0xff800000;
         values[v][i] = bits;
      }
   }
}

static bool
fits(const struct answer *a, uint32_t have)
{
   if (!a->is_number)
      return have == a->bits;
   const float x = es3_float(have);
   return fabs(x - a->number.value) <= a->number.error && (!a->whole || x == floorf(x));
}

static void
expect_answers(struct rules *r, const struct built_in *b, bool vertex, uint32_t *values[3])
{
   uint32_t *have = es3_read_uint(r, SIZE_PX, SIZE_PX);
   for (int i = 0; i < VALUES; i++) {
      const uint32_t *v[3] = { &values[0][i], &values[1][i], &values[2][i] };
      const struct answer a = b->answer(*v[0], *v[1], *v[2]);
      if (!fits(&a, have[i]))
         rules_fail(r,
                    "%s in the %s shader of 0x%08x (%.9g), 0x%08x, 0x%08x is 0x%08x (%.9g), not "
                    "0x%08x, %.9g within %g",
                    b->text, vertex ? "vertex" : "fragment", *v[0], es3_float(*v[0]), *v[1], *v[2],
                    have[i], es3_float(have[i]), a.bits, a.number.value, a.number.error);
   }
   free(have);
}

void
es3_built_ins(struct rules *r)
{
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIZE_PX, SIZE_PX);
   uint32_t *values[3];
   for (int i = 0; i < 3; i++)
      values[i] = malloc(VALUES * sizeof(uint32_t));
   while (rules_next(r)) {
      const struct built_in *b = &built_ins[(size_t)r->n / 2 % COUNT(built_ins)];
      choose(r, b, values);
      es3_evaluate(r, b->text, rules_between(r, 1, 4), r->n % 2, values);
      expect_answers(r, b, r->n % 2, values);
   }
   for (int i = 0; i < 3; i++)
      free(values[i]);
   es3_target_delete(&target);
}
