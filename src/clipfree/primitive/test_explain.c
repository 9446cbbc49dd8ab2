/* SPDX-License-Identifier: MIT */
/*
 * Why primitives are dropped (cf_primitive_explain): each reason by primitives that have it alone,
 * and random ones of all kinds: what has a reason of its own is never made.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "clipfree/primitive/cf_primitive_explain.h"
#include "clipfree/primitive/test_bench.h"

#define SIDE_PX 64
#define ROUNDS 200000

static enum cf_drop
explain(const struct bench *b, enum cf_prim_kind kind, const struct bench_vertex *v)
{
   uint32_t number[3];
   const uint32_t vertices = cf_assemble_vertices(&b->config, kind, 3, 0, number);
   const float *records[3];
   struct cf_setup setup;
   assert_true(cf_setup_init(&setup, &b->config, &b->sink));
   for (uint32_t i = 0; i < vertices; i++)
      records[i] = v[number[i]].position;
   return cf_primitive_explain(&setup, vertices, records);
}

/* The primitives are dropped by set-up, too, for this reason. */
static void
assert_dropped(struct bench *b, enum cf_prim_kind kind, const float position[3][4],
               enum cf_drop expected)
{
   const uint32_t count = kind == CF_PRIM_KIND_POINTS ? 1 : kind == CF_PRIM_KIND_LINES ? 2 : 3;
   struct bench_vertex v[3];
   for (uint32_t i = 0; i < 3; i++)
      v[i] = bench_vertex(position[i][0], position[i][1], position[i][2], position[i][3]);
   b->count = 0;
   bench_draw(b, kind, v, count);
   assert_int_equal(b->count, 0);
   assert_int_equal(explain(b, kind, v), expected);
}

static void
each_reason(void **state)
{
   (void)state;
   const float nan[3][4] = { { 0, 0, 0, 1 }, { 1, 0, 0, 1 }, { 0, NAN, 0, 1 } };
   const float infinite[3][4] = { { INFINITY, 0, 0, 1 }, { 1, 0, 0, 1 }, { 0, 1, 0, 1 } };
   const float behind[3][4] = { { 0, 0, 0, -1 }, { 1, 0, 0, -1 }, { 0, 1, 0, 0 } };
   const float flat[3][4] = { { 0, 0, 0, 1 }, { 0.5f, 0.5f, 0, 1 }, { 0.25f, 0.25f, 0, 1 } };
   const float ccw[3][4] = { { 0, 0, 0, 1 }, { 0.5f, 0, 0, 1 }, { 0, 0.5f, 0, 1 } };
   const float far[3][4] = { { 0, 0, 2, 1 }, { 0.5f, 0, 3, 1 }, { 0, 0.5f, 2, 1 } };
   const float near[3][4] = { { 0, 0, -2, 1 }, { 0.5f, 0, -3, 1 }, { 0, 0.5f, -2, 1 } };
   const float right[3][4] = { { 2, 0, 0, 1 }, { 3, 0, 0, 1 }, { 2, 1, 0, 1 } };
   const float tiny[3][4] = { { 0, 0, 0, 1 }, { 1e-5f, 0, 0, 1 }, { 0, 1e-5f, 0, 1 } };
   struct bench b;
   bench_init(&b, SIDE_PX, SIDE_PX, 8);
   assert_dropped(&b, CF_PRIM_KIND_TRIANGLES, nan, CF_DROP_NOT_FINITE);
   assert_dropped(&b, CF_PRIM_KIND_LINES, infinite, CF_DROP_NOT_FINITE);
   assert_dropped(&b, CF_PRIM_KIND_POINTS, infinite, CF_DROP_NOT_FINITE);
   assert_dropped(&b, CF_PRIM_KIND_TRIANGLES, behind, CF_DROP_BEHIND);
   assert_dropped(&b, CF_PRIM_KIND_LINES, behind, CF_DROP_BEHIND);
   assert_dropped(&b, CF_PRIM_KIND_POINTS, behind, CF_DROP_BEHIND);
   assert_dropped(&b, CF_PRIM_KIND_TRIANGLES, flat, CF_DROP_NO_AREA);
   assert_dropped(&b, CF_PRIM_KIND_TRIANGLES, far, CF_DROP_PLANE);
   assert_dropped(&b, CF_PRIM_KIND_LINES, near, CF_DROP_PLANE);
   assert_dropped(&b, CF_PRIM_KIND_POINTS, far, CF_DROP_PLANE);
   assert_dropped(&b, CF_PRIM_KIND_TRIANGLES, right, CF_DROP_OUTSIDE);
   assert_dropped(&b, CF_PRIM_KIND_LINES, right, CF_DROP_OUTSIDE);
   assert_dropped(&b, CF_PRIM_KIND_POINTS, right, CF_DROP_OUTSIDE);
   assert_dropped(&b, CF_PRIM_KIND_TRIANGLES, tiny, CF_DROP_OUTSIDE);
   for (uint32_t ccw_is_front = 0; ccw_is_front < 2; ccw_is_front++) {
      b.config.raster.front_ccw = ccw_is_front;
      b.config.raster.cull_front = ccw_is_front;
      b.config.raster.cull_back = !ccw_is_front;
      assert_dropped(&b, CF_PRIM_KIND_TRIANGLES, ccw, ccw_is_front ? CF_DROP_FRONT : CF_DROP_BACK);
   }
   bench_free(&b);
}

/* Coordinates that meet: of few values, now and then none at all. */
static float
random_coordinate(void)
{
   static const float values[] = { 0, 0, 1, -1, 0.5f, 0.25f, -2, 3 };
   return below(500) == 0 ? NAN : below(4) == 0 ? 2 * uniform() : values[below(8)];
}

static void
a_reason_means_dropped(void **state)
{
   (void)state;
   static const enum cf_prim_kind kinds[] = { CF_PRIM_KIND_TRIANGLES, CF_PRIM_KIND_LINES,
                                              CF_PRIM_KIND_POINTS };
   uint32_t reasons[CF_DROPS] = { 0 }, made = 0;
   struct bench b;
   bench_init(&b, SIDE_PX, SIDE_PX, 8);
   for (uint32_t round = 0; round < ROUNDS; round++) {
      const enum cf_prim_kind kind = kinds[cf_random_below(&random_state, 4) % 3];
      struct bench_vertex v[3];
      for (uint32_t i = 0; i < 3; i++)
         v[i] = bench_vertex(random_coordinate(), random_coordinate(), random_coordinate(),
                             random_coordinate());
      b.config.policy = below(8) ? CF_SETUP_EXACT : below(2) ? CF_SETUP_DP3 : CF_SETUP_FMA;
      b.config.raster.cull_front = below(4) == 0;
      b.config.raster.cull_back = below(4) == 0;
      b.config.raster.front_ccw = below(2);
      b.config.viewport.scale_y = (below(2) ? 1.0f : -1.0f) * SIDE_PX / 2;
      b.count = 0;
      bench_draw(&b, kind, v, kind == CF_PRIM_KIND_POINTS ? 1 : kind == CF_PRIM_KIND_LINES ? 2 : 3);
      const enum cf_drop reason = explain(&b, kind, v);
      assert_true(b.count == 0 || reason == CF_DROP_OUTSIDE);
      reasons[reason]++;
      made += b.count;
   }
   for (enum cf_drop reason = CF_DROP_NOT_FINITE; reason < CF_DROPS; reason++)
      assert_true(reasons[reason] > 100);
   assert_true(made > ROUNDS / 20);
   bench_free(&b);
}

int
main(void)
{
   random_state = cf_random_seed("primitive-explain");
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_reason),
      cmocka_unit_test(a_reason_means_dropped),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
