/* SPDX-License-Identifier: MIT */
#include "clipfree/command/test_picture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/command/test_gpu.h"

#define WIDTH 300
#define HEIGHT 220
#define MAX_VERTICES 9000 /* of a draw: enough for many chunks */

struct vertex {
   float position[4], color[4];
};

/* What is drawn; made once from a seed. */
struct random_draw {
   struct cf_draw packet;
   uint32_t first_vertex, vertex_count;
   uint32_t stride;       /* of vertices, in vertices */
   uint32_t divisor;      /* of the colours */
   enum cf_format format; /* of the colours */
   bool like_before;      /* the fields below equal those of the draw before */
   bool blends_otherwise; /* except `blend` */
   struct cf_depth_stencil depth_stencil;
   struct cf_blend blend;
   struct cf_raster raster;
   bool kill;
   bool clear;
   float constants[8];
   uint32_t sample_mask;
};

struct test_picture {
   struct random_draw draw[TEST_PICTURE_DRAWS];
   struct vertex *vertices;
   uint16_t *indices;
   uint32_t vertex_count, index_count;
   uint32_t samples;
};

/* Position is moved and coloured by the constants and the instance, so that every stage matters. */
static const char *const vertex_text = "sys v8, vertex_id\nsys v9, instance_id\ni2f v9, v9\n"
                                       "ldf v0, 0[v8]\nldf v4, 1[v8]\n"
                                       "fmad v0, v9, u0, v0\nfmad v1, v9, u1, v1\n"
                                       "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\nout 4, u6\n"
                                       "fmul v4, v4, u4\n"
                                       "out 8, v4\nout 9, v5\nout 10, v6\nout 11, v7\n"
                                       "end\n";
static const char *const fragment_text =
   "ldvar v0, 0, smooth\nldvar v1, 1, flat\nldvar v2, 2, linear\nldvar v3, 3, smooth\n"
   "fddx v4, v0\nfadd v2, v2, v4\nfmul v0, v0, u5\n"
   "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\n"
   "end\n";
static const char *const kill_text =
   "ldvar v0, 0, smooth\nldvar v1, 1, smooth\nflt v2, v0, 0.5\nkill v2, done\n"
   "out 0, v1\nout 1, v1\nout 2, v0\nout 3, v0\n"
   "done: end\n";

static void
make_vertices(struct test_picture *p, struct random_draw *d, uint64_t *seed)
{
   const uint32_t kind = test_random(seed) % 32;
   const uint32_t size = kind == 0 ? MAX_VERTICES : kind < 8 ? 900 : 24;
   const float scale = size > 100 ? 0.1f : 1.0f;
   *d = (struct random_draw){ .first_vertex = p->vertex_count,
                              .vertex_count = 4 + (uint32_t)test_random(seed) % (size - 3),
                              .stride = test_random(seed) % 4 ? 1 : 2,
                              .divisor = test_random(seed) % 4 == 0,
                              .format = test_random(seed) % 8 ? CF_FORMAT_R32G32B32A32_FLOAT
                                                              : CF_FORMAT_R32G32B32_FLOAT };
   const float cx = test_random_float(seed, -1, 1), cy = test_random_float(seed, -1, 1);
   for (uint32_t i = 0; i < d->stride * d->vertex_count; i++) {
      const float w =
         test_random(seed) % 8 ? test_random_float(seed, 0.5f, 3) : test_random_float(seed, -1, 1);
      struct vertex *v = &p->vertices[p->vertex_count++];
      *v = (struct vertex){ { (cx + test_random_float(seed, -scale, scale)) * w,
                              (cy + test_random_float(seed, -scale, scale)) * w,
                              test_random_float(seed, -1, 1) * w, w },
                            { 0 } };
      for (uint32_t c = 0; c < 4; c++)
         v->color[c] = test_random_float(seed, 0, 1);
   }
   static const enum cf_prim_kind kinds[] = {
      CF_PRIM_KIND_POINTS,    CF_PRIM_KIND_LINES,          CF_PRIM_KIND_LINE_LOOP,
      CF_PRIM_KIND_TRIANGLES, CF_PRIM_KIND_TRIANGLE_STRIP, CF_PRIM_KIND_TRIANGLE_FAN,
      CF_PRIM_KIND_QUADS,     CF_PRIM_KIND_POLYGON,
   };
   d->packet = (struct cf_draw){ .prim = kinds[test_random(seed) % 8],
                                 .count = d->vertex_count,
                                 .instances = 1 };
   d->packet.instances = test_random(seed) % 4 ? 1 : 3;
   d->packet.start_instance = test_random(seed) % 2;
   if (test_random(seed) % 2) {
      d->packet.index_size_B = 2;
      d->packet.start = p->index_count;
      d->packet.restart = test_random(seed) % 2;
      d->packet.restart_index = 0xffff;
      for (uint32_t i = 0; i < d->vertex_count; i++)
         p->indices[p->index_count++] =
            test_random(seed) % 40 ? (uint16_t)(test_random(seed) % d->vertex_count) : 0xffff;
   }
}

static void
make_state(const struct test_picture *p, struct random_draw *d, uint64_t *seed)
{
   d->depth_stencil = (struct cf_depth_stencil){
      .depth_test = test_random(seed) % 2,
      .depth_write = test_random(seed) % 2,
      .depth_func = test_random(seed) % 2 ? CF_COMPARE_LEQUAL : CF_COMPARE_GREATER,
      .stencil_front = test_random(seed) % 4 == 0,
      .front_func = CF_COMPARE_ALWAYS,
      .front_zpass = CF_STENCIL_OP_INCR_WRAP,
      .front_zfail = CF_STENCIL_OP_INVERT,
      .front_value_mask = 0xff,
      .front_write_mask = 0xff,
   };
   d->blend = (struct cf_blend){
      .enable = test_random(seed) % 2,
      .src_color = CF_BLEND_FACTOR_SRC_ALPHA,
      .dst_color = CF_BLEND_FACTOR_INV_SRC_ALPHA,
      .src_alpha = CF_BLEND_FACTOR_ONE,
      .dst_alpha = CF_BLEND_FACTOR_DST_ALPHA,
      .write_mask = test_random(seed) % 4 ? 0xf : 0x5,
   };
   d->raster = (struct cf_raster){
      .cull_back = test_random(seed) % 4 == 0,
      .front_ccw = true,
      .half_pixel_center = true,
      .depth_clip_near = true,
      .depth_clip_far = true,
      .line_width_px = test_random_float(seed, 1, 5),
      .point_size_px = test_random_float(seed, 1, 20),
      .point_size_per_vertex = test_random(seed) % 2,
   };
   d->kill = test_random(seed) % 4 == 0;
   d->clear = test_random(seed) % 16 == 0;
   for (uint32_t i = 0; i < 8; i++)
      d->constants[i] = test_random_float(seed, 0, 0.5f);
   d->constants[6] = test_random_float(seed, 1, 9);
   d->sample_mask = test_random(seed) % 4 ? 0xf : (uint32_t)test_random(seed) % 16;
   d->raster.multisample = p->samples > 1 && test_random(seed) % 8;
   d->raster.point_quad = test_random(seed) % 2;
   d->blend.alpha_to_coverage = test_random(seed) % 4 == 0;
}

static void
copy_state(struct random_draw *d, const struct random_draw *from, uint64_t *seed)
{
   d->like_before = true;
   d->blends_otherwise = test_random(seed) % 4 == 0;
   if (test_random(seed) % 8) {
      d->divisor = from->divisor;
      d->format = from->format;
   }
   if (!d->blends_otherwise)
      d->blend = from->blend;
   d->depth_stencil = from->depth_stencil;
   d->raster = from->raster;
   d->kill = from->kill;
   memcpy(d->constants, from->constants, sizeof(d->constants));
   d->sample_mask = from->sample_mask;
}

struct test_picture *
test_picture_make(uint64_t seed, uint32_t samples)
{
   struct test_picture *p = calloc(1, sizeof(*p));
   p->samples = samples;
   p->vertices = calloc(2 * TEST_PICTURE_DRAWS * MAX_VERTICES, sizeof(*p->vertices));
   p->indices = calloc(TEST_PICTURE_DRAWS * MAX_VERTICES, sizeof(*p->indices));
   p->vertex_count = p->index_count = 0;
   for (uint32_t i = 0; i < TEST_PICTURE_DRAWS; i++) {
      make_vertices(p, &p->draw[i], &seed);
      make_state(p, &p->draw[i], &seed);
      if (i > 0 && test_random(&seed) % 2)
         copy_state(&p->draw[i], &p->draw[i - 1], &seed);
   }
   return p;
}

void
test_picture_free(struct test_picture *p)
{
   free(p->vertices);
   free(p->indices);
   free(p);
}

struct renderer {
   struct test_gpu t;
   struct test_surface color, zs;
   uint64_t vertex_program, fragment_program, kill_program, vertices, indices, link;
   struct cf_bo result;
};

static void
renderer_open(struct renderer *r, const struct test_picture *p, struct cf_gpu *gpu)
{
   uint32_t link[CF_LINK_DWORDS];
   test_gpu_open_on(&r->t, gpu);
   test_surface_create_samples(&r->t, &r->color, CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT,
                               p->samples);
   test_surface_create_samples(&r->t, &r->zs, CF_FORMAT_Z24_UNORM_S8_UINT, WIDTH, HEIGHT,
                               p->samples);
   r->vertex_program = test_program(
      &r->t, vertex_text,
      (struct cf_program){
         .stage = CF_SHADER_STAGE_VERTEX, .vector_regs = 10, .outputs = 12, .sysvals = 3 });
   r->fragment_program = test_program(&r->t, fragment_text,
                                      (struct cf_program){ .stage = CF_SHADER_STAGE_FRAGMENT,
                                                           .vector_regs = 5,
                                                           .outputs = 4,
                                                           .inputs = 4,
                                                           .color_outputs = 1,
                                                           .needs_helpers = true });
   r->kill_program = test_program(&r->t, kill_text,
                                  (struct cf_program){ .stage = CF_SHADER_STAGE_FRAGMENT,
                                                       .vector_regs = 4,
                                                       .outputs = 4,
                                                       .inputs = 4,
                                                       .color_outputs = 1,
                                                       .uses_kill = true });
   r->vertices = test_put(&r->t, p->vertices, p->vertex_count * sizeof(*p->vertices));
   r->indices = test_put(&r->t, p->indices, p->index_count * sizeof(*p->indices) + 64);
   cf_link_pack(link, &(struct cf_link){ .slot = 0, .present = true });
   r->link = test_put(&r->t, link, sizeof(link));
   assert_true(r->t.gpu->ops->bo_alloc(r->t.gpu, 8, &r->result));
}

static void
emit_vertices(struct renderer *r, const struct random_draw *d)
{
   struct test_gpu *t = &r->t;
   uint32_t dw[2 * CF_VERTEX_ELEMENT_DWORDS];
   for (uint32_t i = 0; i < 2; i++) {
      const struct cf_vertex_element element = {
         .address = r->vertices + d->first_vertex * sizeof(struct vertex) + 16 * i,
         .size_B = d->stride * d->vertex_count * (uint32_t)sizeof(struct vertex) - 16 * i,
         .stride_B = d->stride * (uint32_t)sizeof(struct vertex),
         .divisor = i ? d->divisor : 0,
         .format = i ? d->format : CF_FORMAT_R32G32B32A32_FLOAT,
      };
      cf_vertex_element_pack(dw + i * CF_VERTEX_ELEMENT_DWORDS, &element);
   }
   EMIT(t, vertex_elements, .count = 2, .address = test_put(t, dw, sizeof(dw)));
}

static void
emit_state(struct renderer *r, const struct random_draw *d)
{
   struct test_gpu *t = &r->t;
   const uint64_t constants = test_put(t, d->constants, sizeof(d->constants));
   EMIT(t, constants, .stage = CF_SHADER_STAGE_VERTEX, .size_B = sizeof(d->constants),
        .address = constants);
   EMIT(t, constants, .stage = CF_SHADER_STAGE_FRAGMENT, .size_B = sizeof(d->constants),
        .address = constants);
   EMIT(t, shader, .stage = CF_SHADER_STAGE_FRAGMENT,
        .program = d->kill ? r->kill_program : r->fragment_program);
   cf_depth_stencil_pack(t->dw + t->count, &d->depth_stencil);
   t->count += CF_DEPTH_STENCIL_DWORDS;
   cf_raster_pack(t->dw + t->count, &d->raster);
   t->count += CF_RASTER_DWORDS;
   EMIT(t, sample_mask, .mask = d->sample_mask);
}

/* `has_state`: this submission has set the state of the draw before. */
static void
emit_draw(struct renderer *r, const struct random_draw *d, bool has_state)
{
   struct test_gpu *t = &r->t;
   emit_vertices(r, d);
   if (!has_state || !d->like_before)
      emit_state(r, d);
   if (!has_state || !d->like_before || d->blends_otherwise) {
      cf_blend_pack(t->dw + t->count, &d->blend);
      t->count += CF_BLEND_DWORDS;
   }
   struct cf_draw draw = d->packet;
   draw.index_size_total_B = draw.index_size_B ? 2 * (draw.start + draw.count) : 0;
   draw.index_address = draw.index_size_B ? r->indices : 0;
   cf_draw_pack(t->dw + t->count, &draw);
   t->count += CF_DRAW_DWORDS;
   if (d->clear)
      EMIT(t, clear, .colors = 1, .stencil = true, .stencil_value = 3, .stencil_write_mask = 0x7f,
           .min_x_px = 70, .min_y_px = 60, .max_x_px = 130, .max_y_px = 200);
}

/* Everything up to the first draw; state does not outlive a submission. */
static void
emit_head(struct renderer *r)
{
   test_emit_frame(&r->t, &r->color, &r->zs);
   EMIT(&r->t, shader, .stage = CF_SHADER_STAGE_VERTEX, .program = r->vertex_program);
   EMIT(&r->t, varyings, .count = 1, .address = r->link);
   EMIT(&r->t, query, .kind = CF_QUERY_KIND_SAMPLES_PASSED, .begin = true,
        .result = r->result.address);
}

uint64_t
test_picture_render(struct cf_gpu *gpu, const struct test_picture *p, uint32_t batch)
{
   struct renderer r;
   renderer_open(&r, p, gpu);
   emit_head(&r);
   EMIT(&r.t, clear, .colors = 1, .depth = true, .stencil = true, .stencil_write_mask = 0xff,
        .depth_value = 0.75f, .max_x_px = WIDTH, .max_y_px = HEIGHT);
   for (uint32_t i = 0; i < TEST_PICTURE_DRAWS; i++) {
      emit_draw(&r, &p->draw[i], i % batch > 0);
      if ((i + 1) % batch == 0) {
         test_submit(&r.t);
         emit_head(&r);
      }
   }
   test_submit(&r.t);
   test_no_error(&r.t);
   uint64_t hash = *(const uint64_t *)r.result.map;
   assert_int_not_equal(hash, 0);
   for (uint32_t y = 0; y < HEIGHT; y++) {
      for (uint32_t i = 0; i < WIDTH * p->samples; i++) {
         const uint32_t x = i / p->samples, sample = i % p->samples;
         hash = (hash ^ test_surface_sample(&r.color, x, y, sample)) * 0x100000001b3ull;
         hash = (hash ^ test_surface_sample(&r.zs, x, y, sample)) * 0x100000001b3ull;
      }
   }
   test_frame_close(&r.t, &r.color, &r.zs);
   return hash;
}
