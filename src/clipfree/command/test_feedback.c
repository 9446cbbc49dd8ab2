/* SPDX-License-Identifier: MIT */
/*
 * Feedback: random draws of all kinds of primitives, with and without indices, restarts, instances
 * and rasterisation, into buffers that may be too small, on any number of threads; against a list
 * of vertices that is made one by one. And a draw that reads what the one before it wrote.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/command/test_gpu.h"

#define MOST_ELEMENTS 3000
#define MOST_VERTICES 40000 /* that a draw feeds back */
#define RESTART 0xffffu

struct scene {
   struct test_gpu t;
   struct test_surface color;
   struct cf_bo buffer[2], filled, counts;
};

/* A draw and the order of its vertices, by number. */
struct drawn {
   struct cf_draw draw;
   uint16_t index[MOST_ELEMENTS];
   uint32_t vertex[MOST_VERTICES];
   uint32_t vertices;
   uint32_t primitives;
};

static uint32_t
vertices_of(enum cf_prim_kind prim)
{
   return prim == CF_PRIM_KIND_POINTS ? 1 : prim <= CF_PRIM_KIND_LINE_STRIP ? 2 : 3;
}

static void
add(struct drawn *d, const uint32_t *run, uint32_t a, uint32_t b, uint32_t c)
{
   const uint32_t place[3] = { a, b, c };
   for (uint32_t k = 0; k < vertices_of(d->draw.prim); k++)
      d->vertex[d->vertices++] = run[place[k]];
   d->primitives++;
}

/* The primitives of a run as GL 3.0 section 2.6.1 has them; of a strip's odd triangles the first
 * two vertices are exchanged. */
static void
add_run(struct drawn *d, const uint32_t *run, uint32_t n)
{
   switch (d->draw.prim) {
   case CF_PRIM_KIND_POINTS:
      for (uint32_t i = 0; i < n; i++)
         add(d, run, i, 0, 0);
      break;
   case CF_PRIM_KIND_LINES:
      for (uint32_t i = 0; i + 1 < n; i += 2)
         add(d, run, i, i + 1, 0);
      break;
   case CF_PRIM_KIND_LINE_LOOP:
   case CF_PRIM_KIND_LINE_STRIP:
      for (uint32_t i = 0; i + 1 < n; i++)
         add(d, run, i, i + 1, 0);
      if (n >= 2 && d->draw.prim == CF_PRIM_KIND_LINE_LOOP)
         add(d, run, n - 1, 0, 0);
      break;
   case CF_PRIM_KIND_TRIANGLES:
      for (uint32_t i = 0; i + 2 < n; i += 3)
         add(d, run, i, i + 1, i + 2);
      break;
   case CF_PRIM_KIND_TRIANGLE_STRIP:
      for (uint32_t i = 0; i + 2 < n; i++)
         add(d, run, i + i % 2, i + 1 - i % 2, i + 2);
      break;
   default:
      for (uint32_t i = 0; i + 2 < n; i++)
         add(d, run, 0, i + 1, i + 2);
   }
}

static void
random_draw(struct cf_random *rng, struct drawn *d)
{
   static uint32_t run[MOST_ELEMENTS];
   const bool indexed = cf_random_below(rng, 2);
   d->vertices = d->primitives = 0;
   d->draw =
      (struct cf_draw){ .prim = cf_random_below(rng, CF_PRIM_KIND_TRIANGLE_FAN + 1),
                        .count = cf_random_below(rng, 8) ? cf_random_below(rng, 40)
                                                         : cf_random_below(rng, MOST_ELEMENTS),
                        .instances = 1 + cf_random_below(rng, 4),
                        .index_size_B = indexed ? 2 : 0,
                        .restart = indexed && cf_random_below(rng, 2),
                        .restart_index = RESTART,
                        .start = indexed ? 0 : cf_random_below(rng, 100),
                        .index_size_total_B = sizeof(d->index) };
   for (uint32_t i = 0; i < MOST_ELEMENTS; i++)
      d->index[i] = (uint16_t)(d->draw.restart && cf_random_below(rng, 20) == 0
                                  ? RESTART
                                  : cf_random_below(rng, MOST_ELEMENTS));
   for (uint32_t instance = 0; instance < d->draw.instances; instance++) {
      uint32_t n = 0;
      for (uint32_t i = 0; i < d->draw.count; i++) {
         const bool ends = d->draw.restart && d->index[i] == RESTART;
         if (!ends)
            run[n++] = indexed ? d->index[i] : d->draw.start + i;
         if (ends || i + 1 == d->draw.count) {
            add_run(d, run, n);
            n = 0;
         }
      }
   }
}

/* ---- the scene ---- */

/* Vertex i is (i, 2 i, 3 i, 1). */
static void
emit_vertices(struct test_gpu *t)
{
   static float vertex[MOST_ELEMENTS + 100][4];
   uint32_t dw[CF_VERTEX_ELEMENT_DWORDS];
   for (uint32_t i = 0; i < MOST_ELEMENTS + 100; i++) {
      for (uint32_t c = 0; c < 4; c++)
         vertex[i][c] = c < 3 ? (float)(i * (c + 1)) : 1.0f;
   }
   cf_vertex_element_pack(
      dw, &(struct cf_vertex_element){ .address = test_put(t, vertex, sizeof(vertex)),
                                       .size_B = sizeof(vertex),
                                       .stride_B = sizeof(vertex[0]),
                                       .format = CF_FORMAT_R32G32B32A32_FLOAT });
   EMIT(t, vertex_elements, .count = 1, .address = test_put(t, dw, sizeof(dw)));
}

/* All of varying 0 to buffer 0; y and z of the position to dwords 1 and 2 of buffer 1's elements.
 */
#define STRIDE_DW(buffer) ((buffer) ? 3u : 4u)

static uint64_t
put_outputs(struct test_gpu *t)
{
   uint32_t dw[2 * CF_FEEDBACK_OUTPUT_DWORDS];
   cf_feedback_output_pack(dw, &(struct cf_feedback_output){ .first = 8, .dwords = 4 });
   cf_feedback_output_pack(
      dw + CF_FEEDBACK_OUTPUT_DWORDS,
      &(struct cf_feedback_output){ .first = 1, .dwords = 2, .buffer = 1, .offset_dw = 1 });
   return test_put(t, dw, sizeof(dw));
}

static void
open_scene(struct scene *s, struct cf_model_config config)
{
   test_gpu_open_on(&s->t, test_model_of(config));
   test_surface_create(&s->t, &s->color, CF_FORMAT_R8G8B8A8_UNORM, 64, 64, true);
   for (uint32_t i = 0; i < 2; i++)
      assert_true(s->t.gpu->ops->bo_alloc(s->t.gpu, 16 * MOST_VERTICES, &s->buffer[i]));
   assert_true(s->t.gpu->ops->bo_alloc(s->t.gpu, 64, &s->filled));
   assert_true(s->t.gpu->ops->bo_alloc(s->t.gpu, 64, &s->counts));
}

static void
close_scene(struct scene *s)
{
   for (uint32_t i = 0; i < 2; i++)
      s->t.gpu->ops->bo_free(s->t.gpu, &s->buffer[i]);
   s->t.gpu->ops->bo_free(s->t.gpu, &s->filled);
   s->t.gpu->ops->bo_free(s->t.gpu, &s->counts);
   test_surface_free(&s->t, &s->color);
   test_gpu_close(&s->t);
}

static void
emit_feedback(struct scene *s, const uint32_t room_B[2], uint32_t restart)
{
   EMIT(&s->t, feedback, .outputs = 2, .restart = restart, .output_address = put_outputs(&s->t),
        .stride_dw = { STRIDE_DW(0), STRIDE_DW(1) }, .size_B = { room_B[0], room_B[1] },
        .address = { s->buffer[0].address, s->buffer[1].address },
        .filled = { s->filled.address, s->filled.address + 8 });
}

static void
emit_query(struct scene *s, enum cf_query_kind kind, bool begin)
{
   EMIT(&s->t, query, .kind = kind, .begin = begin,
        .result = s->counts.address + (kind == CF_QUERY_KIND_PRIMITIVES ? 0 : 8));
}

/* ---- what an observer sees ---- */

#define DRAWS 3

/* Events by draw and primitive; different primitives may come from different threads. */
struct watch {
   uint64_t packet[DRAWS];
   uint8_t seen[DRAWS][MOST_VERTICES];
   struct cf_feedback_event event[DRAWS][MOST_VERTICES];
};

static void
see_feedback(void *user, const struct cf_feedback_event *event)
{
   struct watch *watch = user;
   uint32_t i = 0;
   while (i < DRAWS - 1 && watch->packet[i] != event->draw)
      i++;
   assert_int_equal(watch->packet[i], event->draw);
   assert_in_range(event->primitive, 0, MOST_VERTICES - 1);
   watch->seen[i][event->primitive]++;
   watch->event[i][event->primitive] = *event;
}

/* All primitives of draw i were seen once; of them `written` fit, from element `filled` on. */
static void
check_watch(const struct scene *s, const struct watch *watch, uint32_t i, const struct drawn *d,
            uint32_t written, uint32_t filled)
{
   const uint32_t n = vertices_of(d->draw.prim), per_instance = d->primitives / d->draw.instances;
   for (uint32_t p = 0; p < MOST_VERTICES; p++) {
      const struct cf_feedback_event *event = &watch->event[i][p];
      assert_int_equal(watch->seen[i][p], p < d->primitives);
      if (p >= d->primitives)
         continue;
      assert_int_equal(event->vertices, n);
      assert_int_equal(event->instance, p / per_instance);
      assert_int_equal(event->fits, p < written);
      for (uint32_t k = 0; k < n; k++)
         assert_int_equal(d->draw.index_size_B ? d->index[event->element[k]]
                                               : d->draw.start + event->element[k],
                          d->vertex[p * n + k]);
      for (uint32_t b = 0; b < CF_FEEDBACK_BUFFERS; b++)
         assert_int_equal(event->buffer[b].address,
                          b < 2 && p < written
                             ? s->buffer[b].address + (filled + (uint64_t)p * n) * 4 * STRIDE_DW(b)
                             : 0);
   }
}

/* ---- random draws ---- */

/* What the buffers hold after the draws; returns how many primitives were written. */
static uint32_t
expect(const struct drawn *d, const uint32_t room_B[2], uint32_t *filled, uint32_t *expected[2])
{
   uint32_t written = 0;
   const uint32_t n = vertices_of(d->draw.prim);
   while (written < d->primitives && (*filled + n) * 4 * STRIDE_DW(0) <= room_B[0] &&
          (*filled + n) * 4 * STRIDE_DW(1) <= room_B[1]) {
      for (uint32_t k = 0; k < n; k++, (*filled)++) {
         const uint32_t vertex = d->vertex[written * n + k];
         for (uint32_t c = 0; c < 4; c++) {
            const float value = c < 3 ? (float)(vertex * (c + 1)) : 1.0f;
            memcpy(&expected[0][*filled * STRIDE_DW(0) + c], &value, 4);
            if (c == 1 || c == 2)
               memcpy(&expected[1][*filled * STRIDE_DW(1) + c], &value, 4);
         }
      }
      written++;
   }
   return written;
}

static void
emit_again(struct test_gpu *t, const struct cf_draw *draw)
{
   struct cf_draw again = *draw;
   again.again = true;
   cf_draw_pack(t->dw + t->count, &again);
   t->count += CF_DRAW_DWORDS;
}

static void
check_draws(struct cf_random *rng, struct cf_model_config config)
{
   static struct watch watch;
   static const struct cf_observer observer = { .user = &watch, .feedback = see_feedback };
   uint32_t fit[DRAWS], before[DRAWS];
   static struct drawn drawn[DRAWS];
   static uint32_t memory[2][4 * MOST_VERTICES];
   struct scene s;
   uint32_t *expected[2] = { memory[0], memory[1] }, filled = 0;
   uint64_t primitives = 0, written = 0;
   const bool tight = cf_random_below(rng, 2);
   const uint32_t room_B[2] = { tight ? 16 + 4 * cf_random_below(rng, 1000) : 16 * MOST_VERTICES,
                                12 + 4 * cf_random_below(rng, 2000) };
   if (config.path == CF_PATH_PLAIN) {
      memset(&watch, 0, sizeof(watch));
      config.observer = &observer;
      config.engine = CF_ENGINE_INTERP;
   }
   open_scene(&s, config);
   memset(memory, 0xcd, sizeof(memory));
   for (uint32_t i = 0; i < 2; i++)
      memset(s.buffer[i].map, 0xcd, 16 * MOST_VERTICES);
   memset(s.filled.map, 0xff, 16); /* restarts set it to 0 */
   memset(s.counts.map, 0, 16);
   test_emit_frame(&s.t, &s.color, NULL);
   test_emit_positions(&s.t);
   EMIT(&s.t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = test_varyings_program(&s.t));
   emit_vertices(&s.t);
   emit_query(&s, CF_QUERY_KIND_PRIMITIVES, true);
   emit_query(&s, CF_QUERY_KIND_FEEDBACK_PRIMITIVES, true);
   emit_feedback(&s, room_B, 3);
   EMIT(&s.t, raster, .half_pixel_center = true, .discard = cf_random_below(rng, 2));
   for (uint32_t i = 0; i < DRAWS; i++) {
      struct cf_draw *draw = &drawn[i].draw;
      random_draw(rng, &drawn[i]);
      draw->index_address = test_put(&s.t, drawn[i].index, sizeof(drawn[i].index));
      if (i > 0 && cf_random_below(rng, 2)) /* goes on where it was */
         emit_feedback(&s, room_B, 0);
      watch.packet[i] = s.t.commands.address + 4 * s.t.count;
      cf_draw_pack(s.t.dw + s.t.count, draw);
      s.t.count += CF_DRAW_DWORDS;
      if (cf_random_below(rng, 2)) /* into another layer: nothing of it is fed back or counted */
         emit_again(&s.t, draw);
      primitives += drawn[i].primitives;
      before[i] = filled;
      fit[i] = expect(&drawn[i], room_B, &filled, expected);
      written += fit[i];
   }
   emit_query(&s, CF_QUERY_KIND_PRIMITIVES, false);
   emit_query(&s, CF_QUERY_KIND_FEEDBACK_PRIMITIVES, false);
   test_submit(&s.t);
   test_no_error(&s.t);
   const uint64_t *counts = s.counts.map, *filled_B = s.filled.map;
   assert_int_equal(counts[0], primitives);
   assert_int_equal(counts[1], written);
   for (uint32_t i = 0; i < 2; i++) {
      assert_int_equal(filled_B[i], 4 * STRIDE_DW(i) * filled);
      assert_memory_equal(s.buffer[i].map, memory[i], sizeof(memory[i]));
   }
   for (uint32_t i = 0; config.observer && i < DRAWS; i++)
      check_watch(&s, &watch, i, &drawn[i], fit[i], before[i]);
   close_scene(&s);
}

static void
random_draws(void **state)
{
   (void)state;
   struct cf_random rng = cf_random_seed("feedback random_draws");
   for (uint32_t n = 0; n < 90; n++)
      check_draws(&rng, (struct cf_model_config){ .threads = (int)(n % 3 * 2),
                                                  .host_level = 1 + cf_host_level(),
                                                  .path = n % 5 ? CF_PATH_NORMAL : CF_PATH_PLAIN });
}

/* ---- one draw reads what another one wrote ---- */

/* All points but the first are fed back from one buffer to the other; many times, so that loops are
 * in flight together. */
static void
chains(void **state)
{
   (void)state;
   const uint32_t room_B[2] = { 16 * MOST_VERTICES, 16 * MOST_VERTICES };
   struct scene s;
   open_scene(&s, (struct cf_model_config){ .threads = 4, .host_level = 1 + cf_host_level() });
   uint32_t element[2][CF_VERTEX_ELEMENT_DWORDS];
   for (uint32_t i = 0; i < 2; i++)
      cf_vertex_element_pack(element[i],
                             &(struct cf_vertex_element){ .address = s.buffer[i].address,
                                                          .size_B = room_B[i],
                                                          .stride_B = 16,
                                                          .format = CF_FORMAT_R32G32B32A32_FLOAT });
   const uint32_t count = 20000, rounds = 20;
   float *first = s.buffer[0].map;
   for (uint32_t i = 0; i < 4 * count; i++)
      first[i] = (float)i;
   test_emit_frame(&s.t, &s.color, NULL);
   test_emit_positions(&s.t);
   EMIT(&s.t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = test_varyings_program(&s.t));
   EMIT(&s.t, raster, .half_pixel_center = true, .discard = true);
   uint32_t dw[CF_FEEDBACK_OUTPUT_DWORDS];
   cf_feedback_output_pack(dw, &(struct cf_feedback_output){ .first = 8, .dwords = 4 });
   const uint64_t outputs = test_put(&s.t, dw, sizeof(dw));
   memset(s.buffer[1].map, 0, room_B[1]);
   for (uint32_t round = 0; round < rounds; round++) {
      const uint32_t from = round % 2, to = 1 - from;
      EMIT(&s.t, vertex_elements, .count = 1,
           .address = test_put(&s.t, element[from], sizeof(element[from])));
      EMIT(&s.t, feedback, .outputs = 1, .restart = 1, .output_address = outputs,
           .stride_dw = { 4 }, .size_B = { room_B[to] }, .address = { s.buffer[to].address },
           .filled = { s.filled.address });
      EMIT(&s.t, draw, .prim = CF_PRIM_KIND_POINTS, .count = count - round, .start = 1,
           .instances = 1);
   }
   test_submit(&s.t);
   test_no_error(&s.t);
   const float *last = s.buffer[rounds % 2].map;
   for (uint32_t i = 0; i < 4 * (count - rounds); i++)
      assert_true(last[i] == (float)(i + 4 * rounds));
   close_scene(&s);
}

/* ---- order with draws that only read ---- */

#define TRIANGLES 8000

/* Triangles without area, and a last one that covers the pixel (4, 4), or (52, 52). */
static void
fill_triangles(float (*vertex)[4], bool upper)
{
   const float x = upper ? 0.5f : -1.0f;
   const float corner[3][2] = { { x, x }, { x + 0.5f, x }, { x, x + 0.5f } };
   for (uint32_t i = 0; i < 3 * TRIANGLES; i++) {
      for (uint32_t c = 0; c < 4; c++)
         vertex[i][c] = c == 2 ? 0.5f : 1.0f;
      if (i >= 3 * TRIANGLES - 3)
         memcpy(vertex[i], corner[i % 3], sizeof(corner[0]));
   }
}

static void
emit_source(struct test_gpu *t, uint64_t address, uint32_t start)
{
   uint32_t dw[CF_VERTEX_ELEMENT_DWORDS];
   cf_vertex_element_pack(dw,
                          &(struct cf_vertex_element){ .address = address,
                                                       .size_B = 3 * TRIANGLES * 16,
                                                       .stride_B = 16,
                                                       .format = CF_FORMAT_R32G32B32A32_FLOAT });
   EMIT(t, vertex_elements, .count = 1, .address = test_put(t, dw, sizeof(dw)));
   EMIT(t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 3 * TRIANGLES - start, .start = start,
        .instances = 1);
}

/* A draw reads the buffer, then feedback overwrites it, then another draw reads it: each sees what
 * it should. */
static void
order(void **state)
{
   (void)state;
   static float fed[3 * TRIANGLES][4];
   const uint32_t last_B = 3 * sizeof(fed[0]);
   struct scene s;
   uint32_t dw[CF_FEEDBACK_OUTPUT_DWORDS];
   open_scene(&s, (struct cf_model_config){ .threads = 4, .host_level = 1 + cf_host_level() });
   fill_triangles(fed, true);
   const uint64_t source = test_put(&s.t, fed, sizeof(fed));
   cf_feedback_output_pack(dw, &(struct cf_feedback_output){ .first = 0, .dwords = 4 });
   const uint64_t outputs = test_put(&s.t, dw, sizeof(dw));
   for (uint32_t round = 0; round < 20; round++) {
      fill_triangles(s.buffer[0].map, false);
      test_emit_frame(&s.t, &s.color, NULL);
      test_emit_positions(&s.t);
      EMIT(&s.t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = test_varyings_program(&s.t));
      EMIT(&s.t, clear, .colors = 1, .max_x_px = 64, .max_y_px = 64);
      emit_source(&s.t, s.buffer[0].address, 0);
      EMIT(&s.t, feedback, .outputs = 1, .restart = 1, .output_address = outputs,
           .stride_dw = { 4 }, .size_B = { last_B },
           .address = { s.buffer[0].address + sizeof(fed) - last_B },
           .filled = { s.filled.address });
      EMIT(&s.t, raster, .half_pixel_center = true, .discard = true);
      emit_source(&s.t, source, 3 * TRIANGLES - 3);
      EMIT(&s.t, feedback, .outputs = 0);
      EMIT(&s.t, raster, .half_pixel_center = true);
      emit_source(&s.t, s.buffer[0].address, 0);
      test_submit(&s.t);
      test_no_error(&s.t);
      assert_int_not_equal(test_surface_pixel(&s.color, 4, 4), 0);
      assert_int_not_equal(test_surface_pixel(&s.color, 52, 52), 0);
   }
   close_scene(&s);
}

/* ---- bad packets ---- */

static void
refused(void **state)
{
   (void)state;
   static const struct {
      struct cf_feedback_output output;
      uint32_t stride_dw;
      const char *error;
   } cases[] = {
      { { .first = 8, .dwords = 4, .offset_dw = 1 }, 4, "ends with dword 5" },
      { { .first = 12, .dwords = 4 }, 4, "vertex output 15" },
      { { .first = 8, .dwords = 4 }, 1u << 20, "stride_dw" },
   };
   for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      struct scene s;
      uint32_t dw[CF_FEEDBACK_OUTPUT_DWORDS];
      char text[256];
      open_scene(&s, (struct cf_model_config){ .threads = 0, .host_level = 1 + cf_host_level() });
      test_emit_frame(&s.t, &s.color, NULL);
      test_emit_positions(&s.t);
      EMIT(&s.t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = test_varyings_program(&s.t));
      emit_vertices(&s.t);
      cf_feedback_output_pack(dw, &cases[i].output);
      EMIT(&s.t, feedback, .outputs = 1, .output_address = test_put(&s.t, dw, sizeof(dw)),
           .stride_dw = { cases[i].stride_dw }, .size_B = { 64 },
           .address = { s.buffer[0].address }, .filled = { s.filled.address });
      EMIT(&s.t, draw, .prim = CF_PRIM_KIND_POINTS, .count = 1, .instances = 1);
      test_submit(&s.t);
      s.t.gpu->ops->last_error(s.t.gpu, text, sizeof(text));
      assert_non_null(strstr(text, cases[i].error));
      close_scene(&s);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_draws),
      cmocka_unit_test(chains),
      cmocka_unit_test(order),
      cmocka_unit_test(refused),
   };
   return cmocka_run_group_tests_name("command-feedback", tests, NULL, NULL);
}
