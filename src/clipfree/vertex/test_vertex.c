/* SPDX-License-Identifier: MIT */
/*
 * The vertex engine against a reference that fetches and shades vertex by vertex. Draws without
 * indices and with indices of each size, with biases, instances, divisors, elements outside of
 * their buffers, several draws in one group, positions first, and tasks that the watchdog ends.
 */
#include "clipfree/shader/test_shader.h"

#include "clipfree/arith/cf_minmax.h"
#include "clipfree/base/test_random.h"
#include "clipfree/shader/cf_decoded.h"
#include "clipfree/shader/cf_run.h"
#include "clipfree/vertex/cf_vertex.h"

#define MAX_VERTICES 1000 /* requested by a group, at most */
#define MAX_ELEMENTS 256  /* of a draw, in ranges that may overlap */
#define MAX_DRAWS 4
#define MAX_RANGES 4 /* of a draw */
#define FETCHES 3    /* two per vertex, one per instance */
#define BUFFER_B 4096
#define RECORD_DWORDS 20
#define ROUNDS 400

/* Each output shows a different input of the vertex. */
static const char program_text[] =
   "sys v8, vertex_id\nsys v9, instance_id\nsys v10, base_instance\n"
   "ldf v0, 0[v8]\nldf v4, 1[v8]\nldf v12, 2[v8]\n"
   "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\n"
   "out 8, v4\nout 9, v5\nout 10, v6\nout 11, v7\n"
   "out 12, v8\nout 13, v9\nout 14, v10\nout 15, v12\n"
   "end\n";
#define PROGRAM_INSTRS 19
static const struct cf_program program_info = {
   .stage = CF_SHADER_STAGE_VERTEX, .vector_regs = 16, .outputs = 16, .sysvals = 7
};
/* Vertex ENDLESS never ends, after it has exported something. */
#define ENDLESS 40
static const char endless_text[] = "sys v8, vertex_id\nldf v0, 0[v8]\nldf v4, 1[v8]\n"
                                   "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\n"
                                   "ult v13, v8, 40\nult v14, 40, v8\nor v13, v13, v14\n"
                                   "loop\nnext: fadd v9, v9, v4\nbrk v13, last\n"
                                   "last: endloop next\nout 8, v4\nend\n";

/* A draw with its buffers, and the ranges requested of it. */
struct draw {
   struct cf_vertex_source source;
   struct cf_stage stage;
   uint8_t buffer[FETCHES][BUFFER_B];
   uint8_t indices[4 * MAX_ELEMENTS];
   struct cf_vertex_range range[MAX_RANGES];
   uint32_t handle[MAX_RANGES], ranges;
};

struct group {
   struct fixture f;
   struct draw draw[MAX_DRAWS];
   uint32_t draws, requested;
};

/* ---- reference ---- */

static uint32_t
vertex_of(const struct cf_vertex_source *source, uint32_t element)
{
   uint32_t index = 0; /* little-endian, as the host */
   if (!source->indices)
      return source->start + element;
   memcpy(&index, source->indices + (size_t)element * source->index_size_B, source->index_size_B);
   return index + (uint32_t)source->index_bias;
}

/* An element that is missing is outside of nothing. */
static bool
is_inside(const struct cf_fetch *fetch, uint32_t element)
{
   return !fetch->format ||
          (uint64_t)element * fetch->stride_B + fetch->format->pixel_B <= fetch->size_B;
}

static void
fetch_element(const struct cf_fetch *fetch, uint32_t element, uint32_t out[4])
{
   memset(out, 0, 4 * sizeof(*out));
   if (fetch->format && is_inside(fetch, element))
      cf_format_fetch(fetch->format, fetch->data + (size_t)element * fetch->stride_B, (float *)out);
}

/* The expected record of program_text. */
static void
expect(const struct draw *d, uint32_t vertex, uint32_t instance, uint32_t record[RECORD_DWORDS])
{
   const struct cf_fetch *fetch = d->stage.fetch;
   uint32_t of_instance[4];
   memset(record, 0, RECORD_DWORDS * sizeof(*record));
   fetch_element(&fetch[0], vertex, &record[0]);
   record[4] = record[5] = 0x3f800000;
   fetch_element(&fetch[1], vertex, &record[8]);
   record[12] = vertex;
   record[13] = instance;
   record[14] = d->source.base_instance;
   fetch_element(&fetch[2], d->source.base_instance + instance / fetch[2].divisor, of_instance);
   record[15] = of_instance[0];
}

/* ---- random groups ---- */

/* `like`: the fetch of a draw to be joined, or NULL. Element 1 may be missing: the draw has fewer
 * than the program reads. */
static void
make_fetch(struct cf_random *r, struct draw *d, uint32_t i, uint32_t vertices,
           const struct cf_fetch *like)
{
   static const enum cf_format formats[] = { CF_FORMAT_R32G32B32A32_UINT, CF_FORMAT_R8G8B8A8_UNORM,
                                             CF_FORMAT_R32G32_UINT };
   d->stage.fetch[i] = (struct cf_fetch){ 0 };
   if (like ? !like->format : i == 1 && cf_random_below(r, 8) == 0)
      return;
   const struct cf_format_info *format =
      like ? like->format : cf_format_info_of(formats[cf_random_below(r, 3)]);
   const uint32_t divisor = like ? like->divisor : i == 2 ? 1 + cf_random_below(r, 3) : 0;
   const uint32_t stride_B =
      cf_random_below(r, 8) ? format->pixel_B * (1 + cf_random_below(r, 2)) : 0;
   const uint32_t room_B =
      cf_random_below(r, 2) ? BUFFER_B : vertices * stride_B; /* often too small for all vertices */
   for (uint32_t byte = 0; byte < BUFFER_B; byte++)
      d->buffer[i][byte] = (uint8_t)cf_random_u32(r);
   d->stage.fetch[i] = (struct cf_fetch){ .data = d->buffer[i],
                                          .size_B = cf_min_u32(room_B, BUFFER_B),
                                          .stride_B = stride_B,
                                          .format = format,
                                          .divisor = divisor };
   if (!divisor && cf_fetch_count(&d->stage.fetch[i]) < d->stage.fetch_vertices)
      d->stage.fetch_vertices = cf_fetch_count(&d->stage.fetch[i]);
}

/* The index behind `before`: the next one, or, one in sixteen, the first one of another run, whose
 * entries in the vertex cache may lie on both sides of its end. */
static uint32_t
index_of_run(struct cf_random *r, uint32_t before, uint32_t few)
{
   static const uint32_t begins[] = { 0, 2044, 3606, UINT32_MAX - 20 };
   const uint32_t n = cf_random_below(r, 6);
   if (cf_random_below(r, 16))
      return before + 1;
   return n < 4 ? begins[n] : cf_random_below(r, few);
}

/* `few`: number of distinct indices, so that they repeat. */
static void
make_indices(struct cf_random *r, struct draw *d, uint32_t few)
{
   static const uint32_t sizes_B[] = { 0, 1, 2, 4 };
   const uint32_t size_B = sizes_B[cf_random_below(r, 4)];
   d->source.index_size_B = size_B;
   d->source.indices = size_B ? d->indices : NULL;
   d->source.start =
      cf_random_below(r, 4) ? cf_random_below(r, 20) : UINT32_MAX - cf_random_below(r, 200);
   d->source.index_bias = (int32_t)cf_random_below(r, 40) - 20;
   const bool runs = cf_random_below(r, 2);
   uint32_t index = 0;
   for (uint32_t i = 0; size_B && i < MAX_ELEMENTS; i++) {
      if (runs)
         index = index_of_run(r, index, few);
      else
         index = cf_random_below(r, 16) ? cf_random_below(r, few) : cf_random_u32(r);
      memcpy(d->indices + i * size_B, &index, size_B);
   }
}

static void
make_range(struct cf_random *r, struct cf_vertex_range *range, uint32_t count)
{
   range->run_first = cf_random_below(r, 10);
   range->first = cf_random_below(r, 4);
   range->last = range->first + count - 1;
   range->needs_vertex_0 = cf_random_below(r, 2);
   range->instance = cf_random_below(r, 3);
}

/* Make a draw with a range of `count` vertices, then random ones. `before`: the draw that it joins,
 * or NULL. */
static void
make_draw(struct cf_random *r, struct draw *d, const struct cf_stage *stage, uint32_t count,
          const struct draw *before)
{
   d->stage = *stage;
   d->stage.fetch_vertices = UINT64_MAX;
   d->stage.fetches = FETCHES;
   for (uint32_t i = 0; i < FETCHES; i++)
      make_fetch(r, d, i, 1 + cf_random_below(r, 100), before ? &before->stage.fetch[i] : NULL);
   d->source = (struct cf_vertex_source){ .stage = &d->stage, .record_dwords = RECORD_DWORDS };
   d->source.base_instance = before ? before->source.base_instance : cf_random_below(r, 30);
   make_indices(r, d, 1 + cf_random_below(r, 120));
   d->ranges = 1 + cf_random_below(r, MAX_RANGES);
   for (uint32_t i = 0; i < d->ranges; i++)
      make_range(r, &d->range[i], i == 0 ? count : 1 + cf_random_below(r, 50));
}

/* Boundary counts first: of whole tasks, and of tasks with few lanes. */
static uint32_t
count_of(struct cf_random *r, uint32_t round)
{
   static const uint32_t counts[] = {
      1, CF_FEW_LANES, CF_FEW_LANES + 1, CF_TASK_LANES, CF_TASK_LANES + 1, 2 * CF_TASK_LANES
   };
   const uint32_t boundaries = sizeof(counts) / sizeof(counts[0]);
   return round < 4 * boundaries ? counts[round % boundaries] : 1 + cf_random_below(r, 80);
}

static void
make_group(struct cf_random *r, struct group *g, uint32_t round, uint32_t draws)
{
   g->draws = draws;
   for (uint32_t i = 0; i < draws; i++)
      make_draw(r, &g->draw[i], &g->f.stage, count_of(r, round), i ? &g->draw[i - 1] : NULL);
}

static void
begin_program(struct group *g, const char *text)
{
   memset(g, 0, sizeof(*g));
   fixture_init(&g->f);
   g->f.info = program_info;
   assert_true(fixture_load(&g->f, text));
}

/* ---- running ---- */

static void
shade(struct cf_vertex_engine *engine, struct group *g, bool positions_first)
{
   g->f.task->prepared = NULL;
   g->requested = 0;
   assert_true(cf_vertex_begin(engine, &g->draw[0].source, g->f.task, positions_first));
   for (uint32_t i = 0; i < g->draws; i++) {
      struct draw *d = &g->draw[i];
      if (i > 0) {
         assert_true(cf_vertex_can_join(&g->draw[i - 1].source, &d->source));
         cf_vertex_join(engine, &d->source);
      }
      for (uint32_t n = 0; n < d->ranges; n++) {
         d->handle[n] = g->requested;
         cf_vertex_request(engine, &d->range[n]);
         g->requested = cf_vertex_next_handle(&d->range[n], g->requested);
      }
   }
   cf_vertex_finish(engine);
}

/* Element of the i-th vertex of a range; the one after `last` is element 0 of the run, if
 * requested. */
static uint32_t
number_in_run(const struct cf_vertex_range *range, uint32_t i)
{
   return range->first + i <= range->last ? range->first + i : 0;
}

/* Compare the first `dwords` of all records. */
static void
check_records(struct cf_vertex_engine *engine, const struct group *g, uint32_t dwords)
{
   for (uint32_t i = 0; i < g->draws; i++) {
      const struct draw *d = &g->draw[i];
      for (uint32_t n = 0; n < d->ranges; n++) {
         const struct cf_vertex_range *range = &d->range[n];
         const float *const *records = cf_vertex_records(engine, range, d->handle[n]);
         const uint32_t count = cf_vertex_next_handle(range, 0);
         for (uint32_t v = 0; v < count; v++) {
            const uint32_t number = number_in_run(range, v);
            uint32_t expected[RECORD_DWORDS];
            expect(d, vertex_of(&d->source, range->run_first + number), range->instance, expected);
            assert_memory_equal(records[number], expected, dwords * sizeof(*expected));
         }
      }
   }
}

/* Whether a per-vertex element of the vertex lies outside of its buffer. */
static bool
is_outside(const struct draw *d, uint32_t vertex)
{
   return !is_inside(&d->stage.fetch[0], vertex) || !is_inside(&d->stage.fetch[1], vertex);
}

/* Whether the draw requests vertex `wanted`, or any if UINT32_MAX, that is outside. */
static bool
asks_for_outside(const struct draw *d, uint32_t wanted)
{
   bool asks = false;
   for (uint32_t n = 0; n < d->ranges; n++) {
      const struct cf_vertex_range *range = &d->range[n];
      for (uint32_t v = 0; v < cf_vertex_next_handle(range, 0); v++) {
         const uint32_t number = number_in_run(range, v);
         const uint32_t vertex = vertex_of(&d->source, range->run_first + number);
         asks = asks || (is_outside(d, vertex) && (wanted == UINT32_MAX || wanted == vertex));
      }
   }
   return asks;
}

/* The reported load names a vertex of the draw that requested it, and an element outside of its
 * buffer. */
static void
check_outside(const struct cf_vertex_engine *engine, const struct group *g)
{
   const struct cf_vertex_outside *outside = cf_vertex_outside(engine);
   bool any = false;
   for (uint32_t i = 0; i < g->draws; i++) {
      const struct draw *d = &g->draw[i];
      any = any || asks_for_outside(d, UINT32_MAX);
      if (outside && outside->source == &d->source) {
         assert_in_range(outside->element, 0, 1);
         assert_false(is_inside(&d->stage.fetch[outside->element], outside->vertex));
         assert_true(asks_for_outside(d, outside->vertex));
      }
   }
   assert_int_equal(outside != NULL, any);
}

/* ---- tests ---- */

static void
records_are_right(void **state)
{
   struct cf_random r = cf_random_seed("vertex records");
   struct group *g = malloc(sizeof(*g));
   begin_program(g, program_text);
   for (int level = 0; level <= (int)cf_host_level(); level++) {
      struct cf_vertex_engine *engine =
         cf_vertex_engine_create(cf_shader_ops_at(level), MAX_VERTICES, NULL);
      for (uint32_t round = 0; round < ROUNDS; round++) {
         const uint64_t before = cf_vertex_stats(engine).tasks;
         make_group(&r, g, round, round % 2 ? 1 + cf_random_below(&r, MAX_DRAWS) : 1);
         shade(engine, g, false);
         check_records(engine, g, RECORD_DWORDS);
         check_outside(engine, g);
         assert_null(cf_vertex_timed_out(engine));
         assert_in_range(cf_vertex_stats(engine).tasks - before, 1,
                         (g->requested + CF_TASK_LANES - 1) / CF_TASK_LANES);
      }
      cf_vertex_engine_destroy(engine);
   }
   fixture_end(&g->f);
   free(g);
}

/* An element that ends at the buffer's end is inside, the next one is outside. */
static void
buffers_have_an_end(void **state)
{
   struct cf_random r = cf_random_seed("vertex outside");
   struct group *g = malloc(sizeof(*g));
   struct cf_vertex_engine *engine =
      cf_vertex_engine_create(cf_shader_ops_at(cf_host_level()), MAX_VERTICES, NULL);
   begin_program(g, program_text);
   for (uint32_t count = 1; count <= 2 * CF_TASK_LANES; count++) {
      make_group(&r, g, 0, 1);
      struct draw *d = &g->draw[0];
      for (uint32_t i = 0; i < 2 && d->stage.fetch[i].format; i++) {
         d->stage.fetch[i].stride_B = d->stage.fetch[i].format->pixel_B;
         d->stage.fetch[i].size_B = count * d->stage.fetch[i].stride_B;
      }
      d->stage.fetch_vertices = count;
      d->source.indices = NULL;
      d->source.start = 0;
      d->ranges = 1;
      for (uint32_t beyond = 0; beyond < 2; beyond++) {
         d->range[0] = (struct cf_vertex_range){ .last = count - 1 + beyond };
         shade(engine, g, false);
         check_records(engine, g, RECORD_DWORDS);
         check_outside(engine, g);
         assert_int_equal(cf_vertex_outside(engine) != NULL, beyond);
      }
   }
   cf_vertex_engine_destroy(engine);
   fixture_end(&g->f);
   free(g);
}

/* Begin a group of one draw with indices of `size_B`. */
static struct draw *
begin_indexed(struct cf_random *r, struct group *g, uint32_t size_B)
{
   begin_program(g, program_text);
   make_group(r, g, 0, 1);
   struct draw *d = &g->draw[0];
   d->source.indices = d->indices;
   d->source.index_size_B = size_B;
   return d;
}

/* The repeating indices of a grid: a pure program shades every vertex once, any other as often as
 * it is requested. */
static void
vertices_are_found_again(void **state)
{
   struct cf_random r = cf_random_seed("vertex reuse");
   struct group *g = malloc(sizeof(*g));
   struct cf_vertex_engine *engine =
      cf_vertex_engine_create(cf_shader_ops_at(cf_host_level()), MAX_VERTICES, NULL);
   struct draw *d = begin_indexed(&r, g, 2);
   d->ranges = 1;
   d->range[0] = (struct cf_vertex_range){ .last = MAX_ELEMENTS - 1 };
   for (uint16_t i = 0; i < MAX_ELEMENTS; i++) {
      const uint16_t index = (uint16_t)(i / 4 + i % 4); /* 0 1 2 3, 1 2 3 4, ... */
      memcpy(d->indices + 2 * i, &index, sizeof(index));
   }
   const uint32_t once = (MAX_ELEMENTS / 4 + 3 + CF_TASK_LANES - 1) / CF_TASK_LANES;
   shade(engine, g, false);
   check_records(engine, g, RECORD_DWORDS);
   assert_int_equal(cf_vertex_stats(engine).tasks, once);
   assert_true(cf_vertex_can_join(&d->source, &d->source));
   ((struct cf_decoded *)g->f.stage.program)->pure = false;
   shade(engine, g, false);
   check_records(engine, g, RECORD_DWORDS);
   assert_int_equal(cf_vertex_stats(engine).tasks - once, MAX_ELEMENTS / CF_TASK_LANES);
   assert_false(cf_vertex_can_join(&d->source, &d->source));
   cf_vertex_engine_destroy(engine);
   fixture_end(&g->f);
   free(g);
}

/* What comes after a run of consecutive indices. */
enum { AGAIN_THEN_BACKWARDS, BACKWARDS_THEN_AGAIN, ON_FROM_THE_LAST, WAYS };

/* The i-th index of a run of `once` consecutive ones and two more. */
static uint32_t
index_after_run(uint32_t i, uint32_t once, uint32_t way)
{
   const uint32_t number = i / once, in_run = i % once;
   if (number == (way == BACKWARDS_THEN_AGAIN ? 1 : 2))
      return once - 1 - in_run;
   return number == 1 && way == ON_FROM_THE_LAST ? once - 1 + in_run : in_run;
}

/* A run of `once` consecutive indices from `begin` on, and what comes after it, in two ranges:
 * every vertex is shaded once. */
static void
check_run(struct cf_random *r, struct cf_vertex_engine *engine, struct group *g, uint32_t begin,
          uint32_t once, uint32_t way)
{
   struct draw *d = &g->draw[0];
   const uint64_t before = cf_vertex_stats(engine).tasks;
   const uint32_t split = cf_random_below(r, 3 * once - 1);
   const uint32_t vertices = way == ON_FROM_THE_LAST ? 2 * once - 1 : once;
   d->range[0] = (struct cf_vertex_range){ .last = split };
   d->range[1] = (struct cf_vertex_range){ .first = split + 1, .last = 3 * once - 1 };
   for (uint32_t i = 0; i < 3 * once; i++) {
      const uint32_t index = begin + index_after_run(i, once, way);
      memcpy(d->indices + 4 * i, &index, sizeof(index));
   }
   shade(engine, g, false);
   check_records(engine, g, RECORD_DWORDS);
   assert_int_equal(cf_vertex_shaded(engine), vertices);
   assert_int_equal(cf_vertex_stats(engine).tasks - before,
                    (vertices + CF_TASK_LANES - 1) / CF_TASK_LANES);
}

/* Runs of all lengths up to two tasks, also where entries of the vertex cache wrap. */
static void
runs_are_found_again(void **state)
{
   static const uint32_t begins[] = {
      0, 1, 2044, 3606, 3607, 4090, UINT32_MAX - 2 * CF_TASK_LANES
   };
   struct cf_random r = cf_random_seed("vertex runs");
   struct group *g = malloc(sizeof(*g));
   struct cf_vertex_engine *engine =
      cf_vertex_engine_create(cf_shader_ops_at(cf_host_level()), MAX_VERTICES, NULL);
   struct draw *d = begin_indexed(&r, g, 4);
   d->source.index_bias = -7;
   d->ranges = 2;
   for (uint32_t n = 0; n < sizeof(begins) / sizeof(begins[0]); n++) {
      for (uint32_t once = 1; once <= 2 * CF_TASK_LANES; once++)
         for (uint32_t way = 0; way < WAYS; way++)
            check_run(&r, engine, g, begins[n], once, way);
   }
   cf_vertex_engine_destroy(engine);
   fixture_end(&g->f);
   free(g);
}

static uint32_t
pending_of(const float *record)
{
   uint32_t pending;
   memcpy(&pending, record + CF_RECORD_PENDING, sizeof(pending));
   return pending;
}

/* Complete the tasks of all records that are pending, or of one in twenty. */
static void
complete_some(struct cf_random *r, struct cf_vertex_engine *engine, const struct draw *d, bool all)
{
   for (uint32_t n = 0; n < d->ranges; n++) {
      const struct cf_vertex_range *range = &d->range[n];
      const float *const *records = cf_vertex_records(engine, range, d->handle[n]);
      for (uint32_t v = 0; v < cf_vertex_next_handle(range, 0); v++) {
         const float *record = records[number_in_run(range, v)];
         if (!pending_of(record) || (!all && cf_random_below(r, 20)))
            continue;
         const uint64_t position_tasks = cf_vertex_stats(engine).position_tasks;
         assert_true(cf_vertex_complete(engine, record));
         assert_int_equal(pending_of(record), 0);
         assert_int_equal(cf_vertex_stats(engine).position_tasks, position_tasks - 1);
      }
   }
}

static void
positions_come_first(void **state)
{
   struct cf_random r = cf_random_seed("vertex positions");
   struct group *g = malloc(sizeof(*g));
   begin_program(g, program_text);
   ((struct cf_decoded *)g->f.stage.program)->pure = false; /* its tasks must not run twice */
   cf_program_add_positions((struct cf_decoded *)g->f.stage.program, true);
   assert_null(cf_program_positions(g->f.stage.program));
   ((struct cf_decoded *)g->f.stage.program)->pure = true;
   cf_program_add_positions((struct cf_decoded *)g->f.stage.program, true);
   assert_non_null(cf_program_positions(g->f.stage.program));
   for (int level = 0; level <= (int)cf_host_level(); level++) {
      struct cf_vertex_engine *engine =
         cf_vertex_engine_create(cf_shader_ops_at(level), MAX_VERTICES, NULL);
      for (uint32_t round = 0; round < ROUNDS; round++) {
         const struct cf_vertex_stats before = cf_vertex_stats(engine);
         make_group(&r, g, round, 1);
         shade(engine, g, true);
         const struct cf_vertex_stats after = cf_vertex_stats(engine);
         assert_int_equal(after.position_tasks - before.position_tasks, after.tasks - before.tasks);
         check_records(engine, g, CF_RECORD_PENDING);
         complete_some(&r, engine, &g->draw[0], false);
         check_records(engine, g, CF_RECORD_PENDING);
         complete_some(&r, engine, &g->draw[0], true);
         check_records(engine, g, RECORD_DWORDS);
         assert_int_equal(cf_vertex_stats(engine).position_tasks, before.position_tasks);
      }
      cf_vertex_engine_destroy(engine);
   }
   fixture_end(&g->f);
   free(g);
}

/* The task of an endless vertex, and later ones, have zero positions; earlier tasks are right. */
static void
watchdog_ends_tasks(void **state)
{
   struct cf_random r = cf_random_seed("vertex watchdog");
   struct group *g = malloc(sizeof(*g));
   struct cf_vertex_engine *engine =
      cf_vertex_engine_create(cf_shader_ops_at(cf_host_level()), MAX_VERTICES, NULL);
   static const float nowhere[4] = { 0 };
   begin_program(g, endless_text);
   g->f.stage.max_instrs = 1000;
   make_group(&r, g, 0, 1);
   struct draw *d = &g->draw[0];
   d->source.indices = NULL;
   d->source.start = 0;
   d->ranges = 1;
   d->range[0] = (struct cf_vertex_range){ .last = 3 * CF_TASK_LANES - 1 };
   d->stage.fetch[0].stride_B = d->stage.fetch[0].format->pixel_B;
   d->stage.fetch[0].size_B = BUFFER_B;
   shade(engine, g, false);
   assert_ptr_equal(cf_vertex_timed_out(engine), &d->source);
   const float *const *records = cf_vertex_records(engine, &d->range[0], 0);
   for (uint32_t v = 0; v < 3 * CF_TASK_LANES; v++) {
      uint32_t expected[RECORD_DWORDS];
      expect(d, v, 0, expected);
      const bool ended = v / CF_TASK_LANES >= ENDLESS / CF_TASK_LANES;
      assert_memory_equal(records[v], ended ? nowhere : (const float *)expected, sizeof(nowhere));
   }
   cf_vertex_engine_destroy(engine);
   fixture_end(&g->f);
   free(g);
}

/* Numbers of vertices have 16 bits. */
static void
too_many_vertices(void **state)
{
   const struct cf_shader_ops *shader = cf_shader_ops_at(cf_host_level());
   struct cf_vertex_engine *engine = cf_vertex_engine_create(shader, UINT16_MAX, NULL);
   assert_non_null(engine);
   cf_vertex_engine_destroy(engine);
   assert_null(cf_vertex_engine_create(shader, UINT16_MAX + 1, NULL));
   cf_vertex_engine_destroy(NULL);
}

/* Draws share tasks only if they differ in nothing but the addresses of their elements. */
static void
who_can_join(void **state)
{
   struct cf_random r = cf_random_seed("vertex join");
   struct group *g = malloc(sizeof(*g));
   begin_program(g, program_text);
   make_group(&r, g, 0, 2);
   const struct cf_vertex_source *a = &g->draw[0].source, *b = &g->draw[1].source;
   assert_true(cf_vertex_can_join(a, b));
   g->draw[1].source.base_instance++;
   assert_false(cf_vertex_can_join(a, b));
   g->draw[1].source.base_instance--;
   g->draw[1].stage.family++;
   assert_false(cf_vertex_can_join(a, b));
   g->f.info.sysvals |= 1u << CF_SYSVAL_BASE_VERTEX; /* one row for the whole task */
   assert_true(fixture_load(&g->f, program_text));
   make_group(&r, g, 0, 2);
   assert_false(cf_vertex_can_join(a, b));
   fixture_end(&g->f);
   free(g);
}

/* The request that the observer expects next. */
struct watch {
   const struct draw *draw;
   uint32_t range, number; /* its range, and its vertex in that (number_in_run) */
   uint32_t tasks, elements, instructions, loads;
};

/* Tasks hold all elements in the order of requests, and all tasks but the last are full. */
static void
watch_begin(void *user, const struct cf_task_event *task)
{
   struct watch *w = user;
   const struct draw *d = w->draw;
   assert_int_equal(w->elements, w->tasks++ * CF_TASK_LANES);
   assert_int_equal(task->draw, d->source.draw);
   assert_null(task->quad);
   for (uint32_t lane = 0; lane < CF_TASK_LANES && task->lanes >> lane & 1; lane++, w->elements++) {
      const struct cf_vertex_range *range = &d->range[w->range];
      const uint32_t element = range->run_first + number_in_run(range, w->number);
      assert_int_equal(task->element[lane], element);
      assert_int_equal(task->vertex[lane], vertex_of(&d->source, element));
      assert_int_equal(task->instance[lane], range->instance);
      if (++w->number == cf_vertex_next_handle(range, 0)) {
         w->number = 0;
         w->range++;
      }
   }
}

static void
watch_instruction(void *user, const struct cf_task_event *task)
{
   struct watch *w = user;
   assert_int_equal(cf_run_at(task->run), w->instructions++ % PROGRAM_INSTRS);
}

static void
watch_load(void *user, const struct cf_task_event *task, const struct cf_vertex_load *load)
{
   struct watch *w = user;
   const struct cf_fetch *fetch = &w->draw->stage.fetch[load->element];
   const uint32_t number =
      fetch->divisor ? w->draw->source.base_instance + task->instance[load->lane] / fetch->divisor
                     : task->vertex[load->lane];
   assert_int_equal(load->number, number);
   assert_int_equal(load->inside, fetch->format && is_inside(fetch, number));
   assert_int_equal(load->offset_B, (uint64_t)number * fetch->stride_B);
   w->loads++;
}

static void
watch_end(void *user, const struct cf_task_event *task)
{
   struct watch *w = user;
   assert_true(cf_run_has_ended(task->run));
   assert_int_equal(w->instructions, w->tasks * PROGRAM_INSTRS);
}

/* The observer sees every element of a draw, in order, and its loads; records are the same as
 * without it. */
static void
tasks_are_watched(void **state)
{
   struct cf_random r = cf_random_seed("vertex watched");
   struct group *g = malloc(sizeof(*g));
   struct watch w;
   const struct cf_observer observer = { .user = &w,
                                         .task_begin = watch_begin,
                                         .instruction = watch_instruction,
                                         .vertex_load = watch_load,
                                         .task_end = watch_end };
   struct cf_vertex_engine *engine =
      cf_vertex_engine_create(cf_shader_ops_at(cf_host_level()), MAX_VERTICES, &observer);
   begin_program(g, program_text);
   for (uint32_t round = 0; round < ROUNDS; round++) {
      make_group(&r, g, round, 1);
      g->draw[0].source.plain = true;
      g->draw[0].source.draw = round;
      w = (struct watch){ .draw = &g->draw[0] };
      shade(engine, g, false);
      check_records(engine, g, RECORD_DWORDS);
      check_outside(engine, g);
      assert_int_equal(w.elements, g->requested);
      assert_int_equal(w.loads, FETCHES * g->requested);
      assert_int_equal(w.tasks, (g->requested + CF_TASK_LANES - 1) / CF_TASK_LANES);
   }
   cf_vertex_engine_destroy(engine);
   fixture_end(&g->f);
   free(g);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_are_right),
      cmocka_unit_test(buffers_have_an_end),
      cmocka_unit_test(vertices_are_found_again),
      cmocka_unit_test(runs_are_found_again),
      cmocka_unit_test(positions_come_first),
      cmocka_unit_test(watchdog_ends_tasks),
      cmocka_unit_test(who_can_join),
      cmocka_unit_test(tasks_are_watched),
      cmocka_unit_test(too_many_vertices),
   };
   return cmocka_run_group_tests_name("vertex", tests, NULL, NULL);
}
