/* SPDX-License-Identifier: MIT */
/*
 * Transfers as loops: launching one does not wait for the loops before it, and memory is written in
 * order; memory that is read at once is waited for. Spans of memory and the loops that write them
 * (cf_written.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "clipfree/base/test_random.h"
#include "clipfree/command/cf_transfer.h"
#include "clipfree/interface/cf_packets.h"

#define SIZE_B (1u << 20)
#define TRANSFERS 20 /* more than may be in flight */

/* A loop that does not finish before the gate opens, or ten seconds have passed. */
struct gate {
   _Atomic bool open, passed;
};

static void
pass_gate(void *user, uint32_t worker, uint32_t item)
{
   struct gate *gate = user;
   for (uint32_t i = 0; i < 10000 && !gate->open; i++)
      nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
   gate->passed = true;
}

struct scene {
   struct cf_memory *memory;
   struct cf_workers *workers;
   struct cf_written written;
   struct cf_resolver resolver;
   struct cf_transfers *transfers;
   struct cf_fault fault;
   struct gate gate;
};

/* Threads other than this one wait at the gate. */
static void
scene_open(struct scene *s, uint32_t threads)
{
   *s = (struct scene){ .memory = cf_memory_create(0), .workers = cf_workers_create(threads) };
   assert_true(s->memory && s->workers);
   s->written.workers = s->workers;
   s->resolver = (struct cf_resolver){ .memory = s->memory, .written = &s->written };
   s->transfers = cf_transfers_create(
      &(struct cf_transfer_config){ .resolver = &s->resolver,
                                    .workers = s->workers,
                                    .written = &s->written,
                                    .mipmap = cf_mipmap_ops_at(cf_host_level()),
                                    .average = cf_average_ops_at(cf_host_level()) });
   assert_non_null(s->transfers);
   cf_workers_launch(
      s->workers, &(struct cf_loop){ .work = pass_gate, .user = &s->gate, .items = threads - 1 });
}

static void
scene_close(struct scene *s)
{
   cf_workers_finish(s->workers, cf_workers_launched(s->workers));
   cf_transfers_destroy(s->transfers);
   cf_workers_destroy(s->workers);
   cf_memory_destroy(s->memory);
}

static void
fill(struct scene *s, uint64_t address, uint32_t size_B, uint32_t value)
{
   uint32_t dw[CF_FILL_BUFFER_DWORDS];
   cf_fill_buffer_pack(
      dw, &(struct cf_fill_buffer){ .destination = address, .size_B = size_B, .value = value });
   assert_true(cf_transfers_launch(s->transfers, dw, NULL, &s->fault));
}

static void
copy(struct scene *s, uint64_t source, uint64_t destination, uint32_t size_B)
{
   uint32_t dw[CF_COPY_BUFFER_DWORDS];
   cf_copy_buffer_pack(dw, &(struct cf_copy_buffer){
                              .source = source, .destination = destination, .size_B = size_B });
   assert_true(cf_transfers_launch(s->transfers, dw, NULL, &s->fault));
}

/* Transfers launched before the gate opens do no work until then, and run in order afterwards. */
static void
nobody_waits(void **state)
{
   struct scene s;
   scene_open(&s, 3);
   const uint64_t a = cf_memory_alloc(s.memory, SIZE_B), b = cf_memory_alloc(s.memory, SIZE_B);
   uint32_t *const a_dw = cf_memory_at(s.memory, a, SIZE_B), *const b_dw = cf_memory_at(s.memory, b, SIZE_B);
   assert_true(a_dw && b_dw);
   fill(&s, a, SIZE_B, 1);
   copy(&s, a, b, SIZE_B);
   fill(&s, a, 8, 2);
   copy(&s, a, a + 4, 64); /* overlaps */
   assert_false(s.gate.passed);
   assert_int_equal(a_dw[0] | b_dw[0], 0);
   s.gate.open = true;
   cf_workers_finish(s.workers, cf_workers_launched(s.workers));
   const uint32_t expected[] = { 2, 2, 2, 1 };
   assert_memory_equal(a_dw, expected, sizeof(expected));
   for (uint32_t i = 0; i < SIZE_B / 4; i++)
      assert_int_equal(b_dw[i], 1);
   scene_close(&s);
}

/* Launching more transfers than may be in flight waits for the oldest; all are done. */
static void
many(void **state)
{
   struct scene s;
   scene_open(&s, 2);
   s.gate.open = true;
   const uint64_t a = cf_memory_alloc(s.memory, SIZE_B);
   const uint32_t *a_dw = cf_memory_at(s.memory, a, SIZE_B);
   assert_non_null(a_dw);
   for (uint32_t i = 0; i < 10 * TRANSFERS; i++)
      fill(&s, a, SIZE_B - 4 * i, i);
   cf_workers_finish(s.workers, cf_workers_launched(s.workers));
   for (uint32_t i = 0; i < 10 * TRANSFERS; i++)
      assert_int_equal(a_dw[SIZE_B / 4 - 1 - i], i);
   scene_close(&s);
}

/* cf_resolve_to_read waits for memory that a loop writes, and only for that. */
static void
reading_waits(void **state)
{
   struct scene s;
   scene_open(&s, 2);
   const uint64_t a = cf_memory_alloc(s.memory, SIZE_B);
   fill(&s, a, SIZE_B / 2, 7);
   assert_non_null(cf_resolve_to_read(&s.resolver, a + SIZE_B / 2, 64, 4, "", &s.fault));
   assert_non_null(cf_resolve_memory(&s.resolver, a, 64, 4, "", &s.fault));
   assert_false(s.gate.passed);
   s.gate.open = true;
   const uint32_t *dw = cf_resolve_to_read(&s.resolver, a + SIZE_B / 2 - 4, 64, 4, "", &s.fault);
   assert_non_null(dw);
   assert_true(s.gate.passed);
   assert_int_equal(dw[0], 7);
   scene_close(&s);
}

/* A malformed packet launches nothing. */
static void
refused(void **state)
{
   struct scene s;
   uint32_t dw[CF_FILL_BUFFER_DWORDS];
   scene_open(&s, 2);
   const uint64_t launched = cf_workers_launched(s.workers);
   cf_fill_buffer_pack(dw, &(struct cf_fill_buffer){ .destination = 64, .size_B = 4 });
   assert_false(cf_transfers_launch(s.transfers, dw, NULL, &s.fault));
   assert_true(strstr(s.fault.text, "destination") != NULL);
   assert_int_equal(cf_workers_launched(s.workers), launched);
   s.gate.open = true;
   scene_close(&s);
}

static void
nothing(void *user, uint32_t worker, uint32_t item)
{
}

/* Random spans against a list of all writes. */
static void
written_spans(void **state)
{
   static uint8_t memory[1000];
   struct cf_random random = cf_random_seed("command-written");
   for (uint32_t round = 0; round < 50; round++) {
      struct scene s;
      uint64_t last[sizeof(memory)] = { 0 };
      scene_open(&s, 2);
      const uint32_t spans = 1 + cf_random_below(&random, CF_WRITTEN_SPANS);
      for (uint32_t i = 0; i < spans; i++) {
         const uint64_t loop = cf_workers_launch(
            s.workers, &(struct cf_loop){
                          .work = nothing, .items = 1, .after = cf_workers_launched(s.workers) });
         const uint32_t begin = cf_random_below(&random, sizeof(memory)),
                        size_B = 1 + cf_random_below(&random, sizeof(memory) - begin);
         s.gate.open = loop > CF_WORKERS_LOOPS / 2; /* launching more loops waits for it */
         cf_written_add(&s.written, memory + begin, size_B);
         for (uint32_t k = begin; k < begin + size_B; k++)
            last[k] = loop;
      }
      for (uint32_t i = 0; i < 100; i++) {
         const uint32_t begin = cf_random_below(&random, sizeof(memory)),
                        size_B = 1 + cf_random_below(&random, sizeof(memory) - begin);
         uint64_t expected = 0;
         for (uint32_t k = begin; k < begin + size_B; k++)
            expected = last[k] > expected ? last[k] : expected;
         const uint64_t found = cf_written_last(&s.written, memory + begin, size_B);
         assert_true(found == expected ||
                     (found < expected && cf_workers_is_finished(s.workers, expected)));
      }
      s.gate.open = true;
      cf_written_finish(&s.written, memory, sizeof(memory));
      assert_true(
         cf_workers_is_finished(s.workers, cf_written_last(&s.written, memory, sizeof(memory))));
      cf_workers_finish(s.workers, cf_workers_launched(s.workers));
      cf_written_forget(&s.written);
      assert_int_equal(s.written.count, 0);
      scene_close(&s);
   }
}

/* Adding a span when the table is full waits for the loops that write the spans. */
static void
many_written_spans(void **state)
{
   static uint8_t memory[2 * CF_WRITTEN_SPANS];
   struct scene s;
   scene_open(&s, 2);
   for (uint32_t i = 0; i < CF_WRITTEN_SPANS; i++)
      cf_written_add(&s.written, memory + i, 1);
   assert_false(s.gate.passed);
   assert_int_equal(s.written.count, CF_WRITTEN_SPANS);
   cf_written_add(&s.written, memory + 5, 1);
   assert_false(s.gate.passed);
   s.gate.open = true;
   cf_written_add(&s.written, memory + CF_WRITTEN_SPANS, 1);
   assert_true(s.gate.passed);
   scene_close(&s);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(nobody_waits),  cmocka_unit_test(many),
      cmocka_unit_test(reading_waits), cmocka_unit_test(refused),
      cmocka_unit_test(written_spans), cmocka_unit_test(many_written_spans),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
