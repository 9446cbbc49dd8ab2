/* SPDX-License-Identifier: MIT */
/*
 * Pending clears: images with tiles whose clear may not be in memory yet. They must be resolved
 * before a unit that ignores tile states reads them.
 *
 * Contexts share images, and batches may be submitted in another order than they were recorded. So
 * the effect of packets on an image is noted in their batch, and becomes visible to other batches
 * when it is submitted. Until then each batch that finds a pending clear resolves it for itself: a
 * redundant RESOLVE does nothing.
 */
#ifndef CLIPFREE_CLEARS_H
#define CLIPFREE_CLEARS_H

#include <stdbool.h>
#include <stdint.h>

struct cf_batch;
struct cf_buffer;

/* Notes of a batch: images that it clears or resolves; and notes that one operation adds, at most:
 * all attachments of a frame buffer. */
#define CF_CLEAR_NOTES 256
#define CF_CLEAR_NOTES_ADDED 16

/* State of a texture's memory. */
struct cf_clears {
   /* by image: after all submitted work; written under screen->submit_lock. NULL: no tiles */
   bool *pending;
   uint32_t count; /* number of images pending there or in a batch being recorded. Atomic */
};

/* Notes of a batch: the final state of each image that it cleared or resolved. */
struct cf_clear_log {
   struct cf_clear_note {
      struct cf_buffer *buffer;
      uint32_t image;
      bool pending;
   } note[CF_CLEAR_NOTES];
   uint32_t count;
};

/** Allocate the state of a texture's images, none pending. False: out of memory. */
bool cf_clears_init(struct cf_buffer *buffer, uint32_t images);
void cf_clears_fini(struct cf_buffer *buffer);

/** Note that the last packet clears (`pending`) or resolves an image. There must be room in the
 * batch (cf_batch_has_room). */
void cf_clears_note(struct cf_batch *batch, struct cf_buffer *buffer, uint32_t image, bool pending);

/** Whether the next packet of the batch may find a pending clear in the image. */
bool cf_clears_pending(const struct cf_batch *batch, const struct cf_buffer *buffer,
                       uint32_t image);

/** The batch has been submitted: publish its notes to all batches. With screen->submit_lock. */
void cf_clears_apply(struct cf_batch *batch);

/** Clear the batch's notes. */
void cf_clears_forget(struct cf_batch *batch);

#endif
