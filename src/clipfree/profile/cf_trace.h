/* SPDX-License-Identifier: MIT */
/*
 * A timeline of what the host's threads do, in Chrome's trace event format, which
 * ui.perfetto.dev shows (docs/trace.md). A thread's slices nest. Spans, of which several may be
 * under way, have rows of their own.
 *
 * Whoever works asks cf_trace_now for the time when it begins, and adds the slice when it is done.
 * Without a trace both are one test of a pointer. Any thread may call them.
 */
#ifndef CF_TRACE_H
#define CF_TRACE_H

#include <stdint.h>

#include "clipfree/base/cf_host.h"

struct cf_trace;

#define CF_TRACE_NUMBERS 8

/* What happened. */
struct cf_trace_event {
   const char *name;
   const char *text; /* a text that belongs to it, shown as "of"; NULL: none */
   struct {
      const char *name; /* NULL: no more */
      uint64_t value;
   } number[CF_TRACE_NUMBERS];
};

/** Create or replace a file. NULL: it cannot be written, errno says why. */
struct cf_trace *cf_trace_open(const char *path);

/** End the file; at the exit of the process this is done by itself. NULL: nothing is done. */
void cf_trace_close(struct cf_trace *trace);

/** The time of a beginning; 0 without a trace. */
static inline uint64_t
cf_trace_now(const struct cf_trace *trace)
{
   return __builtin_expect(trace != 0, 0) ? cf_time_ns() : 0;
}

/** cf_trace_slice with a trace. */
void cf_trace_add_slice(struct cf_trace *trace, uint64_t start_ns,
                        const struct cf_trace_event *event);

/** cf_trace_span with a trace. */
void cf_trace_add_span(struct cf_trace *trace, uint64_t start_ns,
                       const struct cf_trace_event *event, uint64_t number);

/** Add a slice: what the calling thread has done since start_ns. Slices that began later have ended
 * before. */
#define cf_trace_slice(trace, start_ns, ...)                                                       \
   do {                                                                                            \
      if (__builtin_expect((trace) != 0, 0))                                                       \
         cf_trace_add_slice(trace, start_ns, &(struct cf_trace_event){ __VA_ARGS__ });             \
   } while (0)

/** Add a span, which was under way since start_ns. `id` tells it from others of its name. */
#define cf_trace_span(trace, start_ns, id, ...)                                                    \
   do {                                                                                            \
      if (__builtin_expect((trace) != 0, 0))                                                       \
         cf_trace_add_span(trace, start_ns, &(struct cf_trace_event){ __VA_ARGS__ }, id);          \
   } while (0)

#endif
