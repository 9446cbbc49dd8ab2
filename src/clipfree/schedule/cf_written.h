/* SPDX-License-Identifier: MIT */
/*
 * Hazards between loops: the memory that loops in flight write, and the last loop that writes it.
 * Written are images that are drawn to, and what is copied, filled or resolved. Readers come after
 * that loop. Spans are host addresses, and never smaller than what is written.
 *
 * Limitation: results of queries are not tracked; only the host and buffer copies read them.
 */
#ifndef CF_WRITTEN_H
#define CF_WRITTEN_H

#include "clipfree/schedule/cf_draw.h"
#include "clipfree/schedule/cf_workers.h"

#define CF_WRITTEN_SPANS 64

/* All zero but `workers`: no spans. Used only by the thread that launches loops. */
struct cf_written {
   struct cf_workers *workers;
   uint32_t count;
   struct {
      uintptr_t begin, end;
      uint64_t loop;
   } span[CF_WRITTEN_SPANS];
};

/** Remove spans of loops that are finished. */
void cf_written_forget(struct cf_written *written);

/** Add a span that the loop launched last writes, or a loop before it: size_B bytes. Waits for that
 * loop if there is no room. */
void cf_written_add(struct cf_written *written, const void *data, uint64_t size_B);

/** cf_written_add for an image's pixels and tile states; without data: nothing. */
void cf_written_add_image(struct cf_written *written, const struct cf_image *image);

/** cf_written_add for the images of a frame. */
void cf_written_add_frame(struct cf_written *written, const struct cf_frame *frame);

/** The last loop that writes a byte of [data, data + size_B), which may be finished. 0: none. */
uint64_t cf_written_last(const struct cf_written *written, const void *data, uint64_t size_B);

/** Work until no loop writes a byte of [data, data + size_B): before this thread reads it. */
void cf_written_finish(const struct cf_written *written, const void *data, uint64_t size_B);

#endif
