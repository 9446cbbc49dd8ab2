/* SPDX-License-Identifier: MIT */
/* What is told of a transfer that somebody watches: loops of one item, launched between its others.
 */
#ifndef CF_TRANSFER_TOLD_H
#define CF_TRANSFER_TOLD_H

#include "clipfree/interface/cf_observer.h"
#include "clipfree/memory/cf_memory.h"
#include "clipfree/memory/cf_surface_watch.h"

struct cf_transfer_told {
   const struct cf_observer *observer; /* NULL: nobody watches, the rest is not set */
   const struct cf_memory *memory;
   struct cf_transfer_event event;
   bool whole; /* a copy of all of pixels */
};

/** Fill the event of a transfer of all of an image. Descriptors are named by their addresses, 0:
 * none; they have been checked. */
void cf_transfer_told_image(struct cf_transfer_told *told, const struct cf_image *to,
                            uint64_t source, uint64_t second, uint64_t destination);

/** Of a copy. mask: of pixels' bits, if not all are copied. */
void cf_transfer_told_begin_copy(struct cf_transfer_told *told, const struct cf_copy *packet,
                                 const struct cf_image *to, const uint32_t mask[4]);

/** Of a gather. */
void cf_transfer_told_gather(struct cf_transfer_told *told, const struct cf_gather *packet,
                             const uint32_t *columns, const uint32_t *rows,
                             const struct cf_image *to, const uint32_t mask[4]);

/** Of bytes that are copied from `source`, or dwords that become `value`. */
void cf_transfer_told_buffers(struct cf_transfer_told *told, uint64_t source, uint32_t value,
                              uint64_t destination, uint32_t size_B);

/** The work of a loop, whose `user` is a struct cf_transfer_told: tell of the transfer. */
void cf_transfer_tell(void *user, uint32_t worker, uint32_t item);

/** Do the copy of cf_transfer_told_begin_copy, and tell of its touches. */
void cf_transfer_told_copy(struct cf_transfer_told *told, const struct cf_image *source,
                           const struct cf_image *destination);

/* Tiles of an image whose pending clears are going to be written. */
struct cf_transfer_pending {
   struct cf_transfer_told *told;
   const struct cf_image *image;
   bool to_copy; /* those alone that a copy cannot take from their states */
};

/** The work of a loop, whose `user` is a struct cf_transfer_pending. */
void cf_transfer_tell_pending(void *user, uint32_t worker, uint32_t item);

#endif
