/* SPDX-License-Identifier: MIT */
/*
 * A task that is stepped forwards and back: a copy of its inputs, run by the interpreter that made
 * the pixel (shader/cf_run.h). A step back is a run from an earlier state: the task's start, or one
 * of the states that were kept on the way.
 *
 * A position is the number of instructions that have run. Textures, uniforms and vertices are read
 * where they lie, so a task lives as long as the event that it was made from.
 */
#ifndef DEBUG_TASK_H
#define DEBUG_TASK_H

#include "clipfree/interface/cf_observer.h"
#include "clipfree/shader/cf_decoded.h"
#include "clipfree/shader/cf_run.h"

#define DEBUG_MAX_STEPS (1u << 24)
#define DEBUG_STATES 32

/* An instruction before it runs. */
struct debug_step {
   uint32_t pc, exec;
};

/* What changes while it runs. */
struct debug_state {
   struct cf_task task;
   struct cf_run run;
   /* lanes that have written a register or output; others hold garbage */
   uint32_t vector[CF_MAX_VECTOR_REGS], scalar[CF_MAX_SCALAR_REGS], out[CF_MAX_OUTPUTS];
};

struct debug_task {
   const struct cf_stage *stage;
   const struct cf_decoded *program;
   uint32_t lanes; /* that are no helpers, when it begins */
   struct debug_state *now;
   uint32_t at;
   struct debug_step *step; /* all of them */
   uint32_t steps, capacity;
   bool complete; /* else it has more than DEBUG_MAX_STEPS */
   /* states on the way, `every` steps apart; scratch follows each */
   struct debug_state *kept[DEBUG_STATES];
   uint32_t every, keeps;
   size_t scratch_B;
};

/** Begin a task at its first instruction. False: out of memory, or no lane runs. End it in any
 * case; it begins as { 0 }. */
bool debug_task_begin(struct debug_task *task, const struct cf_task_event *event);
void debug_task_end(struct debug_task *task);

/** Go to a position, at most `steps`: there the program has ended. */
void debug_task_seek(struct debug_task *task, uint32_t at);

/** The last position before the program's end: before its `end`, which does nothing. */
uint32_t debug_task_last(const struct debug_task *task);

/** The row that the instruction at `pc` writes, the first of up to four (cf_written_rows). */
const uint32_t *debug_task_result(const struct debug_task *task, uint32_t pc, uint32_t component);

#endif
