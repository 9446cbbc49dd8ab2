/* SPDX-License-Identifier: MIT */
/*
 * Malformed command buffers: each fails with a message that names packet and field, the packets
 * before the malformed one are executed, and the GPU stays usable. Then a fuzzer: valid command
 * buffers with random bits changed, which may draw anything but must not crash.
 *
 * Arguments: seconds to fuzz (default 2), seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clipfree/base/test_random.h"
#include "clipfree/command/cf_resolve.h"
#include "clipfree/command/test_scene.h"

static double fuzz_seconds = 2;

/* Submit what was emitted: it fails, naming packet and field; then a valid submission succeeds. */
static void
expect_fault(struct test_scene *s, const char *packet, const char *field)
{
   struct test_gpu *t = &s->t;
   char text[320], wanted[100];
   const uint64_t seqno = t->gpu->ops->submit(t->gpu, t->commands.address, t->count * 4, 0);
   assert_true(t->gpu->ops->wait(t->gpu, seqno, UINT64_MAX));
   t->gpu->ops->last_error(t->gpu, text, sizeof(text));
   snprintf(wanted, sizeof(wanted), "packet %s at 0x", packet);
   if (!strstr(text, wanted))
      fail_msg("expected '%s' in: %s", wanted, text);
   snprintf(wanted, sizeof(wanted), "field %s: ", field);
   if (!strstr(text, wanted))
      fail_msg("expected '%s' in: %s", wanted, text);
   assert_int_equal(t->gpu->ops->reset_status(t->gpu), CF_RESET_GUILTY);
   memset(s->color.bo.map, 0, s->color.bo.size_B);
   t->count = 0;
   test_scene_emit_state(s);
   test_scene_emit_draw(s);
   test_submit(t);
   assert_int_equal(test_surface_pixel(&s->color, 50, 50), TEST_SCENE_RED);
   t->count = 0;
}

#define BAD(packet, field, type, ...)                                                              \
   do {                                                                                            \
      test_scene_emit_state(&s);                                                                   \
      EMIT(&s.t, type, __VA_ARGS__);                                                               \
      test_scene_emit_draw(&s);                                                                    \
      EMIT(&s.t, end, 0);                                                                          \
      expect_fault(&s, packet, field);                                                             \
   } while (0)

#define NOWHERE 0x7000000000 /* an address without memory */

static void
bad_bindings(void **state)
{
   struct test_scene s;
   test_scene_open(&s, 1);
   const uint64_t end = s.t.heap.address + s.t.heap.size_B;
   BAD("shader", "program", shader, .stage = CF_SHADER_STAGE_VERTEX, .program = NOWHERE);
   BAD("shader", "program", shader, .stage = CF_SHADER_STAGE_VERTEX, .program = s.fragment_program);
   BAD("shader", "program", shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = end - 8);
   BAD("shader", "program", shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = s.texture);
   BAD("draw", "prim", shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = 0);
   BAD("constants", "address", constants, .size_B = 64, .address = NOWHERE);
   BAD("constants", "address", constants, .size_B = 64, .address = s.elements + 2);
   BAD("constants", "address", constants, .size_B = 0xfffffffc, .address = s.elements);
   BAD("constants", "size_B", constants, .size_B = 63, .address = s.elements);
   BAD("bind_texture", "texture", bind_texture, .texture = NOWHERE, .sampler = s.sampler);
   BAD("bind_texture", "sampler", bind_texture, .texture = s.texture, .sampler = 0);
   struct cf_texture no_layers = s.descriptor;
   no_layers.kind = CF_TEXTURE_KIND_CUBE_ARRAY;
   no_layers.layers = 0;
   BAD("bind_texture", "texture", bind_texture, .texture = test_put_texture(&s.t, &no_layers),
       .sampler = s.sampler);
   const uint64_t rgb = test_program(
      &s.t, "end\n",
      (struct cf_program){ .stage = CF_SHADER_STAGE_FRAGMENT, .outputs = 3, .color_outputs = 1 });
   BAD("shader", "program", shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = rgb);
   BAD("bind_texture", "texture", bind_texture, .texture = s.elements, .sampler = s.sampler);
   BAD("vertex_elements", "address", vertex_elements, .count = 1, .address = NOWHERE);
   BAD("vertex_elements", "address", vertex_elements, .count = 1, .address = s.texture);
   BAD("vertex_elements", "count", vertex_elements, .count = 33, .address = s.elements);
   BAD("varyings", "count", varyings, .count = CF_MAX_VARYING_DWORDS / 4 + 1, .address = s.link);
   BAD("varyings", "address", varyings, .count = 32, .address = end - 4);
   BAD("draw", "prim", varyings, .count = 0);
   test_frame_close(&s.t, &s.color, &s.zs);
}

static void
bad_frames_and_draws(void **state)
{
   struct test_scene s;
   test_scene_open(&s, 1);
   BAD("framebuffer", "color", framebuffer, .width_px = TEST_SCENE_PX, .height_px = TEST_SCENE_PX,
       .color_count = 1, .color = { NOWHERE });
   BAD("framebuffer", "color", framebuffer, .width_px = TEST_SCENE_PX, .height_px = TEST_SCENE_PX,
       .color_count = 1, .color = { s.zs.address });
   BAD("framebuffer", "color", framebuffer, .width_px = TEST_SCENE_PX + 1, .height_px = 1,
       .color_count = 1, .color = { s.color.address });
   BAD("framebuffer", "depth_stencil", framebuffer, .width_px = 1, .height_px = 1,
       .depth_stencil = s.color.address);
   BAD("framebuffer", "color_count", framebuffer, .width_px = 1, .height_px = 1, .color_count = 9);
   BAD("framebuffer", "samples", framebuffer, .width_px = 1, .height_px = 1, .samples = 2);
   BAD("framebuffer", "color", framebuffer, .width_px = 1, .height_px = 1, .samples = 4,
       .color_count = 1, .color = { s.color.address });
   BAD("framebuffer", "depth_stencil", framebuffer, .width_px = 1, .height_px = 1, .samples = 4,
       .depth_stencil = s.zs.address);
   BAD("framebuffer", "width_px", framebuffer, .width_px = CF_MAX_SURFACE_PX + 1, .height_px = 1);
   BAD("framebuffer", "width_px", framebuffer, .width_px = 1, .height_px = CF_MAX_SURFACE_PX + 1);
   BAD("draw", "prim", framebuffer, .width_px = 0, .height_px = 0);
   BAD("draw", "prim", framebuffer, .width_px = TEST_SCENE_PX, .height_px = 0);
   BAD("draw", "prim", framebuffer, .width_px = 0, .height_px = TEST_SCENE_PX);
   BAD("draw", "index_size_B", draw, .count = 3, .instances = 1, .index_size_B = 3);
   BAD("draw", "index_address", draw, .count = 3, .instances = 1, .index_size_B = 2,
       .index_size_total_B = 64, .index_address = 0);
   BAD("draw", "index_address", draw, .count = 3, .instances = 1, .index_size_B = 2,
       .index_size_total_B = 0xffffffff, .index_address = s.indices);
   test_frame_close(&s.t, &s.color, &s.zs);
}

static void
bad_transfers(void **state)
{
   struct test_scene s;
   test_scene_open(&s, 1);
   const uint64_t end = s.t.heap.address + s.t.heap.size_B;
   BAD("copy", "source", copy, .source = NOWHERE, .destination = s.color.address, .width_px = 1,
       .height_px = 1);
   BAD("copy", "width_px", copy, .source = s.zs.address, .destination = s.color.address,
       .width_px = TEST_SCENE_PX + 1, .height_px = 1);
   BAD("copy", "width_px", copy, .source = s.zs.address, .destination = s.color.address,
       .destination_y_px = 65535, .width_px = 1, .height_px = 2);
   BAD("copy", "part", copy, .source = s.color.address, .destination = s.color.address,
       .width_px = 1, .height_px = 1, .part = CF_COPY_PART_DEPTH);
   BAD("copy", "part", copy, .source = s.zs.address, .destination = s.color.address, .width_px = 1,
       .height_px = 1, .part = CF_COPY_PART_STENCIL);
   BAD("gather", "columns", gather, .source = s.color.address, .destination = s.color.address,
       .columns = NOWHERE, .rows = s.link, .width_px = 1, .height_px = 1);
   BAD("gather", "width_px", gather, .source = s.color.address, .destination = s.color.address,
       .columns = s.link, .rows = s.link, .width_px = TEST_SCENE_PX + 1, .height_px = 1);
   BAD("reduce", "source", reduce, .source = s.zs.address, .destination = s.zs.address);
   BAD("reduce", "source", reduce, .source = s.color.address, .destination = s.color.address);
   BAD("reduce", "destination", reduce, .source = s.color.address, .destination = NOWHERE);
   BAD("copy_buffer", "destination", copy_buffer, .source = s.link, .destination = end - 4,
       .size_B = 8);
   BAD("fill_buffer", "size_B", fill_buffer, .destination = s.result, .size_B = 5);
   BAD("fill_buffer", "destination", fill_buffer, .destination = 4, .size_B = 4);
   BAD("resolve", "surface", resolve, .surface = s.link);
   BAD("invalidate", "surface", invalidate, .surface = NOWHERE);
   BAD("query", "result", query, .kind = CF_QUERY_KIND_TIMESTAMP, .result = s.result + 4);
   BAD("query", "begin", query, .kind = CF_QUERY_KIND_TIMESTAMP, .begin = true, .result = s.result);
   BAD("condition", "result", condition, .result = s.result + 4);
   BAD("condition", "result", condition, .result = NOWHERE);
   test_frame_close(&s.t, &s.color, &s.zs);
}

/* Programs whose descriptors are at their limits, and beyond. */
static void
bad_programs(void **state)
{
   static const struct {
      struct cf_program program;
      bool fine;
   } cases[] = {
      { { .vector_regs = CF_MAX_VECTOR_REGS, .scalar_regs = CF_MAX_SCALAR_REGS }, true },
      { { .vector_regs = CF_MAX_VECTOR_REGS + 1 }, false },
      { { .scalar_regs = CF_MAX_SCALAR_REGS + 1 }, false },
      { { .outputs = 32 }, true },
      { { .outputs = 32, .writes_depth = true }, false },
      { { .outputs = 33, .writes_depth = true }, true },
      { { .inputs = CF_MAX_VARYING_DWORDS }, true },
      { { .inputs = CF_MAX_VARYING_DWORDS + 1 }, false },
   };
   struct test_scene s;
   test_scene_open(&s, 1);
   for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      struct cf_program program = cases[i].program;
      program.stage = CF_SHADER_STAGE_FRAGMENT;
      const uint64_t address = test_program(&s.t, "end\n", program);
      if (cases[i].fine) {
         const uint64_t before = s.t.gpu->ops->get_param(s.t.gpu, CF_PARAM_REPORTS);
         EMIT(&s.t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = address);
         test_submit(&s.t);
         if (s.t.gpu->ops->get_param(s.t.gpu, CF_PARAM_REPORTS) != before)
            fail_msg("case %u is refused", i);
      } else {
         BAD("shader", "program", shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = address);
      }
   }
   test_frame_close(&s.t, &s.color, &s.zs);
}

/* Surfaces that no image can have. */
static void
bad_surfaces(void **state)
{
   const struct cf_surface fine = { .width_px = 8,
                                    .height_px = 8,
                                    .row_pitch_B = 32,
                                    .format = CF_FORMAT_R8G8B8A8_UNORM,
                                    .layout = CF_LAYOUT_LINEAR,
                                    .size_B = 256 };
   struct test_scene s;
   test_scene_open(&s, 1);
   for (uint32_t i = 0; i < 7; i++) {
      uint32_t dw[CF_SURFACE_DWORDS];
      struct cf_surface surface = fine;
      surface.address = s.color.bo.address;
      surface.width_px = i == 1 ? 0 : 8;
      surface.height_px = i == 2 ? 0 : 8;
      surface.samples = i == 3 ? CF_SAMPLES : i == 4 ? 2 : 0; /* linear, and none that there is */
      surface.layout = i == 4 ? CF_LAYOUT_BLOCKS : CF_LAYOUT_LINEAR;
      surface.row_pitch_B = i == 5 ? 28 : 32;
      surface.size_B = i == 6 ? 255 : 256;
      cf_surface_pack(dw, &surface);
      const uint64_t address = test_put(&s.t, dw, sizeof(dw));
      if (i > 0) {
         BAD("resolve", "surface", resolve, .surface = address);
      } else {
         EMIT(&s.t, resolve, .surface = address);
         test_submit(&s.t);
         assert_int_equal(s.t.gpu->ops->get_param(s.t.gpu, CF_PARAM_REPORTS), 0);
      }
   }
   test_frame_close(&s.t, &s.color, &s.zs);
}

/* Tables of gathers, and the images of gathers and copies. */
static void
bad_gathers(void **state)
{
   struct test_scene s;
   test_scene_open(&s, 1);
   struct test_surface bytes, floats, samples;
   test_surface_create(&s.t, &bytes, CF_FORMAT_R8_UNORM, 64, 64, true);
   test_surface_create(&s.t, &floats, CF_FORMAT_Z32_FLOAT, 64, 64, true);
   test_surface_create_samples(&s.t, &samples, CF_FORMAT_R8G8B8A8_UNORM, 64, 64, CF_SAMPLES);
   const uint32_t last[] = { TEST_SCENE_PX - 1, TEST_SCENE_PX };
   const uint64_t inside = test_put(&s.t, last, 4), outside = test_put(&s.t, &last[1], 4),
                  color = s.color.address;
   BAD("gather", "source", gather, .source = NOWHERE, .destination = color, .columns = inside,
       .rows = inside, .width_px = 1, .height_px = 1);
   BAD("gather", "destination", gather, .source = color, .destination = NOWHERE, .columns = inside,
       .rows = inside, .width_px = 1, .height_px = 1);
   BAD("gather", "destination", gather, .source = color, .destination = bytes.address,
       .columns = inside, .rows = inside, .width_px = 1, .height_px = 1);
   BAD("gather", "source", gather, .source = samples.address, .destination = color,
       .columns = s.link, .rows = s.link, .width_px = 1, .height_px = 1);
   BAD("gather", "columns", gather, .source = color, .destination = color, .columns = outside,
       .rows = inside, .width_px = 1, .height_px = 1);
   BAD("gather", "rows", gather, .source = color, .destination = color, .columns = inside,
       .rows = outside, .width_px = 1, .height_px = 1);
   BAD("gather", "width_px", gather, .source = color, .destination = color, .columns = inside,
       .rows = inside, .destination_x_px = TEST_SCENE_PX, .width_px = 1, .height_px = 1);
   BAD("gather", "width_px", gather, .source = color, .destination = color, .columns = inside,
       .rows = inside, .destination_y_px = TEST_SCENE_PX, .width_px = 1, .height_px = 1);
   BAD("gather", "part", gather, .source = color, .destination = s.zs.address, .columns = inside,
       .rows = inside, .width_px = 1, .height_px = 1, .part = CF_COPY_PART_DEPTH);
   /* both have a depth, in other bits */
   BAD("copy", "part", copy, .source = s.zs.address, .destination = floats.address, .width_px = 1,
       .height_px = 1, .part = CF_COPY_PART_DEPTH);
   BAD("copy", "destination", copy, .source = color, .destination = bytes.address, .width_px = 1,
       .height_px = 1);
   test_surface_free(&s.t, &bytes);
   test_surface_free(&s.t, &floats);
   test_surface_free(&s.t, &samples);
   test_frame_close(&s.t, &s.color, &s.zs);
}

/* Sources and destinations of reductions that do not fit each other. */
static void
bad_reductions(void **state)
{
   struct test_scene s;
   test_scene_open(&s, 1);
   struct test_surface half, low, wide, high, bytes, samples;
   const enum cf_format format = CF_FORMAT_R8G8B8A8_UNORM;
   test_surface_create(&s.t, &half, format, TEST_SCENE_PX / 2, TEST_SCENE_PX / 2, true);
   test_surface_create(&s.t, &wide, format, TEST_SCENE_PX + 1, TEST_SCENE_PX, true);
   test_surface_create(&s.t, &high, format, TEST_SCENE_PX, TEST_SCENE_PX + 1, true);
   test_surface_create(&s.t, &low, format, TEST_SCENE_PX / 2, TEST_SCENE_PX / 2 - 1, true);
   test_surface_create(&s.t, &bytes, CF_FORMAT_R8_UNORM, TEST_SCENE_PX / 2, TEST_SCENE_PX / 2,
                       true);
   test_surface_create_samples(&s.t, &samples, format, TEST_SCENE_PX, TEST_SCENE_PX, CF_SAMPLES);
   const uint64_t color = s.color.address;
   BAD("reduce", "source", reduce, .source = NOWHERE, .destination = half.address);
   BAD("reduce", "second", reduce, .source = color, .second = NOWHERE, .destination = half.address);
   BAD("reduce", "source", reduce, .source = color, .destination = low.address);
   BAD("reduce", "source", reduce, .source = color, .destination = bytes.address);
   BAD("reduce", "source", reduce, .source = samples.address, .destination = half.address);
   BAD("reduce", "destination", reduce, .source = color, .destination = samples.address);
   BAD("reduce", "second", reduce, .source = color, .second = half.address,
       .destination = half.address);
   /* whose next level is of that size, too */
   BAD("reduce", "second", reduce, .source = color, .second = wide.address,
       .destination = half.address);
   BAD("reduce", "second", reduce, .source = color, .second = high.address,
       .destination = half.address);
   BAD("reduce", "second", reduce, .source = color, .second = samples.address,
       .destination = half.address);
   test_surface_free(&s.t, &half);
   test_surface_free(&s.t, &low);
   test_surface_free(&s.t, &wide);
   test_surface_free(&s.t, &high);
   test_surface_free(&s.t, &bytes);
   test_surface_free(&s.t, &samples);
   test_frame_close(&s.t, &s.color, &s.zs);
}

/* What is fed back, and where. */
static void
bad_feedback(void **state)
{
   struct test_scene s;
   test_scene_open(&s, 1);
   uint32_t dw[3];
   cf_feedback_output_pack(&dw[0], &(struct cf_feedback_output){ .dwords = 4 });
   cf_feedback_output_pack(&dw[1], &(struct cf_feedback_output){ .dwords = 4, .offset_dw = 1 });
   dw[2] = 1u << 11; /* reserved */
   const uint64_t output = test_put(&s.t, dw, sizeof(dw)), at = s.result, filled = s.result + 8;
   BAD("feedback", "outputs", feedback, .outputs = CF_MAX_VARYING_DWORDS + 1, .stride_dw = { 4 },
       .output_address = output, .size_B = { 4 }, .address = { at }, .filled = { filled });
   BAD("feedback", "output_address", feedback, .outputs = 1, .stride_dw = { 4 },
       .output_address = NOWHERE, .size_B = { 4 }, .address = { at }, .filled = { filled });
   BAD("feedback", "output_address", feedback, .outputs = 1, .stride_dw = { 4 },
       .output_address = output + 4, .size_B = { 4 }, .address = { at }, .filled = { filled });
   BAD("feedback", "output_address", feedback, .outputs = 1, .stride_dw = { 4 },
       .output_address = output + 8, .size_B = { 4 }, .address = { at }, .filled = { filled });
   BAD("feedback", "stride_dw", feedback, .outputs = 1, .stride_dw = { (1u << 16) + 1 },
       .output_address = output, .size_B = { 4 }, .address = { at }, .filled = { filled });
   BAD("feedback", "address", feedback, .outputs = 1, .stride_dw = { 4 }, .output_address = output,
       .size_B = { 4 }, .address = { NOWHERE }, .filled = { filled });
   BAD("feedback", "address", feedback, .outputs = 1, .stride_dw = { 4 }, .output_address = output,
       .size_B = { 4 }, .address = { at + 2 }, .filled = { filled });
   BAD("feedback", "filled", feedback, .outputs = 1, .stride_dw = { 4 }, .output_address = output,
       .size_B = { 4 }, .address = { at }, .filled = { NOWHERE });
   BAD("feedback", "filled", feedback, .outputs = 1, .stride_dw = { 4 }, .output_address = output,
       .size_B = { 4 }, .address = { at }, .filled = { filled + 4 });
   test_frame_close(&s.t, &s.color, &s.zs);
}

/* Varyings that the vertex program does not write, of which clip planes need the corners' values.
 * It writes slot 0. */
static void
bad_links(void **state)
{
   static const struct {
      struct cf_link link;
      struct cf_clip_planes planes;
      bool fine;
   } cases[] = {
      { { .present = true }, { 0 }, true },
      { { .present = true, .slot = 1 }, { 0 }, false },
      { { .present = true, .two_sided = true, .back_slot = 1 }, { 0 }, false },
      { { .present = true, .back_slot = 1 }, { 0 }, true }, /* of one side: it means nothing */
      { { .present = true, .two_sided = true, .slot = 1 }, { 0 }, false },
      { { .slot = 1 }, { 0 }, true }, /* a constant */
      { { .present = true, .corners = true }, { .has_vertex = true }, true },
      { { .present = true }, { .has_vertex = true }, false },
      { { .corners = true }, { .has_vertex = true }, false },
      { { .present = true, .corners = true }, { .has_vertex = true, .vertex_varying = 1 }, false },
      { { .present = true, .corners = true }, { .vertex_varying = 1 }, true },
      { { .present = true, .corners = true }, { .has_vertex = true, .distances = 0x11 }, true },
      { { .present = true, .corners = true },
        { .has_vertex = true, .distances = 0x11, .second_varying = 1 },
        false },
      { { .present = true, .corners = true },
        { .has_vertex = true, .distances = 1, .second_varying = 1 },
        true },
   };
   struct test_scene s;
   test_scene_open(&s, 1);
   for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      uint32_t dw[CF_LINK_DWORDS];
      test_scene_emit_state(&s);
      cf_link_pack(dw, &cases[i].link);
      EMIT(&s.t, varyings, .count = 1, .address = test_put(&s.t, dw, sizeof(dw)));
      cf_clip_planes_pack(s.t.dw + s.t.count, &cases[i].planes);
      s.t.count += CF_CLIP_PLANES_DWORDS;
      test_scene_emit_draw(&s);
      if (cases[i].fine) {
         const uint64_t before = s.t.gpu->ops->get_param(s.t.gpu, CF_PARAM_REPORTS);
         test_submit(&s.t);
         if (s.t.gpu->ops->get_param(s.t.gpu, CF_PARAM_REPORTS) != before)
            fail_msg("case %u is refused", i);
      } else {
         EMIT(&s.t, end, 0);
         expect_fault(&s, "draw", "prim");
      }
   }
   test_frame_close(&s.t, &s.color, &s.zs);
}

/* A gather that overwrites its own tables uses their old entries. */
static void
tables_in_the_way(void **state)
{
   struct test_scene s;
   test_scene_open(&s, 2);
   struct test_surface white;
   test_surface_create(&s.t, &white, CF_FORMAT_R8G8B8A8_UNORM, TEST_SCENE_PX, TEST_SCENE_PX, true);
   test_emit_frame(&s.t, &white, NULL);
   EMIT(&s.t, clear, .colors = 1, .color = { 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000 },
        .max_x_px = TEST_SCENE_PX, .max_y_px = TEST_SCENE_PX);
   EMIT(&s.t, resolve, .surface = white.address);
   EMIT(&s.t, resolve, .surface = s.color.address);
   test_submit(&s.t);
   uint32_t *table = s.color.bo.map;
   for (uint32_t i = 0; i < 8; i++)
      table[i] = i;
   EMIT(&s.t, gather, .source = white.address, .destination = s.color.address,
        .columns = s.color.bo.address, .rows = s.color.bo.address, .width_px = 8, .height_px = 8);
   test_submit(&s.t);
   test_no_error(&s.t);
   for (uint32_t i = 0; i < 64; i++)
      assert_int_equal(test_surface_pixel(&s.color, i % 8, i / 8), 0xffffffff);
   test_surface_free(&s.t, &white);
   test_frame_close(&s.t, &s.color, &s.zs);
}

static void
bad_structure(void **state)
{
   struct test_scene s;
   test_scene_open(&s, 0);
   struct test_gpu *t = &s.t;
   /* no end */
   test_scene_emit_state(&s);
   test_scene_emit_draw(&s);
   expect_fault(&s, "draw", "header");
   assert_int_equal(t->count, 0);
   /* something after the end */
   EMIT(t, end, 0);
   EMIT(t, nop, 0);
   expect_fault(&s, "end", "header");
   /* cut in the middle of a packet */
   test_scene_emit_state(&s);
   test_scene_emit_draw(&s);
   t->count -= 3;
   expect_fault(&s, "draw", "header");
   /* unknown opcode, wrong size, reserved bits of header and body, undefined enum value */
   t->dw[t->count++] = 0x000100ff;
   expect_fault(&s, "?", "opcode");
   t->dw[t->count++] = CF_OPCODE_NOP | 2 << 16;
   expect_fault(&s, "nop", "header");
   t->dw[t->count++] = CF_OPCODE_NOP | 1 << 16 | 1 << 9;
   expect_fault(&s, "nop", "header");
   EMIT(t, stencil_ref, .front = 1);
   t->dw[1] |= 1u << 31;
   expect_fault(&s, "stencil_ref", "reserved");
   EMIT(t, condition, .result = s.result);
   t->dw[3] |= 1u << 31;
   expect_fault(&s, "condition", "reserved");
   test_scene_emit_draw(&s);
   t->dw[1] = 15;
   expect_fault(&s, "draw", "prim");
   /* no command buffer at all */
   const uint64_t seqno = t->gpu->ops->submit(t->gpu, 0x7000000000, 64, 0);
   assert_true(t->gpu->ops->wait(t->gpu, seqno, UINT64_MAX));
   expect_fault(&s, "(command buffer)", "header"); /* an empty command buffer */
   test_frame_close(&s.t, &s.color, &s.zs);
}

/* Packets before the malformed one are executed, later ones are not. */
static void
stops_there(void **state)
{
   struct test_scene s;
   test_scene_open(&s, 2);
   struct test_gpu *t = &s.t;
   test_scene_emit_state(&s);
   EMIT(t, scissor, .max_x_px = 10, .max_y_px = 10);
   test_scene_emit_draw(&s);
   EMIT(t, fill_buffer, .destination = s.result, .size_B = 4, .value = 5);
   EMIT(t, copy_buffer, .source = s.result, .destination = s.result + 8, .size_B = 4);
   EMIT(t, resolve, .surface = 0);
   EMIT(t, scissor, .max_x_px = TEST_SCENE_PX, .max_y_px = TEST_SCENE_PX);
   test_scene_emit_draw(&s);
   EMIT(t, fill_buffer, .destination = s.result, .size_B = 4, .value = 6);
   EMIT(t, end, 0);
   const uint64_t seqno = t->gpu->ops->submit(t->gpu, t->commands.address, t->count * 4, 0);
   assert_true(t->gpu->ops->wait(t->gpu, seqno, UINT64_MAX));
   const uint32_t *result =
      (const uint32_t *)((const uint8_t *)t->heap.map + (s.result - t->heap.address));
   assert_int_equal(result[0], 5);
   assert_int_equal(result[2], 5);
   assert_int_equal(test_surface_pixel(&s.color, 9, 9), TEST_SCENE_RED);
   assert_int_equal(test_surface_pixel(&s.color, 10, 9), 0);
   test_frame_close(&s.t, &s.color, &s.zs);
}

static void
flip(uint64_t *seed, uint32_t *dw, uint32_t count)
{
   uint32_t *at = &dw[test_random(seed) % count];
   switch (test_random(seed) % 4) {
   case 0:
      *at ^= 1u << test_random(seed) % 32;
      break;
   case 1:
      *at = (uint32_t)test_random(seed);
      break;
   case 2:
      *at += (uint32_t)(test_random(seed) % 9) - 4;
      break;
   default:
      *at = test_random(seed) % 2 ? 0 : UINT32_MAX;
   }
}

/* Fuzz for half of the time. With several threads, passes and transfers of a command buffer
 * overlap. */
static void
fuzz(int threads)
{
   struct test_scene s;
   test_scene_open(&s, threads);
   struct test_gpu *t = &s.t;
   struct cf_random seeds = cf_random_seed("command-malformed fuzz");
   uint64_t seed = cf_random_u64(&seeds) | 1;
   fflush(stdout); /* printed even if the process crashes here */
   const uint32_t heap_dw = (uint32_t)t->heap_used_B / 4;
   uint32_t *heap = t->heap.map, *good_heap = malloc(heap_dw * 4);
   memcpy(good_heap, heap, heap_dw * 4);
   struct timespec start, now;
   clock_gettime(CLOCK_MONOTONIC, &start);
   unsigned runs = 0, refused = 0;
   do {
      memcpy(heap, good_heap, heap_dw * 4);
      t->count = 0;
      test_scene_emit_all(&s);
      for (uint32_t n = 1 + (uint32_t)test_random(&seed) % 3; n > 0; n--) {
         if (test_random(&seed) % 2)
            flip(&seed, t->dw, t->count);
         else
            flip(&seed, heap, heap_dw);
      }
      test_tame_draws(t->dw, t->count);
      char before[320], after[320];
      t->gpu->ops->last_error(t->gpu, before, sizeof(before));
      const uint64_t seqno = t->gpu->ops->submit(t->gpu, t->commands.address, t->count * 4, 0);
      assert_true(t->gpu->ops->wait(t->gpu, seqno, UINT64_MAX));
      t->gpu->ops->last_error(t->gpu, after, sizeof(after));
      refused += strcmp(before, after) != 0;
      runs++;
      clock_gettime(CLOCK_MONOTONIC, &now);
   } while ((double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) * 1e-9 <
            fuzz_seconds / 2);
   printf("%u command buffers, %u different faults in a row\n", runs, refused);
   assert_true(runs > 10 && refused > 0);
   free(good_heap);
   test_frame_close(&s.t, &s.color, &s.zs);
}

static void
fuzz_one_thread(void **state)
{
   fuzz(1);
}

static void
fuzz_threads(void **state)
{
   fuzz(3);
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_bindings),    cmocka_unit_test(bad_frames_and_draws),
      cmocka_unit_test(bad_transfers),   cmocka_unit_test(bad_links),
      cmocka_unit_test(bad_gathers),     cmocka_unit_test(bad_reductions),
      cmocka_unit_test(bad_programs),    cmocka_unit_test(bad_surfaces),
      cmocka_unit_test(bad_feedback),    cmocka_unit_test(tables_in_the_way),
      cmocka_unit_test(bad_structure),   cmocka_unit_test(stops_there),
      cmocka_unit_test(fuzz_one_thread), cmocka_unit_test(fuzz_threads),
   };
   fuzz_seconds = argc > 1 ? atof(argv[1]) : fuzz_seconds;
   return cmocka_run_group_tests(tests, NULL, NULL);
}
