/* SPDX-License-Identifier: MIT */
/*
 * Depth fighting: two squares that cross within a step of stored depths, in a surface that is not a
 * number of whole tiles, fight; those that are equal, cross steeply, do not both test and write, or
 * between which depths are cleared, do not. Findings are the same for any number of threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "clipfree/command/test_gpu.h"
#include "clipfree/sanitize/cf_sanitize.h"

#define SIZE_PX 100
#define NEAR_Z -0.8f /* in the middle between two steps of 16 bits */

enum between { NOTHING, ALL, LEFT, LEFT_AND_RIGHT, COLORS };

static const struct {
   const char *what;
   enum cf_format format;
   enum cf_compare func;
   float steepness; /* by how much a square leans, of clip space */
   bool only_tests, samples, fights;
   enum between clears;
} cases[] = {
   { "less", CF_FORMAT_Z16_UNORM, CF_COMPARE_LESS, 1e-5f, .fights = true },
   { "less or equal", CF_FORMAT_Z16_UNORM, CF_COMPARE_LEQUAL, 1e-5f, .fights = true },
   { "greater", CF_FORMAT_Z16_UNORM, CF_COMPARE_GREATER, 1e-5f, .fights = true },
   { "greater or equal", CF_FORMAT_Z16_UNORM, CF_COMPARE_GEQUAL, 1e-5f, .fights = true },
   { "four samples", CF_FORMAT_Z16_UNORM, CF_COMPARE_LESS, 1e-5f, .samples = true, .fights = true },
   { "colours are cleared", CF_FORMAT_Z16_UNORM, CF_COMPARE_LESS, 1e-5f, .clears = COLORS,
     .fights = true },
   { "a side is cleared", CF_FORMAT_Z16_UNORM, CF_COMPARE_LEQUAL, 1e-5f, .clears = LEFT,
     .fights = true },
   { "floats", CF_FORMAT_Z32_FLOAT, CF_COMPARE_LESS, 1.2e-7f, .fights = true },
   { "always", CF_FORMAT_Z16_UNORM, CF_COMPARE_ALWAYS, 1e-5f },
   { "no writes", CF_FORMAT_Z16_UNORM, CF_COMPARE_LESS, 1e-5f, .only_tests = true },
   { "equal", CF_FORMAT_Z16_UNORM, CF_COMPARE_LESS, 0 },
   { "steep", CF_FORMAT_Z16_UNORM, CF_COMPARE_LESS, 1e-1f },
   { "finer steps", CF_FORMAT_Z32_FLOAT, CF_COMPARE_LESS, 1e-3f },
   { "depths are cleared", CF_FORMAT_Z16_UNORM, CF_COMPARE_LEQUAL, 1e-5f, .clears = ALL },
   { "both sides are cleared", CF_FORMAT_Z16_UNORM, CF_COMPARE_LEQUAL, 1e-5f,
     .clears = LEFT_AND_RIGHT },
};
#define CASES (sizeof(cases) / sizeof(cases[0]))

struct scene {
   struct test_gpu t;
   struct test_surface color, zs;
   struct cf_sanitize *sanitize;
};

static void
scene_open(struct scene *s, uint32_t i, int threads)
{
   s->sanitize = cf_sanitize_open(
      &(struct cf_sanitize_config){ .checks = 1u << CF_SANITIZE_DEPTH_FIGHTING, .quiet = true });
   assert_non_null(s->sanitize);
   test_gpu_open_on(&s->t, test_model_of((struct cf_model_config){
                              .threads = threads,
                              .path = CF_PATH_PLAIN,
                              .engine = CF_ENGINE_INTERP,
                              .observer = cf_sanitize_observer(s->sanitize) }));
   const uint32_t samples = cases[i].samples ? CF_SAMPLES : 1;
   test_surface_create_samples(&s->t, &s->color, CF_FORMAT_R8G8B8A8_UNORM, SIZE_PX, SIZE_PX,
                               samples);
   test_surface_create_samples(&s->t, &s->zs, cases[i].format, SIZE_PX, SIZE_PX, samples);
}

/* A square over all pixels, farther on the right by `lean`. */
static void
draw_square(struct scene *s, float lean)
{
   const float left = NEAR_Z - lean / 2, right = NEAR_Z + lean / 2;
   const float position[4][4] = {
      { -1, -1, left, 1 }, { 1, -1, right, 1 }, { -1, 1, left, 1 }, { 1, 1, right, 1 }
   };
   uint32_t dw[CF_VERTEX_ELEMENT_DWORDS];
   cf_vertex_element_pack(
      dw, &(struct cf_vertex_element){ .address = test_put(&s->t, position, sizeof(position)),
                                       .size_B = sizeof(position),
                                       .stride_B = sizeof(position[0]),
                                       .format = CF_FORMAT_R32G32B32A32_FLOAT });
   EMIT(&s->t, vertex_elements, .count = 1, .address = test_put(&s->t, dw, sizeof(dw)));
   EMIT(&s->t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .count = 4, .instances = 1);
}

static void
clear_depths(struct scene *s, uint32_t i, uint32_t min_x_px, uint32_t max_x_px)
{
   const bool rising = cases[i].func == CF_COMPARE_LESS || cases[i].func == CF_COMPARE_LEQUAL;
   EMIT(&s->t, clear, .depth = true, .depth_value = rising ? 1.0f : 0.0f, .min_x_px = min_x_px,
        .max_x_px = max_x_px, .max_y_px = SIZE_PX);
}

static void
clear_between(struct scene *s, uint32_t i)
{
   switch (cases[i].clears) {
   case NOTHING:
      break;
   case ALL:
      clear_depths(s, i, 0, SIZE_PX);
      break;
   case LEFT_AND_RIGHT:
      clear_depths(s, i, 37, SIZE_PX);
      clear_depths(s, i, 0, 37);
      break;
   case LEFT:
      clear_depths(s, i, 0, 37);
      break;
   case COLORS:
      EMIT(&s->t, clear, .colors = 1, .max_x_px = SIZE_PX, .max_y_px = SIZE_PX);
      break;
   }
}

static void
draw(struct scene *s, uint32_t i)
{
   test_emit_frame(&s->t, &s->color, &s->zs);
   test_emit_positions(&s->t);
   EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = test_varyings_program(&s->t));
   EMIT(&s->t, depth_stencil, .depth_test = true, .depth_write = !cases[i].only_tests,
        .depth_func = cases[i].func);
   clear_depths(s, i, 0, SIZE_PX);
   draw_square(s, cases[i].steepness);
   clear_between(s, i);
   draw_square(s, -cases[i].steepness);
   test_submit(&s->t);
}

static void
squares(void **state)
{
   (void)state;
   for (uint32_t k = 0; k < 2 * CASES; k++) {
      const uint32_t i = k / 2;
      struct scene s;
      scene_open(&s, i, k % 2 ? 3 : 0);
      draw(&s, i);
      test_no_error(&s.t);
      test_frame_close(&s.t, &s.color, &s.zs);
      const struct cf_sanitize_report *report = cf_sanitize_reports(s.sanitize);
      if ((report != NULL) != cases[i].fights)
         fail_msg("%s: %s", cases[i].what, report ? report->text : "no report");
      if (report) {
         assert_null(report->next);
         assert_int_equal(report->check, CF_SANITIZE_DEPTH_FIGHTING);
         assert_int_equal(report->draw, 1);
         assert_true(report->has_pixel && report->count > 0);
         assert_non_null(strstr(report->message, "of draw 0, primitive "));
         assert_non_null(strstr(report->message, "less than a step, "));
      }
      cf_sanitize_close(s.sanitize);
   }
}

/* A surface of depths that two submissions draw to, is known again; one of other memory is not. */
static void
surfaces(void **state)
{
   (void)state;
   struct scene s;
   struct test_surface other;
   scene_open(&s, 0, 0);
   test_surface_create(&s.t, &other, cases[0].format, SIZE_PX, SIZE_PX, true);
   for (int i = 0; i < 2; i++) {
      test_emit_frame(&s.t, &s.color, i ? &other : &s.zs);
      test_emit_positions(&s.t);
      EMIT(&s.t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = test_varyings_program(&s.t));
      EMIT(&s.t, depth_stencil, .depth_test = true, .depth_write = true,
           .depth_func = CF_COMPARE_LESS);
      clear_depths(&s, 0, 0, SIZE_PX);
      draw_square(&s, i ? -1e-5f : 1e-5f);
   }
   test_submit(&s.t);
   assert_null(cf_sanitize_reports(s.sanitize));
   draw(&s, 0);
   const struct cf_sanitize_report *report = cf_sanitize_reports(s.sanitize);
   assert_non_null(report);
   assert_int_equal(report->submission, 2);
   test_no_error(&s.t);
   test_surface_free(&s.t, &other);
   test_frame_close(&s.t, &s.color, &s.zs);
   cf_sanitize_close(s.sanitize);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(squares),
      cmocka_unit_test(surfaces),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
