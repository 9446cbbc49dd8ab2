/* SPDX-License-Identifier: MIT */
#include "why_endless.h"

#include <stdlib.h>
#include <string.h>

#include "clipfree/shader/cf_program.h"
#include "clipfree/shader/cf_run.h"

#define FOLLOWED 65536 /* instructions: the way to the loop, and many times around it */

void
why_loop_begin(struct why_loop *loop)
{
   *loop = (struct why_loop){ .at = UINT32_MAX };
}

void
why_loop_instruction(struct why_loop *loop, const struct cf_task_event *task)
{
   const uint32_t at = cf_run_at(task->run);
   if (at <= loop->at) { /* back to the start of a loop */
      loop->before = loop->now;
      loop->now = 0;
   }
   loop->at = at;
   loop->now |= task->run->exec;
}

static void
follow(const struct cf_task_event *task, uint32_t lane, struct why_shading *shading)
{
   struct cf_task_event event = *task;
   struct cf_run run;
   cf_shader_ops_base.begin(&run, task->run->stage, task->run->task);
   event.run = &run;
   why_shading_begin(shading, &event, lane);
   uint32_t left = run.next ? FOLLOWED : 0;
   for (; left > 0; left--) {
      why_shading_instruction(shading, &event);
      if (!cf_run_step(&run))
         break;
   }
   why_shading_end(shading, &event);
}

/* Programs do not change their task's inputs, nor read registers before they write them: a copy of
 * the task runs as the task did. */
bool
why_follow_again(const struct cf_task_event *task, uint32_t lane, struct why_shading *shading)
{
   const struct cf_task *of = task->run->task;
   const size_t scratch_B = (size_t)of->scratch_dwords * sizeof(*of->scratch);
   struct cf_task *copy = aligned_alloc(_Alignof(struct cf_task), sizeof(*copy));
   void *scratch = calloc(1, scratch_B ? scratch_B : 1);
   if (copy && scratch) {
      struct cf_run run = *task->run;
      struct cf_task_event event = *task;
      memcpy(copy, of, sizeof(*copy));
      copy->scratch = scratch;
      run.task = copy;
      event.run = &run;
      follow(&event, lane, shading);
   }
   const bool ok = copy && scratch;
   free(copy);
   free(scratch);
   return ok;
}
