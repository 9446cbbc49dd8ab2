/* SPDX-License-Identifier: MIT */
/*
 * A cache of lines, in order of access: which requests hit, under a policy of replacement. A table
 * guesses the way that has a line; where it is wrong, which nearly all misses are, the set is
 * searched.
 *
 * The optimal policy (Belady) needs the future: the cache only notes the requests, and
 * cf_sim_cache_finish runs them.
 */
#ifndef CF_SIM_CACHE_H
#define CF_SIM_CACHE_H

#include "clipfree/timing/cf_sim_machine.h"

struct cf_sim_cache_counts {
   uint64_t requests, hits, misses; /* on demand */
   uint64_t compulsory;             /* misses of lines that were never there before */
   uint64_t writes;                 /* requests that write */
   uint64_t prefetches;             /* asked for */
   uint64_t prefetched;             /* of these, lines that were not there: they are fetched */
   uint64_t useless;                /* of these, thrown out before they were used */
   uint64_t fills;                  /* lines read from memory */
   uint64_t write_backs;            /* lines written to memory */
};

struct cf_sim_way {
   uint32_t line;       /* CF_SIM_NO_LINE: free */
   uint32_t used;       /* the time; 0: it is new */
   bool dirty, touched; /* touched: the bit OTT */
   uint8_t distance;    /* to its next use, as SRRIP expects it */
};

struct cf_sim_cache {
   enum cf_sim_policy policy;
   uint32_t sets, ways;
   uint32_t time;
   struct cf_sim_way *way; /* [sets * ways] */
   uint32_t *guess;        /* by the lower bits of a line: the way that it may have */
   uint32_t guess_mask;
   uint64_t *tree;         /* of PLRU, by set */
   uint8_t *seen;          /* a bit for each line */
   size_t seen_B;
   uint32_t *noted; /* optimal: line << 1 | write */
   size_t notes, note_room;
   struct cf_sim_cache_counts counts;
};

#define CF_SIM_NO_LINE UINT32_MAX
#define CF_SIM_MAX_LINE (1u << 30)
#define CF_SIM_FAR 2 /* SRRIP: what is new is expected to be used late */

/** A cache of size_B / line_B lines. ways 0: fully associative. size_B 0: no line stays. False: out
 * of memory. */
bool cf_sim_cache_init(struct cf_sim_cache *cache, uint32_t size_B, uint32_t line_B, uint32_t ways,
                       enum cf_sim_policy policy);
void cf_sim_cache_free(struct cf_sim_cache *cache);

/** A prefetch, for a line below CF_SIM_MAX_LINE. False: out of memory. */
bool cf_sim_cache_prefetch(struct cf_sim_cache *cache, uint32_t line);

/** cf_sim_cache_request of a line that was not guessed. */
bool cf_sim_cache_search(struct cf_sim_cache *cache, uint32_t line, bool write);

/** The way, of all sets, that has a line, if the guess is right; else CF_SIM_NO_LINE. */
static inline uint32_t
cf_sim_cache_guess(const struct cf_sim_cache *cache, uint32_t line)
{
   const uint32_t at = cache->way ? cache->guess[line & cache->guess_mask] : 0;
   return cache->way && cache->way[at].line == line ? at : CF_SIM_NO_LINE;
}

/** The first way of a set that has a line, or CF_SIM_NO_LINE. All ways are looked at: a branch at
 * the right one would be mispredicted. */
static inline uint32_t
cf_sim_cache_way(const struct cf_sim_cache *cache, uint32_t set, uint32_t line)
{
   const struct cf_sim_way *way = &cache->way[set * cache->ways];
   uint32_t found = CF_SIM_NO_LINE;
   for (uint32_t i = cache->ways; i-- > 0;)
      found = way[i].line == line ? i : found;
   return found;
}

/** The way of a set that is replaced: a free one, or one of `allowed`, a bit for each way of up to
 * 64. Free ways are always allowed. */
uint32_t cf_sim_cache_victim(struct cf_sim_cache *cache, uint32_t set, uint64_t allowed);

/* PLRU: a binary tree over the ways, node 1 the root. A node's bit says which half is to be
 * replaced. Point all nodes above a way away from it. */
static inline void
cf_sim_cache_point_away(uint64_t *tree, uint32_t ways, uint32_t way)
{
   for (uint32_t node = ways + way; node > 1; node /= 2) {
      const uint64_t bit = 1ull << node / 2;
      *tree = node & 1 ? *tree & ~bit : *tree | bit;
   }
}

/** The way of a set is used now. */
static inline void
cf_sim_cache_use(struct cf_sim_cache *cache, uint32_t set, uint32_t way)
{
   struct cf_sim_way *w = &cache->way[set * cache->ways + way];
   w->distance = w->used == 0 ? CF_SIM_FAR : 0;
   w->used = ++cache->time;
   if (cache->policy == CF_SIM_POLICY_PLRU || cache->policy == CF_SIM_POLICY_PLRU_OTT)
      cf_sim_cache_point_away(&cache->tree[set], cache->ways, way);
}

/** The way of a set is used by a request. */
static inline void
cf_sim_cache_touch(struct cf_sim_cache *cache, uint32_t set, uint32_t way, bool write)
{
   struct cf_sim_way *w = &cache->way[set * cache->ways + way];
   w->dirty |= write;
   w->touched = true;
   cf_sim_cache_use(cache, set, way);
}

/** A request on demand, for a line below CF_SIM_MAX_LINE. False: out of memory. */
static inline bool
cf_sim_cache_request(struct cf_sim_cache *cache, uint32_t line, bool write)
{
   const uint32_t at = cf_sim_cache_guess(cache, line), set = line & (cache->sets - 1);
   cache->counts.requests++;
   cache->counts.writes += write;
   if (at == CF_SIM_NO_LINE)
      return cf_sim_cache_search(cache, line, write);
   cache->counts.hits++;
   cf_sim_cache_touch(cache, set, at - set * cache->ways, write);
   return true;
}

/** All requests are made: counts are valid, with what is still to be written back. */
bool cf_sim_cache_finish(struct cf_sim_cache *cache);

#endif
