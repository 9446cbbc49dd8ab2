/* SPDX-License-Identifier: MIT */
/*
 * Vertex programs run positions first (CF_VERTICES_POSITIONS_FIRST) draw the same as programs run
 * whole: random meshes as primitives of all kinds, with one face culled, both, or none. The second
 * run is skipped exactly for tasks without a vertex of a visible primitive: a program that is
 * endless for some vertices shows it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/command/test_gpu.h"

#define WIDTH 160
#define HEIGHT 120
#define ROUNDS 100
#define SPHERE_X 40
#define SPHERE_Y 30
#define VERTICES ((SPHERE_X + 1) * (SPHERE_Y + 1))
#define INDICES (SPHERE_X * SPHERE_Y * 6)
#define SLOTS 3

static struct cf_gpu *
model_ordered(enum cf_vertex_order vertices, int threads, enum cf_host_level level)
{
   return test_model_of((struct cf_model_config){
      .threads = threads, .host_level = 1 + level, .vertices = vertices });
}

struct vertex {
   float position[4], color[4];
};

/* A sphere, moved by instance_id, with point sizes and edge flags. Colours come from a loop; slot 1
 * is for back faces, slot 2 a clip vertex. */
static const char *const vertex_text = "sys v8, vertex_id\nsys v9, instance_id\ni2f v9, v9\n"
                                       "ldf v0, 0[v8]\nldf v4, 1[v8]\n"
                                       "mov v10, 0\nmov v11, v5\nmov v12, v6\n"
                                       "loop\n"
                                       "next: iadd v10, v10, 1\n"
                                       "fmad v11, v11, v4, u2\nfmad v12, v12, v11, u3\n"
                                       "ult v13, 5, v10\nbrk v13, last\n"
                                       "last: endloop next\n"
                                       "fmad v0, v9, u0, v0\nfmad v1, v9, u1, v1\n"
                                       "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\n"
                                       "fmad v13, v4, u4, 1.0\nout 4, v13\n"
                                       "flt v13, 0.5, v7\nand v13, v13, 1.0\nout 5, v13\n"
                                       "out 8, v11\nout 9, v12\nout 10, v4\nout 11, 1.0\n"
                                       "out 12, v12\nout 13, v5\nout 14, v11\nout 15, 1.0\n"
                                       "out 16, v0\nout 17, v2\nout 18, v1\nout 19, v3\n"
                                       "end\n";
static const struct cf_program vertex_info = {
   .stage = CF_SHADER_STAGE_VERTEX, .vector_regs = 14, .outputs = 8 + 4 * SLOTS, .sysvals = 3
};
/* Endless for vertices whose colour is red, in the part that computes varyings. Long programs have
 * LONG more instructions there. */
#define LONG 1000
static const char endless_begin[] = "sys v8, vertex_id\nldf v0, 0[v8]\nldf v4, 1[v8]\nmov v9, v4\n";
static const char endless_more[] = "fadd v9, v9, v4\n";
static const char endless_end[] = "loop\n"
                                  "next: fadd v9, v9, v4\nfeq v10, v4, 0\nbrk v10, last\n"
                                  "last: endloop next\n"
                                  "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\n"
                                  "out 8, v9\nout 9, v5\nout 10, v6\nout 11, v7\n"
                                  "end\n";
static const struct cf_program endless_info = {
   .stage = CF_SHADER_STAGE_VERTEX, .vector_regs = 11, .outputs = 12, .sysvals = 1
};

/* What is drawn. */
struct drawing {
   struct vertex vertices[VERTICES];
   uint16_t indices[INDICES];
   struct cf_draw draw;
   struct cf_raster raster;
   struct cf_clip_planes planes;
   struct cf_link link[SLOTS];
   float constants[5];
   uint32_t samples;
};

/* ---- random drawings ---- */

static void
make_sphere(struct drawing *d, uint64_t *seed)
{
   static const uint8_t corners[6] = { 0, 1, 2, 2, 1, 3 };
   for (uint32_t i = 0; i < VERTICES; i++) {
      const float across = 6.2831853f * (float)(i % (SPHERE_X + 1)) / SPHERE_X;
      const float down = 3.1415927f * (float)(i / (SPHERE_X + 1)) / SPHERE_Y;
      const float z = sinf(down) * sinf(across), w = 1.5f + 0.5f * z;
      d->vertices[i] =
         (struct vertex){ { sinf(down) * cosf(across), cosf(down), 0.9f * z * w, w }, { 0 } };
      for (uint32_t c = 0; c < 4; c++)
         d->vertices[i].color[c] = test_random_float(seed, 0, 1);
   }
   for (uint32_t i = 0; i < INDICES; i++) {
      const uint32_t cell = i / 6, corner = corners[i % 6], x = cell % SPHERE_X + corner % 2,
                     y = cell / SPHERE_X + corner / 2;
      d->indices[i] = (uint16_t)(y * (SPHERE_X + 1) + x);
   }
}

static enum cf_polygon_mode
random_mode(uint64_t *seed)
{
   static const enum cf_polygon_mode modes[] = { CF_POLYGON_MODE_LINE, CF_POLYGON_MODE_POINT };
   const uint32_t i = test_random(seed) % 8;
   return i < 2 ? modes[i] : CF_POLYGON_MODE_FILL;
}

static void
make_raster(struct drawing *d, uint64_t *seed)
{
   d->raster = (struct cf_raster){
      .cull_front = test_random(seed) % 4 == 0,
      .cull_back = test_random(seed) % 2,
      .front_ccw = test_random(seed) % 2,
      .fill_front = random_mode(seed),
      .fill_back = random_mode(seed),
      .provoking_first = test_random(seed) % 2,
      .point_size_per_vertex = test_random(seed) % 2,
      .half_pixel_center = true,
      .depth_clip_near = true,
      .depth_clip_far = true,
      .point_smooth = test_random(seed) % 4 == 0,
      .line_smooth = test_random(seed) % 4 == 0,
      .line_stipple = test_random(seed) % 4 == 0,
      .multisample = d->samples > 1 && test_random(seed) % 2,
      .line_width_px = test_random_float(seed, 1, 3),
      .point_size_px = test_random_float(seed, 1, 4),
      .clip_planes = test_random(seed) % 3 == 0 ? 1 + (uint32_t)test_random(seed) % 3 : 0,
      .stipple_factor = 1,
      .stipple_pattern = 0x3f0f,
   };
   d->planes = (struct cf_clip_planes){ .has_vertex = test_random(seed) % 2, .vertex_varying = 1 };
   for (uint32_t i = 0; i < 8; i++)
      d->planes.plane[i] = test_random_float(seed, -1, 1);
}

static void
make_drawing(struct drawing *d, uint64_t seed)
{
   *d = (struct drawing){ .samples = test_random(&seed) % 4 ? 1 : CF_SAMPLES };
   make_sphere(d, &seed);
   make_raster(d, &seed);
   const enum cf_prim_kind prim = test_random(&seed) % 2
                                     ? CF_PRIM_KIND_TRIANGLES
                                     : (enum cf_prim_kind)(test_random(&seed) % 10);
   const bool indexed = test_random(&seed) % 4 != 0;
   const uint32_t most = !indexed                         ? VERTICES
                         : prim == CF_PRIM_KIND_TRIANGLES ? INDICES
                                                          : INDICES / 4;
   d->draw = (struct cf_draw){ .prim = prim,
                               .count = most - (uint32_t)test_random(&seed) % (most / 2),
                               .instances = 1 + (uint32_t)test_random(&seed) % 2,
                               .index_size_B = indexed ? 2 : 0,
                               .restart = indexed && test_random(&seed) % 2,
                               .restart_index = (uint32_t)test_random(&seed) % VERTICES };
   d->link[0] = (struct cf_link){ .slot = 0,
                                  .back_slot = 1,
                                  .present = true,
                                  .flat = test_random(&seed) % 4 == 0,
                                  .two_sided = test_random(&seed) % 2 };
   d->link[1] = (struct cf_link){ .slot = 2, .present = true, .corners = true };
   for (uint32_t i = 0; i < 5; i++)
      d->constants[i] = test_random_float(&seed, -0.3f, 0.7f);
   d->constants[4] = test_random_float(&seed, 0, 4);
}

/* ---- drawing ---- */

struct scene {
   struct test_gpu t;
   struct test_surface color, zs;
};

static void
scene_open(struct scene *s, struct cf_gpu *gpu, uint32_t samples)
{
   test_gpu_open_on(&s->t, gpu);
   test_surface_create_samples(&s->t, &s->color, CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, samples);
   test_surface_create_samples(&s->t, &s->zs, CF_FORMAT_Z24_UNORM_S8_UINT, WIDTH, HEIGHT, samples);
   test_emit_frame(&s->t, &s->color, &s->zs);
   EMIT(&s->t, clear, .colors = 1, .depth = true, .stencil = true, .stencil_write_mask = 0xff,
        .depth_value = 1.0f, .max_x_px = WIDTH, .max_y_px = HEIGHT);
   EMIT(&s->t, depth_stencil, .depth_test = true, .depth_write = true,
        .depth_func = CF_COMPARE_LESS);
}

static void
emit_programs(struct scene *s, const char *vertex, const struct cf_program *info,
              const struct cf_link *link, uint32_t links)
{
   uint32_t dw[SLOTS * CF_LINK_DWORDS];
   for (uint32_t i = 0; i < links; i++)
      cf_link_pack(dw + i * CF_LINK_DWORDS, &link[i]);
   EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_VERTEX,
        .program = test_program(&s->t, vertex, *info));
   EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = test_varyings_program(&s->t));
   EMIT(&s->t, varyings, .count = links,
        .address = test_put(&s->t, dw, links * CF_LINK_DWORDS * sizeof(*dw)));
}

static void
emit_vertices(struct scene *s, const struct vertex *vertices, uint32_t count)
{
   const uint64_t address = test_put(&s->t, vertices, count * sizeof(*vertices));
   uint32_t dw[2 * CF_VERTEX_ELEMENT_DWORDS];
   for (uint32_t i = 0; i < 2; i++) {
      const struct cf_vertex_element element = {
         .address = address + 16 * i,
         .size_B = count * (uint32_t)sizeof(*vertices) - 16 * i,
         .stride_B = sizeof(*vertices),
         .format = CF_FORMAT_R32G32B32A32_FLOAT,
      };
      cf_vertex_element_pack(dw + i * CF_VERTEX_ELEMENT_DWORDS, &element);
   }
   EMIT(&s->t, vertex_elements, .count = 2, .address = test_put(&s->t, dw, sizeof(dw)));
}

/* Hash of all samples. *drawn: whether anything was drawn. */
static uint64_t
hash_scene(const struct scene *s, uint32_t samples, bool *drawn)
{
   uint64_t hash = 0;
   *drawn = false;
   for (uint32_t i = 0; i < WIDTH * HEIGHT * samples; i++) {
      const uint32_t x = i / samples % WIDTH, y = i / samples / WIDTH, sample = i % samples;
      const uint32_t color = test_surface_sample(&s->color, x, y, sample);
      *drawn = *drawn || color != 0;
      hash = (hash ^ color) * 0x100000001b3ull;
      hash = (hash ^ test_surface_sample(&s->zs, x, y, sample)) * 0x100000001b3ull;
   }
   return hash;
}

static uint64_t
render(const struct drawing *d, struct cf_gpu *gpu, bool *drawn)
{
   struct scene s;
   scene_open(&s, gpu, d->samples);
   emit_programs(&s, vertex_text, &vertex_info, d->link, 2);
   emit_vertices(&s, d->vertices, VERTICES);
   EMIT(&s.t, constants, .stage = CF_SHADER_STAGE_VERTEX, .size_B = sizeof(d->constants),
        .address = test_put(&s.t, d->constants, sizeof(d->constants)));
   cf_raster_pack(s.t.dw + s.t.count, &d->raster);
   s.t.count += CF_RASTER_DWORDS;
   cf_clip_planes_pack(s.t.dw + s.t.count, &d->planes);
   s.t.count += CF_CLIP_PLANES_DWORDS;
   struct cf_draw draw = d->draw;
   draw.index_address = draw.index_size_B ? test_put(&s.t, d->indices, sizeof(d->indices)) : 0;
   draw.index_size_total_B = draw.index_size_B ? sizeof(d->indices) : 0;
   cf_draw_pack(s.t.dw + s.t.count, &draw);
   s.t.count += CF_DRAW_DWORDS;
   test_submit(&s.t);
   test_no_error(&s.t);
   const uint64_t hash = hash_scene(&s, d->samples, drawn);
   test_frame_close(&s.t, &s.color, &s.zs);
   return hash;
}

static void
same_pictures(void **state)
{
   struct cf_random seeds = cf_random_seed("command-positions");
   struct drawing *d = malloc(sizeof(*d));
   uint32_t pictures = 0;
   for (uint32_t round = 0; round < ROUNDS; round++) {
      bool drawn;
      make_drawing(d, cf_random_u64(&seeds) | 1);
      const uint64_t expected =
         render(d, model_ordered(CF_VERTICES_WHOLE, 0, cf_host_level()), &drawn);
      pictures += drawn;
      for (int level = CF_HOST_BASE; level <= (int)cf_host_level(); level++) {
         const int threads = (int)(round + (uint32_t)level) % 3;
         if (render(d,
                    model_ordered(CF_VERTICES_POSITIONS_FIRST, threads, (enum cf_host_level)level),
                    &drawn) != expected)
            fail_msg("round %u, level %d, %d threads: another picture", round, level, threads);
      }
   }
   assert_true(pictures > ROUNDS / 3);
   free(d);
}

/* ---- which tasks run whole ---- */

#define QUADS 160 /* per half; its vertices fill 30 tasks, so that the halves share none */
#define HALVES (2 * 6 * QUADS)

/* A row of quads for each half of the window; the left half is back-facing. Endless halves have the
 * colour for which the program never ends. */
static void
make_halves(struct vertex vertices[HALVES], bool left_endless, bool right_endless)
{
   static const uint8_t corners[6][2] = {
      { 0, 0 }, { 1, 0 }, { 0, 1 }, { 0, 1 }, { 1, 0 }, { 1, 1 }
   };
   for (uint32_t i = 0; i < HALVES; i++) {
      const bool left = i < HALVES / 2;
      const uint8_t *corner = corners[left ? 5 - i % 6 : i % 6];
      const float x = (float)(i / 6 % QUADS + corner[0]) / QUADS, y = corner[1];
      vertices[i] =
         (struct vertex){ { left ? x - 1.0f : x, 2.0f * y - 1.0f, 0, 1 },
                          { (left ? left_endless : right_endless) ? 1.0f : 0.0f, 1, 0, 1 } };
   }
}

static void
emit_endless(struct scene *s, uint32_t more)
{
   static char text[sizeof(endless_begin) + LONG * sizeof(endless_more) + sizeof(endless_end)];
   const struct cf_link link = { .present = true };
   char *at = stpcpy(text, endless_begin);
   for (uint32_t i = 0; i < more; i++)
      at = stpcpy(at, endless_more);
   strcpy(at, endless_end);
   emit_programs(s, text, &endless_info, &link, 1);
}

/* Draw the halves with a program of `more` extra instructions, culling back faces. True: the
 * watchdog ended a task. *right: a pixel of the right half. */
static bool
gives_up(enum cf_vertex_order order, int threads, uint32_t more, bool left_endless,
         bool right_endless, uint32_t *right)
{
   static struct vertex vertices[HALVES];
   struct scene s;
   char text[320];
   make_halves(vertices, left_endless, right_endless);
   scene_open(&s, model_ordered(order, threads, cf_host_level()), 1);
   emit_endless(&s, more);
   emit_vertices(&s, vertices, HALVES);
   EMIT(&s.t, raster, .cull_back = true, .half_pixel_center = true);
   EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = HALVES, .instances = 1);
   test_submit(&s.t);
   s.t.gpu->ops->last_error(s.t.gpu, text, sizeof(text));
   *right = test_surface_pixel(&s.color, WIDTH * 3 / 4, HEIGHT / 2);
   assert_int_equal(test_surface_pixel(&s.color, WIDTH / 4, HEIGHT / 2), 0);
   test_frame_close(&s.t, &s.color, &s.zs);
   return strstr(text, "was stopped") != NULL;
}

static void
only_what_is_seen(void **state)
{
   for (int threads = 0; threads <= 2; threads++) {
      uint32_t right;
      assert_true(gives_up(CF_VERTICES_WHOLE, threads, 0, true, false, &right));
      assert_false(gives_up(CF_VERTICES_POSITIONS_FIRST, threads, 0, true, false, &right));
      assert_int_equal(right, 0xff00ff00);
      assert_true(gives_up(CF_VERTICES_POSITIONS_FIRST, threads, 0, false, true, &right));
      assert_int_equal(right, 0);
      assert_false(gives_up(CF_VERTICES_POSITIONS_FIRST, threads, 0, false, false, &right));
      assert_int_equal(right, 0xff00ff00);
   }
}

/* Positions first is chosen automatically for programs that are long beside their position
 * slice. */
static void
long_programs_only(void **state)
{
   uint32_t right;
   assert_true(gives_up(CF_VERTICES_AUTO, 0, 0, true, false, &right));
   assert_false(gives_up(CF_VERTICES_AUTO, 0, LONG, true, false, &right));
   assert_int_equal(right, 0xff00ff00);
   assert_true(gives_up(CF_VERTICES_WHOLE, 0, LONG, true, false, &right));
}

/* Vertices outside of their buffer are reported even if they are invisible. */
static void
outside_is_reported(void **state)
{
   for (enum cf_vertex_order order = CF_VERTICES_WHOLE; order <= CF_VERTICES_POSITIONS_FIRST;
        order++) {
      struct scene s;
      struct cf_report report;
      static struct vertex vertices[HALVES];
      make_halves(vertices, false, false);
      scene_open(&s, model_ordered(order, 0, cf_host_level()), 1);
      emit_endless(&s, 0);
      emit_vertices(&s, vertices, 600);
      EMIT(&s.t, raster, .front_ccw = true, .cull_front = true, .cull_back = true,
           .half_pixel_center = true);
      EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 603, .instances = 1);
      test_submit(&s.t);
      assert_false(s.t.gpu->ops->report(s.t.gpu, 2, &report));
      assert_true(s.t.gpu->ops->report(s.t.gpu, 1, &report));
      assert_non_null(strstr(report.text, "pc 1, lane 24: vertex 600 of element 0"));
      test_frame_close(&s.t, &s.color, &s.zs);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_pictures),
      cmocka_unit_test(only_what_is_seen),
      cmocka_unit_test(long_programs_only),
      cmocka_unit_test(outside_is_reported),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
