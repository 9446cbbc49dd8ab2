/* SPDX-License-Identifier: MIT */
/*
 * Where a thread's time goes, by unit. A thread has one clock, and at any moment one unit's time runs: who calls another unit
 * lets that one's run, and its own again afterwards. So the times of all units add up to the time that was measured.
 *
 * Switches read the processor's counter, and shares of it part the time between start and stop, which the host's clock tells:
 * that takes 24 ns and waits for what was begun, the counter 10. They are in the times, so what is switched for are runs: the
 * vertices of a draw, a task. Where nothing is measured there is no clock (NULL), which costs a branch that is always the same.
 *
 * Limitation: it is time that passed, of which other programs may have had the processor.
 */
#ifndef CF_UNIT_CLOCK_H
#define CF_UNIT_CLOCK_H

#include <stdint.h>

/* Their names, as they are printed: cf_unit_name. */
enum cf_unit {
   CF_UNIT_NONE,       /* the thread waits, or works under another clock: not printed */
   CF_UNIT_STATE,      /* packets, and what draws are made of */
   CF_UNIT_VERTICES,   /* indices, their reuse, vertex programs */
   CF_UNIT_PRIMITIVES, /* assembly, culling, set-up, bins; order of tiles */
   CF_UNIT_RASTER,     /* the walk along bins, hierarchical Z, coverage, early tests, quad packing */
   CF_UNIT_SHADING,    /* inputs of fragment tasks, fragment programs; what compiled code samples is in it */
   CF_UNIT_TEXTURES,   /* the texture unit, where the interpreter calls it, of both stages */
   CF_UNIT_PIXELS,     /* late tests, blending, writes */
   CF_UNIT_FUSED,      /* compiled code from quads to pixels: shading, textures and pixels in one */
   CF_UNIT_CLEARS,     /* of tiles, and filling cleared ones that are drawn to */
   CF_UNIT_COPIES,     /* and mip levels; filling and averaging what is read */
   CF_UNITS
};

struct cf_unit_clock {
   uint64_t *ns;         /* [CF_UNITS], where times are added when it is stopped */
   uint64_t start_ns;
   uint64_t since_ticks; /* the unit's time runs since then */
   uint64_t ticks[CF_UNITS];
   enum cf_unit unit;
};

/** Let the unit's time run; cf_unit_clock_stop adds to ns[CF_UNITS]. */
void cf_unit_clock_start(struct cf_unit_clock *clock, uint64_t *ns, enum cf_unit unit);

/** Add up the times since the start. */
void cf_unit_clock_stop(struct cf_unit_clock *clock);

/** cf_unit_begin of a clock that there is. */
enum cf_unit cf_unit_clock_switch(struct cf_unit_clock *clock, enum cf_unit unit);

/** Let another unit's time run. Returns whose time ran until now, for the end. */
static inline enum cf_unit
cf_unit_begin(struct cf_unit_clock *clock, enum cf_unit unit)
{
   return __builtin_expect(clock != 0, 0) ? cf_unit_clock_switch(clock, unit) : CF_UNIT_NONE;
}

/** One word, lower case. */
const char *cf_unit_name(enum cf_unit unit);

#endif
