/* SPDX-License-Identifier: MIT */
/*
 * Command buffers written by hand, from clear to pixels, against simple references.
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

#define WIDTH 200
#define HEIGHT 150

/* Position from element 0; the color passes through as varying slot 0, from element 1. */
static const char *const vertex_text = "sys v8, vertex_id\n"
                                       "ldf v0, 0[v8]\n"
                                       "ldf v4, 1[v8]\n"
                                       "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\n"
                                       "out 8, v4\nout 9, v5\nout 10, v6\nout 11, v7\n"
                                       "end\n";
static const char *const other_vertex_text =
   "sys v8, vertex_id\nldf v0, 0[v8]\nout 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\nend\n";
static const struct cf_program vertex_info = {
   .stage = CF_SHADER_STAGE_VERTEX, .vector_regs = 9, .outputs = 12, .sysvals = 1
};

struct vertex {
   float position[4], color[4];
};

struct scene {
   struct test_gpu t;
   struct test_surface color, zs;
   uint64_t vertex_program, fragment_program;
};

static void
scene_open(struct scene *s, int threads)
{
   test_gpu_open(&s->t, threads);
   test_surface_create(&s->t, &s->color, CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, true);
   test_surface_create(&s->t, &s->zs, CF_FORMAT_Z24_UNORM_S8_UINT, WIDTH, HEIGHT, true);
   s->vertex_program = test_program(&s->t, vertex_text, vertex_info);
   s->fragment_program = test_varyings_program(&s->t);
}

static void
emit_programs(struct scene *s)
{
   EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_VERTEX, .program = s->vertex_program);
   EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = s->fragment_program);
   uint32_t link[CF_LINK_DWORDS];
   cf_link_pack(link, &(struct cf_link){ .slot = 0, .present = true });
   EMIT(&s->t, varyings, .count = 1, .address = test_put(&s->t, link, sizeof(link)));
}

static void
emit_vertices(struct scene *s, const struct vertex *vertices, uint32_t count)
{
   const uint64_t address = test_put(&s->t, vertices, count * sizeof(*vertices));
   uint32_t dw[2 * CF_VERTEX_ELEMENT_DWORDS];
   const uint32_t size_B = count * (uint32_t)sizeof(*vertices);
   for (uint32_t i = 0; i < 2; i++) {
      const struct cf_vertex_element element = {
         .address = address + 16 * i,
         .size_B = size_B - 16 * i,
         .stride_B = sizeof(*vertices),
         .format = CF_FORMAT_R32G32B32A32_FLOAT,
      };
      cf_vertex_element_pack(dw + i * CF_VERTEX_ELEMENT_DWORDS, &element);
   }
   EMIT(&s->t, vertex_elements, .count = 2, .address = test_put(&s->t, dw, sizeof(dw)));
}

static uint32_t
float_bits(float x)
{
   uint32_t bits;
   memcpy(&bits, &x, 4);
   return bits;
}

static void
emit_clear(struct test_gpu *t, float r, float g, float b, float a)
{
   EMIT(t, clear, .colors = 1, .depth = true, .stencil = true, .stencil_write_mask = 0xff,
        .depth_value = 1.0f,
        .color = { float_bits(r), float_bits(g), float_bits(b), float_bits(a) }, .max_x_px = WIDTH,
        .max_y_px = HEIGHT);
}

/* A vertex at window position (x, y), with w other than 1, since nothing divides by it. */
static struct vertex
vertex_at(float x_px, float y_px, float z, float w, const float color[4])
{
   struct vertex v = { { (x_px / WIDTH * 2 - 1) * w, (y_px / HEIGHT * 2 - 1) * w, z * w, w },
                       { 0 } };
   memcpy(v.color, color, sizeof(v.color));
   return v;
}

static const float red[4] = { 1, 0, 0, 1 }, green[4] = { 0, 1, 0, 1 };
#define RED 0xff0000ffu
#define GREEN 0xff00ff00u
#define BLUE 0xffff0000u

/* Whether the point is inside the triangle (x, y)[3], counter-clockwise with y up; exact for small
 * multiples of 1/4. */
static bool
is_inside(const float p[3][2], float x, float y, bool *on_edge)
{
   bool inside = true;
   *on_edge = false;
   for (uint32_t i = 0; i < 3; i++) {
      const float *a = p[i], *b = p[(i + 1) % 3];
      const double e = (double)(b[0] - a[0]) * (y - a[1]) - (double)(b[1] - a[1]) * (x - a[0]);
      inside = inside && e >= 0;
      *on_edge = *on_edge || e == 0;
   }
   return inside;
}

static void
triangle(void **state)
{
   for (int threads = 0; threads <= 2; threads++) {
      struct scene s;
      scene_open(&s, threads);
      /* width and height are not powers of two, but corners at multiples of 25 are exact in clip
       * space */
      const float p[3][2] = { { 25, 25 }, { 175, 50 }, { 100, 125 } };
      const struct vertex vertices[3] = {
         vertex_at(p[0][0], p[0][1], 0, 1, red),
         vertex_at(p[1][0], p[1][1], 0, 1, red),
         vertex_at(p[2][0], p[2][1], 0, 1, red),
      };
      test_emit_frame(&s.t, &s.color, &s.zs);
      emit_clear(&s.t, 0, 0, 1, 1);
      emit_programs(&s);
      emit_vertices(&s, vertices, 3);
      EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 3, .instances = 1);
      test_submit(&s.t);
      test_no_error(&s.t);
      uint32_t covered = 0;
      for (uint32_t y = 0; y < HEIGHT; y++) {
         for (uint32_t x = 0; x < WIDTH; x++) {
            bool on_edge;
            const bool inside = is_inside(p, x + 0.5f, y + 0.5f, &on_edge);
            const uint32_t pixel = test_surface_pixel(&s.color, x, y);
            if (!on_edge)
               assert_int_equal(pixel, inside ? RED : BLUE);
            covered += pixel == RED;
         }
      }
      assert_in_range(covered, 6500, 6620); /* its area is 6562.5 */
      test_frame_close(&s.t, &s.color, &s.zs);
   }
}

/* Nearer wins whatever the order; the quad in front hides half of the one behind. */
static void
depth(void **state)
{
   struct scene s;
   scene_open(&s, 2);
   struct vertex vertices[8];
   const float corner[4][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1 } };
   for (uint32_t i = 0; i < 4; i++) {
      vertices[i] = vertex_at(corner[i][0] * 100, corner[i][1] * HEIGHT, -0.5f, 2, red);
      vertices[4 + i] = vertex_at(corner[i][0] * WIDTH, corner[i][1] * HEIGHT, 0.5f, 0.25f, green);
   }
   test_emit_frame(&s.t, &s.color, &s.zs);
   EMIT(&s.t, depth_stencil, .depth_test = true, .depth_write = true,
        .depth_func = CF_COMPARE_LESS);
   emit_clear(&s.t, 0, 0, 1, 1);
   emit_programs(&s);
   emit_vertices(&s, vertices, 8);
   struct cf_bo result;
   assert_true(s.t.gpu->ops->bo_alloc(s.t.gpu, 40, &result));
   const uint64_t *passed = result.map,
                  start_ns = s.t.gpu->ops->get_param(s.t.gpu, CF_PARAM_TIME_NS);
   EMIT(&s.t, query, .kind = CF_QUERY_KIND_TIME, .begin = true, .result = result.address + 24);
   EMIT(&s.t, query, .kind = CF_QUERY_KIND_SAMPLES_PASSED, .begin = true, .result = result.address);
   EMIT(&s.t, query, .kind = CF_QUERY_KIND_PRIMITIVES, .begin = true, .result = result.address + 8);
   EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .count = 4, .instances = 1);
   EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .start = 4, .count = 4, .instances = 1);
   EMIT(&s.t, query, .kind = CF_QUERY_KIND_SAMPLES_PASSED, .result = result.address);
   EMIT(&s.t, query, .kind = CF_QUERY_KIND_PRIMITIVES, .result = result.address + 8);
   EMIT(&s.t, query, .kind = CF_QUERY_KIND_TIMESTAMP, .result = result.address + 16);
   EMIT(&s.t, query, .kind = CF_QUERY_KIND_TIME, .result = result.address + 24);
   /* active until the submission's end */
   EMIT(&s.t, query, .kind = CF_QUERY_KIND_TIME, .begin = true, .result = result.address + 32);
   EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .start = 4, .count = 4, .instances = 1);
   test_submit(&s.t);
   test_no_error(&s.t);
   for (uint32_t y = 0; y < HEIGHT; y++) {
      for (uint32_t x = 0; x < WIDTH; x++)
         assert_int_equal(test_surface_pixel(&s.color, x, y), x < 100 ? RED : GREEN);
   }
   assert_int_equal(passed[0], WIDTH * HEIGHT);
   assert_int_equal(passed[1], 4);
   const uint64_t end_ns = s.t.gpu->ops->get_param(s.t.gpu, CF_PARAM_TIME_NS);
   assert_in_range(passed[2], start_ns, end_ns);
   assert_in_range(passed[3], 1, end_ns - start_ns);
   assert_in_range(passed[4], 1, end_ns - start_ns - passed[3]);
   test_frame_close(&s.t, &s.color, &s.zs);
}

/* Indices of all sizes, with restart and bias, draw what the vertices in order draw. */
static void
indices(void **state)
{
   struct scene s;
   scene_open(&s, 0);
   struct vertex vertices[12];
   const float corner[4][2] = { { 0, 0 }, { 50, 0 }, { 0, 50 }, { 50, 50 } };
   for (uint32_t i = 0; i < 12; i++)
      vertices[i] = vertex_at(corner[i % 4][0] + 50.0f * (i / 4), corner[i % 4][1], 0, 1,
                              i / 4 % 2 ? green : red);
   const uint8_t index_8[] = { 9, 255, 0, 1, 2, 3, 255, 8, 9, 10, 11, 255, 4 };
   for (uint32_t size_B = 1; size_B <= 4; size_B *= 2) {
      uint8_t bytes[sizeof(index_8) * 4] = { 0 };
      for (uint32_t i = 0; i < sizeof(index_8); i++)
         memset(bytes + i * size_B, index_8[i], 1), memset(bytes + i * size_B + 1, 0, size_B - 1);
      test_emit_frame(&s.t, &s.color, NULL);
      emit_clear(&s.t, 0, 0, 1, 1);
      emit_programs(&s);
      emit_vertices(&s, vertices, 12);
      EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .index_size_B = size_B, .restart = true,
           .restart_index = 255, .start = 1, .count = sizeof(index_8) - 1, .instances = 1,
           .index_size_total_B = sizeof(index_8) * size_B,
           .index_address = test_put(&s.t, bytes, sizeof(bytes)));
      /* the middle strip, through its bias; elements past the buffer's end are not drawn */
      EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .index_size_B = size_B, .start = 2,
           .count = 4, .instances = 1, .index_bias = 4, .index_size_total_B = 6 * size_B,
           .index_address = test_put(&s.t, bytes, sizeof(bytes)));
      test_submit(&s.t);
      test_no_error(&s.t);
      for (uint32_t y = 0; y < HEIGHT; y++) {
         for (uint32_t x = 0; x < WIDTH; x++) {
            const uint32_t expected = y >= 50 || x >= 150 ? BLUE : x / 50 % 2 ? GREEN : RED;
            assert_int_equal(test_surface_pixel(&s.color, x, y), expected);
         }
      }
   }
   test_frame_close(&s.t, &s.color, &s.zs);
}

/* A clear between draws overwrites earlier draws inside its rectangle; clears of depth or stencil
 * alone. */
static void
clears(void **state)
{
   struct scene s;
   scene_open(&s, 2);
   struct vertex vertices[4];
   const float corner[4][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1 } };
   for (uint32_t i = 0; i < 4; i++)
      vertices[i] = vertex_at(corner[i][0] * WIDTH, corner[i][1] * HEIGHT, 0, 1, red);
   test_emit_frame(&s.t, &s.color, &s.zs);
   emit_clear(&s.t, 0, 0, 1, 1);
   emit_programs(&s);
   emit_vertices(&s, vertices, 4);
   EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .count = 4, .instances = 1);
   EMIT(&s.t, clear, .colors = 1, .color = { 0, float_bits(1), 0, float_bits(1) }, .min_x_px = 30,
        .min_y_px = 20, .max_x_px = 170, .max_y_px = 140);
   EMIT(&s.t, clear, .stencil = true, .stencil_value = 0xa5, .stencil_write_mask = 0x0f,
        .max_x_px = 64, .max_y_px = 64);
   EMIT(&s.t, clear, .depth = true, .depth_value = 0.0f, .min_x_px = 50, .max_x_px = WIDTH,
        .max_y_px = HEIGHT);
   EMIT(&s.t, scissor, .min_x_px = 100, .min_y_px = 50, .max_x_px = 120, .max_y_px = 60);
   EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .count = 4, .instances = 1);
   test_submit(&s.t);
   test_no_error(&s.t);
   for (uint32_t y = 0; y < HEIGHT; y++) {
      for (uint32_t x = 0; x < WIDTH; x++) {
         const bool cleared = x >= 30 && x < 170 && y >= 20 && y < 140;
         const bool redrawn = x >= 100 && x < 120 && y >= 50 && y < 60;
         assert_int_equal(test_surface_pixel(&s.color, x, y), cleared && !redrawn ? GREEN : RED);
         const uint32_t stencil = x < 64 && y < 64 ? 0x05000000u : 0, z = x >= 50 ? 0 : 0xffffffu;
         assert_int_equal(test_surface_pixel(&s.zs, x, y), stencil | z);
      }
   }
   test_frame_close(&s.t, &s.color, &s.zs);
}

/* Copies from blocks to linear and back, whole and in part; resolve writes pending clears to
 * memory. */
static void
copies(void **state)
{
   struct scene s;
   struct test_surface linear;
   scene_open(&s, 2);
   test_surface_create(&s.t, &linear, CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, false);
   uint32_t *pixel = linear.bo.map;
   for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
      pixel[i] = i * 2654435761u;
   EMIT(&s.t, copy, .source = linear.address, .destination = s.color.address, .width_px = WIDTH,
        .height_px = HEIGHT);
   test_submit(&s.t);
   for (uint32_t y = 0; y < HEIGHT; y++) {
      for (uint32_t x = 0; x < WIDTH; x++)
         assert_int_equal(test_surface_pixel(&s.color, x, y), (y * WIDTH + x) * 2654435761u);
   }
   memset(pixel, 0, 4 * WIDTH * HEIGHT);
   EMIT(&s.t, copy, .source = s.color.address, .destination = linear.address, .source_x_px = 3,
        .source_y_px = 5, .destination_x_px = 10, .destination_y_px = 60, .width_px = 100,
        .height_px = 80);
   test_submit(&s.t);
   for (uint32_t y = 0; y < HEIGHT; y++) {
      for (uint32_t x = 0; x < WIDTH; x++) {
         const bool copied = x >= 10 && x < 110 && y >= 60 && y < 140;
         assert_int_equal(pixel[y * WIDTH + x],
                          copied ? ((y - 55) * WIDTH + x - 7) * 2654435761u : 0);
      }
   }
   test_emit_frame(&s.t, &s.color, NULL);
   emit_clear(&s.t, 0, 0, 1, 1);
   EMIT(&s.t, resolve, .surface = s.color.address);
   test_submit(&s.t);
   test_no_error(&s.t);
   for (uint32_t i = 0; i < WIDTH * HEIGHT;
        i++) /* width and height are not multiples of a block: stay inside */
      assert_int_equal(((const uint32_t *)s.color.bo.map)[i], BLUE);
   uint32_t words[16];
   const uint64_t address = test_put(&s.t, words, sizeof(words));
   EMIT(&s.t, fill_buffer, .destination = address, .size_B = 32, .value = 0x12345678);
   EMIT(&s.t, copy_buffer, .source = address, .destination = address + 32, .size_B = 32);
   test_submit(&s.t);
   test_no_error(&s.t);
   const uint32_t *filled =
      (const uint32_t *)((const uint8_t *)s.t.heap.map + (address - s.t.heap.address));
   for (uint32_t i = 0; i < 16; i++)
      assert_int_equal(filled[i], 0x12345678);
   test_surface_free(&s.t, &linear);
   test_frame_close(&s.t, &s.color, &s.zs);
}

/* Red and green of unit 0, blue and alpha of unit 11. */
static const char *const lookup_text =
   "tex v0.xyzw, 0, 0, 0, 0, 0, fetch\ntex v4.xyzw, 11, 0, 0, 0, 0, fetch\n"
   "out 0, v0\nout 1, v1\nout 2, v6\nout 3, v7\n"
   "end\n";
static const struct cf_program lookup_info = {
   .stage = CF_SHADER_STAGE_FRAGMENT, .vector_regs = 8, .outputs = 4, .color_outputs = 1
};

#define TEXTURES 100 /* more than the GPU has units */
#define SAMPLERS 3
#define NO_TEXEL 0xff000000u /* result of sampling an unbound unit */

struct bindings {
   uint64_t texture[TEXTURES], sampler[SAMPLERS];
   uint32_t texel[TEXTURES];                  /* that the descriptors name */
   uint32_t bound[2][CF_MAX_TEXTURE_UNITS]; /* texel, by stage */
};

static void
make_bindings(struct test_gpu *t, struct bindings *b, uint64_t *seed)
{
   uint32_t dw[CF_SAMPLER_DWORDS];
   for (uint32_t i = 0; i < TEXTURES; i++) {
      b->texel[i] = (uint32_t)test_random(seed);
      const struct cf_texture texture = test_linear_texture(test_put(t, &b->texel[i], 4), 1, 1);
      b->texture[i] = test_put_texture(t, &texture);
   }
   for (uint32_t i = 0; i < SAMPLERS; i++) {
      cf_sampler_pack(dw, &(struct cf_sampler){ 0 });
      b->sampler[i] = test_put(t, dw, 4 * CF_SAMPLER_DWORDS);
   }
}

/* Bind some units, mostly those that the programs sample; now and then the GPU overwrites a
 * descriptor, which takes effect when it is bound again. */
static void
change_bindings(struct test_gpu *t, struct bindings *b, uint64_t *seed)
{
   for (uint32_t n = (uint32_t)test_random(seed) % 4; n > 0; n--) {
      const uint32_t stage =
         test_random(seed) % 4 ? CF_SHADER_STAGE_FRAGMENT : CF_SHADER_STAGE_VERTEX;
      const uint32_t unit = test_random(seed) % 2
                               ? (uint32_t)test_random(seed) % CF_MAX_TEXTURE_UNITS
                               : 11 * (test_random(seed) % 2);
      const uint32_t i = (uint32_t)test_random(seed) % (test_random(seed) % 2 ? 4 : TEXTURES);
      const bool none = test_random(seed) % 8 == 0;
      EMIT(t, bind_texture, .stage = (enum cf_shader_stage)stage, .unit = unit,
           .texture = none ? 0 : b->texture[i],
           .sampler = b->sampler[test_random(seed) % SAMPLERS]);
      b->bound[stage][unit] = none ? NO_TEXEL : b->texel[i];
   }
   if (test_random(seed) % 20 == 0) {
      const uint32_t from = (uint32_t)test_random(seed) % TEXTURES,
                     to = (uint32_t)test_random(seed) % 4;
      if (from != to)
         EMIT(t, copy_buffer, .source = b->texture[from], .destination = b->texture[to],
              .size_B = 4 * CF_TEXTURE_DWORDS);
      b->texel[to] = b->texel[from];
   }
}

/* One draw per pixel, each with other bindings. */
static void
textures(void **state)
{
   const uint32_t draws = 4 * WIDTH;
   uint32_t expected[4 * WIDTH];
   struct cf_random seeds = cf_random_seed("command-draw");
   for (int round = 0; round < 6; round++) {
      uint64_t random = cf_random_u64(&seeds) | 1;
      struct scene s;
      struct bindings b;
      scene_open(&s, round % 3);
      s.fragment_program = test_program(&s.t, lookup_text, lookup_info);
      make_bindings(&s.t, &b, &random);
      const struct vertex vertices[3] = { vertex_at(-WIDTH, 0, 0, 1, red),
                                          vertex_at(3 * WIDTH, 0, 0, 1, red),
                                          vertex_at(WIDTH, 4 * HEIGHT, 0, 1, red) };
      /* nothing is bound at the start of a submission */
      for (uint32_t half = 0; half < 2; half++) {
         test_emit_frame(&s.t, &s.color, &s.zs);
         emit_programs(&s);
         emit_vertices(&s, vertices, 3);
         for (uint32_t i = 0; i < 2 * CF_MAX_TEXTURE_UNITS; i++)
            b.bound[i / CF_MAX_TEXTURE_UNITS][i % CF_MAX_TEXTURE_UNITS] = NO_TEXEL;
         for (uint32_t i = half * draws / 2; i < (half + 1) * draws / 2; i++) {
            const uint32_t x = i % WIDTH, y = i / WIDTH, *bound = b.bound[CF_SHADER_STAGE_FRAGMENT];
            change_bindings(&s.t, &b, &random);
            EMIT(&s.t, scissor, .min_x_px = x, .min_y_px = y, .max_x_px = x + 1, .max_y_px = y + 1);
            EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 3, .instances = 1);
            expected[i] = (bound[0] & 0xffff) | (bound[11] & 0xffff0000);
         }
         test_submit(&s.t);
         test_no_error(&s.t);
      }
      for (uint32_t i = 0; i < draws; i++) {
         if (test_surface_pixel(&s.color, i % WIDTH, i / WIDTH) != expected[i])
            fail_msg("round %d: draw %u shows %08x, not %08x", round, i,
                     test_surface_pixel(&s.color, i % WIDTH, i / WIDTH), expected[i]);
      }
      test_frame_close(&s.t, &s.color, &s.zs);
   }
}

/* More primitives than a pass holds: each is drawn once. Counted by the stencil buffer, modulo
 * 256. */
static void
many(void **state)
{
   const uint32_t instances = 200003; /* about 80 MB of primitives */
   for (int threads = 0; threads <= 2; threads += 2) {
      struct scene s;
      scene_open(&s, threads);
      const struct vertex vertices[3] = {
         vertex_at(62, 62, 0, 1, red),
         vertex_at(67, 62, 0, 1, red),
         vertex_at(62, 67, 0, 1, red),
      };
      struct cf_bo result;
      assert_true(s.t.gpu->ops->bo_alloc(s.t.gpu, 16, &result));
      test_emit_frame(&s.t, &s.color, &s.zs);
      emit_clear(&s.t, 0, 0, 1, 1);
      emit_programs(&s);
      emit_vertices(&s, vertices, 3);
      EMIT(&s.t, depth_stencil, .stencil_front = true, .front_func = CF_COMPARE_ALWAYS,
           .front_zpass = CF_STENCIL_OP_INCR_WRAP, .front_value_mask = 0xff,
           .front_write_mask = 0xff);
      EMIT(&s.t, blend, .write_mask = 0);
      EMIT(&s.t, query, .kind = CF_QUERY_KIND_SAMPLES_PASSED, .begin = true,
           .result = result.address);
      EMIT(&s.t, query, .kind = CF_QUERY_KIND_PRIMITIVES, .begin = true,
           .result = result.address + 8);
      EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 3, .instances = instances);
      test_submit(&s.t);
      test_no_error(&s.t);
      uint32_t covered = 0;
      for (uint32_t y = 60; y < 70; y++) {
         for (uint32_t x = 60; x < 70; x++) {
            const bool inside = x >= 62 && y >= 62 && x + y < 62 + 62 + 4;
            const uint32_t stencil = test_surface_pixel(&s.zs, x, y) >> 24;
            if (x + y != 62 + 62 + 4) /* not pixel centres on the edge */
               assert_int_equal(stencil, inside ? instances % 256 : 0);
            covered += stencil != 0;
         }
      }
      const uint64_t *count = result.map;
      assert_int_equal(count[0], (uint64_t)covered * instances);
      assert_int_equal(count[1], instances);
      test_frame_close(&s.t, &s.color, &s.zs);
   }
}

/* The watchdog ends an endless program, and the submission fails. */
static void
watchdog(void **state)
{
   struct scene s;
   scene_open(&s, 2);
   const uint64_t endless = test_program(
      &s.t, "loop\nagain: mov v0, v0\nendloop again\nend\n",
      (struct cf_program){
         .stage = CF_SHADER_STAGE_FRAGMENT, .vector_regs = 4, .outputs = 4, .color_outputs = 1 });
   struct vertex vertices[3];
   for (uint32_t i = 0; i < 3; i++)
      vertices[i] = vertex_at(i == 1 ? WIDTH : 0, i == 2 ? HEIGHT : 0, 0, 1, red);
   test_emit_frame(&s.t, &s.color, NULL);
   emit_clear(&s.t, 0, 0, 1, 1);
   emit_programs(&s);
   EMIT(&s.t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = endless);
   emit_vertices(&s, vertices, 3);
   EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 3, .instances = 1);
   test_submit(&s.t);
   char text[320];
   s.t.gpu->ops->last_error(s.t.gpu, text, sizeof(text));
   assert_non_null(strstr(text, "was stopped"));
   assert_int_equal(s.t.gpu->ops->reset_status(s.t.gpu), CF_RESET_GUILTY);
   assert_int_equal(test_surface_pixel(&s.color, 5, 5), BLUE);
   test_frame_close(&s.t, &s.color, &s.zs);
}

/* Invalidation drops the pending clear before it; clears and draws after it are written. */
static void
invalidate(void **state)
{
   struct scene s;
   scene_open(&s, 0);
   struct vertex vertices[3];
   for (uint32_t i = 0; i < 3; i++)
      vertices[i] = vertex_at(i == 1 ? WIDTH : 0, i == 2 ? HEIGHT : 0, 0, 1, red);
   const uint64_t surface = s.color.address;
   test_emit_frame(&s.t, &s.color, NULL);
   emit_clear(&s.t, 0, 0, 1, 1);
   EMIT(&s.t, invalidate, .surface = surface);
   EMIT(&s.t, resolve, .surface = surface);
   test_submit(&s.t);
   assert_int_equal(test_surface_pixel(&s.color, 150, 140), 0);

   test_emit_frame(&s.t, &s.color, NULL);
   emit_programs(&s);
   emit_vertices(&s, vertices, 3);
   EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 3, .instances = 1);
   EMIT(&s.t, invalidate, .surface = surface);
   emit_clear(&s.t, 0, 0, 1, 1);
   EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 3, .instances = 1);
   EMIT(&s.t, resolve, .surface = surface);
   test_submit(&s.t);
   assert_int_equal(test_surface_pixel(&s.color, 5, 5), RED);
   assert_int_equal(test_surface_pixel(&s.color, 150, 140), BLUE);
   test_frame_close(&s.t, &s.color, &s.zs);
}

/* Vertices outside of their buffer read as 0, with one warning that names the first. */
static void
outside(void **state)
{
   struct scene s;
   struct cf_report report;
   scene_open(&s, 2);
   struct vertex vertices[3];
   for (uint32_t i = 0; i < 3; i++)
      vertices[i] = vertex_at(i == 1 ? WIDTH : 0, i == 2 ? HEIGHT : 0, 0, 1, red);
   for (uint32_t n = 0; n < 2; n++) {
      test_emit_frame(&s.t, &s.color, NULL);
      emit_programs(&s);
      emit_vertices(&s, vertices, 3);
      EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 3, .instances = 1);
      test_submit(&s.t);
      assert_int_equal(s.t.gpu->ops->get_param(s.t.gpu, CF_PARAM_REPORTS), n);
      test_emit_frame(&s.t, &s.color, NULL);
      emit_programs(&s);
      emit_vertices(&s, vertices, 3);
      EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .start = 2, .count = 3, .instances = 1);
      test_submit(&s.t);
      assert_int_equal(s.t.gpu->ops->get_param(s.t.gpu, CF_PARAM_REPORTS), 1);
   }
   assert_true(s.t.gpu->ops->report(s.t.gpu, 1, &report));
   assert_false(s.t.gpu->ops->report(s.t.gpu, 0, &report) ||
                s.t.gpu->ops->report(s.t.gpu, 2, &report));
   assert_int_equal(report.seqno, 2);
   assert_int_equal(report.kind, CF_REPORT_WARNING);
   assert_non_null(strstr(report.text, "packet draw"));
   assert_null(strstr(report.text, "vertex shader at 0x0,"));
   assert_non_null(strstr(report.text, "pc 1, lane 1: vertex 3 of element 0"));
   /* another program gets a warning of its own */
   s.vertex_program = test_program(&s.t, other_vertex_text, vertex_info);
   test_emit_frame(&s.t, &s.color, NULL);
   emit_programs(&s);
   emit_vertices(&s, vertices, 3);
   EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .start = 2, .count = 3, .instances = 1);
   test_submit(&s.t);
   assert_true(s.t.gpu->ops->report(s.t.gpu, 2, &report));
   assert_int_equal(report.seqno, 5);
   assert_int_equal(s.t.gpu->ops->reset_status(s.t.gpu), CF_RESET_NONE);
   test_frame_close(&s.t, &s.color, &s.zs);
}

/* Where draws share vertex tasks, the warning names the right draw, and no draw reads vertices
 * beyond its own buffer that are inside another's. */
static void
outside_together(void **state)
{
   enum { DRAWS = 5 };
   for (uint32_t bad = 0; bad < DRAWS; bad++) {
      struct scene s;
      struct cf_report report;
      char draw[64], load[64];
      scene_open(&s, (int)bad % 3);
      test_emit_frame(&s.t, &s.color, NULL);
      emit_programs(&s);
      for (uint32_t i = 0; i < DRAWS; i++) {
         struct vertex vertices[4];
         for (uint32_t k = 0; k < 4; k++)
            vertices[k] =
               vertex_at(8 * (float)(i + k % 2), k < 2 ? 0 : 8, 0, 1, i == bad ? green : red);
         emit_vertices(&s, vertices, i == bad ? 3 : 4);
         if (i == bad)
            snprintf(draw, sizeof(draw), "packet draw at 0x%llx:",
                     (unsigned long long)(s.t.commands.address + 4 * s.t.count));
         EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .count = 4, .instances = 1);
      }
      test_submit(&s.t);
      assert_true(s.t.gpu->ops->report(s.t.gpu, 1, &report));
      snprintf(load, sizeof(load), "lane %u: vertex 3 of element 0", 4 * bad + 3);
      if (!strstr(report.text, draw) || !strstr(report.text, load))
         fail_msg("draw %u: not %s %s, but %s", bad, draw, load, report.text);
      for (uint32_t i = 0; i < DRAWS; i++)
         assert_int_equal(test_surface_pixel(&s.color, 8 * i + 1, 1), i == bad ? GREEN : RED);
      for (uint32_t i = 0; i < DRAWS; i++) /* the fourth corner of the quad */
         assert_int_equal(test_surface_pixel(&s.color, 8 * i + 6, 6), i == bad ? 0 : RED);
      test_frame_close(&s.t, &s.color, &s.zs);
   }
}

/* Alpha that a program does not write is 0 for the alpha test, whatever the programs before it
 * wrote. */
static void
unwritten_alpha(void **state)
{
   for (int threads = 0; threads <= 2; threads++) {
      struct scene s;
      scene_open(&s, threads);
      const uint64_t nothing =
         test_program(&s.t, "end\n", (struct cf_program){ .stage = CF_SHADER_STAGE_FRAGMENT });
      struct vertex vertices[3];
      for (uint32_t i = 0; i < 3; i++)
         vertices[i] = vertex_at(i == 1 ? WIDTH : 0, i == 2 ? HEIGHT : 0, 0, 1, red);
      const uint64_t result = test_put(&s.t, &(uint64_t){ 0 }, sizeof(uint64_t));
      test_emit_frame(&s.t, &s.color, &s.zs);
      emit_clear(&s.t, 0, 0, 1, 1);
      emit_programs(&s);
      emit_vertices(&s, vertices, 3);
      EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 3, .instances = 1);
      EMIT(&s.t, depth_stencil, .alpha_test = true, .alpha_func = CF_COMPARE_GREATER,
           .alpha_ref = 0.5f);
      EMIT(&s.t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = nothing);
      EMIT(&s.t, query, .kind = CF_QUERY_KIND_SAMPLES_PASSED, .begin = true, .result = result);
      EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 3, .instances = 1);
      EMIT(&s.t, query, .kind = CF_QUERY_KIND_SAMPLES_PASSED, .result = result);
      test_submit(&s.t);
      test_no_error(&s.t);
      const uint8_t *heap = s.t.heap.map;
      assert_int_equal(*(const uint64_t *)(heap + (result - s.t.heap.address)), 0);
      test_frame_close(&s.t, &s.color, &s.zs);
   }
}

/* Pack two elements: positions, and one colour for all vertices, in one of two formats. */
static void
pack_two_elements(uint32_t dw[2 * CF_VERTEX_ELEMENT_DWORDS], uint64_t positions, uint32_t size_B,
                  uint64_t color, bool bytes)
{
   const struct cf_vertex_element element[2] = {
      { .address = positions, .size_B = size_B, .stride_B = sizeof(struct vertex), .format = CF_FORMAT_R32G32B32A32_FLOAT },
      { .address = color + (bytes ? 16 : 0), .size_B = bytes ? 4 : 16,
        .format = bytes ? CF_FORMAT_R8G8B8A8_UNORM : CF_FORMAT_R32G32B32A32_FLOAT },
   };
   for (uint32_t i = 0; i < 2; i++)
      cf_vertex_element_pack(dw + i * CF_VERTEX_ELEMENT_DWORDS, &element[i]);
}

/* As vertex_text, but for blue, which is a uniform. */
static const char *const uniform_vertex_text = "sys v8, vertex_id\nldf v0, 0[v8]\nldf v4, 1[v8]\n"
                                               "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\n"
                                               "out 8, v4\nout 9, v5\nout 10, u0\nout 11, v7\nend\n";

/* A draw uses the bound array of vertex elements, whichever arrays were bound before, whatever else
 * of the stage changed since, in any pass, and also after a packet overwrote the array. */
static void
elements_again(void **state)
{
   enum { ARRAYS = 40, CELLS = 600, CELL_PX = 5, ROW = WIDTH / CELL_PX };
   static struct vertex vertices[4 * CELLS];
   for (int threads = 0; threads <= 2; threads++) {
      struct scene s;
      uint64_t seed = 977 + (uint64_t)threads, array[ARRAYS];
      uint32_t shown[ARRAYS], expected[CELLS], blue = 0;
      scene_open(&s, threads);
      s.vertex_program = test_program(&s.t, uniform_vertex_text, vertex_info);
      for (uint32_t i = 0; i < 4 * CELLS; i++)
         vertices[i] = vertex_at((float)(CELL_PX * (i / 4 % ROW + i % 2)),
                                 (float)(CELL_PX * (i / 4 / ROW + i / 2 % 2)), 0, 1, red);
      const uint64_t positions = test_put(&s.t, vertices, sizeof(vertices));
      for (uint32_t i = 0; i < ARRAYS; i++) {
         const float color[4] = { (float)i / 255, (float)(i % 3) / 255, 0, 1 };
         uint32_t dw[2 * CF_VERTEX_ELEMENT_DWORDS], both[5];
         shown[i] = 0xff000000u | i % 3 << 8 | i;
         memcpy(both, color, sizeof(color));
         both[4] = shown[i];
         pack_two_elements(dw, positions, sizeof(vertices), test_put(&s.t, both, sizeof(both)),
                           i % 5 == 0);
         array[i] = test_put(&s.t, dw, sizeof(dw));
      }
      test_emit_frame(&s.t, &s.color, NULL);
      emit_programs(&s);
      for (uint32_t cell = 0; cell < CELLS; cell++) {
         const uint32_t i = (uint32_t)(test_random(&seed) % (cell % 100 < 50 ? 2 : ARRAYS));
         if (cell == 0 || test_random(&seed) % 8 == 0) {
            blue = (uint32_t)(test_random(&seed) % 256);
            const float uniform[4] = { (float)blue / 255 };
            EMIT(&s.t, constants, .stage = CF_SHADER_STAGE_VERTEX, .size_B = 16,
                 .address = test_put(&s.t, uniform, sizeof(uniform)));
         }
         if (test_random(&seed) % 32 == 0) /* a pass begins */
            test_emit_frame(&s.t, &s.color, cell % 2 ? &s.zs : NULL);
         if (test_random(&seed) % 64 == 0) {
            const uint32_t from = (uint32_t)(test_random(&seed) % ARRAYS);
            EMIT(&s.t, copy_buffer, .source = array[from], .destination = array[i],
                 .size_B = 8 * CF_VERTEX_ELEMENT_DWORDS);
            shown[i] = shown[from];
         }
         EMIT(&s.t, vertex_elements, .count = 2, .address = array[i]);
         EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .start = 4 * cell, .count = 4,
              .instances = 1);
         expected[cell] = shown[i] | blue << 16;
      }
      test_submit(&s.t);
      test_no_error(&s.t);
      for (uint32_t cell = 0; cell < CELLS; cell++)
         assert_int_equal(
            test_surface_pixel(&s.color, CELL_PX * (cell % ROW) + 2, CELL_PX * (cell / ROW) + 2),
            expected[cell]);
      test_frame_close(&s.t, &s.color, &s.zs);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(triangle),        cmocka_unit_test(depth),
      cmocka_unit_test(indices),         cmocka_unit_test(clears),
      cmocka_unit_test(copies),          cmocka_unit_test(many),
      cmocka_unit_test(watchdog),        cmocka_unit_test(invalidate),
      cmocka_unit_test(outside),         cmocka_unit_test(outside_together),
      cmocka_unit_test(unwritten_alpha), cmocka_unit_test(elements_again),
      cmocka_unit_test(textures),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
