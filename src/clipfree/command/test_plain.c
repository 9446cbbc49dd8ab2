/* SPDX-License-Identifier: MIT */
/*
 * The plain path (enum cf_path) takes no shortcut: its work is counted and compared with that of
 * the normal path. That its pictures are the same is tested by command-invariance, and by whole
 * programs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clipfree/base/test_random.h"
#include "clipfree/command/test_gpu.h"
#include "clipfree/isa/cf_isa.h"

#define SIDE_PX 64
#define PAIRS 10 /* of triangles in a draw, at most; each covers the whole frame */
#define DRAWS 2
#define ONE 0x3f800000u /* as a float */
#define CLEAR_COLOR 0xff00ffffu
#define QUADS (SIDE_PX / 2 * SIDE_PX / 2)
#define PAIR_QUADS (QUADS + SIDE_PX / 2) /* quads on the diagonal belong to both triangles */

struct counts {
   uint64_t vertex_tasks, quads, fragments, hidden;
};

struct scene {
   struct test_gpu t;
   struct test_surface color, zs;
};

static void
scene_open(struct scene *s, enum cf_path path)
{
   test_gpu_open_on(&s->t, test_model_of((struct cf_model_config){ .path = path, .perf = true }));
   test_surface_create(&s->t, &s->color, CF_FORMAT_R8G8B8A8_UNORM, SIDE_PX, SIDE_PX, true);
   test_surface_create(&s->t, &s->zs, CF_FORMAT_Z24_UNORM_S8_UINT, SIDE_PX, SIDE_PX, true);
   test_emit_frame(&s->t, &s->color, &s->zs);
}

static void
emit_programs(struct test_gpu *t)
{
   EMIT(t, shader, .stage = CF_SHADER_STAGE_VERTEX,
        .program = test_program(
           t, "sys v4, vertex_id\nldf v0, 0[v4]\nout 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\nend\n",
           (struct cf_program){ .stage = CF_SHADER_STAGE_VERTEX,
                                .vector_regs = 5,
                                .outputs = 8,
                                .sysvals = 1u << CF_SYSVAL_VERTEX_ID }));
   EMIT(t, shader, .stage = CF_SHADER_STAGE_FRAGMENT,
        .program =
           test_program(t, "out 0, 1.0\nout 1, 0\nout 2, 0\nout 3, 1.0\nend\n",
                        (struct cf_program){
                           .stage = CF_SHADER_STAGE_FRAGMENT, .outputs = 4, .color_outputs = 1 }));
   EMIT(t, varyings, .count = 0);
}

/* Draws of `pairs` times the same two triangles, all at one depth: under LESS the first pair hides
 * the others. */
static void
emit_draws(struct scene *s, uint32_t pairs)
{
   static const float corners[4][4] = { { -1, -1, 0, 1 }, { 1, -1, 0, 1 }, { -1, 1, 0, 1 }, { 1, 1, 0, 1 } };
   static const uint16_t pair[6] = { 0, 1, 2, 2, 1, 3 };
   struct test_gpu *t = &s->t;
   uint16_t indices[6 * PAIRS];
   uint32_t dw[CF_VERTEX_ELEMENT_DWORDS];
   for (uint32_t i = 0; i < 6 * pairs; i++)
      indices[i] = pair[i % 6];
   emit_programs(t);
   cf_vertex_element_pack(dw, &(struct cf_vertex_element){ .address = test_put(t, corners, sizeof(corners)),
                                                           .size_B = sizeof(corners),
                                                           .stride_B = sizeof(corners[0]),
                                                           .format = CF_FORMAT_R32G32B32A32_FLOAT });
   EMIT(t, vertex_elements, .count = 1, .address = test_put(t, dw, sizeof(dw)));
   EMIT(t, depth_stencil, .depth_test = true, .depth_write = true, .depth_func = CF_COMPARE_LESS);
   EMIT(t, clear, .depth = true, .depth_value = 1.0f, .max_x_px = SIDE_PX, .max_y_px = SIDE_PX);
   const uint64_t address = test_put(t, indices, sizeof(indices));
   for (uint32_t i = 0; i < DRAWS; i++)
      EMIT(t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 6 * pairs, .instances = 1, .index_size_B = 2,
           .index_address = address, .index_size_total_B = sizeof(indices));
}

/* Submit and read the GPU's counters. */
static struct counts
submit(struct test_gpu *t)
{
   struct counts c;
   char text[1000];
   FILE *log = tmpfile();
   assert_non_null(log);
   fflush(stderr);
   const int before = dup(STDERR_FILENO);
   dup2(fileno(log), STDERR_FILENO);
   test_submit(t);
   fflush(stderr);
   dup2(before, STDERR_FILENO);
   close(before);
   test_no_error(t);
   rewind(log);
   assert_non_null(fgets(text, sizeof(text), log));
   fclose(log);
   const char *at = strstr(text, " chunks, ");
   assert_non_null(at);
   assert_int_equal(sscanf(at,
                           " chunks, %" SCNu64
                           " vertex tasks, %*u position-only, %*u fragment tasks, %" SCNu64
                           " quads, %" SCNu64 " fragments, %" SCNu64 " hidden",
                           &c.vertex_tasks, &c.quads, &c.fragments, &c.hidden),
                    4);
   return c;
}

static struct counts
count(enum cf_path path, uint32_t pairs)
{
   struct scene s;
   scene_open(&s, path);
   emit_draws(&s, pairs);
   const struct counts c = submit(&s.t);
   test_frame_close(&s.t, &s.color, &s.zs);
   return c;
}

static void
everything_is_shaded(void **state)
{
   (void)state;
   const struct counts normal = count(CF_PATH_NORMAL, PAIRS), plain = count(CF_PATH_PLAIN, PAIRS);
   /* four vertices per draw; the first pair is shaded; some of the others are culled */
   assert_int_equal(normal.vertex_tasks, DRAWS);
   assert_int_equal(normal.quads, PAIR_QUADS);
   assert_true(normal.hidden > 0);
   /* every element of each draw is shaded, every covered quad, too */
   assert_int_equal(plain.vertex_tasks, DRAWS * ((6 * PAIRS + CF_TASK_LANES - 1) / CF_TASK_LANES));
   assert_int_equal(plain.quads, DRAWS * PAIRS * PAIR_QUADS);
   assert_int_equal(plain.hidden, 0);
   /* visible fragments */
   assert_int_equal(normal.fragments, SIDE_PX * SIDE_PX);
   assert_int_equal(plain.fragments, normal.fragments);
}

/* On the plain path small draws share no tasks. */
static void
no_draws_are_joined(void **state)
{
   (void)state;
   assert_int_equal(count(CF_PATH_NORMAL, 1).vertex_tasks, 1);
   assert_int_equal(count(CF_PATH_PLAIN, 1).vertex_tasks, DRAWS);
}

/* A fragment program without effect is run, even if nothing is written. */
static void
nothing_is_left_out(void **state)
{
   (void)state;
   for (enum cf_path path = CF_PATH_NORMAL; path <= CF_PATH_PLAIN; path++) {
      struct scene s;
      scene_open(&s, path);
      EMIT(&s.t, blend, .write_mask = 0);
      emit_draws(&s, PAIRS);
      const struct counts c = submit(&s.t);
      assert_int_equal(c.quads, path == CF_PATH_PLAIN ? DRAWS * PAIRS * PAIR_QUADS : 0);
      assert_int_equal(c.fragments, SIDE_PX * SIDE_PX);
      test_frame_close(&s.t, &s.color, &s.zs);
   }
}

/* A clear alone, and a clear after a draw. */
static void
clears_are_written(void **state)
{
   (void)state;
   for (enum cf_path path = CF_PATH_NORMAL; path <= CF_PATH_PLAIN; path++) {
      for (uint32_t draws = 0; draws < 2; draws++) {
         struct scene s;
         uint32_t first;
         scene_open(&s, path);
         memset(s.color.bo.map, 0x11, 4 * SIDE_PX * SIDE_PX);
         if (draws)
            emit_draws(&s, PAIRS);
         EMIT(&s.t, clear, .colors = 1, .color = { ONE, ONE, 0, ONE }, .max_x_px = SIDE_PX,
              .max_y_px = SIDE_PX);
         submit(&s.t);
         memcpy(&first, s.color.bo.map, sizeof(first));
         assert_int_equal(first == CLEAR_COLOR, path == CF_PATH_PLAIN);
         assert_int_equal(test_surface_pixel(&s.color, 0, 0), CLEAR_COLOR);
         test_frame_close(&s.t, &s.color, &s.zs);
      }
   }
}

#define LINES 300

/* Varyings are the position. Colours are derivatives, a centroid varying, and a plain one. */
static void
emit_derivative_programs(struct test_gpu *t)
{
   test_emit_positions(t);
   EMIT(t, shader, .stage = CF_SHADER_STAGE_FRAGMENT,
        .program = test_program(t,
                                "ldvar v0, 0, smooth\nldvar v1, 1, centroid\nfddx v2, v0\nfmad v2, v2, 8.0, 0.5\n"
                                "fddy v3, v0\nfmad v3, v3, 8.0, 0.5\nout 0, v2\nout 1, v3\nout 2, v1\nout 3, v0\nend\n",
                                (struct cf_program){ .stage = CF_SHADER_STAGE_FRAGMENT,
                                                     .vector_regs = 4,
                                                     .outputs = 4,
                                                     .inputs = 2,
                                                     .color_outputs = 1,
                                                     .needs_helpers = true }));
}

static void
emit_random_lines(struct test_gpu *t, uint64_t seed)
{
   float vertex[2 * LINES][4];
   uint32_t dw[CF_VERTEX_ELEMENT_DWORDS];
   for (uint32_t i = 0; i < 2 * LINES; i++) {
      for (uint32_t k = 0; k < 3; k++)
         vertex[i][k] = test_random_float(&seed, -1, 1);
      vertex[i][3] = test_random_float(&seed, 0.7f, 2);
   }
   cf_vertex_element_pack(dw, &(struct cf_vertex_element){ .address = test_put(t, vertex, sizeof(vertex)),
                                                           .size_B = sizeof(vertex),
                                                           .stride_B = sizeof(vertex[0]),
                                                           .format = CF_FORMAT_R32G32B32A32_FLOAT });
   EMIT(t, vertex_elements, .count = 1, .address = test_put(t, dw, sizeof(dw)));
   EMIT(t, draw, .prim = CF_PRIM_KIND_LINES, .count = 2 * LINES, .instances = 1);
}

/* Random wide lines, in front of and behind each other. */
static void
draw_derivatives(enum cf_path path, uint32_t samples, uint64_t seed, uint32_t pixels[SIDE_PX * SIDE_PX * CF_SAMPLES])
{
   struct scene s;
   test_gpu_open_on(&s.t, test_model_of((struct cf_model_config){ .path = path }));
   test_surface_create_samples(&s.t, &s.color, CF_FORMAT_R8G8B8A8_UNORM, SIDE_PX, SIDE_PX, samples);
   test_surface_create_samples(&s.t, &s.zs, CF_FORMAT_Z24_UNORM_S8_UINT, SIDE_PX, SIDE_PX, samples);
   test_emit_frame(&s.t, &s.color, &s.zs);
   emit_derivative_programs(&s.t);
   EMIT(&s.t, raster, .line_width_px = 5, .half_pixel_center = true, .multisample = samples > 1);
   EMIT(&s.t, depth_stencil, .depth_test = true, .depth_write = true, .depth_func = CF_COMPARE_LESS);
   EMIT(&s.t, clear, .colors = 1, .depth = true, .depth_value = 1.0f, .max_x_px = SIDE_PX, .max_y_px = SIDE_PX);
   emit_random_lines(&s.t, seed);
   test_submit(&s.t);
   test_no_error(&s.t);
   for (uint32_t i = 0; i < SIDE_PX * SIDE_PX * samples; i++)
      pixels[i] = test_surface_sample(&s.color, i / samples % SIDE_PX, i / samples / SIDE_PX, i % samples);
   test_frame_close(&s.t, &s.color, &s.zs);
}

/* Derivatives read pixels, and centroid varyings samples, that failed early tests. */
static void
derivatives_do_not_depend_on_tests(void **state)
{
   (void)state;
   struct cf_random seeds = cf_random_seed("command-plain derivatives");
   for (uint32_t samples = 1; samples <= CF_SAMPLES; samples += CF_SAMPLES - 1) {
      static uint32_t normal[SIDE_PX * SIDE_PX * CF_SAMPLES], plain[SIDE_PX * SIDE_PX * CF_SAMPLES];
      const uint64_t seed = cf_random_u64(&seeds) | 1;
      draw_derivatives(CF_PATH_NORMAL, samples, seed, normal);
      draw_derivatives(CF_PATH_PLAIN, samples, seed, plain);
      assert_memory_equal(normal, plain, SIDE_PX * SIDE_PX * samples * sizeof(normal[0]));
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_is_shaded),
      cmocka_unit_test(no_draws_are_joined),
      cmocka_unit_test(nothing_is_left_out),
      cmocka_unit_test(clears_are_written),
      cmocka_unit_test(derivatives_do_not_depend_on_tests),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
