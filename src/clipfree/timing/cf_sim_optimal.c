/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_optimal.h"

#include <stdlib.h>

#define NEVER UINT32_MAX

struct kept {
   uint32_t line, next; /* next: the request that uses it next */
   bool dirty;
};

/* A line's last use so far, when requests are read backward or forward. */
static uint32_t *
uses_of(const uint32_t *request, size_t count, uint32_t *lines)
{
   *lines = 0;
   for (size_t i = 0; i < count; i++)
      *lines = request[i] >> 1 >= *lines ? (request[i] >> 1) + 1 : *lines;
   uint32_t *use = malloc((*lines + (size_t)1) * sizeof(use[0]));
   for (uint32_t i = 0; use && i < *lines; i++)
      use[i] = NEVER;
   return use;
}

/* For each request the next one of its line. */
static uint32_t *
nexts_of(const uint32_t *request, size_t count, uint32_t *use)
{
   uint32_t *next = malloc((count + 1) * sizeof(next[0]));
   for (size_t i = count; next && i-- > 0;) {
      next[i] = use[request[i] >> 1];
      use[request[i] >> 1] = (uint32_t)i;
   }
   return next;
}

/* The way that has the line, or else the one to be replaced: a free one, or used last. */
static struct kept *
find(struct kept *set, uint32_t ways, uint32_t line)
{
   struct kept *victim = set;
   for (uint32_t i = 0; i < ways; i++) {
      if (set[i].line == line)
         return &set[i];
      const bool victim_free = victim->line == CF_SIM_NO_LINE;
      if (!victim_free && (set[i].line == CF_SIM_NO_LINE || set[i].next > victim->next))
         victim = &set[i];
   }
   return victim;
}

static void
run(const uint32_t *request, size_t count, uint32_t sets, uint32_t ways, const uint32_t *next,
    const uint32_t *first, struct kept *kept, struct cf_sim_cache_counts *counts)
{
   for (size_t i = 0; i < count; i++) {
      const uint32_t line = request[i] >> 1;
      struct kept *way = find(&kept[(size_t)(line & (sets - 1)) * ways], ways, line);
      if (way->line == line) {
         counts->hits++;
      } else {
         counts->misses++;
         counts->fills++;
         counts->compulsory += first[line] == i;
         counts->write_backs += way->dirty;
         *way = (struct kept){ .line = line };
      }
      way->dirty |= request[i] & 1;
      way->next = next[i];
   }
   for (size_t i = 0; i < (size_t)sets * ways; i++)
      counts->write_backs += kept[i].dirty;
}

bool
cf_sim_optimal(const uint32_t *request, size_t count, uint32_t sets, uint32_t ways,
               struct cf_sim_cache_counts *counts)
{
   uint32_t lines;
   uint32_t *use = uses_of(request, count, &lines);
   uint32_t *next = use ? nexts_of(request, count, use) : NULL; /* now `use` is the first use */
   struct kept *kept = malloc((size_t)sets * ways * sizeof(kept[0]));
   const bool ok = use && next && kept;
   for (size_t i = 0; ok && i < (size_t)sets * ways; i++)
      kept[i] = (struct kept){ .line = CF_SIM_NO_LINE };
   if (ok)
      run(request, count, sets, ways, next, use, kept, counts);
   free(use);
   free(next);
   free(kept);
   return ok;
}
