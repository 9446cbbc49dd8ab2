/* SPDX-License-Identifier: MIT */
#include "why_bad_vertex.h"

#include "look/look_state.h"

#include "why_lift.h"
#include "why_lines.h"
#include "why_origin.h"

struct follower {
   struct why_origin origin;
   bool follows;      /* the task that runs has the vertex */
   uint32_t found_at; /* instruction; WHY_FINITE: none */
};

struct bad_vertex_search {
   const struct why_plan *plan;
   const struct why_bad_vertex *vertex;
   uint32_t submission, count;
   struct follower follower[WHY_BAD_VERTICES];
};

/* The lane that shades a vertex; negative: none does. */
static int
lane_of(const struct bad_vertex_search *search, const struct why_bad_vertex *vertex,
        const struct cf_task_event *task)
{
   const struct why_op *op = why_plan_op(search->plan, search->submission, task->draw);
   if (!op || cf_task_stage(task) != CF_SHADER_STAGE_VERTEX || op != &search->plan->op[vertex->op])
      return -1;
   for (int lane = 0; lane < 32; lane++) {
      if (task->lanes >> lane & 1 && task->element[lane] == vertex->element &&
          task->instance[lane] == vertex->instance)
         return lane;
   }
   return -1;
}

static void
note_task_begin(void *user, const struct cf_task_event *task)
{
   struct bad_vertex_search *search = user;
   for (uint32_t i = 0; i < search->count; i++) {
      struct follower *f = &search->follower[i];
      const int lane = lane_of(search, &search->vertex[i], task);
      f->follows = lane >= 0;
      if (f->follows)
         why_origin_begin(&f->origin, (uint32_t)lane);
   }
}

static void
note_instruction(void *user, const struct cf_task_event *task)
{
   struct bad_vertex_search *search = user;
   for (uint32_t i = 0; i < search->count; i++) {
      if (search->follower[i].follows)
         why_origin_instruction(&search->follower[i].origin, task);
   }
}

/* The position is the first four outputs. */
static void
note_task_end(void *user, const struct cf_task_event *task)
{
   struct bad_vertex_search *search = user;
   (void)task;
   for (uint32_t i = 0; i < search->count; i++) {
      struct follower *f = &search->follower[i];
      for (uint32_t c = 0; c < 4 && f->follows && f->found_at == WHY_FINITE; c++)
         f->found_at = f->origin.output[c];
      f->follows = false;
   }
}

static void
begin_submission(void *user, uint32_t number)
{
   struct bad_vertex_search *search = user;
   search->submission = number;
   for (uint32_t i = 0; i < search->count; i++)
      search->follower[i].found_at = WHY_FINITE;
}

/* Describe it while memory has the draw's state. */
static void
end_submission(void *user, const struct look_player *player,
               const struct look_submission *submission)
{
   const struct bad_vertex_search *search = user;
   for (uint32_t i = 0; i < search->count; i++) {
      struct look_state state;
      const uint32_t found_at = search->follower[i].found_at;
      const uint64_t packet = search->plan->op[search->vertex[i].op].packet;
      if (found_at != WHY_FINITE && look_state_at(submission, packet, &state))
         json_object_set_new(
            search->vertex[i].json, "not_finite",
            why_instruction_json(player, state.shader[CF_SHADER_STAGE_VERTEX].program, found_at));
   }
}

bool
why_bad_vertices(const struct why_question *question, const struct why_plan *plan,
                 const struct why_bad_vertex *vertex, uint32_t count, char *error, size_t error_B)
{
   struct bad_vertex_search search = { .plan = plan, .vertex = vertex, .count = count };
   const struct why_lifted_use use = {
      .observer = { .user = &search,
                    .task_begin = note_task_begin,
                    .instruction = note_instruction,
                    .task_end = note_task_end },
      .begin = begin_submission,
      .end = end_submission,
   };
   return count == 0 || why_lift_run(question, plan, &use, error, error_B);
}
