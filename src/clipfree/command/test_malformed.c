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
#include "clipfree/command/test_gpu.h"

#define SIZE_PX 100
#define RED 0xff0000ffu

static double fuzz_seconds = 2;

static const char *const vertex_text =
   "sys v8, vertex_id\nldf v0, 0[v8]\n"
   "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\nout 8, v0\nout 9, v1\nout 10, v2\nout 11, v3\n"
   "end\n";
static const char *const fragment_text =
   "ldvar v0, 0, smooth\nldvar v1, 1, smooth\ntex v4.xyzw, 0, v0, v1, 0, 0, implicit\n"
   "out 0, 1.0\nout 1, 0\nout 2, 0\nout 3, 1.0\n"
   "end\n";

struct scene {
   struct test_gpu t;
   struct test_surface color, zs;
   uint64_t vertex_program, fragment_program, elements, link, texture, sampler, indices, result;
   struct cf_texture descriptor; /* of `texture` */
};

static void
scene_open(struct scene *s, int threads)
{
   struct test_gpu *t = &s->t;
   uint32_t dw[64];
   test_gpu_open(t, threads);
   test_surface_create(t, &s->color, CF_FORMAT_R8G8B8A8_UNORM, SIZE_PX, SIZE_PX, true);
   test_surface_create(t, &s->zs, CF_FORMAT_Z24_UNORM_S8_UINT, SIZE_PX, SIZE_PX, true);
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

/* All state a draw needs. */
static void
emit_state(struct scene *s)
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

static void
emit_good_draw(struct scene *s)
{
   EMIT(&s->t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .count = 4, .instances = 1);
}

/* Submit what was emitted: it fails, naming packet and field; then a valid submission succeeds. */
static void
expect_fault(struct scene *s, const char *packet, const char *field)
{
   struct test_gpu *t = &s->t;
   char text[320], wanted[100];
   const uint64_t seqno = t->gpu->ops->submit(t->gpu, t->commands.address, t->count * 4);
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
   emit_state(s);
   emit_good_draw(s);
   test_submit(t);
   assert_int_equal(test_surface_pixel(&s->color, 50, 50), RED);
   t->count = 0;
}

#define BAD(packet, field, type, ...)                                                              \
   do {                                                                                            \
      emit_state(&s);                                                                              \
      EMIT(&s.t, type, __VA_ARGS__);                                                               \
      emit_good_draw(&s);                                                                          \
      EMIT(&s.t, end, 0);                                                                          \
      expect_fault(&s, packet, field);                                                             \
   } while (0)

#define NOWHERE 0x7000000000 /* an address without memory */

static void
bad_bindings(void **state)
{
   struct scene s;
   scene_open(&s, 1);
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
   struct scene s;
   scene_open(&s, 1);
   BAD("framebuffer", "color", framebuffer, .width_px = SIZE_PX, .height_px = SIZE_PX,
       .color_count = 1, .color = { NOWHERE });
   BAD("framebuffer", "color", framebuffer, .width_px = SIZE_PX, .height_px = SIZE_PX,
       .color_count = 1, .color = { s.zs.address });
   BAD("framebuffer", "color", framebuffer, .width_px = SIZE_PX + 1, .height_px = 1,
       .color_count = 1, .color = { s.color.address });
   BAD("framebuffer", "depth_stencil", framebuffer, .width_px = 1, .height_px = 1,
       .depth_stencil = s.color.address);
   BAD("framebuffer", "color_count", framebuffer, .width_px = 1, .height_px = 1, .color_count = 9);
   BAD("framebuffer", "samples", framebuffer, .width_px = 1, .height_px = 1, .samples = 2);
   BAD("framebuffer", "color", framebuffer, .width_px = 1, .height_px = 1, .samples = 4,
       .color_count = 1, .color = { s.color.address });
   BAD("framebuffer", "depth_stencil", framebuffer, .width_px = 1, .height_px = 1, .samples = 4,
       .depth_stencil = s.zs.address);
   BAD("draw", "prim", framebuffer, .width_px = 0, .height_px = 0);
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
   struct scene s;
   scene_open(&s, 1);
   const uint64_t end = s.t.heap.address + s.t.heap.size_B;
   BAD("copy", "source", copy, .source = NOWHERE, .destination = s.color.address, .width_px = 1,
       .height_px = 1);
   BAD("copy", "width_px", copy, .source = s.zs.address, .destination = s.color.address,
       .width_px = SIZE_PX + 1, .height_px = 1);
   BAD("copy", "width_px", copy, .source = s.zs.address, .destination = s.color.address,
       .destination_y_px = 65535, .width_px = 1, .height_px = 2);
   BAD("copy", "part", copy, .source = s.color.address, .destination = s.color.address,
       .width_px = 1, .height_px = 1, .part = CF_COPY_PART_DEPTH);
   BAD("copy", "part", copy, .source = s.zs.address, .destination = s.color.address, .width_px = 1,
       .height_px = 1, .part = CF_COPY_PART_STENCIL);
   BAD("gather", "columns", gather, .source = s.color.address, .destination = s.color.address,
       .columns = NOWHERE, .rows = s.link, .width_px = 1, .height_px = 1);
   BAD("gather", "width_px", gather, .source = s.color.address, .destination = s.color.address,
       .columns = s.link, .rows = s.link, .width_px = SIZE_PX + 1, .height_px = 1);
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

/* A gather that overwrites its own tables uses their old entries. */
static void
tables_in_the_way(void **state)
{
   struct scene s;
   scene_open(&s, 2);
   struct test_surface white;
   test_surface_create(&s.t, &white, CF_FORMAT_R8G8B8A8_UNORM, SIZE_PX, SIZE_PX, true);
   test_emit_frame(&s.t, &white, NULL);
   EMIT(&s.t, clear, .colors = 1, .color = { 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000 },
        .max_x_px = SIZE_PX, .max_y_px = SIZE_PX);
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
   struct scene s;
   scene_open(&s, 0);
   struct test_gpu *t = &s.t;
   /* no end */
   emit_state(&s);
   emit_good_draw(&s);
   expect_fault(&s, "draw", "header");
   assert_int_equal(t->count, 0);
   /* something after the end */
   EMIT(t, end, 0);
   EMIT(t, nop, 0);
   expect_fault(&s, "end", "header");
   /* cut in the middle of a packet */
   emit_state(&s);
   emit_good_draw(&s);
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
   emit_good_draw(&s);
   t->dw[1] = 15;
   expect_fault(&s, "draw", "prim");
   /* no command buffer at all */
   const uint64_t seqno = t->gpu->ops->submit(t->gpu, 0x7000000000, 64);
   assert_true(t->gpu->ops->wait(t->gpu, seqno, UINT64_MAX));
   expect_fault(&s, "(command buffer)", "header"); /* an empty command buffer */
   test_frame_close(&s.t, &s.color, &s.zs);
}

/* Packets before the malformed one are executed, later ones are not. */
static void
stops_there(void **state)
{
   struct scene s;
   scene_open(&s, 2);
   struct test_gpu *t = &s.t;
   emit_state(&s);
   EMIT(t, scissor, .max_x_px = 10, .max_y_px = 10);
   emit_good_draw(&s);
   EMIT(t, fill_buffer, .destination = s.result, .size_B = 4, .value = 5);
   EMIT(t, copy_buffer, .source = s.result, .destination = s.result + 8, .size_B = 4);
   EMIT(t, resolve, .surface = 0);
   EMIT(t, scissor, .max_x_px = SIZE_PX, .max_y_px = SIZE_PX);
   emit_good_draw(&s);
   EMIT(t, fill_buffer, .destination = s.result, .size_B = 4, .value = 6);
   EMIT(t, end, 0);
   const uint64_t seqno = t->gpu->ops->submit(t->gpu, t->commands.address, t->count * 4);
   assert_true(t->gpu->ops->wait(t->gpu, seqno, UINT64_MAX));
   const uint32_t *result =
      (const uint32_t *)((const uint8_t *)t->heap.map + (s.result - t->heap.address));
   assert_int_equal(result[0], 5);
   assert_int_equal(result[2], 5);
   assert_int_equal(test_surface_pixel(&s.color, 9, 9), RED);
   assert_int_equal(test_surface_pixel(&s.color, 10, 9), 0);
   test_frame_close(&s.t, &s.color, &s.zs);
}

/* Large counts are legal but slow: limit them. */
static void
tame_draws(uint32_t *dw, uint32_t count)
{
   for (uint32_t at = 0; at < count && dw[at] >> 16; at += dw[at] >> 16) {
      if ((dw[at] & 0xff) == CF_OPCODE_DRAW && at + CF_DRAW_DWORDS <= count) {
         dw[at + 2] &= 0x3ff;
         dw[at + 4] &= 0x7;
      }
   }
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
   struct scene s;
   scene_open(&s, threads);
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
      emit_state(&s);
      EMIT(t, depth_stencil, .depth_test = true, .depth_write = true,
           .depth_func = CF_COMPARE_LEQUAL);
      EMIT(t, query, .kind = CF_QUERY_KIND_SAMPLES_PASSED, .begin = true, .result = s.result);
      emit_good_draw(&s);
      EMIT(t, clear, .colors = 1, .depth = true, .max_x_px = 50, .max_y_px = 70);
      EMIT(t, draw, .prim = CF_PRIM_KIND_TRIANGLE_FAN, .index_size_B = 2, .count = 8,
           .instances = 2, .index_size_total_B = 16, .index_address = s.indices, .restart = true,
           .restart_index = 5);
      EMIT(t, query, .kind = CF_QUERY_KIND_SAMPLES_PASSED, .result = s.result);
      EMIT(t, copy, .source = s.color.address, .destination = s.zs.address, .width_px = 64,
           .height_px = 30);
      EMIT(t, copy_buffer, .source = s.link, .destination = s.result, .size_B = 8);
      EMIT(t, fill_buffer, .destination = s.result, .size_B = 8, .value = 1);
      EMIT(t, draw, .prim = CF_PRIM_KIND_POINTS, .count = 8, .instances = 1);
      EMIT(t, resolve, .surface = s.zs.address);
      EMIT(t, end, 0);
      for (uint32_t n = 1 + (uint32_t)test_random(&seed) % 3; n > 0; n--) {
         if (test_random(&seed) % 2)
            flip(&seed, t->dw, t->count);
         else
            flip(&seed, heap, heap_dw);
      }
      tame_draws(t->dw, t->count);
      char before[320], after[320];
      t->gpu->ops->last_error(t->gpu, before, sizeof(before));
      const uint64_t seqno = t->gpu->ops->submit(t->gpu, t->commands.address, t->count * 4);
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
      cmocka_unit_test(bad_transfers),   cmocka_unit_test(tables_in_the_way),
      cmocka_unit_test(bad_structure),   cmocka_unit_test(stops_there),
      cmocka_unit_test(fuzz_one_thread), cmocka_unit_test(fuzz_threads),
   };
   fuzz_seconds = argc > 1 ? atof(argv[1]) : fuzz_seconds;
   return cmocka_run_group_tests(tests, NULL, NULL);
}
