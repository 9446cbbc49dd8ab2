/* SPDX-License-Identifier: MIT */
/*
 * What a draw does to a pixel in this build and in another, by the lines that both print of it
 * (pixel_history.h).
 */
#ifndef REPLAY_HISTORIES_H
#define REPLAY_HISTORIES_H

#include "replay_compare.h"
#include "replay_process.h"

/** Name the first primitive of a draw (by its packet's address) that changes the pixel of an image
 * (by its pixels' address) in another way; or note why it is not known. */
void replay_compare_histories(const struct replay_side *side, const struct replay_build *build,
                              const struct replay_pixel *pixel, const char *packet,
                              const char *image, json_t *difference);

#endif
