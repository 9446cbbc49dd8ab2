/* SPDX-License-Identifier: MIT */
#include "reduce_pass.h"

#include <stdlib.h>
#include <string.h>

#include "reduce_ddmin.h"

struct pass_run {
   struct reduce_trial *trial;
   const struct reduce_pass *pass;
   struct reduce_case *base;
};

/* Try what is made of a candidate, unless that was tried before. */
static bool
try_made(struct pass_run *run, struct reduce_case *candidate)
{
   const uint64_t hash = reduce_case_hash(candidate) | 1;
   struct reduce_case *made =
      reduce_is_known(run->trial, hash) ? NULL : run->pass->make(run->trial, candidate);
   const bool ok = made && reduce_try(run->trial, made);
   if (!ok && !run->trial->stopped)
      reduce_note_failed(run->trial, hash);
   reduce_case_free(candidate);
   return ok;
}

static bool
holds(void *user, const bool *keep)
{
   struct pass_run *run = user;
   if (run->trial->stopped)
      return false;
   struct reduce_case *candidate = reduce_case_copy(run->base);
   run->pass->apply(candidate, keep, run->pass->user);
   return run->pass->make ? try_made(run, candidate) : reduce_try(run->trial, candidate);
}

bool
reduce_pass_run(struct reduce_trial *trial, const struct reduce_pass *pass)
{
   if (trial->stopped || pass->count == 0)
      return false;
   struct pass_run run = { trial, pass, reduce_case_copy(trial->best) };
   const struct reduce_test test = { holds, &run };
   bool *keep = reduce_allocate(pass->count);
   memset(keep, true, pass->count);
   reduce_trial_step(trial, pass->step);
   const uint32_t left = reduce_ddmin(pass->count, pass->least, keep, &test);
   reduce_case_free(run.base);
   free(keep);
   return left < pass->count;
}
