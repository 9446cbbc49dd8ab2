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
#include <string.h>
#include <time.h>
#include <unistd.h>

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

#define LARGE_B (16u << 20)
#define FILLS 8    /* of so many bytes take long enough for another thread to begin to wait */
#define ALARM_S 60 /* a thread that nobody wakes would wait for ever */

struct alone {
   struct cf_gpu *gpu;
   uint64_t seqno;
};

static void *
wait_alone(void *argument)
{
   const struct alone *a = argument;
   return a->gpu->ops->wait(a->gpu, a->seqno, UINT64_MAX) ? argument : NULL;
}

/* A thread works on a long submission, and no longer. Who waits for the next one meanwhile works on
 * that, whether that thread is one that waited or the model's own, which a kick woke. */
static void
work_is_handed_over(void **state)
{
   alarm(ALARM_S);
   for (int kicked = 0; kicked < 2; kicked++) {
      struct test_gpu t;
      struct cf_bo large;
      const uint32_t *map;
      pthread_t thread;
      void *waited = NULL;
      test_gpu_open(&t, 2);
      assert_true(t.gpu->ops->bo_alloc(t.gpu, LARGE_B, &large));
      for (uint32_t i = 0; i < FILLS; i++)
         EMIT(&t, fill_buffer, .destination = large.address, .size_B = LARGE_B, .value = i);
      EMIT(&t, end, 0);
      struct alone first = { t.gpu, t.gpu->ops->submit(t.gpu, t.commands.address, 4 * t.count, 0) };
      if (kicked)
         t.gpu->ops->kick(t.gpu);
      else
         assert_int_equal(pthread_create(&thread, NULL, wait_alone, &first), 0);
      nanosleep(&(const struct timespec){ .tv_nsec = 2000000 }, NULL);
      const uint64_t second = submit_fill(&t, zero_dword(&t, &map), 8);
      assert_true(t.gpu->ops->wait(t.gpu, second, UINT64_MAX));
      assert_int_equal(*map, 8);
      if (!kicked)
         pthread_join(thread, &waited);
      assert_true(kicked || waited == &first);
      t.gpu->ops->bo_free(t.gpu, &large);
      test_gpu_close(&t);
   }
   alarm(0);
}

#define FREED 200 /* more than are remembered at first */

/* Memory that is freed while work waits that writes to it is kept until then. */
static void
freed_memory_is_kept_for_its_work(void **state)
{
   struct test_gpu t;
   struct cf_bo bo[FREED], other;
   test_gpu_open(&t, 1);
   const uint64_t before_B = t.gpu->ops->get_param(t.gpu, CF_PARAM_MEMORY_USED_B);
   for (uint32_t i = 0; i < FREED; i++)
      assert_true(t.gpu->ops->bo_alloc(t.gpu, 4096, &bo[i]));
   const uint64_t all_B = t.gpu->ops->get_param(t.gpu, CF_PARAM_MEMORY_USED_B);
   /* one alone: a second would have a thread begin the first */
   const uint64_t seqno = submit_fill(&t, bo[0].address, 7);
   for (uint32_t i = 0; i < FREED; i++)
      t.gpu->ops->bo_free(t.gpu, &bo[i]);
   assert_int_equal(t.gpu->ops->get_param(t.gpu, CF_PARAM_MEMORY_USED_B), all_B);
   assert_true(t.gpu->ops->bo_alloc(t.gpu, 4096, &other));
   for (uint32_t i = 0; i < FREED; i++)
      assert_true(other.address != bo[i].address);
   t.gpu->ops->bo_free(t.gpu, &other);
   assert_true(t.gpu->ops->wait(t.gpu, seqno, UINT64_MAX));
   assert_int_equal(t.gpu->ops->get_param(t.gpu, CF_PARAM_MEMORY_USED_B), before_B);
   test_no_error(&t);
   test_gpu_close(&t);
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
      { .coverage = "/tmp", .observer = &(struct cf_observer){ 0 } },
      { .sanitize = 1, .observer = &(struct cf_observer){ 0 } },
      { .sanitize = 1, .coverage = "/tmp" },
      { .prints = "all", .engine = CF_ENGINE_JIT },
      { .prints = "all", .coverage = "/tmp" },
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

static const struct cf_option *
find_option(const char *argument)
{
   const struct cf_option *option = cf_model_options;
   while (strcmp(option->argument, argument) != 0)
      option++;
   return option;
}

/* Values at their limits. */
static void
options_have_limits(void **state)
{
   static const struct {
      const char *argument, *known[3], *unknown[5];
   } cases[] = {
      { "--sfu",
        { "exact", "cordic:1", "cordic:13" },
        { "cordic:0", "cordic:", "cordic:99", "cordic", "" } },
      { "--memory-mb", { "1", "1048576", "64" }, { "0", "1048577", "", "-1", "1M" } },
      { "--time-limit-ms", { "0", "3600000", "100" }, { "3600001", "", "-1", "1s", "1.5" } },
      { "--cache-mb", { "1", "1048576", "64" }, { "0", "1048577", "", "-1", "1M" } },
      { "--warm-up", { "0", "1", "compiler" }, { "2", "", "yes", "01", "files" } },
      { "--path", { "normal", "plain", "plain" }, { "", "Plain", "plain ", "both", "0" } },
      { "--sanitize", { "all", "nan,pow", "fatal" }, { "", "nothing", "all,", ",all", "nan pow" } },
      { "--prints",
        { "all", "draw=1", "limit=3,fatal" },
        { "", "nothing", "all,", "draw=", "pixel=1" } },
   };
   for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      const struct cf_option *option = find_option(cases[i].argument);
      struct cf_model_config config = { 0 };
      for (unsigned k = 0; k < 3; k++) {
         if (!option->parse(cases[i].known[k], &config))
            fail_msg("%s %s", cases[i].argument, cases[i].known[k]);
      }
      for (unsigned k = 0; k < 5; k++) {
         if (option->parse(cases[i].unknown[k], &config))
            fail_msg("%s '%s' is taken", cases[i].argument, cases[i].unknown[k]);
      }
   }
}

/* A limit of time of 0 is none; sizes are of MB. */
static void
options_have_units(void **state)
{
   struct cf_model_config config = { 0 };
   assert_true(find_option("--time-limit-ms")->parse("0", &config));
   assert_true(config.time_limit_ns == CF_NO_TIME_LIMIT);
   assert_true(find_option("--time-limit-ms")->parse("20", &config));
   assert_true(config.time_limit_ns == 20000000);
   assert_true(find_option("--memory-mb")->parse("3", &config));
   assert_true(config.memory_B == 3 << 20);
   assert_true(find_option("--cache-mb")->parse("5", &config));
   assert_true(config.disk_cache_B == 5 << 20);
   assert_true(find_option("--sfu")->parse("cordic:7", &config));
   assert_int_equal(config.cordic_iterations, 7);
   assert_true(find_option("--sfu")->parse("exact", &config));
   assert_int_equal(config.cordic_iterations, 0);
}

/* What cannot be allocated or imported is told, by either GPU, and leaves the description alone. */
static void
no_memory_is_told(void **state)
{
   const char *error = NULL;
   struct cf_gpu *gpus[] = {
      cf_model_create(&(struct cf_model_config){ .memory_B = 1 << 20 }, &error),
      cf_noop_create(&error),
   };
   for (uint32_t i = 0; i < 2; i++) {
      struct cf_bo bo = { .address = 1 };
      assert_non_null(gpus[i]);
      const uint64_t limit_B = gpus[i]->ops->get_param(gpus[i], CF_PARAM_MEMORY_B);
      assert_true(limit_B > 0);
      assert_false(gpus[i]->ops->bo_alloc(gpus[i], limit_B + 1, &bo));
      assert_false(gpus[i]->ops->bo_import(gpus[i], -1, 4096, &bo));
      assert_int_equal(bo.address, 1);
      assert_true(gpus[i]->ops->bo_alloc(gpus[i], 64, &bo));
      assert_true(gpus[i]->ops->get_param(gpus[i], CF_PARAM_MEMORY_USED_B) >= 64);
      gpus[i]->ops->bo_free(gpus[i], &bo);
      assert_int_equal(gpus[i]->ops->get_param(gpus[i], CF_PARAM_MEMORY_USED_B), 0);
      gpus[i]->ops->destroy(gpus[i]);
   }
}

/* A GPU that drops its work has finished what was submitted, never fails, and has the limits of the
 * other; of what only that one has it says 0. */
static void
dropped_work_is_done(void **state)
{
   static const enum cf_gpu_param alike[] = { CF_PARAM_MAX_TEXTURE_PX, CF_PARAM_REUSE_PRIMS },
                                  none[] = { CF_PARAM_THREADS,       CF_PARAM_ENGINE,
                                             CF_PARAM_PATH,          CF_PARAM_REPORTS,
                                             CF_PARAM_SLOW_DRAWS,    CF_PARAM_HIDDEN,
                                             CF_PARAM_TIME_LIMIT_NS, CF_PARAM_NOTES };
   const char *error = NULL;
   struct cf_report report;
   char text[8] = "before";
   struct cf_gpu *model = test_model(0, cf_host_level()), *noop = cf_noop_create(&error);
   assert_non_null(noop);
   assert_null(error);
   for (uint32_t i = 0; i < sizeof(alike) / sizeof(alike[0]); i++)
      assert_int_equal(noop->ops->get_param(noop, alike[i]),
                       model->ops->get_param(model, alike[i]));
   for (uint32_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
      assert_int_equal(noop->ops->get_param(noop, none[i]), 0);
   const uint64_t first_ns = noop->ops->get_param(noop, CF_PARAM_TIME_NS);
   assert_true(first_ns > 0 && noop->ops->get_param(noop, CF_PARAM_TIME_NS) >= first_ns);
   assert_true(noop->ops->wait(noop, 0, 0));
   assert_false(noop->ops->wait(noop, 1, 0)); /* not submitted */
   assert_int_equal(noop->ops->submit(noop, 64, 4, 0), 1);
   noop->ops->kick(noop);
   assert_true(noop->ops->wait(noop, 1, 0));
   noop->ops->last_error(noop, text, 0); /* no room */
   assert_string_equal(text, "before");
   noop->ops->last_error(noop, text, sizeof(text));
   assert_string_equal(text, "");
   assert_int_equal(noop->ops->reset_status(noop), CF_RESET_NONE);
   assert_false(noop->ops->report(noop, 1, &report));
   noop->ops->destroy(noop);
   model->ops->destroy(model);
}

/* Reports have numbers from 1 on; the last CF_REPORTS of them are remembered. */
static void
reports_are_remembered(void **state)
{
   struct test_gpu t;
   struct cf_report report;
   test_gpu_open_on(&t, test_model_of((struct cf_model_config){ .quiet = true }));
   struct cf_gpu *gpu = t.gpu;
   for (uint64_t i = 1; i <= CF_REPORTS + 1; i++) {
      t.dw[0] = 0xff; /* no packet */
      const uint64_t seqno = gpu->ops->submit(gpu, t.commands.address, 4, 0);
      assert_true(gpu->ops->wait(gpu, seqno, UINT64_MAX));
      assert_int_equal(gpu->ops->get_param(gpu, CF_PARAM_REPORTS), i);
      assert_true(gpu->ops->report(gpu, i, &report));
      assert_int_equal(report.seqno, seqno);
   }
   assert_false(gpu->ops->report(gpu, 0, &report));
   assert_false(gpu->ops->report(gpu, 1, &report)); /* forgotten */
   assert_true(gpu->ops->report(gpu, 2, &report));
   assert_int_equal(report.seqno, 2);
   assert_false(gpu->ops->report(gpu, CF_REPORTS + 2, &report));
   test_gpu_close(&t);
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
      cmocka_unit_test(work_is_handed_over),
      cmocka_unit_test(threads_wait_side_by_side),
      cmocka_unit_test(freed_memory_is_kept_for_its_work),
      cmocka_unit_test(contradictions_are_refused),
      cmocka_unit_test(options_are_parsed_whole),
      cmocka_unit_test(options_have_limits),
      cmocka_unit_test(options_have_units),
      cmocka_unit_test(no_memory_is_told),
      cmocka_unit_test(dropped_work_is_done),
      cmocka_unit_test(reports_are_remembered),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
