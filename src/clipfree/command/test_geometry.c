/* SPDX-License-Identifier: MIT */
/*
 * Geometry programs: random draws of all kinds of primitives, also those with adjacency, with and
 * without indices, restarts and instances. The program makes none, one or two strips of each
 * primitive. What it makes is fed back, and drawn; both must be as of a list of triangles that is
 * made one by one and drawn without a geometry program, on any number of threads, in both paths.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/command/test_gpu.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/primitive/cf_primitive.h"
#include "clipfree/shader/cf_geometry_layout.h"

#define SIZE_PX 96
#define MOST_ELEMENTS 1500
#define MOST_EMITTED 40000 /* vertices */
#define RESTART 0xffffu
#define SHIFT 0.125f

struct vertex {
   float position[4], value[4];
};

/* The vertices of a list of triangles. */
struct list {
   struct vertex vertex[MOST_EMITTED];
   uint32_t count;
   uint32_t primitives; /* that went into the geometry program */
};

struct drawn {
   struct cf_draw draw;
   uint16_t index[MOST_ELEMENTS];
};

/* ---- the program, and what it makes ---- */

/* Of a primitive with n vertices: number % 3 strips of three of its vertices (the first again where
 * it has fewer); strip c is moved by c * SHIFT to the right, and c is added to its varying. */
static void
program_text(char *text, size_t size, uint32_t n)
{
   const uint32_t input_dwords = 12, outputs = 1 + n * input_dwords;
   FILE *file = fmemopen(text, size, "w");
   fprintf(file, "sys v0, primitive\nmovi v1, 0x00000003\numod v1, v0, v1\n" /* strips */
                 "movi v2, 0x00000000\nmovi v3, 0.0\nmovi v4, 0x00000000\n" /* c; and as a float;
                                                                               their first dword */
                 "loop\nnext:\nuge v5, v2, v1\nbrk v5, last\nmovi v7, 0.125\nfmul v6, v3, v7\n");
   for (uint32_t k = 0; k < 3; k++) {
      const uint32_t from = 1 + (k < n ? k : 0) * input_dwords, to = outputs + 12 * k;
      for (uint32_t c = 0; c < 4; c++) {
         fprintf(file, "lds v8, [0 + %u]\n", from + c);
         if (c == 0)
            fprintf(file, "fadd v8, v8, v6\n");
         fprintf(file, "sts [v4 + %u], v8\n", to + c);
      }
      fprintf(file, "movi v8, 1.0\nsts [v4 + %u], v8\nsts [v4 + %u], v8\n", to + 4, to + 5);
      fprintf(file, "movi v8, 0x%08x\nsts [v4 + %u], v8\n", k == 2, to + CF_OUTPUT_ENDS_STRIP);
      for (uint32_t c = 0; c < 4; c++)
         fprintf(file, "lds v8, [0 + %u]\nfadd v8, v8, v3\nsts [v4 + %u], v8\n", from + 8 + c,
                 to + 8 + c);
   }
   fprintf(file, "movi v8, 0x%08x\niadd v4, v4, v8\niadd v2, v2, 1\nfadd v3, v3, 1.0\n"
                 "last:\nendloop next\n"
                 "movi v8, 0x00000003\nimul v8, v2, v8\nsts [0 + 0], v8\nend\n",
           3 * 12);
   fclose(file);
}

static uint64_t
put_program(struct test_gpu *t, uint32_t n)
{
   static char text[16384];
   struct cf_program info = { .stage = CF_SHADER_STAGE_GEOMETRY,
                              .vector_regs = 9,
                              .inputs = 4,
                              .outputs = 12,
                              .sysvals = 1u << CF_SYSVAL_PRIMITIVE,
                              .input_vertices = n,
                              .output_prim = CF_PRIM_KIND_TRIANGLE_STRIP,
                              .max_vertices = 6 };
   info.scratch_dwords = cf_geometry_scratch_dwords(&info);
   program_text(text, sizeof(text), n);
   return test_program(t, text, info);
}

static void
make(struct list *list, uint32_t primitive, const struct vertex *v, uint32_t n)
{
   for (uint32_t c = 0; c < primitive % 3; c++) {
      for (uint32_t k = 0; k < 3; k++) {
         struct vertex *emitted = &list->vertex[list->count++];
         assert_true(list->count <= MOST_EMITTED);
         *emitted = v[k < n ? k : 0];
         emitted->position[0] += (float)c * SHIFT;
         for (uint32_t i = 0; i < 4; i++)
            emitted->value[i] += (float)c;
      }
   }
}

/* Sets v and `count`, or returns 0. */
#define IS(condition, ...)                                                                         \
   do {                                                                                            \
      const uint32_t list_[] = { __VA_ARGS__ };                                                    \
      if (!(condition))                                                                            \
         return 0;                                                                                 \
      count = sizeof(list_) / sizeof(list_[0]);                                                    \
      memcpy(v, list_, sizeof(list_));                                                             \
   } while (0)
/* GL 3.2 table 2.4. */
static uint32_t
reference_strip_adjacency(uint32_t n, uint32_t i, uint32_t v[6])
{
   uint32_t count = 0;
   const uint32_t triangles = n < 6 ? 0 : n / 2 - 2;
   if (triangles == 1)
      IS(i == 0, 0, 1, 2, 5, 4, 3);
   else if (i == 0)
      IS(i < triangles, 0, 1, 2, 6, 4, 3);
   else if (i + 1 == triangles && i % 2)
      IS(i < triangles, 2 * i + 2, 2 * i - 2, 2 * i, 2 * i + 3, 2 * i + 4, 2 * i + 5);
   else if (i + 1 == triangles)
      IS(i < triangles, 2 * i, 2 * i - 2, 2 * i + 2, 2 * i + 5, 2 * i + 4, 2 * i + 3);
   else if (i % 2)
      IS(i < triangles, 2 * i + 2, 2 * i - 2, 2 * i, 2 * i + 3, 2 * i + 4, 2 * i + 6);
   else
      IS(i < triangles, 2 * i, 2 * i - 2, 2 * i + 2, 2 * i + 6, 2 * i + 4, 2 * i + 3);
   return count;
}

/* The vertices of primitive i of a run, GL 3.2 tables 2.3 and 2.4 written out. Returns how many;
 * 0: there is no such primitive. */
static uint32_t
reference_inputs(enum cf_prim_kind prim, uint32_t n, uint32_t i, uint32_t v[6])
{
   uint32_t count = 0;
   switch (prim) {
   case CF_PRIM_KIND_POINTS:
      IS(i < n, i);
      break;
   case CF_PRIM_KIND_LINES:
      IS(2 * i + 1 < n, 2 * i, 2 * i + 1);
      break;
   case CF_PRIM_KIND_LINE_STRIP:
      IS(i + 1 < n, i, i + 1);
      break;
   case CF_PRIM_KIND_LINE_LOOP:
      IS(n >= 2 && i < n, i, i + 1 == n ? 0 : i + 1);
      break;
   case CF_PRIM_KIND_TRIANGLES:
      IS(3 * i + 2 < n, 3 * i, 3 * i + 1, 3 * i + 2);
      break;
   case CF_PRIM_KIND_TRIANGLE_STRIP:
      if (i % 2)
         IS(i + 2 < n, i + 1, i, i + 2);
      else
         IS(i + 2 < n, i, i + 1, i + 2);
      break;
   case CF_PRIM_KIND_TRIANGLE_FAN:
      IS(i + 2 < n, 0, i + 1, i + 2);
      break;
   case CF_PRIM_KIND_LINES_ADJACENCY:
      IS(4 * i + 3 < n, 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3);
      break;
   case CF_PRIM_KIND_LINE_STRIP_ADJACENCY:
      IS(i + 3 < n, i, i + 1, i + 2, i + 3);
      break;
   case CF_PRIM_KIND_TRIANGLES_ADJACENCY:
      IS(6 * i + 5 < n, 6 * i, 6 * i + 1, 6 * i + 2, 6 * i + 3, 6 * i + 4, 6 * i + 5);
      break;
   case CF_PRIM_KIND_TRIANGLE_STRIP_ADJACENCY:
      return reference_strip_adjacency(n, i, v);
   default:
      return 0;
   }
   return count;
}

#undef IS

/* ---- random draws ---- */

static const enum cf_prim_kind kinds[] = {
   CF_PRIM_KIND_POINTS,          CF_PRIM_KIND_LINES,
   CF_PRIM_KIND_LINE_STRIP,      CF_PRIM_KIND_LINE_LOOP,
   CF_PRIM_KIND_TRIANGLES,       CF_PRIM_KIND_TRIANGLE_STRIP,
   CF_PRIM_KIND_TRIANGLE_FAN,    CF_PRIM_KIND_LINES_ADJACENCY,
   CF_PRIM_KIND_LINE_STRIP_ADJACENCY, CF_PRIM_KIND_TRIANGLES_ADJACENCY,
   CF_PRIM_KIND_TRIANGLE_STRIP_ADJACENCY,
};

static void
random_draw(struct cf_random *rng, struct drawn *d)
{
   const bool indexed = cf_random_below(rng, 2);
   d->draw =
      (struct cf_draw){ .prim = kinds[cf_random_below(rng, sizeof(kinds) / sizeof(kinds[0]))],
                        .count = cf_random_below(rng, 6) ? cf_random_below(rng, 60)
                                                         : cf_random_below(rng, MOST_ELEMENTS),
                        .instances = 1 + cf_random_below(rng, 3),
                        .index_size_B = indexed ? 2 : 0,
                        .restart = indexed && cf_random_below(rng, 2),
                        .restart_index = RESTART,
                        .index_size_total_B = sizeof(d->index) };
   for (uint32_t i = 0; i < MOST_ELEMENTS; i++)
      d->index[i] = (uint16_t)(d->draw.restart && cf_random_below(rng, 20) == 0
                                  ? RESTART
                                  : cf_random_below(rng, MOST_ELEMENTS));
}

/* Add what becomes of a run of n elements. */
static void
add_run(struct list *list, const struct drawn *d, const struct vertex *vertices,
        const uint32_t *run, uint32_t n, uint32_t *primitive)
{
   uint32_t number[6];
   for (uint32_t i = 0;; i++) {
      struct vertex input[6];
      const uint32_t count = reference_inputs(d->draw.prim, n, i, number);
      if (!count)
         break;
      for (uint32_t k = 0; k < count; k++)
         input[k] = vertices[run[number[k]]];
      make(list, (*primitive)++, input, count);
      list->primitives++;
   }
}

static void
add_draw(struct list *list, const struct drawn *d, const struct vertex *vertices)
{
   static uint32_t run[MOST_ELEMENTS];
   for (uint32_t instance = 0; instance < d->draw.instances; instance++) {
      uint32_t n = 0, primitive = 0;
      for (uint32_t i = 0; i < d->draw.count; i++) {
         const bool ends = d->draw.restart && d->index[i] == RESTART;
         if (!ends)
            run[n++] = d->draw.index_size_B ? d->index[i] : i;
         if (ends || i + 1 == d->draw.count) {
            add_run(list, d, vertices, run, n, &primitive);
            n = 0;
         }
      }
   }
}

/* ---- scenes ---- */

struct scene {
   struct test_gpu t;
   struct test_surface color;
   struct cf_bo fed, filled, counts;
};

/* `hidden`: nothing of it is rasterised. */
static void
open_scene(struct scene *s, struct cf_model_config config, bool hidden)
{
   test_gpu_open_on(&s->t, test_model_of(config));
   test_surface_create(&s->t, &s->color, CF_FORMAT_R8G8B8A8_UNORM, SIZE_PX, SIZE_PX, true);
   assert_true(s->t.gpu->ops->bo_alloc(s->t.gpu, MOST_EMITTED * sizeof(struct vertex), &s->fed));
   assert_true(s->t.gpu->ops->bo_alloc(s->t.gpu, 64, &s->filled));
   assert_true(s->t.gpu->ops->bo_alloc(s->t.gpu, 64, &s->counts));
   memset(s->fed.map, 0xcd, MOST_EMITTED * sizeof(struct vertex));
   memset(s->counts.map, 0, 16);
   test_emit_frame(&s->t, &s->color, NULL);
   EMIT(&s->t, clear, .colors = 1, .max_x_px = SIZE_PX, .max_y_px = SIZE_PX);
   EMIT(&s->t, raster, .half_pixel_center = true, .discard = hidden);
   EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = test_varyings_program(&s->t));
}

static void
close_scene(struct scene *s)
{
   s->t.gpu->ops->bo_free(s->t.gpu, &s->fed);
   s->t.gpu->ops->bo_free(s->t.gpu, &s->filled);
   s->t.gpu->ops->bo_free(s->t.gpu, &s->counts);
   test_surface_free(&s->t, &s->color);
   test_gpu_close(&s->t);
}

/* A vertex program with position and one varying; its vertices. */
static void
emit_vertices(struct test_gpu *t, const struct vertex *vertices, uint32_t count)
{
   static const char text[] = "sys v8, vertex_id\nldf v0, 0[v8]\nldf v4, 1[v8]\n"
                              "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\n"
                              "out 8, v4\nout 9, v5\nout 10, v6\nout 11, v7\nend\n";
   const struct cf_program info = { .stage = CF_SHADER_STAGE_VERTEX,
                                    .vector_regs = 9,
                                    .outputs = 12,
                                    .sysvals = 1u << CF_SYSVAL_VERTEX_ID };
   const uint64_t address = test_put(t, vertices, count * sizeof(*vertices));
   uint32_t dw[2 * CF_VERTEX_ELEMENT_DWORDS], link[CF_LINK_DWORDS];
   for (uint32_t i = 0; i < 2; i++)
      cf_vertex_element_pack(
         dw + i * CF_VERTEX_ELEMENT_DWORDS,
         &(struct cf_vertex_element){ .address = address + 16 * i,
                                      .size_B = (uint32_t)(count * sizeof(*vertices)) - 16 * i,
                                      .stride_B = sizeof(*vertices),
                                      .format = CF_FORMAT_R32G32B32A32_FLOAT });
   cf_link_pack(link, &(struct cf_link){ .present = true });
   EMIT(t, shader, .stage = CF_SHADER_STAGE_VERTEX, .program = test_program(t, text, info));
   EMIT(t, vertex_elements, .count = 2, .address = test_put(t, dw, sizeof(dw)));
   EMIT(t, varyings, .count = 1, .address = test_put(t, link, sizeof(link)));
   EMIT(t, geometry_inputs, .count = 1, .address = test_put(t, link, sizeof(link)));
}

static void
emit_feedback(struct scene *s)
{
   uint32_t dw[2 * CF_FEEDBACK_OUTPUT_DWORDS];
   for (uint32_t i = 0; i < 2; i++)
      cf_feedback_output_pack(dw + i * CF_FEEDBACK_OUTPUT_DWORDS,
                              &(struct cf_feedback_output){
                                 .first = 8 * i, .dwords = 4, .offset_dw = 4 * i });
   EMIT(&s->t, feedback, .outputs = 2, .restart = 1,
        .output_address = test_put(&s->t, dw, sizeof(dw)), .stride_dw = { 8 },
        .size_B = { MOST_EMITTED * sizeof(struct vertex) }, .address = { s->fed.address },
        .filled = { s->filled.address });
}

static void
emit_draw(struct test_gpu *t, const struct drawn *d)
{
   struct cf_draw draw = d->draw;
   draw.index_address = test_put(t, d->index, sizeof(d->index));
   cf_draw_pack(t->dw + t->count, &draw);
   t->count += CF_DRAW_DWORDS;
}

/* The picture's hash, as pixels may lie in tile states. */
static uint64_t
picture_of(const struct scene *s)
{
   uint64_t hash = 1;
   for (uint32_t y = 0; y < SIZE_PX; y++)
      for (uint32_t x = 0; x < SIZE_PX; x++)
         hash = (hash ^ test_surface_pixel(&s->color, x, y)) * 0x100000001b3;
   return hash;
}

static uint64_t
draw_list(const struct list *list, bool hidden)
{
   struct scene s;
   open_scene(&s, (struct cf_model_config){ .engine = CF_ENGINE_INTERP }, hidden);
   emit_vertices(&s.t, list->vertex, list->count ? list->count : 1);
   EMIT(&s.t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = list->count, .instances = 1);
   test_submit(&s.t);
   test_no_error(&s.t);
   const uint64_t picture = picture_of(&s);
   close_scene(&s);
   return picture;
}

static void
random_vertices(struct cf_random *rng, struct vertex *vertices)
{
   for (uint32_t i = 0; i < MOST_ELEMENTS; i++) {
      for (uint32_t c = 0; c < 4; c++) {
         vertices[i].position[c] = (float)cf_random_below(rng, 2000) / 1000 - 1;
         vertices[i].value[c] = (float)cf_random_below(rng, 1000) / 1000;
      }
      vertices[i].position[3] = 0.5f + (float)cf_random_below(rng, 1000) / 500;
   }
}

/* Draw `draws` with the program; half of the scenes feed back, too, and a quarter is hidden. */
static void
check_draws(struct cf_random *rng, struct cf_model_config config)
{
   enum { DRAWS = 4 };
   static struct list list;
   static struct vertex vertices[MOST_ELEMENTS];
   static struct drawn drawn;
   struct scene s;
   uint32_t n[6];
   const bool feeds = cf_random_below(rng, 2), hidden = cf_random_below(rng, 4) == 0;
   list.count = list.primitives = 0;
   random_vertices(rng, vertices);
   open_scene(&s, config, hidden);
   emit_vertices(&s.t, vertices, MOST_ELEMENTS);
   if (feeds)
      emit_feedback(&s);
   EMIT(&s.t, query, .kind = CF_QUERY_KIND_PRIMITIVES, .begin = true, .result = s.counts.address);
   for (uint32_t i = 0; i < DRAWS; i++) {
      random_draw(rng, &drawn);
      EMIT(&s.t, shader, .stage = CF_SHADER_STAGE_GEOMETRY,
           .program = put_program(&s.t, cf_assemble_inputs(drawn.draw.prim, 0, 0, n)));
      emit_draw(&s.t, &drawn);
      add_draw(&list, &drawn, vertices);
   }
   EMIT(&s.t, query, .kind = CF_QUERY_KIND_PRIMITIVES, .begin = false, .result = s.counts.address);
   test_submit(&s.t);
   test_no_error(&s.t);
   assert_int_equal(*(uint64_t *)s.counts.map, list.count / 3);
   if (feeds) {
      assert_int_equal(*(uint64_t *)s.filled.map, list.count * sizeof(struct vertex));
      assert_memory_equal(s.fed.map, list.vertex, list.count * sizeof(struct vertex));
   }
   assert_int_equal(picture_of(&s), draw_list(&list, hidden));
   close_scene(&s);
}

static void
random_draws(void **state)
{
   (void)state;
   struct cf_random rng = cf_random_seed("geometry random_draws");
   for (uint32_t n = 0; n < 60; n++)
      check_draws(&rng, (struct cf_model_config){ .threads = (int)(n % 3 * 2),
                                                  .host_level = 1 + cf_host_level(),
                                                  .path = n % 4 ? CF_PATH_NORMAL : CF_PATH_PLAIN });
}

/* ---- what is refused ---- */

/* A draw with this program and link says `message`; "": it is drawn. */
static void
check_link_fault(struct cf_program change, enum cf_prim_kind prim, const struct cf_link *input,
                 const char *message)
{
   uint32_t link[CF_LINK_DWORDS];
   static struct vertex vertices[8];
   struct test_gpu t;
   struct test_surface color;
   test_gpu_open(&t, 0);
   test_surface_create(&t, &color, CF_FORMAT_R8G8B8A8_UNORM, SIZE_PX, SIZE_PX, true);
   test_emit_frame(&t, &color, NULL);
   EMIT(&t, raster, .half_pixel_center = true);
   EMIT(&t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = test_varyings_program(&t));
   emit_vertices(&t, vertices, 8);
   cf_link_pack(link, input);
   const uint64_t links = test_put(&t, link, sizeof(link));
   EMIT(&t, shader, .stage = CF_SHADER_STAGE_GEOMETRY,
        .program = test_program(&t, "movi v0, 0x00000000\nsts [0 + 0], v0\nend\n", change));
   for (uint32_t i = 0; i < 2; i++) { /* the second time with a program that is known */
      EMIT(&t, geometry_inputs, .count = 1, .address = links);
      EMIT(&t, draw, .prim = prim, .count = 6, .instances = 1);
      EMIT(&t, draw, .prim = prim, .count = 6, .instances = 1);
   }
   test_submit(&t);
   char error[300];
   t.gpu->ops->last_error(t.gpu, error, sizeof(error));
   if (message[0] ? !strstr(error, message) : error[0] != 0)
      fail_msg("'%s' does not say '%s'", error, message);
   test_surface_free(&t, &color);
   test_gpu_close(&t);
}

static void
check_fault(struct cf_program change, enum cf_prim_kind prim, const char *message)
{
   check_link_fault(change, prim, &(struct cf_link){ .present = true }, message);
}

static void
wrong_programs(void **state)
{
   (void)state;
   const struct cf_program right = { .stage = CF_SHADER_STAGE_GEOMETRY,
                                     .vector_regs = 1,
                                     .inputs = 4,
                                     .outputs = 12,
                                     .input_vertices = 3,
                                     .output_prim = CF_PRIM_KIND_TRIANGLE_STRIP,
                                     .max_vertices = 6,
                                     .scratch_dwords = 1000 };
   struct cf_program wrong = right;
   check_fault(right, CF_PRIM_KIND_LINES,
               "has primitives of 2 vertices, the geometry program takes 3");
   wrong.input_vertices = 5;
   check_fault(wrong, CF_PRIM_KIND_TRIANGLES, "input_vertices is 5");
   wrong = right;
   wrong.output_prim = CF_PRIM_KIND_TRIANGLES;
   check_fault(wrong, CF_PRIM_KIND_TRIANGLES, "output_prim is none of");
   wrong = right;
   wrong.scratch_dwords = 10;
   check_fault(wrong, CF_PRIM_KIND_TRIANGLES, "scratch_dwords is 10, its inputs and outputs take");
   wrong = right;
   wrong.inputs = 8;
   check_fault(wrong, CF_PRIM_KIND_TRIANGLES, "the geometry program reads 8 varying dwords");
   /* the vertex program writes slot 0 alone */
   check_fault(right, CF_PRIM_KIND_TRIANGLES, "");
   check_link_fault(right, CF_PRIM_KIND_TRIANGLES, &(struct cf_link){ .slot = 1, .present = true },
                    "geometry input 0 wants varying slot 1, which the vertex program does not");
   check_link_fault(right, CF_PRIM_KIND_TRIANGLES, &(struct cf_link){ .slot = 1 }, "");
}

/* ---- without an end ---- */

static void
count_geometry_task(void *user, const struct cf_task_event *task)
{
   uint32_t *count = user;
   *count += task->geometry;
}

/* A program that does not end is stopped once: not in each of the instances that follow. */
static void
endless_program(void **state)
{
   static const struct vertex vertices[3];
   struct test_gpu t;
   struct test_surface color;
   struct cf_program info = { .stage = CF_SHADER_STAGE_GEOMETRY,
                              .vector_regs = 1,
                              .inputs = 4,
                              .outputs = 12,
                              .input_vertices = 3,
                              .output_prim = CF_PRIM_KIND_TRIANGLE_STRIP,
                              .max_vertices = 3 };
   uint32_t tasks = 0;
   const struct cf_observer observer = { .user = &tasks, .task_begin = count_geometry_task };
   (void)state;
   info.scratch_dwords = cf_geometry_scratch_dwords(&info);
   test_gpu_open_on(&t,
                    test_model_of((struct cf_model_config){
                       .path = CF_PATH_PLAIN, .engine = CF_ENGINE_INTERP, .observer = &observer }));
   test_surface_create(&t, &color, CF_FORMAT_R8G8B8A8_UNORM, SIZE_PX, SIZE_PX, true);
   test_emit_frame(&t, &color, NULL);
   EMIT(&t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = test_varyings_program(&t));
   emit_vertices(&t, vertices, 3);
   EMIT(&t, shader, .stage = CF_SHADER_STAGE_GEOMETRY,
        .program = test_program(&t, "loop\nagain:\nmovi v0, 1.0\nendloop again\nend\n", info));
   EMIT(&t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 3, .instances = 100);
   test_submit(&t);
   assert_int_equal(t.gpu->ops->reset_status(t.gpu), CF_RESET_GUILTY);
   assert_int_equal(tasks, 1);
   test_surface_free(&t, &color);
   test_gpu_close(&t);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_draws),
      cmocka_unit_test(endless_program),
      cmocka_unit_test(wrong_programs),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
