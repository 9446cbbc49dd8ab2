/* SPDX-License-Identifier: MIT */
/* What is asked of each result: a loop over lanes, at the host's vector level. */
#include "clipfree/arith/cf_fp.h"
#include "clipfree/base/cf_for.h"
#include "clipfree/sanitize/cf_sane_lanes.h"

static bool
has_larger(const uint32_t row[CF_TASK_LANES], uint32_t most)
{
   uint32_t found = 0;
   CF_FOR_LANES(lane)
      found |= (row[lane] & 0x7fffffff) > most;
   return found;
}

const struct cf_sane_ops CF_LANES(cf_sane_ops) = {
   .has_larger = has_larger,
};
