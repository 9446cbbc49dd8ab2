/* SPDX-License-Identifier: MIT */
/*
 * Each shaded vertex gets the next slot of the post-transform store; a task is 32 consecutive
 * slots. A direct-mapped vertex cache, keyed by index, finds vertices shaded already in this group
 * and instance. A lookup is a few instructions without branches. A vertex whose entry was evicted
 * is shaded again, to the same bits.
 *
 * Positions first: a pending record holds its task's number plus 1, and for each task the vertices
 * of its lanes are stored, so that it can be run again as a whole. Meshes are coherent: most tasks
 * have many visible primitives or none.
 */
#include "clipfree/vertex/cf_vertex.h"

#include <stdlib.h>
#include <string.h>

#include "clipfree/arith/cf_minmax.h"
#include "clipfree/base/cf_cache.h"
#include "clipfree/base/cf_inline.h"
#include "clipfree/base/cf_time_limit.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/shader/cf_run_watched.h"
#include "clipfree/vertex/cf_transpose.h"

#define CACHE_BITS 11
/* few chunks have more distinct vertices; 16 kB fit the host's L1 cache */
#define CACHE_ENTRIES (1u << CACHE_BITS)
/* As many consecutive new indices are added to the task at once. */
#define RUN 8

/* The vertices of a task's lanes. */
struct lane_vertices {
   uint32_t vertex_id[CF_TASK_LANES], instance_id[CF_TASK_LANES];
};

struct cf_vertex_engine {
   CF_OWN_CACHE_LINE const struct cf_shader_ops *shader; /* each thread has an engine */
   uint32_t max_vertices;
   const struct cf_observer *observer; /* NULL: none */
   /* the current group */
   const struct cf_vertex_source *source;
   bool positions_first;
   struct cf_task *task;
   uint32_t lanes; /* pending in the task */
   uint32_t first_lane; /* the first of them that belongs to `source` */
   uint32_t slots; /* allocated; the last `lanes` of them are pending */
   uint32_t requested; /* vertices so far, with repeated ones */
   uint32_t highest; /* greatest vertex id requested of `source` */
   uint32_t epoch_instance;
   /* each lane's element number in the draw; only with an observer */
   uint32_t element[CF_TASK_LANES];
   const float **record_of; /* address of its record in the store, per requested vertex */
   /* the vertex cache: index << 32 | epoch << 16 | slot; an older epoch is invalid */
   uint64_t cache[CACHE_ENTRIES];
   uint32_t epoch;
   uint64_t unseen; /* indices from this one on were not requested in the epoch */
   /* positions first */
   struct cf_stage positions; /* the source's stage with the position slice of its program */
   struct lane_vertices *lanes_of; /* by task of the group */
   /* buffers that grow as needed */
   float *store;
   size_t store_dwords;
   const float **fan; /* result of cf_vertex_records for ranges with vertex 0 of the run */
   size_t fan_capacity;
   struct cf_vertex_stats stats;
   const struct cf_vertex_source *timed_out_source; /* in this group; NULL: none */
   bool found_outside; /* in this group */
   struct cf_vertex_outside outside;
};

struct cf_vertex_engine *
cf_vertex_engine_create(const struct cf_shader_ops *shader, uint32_t max_vertices,
                        const struct cf_observer *observer)
{
   struct cf_vertex_engine *engine =
      aligned_alloc(_Alignof(struct cf_vertex_engine), sizeof(*engine));
   if (!engine)
      return NULL;
   memset(engine, 0, sizeof(*engine));
   engine->shader = shader;
   engine->max_vertices = max_vertices;
   engine->observer = cf_observer_watches_vertices(observer) ? observer : NULL;
   engine->record_of = malloc(max_vertices * sizeof(*engine->record_of));
   engine->lanes_of = malloc((max_vertices / CF_TASK_LANES + 1) * sizeof(*engine->lanes_of));
   if (max_vertices > UINT16_MAX || !engine->record_of || !engine->lanes_of) {
      cf_vertex_engine_destroy(engine);
      return NULL;
   }
   return engine;
}

void
cf_vertex_engine_destroy(struct cf_vertex_engine *engine)
{
   if (!engine)
      return;
   free(engine->record_of);
   free(engine->lanes_of);
   free(engine->store);
   free(engine->fan);
   free(engine);
}

/* Make room for `wanted` elements at *memory, 64-byte aligned; growing loses the contents. */
static bool
grow(void **memory, size_t *capacity, size_t wanted, size_t element_B)
{
   if (*capacity >= wanted)
      return true;
   free(*memory);
   *memory = aligned_alloc(64, (wanted * element_B + 63) & ~(size_t)63);
   *capacity = *memory ? wanted : 0;
   return *memory != NULL;
}

static void
next_epoch(struct cf_vertex_engine *engine, uint32_t instance)
{
   engine->epoch_instance = instance;
   engine->unseen = 0;
   if (++engine->epoch <= UINT16_MAX)
      return;
   memset(engine->cache, 0, sizeof(engine->cache));
   engine->epoch = 1;
}

static void
fill_row(uint32_t row[CF_TASK_LANES], uint32_t value)
{
   for (uint32_t lane = 0; lane < CF_TASK_LANES; lane++)
      row[lane] = value;
}

/* Whether the task is prepared for an equivalent stage: same program and uniforms. Valid inside a
 * pass, during which uniforms do not change; a new pass resets task->prepared
 * (cf_worker_engines_enter). */
static bool
is_prepared(const struct cf_task *task, const struct cf_stage *stage)
{
   const struct cf_stage *prepared = task->prepared;
   return prepared && prepared->program == stage->program &&
          prepared->constants[0].data == stage->constants[0].data &&
          prepared->constants[0].dwords == stage->constants[0].dwords;
}

static void
prepare(struct cf_vertex_engine *engine, const struct cf_stage *stage)
{
   if (is_prepared(engine->task, stage))
      engine->task->prepared = stage;
   else
      engine->shader->prepare(stage, engine->task);
}

/* Make `positions`: the stage with the position slice as its program. */
static void
make_positions(struct cf_vertex_engine *engine)
{
   const struct cf_stage *stage = engine->source->stage;
   memcpy(&engine->positions, stage,
          offsetof(struct cf_stage, fetch) + stage->fetches * sizeof(stage->fetch[0]));
   engine->positions.program = cf_program_positions(stage->program);
   if (engine->task->prepared == &engine->positions)
      engine->task->prepared = NULL; /* it was prepared for the former contents of `positions` */
}

bool
cf_vertex_begin(struct cf_vertex_engine *engine, const struct cf_vertex_source *source,
                struct cf_task *task, bool positions_first)
{
   /* the last task stores whole groups of 4 records, at most 32 */
   const size_t store_dwords =
      (size_t)(engine->max_vertices + CF_TASK_LANES) * source->record_dwords;
   if (!grow((void **)&engine->store, &engine->store_dwords, store_dwords, sizeof(float)))
      return false;
   engine->source = source;
   engine->task = task;
   engine->positions_first = positions_first;
   if (positions_first)
      make_positions(engine);
   prepare(engine, positions_first ? &engine->positions : source->stage);
   engine->timed_out_source = NULL;
   engine->found_outside = false;
   engine->lanes = engine->first_lane = engine->slots = engine->requested = engine->highest = 0;
   task->parts = 0;
   next_epoch(engine, 0);
   const uint32_t sysvals = cf_program_info(source->stage->program)->sysvals;
   /* fetches with a divisor need it, too */
   fill_row(task->sys[CF_SYSVAL_BASE_INSTANCE], source->base_instance);
   if (sysvals >> CF_SYSVAL_BASE_VERTEX & 1)
      fill_row(task->sys[CF_SYSVAL_BASE_VERTEX],
               source->indices ? (uint32_t)source->index_bias : source->start);
   for (uint32_t lane = 0; sysvals >> CF_SYSVAL_LANE & 1 && lane < CF_TASK_LANES; lane++)
      task->sys[CF_SYSVAL_LANE][lane] = lane;
   return true;
}

/* Store the first `rows` dwords of the records of the first `lanes` lanes, both rounded up to a
 * multiple of 4. */
static void
store_records(const struct cf_task *task, uint32_t rows, uint32_t lanes, float *store,
              uint32_t record_dwords)
{
   for (uint32_t lane = 0; lane < lanes; lane += 4) {
      for (uint32_t row = 0; row < rows; row += 4)
         cf_rows_to_records(&task->out[row], lane, store + lane * record_dwords + row,
                            record_dwords);
   }
}

/* Set the defaults of unwritten outputs: 0, but 1 for point size and edge flag. `lanes`:
 * constant. */
CF_INLINE void
default_lanes(struct cf_task *task, uint32_t rows, uint32_t lanes)
{
   for (uint32_t row = 0; row < rows; row++)
      memset(task->out[row], 0, lanes * sizeof(task->out[0][0]));
   for (uint32_t lane = 0; lane < lanes; lane++)
      task->out[4][lane] = task->out[5][lane] = 0x3f800000;
}

static void
default_outputs(struct cf_task *task, uint32_t rows, uint32_t lanes)
{
   if (lanes <= CF_FEW_LANES)
      default_lanes(task, rows, CF_FEW_LANES);
   else
      default_lanes(task, rows, CF_TASK_LANES);
}

/* Unused lanes below `lanes`, which the engine may compute, get the vertex of lane 0. */
CF_INLINE void
pad_lanes(struct cf_task *task, uint32_t used, uint32_t lanes)
{
   uint32_t *id = task->sys[CF_SYSVAL_VERTEX_ID], *instance_id = task->sys[CF_SYSVAL_INSTANCE_ID];
   const uint32_t first_id = id[0], first_instance_id = instance_id[0];
   for (uint32_t lane = 0; lane < lanes; lane++) {
      id[lane] = lane < used ? id[lane] : first_id;
      instance_id[lane] = lane < used ? instance_id[lane] : first_instance_id;
   }
}

/* Record the source's first vertex outside of a buffer; the program reads 0 there. */
static void
look_for_outside(struct cf_vertex_engine *engine)
{
   const struct cf_stage *stage = engine->source->stage;
   const uint32_t *id = engine->task->sys[CF_SYSVAL_VERTEX_ID];
   if (engine->found_outside || engine->highest < stage->fetch_vertices)
      return;
   for (uint32_t i = 0; i < stage->fetches; i++) {
      for (uint32_t lane = engine->first_lane; lane < engine->lanes; lane++) {
         if (!stage->fetch[i].data || stage->fetch[i].divisor ||
             id[lane] < cf_fetch_count(&stage->fetch[i]))
            continue;
         engine->outside = (struct cf_vertex_outside){
            .source = engine->source, .lane = lane, .element = i, .vertex = id[lane]
         };
         engine->found_outside = true;
         return;
      }
   }
}

/* Run the task with the observer. All lanes belong to one draw. */
static void
run_watched(struct cf_vertex_engine *engine, const struct cf_stage *stage)
{
   struct cf_task *task = engine->task;
   struct cf_task_event event = { .draw = engine->source->draw,
                                  .lanes = task->exec,
                                  .element = engine->element,
                                  .vertex = task->sys[CF_SYSVAL_VERTEX_ID],
                                  .instance = task->sys[CF_SYSVAL_INSTANCE_ID] };
   cf_run_watched(engine->shader, stage, task, engine->observer, &event);
}

/* Run the first lanes of the task; `rows`: number of outputs needed. */
static void
run_lanes(struct cf_vertex_engine *engine, const struct cf_stage *stage, uint32_t lanes,
          uint32_t rows)
{
   struct cf_task *task = engine->task;
   task->exec = UINT32_MAX >> (CF_TASK_LANES - lanes);
   task->alive = task->exec;
   task->timed_out = false;
   default_outputs(task, rows, lanes);
   if (!engine->timed_out_source) {
      if (engine->observer)
         run_watched(engine, stage);
      else
         engine->shader->run(stage, task);
      task->timed_out = task->timed_out || cf_time_limit_over(task->limit);
      engine->timed_out_source = task->timed_out ? engine->source : NULL;
   }
   if (engine->timed_out_source) /* zero positions have no area: nothing is drawn with them */
      default_outputs(task, rows, lanes);
}

/* Run the position slice for the pending lanes, which are task number `number` of the group. */
static void
run_heads(struct cf_vertex_engine *engine, uint32_t number)
{
   struct cf_task *task = engine->task;
   struct lane_vertices *lanes = &engine->lanes_of[number];
   memcpy(lanes->vertex_id, task->sys[CF_SYSVAL_VERTEX_ID], sizeof(lanes->vertex_id));
   memcpy(lanes->instance_id, task->sys[CF_SYSVAL_INSTANCE_ID], sizeof(lanes->instance_id));
   run_lanes(engine, &engine->positions, engine->lanes, CF_RECORD_HEAD_DWORDS);
   fill_row(task->out[CF_RECORD_PENDING], number + 1);
}

static void
run_pending(struct cf_vertex_engine *engine)
{
   struct cf_task *task = engine->task;
   const uint32_t record_dwords = engine->source->record_dwords,
                  first = engine->slots - engine->lanes;
   const uint32_t rows = engine->positions_first ? CF_RECORD_HEAD_DWORDS : record_dwords;
   if (engine->lanes == 0)
      return;
   if (engine->lanes <= CF_FEW_LANES)
      pad_lanes(task, engine->lanes, CF_FEW_LANES);
   else if (engine->lanes < CF_TASK_LANES)
      pad_lanes(task, engine->lanes, CF_TASK_LANES);
   look_for_outside(engine);
   if (engine->positions_first)
      run_heads(engine, first / CF_TASK_LANES);
   else
      run_lanes(engine, engine->source->stage, engine->lanes, rows);
   engine->stats.tasks++;
   engine->stats.position_tasks += engine->positions_first;
   store_records(task, rows, engine->lanes, engine->store + (size_t)first * record_dwords,
                 record_dwords);
   engine->lanes = engine->first_lane = task->parts = 0;
}

/* Whether equal vertices may share a lane. */
static bool
may_reuse(const struct cf_vertex_source *source)
{
   return !source->plain && cf_program_is_pure(source->stage->program);
}

bool
cf_vertex_can_join(const struct cf_vertex_source *source, const struct cf_vertex_source *other)
{
   return may_reuse(other) && source->stage->family == other->stage->family &&
          source->base_instance == other->base_instance &&
          !(cf_program_info(source->stage->program)->sysvals >> CF_SYSVAL_BASE_VERTEX & 1);
}

void
cf_vertex_join(struct cf_vertex_engine *engine, const struct cf_vertex_source *source)
{
   struct cf_task *task = engine->task;
   const struct cf_stage *stage = engine->source->stage;
   look_for_outside(engine);
   if (source->stage != stage) /* at most once per lane: each source has at least one */
      task->part[task->parts++] =
         (struct cf_fetch_part){ .fetch = stage->fetch, .end = engine->lanes };
   engine->source = source;
   engine->first_lane = engine->lanes;
   engine->highest = 0;
   next_epoch(engine, 0);
}

static inline uint32_t
load_index(const uint8_t *at, uint32_t size_B)
{
   uint8_t byte;
   uint16_t half;
   uint32_t word;
   switch (size_B) {
   case 1:
      memcpy(&byte, at, sizeof(byte));
      return byte;
   case 2:
      memcpy(&half, at, sizeof(half));
      return half;
   default:
      memcpy(&word, at, sizeof(word));
      return word;
   }
}

/* The cache entry of an index. Consecutive indices get consecutive entries; indices a power of two
 * apart, as in adjacent rows of a grid, do not collide. */
static inline uint32_t
cache_index(uint32_t index)
{
   return (index + (index >> CACHE_BITS) * 485) % CACHE_ENTRIES;
}

/* Set the instance of lanes `first` and up, new vertices that have their ids, and note the greatest
 * id and the greatest index. */
static void
note_lanes(struct cf_vertex_engine *engine, uint32_t first, uint32_t instance)
{
   const uint32_t *id = engine->task->sys[CF_SYSVAL_VERTEX_ID];
   const uint32_t index_bias = (uint32_t)engine->source->index_bias;
   uint32_t *instance_id = engine->task->sys[CF_SYSVAL_INSTANCE_ID], highest = engine->highest;
   uint64_t unseen = engine->unseen;
   for (uint32_t lane = first; lane < engine->lanes; lane++) {
      instance_id[lane] = instance;
      highest = cf_max_u32(highest, id[lane]);
      unseen = cf_max_u64(unseen, (uint64_t)(id[lane] - index_bias) + 1);
   }
   engine->highest = highest;
   engine->unseen = unseen;
}

/* Whether RUN indices follow one another, and none of them was requested in this epoch: those of a
 * mesh without shared vertices, as display lists make them. */
CF_INLINE bool
is_new_run(const uint8_t *at, uint32_t size_B, uint64_t unseen)
{
   const uint32_t first = load_index(at, size_B);
   uint32_t differ = 0;
   if (first < unseen || load_index(at + (RUN - 1) * size_B, size_B) != first + RUN - 1)
      return false;
   for (uint32_t i = 0; i < RUN; i++)
      differ |= load_index(at + i * size_B, size_B) ^ (first + i);
   return differ == 0;
}

/* Note in the vertex cache that the new indices `first` .. `first` + RUN - 1 have consecutive
 * slots. entry: that of `first`. */
CF_INLINE void
note_run(uint64_t cache[CACHE_ENTRIES], uint32_t first, uint64_t entry)
{
   const uint32_t begin = cache_index(first);
   if (cache_index(first + RUN - 1) == begin + RUN - 1) {
      for (uint64_t i = 0; i < RUN; i++)
         cache[begin + i] = entry + (i << 32 | i);
   } else {
      for (uint32_t i = 0; i < RUN; i++)
         cache[cache_index(first + i)] = entry + ((uint64_t)i << 32 | i);
   }
}

/* Request RUN new indices from `index` on. There must be as many free lanes. */
CF_INLINE void
request_run(struct cf_vertex_engine *engine, uint32_t index, const float **record_of)
{
   const uint32_t first_id = index + (uint32_t)engine->source->index_bias, slots = engine->slots;
   const size_t record_dwords = engine->source->record_dwords;
   uint32_t *id = &engine->task->sys[CF_SYSVAL_VERTEX_ID][engine->lanes];
   note_run(engine->cache, index, (uint64_t)index << 32 | (uint64_t)engine->epoch << 16 | slots);
   for (uint32_t i = 0; i < RUN; i++) {
      record_of[i] = engine->store + (slots + i) * record_dwords;
      id[i] = first_id + i;
   }
   engine->slots += RUN;
   engine->lanes += RUN;
}

/* Request `count` indices, at most as many as there are free lanes: the loop does not look for a
 * full task, and what it needs fits into the host's registers. */
CF_INLINE void
request_few(struct cf_vertex_engine *engine, const uint8_t *at, uint32_t size_B, uint32_t count,
            const float **record_of)
{
   const uint32_t index_bias = (uint32_t)engine->source->index_bias, first_slot = engine->slots;
   const uint32_t first_lane = engine->lanes;
   const size_t record_dwords = engine->source->record_dwords;
   const uint64_t epoch = (uint64_t)engine->epoch << 16;
   const float *store = engine->store;
   uint32_t *id = engine->task->sys[CF_SYSVAL_VERTEX_ID];
   uint32_t slots = first_slot; /* new ones have the lanes from first_lane on */
   for (size_t i = 0; i < count; i++) {
      const uint32_t index = load_index(at + i * size_B, size_B);
      uint64_t *entry = &engine->cache[cache_index(index)];
      const uint64_t key = (uint64_t)index << 32 | epoch, found = *entry ^ key;
      const bool is_new = found >> 16 != 0;
      const uint32_t slot = is_new ? slots : (uint32_t)found;
      *entry = key | slot;
      record_of[i] = store + slot * record_dwords;
      id[slots - first_slot + first_lane] = index + index_bias;
      slots += is_new;
   }
   engine->lanes += slots - first_slot;
   engine->slots = slots;
}

/* Request indexed elements; inlined with constant size_B. */
CF_INLINE void
request_indexed(struct cf_vertex_engine *engine, uint32_t size_B, uint32_t first, uint32_t count,
                uint32_t instance)
{
   const uint8_t *at = engine->source->indices + (size_t)first * size_B;
   const float **record_of = &engine->record_of[engine->requested];
   engine->requested += count;
   while (count > 0) {
      if (engine->lanes == CF_TASK_LANES)
         run_pending(engine);
      const uint32_t lanes = engine->lanes;
      uint32_t some = cf_min_u32(count, CF_TASK_LANES - lanes);
      if (some >= RUN && is_new_run(at, size_B, engine->unseen)) {
         some = RUN;
         request_run(engine, load_index(at, size_B), record_of);
      } else {
         request_few(engine, at, size_B, some, record_of);
      }
      note_lanes(engine, lanes, instance);
      at += some * size_B;
      record_of += some;
      count -= some;
   }
}

/* Request elements without indices: consecutive vertices get consecutive slots. */
static void
request_consecutive(struct cf_vertex_engine *engine, uint32_t vertex_id, uint32_t count,
                    uint32_t instance)
{
   const uint32_t last = count - 1, room_above = UINT32_MAX - vertex_id;
   const uint32_t record_dwords = engine->source->record_dwords;
   engine->highest = cf_max_u32(engine->highest, vertex_id + cf_min_u32(last, room_above));
   while (count > 0) {
      if (engine->lanes == CF_TASK_LANES)
         run_pending(engine);
      const uint32_t room = CF_TASK_LANES - engine->lanes, n = count < room ? count : room;
      uint32_t *id = &engine->task->sys[CF_SYSVAL_VERTEX_ID][engine->lanes];
      uint32_t *instance_id = &engine->task->sys[CF_SYSVAL_INSTANCE_ID][engine->lanes];
      const float **record_of = &engine->record_of[engine->requested];
      const float *record = engine->store + (size_t)engine->slots * record_dwords;
      for (uint32_t i = 0; i < n; i++) {
         id[i] = vertex_id + i;
         instance_id[i] = instance;
      }
      for (uint32_t i = 0; i < n; i++, record += record_dwords)
         record_of[i] = record;
      engine->lanes += n;
      engine->slots += n;
      engine->requested += n;
      vertex_id += n;
      count -= n;
   }
}

static void
request_elements(struct cf_vertex_engine *engine, uint32_t first, uint32_t count, uint32_t instance)
{
   const struct cf_vertex_source *source = engine->source;
   if (!source->indices)
      request_consecutive(engine, source->start + first, count, instance);
   else if (source->index_size_B == 1)
      request_indexed(engine, 1, first, count, instance);
   else if (source->index_size_B == 2)
      request_indexed(engine, 2, first, count, instance);
   else
      request_indexed(engine, 4, first, count, instance);
}

/* Request elements without the vertex cache, noting each one's number for the observer. */
static void
request_one_by_one(struct cf_vertex_engine *engine, uint32_t first, uint32_t count,
                   uint32_t instance)
{
   for (uint32_t i = 0; i < count; i++) {
      next_epoch(engine, instance);
      request_elements(engine, first + i, 1, instance);
      engine->element[engine->lanes - 1] = first + i;
   }
}

void
cf_vertex_request(struct cf_vertex_engine *engine, const struct cf_vertex_range *range)
{
   const bool one_by_one =
      engine->observer || (engine->source->indices && !may_reuse(engine->source));
   void (*request)(struct cf_vertex_engine *, uint32_t, uint32_t, uint32_t) =
      one_by_one ? request_one_by_one : request_elements;
   if (range->instance != engine->epoch_instance)
      next_epoch(engine, range->instance);
   request(engine, range->run_first + range->first, range->last - range->first + 1,
           range->instance);
   if (range->needs_vertex_0 && range->first > 0)
      request(engine, range->run_first, 1, range->instance);
}

void
cf_vertex_finish(struct cf_vertex_engine *engine)
{
   run_pending(engine);
}

bool
cf_vertex_complete(struct cf_vertex_engine *engine, const float *record)
{
   struct cf_task *task = engine->task;
   const struct cf_vertex_source *source = engine->source;
   uint32_t number;
   if (engine->timed_out_source)
      return false;
   memcpy(&number, record + CF_RECORD_PENDING, sizeof(number));
   const uint32_t first = --number * CF_TASK_LANES,
                  lanes = cf_min_u32(engine->slots - first, CF_TASK_LANES);
   memcpy(task->sys[CF_SYSVAL_VERTEX_ID], engine->lanes_of[number].vertex_id, sizeof(task->sys[0]));
   memcpy(task->sys[CF_SYSVAL_INSTANCE_ID], engine->lanes_of[number].instance_id,
          sizeof(task->sys[0]));
   prepare(engine, source->stage);
   engine->stats.position_tasks--;
   run_lanes(engine, source->stage, lanes, source->record_dwords);
   fill_row(task->out[CF_RECORD_PENDING], 0);
   store_records(task, source->record_dwords, lanes,
                 engine->store + (size_t)first * source->record_dwords, source->record_dwords);
   return !engine->timed_out_source;
}

const struct cf_vertex_source *
cf_vertex_timed_out(const struct cf_vertex_engine *engine)
{
   return engine->timed_out_source;
}

const float *const *
cf_vertex_records(struct cf_vertex_engine *engine, const struct cf_vertex_range *range,
                  uint32_t handle)
{
   const uint32_t vertices = range->last - range->first + 1;
   const float **records = &engine->record_of[handle];
   if (range->needs_vertex_0 && range->first > 0) {
      if (!grow((void **)&engine->fan, &engine->fan_capacity, (size_t)range->last + 1,
                sizeof(*engine->fan)))
         return NULL;
      engine->fan[0] = records[vertices];
      records = memcpy(engine->fan + range->first, records, vertices * sizeof(*records));
   }
   /* entries below range->first lie before the array; callers only read first .. last */
   return (const float *const *)((uintptr_t)records - (uintptr_t)range->first * sizeof(*records));
}

const struct cf_vertex_outside *
cf_vertex_outside(const struct cf_vertex_engine *engine)
{
   return engine->found_outside ? &engine->outside : NULL;
}

struct cf_vertex_stats
cf_vertex_stats(const struct cf_vertex_engine *engine)
{
   return engine->stats;
}

uint32_t
cf_vertex_shaded(const struct cf_vertex_engine *engine)
{
   return engine->slots;
}
