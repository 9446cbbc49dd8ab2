/* SPDX-License-Identifier: MIT */
/*
 * The printed times by unit: each unit that had work has time, no other has any, they add up, and
 * their sum is at most wall time times workers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clipfree/base/cf_unit_clock.h"
#include "clipfree/command/test_gpu.h"
#include "clipfree/isa/cf_isa.h"

#define WIDTH 200
#define HEIGHT 150
#define TRIANGLES 200
#define ROUNDING_US (0.06 * (CF_UNITS + 1)) /* of a sum of printed times, at most */
#define DRAWN                                                                                                                \
   (1u << CF_UNIT_STATE | 1u << CF_UNIT_VERTICES | 1u << CF_UNIT_PRIMITIVES | 1u << CF_UNIT_RASTER | 1u << CF_UNIT_SHADING |  \
    1u << CF_UNIT_TEXTURES | 1u << CF_UNIT_PIXELS | 1u << CF_UNIT_CLEARS)

static const char *const vertex_text =
   "sys v8, vertex_id\nldf v0, 0[v8]\nout 0, v0\nout 1, v1\nout 2, v2\nout 3, 1.0\nend\n";
static const char *const fragment_text = "sys v4, frag_x\nsys v5, frag_y\nf2i v4, v4\nf2i v5, v5\n"
                                         "tex v0.xyzw, 0, v4, v5, 0, 0, fetch\n"
                                         "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\nend\n";

struct scene {
   struct test_gpu t;
   struct test_surface color, zs, rows;
   FILE *log;     /* captures stderr until end_listening */
   int stderr_fd; /* the original stderr */
};

/* A parsed line of times. */
struct line {
   char what[16];
   double wall_us, sum_us, unit_us[CF_UNITS];
};

static void
scene_open(struct scene *s, int threads, uint32_t samples, bool perf)
{
   const char *error;
   struct cf_gpu *gpu =
      cf_model_create(&(struct cf_model_config){ .threads = threads, .perf = perf }, &error);
   assert_non_null(gpu);
   test_gpu_open_on(&s->t, gpu);
   test_surface_create_samples(&s->t, &s->color, CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, samples);
   test_surface_create_samples(&s->t, &s->zs, CF_FORMAT_Z24_UNORM_S8_UINT, WIDTH, HEIGHT, samples);
   test_surface_create(&s->t, &s->rows, CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, false);
   s->log = tmpfile();
   assert_non_null(s->log);
   fflush(stderr);
   s->stderr_fd = dup(STDERR_FILENO);
   dup2(fileno(s->log), STDERR_FILENO);
}

/* Restore stderr. */
static void
end_listening(struct scene *s)
{
   fflush(stderr);
   dup2(s->stderr_fd, STDERR_FILENO);
   close(s->stderr_fd);
}

static void
scene_close(struct scene *s)
{
   test_no_error(&s->t);
   test_surface_free(&s->t, &s->color);
   test_surface_free(&s->t, &s->zs);
   test_surface_free(&s->t, &s->rows);
   test_gpu_close(&s->t);
   fclose(s->log);
}

static void
emit_programs(struct test_gpu *t)
{
   uint32_t dw[CF_SAMPLER_DWORDS];
   const struct cf_texture texture = test_linear_texture(t->heap.address, WIDTH, HEIGHT);
   cf_sampler_pack(dw, &(struct cf_sampler){ 0 });
   EMIT(t, shader, .stage = CF_SHADER_STAGE_VERTEX,
        .program = test_program(t, vertex_text,
                                (struct cf_program){ .stage = CF_SHADER_STAGE_VERTEX,
                                                     .vector_regs = 9,
                                                     .outputs = 8,
                                                     .sysvals = 1u << CF_SYSVAL_VERTEX_ID }));
   EMIT(t, shader, .stage = CF_SHADER_STAGE_FRAGMENT,
        .program = test_program(
           t, fragment_text,
           (struct cf_program){ .stage = CF_SHADER_STAGE_FRAGMENT,
                                .vector_regs = 6,
                                .outputs = 4,
                                .color_outputs = 1,
                                .sysvals = 1u << CF_SYSVAL_FRAG_X | 1u << CF_SYSVAL_FRAG_Y }));
   EMIT(t, varyings, .count = 0);
   EMIT(t, bind_texture, .stage = CF_SHADER_STAGE_FRAGMENT, .unit = 0,
        .texture = test_put_texture(t, &texture), .sampler = test_put(t, dw, sizeof(dw)));
}

/* Triangles all over the frame, which is cleared in part, with textures, depth test and
 * blending. */
static void
emit_drawing(struct scene *s)
{
   struct test_gpu *t = &s->t;
   uint64_t seed = 1; /* values do not matter */
   float position[3 * TRIANGLES][4];
   uint32_t dw[CF_VERTEX_ELEMENT_DWORDS];
   for (uint32_t i = 0; i < 3 * TRIANGLES; i++) {
      for (uint32_t k = 0; k < 4; k++)
         position[i][k] = test_random_float(&seed, -1, 1);
   }
   test_emit_frame(t, &s->color, &s->zs);
   emit_programs(t);
   cf_vertex_element_pack(
      dw, &(struct cf_vertex_element){ .address = test_put(t, position, sizeof(position)),
                                       .size_B = sizeof(position),
                                       .stride_B = sizeof(position[0]),
                                       .format = CF_FORMAT_R32G32B32A32_FLOAT });
   EMIT(t, vertex_elements, .count = 1, .address = test_put(t, dw, sizeof(dw)));
   EMIT(t, depth_stencil, .depth_test = true, .depth_write = true, .depth_func = CF_COMPARE_LEQUAL);
   EMIT(t, clear, .colors = 1, .depth = true, .depth_value = 1.0f, .min_x_px = 10, .min_y_px = 10,
        .max_x_px = WIDTH - 10, .max_y_px = HEIGHT - 10);
   EMIT(t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 3 * TRIANGLES, .instances = 1);
}

static void
emit_copy(struct scene *s)
{
   EMIT(&s->t, copy, .source = s->color.address, .destination = s->rows.address, .width_px = WIDTH,
        .height_px = HEIGHT);
}

/* Parse one unit's time. Returns the text after it. */
static const char *
parse_unit(const char *at, struct line *line)
{
   for (enum cf_unit unit = CF_UNIT_NONE + 1; unit < CF_UNITS; unit++) {
      char name[40];
      snprintf(name, sizeof(name), " %s ", cf_unit_name(unit));
      if (strncmp(at, name, strlen(name)) != 0)
         continue;
      char *end;
      assert_true(line->unit_us[unit] == -1.0); /* each unit is printed once */
      line->unit_us[unit] = strtod(at + strlen(name), &end);
      return end;
   }
   fail_msg("no unit: %s", at);
   return at;
}

/* Parse captured line number `n`. */
static struct line
read_line(const struct scene *s, unsigned n)
{
   struct line line;
   char text[1000];
   int used = 0;
   rewind(s->log);
   for (unsigned i = 0; i <= n; i++)
      assert_non_null(fgets(text, sizeof(text), s->log));
   assert_int_equal(sscanf(text, "clipfree: %15s %*u: %lf us, units %lf us:%n", line.what,
                           &line.wall_us, &line.sum_us, &used),
                    3);
   assert_true(used > 0);
   for (unsigned i = 0; i < CF_UNITS; i++)
      line.unit_us[i] = -1.0;
   const char *at = parse_unit(text + used, &line);
   while (*at == ',')
      at = parse_unit(at + 1, &line);
   assert_int_equal(*at, ';');
   for (enum cf_unit unit = CF_UNIT_NONE + 1; unit < CF_UNITS; unit++)
      assert_true(line.unit_us[unit] >= 0);
   return line;
}

static double
sum_us(const struct line *line)
{
   double sum = 0;
   for (enum cf_unit unit = CF_UNIT_NONE + 1; unit < CF_UNITS; unit++)
      sum += line->unit_us[unit];
   return sum;
}

static void
assert_near(double a, double b)
{
   assert_true(a - b < ROUNDING_US && b - a < ROUNDING_US);
}

/* `used`: bits of the units that had work. */
static void
assert_times(const struct line *line, int threads, uint32_t used)
{
   for (enum cf_unit unit = CF_UNIT_NONE + 1; unit < CF_UNITS; unit++) {
      if ((line->unit_us[unit] > 0) != (used >> unit & 1))
         fail_msg("%s: %.1f us", cf_unit_name(unit), line->unit_us[unit]);
   }
   assert_near(sum_us(line), line->sum_us);
   assert_true(line->sum_us <= (threads ? threads : 1) * line->wall_us + ROUNDING_US);
}

static void
units_that_work_have_time(void **state)
{
   for (int threads = 0; threads <= 3; threads++) {
      for (uint32_t samples = 1; samples <= CF_SAMPLES; samples += CF_SAMPLES - 1) {
         struct scene s;
         scene_open(&s, threads, samples, true);
         emit_drawing(&s);
         test_submit(&s.t);
         emit_drawing(&s);
         emit_copy(&s);
         test_submit(&s.t);
         end_listening(&s);
         const struct line drawn = read_line(&s, 0), copied = read_line(&s, 1);
         assert_string_equal(drawn.what, "submission");
         assert_times(&drawn, threads, DRAWN);
         assert_times(&copied, threads, DRAWN | 1u << CF_UNIT_COPIES);
         scene_close(&s);
      }
   }
}

/* A frame's times sum its submissions; an empty frame has none. */
static void
a_frame_is_the_sum_of_its_submissions(void **state)
{
   for (int threads = 0; threads <= 2; threads += 2) {
      struct scene s;
      scene_open(&s, threads, 1, true);
      for (unsigned i = 0; i < 2; i++) {
         emit_drawing(&s);
         emit_copy(&s);
         test_submit(&s.t);
      }
      s.t.gpu->ops->end_frame(s.t.gpu, NULL);
      s.t.gpu->ops->end_frame(s.t.gpu, NULL);
      end_listening(&s);
      const struct line first = read_line(&s, 0), second = read_line(&s, 1),
                        frame = read_line(&s, 2), nothing = read_line(&s, 3);
      assert_string_equal(frame.what, "frame");
      assert_times(&frame, threads, DRAWN | 1u << CF_UNIT_COPIES);
      for (enum cf_unit unit = CF_UNIT_NONE + 1; unit < CF_UNITS; unit++)
         assert_near(frame.unit_us[unit], first.unit_us[unit] + second.unit_us[unit]);
      assert_true(frame.wall_us + ROUNDING_US >= first.wall_us + second.wall_us);
      assert_string_equal(nothing.what, "frame");
      assert_times(&nothing, threads, 0);
      scene_close(&s);
   }
}

static void
nothing_is_printed_unless_asked(void **state)
{
   struct scene s;
   scene_open(&s, 2, 1, false);
   emit_drawing(&s);
   emit_copy(&s);
   test_submit(&s.t);
   s.t.gpu->ops->end_frame(s.t.gpu, NULL);
   end_listening(&s);
   assert_int_equal(lseek(fileno(s.log), 0, SEEK_END), 0);
   scene_close(&s);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_that_work_have_time),
      cmocka_unit_test(a_frame_is_the_sum_of_its_submissions),
      cmocka_unit_test(nothing_is_printed_unless_asked),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
