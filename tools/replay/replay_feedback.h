/* SPDX-License-Identifier: MIT */
/*
 * Places in buffers of feedback in words: primitive, vertex, component.
 */
#ifndef REPLAY_FEEDBACK_H
#define REPLAY_FEEDBACK_H

#include <jansson.h>

#include "look/look_ops.h"

/** Describe byte `offset_B` of buffer number `binding` after a draw that writes it with `feedback`:
 * "primitive", counted since the buffer's count was 0; "vertex", 0 to 2 in the primitive;
 * "component", as "position.x" or "varying 0.x", or null between outputs; "a" and "b", its dwords
 * on both sides as "float" and "bits". `data`: the buffers. */
void replay_describe_fed(json_t *difference, const struct look_player *player,
                         const struct cf_feedback *feedback, const struct look_op *draw,
                         uint32_t binding, uint64_t offset_B, const uint8_t *const data[2]);

#endif
