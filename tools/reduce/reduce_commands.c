/* SPDX-License-Identifier: MIT */
/*
 * Passes over the packets of submissions.
 */
#include <stdlib.h>
#include <string.h>

#include "look/look_step.h"

#include "reduce_images.h"
#include "reduce_pass.h"

/* ------------------------------------------------------------------ submissions */

/* The last submission that would remain is not left out: a capture has one at least. */
static void
apply_submissions(struct reduce_case *candidate, const bool *keep, void *user)
{
   (void)user;
   for (uint32_t s = candidate->submissions; s-- > 0;) {
      if (!keep[s] && candidate->submissions > 1)
         reduce_case_drop_submission(candidate, s);
   }
}

bool
reduce_submissions(struct reduce_trial *trial)
{
   const struct reduce_pass pass = { .step = "submissions",
                                     .count = trial->best->submissions,
                                     .least = 1,
                                     .apply = apply_submissions };
   return trial->best->submissions > 1 && reduce_pass_run(trial, &pass);
}

/* ------------------------------------------------------------------ packets */

/* A packet that may be left out. */
struct item {
   uint32_t submission, packet;
};

struct items {
   struct item *item;
   uint32_t count;
};

static void
apply_packets(struct reduce_case *candidate, const bool *keep, void *user)
{
   const struct items *items = user;
   for (uint32_t s = 0, i = 0; s < candidate->submissions; s++) {
      const uint32_t packets = candidate->submission[s].packets;
      bool *kept = reduce_allocate(packets);
      memset(kept, true, packets);
      for (; i < items->count && items->item[i].submission == s; i++)
         kept[items->item[i].packet] = keep[i];
      reduce_case_keep_packets(candidate, s, kept);
      free(kept);
   }
}

static bool
is_operation(const struct reduce_submission *s, uint32_t packet)
{
   const enum cf_opcode opcode = reduce_opcode(&s->packet[packet]);
   return look_is_op(opcode) || opcode == CF_OPCODE_QUERY;
}

static bool
is_state(const struct reduce_submission *s, uint32_t packet)
{
   return !is_operation(s, packet) && reduce_opcode(&s->packet[packet]) != CF_OPCODE_END;
}

/* Whether GL always has what a packet sets, so that zero, which holds without it, is nothing that a
 * program can say. */
static bool
is_state_of_gl(const struct reduce_packet *packet)
{
   switch (reduce_opcode(packet)) {
   case CF_OPCODE_FRAMEBUFFER:
   case CF_OPCODE_VIEWPORT:
   case CF_OPCODE_SCISSOR:
   case CF_OPCODE_RASTER:
   case CF_OPCODE_BLEND:
   case CF_OPCODE_SHADER:
   case CF_OPCODE_BIND_TEXTURE:
   case CF_OPCODE_VERTEX_ELEMENTS:
   case CF_OPCODE_VARYINGS:
      return true;
   default:
      return false;
   }
}

/* State that no operation uses, or for a program in GL, that it can do without. */
static bool
is_state_without_gl(const struct reduce_submission *s, uint32_t packet)
{
   if (!is_state(s, packet) || !is_state_of_gl(&s->packet[packet]))
      return is_state(s, packet);
   for (uint32_t i = packet + 1; i < s->packets; i++) {
      if (look_state_key(s->packet[packet].dw) == look_state_key(s->packet[i].dw))
         return true;
      if (is_operation(s, i))
         return false;
   }
   return true;
}

static bool
reduce_packets(struct reduce_trial *trial, const char *step,
               bool (*may)(const struct reduce_submission *s, uint32_t packet))
{
   const struct reduce_case *c = trial->best;
   struct items items = { 0 };
   uint32_t packets = 0;
   for (uint32_t s = 0; s < c->submissions; s++)
      packets += c->submission[s].packets;
   items.item = reduce_allocate(packets * sizeof(*items.item));
   for (uint32_t s = 0; s < c->submissions; s++) {
      for (uint32_t i = 0; i < c->submission[s].packets; i++) {
         if (may(&c->submission[s], i))
            items.item[items.count++] = (struct item){ s, i };
      }
   }
   const bool changed = reduce_pass_run(
      trial,
      &(struct reduce_pass){
         .step = step, .count = items.count, .least = 1, .apply = apply_packets, .user = &items });
   free(items.item);
   return changed;
}

bool
reduce_operations(struct reduce_trial *trial)
{
   return reduce_packets(trial, "operations", is_operation);
}

bool
reduce_state_packets(struct reduce_trial *trial)
{
   return reduce_packets(trial, "state", trial->for_gles ? is_state_without_gl : is_state);
}

/* ------------------------------------------------------------------ results */

/* Where the best case is cut: after operation number `packet` of a submission. */
struct cut {
   uint32_t submission, packet;
   uint32_t operations; /* up to there, without clears */
};

/* The operations, each as a place to cut after. */
static struct cut *
list_cuts(const struct reduce_case *c, uint32_t *count)
{
   uint32_t packets = 0, operations = 0;
   for (uint32_t s = 0; s < c->submissions; s++)
      packets += c->submission[s].packets;
   struct cut *cuts = reduce_allocate(packets * sizeof(*cuts));
   *count = 0;
   for (uint32_t s = 0; s < c->submissions; s++) {
      for (uint32_t i = 0; i < c->submission[s].packets; i++) {
         const struct reduce_packet *packet = &c->submission[s].packet[i];
         const enum cf_opcode opcode = reduce_opcode(packet);
         operations += look_is_op(opcode) && opcode != CF_OPCODE_CLEAR;
         if (look_is_op(opcode))
            cuts[(*count)++] = (struct cut){ s, i, operations };
      }
   }
   return cuts;
}

/* Run the best case up to the cut. NULL: it cannot be run. */
static struct look_player *
play_to(struct reduce_trial *trial, const struct cut *cut)
{
   char error[CF_CAPTURE_ERROR_B];
   struct look_submission submission;
   struct look_player *player = reduce_play_best(trial, error, sizeof(error));
   while (player && look_player_next(player, &submission, error, sizeof(error)) > 0) {
      uint32_t end_dw = 0;
      if (submission.number < cut->submission) {
         look_player_run(player, &submission);
         continue;
      }
      for (uint32_t i = 0; i <= cut->packet; i++)
         end_dw += trial->best->submission[cut->submission].packet[i].dwords;
      look_run_until(player, &submission, end_dw);
      return player;
   }
   if (player)
      look_player_close(player);
   return NULL;
}

/* Take over memory, but not the packets, which have a place of their own, nor images that what
 * remains writes or copies: the picture is to be drawn. */
static void
take_memory(struct reduce_case *c, const struct look_player *player, uint64_t commands_B)
{
   uint8_t *zeros = reduce_allocate(commands_B);
   struct reduce_images images = reduce_images_of(c);
   for (uint64_t number = 1; number < c->end / REDUCE_PAGE_B; number++) {
      const uint8_t *now = look_player_at(player, number * REDUCE_PAGE_B, REDUCE_PAGE_B),
                    *host = reduce_case_page(c, 0, number);
      uint8_t zero[REDUCE_PAGE_B] = { 0 };
      if (now && !reduce_images_have(&images, number) &&
          memcmp(now, host ? host : zero, REDUCE_PAGE_B))
         reduce_case_set_page(c, 0, number, now);
   }
   reduce_case_write(c, 0, c->submission[0].address, zeros, commands_B);
   free(images.range);
   free(zeros);
}

/* The case without the operations up to the cut, whose results are in memory. NULL: none. */
static struct reduce_case *
cut_case(struct reduce_trial *trial, const struct cut *cut)
{
   struct look_player *player = play_to(trial, cut);
   if (!player)
      return NULL;
   struct reduce_case *c = reduce_case_copy(trial->best);
   for (uint32_t s = 0; s < cut->submission; s++)
      reduce_case_drop_submission(c, 0);
   struct reduce_submission *first = &c->submission[0];
   bool *keep = reduce_allocate(first->packets);
   uint64_t commands_B = first->rest ? first->rest->size_B : 0;
   for (uint32_t i = 0; i < first->packets; i++) {
      commands_B += 4 * first->packet[i].dwords;
      keep[i] = i > cut->packet || !is_operation(first, i);
   }
   reduce_case_keep_packets(c, 0, keep);
   take_memory(c, player, commands_B);
   look_player_close(player);
   free(keep);
   return c;
}

bool
reduce_to_results(struct reduce_trial *trial)
{
   bool changed = false;
   uint32_t count;
   struct cut *cuts = list_cuts(trial->best, &count);
   if (trial->verdict == REDUCE_WELL && !trial->stopped)
      reduce_trial_step(trial, "results");
   for (uint32_t left = count; left > 1 && trial->verdict == REDUCE_WELL && !trial->stopped;) {
      const struct cut *cut = &cuts[left - 2]; /* all but the last, then half of them, ... */
      struct reduce_case *candidate = cut->operations ? cut_case(trial, cut) : NULL;
      if (candidate && reduce_try(trial, candidate)) {
         changed = true;
         break;
      }
      left = (left + 1) / 2;
   }
   free(cuts);
   return changed;
}
