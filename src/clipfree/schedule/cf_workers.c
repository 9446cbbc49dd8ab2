/* SPDX-License-Identifier: MIT */
/*
 * Loops lie in a ring of slots. A slot's ticket holds the loop's number in its upper half and the
 * next item in its lower half. A worker reads the slot's loop, then advances the ticket with
 * compare-and-swap: if that succeeds, what it read belongs to that loop. So helpers that wake late
 * do no harm, and a loop ends without a barrier: by the count of finished items.
 */
#include "clipfree/schedule/cf_workers.h"

#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "clipfree/base/cf_cache.h"
#include "clipfree/base/cf_host.h"
#include "clipfree/schedule/cf_crowd.h"
#include "clipfree/schedule/cf_distance.h"

#define SPIN_ROUNDS 32           /* pauses between two looks at the clock: about a microsecond */
#define SPIN_SHARE 32            /* a worker spins for at most 1/32 of the time that it works */
#define CREDIT_LIMIT_NS 200000u  /* spinning time that a worker may save up */
#define SHORT_GAP_NS 10000u      /* a gap so short that sleeping and waking takes as long */
#define KINDS 16                 /* kinds of loops (by function) whose time per item is known */
#define WAKE_NS 50000u           /* latency of waking a helper, until one was measured */
#define WAKE_LIMIT_NS 2000000u   /* the most that one measured latency counts */
/* the assumed latency falls by this part each time that no helper was woken for it, so that at last
 * one is woken, and measured */
#define WAKE_FORGET 64
#define SPAN_EVERY_NS 1000000u /* how often the owner's work is noted, which takes system calls */

/* Spinning of a worker: it spins only for the time it has saved up, and only where the gap is
 * likely to end meanwhile. */
struct waiter {
   uint64_t began_ns;  /* begin of the current work or wait */
   uint64_t credit_ns; /* spinning time saved up */
   /* recent gaps without work, in the mean: with nothing [0], with something [1] in flight */
   uint64_t gap_ns[2];
};

/* A time of the owner's work, for the crowd. */
struct owner_span {
   bool noted;                /* else it is left out */
   uint64_t began_ns, ran_ns; /* the host's clock and the thread's at its begin */
   uint64_t noted_ns;         /* the end of the last one that was noted */
};

struct helper {
   struct cf_workers *workers;
   pthread_t thread;
   uint32_t index;
   struct waiter waiter;
};

/* A kind of loop: those with one function. */
struct kind {
   cf_work_item work;
   uint64_t item_ns; /* time per item, recent mean; 0: no loop was finished yet */
};

/* A slot of the ring. */
struct slot {
   CF_OWN_CACHE_LINE _Atomic uint64_t ticket; /* loop number << 32 | next item */
   CF_OWN_CACHE_LINE _Atomic uint32_t done;   /* items finished in this loop */
   /* read by workers that want an item */
   CF_OWN_CACHE_LINE _Atomic(cf_work_item) work;
   _Atomic(void *) user;
   _Atomic uint32_t items;
   _Atomic uint32_t work_ns; /* time of the items done */
   /* when to wake a helper for which the loop seemed too short; UINT64_MAX: never */
   _Atomic uint64_t late_ns;
   struct cf_loop loop;      /* under the lock */
   bool is_open;             /* under the lock: the slot's atomics describe `loop` */
};

struct cf_workers {
   struct slot slot[CF_WORKERS_LOOPS]; /* by loop number */
   /* number of the last loop that is finished, open, launched; written under the lock */
   CF_OWN_CACHE_LINE _Atomic uint64_t finished;
   _Atomic uint64_t open; /* the last open loop; loops before it may not be open */
   _Atomic uint64_t launched;
   _Atomic bool stop;
   pthread_mutex_t lock;
   pthread_cond_t wake, wake_owner;
   /* under the lock */
   uint32_t sleepers;
   bool owner_sleeps;
   uint64_t woken_ns; /* when helpers were last woken */
   uint64_t wake_ns;  /* latency of waking a helper, recent mean */
   struct cf_crowd crowd;
   _Atomic uint32_t allowed; /* helpers that may be awake, when the crowd was last asked; written
                                under the lock */
   struct kind kind[KINDS];
   /* the loop that the owner waits for; the owner's alone while it does not sleep */
   uint64_t owner_wants;
   struct waiter owner;  /* the owner's alone */
   struct owner_span span; /* the owner's alone */
   struct cf_distances distances;
   uint32_t count;
   bool started;   /* the owner's alone */
   uint32_t threads; /* of the workers, the owner's too; written under the lock, by the owner */
   struct helper *helpers;
};

static struct slot *
slot_of(struct cf_workers *workers, uint64_t loop)
{
   return &workers->slot[loop % CF_WORKERS_LOOPS];
}

/* ------------------------------------------------------------------ opening loops, with the
 * lock */

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
   atomic_store(&slot->work_ns, 0);
   atomic_store(&slot->late_ns, UINT64_MAX);
   atomic_store(&slot->work, loop->work);
   atomic_store(&slot->user, loop->user);
   atomic_store(&slot->items, items);
   atomic_store(&slot->ticket, number << 32);
   slot->is_open = true;
   if (workers->open < number)
      atomic_store(&workers->open, number);
}

/* Whether all items of the loop are done. */
static bool
is_done(struct cf_workers *workers, uint64_t number)
{
   const struct slot *slot = slot_of(workers, number);
   return slot->is_open && atomic_load(&slot->done) == slot->items;
}

/* ------------------------------------------------------------------ waking, with the lock */

/* The kind of loops with this function. If there are too many kinds, the rest share the last
 * one. */
static struct kind *
kind_of(struct cf_workers *workers, cf_work_item work)
{
   uint32_t i = 0;
   while (i < KINDS - 1 && workers->kind[i].work && workers->kind[i].work != work)
      i++;
   workers->kind[i].work = work;
   return &workers->kind[i];
}

static void
note_time(struct cf_workers *workers, const struct slot *slot)
{
   if (slot->items == 0)
      return;
   struct kind *kind = kind_of(workers, slot->loop.work);
   const uint64_t item_ns = slot->work_ns / slot->items + 1;
   kind->item_ns = kind->item_ns ? (3 * kind->item_ns + item_ns) / 4 : item_ns;
}

static uint32_t
ask_crowd(struct cf_workers *workers)
{
   const uint32_t allowed = cf_crowd_allowed(&workers->crowd, cf_time_ns());
   atomic_store_explicit(&workers->allowed, allowed, memory_order_relaxed);
   return allowed;
}

/* How many of the sleeping helpers may be awake, too. */
static uint32_t
may_wake(struct cf_workers *workers)
{
   const uint32_t allowed = ask_crowd(workers), awake = workers->threads - 1 - workers->sleepers;
   const uint32_t more = allowed > awake ? allowed - awake : 0;
   return more < workers->sleepers ? more : workers->sleepers;
}

/* How many helpers to wake for `items` items of the loop: as many as save more time than waking
 * takes. */
static uint32_t
worth_waking(struct cf_workers *workers, struct slot *slot, uint32_t items)
{
   const struct kind *kind = kind_of(workers, slot->loop.work);
   const uint32_t sleepers = may_wake(workers);
   uint32_t count = items < sleepers ? items : sleepers;
   if (kind->item_ns == 0 || count == 0)
      return count;
   const uint64_t gained = (uint64_t)items * kind->item_ns / (2 * workers->wake_ns + 1);
   if (gained < count) {
      count = (uint32_t)gained;
      slot->late_ns = cf_time_ns() + 2 * workers->wake_ns;
      if (count == 0)
         workers->wake_ns -= workers->wake_ns / WAKE_FORGET;
   }
   return count;
}

static void
wake(struct cf_workers *workers, uint32_t count)
{
   if (count == 0)
      return;
   workers->woken_ns = cf_time_ns();
   if (count >= workers->sleepers)
      pthread_cond_broadcast(&workers->wake);
   else
      for (uint32_t i = 0; i < count; i++)
         pthread_cond_signal(&workers->wake);
}

/* Open the loops that can be opened now; add to *helpers how many to wake. `takes`: the caller
 * takes an item next. False: one of the loops has no items, so more loops may be finished. */
static bool
open_loops(struct cf_workers *workers, bool takes, uint32_t *helpers, bool *opened)
{
   bool all_have_items = true;
   for (uint64_t number = workers->finished + 1; number <= workers->launched; number++) {
      struct slot *slot = slot_of(workers, number);
      if (slot->is_open || slot->loop.after > workers->finished)
         continue;
      open_loop(workers, number);
      const uint32_t items = slot->items;
      all_have_items &= items > 0;
      *opened |= items > 0;
      *helpers += worth_waking(workers, slot, items > 0 && takes ? items - 1 : items);
   }
   return all_have_items;
}

/* Finish and open all loops that can be. `worker` does this, and takes an item next, unless it is
 * the owner and its wait is over. */
static void
advance(struct cf_workers *workers, uint32_t worker)
{
   uint32_t helpers = 0;
   bool opened = false;
   do {
      while (workers->finished < workers->launched && is_done(workers, workers->finished + 1)) {
         note_time(workers, slot_of(workers, workers->finished + 1));
         atomic_fetch_add(&workers->finished, 1);
      }
   } while (!open_loops(workers, worker != 0 || workers->finished < workers->owner_wants, &helpers, &opened));
   if (workers->owner_sleeps && (opened || workers->finished >= workers->owner_wants))
      pthread_cond_signal(&workers->wake_owner);
   wake(workers, helpers);
}

/* Wake a helper for a loop that takes longer than was expected. */
static void
wake_late(struct cf_workers *workers, struct slot *slot)
{
   pthread_mutex_lock(&workers->lock);
   if (atomic_exchange(&slot->late_ns, UINT64_MAX) != UINT64_MAX)
      wake(workers, may_wake(workers) > 0);
   pthread_mutex_unlock(&workers->lock);
}

/* ------------------------------------------------------------------ items */

static struct waiter *
waiter_of(struct cf_workers *workers, uint32_t worker)
{
   return worker ? &workers->helpers[worker].waiter : &workers->owner;
}

/* Charge the time since waiter->began_ns to an item, and save up spinning time. Returns the item's
 * time. */
static uint32_t
note_work(struct waiter *waiter)
{
   const uint64_t now_ns = cf_time_ns(), time_ns = now_ns - waiter->began_ns;
   const uint64_t credit_ns = waiter->credit_ns + time_ns / SPIN_SHARE;
   waiter->began_ns = now_ns;
   waiter->credit_ns = credit_ns < CREDIT_LIMIT_NS ? credit_ns : CREDIT_LIMIT_NS;
   return time_ns < UINT32_MAX / CF_WORKERS_LOOPS ? (uint32_t)time_ns : UINT32_MAX / CF_WORKERS_LOOPS;
}

/* Take and run one item of the slot's loop. False: none left, or it is not open. */
static bool
run_one_of(struct cf_workers *workers, struct slot *slot, uint32_t worker)
{
   struct waiter *waiter = waiter_of(workers, worker);
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
      atomic_fetch_add_explicit(&slot->work_ns, note_work(waiter), memory_order_relaxed);
      cf_distances_note(&workers->distances, worker);
      if (item + 1 < items && waiter->began_ns > atomic_load_explicit(&slot->late_ns, memory_order_relaxed))
         wake_late(workers, slot);
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

/* ------------------------------------------------------------------ waiting */

/* Whether a wait is over: there is work, or the loop is finished. NO_LOOP: a helper, which waits
 * for work alone. */
static bool
wait_is_over(struct cf_workers *workers, uint64_t loop)
{
   return work_waits(workers) || cf_workers_is_finished(workers, loop);
}

#define NO_LOOP UINT64_MAX

/* Spin through a short gap: sleeping and waking takes as long as the work of a small frame. Returns
 * whether the wait is over. */
static bool
spin(struct cf_workers *workers, struct waiter *waiter, uint64_t loop, bool in_flight)
{
   const uint64_t start_ns = waiter->began_ns, likely_ns = 2 * waiter->gap_ns[in_flight];
   uint64_t limit_ns = likely_ns > SHORT_GAP_NS ? likely_ns : SHORT_GAP_NS, now_ns = start_ns;
   if (limit_ns > waiter->credit_ns) /* not worth it, except for the last items of other workers */
      limit_ns = in_flight ? waiter->credit_ns : 0;
   bool over = wait_is_over(workers, loop);
   while (!over && now_ns - start_ns < limit_ns) {
      for (unsigned i = 0; i < SPIN_ROUNDS && !over; i++) {
         cf_spin_pause();
         over = wait_is_over(workers, loop);
      }
      now_ns = cf_time_ns();
   }
   const uint64_t spun_ns = now_ns - start_ns;
   waiter->credit_ns -= spun_ns < waiter->credit_ns ? spun_ns : waiter->credit_ns;
   waiter->began_ns = now_ns;
   return over;
}

/* Sleep until there is work. Returns when there was. */
static uint64_t
sleep_until_work(struct cf_workers *workers)
{
   bool slept = false;
   pthread_mutex_lock(&workers->lock);
   workers->sleepers++;
   while (!work_waits(workers)) {
      pthread_cond_wait(&workers->wake, &workers->lock);
      slept = true;
   }
   workers->sleepers--;
   const uint64_t now_ns = cf_time_ns(), woken_ns = slept ? workers->woken_ns : now_ns;
   if (slept) {
      const uint64_t time_ns = now_ns - woken_ns;
      workers->wake_ns = (7 * workers->wake_ns + (time_ns < WAKE_LIMIT_NS ? time_ns : WAKE_LIMIT_NS)) / 8;
   }
   pthread_mutex_unlock(&workers->lock);
   return woken_ns;
}

static void
begin_span(struct cf_workers *workers)
{
   struct owner_span *span = &workers->span;
   if (workers->threads == 1)
      return;
   span->began_ns = cf_time_ns();
   span->noted = span->began_ns - span->noted_ns >= SPAN_EVERY_NS;
   if (span->noted)
      span->ran_ns = cf_thread_cpu_ns();
}

/* With the lock. */
static void
end_span(struct cf_workers *workers)
{
   struct owner_span *span = &workers->span;
   if (!span->noted)
      return;
   span->noted_ns = cf_time_ns();
   cf_crowd_note(&workers->crowd, span->noted_ns - span->began_ns,
                 cf_thread_cpu_ns() - span->ran_ns, span->noted_ns);
   ask_crowd(workers);
}

static void
sleep_until_finished(struct cf_workers *workers, uint64_t loop)
{
   pthread_mutex_lock(&workers->lock);
   end_span(workers);
   workers->owner_sleeps = true;
   while (!wait_is_over(workers, loop))
      pthread_cond_wait(&workers->wake_owner, &workers->lock);
   workers->owner_sleeps = false;
   begin_span(workers);
   pthread_mutex_unlock(&workers->lock);
}

/* Wait for work, or (the owner) for the end of the loop: spin, then sleep. The gap begins now. */
static void
wait_for_work(struct cf_workers *workers, struct waiter *waiter, uint64_t loop)
{
   const bool in_flight = !cf_workers_is_finished(workers, workers->launched);
   const uint64_t start_ns = cf_time_ns();
   waiter->began_ns = start_ns;
   uint64_t end_ns = start_ns;
   if (spin(workers, waiter, loop, in_flight))
      end_ns = waiter->began_ns;
   else if (loop == NO_LOOP)
      end_ns = sleep_until_work(workers);
   else
      sleep_until_finished(workers, loop);
   waiter->began_ns = cf_time_ns();
   const uint64_t gap_ns = (end_ns > start_ns ? end_ns : waiter->began_ns) - start_ns;
   /* capped, so one long gap is soon forgotten */
   waiter->gap_ns[in_flight] = (3 * waiter->gap_ns[in_flight] + (gap_ns < CREDIT_LIMIT_NS ? gap_ns : CREDIT_LIMIT_NS)) / 4;
}

/* ------------------------------------------------------------------ helpers */

static void *
help(void *argument)
{
   struct helper *helper = argument;
   struct cf_workers *workers = helper->workers;
   fesetenv(FE_DFL_ENV); /* the creating thread's may differ from the default */
   while (!atomic_load(&workers->stop)) {
      if (!run_one(workers, helper->index))
         wait_for_work(workers, &helper->waiter, NO_LOOP);
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

/* Run the loop at once, and count it. Under the lock: a helper that has just finished the loop before may still be in
 * advance(). Were it to read `finished` before and `launched` after this, it would take the old loop in the next slot,
 * long done, for the next loop, and count it: whatever is launched under that number would never run. */
static void
launch_alone(struct cf_workers *workers, const struct cf_loop *loop)
{
   const uint64_t number = workers->launched + 1;
   begin_span(workers);
   run_alone(loop);
   pthread_mutex_lock(&workers->lock);
   end_span(workers);
   workers->launched = workers->open = workers->finished = number;
   pthread_mutex_unlock(&workers->lock);
}

uint64_t
cf_workers_launch(struct cf_workers *workers, const struct cf_loop *loop)
{
   const uint64_t number = workers->launched + 1;
   cf_workers_start(workers);
   const bool alone = cf_workers_are_alone(workers);
   if (alone)
      cf_workers_finish(workers, workers->launched);
   if (alone || (loop->small && cf_workers_is_finished(workers, workers->launched))) {
      launch_alone(workers, loop);
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
   if (cf_workers_is_finished(workers, loop))
      return;
   workers->owner_wants = loop;
   workers->owner.began_ns = cf_time_ns();
   begin_span(workers);
   while (!cf_workers_is_finished(workers, loop)) {
      if (!run_one(workers, 0))
         wait_for_work(workers, &workers->owner, loop);
   }
   if (workers->span.noted) {
      pthread_mutex_lock(&workers->lock);
      end_span(workers);
      pthread_mutex_unlock(&workers->lock);
   }
}

struct cf_workers *
cf_workers_create(uint32_t count)
{
   struct cf_workers *workers = aligned_alloc(64, sizeof(*workers));
   struct helper *helpers = calloc(count, sizeof(*helpers));
   struct cf_distances distances = { 0 };
   if (!workers || !helpers || !cf_distances_init(&distances, count)) {
      free(workers);
      free(helpers);
      return NULL;
   }
   *workers = (struct cf_workers){ .helpers = helpers,
                                   .distances = distances,
                                   .count = count,
                                   .threads = 1,
                                   .wake_ns = WAKE_NS,
                                   .crowd = cf_crowd(count - 1),
                                   .allowed = count - 1 };
   pthread_mutex_init(&workers->lock, NULL);
   pthread_cond_init(&workers->wake, NULL);
   pthread_cond_init(&workers->wake_owner, NULL);
   return workers;
}

void
cf_workers_start(struct cf_workers *workers)
{
   if (workers->started)
      return;
   workers->started = true;
   pthread_mutex_lock(&workers->lock);
   for (uint32_t i = 1; i < workers->count; i++) {
      struct helper *helper = &workers->helpers[i];
      *helper = (struct helper){ .workers = workers, .index = i };
      if (!cf_thread_start(&helper->thread, help, helper, i))
         break;
      workers->threads++;
   }
   pthread_mutex_unlock(&workers->lock);
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
   for (uint32_t i = 1; i < workers->threads; i++)
      pthread_join(workers->helpers[i].thread, NULL);
   pthread_cond_destroy(&workers->wake);
   pthread_cond_destroy(&workers->wake_owner);
   pthread_mutex_destroy(&workers->lock);
   cf_distances_free(&workers->distances);
   free(workers->helpers);
   free(workers);
}

bool
cf_workers_are_near(const struct cf_workers *workers)
{
   return cf_distances_are_near(&workers->distances);
}

bool
cf_workers_are_alone(const struct cf_workers *workers)
{
   return workers->threads == 1 ||
          atomic_load_explicit(&workers->allowed, memory_order_relaxed) == 0;
}

uint32_t
cf_workers_count(const struct cf_workers *workers)
{
   return workers->count;
}

uint32_t
cf_workers_home(const struct cf_workers *workers, uint32_t tile_row)
{
   return tile_row % workers->count;
}
