/* SPDX-License-Identifier: MIT */
#include "debug_play.h"

#include "look/look_player.h"
#include "look/look_step.h"

struct play {
   const struct debug_scope *scope;
   debug_visit_fn visit;
   void *user;
   const struct look_player *player;
   const struct look_state *state;
   const struct look_op *op;
   uint32_t submission;
   uint32_t next; /* the place that comes next */
   uint32_t visits;
   bool watching, done;
};

/* ------------------------------------------------------------------ tasks */

static uint32_t
lane_of_pixel(const struct cf_task_event *e, const struct debug_place *place)
{
   for (uint32_t q = 0; e->quad && q < e->quads; q++) {
      const uint32_t x = place->x_px - e->quad[q].x_px, y = place->y_px - e->quad[q].y_px;
      const uint32_t lane = 4 * q + x + 2 * y;
      if (x <= 1 && y <= 1 && e->lanes >> lane & 1 && e->quad[q].primitive == place->primitive)
         return lane;
   }
   return DEBUG_NONE;
}

static uint32_t
lane_of_element(const struct cf_task_event *e, uint32_t element)
{
   for (uint32_t lane = 0; cf_task_stage(e) == CF_SHADER_STAGE_VERTEX && lane < CF_TASK_LANES;
        lane++) {
      if (e->lanes >> lane & 1 && e->element[lane] == element)
         return lane;
   }
   return DEBUG_NONE;
}

/* The lane to look at, if the place is in the task. */
static uint32_t
lane_of(const struct play *play, const struct cf_task_event *e, const struct debug_place *place)
{
   if (play->submission != place->submission || e->draw != place->packet)
      return DEBUG_NONE;
   switch (play->scope->question.kind) {
   case DEBUG_PIXEL:
      return lane_of_pixel(e, place);
   case DEBUG_VERTEX:
      return lane_of_element(e, play->scope->question.element);
   case DEBUG_DRAW:
      return e->lanes ? (uint32_t)__builtin_ctz(e->lanes) : DEBUG_NONE;
   }
   return DEBUG_NONE;
}

static void
see_task(void *user, const struct cf_task_event *e)
{
   struct play *play = user;
   const bool all = play->scope->question.kind == DEBUG_DRAW;
   uint32_t i = play->next, lane = DEBUG_NONE;
   if (!play->watching || play->done)
      return;
   for (; i < play->scope->places && lane == DEBUG_NONE; i++)
      lane = lane_of(play, e, &play->scope->place[i]);
   if (lane == DEBUG_NONE)
      return;
   const struct debug_visit visit = { .number = all ? play->visits : i - 1,
                                      .lane = lane,
                                      .place = &play->scope->place[i - 1],
                                      .event = e,
                                      .player = play->player,
                                      .state = play->state,
                                      .packet = play->op->packet };
   play->visits = visit.number + 1;
   play->next = all ? 0 : i;
   play->done = !play->visit(play->user, &visit);
}

/* ------------------------------------------------------------------ submissions */

static bool
has_place(const struct play *play, const struct look_submission *submission,
          const struct look_op *op)
{
   for (uint32_t i = 0; i < play->scope->places; i++) {
      const struct debug_place *place = &play->scope->place[i];
      if (place->submission == submission->number &&
          (!op || place->packet == look_packet_address(submission, op->packet)))
         return true;
   }
   return false;
}

static bool
step(void *user, struct look_steps *steps, const struct look_state *state, const struct look_op *op)
{
   struct play *play = user;
   const struct look_submission packets = look_steps_packets(steps);
   play->state = state;
   play->op = op;
   play->watching = has_place(play, &packets, op);
   look_steps_run(steps, op);
   play->watching = false;
   return !play->done;
}

/* Run a submission, draw by draw where there are places. False: out of memory. */
static bool
run_submission(struct play *play, struct look_player *player,
               const struct look_submission *submission)
{
   struct look_ops ops = { 0 };
   if (has_place(play, submission, NULL))
      return look_steps_each(player, submission, &ops, step, play);
   look_player_run(player, submission);
   return true;
}

static bool
run_all(struct play *play, struct look_player *player, char *error, size_t error_B)
{
   struct look_submission submission;
   const struct debug_place *last = &play->scope->place[play->scope->places - 1];
   int found = 1;
   while (!play->done && (found = look_player_next(player, &submission, error, error_B)) > 0 &&
          submission.number <= last->submission) {
      play->submission = submission.number;
      if (!run_submission(play, player, &submission)) {
         snprintf(error, error_B, "out of memory");
         return false;
      }
      look_player_forgive(player);
   }
   return found >= 0;
}

uint32_t
debug_play(const struct debug_scope *scope, debug_visit_fn visit, void *user, char *error,
           size_t error_B)
{
   struct play play = { .scope = scope, .visit = visit, .user = user };
   const struct cf_observer observer = { .user = &play, .task_begin = see_task };
   const struct cf_model_config config = { .threads = 0,
                                           .memory_B = CF_CAPTURE_MAX_ADDRESS,
                                           .engine = CF_ENGINE_INTERP,
                                           .path = CF_PATH_PLAIN,
                                           .no_disk_cache = true,
                                           .observer = &observer };
   struct look_player *player = look_player_open(scope->question.path, &config, error, error_B);
   if (!player)
      return UINT32_MAX;
   play.player = player;
   const bool ok = run_all(&play, player, error, error_B);
   look_player_close(player);
   return ok ? play.visits : UINT32_MAX;
}
