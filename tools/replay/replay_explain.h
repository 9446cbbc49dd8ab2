/* SPDX-License-Identifier: MIT */
/*
 * Why a pixel differs after a draw: the draw runs on both sides on the plain path, watched, from
 * the memory that each side has before it.
 */
#ifndef REPLAY_EXPLAIN_H
#define REPLAY_EXPLAIN_H

#include "replay_compare.h"
#include "replay_process.h"

/** Add to `difference` what is found: "primitive", "lane", "instruction", and "notes", also of what
 * is not found. `build`: side b is another build's; NULL: this one's. False: `error` says why the
 * draw cannot be run. */
bool replay_explain(const struct replay_side side[2], const struct replay_build *build,
                    const struct replay_pixel *pixel, json_t *difference, char *error,
                    size_t error_B);

#endif
