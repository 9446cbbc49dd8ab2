/* SPDX-License-Identifier: MIT */
/*
 * Memory that loops in flight write, and which of them does last: images that are drawn to, and what is copied, filled or
 * resolved. Who wants to read it comes after that loop. Host addresses, and never less than what is written.
 *
 * Limitation: not the results of queries, which only the host and copies of buffers read.
 */
#ifndef CF_WRITTEN_H
#define CF_WRITTEN_H

#include "clipfree/schedule/cf_draw.h"
#include "clipfree/schedule/cf_workers.h"

#define CF_WRITTEN_SPANS 64

/* All zero but for `workers`: nothing. One thread's: that which launches the loops. */
struct cf_written {
   struct cf_workers *workers;
   uint32_t count;
   struct {
      uintptr_t begin, end;
      uint64_t loop;
   } span[CF_WRITTEN_SPANS];
};

/** Forget what was written by loops that are finished. */
void cf_written_forget(struct cf_written *written);

/** Note what the loop that was launched last, or those before it, write: size_B bytes. Waits for it if there is no room. */
void cf_written_add(struct cf_written *written, const void *data, uint64_t size_B);

/** The same for an image's pixels and tile states; without data: nothing. */
void cf_written_add_image(struct cf_written *written, const struct cf_image *image);

/** The same for the images of a frame. */
void cf_written_add_frame(struct cf_written *written, const struct cf_frame *frame);

/** The last loop that writes any of [data, data + size_B): 0 if there is none. It may be finished. */
uint64_t cf_written_last(const struct cf_written *written, const void *data, uint64_t size_B);

/** Work until no loop writes any of [data, data + size_B): before the thread that launches them reads it. */
void cf_written_finish(const struct cf_written *written, const void *data, uint64_t size_B);

#endif
