/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_cache.h"

#include <stdlib.h>
#include <string.h>

#include "clipfree/timing/cf_sim_optimal.h"
#include "clipfree/timing/cf_sim_trace.h"

#define FARTHEST 3 /* of SRRIP, with two bits */
#define LEAST_GUESSES 256
#define MOST_GUESSES 8192 /* they shall stay in the host's cache */

/* A power of two, a few for each line. */
static uint32_t
guesses_for(uint32_t lines)
{
   uint32_t guesses = LEAST_GUESSES;
   while (guesses < 4 * (uint64_t)lines && guesses < MOST_GUESSES)
      guesses *= 2;
   return guesses;
}

bool
cf_sim_cache_init(struct cf_sim_cache *cache, uint32_t size_B, uint32_t line_B, uint32_t ways,
                  enum cf_sim_policy policy)
{
   const uint32_t lines = size_B / line_B;
   *cache = (struct cf_sim_cache){ .policy = policy,
                                   .ways = ways ? ways : lines,
                                   .sets = lines == 0 ? 0
                                           : ways     ? lines / ways
                                                      : 1 };
   if (policy == CF_SIM_POLICY_OPTIMAL || lines == 0)
      return true;
   cache->way = malloc(lines * sizeof(cache->way[0]));
   cache->tree = calloc(cache->sets, sizeof(cache->tree[0]));
   cache->guess_mask = guesses_for(lines) - 1;
   cache->guess = calloc(cache->guess_mask + 1, sizeof(cache->guess[0]));
   if (!cache->way || !cache->tree || !cache->guess) {
      cf_sim_cache_free(cache);
      return false;
   }
   for (uint32_t i = 0; i < lines; i++)
      cache->way[i] = (struct cf_sim_way){ .line = CF_SIM_NO_LINE };
   return true;
}

void
cf_sim_cache_free(struct cf_sim_cache *cache)
{
   free(cache->way);
   free(cache->tree);
   free(cache->guess);
   free(cache->seen);
   free(cache->noted);
   *cache = (struct cf_sim_cache){ 0 };
}

/* ------------------------------------------------------------------ policies */

/* The way that the tree names among those that may be replaced: where only one half has any, it is
 * there. */
static uint32_t
follow(uint64_t tree, uint32_t ways, uint64_t allowed)
{
   uint32_t node = 1, first = 0, size = ways;
   while (size > 1) {
      size /= 2;
      const uint64_t half = size == 64 ? UINT64_MAX : (1ull << size) - 1;
      const bool low = allowed & half << first, high = allowed & half << (first + size);
      const uint32_t right = low && high ? tree >> node & 1 : high;
      node = 2 * node + right;
      first += right * size;
   }
   return first;
}

static uint32_t
oldest(const struct cf_sim_way *way, uint32_t ways, uint64_t allowed)
{
   uint64_t first = UINT64_MAX; /* the time of its use, then its number */
   for (uint32_t i = 0; i < ways; i++) {
      const bool may = ways > 64 || allowed >> i & 1;
      const uint64_t use = may ? (uint64_t)way[i].used << 32 | i : UINT64_MAX;
      first = use < first ? use : first;
   }
   return (uint32_t)first;
}

/* Of the allowed lines those with OTT = 1 first. Paper D does not say what happens where there is
 * none: PLRU among all. */
static uint64_t
touched_ways(const struct cf_sim_way *way, uint32_t ways, uint64_t allowed)
{
   uint64_t touched = 0;
   for (uint32_t i = 0; i < ways; i++)
      touched |= (uint64_t)way[i].touched << i;
   return touched & allowed ? touched & allowed : allowed;
}

/* SRRIP (Jaleel et al. 2010): the first line whose next use is expected farthest away. All lines
 * age until an allowed one is. */
static uint32_t
farthest(struct cf_sim_way *way, uint32_t ways, uint64_t allowed)
{
   for (;;) {
      for (uint32_t i = 0; i < ways; i++) {
         if (way[i].distance == FARTHEST && (ways > 64 || allowed >> i & 1))
            return i;
      }
      for (uint32_t i = 0; i < ways; i++)
         way[i].distance += way[i].distance < FARTHEST;
   }
}

uint32_t
cf_sim_cache_victim(struct cf_sim_cache *cache, uint32_t set, uint64_t allowed)
{
   struct cf_sim_way *way = &cache->way[set * cache->ways];
   const uint32_t free = cf_sim_cache_way(cache, set, CF_SIM_NO_LINE);
   if (free != CF_SIM_NO_LINE)
      return free;
   if (cache->policy == CF_SIM_POLICY_LRU)
      return oldest(way, cache->ways, allowed);
   if (cache->policy == CF_SIM_POLICY_SRRIP)
      return farthest(way, cache->ways, allowed);
   return follow(cache->tree[set], cache->ways,
                 cache->policy == CF_SIM_POLICY_PLRU_OTT ? touched_ways(way, cache->ways, allowed)
                                                         : allowed);
}

/* ------------------------------------------------------------------ requests */

/* Whether the line was there before; from now on it was. False too: out of memory. */
static bool
seen_before(struct cf_sim_cache *cache, uint32_t line)
{
   const size_t at = line / 8;
   if (at >= cache->seen_B) {
      const size_t wanted = 2 * at + 4096;
      uint8_t *grown = realloc(cache->seen, wanted);
      if (!grown)
         return false;
      memset(grown + cache->seen_B, 0, wanted - cache->seen_B);
      cache->seen = grown;
      cache->seen_B = wanted;
   }
   const bool seen = cache->seen[at] >> line % 8 & 1;
   cache->seen[at] |= (uint8_t)(1u << line % 8);
   return seen;
}

/* Fetch the line into the way of a victim. */
static uint32_t
fill(struct cf_sim_cache *cache, uint32_t set, uint32_t line)
{
   const uint32_t way = cf_sim_cache_victim(cache, set, UINT64_MAX);
   struct cf_sim_way *victim = &cache->way[set * cache->ways + way];
   if (victim->line != CF_SIM_NO_LINE) {
      cache->counts.write_backs += victim->dirty;
      cache->counts.useless += !victim->touched;
   }
   *victim = (struct cf_sim_way){ .line = line };
   cache->guess[line & cache->guess_mask] = set * cache->ways + way;
   cache->counts.fills++;
   return way;
}

static bool
note(struct cf_sim_cache *cache, uint32_t line, bool write)
{
   uint32_t *grown =
      cf_sim_grow(cache->noted, cache->notes, 1, &cache->note_room, sizeof(grown[0]));
   if (!grown)
      return false;
   cache->noted = grown;
   cache->noted[cache->notes++] = line << 1 | write;
   return true;
}

/* Without a cache each request goes to memory. */
static void
pass_by(struct cf_sim_cache *cache, uint32_t line, bool write)
{
   cache->counts.misses++;
   cache->counts.compulsory += !seen_before(cache, line);
   cache->counts.fills++;
   cache->counts.write_backs += write;
}

bool
cf_sim_cache_search(struct cf_sim_cache *cache, uint32_t line, bool write)
{
   if (cache->sets == 0) {
      pass_by(cache, line, write);
      return true;
   }
   if (cache->policy == CF_SIM_POLICY_OPTIMAL)
      return note(cache, line, write);
   const uint32_t set = line & (cache->sets - 1);
   uint32_t way = cf_sim_cache_way(cache, set, line);
   if (way == CF_SIM_NO_LINE) {
      way = fill(cache, set, line);
      cache->counts.misses++;
      cache->counts.compulsory += !seen_before(cache, line);
   } else {
      cache->counts.hits++;
      cache->guess[line & cache->guess_mask] = set * cache->ways + way;
   }
   cf_sim_cache_touch(cache, set, way, write);
   return true;
}

bool
cf_sim_cache_prefetch(struct cf_sim_cache *cache, uint32_t line)
{
   const uint32_t set = line & (cache->sets - 1);
   cache->counts.prefetches++;
   if (cache->sets == 0 || cf_sim_cache_guess(cache, line) != CF_SIM_NO_LINE ||
       cf_sim_cache_way(cache, set, line) != CF_SIM_NO_LINE)
      return true;
   cache->counts.prefetched++;
   seen_before(cache, line);
   cf_sim_cache_use(cache, set, fill(cache, set, line));
   return true;
}

bool
cf_sim_cache_finish(struct cf_sim_cache *cache)
{
   if (cache->policy == CF_SIM_POLICY_OPTIMAL)
      return cf_sim_optimal(cache->noted, cache->notes, cache->sets, cache->ways, &cache->counts);
   for (uint32_t i = 0; cache->way && i < cache->sets * cache->ways; i++) {
      struct cf_sim_way *way = &cache->way[i];
      cache->counts.write_backs += way->dirty;
      cache->counts.useless += way->line != CF_SIM_NO_LINE && !way->touched;
      way->dirty = false;
   }
   return true;
}
