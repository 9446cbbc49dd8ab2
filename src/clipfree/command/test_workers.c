/* SPDX-License-Identifier: MIT */
/*
 * Parallel loops: every item once, loops of all sizes in quick succession and with pauses in
 * between, and no worker on two items at a time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "clipfree/command/cf_workers.h"

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

static void
run_loops(struct cf_workers *workers, uint64_t seed, uint32_t loops)
{
   for (uint32_t n = 0; n < loops; n++) {
      struct loop loop = { 0 };
      seed = seed * 6364136223846793005ull + 1442695040888963407ull;
      const uint32_t items = (uint32_t)(seed >> 33) % MAX_ITEMS;
      loop.work = (uint32_t)(seed >> 50) % 20;
      cf_workers_run(workers, item, &loop, items);
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
   for (uint32_t count = 1; count <= 5; count++) {
      struct cf_workers *workers = cf_workers_create(count);
      assert_non_null(workers);
      assert_int_equal(cf_workers_count(workers), count);
      run_loops(workers, count, 600);
      cf_workers_destroy(workers);
   }
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
      cmocka_unit_test(host_threads),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
