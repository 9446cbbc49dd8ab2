/* SPDX-License-Identifier: MIT */
#include "look_step.h"

#include <stdlib.h>
#include <string.h>

void
look_run_until(struct look_player *player, const struct look_submission *submission,
               uint32_t end_dw)
{
   struct look_submission part = *submission;
   if (end_dw >= submission->dwords) {
      look_player_run(player, submission);
      return;
   }
   const uint32_t kept = submission->dw[end_dw];
   cf_end_pack(&submission->dw[end_dw], &(struct cf_end){ 0 });
   part.dwords = end_dw + CF_END_DWORDS;
   look_player_run(player, &part);
   submission->dw[end_dw] = kept;
}

static void
blank(uint32_t *dw, uint32_t dwords)
{
   for (uint32_t i = 0; i < dwords; i++)
      cf_nop_pack(&dw[i], &(struct cf_nop){ 0 });
   _Static_assert(CF_NOP_DWORDS == 1, "nops fill any gap");
}

bool
look_steps_begin(struct look_steps *steps, struct look_player *player,
                 const struct look_submission *submission)
{
   const size_t size_B = 4 * (size_t)submission->dwords;
   *steps = (struct look_steps){ .player = player, .submission = *submission };
   steps->packets = malloc(size_B ? size_B : 1);
   if (!steps->packets)
      return false;
   memcpy(steps->packets, submission->dw, size_B);
   const struct look_submission copy = look_steps_packets(steps);
   struct look_packets packets = look_packets_of(&copy);
   const uint32_t *packet;
   while ((packet = look_packets_next(&packets))) {
      const uint32_t at = (uint32_t)(packet - steps->packets);
      if (look_is_op(look_opcode(packet)) || look_opcode(packet) == CF_OPCODE_QUERY)
         blank(&submission->dw[at], packets.at - at);
   }
   return true;
}

void
look_steps_run(struct look_steps *steps, const struct look_op *op)
{
   uint32_t *dw = &steps->submission.dw[op->at_dw];
   memcpy(dw, &steps->packets[op->at_dw], 4 * (size_t)op->dwords);
   look_run_until(steps->player, &steps->submission, op->at_dw + op->dwords);
   blank(dw, op->dwords);
}

void
look_steps_end(struct look_steps *steps)
{
   if (steps->packets)
      memcpy(steps->submission.dw, steps->packets, 4 * (size_t)steps->submission.dwords);
   free(steps->packets);
   steps->packets = NULL;
}

struct look_submission
look_steps_packets(const struct look_steps *steps)
{
   struct look_submission submission = steps->submission;
   submission.dw = steps->packets;
   return submission;
}
