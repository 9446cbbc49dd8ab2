/* SPDX-License-Identifier: MIT */
/*
 * Resets: work of this context that the GPU gave up.
 */
#ifndef CLIPFREE_RESET_H
#define CLIPFREE_RESET_H

#include <stdbool.h>
#include <stdint.h>

struct cf_context;

/* More submissions than can be unfinished at a time. */
#define CF_RESET_MEMORY 1024

struct cf_reset_log {
   uint64_t own[CF_RESET_MEMORY]; /* seqnos of this context, the newest at [count - 1] */
   uint64_t count;
   uint64_t reports_seen; /* the number of the report that was looked at last */
   bool guilty;           /* to be told to the application */
};

/** Note a submission of this context. */
void cf_reset_note(struct cf_context *context, uint64_t seqno);

/** Look whether work of this context failed, or was warned of, since the last time; reports it to the debug callback.
 */
void cf_reset_check(struct cf_context *context);

void cf_context_init_reset(struct cf_context *context);

#endif
