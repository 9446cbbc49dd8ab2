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
   steps->packets = malloc(2 * size_B + 1);
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

static bool
sets_state(const uint32_t *packet)
{
   const enum cf_opcode opcode = look_opcode(packet);
   return !look_is_op(opcode) && opcode != CF_OPCODE_QUERY && opcode != CF_OPCODE_NOP &&
          opcode != CF_OPCODE_END;
}

/* Note the packet as the last of its kind. False: there are too many. */
static bool
add_live(struct look_steps *steps, uint64_t key, uint32_t at_dw, uint32_t dwords)
{
   uint32_t i = 0;
   while (i < steps->lives && steps->live[i].key != key)
      i++;
   if (i < steps->lives)
      memmove(&steps->live[i], &steps->live[i + 1], (--steps->lives - i) * sizeof(steps->live[0]));
   if (steps->lives == LOOK_LIVE_PACKETS)
      return false;
   steps->live[steps->lives++] = (struct look_live){ key, at_dw, dwords };
   return true;
}

/* Note what packets from next_dw up to `end_dw` set. */
static void
advance(struct look_steps *steps, uint32_t end_dw)
{
   struct look_submission part = look_steps_packets(steps);
   part.dwords = end_dw;
   struct look_packets packets = look_packets_of(&part);
   const uint32_t *packet;
   bool ok = true;
   packets.at = steps->next_dw;
   while (ok && (packet = look_packets_next(&packets))) {
      const uint32_t at_dw = (uint32_t)(packet - steps->packets);
      if (sets_state(packet))
         ok = add_live(steps, look_state_key(packet), at_dw, packets.at - at_dw);
   }
   steps->lives = ok ? steps->lives : 0; /* all of it is run again */
   steps->next_dw = ok ? end_dw : 0;
}

static uint32_t
live_dwords(const struct look_steps *steps)
{
   uint32_t dwords = 0;
   for (uint32_t i = 0; i < steps->lives; i++)
      dwords += steps->live[i].dwords;
   return dwords;
}

/* Packets that are run again only set state: the counts of feedback go on where they are. */
static void
run_again(uint32_t *packet)
{
   struct cf_feedback feedback;
   const char *bad_field;
   if (look_opcode(packet) != CF_OPCODE_FEEDBACK ||
       !cf_feedback_unpack(packet, &feedback, &bad_field))
      return;
   feedback.restart = 0;
   cf_feedback_pack(packet, &feedback);
}

static void
put_live(const struct look_steps *steps, uint32_t *dw)
{
   for (uint32_t i = 0; i < steps->lives; i++) {
      const struct look_live *live = &steps->live[i];
      memcpy(dw, &steps->packets[live->at_dw], 4 * (size_t)live->dwords);
      run_again(dw);
      dw += live->dwords;
   }
}

/* What still holds stands right before the packets since the last step: there is room, since it all
 * stood there before. So those packets, and the operation, have their own addresses. */
void
look_steps_run(struct look_steps *steps, const struct look_op *op)
{
   uint32_t *dw = steps->submission.dw;
   const uint32_t end_dw = op->at_dw + op->dwords;
   if (op->at_dw < steps->next_dw)
      steps->lives = steps->next_dw = 0;
   const uint32_t since_dw = steps->next_dw, begin_dw = since_dw - live_dwords(steps);
   const size_t live_B = 4 * (size_t)(since_dw - begin_dw);
   uint32_t *kept = steps->packets + steps->submission.dwords;
   struct look_submission part = steps->submission;
   part.address += 4 * (uint64_t)begin_dw;
   part.dw += begin_dw;
   part.dwords -= begin_dw;
   memcpy(kept, &dw[begin_dw], live_B);
   put_live(steps, &dw[begin_dw]);
   memcpy(&dw[op->at_dw], &steps->packets[op->at_dw], 4 * (size_t)op->dwords);
   look_run_until(steps->player, &part, end_dw - begin_dw);
   memcpy(&dw[begin_dw], kept, live_B);
   blank(&dw[op->at_dw], op->dwords);
   advance(steps, end_dw);
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

bool
look_steps_each(struct look_player *player, const struct look_submission *submission,
                struct look_ops *ops, look_step step, void *user)
{
   struct look_steps steps;
   struct look_op op;
   if (!look_steps_begin(&steps, player, submission))
      return false;
   const struct look_submission packets = look_steps_packets(&steps);
   look_ops_enter(ops, &packets);
   while (look_ops_next(ops, &op) && step(user, &steps, &ops->state, &op))
      ;
   look_steps_end(&steps);
   return true;
}
