/* SPDX-License-Identifier: MIT */
/*
 * An image of a capture as a file: PNG, or bytes.
 */
#ifndef REPLAY_PNG_H
#define REPLAY_PNG_H

#include "replay_choice.h"

/** Write it as PNG: depth as 16 bits of grey, stencil as 8, colours as 8 bits a channel, or 16
 * where the format has more. False: `error` says why; there is no half file. */
bool replay_png(const struct replay_found *found, const char *path, char *error, size_t error_B);

/** Write its pixels as they are in memory, row by row, pending clears included. */
bool replay_raw(const struct replay_found *found, const char *path, char *error, size_t error_B);

#endif
