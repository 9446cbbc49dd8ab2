/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: the bytes of a capture's records, from its file.
 */
#ifndef CF_CAPTURE_SOURCE_H
#define CF_CAPTURE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cf_capture_source;

/** NULL: `error` says what is wrong and what to do. */
struct cf_capture_source *cf_capture_source_open(const char *path, char *error, size_t error_B);
void cf_capture_source_close(struct cf_capture_source *source);
/** Whether the file is not compressed. */
bool cf_capture_source_is_plain(const struct cf_capture_source *source);
/** Read up to size_B bytes; fewer only at the end of the file, or where it cannot be read. */
size_t cf_capture_source_read(struct cf_capture_source *source, void *data, size_t size_B);
/** NULL, or why cf_capture_source_read gave too few bytes though the file goes on. */
const char *cf_capture_source_fault(const struct cf_capture_source *source);
void cf_capture_source_rewind(struct cf_capture_source *source);
/**
 * Read all bytes of the records into memory, and rewind: from now on they are read from there.
 * False: there is not enough memory, or the file cannot be read; nothing has changed but the place.
 */
bool cf_capture_source_keep(struct cf_capture_source *source);

#endif
