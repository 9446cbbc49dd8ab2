/* SPDX-License-Identifier: MIT */
/*
 * Coverage of smooth primitives: discs against finer strips, lines against overlaps of rectangles and their whole area,
 * triangles (also across w = 0) against raster of a window 16 times as fine; meshes share every pixel without rest.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "clipfree/primitive/cf_smooth.h"
#include "clipfree/primitive/test_bench.h"

#define WINDOW_PX 64

static double
between(double low, double high)
{
   return low + (high - low) * (cf_random_u32(&random_state) * 0x1p-32);
}

/* At window position (x, y), with perspective. */
static struct bench_vertex
vertex_at(double x_px, double y_px, double w)
{
   const double x = (x_px / (WINDOW_PX / 2) - 1) * w, y = (1 - y_px / (WINDOW_PX / 2)) * w;
   return bench_vertex((float)x, (float)y, 0, (float)w);
}

static void
smooth_window(struct bench *b, uint32_t capacity)
{
   bench_init(b, WINDOW_PX, WINDOW_PX, capacity);
   b->config.raster.point_smooth = b->config.raster.line_smooth = b->config.raster.poly_smooth = true;
}

/* The pixels that raster finds and the areas of those, at every host level alike. */
static uint32_t
raster(const struct cf_prim *prim, struct cf_raster_block blocks[256], float coverage[CF_TILE_BLOCKS][16])
{
   static struct cf_raster_block found[CF_HOST_LEVELS][256];
   static float area[CF_HOST_LEVELS][CF_TILE_BLOCKS][16];
   const uint32_t n = cf_primitive_ops_at(CF_HOST_BASE)->raster_smooth(prim, 0, 0, blocks, coverage);
   for (enum cf_host_level level = CF_HOST_BASE; level <= cf_host_level(); level++) {
      const struct cf_primitive_ops *ops = cf_primitive_ops_at(level);
      assert_int_equal(ops->raster_tile(prim, 0, 0, found[level]), n);
      assert_memory_equal(found[level], blocks, n * sizeof(*blocks));
      assert_int_equal(ops->raster_smooth(prim, 0, 0, found[level], area[level]), n);
      assert_memory_equal(found[level], blocks, n * sizeof(*blocks));
      for (uint32_t k = 0; k < 16 * n; k++) {
         const uint32_t block = cf_tile_block(blocks[k / 16].x_px, blocks[k / 16].y_px);
         if (blocks[k / 16].mask >> k % 16 & 1)
            assert_memory_equal(&area[level][block][k % 16], &coverage[block][k % 16], sizeof(float));
      }
   }
   return n;
}

/* The areas of the pixels that raster finds, summed over all primitives. */
static void
share_pixels(const struct bench *b, double share[WINDOW_PX][WINDOW_PX])
{
   static float coverage[CF_TILE_BLOCKS][16];
   struct cf_raster_block blocks[256];
   memset(share, 0, sizeof(double[WINDOW_PX][WINDOW_PX]));
   for (uint32_t i = 0; i < b->count; i++) {
      const uint32_t n = raster(&b->prims[i], blocks, coverage);
      assert_true(n == 0 || cf_prim_touches_tile(&b->prims[i], 0, 0));
      for (uint32_t k = 0; k < n; k++)
         for (uint32_t m = 0; m < 16; m++) {
            const uint32_t x = blocks[k].x_px + (m & 1) + (m >> 1 & 2), y = blocks[k].y_px + (m >> 1 & 1) + (m >> 2 & 2);
            if (!(blocks[k].mask >> m & 1))
               continue;
            const double area = coverage[cf_tile_block(x, y)][m];
            assert_true((area > 0.0 || b->prims[i].shape == CF_SHAPE_POINT) && area <= 1.0);
            share[y][x] += area;
         }
   }
}

static double
sum_of(double share[WINDOW_PX][WINDOW_PX])
{
   double sum = 0;
   for (uint32_t i = 0; i < WINDOW_PX * WINDOW_PX; i++)
      sum += share[i / WINDOW_PX][i % WINDOW_PX];
   return sum;
}

/* ---- points ---- */

/* Of the disc round (x, y) in the unit square at the origin, by 1024 upright strips. */
static double
disc_area(double x, double y, double radius)
{
   double sum = 0;
   for (uint32_t i = 0; i < 1024; i++) {
      const double dx = (i + 0.5) / 1024 - x, square = radius * radius - dx * dx;
      if (square > 0)
         sum += fmax(fmin(1, y + sqrt(square)) - fmax(0, y - sqrt(square)), 0);
   }
   return sum / 1024;
}

static void
test_points_are_discs(void **state)
{
   (void)state;
   static double share[WINDOW_PX][WINDOW_PX];
   struct bench b;
   smooth_window(&b, 1);
   b.config.raster.point_size_per_vertex = true;
   for (uint32_t n = 0; n < 120; n++) {
      /* set-up rounds centres to 1/256 pixel */
      const double x = floor(between(12, 52) * 256) / 256, y = floor(between(12, 52) * 256) / 256;
      /* discs below 6.5 are measured whole, others by blocks */
      const double size = n < 4    ? 1 + n
                          : n == 4 ? 6.5
                          : n == 5 ? 6.5 - 0x1p-20
                                   : between(1, n % 4 == 1   ? 3
                                                : n % 4 == 2 ? 20
                                                             : 8);
      const double error = 1.0 / 1024;
      struct bench_vertex v = vertex_at(x, y, 1);
      v.point_size = (float)size;
      bench_clear(&b);
      bench_draw(&b, CF_PRIM_KIND_POINTS, &v, 1);
      share_pixels(&b, share);
      for (int32_t py = 0; py < WINDOW_PX; py++)
         for (int32_t px = 0; px < WINDOW_PX; px++)
            assert_true(fabs(share[py][px] - disc_area(x - px, y - py, (float)size / 2)) < error);
   }
   bench_free(&b);
}

/* ---- lines ---- */

static double
overlap(double low, double high, int32_t pixel)
{
   return fmax(fmin(high, pixel + 1) - fmax(low, pixel), 0);
}

static void
test_lines_along_an_axis(void **state)
{
   (void)state;
   static double share[WINDOW_PX][WINDOW_PX];
   struct bench b;
   smooth_window(&b, 1);
   for (uint32_t n = 0; n < 40; n++) {
      const double x0 = floor(between(4, 28) * 256) / 256, x1 = floor(between(30, 60) * 256) / 256,
                   y = floor(between(10, 50) * 256) / 256, width = n == 0 ? 1 : between(0.25, 9);
      b.config.raster.line_width_px = (float)width;
      const bool turned = n % 2 == 1, backwards = n % 4 >= 2;
      struct bench_vertex v[2] = { vertex_at(turned ? y : x0, turned ? x0 : y, 1),
                                   vertex_at(turned ? y : x1, turned ? x1 : y, 2) };
      if (backwards) {
         const struct bench_vertex swap = v[0];
         v[0] = v[1];
         v[1] = swap;
      }
      bench_clear(&b);
      bench_draw(&b, CF_PRIM_KIND_LINES, v, 2);
      share_pixels(&b, share);
      for (int32_t across = 0; across < WINDOW_PX; across++)
         for (int32_t along = 0; along < WINDOW_PX; along++) {
            const double half = (float)width / 2;
            const double want = overlap(x0, x1, along) * overlap(y - half, y + half, across);
            assert_true(fabs((turned ? share[along][across] : share[across][along]) - want) < 1e-6);
         }
   }
   bench_free(&b);
}

static void
test_lines_are_rectangles(void **state)
{
   (void)state;
   static double share[WINDOW_PX][WINDOW_PX];
   struct bench b;
   smooth_window(&b, 1);
   for (uint32_t n = 0; n < 200; n++) {
      const double x0 = between(12, 52), y0 = between(12, 52), x1 = between(12, 52), y1 = between(12, 52);
      const double width = between(0.25, 8), length = hypot(x1 - x0, y1 - y0);
      const struct bench_vertex v[2] = { vertex_at(x0, y0, between(0.5, 4)), vertex_at(x1, y1, between(0.5, 4)) };
      b.config.raster.line_width_px = (float)width;
      bench_clear(&b);
      bench_draw(&b, CF_PRIM_KIND_LINES, v, 2);
      share_pixels(&b, share);
      assert_true(fabs(sum_of(share) - width * length) < width / 128 + 1e-4); /* ends are rounded to 1/256 */
   }
   bench_free(&b);
}

/* ---- polygons ---- */

#define FINER 16

/* Slivers, large and small triangles and lines: the closed form is what cutting gives, and raster finds each pixel with an area. */
static void
test_areas_are_those_of_cut_squares(void **state)
{
   (void)state;
   static double share[WINDOW_PX][WINDOW_PX];
   struct bench b;
   uint32_t cut = 0;
   smooth_window(&b, 1);
   for (uint32_t n = 0; n < 300; n++) {
      const double size = n % 3 == 0 ? 2 : n % 3 == 1 ? 12 : 80;
      const double x = between(10, 50), y = between(10, 50);
      struct bench_vertex v[3];
      for (uint32_t k = 0; k < 3; k++) {
         const bool in_line = n % 5 == 0 && k > 0; /* along an axis, or nearly */
         v[k] = vertex_at(x + between(-size, size), in_line ? y + between(-1e-6, 1e-6) * (n % 2) : y + between(-size, size), between(1, 3));
      }
      b.config.raster.line_width_px = (float)between(0.25, 4);
      bench_clear(&b);
      bench_draw(&b, n % 2 ? CF_PRIM_KIND_LINES : CF_PRIM_KIND_TRIANGLES, v, n % 2 ? 2 : 3);
      share_pixels(&b, share);
      for (uint32_t i = 0; b.count > 0 && i < WINDOW_PX * WINDOW_PX; i++) {
         const double want = cf_smooth_cut_area(&b.prims[0], i % WINDOW_PX, i / WINDOW_PX);
         assert_true(fabs(share[i / WINDOW_PX][i % WINDOW_PX] - want) < 1e-6);
         cut += want > 0 && want < 1;
      }
   }
   assert_true(cut > 1000);
   bench_free(&b);
}

/* Triangles so flat that their edges lie within a tiny part of a pixel: their coverage is next to
 * 0, and no edge counts twice. */
static void
test_flat_triangles(void **state)
{
   (void)state;
   static double share[WINDOW_PX][WINDOW_PX];
   struct bench b;
   uint32_t drawn = 0;
   smooth_window(&b, 1);
   b.config.viewport.translate_y += 0.25f;
   b.config.viewport.translate_x -= 0.125f;
   for (uint32_t n = 0; n < 2000; n++) {
      const float height = ldexpf(n % 2 ? 1.0f : -1.0f, -20 - (int)below(80)), at = (float)between(-0.3, 0.3);
      const float along[3] = { -0.4f, 0.4f, at }, across[3] = { 0, 0, height };
      struct bench_vertex v[3];
      for (uint32_t k = 0; k < 3; k++)
         v[k] = bench_vertex(n % 4 < 2 ? along[k] : across[k], n % 4 < 2 ? across[k] : along[k], 0, 1);
      bench_clear(&b);
      bench_draw(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
      share_pixels(&b, share);
      drawn += b.count;
      assert_true(sum_of(share) <= 0.5 * 0.8 * fabsf(height) * (WINDOW_PX / 2) * (WINDOW_PX / 2) + 1e-6);
   }
   assert_true(drawn > 1000);
   bench_free(&b);
}

/* Any triangle, against a count of the covered pixels of a finer window. Every second one has a vertex behind the eye. */
static void
test_triangles_against_a_finer_window(void **state)
{
   (void)state;
   static double share[WINDOW_PX][WINDOW_PX];
   struct bench b, fine;
   smooth_window(&b, 1);
   bench_init(&fine, FINER * WINDOW_PX, FINER * WINDOW_PX, 1);
   for (uint32_t n = 0; n < 12; n++) {
      struct bench_vertex v[3];
      for (uint32_t k = 0; k < 3; k++) {
         const double w_clip = n % 2 && k == 0 ? between(-1, -0.1) : between(n % 4 == 3 ? -1 : 0.5, 3);
         v[k] = bench_vertex((float)between(-2, 2), (float)between(-2, 2), 0, (float)w_clip);
      }
      b.config.raster.depth_clip_near = b.config.raster.depth_clip_far = false;
      fine.config.raster.depth_clip_near = fine.config.raster.depth_clip_far = false;
      bench_clear(&b);
      bench_clear(&fine);
      bench_draw(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
      bench_draw(&fine, CF_PRIM_KIND_TRIANGLES, v, 3);
      share_pixels(&b, share);
      bench_raster(&fine, cf_host_level());
      for (uint32_t y = 0; y < WINDOW_PX; y++)
         for (uint32_t x = 0; x < WINDOW_PX; x++) {
            uint32_t count = 0;
            for (uint32_t i = 0; i < FINER * FINER; i++)
               count += fine.covered[(FINER * y + i / FINER) * fine.width_px + FINER * x + i % FINER];
            assert_true(fabs(share[y][x] - count / (double)(FINER * FINER)) < 0.06);
         }
   }
   bench_free(&fine);
   bench_free(&b);
}

/* A mesh over more than the window, with vertices anywhere: the shares of each pixel add up to all of it. */
static void
test_meshes_share_pixels_without_rest(void **state)
{
   (void)state;
   enum { CELLS = 8 };
   static double share[WINDOW_PX][WINDOW_PX];
   struct bench_vertex grid[CELLS + 1][CELLS + 1];
   struct bench b;
   smooth_window(&b, 2 * CELLS * CELLS);
   for (uint32_t n = 0; n < 8; n++) {
      bench_clear(&b);
      for (uint32_t j = 0; j <= CELLS; j++)
         for (uint32_t i = 0; i <= CELLS; i++)
            grid[j][i] = vertex_at((i - 0.5) * 10 + between(-2, 2), (j - 0.5) * 10 + between(-2, 2), between(1, 3));
      for (uint32_t j = 0; j < CELLS; j++)
         for (uint32_t i = 0; i < CELLS; i++) {
            const struct bench_vertex quad[4] = { grid[j][i], grid[j][i + 1], grid[j + 1][i + 1], grid[j + 1][i] };
            bench_draw(&b, CF_PRIM_KIND_QUADS, quad, 4);
         }
      share_pixels(&b, share);
      for (uint32_t i = 0; i < WINDOW_PX * WINDOW_PX; i++)
         assert_true(fabs(share[i / WINDOW_PX][i % WINDOW_PX] - 1) < 1e-4); /* f32 vertices: neighbours' edges agree to their last bits */
   }
   bench_free(&b);
}

/* Planes cut where they cut a triangle that is not smooth: at pixels' centres. */
static void
test_planes_cut_at_centres(void **state)
{
   (void)state;
   struct bench b;
   smooth_window(&b, 1);
   uint8_t *centres = malloc(WINDOW_PX * WINDOW_PX), *unclipped = malloc(WINDOW_PX * WINDOW_PX);
   uint32_t cut = 0, kept = 0;
   for (uint32_t n = 0; n < 200; n++) {
      struct bench_vertex v[3];
      for (uint32_t k = 0; k < 3; k++)
         v[k] = bench_vertex((float)between(-2, 2), (float)between(-2, 2), (float)between(-4, 4), (float)between(0.5, 3));
      for (uint32_t pass = 0; pass < 3; pass++) {
         b.config.raster.poly_smooth = pass == 2;
         b.config.raster.depth_clip_near = b.config.raster.depth_clip_far = pass > 0;
         bench_clear(&b);
         bench_draw(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
         bench_raster(&b, cf_host_level());
         if (pass < 2)
            memcpy(pass ? centres : unclipped, b.covered, WINDOW_PX * WINDOW_PX);
      }
      for (uint32_t i = 0; i < WINDOW_PX * WINDOW_PX; i++) {
         if (unclipped[i])
            assert_int_equal(b.covered[i], centres[i]);
         cut += unclipped[i] && !centres[i];
         kept += centres[i];
      }
   }
   assert_true(cut > 1000 && kept > 1000);
   free(centres);
   free(unclipped);
   bench_free(&b);
}

/* Where the switch is on but another rule stands before it, nothing changes. */
static void
test_not_smooth(void **state)
{
   (void)state;
   struct bench b;
   smooth_window(&b, 1);
   struct bench_vertex v = vertex_at(20.25, 20.25, 1);
   static double share[WINDOW_PX][WINDOW_PX];
   for (uint32_t n = 0; n < 3; n++) {
      b.config.raster.point_smooth = n != 0;
      b.config.raster.point_quad = n == 1;
      b.config.raster.multisample = n == 2;
      b.config.raster.point_size_px = 4;
      bench_clear(&b);
      bench_draw(&b, CF_PRIM_KIND_POINTS, &v, 1);
      share_pixels(&b, share);
      for (uint32_t i = 0; i < WINDOW_PX * WINDOW_PX; i++)
         assert_true(share[i / WINDOW_PX][i % WINDOW_PX] == (i % WINDOW_PX - 18 < 4 && i / WINDOW_PX - 18 < 4));
   }
   bench_free(&b);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_points_are_discs),
      cmocka_unit_test(test_lines_along_an_axis),
      cmocka_unit_test(test_lines_are_rectangles),
      cmocka_unit_test(test_areas_are_those_of_cut_squares),
      cmocka_unit_test(test_flat_triangles),
      cmocka_unit_test(test_triangles_against_a_finer_window),
      cmocka_unit_test(test_meshes_share_pixels_without_rest),
      cmocka_unit_test(test_planes_cut_at_centres),
      cmocka_unit_test(test_not_smooth),
   };
   random_state = cf_random_seed("test_smooth");
   return cmocka_run_group_tests(tests, NULL, NULL);
}
