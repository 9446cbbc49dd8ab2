/* SPDX-License-Identifier: MIT */
/*
 * Other programs in the place of a capture's own, as they come from the driver's log of shaders
 * (docs/shader.md): {"ADDRESS of a descriptor": {"descriptor": [dwords], "code": ["16 digits"]}}.
 */
#ifndef LOOK_CHANGE_H
#define LOOK_CHANGE_H

#include <jansson.h>

#include "look_player.h"

/** Put the programs of `changes` in the place of those that are in memory now. False: `error` says
 * which cannot be. */
bool look_change_programs(const struct look_player *player, json_t *changes, char *error,
                          size_t error_B);

/** Color 0 of the submission's last draw, if it has one. */
void look_last_drawn(const struct look_player *player, const struct look_submission *submission,
                     struct cf_surface *surface);

/** Write the pixels of a surface to a file, row by row, and print "WIDTH HEIGHT FORMAT BYTES of a
 * pixel". False: `error`. */
bool look_write_pixels(const struct look_player *player, const struct cf_surface *surface,
                       const char *path, char *error, size_t error_B);

#endif
