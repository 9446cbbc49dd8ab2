/* SPDX-License-Identifier: MIT */
/*
 * The table of contents of a capture: submissions and their operations, with the images that they
 * write. Nothing is run.
 */
#ifndef REPLAY_LIST_H
#define REPLAY_LIST_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#include "look/look_ops.h"

/** The list as JSON (docs/replay.md). NULL: `error` says why. */
json_t *replay_list(const char *path, char *error, size_t error_B);

/** The list as text. */
void replay_list_print(FILE *file, const json_t *list);

/** What names an operation: its numbers, kind, submission, and address of its packet. */
json_t *replay_op_json(const struct look_player *player, const struct look_submission *submission,
                       const struct look_op *op);

/** What an image is: address, size, format, samples. */
json_t *replay_image_json(const struct cf_surface *surface);

#endif
