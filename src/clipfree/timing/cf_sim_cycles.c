/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_cycles.h"

#include <assert.h>
#include <stdlib.h>

const char *
cf_sim_cycles_contradiction(const struct cf_sim_machine *m)
{
   const bool color = !m->color.shared;
   if (m->z.size_B == 0 || (color && m->color.size_B == 0))
      return "mode cycles needs caches: z.size_B and color.size_B are above 0";
   if (m->z.ways == 0 || (color && m->color.ways == 0))
      return "mode cycles needs sets: z.ways and color.ways are above 0";
   if (m->z.policy == CF_SIM_POLICY_OPTIMAL || (color && m->color.policy == CF_SIM_POLICY_OPTIMAL))
      return "mode cycles does not know the future: z.policy and color.policy are not optimal";
   if (m->gpu.model == CF_SIM_MODEL_PIXELS && m->z.prefetch == CF_SIM_PREFETCH_ADAPTIVE)
      return "z.prefetch adaptive follows the time that shading takes: it needs gpu.model whole";
   return NULL;
}

bool
cf_sim_cycles_init(struct cf_sim_cycles *c, const struct cf_sim_machine *m)
{
   const uint32_t line_B = 4 * m->z.line_width_px * m->z.line_height_px;
   struct cf_sim_cache z, color;
   *c = (struct cf_sim_cycles){ .machine = m,
                                .caches = 2 * m->screen.pipelines,
                                .has_color = !m->color.shared };
   for (uint32_t i = 0; i < CF_SIM_MAX_CACHES; i++)
      c->cause[i] = CF_SIM_CAUSE_EMPTY;
   cf_sim_layout_init(&c->layout, m);
   cf_sim_dram_init(&c->dram, m, line_B);
   bool ok = cf_sim_cache_init(&z, m->z.size_B, line_B, m->z.ways, m->z.policy);
   ok = cf_sim_cache_init(&color, c->has_color ? m->color.size_B : line_B, line_B,
                          c->has_color ? m->color.ways : 1,
                          c->has_color ? m->color.policy : CF_SIM_POLICY_LRU) &&
        ok;
   for (uint32_t i = 0; ok && i < c->caches; i++)
      ok = cf_sim_misses_init(&c->cache[i], m, i % 2 ? &color : &z, &c->dram, i, c->caches);
   cf_sim_cache_free(&z);
   cf_sim_cache_free(&color);
   if (!ok)
      cf_sim_cycles_free(c);
   return ok;
}

void
cf_sim_cycles_free(struct cf_sim_cycles *c)
{
   for (uint32_t i = 0; i < c->caches; i++)
      cf_sim_misses_free(&c->cache[i]);
   cf_sim_layout_free(&c->layout);
   free(c->request);
   c->request = NULL;
   c->caches = 0;
}

uint32_t
cf_sim_cycles_cache(const struct cf_sim_cycles *c, const struct cf_sim_request *r)
{
   return 2u * r->pipeline + (r->color && c->has_color);
}

/* ------------------------------------------------------------------ time */

/* What memory gives back goes to the cache that asked for it. */
static void
deliver(struct cf_sim_cycles *c)
{
   uint32_t user;
   while (cf_sim_dram_pop(&c->dram, c->time, &user))
      cf_sim_misses_return(&c->cache[user >> CF_SIM_ENTRY_BITS],
                           user & ((1u << CF_SIM_ENTRY_BITS) - 1));
}

bool
cf_sim_cycles_has_room(const struct cf_sim_cycles *c, uint32_t cache)
{
   return c->cache[cache].inputs < c->machine->miss.input;
}

/* Put requests into queues, in order. Returns the number of the next one. */
static size_t
feed(struct cf_sim_cycles *c, size_t next,
     struct cf_sim_access (*access)(void *user, size_t number), void *user)
{
   const uint32_t most = c->machine->screen.requests_per_cycle * c->machine->screen.pipelines;
   for (uint32_t fed = 0; fed < most && next < c->requests; fed++, next++) {
      const uint32_t cache = cf_sim_cycles_cache(c, &c->request[next]);
      const struct cf_sim_access a = access(user, next);
      if (a.prefetch ? c->cache[cache].aheads >= c->machine->miss.input
                     : !cf_sim_cycles_has_room(c, cache)) {
         c->waits = true;
         return next;
      }
      cf_sim_misses_push(&c->cache[cache], &a);
      if (c->watch)
         c->watch->fed(c->watch->user, &c->request[next], c->time);
   }
   return next;
}

bool
cf_sim_cycles_tick(struct cf_sim_cycles *c, uint64_t time)
{
   bool active = false;
   for (uint32_t i = 0; i < c->caches; i++) {
      const enum cf_sim_cause cause = cf_sim_misses_tick(&c->cache[i], time);
      active |= cause == CF_SIM_CAUSE_BUSY || cause == CF_SIM_CAUSE_REFILL ||
                cause == CF_SIM_CAUSE_REPLAY || cause == CF_SIM_CAUSE_PREFETCH ||
                c->cache[i].returns > 0;
      c->cause[i] = cause;
   }
   c->time = time + 1;
   return active;
}

bool
cf_sim_cycles_idle(const struct cf_sim_cycles *c)
{
   for (uint32_t i = 0; i < c->caches; i++) {
      if (!cf_sim_misses_idle(&c->cache[i]))
         return false;
   }
   return true;
}

void
cf_sim_cycles_skip(struct cf_sim_cycles *c, uint64_t time)
{
   const uint64_t cycles = time - c->time;
   assert(time >= c->time); /* a cycle comes once */
   for (uint32_t i = 0; i < c->caches; i++)
      cf_sim_misses_skip(&c->cache[i], c->cause[i], cycles);
   c->full += c->waits ? cycles : 0;
   c->time = time;
}

/* When memory does something. */
static uint64_t
next_time(const struct cf_sim_cycles *c)
{
   const uint64_t next = cf_sim_dram_next(&c->dram, c->time - 1);
   return next != CF_SIM_NEVER && next > c->time ? next : c->time;
}

void
cf_sim_cycles_run(struct cf_sim_cycles *c,
                  struct cf_sim_access (*access)(void *user, size_t number), void *user)
{
   size_t next = 0;
   while (next < c->requests || !cf_sim_cycles_idle(c)) {
      const size_t before = next;
      deliver(c);
      c->waits = false;
      next = feed(c, next, access, user);
      c->full += c->waits;
      const uint64_t time = c->time;
      const bool active = cf_sim_cycles_tick(c, time);
      cf_sim_dram_tick(&c->dram, time);
      /* what comes next is the next cycle, or, where nothing happens, what memory does */
      const uint64_t until = !active && next == before ? next_time(c) : c->time;
      if (c->watch)
         c->watch->step(c->watch->user, time, until);
      if (until > c->time)
         cf_sim_cycles_skip(c, until);
   }
}

/* ------------------------------------------------------------------ chunks */

static void
keep_request(void *user, const struct cf_sim_request *r)
{
   struct cf_sim_cycles *c = user;
   struct cf_sim_request *grown =
      cf_sim_grow(c->request, c->requests, 1, &c->request_room, sizeof(grown[0]));
   if (!grown) {
      c->failed = true;
      return;
   }
   c->request = grown;
   c->request[c->requests++] = *r;
}

struct cf_sim_access
cf_sim_cycles_access(const struct cf_sim_request *r)
{
   return (struct cf_sim_access){ .line = r->line,
                                  .write = r->writes,
                                  .prefetch = r->prefetch,
                                  .ideal = r->ideal,
                                  .value = r->item };
}

static struct cf_sim_access
access_of(void *user, size_t number)
{
   const struct cf_sim_cycles *c = user;
   return cf_sim_cycles_access(&c->request[number]);
}

void
cf_sim_cycles_watch(struct cf_sim_cycles *c, const struct cf_sim_watch *watch)
{
   c->watch = watch;
   c->dram.watch = watch;
   for (uint32_t i = 0; i < c->caches; i++)
      c->cache[i].watch = watch;
}

void
cf_sim_cycles_chunk(struct cf_sim_cycles *c, const struct cf_sim_chunk *chunk,
                    const struct cf_sim_order *order)
{
   const struct cf_sim_request_sink sink = { c, keep_request };
   if (!cf_sim_layout_chunk(&c->layout, chunk)) {
      c->failed = true;
      return;
   }
   c->requests = 0;
   cf_sim_pixels_chunk(&c->layout, chunk, order, &sink);
   if (!c->failed)
      cf_sim_cycles_run(c, access_of, c);
}

struct cf_sim_misses_counts
cf_sim_cycles_sum(const struct cf_sim_cycles *c, uint32_t first)
{
   struct cf_sim_misses_counts sum = { 0 };
   for (uint32_t i = first; i < c->caches; i += 2) {
      const struct cf_sim_misses_counts *n = &c->cache[i].counts;
      sum.requests += n->requests;
      sum.hits += n->hits;
      sum.misses += n->misses;
      sum.chained += n->chained;
      sum.prefetches += n->prefetches;
      sum.prefetch_fills += n->prefetch_fills;
      sum.late += n->late;
      sum.useless += n->useless;
      sum.queued += n->queued;
      sum.latency += n->latency;
      sum.in_flight += n->in_flight;
      for (uint32_t k = 0; k < CF_SIM_CAUSES; k++)
         sum.cause[k] += n->cause[k];
   }
   return sum;
}
