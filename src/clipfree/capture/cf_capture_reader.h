/* SPDX-License-Identifier: MIT */
/*
 * Reads a capture (cf_capture.h) from front to back, any number of times. It streams: the memory
 * needed does not depend on the size of the file.
 */
#ifndef CF_CAPTURE_READER_H
#define CF_CAPTURE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clipfree/capture/cf_capture.h"

/* Least address in a capture: that of a GPU's first allocation, where pages are smallest. */
#define CF_CAPTURE_FIRST_ADDRESS 4096
/* All addresses of a capture are below: the memory of the largest GPU. */
#define CF_CAPTURE_MAX_ADDRESS (32ull << 30)

#define CF_CAPTURE_ERROR_B 512 /* room for any message about a capture with a short path */

struct cf_capture_reader;

/** Open a capture and check all of its records. NULL: `error` says what is wrong and what to do. */
struct cf_capture_reader *cf_capture_open(const char *path, char *error, size_t error_B);
void cf_capture_close(struct cf_capture_reader *reader);

/** Range of all memory in the capture: a replayer needs memory from first to end. */
uint64_t cf_capture_first_address(const struct cf_capture_reader *reader);
uint64_t cf_capture_end_address(const struct cf_capture_reader *reader);
/** Number of submissions, 1 at least. */
unsigned cf_capture_submissions(const struct cf_capture_reader *reader);

/** NULL, or that the capture is not complete: the process that made it was killed, or could not
 * write. It can be read up to its last submission. */
const char *cf_capture_warning(const struct cf_capture_reader *reader);

/** Read the next record. 1: a record; its payload (NULL if its kind has none) is valid until the
 * next call. 0: the end. -1: damaged; `error` names the place. Long records of memory arrive in
 * pieces, each as a record of its own. */
int cf_capture_next(struct cf_capture_reader *reader, struct cf_capture_record *record,
                    const uint8_t **payload, char *error, size_t error_B);
/** Whether from now on memory is left out that the captured run's GPU wrote (CF_CAPTURE_BY_GPU):
 * the replay's own GPU writes it, perhaps otherwise. It is not, at first. */
void cf_capture_leave_drawn(struct cf_capture_reader *reader, bool leave);
/** Begin again at the first record. */
void cf_capture_rewind(struct cf_capture_reader *reader);
/** Rewind, and keep all records in memory if there is room: what is read many times is decompressed
 * once. */
void cf_capture_keep(struct cf_capture_reader *reader);

#endif
