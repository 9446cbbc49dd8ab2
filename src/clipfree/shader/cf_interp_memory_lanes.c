/* SPDX-License-Identifier: MIT */
/*
 * The interpreter's loads and stores: constants, scratch, varyings, textures. Every access is
 * checked against the bounds in the stage.
 */
#include "clipfree/base/cf_for.h"
#include "clipfree/base/cf_vec.h"
#include "clipfree/shader/cf_interp.h"

#include <string.h>

#include "clipfree/base/cf_unit_clock.h"

/* ---- constants ---- */

static uint32_t
load_constant(const struct cf_run *run, const struct cf_step *step, uint32_t address)
{
   const uint64_t dword = (uint64_t)address + step->imm;
   const uint32_t *data = run->stage->constants[step->mode].data;
   return dword < run->stage->constants[step->mode].dwords ? data[dword] : 0;
}

const struct cf_step *
CF_LANES(cf_step_ldu)(struct cf_run *run, const struct cf_step *step)
{
   const uint32_t *address = cf_row(run, step->src[0]);
   uint32_t *dst = cf_dst_row(run, step->dst);
   for (unsigned lane = 0; lane < CF_TASK_LANES; lane++) {
      if (run->exec >> lane & 1)
         dst[lane] = load_constant(run, step, address[lane]);
   }
   return step + 1;
}

const struct cf_step *
CF_LANES(cf_step_ldu_scalar)(struct cf_run *run, const struct cf_step *step)
{
   const uint32_t value = load_constant(run, step, cf_row(run, step->src[0])[0]);
   uint32_t *dst = cf_dst_row(run, step->dst);
   CF_FOR_LANES (lane)
      dst[lane] = value;
   return step + 1;
}

/* ---- scratch ---- */

static uint64_t
scratch_limit(const struct cf_run *run)
{
   const uint32_t wanted = run->stage->program->info.scratch_dwords;
   return run->task->scratch_dwords < wanted ? run->task->scratch_dwords : wanted;
}

const struct cf_step *
CF_LANES(cf_step_lds)(struct cf_run *run, const struct cf_step *step)
{
   const uint32_t *address = cf_row(run, step->src[0]);
   uint32_t *dst = cf_dst_row(run, step->dst);
   const uint64_t limit = scratch_limit(run);
   for (unsigned lane = 0; lane < CF_TASK_LANES; lane++) {
      const uint64_t dword = (uint64_t)address[lane] + step->imm;
      if (run->exec >> lane & 1)
         dst[lane] = dword < limit ? run->task->scratch[dword][lane] : 0;
   }
   return step + 1;
}

const struct cf_step *
CF_LANES(cf_step_sts)(struct cf_run *run, const struct cf_step *step)
{
   const uint32_t *address = cf_row(run, step->src[0]);
   const uint32_t *value = cf_row(run, step->src[1]);
   const uint64_t limit = scratch_limit(run);
   for (unsigned lane = 0; lane < CF_TASK_LANES; lane++) {
      const uint64_t dword = (uint64_t)address[lane] + step->imm;
      if ((run->exec >> lane & 1) && dword < limit)
         run->task->scratch[dword][lane] = value[lane];
   }
   return step + 1;
}

/* ---- varyings ---- */

static const float (*
barycentrics(const struct cf_task *task, uint32_t varmode))[CF_TASK_LANES]
{
   return varmode == CF_VARMODE_LINEAR     ? task->linear
          : varmode == CF_VARMODE_CENTROID ? task->centroid
                                           : task->bary;
}

/* p[0] + b0 p[1] + b1 p[2], each operation rounded; p of the lane's quad (paper A eq. 5). */
static void
interpolate(const struct cf_run *run, uint32_t index, const float (*bary)[CF_TASK_LANES],
            uint32_t *result)
{
   if (run->task->one_primitive) {
      const float *p = run->varyings[0][index];
      CF_FOR_LANES (lane)
         result[lane] = cf_bits((p[0] + bary[0][lane] * p[1]) + bary[1][lane] * p[2]);
      return;
   }
   const cf_f32x4_alias *bary0 = (const cf_f32x4_alias *)bary[0], *bary1 = (const cf_f32x4_alias *)bary[1];
   for (unsigned quad = 0; quad < CF_TASK_QUADS; quad++) {
      const float *p = run->varyings[quad][index];
      ((cf_f32x4_alias *)result)[quad] = (p[0] + bary0[quad] * p[1]) + bary1[quad] * p[2];
   }
}

/* interpolate() in f64, of the lanes in `shared`. */
static void
interpolate_shared(const struct cf_run *run, uint32_t index, uint32_t *result)
{
   const struct cf_task *task = run->task;
   CF_FOR_BITS (lane, task->shared) {
      const float *p = run->varyings[lane / 4][index];
      const double b0 = (double)task->bary[0][lane] + (double)task->bary_rest[0][lane];
      const double b1 = (double)task->bary[1][lane] + (double)task->bary_rest[1][lane];
      result[lane] = cf_bits((float)(((double)p[0] + b0 * (double)p[1]) + b1 * (double)p[2]));
   }
}

static void
provoking_value(const struct cf_run *run, uint32_t index, uint32_t *result)
{
   for (unsigned quad = 0; quad < CF_TASK_QUADS; quad++) {
      const float value = run->varyings[quad][index][0];
      ((cf_f32x4_alias *)result)[quad] = (cf_f32x4_alias){ value, value, value, value };
   }
}

const struct cf_step *
CF_LANES(cf_step_ldvar)(struct cf_run *run, const struct cf_step *step)
{
   _Alignas(64) uint32_t row[CF_TASK_LANES];
   const bool plain = run->exec == run->first_exec;
   uint32_t *dst = cf_dst_row(run, step->dst);
   uint32_t *result = plain ? dst : row;
   if (step->mode == CF_VARMODE_FLAT)
      provoking_value(run, step->imm, result);
   else
      interpolate(run, step->imm, barycentrics(run->task, step->mode), result);
   if (step->mode == CF_VARMODE_SMOOTH)
      interpolate_shared(run, step->imm, result);
   if (!plain)
      cf_store_masked(run, dst, result);
   return step + 1;
}

/* ---- textures ---- */

static void
sample_nothing(const struct cf_run *run, const struct cf_step *step)
{
   for (unsigned c = 0; c < 4; c++) {
      uint32_t *dst = cf_dst_row(run, step->dst + (int32_t)c * CF_ROW_B);
      for (unsigned lane = 0; lane < CF_TASK_LANES; lane++) {
         if ((step->mask >> c & 1) && (run->exec >> lane & 1))
            dst[lane] = c == 3 ? 0x3f800000u : 0;
      }
   }
}

const struct cf_step *
CF_LANES(cf_step_tex)(struct cf_run *run, const struct cf_step *step)
{
   const struct cf_texture_unit *unit = run->stage->textures[step->imm];
   _Alignas(64) float coordinate[4][CF_TASK_LANES];
   if (!unit) {
      sample_nothing(run, step);
      return step + 1;
   }
   const struct cf_texture_request request = cf_texture_request_of(run, step, coordinate);
   struct cf_unit_clock *clock = run->task->clock;
   const enum cf_unit before = cf_unit_begin(clock, CF_UNIT_TEXTURES);
   CF_LANES(cf_texture_ops)
      .sample(unit, &request, (float(*)[CF_TASK_LANES])cf_dst_row(run, step->dst));
   cf_unit_begin(clock, before);
   return step + 1;
}
