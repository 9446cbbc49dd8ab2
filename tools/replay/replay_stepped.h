/* SPDX-License-Identifier: MIT */
/*
 * A side of a comparison that is played to a draw, not through it.
 */
#ifndef REPLAY_STEPPED_H
#define REPLAY_STEPPED_H

#include "replay_compare.h"

struct replay_stepped {
   struct look_player *player;
   struct look_submission submission;
   struct look_steps steps;
   struct look_op op;       /* the draw */
   struct look_state state; /* when it is reached */
};

/** Play to the submission that has operation `number`, not through it; its operations come next in
 * *ops, which begins as { 0 }. False: `error`. */
bool replay_play_to(struct look_player *player, uint32_t number, struct look_submission *submission,
                    struct look_ops *ops, char *error, size_t error_B);

/** Play to the draw of the pixel. False: `error`. End it in any case; it begins as { 0 }. */
bool replay_step_to(struct replay_stepped *stepped, const struct replay_side *side,
                    const struct replay_pixel *pixel, char *error, size_t error_B);
void replay_step_end(struct replay_stepped *stepped);

#endif
