/* SPDX-License-Identifier: MIT */
/*
 * The file that cf_capture_create writes and clipfree-replay reads: a head, then records, each a
 * struct cf_capture_record and its payload. All little endian.
 *
 * A file holds the memory that existed when the first submission was captured, the pages that
 * changed before each later one, and the submissions. The last page of each allocation is always in
 * it, so that the highest address is known. Addresses are those of the captured GPU: a replayer
 * makes one allocation that spans all of them.
 */
#ifndef CF_CAPTURE_H
#define CF_CAPTURE_H

#include <stdint.h>

#define CF_CAPTURE_MAGIC "clipfree capture 2\n"

enum cf_capture_kind {
   CF_CAPTURE_MEMORY = 1, /* payload: the bytes at address; memory without a record is zero */
   CF_CAPTURE_SUBMIT = 2, /* a command buffer of size_B bytes at address; no payload */
};

struct cf_capture_record {
   uint32_t kind, reserved;
   uint64_t address, size_B;
};

#endif
