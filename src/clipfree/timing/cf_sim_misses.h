/* SPDX-License-Identifier: MIT */
/*
 * A cache with time: its queue of requests, its tags, and its misses, of three kinds (machine.toml,
 * miss.kind). Requests of a line are answered in their order; those of other lines may be answered
 * before them.
 *
 * linked, paper E: an entry of the miss queue names its line and the next entry of the same line.
 * Requests of a line on its way chain and send no second bus request. Data that returns goes
 * straight to the requests of the chain, one after the other; then the line is written once, with
 * all that they wrote.
 */
#ifndef CF_SIM_MISSES_H
#define CF_SIM_MISSES_H

#include "clipfree/timing/cf_sim_cache.h"
#include "clipfree/timing/cf_sim_dram.h"
#include "clipfree/timing/cf_sim_watch.h"

#define CF_SIM_WORDS 4 /* of a line whose data is carried, in tests */

/* What a cycle of a cache is for: each cycle has one. The first that applies. */
enum cf_sim_cause {
   CF_SIM_CAUSE_REFILL,   /* a line is written */
   CF_SIM_CAUSE_REPLAY,   /* requests that waited for a line use the tags again */
   CF_SIM_CAUSE_BUSY,     /* requests are taken */
   CF_SIM_CAUSE_BLOCKED,  /* blocking: a miss is on its way */
   CF_SIM_CAUSE_ENTRIES,  /* no entry of the miss queue is free */
   CF_SIM_CAUSE_WAYS,     /* all lines of the set are on their way */
   CF_SIM_CAUSE_MEMORY,   /* memory takes no more requests */
   CF_SIM_CAUSE_PREFETCH, /* prefetches alone are taken */
   CF_SIM_CAUSE_EMPTY,    /* no request is there */
   CF_SIM_CAUSES
};

/** "refill", ... */
const char *cf_sim_cause_name(enum cf_sim_cause cause);

/* A request. */
struct cf_sim_access {
   uint32_t line;
   bool write, prefetch;
   bool ideal;           /* it does not wait for its line, of which no data is carried then */
   uint32_t word, value; /* where data is carried: the word that is written; else `value` is free */
   uint32_t *result;     /* where data is carried: gets the word that is read; NULL: nothing does */
};

/* An entry of the miss queue. */
struct cf_sim_entry {
   struct cf_sim_access access;
   uint64_t time; /* when it was taken */
   uint32_t next; /* of the same line, or the next free one */
   uint32_t last; /* of a chain's first entry */
   uint32_t way;  /* in all sets; of a chain's first entry */
   bool dirty;    /* of a chain's first entry: something is written */
   uint8_t outcome; /* enum cf_sim_outcome */
};

struct cf_sim_misses_counts {
   uint64_t requests, hits, misses, chained, prefetches, prefetch_fills;
   uint64_t late;      /* of the chained ones: behind a prefetch */
   uint64_t useless;   /* lines that were prefetched, and replaced before they were used */
   uint64_t queued;    /* sum over cycles of requests on demand that wait before the tags */
   uint64_t latency;   /* sum over requests on demand, in cycles from tag to answer */
   uint64_t in_flight; /* sum over cycles of requests on demand that are taken and not answered */
   uint64_t cause[CF_SIM_CAUSES];
};

#define CF_SIM_INPUT 64
#define CF_SIM_ENTRY_BITS 10 /* what a bus read is for: number << CF_SIM_ENTRY_BITS | entry */

struct cf_sim_misses {
   const struct cf_sim_machine *machine;
   struct cf_sim_cache cache; /* tags */
   struct cf_sim_dram *dram;
   uint32_t number;            /* which of the machine's caches; bus reads name it */
   uint64_t base, stride;      /* a line's number in memory is base + line * stride */
   /* called for each request on demand that is answered; NULL: nothing is called */
   void (*tell)(void *user, const struct cf_sim_access *access);
   void *user;
   const struct cf_sim_watch *watch; /* NULL: none */
   uint64_t *pending;          /* by set: ways whose line is on its way */
   uint32_t *chain_of;         /* by way: the chain's first entry */
   struct cf_sim_entry *entry; /* [miss.entries + 1]: the last is for requests without a cache */
   uint32_t free_entry, used_entries;
   uint32_t waiting, answered; /* on demand: taken and not answered; answered in this cycle */
   uint32_t *returned;         /* ring of chains whose data is there: first entries */
   uint32_t first_returned, returns;
   bool filled; /* merging, blocking: the line of the first returned chain is written */
   struct cf_sim_access input[CF_SIM_INPUT]; /* ring */
   uint32_t first_input, inputs;
   enum cf_sim_cause waits; /* why the first request waited in the last cycle; BUSY: it did not */
   struct cf_sim_access ahead[CF_SIM_INPUT]; /* ring of prefetches */
   uint32_t first_ahead, aheads;
   struct cf_sim_misses_counts counts;
   /* where data is carried: memory by line, and the cache's by way; else NULL */
   uint32_t (*memory)[CF_SIM_WORDS], (*held)[CF_SIM_WORDS];
};

/** False: out of memory. Ends with cf_sim_misses_free, in any case. size_B > 0, ways from 1 to 64.
 */
bool cf_sim_misses_init(struct cf_sim_misses *misses, const struct cf_sim_machine *machine,
                        const struct cf_sim_cache *like, struct cf_sim_dram *dram, uint32_t number,
                        uint32_t count);
void cf_sim_misses_free(struct cf_sim_misses *misses);

/** Put a request into the input queue, a prefetch into one of its own. False: it is full. */
bool cf_sim_misses_push(struct cf_sim_misses *misses, const struct cf_sim_access *access);

/** Data of a bus read is there. */
void cf_sim_misses_return(struct cf_sim_misses *misses, uint32_t entry);

/** A cycle; returns what it was for. */
enum cf_sim_cause cf_sim_misses_tick(struct cf_sim_misses *misses, uint64_t time);

/** Whether nothing is queued or on its way. */
static inline bool
cf_sim_misses_idle(const struct cf_sim_misses *misses)
{
   return misses->inputs == 0 && misses->aheads == 0 && misses->used_entries == 0;
}

/** `cycles` more cycles like the last one, in which nothing happened. */
static inline void
cf_sim_misses_skip(struct cf_sim_misses *misses, enum cf_sim_cause cause, uint64_t cycles)
{
   misses->counts.cause[cause] += cycles;
   misses->counts.in_flight += cycles * misses->waiting;
   misses->counts.queued += cycles * misses->inputs;
}

#endif
