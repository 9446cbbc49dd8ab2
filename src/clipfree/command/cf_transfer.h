/* SPDX-License-Identifier: MIT */
/*
 * Packets that move or settle memory: copies, mip levels, fills, resolves. They run at once, rows of tiles in parallel;
 * nothing may be in flight.
 */
#ifndef CF_TRANSFER_H
#define CF_TRANSFER_H

#include "clipfree/command/cf_fault.h"
#include "clipfree/command/cf_unit_clock.h"
#include "clipfree/command/cf_workers.h"
#include "clipfree/memory/cf_memory.h"
#include "clipfree/memory/cf_mipmap.h"

struct cf_transfer {
   const struct cf_memory *memory;
   struct cf_workers *workers;
   const struct cf_mipmap_ops *mipmap;
   struct cf_fault *fault;
   struct cf_unit_clock *clock; /* of the calling thread; NULL: nothing is measured */
};

/** Run a packet of this kind (header included, size checked): copy, reduce, copy_buffer, fill_buffer, resolve, invalidate.
 * False: a fault. */
bool cf_transfer_run(struct cf_transfer *transfer, const uint32_t *dw);

#endif
