/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: a file of text that grows by whole pieces (rows, events). Pieces are
 * collected and written together, by one call, so that a process that is killed leaves whole ones.
 * If the file cannot be written, stderr says so once, and no more is written. Memory is bounded.
 *
 * The user of a file keeps its threads apart.
 */
#ifndef CF_TEXT_FILE_H
#define CF_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define CF_TEXT_FILE_PIECE_B 4096 /* a piece is shorter */

struct cf_text_file {
   const char *what; /* "statistics", for messages */
   char *path;
   int fd; /* negative: nothing more is written */
   off_t written_B;
   char *text; /* pieces to be written */
   size_t text_B, capacity_B;
};

/** Create or replace the file. False: it cannot be written, errno says why. */
bool cf_text_file_open(struct cf_text_file *file, const char *what, const char *path);

/** Begin a piece. False: nothing more is written, and the piece must not be added. */
bool cf_text_file_begin(struct cf_text_file *file);

/** Add to the piece that was begun. */
void __attribute__((format(printf, 2, 3)))
cf_text_file_add(struct cf_text_file *file, const char *format, ...);

/** Write all pieces so far, or none that was not written before. */
void cf_text_file_write(struct cf_text_file *file);

/** Write, and end; cf_text_file_free may come later. */
void cf_text_file_end(struct cf_text_file *file);
void cf_text_file_free(struct cf_text_file *file);

#endif
