/* SPDX-License-Identifier: MIT */
/*
 * Frames of several samples a pixel, from packets to samples, against a reference that computes
 * each sample by itself: random triangles whose corners lie on the samples' lattice, under random
 * masks, depth and stencil tests, blending and alpha to coverage; planes of depth that cross;
 * centroid varyings; resolve.
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

#define WIDTH 128
/* powers of two: window positions that are multiples of 1/16 are exact in clip space */
#define HEIGHT 64
#define SAMPLES (WIDTH * HEIGHT * CF_SAMPLES)

/* Position and color by vertex_id; all vertices have the same color, so that interpolation does not
 * matter. */
static const char *const vertex_text = "sys v8, vertex_id\nldf v0, 0[v8]\nldf v4, 1[v8]\n"
                                       "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\n"
                                       "out 8, v4\nout 9, v5\nout 10, v6\nout 11, v7\nend\n";
static const char *const fragment_text =
   "ldvar v0, 0, flat\nldvar v1, 1, flat\nldvar v2, 2, flat\nldvar v3, 3, flat\n"
   "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\nend\n";
/* Contains a kill that is never taken: tests are late. */
static const char *const kill_text =
   "ldvar v0, 0, flat\nldvar v1, 1, flat\nldvar v2, 2, flat\nldvar v3, 3, flat\n"
   "flt v4, v3, -1.0\nkill v4, done\n"
   "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\ndone: end\n";

struct vertex {
   float position[4], color[4];
};

/* A triangle with its state. */
struct triangle {
   int32_t x[3], y[3];  /* window, in 1/16 pixel */
   uint32_t rgba[4];    /* 0 .. 255 */
   uint32_t depth;      /* z = depth / 64 in the window, everywhere */
   uint32_t sample_mask;
   bool blend, kill, alpha_to_coverage, multisample, stencil;
};

/* A sample of the reference. */
struct sample {
   uint32_t color[4], depth /* of 64 */, stencil;
};

struct scene {
   struct test_gpu t;
   struct test_surface color, zs, resolved;
   uint64_t vertex_program, fragment_program, kill_program;
   struct cf_bo result;
};

static void
scene_open(struct scene *s, int threads)
{
   test_gpu_open(&s->t, threads);
   test_surface_create_samples(&s->t, &s->color, CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT,
                               CF_SAMPLES);
   test_surface_create_samples(&s->t, &s->zs, CF_FORMAT_Z24_UNORM_S8_UINT, WIDTH, HEIGHT,
                               CF_SAMPLES);
   test_surface_create(&s->t, &s->resolved, CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, true);
   const struct cf_program fragment = { .stage = CF_SHADER_STAGE_FRAGMENT,
                                        .vector_regs = 5,
                                        .outputs = 4,
                                        .inputs = 4,
                                        .color_outputs = 1 };
   struct cf_program kill = fragment;
   kill.uses_kill = true;
   s->vertex_program = test_program(
      &s->t, vertex_text,
      (struct cf_program){
         .stage = CF_SHADER_STAGE_VERTEX, .vector_regs = 9, .outputs = 12, .sysvals = 1 });
   s->fragment_program = test_program(&s->t, fragment_text, fragment);
   s->kill_program = test_program(&s->t, kill_text, kill);
   assert_true(s->t.gpu->ops->bo_alloc(s->t.gpu, 8, &s->result));
}

static void
scene_close(struct scene *s)
{
   test_surface_free(&s->t, &s->color);
   test_surface_free(&s->t, &s->zs);
   test_surface_free(&s->t, &s->resolved);
   test_gpu_close(&s->t);
}

/* ------------------------------------------------------------------ packets */

static void
emit_begin(struct scene *s)
{
   struct test_gpu *t = &s->t;
   uint32_t link[CF_LINK_DWORDS];
   test_emit_frame(t, &s->color, &s->zs);
   EMIT(t, shader, .stage = CF_SHADER_STAGE_VERTEX, .program = s->vertex_program);
   cf_link_pack(link, &(struct cf_link){ .slot = 0, .present = true });
   EMIT(t, varyings, .count = 1, .address = test_put(t, link, sizeof(link)));
   EMIT(t, query, .kind = CF_QUERY_KIND_SAMPLES_PASSED, .begin = true, .result = s->result.address);
   EMIT(t, clear, .colors = 1, .depth = true, .stencil = true, .stencil_write_mask = 0xff,
        .depth_value = 1.0f, .max_x_px = WIDTH, .max_y_px = HEIGHT);
}

static void
emit_vertices(struct test_gpu *t, const struct vertex *vertices, uint32_t count)
{
   const uint64_t address = test_put(t, vertices, count * sizeof(*vertices));
   uint32_t dw[2 * CF_VERTEX_ELEMENT_DWORDS];
   for (uint32_t i = 0; i < 2; i++) {
      const struct cf_vertex_element element = { .address = address + 16 * i,
                                                 .size_B =
                                                    count * (uint32_t)sizeof(*vertices) - 16 * i,
                                                 .stride_B = sizeof(*vertices),
                                                 .format = CF_FORMAT_R32G32B32A32_FLOAT };
      cf_vertex_element_pack(dw + i * CF_VERTEX_ELEMENT_DWORDS, &element);
   }
   EMIT(t, vertex_elements, .count = 2, .address = test_put(t, dw, sizeof(dw)));
}

static void
emit_state(struct scene *s, const struct triangle *tri)
{
   struct test_gpu *t = &s->t;
   EMIT(t, shader, .stage = CF_SHADER_STAGE_FRAGMENT,
        .program = tri->kill ? s->kill_program : s->fragment_program);
   EMIT(t, sample_mask, .mask = tri->sample_mask);
   EMIT(t, raster, .half_pixel_center = true, .depth_clip_near = true, .depth_clip_far = true,
        .multisample = tri->multisample, .line_width_px = 1.0f, .point_size_px = 1.0f);
   EMIT(t, depth_stencil, .depth_test = true, .depth_write = true, .depth_func = CF_COMPARE_LEQUAL,
        .stencil_front = tri->stencil, .front_func = CF_COMPARE_ALWAYS,
        .front_zpass = CF_STENCIL_OP_INCR, .front_zfail = CF_STENCIL_OP_INVERT,
        .front_value_mask = 0xff, .front_write_mask = 0xff);
   EMIT(t, blend, .enable = tri->blend, .src_color = CF_BLEND_FACTOR_ONE,
        .dst_color = CF_BLEND_FACTOR_ONE, .src_alpha = CF_BLEND_FACTOR_ONE,
        .dst_alpha = CF_BLEND_FACTOR_ONE, .write_mask = 0xf,
        .alpha_to_coverage = tri->alpha_to_coverage);
}

static void
emit_triangle(struct scene *s, const struct triangle *tri)
{
   struct vertex v[3];
   for (uint32_t i = 0; i < 3; i++) {
      const float w = (float)(1 << (i + tri->depth) % 3); /* arbitrary: nothing may depend on w */
      v[i] = (struct vertex){ { ((float)tri->x[i] / (8 * WIDTH) - 1) * w,
                                ((float)tri->y[i] / (8 * HEIGHT) - 1) * w,
                                ((float)tri->depth / 32 - 1) * w, w },
                              { 0 } };
      for (uint32_t c = 0; c < 4; c++)
         v[i].color[c] = (float)tri->rgba[c] / 255;
   }
   emit_state(s, tri);
   emit_vertices(&s->t, v, 3);
   EMIT(&s->t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 3, .instances = 1);
}

/* ------------------------------------------------------------------ the reference */

/* Whether the triangle covers (x, y), in 1/16 pixel. Window y points down; points on top and left
 * edges are inside. */
static bool
covers(const struct triangle *tri, int64_t x, int64_t y)
{
   const int64_t area = (int64_t)(tri->x[1] - tri->x[0]) * (tri->y[2] - tri->y[0]) -
                        (int64_t)(tri->x[2] - tri->x[0]) * (tri->y[1] - tri->y[0]);
   bool inside = area != 0;
   for (uint32_t i = 0; i < 3; i++) {
      const uint32_t j = (i + 1) % 3, sign = area > 0;
      const int64_t a = (sign ? 1 : -1) * (int64_t)(tri->y[i] - tri->y[j]),
                    b = (sign ? 1 : -1) * (int64_t)(tri->x[j] - tri->x[i]);
      const int64_t e = a * (x - tri->x[i]) + b * (y - tri->y[i]);
      inside = inside && (e > 0 || (e == 0 && (a > 0 || (a == 0 && b > 0))));
   }
   return inside;
}

static bool
covers_sample(const struct triangle *tri, uint32_t x_px, uint32_t y_px, uint32_t s)
{
   const bool centre = !tri->multisample;
   return covers(tri, 16 * x_px + (centre ? 8 : cf_sample_position[s][0]),
                 16 * y_px + (centre ? 8 : cf_sample_position[s][1]));
}

/* Draw into one sample; true if it passed. */
static bool
draw_sample(const struct triangle *tri, uint32_t s, struct sample *sample)
{
   if (!(tri->sample_mask >> s & 1) ||
       (tri->alpha_to_coverage && !(tri->rgba[3] * 8 > (2 * s + 1) * 255)))
      return false;
   const bool pass = tri->depth <= sample->depth;
   if (tri->stencil)
      sample->stencil = pass ? sample->stencil + (sample->stencil < 255) : ~sample->stencil & 255;
   if (!pass)
      return false;
   sample->depth = tri->depth;
   for (uint32_t c = 0; c < 4; c++) {
      const uint32_t sum = tri->rgba[c] + (tri->blend ? sample->color[c] : 0);
      sample->color[c] = sum < 255 ? sum : 255;
   }
   return true;
}

static uint64_t
reference(const struct triangle *triangles, uint32_t count, struct sample *samples)
{
   uint64_t passed = 0;
   for (uint32_t i = 0; i < SAMPLES; i++)
      samples[i] = (struct sample){ .depth = 64 };
   for (uint32_t n = 0; n < count; n++) {
      for (uint32_t i = 0; i < SAMPLES; i++) {
         const uint32_t s = i % CF_SAMPLES, x_px = i / CF_SAMPLES % WIDTH,
                        y_px = i / CF_SAMPLES / WIDTH;
         if (covers_sample(&triangles[n], x_px, y_px, s))
            passed += draw_sample(&triangles[n], s, &samples[i]);
      }
   }
   return passed;
}

static uint32_t
color_bits(const uint32_t color[4])
{
   return color[0] | color[1] << 8 | color[2] << 16 | color[3] << 24;
}

static void
check_samples(const struct scene *s, const struct sample *samples)
{
   for (uint32_t i = 0; i < SAMPLES; i++) {
      const uint32_t n = i % CF_SAMPLES, x_px = i / CF_SAMPLES % WIDTH,
                     y_px = i / CF_SAMPLES / WIDTH;
      const uint32_t zs = test_surface_sample(&s->zs, x_px, y_px, n);
      const uint32_t depth = (uint32_t)(samples[i].depth / 64.0 * 0xffffff + 0.5);
      const uint32_t color = test_surface_sample(&s->color, x_px, y_px, n);
      if (color != color_bits(samples[i].color) || zs != (depth | samples[i].stencil << 24))
         fail_msg("pixel %u, %u, sample %u: %08x, %08x; should be %08x, %08x", x_px, y_px, n, color,
                  zs, color_bits(samples[i].color), depth | samples[i].stencil << 24);
   }
}

static void
check_resolved(const struct scene *s, const struct sample *samples)
{
   for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
      uint32_t sum[4] = { 2, 2, 2, 2 };
      for (uint32_t n = 0; n < 4 * CF_SAMPLES; n++)
         sum[n % 4] += samples[i * CF_SAMPLES + n / 4].color[n % 4];
      for (uint32_t c = 0; c < 4; c++)
         sum[c] /= CF_SAMPLES;
      assert_int_equal(test_surface_pixel(&s->resolved, i % WIDTH, i / WIDTH), color_bits(sum));
   }
}

/* ------------------------------------------------------------------ tests */

static void
random_triangle(struct triangle *tri, uint64_t *seed)
{
   const int32_t size = test_random(seed) % 3 ? 16 * 80 : 16 * 6;
   const int32_t x = (int32_t)(test_random(seed) % (16 * WIDTH)),
                 y = (int32_t)(test_random(seed) % (16 * HEIGHT));
   for (uint32_t i = 0; i < 3; i++) {
      tri->x[i] = x + (int32_t)(test_random(seed) % (uint32_t)size) - size / 2;
      tri->y[i] = y + (int32_t)(test_random(seed) % (uint32_t)size) - size / 2;
   }
   for (uint32_t c = 0; c < 4; c++)
      tri->rgba[c] = (uint32_t)(test_random(seed) % 256);
   tri->depth = (uint32_t)(test_random(seed) % 64);
   tri->sample_mask = test_random(seed) % 4 ? 0xf : (uint32_t)(test_random(seed) % 16);
   tri->blend = test_random(seed) % 2;
   tri->kill = test_random(seed) % 3 == 0;
   tri->alpha_to_coverage = test_random(seed) % 4 == 0;
   tri->multisample = test_random(seed) % 8 != 0;
   tri->stencil = test_random(seed) % 2;
}

#define TRIANGLES 120

static void
each_sample_by_itself(void **state)
{
   (void)state;
   struct triangle triangles[TRIANGLES];
   struct sample *samples = malloc(SAMPLES * sizeof(*samples));
   struct cf_random seeds = cf_random_seed("command-multisample");
   for (uint64_t round = 0; round < 3; round++) {
      uint64_t seed = cf_random_u64(&seeds) | 1;
      struct scene s;
      scene_open(&s, (int)round);
      emit_begin(&s);
      for (uint32_t i = 0; i < TRIANGLES; i++) {
         random_triangle(&triangles[i], &seed);
         emit_triangle(&s, &triangles[i]);
      }
      EMIT(&s.t, copy, .source = s.color.address, .destination = s.resolved.address,
           .width_px = WIDTH, .height_px = HEIGHT);
      test_submit(&s.t);
      test_no_error(&s.t);
      const uint64_t passed = reference(triangles, TRIANGLES, samples);
      check_samples(&s, samples);
      check_resolved(&s, samples);
      assert_true(*(const uint64_t *)s.result.map == passed && passed > SAMPLES / 4);
      scene_close(&s);
   }
   free(samples);
}

/* A plane of constant depth and one that rises with x intersect in the middle of a pixel column:
 * there some samples show one, some the other. */
static void
depth_is_that_of_the_sample(void **state)
{
   (void)state;
   struct scene s;
   scene_open(&s, 1);
   emit_begin(&s);
   const struct triangle all = { .sample_mask = 0xf, .multisample = true };
   /* clip z of the constant plane: that of the other at x = 50.5 */
   const float cross = 50.5f / WIDTH * 2 - 1;
   const struct vertex level[3] = { { { -1, -1, cross, 1 }, { 1, 0, 0, 1 } },
                                    { { 3, -1, cross, 1 }, { 1, 0, 0, 1 } },
                                    { { -1, 3, cross, 1 }, { 1, 0, 0, 1 } } };
   const struct vertex rising[3] = { { { -1, -1, -1, 1 }, { 0, 1, 0, 1 } },
                                     { { 3, -1, 3, 1 }, { 0, 1, 0, 1 } },
                                     { { -1, 3, -1, 1 }, { 0, 1, 0, 1 } } };
   emit_state(&s, &all);
   emit_vertices(&s.t, level, 3);
   EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 3, .instances = 1);
   emit_vertices(&s.t, rising, 3);
   EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 3, .instances = 1);
   test_submit(&s.t);
   test_no_error(&s.t);
   for (uint32_t i = 0; i < SAMPLES; i++) {
      const uint32_t n = i % CF_SAMPLES, x_px = i / CF_SAMPLES % WIDTH,
                     y_px = i / CF_SAMPLES / WIDTH;
      const bool nearer = x_px + cf_sample_position[n][0] / 16.0 < 50.5;
      assert_int_equal(test_surface_sample(&s.color, x_px, y_px, n),
                       nearer ? 0xff00ff00 : 0xff0000ff);
   }
   scene_close(&s);
}

/* From alpha 0 to 1 the covered samples grow from none to all, one at a time; each set includes the
 * one before. */
static void
alpha_covers_more_and_more(void **state)
{
   (void)state;
   uint32_t before = 0, steps = 0;
   for (uint32_t alpha = 0; alpha <= 255; alpha += 15) {
      struct scene s;
      scene_open(&s, 0);
      emit_begin(&s);
      const struct triangle tri = { .x = { 0, 16 * 300, 0 }, .y = { 0, 0, 16 * 300 }, .rgba = { 255, 255, 255, alpha },
                                    .sample_mask = 0xf, .alpha_to_coverage = true, .multisample = true };
      emit_triangle(&s, &tri);
      test_submit(&s.t);
      test_no_error(&s.t);
      uint32_t kept = 0;
      for (uint32_t n = 0; n < CF_SAMPLES; n++)
         kept |= (test_surface_sample(&s.color, 3, 3, n) != 0) << n;
      assert_int_equal(kept & before, before);
      assert_int_equal(__builtin_popcount(kept), (alpha * CF_SAMPLES * 2 + 254) / 510);
      steps += kept != before;
      before = kept;
      scene_close(&s);
   }
   assert_int_equal(steps, CF_SAMPLES);
}

/* Writes the window position, in 1/16 pixel, at which varyings are evaluated: the varyings are that
 * position times w, and w. */
#define PLACE_TEXT(mode)                                                                                                     \
   "ldvar v0, 0, " mode "\nldvar v1, 1, " mode "\nldvar v2, 2, " mode "\nfdiv v0, v0, v2\nfdiv v1, v1, v2\n"                     \
   "out 0, v0\nout 1, v1\nend\n"

/* The position at which a pixel's centroid varyings must be evaluated, in 1/16 pixel from its
 * corner: the centre if all samples are covered or the draw is not multisampled; else the first
 * covered sample, also if the sample mask removes it, since that comes after the shader (GL 2.1
 * section 4.1.3). False: no sample is covered. */
static bool
centroid(const struct triangle *tri, uint32_t x_px, uint32_t y_px, uint32_t place[2])
{
   uint32_t covered = 0;
   for (uint32_t n = 0; n < CF_SAMPLES; n++)
      covered |= (uint32_t)covers_sample(tri, x_px, y_px, n) << n;
   for (uint32_t axis = 0; axis < 2 && covered; axis++)
      place[axis] = covered == 0xf ? 8 : cf_sample_position[__builtin_ctz(covered)][axis];
   return covered & tri->sample_mask;
}

static void
emit_places(struct scene *s, const struct test_surface *places, uint64_t program,
            const struct triangle *tri)
{
   struct vertex v[3];
   for (uint32_t i = 0; i < 3; i++) {
      const float w = (float)(1 << i), x_px = (float)tri->x[i] / 16, y_px = (float)tri->y[i] / 16;
      v[i] = (struct vertex){ { (x_px / (WIDTH / 2) - 1) * w, (y_px / (HEIGHT / 2) - 1) * w, 0, w },
                              { x_px * 16 / 65535 * w, y_px * 16 / 65535 * w, w, 0 } };
   }
   emit_begin(s);
   test_emit_frame(&s->t, places, NULL);
   EMIT(&s->t, clear, .colors = 1, .max_x_px = WIDTH, .max_y_px = HEIGHT);
   emit_state(s, tri);
   EMIT(&s->t, depth_stencil, .depth_test = false);
   EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = program);
   emit_vertices(&s->t, v, 3);
   EMIT(&s->t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 3, .instances = 1);
}

/* Returns how many pixels were evaluated at a sample instead of the centre. */
static uint32_t
check_places(const struct test_surface *places, const struct triangle *tri)
{
   uint32_t at_samples = 0;
   for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
      const uint32_t x_px = i % WIDTH, y_px = i / WIDTH;
      uint32_t place[2];
      if (!centroid(tri, x_px, y_px, place))
         continue;
      const uint32_t want = (16 * x_px + place[0]) | (16 * y_px + place[1]) << 16;
      for (uint32_t n = 0; n < CF_SAMPLES; n++) {
         const uint32_t have = test_surface_sample(places, x_px, y_px, n);
         if (covers_sample(tri, x_px, y_px, n) && (tri->sample_mask >> n & 1) && have != want)
            fail_msg("pixel %u, %u, sample %u: taken at %u, %u of 1/16 pixel; should be at %u, %u",
                     x_px, y_px, n, have & 0xffff, have >> 16, want & 0xffff, want >> 16);
      }
      at_samples += place[0] != 8;
   }
   return at_samples;
}

/* Centroid varyings are evaluated at a covered sample in partly covered pixels, at the centre in
 * all others. */
static void
centroid_is_inside(void **state)
{
   (void)state;
   struct cf_random seeds = cf_random_seed("command-multisample centroid");
   uint64_t seed = cf_random_u64(&seeds) | 1;
   uint32_t at_samples = 0;
   struct scene s;
   struct test_surface places;
   scene_open(&s, 1);
   test_surface_create_samples(&s.t, &places, CF_FORMAT_R16G16_UNORM, WIDTH, HEIGHT, CF_SAMPLES);
   const uint64_t program =
      test_program(&s.t, PLACE_TEXT("centroid"),
                   (struct cf_program){ .stage = CF_SHADER_STAGE_FRAGMENT, .vector_regs = 3, .outputs = 4, .inputs = 3, .color_outputs = 1 });
   for (uint32_t i = 0; i < 60; i++) {
      struct triangle tri;
      random_triangle(&tri, &seed);
      tri.blend = tri.alpha_to_coverage = tri.stencil = tri.kill = false;
      emit_places(&s, &places, program, &tri);
      test_submit(&s.t);
      test_no_error(&s.t);
      at_samples += check_places(&places, &tri);
   }
   assert_true(at_samples > 1000);
   test_surface_free(&s.t, &places);
   scene_close(&s);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_sample_by_itself),
      cmocka_unit_test(depth_is_that_of_the_sample),
      cmocka_unit_test(alpha_covers_more_and_more),
      cmocka_unit_test(centroid_is_inside),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
