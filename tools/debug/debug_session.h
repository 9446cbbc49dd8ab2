/* SPDX-License-Identifier: MIT */
/*
 * A session: where a person is in a capture, and how to get elsewhere. A front end (a terminal, or
 * an editor through DAP) is called when the session has stopped somewhere; it looks, and asks for
 * the next stop. Inside of a task that is a seek; to another task the capture is played again.
 */
#ifndef DEBUG_SESSION_H
#define DEBUG_SESSION_H

#include "debug_breaks.h"
#include "debug_data.h"
#include "debug_play.h"
#include "debug_walk.h"

#define DEBUG_REASON_B 384

enum debug_stop {
   DEBUG_STOP_ENTRY,
   DEBUG_STOP_STEP,
   DEBUG_STOP_BREAK,
   DEBUG_STOP_FAULT,
   DEBUG_STOP_DATA, /* where a watched pixel, texel or byte was written */
   DEBUG_STOP_END,  /* no breakpoint came before the end, or before the start */
};

#define DEBUG_DATAS 8 /* data breakpoints */

/* Where to be next. */
enum debug_want_kind {
   DEBUG_WANT_FIRST,
   DEBUG_WANT_AT,      /* position `at` of visit `visit`; at DEBUG_NONE: its last */
   DEBUG_WANT_FORWARD, /* the first hit of visits from `visit` on */
   DEBUG_WANT_BACK,    /* the last hit of visits before `visit` */
   DEBUG_WANT_WRITER,  /* as AT, in the scope `next` */
   DEBUG_WANT_QUIT,
};

struct debug_want {
   enum debug_want_kind kind;
   uint32_t visit, at;
   uint32_t lane; /* to look at; DEBUG_NONE: the visit's own */
   enum debug_stop stop;
};

struct debug_session;

struct debug_front {
   void *user;
   /* The session has stopped. Returns when it is to leave the task (debug_session_*). */
   void (*stopped)(void *user, struct debug_session *session);
};

struct debug_session {
   struct debug_scope scope, next;
   struct debug_breaks breaks;
   /* Data breakpoints: a search that leaves the draw stops at their writers. */
   struct debug_data data[DEBUG_DATAS];
   uint32_t datas;
   const struct debug_front *front;
   struct debug_want want;
   /* while it has stopped */
   const struct debug_visit *visit;
   struct debug_task task;
   struct debug_program program;
   struct debug_view view;
   struct debug_walk walk;
   enum debug_stop stop;
   char reason[DEBUG_REASON_B]; /* why it has stopped, for a person */
   uint32_t visits;             /* in the scope; DEBUG_NONE: not known yet */
   /* the last hit of a search back */
   uint32_t hit_visit, hit_at, hit_lane;
   bool out_of_memory;
};

/** Run a session to its end. False: `error`. */
bool debug_session_run(const struct debug_question *question, const struct debug_front *front,
                       struct debug_session *session, char *error, size_t error_B);
void debug_session_free(struct debug_session *session);

/* While it has stopped. True: it has stopped elsewhere in the same task; false: `stopped` has to
 * return. */
bool debug_session_step(struct debug_session *session, bool back, bool instruction);
bool debug_session_continue(struct debug_session *session, bool back);
/** To the end of the task (its start, back). */
bool debug_session_finish(struct debug_session *session, bool back);
/** To position `at` of another visit of the scope. */
bool debug_session_visit(struct debug_session *session, uint32_t visit, uint32_t at);
void debug_session_quit(struct debug_session *session);

/** Look at another lane. */
void debug_session_look(struct debug_session *session, uint32_t lane);

/** Find who wrote any of the data last before the draw that is looked at (or first after it) and go
 * there, if it is a draw; else the reason says who it was, and the session stays. */
bool debug_session_writer(struct debug_session *session, const struct debug_data *data,
                          uint32_t count, bool later);

/** The line that the lane is in; line 0: none. */
struct debug_line debug_session_line(const struct debug_session *session);

/** What a lane is: "pixel 12,30", "vertex 3", "helper of pixel 12,31", "empty"; and whether it runs
 * the next instruction. */
void debug_session_lane_text(const struct debug_session *session, uint32_t lane, char *text,
                             size_t size);
bool debug_session_runs(const struct debug_session *session, uint32_t lane);

#endif
