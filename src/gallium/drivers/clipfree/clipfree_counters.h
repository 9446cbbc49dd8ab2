/* SPDX-License-Identifier: MIT */
/*
 * Driver counters, for Gallium's HUD (GALLIUM_HUD=clipfree-draws,...) and
 * GL_AMD_performance_monitor.
 */
#ifndef CLIPFREE_COUNTERS_H
#define CLIPFREE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

struct cf_context;
struct cf_screen;

enum cf_counter {
   CF_COUNTER_DRAWS,        /* draw packets */
   CF_COUNTER_REUSES,       /* draws without indices that were sent with an index list */
   CF_COUNTER_SUBMISSIONS,  /* command buffers */
   CF_COUNTER_COPIES,       /* copy packets between images, presentation included */
   CF_COUNTER_UPLOADED_B,   /* bytes of structures, constants, indices and pixels */
   CF_COUNTER_WAITS,        /* maps that waited for the GPU */
   CF_COUNTER_VARIANTS,     /* shader variants */
   CF_COUNTER_COMPILATIONS, /* shader variants that were not in the cache on disk */
   CF_COUNTER_SLOW_DRAWS,   /* draws on a slow path (cf_slow.h), all contexts; waits for the GPU */
   CF_COUNTER_MEMORY_B,     /* GPU memory in use by all contexts: a level, not a count */
   CF_COUNTER_COUNT,
};

/** The counter's current value. */
uint64_t cf_counter_read(const struct cf_context *context, enum cf_counter counter);

/** Whether a query of the counter reports its final value, not the difference between end and
 * begin. */
static inline bool
cf_counter_is_level(enum cf_counter counter)
{
   return counter == CF_COUNTER_MEMORY_B;
}

/** Whether the GPU counts it, and so knows it only of what it has drawn. */
static inline bool
cf_counter_is_of_gpu(enum cf_counter counter)
{
   return counter == CF_COUNTER_SLOW_DRAWS;
}

/** Report to the GPU what the context did since its last report: a frame ends. */
void cf_counters_report(struct cf_context *context);

void cf_screen_init_counters(struct cf_screen *screen);

#endif
