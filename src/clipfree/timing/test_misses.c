/* SPDX-License-Identifier: MIT */
/*
 * Misses carry data: with any kind of misses and any memory, each request reads what requests
 * before it in order have written, and memory ends as it does without a cache. What is counted is
 * conserved; and closed forms.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/timing/cf_sim_cycles.h"
#include "clipfree/timing/cf_sim_trace.h"

#define REQUESTS 600
#define LINES 48
#define CASES 120

static struct cf_random random_state;

static uint32_t
below(uint32_t n)
{
   return cf_random_below(&random_state, n);
}

/* Requests of one cache, with data. */
struct run {
   struct cf_sim_access access[REQUESTS];
   size_t count;
   uint32_t result[REQUESTS];
};

static struct cf_sim_access
next_access(void *user, size_t number)
{
   struct run *r = user;
   struct cf_sim_access a = r->access[number];
   a.result = a.prefetch ? NULL : &r->result[number];
   return a;
}

static void
make_run(struct run *r, bool prefetches)
{
   memset(r, 0, sizeof(*r));
   const uint32_t lines = 1 + below(LINES);
   r->count = below(REQUESTS + 1);
   for (size_t i = 0; i < r->count; i++)
      r->access[i] =
         (struct cf_sim_access){ .line = i > 0 && below(3) ? r->access[i - 1].line : below(lines),
                                 .write = below(2),
                                 .prefetch = prefetches && below(4) == 0,
                                 .word = below(CF_SIM_WORDS),
                                 .value = (uint32_t)i + 1 };
   for (size_t i = 0; i < r->count; i++)
      r->access[i].write &= !r->access[i].prefetch;
}

static struct cf_sim_machine
random_machine(enum cf_sim_miss_kind kind)
{
   struct cf_sim_machine m = cf_sim_machine_default();
   m.z.ways = 1u << below(3);
   m.z.size_B = m.z.ways * 64 << below(3);
   m.z.policy = below(CF_SIM_POLICY_OPTIMAL);
   m.color.shared = true;
   m.miss.kind = kind;
   m.miss.entries = 1 + below(12);
   m.miss.ports = 1 + below(4);
   m.miss.input = 1 + below(8);
   m.dram.banks = 1u << below(4);
   m.dram.row_B = 64u << below(4);
   m.dram.bus_B = 1u << below(8);
   m.dram.cas = below(20);
   m.dram.latency = below(60);
   m.dram.queue = 1 + below(40);
   m.dram.mapping = below(2);
   return m;
}

/* Write what is dirty to memory. */
static void
flush(struct cf_sim_misses *m)
{
   for (uint32_t i = 0; i < m->cache.sets * m->cache.ways; i++) {
      const struct cf_sim_way *w = &m->cache.way[i];
      if (w->line != CF_SIM_NO_LINE && w->dirty)
         memcpy(m->memory[w->line], m->held[i], sizeof(m->held[i]));
   }
}

/* Run with data; memory is left in `memory`. */
static void
run(struct cf_sim_cycles *c, const struct cf_sim_machine *m, struct run *r,
    uint32_t (*memory)[CF_SIM_WORDS])
{
   assert_null(cf_sim_machine_contradiction(m));
   assert_null(cf_sim_cycles_contradiction(m));
   assert_true(cf_sim_cycles_init(c, m));
   struct cf_sim_misses *cache = &c->cache[0];
   cache->memory = memory;
   cache->held = calloc(cache->cache.sets * cache->cache.ways, sizeof(cache->held[0]));
   c->request = calloc(REQUESTS, sizeof(c->request[0]));
   c->requests = r->count;
   cf_sim_cycles_run(c, next_access, r);
   flush(cache);
   free(cache->held);
}

/* Without a cache. */
static void
run_in_order(struct run *r, uint32_t (*memory)[CF_SIM_WORDS])
{
   for (size_t i = 0; i < r->count; i++) {
      const struct cf_sim_access *a = &r->access[i];
      if (a->prefetch)
         continue;
      r->result[i] = memory[a->line][a->word];
      if (a->write)
         memory[a->line][a->word] = a->value;
   }
}

static void
check_conserved(const struct cf_sim_cycles *c, const struct run *r)
{
   const struct cf_sim_misses_counts *n = &c->cache[0].counts;
   uint64_t cycles = 0, demands = 0;
   for (uint32_t i = 0; i < CF_SIM_CAUSES; i++)
      cycles += n->cause[i];
   for (size_t i = 0; i < r->count; i++)
      demands += !r->access[i].prefetch;
   assert_int_equal(cycles, c->time);
   assert_int_equal(n->requests, demands);
   assert_int_equal(n->requests + n->prefetches, r->count);
   assert_int_equal(n->hits + n->misses + n->chained, n->requests);
   assert_int_equal(n->in_flight, n->latency); /* Little's law */
   assert_int_equal(c->dram.reads, n->misses + n->prefetch_fills);
   assert_int_equal(c->dram.writes + c->dram.queued, c->cache[0].cache.counts.write_backs);
   assert_int_equal(c->dram.busy, (c->dram.reads + c->dram.writes) * c->dram.burst);
}

static void
data_is_that_of_requests_in_order(void **state)
{
   (void)state;
   static struct run in_order, r;
   static uint32_t want[LINES][CF_SIM_WORDS], got[LINES][CF_SIM_WORDS];
   random_state = cf_random_seed("timing data_is_that_of_requests_in_order");
   for (uint32_t i = 0; i < CASES; i++) {
      make_run(&in_order, i % 2);
      r = in_order;
      memset(want, 0, sizeof(want));
      run_in_order(&in_order, want);
      for (enum cf_sim_miss_kind kind = CF_SIM_MISS_KIND_BLOCKING; kind <= CF_SIM_MISS_KIND_LINKED;
           kind++) {
         const struct cf_sim_machine m = random_machine(kind);
         struct cf_sim_cycles c;
         memset(got, 0, sizeof(got));
         run(&c, &m, &r, got);
         assert_memory_equal(got, want, sizeof(got));
         assert_memory_equal(r.result, in_order.result, sizeof(r.result));
         check_conserved(&c, &r);
         cf_sim_cycles_free(&c);
      }
   }
}

static uint64_t
cycles_of(const struct cf_sim_machine *m, struct run *r)
{
   static uint32_t memory[4096][CF_SIM_WORDS];
   struct cf_sim_cycles c;
   run(&c, m, r, memory);
   const uint64_t time = c.time;
   cf_sim_cycles_free(&c);
   return time;
}

/* n requests of one line: the first misses, the others wait for it. */
static void
closed_forms(void **state)
{
   (void)state;
   static struct run r;
   struct cf_sim_machine m = cf_sim_machine_default();
   struct cf_sim_cycles c;
   static uint32_t memory[4096][CF_SIM_WORDS];
   m.color.shared = true;
   m.miss.ports = 1;
   m.screen.requests_per_cycle = 1;
   /* activate + cas + burst + latency after the miss, then one answer a cycle */
   const uint64_t way = m.dram.activate + m.dram.cas + 64 / m.dram.bus_B + m.dram.latency;
   memset(&r, 0, sizeof(r));
   r.count = 8;
   m.miss.kind = CF_SIM_MISS_KIND_LINKED;
   run(&c, &m, &r, memory);
   assert_int_equal(c.time, way + 8);
   assert_int_equal(c.dram.reads, 1); /* one bus request for a line */
   assert_int_equal(c.cache[0].counts.chained, 7);
   assert_int_equal(c.cache[0].counts.cause[CF_SIM_CAUSE_REFILL], 1);
   cf_sim_cycles_free(&c);
   m.miss.kind = CF_SIM_MISS_KIND_MERGING;
   assert_int_equal(cycles_of(&m, &r), way + 1 + 8); /* the line is written first */
   m.miss.kind = CF_SIM_MISS_KIND_BLOCKING;
   assert_int_equal(cycles_of(&m, &r), way + 1 + 8);
   /* lines of their own: blocking pays the whole way for each */
   for (uint32_t i = 0; i < 8; i++)
      r.access[i].line = i * 16; /* a row of a bank each: a line of one cache is two of memory */
   const uint64_t blocking = cycles_of(&m, &r);
   assert_int_equal(blocking, 8 * (way + 2));
   m.miss.kind = CF_SIM_MISS_KIND_LINKED;
   assert_true(cycles_of(&m, &r) < blocking / 3);
   /* the bus is the limit of many lines */
   for (uint32_t i = 0; i < 200; i++)
      r.access[i].line = i;
   r.count = 200;
   m.z.size_B = 65536;
   const uint64_t least = 200 * (64 / m.dram.bus_B), got = cycles_of(&m, &r);
   assert_true(got >= least && got < least + least / 20 + way);
}

/* Requests of an open row pass one of another row, but not for ever. */
static void
nothing_waits_for_ever(void **state)
{
   (void)state;
   struct cf_sim_machine m = cf_sim_machine_default();
   struct cf_sim_dram dram;
   const uint64_t row = m.dram.row_B / 64, of_bank = row * m.dram.banks;
   enum { OPEN, OTHER };
   uint32_t user, open = 0;
   uint64_t time = 0;
   bool done = false;
   m.dram.queue = 8;
   cf_sim_dram_init(&dram, &m, 64);
   cf_sim_dram_push(&dram, 0, false, OPEN);
   for (; !done && time < 10000; time++) {
      if (time == 100)
         cf_sim_dram_push(&dram, of_bank, false, OTHER);
      while (cf_sim_dram_has_room(&dram))
         cf_sim_dram_push(&dram, open++ % row, false, OPEN);
      cf_sim_dram_tick(&dram, time);
      while (cf_sim_dram_pop(&dram, time, &user))
         done |= user == OTHER;
   }
   assert_true(done);
   assert_true(time > 100 + CF_SIM_DRAM_PATIENCE && time < 100 + 20 * CF_SIM_DRAM_PATIENCE);
}

/* A line that is written, and the one that it replaces in a set: where a cache's sets are as many
 * lines as all banks' rows, both lie in one bank, and each write-back closes the row that is read
 * (Zhang et al. 2000). So a larger cache may cost cycles, but not with permuted banks. */
static void
write_backs_in_the_bank_of_reads(void **state)
{
   (void)state;
   static struct run r;
   static uint32_t memory[4096][CF_SIM_WORDS];
   uint64_t cycles[2][2];
   r.count = REQUESTS;
   for (uint32_t i = 0; i < REQUESTS; i++)
      r.access[i] = (struct cf_sim_access){ .line = i, .write = true };
   for (uint32_t large = 0; large < 2; large++) {
      for (enum cf_sim_mapping mapping = CF_SIM_MAPPING_ROWS; mapping <= CF_SIM_MAPPING_PERMUTED;
           mapping++) {
         struct cf_sim_machine m = cf_sim_machine_default();
         struct cf_sim_cycles c;
         m.color.shared = true;
         m.z.ways = 1;
         m.dram.bus_B = 64;
         m.dram.mapping = mapping;
         /* lines of one cache are every second one of memory: sets of one row, or of 8 banks */
         m.z.size_B = m.dram.row_B / 2 * (large ? m.dram.banks : 1);
         run(&c, &m, &r, memory);
         cycles[large][mapping] = c.time;
         cf_sim_cycles_free(&c);
      }
   }
   assert_true(cycles[1][CF_SIM_MAPPING_ROWS] * 5 > cycles[0][CF_SIM_MAPPING_ROWS] * 6);
   assert_true(cycles[1][CF_SIM_MAPPING_PERMUTED] <= cycles[0][CF_SIM_MAPPING_PERMUTED]);
}

/* More of a resource costs no cycles; without it the run is no shorter. */
static void
more_is_not_slower(void **state)
{
   (void)state;
   static struct run r;
   random_state = (struct cf_random){ 18 };
   uint32_t slower = 0, cases = 0;
   for (uint32_t i = 0; i < 60; i++) {
      make_run(&r, false);
      struct cf_sim_machine m = random_machine(CF_SIM_MISS_KIND_LINKED);
      m.z.policy = CF_SIM_POLICY_LRU;
      const uint64_t time = cycles_of(&m, &r);
      struct cf_sim_machine fast = m;
      fast.dram.latency = fast.dram.cas = fast.dram.activate = fast.dram.precharge = 0;
      fast.dram.bus_B = 1024;
      assert_true(cycles_of(&fast, &r) <= time); /* a memory without latency bounds all */
      struct cf_sim_machine more = m;
      more.miss.entries *= 2;
      more.miss.input *= 2;
      slower += cycles_of(&more, &r) > time;
      cases++;
   }
   /* FR-FCFS sees other requests, and may choose worse: rarely */
   assert_true(slower * 10 <= cases);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(data_is_that_of_requests_in_order),
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(nothing_waits_for_ever),
      cmocka_unit_test(write_backs_in_the_bank_of_reads),
      cmocka_unit_test(more_is_not_slower),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
