/* SPDX-License-Identifier: MIT */
/*
 * Writes a capture's file, for the recorder and for tools that make captures of captures. What was
 * written before the last flush can be read whatever happens to the process.
 */
#ifndef CF_CAPTURE_WRITER_H
#define CF_CAPTURE_WRITER_H

#include <stdbool.h>

#include "clipfree/capture/cf_capture.h"

struct cf_capture_writer;

/** Create the file. NULL: it cannot be written; errno says why. */
struct cf_capture_writer *cf_capture_writer_open(const char *path);
/** Write a record; `payload` may be NULL. False: errno says why; the file ends with the last flush
 * that succeeded, and nothing more may be written. */
bool cf_capture_writer_put(struct cf_capture_writer *writer, const struct cf_capture_record *record,
                           const void *payload);
bool cf_capture_writer_flush(struct cf_capture_writer *writer);
/** The capture may end with the last flush: cut_to_mark then forgets what followed. */
void cf_capture_writer_mark(struct cf_capture_writer *writer);
void cf_capture_writer_cut_to_mark(struct cf_capture_writer *writer);
/** Forget all records. */
bool cf_capture_writer_restart(struct cf_capture_writer *writer);
/** Close the file without flushing; `remove`: and remove it, unless it is a device. */
void cf_capture_writer_close(struct cf_capture_writer *writer, bool remove);

#endif
