/* SPDX-License-Identifier: MIT */
#include "debug_real.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "look/look_pixel.h"

/* The outputs of a lane at the end of its program. */
static json_t *
outputs_of(const struct debug_view *view)
{
   const uint32_t at = view->task->at;
   debug_task_seek(view->task, view->task->steps);
   json_t *outputs = debug_values(view, DEBUG_OUTPUTS, NULL);
   debug_task_seek(view->task, at);
   return outputs;
}

/* ------------------------------------------------------------------ the other capture */

static bool
see_visit(void *user, const struct debug_visit *visit)
{
   json_t **outputs = user;
   struct debug_task task = { 0 };
   struct debug_program program = { 0 };
   const struct debug_view view = { .task = &task,
                                    .program = &program,
                                    .player = visit->player,
                                    .state = visit->state,
                                    .lane = visit->lane };
   if (debug_task_begin(&task, visit->event) &&
       debug_program_read(visit->player, visit->state, task.program, &program))
      *outputs = outputs_of(&view);
   debug_program_free(&program);
   debug_task_end(&task);
   return false;
}

/* The session's place in another capture: the draw of the same number; addresses may be others. */
static bool
find_place(const struct debug_session *session, const char *path, struct debug_scope *scope,
           char *error, size_t error_B)
{
   const struct debug_place *here = session->visit->place;
   struct debug_question question = session->scope.question;
   question.path = path;
   question.kind = DEBUG_DRAW;
   question.draw = here->draw;
   if (!debug_scope_find(&question, scope, error, error_B))
      return false;
   scope->question.kind = session->scope.question.kind;
   scope->place[0].x_px = here->x_px;
   scope->place[0].y_px = here->y_px;
   scope->place[0].primitive = here->primitive;
   return true;
}

/* The outputs that the capture at `path` has at the session's place. NULL: `text` says why not. */
static json_t *
real_outputs(const struct debug_session *session, const char *path, char text[DEBUG_REAL_B])
{
   struct debug_scope scope;
   json_t *outputs = NULL;
   char error[DEBUG_REAL_B - 64] = "its draw has no such fragment or vertex";
   if (find_place(session, path, &scope, error, sizeof(error)))
      debug_play(&scope, see_visit, &outputs, error, sizeof(error));
   debug_scope_free(&scope);
   if (!outputs)
      snprintf(text, DEBUG_REAL_B, "the real program is not found: %s", error);
   return outputs;
}

/* ------------------------------------------------------------------ the comparison */

static const char *
value_of(const json_t *outputs, const char *name)
{
   const json_t *value;
   size_t i;
   json_array_foreach(outputs, i, value)
   {
      if (!strcmp(look_text(value, "name"), name))
         return look_text(value, "value");
   }
   return NULL;
}

/* Values as text are equal if their bits are, but for NaNs, whose bits say nothing. */
static void
compare(const json_t *mine, const json_t *real, char text[DEBUG_REAL_B])
{
   uint32_t equal = 0;
   size_t i, length = 0;
   const json_t *value;
   json_array_foreach(mine, i, value)
   {
      const char *name = look_text(value, "name"), *here = look_text(value, "value"),
                 *there = value_of(real, name);
      equal += there && !strcmp(here, there);
      if (there && strcmp(here, there) && length < DEBUG_REAL_B)
         length += (size_t)snprintf(text + length, DEBUG_REAL_B - length,
                                    "%s%s = %s, in the real program %s",
                                    length ? "; " : "the outputs differ: ", name, here, there);
   }
   if (!length)
      snprintf(text, DEBUG_REAL_B,
               equal ? "the outputs are those of the real program, bit for bit"
                     : "the programs have no output in common");
}

bool
debug_real_compare(struct debug_session *session, const char *path, char text[DEBUG_REAL_B])
{
   text[0] = 0;
   if (session->scope.question.kind == DEBUG_DRAW)
      return snprintf(text, DEBUG_REAL_B, "only pixels and vertices are compared") < 0;
   json_t *real = real_outputs(session, path, text);
   if (!real)
      return false;
   struct debug_view view = session->view;
   view.lane = session->visit->lane;
   json_t *mine = outputs_of(&view);
   compare(mine, real, text);
   json_decref(mine);
   json_decref(real);
   return true;
}
