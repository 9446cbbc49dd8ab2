/* SPDX-License-Identifier: MIT */
/*
 * The primitive of a draw that two sides draw differently: by drawing parts of the draw, from its
 * first primitive on.
 */
#ifndef REPLAY_HALVE_H
#define REPLAY_HALVE_H

#include "replay_compare.h"
#include "replay_watch.h"

/** Name the first primitive, of those that have a fragment in the pixel (`watch`), up to which the
 * sides draw other pixels. NULL: it is named; else why it is not known. */
const char *replay_halve(const struct replay_side side[2], const struct replay_pixel *pixel,
                         const struct replay_watch *watch, json_t *difference);

#endif
