/* SPDX-License-Identifier: MIT */
#include "replay_compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "look/look_image.h"
#include "look/look_pixel.h"

#include "replay_explain.h"
#include "replay_feedback.h"
#include "replay_list.h"
#include "replay_packets.h"
#include "replay_queries.h"

static void
set(json_t *object, const char *name, json_t *value)
{
   json_object_set_new(object, name, value);
}

/* Both sides at the same submission. */
struct pair {
   struct look_player *player[2];
   struct look_submission submission[2];
   struct look_ops ops[2];
   char fault[2][CF_CAPTURE_ERROR_B]; /* of what ran last; "": none */
};

static const char *const side_names[2] = { "a", "b" };

static void
pair_close(struct pair *pair)
{
   for (uint32_t i = 0; i < 2; i++) {
      if (pair->player[i])
         look_player_close(pair->player[i]);
   }
}

static bool
pair_open(struct pair *pair, const struct replay_side side[2], char *error, size_t error_B)
{
   *pair = (struct pair){ 0 };
   for (uint32_t i = 0; i < 2; i++) {
      pair->player[i] = look_player_open(side[i].path, &side[i].config, error, error_B);
      if (!pair->player[i])
         return false;
   }
   return true;
}

/* The next submission of both sides. 0: the end of one, or of both (`ended` says of each). */
static int
pair_next(struct pair *pair, bool ended[2], char *error, size_t error_B)
{
   for (uint32_t i = 0; i < 2; i++) {
      const int found = look_player_next(pair->player[i], &pair->submission[i], error, error_B);
      if (found < 0)
         return -1;
      ended[i] = found == 0;
      look_ops_enter(&pair->ops[i], &pair->submission[i]);
   }
   return !ended[0] && !ended[1];
}

/* Note what was malformed in what ran. True: something was. */
static bool
note_faults(struct pair *pair)
{
   bool any = false;
   for (uint32_t i = 0; i < 2; i++) {
      pair->fault[i][0] = 0;
      any |= !look_player_went_well(pair->player[i], pair->fault[i], sizeof(pair->fault[i]));
   }
   return any;
}

/* The next operation of both sides. False: both have none. *alike: both have one, of one kind. */
static bool
pair_op(struct pair *pair, struct look_op op[2], bool *alike)
{
   op[0] = op[1] = (struct look_op){ 0 };
   const bool a = look_ops_next(&pair->ops[0], &op[0]), b = look_ops_next(&pair->ops[1], &op[1]);
   *alike = a && b && op[0].opcode == op[1].opcode;
   return a || b;
}

static struct look_written
written_by(const struct pair *pair, const struct look_op op[2], uint32_t i)
{
   return look_op_written(pair->player[i], &pair->ops[i].state, &op[i]);
}

/* ------------------------------------------------------------------ images and buffers */

/* An image or a buffer of both sides. */
struct thing {
   struct cf_surface surface[2]; /* address 0: a buffer */
   struct look_op_buffer buffer[2];
   uint32_t target;
};

/* Where things differ first. */
struct spot {
   bool shape; /* already in size or format: there are no pixels to compare */
   uint32_t x_px, y_px, sample;
   uint32_t pixel[2][4];
   uint64_t offset_B; /* of buffers */
};

static bool
images_differ(const struct pair *pair, const struct thing *thing, struct spot *spot)
{
   struct look_image image[2];
   bool there[2];
   for (uint32_t i = 0; i < 2; i++)
      there[i] = look_image_of(pair->player[i], &thing->surface[i], &image[i]);
   if (!there[0] || !there[1]) {
      spot->shape = there[0] != there[1];
      return spot->shape;
   }
   spot->shape = image[0].image.format != image[1].image.format ||
                 image[0].image.width_px != image[1].image.width_px ||
                 image[0].image.height_px != image[1].image.height_px ||
                 cf_image_samples(&image[0].image) != cf_image_samples(&image[1].image);
   if (spot->shape)
      return true;
   if (!look_image_difference(&image[0], &image[1], &spot->x_px, &spot->y_px, &spot->sample))
      return false;
   for (uint32_t i = 0; i < 2; i++)
      look_image_pixel(&image[i], spot->x_px, spot->y_px, spot->sample, spot->pixel[i]);
   return true;
}

static bool
buffers_differ(const struct pair *pair, const struct thing *thing, struct spot *spot)
{
   const uint8_t *data[2];
   for (uint32_t i = 0; i < 2; i++)
      data[i] = look_player_at(pair->player[i], thing->buffer[i].address, thing->buffer[i].size_B);
   spot->shape = thing->buffer[0].size_B != thing->buffer[1].size_B || !data[0] != !data[1];
   if (spot->shape || !data[0])
      return spot->shape;
   for (spot->offset_B = 0; spot->offset_B < thing->buffer[0].size_B; spot->offset_B++) {
      for (uint32_t i = 0; i < 2; i++)
         spot->pixel[i][0] = data[i][spot->offset_B];
      if (spot->pixel[0][0] != spot->pixel[1][0])
         return true;
   }
   return false;
}

static bool
is_buffer(const struct thing *thing)
{
   return thing->buffer[0].address || thing->buffer[1].address;
}

static bool
differs(const struct pair *pair, const struct thing *thing, struct spot *spot)
{
   memset(spot, 0, sizeof(*spot));
   return is_buffer(thing) ? buffers_differ(pair, thing, spot) : images_differ(pair, thing, spot);
}

/* Thing number n that the operations write. False: there are not so many. */
static bool
thing_of(const struct look_written written[2], uint32_t n, struct thing *thing)
{
   *thing = (struct thing){ 0 };
   const uint32_t images =
      written[0].images > written[1].images ? written[0].images : written[1].images;
   for (uint32_t i = 0; i < 2; i++) {
      if (n < written[i].images) {
         thing->surface[i] = written[i].image[n].surface;
         thing->target = written[i].image[n].target;
      }
      if (n >= images && n - images < written[i].buffers)
         thing->buffer[i] = written[i].buffer[n - images];
   }
   return n < images || n - images < written[0].buffers || n - images < written[1].buffers;
}

/* ------------------------------------------------------------------ after each submission */

/* What a submission writes, each thing once. */
struct things {
   struct thing *thing;
   uint32_t count, capacity;
   bool out_of_memory;
};

static bool
is_same_thing(const struct thing *a, const struct thing *b)
{
   return !memcmp(a->surface, b->surface, sizeof(a->surface)) &&
          a->buffer[0].address == b->buffer[0].address &&
          a->buffer[1].address == b->buffer[1].address &&
          a->buffer[0].size_B == b->buffer[0].size_B && a->buffer[1].size_B == b->buffer[1].size_B;
}

static void
add_thing(struct things *things, const struct thing *thing)
{
   for (uint32_t i = things->count; i-- > 0;) {
      if (is_same_thing(&things->thing[i], thing))
         return;
   }
   if (things->count == things->capacity) {
      const uint32_t capacity = 2 * things->capacity + 16;
      struct thing *grown = realloc(things->thing, capacity * sizeof(*grown));
      things->out_of_memory |= !grown;
      if (!grown)
         return;
      things->thing = grown;
      things->capacity = capacity;
   }
   things->thing[things->count++] = *thing;
}

/* Collect what the submission writes. False: the sides' operations are of different kinds. */
static bool
collect(struct pair *pair, struct things *things)
{
   struct look_op op[2];
   struct thing thing;
   bool alike;
   while (pair_op(pair, op, &alike)) {
      if (!alike)
         return false;
      const struct look_written written[2] = { written_by(pair, op, 0), written_by(pair, op, 1) };
      for (uint32_t n = 0; thing_of(written, n, &thing); n++)
         add_thing(things, &thing);
   }
   return true;
}

/* Run a submission on both sides. True: they differ. */
static bool
run_differs(struct pair *pair, bool *out_of_memory)
{
   struct things things = { 0 };
   struct spot spot;
   struct replay_query query;
   bool found = !collect(pair, &things);
   for (uint32_t i = 0; i < 2 && !found; i++)
      look_player_run(pair->player[i], &pair->submission[i]);
   found = found || note_faults(pair);
   for (uint32_t n = 0; n < things.count && !found; n++)
      found = differs(pair, &things.thing[n], &spot);
   found = found || replay_queries_differ(pair->player, pair->submission, &query);
   *out_of_memory = things.out_of_memory;
   free(things.thing);
   return found;
}

/* The first submission that differs when it runs in one piece. 1: found; 0: all are equal; -1:
 * error. */
static int
find_submission(const struct replay_side side[2], json_t *result, uint32_t *submission, char *error,
                size_t error_B)
{
   struct pair pair;
   bool ended[2] = { false, false }, out_of_memory = false, found = false;
   int more = pair_open(&pair, side, error, error_B) ? 1 : -1;
   for (uint32_t i = 0; i < 2 && more > 0; i++) {
      if (i == 0 || strcmp(side[0].path, side[1].path) != 0)
         look_player_warn(pair.player[i], side[i].path);
   }
   while (more > 0 && !found && (more = pair_next(&pair, ended, error, error_B)) > 0)
      found = run_differs(&pair, &out_of_memory);
   if (more > 0 && found)
      *submission = pair.submission[0].number;
   if (more == 0 && ended[0] != ended[1]) {
      set(result, "equal", json_false());
      set(result, "verdict",
          json_sprintf("Side %s ends earlier, after submission %" PRIu32
                       "; what both have is equal.",
                       side_names[ended[1]], pair.submission[ended[1]].number));
   }
   set(result, "draws", json_integer(pair.ops[0].draws));
   pair_close(&pair);
   if (!out_of_memory)
      return more < 0 ? -1 : found;
   snprintf(error, error_B, "out of memory");
   return -1;
}

/* ------------------------------------------------------------------ after each operation */

static json_t *
bytes_json(const uint32_t *pixel, uint32_t size_B)
{
   char text[33] = "";
   for (uint32_t i = 0; i < size_B; i++)
      sprintf(text + 2 * i, "%02x", pixel[i / 4] >> 8 * (i % 4) & 0xff);
   return json_string(text);
}

void
replay_describe_pixel(json_t *difference, const struct replay_pixel *pixel, enum cf_format format,
                      const uint32_t value[2][4])
{
   set(difference, "x", json_integer(pixel->x_px));
   set(difference, "y", json_integer(pixel->y_px));
   set(difference, "sample", json_integer(pixel->sample));
   for (uint32_t i = 0; i < 2; i++) {
      json_t *json = look_pixel_json(format, value[i]);
      set(json, "bytes", bytes_json(value[i], cf_format_info_of(format)->pixel_B));
      set(difference, side_names[i], json);
   }
}

/* Describe the image or buffer, and the place in it. */
static void
describe_spot(json_t *difference, const struct look_op *op, const struct thing *thing,
              const struct spot *spot)
{
   if (is_buffer(thing)) {
      set(difference, "buffer", look_json_address(thing->buffer[0].address));
      set(difference, "name", json_string(look_buffer_name(&thing->buffer[0])));
      set(difference, "offset", json_integer((json_int_t)spot->offset_B));
      set(difference, "a", json_integer(spot->pixel[0][0]));
      set(difference, "b", json_integer(spot->pixel[1][0]));
      return;
   }
   json_t *image = replay_image_json(&thing->surface[0]);
   set(image, "name", json_string(look_target_name(op, thing->target)));
   set(difference, "image", image);
   if (spot->shape) {
      set(difference, "other_image", replay_image_json(&thing->surface[1]));
      return;
   }
   const struct replay_pixel pixel = { .x_px = spot->x_px,
                                       .y_px = spot->y_px,
                                       .sample = spot->sample };
   replay_describe_pixel(difference, &pixel, thing->surface[0].format, spot->pixel);
}

/* Of a buffer of feedback also whose vertex it is. */
static void
describe_fed(json_t *difference, const struct pair *pair, const struct look_op *op,
             const struct thing *thing, const struct spot *spot)
{
   const uint8_t *data[2];
   for (uint32_t i = 0; i < 2; i++)
      data[i] = look_player_at(pair->player[i], thing->buffer[i].address, thing->buffer[i].size_B);
   if (thing->buffer[0].is_fed && !thing->buffer[0].is_count && !spot->shape && data[0] && data[1])
      replay_describe_fed(difference, pair->player[0], &pair->ops[0].state.feedback, op,
                          thing->buffer[0].binding, spot->offset_B, data);
}

/* What kind of difference there is after an operation; NULL: none. */
static const char *
compare_op(struct pair *pair, const struct look_op op[2], json_t *difference,
           struct replay_pixel *pixel)
{
   const struct look_written written[2] = { written_by(pair, op, 0), written_by(pair, op, 1) };
   struct thing thing;
   struct spot spot;
   if (note_faults(pair)) {
      for (uint32_t i = 0; i < 2; i++)
         set(difference, side_names[i],
             pair->fault[i][0] ? json_string(pair->fault[i]) : json_null());
      return "fault";
   }
   for (uint32_t n = 0; thing_of(written, n, &thing); n++) {
      if (!differs(pair, &thing, &spot))
         continue;
      describe_spot(difference, &op[0], &thing, &spot);
      pixel->target = thing.target;
      pixel->x_px = spot.x_px;
      pixel->y_px = spot.y_px;
      pixel->sample = spot.sample;
      describe_fed(difference, pair, &op[0], &thing, &spot);
      return is_buffer(&thing) ? "buffer" : spot.shape ? "image" : "pixel";
   }
   return NULL;
}

/* Describe the operation, of side a if that has it, and a packet that differs up to there. */
static void
describe_op(const struct pair *pair, const struct look_submission packets[2],
            const struct look_op op[2], json_t *difference)
{
   const uint32_t side = op[0].packet ? 0 : 1;
   set(difference, "operation", replay_op_json(pair->player[side], &packets[side], &op[side]));
   replay_describe_packets(difference, packets, op);
}

/* Step through the submission until the sides differ. NULL: they do not when it runs so. */
static const char *
step_until_different(struct pair *pair, struct look_steps steps[2], json_t *difference,
                     struct replay_pixel *pixel)
{
   struct look_op op[2];
   const char *what = NULL;
   bool alike;
   struct look_submission packets[2];
   for (uint32_t i = 0; i < 2; i++) {
      packets[i] = look_steps_packets(&steps[i]);
      look_ops_enter(&pair->ops[i], &packets[i]);
   }
   while (!what && pair_op(pair, op, &alike)) {
      for (uint32_t i = 0; i < 2 && alike; i++)
         look_steps_run(&steps[i], &op[i]);
      what = alike ? compare_op(pair, op, difference, pixel) : "operations";
      pixel->op = op[0].number;
      if (what)
         describe_op(pair, packets, op, difference);
   }
   return what;
}

/* Open both sides and play them to a submission, not through it. */
static bool
pair_open_at(struct pair *pair, const struct replay_side side[2], uint32_t submission, char *error,
             size_t error_B)
{
   struct look_op op[2];
   bool ended[2], alike, ok = pair_open(pair, side, error, error_B);
   for (uint32_t s = 0; ok && s <= submission; s++) {
      ok = pair_next(pair, ended, error, error_B) > 0;
      for (uint32_t i = 0; ok && i < 2 && s < submission; i++)
         look_player_run(pair->player[i], &pair->submission[i]);
      while (ok && s < submission && pair_op(pair, op, &alike))
         ; /* they count */
   }
   return ok;
}

/* Step through the submission that is next on both sides. *what: NULL if they do not differ. False:
 * out of memory. */
static bool
step_through(struct pair *pair, json_t *difference, struct replay_pixel *pixel, const char **what)
{
   struct look_steps steps[2] = { { 0 }, { 0 } };
   bool ok = true;
   for (uint32_t i = 0; ok && i < 2; i++)
      ok = look_steps_begin(&steps[i], pair->player[i], &pair->submission[i]);
   *what = ok ? step_until_different(pair, steps, difference, pixel) : NULL;
   for (uint32_t i = 0; i < 2; i++)
      look_steps_end(&steps[i]);
   return ok;
}

/* The first operation after which the sides differ, in submissions up to `last`. NULL: there is
 * none, or an error. */
static const char *
find_op(const struct replay_side side[2], uint32_t last, json_t *result, json_t *difference,
        struct replay_pixel *pixel, char *error, size_t error_B)
{
   struct pair pair;
   bool ended[2], out_of_memory = false;
   const char *what = NULL;
   int more = pair_open(&pair, side, error, error_B) ? 1 : -1;
   for (uint32_t s = 0; more > 0 && !what && s <= last && !out_of_memory; s++) {
      more = pair_next(&pair, ended, error, error_B);
      if (more > 0)
         out_of_memory = !step_through(&pair, difference, pixel, &what);
   }
   if (out_of_memory)
      snprintf(error, error_B, "out of memory");
   if (what) {
      set(difference, "submission", json_integer(pair.submission[0].number));
      set(result, "draws", json_integer(pair.ops[0].draws));
   }
   pair_close(&pair);
   return what;
}

/* ------------------------------------------------------------------ queries */

static void
describe_query(const struct pair *pair, const struct replay_query *query,
               const struct look_ops ops[2], json_t *difference)
{
   struct look_op op[2];
   set(difference, "query",
       json_pack("{s:o, s:s, s:o}", "packet", look_json_address(query->packet), "kind",
                 cf_query_kind_name(query->kind), "result", look_json_address(query->result[0])));
   for (uint32_t i = 0; i < 2; i++)
      set(difference, side_names[i], json_integer((json_int_t)query->value[i]));
   if (replay_query_op(pair->player, pair->submission, ops, query, op))
      describe_op(pair, pair->submission, op, difference);
}

/* Look for a query of the submission whose results differ. NULL: there is none. */
static const char *
find_query(const struct replay_side side[2], uint32_t submission, json_t *difference, char *error,
           size_t error_B)
{
   struct pair pair, ran = { 0 };
   struct replay_query query;
   bool found = pair_open_at(&ran, side, submission, error, error_B);
   for (uint32_t i = 0; i < 2 && found; i++)
      look_player_run(ran.player[i], &ran.submission[i]);
   found = found && replay_queries_differ(ran.player, ran.submission, &query);
   pair_close(&ran);
   if (!found)
      return NULL;
   if (pair_open_at(&pair, side, submission, error, error_B))
      describe_query(&pair, &query, pair.ops, difference);
   pair_close(&pair);
   return "query";
}

/* ------------------------------------------------------------------ the result */

static json_t *
verdict(const json_t *difference)
{
   const json_t *op = json_object_get(difference, "operation");
   const char *what = json_string_value(json_object_get(difference, "what"));
   const json_t *draw = json_object_get(op, "draw");
   char name[64];
   snprintf(name, sizeof(name), draw ? "draw %lld" : "operation %lld",
            json_integer_value(draw ? draw : json_object_get(op, "operation")));
   if (!strcmp(what, "unknown"))
      return json_sprintf("Submission %lld differs, but not when its operations run one by one.",
                          json_integer_value(json_object_get(difference, "submission")));
   if (!strcmp(what, "query") && !op)
      return json_sprintf("The results of a query differ in submission %lld.",
                          json_integer_value(json_object_get(difference, "submission")));
   if (!strcmp(what, "pixel"))
      return json_sprintf(
         "The first difference is made by %s, in pixel %lld,%lld of %s.", name,
         json_integer_value(json_object_get(difference, "x")),
         json_integer_value(json_object_get(difference, "y")),
         json_string_value(json_object_get(json_object_get(difference, "image"), "name")));
   if (!strcmp(what, "buffer") && json_object_get(difference, "component"))
      return json_sprintf("The first difference is made by %s, in %s: vertex %lld of primitive "
                          "%lld%s%s.",
                          name, look_text(difference, "name"), look_number(difference, "vertex"),
                          look_number(difference, "primitive"),
                          json_is_null(json_object_get(difference, "component")) ? "" : ", ",
                          look_text(difference, "component"));
   return json_sprintf("The first difference is in %s.%s", name,
                       !strcmp(what, "fault")   ? " A side is stopped there."
                       : !strcmp(what, "image") ? " It writes other images."
                       : !strcmp(what, "query") ? " A query counts it differently."
                       : !strcmp(what, "buffer")
                          ? " It writes other bytes to a buffer."
                          : " The sides have different operations from there on.");
}

json_t *
replay_equal_result(void)
{
   json_t *result = json_object();
   set(result, "version", json_integer(1));
   set(result, "equal", json_true());
   set(result, "verdict", json_string("Both sides are equal."));
   return result;
}

void
replay_set_difference(json_t *result, const char *what, json_t *difference)
{
   set(difference, "what", json_string(what));
   set(result, "equal", json_false());
   set(result, "verdict", verdict(difference));
   set(result, "difference", difference);
}

/* What makes an operation's difference, as far as it can be known. */
static void
explain(const struct replay_side side[2], const char *what, const struct replay_pixel *pixel,
        json_t *difference, char *error, size_t error_B)
{
   const json_t *op = json_object_get(difference, "operation");
   if (!strcmp(what, "pixel") && json_object_get(op, "draw"))
      replay_explain(side, NULL, pixel, difference, error, error_B);
   if (!strcmp(what, "fault") && json_is_string(json_object_get(difference, "a")) &&
       json_is_string(json_object_get(difference, "b")))
      snprintf(error, error_B, "both sides are stopped: %s",
               json_string_value(json_object_get(difference, "a")));
}

/* Describe the first difference, if there is one. differing: the first submission that differs when
 * it runs in one piece; UINT32_MAX: none does. */
static void
describe_difference(const struct replay_side side[2], uint32_t differing, json_t *result,
                    char *error, size_t error_B)
{
   json_t *difference = json_object();
   struct replay_pixel pixel = { 0 };
   const char *what = find_op(side, differing, result, difference, &pixel, error, error_B);
   if (what) {
      explain(side, what, &pixel, difference, error, error_B);
   } else if (differing != UINT32_MAX) {
      if (!error[0])
         what = find_query(side, differing, difference, error, error_B);
      set(difference, "submission", json_integer(differing));
      what = what ? what : "unknown";
   }
   if (what)
      replay_set_difference(result, what, difference);
   else
      json_decref(difference);
}

json_t *
replay_compare(const struct replay_side side[2], char *error, size_t error_B)
{
   json_t *result = replay_equal_result();
   uint32_t submission = UINT32_MAX;
   error[0] = 0;
   const int found = find_submission(side, result, &submission, error, error_B);
   if (found >= 0)
      describe_difference(side, submission, result, error, error_B);
   if (found >= 0 && !error[0])
      return result;
   json_decref(result);
   return NULL;
}

/* ------------------------------------------------------------------ text */

static void
print_values(FILE *file, const json_t *difference)
{
   for (uint32_t i = 0; i < 2; i++) {
      char *value = json_dumps(json_object_get(difference, side_names[i]),
                               JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
      fprintf(file, "  %s: %s\n", side_names[i], value ? value : "");
      free(value);
   }
}

/* Of another build's buffers it is not known which byte differs. */
static void
print_buffer(FILE *file, const json_t *difference)
{
   fprintf(file, "  buffer %s %s", look_text(difference, "name"), look_text(difference, "buffer"));
   if (json_object_get(difference, "offset"))
      fprintf(file, ", byte %lld", look_number(difference, "offset"));
   fputc('\n', file);
}

void
replay_compare_print(FILE *file, const json_t *result)
{
   const json_t *difference = json_object_get(result, "difference"),
                *op = json_object_get(difference, "operation"),
                *image = json_object_get(difference, "image"),
                *query = json_object_get(difference, "query");
   size_t i;
   json_t *note;
   fprintf(file, "%s\n", look_text(result, "verdict"));
   if (op)
      fprintf(file, "  submission %lld, packet %s %s%s%s\n",
              json_integer_value(json_object_get(op, "submission")), look_text(op, "what"),
              look_text(op, "packet"), look_text(op, "call")[0] ? ": " : "", look_text(op, "call"));
   if (image)
      fprintf(file, "  image %s (%lld x %lld, %s), sample %lld\n", look_text(image, "image"),
              json_integer_value(json_object_get(image, "width")),
              json_integer_value(json_object_get(image, "height")), look_text(image, "format"),
              json_integer_value(json_object_get(difference, "sample")));
   if (json_object_get(difference, "buffer"))
      print_buffer(file, difference);
   if (query)
      fprintf(file, "  query %s at %s\n", look_text(query, "kind"), look_text(query, "packet"));
   if (json_object_get(difference, "a"))
      print_values(file, difference);
   json_array_foreach(json_object_get(difference, "notes"), i, note)
      fprintf(file, "  %s\n", json_string_value(note));
}
