/* SPDX-License-Identifier: MIT */
/*
 * Submissions are run by a thread that waits for them, or by the model's own thread once kicked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "clipfree/command/cf_model.h"
#include "clipfree/command/test_gpu.h"

#define LONG_NS 20000000000ull /* far more than anything here takes */
#define WAITERS 3
#define ROUNDS 200

/* Submit a command buffer that writes `value` to the dword. */
static uint64_t
submit_fill(struct test_gpu *t, uint64_t dword, uint32_t value)
{
   uint32_t *start = t->dw + t->count;
   const uint64_t address = t->commands.address + 4ull * t->count;
   EMIT(t, fill_buffer, .destination = dword, .size_B = 4, .value = value);
   EMIT(t, end, 0);
   return t->gpu->ops->submit(t->gpu, address, (uint32_t)(4 * (t->dw + t->count - start)), 0);
}

static uint64_t
zero_dword(struct test_gpu *t, const uint32_t **map)
{
   const uint32_t zero = 0;
   *map = (const uint32_t *)((uint8_t *)t->heap.map + t->heap_used_B);
   return test_put(t, &zero, sizeof(zero));
}

/* Poll until the submission has finished. */
static bool
polls_true(struct cf_gpu *gpu, uint64_t seqno)
{
   const struct timespec pause = { .tv_nsec = 100000 };
   for (unsigned i = 0; i < LONG_NS / 100000; i++) {
      if (gpu->ops->wait(gpu, seqno, 0))
         return true;
      nanosleep(&pause, NULL);
   }
   return false;
}

static void
who_waits_does_the_work(void **state)
{
   struct test_gpu t;
   const uint32_t *map;
   test_gpu_open(&t, 1);
   struct cf_gpu *gpu = t.gpu;
   const uint64_t dword = zero_dword(&t, &map);
   const uint64_t seqno = submit_fill(&t, dword, 7);
   assert_false(gpu->ops->wait(gpu, seqno, 0)); /* polling starts no work */
   assert_int_equal(*map, 0);
   assert_true(gpu->ops->wait(gpu, seqno, UINT64_MAX));
   assert_int_equal(*map, 7);
   test_gpu_close(&t);
}

static void
a_limited_wait_has_it_done(void **state)
{
   struct test_gpu t;
   const uint32_t *map;
   test_gpu_open(&t, 1);
   const uint64_t seqno = submit_fill(&t, zero_dword(&t, &map), 7);
   assert_true(t.gpu->ops->wait(t.gpu, seqno, LONG_NS));
   assert_int_equal(*map, 7);
   test_gpu_close(&t);
}

static void
a_kick_begins_it(void **state)
{
   struct test_gpu t;
   const uint32_t *map;
   test_gpu_open(&t, 2);
   const uint64_t seqno = submit_fill(&t, zero_dword(&t, &map), 7);
   t.gpu->ops->kick(t.gpu);
   assert_true(polls_true(t.gpu, seqno));
   assert_int_equal(*map, 7);
   test_gpu_close(&t);
}

static void
the_next_submission_begins_it(void **state)
{
   struct test_gpu t;
   const uint32_t *map;
   test_gpu_open(&t, 1);
   const uint64_t dword = zero_dword(&t, &map);
   const uint64_t first = submit_fill(&t, dword, 7);
   const uint64_t second = submit_fill(&t, dword, 8);
   assert_true(polls_true(t.gpu, first));
   assert_true(t.gpu->ops->wait(t.gpu, second, UINT64_MAX));
   assert_int_equal(*map, 8);
   test_gpu_close(&t);
}

/* More submissions than the queue holds, before the first wait. */
static void
a_full_queue_is_worked_off(void **state)
{
   for (int threads = 0; threads <= 2; threads++) {
      struct test_gpu t;
      const uint32_t *map;
      uint64_t seqno = 0;
      test_gpu_open(&t, threads);
      const uint64_t dword = zero_dword(&t, &map);
      for (uint32_t i = 1; i <= ROUNDS; i++)
         seqno = submit_fill(&t, dword, i);
      assert_true(t.gpu->ops->wait(t.gpu, seqno, UINT64_MAX));
      assert_int_equal(*map, ROUNDS);
      test_gpu_close(&t);
   }
}

struct waiter {
   pthread_t thread;
   struct cf_gpu *gpu;
   struct cf_bo commands, data;
   _Atomic bool failed;
};

/* Submits and waits, now and then with a kick or a limit. */
static void *
submit_and_wait(void *argument)
{
   struct waiter *w = argument;
   const uint32_t *map = w->data.map;
   for (uint32_t i = 1; i <= ROUNDS; i++) {
      struct test_gpu t = { .dw = w->commands.map };
      EMIT(&t, fill_buffer, .destination = w->data.address, .size_B = 4, .value = i);
      EMIT(&t, end, 0);
      const uint64_t seqno = w->gpu->ops->submit(w->gpu, w->commands.address, 4 * t.count, 0);
      if (i % 3 == 0)
         w->gpu->ops->kick(w->gpu);
      if (!w->gpu->ops->wait(w->gpu, seqno, i % 4 == 0 ? LONG_NS : UINT64_MAX) || *map != i)
         w->failed = true;
   }
   return NULL;
}

static void
threads_wait_side_by_side(void **state)
{
   for (int threads = 0; threads <= 2; threads++) {
      struct test_gpu t;
      struct waiter waiter[WAITERS] = { 0 };
      test_gpu_open(&t, threads);
      for (uint32_t i = 0; i < WAITERS; i++) {
         struct waiter *w = &waiter[i];
         w->gpu = t.gpu;
         assert_true(t.gpu->ops->bo_alloc(t.gpu, 4096, &w->commands));
         assert_true(t.gpu->ops->bo_alloc(t.gpu, 64, &w->data));
         assert_int_equal(pthread_create(&w->thread, NULL, submit_and_wait, w), 0);
      }
      for (uint32_t i = 0; i < WAITERS; i++) {
         pthread_join(waiter[i].thread, NULL);
         assert_false(waiter[i].failed);
      }
      test_gpu_close(&t);
   }
}

/* Configurations that cannot be honoured are refused with a reason. */
static void
contradictions_are_refused(void **state)
{
   const struct cf_model_config refused[] = {
      { .host_level = 2 + cf_host_level() },
      { .verify_engine = true, .engine = CF_ENGINE_INTERP },
      { .verify_engine = true, .engine = CF_ENGINE_AUTO, .cordic_iterations = 13 },
      { .engine = CF_ENGINE_JIT, .cordic_iterations = 13 },
   };
   for (unsigned i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
      const char *error = NULL;
      assert_null(cf_model_create(&refused[i], &error));
      assert_non_null(error);
   }
}

static void
options_are_parsed_whole(void **state)
{
   static const char *const values[][2] = { /* known, not known */
      { "64", "65" }, { "0", "-1" }, { "12", "1 2" }, { "3", "3x" }, { "4", "" }, { "5", "18446744073709551617" },
   };
   const struct cf_option *threads = cf_model_options;
   assert_string_equal(threads->argument, "--threads");
   for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
      struct cf_model_config config = { 0 };
      assert_true(threads->parse(values[i][0], &config));
      assert_int_equal(config.threads, atoi(values[i][0]));
      assert_false(threads->parse(values[i][1], &config));
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(who_waits_does_the_work),
      cmocka_unit_test(a_limited_wait_has_it_done),
      cmocka_unit_test(a_kick_begins_it),
      cmocka_unit_test(the_next_submission_begins_it),
      cmocka_unit_test(a_full_queue_is_worked_off),
      cmocka_unit_test(threads_wait_side_by_side),
      cmocka_unit_test(contradictions_are_refused),
      cmocka_unit_test(options_are_parsed_whole),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
