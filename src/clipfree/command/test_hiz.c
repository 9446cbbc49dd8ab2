/* SPDX-License-Identifier: MIT */
/*
 * Hierarchical Z changes no bit: layers of random triangles, lines and points are drawn in one
 * submission, where hidden ones are culled, and each in a submission of its own, where hierarchical
 * Z has no bounds yet. All depth formats, functions and orders; one sample a pixel and four;
 * programs that kill; polygon offset, depth ranges, depth clamp and clears in between. The test
 * fails if a kind of picture culls nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/command/test_gpu.h"

#define WIDTH 150
#define HEIGHT 100
#define PICTURES 64
#define DRAWS 12
#define TRIANGLES 24 /* of a draw; lines and points use the same vertices */
#define KINDS 4 /* of pictures: triangles, lines, points, all of them */
#define MAX_B (16 * CF_SAMPLES * (WIDTH + 10) * (HEIGHT + 4))

struct layers_draw {
   struct cf_depth_stencil depth_stencil;
   struct cf_raster raster;
   struct cf_viewport viewport;
   enum cf_prim_kind kind; /* triangles, lines or points */
   bool kill, clear;
};

struct layers {
   struct layers_draw draw[DRAWS];
   float vertices[DRAWS][TRIANGLES][3][4];
   enum cf_format zs_format;
   uint32_t samples;
};

static const char *const fragment_text =
   "ldvar v0, 0, smooth\nldvar v1, 1, smooth\nldvar v2, 2, smooth\n"
   "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v0\nend\n";

/* Mostly a depth function that hierarchical Z can use, in one direction for the whole picture. */
static void
make_draw(struct layers_draw *d, uint32_t picture, bool reversed, uint64_t *seed)
{
   static const enum cf_compare usual[2][3] = {
      { CF_COMPARE_LESS, CF_COMPARE_LEQUAL, CF_COMPARE_EQUAL },
      { CF_COMPARE_GREATER, CF_COMPARE_GEQUAL, CF_COMPARE_EQUAL }
   };
   static const enum cf_prim_kind kinds[] = { CF_PRIM_KIND_TRIANGLES, CF_PRIM_KIND_LINES,
                                              CF_PRIM_KIND_POINTS };
   const float near = test_below(seed, 4) ? 0.0f : 0.3f, far = test_below(seed, 4) ? 1.0f : 0.2f;
   *d = (struct layers_draw){ .kind = kinds[picture < 3 ? picture : test_below(seed, 3)],
                              .kill = test_below(seed, 4) == 0,
                              .clear = test_below(seed, 8) == 0 };
   d->depth_stencil = (struct cf_depth_stencil){
      .depth_test = true,
      .depth_write = test_below(seed, 4) > 0,
      .depth_func =
         test_below(seed, 8) ? usual[reversed][test_below(seed, 5) / 2] : test_below(seed, 8),
   };
   d->raster = (struct cf_raster){
      .half_pixel_center = true,
      .depth_clip_near = test_below(seed, 2),
      .depth_clip_far = test_below(seed, 2),
      .depth_clamp = test_below(seed, 2),
      .offset_fill = test_below(seed, 4) == 0,
      .offset_scale = test_random_float(seed, -2, 2),
      .offset_units = test_random_float(seed, -9, 9),
      .multisample = test_below(seed, 4) > 0,
      .line_width_px = test_random_float(seed, 0.5f, 12),
      .point_size_px = test_random_float(seed, 0.5f, 20),
      .line_smooth = test_below(seed, 8) == 0,
      .point_smooth = test_below(seed, 8) == 0,
   };
   d->viewport = (struct cf_viewport){
      .scale_x = 0.5f * WIDTH,
      .scale_y = 0.5f * HEIGHT,
      .scale_z = 0.5f * (far - near),
      .translate_x = 0.5f * WIDTH,
      .translate_y = 0.5f * HEIGHT,
      .translate_z = 0.5f * (far + near),
   };
}

/* Large and small, flat and steep, some across the eye's plane. */
static void
make_triangle(float v[3][4], uint64_t *seed)
{
   const float size = test_below(seed, 2) ? 1.5f : 0.2f, depth = test_random_float(seed, -1, 1);
   const float slope = test_below(seed, 3) ? 0.1f : 1.5f, x = test_random_float(seed, -1, 1),
               y = test_random_float(seed, -1, 1);
   for (uint32_t i = 0; i < 3; i++) {
      const float w = test_below(seed, 8) ? 1.0f : test_random_float(seed, -0.5f, 3);
      const float position[4] = { (x + test_random_float(seed, -size, size)) * w,
                                  (y + test_random_float(seed, -size, size)) * w,
                                  (depth + test_random_float(seed, -slope, slope)) * w, w };
      memcpy(v[i], position, sizeof position);
   }
}

static void
make_layers(struct layers *l, uint32_t kind, uint32_t samples, uint64_t seed)
{
   static const enum cf_format formats[] = { CF_FORMAT_Z16_UNORM, CF_FORMAT_Z24X8_UNORM,
                                             CF_FORMAT_Z24_UNORM_S8_UINT, CF_FORMAT_Z32_FLOAT,
                                             CF_FORMAT_Z32_FLOAT_S8X24_UINT };
   const bool reversed = test_below(&seed, 3) == 0;
   l->zs_format = formats[test_below(&seed, 5)];
   l->samples = samples;
   for (uint32_t i = 0; i < DRAWS; i++) {
      make_draw(&l->draw[i], kind, reversed, &seed);
      for (uint32_t k = 0; k < TRIANGLES; k++)
         make_triangle(l->vertices[i][k], &seed);
   }
}

struct renderer {
   struct test_gpu t;
   struct test_surface color, zs;
   uint64_t vertex_program, fragment_program, kill_program, vertices, link;
   struct cf_bo result;
};

static void
renderer_open(struct renderer *r, const struct layers *l)
{
   uint32_t link[CF_LINK_DWORDS];
   test_gpu_open(&r->t, 0);
   test_surface_create_samples(&r->t, &r->color, CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT,
                               l->samples);
   test_surface_create_samples(&r->t, &r->zs, l->zs_format, WIDTH, HEIGHT, l->samples);
   r->vertex_program = test_positions_program(&r->t);
   const struct cf_program fragment = { .stage = CF_SHADER_STAGE_FRAGMENT,
                                        .vector_regs = 4,
                                        .outputs = 4,
                                        .inputs = 4,
                                        .color_outputs = 1 };
   struct cf_program kill = fragment;
   kill.uses_kill = true;
   r->fragment_program = test_program(&r->t, fragment_text, fragment);
   r->kill_program = test_program(&r->t, test_kill_text, kill);
   r->vertices = test_put(&r->t, l->vertices, sizeof(l->vertices));
   cf_link_pack(link, &(struct cf_link){ .slot = 0, .present = true });
   r->link = test_put(&r->t, link, sizeof(link));
   assert_true(r->t.gpu->ops->bo_alloc(r->t.gpu, 8, &r->result));
}

static void
emit_head(struct renderer *r)
{
   struct test_gpu *t = &r->t;
   uint32_t dw[CF_VERTEX_ELEMENT_DWORDS];
   test_emit_frame(t, &r->color, &r->zs);
   EMIT(t, shader, .stage = CF_SHADER_STAGE_VERTEX, .program = r->vertex_program);
   EMIT(t, varyings, .count = 1, .address = r->link);
   EMIT(t, query, .kind = CF_QUERY_KIND_SAMPLES_PASSED, .begin = true, .result = r->result.address);
   cf_vertex_element_pack(
      dw, &(struct cf_vertex_element){ .address = r->vertices,
                                       .size_B = sizeof(((struct layers *)0)->vertices),
                                       .stride_B = 16,
                                       .format = CF_FORMAT_R32G32B32A32_FLOAT });
   EMIT(t, vertex_elements, .count = 1, .address = test_put(t, dw, sizeof(dw)));
}

static uint32_t
corners_of(enum cf_prim_kind kind)
{
   return kind == CF_PRIM_KIND_TRIANGLES ? 3 : kind == CF_PRIM_KIND_LINES ? 2 : 1;
}

static void
emit_draw(struct renderer *r, const struct layers_draw *d, uint32_t first, uint32_t count)
{
   struct test_gpu *t = &r->t;
   EMIT(t, shader, .stage = CF_SHADER_STAGE_FRAGMENT,
        .program = d->kill ? r->kill_program : r->fragment_program);
   cf_depth_stencil_pack(t->dw + t->count, &d->depth_stencil);
   t->count += CF_DEPTH_STENCIL_DWORDS;
   cf_raster_pack(t->dw + t->count, &d->raster);
   t->count += CF_RASTER_DWORDS;
   cf_viewport_pack(t->dw + t->count, &d->viewport);
   t->count += CF_VIEWPORT_DWORDS;
   EMIT(t, draw, .prim = d->kind, .start = first, .count = count, .instances = 1);
}

/* Draw, and read all samples of all pixels and the query's result. `alone`: each primitive in its
 * own submission. *hidden: culled primitives, once per tile. Returns the size read. */
static size_t
render(const struct layers *l, bool alone, uint32_t *out, uint64_t *hidden)
{
   struct renderer r;
   size_t size = 0;
   renderer_open(&r, l);
   emit_head(&r);
   EMIT(&r.t, clear, .colors = 1, .depth = true, .stencil = true, .stencil_write_mask = 0xff,
        .depth_value = 0.5f, .max_x_px = WIDTH, .max_y_px = HEIGHT);
   for (uint32_t i = 0; i < DRAWS; i++) {
      const uint32_t all = 3 * TRIANGLES, step = alone ? corners_of(l->draw[i].kind) : all;
      for (uint32_t k = 0; k < all; k += step) {
         emit_draw(&r, &l->draw[i], i * all + k, step);
         if (alone) {
            test_submit(&r.t);
            emit_head(&r);
         }
      }
      if (l->draw[i].clear)
         EMIT(&r.t, clear, .depth = true, .depth_value = 0.75f, .min_x_px = 20, .min_y_px = 9,
              .max_x_px = 140, .max_y_px = 80);
   }
   test_submit(&r.t);
   test_no_error(&r.t);
   *hidden = r.t.gpu->ops->get_param(r.t.gpu, CF_PARAM_HIDDEN);
   memcpy(out, r.result.map, 8);
   for (size = 2; size < 2 + 2 * (size_t)WIDTH * HEIGHT * l->samples; size += 2) {
      const uint32_t at = (uint32_t)(size - 2) / 2, sample = at % l->samples,
                     pixel = at / l->samples;
      out[size] = test_surface_sample(&r.color, pixel % WIDTH, pixel / WIDTH, sample);
      out[size + 1] = test_surface_sample(&r.zs, pixel % WIDTH, pixel / WIDTH, sample);
   }
   test_frame_close(&r.t, &r.color, &r.zs);
   return size;
}

static void
layers_are_the_same_alone(void **state)
{
   (void)state;
   static struct layers l;
   uint32_t *const together = malloc(MAX_B), *const alone = malloc(MAX_B);
   uint64_t hidden[2 * KINDS] = { 0 }, hidden_alone;
   struct cf_random seeds = cf_random_seed("command-hiz");
   for (uint32_t i = 0; i < PICTURES; i++) {
      uint64_t n;
      make_layers(&l, i % KINDS, i % (4 * KINDS) < KINDS ? CF_SAMPLES : 1,
                  cf_random_u64(&seeds) | 1);
      const size_t size = render(&l, false, together, &n);
      assert_int_equal(size, render(&l, true, alone, &hidden_alone));
      assert_int_equal(hidden_alone, 0);
      assert_int_not_equal(together[0], 0);
      assert_memory_equal(together, alone, size * 4);
      hidden[i % KINDS + (l.samples > 1 ? KINDS : 0)] += n;
   }
   for (uint32_t kind = 0; kind < 2 * KINDS; kind++) {
      print_message("pictures of kind %u, %s: %llu hidden\n", kind % KINDS,
                    kind < KINDS ? "one sample" : "four samples", (unsigned long long)hidden[kind]);
      assert_true(hidden[kind] > 0);
   }
   free(together);
   free(alone);
}

int
main(void)
{
   const struct CMUnitTest tests[] = { cmocka_unit_test(layers_are_the_same_alone) };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
