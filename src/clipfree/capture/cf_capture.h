/* SPDX-License-Identifier: MIT */
/*
 * A capture's file: a line with the version, then records, compressed as zstd frames, each a struct
 * cf_capture_record and its payload. All little endian.
 *
 * A file holds the memory that existed when the first submission was captured, the pages that
 * changed before each later one, and the submissions. Pages that the GPU changed are marked: a
 * replay that draws otherwise leaves them as its own GPU did. The last page of each allocation is
 * always in it, so that the highest address is known. Addresses are those of the captured GPU: a
 * replayer makes one allocation that spans all of them.
 */
#ifndef CF_CAPTURE_H
#define CF_CAPTURE_H

#include <stdint.h>

/* The version counts changes of the file and of packets. */
#define CF_CAPTURE_MAGIC "clipfree capture 5\n"
#define CF_CAPTURE_MAGIC_PLAIN "clipfree capture 4\n" /* the same not compressed, without end */
#define CF_CAPTURE_MAX_NOTE_B (1u << 20) /* most bytes of a payload that is not memory */

enum cf_capture_kind {
   CF_CAPTURE_MEMORY = 1, /* payload: the bytes at address; memory without a record is zero */
   CF_CAPTURE_SUBMIT = 2, /* a command buffer of size_B bytes at address; no payload */
   /* A frame was presented: its `number`; `address` is that of the presented pixels, 0: unknown.
    * Payload: the packed descriptor (struct cf_surface) of these pixels, or nothing. */
   CF_CAPTURE_FRAME = 3,
   /* What a person knows of the thing at `address`: a packet or a descriptor. */
   CF_CAPTURE_NOTE = 4,
   CF_CAPTURE_END = 5, /* the last record of a complete capture; no payload */
};

/* Who wrote memory last, as far as it is known. */
enum cf_capture_by {
   CF_CAPTURE_BY_HOST, /* or the GPU, or both */
   CF_CAPTURE_BY_GPU,  /* in the submission before this record: it left the page so */
};

struct cf_capture_record {
   uint32_t kind;
   uint32_t number; /* of a frame; of memory enum cf_capture_by; 0 in other kinds */
   uint64_t address, size_B;
};

#endif
