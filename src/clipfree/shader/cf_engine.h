/* SPDX-License-Identifier: MIT */
/*
 * For engines alone: ways to run a program. The interpreter is the specification; another room may
 * give a program a second one (jit/), which sees decoded programs (cf_decoded.h) and all of runs
 * (cf_run.h) as the interpreter does.
 */
#ifndef CF_ENGINE_H
#define CF_ENGINE_H

#include <string.h>

#include "clipfree/shader/cf_decoded.h"
#include "clipfree/shader/cf_geometry_layout.h"
#include "clipfree/shader/cf_run.h"

struct cf_engine {
   /** Run a task that the interpreter has set up, to its end. False: the interpreter has to run
    * it. */
   bool (*run)(struct cf_engine *engine, struct cf_run *run);
   /** Run tasks from quads to pixels, by run->work. False: nothing was done, there is no code for
    * them (yet); no such function: never. */
   bool (*run_quads)(struct cf_engine *engine, struct cf_run *run);
   /** The interpreter has run a task that the engine did not, and went back in loops
    * (run->looped). No such function: it need not be told. */
   void (*looped)(struct cf_engine *engine, const struct cf_run *run);
   void (*destroy)(struct cf_engine *engine);
};

/** The row at an offset of a step (cf_step). */
static inline const uint32_t *
cf_row(const struct cf_run *run, int32_t offset)
{
   const uint8_t *base = offset < 0 ? run->constants : (const uint8_t *)run->task;
   return __builtin_assume_aligned(base + offset, 64);
}

/** Begin a task, or the next one of the same run: reset what running a task changes in the run.
 * Only `table` must be right already. */
static inline void
cf_begin_task(struct cf_run *run)
{
   const struct cf_program *info = &run->stage->program->info;
   const uint32_t wanted = info->scratch_dwords, has = run->task->scratch_dwords;
   const uint32_t dwords = has < wanted ? has : wanted, first = cf_scratch_inputs_end(info);
   run->exec = run->first_exec = run->task->exec;
   run->alive = run->task->alive;
   run->looped = 0;
   /* scratch starts as 0, apart from inputs: a program may read dwords that it has not written,
    * which must not be those of another task */
   if (dwords > first)
      memset(run->task->scratch[first], 0, (dwords - first) * sizeof(*run->task->scratch));
   if (first)
      memset(run->task->scratch[CF_GEOMETRY_EMITTED], 0, sizeof(*run->task->scratch));
}

/** Interpret all steps, from the first. */
static inline void
cf_interpret(struct cf_run *run)
{
   for (const struct cf_step *step = run->steps; step;)
      step = run->table[step->handler](run, step);
}

#endif
