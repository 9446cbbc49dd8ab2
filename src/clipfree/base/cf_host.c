/* SPDX-License-Identifier: MIT */
#include "clipfree/base/cf_host.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define PIECE_B (64u << 10)

static uint64_t
read_ns(clockid_t clock)
{
   struct timespec now;
   clock_gettime(clock, &now);
   return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t
cf_time_ns(void)
{
   return read_ns(CLOCK_MONOTONIC);
}

uint64_t
cf_process_cpu_ns(void)
{
   return read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t
cf_thread_cpu_ns(void)
{
   return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

bool
cf_thread_start(pthread_t *thread, void *(*run)(void *), void *argument, uint32_t number)
{
   char name[24];
   snprintf(name, sizeof(name), "clipfree-%u", number % 1000);
   return cf_thread_start_named(thread, run, argument, name);
}

bool
cf_thread_start_named(pthread_t *thread, void *(*run)(void *), void *argument, const char *name)
{
   sigset_t blocked, before;
   sigfillset(&blocked);
   /* signals of a thread's own faults: not blocked */
   static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT };
   for (uint32_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
      sigdelset(&blocked, own[i]);
   pthread_sigmask(SIG_BLOCK, &blocked, &before);
   const bool started = pthread_create(thread, NULL, run, argument) == 0;
   pthread_sigmask(SIG_SETMASK, &before, NULL);
   if (started)
      pthread_setname_np(*thread, name);
   return started;
}

/* cgroup v2: cpu.max holds "quota period" or "max period" in microseconds. UINT32_MAX: no quota. */
static uint32_t
quota_threads(void)
{
   unsigned long long quota = 0, period = 0;
   FILE *file = fopen("/sys/fs/cgroup/cpu.max", "r");
   if (!file)
      return UINT32_MAX;
   const bool limited = fscanf(file, "%llu %llu", &quota, &period) == 2 && period > 0;
   fclose(file);
   return limited ? (uint32_t)((quota + period - 1) / period) : UINT32_MAX;
}

uint32_t
cf_host_threads(void)
{
   cpu_set_t set;
   uint32_t threads = sched_getaffinity(0, sizeof(set), &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
   const uint32_t quota = quota_threads();
   threads = threads < quota ? threads : quota;
   return threads ? threads : 1;
}

/* Give back more than the C library keeps (glibc: 128 KB), in pieces that it does not map singly.
 */
static void *
give_back(void *unused)
{
   void *volatile piece[32];
   const unsigned count = sizeof(piece) / sizeof(piece[0]);
   for (unsigned i = 0; i < count; i++)
      piece[i] = malloc(PIECE_B);
   for (unsigned i = count; i-- > 0;)
      free(piece[i]);
   return unused;
}

void
cf_host_warm_up(void)
{
   pthread_t thread;
   if (cf_thread_start(&thread, give_back, NULL, 0))
      pthread_join(thread, NULL);
}

int
cf_host_keep_apart(int descriptor)
{
   if (descriptor < 0 || descriptor > STDERR_FILENO)
      return descriptor;
   const int apart = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), error = errno;
   close(descriptor);
   errno = error;
   return apart;
}
