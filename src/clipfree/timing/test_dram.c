/* SPDX-License-Identifier: MIT */
/*
 * Memory against a slow model of it, which looks at all requests in each cycle; random machines and
 * requests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/timing/cf_sim_dram.h"

#define CASES 300
#define CYCLES 4000
#define MOST 64 /* requests in the queue */

static struct cf_random random_state;

static uint32_t
below(uint32_t n)
{
   return cf_random_below(&random_state, n);
}

/* ------------------------------------------------------------------ the slow model */

struct slow_request {
   uint64_t row;
   uint32_t bank, user, passed;
   bool write;
};

struct slow_reply {
   uint64_t time;
   uint32_t user;
};

struct slow {
   const struct cf_sim_machine_dram *m;
   uint32_t burst;
   struct slow_request queue[MOST];
   uint32_t queued;
   uint64_t row[CF_SIM_MAX_BANKS], ready[CF_SIM_MAX_BANKS], end[CF_SIM_MAX_BANKS];
   uint64_t bus_free, activations;
   struct slow_reply reply[CYCLES * 4];
   uint32_t replies, popped;
};

static bool
is_open(const struct slow *s, uint32_t i)
{
   return s->queue[i].row == s->row[s->queue[i].bank];
}

/* Whether a request of the same bank waits before it that others have passed too often. */
static bool
must_wait(const struct slow *s, uint32_t i)
{
   for (uint32_t k = 0; k < i; k++) {
      if (s->queue[k].bank == s->queue[i].bank && !is_open(s, k) &&
          s->queue[k].passed >= CF_SIM_DRAM_PATIENCE)
         return true;
   }
   return false;
}

static bool
row_is_wanted(const struct slow *s, uint32_t bank)
{
   for (uint32_t i = 0; i < s->queued; i++) {
      if (s->queue[i].bank == bank && is_open(s, i) && !must_wait(s, i))
         return true;
   }
   return false;
}

static void
slow_transfer(struct slow *s, uint64_t time, uint32_t i)
{
   const struct slow_request r = s->queue[i];
   const uint64_t column = time + s->m->cas;
   s->bus_free = (column < s->bus_free ? s->bus_free : column) + s->burst;
   s->end[r.bank] = s->bus_free;
   for (uint32_t k = 0; k < i; k++)
      s->queue[k].passed++;
   memmove(&s->queue[i], &s->queue[i + 1], (s->queued - i - 1) * sizeof(s->queue[0]));
   s->queued--;
   if (!r.write)
      s->reply[s->replies++] = (struct slow_reply){ s->bus_free + s->m->latency, r.user };
}

static void
slow_tick(struct slow *s, uint64_t time)
{
   uint64_t wanted = 0;
   for (uint32_t b = 0; b < s->m->banks; b++)
      wanted |= (uint64_t)row_is_wanted(s, b) << b;
   for (uint32_t i = 0; i < s->queued; i++) {
      const uint32_t bank = s->queue[i].bank;
      if (is_open(s, i) && !must_wait(s, i) && s->ready[bank] <= time &&
          s->bus_free <= time + s->m->cas) {
         slow_transfer(s, time, i);
         break;
      }
   }
   for (uint32_t i = 0; i < s->queued; i++) {
      const uint32_t bank = s->queue[i].bank;
      if (is_open(s, i) || wanted >> bank & 1 || s->end[bank] > time || s->ready[bank] > time)
         continue;
      s->ready[bank] = time + s->m->activate + (s->row[bank] == CF_SIM_NEVER ? 0 : s->m->precharge);
      s->row[bank] = s->queue[i].row;
      s->activations++;
      return;
   }
}

/* ------------------------------------------------------------------ both */

static struct cf_sim_machine
random_machine(void)
{
   struct cf_sim_machine m = cf_sim_machine_default();
   m.dram.banks = 1u << below(7);
   m.dram.row_B = 64u << below(5);
   m.dram.bus_B = 1u << below(8);
   m.dram.cas = below(20);
   m.dram.activate = below(20);
   m.dram.precharge = below(20);
   m.dram.latency = below(60);
   m.dram.queue = 1 + below(MOST - 2);
   m.dram.perfect = false;
   m.dram.mapping = below(2);
   return m;
}

/* Replies come at the same times; where `jump`, cycles are left out in which cf_sim_dram_next says
 * that nothing happens. */
static void
compare(const struct cf_sim_machine *m, uint32_t lines, uint32_t seldom, bool jump)
{
   static struct cf_sim_dram d;
   static struct slow s;
   cf_sim_dram_init(&d, m, 64);
   memset(&s, 0, sizeof(s));
   s.m = &m->dram;
   s.burst = (64 + m->dram.bus_B - 1) / m->dram.bus_B;
   memset(s.row, 0xff, sizeof(s.row));
   uint64_t next = 0;
   for (uint64_t time = 1; time < CYCLES; time++) {
      uint32_t user;
      bool pushed = false;
      while (cf_sim_dram_pop(&d, time, &user)) {
         assert_true(s.popped < s.replies && s.reply[s.popped].time <= time);
         assert_int_equal(user, s.reply[s.popped++].user);
      }
      assert_true(s.popped == s.replies || s.reply[s.popped].time > time);
      while (time < CYCLES / 2 && below(seldom) == 0 && cf_sim_dram_has_room(&d)) {
         const uint32_t line = below(lines), of = (uint32_t)time;
         const uint64_t row = (uint64_t)line * 64 / m->dram.row_B, in_bank = row / m->dram.banks,
                        permuted = m->dram.mapping == CF_SIM_MAPPING_PERMUTED ? in_bank : 0;
         const bool write = below(3) == 0;
         cf_sim_dram_push(&d, line, write, of);
         s.queue[s.queued++] =
            (struct slow_request){ in_bank, (uint32_t)((row ^ permuted) % m->dram.banks), of, 0,
                                   write };
         pushed = true;
      }
      if (!jump || pushed || time >= next)
         cf_sim_dram_tick(&d, time);
      next = cf_sim_dram_next(&d, time);
      slow_tick(&s, time);
      assert_int_equal(d.queued, s.queued);
      assert_int_equal(d.activations, s.activations);
      assert_int_equal(d.bus_free, s.bus_free);
   }
}

static void
test_random_requests(void **state)
{
   (void)state;
   for (uint32_t i = 0; i < CASES; i++) {
      const struct cf_sim_machine m = random_machine();
      compare(&m, 1 + below(i % 2 ? 4000 : 200), 1 + below(12), i % 3 == 0);
   }
}

/* Two rows of one bank: the older request is passed CF_SIM_DRAM_PATIENCE times, and no more. */
static void
test_patience(void **state)
{
   struct cf_sim_machine m = cf_sim_machine_default();
   (void)state;
   m.dram.banks = 1;
   m.dram.row_B = 64 * 64;
   m.dram.queue = 32;
   compare(&m, 70, 2, true); /* a line in 12 is of the other row */
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_requests),
      cmocka_unit_test(test_patience),
   };
   random_state = cf_random_seed("timing-dram");
   return cmocka_run_group_tests(tests, NULL, NULL);
}
