/* SPDX-License-Identifier: MIT */
#include "clipfree/vertex/cf_geometry.h"

#include <stdlib.h>
#include <string.h>

#include "clipfree/arith/cf_minmax.h"
#include "clipfree/base/cf_time_limit.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/shader/cf_geometry_layout.h"
#include "clipfree/shader/cf_run_watched.h"
#include "clipfree/vertex/cf_transpose.h"

struct cf_geometry_engine {
   const struct cf_shader_ops *shader;
   const struct cf_observer *observer; /* NULL: none */
   const struct cf_geometry_source *source;
   uint64_t draw; /* GPU address of its packet, for the observer */
   struct cf_task *task;
   uint32_t emitted[CF_TASK_LANES]; /* vertices, by lane */
   uint32_t most;                   /* of one lane */
   float *store;                    /* records, by vertex and then by lane */
   size_t store_dwords;
   const float **strip; /* result of cf_geometry_strip */
   uint32_t strip_capacity;
};

struct cf_geometry_engine *
cf_geometry_engine_create(const struct cf_shader_ops *shader, const struct cf_observer *observer)
{
   struct cf_geometry_engine *engine = calloc(1, sizeof(*engine));
   if (!engine)
      return NULL;
   engine->shader = shader;
   engine->observer = cf_observer_watches_vertices(observer) ? observer : NULL;
   return engine;
}

void
cf_geometry_engine_destroy(struct cf_geometry_engine *engine)
{
   if (!engine)
      return;
   free(engine->store);
   free(engine->strip);
   free(engine);
}

/* The records of all lanes' vertex number `vertex`. */
static float *
records_of(const struct cf_geometry_engine *engine, uint32_t vertex)
{
   return engine->store + (size_t)vertex * CF_TASK_LANES * engine->source->record_dwords;
}

bool
cf_geometry_begin(struct cf_geometry_engine *engine, const struct cf_geometry_source *source,
                  uint64_t draw, struct cf_task *task)
{
   const uint32_t vertices = cf_program_info(source->stage->program)->max_vertices;
   const size_t dwords = (size_t)vertices * CF_TASK_LANES * source->record_dwords;
   engine->source = source;
   engine->draw = draw;
   engine->task = task;
   if (dwords > engine->store_dwords) {
      free(engine->store);
      engine->store = malloc(dwords * sizeof(*engine->store));
      engine->store_dwords = engine->store ? dwords : 0;
   }
   if (vertices > engine->strip_capacity) {
      free(engine->strip);
      engine->strip = malloc(vertices * sizeof(*engine->strip));
      engine->strip_capacity = engine->strip ? vertices : 0;
   }
   if (dwords > engine->store_dwords || vertices > engine->strip_capacity)
      return false;
   task->parts = 0;
   engine->shader->prepare(source->stage, task);
   for (uint32_t lane = 0; lane < CF_TASK_LANES; lane++)
      task->sys[CF_SYSVAL_LANE][lane] = lane;
   return true;
}

/* Four dwords of input vertex `vertex`, for four lanes from `lane` on, into scratch. */
static void
load_dwords(const struct cf_geometry_input *inputs, uint32_t count, uint32_t vertex,
            uint32_t first_dword, uint32_t (*rows)[CF_TASK_LANES])
{
   for (uint32_t lane = 0; lane < count; lane += 4) {
      const float *record[4];
      for (uint32_t i = 0; i < 4; i++) /* lanes without a primitive get the last one's */
         record[i] = inputs[cf_min_u32(lane + i, count - 1)].vertex[vertex] + first_dword;
      cf_records_to_rows(record, rows, lane);
   }
}

/* (0, 0, 0, 1): a varying that the vertex program does not write. */
static void
load_absent(uint32_t (*rows)[CF_TASK_LANES])
{
   const float one = 1.0f;
   memset(rows, 0, 4 * sizeof(*rows));
   for (uint32_t lane = 0; lane < CF_TASK_LANES; lane++)
      memcpy(&rows[3][lane], &one, sizeof(one));
}

/* Four dwords of input vertex `vertex`, of its head (0, 1) or a varying slot. */
static void
load_four(struct cf_geometry_engine *engine, const struct cf_geometry_input *inputs, uint32_t count,
          uint32_t vertex, uint32_t four, uint32_t (*rows)[CF_TASK_LANES])
{
   const uint32_t head = CF_RECORD_HEAD_DWORDS / 4;
   const struct cf_link *link = four < head ? NULL : &engine->source->link[four - head];
   if (!link)
      load_dwords(inputs, count, vertex, 4 * four, rows);
   else if (link->present)
      load_dwords(inputs, count, vertex, CF_OUTPUT_VARYINGS + 4 * link->slot, rows);
   else
      load_absent(rows);
}

/* What no instruction reads stays as it was, unless someone watches the task. */
static void
load_inputs(struct cf_geometry_engine *engine, const struct cf_geometry_input *inputs,
            uint32_t count)
{
   const struct cf_decoded *decoded = engine->source->stage->program;
   const struct cf_program *program = cf_program_info(decoded);
   const uint32_t dwords = cf_geometry_input_dwords(program);
   uint32_t (*rows)[CF_TASK_LANES] = &engine->task->scratch[CF_GEOMETRY_INPUTS];
   for (uint32_t vertex = 0; vertex < program->input_vertices; vertex++, rows += dwords) {
      for (uint32_t four = 0; four < dwords / 4; four++) {
         if (engine->observer || cf_program_reads_input(decoded, vertex, four))
            load_four(engine, inputs, count, vertex, four, rows + 4 * four);
      }
   }
}

static void
run_watched(struct cf_geometry_engine *engine, const struct cf_geometry_input *inputs,
            uint32_t count)
{
   struct cf_task *task = engine->task;
   uint32_t instance[CF_TASK_LANES] = { 0 };
   for (uint32_t lane = 0; lane < count; lane++)
      instance[lane] = inputs[lane].instance;
   struct cf_task_event event = { .draw = engine->draw,
                                  .lanes = task->exec,
                                  .geometry = true,
                                  .element = task->sys[CF_SYSVAL_PRIMITIVE],
                                  .vertex = task->sys[CF_SYSVAL_PRIMITIVE],
                                  .instance = instance };
   cf_run_watched(engine->shader, engine->source->stage, task, engine->observer, &event);
}

/* Take the vertices that the program left in scratch. */
static void
take_vertices(struct cf_geometry_engine *engine, uint32_t count)
{
   const struct cf_program *program = cf_program_info(engine->source->stage->program);
   const uint32_t record_dwords = engine->source->record_dwords;
   const uint32_t (*rows)[CF_TASK_LANES] =
      (const uint32_t (*)[CF_TASK_LANES])&engine->task->scratch[cf_geometry_outputs(program)];
   for (uint32_t lane = 0; lane < count; lane++) {
      engine->emitted[lane] =
         cf_min_u32(engine->task->scratch[CF_GEOMETRY_EMITTED][lane], program->max_vertices);
      engine->most = cf_max_u32(engine->most, engine->emitted[lane]);
   }
   for (uint32_t vertex = 0; vertex < engine->most; vertex++, rows += record_dwords) {
      float *record = records_of(engine, vertex);
      for (uint32_t lane = 0; lane < count; lane += 4, record += 4 * record_dwords) {
         for (uint32_t dword = 0; dword < record_dwords; dword += 4)
            cf_rows_to_records(rows + dword, lane, record + dword, record_dwords);
      }
   }
}

bool
cf_geometry_run(struct cf_geometry_engine *engine, const struct cf_geometry_input *inputs,
                uint32_t count)
{
   struct cf_task *task = engine->task;
   task->exec = task->alive = UINT32_MAX >> (CF_TASK_LANES - count);
   for (uint32_t lane = 0; lane < CF_TASK_LANES; lane++)
      task->sys[CF_SYSVAL_PRIMITIVE][lane] = inputs[cf_min_u32(lane, count - 1)].primitive;
   load_inputs(engine, inputs, count);
   if (engine->observer)
      run_watched(engine, inputs, count);
   else
      engine->shader->run(engine->source->stage, task);
   task->timed_out = task->timed_out || cf_time_limit_over(task->limit);
   engine->most = 0;
   if (task->timed_out)
      memset(engine->emitted, 0, sizeof(engine->emitted));
   else
      take_vertices(engine, count);
   return !task->timed_out;
}

bool
cf_geometry_emits(const struct cf_geometry_engine *engine)
{
   return engine->most > 0;
}

const float *const *
cf_geometry_strip(struct cf_geometry_engine *engine, uint32_t lane, uint32_t first,
                  uint32_t *count)
{
   uint32_t n = 0, ends = 0;
   for (uint32_t vertex = first; vertex < engine->emitted[lane] && !ends; vertex++) {
      const float *record =
         records_of(engine, vertex) + (size_t)lane * engine->source->record_dwords;
      memcpy(&ends, record + CF_OUTPUT_ENDS_STRIP, sizeof(ends));
      engine->strip[n++] = record;
   }
   *count = n;
   return engine->strip;
}

uint32_t
cf_geometry_layer(const float *record)
{
   uint32_t layer;
   memcpy(&layer, record + CF_OUTPUT_LAYER, sizeof(layer));
   return layer;
}
