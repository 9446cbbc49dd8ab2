/* SPDX-License-Identifier: MIT */
/*
 * Small triangles, which are rasterised in batches, among large ones: the same bits as with a
 * polygon stipple of all ones, which turns batching off; and nothing is drawn with a stipple of all
 * zeros. Depth and stencil tests of all kinds, programs that kill, smooth polygons, draws that only
 * write depth, clears in between; one sample a pixel and four.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/command/test_gpu.h"

#define SIZE_PX 100 /* of the picture; four tiles */
#define PICTURES 48
#define DRAWS 10
#define TRIANGLES 120 /* of a draw */

struct mesh_draw {
   struct cf_depth_stencil depth_stencil;
   struct cf_raster raster;
   bool kill, depth_only, clear;
};

struct mesh {
   struct mesh_draw draw[DRAWS];
   float vertices[DRAWS][TRIANGLES][3][4];
   uint32_t samples;
};

/* A picture: colours, depths, and how many samples passed. */
struct result {
   uint64_t passed;
   uint32_t pixels[SIZE_PX * SIZE_PX * CF_SAMPLES][2];
};

enum stipple { STIPPLE_OFF, STIPPLE_ALL, STIPPLE_NONE };

static const char *const fragment_text = "ldvar v0, 0, smooth\nldvar v1, 1, smooth\n"
                                         "out 0, v0\nout 1, v1\nout 2, v0\nout 3, v1\nend\n";

static void
make_draw(struct mesh_draw *d, uint64_t *seed)
{
   *d = (struct mesh_draw){ .kill = test_below(seed, 4) == 0,
                            .depth_only = test_below(seed, 4) == 0,
                            .clear = test_below(seed, 4) == 0 };
   d->depth_stencil = (struct cf_depth_stencil){
      .depth_test = test_below(seed, 4) > 0,
      .depth_write = test_below(seed, 4) > 0,
      .depth_func = test_below(seed, 2) ? CF_COMPARE_LESS : test_below(seed, 8),
      .stencil_front = test_below(seed, 3) == 0,
      .stencil_back = test_below(seed, 2),
      .front_func = CF_COMPARE_GEQUAL,
      .front_zpass = CF_STENCIL_OP_INCR,
      .back_func = CF_COMPARE_LEQUAL,
      .back_zfail = CF_STENCIL_OP_INVERT,
      .front_value_mask = 3,
      .front_write_mask = 255,
      .back_value_mask = 255,
      .back_write_mask = 7,
   };
   d->raster = (struct cf_raster){
      .half_pixel_center = true,
      .depth_clip_near = test_below(seed, 2),
      .depth_clip_far = test_below(seed, 2),
      .poly_smooth = test_below(seed, 4) == 0,
      .multisample = test_below(seed, 2),
      .line_width_px = 1,
      .point_size_px = 1,
   };
}

/* Mostly a few pixels large; neighbours share corners. */
static void
make_triangle(float v[3][4], uint64_t *seed)
{
   const float size = test_below(seed, 16) ? 0.06f : 0.6f,
               depth = test_random_float(seed, -0.5f, 0.5f);
   const float x = 0.04f * (float)test_below(seed, 50) - 1.0f,
               y = 0.04f * (float)test_below(seed, 50) - 1.0f;
   for (uint32_t i = 0; i < 3; i++) {
      const float w = test_random_float(seed, 0.5f, 2);
      const float position[4] = { (x + test_random_float(seed, -size, size)) * w,
                                  (y + test_random_float(seed, -size, size)) * w,
                                  (depth + test_random_float(seed, -0.6f, 0.6f)) * w, w };
      memcpy(v[i], position, sizeof position);
   }
}

static void
make_mesh(struct mesh *m, uint32_t samples, uint64_t seed)
{
   m->samples = samples;
   for (uint32_t i = 0; i < DRAWS; i++) {
      make_draw(&m->draw[i], &seed);
      for (uint32_t k = 0; k < TRIANGLES; k++)
         make_triangle(m->vertices[i][k], &seed);
   }
}

/* Emit the state of all draws; returns the buffer of the samples-passed query. */
static struct cf_bo
emit_head(struct test_gpu *t, const struct mesh *m, enum stipple stipple)
{
   uint32_t link[CF_LINK_DWORDS], element[CF_VERTEX_ELEMENT_DWORDS];
   struct cf_stipple pattern = { { 0 } };
   struct cf_bo query;
   memset(&pattern, stipple == STIPPLE_NONE ? 0 : 0xff, sizeof pattern);
   cf_stipple_pack(t->dw + t->count, &pattern);
   t->count += CF_STIPPLE_DWORDS;
   cf_link_pack(link, &(struct cf_link){ .slot = 0, .present = true });
   cf_vertex_element_pack(
      element, &(struct cf_vertex_element){ .address = test_put(t, m->vertices, sizeof m->vertices),
                                            .size_B = sizeof m->vertices,
                                            .stride_B = 16,
                                            .format = CF_FORMAT_R32G32B32A32_FLOAT });
   assert_true(t->gpu->ops->bo_alloc(t->gpu, 8, &query));
   EMIT(t, varyings, .count = 1, .address = test_put(t, link, sizeof link));
   EMIT(t, vertex_elements, .count = 1, .address = test_put(t, element, sizeof element));
   EMIT(t, query, .kind = CF_QUERY_KIND_SAMPLES_PASSED, .begin = true, .result = query.address);
   return query;
}

static void
emit_draw(struct test_gpu *t, const struct mesh_draw *d, uint64_t program, uint32_t first,
          bool stippled)
{
   struct cf_raster raster = d->raster;
   raster.poly_stipple = stippled;
   EMIT(t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = program);
   EMIT(t, blend, .write_mask = d->depth_only ? 0 : 0xf);
   cf_depth_stencil_pack(t->dw + t->count, &d->depth_stencil);
   t->count += CF_DEPTH_STENCIL_DWORDS;
   cf_raster_pack(t->dw + t->count, &raster);
   t->count += CF_RASTER_DWORDS;
   EMIT(t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .start = first, .count = 3 * TRIANGLES,
        .instances = 1);
}

static void
render(const struct mesh *m, enum stipple stipple, enum cf_host_level level, struct result *result)
{
   struct test_gpu t;
   struct test_surface color, zs;
   struct cf_program fragment = { .stage = CF_SHADER_STAGE_FRAGMENT,
                                  .vector_regs = 4,
                                  .outputs = 4,
                                  .inputs = 4,
                                  .color_outputs = 1 };
   test_gpu_open_on(&t, test_model(0, level));
   test_surface_create_samples(&t, &color, CF_FORMAT_R8G8B8A8_UNORM, SIZE_PX, SIZE_PX, m->samples);
   test_surface_create_samples(&t, &zs, CF_FORMAT_Z24_UNORM_S8_UINT, SIZE_PX, SIZE_PX, m->samples);
   const uint64_t keeps = test_program(&t, fragment_text, fragment);
   fragment.uses_kill = true;
   const uint64_t kills = test_program(&t, test_kill_text, fragment);
   test_emit_frame(&t, &color, &zs);
   EMIT(&t, shader, .stage = CF_SHADER_STAGE_VERTEX, .program = test_positions_program(&t));
   const struct cf_bo query = emit_head(&t, m, stipple);
   EMIT(&t, clear, .colors = 1, .depth = true, .stencil = true, .stencil_write_mask = 0xff,
        .depth_value = 0.5f, .max_x_px = SIZE_PX, .max_y_px = SIZE_PX);
   for (uint32_t i = 0; i < DRAWS; i++) {
      emit_draw(&t, &m->draw[i], m->draw[i].kill ? kills : keeps, 3 * TRIANGLES * i,
                stipple != STIPPLE_OFF);
      if (m->draw[i].clear)
         EMIT(&t, clear, .depth = true, .depth_value = 0.75f, .min_x_px = 20, .min_y_px = 9,
              .max_x_px = 90, .max_y_px = 80);
   }
   test_submit(&t);
   test_no_error(&t);
   memcpy(&result->passed, query.map, sizeof result->passed);
   for (uint32_t i = 0; i < SIZE_PX * SIZE_PX * m->samples; i++) {
      const uint32_t sample = i % m->samples, x = i / m->samples % SIZE_PX,
                     y = i / m->samples / SIZE_PX;
      result->pixels[i][0] = test_surface_sample(&color, x, y, sample);
      result->pixels[i][1] = test_surface_sample(&zs, x, y, sample);
   }
   test_frame_close(&t, &color, &zs);
}

static void
small_ones_are_the_same_alone(void **state)
{
   (void)state;
   struct mesh *m = calloc(1, sizeof *m);
   struct result *together = calloc(1, sizeof *together), *alone = calloc(1, sizeof *alone);
   struct cf_random seeds = cf_random_seed("command-small");
   for (uint32_t i = 0; i < PICTURES; i++) {
      const enum cf_host_level level = i % (cf_host_level() + 1);
      make_mesh(m, i % 8 == 0 ? CF_SAMPLES : 1, cf_random_u64(&seeds) | 1);
      render(m, STIPPLE_OFF, level, together);
      render(m, STIPPLE_ALL, level, alone);
      assert_true(together->passed > TRIANGLES);
      assert_int_equal(together->passed, alone->passed);
      assert_memory_equal(together->pixels, alone->pixels,
                          SIZE_PX * SIZE_PX * m->samples * sizeof together->pixels[0]);
      render(m, STIPPLE_NONE, level, alone);
      assert_int_equal(alone->passed, 0);
   }
   free(m);
   free(together);
   free(alone);
}

int
main(void)
{
   const struct CMUnitTest tests[] = { cmocka_unit_test(small_ones_are_the_same_alone) };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
