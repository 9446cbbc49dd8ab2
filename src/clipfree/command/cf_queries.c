/* SPDX-License-Identifier: MIT */
#include "clipfree/command/cf_queries.h"

#include "clipfree/base/cf_host.h"

/* The counts of the next draw; NULL if no query is active, or, with *ok false, out of memory. */
static struct cf_query_counts *
counts_of(struct cf_queries *queries, struct cf_arena *arena, struct cf_query_counts **list,
          bool *ok)
{
   uint64_t *const samples = queries->result[CF_QUERY_KIND_SAMPLES_PASSED],
                   *const any = queries->result[CF_QUERY_KIND_ANY_SAMPLES],
                   *const primitives = queries->result[CF_QUERY_KIND_PRIMITIVES],
                   *const feedback = queries->result[CF_QUERY_KIND_FEEDBACK_PRIMITIVES];
   *ok = true;
   if (queries->counts || (!samples && !any && !primitives && !feedback))
      return queries->counts;
   struct cf_query_counts *counts = cf_arena_alloc(arena, sizeof(*counts));
   *ok = counts != NULL;
   if (!counts)
      return NULL;
   *counts = (struct cf_query_counts){ .next = *list,
                                       .samples_result = { samples, any },
                                       .primitives_result = primitives,
                                       .feedback_result = feedback };
   *list = queries->counts = counts;
   return counts;
}

bool
cf_queries_count(struct cf_queries *queries, struct cf_arena *arena, struct cf_query_counts **list,
                 struct cf_draw_state *draw)
{
   bool ok;
   struct cf_query_counts *counts = counts_of(queries, arena, list, &ok);
   draw->samples =
      counts && (counts->samples_result[0] || counts->samples_result[1]) ? &counts->samples : NULL;
   draw->primitives =
      counts && counts->primitives_result && !draw->again ? &counts->primitives : NULL;
   draw->feedback_primitives =
      counts && counts->feedback_result ? &counts->feedback_primitives : NULL;
   return ok;
}

void
cf_queries_add(void *user, uint32_t worker, uint32_t item)
{
   (void)worker;
   (void)item;
   for (const struct cf_query_counts *counts = user; counts; counts = counts->next) {
      for (uint32_t i = 0; i < 2; i++) {
         if (counts->samples_result[i])
            *counts->samples_result[i] += counts->samples;
      }
      if (counts->primitives_result)
         *counts->primitives_result += counts->primitives;
      if (counts->feedback_result)
         *counts->feedback_result += counts->feedback_primitives;
   }
}

void
cf_queries_store_time(void *result, uint32_t worker, uint32_t item)
{
   (void)worker;
   (void)item;
   *(uint64_t *)result = cf_time_ns();
}

void
cf_queries_subtract_time(void *result, uint32_t worker, uint32_t item)
{
   (void)worker;
   (void)item;
   *(uint64_t *)result -= cf_time_ns();
}

void
cf_queries_add_time(void *result, uint32_t worker, uint32_t item)
{
   (void)worker;
   (void)item;
   *(uint64_t *)result += cf_time_ns();
}
