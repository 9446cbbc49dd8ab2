/* SPDX-License-Identifier: MIT */
/*
 * A file of comma-separated values (RFC 4180, but lines end as they do on this host): a head, a row
 * for each draw, clear and transfer, and after those of a frame a row for the frame. Rows are
 * written together, by one call, so that a process that is killed leaves whole rows. If the file
 * cannot be written, stderr says so once, and no more is written.
 *
 * Functions may be called from any thread.
 */
#ifndef CF_STATS_FILE_H
#define CF_STATS_FILE_H

#include "clipfree/profile/cf_stats_notes.h"

struct cf_stats_file;

/** Create or replace the file, with its head. NULL: it cannot be written, errno says why. */
struct cf_stats_file *cf_stats_open(const char *path);

/** End the frame, if it has anything, and close. At the exit of the process this is done by itself.
 * NULL: nothing is done. */
void cf_stats_close(struct cf_stats_file *file);

/** Add a row of the current frame. kind: CF_STAT_OF_DRAW, _CLEAR or _TRANSFER. Times are in ticks
 * (cf_stats_count_ticks), those of transfers in ns. */
void cf_stats_add(struct cf_stats_file *file, const struct cf_stats_row *row,
                  enum cf_stat_rows kind);

/** Keep a note (cf_note.h) of a draw packet that will be parsed. */
void cf_stats_note(struct cf_stats_file *file, uint64_t packet, const void *note, size_t size_B);

/** Take what was noted of the packet. False: nothing. */
bool cf_stats_take_note(struct cf_stats_file *file, uint64_t packet, struct cf_stats_note *note);

/** Add numbers to the frame's, those of columns without CF_STAT_SUM. */
void cf_stats_add_to_frame(struct cf_stats_file *file, const struct cf_stats_row *row);

/** Write the rows so far. */
void cf_stats_write(struct cf_stats_file *file);

/** End the frame: add its row and write. */
void cf_stats_end_frame(struct cf_stats_file *file);

#endif
