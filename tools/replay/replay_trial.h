/* SPDX-License-Identifier: MIT */
/*
 * A side just before a draw that makes a difference: the draw, or a part of it, may be run from
 * there again and again.
 */
#ifndef REPLAY_TRIAL_H
#define REPLAY_TRIAL_H

#include "replay_compare.h"
#include "replay_stepped.h"

struct replay_trial {
   struct replay_stepped stepped;
   void *before; /* memory */
   struct cf_draw draw;
   struct cf_surface surface; /* that has the pixel */
};

/** Play a side to the draw that makes the pixel. False: out of memory, or there is none. In any
 * case replay_trial_end is next. */
bool replay_trial_begin(struct replay_trial *trial, const struct replay_side *side,
                        const struct replay_pixel *pixel);

/** Draw this many elements from the memory before, and read the pixel. */
void replay_trial_run(struct replay_trial *trial, const struct replay_pixel *pixel,
                      uint32_t elements, uint32_t value[4]);

void replay_trial_end(struct replay_trial *trial);

#endif
