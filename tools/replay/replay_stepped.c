/* SPDX-License-Identifier: MIT */
#include "replay_stepped.h"

bool
replay_step_to(struct replay_stepped *stepped, const struct replay_side *side,
               const struct replay_pixel *pixel, char *error, size_t error_B)
{
   struct look_ops ops = { 0 };
   struct look_op op;
   stepped->player = look_player_open(side->path, &side->config, error, error_B);
   for (uint32_t s = 0; stepped->player && s <= pixel->submission; s++) {
      if (look_player_next(stepped->player, &stepped->submission, error, error_B) <= 0)
         return false;
      if (s == pixel->submission)
         break;
      look_ops_enter(&ops, &stepped->submission);
      while (look_ops_next(&ops, &op))
         ; /* they count */
      look_player_run(stepped->player, &stepped->submission);
   }
   if (!stepped->player ||
       !look_steps_begin(&stepped->steps, stepped->player, &stepped->submission))
      return false;
   const struct look_submission packets = look_steps_packets(&stepped->steps);
   look_ops_enter(&ops, &packets);
   while (look_ops_next(&ops, &stepped->op) && stepped->op.number != pixel->op)
      look_steps_run(&stepped->steps, &stepped->op);
   stepped->state = ops.state;
   return stepped->op.number == pixel->op;
}

void
replay_step_end(struct replay_stepped *stepped)
{
   look_steps_end(&stepped->steps);
   if (stepped->player)
      look_player_close(stepped->player);
}
