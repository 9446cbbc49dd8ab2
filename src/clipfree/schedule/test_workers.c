/* SPDX-License-Identifier: MIT */
/*
 * Parallel loops: every item once, loops of all sizes in quick succession and with pauses in
 * between, and no worker on two items at a time; several loops in flight begin when those before them allow it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "clipfree/base/cf_host.h"
#include "clipfree/base/test_random.h"
#include "clipfree/schedule/cf_workers.h"

#define MAX_ITEMS 300

struct loop {
   _Atomic uint32_t runs[MAX_ITEMS];
   _Atomic uint32_t busy[8];
   _Atomic uint32_t wrong;
   uint32_t work;
};

static void
item(void *user, uint32_t worker, uint32_t index)
{
   struct loop *loop = user;
   if (atomic_fetch_add(&loop->busy[worker], 1) != 0)
      atomic_fetch_add(&loop->wrong, 1);
   for (uint32_t i = 0; i < loop->work; i++)
      cf_spin_pause();
   atomic_fetch_add(&loop->runs[index], 1);
   atomic_fetch_sub(&loop->busy[worker], 1);
}

/* A loop after all others, until it is finished. */
static void
run_loop(struct cf_workers *workers, cf_work_item work, void *user, uint32_t items)
{
   const struct cf_loop loop = {
      .work = work, .user = user, .items = items, .after = cf_workers_launched(workers), .waited_for = true
   };
   cf_workers_finish(workers, cf_workers_launch(workers, &loop));
}

static void
run_loops(struct cf_workers *workers, uint64_t seed, uint32_t loops)
{
   for (uint32_t n = 0; n < loops; n++) {
      struct loop loop = { 0 };
      seed = seed * 6364136223846793005ull + 1442695040888963407ull;
      const uint32_t items = (uint32_t)(seed >> 33) % MAX_ITEMS;
      loop.work = (uint32_t)(seed >> 50) % 20;
      run_loop(workers, item, &loop, items);
      for (uint32_t i = 0; i < MAX_ITEMS; i++)
         assert_int_equal(loop.runs[i], i < items ? 1 : 0);
      assert_int_equal(loop.wrong, 0);
      if (n % 100 == 0) /* long enough for helpers to fall asleep */
         nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
   }
}

static void
every_item_once(void **state)
{
   struct cf_random seeds = cf_random_seed("schedule-workers");
   for (uint32_t count = 1; count <= 5; count++) {
      struct cf_workers *workers = cf_workers_create(count);
      assert_non_null(workers);
      assert_int_equal(cf_workers_count(workers), count);
      run_loops(workers, cf_random_u64(&seeds), 600);
      cf_workers_destroy(workers);
   }
}

#define SEQUENCE 64

struct sequence;

/* One of a sequence of loops. Fields without _Atomic are written by one loop and read by those that come after it. */
struct launched {
   struct sequence *sequence;
   uint32_t index, items;
   uint32_t after; /* so many of the sequence must be finished before it opens */
   _Atomic uint32_t opened, done;
   uint32_t written[MAX_ITEMS];
};

struct sequence {
   struct launched loop[SEQUENCE];
   _Atomic uint32_t busy[8], wrong;
   uint32_t work;
};

static uint32_t
expected_mark(const struct launched *loop, uint32_t item)
{
   return loop->index * 1000 + item + 1;
}

/* All loops that must be finished before an item of this one are. */
static bool
is_in_order(struct launched *loop)
{
   struct launched *all = loop->sequence->loop;
   bool ok = true;
   for (uint32_t i = 0; i < loop->after; i++) {
      ok = ok && all[i].done == all[i].items;
      if (all[i].items) /* seen, not only done */
         ok = ok && all[i].written[all[i].items - 1] == expected_mark(&all[i], all[i].items - 1);
   }
   return ok;
}

static uint32_t
open_launched(void *user)
{
   struct launched *loop = user;
   if (atomic_fetch_add(&loop->opened, 1) != 0 || !is_in_order(loop))
      atomic_fetch_add(&loop->sequence->wrong, 1);
   return loop->items;
}

static void
launched_item(void *user, uint32_t worker, uint32_t index)
{
   struct launched *loop = user;
   struct sequence *sequence = loop->sequence;
   if (atomic_fetch_add(&sequence->busy[worker], 1) != 0 || loop->opened != 1 || !is_in_order(loop))
      atomic_fetch_add(&sequence->wrong, 1);
   for (uint32_t i = 0; i < sequence->work; i++)
      cf_spin_pause();
   loop->written[index] = expected_mark(loop, index);
   atomic_fetch_sub(&sequence->busy[worker], 1);
   atomic_fetch_add(&loop->done, 1);
}

static void
run_sequence(struct cf_workers *workers, uint64_t seed)
{
   static struct sequence sequence;
   memset((void *)&sequence, 0, sizeof(sequence));
   sequence.work = (uint32_t)(seed >> 50) % 40;
   const uint64_t before = cf_workers_launched(workers);
   for (uint32_t i = 0; i < SEQUENCE; i++) {
      struct launched *loop = &sequence.loop[i];
      seed = seed * 6364136223846793005ull + 1442695040888963407ull;
      const uint32_t size = seed >> 60 ? 12 : MAX_ITEMS, kind = (uint32_t)(seed >> 55) % 8;
      loop->sequence = &sequence;
      loop->index = i;
      loop->items = (uint32_t)(seed >> 33) % size;
      loop->after = seed >> 50 & 1 ? i : (uint32_t)(seed >> 40) % (i + 1);
      const uint64_t number = cf_workers_launch(workers, &(struct cf_loop){ .work = launched_item,
                                                                            .user = loop,
                                                                            .open = open_launched,
                                                                            .after = loop->after ? before + loop->after : 0,
                                                                            .small = kind == 3,
                                                                            .waited_for = kind == 0 });
      assert_int_equal(number, cf_workers_launched(workers));
      if (kind < 2) {
         cf_workers_finish(workers, number);
         assert_true(cf_workers_is_finished(workers, number));
         assert_int_equal(loop->done, loop->items);
      } else if (kind == 2) { /* what is launched is done without the owner, too */
         nanosleep(&(struct timespec){ .tv_nsec = 300000 }, NULL);
      }
   }
   cf_workers_finish(workers, cf_workers_launched(workers));
   for (uint32_t i = 0; i < SEQUENCE; i++)
      assert_int_equal(sequence.loop[i].done, sequence.loop[i].items);
   assert_int_equal(sequence.wrong, 0);
}

static void
loops_in_flight_keep_their_order(void **state)
{
   struct cf_random seeds = cf_random_seed("schedule-workers in flight");
   for (uint32_t count = 1; count <= 5; count++) {
      struct cf_workers *workers = cf_workers_create(count);
      assert_non_null(workers);
      for (uint64_t n = 0; n < 12; n++)
         run_sequence(workers, cf_random_u64(&seeds));
      cf_workers_destroy(workers);
   }
}

struct blocked {
   _Atomic bool blocked, seen, out_of_order;
};

/* Waits until a loop that is launched later has run, for ten seconds at most. */
static void
first_item(void *user, uint32_t worker, uint32_t index)
{
   struct blocked *blocked = user;
   for (uint32_t i = 0; i < 10000 && blocked->blocked; i++)
      nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
   blocked->seen = !blocked->blocked;
}

static void
second_item(void *user, uint32_t worker, uint32_t index)
{
   struct blocked *blocked = user;
   if (!blocked->seen)
      blocked->out_of_order = true;
}

static void
free_item(void *user, uint32_t worker, uint32_t index)
{
   ((struct blocked *)user)->blocked = false;
}

/* What depends on nothing runs beside what was launched before it, also behind a loop that waits. */
static void
independent_loops_run_beside(void **state)
{
   struct cf_workers *workers = cf_workers_create(2);
   struct blocked blocked = { .blocked = true };
   assert_non_null(workers);
   const uint64_t first =
      cf_workers_launch(workers, &(struct cf_loop){ .work = first_item, .user = &blocked, .items = 1 });
   cf_workers_launch(workers, &(struct cf_loop){ .work = second_item, .user = &blocked, .items = 3, .after = first });
   cf_workers_launch(workers, &(struct cf_loop){ .work = free_item, .user = &blocked, .items = 1 });
   cf_workers_finish(workers, cf_workers_launched(workers));
   assert_true(blocked.seen);
   assert_false(blocked.out_of_order);
   cf_workers_destroy(workers);
}

/* Nobody waits for the loop: helpers do it. */
static void
helpers_work_by_themselves(void **state)
{
   struct cf_workers *workers = cf_workers_create(2);
   struct loop loop = { 0 };
   assert_non_null(workers);
   nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL); /* until the helper sleeps */
   const uint64_t number =
      cf_workers_launch(workers, &(struct cf_loop){ .work = item, .user = &loop, .items = 3 });
   for (uint32_t i = 0; i < 10000 && !cf_workers_is_finished(workers, number); i++)
      nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
   assert_true(cf_workers_is_finished(workers, number));
   assert_int_equal(loop.runs[2], 1);
   cf_workers_destroy(workers);
}

struct slow {
   _Atomic bool begun;
   _Atomic uint32_t done;
};

/* Takes longer than anybody looks for its end. */
static void
slow_item(void *user, uint32_t worker, uint32_t index)
{
   struct slow *slow = user;
   slow->begun = true;
   nanosleep(&(struct timespec){ .tv_nsec = 3000000 }, NULL);
   slow->done++;
}

/* The owner sleeps while a helper works, and is woken by the end of the loop, and by work that can be begun then. */
static void
the_owner_sleeps(void **state)
{
   struct cf_workers *workers = cf_workers_create(2);
   assert_non_null(workers);
   for (uint32_t after = 0; after < 4; after++) {
      struct slow slow = { 0 };
      uint64_t last = cf_workers_launch(workers, &(struct cf_loop){ .work = slow_item, .user = &slow, .items = 1 });
      for (uint32_t i = 0; i < 20 && !slow.begun; i++)
         nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
      if (after > 0)
         last = cf_workers_launch(workers, &(struct cf_loop){ .work = slow_item, .user = &slow, .items = after, .after = last });
      cf_workers_finish(workers, last);
      assert_int_equal(slow.done, 1 + after);
   }
   cf_workers_destroy(workers);
}

/* A small loop is done at once, while the helper that finished the loop before may still be opening the next ones. What
 * is launched after it runs all the same. */
static void
small_loops_between_others(void **state)
{
   struct cf_workers *workers = cf_workers_create(3);
   assert_non_null(workers);
   for (uint32_t n = 0; n < 20000; n++) {
      struct loop loop = { 0 };
      for (uint32_t i = 0; i < 3; i++) {
         const struct cf_loop one = { .work = item, .user = &loop, .items = 2 + i, .small = i == 1 };
         cf_workers_finish(workers, cf_workers_launch(workers, &one));
         assert_int_equal(loop.runs[1 + i], 1);
      }
      assert_int_equal(loop.runs[0], 3);
   }
   cf_workers_destroy(workers);
}

#define WAITING_ITEM 10

struct uneven {
   bool slow;
   _Atomic bool helped, alone;
};

/* Short; or long, and one item waits for a helper's, for ten seconds at most. */
static void
uneven_item(void *user, uint32_t worker, uint32_t index)
{
   struct uneven *uneven = user;
   if (!uneven->slow)
      return;
   if (worker > 0)
      uneven->helped = true;
   nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
   for (uint32_t i = 0; i < 10000 && index == WAITING_ITEM && !uneven->helped; i++)
      nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
   if (index == WAITING_ITEM && !uneven->helped)
      uneven->alone = true;
}

/* A loop that others like it made seem too short to wake a helper for. On a machine that is so full
 * that helpers rest, it begins anew. */
static void
helpers_come_late(void **state)
{
   struct cf_workers *workers = NULL;
   struct uneven uneven = { .slow = false };
   do {
      cf_workers_destroy(workers);
      workers = cf_workers_create(2);
      assert_non_null(workers);
      for (uint32_t i = 0; i < 100; i++)
         run_loop(workers, uneven_item, &uneven, 4);
   } while (cf_workers_are_alone(workers));
   nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL); /* until the helper sleeps */
   uneven.slow = true;
   run_loop(workers, uneven_item, &uneven, 2 * WAITING_ITEM);
   assert_false(uneven.alone);
   cf_workers_destroy(workers);
}

static void *
take_a_processor(void *argument)
{
   _Atomic bool *stop = argument;
   while (!*stop)
      cf_spin_pause();
   return NULL;
}

struct busy {
   _Atomic uint32_t items;
   _Atomic bool helped;
};

static void
busy_item(void *user, uint32_t worker, uint32_t index)
{
   struct busy *busy = user;
   const uint64_t begin_ns = cf_time_ns();
   while (cf_time_ns() - begin_ns < 100000)
      cf_spin_pause();
   busy->items++;
   if (worker > 0)
      busy->helped = true;
}

#define CROWD 64

/* Whether the owner works alone, or not, after some loops; they take at most 20 s. */
static bool
becomes(struct cf_workers *workers, bool alone, struct busy *busy, uint32_t *loops)
{
   const uint64_t begin_ns = cf_time_ns();
   while (cf_workers_are_alone(workers) != alone && cf_time_ns() - begin_ns < 20000000000u) {
      run_loop(workers, busy_item, busy, 20);
      ++*loops;
   }
   return cf_workers_are_alone(workers) == alone;
}

/* Four threads a processor want to run, too: then the owner works alone, and does all items. When
 * they have ended, it has a helper again, unless others still take the processors. */
static void
helpers_rest_in_a_crowd(void **state)
{
   const uint32_t others = 4 * cf_host_threads();
   if (others > CROWD)
      skip();
   pthread_t other[CROWD];
   _Atomic bool stop = false;
   struct cf_workers *workers = cf_workers_create(2);
   struct busy busy = { 0 };
   assert_non_null(workers);
   for (uint32_t i = 0; i < others; i++)
      assert_int_equal(pthread_create(&other[i], NULL, take_a_processor, &stop), 0);
   uint32_t loops = 2;
   const bool alone = becomes(workers, true, &busy, &loops);
   run_loop(workers, busy_item, &busy,
            20); /* a helper that is at an item is not sent away from it */
   busy.helped = false;
   run_loop(workers, busy_item, &busy, 20);
   const bool helped = busy.helped && cf_workers_are_alone(workers); /* else the rest was over */
   stop = true;
   for (uint32_t i = 0; i < others; i++)
      pthread_join(other[i], NULL);
   const uint64_t ran_ns = cf_thread_cpu_ns(), begin_ns = cf_time_ns();
   const bool again = becomes(workers, false, &busy, &loops);
   const bool crowded = cf_thread_cpu_ns() - ran_ns < (cf_time_ns() - begin_ns) / 10 * 7;
   assert_true(alone);
   assert_false(helped);
   assert_true(again || crowded);
   assert_int_equal(busy.items, 20 * loops);
   cf_workers_destroy(workers);
}

static void
host_threads(void **state)
{
   assert_in_range(cf_host_threads(), 1, 4096);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_item_once),
      cmocka_unit_test(loops_in_flight_keep_their_order),
      cmocka_unit_test(independent_loops_run_beside),
      cmocka_unit_test(helpers_work_by_themselves),
      cmocka_unit_test(the_owner_sleeps),
      cmocka_unit_test(small_loops_between_others),
      cmocka_unit_test(helpers_come_late),
      cmocka_unit_test(helpers_rest_in_a_crowd),
      cmocka_unit_test(host_threads),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
