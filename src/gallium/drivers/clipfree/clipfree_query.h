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

/** The same of draws and clears, without a wait: true, too, if the GPU is to decide. False: nothing
 * is drawn. */
bool cf_query_condition_may_pass(struct cf_context *context);

/** Whether the GPU decides. */
bool cf_query_condition_is_open(const struct cf_context *context);

/** Tell the GPU, if it decides over the next draw or clear, or does not any more. There must be
 * room for CF_CONDITION_DWORDS. */
void cf_query_send_condition(struct cf_context *context);

void cf_context_init_queries(struct cf_context *context);

#endif
