/* SPDX-License-Identifier: MIT */
#include "clipfree/command/cf_process_rows.h"

#include <stdlib.h>
#include <string.h>

#include "clipfree/command/cf_process.h"

/* ------------------------------------------------------------------ transfers */

struct cf_operation_row *
cf_operation_row_create(enum cf_stat_rows kind, const char *name, uint64_t packet,
                        uint64_t submission)
{
   struct cf_operation_row *row = calloc(1, sizeof(*row));
   if (!row)
      return NULL;
   row->kind = kind;
   row->row.text[CF_STAT_KIND] = name;
   row->row.number[CF_STAT_PACKET] = packet;
   row->row.number[CF_STAT_SUBMISSION] = submission;
   return row;
}

void
cf_operation_rows_append(struct cf_operation_rows *rows, struct cf_operation_row *row)
{
   row->passes = rows->passes;
   if (rows->last)
      rows->last->next = row;
   else
      rows->first = row;
   rows->last = row;
}

/* What a transfer's loops counted. */
static void
take_counts(struct cf_operation_row *row)
{
   uint64_t *number = row->row.number;
   number[CF_STAT_TRANSFERRED] = row->counts.pixels;
   number[CF_STAT_TRANSFERRED_B] = row->counts.size_B;
   number[CF_STAT_RESOLVED_TILES] = row->counts.resolved_tiles;
   number[CF_STAT_UNIT_NS + CF_UNIT_COPIES - 1] = row->counts.ns;
}

void
cf_operation_rows_add(struct cf_operation_rows *rows, uint64_t pass, struct cf_stats_file *file,
                      struct cf_workers *workers, uint64_t *ns)
{
   struct cf_operation_row *row;
   while ((row = rows->first) && row->passes <= pass) {
      if (row->kind == CF_STAT_OF_TRANSFER) {
         cf_workers_finish(workers, row->loop);
         take_counts(row);
         ns[CF_UNIT_COPIES] += row->counts.ns;
      }
      cf_stats_add(file, &row->row, row->kind);
      rows->first = row->next;
      rows->last = rows->first ? rows->last : NULL;
      free(row);
   }
}

void
cf_operation_rows_free(struct cf_operation_rows *rows)
{
   struct cf_operation_row *row;
   while ((row = rows->first)) {
      rows->first = row->next;
      free(row);
   }
   rows->last = NULL;
}

/* ------------------------------------------------------------------ draws and clears */

void
cf_process_describe_draw(struct cf_pass *pass, const struct cf_draw_state *draw, uint64_t number,
                         uint64_t submission, struct cf_unit_clock *parser)
{
   struct cf_stats_row *row = cf_pass_last_counts(pass);
   const struct cf_decoded *vertex = draw->source.stage->program,
                           *fragment = draw->fragment_stage->program;
   uint64_t ticks[CF_UNITS];
   cf_unit_clock_split(parser, ticks);
   row->text[CF_STAT_KIND] = "draw";
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
cf_process_note_draw(struct cf_stats_file *file, struct cf_pass *pass, uint64_t packet)
{
   struct cf_stats_note taken, *note;
   struct cf_stats_row *row = cf_pass_last_counts(pass);
   if (!cf_stats_take_note(file, packet, &taken))
      return;
   note = cf_arena_alloc(cf_pass_arena(pass), sizeof(*note));
   if (!row || !note)
      return;
   *note = taken;
   row->text[CF_STAT_CALL] = note->call;
   row->text[CF_STAT_GROUP] = note->group;
}

void
cf_process_drop_note(struct cf_stats_file *file, uint64_t packet)
{
   struct cf_stats_note dropped;
   cf_stats_take_note(file, packet, &dropped);
}

void
cf_process_describe_clear(struct cf_stats_row *row, const struct cf_clear_op *op,
                          struct cf_unit_clock *parser)
{
   uint64_t ticks[CF_UNITS];
   const uint64_t images = (uint64_t)__builtin_popcount(op->images),
                  width_px = op->max_x_px - op->min_x_px, height_px = op->max_y_px - op->min_y_px,
                  columns = (op->max_x_px - 1) / CF_TILE_PX + 1 - op->min_x_px / CF_TILE_PX,
                  rows = (op->max_y_px - 1) / CF_TILE_PX + 1 - op->min_y_px / CF_TILE_PX;
   cf_unit_clock_split(parser, ticks);
   row->number[CF_STAT_UNIT_NS + CF_UNIT_STATE - 1] = ticks[CF_UNIT_STATE];
   row->number[CF_STAT_UNIT_NS + CF_UNIT_CLEARS - 1] = ticks[CF_UNIT_CLEARS];
   row->number[CF_STAT_CLEARED] = images * width_px * height_px;
   row->number[CF_STAT_CLEARED_TILES] = images * columns * rows;
}

void
cf_process_add_draws(struct cf_stats_file *file, const struct cf_pass *pass)
{
   const struct cf_draw_state *draw;
   const struct cf_stats_row *row;
   for (uint32_t i = 0; (row = cf_pass_counts(pass, i, &draw)); i++)
      cf_stats_add(file, row, draw->clear ? CF_STAT_OF_CLEAR : CF_STAT_OF_DRAW);
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
