/* SPDX-License-Identifier: MIT */
#include "clipfree/interface/cf_observer.h" /* enum cf_drop */
#include "clipfree/timing/cf_sim_gpu.h"

/* DP3 operations of a triangle. Eq. 1: three coordinates of three edges. Eq. 3: the divisor, and
 * three coordinates of depth. Eq. 4: three for each edge, and for depth. */
#define EDGE_OPERATIONS 9
#define DEPTH_OPERATIONS 4
#define VIEWPORT_OPERATIONS 12

static void
push(struct cf_sim_primitive_queue *q, const struct cf_sim_set_up *primitive)
{
   q->primitive[(q->first + q->count++) % CF_SIM_PRIMITIVE_QUEUE] = *primitive;
   q->in++;
}

void
cf_sim_primitive_drop(struct cf_sim_primitive_queue *q)
{
   q->first = (q->first + 1) % CF_SIM_PRIMITIVE_QUEUE;
   q->count--;
   q->out++;
}

/* ------------------------------------------------------------------ vertices */

void
cf_sim_setup_begin_chunk(struct cf_sim_gpu *gpu)
{
   struct cf_sim_setup *s = &gpu->setup;
   s->op = 0;
   s->ready = s->next_vertex = s->next_primitive = 0;
   s->ended = false;
   cf_sim_gpu_wake(gpu, CF_SIM_PART_ASSEMBLY);
}

void
cf_sim_setup_expect(struct cf_sim_gpu *gpu, struct cf_sim_task *task)
{
   struct cf_sim_setup *s = &gpu->setup;
   s->task[(s->first_task + s->tasks++) % CF_SIM_VERTEX_TASKS] = task;
}

void
cf_sim_setup_shaded(struct cf_sim_gpu *gpu, struct cf_sim_task *task)
{
   struct cf_sim_setup *s = &gpu->setup;
   task->done = true;
   while (s->tasks > 0 && s->task[s->first_task]->done) {
      struct cf_sim_task *t = s->task[s->first_task];
      s->first_task = (s->first_task + 1) % CF_SIM_VERTEX_TASKS;
      s->tasks--;
      s->ready = t->first_vertex + (uint32_t)__builtin_popcountll((uint64_t)t->alive);
      cf_sim_gpu_free_task(gpu, t);
   }
   cf_sim_gpu_wake(gpu, CF_SIM_PART_ASSEMBLY);
   cf_sim_gpu_wake(gpu, CF_SIM_PART_VERTEX);
}

uint64_t
cf_sim_setup_needs(uint32_t prim, uint64_t number)
{
   switch ((enum cf_prim_kind)prim) {
   case CF_PRIM_KIND_POINTS:
      return number + 1;
   case CF_PRIM_KIND_LINES:
      return 2 * number + 2;
   case CF_PRIM_KIND_LINE_LOOP:
   case CF_PRIM_KIND_LINE_STRIP:
      return number + 2;
   case CF_PRIM_KIND_TRIANGLES:
      return 3 * number + 3;
   case CF_PRIM_KIND_QUADS: /* of two triangles */
      return 4 * (number / 2) + 4;
   case CF_PRIM_KIND_QUAD_STRIP:
      return 2 * (number / 2) + 4;
   default:
      return number + 3;
   }
}

/* ------------------------------------------------------------------ assembly */

/* Whether a primitive is culled before its edges are known. */
static bool
culled_at_once(const struct cf_sim_primitive *p)
{
   return !p->set_up &&
          (p->drop == CF_DROP_NOT_FINITE || p->drop == CF_DROP_BEHIND || p->drop == CF_DROP_PLANE);
}

static bool
culled_by_edges(const struct cf_sim_primitive *p)
{
   return !p->set_up &&
          (p->drop == CF_DROP_NO_AREA || p->drop == CF_DROP_FRONT || p->drop == CF_DROP_BACK);
}

/* Take vertices up to one that is needed, as many as a cycle allows. True: it is reached. */
static bool
take_vertices(struct cf_sim_gpu *gpu, size_t needed)
{
   struct cf_sim_setup *s = &gpu->setup;
   const size_t most = s->next_vertex + gpu->machine->primitive.vertices_per_cycle;
   size_t to = needed < s->ready ? needed : s->ready;
   to = to < most ? to : most;
   if (to > s->next_vertex) {
      gpu->front.reserved -= (uint32_t)(to - s->next_vertex);
      s->next_vertex = to;
      cf_sim_gpu_wake(gpu, CF_SIM_PART_SCHEDULER);
      cf_sim_gpu_wake(gpu, CF_SIM_PART_ASSEMBLY);
   }
   cf_sim_gpu_count_vertices(gpu);
   return s->next_vertex >= needed;
}

/* The next primitive of an operation. */
static enum cf_sim_why
assemble(struct cf_sim_gpu *gpu, const struct cf_sim_op_range *range)
{
   struct cf_sim_setup *s = &gpu->setup;
   struct cf_sim_primitive_queue *to = &s->queue[CF_SIM_SETUP_EDGES];
   const struct cf_sim_primitive *p = &gpu->chunk->primitive[s->next_primitive];
   const size_t before = s->next_vertex,
                needed =
                   range->first_vertex + cf_sim_setup_needs(gpu->chunk->op[s->op].prim, p->number),
                last = needed < range->end_vertex ? needed : range->end_vertex;
   if (!take_vertices(gpu, last))
      return s->next_vertex > before ? CF_SIM_WHY_BUSY : CF_SIM_WHY_EMPTY;
   if (to->count >= gpu->machine->primitive.queue)
      return CF_SIM_WHY_FULL;
   if (!culled_at_once(p)) {
      push(to, &(struct cf_sim_set_up){
                  .op = s->op, .primitive = s->next_primitive, .ready = gpu->time + 1 });
      cf_sim_gpu_wake(gpu, CF_SIM_PART_ASSEMBLY + CF_SIM_SETUP_EDGES);
   }
   s->next_primitive++;
   gpu->counts.primitives++;
   cf_sim_gpu_wake(gpu, CF_SIM_PART_ASSEMBLY);
   return CF_SIM_WHY_BUSY;
}

/* An operation is assembled: its end goes through the stages. */
static enum cf_sim_why
end_operation(struct cf_sim_gpu *gpu)
{
   struct cf_sim_setup *s = &gpu->setup;
   struct cf_sim_primitive_queue *to = &s->queue[CF_SIM_SETUP_EDGES];
   if (to->count >= gpu->machine->primitive.queue)
      return CF_SIM_WHY_FULL;
   push(to, &(struct cf_sim_set_up){ .op = s->op, .end = true, .ready = gpu->time + 1 });
   cf_sim_gpu_wake(gpu, CF_SIM_PART_ASSEMBLY + CF_SIM_SETUP_EDGES);
   if (s->op == gpu->chunk->ops)
      s->ended = true;
   else
      s->op++;
   cf_sim_gpu_wake(gpu, CF_SIM_PART_ASSEMBLY);
   return CF_SIM_WHY_BUSY;
}

static enum cf_sim_why
tick_assembly(struct cf_sim_gpu *gpu)
{
   struct cf_sim_setup *s = &gpu->setup;
   if (s->ended)
      return CF_SIM_WHY_EMPTY;
   if (s->op == gpu->chunk->ops)
      return end_operation(gpu);
   const struct cf_sim_op_range *range = &gpu->range[s->op];
   if (s->next_primitive < range->end_primitive)
      return assemble(gpu, range);
   const size_t before = s->next_vertex;
   if (!take_vertices(gpu, range->end_vertex)) /* those that make no primitive */
      return s->next_vertex > before ? CF_SIM_WHY_BUSY : CF_SIM_WHY_EMPTY;
   return end_operation(gpu);
}

/* ------------------------------------------------------------------ stages of DP3 units */

/* Cycles until a stage takes the next triangle. */
static uint32_t
interval(const struct cf_sim_machine_primitive *p, enum cf_sim_setup_stage stage)
{
   const uint32_t operations = stage == CF_SIM_SETUP_EDGES   ? EDGE_OPERATIONS
                               : stage == CF_SIM_SETUP_DEPTH ? DEPTH_OPERATIONS
                                                             : VIEWPORT_OPERATIONS,
                  units = stage == CF_SIM_SETUP_EDGES   ? p->edge_units
                          : stage == CF_SIM_SETUP_DEPTH ? p->depth_units
                                                        : p->viewport_units;
   return (operations + units - 1) / units;
}

static enum cf_sim_why
tick_stage(struct cf_sim_gpu *gpu, enum cf_sim_setup_stage stage)
{
   struct cf_sim_setup *s = &gpu->setup;
   struct cf_sim_unit *unit = &gpu->unit[CF_SIM_PART_ASSEMBLY + stage];
   const bool last = stage == CF_SIM_SETUP_VIEWPORT;
   struct cf_sim_primitive_queue *to = last ? &gpu->raster.queue : &s->queue[stage + 1];
   struct cf_sim_set_up *p = cf_sim_primitive_front(&s->queue[stage]);
   if (s->free[stage] > gpu->time) {
      cf_sim_wake(unit, s->free[stage]);
      return CF_SIM_WHY_BUSY;
   }
   if (!p || p->ready > gpu->time) {
      cf_sim_wake(unit, p ? p->ready : CF_SIM_NEVER);
      return CF_SIM_WHY_EMPTY;
   }
   if (to->count >= gpu->machine->primitive.queue)
      return CF_SIM_WHY_FULL;
   const struct cf_sim_primitive *in_chunk = &gpu->chunk->primitive[p->primitive];
   const uint32_t cycles = p->end ? 1 : interval(&gpu->machine->primitive, stage);
   struct cf_sim_set_up moved = *p;
   moved.ready = gpu->time + cycles + (p->end ? 0 : gpu->machine->primitive.dp3_cycles - 1);
   s->free[stage] = gpu->time + cycles;
   if (p->end || (last ? in_chunk->set_up > 0 : !culled_by_edges(in_chunk))) {
      push(to, &moved);
      cf_sim_wake(&gpu->unit[CF_SIM_PART_ASSEMBLY + stage + 1], moved.ready);
   }
   cf_sim_primitive_drop(&s->queue[stage]);
   cf_sim_wake(unit, s->free[stage]);
   cf_sim_gpu_wake(gpu, CF_SIM_PART_ASSEMBLY + stage - 1);
   return CF_SIM_WHY_BUSY;
}

void
cf_sim_setup_tick(struct cf_sim_gpu *gpu, enum cf_sim_setup_stage stage)
{
   struct cf_sim_unit *unit = &gpu->unit[CF_SIM_PART_ASSEMBLY + stage];
   const enum cf_sim_why why =
      stage == CF_SIM_SETUP_ASSEMBLY ? tick_assembly(gpu) : tick_stage(gpu, stage);
   cf_sim_because(unit, gpu->time, why);
}

bool
cf_sim_setup_idle(const struct cf_sim_setup *s)
{
   uint32_t queued = 0;
   for (uint32_t stage = 0; stage < CF_SIM_SETUP_STAGES; stage++)
      queued += s->queue[stage].count;
   return queued == 0 && s->tasks == 0;
}
