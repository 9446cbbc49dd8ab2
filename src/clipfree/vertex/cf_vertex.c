/* SPDX-License-Identifier: MIT */
/*
 * Vertices are numbered by slots of the post-transform store in the order they are first asked for;
 * a task is 32 consecutive slots. A table that holds one index for each value of a hash finds the slot of an index that
 * was shaded already in this group of requests and instance; of two that share a value the one that was asked for last. So
 * a lookup takes the same few instructions, without a branch, whatever comes; a vertex may be shaded again, to the same bits.
 *
 * Positions first, a pending record has the number of its task, plus 1, and tasks are kept as the vertices of their lanes: that is
 * all it takes to run one again. Meshes are coherent, so most tasks are wanted by many primitives or by none.
 */
#include "clipfree/vertex/cf_vertex.h"

#include <stdlib.h>
#include <string.h>

#include "clipfree/arith/cf_minmax.h"
#include "clipfree/base/cf_cache.h"
#include "clipfree/base/cf_inline.h"
#include "clipfree/base/cf_vec.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/shader/cf_run_watched.h"

#define REUSE_BITS 11
#define REUSE_ENTRIES (1u << REUSE_BITS) /* few chunks have so many different vertices; 16 kB stay in the first cache */

/* The vertices of a task's lanes. */
struct lanes {
   uint32_t vertex_id[CF_TASK_LANES], instance_id[CF_TASK_LANES];
};

struct cf_vertex_engine {
   CF_OWN_CACHE_LINE const struct cf_shader_ops *shader; /* each thread has an engine */
   uint32_t max_vertices;
   const struct cf_observer *observer; /* NULL: nobody watches tasks */
   /* the group */
   const struct cf_vertex_source *source;
   bool positions_first;
   struct cf_task *task;
   uint32_t lanes; /* pending in the task */
   uint32_t first_lane; /* of those the first that is of `source` */
   uint32_t slots; /* given out; the last `lanes` of them are pending */
   uint32_t requested;
   uint32_t highest; /* greatest vertex id requested of `source` */
   uint32_t epoch_instance;
   uint32_t element[CF_TASK_LANES]; /* watched: the number in the draw, of each lane */
   const float **record_of; /* per requested vertex: where its record will be in the store */
   uint64_t reuse[REUSE_ENTRIES]; /* index << 32 | epoch << 16 | slot; another epoch: empty */
   uint32_t epoch;
   /* positions first */
   struct cf_stage positions; /* the source's stage, with the slice of its program */
   struct lanes *lanes_of;    /* per task of the group */
   /* storage, grown as needed */
   float *store;
   size_t store_dwords;
   const float **fan; /* of cf_vertex_records, where vertex 0 of the run is wanted, too */
   size_t fan_capacity;
   struct cf_vertex_stats stats;
   const struct cf_vertex_source *gave_up; /* in this group */
   bool found_outside; /* in this group */
   struct cf_vertex_outside outside;
};

struct cf_vertex_engine *
cf_vertex_engine_create(const struct cf_shader_ops *shader, uint32_t max_vertices,
                        const struct cf_observer *observer)
{
   struct cf_vertex_engine *engine = aligned_alloc(_Alignof(struct cf_vertex_engine), sizeof(*engine));
   if (!engine)
      return NULL;
   memset(engine, 0, sizeof(*engine));
   engine->shader = shader;
   engine->max_vertices = max_vertices;
   engine->observer = cf_observer_watches_tasks(observer) ? observer : NULL;
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

/* Room for `wanted` elements at *memory, 64-byte aligned; contents are lost when it grows. */
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
   if (++engine->epoch <= UINT16_MAX)
      return;
   memset(engine->reuse, 0, sizeof(engine->reuse));
   engine->epoch = 1;
}

static void
fill_row(uint32_t row[CF_TASK_LANES], uint32_t value)
{
   for (uint32_t lane = 0; lane < CF_TASK_LANES; lane++)
      row[lane] = value;
}

/* Whether preparing the task for the stage would leave it as it is: uniforms do not change during a pass, and a task that was
 * prepared in another one has been told so (cf_worker_engines_enter). */
static bool
is_prepared(const struct cf_task *task, const struct cf_stage *stage)
{
   const struct cf_stage *prepared = task->prepared;
   return prepared && prepared->program == stage->program && prepared->constants[0].data == stage->constants[0].data &&
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

/* Make the stage of the slice. */
static void
make_positions(struct cf_vertex_engine *engine)
{
   const struct cf_stage *stage = engine->source->stage;
   memcpy(&engine->positions, stage, offsetof(struct cf_stage, fetch) + stage->fetches * sizeof(stage->fetch[0]));
   engine->positions.program = cf_program_positions(stage->program);
   if (engine->task->prepared == &engine->positions)
      engine->task->prepared = NULL; /* it was another one */
}

bool
cf_vertex_begin(struct cf_vertex_engine *engine, const struct cf_vertex_source *source,
                struct cf_task *task, bool positions_first)
{
   /* The last task writes 32 records whatever its exec mask is. */
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
   engine->gave_up = NULL;
   engine->found_outside = false;
   engine->lanes = engine->first_lane = engine->slots = engine->requested = engine->highest = 0;
   task->parts = 0;
   next_epoch(engine, 0);
   const uint32_t sysvals = cf_program_info(source->stage->program)->sysvals;
   fill_row(task->sys[CF_SYSVAL_BASE_INSTANCE], source->base_instance); /* for fetches with a divisor, too */
   if (sysvals >> CF_SYSVAL_BASE_VERTEX & 1)
      fill_row(task->sys[CF_SYSVAL_BASE_VERTEX], source->indices ? (uint32_t)source->index_bias : source->start);
   for (uint32_t lane = 0; sysvals >> CF_SYSVAL_LANE & 1 && lane < CF_TASK_LANES; lane++)
      task->sys[CF_SYSVAL_LANE][lane] = lane;
   return true;
}

/* Four rows of outputs, four lanes: to four records. */
static inline void
transpose_4x4(const uint32_t (*rows)[CF_TASK_LANES], uint32_t lane, float *record,
              uint32_t record_dwords)
{
   cf_f32x4 r[4];
   _Pragma("GCC unroll 4") for (uint32_t i = 0; i < 4; i++) /* a loop would keep r in memory */
      memcpy(&r[i], &rows[i][lane], sizeof(cf_f32x4));
   const cf_f32x4 low01 = __builtin_shuffle(r[0], r[1], (cf_i32x4){ 0, 4, 1, 5 });
   const cf_f32x4 low23 = __builtin_shuffle(r[2], r[3], (cf_i32x4){ 0, 4, 1, 5 });
   const cf_f32x4 high01 = __builtin_shuffle(r[0], r[1], (cf_i32x4){ 2, 6, 3, 7 });
   const cf_f32x4 high23 = __builtin_shuffle(r[2], r[3], (cf_i32x4){ 2, 6, 3, 7 });
   const cf_f32x4 out[4] = {
      __builtin_shuffle(low01, low23, (cf_i32x4){ 0, 1, 4, 5 }),
      __builtin_shuffle(low01, low23, (cf_i32x4){ 2, 3, 6, 7 }),
      __builtin_shuffle(high01, high23, (cf_i32x4){ 0, 1, 4, 5 }),
      __builtin_shuffle(high01, high23, (cf_i32x4){ 2, 3, 6, 7 }),
   };
   _Pragma("GCC unroll 4") for (uint32_t i = 0; i < 4; i++)
      memcpy(record + i * record_dwords, &out[i], sizeof(cf_f32x4));
}

/* The first `rows` dwords of records of the first lanes, rounded up to a multiple of 4. */
static void
store_records(const struct cf_task *task, uint32_t rows, uint32_t lanes, float *store, uint32_t record_dwords)
{
   for (uint32_t lane = 0; lane < lanes; lane += 4) {
      for (uint32_t row = 0; row < rows; row += 4)
         transpose_4x4(&task->out[row], lane, store + lane * record_dwords + row, record_dwords);
   }
}

/* Outputs a program leaves unwritten are 0; point size and edge flag are 1. In the first `lanes` lanes, a constant. */
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

/* Lanes of the task that have no vertex get that of the first, as far as anybody looks. */
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

/* Note the first of the source's vertices that one of the buffers does not have; the program reads 0 there. */
static void
look_for_outside(struct cf_vertex_engine *engine)
{
   const struct cf_stage *stage = engine->source->stage;
   const uint32_t *id = engine->task->sys[CF_SYSVAL_VERTEX_ID];
   if (engine->found_outside || engine->highest < stage->fetch_vertices)
      return;
   for (uint32_t i = 0; i < stage->fetches; i++) {
      for (uint32_t lane = engine->first_lane; lane < engine->lanes; lane++) {
         if (!stage->fetch[i].data || stage->fetch[i].divisor || id[lane] < cf_fetch_count(&stage->fetch[i]))
            continue;
         engine->outside =
            (struct cf_vertex_outside){ .source = engine->source, .lane = lane, .element = i, .vertex = id[lane] };
         engine->found_outside = true;
         return;
      }
   }
}

/* Run the task, watched: all of its lanes are of one draw. */
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

/* Run the first lanes of the task; `rows`: outputs that are wanted. */
static void
run_lanes(struct cf_vertex_engine *engine, const struct cf_stage *stage, uint32_t lanes, uint32_t rows)
{
   struct cf_task *task = engine->task;
   task->exec = UINT32_MAX >> (CF_TASK_LANES - lanes);
   task->alive = task->exec;
   task->gave_up = false;
   default_outputs(task, rows, lanes);
   if (!engine->gave_up) {
      if (engine->observer)
         run_watched(engine, stage);
      else
         engine->shader->run(stage, task);
      engine->gave_up = task->gave_up ? engine->source : NULL;
   }
   if (engine->gave_up) /* without area, so that nothing is drawn with them */
      default_outputs(task, rows, lanes);
}

/* Run the pending lanes, which are task number `number` of the group, for their heads. */
static void
run_heads(struct cf_vertex_engine *engine, uint32_t number)
{
   struct cf_task *task = engine->task;
   struct lanes *lanes = &engine->lanes_of[number];
   memcpy(lanes->vertex_id, task->sys[CF_SYSVAL_VERTEX_ID], sizeof(lanes->vertex_id));
   memcpy(lanes->instance_id, task->sys[CF_SYSVAL_INSTANCE_ID], sizeof(lanes->instance_id));
   run_lanes(engine, &engine->positions, engine->lanes, CF_RECORD_HEAD_DWORDS);
   fill_row(task->out[CF_RECORD_PENDING], number + 1);
}

static void
run_pending(struct cf_vertex_engine *engine)
{
   struct cf_task *task = engine->task;
   const uint32_t record_dwords = engine->source->record_dwords, first = engine->slots - engine->lanes;
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
   store_records(task, rows, engine->lanes, engine->store + (size_t)first * record_dwords, record_dwords);
   engine->lanes = engine->first_lane = task->parts = 0;
}

/* Whether one lane may stand for all elements with its inputs. */
static bool
reuses(const struct cf_vertex_source *source)
{
   return !source->plain && cf_program_is_pure(source->stage->program);
}

bool
cf_vertex_can_join(const struct cf_vertex_source *source, const struct cf_vertex_source *other)
{
   return reuses(other) && source->stage->family == other->stage->family &&
          source->base_instance == other->base_instance &&
          !(cf_program_info(source->stage->program)->sysvals >> CF_SYSVAL_BASE_VERTEX & 1);
}

void
cf_vertex_join(struct cf_vertex_engine *engine, const struct cf_vertex_source *source)
{
   struct cf_task *task = engine->task;
   const struct cf_stage *stage = engine->source->stage;
   look_for_outside(engine);
   if (source->stage != stage) /* not more often than there are lanes: each source has one at least */
      task->part[task->parts++] = (struct cf_fetch_part){ .fetch = stage->fetch, .end = engine->lanes };
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

/* Neighbours have neighbouring entries; indices that are a power of two apart, as in the rows of a grid, have not the same. */
static inline uint32_t
reuse_at(uint32_t index)
{
   return (index + (index >> REUSE_BITS) * 485) % REUSE_ENTRIES;
}

/* The last lanes of the task, from `first` on, have their vertex ids. */
static void
note_lanes(struct cf_vertex_engine *engine, uint32_t first, uint32_t instance)
{
   const uint32_t *id = engine->task->sys[CF_SYSVAL_VERTEX_ID];
   uint32_t *instance_id = engine->task->sys[CF_SYSVAL_INSTANCE_ID], highest = engine->highest;
   for (uint32_t lane = first; lane < engine->lanes; lane++) {
      instance_id[lane] = instance;
      highest = cf_max_u32(highest, id[lane]);
   }
   engine->highest = highest;
}

/* Elements by their indices, of a size that is a constant. */
CF_INLINE void
request_indexed(struct cf_vertex_engine *engine, uint32_t size_B, uint32_t first, uint32_t count,
                uint32_t instance)
{
   const struct cf_vertex_source *source = engine->source;
   const uint8_t *at = source->indices + (size_t)first * size_B;
   uint32_t *id = engine->task->sys[CF_SYSVAL_VERTEX_ID];
   const float **record_of = &engine->record_of[engine->requested], *store = engine->store;
   const uint32_t index_bias = (uint32_t)source->index_bias;
   const size_t record_dwords = source->record_dwords;
   const uint64_t epoch = (uint64_t)engine->epoch << 16;
   uint32_t first_lane = engine->lanes, lanes = first_lane, slots = engine->slots;
   for (uint32_t i = 0; i < count; i++, at += size_B) {
      if (lanes == CF_TASK_LANES) {
         engine->lanes = lanes;
         engine->slots = slots;
         note_lanes(engine, first_lane, instance);
         run_pending(engine);
         first_lane = lanes = 0;
      }
      const uint32_t index = load_index(at, size_B);
      uint64_t *entry = &engine->reuse[reuse_at(index)];
      const uint64_t key = (uint64_t)index << 32 | epoch, found = *entry ^ key;
      const bool is_new = found >> 16 != 0;
      const uint32_t slot = is_new ? slots : (uint32_t)found;
      *entry = key | slot;
      record_of[i] = store + slot * record_dwords;
      id[lanes] = index + index_bias;
      lanes += is_new;
      slots += is_new;
   }
   engine->lanes = lanes;
   engine->slots = slots;
   engine->requested += count;
   note_lanes(engine, first_lane, instance);
}

/* Elements without indices: consecutive vertices into consecutive slots. */
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

/* No element finds the index of one before, and who watches knows each by its number. */
static void
request_one_by_one(struct cf_vertex_engine *engine, uint32_t first, uint32_t count, uint32_t instance)
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
   const bool one_by_one = engine->observer || (engine->source->indices && !reuses(engine->source));
   void (*request)(struct cf_vertex_engine *, uint32_t, uint32_t, uint32_t) =
      one_by_one ? request_one_by_one : request_elements;
   if (range->instance != engine->epoch_instance)
      next_epoch(engine, range->instance);
   request(engine, range->run_first + range->first, range->last - range->first + 1, range->instance);
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
   if (engine->gave_up)
      return false;
   memcpy(&number, record + CF_RECORD_PENDING, sizeof(number));
   const uint32_t first = --number * CF_TASK_LANES, lanes = cf_min_u32(engine->slots - first, CF_TASK_LANES);
   memcpy(task->sys[CF_SYSVAL_VERTEX_ID], engine->lanes_of[number].vertex_id, sizeof(task->sys[0]));
   memcpy(task->sys[CF_SYSVAL_INSTANCE_ID], engine->lanes_of[number].instance_id, sizeof(task->sys[0]));
   prepare(engine, source->stage);
   engine->stats.position_tasks--;
   run_lanes(engine, source->stage, lanes, source->record_dwords);
   fill_row(task->out[CF_RECORD_PENDING], 0);
   store_records(task, source->record_dwords, lanes, engine->store + (size_t)first * source->record_dwords, source->record_dwords);
   return !engine->gave_up;
}

const struct cf_vertex_source *
cf_vertex_gave_up(const struct cf_vertex_engine *engine)
{
   return engine->gave_up;
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
   /* Vertex 0 of the run may lie before the array: only first .. last are looked at. */
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
