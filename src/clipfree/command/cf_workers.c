/* SPDX-License-Identifier: MIT */
/*
 * Loops lie in a ring. A slot's ticket holds the loop's number in its upper half and the next item in its lower: a worker
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

/* A slot of the ring. */
struct slot {
   _Alignas(64) _Atomic uint64_t ticket; /* loop number << 32 | next item */
   _Alignas(64) _Atomic uint32_t done;   /* items finished in this loop */
   /* read by who wants to take an item */
   _Alignas(64) _Atomic(cf_work_item) work;
   _Atomic(void *) user;
   _Atomic uint32_t items;
   struct cf_loop loop; /* under the lock */
   bool is_open;        /* the same: `done` and `items` are this loop's */
};

struct cf_workers {
   struct slot slot[CF_WORKERS_LOOPS]; /* by loop number */
   /* numbers of the last such loops, written under the lock */
   _Alignas(64) _Atomic uint64_t finished;
   _Atomic uint64_t open; /* there may be others before it that are not */
   _Atomic uint64_t launched;
   _Atomic bool stop;
   pthread_mutex_t lock;
   pthread_cond_t wake;
   uint32_t sleepers;       /* under the lock */
   uint64_t owner_wants;    /* the owner's alone: it works until this loop is finished */
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

static struct slot *
slot_of(struct cf_workers *workers, uint64_t loop)
{
   return &workers->slot[loop % CF_WORKERS_LOOPS];
}

/* ------------------------------------------------------------------ opening loops, with the lock */

static void
open_loop(struct cf_workers *workers, uint64_t number)
{
   struct slot *slot = slot_of(workers, number);
   const struct cf_loop *loop = &slot->loop;
   const uint32_t items = loop->open ? loop->open(loop->user) : loop->items;
   /* Close the slot's old loop for good before describing the new one: its number is gone, so a worker
    * that read parts of both fails. */
   atomic_store(&slot->ticket, number << 32 | UINT32_MAX);
   atomic_store(&slot->done, 0);
   atomic_store(&slot->work, loop->work);
   atomic_store(&slot->user, loop->user);
   atomic_store(&slot->items, items);
   atomic_store(&slot->ticket, number << 32);
   slot->is_open = true;
   if (workers->open < number)
      atomic_store(&workers->open, number);
}

/* All items of the loop are done. */
static bool
is_done(struct cf_workers *workers, uint64_t number)
{
   const struct slot *slot = slot_of(workers, number);
   return slot->is_open && atomic_load(&slot->done) == slot->items;
}

/* Open what can be opened while so many loops are finished; items are added. False: a loop without items was among them, so more may
 * be finished. */
static bool
open_loops(struct cf_workers *workers, uint32_t *items)
{
   bool all_have_items = true;
   for (uint64_t number = workers->finished + 1; number <= workers->launched; number++) {
      const struct slot *slot = slot_of(workers, number);
      if (slot->is_open || slot->loop.after > workers->finished)
         continue;
      open_loop(workers, number);
      all_have_items &= slot->items > 0;
      *items += slot->items;
   }
   return all_have_items;
}

/* Wake as many helpers as there are items for. */
static void
wake(struct cf_workers *workers, uint32_t items)
{
   if (items >= workers->sleepers && workers->sleepers > 0)
      pthread_cond_broadcast(&workers->wake);
   else
      for (uint32_t i = 0; i < items && workers->sleepers > 0; i++)
         pthread_cond_signal(&workers->wake);
}

/* Finish and open all loops that can be. `worker`, who does this, takes one of the items next, unless it is the owner and has
 * all it waits for. */
static void
advance(struct cf_workers *workers, uint32_t worker)
{
   uint32_t items = 0;
   do {
      while (workers->finished < workers->launched && is_done(workers, workers->finished + 1))
         atomic_fetch_add(&workers->finished, 1);
   } while (!open_loops(workers, &items));
   const bool takes = worker != 0 || workers->finished < workers->owner_wants;
   wake(workers, takes && items > 0 ? items - 1 : items);
}

/* ------------------------------------------------------------------ items */

/* Take and run one item of the slot's loop. False: none left, or it is not open. */
static bool
run_one_of(struct cf_workers *workers, struct slot *slot, uint32_t worker)
{
   uint64_t ticket = atomic_load_explicit(&slot->ticket, memory_order_acquire);
   for (;;) {
      const uint32_t item = (uint32_t)ticket;
      const uint32_t items = atomic_load_explicit(&slot->items, memory_order_acquire);
      const cf_work_item work = atomic_load_explicit(&slot->work, memory_order_relaxed);
      void *user = atomic_load_explicit(&slot->user, memory_order_relaxed);
      if (item >= items)
         return false;
      /* The acquire on success keeps the loads above from mixing with those of a later loop: that
       * one changes the ticket. */
      if (!atomic_compare_exchange_weak_explicit(&slot->ticket, &ticket, ticket + 1,
                                                 memory_order_acq_rel, memory_order_acquire))
         continue;
      work(user, worker, item);
      if (atomic_fetch_add_explicit(&slot->done, 1, memory_order_acq_rel) + 1 == items) {
         pthread_mutex_lock(&workers->lock);
         advance(workers, worker);
         pthread_mutex_unlock(&workers->lock);
      }
      return true;
   }
}

/* Take and run one item of the loops that are open, the oldest one's first. False: none left. */
static bool
run_one(struct cf_workers *workers, uint32_t worker)
{
   const uint64_t open = atomic_load_explicit(&workers->open, memory_order_acquire);
   for (uint64_t loop = atomic_load_explicit(&workers->finished, memory_order_acquire) + 1; loop <= open; loop++) {
      if (run_one_of(workers, slot_of(workers, loop), worker))
         return true;
   }
   return false;
}

static bool
work_waits(struct cf_workers *workers)
{
   const uint64_t open = atomic_load(&workers->open);
   for (uint64_t loop = atomic_load(&workers->finished) + 1; loop <= open; loop++) {
      const struct slot *slot = slot_of(workers, loop);
      if ((uint32_t)atomic_load(&slot->ticket) < atomic_load(&slot->items))
         return true;
   }
   return atomic_load(&workers->stop);
}

/* ------------------------------------------------------------------ helpers */

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
   workers->sleepers++;
   while (!work_waits(workers))
      pthread_cond_wait(&workers->wake, &workers->lock);
   workers->sleepers--;
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

/* ------------------------------------------------------------------ the owner */

static void
run_alone(const struct cf_loop *loop)
{
   const uint32_t items = loop->open ? loop->open(loop->user) : loop->items;
   for (uint32_t item = 0; item < items; item++)
      loop->work(loop->user, 0, item);
}

uint64_t
cf_workers_launch(struct cf_workers *workers, const struct cf_loop *loop)
{
   const uint64_t number = workers->launched + 1;
   if (workers->count == 1 || (loop->small && cf_workers_is_finished(workers, workers->launched))) {
      run_alone(loop);
      workers->launched = workers->open = workers->finished = number;
      return number;
   }
   if (number > CF_WORKERS_LOOPS)
      cf_workers_finish(workers, number - CF_WORKERS_LOOPS);
   pthread_mutex_lock(&workers->lock);
   slot_of(workers, number)->loop = *loop;
   slot_of(workers, number)->is_open = false;
   atomic_store(&workers->launched, number);
   workers->owner_wants = loop->waited_for ? number : 0;
   advance(workers, 0);
   pthread_mutex_unlock(&workers->lock);
   return number;
}

uint64_t
cf_workers_launched(const struct cf_workers *workers)
{
   return workers->launched;
}

bool
cf_workers_is_finished(const struct cf_workers *workers, uint64_t loop)
{
   return atomic_load_explicit(&workers->finished, memory_order_acquire) >= loop;
}

void
cf_workers_finish(struct cf_workers *workers, uint64_t loop)
{
   workers->owner_wants = loop;
   for (unsigned idle = 0; !cf_workers_is_finished(workers, loop);) {
      if (run_one(workers, 0))
         idle = 0;
      else if (idle++ < SPIN_ROUNDS)
         cf_spin_pause();
      else
         sched_yield();
   }
}

void
cf_workers_run(struct cf_workers *workers, cf_work_item work, void *user, uint32_t items)
{
   const struct cf_loop loop = {
      .work = work, .user = user, .items = items, .after = workers->launched, .waited_for = true
   };
   if (items <= 1 && cf_workers_is_finished(workers, workers->launched))
      run_alone(&loop);
   else
      cf_workers_finish(workers, cf_workers_launch(workers, &loop));
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
   pthread_mutex_lock(&workers->lock);
   atomic_store(&workers->stop, true);
   pthread_cond_broadcast(&workers->wake);
   pthread_mutex_unlock(&workers->lock);
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
