/* SPDX-License-Identifier: MIT */
/*
 * The one sum of a triangle's weights (cf_prim_weight_sum): where it is said to be known, each
 * pixel computes that, and the weights are in the range that is promised. Short weights
 * (cf_prim_weights_are_short): each pixel computes the same in f32.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "clipfree/primitive/test_bench.h"

#define WIDTH_PX 200
#define HEIGHT_PX 120

/* ---- what pixels compute ---- */

/* A weight as interpolation computes it (cf_interpolate_lanes.c). */
static double
weight_at(const struct cf_prim *prim, uint32_t i, double x_px, double y_px)
{
   return (prim->a[i] * x_px + prim->b[i] * y_px) + prim->c[i];
}

static float
sum_at(const struct cf_prim *prim, double x_px, double y_px)
{
   return (float)((weight_at(prim, 0, x_px, y_px) + weight_at(prim, 1, x_px, y_px)) +
                  weight_at(prim, 2, x_px, y_px));
}

static void
expect_ordinary(float weight)
{
   const float magnitude = fabsf(weight);
   if (!(magnitude >= 0x1p-88f && magnitude <= 0x1p60f) && cf_bits(weight) != 0)
      fail_msg("a weight is %a", (double)weight);
}

/* Each pixel of the blocks that a rectangle touches. */
static void
expect_sum(const struct cf_prim *prim, const struct cf_prim_bounds *b, float sum)
{
   assert_true(sum >= 0x1p-16f && sum <= 0x1p16f);
   for (uint32_t y = b->min_y_px & ~3u; y < ((b->max_y_px + 3u) & ~3u); y++) {
      for (uint32_t x = b->min_x_px & ~3u; x < ((b->max_x_px + 3u) & ~3u); x++) {
         const float at = sum_at(prim, x, y);
         if (at != sum)
            fail_msg("at (%u, %u) the sum is %a, not %a", x, y, (double)at, (double)sum);
         expect_ordinary((float)weight_at(prim, 0, x, y));
         expect_ordinary((float)weight_at(prim, 1, x, y));
      }
   }
}

/* A weight in f32. */
static float
short_weight_at(const struct cf_prim *prim, uint32_t i, float x_px, float y_px)
{
   const float ax = (float)prim->a[i] * x_px, by = (float)prim->b[i] * y_px;
   return (ax + by) + (float)prim->c[i];
}

static void
expect_short(const struct cf_prim *prim, const struct cf_prim_bounds *b)
{
   for (uint32_t y = b->min_y_px & ~3u; y < ((b->max_y_px + 3u) & ~3u); y++) {
      for (uint32_t x = b->min_x_px & ~3u; x < ((b->max_x_px + 3u) & ~3u); x++) {
         for (uint32_t i = 0; i < 2; i++) {
            const double wanted = weight_at(prim, i, x, y);
            const double found = (double)short_weight_at(prim, i, (float)x, (float)y);
            if (cf_bits64(found) != cf_bits64(wanted))
               fail_msg("at (%u, %u) weight %u is %a, not %a", x, y, i, found, wanted);
         }
      }
   }
}

/* ---- triangles that were set up ---- */

/* Of one w, or of several: a quarter. On a grid of eighths of the viewport: a third. */
static bool
random_triangle(struct bench_vertex v[3], bool *on_grid)
{
   const bool flat = below(4) != 0, grid = *on_grid = below(3) == 0;
   const float w = below(2) ? 1.0f : ldexpf(1.0f + fabsf(uniform()), (int)below(12) - 6);
   for (uint32_t i = 0; i < 3; i++) {
      const float own = flat ? w : w * (1.5f + uniform());
      const float x = grid ? (float)((int)below(17) - 8) / 8.0f : 2.0f * uniform();
      const float y = grid ? (float)((int)below(17) - 8) / 8.0f : 2.0f * uniform();
      v[i] = bench_vertex(x * own, y * own, 0.5f * own, own);
   }
   return flat;
}

static void
test_triangles(void **unused)
{
   uint32_t known = 0, large = 0, others = 0, grids = 0, short_grids = 0, short_others = 0;
   for (uint32_t round = 0; round < 3000; round++) {
      struct bench_vertex v[3];
      struct bench b;
      bool grid;
      const bool flat = random_triangle(v, &grid);
      bench_init(&b, WIDTH_PX, HEIGHT_PX, 1);
      b.config.level = below(cf_host_level() + 1);
      b.config.raster.half_pixel_center = below(4) != 0;
      b.config.policy = below(4) ? CF_SETUP_EXACT : below(2) ? CF_SETUP_DP3 : CF_SETUP_FMA;
      bench_draw(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
      const struct cf_prim *prim = &b.prims[0];
      if (b.count == 1 && prim->weight_sum != 0.0f)
         expect_sum(prim, &prim->bounds, prim->weight_sum);
      if (b.count == 1 && prim->short_weights) {
         assert_true(prim->weight_sum != 0.0f);
         expect_short(prim, &prim->bounds);
      }
      if (b.count == 1 && flat && b.config.policy == CF_SETUP_EXACT &&
          prim->bounds.max_x_px - prim->bounds.min_x_px >= 32 &&
          prim->bounds.max_y_px - prim->bounds.min_y_px >= 16) {
         large++;
         known += prim->weight_sum != 0.0f;
         grids += grid && v[0].position[3] == 1.0f;
         short_grids += grid && v[0].position[3] == 1.0f && prim->short_weights;
         short_others += !grid && prim->short_weights;
      }
      others += b.count == 1 && !flat && prim->weight_sum != 0.0f;
      bench_free(&b);
   }
   assert_int_equal(others, 0);
   assert_true(large > 1000);
   assert_true(known * 100 > large * 99);
   assert_true(grids > 100);
   assert_int_equal(short_grids, grids);
   assert_int_equal(short_others, 0);
   (void)unused;
}

/* ---- coefficients at the limits ---- */

/* Functions whose sum is `sum` but for what rounding leaves. */
static struct cf_prim
flat_functions(double sum)
{
   struct cf_prim prim = { .shape = CF_SHAPE_TRIANGLE, .bounds = { 0, 0, WIDTH_PX, HEIGHT_PX } };
   for (uint32_t i = 0; i < 2; i++) {
      prim.a[i] = (double)uniform() * 0.03125;
      prim.b[i] = (double)uniform() * 0.03125;
      prim.c[i] = (double)uniform();
   }
   prim.a[2] = -(prim.a[0] + prim.a[1]);
   prim.b[2] = -(prim.b[0] + prim.b[1]);
   prim.c[2] = sum - (prim.c[0] + prim.c[1]);
   return prim;
}

/* Sums next to a number halfway between two floats: at some distance pixels differ, and further off
 * the sum is known. */
static void
test_halfway(void **unused)
{
   uint32_t differ = 0, known = 0;
   for (uint32_t round = 0; round < 4000; round++) {
      const double ulps = ldexp(below(2) ? 1.0 : -1.0, -(int)below(32));
      const double sum = 1.0 + (double)(2 * below(1 << 22) + 1) * 0x1p-24 + ulps * 0x1p-24;
      const struct cf_prim prim = flat_functions(sum);
      const float first = sum_at(&prim, 0, 0), found = cf_prim_weight_sum(&prim);
      bool differs = false;
      for (uint32_t i = 0; i < 200 && !differs; i++)
         differs = sum_at(&prim, below(WIDTH_PX), below(HEIGHT_PX)) != first;
      differ += differs;
      known += found != 0.0f;
      if (found != 0.0f)
         expect_sum(&prim, &prim.bounds, found);
   }
   assert_true(differ > 10);
   assert_true(known > 1000);
   (void)unused;
}

/* Sums that change by much or little across the bounds. */
static void
test_slopes(void **unused)
{
   uint32_t known = 0;
   for (uint32_t round = 0; round < 2000; round++) {
      struct cf_prim prim = flat_functions(1.0 + fabs((double)uniform()));
      *(below(2) ? &prim.a[2] : &prim.b[2]) += ldexp((double)uniform(), -(int)below(50));
      const float found = cf_prim_weight_sum(&prim);
      known += found != 0.0f;
      if (found != 0.0f)
         expect_sum(&prim, &prim.bounds, found);
   }
   assert_in_range(known, 300, 1700);
   (void)unused;
}

/* What is out of range is not known: values that would be too small, too large, or -0. */
static void
test_range(void **unused)
{
   static const struct {
      double value;
      bool taken, taken_as_c;
   } cases[] = {
      { 0.0, true, true },         { -0.0, true, false },        { 0x1p-36, true, true },
      { 0x1.fp-37, false, false }, { -0x1.fp-37, false, false }, { 0x1p-200, false, false },
      { 0x1p41, false, false },    { NAN, false, false },        { INFINITY, false, false },
   };
   for (uint32_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
      for (uint32_t i = 0; i < 6; i++) {
         struct cf_prim prim = flat_functions(1.25);
         const uint32_t k = i % 2;
         *(i < 2 ? &prim.a[k] : i < 4 ? &prim.b[k] : &prim.c[k]) = cases[n].value;
         prim.a[2] = -(prim.a[0] + prim.a[1]);
         prim.b[2] = -(prim.b[0] + prim.b[1]);
         prim.c[2] = 1.25 - (prim.c[0] + prim.c[1]);
         const bool taken = i < 4 ? cases[n].taken : cases[n].taken_as_c;
         assert_int_equal(cf_prim_weight_sum(&prim) != 0.0f, taken);
      }
   }
   assert_true(cf_prim_weight_sum(&(struct cf_prim){ .c = { 0.5, 0.5, 0x1p16 - 1 } }) == 0x1p16f);
   assert_true(cf_prim_weight_sum(&(struct cf_prim){ .c = { 0.5, 0.5, 0x1p17 } }) == 0.0f);
   assert_true(cf_prim_weight_sum(&(struct cf_prim){ .c = { 0.5, 0.5, -2.0 } }) == 0.0f);
   assert_true(cf_prim_weight_sum(&(struct cf_prim){ .c = { 0.5, 0.5, -1.0 } }) == 0.0f);
   (void)unused;
}

/* Coefficients that are multiples of 1: they are short as long as no sum can reach 2^24, of
 * multiples of 2 twice that. */
static void
test_short_limits(void **unused)
{
   const double reach_px = WIDTH_PX + CF_BLOCK_PX;
   for (uint32_t round = 0; round < 4000; round++) {
      struct cf_prim prim = { .shape = CF_SHAPE_TRIANGLE, .bounds = { 0, 0, WIDTH_PX, HEIGHT_PX } };
      const uint32_t changed = below(2);
      const double unit = ldexp(1.0, (int)below(60) - 30), over = (double)(int)(below(5) - 2);
      for (uint32_t i = 0; i < 2; i++) {
         prim.a[i] = (double)below(20001) - 10000.0;
         prim.b[i] = (double)below(20001) - 10000.0;
         prim.c[i] =
            0x1p24 + (i == changed ? over : -1.0) - reach_px * (fabs(prim.a[i]) + fabs(prim.b[i]));
         const bool even = fmod(prim.a[i], 2.0) == 0.0 && fmod(prim.b[i], 2.0) == 0.0;
         prim.a[i] += even; /* odd: no multiples of 2 */
         prim.c[i] -= even ? reach_px * (fabs(prim.a[i]) - fabs(prim.a[i] - 1.0)) : 0.0;
         prim.c[i] = below(2) ? prim.c[i] : -prim.c[i];
         prim.a[i] *= unit, prim.b[i] *= unit, prim.c[i] *= unit;
      }
      const bool is_short = cf_prim_weights_are_short(&prim);
      assert_int_equal(is_short, over < 0.0);
      if (is_short && round % 8 == 0)
         expect_short(&prim, &prim.bounds);
      for (uint32_t i = 0; i < 2; i++)
         prim.a[i] *= 2, prim.b[i] *= 2, prim.c[i] *= 2;
      assert_int_equal(cf_prim_weights_are_short(&prim), is_short);
   }
   const struct cf_prim none = { .shape = CF_SHAPE_TRIANGLE };
   assert_false(cf_prim_weights_are_short(&none));
   (void)unused;
}

/* A bit too many in any coefficient. */
static void
test_short_bits(void **unused)
{
   for (uint32_t i = 0; i < 6; i++) {
      struct cf_prim prim = { .shape = CF_SHAPE_TRIANGLE,
                              .bounds = { 0, 0, 64, 64 },
                              .a = { 1.0, -1.0 },
                              .b = { 0.0, 2.0 },
                              .c = { -16.0, 60.0 } };
      double *value = i < 2 ? &prim.a[i] : i < 4 ? &prim.b[i - 2] : &prim.c[i - 4];
      assert_true(cf_prim_weights_are_short(&prim));
      *value += 0x1p-15; /* the sum of magnitudes is below 2^8 */
      assert_true(cf_prim_weights_are_short(&prim));
      expect_short(&prim, &prim.bounds);
      *value += 0x1p-18;
      assert_false(cf_prim_weights_are_short(&prim));
   }
   (void)unused;
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_triangles),    cmocka_unit_test(test_halfway),
      cmocka_unit_test(test_slopes),       cmocka_unit_test(test_range),
      cmocka_unit_test(test_short_limits), cmocka_unit_test(test_short_bits),
   };
   random_state = cf_random_seed("primitive-weight-sum");
   return cmocka_run_group_tests(tests, NULL, NULL);
}
