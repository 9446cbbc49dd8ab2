/* SPDX-License-Identifier: MIT */
/*
 * Dependent passes and transfers, several in flight: the target of a pass serves the next one as
 * vertices, constants, indices or texture, or is copied, scaled, averaged, filled or cleared in
 * between; buffer copies write descriptors, tables and indices that are parsed next, and copy query
 * results; submissions are not waited for. Pixels and query results equal those of a single thread,
 * which finishes each pass before it parses the next.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/command/test_gpu.h"
#include "clipfree/isa/cf_isa.h"

#define SURFACES 4
#define WIDTH 200
#define HEIGHT 150
#define STEPS 40
#define MAX_VERTICES 1200 /* of a draw: some chunks */
#define QUERIES 6         /* the first half of samples, the others of primitives */
#define MAX_TIMES 64
#define SCALED_WIDTH 120  /* of gathers */
#define SCALED_HEIGHT 90

/* Memory that the parser reads and buffer copies change. */
enum live {
   LIVE_ELEMENTS,
   LIVE_TEXTURE,
   LIVE_PROGRAM, /* fragment */
   LIVE_LINK,
   LIVE_INDICES, /* with restarts */
   LIVE_SURFACE,
   LIVE_COLUMNS,
   LIVE_KINDS
};

/* Position and colour from vertex elements, both moved by constants, and a texel to add to the
 * colour. */
static const char *const vertex_text = "sys v8, vertex_id\n"
                                       "ldf v0, 0[v8]\nldf v4, 1[v8]\n"
                                       "tex v10.xyzw, 0, v8, 0, 0, 0, fetch\n"
                                       "fmad v0, v0, u0, u1\nfmad v1, v1, u0, u2\n"
                                       "out 0, v0\nout 1, v1\nout 2, v2\nout 3, 1.0\n"
                                       "fmad v4, v4, 0.5, v10\nfmad v5, v5, 0.5, v11\nfmad v6, v6, u3, v12\n"
                                       "out 8, v4\nout 9, v5\nout 10, v6\nout 11, v7\n"
                                       "end\n";
static const char *const other_fragment_text = "ldvar v0, 2, smooth\nldvar v1, 0, smooth\nsys v2, frag_x\nsys v3, frag_y\n"
                                               "out 0, v0\nout 1, v1\nout 2, 0.25\nout 3, 0.5\n"
                                               "end\n";
static const char *const fragment_text = "ldvar v0, 0, smooth\nldvar v1, 1, smooth\nldvar v2, 2, smooth\n"
                                         "sys v4, frag_x\nsys v5, frag_y\nf2i v4, v4\nf2i v5, v5\n"
                                         "tex v8.xyzw, 0, v4, v5, 0, 0, fetch\n"
                                         "fmad v0, v0, 0.5, v8\nfmad v1, v1, 0.5, v9\nfmad v2, v2, 0.5, v10\n"
                                         "out 0, v0\nout 1, v1\nout 2, v2\nout 3, 0.5\n"
                                         "end\n";

/* Memory that alternates between two contents. */
struct changing {
   uint64_t address, content[2];
   uint32_t size_B;
};

struct scene {
   struct test_gpu t;
   struct test_surface surface[SURFACES];
   struct test_surface samples;      /* four a pixel */
   struct test_surface half[2];      /* in blocks, half as wide and high */
   struct changing live[LIVE_KINDS];
   struct cf_bo times;
   uint32_t time_count;
   uint64_t rows; /* of gathers */
   uint64_t texture[SURFACES], sampler, vertex_program, fragment_program, link;
   uint64_t vertices, constants, indices;
   struct cf_bo queries;
   uint32_t last;        /* the surface written last */
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
make_live(struct scene *s, enum live kind, const void *first, const void *second, uint32_t size_B)
{
   struct changing *live = &s->live[kind];
   live->size_B = size_B;
   live->content[0] = test_put(&s->t, first, size_B);
   live->content[1] = test_put(&s->t, second, size_B);
   live->address = test_put(&s->t, first, size_B);
}

static const void *
host(const struct scene *s, uint64_t address)
{
   return (const uint8_t *)s->t.heap.map + (address - s->t.heap.address);
}

/* After all that they name. */
static void
make_all_live(struct scene *s, uint64_t *seed, uint64_t other_fragment_program)
{
   uint32_t elements[2][2 * CF_VERTEX_ELEMENT_DWORDS], texture[2][CF_TEXTURE_DWORDS],
      link[2][CF_LINK_DWORDS], columns[2][SCALED_WIDTH], rows[SCALED_HEIGHT];
   static uint16_t indices[2][MAX_VERTICES];
   for (uint32_t i = 0; i < 2; i++) {
      for (uint32_t k = 0; k < 2; k++)
         cf_vertex_element_pack(
            elements[i] + k * CF_VERTEX_ELEMENT_DWORDS,
            &(struct cf_vertex_element){ .address = s->vertices + 64 * i + 128 * k,
                                         .size_B = MAX_VERTICES * 4 - 256,
                                         .stride_B = 4,
                                         .format = CF_FORMAT_R8G8B8A8_UNORM });
      const struct cf_texture described = test_linear_texture(s->vertices + 1024 * i, 16, 16);
      cf_texture_pack(texture[i], &described);
      cf_link_pack(link[i], &(struct cf_link){ .slot = 0, .present = i });
      for (uint32_t k = 0; k < MAX_VERTICES; k++)
         indices[i][k] =
            (uint16_t)(test_random(seed) % 16 ? test_random(seed) % MAX_VERTICES : 0xffff);
      for (uint32_t k = 0; k < SCALED_WIDTH; k++)
         columns[i][k] = i ? WIDTH - 1 - k : (uint32_t)test_random(seed) % WIDTH;
   }
   for (uint32_t k = 0; k < SCALED_HEIGHT; k++)
      rows[k] = (uint32_t)test_random(seed) % HEIGHT;
   s->rows = test_put(&s->t, rows, sizeof(rows));
   make_live(s, LIVE_ELEMENTS, elements[0], elements[1], sizeof(elements[0]));
   make_live(s, LIVE_TEXTURE, texture[0], texture[1], sizeof(texture[0]));
   make_live(s, LIVE_PROGRAM, host(s, s->fragment_program), host(s, other_fragment_program),
             4 * CF_PROGRAM_DWORDS);
   make_live(s, LIVE_LINK, link[0], link[1], sizeof(link[0]));
   make_live(s, LIVE_INDICES, indices[0], indices[1], sizeof(indices[0]));
   make_live(s, LIVE_SURFACE, host(s, s->surface[0].address), host(s, s->surface[1].address),
             4 * CF_SURFACE_DWORDS);
   make_live(s, LIVE_COLUMNS, columns[0], columns[1], sizeof(columns[0]));
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
      test_surface_create(&s->t, &s->surface[i], CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT,
                          is_blocks(i));
   test_surface_create_samples(&s->t, &s->samples, CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT,
                               CF_SAMPLES);
   for (uint32_t i = 0; i < 2; i++)
      test_surface_create(&s->t, &s->half[i], CF_FORMAT_R8G8B8A8_UNORM, WIDTH / 2, HEIGHT / 2,
                          true);
   make_textures(s);
   s->vertex_program = test_program(&s->t, vertex_text,
                                    (struct cf_program){ .stage = CF_SHADER_STAGE_VERTEX,
                                                         .vector_regs = 14,
                                                         .outputs = 12,
                                                         .sysvals = 1u << CF_SYSVAL_VERTEX_ID });
   const struct cf_program fragment = { .stage = CF_SHADER_STAGE_FRAGMENT,
                                        .vector_regs = 12,
                                        .outputs = 4,
                                        .inputs = 4,
                                        .color_outputs = 1,
                                        .sysvals =
                                           1u << CF_SYSVAL_FRAG_X | 1u << CF_SYSVAL_FRAG_Y };
   s->fragment_program = test_program(&s->t, fragment_text, fragment);
   const uint64_t other_fragment_program = test_program(&s->t, other_fragment_text, fragment);
   for (uint32_t i = 0; i < MAX_VERTICES + 64; i++)
      bytes[i] = (uint32_t)test_random(&seed);
   for (uint32_t i = 0; i < 2 * MAX_VERTICES; i++)
      indices[i] = (uint16_t)(test_random(&seed) % MAX_VERTICES);
   s->vertices = test_put(&s->t, bytes, sizeof(bytes));
   s->indices = test_put(&s->t, indices, sizeof(indices));
   s->constants = test_put(&s->t, constants, sizeof(constants));
   cf_link_pack(link, &(struct cf_link){ .slot = 0, .present = true });
   s->link = test_put(&s->t, link, sizeof(link));
   make_all_live(s, &seed, other_fragment_program);
   assert_true(s->t.gpu->ops->bo_alloc(s->t.gpu, 8 * QUERIES, &s->queries));
   assert_true(s->t.gpu->ops->bo_alloc(s->t.gpu, 8 * MAX_TIMES, &s->times));
   s->begin = s->t.dw;
}

static void
scene_close(struct scene *s)
{
   for (uint32_t i = 0; i < SURFACES; i++)
      test_surface_free(&s->t, &s->surface[i]);
   test_surface_free(&s->t, &s->samples);
   test_surface_free(&s->t, &s->half[0]);
   test_surface_free(&s->t, &s->half[1]);
   test_gpu_close(&s->t);
}

static void
submit(struct scene *s, bool kick)
{
   struct test_gpu *t = &s->t;
   EMIT(t, end, 0);
   const uint64_t address = t->commands.address + 4ull * (uint64_t)(s->begin - t->dw);
   s->last_seqno =
      t->gpu->ops->submit(t->gpu, address, (uint32_t)(4 * (t->dw + t->count - s->begin)), 0);
   s->begin = t->dw + t->count;
   if (kick)
      t->gpu->ops->kick(t->gpu);
}

/* An address in the surface's memory, or that of the data made at the start. */
static uint64_t
source(struct scene *s, uint64_t *seed, uint32_t surface, uint64_t made)
{
   return test_random(seed) % 3 ? made
                                : surface_address(s, surface) + test_random(seed) % 4096 / 64 * 64;
}

static void
emit_vertices(struct scene *s, uint64_t *seed, uint32_t from)
{
   uint32_t dw[2 * CF_VERTEX_ELEMENT_DWORDS];
   if (test_random(seed) % 3 == 0) {
      EMIT(&s->t, vertex_elements, .count = 2, .address = s->live[LIVE_ELEMENTS].address);
      return;
   }
   for (uint32_t i = 0; i < 2; i++)
      cf_vertex_element_pack(
         dw + i * CF_VERTEX_ELEMENT_DWORDS,
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
   static const enum cf_prim_kind kinds[] = { CF_PRIM_KIND_POINTS, CF_PRIM_KIND_TRIANGLES,
                                              CF_PRIM_KIND_TRIANGLE_STRIP };
   if (test_random(seed) % 2)
      emit_vertices(s, seed, from);
   if (test_random(seed) % 2)
      EMIT(t, constants, .stage = CF_SHADER_STAGE_VERTEX, .size_B = 16,
           .address = test_random(seed) % 6
                         ? s->constants
                         : surface_address(s, from) + 16 * (test_random(seed) % 500));
   EMIT(t, bind_texture, .stage = CF_SHADER_STAGE_VERTEX, .sampler = s->sampler,
        .texture = test_random(seed) % 4 ? 0 : s->texture[from]);
   const uint64_t textures[4] = { 0, 0, s->texture[from], s->live[LIVE_TEXTURE].address };
   EMIT(t, bind_texture, .stage = CF_SHADER_STAGE_FRAGMENT, .sampler = s->sampler,
        .texture = textures[test_random(seed) % 4]);
   struct cf_draw draw = { .prim = kinds[test_random(seed) % 3],
                           .count = 3 + (uint32_t)test_random(seed) %
                                           (test_random(seed) % 4 ? 30 : MAX_VERTICES - 3),
                           .instances = 1 };
   if (test_random(seed) % 3 == 0) {
      draw.index_size_B = 2;
      draw.index_size_total_B = 2 * draw.count;
      draw.index_address = source(s, seed, from, s->indices);
   } else if (test_random(seed) % 6 == 0) {
      draw.index_size_B = 2;
      draw.index_size_total_B = 2 * draw.count;
      draw.index_address = s->live[LIVE_INDICES].address;
      draw.restart = true;
      draw.restart_index = 0xffff;
   }
   cf_draw_pack(t->dw + t->count, &draw);
   t->count += CF_DRAW_DWORDS;
}

/* State does not outlive a submission. */
static void
emit_pass(struct scene *s, uint64_t *seed, const struct test_surface *to, uint32_t from)
{
   struct test_gpu *t = &s->t;
   test_emit_frame(t, to, NULL);
   EMIT(t, raster, .multisample = true, .half_pixel_center = true, .point_size_px = 2.0f,
        .line_width_px = 1.0f);
   EMIT(t, blend, .target = 0, .write_mask = 0xf, .enable = true,
        .src_color = CF_BLEND_FACTOR_SRC_ALPHA, .dst_color = CF_BLEND_FACTOR_INV_SRC_ALPHA,
        .src_alpha = CF_BLEND_FACTOR_ONE, .dst_alpha = CF_BLEND_FACTOR_ZERO);
   EMIT(t, shader, .stage = CF_SHADER_STAGE_VERTEX, .program = s->vertex_program);
   EMIT(t, shader, .stage = CF_SHADER_STAGE_FRAGMENT,
        .program = test_random(seed) % 2 ? s->fragment_program : s->live[LIVE_PROGRAM].address);
   EMIT(t, varyings, .count = 1,
        .address = test_random(seed) % 2 ? s->link : s->live[LIVE_LINK].address);
   EMIT(t, constants, .stage = CF_SHADER_STAGE_VERTEX, .size_B = 16, .address = s->constants);
   emit_vertices(s, seed, from);
   const uint32_t number = (uint32_t)test_random(seed) % QUERIES;
   const uint64_t query = s->queries.address + 8 * number;
   const enum cf_query_kind kind =
      number < QUERIES / 2 ? CF_QUERY_KIND_SAMPLES_PASSED : CF_QUERY_KIND_PRIMITIVES;
   const bool counts = test_random(seed) % 3 == 0;
   if (counts)
      EMIT(t, query, .kind = kind, .begin = true, .result = query);
   if (test_random(seed) % 4 == 0)
      EMIT(t, clear, .colors = 1, .color = { 0x3f000000, 0x3e800000, 0x3f400000, 0x3f800000 },
           .min_x_px = (uint32_t)test_random(seed) % 2 * 33, .max_x_px = WIDTH, .max_y_px = HEIGHT);
   for (uint32_t draws = (uint32_t)test_random(seed) % 4; draws > 0; draws--)
      emit_draw(s, seed, from);
   if (counts)
      EMIT(t, query, .kind = kind, .result = query);
}

/* A surface of one sample is scaled, halved, averaged, or copied to several samples. */
static void
emit_transfer(struct scene *s, uint64_t *seed, uint32_t to, uint32_t from)
{
   struct test_gpu *t = &s->t;
   const struct test_surface *half = &s->half[test_random(seed) % 2];
   const uint64_t destination =
      test_random(seed) % 2 ? s->surface[to].address : s->live[LIVE_SURFACE].address;
   switch (test_random(seed) % 8) {
   case 0:
      EMIT(t, gather, .source = s->surface[from].address, .destination = destination,
           .destination_x_px = 5, .destination_y_px = 50, .width_px = SCALED_WIDTH,
           .height_px = SCALED_HEIGHT, .columns = s->live[LIVE_COLUMNS].address, .rows = s->rows);
      break;
   case 1:
      EMIT(t, reduce, .source = s->surface[from].address, .destination = half->address,
           .second = test_random(seed) % 2 ? s->surface[to].address : 0);
      break;
   case 2:
      EMIT(t, copy, .source = half->address, .destination = destination, .destination_x_px = 64,
           .destination_y_px = 64, .width_px = WIDTH / 2, .height_px = HEIGHT / 2);
      break;
   case 3:
      EMIT(t, copy, .source = s->samples.address, .destination = destination, .width_px = WIDTH,
           .height_px = HEIGHT);
      break;
   case 4:
      EMIT(t, copy, .source = s->surface[from].address, .destination = s->samples.address,
           .source_x_px = 8, .width_px = WIDTH - 8, .height_px = HEIGHT);
      break;
   case 5:
      EMIT(t, resolve, .surface = s->surface[to].address);
      break;
   case 6:
      EMIT(t, invalidate, .surface = test_random(seed) % 2 ? s->samples.address : half->address);
      break;
   default:
      EMIT(t, copy, .source = s->surface[to].address, .destination = s->surface[to].address,
           .destination_x_px = 70, .destination_y_px = 1, .width_px = 100, .height_px = 140);
   }
}

/* Copy a buffer: memory that the parser reads, or query results into a picture. */
static void
emit_buffer_transfer(struct scene *s, uint64_t *seed, uint32_t to)
{
   struct test_gpu *t = &s->t;
   const struct changing *live = &s->live[test_random(seed) % LIVE_KINDS];
   switch (test_random(seed) % 6) {
   case 0:
      EMIT(t, copy_buffer, .source = s->queries.address,
           .destination = surface_address(s, to) + 640, .size_B = 8 * QUERIES);
      break;
   case 1:
      EMIT(t, fill_buffer, .destination = s->queries.address + 8, .size_B = 8 * (QUERIES - 2),
           .value = 1);
      break;
   default:
      EMIT(t, copy_buffer, .source = live->content[test_random(seed) % 2],
           .destination = live->address, .size_B = live->size_B);
   }
}

static void
emit_time(struct scene *s)
{
   if (s->time_count < MAX_TIMES)
      EMIT(&s->t, query, .kind = CF_QUERY_KIND_TIMESTAMP,
           .result = s->times.address + 8 * s->time_count++);
}

static void
emit_step(struct scene *s, uint64_t *seed)
{
   struct test_gpu *t = &s->t;
   const uint32_t to = (uint32_t)test_random(seed) % SURFACES;
   const uint32_t other = (to + 1 + (uint32_t)test_random(seed) % (SURFACES - 1)) % SURFACES;
   const uint32_t from = test_random(seed) % 2 && s->last != to ? s->last : other;
   s->last = to;
   const uint32_t offset_B = (uint32_t)test_random(seed) % 4096 * 4;
   switch (test_random(seed) % 20) {
   case 0:
      EMIT(t, copy, .source = s->surface[from].address, .destination = s->surface[to].address,
           .source_x_px = 10, .source_y_px = 20, .destination_x_px = 3, .width_px = 150,
           .height_px = 100);
      break;
   case 1:
      EMIT(t, fill_buffer, .destination = surface_address(s, to) + offset_B, .size_B = 4096,
           .value = 0x55aa7733);
      break;
   case 2:
      EMIT(t, copy_buffer, .source = surface_address(s, from),
           .destination = surface_address(s, to) + offset_B, .size_B = 8192);
      break;
   case 3:
      emit_time(s);
      break;
   case 4:
   case 5:
   case 6:
   case 7:
      emit_transfer(s, seed, to, from);
      break;
   case 8:
   case 9:
      emit_buffer_transfer(s, seed, to);
      break;
   case 10:
      emit_pass(s, seed, &s->samples, from);
      break;
   default:
      emit_pass(s, seed, &s->surface[to], from);
   }
}

static uint64_t
hash_bytes(uint64_t hash, const void *data, size_t size_B)
{
   for (size_t i = 0; i < size_B; i++)
      hash = (hash ^ ((const uint8_t *)data)[i]) * 0x100000001b3ull;
   return hash;
}

static uint64_t
hash_surface(uint64_t hash, const struct test_surface *surface)
{
   hash = hash_bytes(hash, surface->bo.map, surface->bo.size_B);
   return surface->tiles.map ? hash_bytes(hash, surface->tiles.map, surface->tiles.size_B) : hash;
}

/* Each timestamp is not before the one taken earlier in command order. */
static void
check_times(const struct scene *s)
{
   const uint64_t *time = s->times.map;
   for (uint32_t i = 0; i < s->time_count; i++)
      assert_true(time[i] > (i ? time[i - 1] : 0) &&
                  time[i] <= s->t.gpu->ops->get_param(s->t.gpu, CF_PARAM_TIME_NS));
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
   for (uint32_t i = 0; i < SURFACES; i++)
      hash = hash_surface(hash, &s.surface[i]);
   hash = hash_surface(hash, &s.samples);
   hash = hash_surface(hash_surface(hash, &s.half[0]), &s.half[1]);
   check_times(&s);
   scene_close(&s);
   return hash;
}

static void
same_bits(void **state)
{
   struct cf_random seeds = cf_random_seed("command-overlap");
   for (int round = 0; round < 2; round++) {
      const uint64_t first = cf_random_u64(&seeds) | 1, expected = render(0, first, STEPS + 1);
      static const int threads[] = { 1, 2, 4 };
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
