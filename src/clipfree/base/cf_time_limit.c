/* SPDX-License-Identifier: MIT */
#include "clipfree/base/cf_time_limit.h"

#include "clipfree/base/cf_host.h"

/* Whether the loop ends soon enough, if its items take as long as those before. */
static bool
is_on_pace(const struct cf_time_limit *limit, uint32_t left)
{
   if (left == CF_TIME_ITEMS_UNKNOWN || limit->tasks_are_long || limit->exceeded_ns)
      return false;
   const uint64_t item_ns = limit->loop_items ? limit->loop_ns / limit->loop_items : 0;
   return limit->used_ns + item_ns * left <= CF_TIME_MOST * limit->limit_ns;
}

void
cf_time_limit_begin(struct cf_time_limit *limit, uint64_t loop, uint32_t left)
{
   if (!limit)
      return;
   if (limit->loop != loop) {
      limit->loop = loop;
      limit->loop_ns = limit->loop_items = 0;
   }
   limit->allowed_ns = limit->limit_ns + (is_on_pace(limit, left) ? limit->used_ns : 0);
   if (limit->allowed_ns > CF_TIME_MOST * limit->limit_ns)
      limit->allowed_ns = CF_TIME_MOST * limit->limit_ns;
   limit->wall_ns = cf_time_ns();
   limit->thread_ns = cf_thread_cpu_ns();
}

void
cf_time_limit_end(struct cf_time_limit *limit, uint64_t tasks)
{
   if (!limit)
      return;
   const uint64_t time_ns = cf_thread_cpu_ns() - limit->thread_ns;
   limit->used_ns += time_ns;
   limit->loop_ns += time_ns;
   limit->loop_items++;
   if (limit->used_ns > limit->allowed_ns && !limit->exceeded_ns)
      limit->exceeded_ns = limit->allowed_ns;
   limit->tasks_are_long = time_ns > CF_TIME_SHORT_TASK_NS * (tasks + 1);
}

bool
cf_time_limit_asked(const struct cf_time_limit *limit)
{
   return limit->used_ns + (cf_time_ns() - limit->wall_ns) > limit->allowed_ns &&
          limit->used_ns + (cf_thread_cpu_ns() - limit->thread_ns) > limit->allowed_ns;
}
