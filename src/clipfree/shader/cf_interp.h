/* SPDX-License-Identifier: MIT */
/*
 * Inside the interpreter: the state of a running task, and what handlers share.
 *
 * A handler does one step for 32 lanes and returns the next step, NULL at the end. Every operand is
 * a row of 32 lanes; the loops over a row carry no dependency from lane to lane (source and
 * destination are the same row or disjoint ones), which the pragma says to the compiler, so each is
 * a few vector instructions.
 */
#ifndef CF_INTERP_H
#define CF_INTERP_H

#include <string.h>

#include "clipfree/arith/cf_fp.h"
#include "clipfree/shader/cf_decoded.h"

#define CF_ALL_LANES 0xffffffffu

#ifdef __clang__
#define CF_LANES_INDEPENDENT _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define CF_LANES_INDEPENDENT _Pragma("GCC ivdep")
#endif
#define CF_FOR_LANES(lane)                                                                         \
   CF_LANES_INDEPENDENT for (unsigned lane = 0; lane < CF_TASK_LANES; lane++)

struct cf_run;
typedef const struct cf_step *(*cf_handler)(struct cf_run *run, const struct cf_step *step);

struct cf_run {
   _Alignas(64) uint32_t
      mask[CF_TASK_LANES]; /* exec as all ones or 0 per lane; valid while the masked handlers run */
   struct cf_task *task;
   const struct cf_stage *stage;
   struct cf_quad_work *work; /* of tasks from quads to pixels (jit/cf_quad_work.h); the others have
                                 their inputs in the task */
   const uint8_t *constants; /* end of the program's broadcast rows */
   const struct cf_step *steps;
   const cf_handler *table; /* plain handlers while exec is first_exec, else masked ones */
   /* Of code that was compiled to be watched (cf_jit_source.h): called when instruction `at` has run, with exec and what it wrote
    * in memory; for control flow before it runs. */
   void (*watch)(struct cf_run *run, uint32_t at);
   uint32_t exec, first_exec, alive;
   uint64_t looped; /* instructions in loops gone back over: the watchdog's count */
   const float (
      *varyings[CF_TASK_QUADS])[3]; /* of every quad: those outside exec have some other quad's */
   struct {
      uint32_t waiting;   /* if: lanes of the other branch; loop: lanes that left it */
      uint32_t continued; /* loop: lanes that wait for its end */
   } slot[CF_MAX_NESTING];
};

static inline const uint32_t *
cf_row(const struct cf_run *run, int32_t offset)
{
   const uint8_t *base = offset < 0 ? run->constants : (const uint8_t *)run->task;
   return __builtin_assume_aligned(base + offset, 64);
}

static inline uint32_t *
cf_dst_row(const struct cf_run *run, int32_t offset)
{
   return __builtin_assume_aligned((uint8_t *)run->task + offset, 64);
}

/* Store a result row in lanes of exec. */
static inline void
cf_store_masked(const struct cf_run *run, uint32_t *dst, const uint32_t *result)
{
   CF_FOR_LANES (lane)
      dst[lane] = (result[lane] & run->mask[lane]) | (dst[lane] & ~run->mask[lane]);
}

/** Begin a task, or the next one in the same run: what a task may change, but the table, is as it was at first. */
static inline void
cf_begin_task(struct cf_run *run)
{
   const uint32_t wanted = run->stage->program->info.scratch_dwords, has = run->task->scratch_dwords;
   const uint32_t dwords = has < wanted ? has : wanted;
   run->exec = run->first_exec = run->task->exec;
   run->alive = run->task->alive;
   run->looped = 0;
   /* a program may read what it did not write; that must not be another task's */
   if (dwords)
      memset(run->task->scratch, 0, dwords * sizeof(*run->task->scratch));
}

/* Run all steps. */
static inline void
cf_interpret(struct cf_run *run)
{
   for (const struct cf_step *step = run->steps; step;)
      step = run->table[step->handler](run, step);
}

/* Handlers of the other lane sources, plain ones first. Those in one version only write lanes of
 * exec by themselves. */
const struct cf_step *CF_LANES(cf_step_ldu)(struct cf_run *run, const struct cf_step *step);
const struct cf_step *CF_LANES(cf_step_ldu_scalar)(struct cf_run *run, const struct cf_step *step);
const struct cf_step *CF_LANES(cf_step_lds)(struct cf_run *run, const struct cf_step *step);
const struct cf_step *CF_LANES(cf_step_sts)(struct cf_run *run, const struct cf_step *step);
const struct cf_step *CF_LANES(cf_step_ldf)(struct cf_run *run, const struct cf_step *step);
const struct cf_step *CF_LANES(cf_step_ldvar)(struct cf_run *run, const struct cf_step *step);
const struct cf_step *CF_LANES(cf_step_tex)(struct cf_run *run, const struct cf_step *step);

#endif
