/* SPDX-License-Identifier: MIT */
#include "replay_stepped.h"

#include <inttypes.h>

#include "look/look_error.h"

bool
replay_play_to(struct look_player *player, uint32_t number, struct look_submission *submission,
               struct look_ops *ops, char *error, size_t error_B)
{
   struct look_ops ahead = { 0 };
   struct look_op op;
   int found;
   while ((found = look_player_next(player, submission, error, error_B)) > 0) {
      look_ops_enter(&ahead, submission);
      while (look_ops_next(&ahead, &op))
         ; /* they count */
      if (ahead.ops > number)
         return true;
      look_player_run(player, submission);
      *ops = ahead;
   }
   return found == 0 &&
          look_fails(error, error_B, "there is no operation %" PRIu32 ": the capture has %" PRIu32,
                     number, ahead.ops);
}

bool
replay_step_to(struct replay_stepped *stepped, const struct replay_side *side,
               const struct replay_pixel *pixel, char *error, size_t error_B)
{
   struct look_ops ops = { 0 };
   stepped->player = look_player_open(side->path, &side->config, error, error_B);
   if (!stepped->player ||
       !replay_play_to(stepped->player, pixel->op, &stepped->submission, &ops, error, error_B))
      return false;
   if (!look_steps_begin(&stepped->steps, stepped->player, &stepped->submission))
      return look_fails(error, error_B, "out of memory");
   const struct look_submission packets = look_steps_packets(&stepped->steps);
   look_ops_enter(&ops, &packets);
   while (look_ops_next(&ops, &stepped->op) && stepped->op.number != pixel->op)
      look_steps_run(&stepped->steps, &stepped->op);
   stepped->state = ops.state;
   return true;
}

void
replay_step_end(struct replay_stepped *stepped)
{
   look_steps_end(&stepped->steps);
   if (stepped->player)
      look_player_close(stepped->player);
}
