/* SPDX-License-Identifier: MIT */
#include "clipfree/command/test_scene.h"

static const char *const vertex_text =
   "sys v8, vertex_id\nldf v0, 0[v8]\n"
   "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\nout 8, v0\nout 9, v1\nout 10, v2\nout 11, v3\n"
   "end\n";
static const char *const fragment_text =
   "ldvar v0, 0, smooth\nldvar v1, 1, smooth\ntex v4.xyzw, 0, v0, v1, 0, 0, implicit\n"
   "out 0, 1.0\nout 1, 0\nout 2, 0\nout 3, 1.0\n"
   "end\n";

void
test_scene_open(struct test_scene *s, int threads)
{
   test_scene_open_on(s, test_model(threads, cf_host_level()));
}

void
test_scene_open_on(struct test_scene *s, struct cf_gpu *gpu)
{
   struct test_gpu *t = &s->t;
   uint32_t dw[64];
   test_gpu_open_on(t, gpu);
   test_surface_create(t, &s->color, CF_FORMAT_R8G8B8A8_UNORM, TEST_SCENE_PX, TEST_SCENE_PX, true);
   test_surface_create(t, &s->zs, CF_FORMAT_Z24_UNORM_S8_UINT, TEST_SCENE_PX, TEST_SCENE_PX, true);
   s->vertex_program = test_program(
      t, vertex_text,
      (struct cf_program){
         .stage = CF_SHADER_STAGE_VERTEX, .vector_regs = 9, .outputs = 12, .sysvals = 1 });
   s->fragment_program = test_program(t, fragment_text,
                                      (struct cf_program){ .stage = CF_SHADER_STAGE_FRAGMENT,
                                                           .vector_regs = 8,
                                                           .outputs = 4,
                                                           .inputs = 4,
                                                           .color_outputs = 1,
                                                           .needs_helpers = true });
   const float vertices[8][4] = { { -1, -1, 0, 1 }, { 1, -1, 0, 1 },  { -1, 1, 0, 1 },
                                  { 1, 1, 0, 1 },   { -3, -1, 0, 2 }, { 1, -5, 0, 1 },
                                  { -1, 1, 9, -1 }, { 1, 1, 0, 1 } };
   const struct cf_vertex_element element = { .address = test_put(t, vertices, sizeof(vertices)),
                                              .size_B = sizeof(vertices),
                                              .stride_B = 16,
                                              .format = CF_FORMAT_R32G32B32A32_FLOAT };
   cf_vertex_element_pack(dw, &element);
   s->elements = test_put(t, dw, CF_VERTEX_ELEMENT_DWORDS * 4);
   cf_link_pack(dw, &(struct cf_link){ .slot = 0, .present = true });
   s->link = test_put(t, dw, CF_LINK_DWORDS * 4);
   uint32_t texels[64] = { 0 };
   s->descriptor = test_linear_texture(test_put(t, texels, sizeof(texels)), 8, 8);
   s->texture = test_put_texture(t, &s->descriptor);
   cf_sampler_pack(dw, &(struct cf_sampler){ .max_lod = 10, .min_filter = CF_FILTER_LINEAR });
   s->sampler = test_put(t, dw, CF_SAMPLER_DWORDS * 4);
   const uint16_t indices[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
   s->indices = test_put(t, indices, sizeof(indices));
   const uint64_t result[2] = { 0 };
   s->result = test_put(t, result, sizeof(result));
}

void
test_scene_emit_state(struct test_scene *s)
{
   struct test_gpu *t = &s->t;
   test_emit_frame(t, &s->color, &s->zs);
   EMIT(t, shader, .stage = CF_SHADER_STAGE_VERTEX, .program = s->vertex_program);
   EMIT(t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = s->fragment_program);
   EMIT(t, varyings, .count = 1, .address = s->link);
   EMIT(t, vertex_elements, .count = 1, .address = s->elements);
   EMIT(t, bind_texture, .stage = CF_SHADER_STAGE_FRAGMENT, .texture = s->texture,
        .sampler = s->sampler);
   EMIT(t, constants, .stage = CF_SHADER_STAGE_FRAGMENT, .size_B = 64, .address = s->elements);
}

void
test_scene_emit_draw(struct test_scene *s)
{
   EMIT(&s->t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .count = 4, .instances = 1);
}

void
test_scene_emit_all(struct test_scene *s)
{
   struct test_gpu *t = &s->t;
   test_scene_emit_state(s);
   EMIT(t, depth_stencil, .depth_test = true, .depth_write = true, .depth_func = CF_COMPARE_LEQUAL);
   EMIT(t, query, .kind = CF_QUERY_KIND_SAMPLES_PASSED, .begin = true, .result = s->result);
   test_scene_emit_draw(s);
   EMIT(t, clear, .colors = 1, .depth = true, .max_x_px = 50, .max_y_px = 70);
   EMIT(t, draw, .prim = CF_PRIM_KIND_TRIANGLE_FAN, .index_size_B = 2, .count = 8, .instances = 2,
        .index_size_total_B = 16, .index_address = s->indices, .restart = true, .restart_index = 5);
   EMIT(t, query, .kind = CF_QUERY_KIND_SAMPLES_PASSED, .result = s->result);
   EMIT(t, copy, .source = s->color.address, .destination = s->zs.address, .width_px = 64,
        .height_px = 30);
   EMIT(t, copy_buffer, .source = s->link, .destination = s->result, .size_B = 8);
   EMIT(t, fill_buffer, .destination = s->result, .size_B = 8, .value = 1);
   EMIT(t, draw, .prim = CF_PRIM_KIND_POINTS, .count = 8, .instances = 1);
   EMIT(t, resolve, .surface = s->zs.address);
   EMIT(t, end, 0);
}

void
test_tame_draws(uint32_t *dw, uint32_t count)
{
   for (uint32_t at = 0; at < count && dw[at] >> 16; at += dw[at] >> 16) {
      if ((dw[at] & 0xff) == CF_OPCODE_DRAW && at + CF_DRAW_DWORDS <= count) {
         dw[at + 2] &= 0x3ff;
         dw[at + 4] &= 0x7;
      }
   }
}
