/* SPDX-License-Identifier: MIT */
/*
 * A run: the state of a task while its program runs, beside the registers, which lie in the task.
 *
 * A caller may hold a run itself, stop between any two instructions, read run and task, and
 * continue: for debuggers, for recorders, and for tasks that wait for each other. Runs share
 * nothing, so several may be stopped at the same time. Results are the bits of cf_shader_ops.run.
 *
 *    ops->prepare(stage, task); inputs, exec and alive are set; then
 *    ops->begin(&run, stage, task);
 *    while (cf_run_step(&run))
 *       ... cf_run_at(&run) is the instruction that comes next
 *    task->alive and task->timed_out are results now
 */
#ifndef CF_RUN_H
#define CF_RUN_H

#include "clipfree/shader/cf_task.h"

#define CF_MAX_NESTING 64 /* of constructs in a program */

struct cf_run;
struct cf_instr; /* isa/cf_isa.h */
struct cf_step;  /* cf_decoded.h */

typedef const struct cf_step *(*cf_handler)(struct cf_run *run, const struct cf_step *step);

struct cf_run {
   /* For who holds the run, to be read. */
   _Alignas(64) struct cf_task *task;
   const struct cf_stage *stage;
   uint32_t exec, alive; /* lanes that run now; that have not ended */

   /* For engines alone (cf_engine.h), from here on. */
   uint32_t first_exec;
   const uint8_t *constants; /* end of the program's rows in task->broadcast */
   const struct cf_step *steps;
   /* of a run that is stepped: the next step; NULL: the run has ended */
   const struct cf_step *next;
   const cf_handler *table; /* handlers: plain ones while exec is first_exec, else masked ones */
   /* exec, a dword per lane: all ones or 0. Valid while masked handlers run */
   _Alignas(64) uint32_t mask[CF_TASK_LANES];
   uint64_t looped; /* the watchdog's count: instructions that loops went back over */
   /* of tasks from quads to pixels; the others have their inputs in the task */
   struct cf_quad_work *work;
   /* callback of engines that are watched: after instruction number `at` has run, with exec and the
    * rows that it wrote in memory; before it for control flow */
   void (*watch)(struct cf_run *run, uint32_t at);
   const float (
      *varyings[CF_TASK_QUADS])[3]; /* of every quad; quads outside exec have those of another */
   struct {
      /* if: lanes that take the other branch; loop: lanes that broke out of it */
      uint32_t waiting;
      uint32_t continued; /* loop: lanes that continued, until the end of its body */
   } slot[CF_MAX_NESTING];
};

/** The number of the instruction that comes next, in lanes run->exec. The run has not ended. */
uint32_t cf_run_at(const struct cf_run *run);

/** The instruction that comes next. The run has not ended. */
const struct cf_instr *cf_run_instr(const struct cf_run *run);

/** Operand number i (cf_instr.src) of the instruction that comes next, by lane. The run has not
 * ended. */
const uint32_t *cf_run_operand(const struct cf_run *run, uint32_t i);

/** The row that operand number i of instruction `at` is read from, by lane, as it is now. */
const uint32_t *cf_run_operand_of(const struct cf_run *run, uint32_t at, uint32_t i);

/** Whether the run has ended. */
bool cf_run_has_ended(const struct cf_run *run);

/** Run one instruction. False: it was the last one and the task has its results, or the run had
 * ended before. */
bool cf_run_step(struct cf_run *run);

#endif
