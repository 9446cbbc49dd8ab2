/* SPDX-License-Identifier: MIT */
/*
 * Points against the rules of GL 2.1 chapter 3.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "clipfree/isa/cf_isa.h"
#include "clipfree/primitive/cf_point.h"
#include "clipfree/primitive/test_bench.h"

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
      bench_show(&b, CF_PRIM_KIND_POINTS, &v, 1);
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
      cf_primitive_ops_at(cf_host_level())
         ->interpolate(&quad, 1, 1 << 8 | 1 << 9, 1 << CF_VARMODE_SMOOTH, &task);
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

/* With several samples a pixel: those in the sprite's square, or in the plain point's circle, but
 * for those on its rim. */
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
      const double x0 = below(80 * 256) / 256.0, y0 = below(70 * 256) / 256.0,
                   r = (1 + below(20 * 8) / 8.0) / 2;
      const struct bench_vertex v = at_window(&b, x0, y0, 1 + 0.9f * uniform());
      b.config.raster.point_quad = below(2);
      b.config.raster.point_size_px = 2 * (float)r;
      b.config.raster.sprite_origin_lower_left = below(2);
      bench_show(&b, CF_PRIM_KIND_POINTS, &v, 1);
      for (uint32_t i = 0; i < 80 * 70 * CF_SAMPLES; i++) {
         const double x = i / CF_SAMPLES % 80 + bench_place_px(&b, i % CF_SAMPLES, 0) - x0,
                      y = i / CF_SAMPLES / 80 + bench_place_px(&b, i % CF_SAMPLES, 1) - y0;
         const double inside =
            b.config.raster.point_quad ? r - fmax(fabs(x), fabs(y)) : r - hypot(x, y);
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
      bench_show(&b, CF_PRIM_KIND_POINTS, &v, 1);
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

/* Near is z = -w, or z = 0 with clip_halfz, far z = w; each plane can be off. */
static void
test_depth_planes_of_points(void **state)
{
   (void)state;
   static const float z[] = { -1.5f, -1, -0.5f, 0, 0.5f, 1, 1.5f };
   struct bench b;
   bench_init(&b, 32, 32, 1);
   b.config.raster.point_size_px = 4;
   for (uint32_t n = 0; n < 7 * 8; n++) {
      const float at = z[n % 7];
      const bool near = n / 7 & 1, far = n / 14 & 1, halfz = n / 28 & 1;
      b.config.raster.depth_clip_near = near;
      b.config.raster.depth_clip_far = far;
      b.config.raster.clip_halfz = halfz;
      const struct bench_vertex v = bench_vertex(0, 0, at, 1);
      b.count = 0;
      bench_draw(&b, CF_PRIM_KIND_POINTS, &v, 1);
      assert_int_equal(b.count, (!near || at >= (halfz ? 0 : -1)) && (!far || at <= 1));
   }
   bench_free(&b);
}

/* ---- several at once ---- */

enum { POINTS = 37 };

static void
random_point(struct bench_vertex *v)
{
   static const float odd[] = { INFINITY, -INFINITY, NAN, 0x1p-140f, 3e38f, 0.0f, -0.0f };
   *v = bench_vertex(1.2f * uniform(), 1.2f * uniform(), 1.2f * uniform(), 1.0f);
   const uint32_t kind = below(8);
   const float w = kind == 0 ? 1.0f + 0.9f * uniform() : kind == 1 ? 0x1p-100f : 1.0f;
   const bool behind = below(8) == 0;
   for (uint32_t i = 0; i < 4; i++)
      v->position[i] *= w;
   v->position[3] *= behind ? -1.0f : 1.0f;
   if (kind == 2) /* at corners and centres of pixels, and beside them */
      for (uint32_t i = 0; i < 2; i++)
         v->position[i] =
            ((float)below(129) / (i ? 48.0f : 80.0f) - 1.0f) * (below(4) ? 1.0f : 1.0001f);
   else if (kind == 3) /* on the planes of the view volume, and beyond */
      v->position[below(3)] = below(2) ? 1.0f : -1.0f;
   else if (kind == 4)
      v->position[below(4)] = odd[below(7)];
   v->point_size = below(8) ? 12.0f * (1.0f + uniform()) : odd[below(7)];
}

static void
random_state_of_points(struct cf_primitive_config *c)
{
   struct cf_raster *r = &c->raster;
   r->point_size_px = below(2) ? 1.0f : 6.0f * (1.0f + uniform());
   r->point_size_per_vertex = below(2);
   r->point_quad = below(2);
   r->point_smooth = below(4) == 0;
   r->multisample = below(4) == 0;
   r->sprite_origin_lower_left = below(2);
   r->half_pixel_center = below(4) != 0;
   r->bottom_edge_rule = below(2);
   r->depth_clip_near = below(4) != 0;
   r->depth_clip_far = below(4) != 0;
   r->clip_halfz = below(2);
   r->depth_clamp = below(4) == 0;
   r->cut_to_viewport = below(2);
   c->link[0].sprite = below(2);
   if (below(4) == 0)
      c->viewport.scale_x *= -2.5f;
   if (below(4) == 0)
      c->viewport.translate_x += 7.3f;
   c->scissor.min_x_px = below(3) ? 0 : below(80);
   c->scissor.max_y_px = below(3) ? c->scissor.max_y_px : 1 + below(60);
}

/* A point of one sample a pixel has no memory beyond cf_prim_kind_B. */
static void
expect_short(const struct bench *b)
{
   const uint32_t short_B = cf_prim_kind_B(&b->config, CF_PRIM_KIND_POINTS);
   assert_true(short_B < sizeof(struct cf_prim));
   for (uint32_t i = 0; i < b->count; i++)
      for (uint32_t k = short_B; k < sizeof(struct cf_prim); k++)
         assert_int_equal(((const uint8_t *)&b->prims[i])[k], BENCH_UNSET);
}

/* Points of a batch have the same bits as each alone, at every level. */
static void
test_together_as_alone(void **state)
{
   (void)state;
   static const char *const names[] = { "base", "v3", "v4" };
   static const struct cf_face face = { .front = true };
   static struct bench_vertex vertices[POINTS];
   const float *v[POINTS];
   uint64_t drawn = 0, dropped = 0;
   for (uint32_t round = 0; round < 3000; round++) {
      struct bench alone, together;
      bench_init(&alone, 160, 96, POINTS);
      bench_init(&together, 160, 96, POINTS);
      random_state_of_points(&alone.config);
      together.config = alone.config;
      for (uint32_t i = 0; i < POINTS; i++) {
         random_point(&vertices[i]);
         v[i] = vertices[i].position;
      }
      for (int level = CF_HOST_BASE; level <= (int)cf_host_level(); level++) {
         struct cf_setup setup;
         alone.config.level = level;
         bench_forget(&alone);
         bench_forget(&together);
         assert_true(cf_points_are_batched(&alone.config));
         if (!cf_setup_init(&setup, &alone.config, &alone.sink))
            continue;
         for (uint32_t i = 0; i < POINTS; i++)
            cf_setup_point(&setup, v[i], v[i], &face);
         setup.sink = &together.sink;
         for (uint32_t i = 0, n; i < POINTS; i += n) {
            n = below(4) ? CF_POINT_BATCH : 1 + below(CF_POINT_BATCH);
            n = n < POINTS - i ? n : POINTS - i;
            setup.point->setup(&setup, v + i, n);
         }
         bench_expect_same(&alone, &together, names[level]);
         expect_short(&together);
         drawn += alone.count;
         dropped += POINTS - alone.count;
      }
      bench_free(&alone);
      bench_free(&together);
   }
   assert_true(drawn > 10000 && dropped > 10000);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sprites),
      cmocka_unit_test(test_points_of_samples),
      cmocka_unit_test(test_plain_points),
      cmocka_unit_test(test_points_obey_the_volume),
      cmocka_unit_test(test_depth_planes_of_points),
      cmocka_unit_test(test_together_as_alone),
   };
   random_state = cf_random_seed("primitive-points");
   return cmocka_run_group_tests(tests, NULL, NULL);
}
