/* SPDX-License-Identifier: MIT */
/*
 * Tasks that the watchdog ends: which of their lanes were still in a loop, and what the branches of
 * one of them looked at.
 */
#ifndef WHY_ENDLESS_H
#define WHY_ENDLESS_H

#include "why_inputs.h"

/* The lanes that the task's innermost running loop goes around with. */
struct why_loop {
   uint32_t at;          /* the last instruction */
   uint32_t now, before; /* lanes that ran in this pass of the loop, and in the one before */
};

/** The task begins. */
void why_loop_begin(struct why_loop *loop);
/** An instruction comes next. */
void why_loop_instruction(struct why_loop *loop, const struct cf_task_event *task);
/** The lanes that ran last. */
static inline uint32_t
why_loop_lanes(const struct why_loop *loop)
{
   return loop->now | loop->before;
}

/** Run a task that the watchdog ended again from its start, apart from the GPU and for a short time
 * only, and follow a lane of it. False: out of memory. */
bool why_follow_again(const struct cf_task_event *task, uint32_t lane, struct why_shading *shading);

#endif
