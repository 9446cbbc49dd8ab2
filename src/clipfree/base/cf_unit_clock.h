/* SPDX-License-Identifier: MIT */
/*
 * A profiler of units: how much time a thread spends in each. A thread has one clock, which charges
 * one unit at any moment. A unit that calls another switches the clock to it, and back afterwards.
 * So the times of all units add up to the time that was measured.
 *
 * A switch reads the processor's counter (10 ns). The host's clock is read at start and stop only
 * (24 ns, and it waits for instructions in flight); the counter's shares divide the time between.
 * Switches cost time themselves, so they enclose large pieces: the vertices of a draw, a task. If
 * nothing is measured the clock is NULL, which costs one predictable branch.
 *
 * Limitation: it is wall-clock time, which includes what other programs took of the processor.
 */
#ifndef CF_UNIT_CLOCK_H
#define CF_UNIT_CLOCK_H

#include <stdint.h>

/* Printed names: cf_unit_name. */
enum cf_unit {
   CF_UNIT_NONE,       /* the thread waits, or works under another clock: not printed */
   CF_UNIT_STATE,      /* parsing packets, deriving the state of draws */
   CF_UNIT_VERTICES,   /* index fetch, vertex cache, vertex programs */
   CF_UNIT_PRIMITIVES, /* assembly, culling, set-up, binning; ordering tiles */
   CF_UNIT_RASTER,     /* the walk of a tile: hierarchical Z, coverage, early tests, quad packing */
   CF_UNIT_SHADING,    /* interpolation, fragment programs; compiled ones with their sampling */
   CF_UNIT_TEXTURES,   /* the texture unit called by the interpreter, for both stages */
   CF_UNIT_PIXELS,     /* late tests, blending, writes */
   CF_UNIT_FUSED,      /* compiled code from quads to pixels: shading, textures and pixels in one */
   CF_UNIT_CLEARS,     /* clears of tiles; filling cleared tiles that are drawn to */
   CF_UNIT_COPIES,     /* copies and mip levels; resolving tiles that are read */
   CF_UNITS
};

struct cf_unit_clock {
   uint64_t *ns;         /* [CF_UNITS]: times are added here when the clock stops */
   uint64_t start_ns;
   uint64_t since_ticks; /* `unit` has been charged since then */
   uint64_t ticks[CF_UNITS];
   uint64_t split_ticks[CF_UNITS]; /* those of them that cf_unit_clock_split gave */
   enum cf_unit unit;
};

/* How long a tick is, measured from the beginning of a run to the moment of the question. */
struct cf_tick_rate {
   uint64_t start_ticks, start_ns;
};

/** Start the clock, which charges `unit`. cf_unit_clock_stop adds to ns[CF_UNITS]. */
void cf_unit_clock_start(struct cf_unit_clock *clock, uint64_t *ns, enum cf_unit unit);

/** Stop the clock and add the times since its start. */
void cf_unit_clock_stop(struct cf_unit_clock *clock);

/** Get the ticks that each unit was charged since the last split, or since the start: work between
 * two splits is that of one draw. */
void cf_unit_clock_split(struct cf_unit_clock *clock, uint64_t ticks[CF_UNITS]);

struct cf_tick_rate cf_tick_rate_begin(void);
uint64_t cf_ticks_to_ns(const struct cf_tick_rate *rate, uint64_t ticks);

/** cf_unit_begin of a clock that is not NULL. */
enum cf_unit cf_unit_clock_switch(struct cf_unit_clock *clock, enum cf_unit unit);

/** Charge `unit` from now on. Returns the unit that was charged, to go back to it. NULL: no
 * clock. */
static inline enum cf_unit
cf_unit_begin(struct cf_unit_clock *clock, enum cf_unit unit)
{
   return __builtin_expect(clock != 0, 0) ? cf_unit_clock_switch(clock, unit) : CF_UNIT_NONE;
}

/** One word, lower case. */
const char *cf_unit_name(enum cf_unit unit);

#endif
