/* SPDX-License-Identifier: MIT */
/*
 * Resets: failed submissions of this context. And what was dropped for lack of memory, which the
 * application learns from glGetError.
 */
#ifndef CLIPFREE_RESET_H
#define CLIPFREE_RESET_H

#include <stdbool.h>
#include <stdint.h>

#include "pipe/p_state.h"

struct cf_context;
struct cf_screen;

/* More submissions than can be in flight. */
#define CF_RESET_MEMORY 1024

struct cf_reset_log {
   uint64_t own[CF_RESET_MEMORY]; /* seqnos of this context, the newest at [count - 1] */
   uint64_t count;
   uint64_t reports_read; /* number of the last report that was read */
   bool guilty;           /* reset status that the application has not queried yet */
   struct pipe_device_reset_callback callback; /* told of lack of memory alone; NULL: nobody */
};

/** Note a submission of this context. */
void cf_reset_note(struct cf_context *context, uint64_t seqno);

/** Read new reports; failures and warnings of this context's work go to the debug callback. */
void cf_reset_check(struct cf_context *context);

/** If work of the batch was dropped for lack of memory: GL_OUT_OF_MEMORY, and the debug callback is
 * told. */
void cf_reset_note_memory(struct cf_context *context);

/** The same where there is no memory for an object. Returns NULL. */
void *cf_no_memory(struct cf_context *context);

/** The limit of a thread's time for a submission of a context with these flags (enum pipe_context
 * flags); 0: none. */
uint64_t cf_reset_limit_ns(struct cf_screen *screen, unsigned flags);

void cf_context_init_reset(struct cf_context *context);

#endif
