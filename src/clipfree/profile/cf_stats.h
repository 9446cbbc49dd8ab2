/* SPDX-License-Identifier: MIT */
/*
 * Statistics of draws, clears, transfers and frames. Each number is a column of a file of
 * comma-separated values (cf_stats_file.h); the columns are described once, in cf_stats_columns,
 * from which the file's head and the table of docs/stats.md are made.
 *
 * Who counts: the pass, what is done for a draw or a clear (schedule/); the command processor and
 * the model, what they are, transfers and frames (command/). Nobody counts where there is no file.
 */
#ifndef CF_STATS_H
#define CF_STATS_H

#include <stdint.h>

#include "clipfree/base/cf_unit_clock.h"

/* Columns that hold text. */
enum cf_stat_text {
   CF_STAT_KIND,
   CF_STAT_CALL,
   CF_STAT_GROUP,
   CF_STAT_PRIM_KIND,
   CF_STAT_VERTEX_PROGRAM,
   CF_STAT_FRAGMENT_PROGRAM,
   CF_STAT_TEXTS
};

/* Columns that hold numbers, after those with text. */
enum cf_stat {
   CF_STAT_FRAME,
   CF_STAT_SUBMISSION,
   CF_STAT_DRAW,
   CF_STAT_PACKET,
   CF_STAT_SUBMISSIONS,
   CF_STAT_PASSES,
   CF_STAT_DRAWS,
   CF_STAT_CLEARS,
   CF_STAT_TRANSFERS,
   CF_STAT_ELEMENTS,
   CF_STAT_INSTANCES,
   CF_STAT_PRIMITIVES,
   CF_STAT_SET_UP,
   CF_STAT_FED,
   CF_STAT_VERTICES,
   CF_STAT_VERTEX_TASKS,
   CF_STAT_POSITION_TASKS,
   CF_STAT_VERTEX_INSTRUCTIONS,
   CF_STAT_HIDDEN,
   CF_STAT_FRAGMENT_TASKS,
   CF_STAT_QUADS,
   CF_STAT_SHADED,
   CF_STAT_FRAGMENTS,
   CF_STAT_FRAGMENT_INSTRUCTIONS,
   CF_STAT_INTERPRETED,
   CF_STAT_CLEARED,
   CF_STAT_CLEARED_TILES,
   CF_STAT_TRANSFERRED,
   CF_STAT_TRANSFERRED_B,
   CF_STAT_RESOLVED_TILES,
   CF_STAT_UPLOADED_B, /* the driver's, in the order of enum cf_gpu_count */
   CF_STAT_WAITS,
   CF_STAT_COMPILATIONS,
   CF_STAT_WALL_NS,
   CF_STAT_CPU_NS,
   CF_STAT_UNIT_NS, /* the first of CF_UNITS - 1: unit u's is CF_STAT_UNIT_NS + u - 1 */
   CF_STATS = CF_STAT_UNIT_NS + CF_UNITS - 1
};

/* What columns are of: bits. */
enum cf_stat_rows {
   CF_STAT_OF_DRAW = 1 << 0,
   CF_STAT_OF_CLEAR = 1 << 1,
   CF_STAT_OF_TRANSFER = 1 << 2,
   CF_STAT_OF_FRAME = 1 << 3,
   /* the sum over a frame's other rows, where the frame has no count of its own */
   CF_STAT_SUM = 1 << 4,
   /* the same for any number of threads, both engines and all host levels */
   CF_STAT_FIXED = 1 << 5,
   CF_STAT_HEX = 1 << 6,   /* an address */
   CF_STAT_NOTED = 1 << 7, /* a text that may be unknown: empty */
};

struct cf_stats_column {
   const char *name, *unit; /* unit "": a count */
   uint32_t rows;           /* enum cf_stat_rows */
   const char *text;        /* what it is */
};

/** CF_STAT_TEXTS columns with text, then CF_STATS with numbers. */
extern const struct cf_stats_column cf_stats_columns[CF_STAT_TEXTS + CF_STATS];

#define CF_STAT_TEXT_B 256 /* of a cell, with its end; longer texts are cut */

/* The numbers of a draw, a clear, a transfer or a frame. Cells that its rows do not have are
 * ignored. */
struct cf_stats_row {
   const char *text[CF_STAT_TEXTS]; /* NULL: empty; CF_STAT_KIND of a frame is set by the file */
   uint64_t number[CF_STATS];
};

/** Add to a draw's number. From any thread. */
static inline void
cf_stats_count(struct cf_stats_row *row, enum cf_stat stat, uint64_t count)
{
   if (count)
      __atomic_fetch_add(&row->number[stat], count, __ATOMIC_RELAXED);
}

/** Add what a clock charged since its last split to a draw's times, in ticks. From any thread. */
void cf_stats_count_ticks(struct cf_stats_row *row, struct cf_unit_clock *clock);

#endif
