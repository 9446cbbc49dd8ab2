/* SPDX-License-Identifier: MIT */
/* Private to the room: how compiled code runs fragment tasks from quads to pixels. */
#ifndef CF_QUAD_WORK_RUN_H
#define CF_QUAD_WORK_RUN_H

#include <string.h>

#include "clipfree/jit/cf_jit.h"
#include "clipfree/jit/cf_quad_work.h"
#include "clipfree/shader/cf_engine.h"

/** Run the tasks of run->work by code for them, one after the other: run->work moves on. The first
 * has begun (cf_quad_work_begin). */
static inline void
cf_quad_work_run(struct cf_run *run, cf_jit_function code)
{
   struct cf_quad_work *work = run->work;
   for (uint32_t i = 0; i < work->tasks; i++) {
      code(run);
      work->alive[i] = run->alive;
      if (run->task->timed_out) {
         memset(&work->alive[i + 1], 0, (work->tasks - i - 1) * sizeof(work->alive[0]));
         break;
      }
      if (i + 1 < work->tasks) {
         work->fragments.quads += CF_TASK_QUADS;
         if (work->written)
            work->written++;
         work->lanes++;
         if ((work->lanes[-1] & work->lanes[0]) != UINT32_MAX) /* else as the task before */
            cf_quad_work_begin(work, run->task);
         cf_begin_task(run);
      }
   }
}

#endif
