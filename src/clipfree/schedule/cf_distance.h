/* SPDX-License-Identifier: MIT */
/*
 * Private to the room. How far apart the processors of the workers are: how long a cache line that
 * one worker wrote takes to another's processor. Where they share a last level cache that is some
 * 50 ns, less than from memory; where they do not, some 165.
 *
 * It is measured while they work, since what a virtual machine says of its caches need not be so,
 * and threads move: now and then a worker times one load of a line that the next worker wrote
 * meanwhile. A host whose clock is slow looks far.
 */
#ifndef CF_DISTANCE_H
#define CF_DISTANCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "clipfree/base/cf_cache.h"

#define CF_DISTANCE_MARKS 8

/** One worker's. All 0 at first. */
struct cf_distance {
   /* the number of its items, in each: a line that it alone writes, and the worker before it reads
    */
   CF_OWN_CACHE_LINE _Atomic uint64_t mark[CF_DISTANCE_MARKS];
   /* its own: */
   CF_OWN_CACHE_LINE uint64_t items;
   uint64_t seen;    /* the last mark of the next worker */
   uint32_t samples; /* up to as many as are needed */
   uint32_t mean_ns; /* of recent loads, with the clock's own time */
   bool near, far;   /* what it counts as; at first neither */
};

/** Of all workers. */
struct cf_distances {
   struct cf_distance *worker;
   uint32_t count;
   _Atomic uint32_t near, far; /* workers that count as such */
};

/** False: out of memory. */
bool cf_distances_init(struct cf_distances *distances, uint32_t count);
void cf_distances_free(struct cf_distances *distances);

/** `worker`, the calling thread, has done an item. There are several workers. */
void cf_distances_note(struct cf_distances *distances, uint32_t worker);

/** A load by `worker`, the calling thread, took time_ns. */
void cf_distances_add(struct cf_distances *distances, uint32_t worker, uint64_t time_ns);

/** Whether lines are near all workers that have measured it, and some have. */
static inline bool
cf_distances_are_near(const struct cf_distances *distances)
{
   return atomic_load_explicit(&distances->near, memory_order_relaxed) > 0 &&
          atomic_load_explicit(&distances->far, memory_order_relaxed) == 0;
}

#endif
