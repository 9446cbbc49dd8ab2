/* SPDX-License-Identifier: MIT */
#include "debug_sample.h"

#include <string.h>

#include "clipfree/texture/cf_texture.h"

struct collect {
   uint32_t lane;
   struct debug_sample *sample;
};

static void
see_texel(void *user, const struct cf_texel *texel)
{
   struct collect *collect = user;
   struct debug_sample *sample = collect->sample;
   if (texel->lane == collect->lane && sample->texels < DEBUG_TEXELS)
      sample->texel[sample->texels++] = *texel;
}

/* Whether the lane samples the unit at a position. */
static bool
is_sample(const struct debug_view *view, uint32_t unit, uint32_t at)
{
   const struct debug_step *step = &view->task->step[at];
   const struct cf_instr *instr = &view->task->program->instrs[step->pc];
   return instr->op == CF_OP_TEX && instr->unit == unit && step->exec >> view->lane & 1;
}

/* UINT32_MAX: none. */
static uint32_t
find_position(const struct debug_view *view, uint32_t unit)
{
   for (uint32_t n = view->task->at; n-- > 0;) {
      if (is_sample(view, unit, n))
         return n;
   }
   for (uint32_t n = view->task->at; n < view->task->steps; n++) {
      if (is_sample(view, unit, n))
         return n;
   }
   return UINT32_MAX;
}

/* Sample again what the next instruction does, apart, and see its texels. */
static void
sample_again(const struct debug_view *view, const struct cf_texel_watch *watch)
{
   _Alignas(64) float coordinate[4][CF_TASK_LANES], rgba[4][CF_TASK_LANES];
   const struct cf_run *run = &view->task->now->run;
   const struct cf_instr *instr = cf_run_instr(run);
   const struct cf_texture_unit unit =
      cf_texture_unit_watched(run->stage->textures[instr->unit], watch);
   for (uint32_t k = 0; k < 4; k++)
      memcpy(coordinate[k], cf_run_operand(run, k), sizeof(coordinate[k]));
   const struct cf_texture_request request = {
      .s = coordinate[0],
      .t = coordinate[1],
      .r = coordinate[2],
      .q = coordinate[3],
      .exec = run->exec,
      .mode = cf_texmode_alone(instr->mode),
      .mask = instr->mask,
      .quads = view->task->program->info.stage == CF_SHADER_STAGE_FRAGMENT,
      .operand = (const float(*)[CF_TASK_LANES])run->task->tex_operand,
      .offsets = cf_texmode_has_offsets(instr->mode),
   };
   cf_texture_ops_base.sample(&unit, &request, rgba);
}

bool
debug_sample_find(const struct debug_view *view, uint32_t unit, struct debug_sample *sample)
{
   struct collect collect = { .lane = view->lane, .sample = sample };
   const struct cf_texel_watch watch = { .user = &collect, .texel = see_texel };
   const uint32_t here = view->task->at, at = find_position(view, unit);
   sample->texels = 0;
   if (at == UINT32_MAX || !view->task->stage->textures[unit])
      return false;
   debug_task_seek(view->task, at);
   sample_again(view, &watch);
   debug_task_seek(view->task, here);
   return sample->texels;
}
