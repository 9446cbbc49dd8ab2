/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_misses.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

const char *
cf_sim_cause_name(enum cf_sim_cause cause)
{
   static const char *const name[CF_SIM_CAUSES] = {
      [CF_SIM_CAUSE_REFILL] = "refill",   [CF_SIM_CAUSE_REPLAY] = "replay",
      [CF_SIM_CAUSE_BUSY] = "busy",       [CF_SIM_CAUSE_BLOCKED] = "blocked",
      [CF_SIM_CAUSE_ENTRIES] = "entries", [CF_SIM_CAUSE_WAYS] = "ways",
      [CF_SIM_CAUSE_MEMORY] = "memory",   [CF_SIM_CAUSE_PREFETCH] = "prefetch",
      [CF_SIM_CAUSE_EMPTY] = "empty",
   };
   return name[cause];
}

bool
cf_sim_misses_init(struct cf_sim_misses *m, const struct cf_sim_machine *machine,
                   const struct cf_sim_cache *like, struct cf_sim_dram *dram, uint32_t number,
                   uint32_t count)
{
   const uint32_t entries = machine->miss.entries, ways = like->sets * like->ways;
   *m = (struct cf_sim_misses){ .machine = machine,
                                .dram = dram,
                                .number = number,
                                .base = number,
                                .stride = count,
                                .waits = CF_SIM_CAUSE_BUSY };
   m->pending = calloc(like->sets, sizeof(m->pending[0]));
   m->chain_of = malloc(ways * sizeof(m->chain_of[0]));
   m->entry = malloc(entries * sizeof(m->entry[0]));
   m->returned = malloc(entries * sizeof(m->returned[0]));
   if (!m->pending || !m->chain_of || !m->entry || !m->returned ||
       !cf_sim_cache_init(&m->cache, ways, 1, like->ways, like->policy))
      return false;
   for (uint32_t i = 0; i < entries; i++)
      m->entry[i].next = i + 1 < entries ? i + 1 : NONE;
   return true;
}

void
cf_sim_misses_free(struct cf_sim_misses *m)
{
   cf_sim_cache_free(&m->cache);
   free(m->pending);
   free(m->chain_of);
   free(m->entry);
   free(m->returned);
   m->pending = NULL;
   m->chain_of = m->returned = NULL;
   m->entry = NULL;
}

bool
cf_sim_misses_push(struct cf_sim_misses *m, const struct cf_sim_access *access)
{
   if ((access->prefetch ? m->aheads : m->inputs) == CF_SIM_INPUT)
      return false;
   if (access->prefetch)
      m->ahead[(m->first_ahead + m->aheads++) % CF_SIM_INPUT] = *access;
   else
      m->input[(m->first_input + m->inputs++) % CF_SIM_INPUT] = *access;
   return true;
}

/* ------------------------------------------------------------------ data */

/* Read and write the words of a way, where data is carried. */
static void
apply(struct cf_sim_misses *m, uint32_t way, const struct cf_sim_access *a)
{
   if (!m->held || a->prefetch)
      return;
   if (a->result)
      *a->result = m->held[way][a->word];
   if (a->write)
      m->held[way][a->word] = a->value;
}

static void
write_back(struct cf_sim_misses *m, uint32_t way)
{
   const struct cf_sim_way *w = &m->cache.way[way];
   if (m->held)
      memcpy(m->memory[w->line], m->held[way], sizeof(m->held[way]));
}

/* ------------------------------------------------------------------ entries */

/* A request is answered. */
static void
report_answer(struct cf_sim_misses *m, const struct cf_sim_access *a)
{
   if (m->tell && !a->prefetch)
      m->tell(m->user, a);
}

static void
watch_answer(const struct cf_sim_misses *m, const struct cf_sim_access *a,
             enum cf_sim_outcome outcome, uint64_t begin, uint64_t end)
{
   if (m->watch)
      m->watch->answered(m->watch->user, m, a, outcome, begin, end);
}

static uint32_t
take_entry(struct cf_sim_misses *m, const struct cf_sim_access *access, enum cf_sim_outcome outcome,
           uint64_t time)
{
   const uint32_t number = m->free_entry;
   m->free_entry = m->entry[number].next;
   m->entry[number] = (struct cf_sim_entry){ .access = *access,
                                             .time = time,
                                             .next = NONE,
                                             .last = number,
                                             .dirty = access->write,
                                             .outcome = (uint8_t)outcome };
   m->used_entries++;
   m->waiting += !access->prefetch;
   return number;
}

/* Answer an entry. */
static void
answer(struct cf_sim_misses *m, uint32_t number, uint32_t way, uint64_t time)
{
   struct cf_sim_entry *e = &m->entry[number];
   apply(m, way, &e->access);
   if (!e->access.prefetch)
      m->counts.latency += time + 1 - e->time;
   watch_answer(m, &e->access, (enum cf_sim_outcome)e->outcome, e->time, time + 1);
   report_answer(m, &e->access);
   m->answered += !e->access.prefetch;
   m->waiting -= !e->access.prefetch;
   m->used_entries--;
   e->next = m->free_entry;
   m->free_entry = number;
}

/* The line joins those that are there. */
static void
settle(struct cf_sim_misses *m, uint32_t way, bool dirty)
{
   m->pending[way / m->cache.ways] &= ~(1ull << way % m->cache.ways);
   m->cache.way[way].dirty |= dirty;
}

/* ------------------------------------------------------------------ misses */

/* Begin a chain: the line takes the place of another one. */
static void
begin_chain(struct cf_sim_misses *m, const struct cf_sim_access *a, uint32_t set, uint32_t in_set,
            uint64_t time)
{
   const uint32_t way = set * m->cache.ways + in_set,
                  entry = take_entry(m, a, CF_SIM_OUTCOME_MISS, time);
   struct cf_sim_way *w = &m->cache.way[way];
   m->counts.useless += w->line != CF_SIM_NO_LINE && !w->touched;
   if (w->line != CF_SIM_NO_LINE && w->dirty) {
      write_back(m, way);
      cf_sim_dram_push(m->dram, m->base + w->line * m->stride, true, 0);
      m->cache.counts.write_backs++;
   }
   *w = (struct cf_sim_way){ .line = a->line, .touched = !a->prefetch };
   cf_sim_cache_use(&m->cache, set, in_set);
   m->pending[set] |= 1ull << in_set;
   m->chain_of[way] = entry;
   m->entry[entry].way = way;
   cf_sim_dram_push(m->dram, m->base + a->line * m->stride, false,
                    m->number << CF_SIM_ENTRY_BITS | entry);
   m->counts.misses += !a->prefetch;
   m->counts.prefetch_fills += a->prefetch;
}

static void
join_chain(struct cf_sim_misses *m, const struct cf_sim_access *a, uint32_t way, uint64_t time)
{
   struct cf_sim_entry *first = &m->entry[m->chain_of[way]];
   const bool late = !m->cache.way[way].touched;
   const uint32_t entry =
      take_entry(m, a, late ? CF_SIM_OUTCOME_LATE : CF_SIM_OUTCOME_CHAINED, time);
   m->counts.chained++;
   m->counts.late += late;
   m->cache.way[way].touched = true;
   m->entry[first->last].next = entry;
   first->last = entry;
}

static void
hit(struct cf_sim_misses *m, const struct cf_sim_access *a, uint32_t set, uint32_t in_set,
    uint64_t time)
{
   const uint32_t way = set * m->cache.ways + in_set;
   watch_answer(m, a, CF_SIM_OUTCOME_HIT, time, time + 1);
   if (a->prefetch)
      return;
   m->counts.hits++;
   m->counts.latency++;
   m->cache.way[way].dirty |= a->write;
   m->cache.way[way].touched = true;
   cf_sim_cache_use(&m->cache, set, in_set);
   apply(m, way, a);
   report_answer(m, a);
}

/* The line is asked for, and the request does not wait for it. */
static void
hit_early(struct cf_sim_misses *m, const struct cf_sim_access *a, uint32_t set, uint32_t in_set,
          uint64_t time)
{
   struct cf_sim_access ahead = *a;
   ahead.prefetch = true;
   begin_chain(m, &ahead, set, in_set, time);
   hit(m, a, set, in_set, time);
}

/* Take the request, or say why it has to wait. CF_SIM_CAUSE_BUSY: it is taken. */
static enum cf_sim_cause
take(struct cf_sim_misses *m, const struct cf_sim_access *a, uint64_t time)
{
   const uint32_t set = a->line & (m->cache.sets - 1);
   const uint64_t all = m->cache.ways == 64 ? UINT64_MAX : (1ull << m->cache.ways) - 1,
                  allowed = all & ~m->pending[set];
   const bool blocking = m->machine->miss.kind == CF_SIM_MISS_KIND_BLOCKING;
   const uint32_t in_set = cf_sim_cache_way(&m->cache, set, a->line);
   const bool here = in_set != CF_SIM_NO_LINE, on_its_way = here && m->pending[set] >> in_set & 1;
   if (blocking && m->used_entries)
      return CF_SIM_CAUSE_BLOCKED;
   if (here && (!on_its_way || a->prefetch || a->ideal)) {
      hit(m, a, set, in_set, time);
   } else if (m->free_entry == NONE) {
      return CF_SIM_CAUSE_ENTRIES;
   } else if (on_its_way) {
      join_chain(m, a, set * m->cache.ways + in_set, time);
   } else if (!allowed) {
      return CF_SIM_CAUSE_WAYS;
   } else if (!cf_sim_dram_has_room(m->dram)) {
      return CF_SIM_CAUSE_MEMORY;
   } else {
      (a->ideal ? hit_early : begin_chain)(m, a, set, cf_sim_cache_victim(&m->cache, set, allowed),
                                           time);
   }
   m->counts.requests += !a->prefetch;
   m->counts.prefetches += a->prefetch || a->ideal;
   return CF_SIM_CAUSE_BUSY;
}

/* ------------------------------------------------------------------ data that returns */

void
cf_sim_misses_return(struct cf_sim_misses *m, uint32_t entry)
{
   m->returned[(m->first_returned + m->returns++) % m->machine->miss.entries] = entry;
   if (m->held)
      memcpy(m->held[m->entry[entry].way], m->memory[m->entry[entry].access.line],
             sizeof(m->held[0]));
}

/* Answer up to miss.ports requests of the first chain. True: none is left. */
static bool
answer_some(struct cf_sim_misses *m, uint64_t time)
{
   uint32_t *first = &m->returned[m->first_returned];
   for (uint32_t i = 0; i < m->machine->miss.ports; i++) {
      const struct cf_sim_entry *head = &m->entry[*first];
      const uint32_t next = head->next, last = head->last, way = head->way;
      const bool dirty = head->dirty;
      answer(m, *first, way, time);
      if (next == NONE) {
         settle(m, way, dirty);
         m->first_returned = (m->first_returned + 1) % m->machine->miss.entries;
         m->returns--;
         return true;
      }
      /* the next one is the chain's first entry now */
      m->entry[next].last = last;
      m->entry[next].way = way;
      m->entry[next].dirty |= dirty;
      m->chain_of[way] = *first = next;
   }
   return false;
}

/* linked: the chain is answered beside the tags; they are used when the line is written. True: it
 * is written in this cycle. */
static bool
bypass(struct cf_sim_misses *m, uint64_t time)
{
   return m->returns > 0 && answer_some(m, time);
}

/* merging, blocking: the line is written, then the chain uses the tags. */
static enum cf_sim_cause
replay(struct cf_sim_misses *m, uint64_t time)
{
   if (!m->filled) {
      m->filled = true;
      return CF_SIM_CAUSE_REFILL;
   }
   m->filled = !answer_some(m, time);
   return CF_SIM_CAUSE_REPLAY;
}

/* ------------------------------------------------------------------ cycles */

/* Prefetches take the ports that requests on demand leave, and not while one of these waits. */
static enum cf_sim_cause
take_ahead(struct cf_sim_misses *m, uint32_t ports, uint64_t time)
{
   for (uint32_t taken = 0; taken < ports && m->aheads > 0; taken++) {
      const enum cf_sim_cause why = take(m, &m->ahead[m->first_ahead], time);
      if (why != CF_SIM_CAUSE_BUSY)
         return taken ? CF_SIM_CAUSE_PREFETCH : why;
      m->first_ahead = (m->first_ahead + 1) % CF_SIM_INPUT;
      m->aheads--;
   }
   return CF_SIM_CAUSE_PREFETCH;
}

static enum cf_sim_cause
take_some(struct cf_sim_misses *m, uint64_t time)
{
   uint32_t taken = 0;
   for (; taken < m->machine->miss.ports && m->inputs > 0; taken++) {
      const enum cf_sim_cause why = take(m, &m->input[m->first_input], time);
      if (why != CF_SIM_CAUSE_BUSY)
         return m->waits = taken ? CF_SIM_CAUSE_BUSY : why;
      m->first_input = (m->first_input + 1) % CF_SIM_INPUT;
      m->inputs--;
   }
   const enum cf_sim_cause ahead =
      m->aheads ? take_ahead(m, m->machine->miss.ports - taken, time) : CF_SIM_CAUSE_EMPTY;
   return taken ? CF_SIM_CAUSE_BUSY : ahead;
}

/* Whether the first request waits as it did in the last cycle: no line has returned, and memory has
 * no room if that is what it waits for. */
static bool
still_waits(const struct cf_sim_misses *m)
{
   return m->returns == 0 && m->waits != CF_SIM_CAUSE_BUSY &&
          (m->waits != CF_SIM_CAUSE_MEMORY || !cf_sim_dram_has_room(m->dram));
}

enum cf_sim_cause
cf_sim_misses_tick(struct cf_sim_misses *m, uint64_t time)
{
   const uint64_t hits = m->counts.hits;
   const bool waits = still_waits(m);
   enum cf_sim_cause cause = waits ? m->waits : CF_SIM_CAUSE_EMPTY;
   m->answered = 0;
   if (waits || (m->inputs == 0 && m->aheads == 0 && m->returns == 0)) {
      cf_sim_misses_skip(m, cause, 1);
      return cause;
   }
   m->waits = CF_SIM_CAUSE_BUSY;
   if (m->machine->miss.kind == CF_SIM_MISS_KIND_LINKED)
      cause = bypass(m, time) ? CF_SIM_CAUSE_REFILL : take_some(m, time);
   else
      cause = m->returns > 0 ? replay(m, time) : take_some(m, time);
   m->counts.cause[cause]++;
   m->counts.in_flight += m->waiting + m->answered + (m->counts.hits - hits);
   m->counts.queued += m->inputs;
   return cause;
}
