/* SPDX-License-Identifier: MIT */
#include "clipfree/profile/cf_stats_file.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/cf_host.h"
#include "clipfree/profile/cf_live.h"
#include "clipfree/profile/cf_text_file.h"

struct cf_stats_file {
   struct cf_live live;
   pthread_mutex_t lock;
   struct cf_text_file text;
   struct cf_stats_notes notes;
   struct cf_stats_row sum; /* of the frame */
   uint64_t frame;
   struct cf_tick_rate rate;
   uint64_t start_ns, start_cpu_ns; /* of the frame */
};

/* Append a cell of text. It is quoted if it must be: calls of GL have commas. */
static void
add_text(struct cf_text_file *text, const char *cell)
{
   char quoted[2 * CF_STAT_TEXT_B], *to = quoted;
   const bool plain = !cell[strcspn(cell, ",\"\r\n")];
   for (uint32_t i = 0; cell[i] && i < CF_STAT_TEXT_B - 1; i++) {
      if (cell[i] == '"')
         *to++ = '"';
      *to++ = cell[i];
   }
   *to = 0;
   cf_text_file_add(text, plain ? "%s" : "\"%s\"", quoted);
}

/* Append a row; cells that rows of this kind (CF_STAT_OF_*) do not have are empty. */
static void
add_row(struct cf_stats_file *file, const struct cf_stats_row *row, uint32_t kind)
{
   struct cf_text_file *text = &file->text;
   if (!cf_text_file_begin(&file->text))
      return;
   for (uint32_t i = 0; i < CF_STAT_TEXTS + CF_STATS; i++) {
      const struct cf_stats_column *column = &cf_stats_columns[i];
      const bool has = column->rows & kind;
      if (i > 0)
         cf_text_file_add(text, ",");
      if (i < CF_STAT_TEXTS)
         add_text(text, has && row->text[i] ? row->text[i] : "");
      else if (has)
         cf_text_file_add(text, column->rows & CF_STAT_HEX ? "0x%" PRIx64 : "%" PRIu64,
                          row->number[i - CF_STAT_TEXTS]);
   }
   cf_text_file_add(text, "\n");
}

static void
add_head(struct cf_stats_file *file)
{
   struct cf_text_file *text = &file->text;
   if (!cf_text_file_begin(&file->text))
      return;
   for (uint32_t i = 0; i < CF_STAT_TEXTS + CF_STATS; i++)
      cf_text_file_add(text, "%s%s", i ? "," : "", cf_stats_columns[i].name);
   cf_text_file_add(text, "\n");
}

/* ------------------------------------------------------------------ rows */

/* Whether a frame's number is the sum over its other rows. */
static bool
is_sum(enum cf_stat stat)
{
   return cf_stats_columns[CF_STAT_TEXTS + stat].rows & CF_STAT_SUM;
}

void
cf_stats_add(struct cf_stats_file *file, const struct cf_stats_row *added, enum cf_stat_rows kind)
{
   struct cf_stats_row row = *added;
   pthread_mutex_lock(&file->lock);
   row.number[CF_STAT_FRAME] = file->frame;
   for (uint32_t i = CF_STAT_UNIT_NS; i < CF_STATS && kind != CF_STAT_OF_TRANSFER; i++)
      row.number[i] = cf_ticks_to_ns(&file->rate, row.number[i]);
   for (enum cf_stat stat = 0; stat < CF_STATS; stat++) {
      const bool has = cf_stats_columns[CF_STAT_TEXTS + stat].rows & kind;
      file->sum.number[stat] += has && is_sum(stat) ? row.number[stat] : 0;
   }
   file->sum.number[kind == CF_STAT_OF_DRAW    ? CF_STAT_DRAWS
                    : kind == CF_STAT_OF_CLEAR ? CF_STAT_CLEARS
                                               : CF_STAT_TRANSFERS]++;
   add_row(file, &row, kind);
   pthread_mutex_unlock(&file->lock);
}

void
cf_stats_note(struct cf_stats_file *file, uint64_t packet, const void *note, size_t size_B)
{
   pthread_mutex_lock(&file->lock);
   cf_stats_notes_put(&file->notes, packet, note, size_B);
   pthread_mutex_unlock(&file->lock);
}

bool
cf_stats_take_note(struct cf_stats_file *file, uint64_t packet, struct cf_stats_note *note)
{
   pthread_mutex_lock(&file->lock);
   const bool taken = cf_stats_notes_take(&file->notes, packet, note);
   pthread_mutex_unlock(&file->lock);
   return taken;
}

/* With the lock. */
static void
end_frame(struct cf_stats_file *file)
{
   struct cf_stats_row *row = &file->sum;
   const uint64_t now_ns = cf_time_ns(), now_cpu_ns = cf_process_cpu_ns();
   row->text[CF_STAT_KIND] = "frame";
   row->number[CF_STAT_FRAME] = file->frame++;
   row->number[CF_STAT_WALL_NS] = now_ns - file->start_ns;
   row->number[CF_STAT_CPU_NS] = now_cpu_ns - file->start_cpu_ns;
   add_row(file, row, CF_STAT_OF_FRAME);
   file->sum = (struct cf_stats_row){ 0 };
   file->start_ns = now_ns;
   file->start_cpu_ns = now_cpu_ns;
   cf_text_file_write(&file->text);
}

void
cf_stats_end_frame(struct cf_stats_file *file)
{
   pthread_mutex_lock(&file->lock);
   end_frame(file);
   pthread_mutex_unlock(&file->lock);
}

void
cf_stats_add_to_frame(struct cf_stats_file *file, const struct cf_stats_row *row)
{
   pthread_mutex_lock(&file->lock);
   for (enum cf_stat stat = 0; stat < CF_STATS; stat++)
      file->sum.number[stat] += is_sum(stat) ? 0 : row->number[stat];
   pthread_mutex_unlock(&file->lock);
}

void
cf_stats_write(struct cf_stats_file *file)
{
   pthread_mutex_lock(&file->lock);
   cf_text_file_write(&file->text);
   pthread_mutex_unlock(&file->lock);
}

/* ------------------------------------------------------------------ open and close */

/* The last that is heard of the file. */
static void
end(struct cf_live *live)
{
   struct cf_stats_file *file = (struct cf_stats_file *)live;
   pthread_mutex_lock(&file->lock);
   if (file->sum.number[CF_STAT_DRAWS] || file->sum.number[CF_STAT_SUBMISSIONS])
      end_frame(file);
   cf_text_file_end(&file->text);
   pthread_mutex_unlock(&file->lock);
}

struct cf_stats_file *
cf_stats_open(const char *path)
{
   struct cf_stats_file *file = calloc(1, sizeof(*file));
   if (!file)
      return NULL;
   if (!cf_text_file_open(&file->text, "statistics", path)) {
      const int error = errno;
      free(file);
      errno = error;
      return NULL;
   }
   pthread_mutex_init(&file->lock, NULL);
   file->rate = cf_tick_rate_begin();
   file->start_ns = cf_time_ns();
   file->start_cpu_ns = cf_process_cpu_ns();
   add_head(file);
   cf_text_file_write(&file->text);
   cf_live_add(&file->live, end);
   return file;
}

void
cf_stats_close(struct cf_stats_file *file)
{
   if (!file)
      return;
   if (cf_live_remove(&file->live))
      end(&file->live);
   pthread_mutex_destroy(&file->lock);
   cf_stats_notes_free(&file->notes);
   cf_text_file_free(&file->text);
   free(file);
}
