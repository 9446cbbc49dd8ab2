/* SPDX-License-Identifier: MIT */
#include "clipfree/base/cf_time_limit.h"

#include "clipfree/base/cf_host.h"

void
cf_time_limit_begin(struct cf_time_limit *limit)
{
   if (!limit)
      return;
   limit->wall_ns = cf_time_ns();
   limit->thread_ns = cf_thread_cpu_ns();
}

void
cf_time_limit_end(struct cf_time_limit *limit)
{
   if (limit)
      limit->used_ns += cf_thread_cpu_ns() - limit->thread_ns;
}

bool
cf_time_limit_asked(const struct cf_time_limit *limit)
{
   return limit->used_ns + (cf_time_ns() - limit->wall_ns) > limit->limit_ns &&
          limit->used_ns + (cf_thread_cpu_ns() - limit->thread_ns) > limit->limit_ns;
}
