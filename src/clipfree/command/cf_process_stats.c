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

/* ------------------------------------------------------------------ rows */

void
cf_process_describe_draw(struct cf_pass *pass, const struct cf_draw_state *draw, uint64_t number,
                         uint64_t submission, struct cf_unit_clock *parser)
{
   struct cf_stats_row *row = cf_pass_last_counts(pass);
   const struct cf_decoded *vertex = draw->source.stage->program,
                           *fragment = draw->fragment_stage->program;
   uint64_t ticks[CF_UNITS];
   cf_unit_clock_split(parser, ticks);
   row->text[CF_STAT_PRIM_KIND] = cf_prim_kind_name(draw->prim);
   row->text[CF_STAT_VERTEX_PROGRAM] = cf_program_label(vertex);
   row->text[CF_STAT_FRAGMENT_PROGRAM] = cf_program_label(fragment);
   row->number[CF_STAT_SUBMISSION] = submission;
   row->number[CF_STAT_DRAW] = number;
   row->number[CF_STAT_PACKET] = draw->packet;
   row->number[CF_STAT_VERTEX_INSTRUCTIONS] = cf_program_info(vertex)->code_instrs;
   row->number[CF_STAT_FRAGMENT_INSTRUCTIONS] = cf_program_info(fragment)->code_instrs;
   row->number[CF_STAT_UNIT_NS + CF_UNIT_STATE - 1] = ticks[CF_UNIT_STATE];
}

void
cf_process_add_draws(struct cf_stats_file *file, const struct cf_pass *pass)
{
   const struct cf_draw_state *draw;
   const struct cf_stats_row *row;
   for (uint32_t i = 0; (row = cf_pass_counts(pass, i, &draw)); i++) {
      if (!draw->clear)
         cf_stats_add_draw(file, row);
   }
}

void
cf_process_end_rows(struct cf_stats_file *file, const struct cf_process_stats *stats)
{
   struct cf_stats_row row = { .number = {
                                  [CF_STAT_SUBMISSIONS] = stats->submissions,
                                  [CF_STAT_PASSES] = stats->passes,
                                  [CF_STAT_VERTEX_TASKS] = stats->vertex_tasks,
                                  [CF_STAT_POSITION_TASKS] = stats->position_tasks,
                                  [CF_STAT_HIDDEN] = stats->hidden,
                                  [CF_STAT_FRAGMENT_TASKS] = stats->fragment_tasks,
                                  [CF_STAT_QUADS] = stats->quads,
                                  [CF_STAT_FRAGMENTS] = stats->fragments,
                                  [CF_STAT_INTERPRETED] = stats->interpreted,
                               } };
   for (enum cf_unit unit = CF_UNIT_NONE + 1; unit < CF_UNITS; unit++)
      row.number[CF_STAT_UNIT_NS + unit - 1] = stats->unit_ns[unit];
   cf_stats_add_to_frame(file, &row);
   cf_stats_write(file);
}
