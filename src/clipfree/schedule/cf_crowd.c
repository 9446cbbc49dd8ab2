/* SPDX-License-Identifier: MIT */
#include "clipfree/schedule/cf_crowd.h"

void
cf_crowd_note(struct cf_crowd *crowd, uint64_t worked_ns, uint64_t ran_ns, uint64_t now_ns)
{
   crowd->worked_ns += worked_ns;
   crowd->ran_ns += ran_ns < worked_ns ? ran_ns : worked_ns; /* the two clocks tick apart */
   if (crowd->worked_ns < CF_CROWD_WINDOW_NS)
      return;
   const double share = (double)crowd->ran_ns / (double)crowd->worked_ns;
   if (share < CF_CROWD_LEAST) {
      crowd->allowed = (uint32_t)(share * crowd->allowed);
      crowd->crowded_ns = now_ns;
   }
   crowd->worked_ns = crowd->ran_ns = 0;
}

uint32_t
cf_crowd_allowed(struct cf_crowd *crowd, uint64_t now_ns)
{
   if (crowd->allowed < crowd->helpers && now_ns - crowd->crowded_ns >= CF_CROWD_REST_NS) {
      const uint32_t more = crowd->allowed > 0 ? 2 * crowd->allowed : 1;
      crowd->allowed = more < crowd->helpers ? more : crowd->helpers;
      crowd->crowded_ns = now_ns;
      crowd->worked_ns = crowd->ran_ns = 0;
   }
   return crowd->allowed;
}
