/* SPDX-License-Identifier: MIT */
#include "clipfree/shader/cf_run.h"

bool
cf_run_step(struct cf_run *run)
{
   if (!run->next)
      return false;
   run->next = run->table[run->next->handler](run, run->next);
   if (!run->next)
      run->task->alive = run->alive;
   return run->next;
}

bool
cf_run_until(struct cf_run *run, cf_run_stop stop, void *user)
{
   while (cf_run_step(run)) {
      if (stop(user, run))
         return true;
   }
   return false;
}
