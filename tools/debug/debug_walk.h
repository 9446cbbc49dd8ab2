/* SPDX-License-Identifier: MIT */
/*
 * Lines along the way of a task, as a lane sees them. An instruction of several lines belongs to
 * the one that the lane is in; where it runs none of a line, it stays in the line before. A loop in
 * one line is one step.
 */
#ifndef DEBUG_WALK_H
#define DEBUG_WALK_H

#include "debug_program.h"

struct debug_walk {
   uint32_t lane;
   struct debug_line *line; /* by position; line 0: none yet */
   bool *starts;            /* by position: a line begins */
   uint32_t steps;
};

/** False: out of memory. Free it in any case. */
bool debug_walk_make(const struct debug_task *task, const struct debug_program *program,
                     uint32_t lane, struct debug_walk *walk);
void debug_walk_free(struct debug_walk *walk);

/** The next position after `at` where a line begins; UINT32_MAX: none. */
uint32_t debug_walk_next(const struct debug_walk *walk, uint32_t at);
/** The last one before `at`; UINT32_MAX: none. */
uint32_t debug_walk_previous(const struct debug_walk *walk, uint32_t at);

/** Whether the lane enters the line at the position. */
bool debug_walk_enters(const struct debug_task *task, const struct debug_program *program,
                       uint32_t lane, uint32_t at, const struct debug_line *line);

#endif
