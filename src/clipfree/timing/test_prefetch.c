/* SPDX-License-Identifier: MIT */
/*
 * DPRT in time: what is asked for, when, and what it takes away; how far ahead it is; and who goes
 * first before the tags.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "clipfree/timing/test_gpu.h"

#define SIDE_PX 128
#define BLOCKS (SIDE_PX * SIDE_PX / 16)

/* Paper A with a cache for depth alone, and memory that takes time. */
static struct cf_sim_machine
machine(enum cf_sim_prefetch prefetch, uint32_t run_ahead, uint32_t latency)
{
   struct cf_sim_machine m = paper_a();
   m.color.shared = false;
   m.z.size_B = m.color.size_B = 1 << 20; /* all of the frame: rows of 1024 px share sets */
   m.z.policy = CF_SIM_POLICY_PLRU_OTT;
   m.z.prefetch = prefetch;
   m.z.run_ahead = run_ahead;
   m.dram.perfect = false;
   m.dram.latency = latency;
   m.dram.bus_B = 64;
   m.dram.banks = 32;
   return m;
}

/* Shading takes a while, so there is time to hide memory in. */
static struct made_frame
frame(void)
{
   struct made_frame f = made_frame_default();
   f.side_px = SIDE_PX;
   f.sample_alu = 40;
   return f;
}

/* What a run came to; it ended well. */
struct result {
   uint64_t cycles;
   struct cf_sim_misses_counts z;
   struct cf_sim_prefetcher prefetch;
};

static struct result
result_of(const struct cf_sim_machine *m, const struct made_frame *f)
{
   struct cf_sim_gpu *gpu = run_frame(m, f);
   const struct result r = { gpu->time, cf_sim_cycles_sum(&gpu->pixels, 0), gpu->prefetch };
   assert_false(gpu->stuck || gpu->failed);
   cf_sim_gpu_free(gpu);
   free(gpu);
   return r;
}

/* Depth is there when the tests come: nearly all hit, in one cycle. */
static void
hides_memory(void **state)
{
   (void)state;
   const struct made_frame f = frame();
   for (uint32_t latency = 20; latency <= 320; latency *= 4) {
      const struct cf_sim_machine none = machine(CF_SIM_PREFETCH_NONE, 256, latency),
                                  dprt = machine(CF_SIM_PREFETCH_DPRT, 256, latency);
      const struct result without = result_of(&none, &f), with = result_of(&dprt, &f);
      assert_int_equal(without.z.misses, BLOCKS);
      assert_int_equal(with.prefetch.asked + with.prefetch.overtaken, BLOCKS);
      assert_int_equal(with.z.prefetch_fills + with.z.misses, BLOCKS);
      assert_true(with.z.hits * 100 >= with.z.requests * 95);
      assert_true(with.z.latency * 5 < without.z.latency);
      assert_true(with.cycles <= without.cycles + without.cycles / 50);
   }
}

/* Where memory takes no time there is nothing to hide, and prefetches are in nobody's way. */
static void
costs_nothing_with_perfect_memory(void **state)
{
   (void)state;
   const struct made_frame f = frame();
   struct cf_sim_machine m = machine(CF_SIM_PREFETCH_NONE, 256, 100);
   const uint64_t slow = result_of(&m, &f).cycles;
   m.dram.perfect = true;
   const uint64_t perfect = result_of(&m, &f).cycles;
   for (m.z.prefetch = CF_SIM_PREFETCH_DPRT; m.z.prefetch <= CF_SIM_PREFETCH_ADAPTIVE;
        m.z.prefetch++) {
      m.dram.perfect = true;
      const uint64_t ahead = result_of(&m, &f).cycles;
      assert_true(ahead <= perfect + perfect / 1000 && perfect <= slow);
      m.dram.perfect = false;
      assert_true(result_of(&m, &f).cycles >= ahead);
   }
}

/* A block is asked for when the tests are as near as run_ahead; 0: never. */
static void
is_as_far_ahead_as_allowed(void **state)
{
   (void)state;
   const struct made_frame f = frame();
   uint64_t last = UINT64_MAX;
   struct cf_sim_machine m = machine(CF_SIM_PREFETCH_NONE, 0, 100);
   const struct result none = result_of(&m, &f);
   m.z.prefetch = CF_SIM_PREFETCH_DPRT;
   const struct result zero = result_of(&m, &f);
   assert_int_equal(zero.prefetch.asked, 0);
   assert_int_equal(zero.cycles, none.cycles);
   assert_int_equal(zero.z.latency, none.z.latency);
   for (m.z.run_ahead = 1; m.z.run_ahead <= 64; m.z.run_ahead *= 4) {
      const struct result r = result_of(&m, &f);
      assert_true(r.prefetch.distance <= r.prefetch.asked * m.z.run_ahead);
      assert_true(r.prefetch.distance * 2 > r.prefetch.asked * m.z.run_ahead);
      assert_true(r.z.latency < last); /* the earlier, the less is waited for */
      last = r.z.latency;
   }
}

/* Raster is ahead as far as blocks that are not finished have room, and so are prefetches. */
static void
is_bounded_by_unfinished_blocks(void **state)
{
   (void)state;
   const struct made_frame f = frame();
   struct cf_sim_machine m = machine(CF_SIM_PREFETCH_DPRT, 65536, 100);
   const struct result wide = result_of(&m, &f);
   m.core.count = 1;
   m.core.tasks = m.scheduler.queue = m.raster.queue = m.pixel.buffer = 1;
   const struct result narrow = result_of(&m, &f);
   const uint64_t tasks = m.core.tasks + m.scheduler.queue + 2; /* packed; in the pixel engine */
   assert_true(narrow.prefetch.distance <= narrow.prefetch.asked * (2 * tasks + 1 + 4));
   assert_true(wide.prefetch.distance > 4 * narrow.prefetch.distance);
}

/* ------------------------------------------------------------------ adaptive */

static void
steps(void **state)
{
   (void)state;
   const uint32_t few = CF_SIM_PREFETCH_WINDOW / 16, many = few + 1;
   assert_int_equal(cf_sim_prefetch_adapt(8, 1024, true, few, few), 8);
   assert_int_equal(cf_sim_prefetch_adapt(8, 1024, true, many, 0), 11);
   assert_int_equal(cf_sim_prefetch_adapt(8, 1024, false, many, 0), 8); /* raster is not ahead */
   assert_int_equal(cf_sim_prefetch_adapt(8, 1024, true, many, many), 5);
   assert_int_equal(cf_sim_prefetch_adapt(1000, 1024, true, many, 0), 1024);
   assert_int_equal(cf_sim_prefetch_adapt(1, 1024, true, 0, many), 1);
   assert_int_equal(cf_sim_prefetch_adapt(1, 1, true, many, 0), 1);
}

/* It goes as far ahead as memory takes, and no farther. */
static void
follows_memory(void **state)
{
   (void)state;
   const struct made_frame f = frame();
   for (uint32_t latency = 0; latency <= 800; latency += 400) {
      struct cf_sim_machine m = machine(CF_SIM_PREFETCH_ADAPTIVE, 1024, latency);
      const struct result adaptive = result_of(&m, &f);
      m.z.prefetch = CF_SIM_PREFETCH_DPRT;
      m.z.run_ahead = 8; /* with which it begins */
      const struct result fixed = result_of(&m, &f);
      assert_true(fixed.z.late > BLOCKS / 4);
      assert_true(adaptive.z.late < BLOCKS / 4);
      assert_true(adaptive.z.latency * 4 < fixed.z.latency);
      assert_true(adaptive.prefetch.ahead > 8 && adaptive.prefetch.ahead < 100);
   }
}

/* A small cache cannot hold what is far ahead: lines would be replaced before they are used. */
static void
spares_a_small_cache(void **state)
{
   (void)state;
   struct made_frame f = frame();
   struct cf_sim_machine m = machine(CF_SIM_PREFETCH_DPRT, 1024, 40);
   f.sample_alu = 4;
   m.z.size_B = 4096;
   m.z.policy = CF_SIM_POLICY_LRU;
   const struct result fixed = result_of(&m, &f);
   m.z.prefetch = CF_SIM_PREFETCH_ADAPTIVE;
   const struct result adaptive = result_of(&m, &f);
   assert_true(fixed.z.useless > BLOCKS / 4);
   assert_true(adaptive.z.useless * 4 < fixed.z.useless);
   assert_true(adaptive.z.latency < fixed.z.latency);
}

/* ------------------------------------------------------------------ who goes first */

/* One port: a request on demand is taken before prefetches that came earlier, and these when
 * nothing is asked on demand. */
static void
demand_goes_first(void **state)
{
   (void)state;
   struct cf_sim_machine m = machine(CF_SIM_PREFETCH_DPRT, 32, 40);
   struct cf_sim_cycles c;
   m.miss.ports = 1;
   assert_true(cf_sim_cycles_init(&c, &m));
   struct cf_sim_misses *z = &c.cache[0];
   for (uint32_t i = 0; i < 3; i++)
      assert_true(cf_sim_misses_push(z, &(struct cf_sim_access){ .line = i, .prefetch = true }));
   assert_true(cf_sim_misses_push(z, &(struct cf_sim_access){ .line = 0 }));
   assert_int_equal(cf_sim_misses_tick(z, 0), CF_SIM_CAUSE_BUSY);
   assert_int_equal(z->counts.misses, 1); /* of line 0: its prefetch is not needed any more */
   for (uint32_t i = 0; i < 3; i++)
      assert_int_equal(cf_sim_misses_tick(z, i + 1), CF_SIM_CAUSE_PREFETCH);
   assert_int_equal(z->counts.prefetches, 3);
   assert_int_equal(z->counts.prefetch_fills, 2);
   assert_int_equal(cf_sim_misses_tick(z, 4), CF_SIM_CAUSE_EMPTY);
   cf_sim_cycles_free(&c);
}

/* While a request on demand waits, here since its set's only way is on its way, prefetches do, too:
 * they take nothing that it will need. */
static void
prefetches_wait_behind_demand(void **state)
{
   (void)state;
   struct cf_sim_machine m = machine(CF_SIM_PREFETCH_DPRT, 32, 40);
   struct cf_sim_cycles c;
   m.z.ways = 1;
   m.z.size_B = 2 * 64;
   assert_true(cf_sim_cycles_init(&c, &m));
   struct cf_sim_misses *z = &c.cache[0];
   for (uint32_t i = 0; i < 2; i++)
      assert_true(cf_sim_misses_push(z, &(struct cf_sim_access){ .line = 2 * i }));
   assert_true(cf_sim_misses_push(z, &(struct cf_sim_access){ .line = 1, .prefetch = true }));
   assert_int_equal(cf_sim_misses_tick(z, 0), CF_SIM_CAUSE_BUSY);
   assert_int_equal(cf_sim_misses_tick(z, 1), CF_SIM_CAUSE_WAYS);
   assert_int_equal(z->counts.prefetches, 0);
   assert_int_equal(z->counts.queued, 2); /* line 2, in both cycles */
   cf_sim_misses_skip(z, CF_SIM_CAUSE_WAYS, 5);
   assert_int_equal(z->counts.queued, 7); /* and in those that are left out */
   cf_sim_misses_return(z, 0);
   assert_int_equal(cf_sim_misses_tick(z, 2), CF_SIM_CAUSE_REFILL);
   assert_int_equal(cf_sim_misses_tick(z, 3), CF_SIM_CAUSE_BUSY);
   assert_int_equal(z->counts.misses, 2);
   assert_int_equal(z->counts.prefetches, 1); /* with the second port */
   cf_sim_misses_return(z, 1);
   cf_sim_misses_return(z, 0);
   for (uint32_t i = 4; i < 6; i++)
      assert_int_equal(cf_sim_misses_tick(z, i), CF_SIM_CAUSE_REFILL);
   assert_true(cf_sim_misses_idle(z));
   assert_true(cf_sim_misses_push(z, &(struct cf_sim_access){ .line = 3, .prefetch = true }));
   assert_false(cf_sim_misses_idle(z));
   cf_sim_cycles_free(&c);
}

/* A cache that takes one prefetch at a time makes the others wait; it is fed as soon as it has
 * room, so it is as far ahead as one with a long queue. */
static void
waits_for_room(void **state)
{
   (void)state;
   const struct made_frame f = frame();
   struct cf_sim_machine m = machine(CF_SIM_PREFETCH_DPRT, 65536, 100);
   const struct result wide = result_of(&m, &f);
   m.miss.input = 1;
   struct cf_sim_gpu *gpu = run_frame(&m, &f);
   const uint64_t full = gpu->unit[CF_SIM_PART_PREFETCH].cycles[CF_SIM_WHY_FULL];
   assert_true(full > BLOCKS / 4 && full < 4 * BLOCKS);
   assert_int_equal(gpu->prefetch.asked, BLOCKS);
   assert_true(10 * gpu->prefetch.distance > 9 * wide.prefetch.distance);
   cf_sim_gpu_free(gpu);
   free(gpu);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(hides_memory),
      cmocka_unit_test(costs_nothing_with_perfect_memory),
      cmocka_unit_test(is_as_far_ahead_as_allowed),
      cmocka_unit_test(is_bounded_by_unfinished_blocks),
      cmocka_unit_test(steps),
      cmocka_unit_test(follows_memory),
      cmocka_unit_test(spares_a_small_cache),
      cmocka_unit_test(demand_goes_first),
      cmocka_unit_test(prefetches_wait_behind_demand),
      cmocka_unit_test(waits_for_room),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
