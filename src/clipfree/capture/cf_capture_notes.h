/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: the notes of all that may still be used by a submission.
 */
#ifndef CF_CAPTURE_NOTES_H
#define CF_CAPTURE_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cf_capture_note {
   uint64_t address;
   uint8_t *data;
   uint32_t size_B;
   bool in_file;
};

struct cf_capture_notes {
   struct cf_capture_note *note;
   uint32_t count, capacity;
};

/** Keep a copy of a note; one of the same address is replaced. Without memory it is left out. */
void cf_capture_notes_put(struct cf_capture_notes *notes, uint64_t address, const void *data,
                          size_t size_B);
/** Drop the notes of addresses in a range. */
void cf_capture_notes_drop(struct cf_capture_notes *notes, uint64_t address, uint64_t size_B);
/** A new file has none of them. */
void cf_capture_notes_restart(struct cf_capture_notes *notes);
void cf_capture_notes_free(struct cf_capture_notes *notes);

#endif
