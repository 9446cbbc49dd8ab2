/* SPDX-License-Identifier: MIT */
/* The host: its processors and clock, threads on it, and descriptors. */
#ifndef CF_HOST_H
#define CF_HOST_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/** Start a thread that takes none of the process' signals, which are the application's, but those
 * of its own faults, and SIGSYS, by which sandboxes answer system calls. Its name: "clipfree-N". */
bool cf_thread_start(pthread_t *thread, void *(*run)(void *), void *argument, uint32_t number);
/** The same with another name of at most 15 characters. */
bool cf_thread_start_named(pthread_t *thread, void *(*run)(void *), void *argument,
                           const char *name);

/** Threads the process may use: its affinity mask and its cgroup's quota. At least 1. */
uint32_t cf_host_threads(void);

/** The host's monotonic clock. */
uint64_t cf_time_ns(void);

/** Processor time of all threads of the process. */
uint64_t cf_process_cpu_ns(void);

/** Processor time of the calling thread. */
uint64_t cf_thread_cpu_ns(void);

/** Have the C library ask the system now what it else asks when a thread first gives memory back: a
 * sandbox may refuse it then. */
void cf_host_warm_up(void);

/** Move a descriptor that was just opened away from those of standard input, output and error. They
 * may be closed, and what the program prints must not get into our files. Returns the new one; -1:
 * there is none, or `descriptor` was negative; it is closed then. */
int cf_host_keep_apart(int descriptor);

/** Tell the processor that this is a waiting loop. */
static inline void
cf_spin_pause(void)
{
#if defined(__x86_64__)
   __builtin_ia32_pause();
#endif
}

#endif
