/* SPDX-License-Identifier: MIT */
/*
 * Memory that tiles may still write while the next pass' vertices are shaded: the images of a pass. Host addresses, and
 * never less than what is written.
 */
#ifndef CF_WRITTEN_H
#define CF_WRITTEN_H

#include "clipfree/command/cf_draw.h"

/* All zero: nothing. */
struct cf_written {
   uint32_t count;
   struct {
      uintptr_t begin, end;
   } span[2 * (CF_MAX_COLOR_TARGETS + 1)]; /* pixels and tile states of each image */
};

/** The memory of the frame's images. */
void cf_written_set(struct cf_written *written, const struct cf_frame *frame);

/** Whether any of [data, data + size_B) may be written. */
bool cf_written_has(const struct cf_written *written, const void *data, uint64_t size_B);

#endif
