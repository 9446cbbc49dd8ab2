/* SPDX-License-Identifier: MIT */
/*
 * Assembly of every kind of primitive against GL's tables written out; polygons as outlines, and
 * their stipple.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "clipfree/primitive/test_bench.h"
#include "clipfree/primitive/test_expected.h"

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

/* Of primitives with adjacency the vertices between are drawn (GL 3.2 section 2.6.1, table 2.12):
 * the first or last of them is the provoking one. */
static void
test_adjacency(void **state)
{
   (void)state;
   static const struct {
      enum cf_prim_kind kind;
      uint32_t count, vertices, drawn[2][3];
   } cases[] = {
      { CF_PRIM_KIND_LINES_ADJACENCY, 8, 2, { { 1, 2 }, { 5, 6 } } },
      { CF_PRIM_KIND_LINE_STRIP_ADJACENCY, 5, 2, { { 1, 2 }, { 2, 3 } } },
      { CF_PRIM_KIND_TRIANGLES_ADJACENCY, 12, 3, { { 0, 2, 4 }, { 6, 8, 10 } } },
   };
   struct bench b;
   struct bench_vertex v[MAX_COUNT];
   numbered_vertices(v);
   bench_init(&b, 64, 64, 8);
   b.config.link[1].flat = true;
   for (uint32_t n = 0; n < 6; n++) {
      const uint32_t c = n / 2, vertices = cases[c].vertices;
      const bool first = n % 2;
      assert_true(cases[c].count <= MAX_COUNT);
      b.config.raster.provoking_first = first;
      b.count = 0;
      bench_draw(&b, cases[c].kind, v, cases[c].count);
      assert_int_equal(b.count, 2);
      for (uint32_t i = 0; i < 2; i++) {
         for (uint32_t k = 0; k < vertices; k++)
            assert_int_equal(number_of(v, b.prims[i].vertex[k]), cases[c].drawn[i][k]);
         assert_int_equal((uint32_t)b.varyings[i][4][0],
                          cases[c].drawn[i][first ? 0 : vertices - 1]);
      }
   }
   bench_free(&b);
}

/* In feedback's order a primitive begins with its provoking vertex where that is the first, and
 * ends with it where it is the last, but for quads and polygons, which are split; it is the
 * primitive as it was assembled, rotated at most. */
static void
test_order_of_feedback(void **state)
{
   (void)state;
   struct bench b;
   uint32_t elsewhere = 0;
   bench_init(&b, 64, 64, 1);
   for (uint32_t trial = 0; trial < 10 * (MAX_COUNT + 1) * 2; trial++) {
      const enum cf_prim_kind kind = trial % 10;
      const uint32_t count = trial / 10 % (MAX_COUNT + 1);
      const bool first = trial >= 10 * (MAX_COUNT + 1);
      struct expected want[2 * MAX_COUNT];
      b.config.raster.provoking_first = first;
      const uint32_t total = expected_primitives(kind, count, first, want);
      for (uint32_t i = 0; i < total; i++) {
         uint32_t got[3], at = 0;
         const uint32_t n = cf_assemble_in_order(&b.config, kind, count, i, got);
         assert_int_equal(n, vertices_of(kind));
         while (at < n && want[i].v[at] != got[0])
            at++;
         assert_true(at < n);
         for (uint32_t k = 0; k < n; k++)
            assert_int_equal(got[k], want[i].v[(at + k) % n]);
         bool has_it = false;
         for (uint32_t k = 0; k < n; k++)
            has_it |= got[k] == want[i].provoking;
         if (has_it && (first || kind < CF_PRIM_KIND_QUADS))
            assert_int_equal(got[first ? 0 : n - 1], want[i].provoking);
         elsewhere += !has_it;
      }
   }
   assert_true(elsewhere > 0);
   bench_free(&b);
}

/* The vertices of a list's primitives lie one after the other, whichever is the provoking one. */
static void
test_lists(void **state)
{
   (void)state;
   struct bench b;
   uint32_t lists = 0;
   bench_init(&b, 64, 64, 1);
   for (uint32_t trial = 0; trial < 2 * (CF_PRIM_KIND_TRIANGLE_STRIP_ADJACENCY + 1); trial++) {
      const enum cf_prim_kind kind = trial / 2;
      const uint32_t each = cf_assemble_list_vertices(kind);
      uint32_t got[2][6];
      b.config.raster.provoking_first = trial % 2;
      for (uint32_t i = 0; each && i < 3; i++) {
         assert_int_equal(cf_assemble_count(kind, i * each), i);
         assert_int_equal(cf_assemble_inputs(kind, 3 * each, i, got[0]), each);
         if (kind < CF_PRIM_KIND_LINES_ADJACENCY)
            cf_assemble_in_order(&b.config, kind, 3 * each, i, got[1]);
         for (uint32_t k = 0; k < each; k++) {
            assert_int_equal(got[0][k], i * each + k);
            assert_true(kind >= CF_PRIM_KIND_LINES_ADJACENCY || got[1][k] == got[0][k]);
         }
      }
      lists += each > 0;
   }
   assert_int_equal(lists, 2 * 5);
   bench_free(&b);
}

/* Runs that are gathered give the primitives of runs set up one by one, in the same order: as many
 * runs as fill some batches, of every kind, with polygons filled and outlined, lines plain and
 * stippled. */
static void
test_gathered(void **state)
{
   (void)state;
   for (uint32_t trial = 0; trial < 400; trial++) {
      const enum cf_prim_kind kind = trial % 10;
      struct bench one, many;
      struct bench_vertex v[MAX_COUNT];
      const float *records[MAX_COUNT];
      struct cf_setup setup;
      struct cf_prim_gather gather;
      numbered_vertices(v);
      for (uint32_t i = 0; i < MAX_COUNT; i++)
         records[i] = v[i].position;
      bench_init(&one, 64, 64, 60 * 6 * MAX_COUNT);
      bench_init(&many, 64, 64, 60 * 6 * MAX_COUNT);
      one.config.link[1].flat = true;
      one.config.raster.provoking_first = below(2);
      one.config.raster.fill_back = below(4) == 0 ? CF_POLYGON_MODE_LINE : CF_POLYGON_MODE_FILL;
      one.config.raster.line_stipple = below(4) == 0;
      many.config = one.config;
      assert_true(cf_setup_init(&setup, &many.config, &many.sink));
      cf_prim_gather_begin(&gather, &setup, kind);
      for (uint32_t run = below(60); run; run--) {
         const uint32_t count = below(MAX_COUNT + 1), total = cf_assemble_count(kind, count);
         bench_assemble(&one, kind, count, 0, total, records);
         cf_prim_gather_add(&gather, count, 0, total, records);
      }
      cf_prim_gather_end(&gather);
      assert_int_equal(gather.count, 0);
      cf_prim_gather_end(&gather); /* nothing is left to be set up */
      assert_int_equal(many.count, one.count);
      for (uint32_t i = 0; i < one.count; i++) {
         const struct cf_prim *a = &one.prims[i], *b = &many.prims[i];
         assert_memory_equal(a, b, offsetof(struct cf_prim, config)); /* two addresses follow */
         assert_memory_equal(&a->shape, &b->shape,
                             offsetof(struct cf_prim, stipple_origin_px) -
                                offsetof(struct cf_prim, shape));
         assert_memory_equal(many.varyings[i], one.varyings[i], sizeof(one.varyings[i]));
      }
      bench_free(&one);
      bench_free(&many);
   }
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
      cmocka_unit_test(test_gathered),
      cmocka_unit_test(test_order_of_feedback),
      cmocka_unit_test(test_lists),
      cmocka_unit_test(test_adjacency),
      cmocka_unit_test(test_windings_agree),
      cmocka_unit_test(test_outlines),
      cmocka_unit_test(test_outlines_of_any_shape),
      cmocka_unit_test(test_outlines_without_area),
      cmocka_unit_test(test_stipple),
   };
   random_state = cf_random_seed("primitive-assemble");
   return cmocka_run_group_tests(tests, NULL, NULL);
}
