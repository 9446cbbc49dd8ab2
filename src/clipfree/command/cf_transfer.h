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
   const struct cf_observer *observer; /* NULL: none */
   struct cf_trace *trace;             /* of their loops; NULL: none */
};

/** NULL: out of memory. */
struct cf_transfers *cf_transfers_create(const struct cf_transfer_config *config);

/** All transfers must be finished. */
void cf_transfers_destroy(struct cf_transfers *transfers);

/** Launch a packet (header included, size checked): copy, gather, reduce, copy_buffer, fill_buffer,
 * resolve or invalidate. `ns`: a counter to which the loops add their time, NULL: not measured.
 * False: a fault, nothing was launched. */
bool cf_transfers_launch(struct cf_transfers *transfers, const uint32_t *dw, _Atomic uint64_t *ns, struct cf_fault *fault);

#endif
