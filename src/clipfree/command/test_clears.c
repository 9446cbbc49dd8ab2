/* SPDX-License-Identifier: MIT */
/*
 * Clears of any part of any image, among draws, copies and resolves: random sequences against
 * arrays of pixels that are written one by one. Two color targets of different pixel sizes, all
 * formats of depth and stencil, one sample and four.
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

#define MAX_PX 200
#define COLORS 2
#define ZS COLORS /* index of the image with depth and stencil */
#define ROUNDS 80
#define STEPS 32

static const char vertex_text[] =
   "sys v8, vertex_id\nldf v0, 0[v8]\nldf v4, 1[v8]\nout 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\n"
   "out 8, v4\nout 9, v5\nout 10, v6\nout 11, v7\nend\n";
static const char fragment_text[] =
   "ldvar v0, 0, smooth\nldvar v1, 1, smooth\nldvar v2, 2, smooth\nldvar v3, 3, smooth\n"
   "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\nend\n";
/* none is half way between two values of a format: rounding is unambiguous */
static const float levels[] = { 0.0f, 0.25f, 0.75f, 1.0f };

struct pixel {
   uint8_t bytes[16];
};

/* An image, and the expected values of its samples, those of one pixel next to each other. */
struct target {
   struct test_surface surface;
   struct pixel *pixel;
};

struct rect {
   uint32_t min_x, min_y, max_x, max_y;
};

struct scene {
   struct test_gpu t;
   struct cf_random random;
   struct target target[COLORS + 1], resolved;
   struct test_surface rows;
   uint32_t width_px, height_px, samples;
   uint64_t vertex_program, fragment_program;
};

static uint32_t
below(struct scene *s, uint32_t n)
{
   return (uint32_t)(cf_random_u64(&s->random) % n);
}

static uint32_t
bits_of(float x)
{
   uint32_t bits;
   memcpy(&bits, &x, 4);
   return bits;
}

/* ------------------------------------------------------------------ the model */

static bool
has(const struct target *target, char letter)
{
   const struct cf_format_info *format = target->surface.image.format;
   for (uint32_t i = 0; i < format->channels; i++) {
      if (format->channel[i].letter == letter)
         return true;
   }
   return false;
}

/* The pixel bits of the named components; also the unused bits if all components are named. */
static void
component_bits(const struct target *target, const char *letters, const uint32_t *value_mask,
               uint32_t mask[4])
{
   const struct cf_format_info *format = target->surface.image.format;
   bool all = true;
   memset(mask, 0, 16);
   for (uint32_t i = 0; letters[i]; i++) {
      const uint32_t bits = letters[i] == 's' ? 0xff : UINT32_MAX;
      if (!has(target, letters[i]))
         continue;
      all = all && (value_mask[i] & bits) == bits;
      if (value_mask[i])
         cf_format_or_channel(format, letters[i], value_mask[i], mask);
   }
   if (all)
      memset(mask, 0xff, 16);
}

static void
put(struct target *target, uint32_t at, const uint32_t value[4], const uint32_t mask[4])
{
   const uint8_t *v = (const uint8_t *)value, *m = (const uint8_t *)mask;
   for (uint32_t i = 0; i < target->surface.image.format->pixel_B; i++)
      target->pixel[at].bytes[i] = (uint8_t)((target->pixel[at].bytes[i] & ~m[i]) | (v[i] & m[i]));
}

/* Write every sample of a rectangle. */
static void
put_rect(const struct scene *s, struct target *target, const struct rect *r,
         const uint32_t value[4], const uint32_t mask[4])
{
   for (uint32_t y = r->min_y; y < r->max_y; y++) {
      for (uint32_t i = r->min_x * s->samples; i < r->max_x * s->samples; i++)
         put(target, y * s->width_px * s->samples + i, value, mask);
   }
}

/* Depth and stencil as bits of a pixel. */
static void
zs_value(const struct target *zs, float depth, uint32_t stencil, uint32_t value[4])
{
   float rgba[4] = { depth };
   memcpy(&rgba[1], &stencil, 4);
   memset(value, 0, 16);
   cf_format_store(zs->surface.image.format, (uint8_t *)value, rgba);
}

static bool
is_less(const uint32_t value[4], const struct pixel *stored, const uint32_t depth_mask[4])
{
   uint32_t old;
   memcpy(&old, stored->bytes, 4);
   /* valid for floats, too, since none is negative */
   return (value[0] & depth_mask[0]) < (old & depth_mask[0]);
}

/* ------------------------------------------------------------------ steps */

static struct rect
random_rect(struct scene *s)
{
   struct rect r = { 0, 0, s->width_px, s->height_px };
   if (below(s, 2))
      return r;
   r.min_x = below(s, s->width_px);
   r.min_y = below(s, s->height_px);
   r.max_x = r.min_x + 1 + below(s, s->width_px - r.min_x);
   r.max_y = r.min_y + 1 + below(s, s->height_px - r.min_y);
   return r;
}

static void
random_color(struct scene *s, float color[4])
{
   for (uint32_t i = 0; i < 4; i++)
      color[i] = levels[below(s, 4)];
}

static void
step_clear(struct scene *s)
{
   const struct rect r = random_rect(s);
   const uint32_t targets = below(s, 4), stencil_mask = below(s, 2) ? 0xff : below(s, 256);
   const bool depth = below(s, 2), stencil = below(s, 2);
   const float depth_value = levels[below(s, 4)];
   const uint32_t stencil_value = 85 * below(s, 4), keep = below(s, 2) ? 0 : below(s, 256);
   float color[4];
   uint32_t value[4] = { 0 }, mask[4];
   random_color(s, color);
   EMIT(&s->t, clear, .colors = targets, .depth = depth, .stencil = stencil,
        .stencil_value = stencil_value, .stencil_write_mask = stencil_mask,
        .depth_value = depth_value, .color_preserved = keep,
        .color = { bits_of(color[0]), bits_of(color[1]), bits_of(color[2]), bits_of(color[3]) },
        .min_x_px = r.min_x, .min_y_px = r.min_y, .max_x_px = r.max_x, .max_y_px = r.max_y);
   for (uint32_t i = 0; i < COLORS; i++) {
      uint32_t written[4];
      for (uint32_t c = 0; c < 4; c++)
         written[c] = keep >> (4 * i + c) & 1 ? 0 : UINT32_MAX;
      cf_format_store(s->target[i].surface.image.format, (uint8_t *)value, color);
      component_bits(&s->target[i], "rgba", written, mask);
      if (targets >> i & 1)
         put_rect(s, &s->target[i], &r, value, mask);
   }
   zs_value(&s->target[ZS], depth_value, stencil_value, value);
   component_bits(&s->target[ZS], "zs",
                  (const uint32_t[]){ depth ? UINT32_MAX : 0, stencil ? stencil_mask : 0 }, mask);
   put_rect(s, &s->target[ZS], &r, value, mask);
}

/* A triangle that covers everything, cut by the scissor. */
static void
emit_triangle(struct scene *s, float depth, const float color[4])
{
   float vertex[3][2][4];
   uint32_t dw[2 * CF_VERTEX_ELEMENT_DWORDS];
   for (uint32_t i = 0; i < 3; i++) {
      const float position[4] = { i == 1 ? 3.0f : -1.0f, i == 2 ? 3.0f : -1.0f, 2 * depth - 1, 1 };
      memcpy(vertex[i][0], position, sizeof(position));
      memcpy(vertex[i][1], color, sizeof(position));
   }
   const uint64_t address = test_put(&s->t, vertex, sizeof(vertex));
   for (uint32_t i = 0; i < 2; i++)
      cf_vertex_element_pack(dw + i * CF_VERTEX_ELEMENT_DWORDS,
                             &(struct cf_vertex_element){ .address = address + 16 * i,
                                                          .size_B = sizeof(vertex) - 16 * i,
                                                          .stride_B = sizeof(vertex[0]),
                                                          .format = CF_FORMAT_R32G32B32A32_FLOAT });
   EMIT(&s->t, vertex_elements, .count = 2, .address = test_put(&s->t, dw, sizeof(dw)));
   EMIT(&s->t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 3, .instances = 1);
}

static void
step_draw(struct scene *s)
{
   const struct rect r = random_rect(s);
   const bool depth_test = below(s, 2), depth_write = below(s, 4) > 0, less = below(s, 2),
              stencil_test = below(s, 2);
   const uint32_t samples = below(s, 2) ? 0xf : below(s, 16), ref = 85 * below(s, 4),
                  stencil_mask = below(s, 2) ? 0xff : below(s, 256);
   const float depth = levels[below(s, 4)];
   uint32_t write_mask[COLORS], value[4], depth_bits[4], stencil_bits[4];
   float color[4];
   random_color(s, color);
   for (uint32_t i = 0; i < COLORS; i++) {
      write_mask[i] = below(s, 2) ? 0xf : below(s, 16);
      EMIT(&s->t, blend, .target = i, .write_mask = write_mask[i]);
   }
   EMIT(&s->t, sample_mask, .mask = samples);
   EMIT(&s->t, scissor, .min_x_px = r.min_x, .min_y_px = r.min_y, .max_x_px = r.max_x,
        .max_y_px = r.max_y);
   EMIT(&s->t, stencil_ref, .front = ref, .back = ref);
   EMIT(&s->t, depth_stencil, .depth_test = depth_test, .depth_write = depth_write,
        .depth_func = less ? CF_COMPARE_LESS : CF_COMPARE_ALWAYS, .stencil_front = stencil_test,
        .front_func = CF_COMPARE_ALWAYS, .front_zpass = CF_STENCIL_OP_REPLACE,
        .front_value_mask = 0xff, .front_write_mask = stencil_mask);
   emit_triangle(s, depth, color);

   const bool has_depth = has(&s->target[ZS], 'z');
   memset(depth_bits, 0, 16);
   memset(stencil_bits, 0, 16);
   if (has_depth)
      cf_format_or_channel(s->target[ZS].surface.image.format, 'z', UINT32_MAX, depth_bits);
   if (has(&s->target[ZS], 's'))
      cf_format_or_channel(s->target[ZS].surface.image.format, 's', stencil_mask, stencil_bits);
   for (uint32_t y = r.min_y; y < r.max_y; y++) {
      for (uint32_t i = r.min_x * s->samples; i < r.max_x * s->samples; i++) {
         const uint32_t at = y * s->width_px * s->samples + i;
         if (s->samples > 1 && !(samples >> (i % s->samples) & 1))
            continue;
         zs_value(&s->target[ZS], depth, ref, value);
         if (has_depth && depth_test && less &&
             !is_less(value, &s->target[ZS].pixel[at], depth_bits))
            continue;
         if (has_depth && depth_test && depth_write)
            put(&s->target[ZS], at, value, depth_bits);
         if (stencil_test)
            put(&s->target[ZS], at, value, stencil_bits);
         for (uint32_t c = 0; c < COLORS; c++) {
            uint32_t written[4], mask[4];
            for (uint32_t k = 0; k < 4; k++)
               written[k] = write_mask[c] >> k & 1 ? UINT32_MAX : 0;
            component_bits(&s->target[c], "rgba", written, mask);
            memset(value, 0, sizeof(value));
            cf_format_store(s->target[c].surface.image.format, (uint8_t *)value, color);
            put(&s->target[c], at, value, mask);
         }
      }
   }
}

/* The expected value of a resolved pixel. */
static void
average(const struct pixel *sample, uint32_t samples, uint8_t out[4])
{
   for (uint32_t b = 0; b < 4; b++)
      out[b] = (uint8_t)(samples == 1 ? sample->bytes[b]
                                      : (sample[0].bytes[b] + sample[1].bytes[b] +
                                         sample[2].bytes[b] + sample[3].bytes[b] + 2) /
                                           4);
}

static void
submit(struct scene *s);

/* Copy to linear rows, as for presentation and mapping; and twice to another image, whose tile
 * states know the pixels the second time. */
static void
step_copy(struct scene *s)
{
   const struct rect r = random_rect(s);
   const struct target *from = &s->target[0];
   for (uint32_t i = 0; i < 2; i++)
      EMIT(&s->t, copy, .source = from->surface.address, .destination = s->resolved.surface.address,
           .source_x_px = r.min_x, .source_y_px = r.min_y, .destination_x_px = r.min_x,
           .destination_y_px = r.min_y, .width_px = r.max_x - r.min_x,
           .height_px = r.max_y - r.min_y);
   EMIT(&s->t, copy, .source = from->surface.address, .destination = s->rows.address,
        .width_px = s->width_px, .height_px = s->height_px);
   submit(s);
   for (uint32_t i = 0; i < s->width_px * s->height_px; i++) {
      const uint32_t x = i % s->width_px, y = i / s->width_px;
      uint8_t expected[4];
      average(&from->pixel[i * s->samples], s->samples, expected);
      assert_memory_equal(s->rows.image.data + cf_image_offset_B(&s->rows.image, x, y), expected,
                          4);
      if (x >= r.min_x && x < r.max_x && y >= r.min_y && y < r.max_y)
         memcpy(s->resolved.pixel[i].bytes, expected, 4);
      assert_memory_equal(s->resolved.surface.image.data +
                             cf_image_offset_B(&s->resolved.surface.image, x, y),
                          s->resolved.pixel[i].bytes, 4);
   }
}

/* ------------------------------------------------------------------ scenes */

static void
emit_state(struct scene *s)
{
   uint32_t link[CF_LINK_DWORDS];
   struct cf_framebuffer frame = { .width_px = s->width_px,
                                   .height_px = s->height_px,
                                   .color_count = COLORS,
                                   .samples = s->samples };
   test_emit_frame(&s->t, &s->target[0].surface, &s->target[ZS].surface);
   frame.depth_stencil = s->target[ZS].surface.address;
   for (uint32_t i = 0; i < COLORS; i++)
      frame.color[i] = s->target[i].surface.address;
   cf_framebuffer_pack(s->t.dw + s->t.count, &frame);
   s->t.count += CF_FRAMEBUFFER_DWORDS;
   EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_VERTEX, .program = s->vertex_program);
   EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = s->fragment_program);
   cf_link_pack(link, &(struct cf_link){ .slot = 0, .present = true });
   EMIT(&s->t, varyings, .count = 1, .address = test_put(&s->t, link, sizeof(link)));
}

static void
submit(struct scene *s)
{
   test_submit(&s->t);
   test_no_error(&s->t);
   emit_state(s);
}

static void
target_create(struct scene *s, struct target *target, enum cf_format format, uint32_t samples)
{
   test_surface_create_samples(&s->t, &target->surface, format, s->width_px, s->height_px, samples);
   target->pixel = calloc((size_t)s->width_px * s->height_px * samples, sizeof(*target->pixel));
}

static void
target_free(struct scene *s, struct target *target)
{
   test_surface_free(&s->t, &target->surface);
   free(target->pixel);
}

/* Resolved, memory alone shows every pixel. */
static void
check_target(const struct scene *s, const struct target *target)
{
   const struct cf_image *image = &target->surface.image;
   for (uint32_t i = 0; i < s->width_px * s->height_px * s->samples; i++) {
      const struct cf_image plane = cf_image_sample(image, i % s->samples);
      const uint32_t x = i / s->samples % s->width_px, y = i / s->samples / s->width_px;
      assert_memory_equal(plane.data + cf_image_offset_B(&plane, x, y), target->pixel[i].bytes,
                          image->format->pixel_B);
   }
}

static void
one_scene(struct cf_random *random, uint32_t round, int threads)
{
   static const enum cf_format zs_formats[] = {
      CF_FORMAT_Z16_UNORM, CF_FORMAT_Z24_UNORM_S8_UINT,    CF_FORMAT_Z24X8_UNORM,
      CF_FORMAT_Z32_FLOAT, CF_FORMAT_Z32_FLOAT_S8X24_UINT, CF_FORMAT_S8_UINT
   };
   static const enum cf_format formats[] = { CF_FORMAT_R8_UNORM, CF_FORMAT_B5G6R5_UNORM,
                                             CF_FORMAT_R8G8B8A8_UNORM, CF_FORMAT_R16G16B16A16_FLOAT,
                                             CF_FORMAT_R32G32B32A32_FLOAT };
   struct scene s = { .random = *random };
   test_gpu_open(&s.t, threads);
   s.samples = round % 3 == 2 ? CF_SAMPLES : 1;
   s.width_px = 1 + below(&s, MAX_PX);
   s.height_px = 1 + below(&s, MAX_PX);
   s.vertex_program = test_program(
      &s.t, vertex_text,
      (struct cf_program){
         .stage = CF_SHADER_STAGE_VERTEX, .vector_regs = 9, .outputs = 12, .sysvals = 1 });
   s.fragment_program = test_program(&s.t, fragment_text,
                                     (struct cf_program){ .stage = CF_SHADER_STAGE_FRAGMENT,
                                                          .vector_regs = 4,
                                                          .outputs = 4,
                                                          .inputs = 4,
                                                          .color_outputs = 1,
                                                          .color0_to_all = true });
   target_create(&s, &s.target[0], CF_FORMAT_R8G8B8A8_UNORM, s.samples);
   target_create(&s, &s.target[1], formats[below(&s, 5)], s.samples);
   target_create(&s, &s.target[ZS], zs_formats[below(&s, 6)], s.samples);
   target_create(&s, &s.resolved, CF_FORMAT_R8G8B8A8_UNORM, 1);
   test_surface_create(&s.t, &s.rows, CF_FORMAT_R8G8B8A8_UNORM, s.width_px, s.height_px, false);
   emit_state(&s);
   for (uint32_t i = 0; i < STEPS; i++) {
      const uint32_t kind = below(&s, 9);
      if (kind < 4)
         step_clear(&s);
      else if (kind < 7)
         step_draw(&s);
      else if (kind < 8)
         step_copy(&s);
      else
         submit(&s);
   }
   for (uint32_t i = 0; i <= COLORS; i++)
      EMIT(&s.t, resolve, .surface = s.target[i].surface.address);
   submit(&s);
   for (uint32_t i = 0; i <= COLORS; i++)
      check_target(&s, &s.target[i]);
   for (uint32_t i = 0; i <= COLORS; i++)
      target_free(&s, &s.target[i]);
   target_free(&s, &s.resolved);
   test_surface_free(&s.t, &s.rows);
   test_gpu_close(&s.t);
   *random = s.random;
}

static void
random_sequences(void **state)
{
   struct cf_random random = cf_random_seed("command-clears");
   (void)state;
   for (uint32_t round = 0; round < ROUNDS; round++)
      one_scene(&random, round, round % 2 ? 2 : 0);
}

/* The usual frame of a packed depth-stencil image: only depth is cleared, stencil never was. Tiles
 * that are drawn to are filled without being read, the others are not written at all, and stencil
 * stays known. */
static void
depth_beside_stencil(void **state)
{
   (void)state;
   struct scene s = { .samples = 1, .width_px = 128, .height_px = 64 };
   test_gpu_open(&s.t, 0);
   target_create(&s, &s.target[ZS], CF_FORMAT_Z24_UNORM_S8_UINT, 1);
   target_create(&s, &s.target[0], CF_FORMAT_R8G8B8A8_UNORM, 1);
   struct cf_image *zs = &s.target[ZS].surface.image;
   for (uint32_t i = 0; i < 2; i++)
      zs->tiles[i].known[0] = UINT32_MAX; /* zero, as new memory is */
   s.vertex_program = test_program(
      &s.t, vertex_text,
      (struct cf_program){
         .stage = CF_SHADER_STAGE_VERTEX, .vector_regs = 9, .outputs = 12, .sysvals = 1 });
   s.fragment_program = test_varyings_program(&s.t);
   for (uint32_t frame = 0; frame < 2; frame++) {
      uint32_t link[CF_LINK_DWORDS];
      test_emit_frame(&s.t, &s.target[0].surface, &s.target[ZS].surface);
      EMIT(&s.t, shader, .stage = CF_SHADER_STAGE_VERTEX, .program = s.vertex_program);
      EMIT(&s.t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = s.fragment_program);
      cf_link_pack(link, &(struct cf_link){ .slot = 0, .present = true });
      EMIT(&s.t, varyings, .count = 1, .address = test_put(&s.t, link, sizeof(link)));
      EMIT(&s.t, clear, .colors = 1, .depth = true, .depth_value = 1.0f, .max_x_px = 128,
           .max_y_px = 64);
      EMIT(&s.t, depth_stencil, .depth_test = true, .depth_write = true,
           .depth_func = CF_COMPARE_LESS);
      EMIT(&s.t, scissor, .max_x_px = 64, .max_y_px = 10);
      emit_triangle(&s, 0.25f, (const float[4]){ 1, 1, 1, 1 });
      test_submit(&s.t);
      test_no_error(&s.t);
      assert_int_equal(zs->tiles[0].known[0], 0xff000000);
      assert_int_equal(zs->tiles[0].pending[0], 0);
      assert_int_equal(zs->tiles[1].known[0], 0xffffffff);
      assert_int_equal(zs->tiles[1].pending[0], 0x00ffffff);
      for (uint32_t i = 0; i < 64 * 64; i++) {
         uint32_t drawn, untouched;
         memcpy(&drawn, zs->data + cf_image_offset_B(zs, i % 64, i / 64), 4);
         memcpy(&untouched, zs->data + cf_image_offset_B(zs, 64 + i % 64, i / 64), 4);
         assert_int_equal(drawn, i / 64 < 10 ? 0x00400000 : 0x00ffffff);
         assert_int_equal(untouched, 0);
      }
   }
   target_free(&s, &s.target[0]);
   target_free(&s, &s.target[ZS]);
   test_gpu_close(&s.t);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(depth_beside_stencil),
      cmocka_unit_test(random_sequences),
   };
   return cmocka_run_group_tests_name("clears", tests, NULL, NULL);
}
