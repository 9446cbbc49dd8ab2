/* SPDX-License-Identifier: MIT */
/*
 * Breakpoints, and the search for them along the way of a task, forwards and back.
 */
#ifndef DEBUG_BREAKS_H
#define DEBUG_BREAKS_H

#include "debug_fault.h"
#include "debug_values.h"

enum debug_break_kind {
   DEBUG_BREAK_LINE,
   DEBUG_BREAK_INSTRUCTION,
   DEBUG_BREAK_PIXEL, /* where the shading of a pixel begins */
};

struct debug_break {
   uint32_t id;
   enum debug_break_kind kind;
   char *text;    /* of a line: the source that it is in; a program with the same text has it */
   uint32_t line; /* in the text, from 1 */
   uint32_t pc;
   enum cf_shader_stage stage; /* of an instruction */
   uint32_t x_px, y_px;
   char *condition; /* NULL: none */
   int owner;       /* a front end's own number; those with the same are replaced together */
};

struct debug_breaks {
   struct debug_break *of;
   uint32_t count, last_id;
   uint32_t faults; /* kinds to stop at, a bit each (debug_fault.h) */
};

/** Add a copy, with copies of its texts. NULL: out of memory. */
struct debug_break *debug_breaks_add(struct debug_breaks *breaks, const struct debug_break *one);
/** Remove one by its id; false: there is none. */
bool debug_breaks_remove(struct debug_breaks *breaks, uint32_t id);
/** Remove all of an owner. */
void debug_breaks_clear(struct debug_breaks *breaks, int owner);
void debug_breaks_free(struct debug_breaks *breaks);

/** The line of the program that a breakpoint is at; line 0: it is in no source of the program. If
 * the line has no instruction, the next that has. */
struct debug_line debug_break_line(const struct debug_break *one,
                                   const struct debug_program *program);

/* What stopped a search. */
struct debug_hit {
   uint32_t at, lane;
   const struct debug_break *one; /* NULL: a fault */
   struct debug_fault fault;
};

/* Where to search. */
struct debug_search {
   struct debug_view *view;
   const struct debug_breaks *breaks;
   const struct cf_task_event *event;
   uint32_t lanes; /* in which breakpoints count */
   uint32_t from, to;
   bool last; /* the last hit, else the first */
};

/** Find a hit from position `from` to before `to`. The task stands anywhere afterwards. */
bool debug_search(const struct debug_search *search, struct debug_hit *hit);

#endif
