/* SPDX-License-Identifier: MIT */
/*
 * Queries and conditional rendering.
 */
#ifndef CLIPFREE_QUERY_H
#define CLIPFREE_QUERY_H

#include <stdbool.h>

struct cf_context;

/** Dwords of the packets that pause or resume all queries. */
unsigned cf_query_dwords(const struct cf_context *context);

/** Send begin or end packets so that the GPU counts exactly if queries are active and not paused.
 * There must be room. */
void cf_query_update(struct cf_context *context);

/** Stop counting at the end of a batch: the next one starts from reset state. There must be
 * room. */
void cf_query_stop(struct cf_context *context);

/** Whether conditional rendering allows drawing. Waits if the condition's mode demands it. */
bool cf_query_condition_passes(struct cf_context *context);

void cf_context_init_queries(struct cf_context *context);

#endif
