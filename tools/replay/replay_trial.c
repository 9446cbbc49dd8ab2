/* SPDX-License-Identifier: MIT */
#include "replay_trial.h"

#include <stdlib.h>
#include <string.h>

#include "look/look_pixel.h"

bool
replay_trial_begin(struct replay_trial *t, const struct replay_side *side,
                   const struct replay_pixel *pixel)
{
   char error[CF_CAPTURE_ERROR_B];
   const char *bad_field;
   struct look_op_image *image = NULL;
   *t = (struct replay_trial){ .before = NULL };
   if (!replay_step_to(&t->stepped, side, pixel, error, sizeof(error)) ||
       !cf_draw_unpack(t->stepped.op.packet, &t->draw, &bad_field))
      return false;
   struct look_written written =
      look_op_written(t->stepped.player, &t->stepped.state, &t->stepped.op);
   for (uint32_t i = 0; i < written.images; i++)
      image = written.image[i].target == pixel->target ? &written.image[i] : image;
   const struct cf_bo memory = look_player_memory(t->stepped.player);
   t->before = image ? malloc(memory.size_B) : NULL;
   if (!t->before)
      return false;
   t->surface = image->surface;
   memcpy(t->before, memory.map, memory.size_B);
   return true;
}

void
replay_trial_run(struct replay_trial *t, const struct replay_pixel *pixel, uint32_t elements,
                 uint32_t value[4])
{
   const struct cf_bo memory = look_player_memory(t->stepped.player);
   uint32_t *packet = t->stepped.steps.packets + t->stepped.op.at_dw;
   struct cf_draw part = t->draw;
   part.count = elements;
   memcpy(memory.map, t->before, memory.size_B);
   cf_draw_pack(packet, &part);
   look_steps_run(&t->stepped.steps, &t->stepped.op);
   cf_draw_pack(packet, &t->draw);
   look_pixel_read(t->stepped.player, &t->surface, pixel->x_px, pixel->y_px, pixel->sample, value);
}

void
replay_trial_end(struct replay_trial *t)
{
   replay_step_end(&t->stepped);
   free(t->before);
}
