/* SPDX-License-Identifier: MIT */
#include "debug_session.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ where it is */

struct debug_line
debug_session_line(const struct debug_session *session)
{
   const uint32_t at = session->task.at, last = debug_task_last(&session->task);
   return session->walk.line[at < last ? at : last];
}

bool
debug_session_runs(const struct debug_session *session, uint32_t lane)
{
   const uint32_t at = session->task.at, last = debug_task_last(&session->task);
   return session->task.step[at < last ? at : last].exec >> lane & 1;
}

void
debug_session_lane_text(const struct debug_session *session, uint32_t lane, char *text, size_t size)
{
   const struct cf_task_event *e = session->visit->event;
   const bool active = e->lanes >> lane & 1, runs = session->task.step[0].exec >> lane & 1;
   if (!runs)
      snprintf(text, size, "empty");
   else if (e->quad)
      snprintf(text, size, "%spixel %" PRIu32 ",%" PRIu32, active ? "" : "helper of ",
               e->quad[lane / 4].x_px + (lane & 1), e->quad[lane / 4].y_px + (lane >> 1 & 1));
   else
      snprintf(text, size, "vertex %" PRIu32 " of %" PRIu32, e->element[lane], e->vertex[lane]);
}

void
debug_session_look(struct debug_session *session, uint32_t lane)
{
   if (session->view.lane == lane)
      return;
   session->view.lane = lane;
   debug_walk_free(&session->walk);
   session->out_of_memory |=
      !debug_walk_make(&session->task, &session->program, lane, &session->walk);
}

static void __attribute__((format(printf, 3, 4)))
set_reason(struct debug_session *session, enum debug_stop stop, const char *format, ...)
{
   va_list arguments;
   session->stop = stop;
   va_start(arguments, format);
   vsnprintf(session->reason, sizeof(session->reason), format, arguments);
   va_end(arguments);
}

/* ------------------------------------------------------------------ hits */

/* Lanes in which breakpoints count: of a pixel or a vertex its own; of a draw all. */
static uint32_t
watched_lanes(const struct debug_session *session)
{
   return session->scope.question.kind == DEBUG_DRAW ? session->visit->event->lanes
                                                     : 1u << session->visit->lane;
}

static bool
search(struct debug_session *session, uint32_t from, uint32_t to, bool last, struct debug_hit *hit)
{
   const struct debug_search search = { .view = &session->view,
                                        .breaks = &session->breaks,
                                        .event = session->visit->event,
                                        .lanes = watched_lanes(session),
                                        .from = from,
                                        .to = to,
                                        .last = last };
   return debug_search(&search, hit);
}

static void
stop_at_hit(struct debug_session *session, const struct debug_hit *hit)
{
   debug_session_look(session, hit->lane);
   debug_task_seek(&session->task, hit->at);
   if (!hit->one)
      set_reason(session, DEBUG_STOP_FAULT, "%s", hit->fault.text);
   else
      set_reason(session, DEBUG_STOP_BREAK, "breakpoint %" PRIu32, hit->one->id);
}

/* Find out again why a place is a hit, which was found in an earlier run of the capture. */
static void
stop_again(struct debug_session *session)
{
   struct debug_hit hit;
   if (search(session, session->hit_at, session->hit_at + 1, false, &hit))
      stop_at_hit(session, &hit);
}

static void
stop_at_end(struct debug_session *session, bool back)
{
   debug_task_seek(&session->task, back ? 0 : debug_task_last(&session->task));
   set_reason(session, DEBUG_STOP_END,
              back ? "the start: no breakpoint is before" : "the end: no breakpoint comes");
}

/* ------------------------------------------------------------------ steps */

bool
debug_session_step(struct debug_session *session, bool back, bool instruction)
{
   struct debug_task *task = &session->task;
   const uint32_t last = debug_task_last(task);
   uint32_t at;
   if (instruction || !session->program.has_lines)
      at = back ? (task->at ? task->at - 1 : UINT32_MAX)
                : (task->at < last ? task->at + 1 : UINT32_MAX);
   else
      at = back ? debug_walk_previous(&session->walk, task->at)
                : debug_walk_next(&session->walk, task->at);
   if (at == UINT32_MAX && back && task->at)
      at = 0;
   else if (at == UINT32_MAX && !back && task->at < last)
      at = last;
   if (at == UINT32_MAX) {
      set_reason(session, DEBUG_STOP_END,
                 back ? "the start of the program" : "the end of the program");
      return true;
   }
   debug_task_seek(task, at);
   set_reason(session, DEBUG_STOP_STEP, "step");
   return true;
}

bool
debug_session_finish(struct debug_session *session, bool back)
{
   debug_task_seek(&session->task, back ? 0 : debug_task_last(&session->task));
   set_reason(session, DEBUG_STOP_STEP,
              back ? "the start of the program" : "the end of the program");
   return true;
}

static bool
leave(struct debug_session *session, struct debug_want want)
{
   session->want = want;
   return false;
}

bool
debug_session_continue(struct debug_session *session, bool back)
{
   struct debug_hit hit;
   const uint32_t at = session->task.at, number = session->visit->number;
   const bool found = back ? search(session, 0, at, true, &hit)
                           : search(session, at + 1, session->task.steps, false, &hit);
   debug_task_seek(&session->task, at);
   if (found) {
      stop_at_hit(session, &hit);
      return true;
   }
   if (session->datas)
      return debug_session_writer(session, session->data, session->datas, !back);
   if (back ? number == 0 : number + 1 == session->visits) {
      stop_at_end(session, back);
      return true;
   }
   return leave(session, (struct debug_want){ .kind = back ? DEBUG_WANT_BACK : DEBUG_WANT_FORWARD,
                                              .visit = back ? number : number + 1 });
}

bool
debug_session_visit(struct debug_session *session, uint32_t visit, uint32_t at)
{
   return leave(session, (struct debug_want){ .kind = DEBUG_WANT_AT,
                                              .visit = visit,
                                              .at = at,
                                              .lane = DEBUG_NONE,
                                              .stop = DEBUG_STOP_STEP });
}

void
debug_session_quit(struct debug_session *session)
{
   session->want = (struct debug_want){ .kind = DEBUG_WANT_QUIT };
}

/* ------------------------------------------------------------------ writers */

/* The writer that is nearest to where the session is. False: `error`. */
static bool
nearest_writer(const struct debug_session *session, const struct debug_data *data, uint32_t count,
               bool later, struct debug_writer *nearest, char *error, size_t error_B)
{
   const struct debug_place *here = session->visit->place;
   bool found = false;
   for (uint32_t i = 0; i < count; i++) {
      struct debug_writer writer;
      if (!debug_data_writer(&session->scope.question, &data[i], here, later, &writer, error,
                             error_B))
         continue;
      if (found && (debug_place_order(&writer.at, &nearest->at) < 0) != later) {
         debug_scope_free(&writer.scope);
         continue;
      }
      if (found)
         debug_scope_free(&nearest->scope);
      *nearest = writer;
      found = true;
   }
   return found;
}

bool
debug_session_writer(struct debug_session *session, const struct debug_data *data, uint32_t count,
                     bool later)
{
   struct debug_writer writer;
   char error[DEBUG_REASON_B - 64];
   if (!nearest_writer(session, data, count, later, &writer, error, sizeof(error))) {
      set_reason(session, DEBUG_STOP_END, "%s", error);
      return true;
   }
   set_reason(session, DEBUG_STOP_DATA, "%.*s", DEBUG_REASON_B - 1, writer.text);
   if (!writer.is_draw)
      return true;
   session->next = writer.scope;
   return leave(session, (struct debug_want){ .kind = DEBUG_WANT_WRITER,
                                              .visit = writer.place,
                                              .lane = DEBUG_NONE,
                                              .stop = DEBUG_STOP_DATA });
}

/* ------------------------------------------------------------------ visits */

static bool
load(struct debug_session *session, const struct debug_visit *visit)
{
   session->visit = visit;
   session->view = (struct debug_view){ .task = &session->task,
                                        .program = &session->program,
                                        .player = visit->player,
                                        .state = visit->state,
                                        .lane = visit->lane };
   if (!debug_task_begin(&session->task, visit->event))
      return false;
   return debug_program_read(visit->player, visit->state, session->task.program,
                             &session->program) &&
          debug_walk_make(&session->task, &session->program, visit->lane, &session->walk);
}

static void
unload(struct debug_session *session)
{
   debug_walk_free(&session->walk);
   debug_program_free(&session->program);
   debug_task_end(&session->task);
   session->visit = NULL;
}

/* Stop here, until the person wants to be elsewhere. */
static void
stop(struct debug_session *session)
{
   session->want = (struct debug_want){ .kind = DEBUG_WANT_QUIT };
   session->front->stopped(session->front->user, session);
}

static void
arrive(struct debug_session *session)
{
   const struct debug_want want = session->want;
   if (want.kind == DEBUG_WANT_FIRST) {
      set_reason(session, DEBUG_STOP_ENTRY, "entry");
      stop(session);
      return;
   }
   const uint32_t last = debug_task_last(&session->task);
   if (want.lane != DEBUG_NONE)
      debug_session_look(session, want.lane);
   debug_task_seek(&session->task, want.at < last ? want.at : last);
   if (want.stop == DEBUG_STOP_BREAK)
      stop_again(session);
   else if (want.stop == DEBUG_STOP_END)
      stop_at_end(session, want.at == 0);
   else if (want.stop == DEBUG_STOP_STEP)
      set_reason(session, DEBUG_STOP_STEP, "step");
   stop(session);
}

/* Keep the last hit of a visit. */
static void
keep_last(struct debug_session *session)
{
   struct debug_hit hit;
   if (!search(session, 0, session->task.steps, true, &hit))
      return;
   session->hit_visit = session->visit->number;
   session->hit_at = hit.at;
   session->hit_lane = hit.lane;
}

/* Whether this run of the capture goes on. */
static bool
goes_on(const struct debug_session *session, uint32_t number)
{
   switch (session->want.kind) {
   case DEBUG_WANT_AT:
      return session->want.visit > number;
   case DEBUG_WANT_FORWARD:
      return true;
   case DEBUG_WANT_BACK:
      return session->want.visit > number + 1;
   default:
      return false;
   }
}

/* Whether there is something to do at a visit. */
static bool
is_wanted(const struct debug_session *session, const struct debug_visit *visit)
{
   const struct debug_want *want = &session->want;
   switch (want->kind) {
   case DEBUG_WANT_FIRST:
      return visit->number == debug_scope_first(&session->scope);
   case DEBUG_WANT_AT:
      return visit->number == want->visit;
   case DEBUG_WANT_FORWARD:
      return visit->number >= want->visit;
   case DEBUG_WANT_BACK:
      return visit->number < want->visit;
   case DEBUG_WANT_WRITER:
   case DEBUG_WANT_QUIT:
      return false;
   }
   return false;
}

static bool
see_visit(void *user, const struct debug_visit *visit)
{
   struct debug_session *session = user;
   struct debug_hit hit;
   if (!is_wanted(session, visit))
      return true;
   session->out_of_memory |= !load(session, visit);
   if (session->out_of_memory)
      return false;
   if (session->want.kind == DEBUG_WANT_BACK) {
      keep_last(session);
   } else if (session->want.kind != DEBUG_WANT_FORWARD) {
      arrive(session);
   } else if (search(session, 0, session->task.steps, false, &hit)) {
      stop_at_hit(session, &hit);
      stop(session);
   }
   const bool goes = goes_on(session, visit->number);
   unload(session);
   return goes;
}

/* ------------------------------------------------------------------ runs */

/* What to do when the capture has been played and no visit has set another want. */
static void
decide(struct debug_session *session, uint32_t seen)
{
   const struct debug_want want = session->want;
   if (want.kind == DEBUG_WANT_FORWARD) {
      session->visits = seen;
      session->want = (struct debug_want){ .kind = DEBUG_WANT_AT,
                                           .visit = seen - 1,
                                           .at = DEBUG_NONE,
                                           .lane = DEBUG_NONE,
                                           .stop = DEBUG_STOP_END };
   } else if (want.kind == DEBUG_WANT_BACK) {
      const bool found = session->hit_visit != DEBUG_NONE;
      session->want = (struct debug_want){ .kind = DEBUG_WANT_AT,
                                           .visit = found ? session->hit_visit : 0,
                                           .at = found ? session->hit_at : 0,
                                           .lane = found ? session->hit_lane : DEBUG_NONE,
                                           .stop = found ? DEBUG_STOP_BREAK : DEBUG_STOP_END };
   }
}

static bool
is_same(const struct debug_want *a, const struct debug_want *b)
{
   return a->kind == b->kind && a->visit == b->visit && a->at == b->at;
}

/* Go on in the scope of a writer. */
static void
take_scope(struct debug_session *session)
{
   debug_scope_free(&session->scope);
   session->scope = session->next;
   session->next = (struct debug_scope){ 0 };
   session->visits = session->scope.places;
   session->want.kind = DEBUG_WANT_AT;
}

static bool
run(struct debug_session *session, char *error, size_t error_B)
{
   while (session->want.kind != DEBUG_WANT_QUIT) {
      if (session->want.kind == DEBUG_WANT_WRITER)
         take_scope(session);
      const struct debug_want want = session->want;
      session->hit_visit = DEBUG_NONE;
      const uint32_t seen = debug_play(&session->scope, see_visit, session, error, error_B);
      if (seen == UINT32_MAX || session->out_of_memory) {
         if (seen != UINT32_MAX)
            snprintf(error, error_B, "out of memory");
         return false;
      }
      const bool same = is_same(&session->want, &want);
      if (session->want.kind == DEBUG_WANT_FORWARD ||
          (session->want.kind == DEBUG_WANT_BACK && same)) {
         decide(session, seen);
      } else if (same) {
         snprintf(error, error_B,
                  "the draw runs no shader there: the watchdog ended its "
                  "submission, or it draws nothing");
         return false;
      }
   }
   return true;
}

bool
debug_session_run(const struct debug_question *question, const struct debug_front *front,
                  struct debug_session *session, char *error, size_t error_B)
{
   *session = (struct debug_session){ .front = front, .want = { .kind = DEBUG_WANT_FIRST } };
   if (!debug_scope_find(question, &session->scope, error, error_B))
      return false;
   session->visits = question->kind == DEBUG_DRAW ? DEBUG_NONE : session->scope.places;
   return run(session, error, error_B);
}

void
debug_session_free(struct debug_session *session)
{
   debug_breaks_free(&session->breaks);
   debug_scope_free(&session->scope);
   debug_scope_free(&session->next);
}
