/* SPDX-License-Identifier: MIT */
/*
 * Pending clears: images whose tiles may hold clears that memory does not show, and which have to be resolved before
 * anything that does not look at tile states reads them.
 *
 * Contexts share images, and what they record reaches the GPU in another order than it was recorded in. So what packets do
 * to an image is noted in their batch, and holds for all others when the batch is submitted. Until then each batch that
 * finds a pending clear resolves it for itself: a RESOLVE too many does nothing.
 */
#ifndef CLIPFREE_CLEARS_H
#define CLIPFREE_CLEARS_H

#include <stdbool.h>
#include <stdint.h>

struct cf_batch;
struct cf_buffer;

/* Images that one batch clears or resolves, and how many an operation adds at most: all attachments of a frame buffer. */
#define CF_CLEAR_NOTES 256
#define CF_CLEAR_NOTES_ADDED 16

/* Of the memory of a texture. */
struct cf_clears {
   bool *pending; /* by image: after all that was submitted; written under screen->submit_lock, NULL: there are no tiles */
   uint32_t count; /* atomic; images that are pending there or in a batch being recorded */
};

/* Of a batch: what it leaves of each image that it cleared or resolved. */
struct cf_clear_log {
   struct cf_clear_note {
      struct cf_buffer *buffer;
      uint32_t image;
      bool pending;
   } note[CF_CLEAR_NOTES];
   uint32_t count;
};

/** A texture's memory gets room for the state of so many images, none pending. False: out of memory. */
bool cf_clears_init(struct cf_buffer *buffer, uint32_t images);
void cf_clears_fini(struct cf_buffer *buffer);

/** Note that the last packet clears (`pending`) or resolves an image. There must be room in the batch (cf_batch_has_room). */
void cf_clears_note(struct cf_batch *batch, struct cf_buffer *buffer, uint32_t image, bool pending);

/** Whether the next packet of the batch may find a pending clear in the image. */
bool cf_clears_pending(const struct cf_batch *batch, const struct cf_buffer *buffer, uint32_t image);

/** The batch has been submitted: what it noted holds for all. With screen->submit_lock. */
void cf_clears_apply(struct cf_batch *batch);

/** Begin the batch's notes anew. */
void cf_clears_forget(struct cf_batch *batch);

#endif
