/* SPDX-License-Identifier: MIT */
/*
 * Events of a transfer for an observer. They are loops of one item, launched between the loops that
 * do the transfer, so that they come in its order.
 */
#ifndef CF_TRANSFER_REPORT_H
#define CF_TRANSFER_REPORT_H

#include "clipfree/command/cf_transfer.h"
#include "clipfree/interface/cf_observer.h"
#include "clipfree/memory/cf_memory.h"
#include "clipfree/memory/cf_surface_watch.h"

struct cf_transfer_report {
   const struct cf_observer *observer; /* NULL: none, and the rest is not set */
   const struct cf_memory *memory;
   struct cf_transfer_event event;
   bool whole; /* a copy of all bits of pixels */
};

/** Fill the event of a transfer to all pixels of an image. source, second, destination: addresses
 * of descriptors, which have been checked; 0: none. */
void cf_transfer_report_set_image(struct cf_transfer_report *report, const struct cf_image *to,
                                  uint64_t source, uint64_t second, uint64_t destination);

/** Fill the event of a copy. mask: the bits of a pixel that are copied, if not all are. */
void cf_transfer_report_set_copy(struct cf_transfer_report *report, const struct cf_copy *packet,
                                 const struct cf_image *to, const uint32_t mask[4]);

/** Fill the event of a gather. mask: as for a copy. */
void cf_transfer_report_set_gather(struct cf_transfer_report *report,
                                   const struct cf_gather *packet, const uint32_t *columns,
                                   const uint32_t *rows, const struct cf_image *to,
                                   const uint32_t mask[4]);

/** Fill the event of a buffer transfer: bytes copied from `source`, or dwords set to `value`. */
void cf_transfer_report_set_buffers(struct cf_transfer_report *report, uint64_t source,
                                    uint32_t value, uint64_t destination, uint32_t size_B);

/** Report the transfer. Work of a loop; `user` is a struct cf_transfer_report. */
void cf_transfer_report_event(void *user, uint32_t worker, uint32_t item);

/** Do the copy of cf_transfer_report_set_copy, and report its touches. */
void cf_transfer_copy_observed(struct cf_transfer_report *report, const struct cf_image *source,
                               const struct cf_image *destination);

/* An image some of whose tiles' pending clears are about to be written. */
struct cf_transfer_pending {
   struct cf_transfer_report *report; /* NULL: no observer */
   struct cf_transfer_counts *counts; /* NULL: not counted */
   const struct cf_image *image;
   bool to_copy; /* only tiles that a copy cannot take from the tile state */
};

/** Report these tiles as touches, and count them. Work of a loop; `user` is a struct
 * cf_transfer_pending. */
void cf_transfer_report_pending(void *user, uint32_t worker, uint32_t item);

#endif
