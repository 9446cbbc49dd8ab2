/* SPDX-License-Identifier: MIT */
/*
 * Triangles that are set up several at once have the bits of those that are set up alone, at every host level: ordinary ones
 * and all that has no area, lies behind the eye, is huge, tiny or not finite, in any state.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "clipfree/primitive/cf_triangle.h"
#include "clipfree/primitive/test_bench.h"

#define TRIANGLES 200

/* A triangle of some kind. */
static void
random_triangle(struct bench_vertex t[3])
{
   const uint32_t kind = below(10);
   const float spread = below(2) ? 1.0f : below(2) ? 3.0f : 0.05f;
   for (uint32_t i = 0; i < 3; i++) {
      t[i] = bench_vertex(0, 0, 0, 1);
      ordinary_vertex(t[i].position, spread);
      for (uint32_t c = 0; c < 8; c++)
         t[i].slot[c / 4][c % 4] = uniform();
   }
   if (kind == 0) /* some vertices behind the eye, or all */
      for (uint32_t i = below(3); i < 3; i++)
         t[i].position[3] = below(3) ? -t[i].position[3] : 0.0f;
   else if (kind == 1) /* two corners in one */
      memcpy(t[below(3)].position, t[below(3)].position, sizeof t[0].position);
   else if (kind == 2) /* nearly, or really, in line */
      for (uint32_t c = 0; c < 4; c++)
         t[2].position[c] = (t[0].position[c] + t[1].position[c]) / 2;
   else if (kind == 3) /* not finite, denormal, huge */
      t[below(3)].position[below(4)] = odd_number();
   else if (kind == 4)
      for (uint32_t i = 0; i < 12; i++)
         t[i / 4].position[i % 4] *= below(2) ? 0x1p100f : 0x1p-100f;
}

static void
random_state_of(struct cf_primitive_config *c)
{
   struct cf_raster *r = &c->raster;
   const uint32_t culled = below(6);
   r->cull_front = culled == 0 || culled == 2;
   r->cull_back = culled == 1 || culled == 2;
   r->front_ccw = below(2);
   r->half_pixel_center = below(4) != 0;
   r->bottom_edge_rule = below(2);
   r->depth_clip_near = below(4) != 0;
   r->depth_clip_far = below(4) != 0;
   r->clip_halfz = below(2);
   r->depth_clamp = below(4) == 0;
   r->offset_fill = below(4) == 0;
   r->offset_scale = 1.5f;
   r->offset_units = 2.0f;
   r->poly_smooth = below(8) == 0;
   c->samples = below(3) == 0 ? CF_SAMPLES : 1;
   for (uint32_t i = 0; i < BENCH_SLOTS; i++)
      c->link[i].flat = below(2);
   if (below(2))
      c->viewport.scale_y = -c->viewport.scale_y;
   if (below(4) == 0)
      c->viewport.scale_x *= -2.5f;
   if (below(4) == 0)
      c->viewport.translate_x += 7.3f;
   c->scissor.min_x_px = below(3) ? 0 : below(80);
   c->scissor.max_y_px = below(3) ? c->scissor.max_y_px : 1 + below(60);
}

static void
test_together_as_alone(void **unused)
{
   static const char *const names[] = { "base", "v3", "v4" };
   static struct bench_vertex vertices[TRIANGLES][3];
   const float *v[TRIANGLES][3], *provoking[TRIANGLES];
   uint64_t drawn = 0;
   for (uint32_t round = 0; round < 1500; round++) {
      struct bench alone, together;
      bench_init(&alone, 160, 96, TRIANGLES);
      bench_init(&together, 160, 96, TRIANGLES);
      random_state_of(&alone.config);
      together.config = alone.config;
      for (uint32_t i = 0; i < TRIANGLES; i++) {
         random_triangle(vertices[i]);
         for (uint32_t k = 0; k < 3; k++)
            v[i][k] = vertices[i][k].position;
         provoking[i] = v[i][below(3)];
      }
      for (int level = CF_HOST_BASE; level <= (int)cf_host_level(); level++) {
         struct cf_setup setup;
         alone.config.level = level;
         bench_forget(&alone);
         bench_forget(&together);
         assert_true(cf_triangle_all_filled(&alone.config));
         if (!cf_setup_init(&setup, &alone.config, &alone.sink))
            continue;
         for (uint32_t i = 0; i < TRIANGLES; i++)
            setup.triangle->setup(&setup, v[i], provoking[i], CF_EDGES_ALL);
         setup.sink = &together.sink;
         for (uint32_t i = 0, n; i < TRIANGLES; i += n) {
            n = below(2) ? 1 + below(CF_TRIANGLE_BATCH) : 1 + below(20);
            n = n < TRIANGLES - i ? n : TRIANGLES - i;
            setup.triangle->setup_filled(&setup, v + i, provoking + i, 1, n);
         }
         bench_expect_same(&alone, &together, names[level]);
         drawn += alone.count;
      }
      bench_free(&alone);
      bench_free(&together);
   }
   assert_true(drawn > 0);
}

int
main(void)
{
   const struct CMUnitTest tests[] = { cmocka_unit_test(test_together_as_alone) };
   random_state = cf_random_seed("primitive-triangles");
   return cmocka_run_group_tests(tests, NULL, NULL);
}
