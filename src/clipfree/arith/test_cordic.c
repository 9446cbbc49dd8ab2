/* SPDX-License-Identifier: MIT */
/*
 * CORDIC against the C library in double precision: the error falls by a bit an iteration until f32
 * and the 30 bits of fixed point end it. `test_cordic --table` prints the largest error of each
 * function for each number of iterations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "clipfree/arith/cf_cordic.h"
#include "clipfree/base/test_random.h"

static double
rcp(double x)
{
   return 1 / x;
}

static double
rsqrt(double x)
{
   return 1 / sqrt(x);
}

static const struct function {
   const char *name;
   float (*cordic)(float x, unsigned iterations);
   float (*exact)(float x); /* cf_special.h's */
   double (*real)(double x);
   double low, high; /* range of arguments */
   int relative;     /* the error is relative to the result, else absolute */
} functions[] = {
   { "rcp", cf_cordic_rcp, cf_rcp, rcp, 0.01, 100, 1 },
   { "sqrt", cf_cordic_sqrt, cf_sqrt, sqrt, 0.01, 100, 1 },
   { "rsqrt", cf_cordic_rsqrt, cf_rsqrt, rsqrt, 0.01, 100, 1 },
   { "exp2", cf_cordic_exp2, cf_exp2, exp2, -20, 20, 1 },
   { "log2", cf_cordic_log2, cf_log2, log2, 0.5, 2, 0 },
   { "sin", cf_cordic_sin, cf_sin, sin, -10, 10, 0 },
   { "cos", cf_cordic_cos, cf_cos, cos, -10, 10, 0 },
};

#define FUNCTIONS (sizeof functions / sizeof functions[0])
#define TRIED 2000

static double
error_of(const struct function *f, double result, float x)
{
   const double real = f->real(x);
   return fabs(result - real) / (f->relative ? fabs(real) : 1);
}

/* The largest error over evenly spread arguments. */
static double
largest_error(const struct function *f, unsigned iterations)
{
   double largest = 0;
   for (unsigned i = 0; i < TRIED; i++) {
      const float x = (float)(f->low + (f->high - f->low) * (i + 0.37) / TRIED);
      largest = fmax(largest, error_of(f, f->cordic(x, iterations), x));
   }
   return largest;
}

/* Bounds: the last iteration rotates by about 2^-(n - 1), two steps of the hyperbolic system are
 * repeated, log2 is twice an angle, and rsqrt has two errors; rounding to f32 adds 2^-24, the
 * sine's argument reduction 2^-23. A square root is a length, accurate to twice the bits of its
 * angle. */
static void
test_one_bit_an_iteration(void **state)
{
   (void)state;
   for (unsigned k = 0; k < FUNCTIONS; k++)
      for (unsigned n = 1; n <= CF_CORDIC_MAX_ITERATIONS; n++) {
         const double error = largest_error(&functions[k], n), bound = ldexp(16, -(int)n) + 0x1p-22;
         if (!(error <= bound))
            fail_msg("%s, %u iterations: error %g, more than %g", functions[k].name, n, error,
                     bound);
         if (n <= 12 && functions[k].cordic != cf_cordic_sqrt && !(error >= bound / 512))
            fail_msg("%s, %u iterations: error %g, less than there can be", functions[k].name, n,
                     error);
      }
}

static void
test_what_is_outside_the_reduced_range(void **state)
{
   (void)state;
   static const float special[] = { 0.0f, -0.0f, INFINITY, -INFINITY, NAN, 0x1p-140f, -0x1p-140f };
   for (unsigned k = 0; k < FUNCTIONS; k++)
      for (unsigned i = 0; i < sizeof special / sizeof special[0]; i++) {
         const float want = functions[k].exact(special[i]),
                     have = functions[k].cordic(special[i], 24);
         assert_true(cf_bits(want) == cf_bits(have) || fabs((double)want - have) < 0x1p-20 ||
                     (isnan(want) && isnan(have)));
      }
   for (float x = -1; x > -1e30f; x *= 7.3f) {
      assert_true(isnan(cf_cordic_sqrt(x, 13)) && isnan(cf_cordic_rsqrt(x, 13)) &&
                  isnan(cf_cordic_log2(x, 13)));
      assert_true(cf_cordic_rcp(x, 13) == -cf_cordic_rcp(-x, 13));
   }
}

/* Arguments beyond the reduction's reach give the sine of its end: a number in -1 .. 1, up to the
 * error. */
static void
test_far_angles(void **state)
{
   (void)state;
   for (uint32_t quadrant = 0; quadrant < 4; quadrant++) {
      const float end = cf_cordic_sin_quadrant(0x1p22f, quadrant, 24);
      assert_true(fabsf(end) <= 1.0f + 0x1p-20f);
      for (float a = 0x1p22f; a < 0x1p120f; a *= 5.3f)
         assert_true(cf_cordic_sin_quadrant(a, quadrant, 24) == end);
   }
}

/* All exponents: scaling back neither overflows nor drops a factor. */
static void
test_all_exponents(void **state)
{
   (void)state;
   struct cf_random r = cf_random_seed("test_all_exponents");
   for (unsigned n = 0; n < 20000; n++) {
      const float x = cf_float(cf_random_u32(&r) & 0x7fffffff);
      if (!cf_cordic_is_normal(x))
         continue;
      for (unsigned k = 0; k < 3; k++) { /* rcp, sqrt, rsqrt */
         const double real = functions[k].real(x);
         if (real > 0x1p-126 && real < 0x1p127)
            assert_true(error_of(&functions[k], functions[k].cordic(x, 26), x) < 0x1p-21);
      }
      assert_true(fabs(cf_cordic_log2(x, 26) - log2(x)) < 0x1p-16);
   }
}

static void
print_table(void)
{
   printf("iterations");
   for (unsigned k = 0; k < FUNCTIONS; k++)
      printf(" %s", functions[k].name);
   for (unsigned n = 1; n <= CF_CORDIC_MAX_ITERATIONS; n++) {
      printf("\n%u", n);
      for (unsigned k = 0; k < FUNCTIONS; k++)
         printf(" %.3g", largest_error(&functions[k], n));
   }
   printf("\n");
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_bit_an_iteration),
      cmocka_unit_test(test_what_is_outside_the_reduced_range),
      cmocka_unit_test(test_far_angles),
      cmocka_unit_test(test_all_exponents),
   };
   if (argc == 2 && strcmp(argv[1], "--table") == 0) {
      print_table();
      return 0;
   }
   return cmocka_run_group_tests(tests, NULL, NULL);
}
