/* SPDX-License-Identifier: MIT */
/*
 * What a run in mode `cycles` tells while it runs, for series, maps and timelines. A machine that
 * is not watched has NULL here. Whoever watches only looks, and may count cycles up to a time
 * (cf_sim_gpu_settle, cf_sim_cycles_skip), which changes no sum.
 */
#ifndef CF_SIM_WATCH_H
#define CF_SIM_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct cf_sim_access;
struct cf_sim_misses;
struct cf_sim_request;
struct cf_sim_task;

/* What became of a request of a cache. */
enum cf_sim_outcome {
   CF_SIM_OUTCOME_HIT,
   CF_SIM_OUTCOME_MISS,
   CF_SIM_OUTCOME_CHAINED, /* its line is on its way */
   CF_SIM_OUTCOME_LATE,    /* the same, since it was prefetched */
   CF_SIM_OUTCOMES
};

/* Items are named by their numbers in the chunk's order. None of the functions is NULL. */
struct cf_sim_watch {
   void *user;
   /* All that is to be done in cycle `now` is done. Nothing more happens before `next`. */
   void (*step)(void *user, uint64_t now, uint64_t next);
   /* Requests of caches of pixels: one joins their queues in cycle `time`; one that was taken in
    * cycle `begin` is answered up to `end`. The item is access.value. A prefetch of a line that is
    * there, or on its way, is a hit. */
   void (*fed)(void *user, const struct cf_sim_request *request, uint64_t time);
   void (*answered)(void *user, const struct cf_sim_misses *cache,
                    const struct cf_sim_access *access, enum cf_sim_outcome outcome, uint64_t begin,
                    uint64_t end);
   /* Memory gets a request in this cycle, of which `step` comes later. */
   void (*memory)(void *user, uint64_t address_B, bool write);
   /* The whole GPU alone: raster finds a block, by its first item; a quad joins a task, as its last
    * group; all tasks of the chunk's next operation are on their way to the pixel engine, which is
    * done with a task; a group of a task reads a line that is not in the data cache. */
   void (*block)(void *user, uint32_t item, uint64_t time);
   void (*quad)(void *user, const struct cf_sim_task *task, uint32_t item);
   void (*packed)(void *user);
   void (*retired)(void *user, const struct cf_sim_task *task, uint64_t time);
   void (*data_miss)(void *user, const struct cf_sim_task *task, uint32_t group);
};

#endif
