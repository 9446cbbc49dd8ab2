/* SPDX-License-Identifier: MIT */
#include "clipfree/pixel/cf_fragments.h"

#include <string.h>

#include "clipfree/arith/cf_minmax.h"
#include "clipfree/isa/cf_isa.h"

void
cf_fragments_begin(const struct cf_fragments *f, struct cf_task *task)
{
   const uint32_t late_depth =
      f->pixel->late_tests && !f->program->writes_depth ? 1u << CF_SYSVAL_FRAG_Z : 0;
   f->units->primitive->interpolate(f->quads, f->count, f->program->sysvals | late_depth,
                                    f->varmodes, task);
   task->exec = cf_fragments_exec(f);
   task->alive = f->lanes;
   task->timed_out = false;
   memset(task->out, 0, cf_max_u32(f->program->outputs, 4) * sizeof(task->out[0]));
}

void
cf_fragments_cover(const struct cf_fragments *f, struct cf_task *task)
{
   for (uint32_t alpha = 3; f->coverage && alpha < f->program->outputs && alpha < CF_OUTPUT_DEPTH;
        alpha += 4) {
      float *out = (float *)task->out[alpha];
      for (uint32_t lane = 0; lane < 4 * f->count; lane++)
         out[lane] *= f->coverage[lane];
   }
}

/* Frames with one sample per pixel. Returns the lanes that passed all tests. */
static uint32_t
test_and_write(const struct cf_fragments *f, const struct cf_task *task, uint32_t alive)
{
   const struct cf_pixel_ops *ops = f->units->pixel;
   const float(*out)[CF_TASK_LANES] = (const float(*)[CF_TASK_LANES])task->out;
   const uint32_t *depth =
      f->program->writes_depth ? task->out[CF_OUTPUT_DEPTH] : task->sys[CF_SYSVAL_FRAG_Z];
   if (alive && f->pixel->late_tests)
      alive = ops->test_quads(f->pixel, f->quads, f->count, alive, (const float *)depth, out[3],
                              cf_quads_front_facing(f->quads, f->count));
   if (alive && f->pixel->color_writes)
      ops->write_quads(f->pixel, f->quads, f->count, alive, out);
   return alive;
}

void
cf_fragments_write(const struct cf_fragments *f, struct cf_task *task, uint32_t alive,
                   uint32_t written[CF_SAMPLES])
{
   const float(*out)[CF_TASK_LANES] = (const float(*)[CF_TASK_LANES])task->out;
   if (f->pixel->samples <= 1) {
      written[0] = test_and_write(f, task, alive);
      return;
   }
   cf_samples_covered(f->quads, f->count, written);
   for (uint32_t s = 0; s < CF_SAMPLES; s++)
      written[s] &= alive;
   cf_samples_test(f->units, f->pixel, f->quads, f->count, out, written);
   cf_samples_write(f->units->pixel, f->pixel, f->quads, f->count, out, written);
}

void
cf_fragments_end(const struct cf_fragments *f, struct cf_task *task, uint32_t alive,
                 uint32_t written[CF_SAMPLES])
{
   cf_fragments_cover(f, task);
   cf_fragments_write(f, task, alive, written);
}
