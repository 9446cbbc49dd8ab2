/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_gpu.h"

/* ------------------------------------------------------------------ the output unit */

bool
cf_sim_output_has_room(const struct cf_sim_gpu *gpu, uint32_t core)
{
   return gpu->core[core].exports < gpu->machine->output.queue;
}

void
cf_sim_output_push(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot)
{
   struct cf_sim_output *o = &gpu->output;
   const uint32_t at = (o->first + o->count++) % CF_SIM_EXPORTS;
   o->queue[at].core = (uint8_t)core;
   o->queue[at].slot = (uint8_t)slot;
   o->in++;
   gpu->core[core].exports++;
   gpu->core[core].slot[slot].exports++;
   cf_sim_gpu_wake(gpu, CF_SIM_PART_OUTPUT);
}

void
cf_sim_output_tick(struct cf_sim_gpu *gpu)
{
   struct cf_sim_output *o = &gpu->output;
   struct cf_sim_unit *unit = &gpu->unit[CF_SIM_PART_OUTPUT];
   if (o->leaving && o->free <= gpu->time) {
      const uint32_t core = o->queue[o->first].core, slot = o->queue[o->first].slot;
      o->first = (o->first + 1) % CF_SIM_EXPORTS;
      o->count--;
      o->out++;
      o->leaving = false;
      gpu->core[core].exports--;
      cf_sim_core_exported(gpu, core, slot);
   }
   if (!o->leaving && o->count > 0) {
      o->leaving = true;
      o->free = gpu->time + 32 / gpu->machine->output.lanes;
   }
   cf_sim_because(unit, gpu->time, o->leaving ? CF_SIM_WHY_BUSY : CF_SIM_WHY_EMPTY);
   if (o->leaving)
      cf_sim_wake(unit, o->free);
}

bool
cf_sim_output_takes(const struct cf_sim_gpu *gpu, const struct cf_sim_task *task)
{
   return task->stage == CF_SIM_STAGE_VERTEX ||
          task->number < gpu->pixel.retired + gpu->machine->pixel.buffer;
}

void
cf_sim_output_done(struct cf_sim_gpu *gpu, struct cf_sim_task *task)
{
   if (task->stage == CF_SIM_STAGE_VERTEX) {
      cf_sim_setup_shaded(gpu, task);
      return;
   }
   task->done = true;
   cf_sim_gpu_wake(gpu, CF_SIM_PART_PIXEL);
}

/* ------------------------------------------------------------------ the pixel engine */

static void
take_request(void *user, const struct cf_sim_request *r)
{
   struct cf_sim_gpu *gpu = user;
   struct cf_sim_pixel *p = &gpu->pixel;
   if (!r->color && !gpu->machine->pixel.depth)
      return;
   void *grown = cf_sim_grow(p->request, p->requests, 1, &p->request_room, sizeof(p->request[0]));
   if (!grown) {
      gpu->failed = true;
      return;
   }
   p->request = grown;
   p->request[p->requests++] = *r;
   p->requests_made++;
}

void
cf_sim_pixel_begin_chunk(struct cf_sim_gpu *gpu)
{
   struct cf_sim_pixel *p = &gpu->pixel;
   p->sink = (struct cf_sim_request_sink){ gpu, take_request };
   p->walk = cf_sim_pixels_begin(&gpu->pixels.layout, gpu->chunk, gpu->order, &p->sink);
   p->walk.prefetches = false; /* cf_sim_prefetch.h */
   p->item = 0;
   p->ended = false;
}

bool
cf_sim_pixel_expect(struct cf_sim_gpu *gpu, struct cf_sim_task *task)
{
   struct cf_sim_pixel *p = &gpu->pixel;
   if (p->tasks == CF_SIM_PIXEL_TASKS)
      return false;
   task->number = p->pushed++;
   task->packed_cycle = gpu->time;
   p->task[(p->first + p->tasks++) % CF_SIM_PIXEL_TASKS] = task;
   cf_sim_flow_in(&gpu->counts.in_tasks, gpu->time);
   cf_sim_gpu_wake(gpu, CF_SIM_PART_PIXEL);
   return true;
}

bool
cf_sim_pixel_idle(const struct cf_sim_pixel *p)
{
   return p->tasks == 0 && p->requests == 0;
}

/* Give requests to the caches. True: all are taken. */
static bool
feed_caches(struct cf_sim_gpu *gpu)
{
   struct cf_sim_pixel *p = &gpu->pixel;
   const uint32_t most = gpu->machine->screen.requests_per_cycle * gpu->machine->screen.pipelines;
   for (uint32_t i = 0; i < most && p->next_request < p->requests; i++) {
      const struct cf_sim_request *r = &p->request[p->next_request];
      const uint32_t cache = cf_sim_cycles_cache(&gpu->pixels, r);
      if (!cf_sim_cycles_has_room(&gpu->pixels, cache))
         break;
      const struct cf_sim_access access = cf_sim_cycles_access(r);
      if (gpu->pixels.time < gpu->time) /* cycles before were without it */
         cf_sim_cycles_skip(&gpu->pixels, gpu->time);
      cf_sim_misses_push(&gpu->pixels.cache[cache], &access);
      if (gpu->watch)
         gpu->watch->fed(gpu->watch->user, r, gpu->time);
      p->next_request++;
      cf_sim_gpu_wake(gpu, CF_SIM_PART_PIXEL_CACHES);
   }
   if (p->next_request < p->requests)
      return false;
   p->requests = p->next_request = 0;
   return true;
}

/* The first task is done with. */
static void
retire(struct cf_sim_gpu *gpu)
{
   struct cf_sim_pixel *p = &gpu->pixel;
   struct cf_sim_task *t = p->task[p->first];
   p->first = (p->first + 1) % CF_SIM_PIXEL_TASKS;
   p->tasks--;
   p->retired++;
   cf_sim_flow_out(&gpu->counts.in_tasks, gpu->time, t->packed_cycle);
   if (gpu->watch)
      gpu->watch->retired(gpu->watch->user, t, gpu->time);
   cf_sim_gpu_free_task(gpu, t);
   cf_sim_gpu_wake(gpu, CF_SIM_PART_BLOCKS);
   for (uint32_t c = 0; c < gpu->machine->core.count; c++)
      cf_sim_core_has_room(gpu, c, CF_SIM_WHY_ORDER);
}

/* Test and blend quads of tasks that are done, as many as a cycle allows. */
static enum cf_sim_why
take_quads(struct cf_sim_gpu *gpu)
{
   struct cf_sim_pixel *p = &gpu->pixel;
   for (uint32_t i = 0; i < gpu->machine->pixel.quads_per_cycle; i++) {
      struct cf_sim_task *t = p->tasks ? p->task[p->first] : NULL;
      if (!t || !t->done)
         return i ? CF_SIM_WHY_BUSY : t ? CF_SIM_WHY_ORDER : CF_SIM_WHY_EMPTY;
      if (p->item < t->end_item) {
         cf_sim_prefetch_tested(gpu, &gpu->order->item[p->item]);
         cf_sim_pixels_item(&p->walk, &gpu->order->item[p->item++]);
      }
      if (p->item >= t->end_item)
         retire(gpu);
   }
   return CF_SIM_WHY_BUSY;
}

void
cf_sim_pixel_tick(struct cf_sim_gpu *gpu)
{
   struct cf_sim_pixel *p = &gpu->pixel;
   struct cf_sim_unit *unit = &gpu->unit[CF_SIM_PART_PIXEL];
   enum cf_sim_why why = CF_SIM_WHY_FULL;
   if (feed_caches(gpu)) {
      why = take_quads(gpu);
      if (p->tasks == 0 && gpu->setup.ended && p->item == gpu->order->items && !p->ended) {
         cf_sim_pixels_end(&p->walk);
         p->ended = true;
      }
   }
   cf_sim_because(unit, gpu->time, why);
   if (why == CF_SIM_WHY_BUSY) /* else tasks or caches wake it */
      cf_sim_wake(unit, gpu->time + 1);
}
