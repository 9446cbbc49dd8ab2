/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: what the interpreter's handlers share.
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
#include "clipfree/base/cf_for.h"
#include "clipfree/shader/cf_decode.h"
#include "clipfree/shader/cf_engine.h"
#include "clipfree/texture/cf_texture.h"

#define CF_ALL_LANES 0xffffffffu

static inline uint32_t *
cf_dst_row(const struct cf_run *run, int32_t offset)
{
   return __builtin_assume_aligned((uint8_t *)run->task + offset, 64);
}

/* Store a row of results in the lanes of exec. */
static inline void
cf_store_masked(const struct cf_run *run, uint32_t *dst, const uint32_t *result)
{
   CF_FOR_LANES (lane)
      dst[lane] = (result[lane] & run->mask[lane]) | (dst[lane] & ~run->mask[lane]);
}

/* The request of a tex instruction to its unit. Coordinates are copied, since the destination may
 * be among them. */
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
      .mode = cf_texmode_alone(step->mode),
      .mask = step->mask,
      .quads = run->stage->program->info.stage == CF_SHADER_STAGE_FRAGMENT,
      .operand = (const float(*)[CF_TASK_LANES])run->task->tex_operand,
      .offsets = cf_texmode_has_offsets(step->mode),
   };
}

/* Handlers in other files. Those that have no masked version write only lanes of exec. */
const struct cf_step *CF_LANES(cf_step_ldu)(struct cf_run *run, const struct cf_step *step);
const struct cf_step *CF_LANES(cf_step_ldu_scalar)(struct cf_run *run, const struct cf_step *step);
const struct cf_step *CF_LANES(cf_step_lds)(struct cf_run *run, const struct cf_step *step);
const struct cf_step *CF_LANES(cf_step_sts)(struct cf_run *run, const struct cf_step *step);
const struct cf_step *CF_LANES(cf_step_ldf)(struct cf_run *run, const struct cf_step *step);
const struct cf_step *CF_LANES(cf_step_ldvar)(struct cf_run *run, const struct cf_step *step);
const struct cf_step *CF_LANES(cf_step_tex)(struct cf_run *run, const struct cf_step *step);

#endif
