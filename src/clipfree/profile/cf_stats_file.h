/* SPDX-License-Identifier: MIT */
/*
 * A file of comma-separated values: a head, a row for each draw, and after those of a frame a row
 * for the frame. Rows are written together, by one call, so that a process that is killed leaves
 * whole rows. If the file cannot be written, stderr says so once, and no more is written.
 *
 * Functions may be called from any thread.
 */
#ifndef CF_STATS_FILE_H
#define CF_STATS_FILE_H

#include "clipfree/profile/cf_stats.h"

struct cf_stats_file;

/** Create or replace the file, with its head. NULL: it cannot be written, errno says why. */
struct cf_stats_file *cf_stats_open(const char *path);

/** End the frame, if it has anything, and close. At the exit of the process this is done by itself.
 * NULL: nothing is done. */
void cf_stats_close(struct cf_stats_file *file);

/** Add the row of a draw of the current frame. Times are in ticks (cf_stats_count_ticks). */
void cf_stats_add_draw(struct cf_stats_file *file, const struct cf_stats_row *row);

/** Add numbers to the frame's, those of columns without CF_STAT_SUM. */
void cf_stats_add_to_frame(struct cf_stats_file *file, const struct cf_stats_row *row);

/** Write the rows so far. */
void cf_stats_write(struct cf_stats_file *file);

/** End the frame: add its row and write. */
void cf_stats_end_frame(struct cf_stats_file *file);

#endif
