/* SPDX-License-Identifier: MIT */
#include "replay_list.h"

#include <inttypes.h>
#include <string.h>

#include "look/look_call.h"
#include "look/look_pixel.h"

#include "clipfree/memory/cf_format.h"

static void
set(json_t *object, const char *name, json_t *value)
{
   json_object_set_new(object, name, value);
}

/* ------------------------------------------------------------------ JSON */

json_t *
replay_op_json(const struct look_player *player, const struct look_submission *submission,
               const struct look_op *op)
{
   const uint64_t address = look_packet_address(submission, submission->dw + op->at_dw);
   char call[LOOK_CALL_B];
   uint32_t dwords;
   json_t *json = json_object();
   look_call(player, address, op->packet, call);
   set(json, "operation", json_integer(op->number));
   set(json, "what", json_string(cf_packet_name(op->opcode, &dwords)));
   if (op->draw != LOOK_NO_DRAW)
      set(json, "draw", json_integer(op->draw));
   if (call[0])
      set(json, "call", json_string(call));
   set(json, "submission", json_integer(submission->number));
   set(json, "packet", look_json_address(address));
   return json;
}

json_t *
replay_image_json(const struct cf_surface *surface)
{
   json_t *json = json_object();
   set(json, "image", look_json_address(surface->address));
   set(json, "width", json_integer(surface->width_px));
   set(json, "height", json_integer(surface->height_px));
   set(json, "format", json_string(cf_format_info_of(surface->format)->name));
   set(json, "samples", json_integer(surface->samples > 1 ? surface->samples : 1));
   return json;
}

/* Fields of the packet but addresses, which other members have. */
static json_t *
values_json(const struct look_op *op)
{
   const struct cf_record *record = cf_packet_record(op->opcode);
   json_t *json = look_json_record(record, op->packet);
   for (uint32_t f = 0; f < record->fields; f++) {
      if (record->field[f].kind == CF_RECORD_ADDRESS)
         json_object_del(json, record->field[f].name);
   }
   return json;
}

static json_t *
images_json(const struct look_op *op, const struct look_written *written)
{
   json_t *array = json_array();
   for (uint32_t i = 0; i < written->images; i++) {
      json_t *image = replay_image_json(&written->image[i].surface);
      set(image, "name", json_string(look_target_name(op, written->image[i].target)));
      json_array_append_new(array, image);
   }
   return array;
}

static json_t *
feedback_json(const struct look_written *written)
{
   json_t *array = json_array();
   for (uint32_t i = 0; i < written->buffers; i++) {
      const struct look_op_buffer *buffer = &written->buffer[i];
      json_array_append_new(array, json_pack("{s:s, s:o, s:I}", "name", look_buffer_name(buffer),
                                             "buffer", look_json_address(buffer->address), "size",
                                             (json_int_t)buffer->size_B));
   }
   return array;
}

static json_t *
entry_json(const struct look_player *player, const struct look_submission *submission,
           const struct look_op *op, const struct look_state *state)
{
   const struct look_written written = look_op_written(player, state, op);
   json_t *json = replay_op_json(player, submission, op);
   set(json, "values", values_json(op));
   set(json, "images", images_json(op, &written));
   if (written.source.address)
      set(json, "source", replay_image_json(&written.source));
   if (written.buffers && op->opcode == CF_OPCODE_DRAW)
      set(json, "feedback", feedback_json(&written));
   else if (written.buffers)
      set(json, "buffer", look_json_address(written.buffer[0].address));
   return json;
}

static json_t *
submission_json(const struct look_player *player, const struct look_submission *submission,
                struct look_ops *ops)
{
   struct look_op op;
   json_t *json = json_object(), *entries = json_array();
   look_ops_enter(ops, submission);
   while (look_ops_next(ops, &op))
      json_array_append_new(entries, entry_json(player, submission, &op, &ops->state));
   set(json, "submission", json_integer(submission->number));
   set(json, "frame", json_integer(look_player_frames(player)));
   set(json, "address", look_json_address(submission->address));
   set(json, "dwords", json_integer(submission->dwords));
   set(json, "operations", entries);
   return json;
}

json_t *
replay_list(const char *path, char *error, size_t error_B)
{
   struct look_player *player = look_player_open(path, NULL, error, error_B);
   if (player)
      look_player_warn(player, path);
   struct look_submission submission;
   struct look_ops ops = { 0 };
   json_t *list = json_object(), *submissions = json_array();
   int found = player ? 1 : -1;
   while (found > 0 && (found = look_player_next(player, &submission, error, error_B)) > 0)
      json_array_append_new(submissions, submission_json(player, &submission, &ops));
   set(list, "version", json_integer(1));
   set(list, "capture", json_string(path));
   set(list, "frames", json_integer(player ? look_player_frames(player) : 0));
   set(list, "draws", json_integer(ops.draws));
   set(list, "submissions", submissions);
   if (player)
      look_player_close(player);
   if (found == 0)
      return list;
   json_decref(list);
   return NULL;
}

/* ------------------------------------------------------------------ text */

static void
print_image(FILE *file, const json_t *image)
{
   fprintf(file, "%s (%lld x %lld, %s", look_text(image, "image"), look_number(image, "width"),
           look_number(image, "height"), look_text(image, "format"));
   if (look_number(image, "samples") > 1)
      fprintf(file, ", %lld samples", look_number(image, "samples"));
   fputc(')', file);
}

static void
print_operation(FILE *file, const json_t *entry)
{
   const json_t *source = json_object_get(entry, "source");
   size_t i;
   json_t *image, *buffer;
   if (json_object_get(entry, "draw"))
      fprintf(file, "  draw %lld %s: %s", look_number(entry, "draw"), look_text(entry, "packet"),
              look_text(entry, "call"));
   else
      fprintf(file, "  %s %s", look_text(entry, "what"), look_text(entry, "packet"));
   if (source) {
      fputs(" from ", file);
      print_image(file, source);
   }
   if (json_object_get(entry, "buffer"))
      fprintf(file, " to buffer %s", look_text(entry, "buffer"));
   fputc('\n', file);
   json_array_foreach(json_object_get(entry, "images"), i, image)
   {
      fprintf(file, "      %s ", look_text(image, "name"));
      print_image(file, image);
      fputc('\n', file);
   }
   json_array_foreach(json_object_get(entry, "feedback"), i, buffer)
      fprintf(file, "      %s %s (%lld bytes)\n", look_text(buffer, "name"),
              look_text(buffer, "buffer"), look_number(buffer, "size"));
}

void
replay_list_print(FILE *file, const json_t *list)
{
   size_t s, i;
   json_t *submission, *entry;
   json_array_foreach(json_object_get(list, "submissions"), s, submission)
   {
      fprintf(file, "submission %lld, frame %lld, at %s\n", look_number(submission, "submission"),
              look_number(submission, "frame"), look_text(submission, "address"));
      json_array_foreach(json_object_get(submission, "operations"), i, entry)
         print_operation(file, entry);
   }
   fprintf(file, "%lld draws in %zu submissions\n", look_number(list, "draws"),
           json_array_size(json_object_get(list, "submissions")));
}
