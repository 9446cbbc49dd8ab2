/* SPDX-License-Identifier: MIT */
#include "sim_watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/timing/cf_sim_pixels.h"

#include "sim_json.h"
#include "sim_maps.h"
#include "sim_queues.h"
#include "sim_rows.h"
#include "sim_run.h"
#include "sim_timeline.h"

#define FIRST_INTERVAL 64 /* cycles, where none is asked for */

struct sim_memory_request {
   uint64_t address_B;
   bool write;
};

struct sim_watch {
   struct cf_sim_watch told;
   struct sim_watch_config config;
   struct sim_machine *machine;
   const struct cf_sim_chunk *chunk;
   const struct cf_sim_order *order;
   struct sim_queues queues;
   struct sim_rows rows;
   uint64_t interval, next_interval;
   /* draws of the chunk: the first whose row is open; those whose tasks are all on their way, and
    * how many tasks the pixel engine is done with then */
   uint32_t op, packed;
   uint64_t *tasks;
   struct sim_maps maps;
   uint64_t last_pixel;                            /* cycles before it are in the map of cycles */
   size_t item;                                    /* the whole GPU: items before it were retired */
   uint32_t quad[CF_SIM_MAX_TASKS][CF_SIM_GROUPS]; /* items of tasks */
   struct sim_timeline *timeline;
   /* what memory gets in this cycle */
   struct sim_memory_request *request;
   size_t requests, request_room;
   bool failed;
};

/* ------------------------------------------------------------------ counters at a time */

/* Count all up to a time, at which nothing happened yet. */
static json_t *
counters_at(struct sim_watch *w, uint64_t time)
{
   struct sim_machine *m = w->machine;
   sim_queues_count(&w->queues, m, time);
   if (m->gpu)
      cf_sim_gpu_settle(m->gpu, time);
   else if (m->cycles.time < time)
      cf_sim_cycles_skip(&m->cycles, time);
   json_t *counters = sim_json_timed(m);
   json_object_set_new(counters, "queues", sim_queues_json(&w->queues, m));
   json_object_del(counters, "cycles"); /* that of the row */
   json_object_del(counters, "pipelines");
   return counters;
}

static struct sim_row *
add_row(struct sim_watch *w, struct sim_row_list *list, uint64_t time)
{
   json_t *counters = counters_at(w, time);
   struct sim_row *row = sim_rows_add(&w->rows, list, time, counters);
   json_decref(counters);
   return row;
}

/* Without an interval that is asked for: rows become longer as there are too many. */
static void
end_interval(struct sim_watch *w, uint64_t time)
{
   struct sim_row_list *list = &w->rows.intervals;
   add_row(w, list, time);
   if (!w->config.interval && !w->timeline && list->rows == SIM_INTERVALS) {
      sim_rows_halve(list);
      w->interval *= 2;
   }
   w->next_interval =
      w->rows.too_many || (w->timeline && time >= w->config.to) ? CF_SIM_NEVER : time + w->interval;
}

/* The row of the chunk's next operation ends. */
static void
end_draw(struct sim_watch *w, uint64_t time)
{
   const struct cf_sim_op *op = &w->chunk->op[w->op++];
   struct sim_row *row = add_row(w, &w->rows.draws, time);
   if (row) {
      row->frame = op->frame;
      row->op = op->number;
      row->flags = op->flags;
   }
}

/* Draws that the pixel engine has done with in the last cycle; the chunk's last one ends with it.
 */
static void
end_draws(struct sim_watch *w, uint64_t time)
{
   const struct cf_sim_gpu *gpu = w->machine->gpu;
   while (w->op + 1 < w->chunk->ops && w->op < w->packed && gpu->front.op > w->op &&
          gpu->pixel.retired >= w->tasks[w->op])
      end_draw(w, time);
}

/* ------------------------------------------------------------------ what happens */

static void
memory(void *user, uint64_t address_B, bool write)
{
   struct sim_watch *w = user;
   if (!w->config.requests)
      return;
   void *grown = cf_sim_grow(w->request, w->requests, 1, &w->request_room, sizeof(w->request[0]));
   if (!grown) {
      w->failed = true;
      return;
   }
   w->request = grown;
   w->request[w->requests++] = (struct sim_memory_request){ address_B, write };
}

/* As DRAMsim3 reads them. */
static void
write_requests(struct sim_watch *w, uint64_t now)
{
   for (size_t i = 0; i < w->requests; i++)
      fprintf(w->config.requests, "0x%" PRIx64 " %s %" PRIu64 "\n", w->request[i].address_B,
              w->request[i].write ? "WRITE" : "READ", now);
   w->requests = 0;
}

static void
step(void *user, uint64_t now, uint64_t next)
{
   struct sim_watch *w = user;
   write_requests(w, now);
   if (w->config.report && w->machine->gpu && w->chunk)
      end_draws(w, now + 1);
   while (w->next_interval <= next)
      end_interval(w, w->next_interval);
   sim_queues_count(&w->queues, w->machine, next);
   if (w->timeline)
      sim_timeline_step(w->timeline, now, next);
}

static void
fed(void *user, const struct cf_sim_request *request, uint64_t time)
{
   struct sim_watch *w = user;
   const struct cf_sim_item *item = &w->order->item[request->item];
   if (w->machine->gpu)
      return;
   if (w->timeline)
      sim_timeline_block(w->timeline, request->item, time);
   if (!w->config.report)
      return;
   while (!request->prefetch && w->op + 1 < w->chunk->ops && w->op < item->op)
      end_draw(w, time);
   sim_maps_add_item(&w->maps, w->chunk, item, SIM_MAP_CYCLES, time + 1 - w->last_pixel);
   w->last_pixel = time + 1;
}

static void
answered(void *user, const struct cf_sim_misses *cache, const struct cf_sim_access *access,
         enum cf_sim_outcome outcome, uint64_t begin, uint64_t end)
{
   struct sim_watch *w = user;
   const bool color = cache->number % 2 == 1;
   if (w->timeline)
      sim_timeline_answered(w->timeline, cache, access, outcome, begin, end);
   if (!w->config.report || access->prefetch)
      return;
   const struct cf_sim_item *item = &w->order->item[access->value];
   sim_maps_add_item(&w->maps, w->chunk, item, color ? SIM_MAP_COLOR_LATENCY : SIM_MAP_Z_LATENCY,
                     end - begin);
   if (outcome == CF_SIM_OUTCOME_MISS)
      sim_maps_add_item(&w->maps, w->chunk, item, color ? SIM_MAP_COLOR_MISSES : SIM_MAP_Z_MISSES,
                        1);
}

static void
block(void *user, uint32_t item, uint64_t time)
{
   struct sim_watch *w = user;
   if (w->timeline)
      sim_timeline_block(w->timeline, item, time);
}

static void
quad(void *user, const struct cf_sim_task *task, uint32_t item)
{
   struct sim_watch *w = user;
   w->quad[task - w->machine->gpu->task][task->groups - 1] = item;
}

static void
packed(void *user)
{
   struct sim_watch *w = user;
   if (w->packed < w->chunk->ops)
      w->tasks[w->packed++] = w->machine->gpu->pixel.pushed;
}

static void
retired(void *user, const struct cf_sim_task *task, uint64_t time)
{
   struct sim_watch *w = user;
   if (!w->config.report)
      return;
   sim_maps_spread(&w->maps, w->chunk, &w->order->item[w->item], task->end_item - w->item,
                   SIM_MAP_CYCLES, time + 1 - w->last_pixel);
   w->item = task->end_item;
   w->last_pixel = time + 1;
}

static void
data_miss(void *user, const struct cf_sim_task *task, uint32_t group)
{
   struct sim_watch *w = user;
   if (!w->config.report)
      return;
   if (task->stage == CF_SIM_STAGE_FRAGMENT)
      sim_maps_add_item(&w->maps, w->chunk,
                        &w->order->item[w->quad[task - w->machine->gpu->task][group]],
                        SIM_MAP_DATA_MISSES, 1);
   else
      w->maps.elsewhere[SIM_MAP_DATA_MISSES]++;
}

/* ------------------------------------------------------------------ begin and end */

struct sim_watch *
sim_watch_create(struct sim_machine *machine, const struct sim_watch_config *config)
{
   struct sim_watch *w = calloc(1, sizeof(*w));
   if (!w)
      return NULL;
   w->config = *config;
   w->machine = machine;
   w->told = (struct cf_sim_watch){ w,     step, fed,    answered, memory,
                                    block, quad, packed, retired,  data_miss };
   w->interval = config->interval ? config->interval : FIRST_INTERVAL;
   w->next_interval = config->timeline && config->from ? config->from : w->interval;
   sim_maps_init(&w->maps, &machine->machine);
   if (config->timeline)
      w->timeline = sim_timeline_create(machine, config->from, config->to);
   if (!sim_rows_init(&w->rows) || (config->timeline && !w->timeline)) {
      sim_watch_destroy(w);
      return NULL;
   }
   if (machine->gpu)
      cf_sim_gpu_watch(machine->gpu, &w->told);
   else
      cf_sim_cycles_watch(&machine->cycles, &w->told);
   return w;
}

void
sim_watch_destroy(struct sim_watch *w)
{
   if (!w)
      return;
   sim_rows_free(&w->rows);
   sim_maps_free(&w->maps);
   sim_timeline_destroy(w->timeline);
   free(w->tasks);
   free(w->request);
   free(w);
}

void
sim_watch_begin_chunk(struct sim_watch *w, const struct cf_sim_chunk *chunk,
                      const struct cf_sim_order *order)
{
   free(w->tasks);
   w->tasks = calloc(chunk->ops + 1, sizeof(w->tasks[0]));
   w->failed |= !w->tasks;
   w->chunk = chunk;
   w->order = order;
   w->op = w->packed = 0;
   w->item = 0;
   if (w->timeline)
      sim_timeline_chunk(w->timeline, chunk, order);
}

/* The next cycle: all units have acted in the one before. */
static uint64_t
next_cycle(const struct sim_watch *w)
{
   const struct sim_machine *m = w->machine;
   return m->gpu ? m->gpu->time + 1 : m->cycles.time;
}

void
sim_watch_end_chunk(struct sim_watch *w)
{
   const uint64_t time = next_cycle(w);
   while (w->config.report && w->op < w->chunk->ops)
      end_draw(w, time);
   w->maps.elsewhere[SIM_MAP_CYCLES] += time - w->last_pixel;
   w->last_pixel = time;
   write_requests(w, time);
   w->chunk = NULL;
}

bool
sim_watch_end(struct sim_watch *w, const char *path, char *error, size_t error_B)
{
   const struct sim_machine *m = w->machine;
   const uint64_t time = m->gpu ? m->gpu->time : m->cycles.time;
   if (w->rows.intervals.end < time && w->next_interval != CF_SIM_NEVER)
      add_row(w, &w->rows.intervals, time);
   if (w->config.report && w->rows.draws.end < time) {
      struct sim_row *row = add_row(w, &w->rows.draws, time);
      if (row)
         row->op = SIM_ROW_NONE;
   }
   if (w->failed || w->rows.failed || w->maps.failed) {
      snprintf(error, error_B, "out of memory");
      return false;
   }
   if (w->rows.too_many) {
      snprintf(
         error, error_B,
         "more than %u intervals, or draws, clears and transfers; give a longer --interval, or "
         "fewer frames",
         SIM_MOST_ROWS);
      return false;
   }
   if (!w->timeline)
      return true;
   char title[1024];
   snprintf(title, sizeof(title), "%s: %s", m->name, path);
   if (m->gpu && time > 0) /* what was done in the last cycle */
      sim_timeline_step(w->timeline, time - 1, time);
   sim_timeline_end(w->timeline, time);
   return sim_timeline_write(w->timeline, title, &w->rows, w->config.timeline, error, error_B);
}

json_t *
sim_watch_json(const struct sim_watch *w)
{
   return json_pack("{s: I, s: o, s: o, s: o, s: o, s: o}", "interval", (json_int_t)w->interval,
                    "columns", sim_rows_columns(&w->rows), "intervals",
                    sim_rows_json(&w->rows, &w->rows.intervals, false), "draws",
                    sim_rows_json(&w->rows, &w->rows.draws, true), "maps", sim_maps_json(&w->maps),
                    "elsewhere", sim_maps_elsewhere(&w->maps));
}
