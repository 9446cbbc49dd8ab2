/* SPDX-License-Identifier: MIT */
#include "clipfree/profile/cf_stats_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clipfree/base/cf_host.h"
#include "clipfree/profile/cf_live.h"

#define ROW_B 1024 /* a row is shorter: numbers have up to 20 digits, texts are short names */

struct cf_stats_file {
   struct cf_live live;
   pthread_mutex_t lock;
   char *path;
   int fd; /* negative: nothing more is written */
   off_t written_B;
   char *text; /* rows to be written */
   size_t text_B, capacity_B;
   struct cf_stats_row sum; /* of the frame */
   uint64_t frame;
   struct cf_tick_rate rate;
   uint64_t start_ns, start_cpu_ns; /* of the frame */
};

/* ------------------------------------------------------------------ writing */

static void
give_up(struct cf_stats_file *file, const char *why)
{
   fprintf(stderr, "clipfree: statistics %s: %s; they end here\n", file->path, why);
   close(file->fd);
   file->fd = -1;
}

/* Write all rows, or none of what was not written before. */
static void
write_rows(struct cf_stats_file *file)
{
   size_t done_B = 0;
   while (file->fd >= 0 && done_B < file->text_B) {
      const ssize_t result_B = write(file->fd, file->text + done_B, file->text_B - done_B);
      if (result_B > 0) {
         done_B += (size_t)result_B;
      } else if (errno != EINTR) {
         const int error = errno;
         if (ftruncate(file->fd, file->written_B) != 0 && errno != EINVAL)
            fprintf(stderr, "clipfree: statistics %s: the last row is not whole\n", file->path);
         give_up(file, strerror(error));
      }
   }
   file->written_B += (off_t)done_B;
   file->text_B = 0;
}

/* Room for another row. False: none. */
static bool
make_room(struct cf_stats_file *file)
{
   if (file->fd < 0)
      return false;
   if (file->text_B + ROW_B <= file->capacity_B)
      return true;
   const size_t capacity_B = 2 * file->capacity_B + 64 * ROW_B;
   char *text = realloc(file->text, capacity_B);
   if (!text) {
      give_up(file, "out of memory");
      return false;
   }
   file->text = text;
   file->capacity_B = capacity_B;
   return true;
}

static void __attribute__((format(printf, 2, 3)))
add(struct cf_stats_file *file, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   const int length = vsnprintf(file->text + file->text_B, file->capacity_B - file->text_B, format,
                                arguments);
   va_end(arguments);
   file->text_B += (size_t)length;
}

/* Append a row; cells that rows of this kind (CF_STAT_OF_DRAW or CF_STAT_OF_FRAME) do not have are
 * empty. */
static void
add_row(struct cf_stats_file *file, const struct cf_stats_row *row, uint32_t kind)
{
   if (!make_room(file))
      return;
   for (uint32_t i = 0; i < CF_STAT_TEXTS + CF_STATS; i++) {
      const struct cf_stats_column *column = &cf_stats_columns[i];
      const bool has = column->rows & kind;
      if (i > 0)
         add(file, ",");
      if (i < CF_STAT_TEXTS)
         add(file, "%.63s", has && row->text[i] ? row->text[i] : "");
      else if (has)
         add(file, column->rows & CF_STAT_HEX ? "0x%" PRIx64 : "%" PRIu64,
             row->number[i - CF_STAT_TEXTS]);
   }
   add(file, "\n");
}

static void
add_head(struct cf_stats_file *file)
{
   if (!make_room(file))
      return;
   for (uint32_t i = 0; i < CF_STAT_TEXTS + CF_STATS; i++)
      add(file, "%s%s", i ? "," : "", cf_stats_columns[i].name);
   add(file, "\n");
}

/* ------------------------------------------------------------------ rows */

/* Whether a frame's number is the sum over its draws. */
static bool
is_sum(enum cf_stat stat)
{
   return cf_stats_columns[CF_STAT_TEXTS + stat].rows & CF_STAT_SUM;
}

void
cf_stats_add_draw(struct cf_stats_file *file, const struct cf_stats_row *draw)
{
   struct cf_stats_row row = *draw;
   pthread_mutex_lock(&file->lock);
   row.text[CF_STAT_KIND] = "draw";
   row.number[CF_STAT_FRAME] = file->frame;
   for (uint32_t i = CF_STAT_UNIT_NS; i < CF_STATS; i++)
      row.number[i] = cf_ticks_to_ns(&file->rate, row.number[i]);
   for (enum cf_stat stat = 0; stat < CF_STATS; stat++)
      file->sum.number[stat] += is_sum(stat) ? row.number[stat] : 0;
   file->sum.number[CF_STAT_DRAWS]++;
   add_row(file, &row, CF_STAT_OF_DRAW);
   pthread_mutex_unlock(&file->lock);
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
   write_rows(file);
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
   write_rows(file);
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
   if (file->fd >= 0)
      close(file->fd);
   file->fd = -1;
   pthread_mutex_unlock(&file->lock);
}

struct cf_stats_file *
cf_stats_open(const char *path)
{
   struct cf_stats_file *file = calloc(1, sizeof(*file));
   if (!file)
      return NULL;
   file->path = strdup(path);
   file->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
   if (!file->path || file->fd < 0) {
      const int error = file->path ? errno : ENOMEM;
      if (file->fd >= 0)
         close(file->fd);
      free(file->path);
      free(file);
      errno = error;
      return NULL;
   }
   pthread_mutex_init(&file->lock, NULL);
   file->rate = cf_tick_rate_begin();
   file->start_ns = cf_time_ns();
   file->start_cpu_ns = cf_process_cpu_ns();
   add_head(file);
   write_rows(file);
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
   free(file->text);
   free(file->path);
   free(file);
}
