/* SPDX-License-Identifier: MIT */
/*
 * The first packet that differs between two command buffers.
 */
#ifndef REPLAY_PACKETS_H
#define REPLAY_PACKETS_H

#include <jansson.h>

#include "look/look_ops.h"

/** Append a sentence to difference["notes"]. */
void __attribute__((format(printf, 2, 3))) replay_note(json_t *difference, const char *format, ...);

/** Append a note of the first packet that differs, up to the operation's, if one does. */
void replay_describe_packets(json_t *difference, const struct look_submission submission[2],
                             const struct look_op op[2]);

#endif
