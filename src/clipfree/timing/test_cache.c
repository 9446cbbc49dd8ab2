/* SPDX-License-Identifier: MIT */
/*
 * Caches against slow references of each policy, on random requests; and what must hold of any
 * policy: LRU's inclusion, nothing beats the optimal one, an infinite cache misses each line once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/timing/cf_sim_cache.h"
#include "clipfree/timing/cf_sim_optimal.h"
#include "clipfree/timing/cf_sim_stack.h"

#define REQUESTS 3000
#define CASES 60
#define LINE_B 64

enum kind { READ, WRITE, PREFETCH };

struct requests {
   uint32_t line[REQUESTS];
   enum kind kind[REQUESTS];
   uint32_t count;
};

/* Lines near those before, as programs have them, and others. */
static void
make_requests(struct cf_random *random, struct requests *r, bool prefetches)
{
   const uint32_t lines = 1 + cf_random_below(random, 200), near = 1 + cf_random_below(random, 8);
   r->count = cf_random_below(random, REQUESTS + 1);
   for (uint32_t i = 0; i < r->count; i++) {
      r->line[i] = i > 0 && cf_random_below(random, 4)
                      ? (r->line[i - 1] + cf_random_below(random, near)) % lines
                      : cf_random_below(random, lines);
      r->kind[i] = cf_random_below(random, prefetches ? 3 : 2);
   }
}

static struct cf_sim_cache_counts
run(const struct requests *r, uint32_t lines, uint32_t ways, enum cf_sim_policy policy)
{
   struct cf_sim_cache cache;
   assert_true(cf_sim_cache_init(&cache, lines * LINE_B, LINE_B, ways, policy));
   for (uint32_t i = 0; i < r->count; i++)
      assert_true(r->kind[i] == PREFETCH
                     ? cf_sim_cache_prefetch(&cache, r->line[i])
                     : cf_sim_cache_request(&cache, r->line[i], r->kind[i] == WRITE));
   assert_true(cf_sim_cache_finish(&cache));
   const struct cf_sim_cache_counts counts = cache.counts;
   cf_sim_cache_free(&cache);
   assert_int_equal(counts.hits + counts.misses, counts.requests);
   assert_int_equal(counts.misses + counts.prefetched, counts.fills);
   return counts;
}

/* ------------------------------------------------------------------ references */

/* A set as a list of lines, [0] the first one to go under LRU. PLRU as Paper D's source draws it:
 * bits of a tree, as a recursion. */
struct reference_set {
   uint32_t line[64], lines;
   bool dirty[64], touched[64];
   bool bit[64]; /* node n has children 2 n and 2 n + 1; the root is 1 */
   uint32_t distance[64]; /* of SRRIP, RRPV in its paper */
};

struct reference {
   struct reference_set set[256];
   uint32_t sets, ways;
   enum cf_sim_policy policy;
   struct cf_sim_cache_counts counts;
};

static void
point(struct reference_set *s, uint32_t node, uint32_t first, uint32_t size, uint32_t way)
{
   if (size == 1)
      return;
   const bool right = way >= first + size / 2;
   s->bit[node] = !right;
   point(s, 2 * node + right, first + right * size / 2, size / 2, way);
}

static bool
any(const struct reference_set *s, uint32_t first, uint32_t size, bool only_touched)
{
   for (uint32_t i = first; i < first + size; i++) {
      if (s->touched[i] || !only_touched)
         return true;
   }
   return false;
}

static uint32_t
pointed(const struct reference_set *s, uint32_t node, uint32_t first, uint32_t size,
        bool only_touched)
{
   const uint32_t half = size / 2;
   if (size == 1)
      return first;
   const bool left_has = any(s, first, half, only_touched),
              right_has = any(s, first + half, half, only_touched);
   const bool right = left_has && right_has ? s->bit[node] : right_has;
   return pointed(s, 2 * node + right, first + right * half, half, only_touched);
}

/* The paper's figure 2: "search for first 3 from left; if found, go to (5); increment all RRPVs; go
 * to (1)". */
static uint32_t
expected_last(struct reference_set *s)
{
   for (uint32_t i = 0; i < s->lines; i++) {
      if (s->distance[i] == 3)
         return i;
   }
   for (uint32_t i = 0; i < s->lines; i++)
      s->distance[i]++;
   return expected_last(s);
}

static uint32_t
victim(const struct reference *c, struct reference_set *s)
{
   if (s->lines < c->ways)
      return s->lines;
   if (c->policy == CF_SIM_POLICY_SRRIP)
      return expected_last(s);
   return pointed(s, 1, 0, c->ways,
                  c->policy == CF_SIM_POLICY_PLRU_OTT && any(s, 0, c->ways, true));
}

/* A tree's or SRRIP's way, or the place in LRU's list, which then moves to its end. */
static void
refer(struct reference *c, uint32_t line, enum kind kind)
{
   struct reference_set *s = &c->set[line % c->sets];
   uint32_t at = 0;
   while (at < s->lines && s->line[at] != line)
      at++;
   const bool hit = at < s->lines;
   c->counts.prefetches += kind == PREFETCH;
   c->counts.prefetched += kind == PREFETCH && !hit;
   c->counts.hits += kind != PREFETCH && hit;
   c->counts.misses += kind != PREFETCH && !hit;
   if (hit && kind == PREFETCH)
      return;
   if (!hit) {
      at = c->policy != CF_SIM_POLICY_LRU ? victim(c, s) : s->lines < c->ways ? s->lines : 0;
      if (at < s->lines) {
         c->counts.write_backs += s->dirty[at];
         c->counts.useless += !s->touched[at];
      } else {
         s->lines++;
      }
      s->line[at] = line;
      s->dirty[at] = s->touched[at] = false;
   }
   s->dirty[at] |= kind == WRITE;
   s->touched[at] |= kind != PREFETCH;
   s->distance[at] = hit ? 0 : 2;
   if (c->policy != CF_SIM_POLICY_LRU) {
      point(s, 1, 0, c->ways, at);
      return;
   }
   const bool dirty = s->dirty[at], touched = s->touched[at];
   for (; at + 1 < s->lines; at++) {
      s->line[at] = s->line[at + 1];
      s->dirty[at] = s->dirty[at + 1];
      s->touched[at] = s->touched[at + 1];
   }
   s->line[at] = line;
   s->dirty[at] = dirty;
   s->touched[at] = touched;
}

static struct cf_sim_cache_counts
run_reference(const struct requests *r, uint32_t lines, uint32_t ways, enum cf_sim_policy policy)
{
   struct reference *c = calloc(1, sizeof(*c));
   c->ways = ways;
   c->sets = lines / ways;
   c->policy = policy;
   for (uint32_t i = 0; i < r->count; i++)
      refer(c, r->line[i], r->kind[i]);
   for (uint32_t i = 0; i < c->sets; i++) {
      for (uint32_t k = 0; k < c->set[i].lines; k++) {
         c->counts.write_backs += c->set[i].dirty[k];
         c->counts.useless += !c->set[i].touched[k];
      }
   }
   const struct cf_sim_cache_counts counts = c->counts;
   free(c);
   return counts;
}

static void
policies_are_their_references(void **state)
{
   (void)state;
   struct cf_random random = cf_random_seed("timing policies_are_their_references");
   static struct requests r;
   for (uint32_t i = 0; i < CASES; i++) {
      make_requests(&random, &r, true);
      const uint32_t ways = 1u << cf_random_below(&random, 7),
                     sets = 1u << cf_random_below(&random, 5);
      for (enum cf_sim_policy policy = CF_SIM_POLICY_LRU; policy < CF_SIM_POLICY_OPTIMAL;
           policy++) {
         const struct cf_sim_cache_counts got = run(&r, sets * ways, ways, policy),
                                          want = run_reference(&r, sets * ways, ways, policy);
         assert_int_equal(got.hits, want.hits);
         assert_int_equal(got.misses, want.misses);
         assert_int_equal(got.prefetched, want.prefetched);
         assert_int_equal(got.write_backs, want.write_backs);
         assert_int_equal(got.useless, want.useless);
      }
   }
}

/* Which line to drop, by trying all: the least misses of requests from `at` on, with these lines.
 */
static uint32_t
least_misses(const struct requests *r, uint32_t at, const uint32_t *kept, uint32_t count,
             uint32_t ways)
{
   for (; at < r->count; at++) {
      bool hit = false;
      for (uint32_t i = 0; i < count; i++)
         hit |= kept[i] == r->line[at];
      if (!hit)
         break;
   }
   if (at == r->count)
      return 0;
   uint32_t with[4], least = UINT32_MAX;
   for (uint32_t drop = 0; drop < (count < ways ? 1 : ways); drop++) {
      for (uint32_t i = 0; i < count; i++)
         with[i] = kept[i];
      with[count < ways ? count : drop] = r->line[at];
      const uint32_t misses =
         1 + least_misses(r, at + 1, with, count < ways ? count + 1 : ways, ways);
      least = misses < least ? misses : least;
   }
   return least;
}

static void
nothing_beats_the_optimal_policy(void **state)
{
   (void)state;
   struct cf_random random = cf_random_seed("timing nothing_beats_the_optimal_policy");
   static struct requests r;
   for (uint32_t i = 0; i < CASES; i++) { /* short ones, all choices tried */
      make_requests(&random, &r, false);
      r.count = r.count < 14 ? r.count : 14;
      for (uint32_t k = 0; k < r.count; k++)
         r.line[k] %= 5;
      const uint32_t ways = 1 + i % 3;
      assert_int_equal(run(&r, ways, 0, CF_SIM_POLICY_OPTIMAL).misses,
                       least_misses(&r, 0, NULL, 0, ways));
   }
   for (uint32_t i = 0; i < CASES; i++) {
      make_requests(&random, &r, false);
      const uint32_t ways = 1u << cf_random_below(&random, 5),
                     lines = ways << cf_random_below(&random, 5);
      const struct cf_sim_cache_counts optimal = run(&r, lines, ways, CF_SIM_POLICY_OPTIMAL);
      for (enum cf_sim_policy policy = CF_SIM_POLICY_LRU; policy < CF_SIM_POLICY_OPTIMAL;
           policy++) {
         const struct cf_sim_cache_counts other = run(&r, lines, ways, policy);
         assert_true(optimal.hits >= other.hits);
         assert_int_equal(optimal.compulsory, other.compulsory);
      }
   }
}

/* ------------------------------------------------------------------ what holds of all */

static void
an_infinite_cache_misses_each_line_once(void **state)
{
   (void)state;
   struct cf_random random = cf_random_seed("timing an_infinite_cache_misses_each_line_once");
   static struct requests r;
   for (uint32_t i = 0; i < CASES; i++) {
      bool used[256] = { false };
      uint32_t lines = 0;
      make_requests(&random, &r, false);
      for (uint32_t k = 0; k < r.count; k++) {
         lines += !used[r.line[k]];
         used[r.line[k]] = true;
      }
      for (enum cf_sim_policy policy = CF_SIM_POLICY_LRU; policy <= CF_SIM_POLICY_OPTIMAL;
           policy++) {
         const struct cf_sim_cache_counts c = run(&r, 1024, 4, policy);
         assert_int_equal(c.misses, lines);
         assert_int_equal(c.compulsory, lines);
      }
   }
   make_requests(&random, &r, false); /* no cache at all */
   assert_int_equal(run(&r, 0, 4, CF_SIM_POLICY_LRU).misses, r.count);
}

/* One pass over stack distances gives the hits of every size; larger LRU caches hit no less. */
static void
stack_distances_give_all_sizes(void **state)
{
   (void)state;
   struct cf_random random = cf_random_seed("timing stack_distances_give_all_sizes");
   static struct requests r;
   for (uint32_t i = 0; i < CASES; i++) {
      struct cf_sim_stack stack;
      uint64_t before = 0;
      make_requests(&random, &r, false);
      assert_true(cf_sim_stack_init(&stack));
      for (uint32_t k = 0; k < r.count; k++)
         assert_true(cf_sim_stack_request(&stack, r.line[k]));
      for (uint32_t lines = 1; lines < 260; lines += 1 + lines / 8) {
         const uint64_t hits = cf_sim_stack_hits(&stack, lines);
         assert_int_equal(hits, run(&r, lines, 0, CF_SIM_POLICY_LRU).hits);
         assert_true(hits >= before);
         before = hits;
      }
      cf_sim_stack_free(&stack);
   }
}

/* Times are renumbered many times, and the tree grows. */
static void
stack_distances_of_many_lines(void **state)
{
   (void)state;
   struct cf_sim_stack stack;
   enum { LINES = 20000, ROUNDS = 3 };
   assert_true(cf_sim_stack_init(&stack));
   for (uint32_t round = 0; round < ROUNDS; round++)
      for (uint32_t line = 0; line < LINES; line++)
         assert_true(cf_sim_stack_request(&stack, line));
   assert_int_equal(stack.first, LINES);
   assert_int_equal(cf_sim_stack_hits(&stack, LINES - 1), 0);
   assert_int_equal(cf_sim_stack_hits(&stack, LINES), (ROUNDS - 1) * LINES);
   cf_sim_stack_free(&stack);
}

/* What a prefetch brings stays until it is used, though PLRU would drop it. */
static void
ott_keeps_what_is_prefetched(void **state)
{
   (void)state;
   static struct requests r;
   const uint32_t line[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 0 };
   for (uint32_t i = 0; i < 10; i++) {
      r.line[i] = line[i];
      r.kind[i] = i == 0 ? PREFETCH : READ;
   }
   r.count = 10;
   assert_int_equal(run(&r, 4, 4, CF_SIM_POLICY_PLRU).hits, 0);
   assert_int_equal(run(&r, 4, 4, CF_SIM_POLICY_PLRU_OTT).hits, 1);
   for (uint32_t i = 0; i < 10; i++)
      r.kind[i] = PREFETCH; /* no line has OTT = 1: as PLRU */
   assert_int_equal(run(&r, 4, 4, CF_SIM_POLICY_PLRU_OTT).useless, 10);
}

/* A scan of lines that are used once does not drive out those that are used again. */
static void
srrip_outlives_a_scan(void **state)
{
   (void)state;
   static struct requests r;
   const uint32_t line[] = { 0, 1, 0, 1, 2, 3, 4, 5, 6, 0, 1 };
   r.count = sizeof(line) / sizeof(line[0]);
   for (uint32_t i = 0; i < r.count; i++) {
      r.line[i] = line[i];
      r.kind[i] = READ;
   }
   assert_int_equal(run(&r, 4, 4, CF_SIM_POLICY_LRU).hits, 2);
   assert_int_equal(run(&r, 4, 4, CF_SIM_POLICY_SRRIP).hits, 4);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(policies_are_their_references),
      cmocka_unit_test(nothing_beats_the_optimal_policy),
      cmocka_unit_test(an_infinite_cache_misses_each_line_once),
      cmocka_unit_test(stack_distances_give_all_sizes),
      cmocka_unit_test(stack_distances_of_many_lines),
      cmocka_unit_test(ott_keeps_what_is_prefetched),
      cmocka_unit_test(srrip_outlives_a_scan),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
