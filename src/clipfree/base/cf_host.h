/* SPDX-License-Identifier: MIT */
/* The host: its processors and clock, and threads on it. */
#ifndef CF_HOST_H
#define CF_HOST_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/** Start a thread that takes none of the process' signals, which are the application's, named
 * "clipfree-N". */
bool cf_thread_start(pthread_t *thread, void *(*run)(void *), void *argument, uint32_t number);

/** Threads the process may use: its affinity mask and its cgroup's quota. At least 1. */
uint32_t cf_host_threads(void);

/** The host's monotonic clock. */
uint64_t cf_time_ns(void);

/** Processor time of all threads of the process. */
uint64_t cf_process_cpu_ns(void);

/** Tell the processor that this is a waiting loop. */
static inline void
cf_spin_pause(void)
{
#if defined(__x86_64__)
   __builtin_ia32_pause();
#endif
}

#endif
