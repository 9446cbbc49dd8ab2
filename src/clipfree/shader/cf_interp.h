/* SPDX-License-Identifier: MIT */
/*
 * Inside the interpreter: what handlers share.
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
#include "clipfree/shader/cf_run.h"
#include "clipfree/texture/cf_texture.h"

#define CF_ALL_LANES 0xffffffffu

#ifdef __clang__
#define CF_LANES_INDEPENDENT _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define CF_LANES_INDEPENDENT _Pragma("GCC ivdep")
#endif
#define CF_FOR_LANES(lane)                                                                         \
   CF_LANES_INDEPENDENT for (unsigned lane = 0; lane < CF_TASK_LANES; lane++)

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

/* What a tex instruction asks of its unit. Coordinates are copied: the destination may be among them. */
static inline struct cf_texture_request
cf_texture_request_of(const struct cf_run *run, const struct cf_step *step,
                      float coordinate[4][CF_TASK_LANES])
{
   for (unsigned k = 0; k < 4; k++)
      memcpy(coordinate[k], cf_row(run, step->src[k]), CF_ROW_B);
   return (struct cf_texture_request){
      .s = coordinate[0],
      .t = coordinate[1],
      .r = coordinate[2],
      .q = coordinate[3],
      .exec = run->exec,
      .mode = step->mode,
      .mask = step->mask,
      .quads = run->stage->program->info.stage == CF_SHADER_STAGE_FRAGMENT,
      .gradient = (const float(*)[CF_TASK_LANES])run->task->gradient,
   };
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

/* Run all steps, from the first. */
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
