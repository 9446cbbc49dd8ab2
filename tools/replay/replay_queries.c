/* SPDX-License-Identifier: MIT */
#include "replay_queries.h"

#include <stdlib.h>
#include <string.h>

#include "look/look_step.h"

/* ------------------------------------------------------------------ results */

const uint32_t *
replay_queries_next(struct look_packets *packets, struct cf_query *query)
{
   const char *bad_field;
   const uint32_t *packet;
   while ((packet = look_packets_next(packets))) {
      if (look_opcode(packet) == CF_OPCODE_QUERY && cf_query_unpack(packet, query, &bad_field) &&
          query->kind != CF_QUERY_KIND_TIME && query->kind != CF_QUERY_KIND_TIMESTAMP)
         return packet;
   }
   return NULL;
}

/* Read the results on both sides. Whether they differ. */
static bool
read_results(struct look_player *const player[2], struct replay_query *query)
{
   for (uint32_t i = 0; i < 2; i++) {
      const void *result = look_player_at(player[i], query->result[i], sizeof(query->value[i]));
      query->value[i] = 0;
      if (result)
         memcpy(&query->value[i], result, sizeof(query->value[i]));
   }
   return query->value[0] != query->value[1];
}

bool
replay_queries_differ(struct look_player *const player[2],
                      const struct look_submission submission[2], struct replay_query *query)
{
   struct look_packets packets[2] = { look_packets_of(&submission[0]),
                                      look_packets_of(&submission[1]) };
   struct cf_query of[2];
   const uint32_t *packet;
   while ((packet = replay_queries_next(&packets[0], &of[0])) &&
          replay_queries_next(&packets[1], &of[1])) {
      *query = (struct replay_query){ .packet = look_packet_address(&submission[0], packet),
                                      .kind = of[0].kind,
                                      .result = { of[0].result, of[1].result } };
      if (read_results(player, query))
         return true;
   }
   return false;
}

/* ------------------------------------------------------------------ the operation */

/* The sides, and their memory before the submission. */
struct query_trial {
   struct look_player *const *player;
   const struct look_submission *submission;
   void *before[2];
};

static bool
begin_trial(struct query_trial *trial)
{
   for (uint32_t i = 0; i < 2; i++) {
      const struct cf_bo memory = look_player_memory(trial->player[i]);
      trial->before[i] = malloc(memory.size_B);
      if (!trial->before[i])
         return false;
      memcpy(trial->before[i], memory.map, memory.size_B);
   }
   return true;
}

/* Whether the results differ when the submission is cut after operation `number`. */
static bool
differs_after(const struct query_trial *trial, struct look_op *const op[2], uint32_t number,
              struct replay_query *query)
{
   for (uint32_t i = 0; i < 2; i++) {
      const struct cf_bo memory = look_player_memory(trial->player[i]);
      memcpy(memory.map, trial->before[i], memory.size_B);
      look_run_until(trial->player[i], &trial->submission[i],
                     op[i][number].at_dw + op[i][number].dwords);
   }
   return read_results(trial->player, query);
}

/* The submission's operations. Returns how many; 0: none, or out of memory. */
static uint32_t
list_ops(const struct look_submission *submission, struct look_ops ops, struct look_op **list)
{
   uint32_t count = 0, capacity = 0;
   struct look_op op;
   look_ops_enter(&ops, submission);
   while (look_ops_next(&ops, &op)) {
      if (count == capacity) {
         capacity = 2 * capacity + 64;
         struct look_op *grown = realloc(*list, capacity * sizeof(op));
         if (!grown)
            return 0;
         *list = grown;
      }
      (*list)[count++] = op;
   }
   return count;
}

bool
replay_query_op(struct look_player *const player[2], const struct look_submission submission[2],
                const struct look_ops ops[2], const struct replay_query *query,
                struct look_op op[2])
{
   struct query_trial trial = { .player = player, .submission = submission };
   struct replay_query of = *query;
   struct look_op *list[2] = { NULL, NULL };
   uint32_t count[2], low = 0;
   for (uint32_t i = 0; i < 2; i++)
      count[i] = list_ops(&submission[i], ops[i], &list[i]);
   const bool ok = count[0] && count[1] && !read_results(player, &of) && begin_trial(&trial);
   uint32_t high = (count[0] < count[1] ? count[0] : count[1]) - (ok ? 1 : 0);
   while (ok && low < high) { /* they differ after `high` */
      const uint32_t middle = (low + high) / 2;
      if (differs_after(&trial, list, middle, &of))
         high = middle;
      else
         low = middle + 1;
   }
   for (uint32_t i = 0; i < 2; i++) {
      if (ok)
         op[i] = list[i][high];
      free(list[i]);
      free(trial.before[i]);
   }
   return ok;
}
