/* SPDX-License-Identifier: MIT */
#include "replay_hashes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "look/look_error.h"
#include "look/look_image.h"
#include "look/look_pixel.h"

#include "replay_explain.h"
#include "replay_list.h"
#include "replay_packets.h"
#include "replay_query_lines.h"

static void
set(json_t *object, const char *name, json_t *value)
{
   json_object_set_new(object, name, value);
}

/* ------------------------------------------------------------------ hashes */

/* Who takes the hashes. False: enough. */
struct taker {
   void *user;
   bool (*take)(void *user, const struct look_player *player, const json_t *line,
                const struct look_written *written);
};

static uint64_t
buffer_hash(const uint8_t *data, uint64_t size_B)
{
   uint64_t hash = 0xcbf29ce484222325u;
   for (uint64_t i = 0; i < size_B; i++)
      hash = (hash ^ data[i]) * 0x100000001b3u;
   return hash;
}

static json_t *
buffer_hashes(const struct look_player *player, const struct look_written *written)
{
   json_t *array = json_array();
   for (uint32_t i = 0; i < written->buffers; i++) {
      const struct look_op_buffer *buffer = &written->buffer[i];
      const uint8_t *data = look_player_at(player, buffer->address, buffer->size_B);
      json_t *json = json_pack("{s:s, s:o}", "name", look_buffer_name(buffer), "buffer",
                               look_json_address(buffer->address));
      if (data)
         set(json, "hash", json_sprintf("%016" PRIx64, buffer_hash(data, buffer->size_B)));
      json_array_append_new(array, json);
   }
   return array;
}

static json_t *
line_of(const struct look_player *player, const struct look_submission *submission,
        const struct look_op *op, const struct look_written *written)
{
   json_t *line = replay_op_json(player, submission, op), *images = json_array();
   for (uint32_t i = 0; i < written->images; i++) {
      struct look_image image;
      json_t *json = json_object();
      set(json, "name", json_string(look_target_name(op, written->image[i].target)));
      set(json, "image", look_json_address(written->image[i].surface.address));
      if (look_image_of(player, &written->image[i].surface, &image))
         set(json, "hash", json_sprintf("%016" PRIx64, look_image_hash(&image)));
      json_array_append_new(images, json);
   }
   set(line, "images", images);
   if (written->buffers)
      set(line, "buffers", buffer_hashes(player, written));
   return line;
}

/* Step through a submission. False: the taker has enough. */
static bool
hash_submission(struct look_steps *steps, struct look_ops *ops, const struct taker *taker)
{
   const struct look_submission packets = look_steps_packets(steps);
   struct look_op op;
   bool more = true;
   look_ops_enter(ops, &packets);
   while (more && look_ops_next(ops, &op)) {
      look_steps_run(steps, &op);
      const struct look_written written = look_op_written(steps->player, &ops->state, &op);
      json_t *line = line_of(steps->player, &packets, &op, &written);
      more = taker->take(taker->user, steps->player, line, &written);
      json_decref(line);
   }
   return more;
}

static bool
walk(const struct replay_side *side, const struct taker *taker, char *error, size_t error_B)
{
   struct look_player *player = look_player_open(side->path, &side->config, error, error_B);
   struct look_submission submission;
   struct look_ops ops = { 0 };
   bool more = true;
   int found = player ? 1 : -1;
   if (player)
      look_player_warn(player, side->path);
   while (more && found > 0 &&
          (found = look_player_next(player, &submission, error, error_B)) > 0) {
      struct look_steps steps;
      if (!look_steps_begin(&steps, player, &submission)) {
         look_fails(error, error_B, "%s: %s", side->path, "out of memory");
         found = -1;
         break;
      }
      more = hash_submission(&steps, &ops, taker);
      look_steps_end(&steps);
   }
   if (found >= 0 && !look_player_went_well(player, error, error_B))
      found = -1;
   if (player)
      look_player_close(player);
   return found >= 0;
}

static bool
print_line(void *user, const struct look_player *player, const json_t *line,
           const struct look_written *written)
{
   (void)player;
   (void)written;
   json_dumpf(line, user, JSON_COMPACT);
   fputc('\n', user);
   return !ferror((FILE *)user);
}

bool
replay_hashes(const struct replay_side *side, FILE *file, char *error, size_t error_B)
{
   return walk(side, &(struct taker){ .user = file, .take = print_line }, error, error_B);
}

/* ------------------------------------------------------------------ comparison */

struct hash_comparison {
   const struct replay_side *side;
   const struct replay_build *build;
   struct replay_process process;
   json_t *difference; /* NULL: none yet */
   const char *what;
   uint32_t draws;
   char error[CF_CAPTURE_ERROR_B];
};

/* An image of the other build's, as bytes. */
static bool
fetch(struct hash_comparison *c, const json_t *line, const char *image, uint32_t sample,
      const char *file)
{
   char operation[32], number[16];
   struct replay_process process;
   snprintf(operation, sizeof(operation), "%lld",
            json_integer_value(json_object_get(line, "operation")));
   snprintf(number, sizeof(number), "%" PRIu32, sample);
   const char *const words[] = { "--raw", file,       "--operation", operation, "--image",
                                 image,   "--sample", number,        NULL };
   return replay_process_start(&process, c->build, words, c->side->path, c->error,
                               sizeof(c->error)) &&
          replay_process_finish(&process, c->error, sizeof(c->error));
}

/* The first pixel of a sample that differs from the file's. */
static bool
find_pixel(const struct look_image *image, uint32_t sample, FILE *file, struct replay_pixel *pixel,
           uint32_t value[2][4])
{
   const struct cf_format_info *format = image->image.format;
   uint32_t mask[4];
   look_pixel_mask(format, mask);
   pixel->sample = sample;
   for (pixel->y_px = 0; pixel->y_px < image->image.height_px; pixel->y_px++) {
      for (pixel->x_px = 0; pixel->x_px < image->image.width_px; pixel->x_px++) {
         uint32_t differs = 0;
         memset(value[1], 0, sizeof(value[1]));
         if (fread(value[1], 1, format->pixel_B, file) != format->pixel_B)
            return false;
         look_image_pixel(image, pixel->x_px, pixel->y_px, sample, value[0]);
         for (uint32_t i = 0; i < 4; i++)
            differs |= (value[0][i] ^ value[1][i]) & mask[i];
         if (differs)
            return true;
      }
   }
   return false;
}

static void
explain(struct hash_comparison *c, const struct replay_pixel *pixel)
{
   const struct replay_side side[2] = { *c->side, *c->side };
   char error[CF_CAPTURE_ERROR_B];
   if (!replay_explain(side, c->build, pixel, c->difference, error, sizeof(error)))
      replay_note(c->difference, "primitive, lane and instruction are not known: %s", error);
}

/* Name the first pixel of the image that differs, and who made it. */
static void
describe_image(struct hash_comparison *c, const struct look_player *player, const json_t *line,
               const struct cf_surface *surface)
{
   char file_name[] = "/tmp/clipfree-replay-XXXXXX", image_name[32];
   struct look_image image;
   struct replay_pixel pixel = { 0 };
   uint32_t value[2][4];
   const int descriptor = mkstemp(file_name);
   FILE *file = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
   bool found = false;
   snprintf(image_name, sizeof(image_name), "0x%" PRIx64, surface->address);
   if (!file)
      look_fails(c->error, sizeof(c->error), "%s: %s", file_name, strerror(errno));
   if (file && look_image_of(player, surface, &image)) {
      for (uint32_t s = 0; !found && s < cf_image_samples(&image.image); s++) {
         if (!fetch(c, line, image_name, s, file_name) || !freopen(file_name, "rb", file))
            break;
         found = find_pixel(&image, s, file, &pixel, value);
      }
   }
   if (found)
      replay_describe_pixel(c->difference, &pixel, surface->format, (const uint32_t(*)[4])value);
   else
      replay_note(c->difference,
                  "the pixel is not known: images of other sizes, or other bits each time");
   if (file)
      fclose(file);
   unlink(file_name);
   c->what = found ? "pixel" : "image";
   pixel.op = (uint32_t)look_number(line, "operation");
   if (found && json_object_get(line, "draw"))
      explain(c, &pixel);
}

/* The first of the images, or buffers, whose hash differs; -1: none. */
static int
first_of(const char *things, const json_t *line, const json_t *other)
{
   const json_t *a = json_object_get(line, things), *b = json_object_get(other, things);
   for (size_t i = 0; i < json_array_size(a); i++) {
      if (!json_equal(json_array_get(a, i), json_array_get(b, i)))
         return (int)i;
   }
   return -1;
}

/* Name the buffer that differs. False: none does. */
static bool
describe_buffer(json_t *difference, const json_t *line, const json_t *other)
{
   const int index = first_of("buffers", line, other);
   if (index < 0)
      return false;
   json_object_update_new(
      difference, json_deep_copy(json_array_get(json_object_get(line, "buffers"), (size_t)index)));
   json_object_del(difference, "hash");
   return true;
}

static bool
compare_line(void *user, const struct look_player *player, const json_t *line,
             const struct look_written *written)
{
   struct hash_comparison *c = user;
   json_error_t malformed;
   json_t *other = json_loadf(c->process.output, JSON_DISABLE_EOF_CHECK, &malformed);
   const bool equal = other && json_equal(line, other);
   const int index = other ? first_of("images", line, other) : -1;
   c->draws += json_object_get(line, "draw") != NULL;
   if (!equal) {
      c->difference = json_object();
      set(c->difference, "operation", json_deep_copy(line));
      json_object_del(json_object_get(c->difference, "operation"), "images");
      json_object_del(json_object_get(c->difference, "operation"), "buffers");
   }
   if (!equal && index < 0)
      c->what = other && describe_buffer(c->difference, line, other) ? "buffer" : "operations";
   if (index >= 0) {
      json_t *image = replay_image_json(&written->image[index].surface);
      json_object_update_missing(image,
                                 json_array_get(json_object_get(line, "images"), (size_t)index));
      json_object_del(image, "hash");
      set(c->difference, "image", image);
      describe_image(c, player, line, &written->image[index].surface);
   }
   json_decref(other);
   return equal;
}

/* Compare the hashes. False: `error`. */
static bool
compare_hashes(struct hash_comparison *c, char *error, size_t error_B)
{
   static const char *const words[] = { "--hashes", NULL };
   char failure[CF_CAPTURE_ERROR_B] = "";
   if (!replay_process_start(&c->process, c->build, words, c->side->path, error, error_B))
      return false;
   const bool ok =
      walk(c->side, &(struct taker){ .user = c, .take = compare_line }, error, error_B);
   replay_process_finish(&c->process, failure, sizeof(failure));
   /* where they differ, the other build's hashes are not read to their end */
   const char *reason = c->error[0]                                                  ? c->error
                        : failure[0] && (!c->what || !strcmp(c->what, "operations")) ? failure
                                                                                     : NULL;
   if (ok && reason)
      return look_fails(error, error_B, "%s: %s", c->build->folder, reason);
   return ok;
}

/* Compare results of queries in the submissions before the one whose images differ. */
static bool
compare_queries(struct hash_comparison *c, char *error, size_t error_B)
{
   const json_t *op = json_object_get(c->difference, "operation");
   const uint32_t end = op ? (uint32_t)look_number(op, "submission") : UINT32_MAX;
   json_t *query;
   if (!replay_query_lines_compare(c->side, c->build, end, &query, c->error, sizeof(c->error)))
      return look_fails(error, error_B, "%s: %s", c->build->folder, c->error);
   if (!query)
      return true;
   json_decref(c->difference);
   c->difference = query;
   c->what = "query";
   return true;
}

static json_t *
result_of(const struct hash_comparison *c)
{
   json_t *result = replay_equal_result();
   set(result, "draws", json_integer(c->draws));
   if (!c->difference)
      return result;
   const json_t *op = json_object_get(c->difference, "operation");
   set(c->difference, "submission", json_incref(json_object_get(op, "submission")));
   replay_set_difference(result, c->what, c->difference);
   return result;
}

json_t *
replay_compare_build(const struct replay_side *side, const struct replay_build *build, char *error,
                     size_t error_B)
{
   struct hash_comparison c = { .side = side, .build = build };
   if (compare_hashes(&c, error, error_B) && compare_queries(&c, error, error_B))
      return result_of(&c);
   json_decref(c.difference);
   return NULL;
}
