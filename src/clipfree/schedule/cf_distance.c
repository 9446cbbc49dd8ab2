/* SPDX-License-Identifier: MIT */
#include "clipfree/schedule/cf_distance.h"

#include <stdlib.h>
#include <string.h>

#include "clipfree/base/cf_host.h"

#define ITEMS_A_SAMPLE 4 /* at first */
#define ITEMS_A_LATER 32 /* once there are enough: threads seldom move */
#define SAMPLES 8       /* before a worker counts */
#define NEAR_NS 120u    /* between 50 and 165, and the clock's 20 to 30 */
#define SAMPLE_NS 1000u /* the most that one load counts: interrupts take longer */

bool
cf_distances_init(struct cf_distances *d, uint32_t count)
{
   const size_t size_B = count * sizeof(*d->worker);
   *d = (struct cf_distances){ .worker = aligned_alloc(CF_CACHE_LINE_B, size_B), .count = count };
   if (d->worker)
      memset((void *)d->worker, 0, size_B);
   return d->worker != NULL;
}

void
cf_distances_free(struct cf_distances *d)
{
   free(d->worker);
}

/* Count a worker as near or far, and no longer as the other. */
static void
count_as(struct cf_distances *d, struct cf_distance *own, bool near)
{
   if (near ? own->near : own->far)
      return;
   if (own->near || own->far)
      atomic_fetch_sub_explicit(near ? &d->far : &d->near, 1, memory_order_relaxed);
   atomic_fetch_add_explicit(near ? &d->near : &d->far, 1, memory_order_relaxed);
   own->near = near;
   own->far = !near;
}

void
cf_distances_add(struct cf_distances *d, uint32_t worker, uint64_t time_ns)
{
   struct cf_distance *own = &d->worker[worker];
   const uint32_t ns = time_ns < SAMPLE_NS ? (uint32_t)time_ns : SAMPLE_NS;
   own->mean_ns = own->samples ? (7 * own->mean_ns + ns) / 8 : ns;
   own->samples += own->samples < SAMPLES;
   if (own->samples == SAMPLES)
      count_as(d, own, own->mean_ns < NEAR_NS);
}

/* Time a load of the next worker's mark, if that has changed. Which of its marks depends on the
 * first time, so that the load comes after it; the clock waits for earlier loads. */
static void
sample(struct cf_distances *d, uint32_t worker)
{
   struct cf_distance *own = &d->worker[worker], *next = &d->worker[(worker + 1) % d->count];
   const uint64_t begin_ns = cf_time_ns();
   const uint64_t mark =
      atomic_load_explicit(&next->mark[begin_ns % CF_DISTANCE_MARKS], memory_order_relaxed);
   const uint64_t end_ns = cf_time_ns();
   if (mark == own->seen)
      return;
   own->seen = mark;
   cf_distances_add(d, worker, end_ns - begin_ns);
}

void
cf_distances_note(struct cf_distances *d, uint32_t worker)
{
   struct cf_distance *own = &d->worker[worker];
   own->items++;
   for (uint32_t i = 0; i < CF_DISTANCE_MARKS; i++)
      atomic_store_explicit(&own->mark[i], own->items, memory_order_relaxed);
   if (own->items % (own->samples < SAMPLES ? ITEMS_A_SAMPLE : ITEMS_A_LATER) == 0)
      sample(d, worker);
}
