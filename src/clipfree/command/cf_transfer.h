/* SPDX-License-Identifier: MIT */
/*
 * Packets that move or settle memory: copies, mip levels, fills, resolves. A packet is checked and becomes loops in the queue
 * (cf_workers.h) that come after all that was launched before: one that resolves each image it reads, if clears are pending
 * there by then, and one that does the work, by rows of tiles or slices of a buffer.
 *
 * Data flow: packet -> checked, with host addresses, in a ring -> loops -> memory. What they write is noted (cf_written.h).
 */
#ifndef CF_TRANSFER_H
#define CF_TRANSFER_H

#include <stdatomic.h>

#include "clipfree/command/cf_fault.h"
#include "clipfree/command/cf_resolve.h"
#include "clipfree/memory/cf_mipmap.h"
#include "clipfree/schedule/cf_workers.h"
#include "clipfree/schedule/cf_written.h"

struct cf_transfers;

struct cf_transfer_config {
   const struct cf_resolver *resolver;
   struct cf_workers *workers;
   struct cf_written *written;
   const struct cf_mipmap_ops *mipmap;
};

/** NULL: out of memory. */
struct cf_transfers *cf_transfers_create(const struct cf_transfer_config *config);

/** Their loops must be finished. */
void cf_transfers_destroy(struct cf_transfers *transfers);

/** Launch what a packet of this kind (header included, size checked) asks for: copy, gather, reduce, copy_buffer, fill_buffer, resolve,
 * invalidate. `ns`: where the time of all its items is added by then; NULL: it is not measured. False: a fault, nothing was launched. */
bool cf_transfers_launch(struct cf_transfers *transfers, const uint32_t *dw, _Atomic uint64_t *ns, struct cf_fault *fault);

#endif
