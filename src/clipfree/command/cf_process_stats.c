/* SPDX-License-Identifier: MIT */
/* Statistics of command buffers: their sums, and their text. */
#include <inttypes.h>
#include <stdio.h>

#include "clipfree/command/cf_process.h"

void
cf_process_add_stats(struct cf_process_stats *sum, const struct cf_process_stats *stats)
{
   _Static_assert(sizeof(*sum) % sizeof(uint64_t) == 0, "all are u64");
   const uint64_t *from = (const uint64_t *)stats;
   for (size_t i = 0; i < sizeof(*sum) / sizeof(uint64_t); i++)
      ((uint64_t *)sum)[i] += from[i];
}

void
cf_process_count_pass(struct cf_process_stats *stats, const struct cf_pass_stats *pass)
{
   stats->passes += pass->passes;
   stats->draws += pass->draws;
   stats->chunks += pass->chunks;
   stats->vertex_tasks += pass->vertex_tasks;
   stats->position_tasks += pass->position_tasks;
   for (uint32_t i = 0; i < CF_UNITS; i++)
      stats->unit_ns[i] += pass->unit_ns[i];
   stats->fragment_tasks += pass->tile.tasks;
   stats->quads += pass->tile.quads;
   stats->fragments += pass->tile.fragments;
   stats->hidden += pass->tile.hidden;
   stats->interpreted += pass->interpreted;
   stats->waiting += pass->tile.waiting;
}

void
cf_process_print_stats(const char *what, uint64_t number, const struct cf_process_stats *s)
{
   uint64_t sum_ns = 0;
   for (enum cf_unit unit = CF_UNIT_NONE + 1; unit < CF_UNITS; unit++)
      sum_ns += s->unit_ns[unit];
   flockfile(stderr);
   fprintf(stderr, "clipfree: %s %" PRIu64 ": %.1f us, units %.1f us:", what, number,
           (double)s->all_ns / 1e3, (double)sum_ns / 1e3);
   for (enum cf_unit unit = CF_UNIT_NONE + 1; unit < CF_UNITS; unit++)
      fprintf(stderr, "%s %s %.1f", unit == CF_UNIT_NONE + 1 ? "" : ",", cf_unit_name(unit),
              (double)s->unit_ns[unit] / 1e3);
   fprintf(stderr,
           "; %" PRIu64 " submissions, %" PRIu64 " passes, %" PRIu64 " draws, %" PRIu64
           " chunks, %" PRIu64 " vertex tasks, %" PRIu64 " position-only, %" PRIu64
           " fragment tasks, %" PRIu64 " quads, %" PRIu64 " fragments, %" PRIu64 " hidden\n",
           s->submissions, s->passes, s->draws, s->chunks, s->vertex_tasks, s->position_tasks,
           s->fragment_tasks, s->quads, s->fragments, s->hidden);
   funlockfile(stderr);
}

void
cf_process_print_slow(const struct cf_process_stats *s)
{
   flockfile(stderr);
   for (enum cf_slow reason = 0; reason < CF_SLOW_REASONS; reason++) {
      if (s->slow[reason])
         fprintf(stderr, "clipfree: slow draws: %" PRIu64 " of %" PRIu64 ": %s\n", s->slow[reason],
                 s->draws, cf_slow_text(reason));
   }
   if (s->interpreted || s->waiting)
      fprintf(stderr,
              "clipfree: slow for a time: %" PRIu64 " of %" PRIu64
              " tasks were interpreted, %" PRIu64 " went through the units one after the other\n",
              s->interpreted, s->vertex_tasks + s->fragment_tasks, s->waiting);
   funlockfile(stderr);
}
