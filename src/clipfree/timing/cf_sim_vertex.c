/* SPDX-License-Identifier: MIT */
/* The vertex engine, and the task scheduler. */
#include "clipfree/timing/cf_sim_gpu.h"

/* ------------------------------------------------------------------ the vertex engine */

void
cf_sim_vertex_has_indices(struct cf_sim_gpu *gpu, uint32_t line)
{
   (void)line; /* lines come in any order; as many are there as came */
   gpu->front.lines_there++;
   cf_sim_gpu_wake(gpu, CF_SIM_PART_VERTEX);
}

/* Ask for lines of indices ahead. */
static void
ask_for_indices(struct cf_sim_gpu *gpu, const struct cf_sim_op *op, size_t vertices)
{
   struct cf_sim_front *f = &gpu->front;
   const uint32_t line_B = gpu->machine->texture.line_B;
   const size_t lines =
      ((op->index_offset_B % line_B) + vertices * op->index_B + line_B - 1) / line_B;
   if (f->lines_asked < lines &&
       f->lines_asked < f->lines_there + gpu->machine->vertex.index_ahead &&
       cf_sim_l2_request(gpu,
                         cf_sim_buffer_line(op->index_buffer,
                                            op->index_offset_B + (uint64_t)f->lines_asked * line_B,
                                            line_B),
                         CF_SIM_CLIENT_INDEX, f->lines_asked))
      f->lines_asked++;
}

/* Whether the index of a vertex of the draw is there. */
static bool
has_index(const struct cf_sim_gpu *gpu, const struct cf_sim_op *op, size_t number)
{
   const uint32_t line_B = gpu->machine->texture.line_B;
   return !op->index_B ||
          ((op->index_offset_B % line_B) + number * op->index_B) / line_B < gpu->front.lines_there;
}

/* The next vertex joins the task. */
static void
pack(struct cf_sim_gpu *gpu)
{
   struct cf_sim_front *f = &gpu->front;
   cf_sim_task_find_vertex(gpu->chunk, f->next_vertex, &f->texel, &f->step);
   if (f->packing->exec == 0)
      f->packing->first_vertex = f->next_vertex;
   cf_sim_task_add_vertex(f->packing, f->texel, f->step);
   f->next_vertex++;
   *(f->packing->op->flags & CF_SIM_GEOMETRY ? &gpu->counts.geometry : &gpu->counts.vertices) += 1;
}

/* The task is full, or the draw is at its end: to the scheduler. False: it has no room. */
static bool
hand_over(struct cf_sim_gpu *gpu)
{
   struct cf_sim_front *f = &gpu->front;
   struct cf_sim_task_queue *q = &f->vertices;
   if (q->count == gpu->machine->scheduler.queue)
      return false;
   q->task[(q->first + q->count++) % CF_SIM_TASK_QUEUE] = f->packing;
   f->packing = NULL;
   cf_sim_gpu_wake(gpu, CF_SIM_PART_SCHEDULER);
   return true;
}

/* A cycle of packing. Returns what it is for. */
static enum cf_sim_why
pack_some(struct cf_sim_gpu *gpu, const struct cf_sim_op *op, const struct cf_sim_op_range *range)
{
   struct cf_sim_front *f = &gpu->front;
   for (uint32_t i = 0; i < gpu->machine->vertex.indices_per_cycle; i++) {
      if (f->next_vertex < range->end_vertex &&
          !has_index(gpu, op, f->next_vertex - range->first_vertex))
         return i ? CF_SIM_WHY_BUSY : CF_SIM_WHY_MEMORY;
      if (!f->packing)
         f->packing = cf_sim_gpu_take_task(gpu, CF_SIM_STAGE_VERTEX, f->draw[0]);
      if (!f->packing)
         return CF_SIM_WHY_FULL;
      if ((uint32_t)f->packing->exec != UINT32_MAX && f->next_vertex < range->end_vertex)
         pack(gpu);
      const bool last = f->next_vertex == range->end_vertex;
      if (((uint32_t)f->packing->exec == UINT32_MAX || last) && !hand_over(gpu))
         return CF_SIM_WHY_FULL;
      if (last)
         break;
   }
   return CF_SIM_WHY_BUSY;
}

void
cf_sim_vertex_tick(struct cf_sim_gpu *gpu)
{
   struct cf_sim_front *f = &gpu->front;
   struct cf_sim_unit *unit = &gpu->unit[CF_SIM_PART_VERTEX];
   if (f->draws == 0) {
      cf_sim_because(unit, gpu->time, CF_SIM_WHY_EMPTY);
      return;
   }
   const struct cf_sim_op *op = &gpu->chunk->op[f->draw[0]];
   const struct cf_sim_op_range *range = &gpu->range[f->draw[0]];
   if (op->index_B)
      ask_for_indices(gpu, op, range->end_vertex - range->first_vertex);
   enum cf_sim_why why = CF_SIM_WHY_BUSY;
   if (f->packing || f->next_vertex < range->end_vertex)
      why = pack_some(gpu, op, range);
   cf_sim_because(unit, gpu->time, why);
   /* the draw is packed, and all its indices came */
   if (f->next_vertex == range->end_vertex && !f->packing && f->lines_there == f->lines_asked) {
      f->lines_asked = f->lines_there = 0;
      f->draw[0] = f->draw[1];
      f->draws--;
      cf_sim_gpu_wake(gpu, CF_SIM_PART_COMMAND);
      cf_sim_wake(unit, gpu->time + 1);
   }
   if (why != CF_SIM_WHY_FULL && why != CF_SIM_WHY_MEMORY)
      cf_sim_wake(unit, gpu->time + 1);
}

/* ------------------------------------------------------------------ the scheduler */

static struct cf_sim_task *
front_of(const struct cf_sim_task_queue *q)
{
   return q->count ? q->task[q->first] : NULL;
}

static void
drop_front(struct cf_sim_task_queue *q)
{
   q->first = (q->first + 1) % CF_SIM_TASK_QUEUE;
   q->count--;
}

bool
cf_sim_scheduler_push_pixels(struct cf_sim_gpu *gpu, struct cf_sim_task *task)
{
   struct cf_sim_task_queue *q = &gpu->front.pixels;
   if (q->count == gpu->machine->scheduler.queue)
      return false;
   q->task[(q->first + q->count++) % CF_SIM_TASK_QUEUE] = task;
   cf_sim_gpu_wake(gpu, CF_SIM_PART_SCHEDULER);
   return true;
}

/* The core with the fewest tasks that has room. CF_SIM_NONE: `why` says what is missing. */
static uint32_t
core_for(const struct cf_sim_gpu *gpu, const struct cf_sim_task *task, enum cf_sim_why *why)
{
   uint32_t chosen = CF_SIM_NONE;
   *why = CF_SIM_WHY_TASKS;
   for (uint32_t c = 0; c < gpu->machine->core.count; c++) {
      if (!cf_sim_core_has_place(gpu, c))
         continue;
      if (!cf_sim_core_has_registers(gpu, c, task)) {
         *why = CF_SIM_WHY_REGISTERS;
         continue;
      }
      if (chosen == CF_SIM_NONE || gpu->core[c].tasks < gpu->core[chosen].tasks)
         chosen = c;
   }
   return chosen;
}

/* Vertices that are not shaded by the cores need none. */
static bool
needs_core(const struct cf_sim_gpu *gpu, const struct cf_sim_task *task)
{
   return task->stage == CF_SIM_STAGE_FRAGMENT || gpu->machine->vertex.shading;
}

/* Whether a geometry program's primitives have vertices that are not shaded: those of their draw
 * come before them. */
static bool
waits_for_vertices(const struct cf_sim_gpu *gpu, const struct cf_sim_task *task)
{
   return task->op->flags & CF_SIM_GEOMETRY &&
          gpu->setup.ready < gpu->range[task->op - gpu->chunk->op].first_vertex;
}

/* Begin the first task of a queue. Returns BUSY, or why it cannot begin; EMPTY: there is none. */
static enum cf_sim_why
begin_task(struct cf_sim_gpu *gpu, struct cf_sim_task_queue *q)
{
   struct cf_sim_front *f = &gpu->front;
   struct cf_sim_task *task = front_of(q);
   enum cf_sim_why why;
   uint32_t core = 0;
   if (!task)
      return CF_SIM_WHY_EMPTY;
   const bool vertices = task->stage == CF_SIM_STAGE_VERTEX;
   const uint32_t count = vertices ? cf_sim_count_lanes(task->exec) : 0;
   if (vertices && waits_for_vertices(gpu, task))
      return CF_SIM_WHY_ORDER;
   if (vertices && f->reserved + count > gpu->machine->vertex.buffer)
      return CF_SIM_WHY_FULL;
   if (needs_core(gpu, task) && (core = core_for(gpu, task, &why)) == CF_SIM_NONE)
      return why;
   if (vertices) {
      f->reserved += count;
      cf_sim_setup_expect(gpu, task);
   }
   drop_front(q);
   cf_sim_gpu_wake(gpu, vertices ? CF_SIM_PART_VERTEX : CF_SIM_PART_BLOCKS);
   if (needs_core(gpu, task))
      cf_sim_core_begin(gpu, core, task);
   else
      cf_sim_output_done(gpu, task);
   return CF_SIM_WHY_BUSY;
}

/* Whether tasks of vertices go first now. */
static bool
vertices_first(const struct cf_sim_gpu *gpu)
{
   const struct cf_sim_task *vertices = front_of(&gpu->front.vertices),
                            *pixels = front_of(&gpu->front.pixels);
   if (gpu->machine->scheduler.policy == CF_SIM_TASK_POLICY_OLDEST && vertices && pixels)
      return vertices->packed_cycle <= pixels->packed_cycle;
   return gpu->machine->scheduler.policy == CF_SIM_TASK_POLICY_VERTICES;
}

void
cf_sim_scheduler_tick(struct cf_sim_gpu *gpu)
{
   struct cf_sim_front *f = &gpu->front;
   struct cf_sim_unit *unit = &gpu->unit[CF_SIM_PART_SCHEDULER];
   const bool vertices = vertices_first(gpu);
   const enum cf_sim_why first = begin_task(gpu, vertices ? &f->vertices : &f->pixels);
   enum cf_sim_why why = first;
   if (first != CF_SIM_WHY_BUSY)
      why = begin_task(gpu, vertices ? &f->pixels : &f->vertices);
   if (why != CF_SIM_WHY_BUSY && first != CF_SIM_WHY_EMPTY)
      why = first;
   cf_sim_because(unit, gpu->time, why);
   if (why == CF_SIM_WHY_BUSY)
      cf_sim_wake(unit, gpu->time + 1);
}
