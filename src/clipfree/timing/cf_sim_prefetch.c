/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_gpu.h"

#define TOLERATED (CF_SIM_PREFETCH_WINDOW / 16) /* of a window: too late, or too early */
#define FIRST_AHEAD 8                           /* adaptive: a task of small triangles */

void
cf_sim_prefetch_init(struct cf_sim_gpu *gpu)
{
   const uint32_t most = gpu->machine->z.run_ahead;
   const bool adaptive = gpu->machine->z.prefetch == CF_SIM_PREFETCH_ADAPTIVE;
   gpu->prefetch.ahead = adaptive && most > FIRST_AHEAD ? FIRST_AHEAD : most;
}

void
cf_sim_prefetch_begin_chunk(struct cf_sim_gpu *gpu)
{
   struct cf_sim_prefetcher *p = &gpu->prefetch;
   p->item = p->sample = 0;
   p->last = p->tested = NULL;
   p->blocks = p->blocks_tested = 0;
}

void
cf_sim_prefetch_wake(struct cf_sim_gpu *gpu)
{
   const enum cf_sim_prefetch kind = gpu->machine->z.prefetch;
   if ((kind == CF_SIM_PREFETCH_DPRT || kind == CF_SIM_PREFETCH_ADAPTIVE) &&
       gpu->machine->pixel.depth)
      cf_sim_gpu_wake(gpu, CF_SIM_PART_PREFETCH);
}

void
cf_sim_prefetch_tested(struct cf_sim_gpu *gpu, const struct cf_sim_item *item)
{
   struct cf_sim_prefetcher *p = &gpu->prefetch;
   if (cf_sim_same_tile(&gpu->pixels.layout, gpu->chunk, p->tested, item))
      return;
   p->blocks_tested++;
   p->tested = item;
   cf_sim_prefetch_wake(gpu);
}

/* ------------------------------------------------------------------ adaptive */

uint32_t
cf_sim_prefetch_adapt(uint32_t ahead, uint32_t most, bool held, uint64_t late, uint64_t useless)
{
   const uint32_t step = ahead / 4 + 1;
   if (useless > TOLERATED) /* first: these cost memory twice */
      return ahead > step ? ahead - step : 1;
   if (late > TOLERATED && held)
      return most - ahead > step ? ahead + step : most;
   return ahead;
}

static void
end_window(struct cf_sim_gpu *gpu)
{
   struct cf_sim_prefetcher *p = &gpu->prefetch;
   const struct cf_sim_misses_counts z = cf_sim_cycles_sum(&gpu->pixels, 0);
   const uint64_t late = z.late + p->overtaken;
   p->ahead = cf_sim_prefetch_adapt(p->ahead, gpu->machine->z.run_ahead, p->held,
                                    late - p->old_late, z.useless - p->old_useless);
   p->old_late = late;
   p->old_useless = z.useless;
   p->held = false;
}

/* ------------------------------------------------------------------ blocks */

/* It has done with the block of the first item. */
static void
pass(struct cf_sim_prefetcher *p, const struct cf_sim_item *item)
{
   p->last = item;
   p->sample = 0;
   p->item++;
   p->blocks++;
}

/* The first item of the next block that raster has found and that has depth, in *request what to
 * ask for. NULL: there is none yet. */
static const struct cf_sim_item *
next_block(struct cf_sim_gpu *gpu, struct cf_sim_request *request)
{
   struct cf_sim_prefetcher *p = &gpu->prefetch;
   while (p->item < gpu->raster.item) {
      const struct cf_sim_item *item = &gpu->order->item[p->item];
      const bool same = cf_sim_same_tile(&gpu->pixels.layout, gpu->chunk, p->last, item),
                 depth = !same && cf_sim_pixels_prefetch(&gpu->pixels.layout, gpu->chunk, item,
                                                         p->sample, request);
      if (depth && p->item >= gpu->pixel.item)
         return item;
      p->overtaken += depth;
      if (same)
         p->item++;
      else
         pass(p, item);
   }
   return NULL;
}

/* A sample of the block was asked for. Go to the next one; after the last, to the next block. */
static void
next_sample(struct cf_sim_gpu *gpu, const struct cf_sim_item *item)
{
   struct cf_sim_prefetcher *p = &gpu->prefetch;
   const uint32_t samples = gpu->chunk->op[item->op].samples;
   if (++p->sample < cf_sim_layout_planes(&gpu->pixels.layout, samples))
      return;
   p->asked++;
   p->sum_ahead += p->ahead;
   p->distance += p->blocks + 1 - p->blocks_tested;
   pass(p, item);
   if (gpu->machine->z.prefetch == CF_SIM_PREFETCH_ADAPTIVE &&
       p->asked % CF_SIM_PREFETCH_WINDOW == 0)
      end_window(gpu);
}

/* A prefetch of the next block. */
static enum cf_sim_why
request_next(struct cf_sim_gpu *gpu)
{
   struct cf_sim_prefetcher *p = &gpu->prefetch;
   struct cf_sim_request request;
   const struct cf_sim_item *item = next_block(gpu, &request);
   if (!item)
      return CF_SIM_WHY_EMPTY;
   if (p->blocks >= p->blocks_tested + p->ahead) {
      p->held = true;
      return CF_SIM_WHY_ORDER;
   }
   struct cf_sim_misses *cache = &gpu->pixels.cache[cf_sim_cycles_cache(&gpu->pixels, &request)];
   if (cache->aheads >= gpu->machine->miss.input)
      return CF_SIM_WHY_FULL;
   request.item = (uint32_t)p->item;
   const struct cf_sim_access access = cf_sim_cycles_access(&request);
   cf_sim_misses_push(cache, &access);
   if (gpu->watch)
      gpu->watch->fed(gpu->watch->user, &request, gpu->time);
   cf_sim_gpu_wake(gpu, CF_SIM_PART_PIXEL_CACHES);
   next_sample(gpu, item);
   return CF_SIM_WHY_BUSY;
}

void
cf_sim_prefetch_tick(struct cf_sim_gpu *gpu)
{
   struct cf_sim_unit *unit = &gpu->unit[CF_SIM_PART_PREFETCH];
   const enum cf_sim_why why = request_next(gpu);
   cf_sim_because(unit, gpu->time, why);
   if (why == CF_SIM_WHY_BUSY) /* else raster, the tests or the caches wake it */
      cf_sim_wake(unit, gpu->time + 1);
}
