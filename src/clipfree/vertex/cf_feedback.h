/* SPDX-License-Identifier: MIT */
/*
 * Feedback: vertices of assembled primitives are written to buffers (ES 3.0 section 2.15,
 * "transform feedback"). A primitive's place follows from its number in the draw, so that threads
 * may write them in any order. Only of draws with a geometry program is the number not known
 * before: these are written in order, by one thread at a time.
 */
#ifndef CF_FEEDBACK_H
#define CF_FEEDBACK_H

#include <stdint.h>

#include "clipfree/interface/cf_limits.h"
#include "clipfree/interface/cf_packets.h"

/* What a draw writes. Read only, shared by all threads. */
struct cf_feedback_draw {
   struct {
      uint8_t *data; /* where the draw's first vertex goes; NULL: no output is written to it */
      uint64_t address;   /* of `data`, as the GPU sees it */
      uint64_t *filled_B; /* cf_feedback_finish adds to it */
      uint32_t stride_B;
   } buffer[CF_FEEDBACK_BUFFERS];
   uint32_t vertices; /* of a primitive */
   uint64_t primitives; /* so many of the draw's fit; the others are not written */
   uint64_t *emitted;   /* of a geometry program: its primitives so far; else NULL */
   uint32_t outputs;
   struct cf_feedback_output output[];
};

/** Write primitive number `primitive` of the draw, whose vertices have these records. Nothing if it
 * does not fit. */
void cf_feedback_write(const struct cf_feedback_draw *feedback, uint64_t primitive,
                       const float *const *record);

/** The draw has so many primitives: say in the buffers' counts how much is written. Returns how
 * many primitives are. */
uint64_t cf_feedback_finish(const struct cf_feedback_draw *feedback, uint64_t primitives);

#endif
