/* SPDX-License-Identifier: MIT */
/*
 * Counters. Each context has its own, without atomics: a context is used by one thread at a time.
 */
#include "clipfree_context.h"

#include "util/macros.h"

#include "clipfree_counters.h"
#include "clipfree_screen.h"

#define COUNT PIPE_DRIVER_QUERY_TYPE_UINT64
#define BYTES PIPE_DRIVER_QUERY_TYPE_BYTES
#define ADD PIPE_DRIVER_QUERY_RESULT_TYPE_CUMULATIVE
#define LEVEL PIPE_DRIVER_QUERY_RESULT_TYPE_AVERAGE

static const struct {
   const char *name;
   enum pipe_driver_query_type type;
   enum pipe_driver_query_result_type result;
} cf_counters[CF_COUNTER_COUNT] = {
   [CF_COUNTER_DRAWS] = { "clipfree-draws", COUNT, ADD },
   [CF_COUNTER_REUSES] = { "clipfree-reuses", COUNT, ADD },
   [CF_COUNTER_SUBMISSIONS] = { "clipfree-submissions", COUNT, ADD },
   [CF_COUNTER_COPIES] = { "clipfree-copies", COUNT, ADD },
   [CF_COUNTER_UPLOADED_B] = { "clipfree-uploaded", BYTES, ADD },
   [CF_COUNTER_WAITS] = { "clipfree-waits", COUNT, ADD },
   [CF_COUNTER_VARIANTS] = { "clipfree-variants", COUNT, ADD },
   [CF_COUNTER_COMPILATIONS] = { "clipfree-compilations", COUNT, ADD },
   [CF_COUNTER_SLOW_DRAWS] = { "clipfree-slow-draws", COUNT, ADD },
   [CF_COUNTER_MEMORY_B] = { "clipfree-memory", BYTES, LEVEL },
};

uint64_t
cf_counter_read(const struct cf_context *context, enum cf_counter counter)
{
   struct cf_gpu *gpu = context->screen->gpu;

   if (counter == CF_COUNTER_MEMORY_B)
      return gpu->ops->get_param(gpu, CF_PARAM_MEMORY_USED_B);
   if (counter == CF_COUNTER_SLOW_DRAWS)
      return gpu->ops->get_param(gpu, CF_PARAM_SLOW_DRAWS);
   if (counter == CF_COUNTER_UPLOADED_B)
      return context->batch.uploaded_B;
   return context->counters[counter];
}

void
cf_counters_report(struct cf_context *context)
{
   static const enum cf_counter counters[CF_GPU_COUNTS] = {
      [CF_GPU_COUNT_UPLOADED_B] = CF_COUNTER_UPLOADED_B,
      [CF_GPU_COUNT_WAITS] = CF_COUNTER_WAITS,
      [CF_GPU_COUNT_COMPILATIONS] = CF_COUNTER_COMPILATIONS,
   };
   struct cf_gpu *gpu = context->screen->gpu;
   uint64_t counts[CF_GPU_COUNTS];

   if (!gpu->ops->count)
      return;
   for (unsigned i = 0; i < CF_GPU_COUNTS; i++) {
      const uint64_t now = cf_counter_read(context, counters[i]);
      counts[i] = now - context->reported[i];
      context->reported[i] = now;
   }
   gpu->ops->count(gpu, counts);
}

static int
cf_get_driver_query_info(struct pipe_screen *pscreen, unsigned index,
                         struct pipe_driver_query_info *info)
{
   if (!info)
      return CF_COUNTER_COUNT;
   if (index >= CF_COUNTER_COUNT)
      return 0;
   *info = (struct pipe_driver_query_info){
      .name = cf_counters[index].name,
      .query_type = PIPE_QUERY_DRIVER_SPECIFIC + index,
      .type = cf_counters[index].type,
      .result_type = cf_counters[index].result,
   };
   return 1;
}

static int
cf_get_driver_query_group_info(struct pipe_screen *pscreen, unsigned index,
                               struct pipe_driver_query_group_info *info)
{
   if (!info)
      return 1;
   if (index)
      return 0;
   *info = (struct pipe_driver_query_group_info){
      .name = "clipfree",
      .max_active_queries = CF_COUNTER_COUNT,
      .num_queries = CF_COUNTER_COUNT,
   };
   return 1;
}

void
cf_screen_init_counters(struct cf_screen *screen)
{
   screen->base.get_driver_query_info = cf_get_driver_query_info;
   screen->base.get_driver_query_group_info = cf_get_driver_query_group_info;
}
