/* SPDX-License-Identifier: MIT */
#include "clipfree/shader/cf_engine.h"
#include "clipfree/shader/cf_interp.h"

uint32_t
cf_run_at(const struct cf_run *run)
{
   return (uint32_t)(run->next - run->steps);
}

const struct cf_instr *
cf_run_instr(const struct cf_run *run)
{
   return &run->stage->program->instrs[cf_run_at(run)];
}

const uint32_t *
cf_run_operand(const struct cf_run *run, uint32_t i)
{
   return cf_row(run, run->next->src[i]);
}

const uint32_t *
cf_run_operand_of(const struct cf_run *run, uint32_t at, uint32_t i)
{
   return cf_row(run, run->steps[at].src[i]);
}

bool
cf_run_has_ended(const struct cf_run *run)
{
   return !run->next;
}

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
