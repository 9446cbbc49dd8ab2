/* SPDX-License-Identifier: MIT */
#include "replay_trim.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "clipfree/capture/cf_capture_writer.h"

#include "look/look_error.h"
#include "look/look_file.h"

#include "look/look_pages.h"
#include "look/look_pixel.h"

struct trim {
   const struct replay_side *side;
   struct replay_range range;
   const char *output; /* the file's name, also while it has another */
   char *error;
   size_t error_B;
   /* found by `play` */
   struct look_player *player;   /* after the last draw */
   struct look_submission last;  /* the last submission that is kept */
   uint32_t first_number;        /* of the first submission that is kept */
   uint32_t first_draw;          /* of its draws, the first one's number */
   uint32_t draws;               /* in the capture up to there */
   uint32_t end_dw;              /* where the last submission is cut */
   struct look_pages pages;
   bool begun, reached;
};

static bool
fails(const struct trim *trim, const char *why)
{
   return look_fails(trim->error, trim->error_B, "cannot write %s: %s", trim->output, why);
}

/* ------------------------------------------------------------------ what is kept */

/* Find the draws of the range in a submission. */
static void
find_draws(struct trim *trim, struct look_ops *ops, const struct look_submission *submission)
{
   const uint32_t before = ops->draws;
   struct look_op op;
   look_ops_enter(ops, submission);
   while (!trim->reached && look_ops_next(ops, &op)) {
      if (op.draw == trim->range.first && !trim->begun) {
         trim->begun = true;
         trim->first_number = submission->number;
         trim->first_draw = before;
      }
      if (op.draw != trim->range.last)
         continue;
      trim->reached = true;
      trim->end_dw = op.at_dw + op.dwords;
   }
   trim->draws = ops->draws;
}

/* Run a submission, up to the last draw if it is in it. Descriptors may be written while it runs,
 * so that what it names is noted before and after. */
static void
run(struct trim *trim, const struct look_submission *submission)
{
   struct look_submission part = *submission;
   if (trim->reached)
      part.dwords = trim->end_dw + CF_END_DWORDS;
   if (trim->begun)
      look_pages_note(&trim->pages, trim->player, &part);
   look_run_until(trim->player, submission, trim->reached ? trim->end_dw : submission->dwords);
   if (trim->begun)
      look_pages_note(&trim->pages, trim->player, &part);
   trim->last = *submission;
}

/* Play the capture up to the last draw. */
static bool
play(struct trim *trim)
{
   struct look_ops ops = { 0 };
   int found = 1;
   trim->player =
      look_player_open(trim->side->path, &trim->side->config, trim->error, trim->error_B);
   if (!trim->player || !look_pages_begin(&trim->pages, trim->player))
      return false;
   look_player_warn(trim->player, trim->side->path);
   while (!trim->reached && found > 0) {
      struct look_submission submission;
      found = look_player_next(trim->player, &submission, trim->error, trim->error_B);
      if (found > 0) {
         find_draws(trim, &ops, &submission);
         run(trim, &submission);
      }
   }
   if (found < 0 || !look_player_went_well(trim->player, trim->error, trim->error_B))
      return false;
   if (!trim->reached)
      snprintf(trim->error, trim->error_B,
               "there is no draw %lu; the capture has %" PRIu32
               " draws, from 0, which --list shows",
               trim->range.last, trim->draws);
   return trim->reached;
}

/* ------------------------------------------------------------------ writing */

static bool
put(struct cf_capture_writer *writer, uint32_t kind, uint64_t address, uint64_t size_B,
    const void *payload)
{
   const struct cf_capture_record record = { .kind = kind, .address = address, .size_B = size_B };
   return cf_capture_writer_put(writer, &record, payload);
}

static bool
is_zero(const uint8_t *page)
{
   return !page[0] && !memcmp(page, page + 1, LOOK_PAGE_B - 1);
}

/* Write the named pages of memory that are not zero, and the last one. */
static bool
put_memory(const struct trim *trim, const struct look_player *player,
           struct cf_capture_writer *writer)
{
   uint64_t last = trim->pages.count;
   while (last > 0 && !trim->pages.named[last - 1])
      last--;
   for (uint64_t page = 0; page < last; page++) {
      const uint64_t address = page * LOOK_PAGE_B;
      const uint8_t *data =
         trim->pages.named[page] ? look_player_at(player, address, LOOK_PAGE_B) : NULL;
      if (data && (page + 1 == last || !is_zero(data)) &&
          !put(writer, CF_CAPTURE_MEMORY, address, LOOK_PAGE_B, data))
         return false;
   }
   return true;
}

/* Write the named parts of a record of memory. */
static bool
put_named(const struct trim *trim, struct cf_capture_writer *writer,
          const struct cf_capture_record *record, const uint8_t *payload)
{
   const uint64_t end = record->address + record->size_B;
   for (uint64_t at = record->address, next; at < end; at = next) {
      next = (at / LOOK_PAGE_B + 1) * LOOK_PAGE_B;
      next = next < end ? next : end;
      if (look_page_is_named(&trim->pages, at) &&
          !put(writer, CF_CAPTURE_MEMORY, at, next - at, payload + (at - record->address)))
         return false;
   }
   return true;
}

/* The submission; the last one is cut. */
static bool
put_submission(const struct trim *trim, struct cf_capture_writer *writer,
               const struct cf_capture_record *record, uint32_t number)
{
   uint32_t end[CF_END_DWORDS];
   cf_end_pack(end, &(struct cf_end){ 0 });
   if (number != trim->last.number)
      return cf_capture_writer_put(writer, record, NULL) && cf_capture_writer_flush(writer);
   const uint64_t cut = record->address + 4 * (uint64_t)trim->end_dw;
   return put(writer, CF_CAPTURE_MEMORY, cut, sizeof(end), end) &&
          put(writer, CF_CAPTURE_SUBMIT, record->address, cut + sizeof(end) - record->address,
              NULL) &&
          cf_capture_writer_flush(writer);
}

/* A record between the first and the last submission that are kept, or what people know of things
 * from before. */
static bool
put_record(const struct trim *trim, struct cf_capture_writer *writer,
           const struct cf_capture_record *record, const uint8_t *payload, uint32_t number)
{
   switch (record->kind) {
   case CF_CAPTURE_NOTE:
      return !look_page_is_named(&trim->pages, record->address) ||
             cf_capture_writer_put(writer, record, payload);
   case CF_CAPTURE_FRAME:
      return number <= trim->first_number || cf_capture_writer_put(writer, record, payload);
   case CF_CAPTURE_MEMORY:
      return number <= trim->first_number || put_named(trim, writer, record, payload);
   default: return true;
   }
}

/* Copy records, with the memory of `before`, which is that before the first submission kept. */
static bool
copy(const struct trim *trim, const struct look_player *before, struct cf_capture_reader *reader,
     struct cf_capture_writer *writer)
{
   struct cf_capture_record record;
   const uint8_t *payload;
   uint32_t number = 0; /* of the submission that comes next */
   int found = 1;
   bool ok = true;
   while (ok && number <= trim->last.number &&
          (found = cf_capture_next(reader, &record, &payload, trim->error, trim->error_B)) > 0) {
      if (record.kind != CF_CAPTURE_SUBMIT) {
         ok = put_record(trim, writer, &record, payload, number);
         continue;
      }
      if (number == trim->first_number)
         ok = put_memory(trim, before, writer);
      if (number >= trim->first_number)
         ok = ok && put_submission(trim, writer, &record, number);
      number++;
   }
   ok =
      ok && found > 0 && put(writer, CF_CAPTURE_END, 0, 0, NULL) && cf_capture_writer_flush(writer);
   return ok || found < 0 || look_file_fails(trim->output, errno, trim->error, trim->error_B);
}

/* Memory before the first submission that is kept. NULL: `error`. */
static struct look_player *
play_before(const struct trim *trim)
{
   struct look_player *player =
      look_player_open(trim->side->path, &trim->side->config, trim->error, trim->error_B);
   struct look_submission submission;
   while (player) {
      const int found = look_player_next(player, &submission, trim->error, trim->error_B);
      if (found > 0 && submission.number == trim->first_number)
         return player;
      if (found > 0) {
         look_player_run(player, &submission);
         continue;
      }
      look_player_close(player);
      player = NULL;
   }
   return NULL;
}

static bool
write_capture(const struct trim *trim, const char *path)
{
   struct look_player *before = play_before(trim);
   struct cf_capture_reader *reader =
      before ? cf_capture_open(trim->side->path, trim->error, trim->error_B) : NULL;
   struct cf_capture_writer *writer = reader ? cf_capture_writer_open(path) : NULL;
   bool ok = writer != NULL;
   if (reader && !writer)
      look_file_fails(trim->output, errno, trim->error, trim->error_B);
   if (writer) {
      trim->error[0] = 0;
      ok = copy(trim, before, reader, writer) && !trim->error[0];
      cf_capture_writer_close(writer, false);
   }
   if (reader)
      cf_capture_close(reader);
   if (before)
      look_player_close(before);
   return ok;
}

/* ------------------------------------------------------------------ the trial */

/* Addresses of results of queries, in all submissions. */
struct results {
   uint64_t *address;
   uint32_t count, capacity;
};

/* False: out of memory. */
static bool
note_results(struct results *results, const struct look_submission *submission)
{
   struct look_packets packets = look_packets_of(submission);
   struct cf_query query;
   const char *bad_field;
   const uint32_t *packet;
   while ((packet = look_packets_next(&packets))) {
      if (look_opcode(packet) != CF_OPCODE_QUERY || !cf_query_unpack(packet, &query, &bad_field))
         continue;
      if (results->count == results->capacity) {
         const uint32_t capacity = 2 * results->capacity + 64;
         uint64_t *grown = realloc(results->address, capacity * sizeof(*grown));
         if (!grown)
            return false;
         results->address = grown;
         results->capacity = capacity;
      }
      results->address[results->count++] = query.result;
   }
   return true;
}

/* Results of queries are no bits of pictures, and of clocks others each time. They are forgotten
 * when all has run: memory before a later submission may have those of an earlier one. */
static void
forget_results(const struct results *results, struct look_player *player)
{
   for (uint32_t i = 0; i < results->count; i++) {
      void *result = look_player_at(player, results->address[i], 8);
      if (result)
         memset(result, 0, 8);
   }
}

/* Play the file. Memory at its end is the original's, but for results of queries. */
static bool
play_trimmed(const struct trim *trim, struct look_player *player)
{
   struct look_submission submission;
   struct results results = { 0 };
   int found;
   bool ok = true;
   while (ok && (found = look_player_next(player, &submission, trim->error, trim->error_B)) > 0) {
      look_player_run(player, &submission);
      ok = note_results(&results, &submission) || fails(trim, "out of memory");
   }
   forget_results(&results, player);
   forget_results(&results, trim->player);
   free(results.address);
   return ok && found == 0 && look_player_went_well(player, trim->error, trim->error_B);
}

/* Whether the file gives the same bits in all pages that it has. */
static bool
is_same(const struct trim *trim, const char *path)
{
   struct look_player *player =
      look_player_open(path, &trim->side->config, trim->error, trim->error_B);
   bool same = player && play_trimmed(trim, player);
   cf_end_pack(&trim->last.dw[trim->end_dw], &(struct cf_end){ 0 });
   for (uint64_t page = 0; same && page < trim->pages.count; page++) {
      const uint64_t address = page * LOOK_PAGE_B;
      const uint8_t *a = trim->pages.named[page]
                            ? look_player_at(trim->player, address, LOOK_PAGE_B)
                            : NULL,
                    *b = a ? look_player_at(player, address, LOOK_PAGE_B) : NULL;
      same = !a || (b && !memcmp(a, b, LOOK_PAGE_B));
   }
   if (player)
      look_player_close(player);
   return same;
}

/* ------------------------------------------------------------------ the whole */

static bool
is_same_file(const char *a, const char *b)
{
   struct stat x, y;
   return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Write it with the named pages; where that does not give the same bits, with all. */
static bool
write_and_try(struct trim *trim, const char *path)
{
   if (!write_capture(trim, path))
      return false;
   if (is_same(trim, path))
      return true;
   memset(trim->pages.named, 1, trim->pages.count);
   if (!write_capture(trim, path))
      return false;
   return is_same(trim, path) ||
          fails(trim, "it does not give the same bits; does the capture have draws that read what "
                      "they write?");
}

static json_t *
draw_json(const struct trim *trim, unsigned long draw)
{
   return json_pack("{s:I, s:I}", "of_capture", (json_int_t)draw, "of_output",
                    (json_int_t)(draw - trim->first_draw));
}

static json_t *
result_json(const struct trim *trim)
{
   const uint32_t kept = trim->last.number - trim->first_number + 1,
                  all = look_player_submissions(trim->player);
   struct stat status = { 0 };
   stat(trim->output, &status);
   return json_pack("{s:i, s:s, s:s, s:{s:I, s:I}, s:I, s:o, s:o}", "version", 1, "capture",
                    trim->side->path, "output", trim->output, "submissions", "of_capture",
                    (json_int_t)all, "of_output", (json_int_t)kept, "bytes",
                    (json_int_t)status.st_size, "first_draw", draw_json(trim, trim->range.first),
                    "last_draw", draw_json(trim, trim->range.last));
}

void
replay_trim_print(FILE *file, const json_t *trimmed)
{
   const json_t *submissions = json_object_get(trimmed, "submissions"),
                *first = json_object_get(trimmed, "first_draw"),
                *last = json_object_get(trimmed, "last_draw");
   fprintf(file,
           "%s: %lld of %lld submissions, %.1f MB; draw %lld is draw %lld of it, draw %lld its "
           "last, %lld\n",
           look_text(trimmed, "output"), look_number(submissions, "of_output"),
           look_number(submissions, "of_capture"), (double)look_number(trimmed, "bytes") / 1e6,
           look_number(first, "of_capture"), look_number(first, "of_output"),
           look_number(last, "of_capture"), look_number(last, "of_output"));
}

json_t *
replay_trim(const struct replay_side *side, const struct replay_range *range, const char *output,
            char *error, size_t error_B)
{
   struct trim trim = { .side = side,
                        .range = *range,
                        .output = output,
                        .error = error,
                        .error_B = error_B };
   struct look_file file;
   json_t *result = NULL;
   bool ok = false;
   if (is_same_file(side->path, output)) {
      fails(&trim, "it is the capture itself; name another file");
      return NULL;
   }
   snprintf(error, error_B, "out of memory");
   if (play(&trim) && look_file_begin_named(&file, output, error, error_B)) {
      ok = write_and_try(&trim, look_file_name(&file));
      ok = look_file_end(&file, ok, error, error_B) && ok;
   }
   if (ok)
      result = result_json(&trim);
   if (trim.player)
      look_player_close(trim.player);
   look_pages_end(&trim.pages);
   return result;
}
