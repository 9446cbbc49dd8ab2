/* SPDX-License-Identifier: MIT */
/*
 * Worker threads and the parallel loop. One owner thread calls cf_workers_run; it takes part in the
 * work itself as worker 0, threads 1 .. count - 1 help. Items are handed out in ascending order, so
 * an item never starts before a lower one has.
 *
 * Helpers spin for some microseconds after their last item, since the next loop of a frame usually
 * follows at once, and then sleep; where gaps between frames are short, too, they spin for longer.
 */
#ifndef CF_WORKERS_H
#define CF_WORKERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct cf_workers;

/** `worker`: 0 .. count - 1, never two items at a time for one worker. */
typedef void (*cf_work_item)(void *user, uint32_t worker, uint32_t item);

/** count >= 1 workers, one of them the calling thread. Fewer if threads cannot be created. NULL:
 * out of memory. */
struct cf_workers *cf_workers_create(uint32_t count);
void cf_workers_destroy(struct cf_workers *workers);
uint32_t cf_workers_count(const struct cf_workers *workers);

/** Run items 0 .. items - 1; returns when all are done. Only the owner calls it, and not from
 * inside an item. */
void cf_workers_run(struct cf_workers *workers, cf_work_item work, void *user, uint32_t items);

/** Start a thread that takes none of the process' signals, which are the application's, named
 * "clipfree-N". */
bool cf_thread_start(pthread_t *thread, void *(*run)(void *), void *argument, uint32_t number);

/** Threads the process may use: its affinity mask and its cgroup's quota. At least 1. */
uint32_t cf_host_threads(void);

/** The host's monotonic clock. */
uint64_t cf_time_ns(void);

/** Tell the processor that this is a waiting loop. */
static inline void
cf_spin_pause(void)
{
#if defined(__x86_64__)
   __builtin_ia32_pause();
#endif
}

#endif
