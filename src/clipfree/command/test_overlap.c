/* SPDX-License-Identifier: MIT */
/*
 * Passes that depend on each other, several in flight: what a pass draws is the next one's vertices, constants, indices or
 * textures, or is copied, filled or cleared in between; submissions are not waited for. Pixels and query results are those of one
 * thread, which renders each pass before it parses the next.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "clipfree/arith/test_random.h"
#include "clipfree/command/test_gpu.h"
#include "clipfree/isa/cf_isa.h"

#define SURFACES 4
#define WIDTH 200
#define HEIGHT 150
#define STEPS 40
#define MAX_VERTICES 1200 /* of a draw: some chunks */
#define QUERIES 3

/* Position and colour from vertex elements, both moved by constants, and a texel to add to the colour. */
static const char *const vertex_text = "sys v8, vertex_id\n"
                                       "ldf v0, 0[v8]\nldf v4, 1[v8]\n"
                                       "tex v10.xyzw, 0, v8, 0, 0, 0, fetch\n"
                                       "fmad v0, v0, u0, u1\nfmad v1, v1, u0, u2\n"
                                       "out 0, v0\nout 1, v1\nout 2, v2\nout 3, 1.0\n"
                                       "fmad v4, v4, 0.5, v10\nfmad v5, v5, 0.5, v11\nfmad v6, v6, u3, v12\n"
                                       "out 8, v4\nout 9, v5\nout 10, v6\nout 11, v7\n"
                                       "end\n";
static const char *const fragment_text = "ldvar v0, 0, smooth\nldvar v1, 1, smooth\nldvar v2, 2, smooth\n"
                                         "sys v4, frag_x\nsys v5, frag_y\nf2i v4, v4\nf2i v5, v5\n"
                                         "tex v8.xyzw, 0, v4, v5, 0, 0, fetch\n"
                                         "fmad v0, v0, 0.5, v8\nfmad v1, v1, 0.5, v9\nfmad v2, v2, 0.5, v10\n"
                                         "out 0, v0\nout 1, v1\nout 2, v2\nout 3, 0.5\n"
                                         "end\n";

struct scene {
   struct test_gpu t;
   struct test_surface surface[SURFACES];
   uint64_t texture[SURFACES], sampler, vertex_program, fragment_program, link;
   uint64_t vertices, constants, indices;
   struct cf_bo queries;
   uint32_t *begin;      /* of the command buffer being written */
   uint64_t last_seqno;
};

static uint64_t
surface_address(const struct scene *s, uint32_t surface)
{
   return s->surface[surface].bo.address;
}

/* Half of them are in blocks and have tile states. */
static bool
is_blocks(uint32_t surface)
{
   return surface % 2;
}

static void
make_textures(struct scene *s)
{
   for (uint32_t i = 0; i < SURFACES; i++) {
      struct cf_texture texture = test_linear_texture(surface_address(s, i), WIDTH, HEIGHT);
      texture.layout = is_blocks(i) ? CF_LAYOUT_BLOCKS : CF_LAYOUT_LINEAR;
      texture.level_row_pitch_B[0] = s->surface[i].image.row_pitch_B;
      texture.size_B = texture.level_layer_pitch_B[0] = (uint32_t)s->surface[i].bo.size_B;
      s->texture[i] = test_put_texture(&s->t, &texture);
   }
   uint32_t dw[CF_SAMPLER_DWORDS];
   cf_sampler_pack(dw, &(struct cf_sampler){ 0 });
   s->sampler = test_put(&s->t, dw, sizeof(dw));
}

static void
scene_open(struct scene *s, int threads, uint64_t seed)
{
   static uint32_t bytes[MAX_VERTICES + 64];
   uint16_t indices[2 * MAX_VERTICES];
   uint32_t link[CF_LINK_DWORDS];
   const float constants[4] = { 2.0f, -1.0f, -1.0f, 0.25f };
   *s = (struct scene){ 0 };
   test_gpu_open(&s->t, threads);
   for (uint32_t i = 0; i < SURFACES; i++)
      test_surface_create(&s->t, &s->surface[i], CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, is_blocks(i));
   make_textures(s);
   s->vertex_program = test_program(&s->t, vertex_text,
                                    (struct cf_program){ .stage = CF_SHADER_STAGE_VERTEX,
                                                         .vector_regs = 14,
                                                         .outputs = 12,
                                                         .sysvals = 1u << CF_SYSVAL_VERTEX_ID });
   s->fragment_program =
      test_program(&s->t, fragment_text,
                   (struct cf_program){ .stage = CF_SHADER_STAGE_FRAGMENT,
                                        .vector_regs = 12,
                                        .outputs = 4,
                                        .inputs = 4,
                                        .color_outputs = 1,
                                        .sysvals = 1u << CF_SYSVAL_FRAG_X | 1u << CF_SYSVAL_FRAG_Y });
   for (uint32_t i = 0; i < MAX_VERTICES + 64; i++)
      bytes[i] = (uint32_t)test_random(&seed);
   for (uint32_t i = 0; i < 2 * MAX_VERTICES; i++)
      indices[i] = (uint16_t)(test_random(&seed) % MAX_VERTICES);
   s->vertices = test_put(&s->t, bytes, sizeof(bytes));
   s->indices = test_put(&s->t, indices, sizeof(indices));
   s->constants = test_put(&s->t, constants, sizeof(constants));
   cf_link_pack(link, &(struct cf_link){ .slot = 0, .present = true });
   s->link = test_put(&s->t, link, sizeof(link));
   assert_true(s->t.gpu->ops->bo_alloc(s->t.gpu, 8 * QUERIES, &s->queries));
   s->begin = s->t.dw;
}

static void
scene_close(struct scene *s)
{
   for (uint32_t i = 0; i < SURFACES; i++)
      test_surface_free(&s->t, &s->surface[i]);
   test_gpu_close(&s->t);
}

static void
submit(struct scene *s, bool kick)
{
   struct test_gpu *t = &s->t;
   EMIT(t, end, 0);
   const uint64_t address = t->commands.address + 4ull * (uint64_t)(s->begin - t->dw);
   s->last_seqno = t->gpu->ops->submit(t->gpu, address, (uint32_t)(4 * (t->dw + t->count - s->begin)));
   s->begin = t->dw + t->count;
   if (kick)
      t->gpu->ops->kick(t->gpu);
}

/* Memory of the surface, or that made at the start. */
static uint64_t
source(struct scene *s, uint64_t *seed, uint32_t surface, uint64_t made)
{
   return test_random(seed) % 3 ? made : surface_address(s, surface) + test_random(seed) % 4096 / 64 * 64;
}

static void
emit_vertices(struct scene *s, uint64_t *seed, uint32_t from)
{
   uint32_t dw[2 * CF_VERTEX_ELEMENT_DWORDS];
   for (uint32_t i = 0; i < 2; i++)
      cf_vertex_element_pack(dw + i * CF_VERTEX_ELEMENT_DWORDS,
                             &(struct cf_vertex_element){ .address = source(s, seed, from, s->vertices),
                                                          .size_B = MAX_VERTICES * 4,
                                                          .stride_B = 4,
                                                          .format = CF_FORMAT_R8G8B8A8_UNORM });
   EMIT(&s->t, vertex_elements, .count = 2, .address = test_put(&s->t, dw, sizeof(dw)));
}

static void
emit_draw(struct scene *s, uint64_t *seed, uint32_t from)
{
   struct test_gpu *t = &s->t;
   static const enum cf_prim_kind kinds[] = { CF_PRIM_KIND_POINTS, CF_PRIM_KIND_TRIANGLES, CF_PRIM_KIND_TRIANGLE_STRIP };
   if (test_random(seed) % 2)
      emit_vertices(s, seed, from);
   if (test_random(seed) % 2)
      EMIT(t, constants, .stage = CF_SHADER_STAGE_VERTEX, .size_B = 16,
           .address = test_random(seed) % 6 ? s->constants : surface_address(s, from) + 16 * (test_random(seed) % 500));
   EMIT(t, bind_texture, .stage = CF_SHADER_STAGE_VERTEX, .sampler = s->sampler,
        .texture = test_random(seed) % 4 ? 0 : s->texture[from]);
   EMIT(t, bind_texture, .stage = CF_SHADER_STAGE_FRAGMENT, .sampler = s->sampler,
        .texture = test_random(seed) % 2 ? 0 : s->texture[from]);
   struct cf_draw draw = { .prim = kinds[test_random(seed) % 3],
                           .count = 3 + (uint32_t)test_random(seed) % (test_random(seed) % 4 ? 30 : MAX_VERTICES - 3),
                           .instances = 1 };
   if (test_random(seed) % 4 == 0) {
      draw.index_size_B = 2;
      draw.index_size_total_B = 2 * draw.count;
      draw.index_address = source(s, seed, from, s->indices);
   }
   cf_draw_pack(t->dw + t->count, &draw);
   t->count += CF_DRAW_DWORDS;
}

/* State does not outlive a submission. */
static void
emit_pass(struct scene *s, uint64_t *seed, uint32_t to, uint32_t from)
{
   struct test_gpu *t = &s->t;
   test_emit_frame(t, &s->surface[to], NULL);
   EMIT(t, raster, .half_pixel_center = true, .point_size_px = 2.0f, .line_width_px = 1.0f);
   EMIT(t, blend, .target = 0, .write_mask = 0xf, .enable = true, .src_color = CF_BLEND_FACTOR_SRC_ALPHA,
        .dst_color = CF_BLEND_FACTOR_INV_SRC_ALPHA, .src_alpha = CF_BLEND_FACTOR_ONE, .dst_alpha = CF_BLEND_FACTOR_ZERO);
   EMIT(t, shader, .stage = CF_SHADER_STAGE_VERTEX, .program = s->vertex_program);
   EMIT(t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = s->fragment_program);
   EMIT(t, varyings, .count = 1, .address = s->link);
   EMIT(t, constants, .stage = CF_SHADER_STAGE_VERTEX, .size_B = 16, .address = s->constants);
   emit_vertices(s, seed, from);
   const uint64_t query = s->queries.address + 8 * (test_random(seed) % QUERIES);
   const bool counts = test_random(seed) % 3 == 0;
   if (counts)
      EMIT(t, query, .kind = CF_QUERY_KIND_SAMPLES_PASSED, .begin = true, .result = query);
   if (test_random(seed) % 4 == 0)
      EMIT(t, clear, .colors = 1, .color = { 0x3f000000, 0x3e800000, 0x3f400000, 0x3f800000 },
           .min_x_px = (uint32_t)test_random(seed) % 2 * 33, .max_x_px = WIDTH, .max_y_px = HEIGHT);
   for (uint32_t draws = (uint32_t)test_random(seed) % 4; draws > 0; draws--)
      emit_draw(s, seed, from);
   if (counts)
      EMIT(t, query, .kind = CF_QUERY_KIND_SAMPLES_PASSED, .result = query);
}

static void
emit_step(struct scene *s, uint64_t *seed)
{
   struct test_gpu *t = &s->t;
   const uint32_t to = (uint32_t)test_random(seed) % SURFACES;
   const uint32_t from = (to + 1 + (uint32_t)test_random(seed) % (SURFACES - 1)) % SURFACES;
   const uint32_t offset_B = (uint32_t)test_random(seed) % 4096 * 4;
   switch (test_random(seed) % 12) {
   case 0:
      EMIT(t, copy, .source = s->surface[from].address, .destination = s->surface[to].address, .source_x_px = 10,
           .source_y_px = 20, .destination_x_px = 3, .width_px = 150, .height_px = 100);
      break;
   case 1:
      EMIT(t, fill_buffer, .destination = surface_address(s, to) + offset_B, .size_B = 4096, .value = 0x55aa7733);
      break;
   case 2:
      EMIT(t, copy_buffer, .source = surface_address(s, from), .destination = surface_address(s, to) + offset_B,
           .size_B = 8192);
      break;
   default:
      emit_pass(s, seed, to, from);
   }
}

static uint64_t
hash_bytes(uint64_t hash, const void *data, size_t size_B)
{
   for (size_t i = 0; i < size_B; i++)
      hash = (hash ^ ((const uint8_t *)data)[i]) * 0x100000001b3ull;
   return hash;
}

/* Hash of all pixels and query results. `batch`: steps of a submission. */
static uint64_t
render(int threads, uint64_t seed, uint32_t batch)
{
   struct scene s;
   scene_open(&s, threads, seed);
   for (uint32_t i = 0; i < STEPS; i++) {
      emit_step(&s, &seed);
      if ((i + 1) % batch == 0)
         submit(&s, i % 2);
   }
   submit(&s, false);
   assert_true(s.t.gpu->ops->wait(s.t.gpu, s.last_seqno, UINT64_MAX));
   test_no_error(&s.t);
   uint64_t hash = hash_bytes(0xcbf29ce484222325u, s.queries.map, 8 * QUERIES);
   for (uint32_t i = 0; i < SURFACES; i++) {
      hash = hash_bytes(hash, s.surface[i].bo.map, s.surface[i].bo.size_B);
      if (is_blocks(i))
         hash = hash_bytes(hash, s.surface[i].tiles.map, s.surface[i].tiles.size_B);
   }
   scene_close(&s);
   return hash;
}

static void
same_bits(void **state)
{
   struct cf_random seeds = cf_random_seed("command-overlap");
   for (int round = 0; round < 5; round++) {
      const uint64_t first = cf_random_u64(&seeds) | 1, expected = render(0, first, STEPS + 1);
      static const int threads[] = { 1, 2, 5 };
      static const uint32_t batches[] = { 1, 5, STEPS + 1 };
      for (uint32_t i = 0; i < 3; i++) {
         for (uint32_t j = 0; j < 3; j++)
            assert_true(render(threads[i], first, batches[j]) == expected);
      }
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_bits),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
