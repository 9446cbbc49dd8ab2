/* SPDX-License-Identifier: MIT */
/*
 * Transfers: copies, gathers, mip levels, fills, resolves, invalidations. A packet is checked and
 * becomes loops in the queue (cf_workers.h), ordered after everything launched before: one for each
 * image that it reads, which resolves pending clears, and one that does the work, by rows of tiles
 * or slices of a buffer. Data flow: packet -> ring of checked transfers, with host addresses ->
 * loops -> memory. The memory that they write is noted (cf_written.h).
 */
#ifndef CF_TRANSFER_H
#define CF_TRANSFER_H

#include <stdatomic.h>

#include "clipfree/command/cf_fault.h"
#include "clipfree/command/cf_resolve.h"
#include "clipfree/interface/cf_observer.h"
#include "clipfree/memory/cf_average.h"
#include "clipfree/memory/cf_mipmap.h"
#include "clipfree/profile/cf_trace.h"
#include "clipfree/schedule/cf_workers.h"
#include "clipfree/schedule/cf_written.h"

struct cf_transfers;

struct cf_transfer_config {
   const struct cf_resolver *resolver;
   struct cf_workers *workers;
   struct cf_written *written;
   const struct cf_mipmap_ops *mipmap;
   const struct cf_average_ops *average;
   const struct cf_observer *observer; /* NULL: none */
   struct cf_trace *trace;             /* of their loops; NULL: none */
};

/* What transfers did: their loops add to it. */
struct cf_transfer_counts {
   _Atomic uint64_t ns;
   uint64_t pixels, size_B;         /* written; known when they are launched */
   _Atomic uint64_t resolved_tiles; /* whose pending clears were written, since they were read */
};

/** NULL: out of memory. */
struct cf_transfers *cf_transfers_create(const struct cf_transfer_config *config);

/** All transfers must be finished. */
void cf_transfers_destroy(struct cf_transfers *transfers);

/** Launch a packet (header included, size checked): copy, gather, reduce, copy_buffer, fill_buffer,
 * resolve or invalidate. `counts`: what is done is added there until the loops are finished; NULL:
 * not counted. False: a fault, nothing was launched. */
bool cf_transfers_launch(struct cf_transfers *transfers, const uint32_t *dw, struct cf_transfer_counts *counts,
                         struct cf_fault *fault);

#endif
