/* SPDX-License-Identifier: MIT */
/*
 * Mode `cycles`: the caches of pixels with their misses, and memory, in time. Requests come in the
 * order of submission; where a pipeline's queue is full, all wait. What comes before the pixel
 * engine takes no time.
 */
#ifndef CF_SIM_CYCLES_H
#define CF_SIM_CYCLES_H

#include "clipfree/timing/cf_sim_layout.h"
#include "clipfree/timing/cf_sim_misses.h"
#include "clipfree/timing/cf_sim_order.h"
#include "clipfree/timing/cf_sim_pixels.h"

#define CF_SIM_MAX_CACHES 32 /* z and color of 16 pipelines */

struct cf_sim_cycles {
   const struct cf_sim_machine *machine;
   struct cf_sim_layout layout;
   struct cf_sim_dram dram;
   struct cf_sim_misses cache[CF_SIM_MAX_CACHES]; /* z, then color, of each pipeline */
   uint32_t caches;
   enum cf_sim_cause cause[CF_SIM_MAX_CACHES]; /* of the last cycle, by cache */
   bool has_color;
   uint64_t time;                  /* cycles so far */
   bool waits;                     /* in the last cycle a request waited: its queue was full */
   uint64_t full;                  /* cycles in which one did */
   struct cf_sim_request *request; /* of the chunk */
   size_t requests, request_room;
   const struct cf_sim_watch *watch; /* NULL: none */
   bool failed;
};

/** False: out of memory. The machine must outlive it. */
bool cf_sim_cycles_init(struct cf_sim_cycles *cycles, const struct cf_sim_machine *machine);
void cf_sim_cycles_free(struct cf_sim_cycles *cycles);

/** Run a chunk, to its last answer. */
void cf_sim_cycles_chunk(struct cf_sim_cycles *cycles, const struct cf_sim_chunk *chunk,
                         const struct cf_sim_order *order);

/** Report to `watch` from now on. */
void cf_sim_cycles_watch(struct cf_sim_cycles *cycles, const struct cf_sim_watch *watch);

/** What the caches take for a request. */
struct cf_sim_access cf_sim_cycles_access(const struct cf_sim_request *request);

/** Run all requests. The cache gets access(user, number) for request number `number`. */
void cf_sim_cycles_run(struct cf_sim_cycles *cycles,
                       struct cf_sim_access (*access)(void *user, size_t number), void *user);

/** Whether a cache takes another request. */
bool cf_sim_cycles_has_room(const struct cf_sim_cycles *cycles, uint32_t cache);

/** A cycle of all caches. True: something can happen in the next cycle, even if memory gives
 * nothing. */
bool cf_sim_cycles_tick(struct cf_sim_cycles *cycles, uint64_t time);

/** Count the cycles up to a time as cycles like the last one: nothing happens in them. */
void cf_sim_cycles_skip(struct cf_sim_cycles *cycles, uint64_t time);

/** Whether no request is queued or on its way. */
bool cf_sim_cycles_idle(const struct cf_sim_cycles *cycles);

/** The cache of a request. */
uint32_t cf_sim_cycles_cache(const struct cf_sim_cycles *cycles,
                             const struct cf_sim_request *request);

/** Whether the machine can run in this mode. NULL, or why not. */
const char *cf_sim_cycles_contradiction(const struct cf_sim_machine *machine);

/** The sums over caches `first`, `first` + 2, ... 0: z; 1: color. */
struct cf_sim_misses_counts cf_sim_cycles_sum(const struct cf_sim_cycles *cycles, uint32_t first);

#endif
