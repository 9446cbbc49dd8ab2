/* SPDX-License-Identifier: MIT */
#include "reduce_ddmin.h"

#include <stdlib.h>
#include <string.h>

#include "reduce_case.h"

/* The numbers of the things that are kept. Returns how many. */
static uint32_t
list_kept(uint32_t count, const bool *keep, uint32_t *kept)
{
   uint32_t kept_count = 0;
   for (uint32_t i = 0; i < count; i++) {
      if (keep[i])
         kept[kept_count++] = i;
   }
   return kept_count;
}

static void
set_all(bool *keep, const uint32_t *things, uint32_t count, bool value)
{
   for (uint32_t i = 0; i < count; i++)
      keep[things[i]] = value;
}

/* Leave out each run of the things that are kept, the last first: what comes later depends on what
 * comes before. Returns whether any could be left out. */
static bool
drop_runs(uint32_t count, uint32_t run, bool *keep, uint32_t *kept, const struct reduce_test *test)
{
   bool dropped = false;
   for (uint32_t end = list_kept(count, keep, kept); end > 0;) {
      const uint32_t size = end < run ? end : run;
      set_all(keep, kept + end - size, size, false);
      if (test->holds(test->user, keep))
         dropped = true;
      else
         set_all(keep, kept + end - size, size, true);
      end -= size;
   }
   return dropped;
}

uint32_t
reduce_ddmin(uint32_t count, uint32_t least, bool *keep, const struct reduce_test *test)
{
   uint32_t *kept = reduce_allocate(count * sizeof(*kept));
   uint32_t run = list_kept(count, keep, kept);
   bool again = run > 0;
   least = least > run ? run : least;
   least = least ? least : 1;
   while (again) {
      const bool dropped = drop_runs(count, run, keep, kept, test);
      again = run > least || dropped;
      run = run / 2 > least ? run / 2 : least;
   }
   const uint32_t left = list_kept(count, keep, kept);
   free(kept);
   return left;
}
