/* SPDX-License-Identifier: MIT */
/*
 * The ticket holds the loop's number in its upper half and the next item in its lower: a worker
 * that read what the loop is and then succeeds in advancing the ticket knows that what it read
 * belongs to that loop, so late wakers do no harm and no barrier is needed at the end of a loop
 * beyond the count of finished items.
 */
#include "clipfree/command/cf_workers.h"

#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SPIN_ROUNDS 600 /* of a pause each: some tens of microseconds */
#define SHORT_GAP_NS 100000u

struct helper {
   struct cf_workers *workers;
   pthread_t thread;
   uint32_t index;
   uint64_t gap_ns; /* how long it lately was without work, in the mean */
};

struct cf_workers {
   _Alignas(64) _Atomic uint64_t ticket; /* loop number << 32 | next item */
   _Alignas(64) _Atomic uint32_t done;   /* items finished in this loop */
   _Alignas(64) _Atomic(cf_work_item) work;
   _Atomic(void *) user;
   _Atomic uint32_t items;
   _Atomic uint32_t sleepers;
   _Atomic bool stop;
   pthread_mutex_t lock;
   pthread_cond_t wake;
   uint32_t count;
   struct helper *helpers;
};

uint64_t
cf_time_ns(void)
{
   struct timespec now;
   clock_gettime(CLOCK_MONOTONIC, &now);
   return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Take and run one item of the loop that is going on. False: none left. */
static bool
run_one(struct cf_workers *workers, uint32_t worker)
{
   uint64_t ticket = atomic_load_explicit(&workers->ticket, memory_order_acquire);
   for (;;) {
      const uint32_t item = (uint32_t)ticket;
      const cf_work_item work = atomic_load_explicit(&workers->work, memory_order_relaxed);
      void *user = atomic_load_explicit(&workers->user, memory_order_relaxed);
      if (item >= atomic_load_explicit(&workers->items, memory_order_relaxed))
         return false;
      /* The acquire on success keeps the loads above from mixing with those of a later loop: that
       * one changes the ticket. */
      if (atomic_compare_exchange_weak_explicit(&workers->ticket, &ticket, ticket + 1,
                                                memory_order_acq_rel, memory_order_acquire)) {
         work(user, worker, item);
         atomic_fetch_add_explicit(&workers->done, 1, memory_order_release);
         return true;
      }
   }
}

static bool
work_waits(struct cf_workers *workers)
{
   return (uint32_t)atomic_load(&workers->ticket) < atomic_load(&workers->items) ||
          atomic_load(&workers->stop);
}

/* To be woken takes as long as a small frame's work: where gaps between loops are short, look for the end of one. */
static bool
spin_until_work(const struct helper *helper, uint64_t start_ns)
{
   const uint64_t end_ns = start_ns + (helper->gap_ns < SHORT_GAP_NS ? 2 * helper->gap_ns : 0);
   do {
      for (unsigned i = 0; i < SPIN_ROUNDS; i++) {
         if (work_waits(helper->workers))
            return true;
         cf_spin_pause();
      }
   } while (cf_time_ns() < end_ns);
   return false;
}

static void
sleep_until_work(struct cf_workers *workers)
{
   pthread_mutex_lock(&workers->lock);
   atomic_fetch_add(&workers->sleepers, 1);
   while (!work_waits(workers))
      pthread_cond_wait(&workers->wake, &workers->lock);
   atomic_fetch_sub(&workers->sleepers, 1);
   pthread_mutex_unlock(&workers->lock);
}

static void
wait_for_work(struct helper *helper)
{
   const uint64_t start_ns = cf_time_ns();
   if (!spin_until_work(helper, start_ns))
      sleep_until_work(helper->workers);
   const uint64_t gap_ns = cf_time_ns() - start_ns;
   /* one long gap is soon forgotten */
   helper->gap_ns = (3 * helper->gap_ns + (gap_ns < 4 * SHORT_GAP_NS ? gap_ns : 4 * SHORT_GAP_NS)) / 4;
}

static void
wake_all(struct cf_workers *workers)
{
   if (atomic_load(&workers->sleepers) == 0)
      return;
   pthread_mutex_lock(&workers->lock);
   pthread_cond_broadcast(&workers->wake);
   pthread_mutex_unlock(&workers->lock);
}

static void *
help(void *argument)
{
   struct helper *helper = argument;
   struct cf_workers *workers = helper->workers;
   fesetenv(FE_DFL_ENV); /* not that of the thread which made this one */
   while (!atomic_load(&workers->stop)) {
      if (!run_one(workers, helper->index))
         wait_for_work(helper);
   }
   return NULL;
}

void
cf_workers_run(struct cf_workers *workers, cf_work_item work, void *user, uint32_t items)
{
   if (workers->count == 1 || items <= 1) {
      for (uint32_t item = 0; item < items; item++)
         work(user, 0, item);
      return;
   }
   const uint64_t loop = (atomic_load(&workers->ticket) >> 32) + 1;
   /* Close the old loop for good before describing the new one: its number is gone, so a worker
    * that read parts of both fails. */
   atomic_store(&workers->ticket, loop << 32 | UINT32_MAX);
   atomic_store(&workers->done, 0);
   atomic_store(&workers->work, work);
   atomic_store(&workers->user, user);
   atomic_store(&workers->items, items);
   atomic_store(&workers->ticket, (loop + 1) << 32);
   wake_all(workers);
   while (run_one(workers, 0))
      ;
   for (unsigned i = 0; atomic_load_explicit(&workers->done, memory_order_acquire) != items; i++) {
      if (i < SPIN_ROUNDS)
         cf_spin_pause();
      else
         sched_yield();
   }
}

bool
cf_thread_start(pthread_t *thread, void *(*run)(void *), void *argument, uint32_t number)
{
   sigset_t blocked, before;
   sigfillset(&blocked);
   /* those that a thread can only raise itself */
   static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT };
   for (uint32_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
      sigdelset(&blocked, own[i]);
   pthread_sigmask(SIG_BLOCK, &blocked, &before);
   const bool started = pthread_create(thread, NULL, run, argument) == 0;
   pthread_sigmask(SIG_SETMASK, &before, NULL);
   if (started) {
      char name[24];
      snprintf(name, sizeof(name), "clipfree-%u", number % 1000);
      pthread_setname_np(*thread, name);
   }
   return started;
}

struct cf_workers *
cf_workers_create(uint32_t count)
{
   struct cf_workers *workers = aligned_alloc(64, sizeof(*workers));
   struct helper *helpers = calloc(count, sizeof(*helpers));
   if (!workers || !helpers) {
      free(workers);
      free(helpers);
      return NULL;
   }
   *workers = (struct cf_workers){ .helpers = helpers, .count = 1 };
   pthread_mutex_init(&workers->lock, NULL);
   pthread_cond_init(&workers->wake, NULL);
   for (uint32_t i = 1; i < count; i++) {
      helpers[i] = (struct helper){ .workers = workers, .index = i };
      if (!cf_thread_start(&helpers[i].thread, help, &helpers[i], i))
         break;
      workers->count++;
   }
   return workers;
}

void
cf_workers_destroy(struct cf_workers *workers)
{
   if (!workers)
      return;
   atomic_store(&workers->stop, true);
   wake_all(workers);
   for (uint32_t i = 1; i < workers->count; i++)
      pthread_join(workers->helpers[i].thread, NULL);
   pthread_cond_destroy(&workers->wake);
   pthread_mutex_destroy(&workers->lock);
   free(workers->helpers);
   free(workers);
}

uint32_t
cf_workers_count(const struct cf_workers *workers)
{
   return workers->count;
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
