/* SPDX-License-Identifier: MIT */
/*
 * Counters of a machine over time, as rows of differences: by interval and by draw. Columns are all
 * counters of `timed` that are counts, so that the sum of a column is the counter.
 */
#ifndef SIM_ROWS_H
#define SIM_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#define SIM_ROW_NONE UINT32_MAX

/* What was counted from cycle `begin` to `end`. */
struct sim_row {
   uint64_t begin, end;
   uint32_t frame, op; /* of a draw: its number in the trace; SIM_ROW_NONE: after all draws */
   uint32_t flags;     /* enum cf_sim_op_flags */
   uint64_t *value;    /* by column; those that came later are 0 */
   size_t values;
};

struct sim_row_list {
   struct sim_row *row;
   size_t rows, room;
   uint64_t end;    /* of the last row */
   uint64_t *value; /* counters then */
   size_t values;
};

struct sim_rows {
   json_t *columns; /* {name: number} */
   struct sim_row_list intervals, draws;
   bool failed;   /* out of memory */
   bool too_many; /* a list has SIM_MOST_ROWS */
};

#define SIM_MOST_ROWS 16384 /* of a list: 200 MB as JSON */

/** False: out of memory. Ends with sim_rows_free, in any case. */
bool sim_rows_init(struct sim_rows *rows);
void sim_rows_free(struct sim_rows *rows);

/** Counters at a time: nested objects, of which integers count. The open row of the list
 * ends then. Returns it; NULL: out of memory, or there are too
 * many, which `failed` and `too_many` keep. */
struct sim_row *sim_rows_add(struct sim_rows *rows, struct sim_row_list *list, uint64_t time,
                             const json_t *counters);

/** Make one row of each two. Their number is even. */
void sim_rows_halve(struct sim_row_list *list);

/** The names of the columns, as an array. */
json_t *sim_rows_columns(const struct sim_rows *rows);

/** [[begin, end, value, ...], ...]; of draws [frame, op, flags, begin, end, value, ...]. */
json_t *sim_rows_json(const struct sim_rows *rows, const struct sim_row_list *list, bool draws);

/** The value of a column that has this name; 0: there is none. */
uint64_t sim_row_value(const struct sim_rows *rows, const struct sim_row *row, const char *name);

#endif
