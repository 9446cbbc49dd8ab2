/* SPDX-License-Identifier: MIT */
/*
 * Live ranges of virtual registers.
 *
 * Positions: instruction i reads at 2 i and writes at 2 i + 1. A range is a sorted list of disjoint
 * segments [begin, end) of positions where the register's value is needed.
 */
#ifndef CF_LIVENESS_H
#define CF_LIVENESS_H

#include "cf_ir.h"

struct cf_segment {
   uint32_t begin, end;
};

struct cf_range {
   struct cf_segment *segments;
   unsigned count, capacity;
};

struct cf_liveness {
   struct cf_range *ranges; /* per virtual register */
   uint8_t *depth;          /* of loops, per instruction */
};

/** Live ranges of all registers; ralloc'd under mem_ctx. NULL: ir->error. */
struct cf_liveness *cf_liveness(void *mem_ctx, struct cf_ir *ir);

/** True if position is in the range. */
bool cf_range_contains(const struct cf_range *range, uint32_t position);

/** range = union of both; b is left alone. */
void cf_range_merge(void *mem_ctx, struct cf_range *range, const struct cf_range *b);

/** Successors of instruction i in execution order (see cf_liveness.c); writes at most two, returns
 * their number. `loop` is the innermost loop instruction around i. */
unsigned cf_successors(const struct cf_ir *ir, const uint32_t *targets, unsigned i, uint32_t loop,
                       uint32_t endloop, bool scalar, unsigned successors[2]);

#endif
