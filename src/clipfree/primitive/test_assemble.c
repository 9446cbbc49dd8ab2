/* SPDX-License-Identifier: MIT */
/*
 * Assembly of every kind of primitive against GL's tables written out; lines and points against the
 * rules of GL 2.1 chapter 3.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "clipfree/isa/cf_isa.h"
#include "clipfree/primitive/test_bench.h"

/* ---- assembly ---- */

#define MAX_COUNT 14

/* A primitive as GL's tables have it: vertex numbers and the provoking one. */
struct expected {
   uint32_t v[3], provoking;
};

static void
expect(struct expected *list, uint32_t *n, uint32_t a, uint32_t b, uint32_t c, uint32_t provoking)
{
   list[(*n)++] = (struct expected){ { a, b, c }, provoking };
}

/* All primitives of a run, walked as an application would say them. */
static uint32_t
expected_primitives(enum cf_prim_kind kind, uint32_t count, bool first, struct expected *list)
{
   uint32_t n = 0;
   const int32_t end = (int32_t)count;
   switch (kind) {
   case CF_PRIM_KIND_POINTS:
      for (int32_t i = 0; i < end; i++)
         expect(list, &n, i, i, i, i);
      break;
   case CF_PRIM_KIND_LINES:
      for (int32_t i = 0; i + 1 < end; i += 2)
         expect(list, &n, i, i + 1, 0, first ? i : i + 1);
      break;
   case CF_PRIM_KIND_LINE_LOOP:
   case CF_PRIM_KIND_LINE_STRIP:
      for (int32_t i = 0; i + 1 < end; i++)
         expect(list, &n, i, i + 1, 0, first ? i : i + 1);
      if (kind == CF_PRIM_KIND_LINE_LOOP && end >= 2)
         expect(list, &n, end - 1, 0, 0, first ? end - 1 : 0);
      break;
   case CF_PRIM_KIND_TRIANGLES:
      for (int32_t i = 0; i + 2 < end; i += 3)
         expect(list, &n, i, i + 1, i + 2, first ? i : i + 2);
      break;
   case CF_PRIM_KIND_TRIANGLE_STRIP:
      for (int32_t i = 0; i + 2 < end; i++) {
         if (i % 2 == 0)
            expect(list, &n, i, i + 1, i + 2, first ? i : i + 2);
         else
            expect(list, &n, i + 1, i, i + 2, first ? i : i + 2);
      }
      break;
   case CF_PRIM_KIND_TRIANGLE_FAN:
      for (int32_t i = 1; i + 1 < end; i++)
         expect(list, &n, 0, i, i + 1, first ? i : i + 1);
      break;
   case CF_PRIM_KIND_POLYGON:
      for (int32_t i = 1; i + 1 < end; i++)
         expect(list, &n, 0, i, i + 1, 0);
      break;
   case CF_PRIM_KIND_QUADS:
      for (int32_t i = 0; i + 3 < end; i += 4) {
         expect(list, &n, i, i + 1, i + 3, first ? i : i + 3);
         expect(list, &n, i + 1, i + 2, i + 3, first ? i : i + 3);
      }
      break;
   case CF_PRIM_KIND_QUAD_STRIP:
      for (int32_t i = 0; i + 3 < end; i += 2) {
         expect(list, &n, i, i + 1, i + 2, first ? i : i + 3);
         expect(list, &n, i + 1, i + 3, i + 2, first ? i : i + 3);
      }
      break;
   }
   return n;
}

/* Vertices no three of which are in line, each marked with its number in both slots. */
static void
numbered_vertices(struct bench_vertex *v)
{
   for (uint32_t i = 0; i < MAX_COUNT; i++) {
      const float angle = i * 2.4f;
      v[i] = bench_vertex(0.8f * cosf(angle), 0.8f * sinf(angle), 0, 1);
      for (uint32_t k = 0; k < 4; k++)
         v[i].slot[0][k] = v[i].slot[1][k] = (float)i;
   }
}

static uint32_t
number_of(const struct bench_vertex *v, const float *position)
{
   for (uint32_t i = 0; i < MAX_COUNT; i++)
      if (memcmp(v[i].position, position, sizeof v[i].position) == 0)
         return i;
   fail_msg("not a vertex");
   return 0;
}

static uint32_t
vertices_of(enum cf_prim_kind kind)
{
   return kind == CF_PRIM_KIND_POINTS ? 1 : kind <= CF_PRIM_KIND_LINE_STRIP ? 2 : 3;
}

static void
check_primitives(const struct bench *b, const struct bench_vertex *v, enum cf_prim_kind kind,
                 const struct expected *want, uint32_t count)
{
   assert_int_equal(b->count, count);
   for (uint32_t i = 0; i < count; i++) {
      for (uint32_t k = 0; k < vertices_of(kind); k++)
         assert_int_equal(number_of(v, b->prims[i].vertex[k]), want[i].v[k]);
      assert_int_equal((uint32_t)b->varyings[i][4][0], want[i].provoking);
   }
}

/* Every kind, count, sub-range and convention. Records outside the span that cf_assemble_span names
 * are poisoned. */
static void
test_assembly(void **state)
{
   (void)state;
   struct bench b;
   struct bench_vertex v[MAX_COUNT];
   numbered_vertices(v);
   bench_init(&b, 64, 64, 64);
   b.config.link[1].flat = true;
   for (uint32_t trial = 0; trial < 10 * (MAX_COUNT + 1) * 8; trial++) {
      const enum cf_prim_kind kind = trial % 10;
      const uint32_t count = trial / 10 % (MAX_COUNT + 1);
      struct expected want[2 * MAX_COUNT];
      const float *records[MAX_COUNT + 1] = { NULL };
      b.config.raster.provoking_first = below(2);
      const uint32_t total =
         expected_primitives(kind, count, b.config.raster.provoking_first, want);
      assert_int_equal(cf_assemble_count(kind, count), total);
      if (total == 0)
         continue;
      const uint32_t begin = below(total), end = begin + 1 + below(total - begin);
      uint32_t first, last;
      bool needs_vertex_0;
      cf_assemble_span(&b.config, kind, count, begin, end, &first, &last, &needs_vertex_0);
      for (uint32_t i = first; i <= last; i++)
         records[i] = v[i].position;
      if (needs_vertex_0)
         records[0] = v[0].position;
      bench_clear(&b);
      bench_assemble(&b, kind, count, begin, end, records);
      check_primitives(&b, v, kind, want + begin, end - begin);
   }
   bench_free(&b);
}

/* All triangles of a convex strip or fan face the same way. */
static void
test_windings_agree(void **state)
{
   (void)state;
   static const enum cf_prim_kind kinds[] = { CF_PRIM_KIND_TRIANGLE_STRIP,
                                              CF_PRIM_KIND_TRIANGLE_FAN, CF_PRIM_KIND_QUADS,
                                              CF_PRIM_KIND_QUAD_STRIP, CF_PRIM_KIND_POLYGON };
   for (uint32_t k = 0; k < 5; k++) {
      struct bench b;
      struct bench_vertex v[8];
      for (uint32_t i = 0; i < 8; i++) {
         const uint32_t corner = i % 4;
         if (kinds[k] == CF_PRIM_KIND_QUADS)
            v[i] = bench_vertex((corner == 1 || corner == 2) - 0.5f, (corner >= 2) - 0.5f, 0, 1);
         else if (k == 0 || k == 3)
            v[i] = bench_vertex(-0.9f + 0.2f * (i / 2), (i & 1) ? -0.5f : 0.5f, 0, 1);
         else
            v[i] = bench_vertex(0.5f * cosf(i * 0.7f), 0.5f * sinf(i * 0.7f), 0, 1);
      }
      bench_init(&b, 64, 64, 64);
      b.config.raster.cull_back = true;
      b.config.raster.front_ccw = true;
      bench_draw(&b, kinds[k], v, 8);
      assert_int_equal(b.count, cf_assemble_count(kinds[k], 8));
      bench_free(&b);
   }
}

/* Polygon mode line draws the sides of the polygon only: not the diagonals quads and polygons are
 * cut along, nor edges whose flag is off. */
static void
test_outlines(void **state)
{
   (void)state;
   struct bench b;
   struct bench_vertex v[MAX_COUNT];
   numbered_vertices(v);
   bench_init(&b, 64, 64, 64);
   b.config.raster.fill_front = b.config.raster.fill_back = CF_POLYGON_MODE_LINE;
   bench_draw(&b, CF_PRIM_KIND_QUADS, v, 4);
   assert_int_equal(b.count, 4);
   bench_draw(&b, CF_PRIM_KIND_POLYGON, v, 5);
   assert_int_equal(b.count, 9);
   bench_draw(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
   assert_int_equal(b.count, 12);
   v[1].edge_flag = 0;
   bench_clear(&b);
   bench_draw(&b, CF_PRIM_KIND_QUADS, v, 4);
   assert_int_equal(b.count, 3);
   b.config.raster.fill_front = b.config.raster.fill_back = CF_POLYGON_MODE_POINT;
   bench_clear(&b);
   bench_draw(&b, CF_PRIM_KIND_POLYGON, v, 5);
   assert_int_equal(b.count, 4);
   assert_int_equal(b.prims[0].shape, CF_SHAPE_POINT);
   bench_free(&b);
}

/* A triangle of some shape: large, smaller than a pixel, seen from its side, or without area. */
static void
triangle_of_some_shape(struct bench_vertex v[3])
{
   const float size = below(2) ? 1.0f : 0.02f;
   const float x = uniform() - 0.5f, y = uniform() - 0.5f;
   const uint32_t shape = below(4);
   for (uint32_t i = 0; i < 3; i++)
      v[i] = bench_vertex(x + size * uniform(), y + size * uniform(), 0, 1);
   if (shape == 0) /* in line, or nearly */
      for (uint32_t c = 0; c < 2; c++)
         v[2].position[c] = (v[0].position[c] + v[1].position[c]) / 2;
   else if (shape == 1)
      v[2] = v[below(2)];
   else if (shape == 2) /* between the centres of two rows of pixels */
      for (uint32_t i = 0; i < 3; i++)
         v[i].position[1] = (2 * (float)below(2) + 0.1f + 0.8f * fabsf(uniform())) / 64;
}

static void
expect_same_lines(const struct bench *outline, const struct bench *lines)
{
   assert_int_equal(outline->count, lines->count);
   for (uint32_t i = 0; i < lines->count; i++) {
      const struct cf_prim *a = &outline->prims[i], *b = &lines->prims[i];
      assert_memory_equal(a->vertex, b->vertex, sizeof a->vertex);
      assert_memory_equal(a->a, b->a, sizeof a->a);
      assert_memory_equal(&a->bounds, &b->bounds, sizeof a->bounds);
   }
}

/* Polygon mode line draws the three sides as lines are drawn, of a triangle of any shape: also
 * where it covers no pixel, or has no area. */
static void
test_outlines_of_any_shape(void **state)
{
   (void)state;
   struct bench outline, lines;
   bench_init(&outline, 64, 64, 8);
   bench_init(&lines, 64, 64, 8);
   struct cf_raster *raster = &outline.config.raster;
   uint32_t drawn = 0;
   for (uint32_t round = 0; round < 20000; round++) {
      struct bench_vertex v[3];
      triangle_of_some_shape(v);
      raster->fill_front = raster->fill_back = CF_POLYGON_MODE_LINE;
      raster->offset_line = below(2);
      bench_clear(&outline);
      bench_clear(&lines);
      bench_draw(&outline, CF_PRIM_KIND_TRIANGLES, v, 3);
      bench_draw(&lines, CF_PRIM_KIND_LINE_LOOP, v, 3);
      expect_same_lines(&outline, &lines);
      drawn += outline.count;
   }
   assert_true(drawn > 10000);
   bench_free(&outline);
   bench_free(&lines);
}

/* What has no area shows its back. */
static void
test_outlines_without_area(void **state)
{
   (void)state;
   struct bench b;
   bench_init(&b, 64, 64, 8);
   const struct bench_vertex v[3] = { bench_vertex(-0.5f, 0, 0, 1), bench_vertex(0.5f, 0, 0, 1),
                                      bench_vertex(0, 0, 0, 1) };
   struct cf_raster *raster = &b.config.raster;
   for (uint32_t i = 0; i < 16; i++) {
      raster->front_ccw = i & 1;
      raster->cull_front = i & 2;
      raster->cull_back = i & 4;
      raster->fill_front = i & 8 ? CF_POLYGON_MODE_LINE : CF_POLYGON_MODE_FILL;
      raster->fill_back = i & 8 ? CF_POLYGON_MODE_FILL : CF_POLYGON_MODE_LINE;
      bench_clear(&b);
      bench_draw(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
      assert_int_equal(b.count, i & (4 | 8) ? 0 : 3);
   }
   bench_free(&b);
}

/* ---- lines ---- */

static struct bench_vertex
at_window(const struct bench *b, double x_px, double y_px, float w)
{
   const struct cf_viewport *vp = &b->config.viewport;
   return bench_vertex((float)((x_px - vp->translate_x) / vp->scale_x * w),
                       (float)((y_px - vp->translate_y) / vp->scale_y * w), 0, w);
}

/* Whether an end lies in the diamond of a pixel of the column (row) whose centre is at `along`. A
 * wide line is the thin one (width - 1) / 2 away, repeated. In 1/256 pixel, from the centre. */
static bool
in_diamond(const double end[2], bool x_major, uint32_t width, double along)
{
   const int64_t a = llrint(256 * (end[!x_major] - along)),
                 b = llrint(256 * end[x_major]) - 128 * ((int64_t)width - 1);
   return llabs(a) + llabs((b & 255) - 128) < 128;
}

/* A line covers, column by column of its major axis, the `width` pixels whose centres are nearest;
 * of two equally near the one the top-left rule gives. Its columns are those whose centres lie from
 * the first end (included) to the second (not); also that of a diamond it begins in, not that of
 * one it ends in. Ends in 1/256 pixel: integers decide. */
static bool
line_covers(const double end[2][2], uint32_t width, double x, double y)
{
   const int64_t dx = llrint(256 * (end[1][0] - end[0][0])),
                 dy = llrint(256 * (end[1][1] - end[0][1]));
   const int64_t px = llrint(256 * (x - end[0][0])), py = llrint(256 * (y - end[0][1]));
   const bool x_major = llabs(dx) >= llabs(dy);
   const int64_t step = x_major ? dx : dy, along = (x_major ? px : py) * (step < 0 ? -1 : 1);
   /* twice the distance across, times |step|, less half the width on either side */
   const int64_t across =
      2 * (x_major ? py * dx - px * dy : px * dy - py * dx) * (step < 0 ? -1 : 1);
   const int64_t reach = 256 * (int64_t)width * llabs(step);
   /* the upper (left) side owns its points, if it is a left or top one: both sides run from the
    * first end to the second */
   const int64_t slope_x = x_major ? -dy * (step < 0 ? -1 : 1) : llabs(step);
   const bool low_owns = x_major ? slope_x >= 0 : true;
   const double centre = x_major ? x : y;
   const bool begun = along >= 0 || in_diamond(end[0], x_major, width, centre),
              ended = along >= llabs(step) || in_diamond(end[1], x_major, width, centre);
   return begun && !ended &&
          (low_owns ? across >= -reach && across < reach : across > -reach && across <= reach);
}

/* True if it is not clear which axis of a line is the major one. */
static bool
is_diagonal(double dx, double dy)
{
   return fabs(fabs(dx) - fabs(dy)) < 1e-3 * (fabs(dx) + fabs(dy));
}

static void
test_lines(void **state)
{
   (void)state;
   struct bench b;
   uint32_t covered = 0;
   bench_init(&b, 80, 70, 1);
   for (uint32_t n = 0; n < 1500; n++) {
      struct bench_vertex v[2];
      double end[2][2];
      const uint32_t width = 1 + below(4);
      for (uint32_t i = 0; i < 2; i++) {
         /* off the lattice of ties: odd multiples of 1/256, but for some axis-aligned lines through
          * centres */
         end[i][0] = (below(80 * 128) * 2 + 1) / 256.0;
         end[i][1] = (below(70 * 128) * 2 + 1) / 256.0;
      }
      if (below(5) == 0)
         end[1][1] = end[0][1];
      for (uint32_t i = 0; i < 2; i++)
         v[i] = at_window(&b, end[i][0], end[i][1], 1 + 0.9f * uniform());
      b.config.raster.line_width_px = width + 0.4f * uniform();
      bench_clear(&b);
      bench_draw(&b, CF_PRIM_KIND_LINES, v, 2);
      bench_raster(&b, cf_host_level());
      for (uint32_t y = 0; y < 70; y++)
         for (uint32_t x = 0; x < 80; x++) {
            assert_int_equal(b.covered[y * 80 + x], line_covers(end, width, x + 0.5, y + 0.5));
            covered += b.covered[y * 80 + x];
         }
   }
   assert_true(covered > 10000);
   bench_free(&b);
}

/* With several samples a pixel: those in the rectangle round the line (GL 2.1 section 3.4.4), but for those on its sides. */
static void
test_lines_of_samples(void **state)
{
   (void)state;
   struct bench b;
   uint32_t covered = 0;
   bench_init(&b, 80, 70, 1);
   b.config.samples = CF_SAMPLES;
   b.config.raster.multisample = true;
   for (uint32_t n = 0; n < 600; n++) {
      struct bench_vertex v[2];
      double end[2][2];
      for (uint32_t i = 0; i < 2; i++) {
         end[i][0] = below(80 * 256) / 256.0;
         end[i][1] = below(70 * 256) / 256.0;
         v[i] = at_window(&b, end[i][0], end[i][1], 1 + 0.9f * uniform());
      }
      const double dx = end[1][0] - end[0][0], dy = end[1][1] - end[0][1], length = hypot(dx, dy);
      const float width = 0.5f + 2.0f * (1 + uniform());
      b.config.raster.line_width_px = width;
      bench_clear(&b);
      bench_draw(&b, CF_PRIM_KIND_LINES, v, 2);
      bench_raster(&b, cf_host_level());
      for (uint32_t i = 0; i < 80 * 70 * CF_SAMPLES; i++) {
         const double x = i / CF_SAMPLES % 80 + bench_place_px(&b, i % CF_SAMPLES, 0) - end[0][0],
                      y = i / CF_SAMPLES / 80 + bench_place_px(&b, i % CF_SAMPLES, 1) - end[0][1];
         const double u = (x * dx + y * dy) / length, v_px = fabs(x * dy - y * dx) / length;
         /* how far inside, or negative: outside */
         const double inside = fmin(fmin(u, length - u), width / 2 - v_px);
         if (fabs(inside) > 1e-4)
            assert_int_equal(b.covered[i], inside > 0);
         covered += b.covered[i];
      }
   }
   assert_true(covered > 10000);
   bench_free(&b);
}

/* A loop through pixel centres covers no pixel twice and the first pixel of each side. */
static void
test_loops_join(void **state)
{
   (void)state;
   struct bench b;
   bench_init(&b, 40, 40, 8);
   for (uint32_t turn = 0; turn < 2; turn++) {
      const double corners[4][2] = { { 5.5, 5.5 }, { 20.5, 5.5 }, { 20.5, 30.5 }, { 5.5, 30.5 } };
      struct bench_vertex v[4];
      for (uint32_t i = 0; i < 4; i++)
         v[i] = at_window(&b, corners[turn ? 3 - i : i][0], corners[turn ? 3 - i : i][1], 1);
      bench_clear(&b);
      bench_draw(&b, CF_PRIM_KIND_LINE_LOOP, v, 4);
      bench_raster(&b, cf_host_level());
      for (uint32_t y = 0; y < 40; y++)
         for (uint32_t x = 0; x < 40; x++) {
            const bool in = x >= 5 && x <= 20 && y >= 5 && y <= 30,
                       inner = x > 5 && x < 20 && y > 5 && y < 30;
            assert_int_equal(b.covered[y * 40 + x], in && !inner);
         }
   }
   bench_free(&b);
}

/* Set up and raster lines begin .. end - 1 of a run. */
static void
draw_part(struct bench *b, enum cf_prim_kind kind, const struct bench_vertex *v, uint32_t count,
          uint32_t begin, uint32_t end)
{
   const float *records[MAX_COUNT] = { NULL };
   uint32_t first, last;
   bool needs_vertex_0;
   cf_assemble_span(&b->config, kind, count, begin, end, &first, &last, &needs_vertex_0);
   for (uint32_t i = 0; i < count; i++)
      records[i] = (i >= first && i <= last) || (i == 0 && needs_vertex_0) ? v[i].position : NULL;
   bench_assemble(b, kind, count, begin, end, records);
}

/* Line stipple: pixels counted along each line from its first end, on through strips and loops,
 * anew in each separate line. */
static void
test_line_stipple(void **state)
{
   (void)state;
   struct bench plain, b;
   bench_init(&plain, 80, 70, 1);
   bench_init(&b, 80, 70, MAX_COUNT);
   b.config.raster.line_stipple = true;
   for (uint32_t n = 0; n < 400; n++) {
      static const enum cf_prim_kind kinds[] = { CF_PRIM_KIND_LINES, CF_PRIM_KIND_LINE_STRIP,
                                                 CF_PRIM_KIND_LINE_LOOP };
      const enum cf_prim_kind kind = kinds[n % 3];
      const uint32_t pattern = cf_random_u32(&random_state) & 0xffff, factor = 1 + below(5),
                     count = 4;
      struct bench_vertex v[4];
      double end[4][2];
      uint32_t s = 0, want[80 * 70] = { 0 };
      struct expected lines[MAX_COUNT];
      for (uint32_t i = 0; i < count; i++) {
         end[i][0] = (below(80 * 128) * 2 + 1) / 256.0;
         end[i][1] = (below(70 * 128) * 2 + 1) / 256.0;
         v[i] = at_window(&b, end[i][0], end[i][1], 1 + 0.9f * uniform());
      }
      const uint32_t total = expected_primitives(kind, count, false, lines);
      for (uint32_t i = 0; i < total; i++) {
         const uint32_t *k = lines[i].v;
         const struct bench_vertex ends[2] = { v[k[0]], v[k[1]] };
         const double dx = end[k[1]][0] - end[k[0]][0], dy = end[k[1]][1] - end[k[0]][1];
         const bool x_major = fabs(dx) >= fabs(dy), back = x_major ? dx < 0 : dy < 0;
         const uint32_t length = x_major ? 80 : 70, across = x_major ? 70 : 80;
         bench_clear(&plain);
         bench_draw(&plain, CF_PRIM_KIND_LINES, ends, 2);
         bench_raster(&plain, cf_host_level());
         s = kind == CF_PRIM_KIND_LINES ? 0 : s;
         for (uint32_t p = 0; p < length; p++) {
            const uint32_t major = back ? length - 1 - p : p;
            bool any = false;
            for (uint32_t minor = 0; minor < across; minor++) {
               const uint32_t at = x_major ? minor * 80 + major : major * 80 + minor;
               any |= plain.covered[at];
               want[at] += plain.covered[at] && (pattern >> (s / factor % 16) & 1);
            }
            s += any;
         }
      }
      b.config.raster.stipple_pattern = pattern;
      b.config.raster.stipple_factor = factor - 1;
      const uint32_t cut = below(total);
      bench_clear(&b);
      draw_part(&b, kind, v, count, 0, cut);
      draw_part(&b, kind, v, count, cut, total);
      bench_raster(&b, cf_host_level());
      for (uint32_t p = 0; p < 80 * 70; p++)
         assert_int_equal(b.covered[p], want[p]);
   }
   bench_free(&plain);
   bench_free(&b);
}

/* Whether a line of three pixels with one end behind the eye covers a window point: it is a
 * positive combination of the ends, moved along the minor axis. sure: not within 1e-6 of deciding
 * otherwise. */
static bool
eye_line_covers(const struct bench *b, const float *p, const float *q, double x, double y,
                bool *sure)
{
   const struct cf_viewport *vp = &b->config.viewport;
   const double sx = vp->scale_x, sy = vp->scale_y, tx = vp->translate_x, ty = vp->translate_y,
                pw = p[3], qw = q[3];
   const double px = sx * p[0] + tx * pw, py = sy * p[1] + ty * pw, qx = sx * q[0] + tx * qw,
                qy = sy * q[1] + ty * qw;
   const double a = py * qw - pw * qy, c = pw * qx - px * qw, d = px * qy - py * qx;
   const bool x_major = fabs(c) >= fabs(a);
   const double minor = (a * x + c * y + d) / (x_major ? c : a);
   const double at = x_major ? x : y, p0 = x_major ? px : py, q0 = x_major ? qx : qy,
                det = q0 * pw - p0 * qw;
   const double w0 = (q0 - at * qw) / det, w1 = (at * pw - p0) / det;
   *sure =
      fabs(fabs(minor) - 1.5) > 1e-6 && fabs(w0) > 1e-9 && fabs(w1) > 1e-9 && !is_diagonal(a, c);
   return fabs(minor) < 1.5 && w0 > 0.0 && w1 > 0.0;
}

static void
test_line_through_the_eye_plane(void **state)
{
   (void)state;
   struct bench b;
   uint32_t pixels = 0;
   bench_init(&b, 64, 64, 1);
   b.config.raster.line_width_px = 3;
   for (uint32_t n = 0; n < 500; n++) {
      struct bench_vertex v[2] = { bench_vertex(uniform(), uniform(), 0, 1),
                                   bench_vertex(3 * uniform(), 3 * uniform(), 0, -1 - uniform()) };
      bench_clear(&b);
      bench_draw(&b, CF_PRIM_KIND_LINES, v, 2);
      bench_raster(&b, cf_host_level());
      for (uint32_t k = 0; k < 64 * 64; k++) {
         bool sure;
         const bool want =
            eye_line_covers(&b, v[0].position, v[1].position, k % 64 + 0.5, k / 64 + 0.5, &sure);
         if (sure)
            assert_int_equal(b.covered[k], want);
         pixels += b.covered[k];
      }
   }
   assert_true(pixels > 10000);
   bench_free(&b);
}

static void
test_varyings_along_lines(void **state)
{
   (void)state;
   static struct cf_task task;
   struct bench b;
   bench_init(&b, 64, 64, 1);
   for (uint32_t n = 0; n < 200; n++) {
      struct bench_vertex v[2];
      const float w0 = 1 + 0.8f * uniform(), w1 = 1 + 0.8f * uniform();
      const double x0 = below(20), x1 = 40 + below(20);
      v[0] = at_window(&b, x0, 30.5, w0);
      v[1] = at_window(&b, x1, 30.5, w1);
      v[0].slot[0][0] = 1;
      v[0].position[2] = -0.5f * w0;
      v[1].position[2] = 0.5f * w1;
      bench_clear(&b);
      bench_draw(&b, CF_PRIM_KIND_LINES, v, 2);
      const uint32_t x = 20 + below(20);
      const struct cf_quad quad = { &b.prims[0], x & ~1u, 30, 3 };
      cf_primitive_ops_at(cf_host_level())->interpolate(&quad, 1, 0, 1 << CF_VARMODE_SMOOTH | 1 << CF_VARMODE_LINEAR, &task);
      /* linear in the window, then perspective */
      const double t = (x + 0.5 - x0) / (x1 - x0), p0 = (1 - t) / w0, p1 = t / w1,
                   want = p0 / (p0 + p1);
      const float *p = task.varyings[0][0];
      assert_true(fabs(p[0] + task.bary[0][x & 1] * p[1] + task.bary[1][x & 1] * p[2] - want) <
                  1e-6);
      assert_true(fabs(task.linear[0][x & 1] - (1 - t)) < 1e-6);
      float depth[16];
      bench_depth_block(cf_primitive_ops_at(cf_host_level()), &b.prims[0], x & ~3u, 28, CF_SAMPLE_CENTRE, depth);
      assert_true(fabs(depth[(x & 1) | (x & 2) << 1 | 8] - (0.25 + 0.5 * t)) < 1e-6);
   }
   bench_free(&b);
}

/* ---- points ---- */

static void
test_sprites(void **state)
{
   (void)state;
   static struct cf_task task;
   struct bench b;
   bench_init(&b, 80, 70, 1);
   b.config.raster.point_quad = true;
   b.config.raster.point_size_per_vertex = true;
   b.config.link[0].sprite = true;
   for (uint32_t n = 0; n < 500; n++) {
      const double x0 = below(80 * 16) / 16.0, y0 = below(70 * 16) / 16.0,
                   size = 1 + below(40 * 8) / 8.0;
      struct bench_vertex v = at_window(&b, x0, y0, 1 + 0.9f * uniform());
      const bool lower_left = below(2);
      b.config.raster.sprite_origin_lower_left = lower_left;
      b.config.raster.bottom_edge_rule = below(2);
      v.point_size = (float)size;
      bench_clear(&b);
      bench_draw(&b, CF_PRIM_KIND_POINTS, &v, 1);
      bench_raster(&b, cf_host_level());
      for (uint32_t y = 0; y < 70; y++)
         for (uint32_t x = 0; x < 80; x++) {
            const double dx = x + 0.5 - x0, dy = y + 0.5 - y0, r = size / 2;
            const bool in_y =
               b.config.raster.bottom_edge_rule ? dy > -r && dy <= r : dy >= -r && dy < r;
            assert_int_equal(b.covered[y * 80 + x], dx >= -r && dx < r && in_y);
         }
      if (b.count == 0)
         continue;
      const struct cf_quad quad = { &b.prims[0], (uint16_t)x0 & ~1, (uint16_t)y0 & ~1, 0xf };
      cf_primitive_ops_at(cf_host_level())->interpolate(&quad, 1, 1 << 8 | 1 << 9, 1 << CF_VARMODE_SMOOTH, &task);
      for (uint32_t k = 0; k < 4; k++) {
         const double s = 0.5 + (quad.x_px + (k & 1) + 0.5 - x0) / size,
                      dt = (quad.y_px + (k >> 1) + 0.5 - y0) / size;
         const double st[4] = { s, lower_left ? 0.5 - dt : 0.5 + dt, 0, 1 };
         for (uint32_t i = 0; i < 4; i++) {
            const float *p = task.varyings[0][i];
            const double inside = i > 1 ? st[i] : fmin(fmax(st[i], 0), 1);
            assert_true(fabs(p[0] + task.bary[0][k] * p[1] + task.bary[1][k] * p[2] - inside) <
                        1e-6);
         }
      }
   }
   bench_free(&b);
}

/* With several samples a pixel: those in the sprite's square, or in the plain point's circle, but for those on its rim. */
static void
test_points_of_samples(void **state)
{
   (void)state;
   struct bench b;
   uint32_t covered = 0;
   bench_init(&b, 80, 70, 1);
   b.config.samples = CF_SAMPLES;
   b.config.raster.multisample = true;
   for (uint32_t n = 0; n < 400; n++) {
      const double x0 = below(80 * 256) / 256.0, y0 = below(70 * 256) / 256.0, r = (1 + below(20 * 8) / 8.0) / 2;
      const struct bench_vertex v = at_window(&b, x0, y0, 1 + 0.9f * uniform());
      b.config.raster.point_quad = below(2);
      b.config.raster.point_size_px = 2 * (float)r;
      b.config.raster.sprite_origin_lower_left = below(2);
      bench_clear(&b);
      bench_draw(&b, CF_PRIM_KIND_POINTS, &v, 1);
      bench_raster(&b, cf_host_level());
      for (uint32_t i = 0; i < 80 * 70 * CF_SAMPLES; i++) {
         const double x = i / CF_SAMPLES % 80 + bench_place_px(&b, i % CF_SAMPLES, 0) - x0,
                      y = i / CF_SAMPLES / 80 + bench_place_px(&b, i % CF_SAMPLES, 1) - y0;
         const double inside = b.config.raster.point_quad ? r - fmax(fabs(x), fabs(y)) : r - hypot(x, y);
         if (fabs(inside) > 1e-6)
            assert_int_equal(b.covered[i], inside > 0);
         covered += b.covered[i];
      }
   }
   assert_true(covered > 10000);
   bench_free(&b);
}

/* Plain points: round(size) pixels on the grid; odd ones round the pixel the vertex is in. */
static void
test_plain_points(void **state)
{
   (void)state;
   struct bench b;
   bench_init(&b, 32, 32, 1);
   for (uint32_t n = 0; n < 300; n++) {
      const double x0 = 8 + below(16 * 16) / 16.0, y0 = 8 + below(16 * 16) / 16.0;
      const uint32_t size = 1 + below(6);
      const struct bench_vertex v = at_window(&b, x0, y0, 1);
      const int32_t left = size & 1 ? (int32_t)floor(x0) - (int32_t)size / 2
                                    : (int32_t)floor(x0 + 0.5) - (int32_t)size / 2;
      const int32_t top = size & 1 ? (int32_t)floor(y0) - (int32_t)size / 2
                                   : (int32_t)floor(y0 + 0.5) - (int32_t)size / 2;
      b.config.raster.point_size_px = size + 0.4f * uniform();
      bench_clear(&b);
      bench_draw(&b, CF_PRIM_KIND_POINTS, &v, 1);
      bench_raster(&b, cf_host_level());
      for (int32_t y = 0; y < 32; y++)
         for (int32_t x = 0; x < 32; x++)
            assert_int_equal(b.covered[y * 32 + x], x >= left && x < left + (int32_t)size &&
                                                       y >= top && y < top + (int32_t)size);
   }
   bench_free(&b);
}

/* A point is drawn whole if its centre is in the view volume, else not at all. With
 * cut_to_viewport it is clipped to the viewport, and only the depth of its centre decides. */
static void
test_points_obey_the_volume(void **state)
{
   (void)state;
   static const struct {
      float v[4];
      bool drawn, cut;
   } cases[] = {
      { { 1, 1, 1, 1 }, true, true },         { { 1.001f, 0, 0, 1 }, false, true },
      { { 0, -1.001f, 0, 1 }, false, true },  { { 0, 0, 1.001f, 1 }, false, false },
      { { 0, 0, -1.001f, 1 }, false, false }, { { 0, 0, 0, -1 }, false, false },
      { { 0, 0, 0, 0 }, false, false },       { { -2, 2, -2, 2 }, true, true },
      { { 1.5f, 0, 0, 1 }, false, false },
   };
   for (uint32_t n = 0; n < 18; n++) {
      const uint32_t i = n / 2;
      struct bench b;
      bench_init(&b, 32, 32, 1);
      b.config.raster.point_size_px = 8;
      b.config.raster.cut_to_viewport = n % 2;
      const struct bench_vertex v =
         bench_vertex(cases[i].v[0], cases[i].v[1], cases[i].v[2], cases[i].v[3]);
      bench_draw(&b, CF_PRIM_KIND_POINTS, &v, 1);
      assert_int_equal(b.count, n % 2 ? cases[i].cut : cases[i].drawn);
      if (b.count && n % 2)
         assert_true(b.prims[0].bounds.max_x_px <= 32 && b.prims[0].bounds.max_y_px <= 32);
      bench_free(&b);
   }
}

static void
test_stipple(void **state)
{
   (void)state;
   struct bench b;
   const struct bench_vertex v[3] = { bench_vertex(-3, -3, 0, 1), bench_vertex(3, -3, 0, 1),
                                      bench_vertex(0, 9, 0, 3) };
   bench_init(&b, 70, 70, 1);
   for (uint32_t i = 0; i < 32; i++)
      b.config.stipple.pattern[i] = cf_random_u32(&random_state);
   b.config.raster.poly_stipple = true;
   bench_draw(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
   bench_raster(&b, cf_host_level());
   for (uint32_t y = 0; y < 70; y++)
      for (uint32_t x = 0; x < 70; x++)
         assert_int_equal(b.covered[y * 70 + x],
                          b.config.stipple.pattern[y % 32] >> (31 - x % 32) & 1);
   bench_free(&b);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_assembly),
      cmocka_unit_test(test_windings_agree),
      cmocka_unit_test(test_outlines),
      cmocka_unit_test(test_outlines_of_any_shape),
      cmocka_unit_test(test_outlines_without_area),
      cmocka_unit_test(test_lines),
      cmocka_unit_test(test_lines_of_samples),
      cmocka_unit_test(test_points_of_samples),
      cmocka_unit_test(test_loops_join),
      cmocka_unit_test(test_line_stipple),
      cmocka_unit_test(test_line_through_the_eye_plane),
      cmocka_unit_test(test_varyings_along_lines),
      cmocka_unit_test(test_sprites),
      cmocka_unit_test(test_plain_points),
      cmocka_unit_test(test_points_obey_the_volume),
      cmocka_unit_test(test_stipple),
   };
   random_state = cf_random_seed("primitive-assemble");
   return cmocka_run_group_tests(tests, NULL, NULL);
}
