/* SPDX-License-Identifier: MIT */
/*
 * Queries of the command processor: which are active, what draws count for them, and readings of
 * the clock. Counts of a pass are collected in its arena and added to the results, in GPU memory,
 * by a loop after it.
 */
#ifndef CF_QUERIES_H
#define CF_QUERIES_H

#include "clipfree/command/cf_state.h"
#include "clipfree/schedule/cf_workers.h"

#define CF_QUERY_KINDS 6

/* What a sequence of draws counts that the same queries are active for. Results are in GPU memory;
 * NULL: no such query is active. */
struct cf_query_counts {
   struct cf_query_counts *next;
   uint64_t samples, primitives, feedback_primitives;
   uint64_t *samples_result[2], *primitives_result, *feedback_result;
};

/* All zero: none is active. */
struct cf_queries {
   uint64_t *result[CF_QUERY_KINDS]; /* of active queries; NULL: inactive */
   struct cf_query_counts *counts;   /* of the next draw; NULL: allocated when a query is active */
};

/** Let the draw count for the active queries. list: the counts of its pass, last first, in `arena`.
 * False: out of memory. */
bool cf_queries_count(struct cf_queries *queries, struct cf_arena *arena,
                      struct cf_query_counts **list, struct cf_draw_state *draw);

/** An item of a loop: add the counts of the list (`user`) to their results. */
void cf_queries_add(void *user, uint32_t worker, uint32_t item);

/** Items of loops that read the clock, in nanoseconds: into a result (`user`), or the difference to
 * it, which two of them leave there. */
void cf_queries_store_time(void *result, uint32_t worker, uint32_t item);
void cf_queries_subtract_time(void *result, uint32_t worker, uint32_t item);
void cf_queries_add_time(void *result, uint32_t worker, uint32_t item);

#endif
