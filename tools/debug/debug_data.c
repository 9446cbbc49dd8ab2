/* SPDX-License-Identifier: MIT */
#include "debug_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "look/look_error.h"
#include "look/look_step.h"

#include "debug_sample.h"

#include "clipfree/texture/cf_texture.h"

int
debug_place_order(const struct debug_place *a, const struct debug_place *b)
{
   if (a->submission != b->submission)
      return a->submission < b->submission ? -1 : 1;
   if (a->packet != b->packet)
      return a->packet < b->packet ? -1 : 1;
   return (a->primitive > b->primitive) - (a->primitive < b->primitive);
}

/* ------------------------------------------------------------------ pixels */

/* The last of the places that is before `here`, or the first after it; of those that wrote.
 * DEBUG_NONE: none. */
static uint32_t
find(const struct debug_place *place, uint32_t places, const struct debug_place *here, bool later)
{
   uint32_t found = DEBUG_NONE;
   for (uint32_t i = 0; i < places; i++) {
      const int at = debug_place_order(&place[i], here);
      if (place[i].written && (later ? at > 0 && found == DEBUG_NONE : at < 0))
         found = i;
   }
   return found;
}

static bool
find_pixel_writer(const struct debug_question *question, const struct debug_data *data,
                  const struct debug_place *here, bool later, struct debug_writer *writer,
                  char *error, size_t error_B)
{
   const struct debug_question asked = { .path = question->path,
                                         .real = question->real,
                                         .kind = DEBUG_PIXEL,
                                         .x_px = data->x_px,
                                         .y_px = data->y_px,
                                         .image = data->address,
                                         .draw = DEBUG_NONE };
   struct debug_scope *scope = &writer->scope;
   const bool shaded = debug_scope_find(&asked, scope, error, error_B);
   const uint32_t draw = shaded ? find(scope->place, scope->places, here, later) : DEBUG_NONE;
   const uint32_t other = find(scope->other, scope->others, here, later);
   const struct debug_place *by_draw = draw == DEBUG_NONE ? NULL : &scope->place[draw],
                            *by_other = other == DEBUG_NONE ? NULL : &scope->other[other];
   if (by_draw && by_other && (debug_place_order(by_draw, by_other) > 0) == later)
      by_draw = NULL;
   writer->is_draw = by_draw;
   writer->place = draw;
   if (by_draw || by_other)
      writer->at = by_draw ? *by_draw : *by_other;
   if (by_draw)
      snprintf(writer->text, sizeof(writer->text),
               "pixel %" PRIu32 ",%" PRIu32 " was written by draw %" PRIu32 ", primitive %" PRIu32
               ": %.200s",
               data->x_px, data->y_px, by_draw->draw, by_draw->primitive, by_draw->fate);
   else if (by_other)
      snprintf(writer->text, sizeof(writer->text), "pixel %" PRIu32 ",%" PRIu32 ": %.200s",
               data->x_px, data->y_px, by_other->fate);
   const bool looked = scope->verdict;
   if (!by_draw)
      debug_scope_free(scope);
   if (!looked)
      return false;
   return by_draw || by_other ||
          look_fails(error, error_B,
                     "no draw, clear or copy of the capture writes pixel %" PRIu32 ",%" PRIu32
                     " of image 0x%" PRIx64 " %s this draw; what is there, the application wrote, "
                     "or a frame before the capture",
                     data->x_px, data->y_px, data->address, later ? "after" : "before");
}

/* ------------------------------------------------------------------ bytes */

struct byte_search {
   const struct debug_data *data;
   const struct debug_place *here;
   bool later, found;
   struct debug_place last; /* writer: `fate` names it */
   uint8_t before;
   /* the submission that runs, and operations before it */
   const struct look_submission *submission;
   struct look_ops ops;
};

/* Note a writer, if it is the last one before `here` so far, or the first after it. */
static void
note_writer(struct byte_search *s, const struct debug_place *at, const char *what)
{
   const int when = debug_place_order(at, s->here);
   if (s->later ? when <= 0 : when >= 0)
      return;
   const int order = s->found ? debug_place_order(at, &s->last) : 0;
   if (s->found && (s->later ? order >= 0 : order < 0))
      return;
   s->last = *at;
   snprintf(s->last.fate, sizeof(s->last.fate), "%s", what);
   s->found = true;
}

/* What the application wrote before a submission shows as another value. */
static void
see_submission(struct byte_search *s, const struct look_player *player)
{
   const uint8_t *byte = look_player_at(player, s->data->address, 1);
   const struct debug_place at = { .submission = s->submission->number };
   char what[96];
   if (!byte || *byte == s->before)
      return;
   snprintf(what, sizeof(what), "the application, before submission %" PRIu32,
            s->submission->number);
   s->before = *byte;
   note_writer(s, &at, what);
}

/* Transfers. Feedback of draws is seen as they run. */
static void
see_ops(struct byte_search *s, const struct look_player *player)
{
   struct look_ops ops = s->ops;
   struct look_op op;
   char what[96];
   look_ops_enter(&ops, s->submission);
   while (look_ops_next(&ops, &op)) {
      const struct look_written written = look_op_written(player, &ops.state, &op);
      const struct debug_place at = { .submission = s->submission->number,
                                      .packet = look_packet_address(s->submission, op.packet) };
      if (op.opcode == CF_OPCODE_DRAW || !written.buffers ||
          s->data->address - written.buffer[0].address >= written.buffer[0].size_B)
         continue;
      snprintf(what, sizeof(what), "operation %" PRIu32 ", a %s packet at 0x%" PRIx64, op.number,
               op.opcode == CF_OPCODE_COPY_BUFFER ? "copy_buffer" : "fill_buffer", at.packet);
      note_writer(s, &at, what);
   }
}

/* The number of the draw at a packet. */
static uint32_t
draw_at(const struct byte_search *s, uint64_t packet)
{
   struct look_ops ops = s->ops;
   struct look_op op;
   look_ops_enter(&ops, s->submission);
   while (look_ops_next(&ops, &op)) {
      if (look_packet_address(s->submission, op.packet) == packet)
         return op.draw;
   }
   return LOOK_NO_DRAW;
}

/* Whether feedback writes the byte as a part of vertex k. */
static bool
is_in_vertex(const struct cf_feedback_event *event, uint32_t k, uint64_t address)
{
   for (uint32_t i = 0; i < event->outputs; i++) {
      const struct cf_feedback_output *output = &event->output[i];
      const uint64_t element = event->buffer[output->buffer].address +
                               (uint64_t)k * event->buffer[output->buffer].stride_B;
      if (address - (element + 4 * output->offset_dw) < 4 * output->dwords)
         return true;
   }
   return false;
}

static void
see_feedback(void *user, const struct cf_feedback_event *event)
{
   struct byte_search *s = user;
   const struct debug_place at = { .submission = s->submission->number,
                                   .packet = event->draw,
                                   .primitive = event->primitive };
   char what[96];
   for (uint32_t k = 0; event->fits && k < event->vertices; k++) {
      if (!is_in_vertex(event, k, s->data->address))
         continue;
      snprintf(what, sizeof(what),
               "feedback of draw %" PRIu32 ", primitive %" PRIu32 ", element %" PRIu32
               " of instance %" PRIu32,
               draw_at(s, event->draw), event->primitive, event->element[k], event->instance);
      note_writer(s, &at, what);
   }
}

/* Play the capture until the writer is known. */
static void
search_bytes(struct byte_search *s, struct look_player *player, char *error, size_t error_B)
{
   struct look_submission submission;
   struct look_op op;
   bool done = false;
   s->submission = &submission;
   while (!done && look_player_next(player, &submission, error, error_B) > 0) {
      see_submission(s, player);
      see_ops(s, player);
      look_player_run(player, &submission);
      look_player_forgive(player);
      look_ops_enter(&s->ops, &submission);
      while (look_ops_next(&s->ops, &op))
         ; /* they count */
      s->before = *(const uint8_t *)look_player_at(player, s->data->address, 1);
      done = s->later ? s->found : submission.number >= s->here->submission;
   }
}

static bool
find_byte_writer(const struct debug_question *question, const struct debug_data *data,
                 const struct debug_place *here, bool later, struct debug_writer *writer,
                 char *error, size_t error_B)
{
   struct byte_search s = { .data = data, .here = here, .later = later };
   const struct cf_observer observer = { .user = &s, .feedback = see_feedback };
   const struct cf_model_config config = { .threads = 0,
                                           .memory_B = CF_CAPTURE_MAX_ADDRESS,
                                           .engine = CF_ENGINE_INTERP,
                                           .path = CF_PATH_PLAIN,
                                           .no_disk_cache = true,
                                           .observer = &observer };
   struct look_player *player = look_player_open(question->path, &config, error, error_B);
   if (!player)
      return false;
   const bool there = look_player_at(player, data->address, 1);
   if (there)
      search_bytes(&s, player, error, error_B);
   look_player_close(player);
   writer->at = s.last;
   snprintf(writer->text, sizeof(writer->text), "byte 0x%" PRIx64 " was written by %s",
            data->address, s.last.fate);
   if (!there)
      return look_fails(error, error_B, "there is no byte 0x%" PRIx64 " in the capture's memory",
                        data->address);
   return s.found || look_fails(error, error_B,
                                "nothing in the capture writes byte 0x%" PRIx64 " %s this draw",
                                data->address, later ? "after" : "before");
}

/* ------------------------------------------------------------------ words */

/* The unit of a sampler of GLSL; "unit3" by its number. UINT32_MAX: it has no texture. */
static uint32_t
find_unit(const struct debug_view *view, const char *name)
{
   uint32_t unit = UINT32_MAX;
   if (sscanf(name, "unit%" SCNu32, &unit) != 1) {
      for (uint32_t i = 0; i < view->program->variables; i++) {
         const struct debug_variable *v = &view->program->variable[i];
         if (v->is.scalar == CF_NOTE_SAMPLER && !strcmp(v->word, name))
            unit = v->is.place;
      }
   }
   return unit < view->task->stage->units && view->task->stage->textures[unit] ? unit : UINT32_MAX;
}

/* The texel that a text names behind the sampler, or the one that the program samples. */
static bool
parse_place(const struct debug_view *view, uint32_t unit, const char *text, struct cf_texel *texel,
            char *error, size_t error_B)
{
   char word[2][8] = { "", "" };
   uint32_t number[2] = { 0 };
   struct debug_sample sample;
   const int found = sscanf(text, "%" SCNu32 ",%" SCNu32 " %7s %" SCNu32 " %7s %" SCNu32,
                            &texel->x_px, &texel->y_px, word[0], &number[0], word[1], &number[1]);
   for (int i = 0; i < 2; i++) {
      if (!strcmp(word[i], "level"))
         texel->level = number[i];
      else if (!strcmp(word[i], "layer"))
         texel->layer = number[i];
   }
   if (found >= 2)
      return true;
   if (text[strspn(text, " ")])
      return look_fails(error, error_B,
                        "it may be: texel SAMPLER, or texel SAMPLER X,Y [level L] "
                        "[layer N]");
   if (!debug_sample_find(view, unit, &sample))
      return look_fails(error, error_B, "this lane samples no texel of it");
   *texel = sample.texel[0];
   return true;
}

static bool
parse_texel(const struct debug_view *view, const char *text, struct debug_data *data, char *error,
            size_t error_B)
{
   char name[64] = "";
   int end = 0;
   struct cf_texel texel = { 0 };
   sscanf(text, "texel %63s%n", name, &end);
   const uint32_t unit = find_unit(view, name);
   if (unit == UINT32_MAX)
      return look_fails(error, error_B, "%s is no sampler of this program with a texture", name);
   if (!parse_place(view, unit, text + end, &texel, error, error_B))
      return false;
   const struct cf_texture_unit *u = view->task->stage->textures[unit];
   const struct cf_texture *t = &u->texture;
   if (texel.level > t->last_level || texel.level >= CF_MAX_TEXTURE_LEVELS)
      return look_fails(error, error_B,
                        "%s has no level %" PRIu32 "; it has %" PRIu32 " to %" PRIu32, name,
                        texel.level, t->first_level, t->last_level);
   if (t->kind == CF_TEXTURE_KIND_BUFFER) { /* no image, but bytes */
      *data =
         (struct debug_data){ .is_byte = true,
                              .address = t->address + (uint64_t)texel.x_px * u->format->pixel_B };
      return true;
   }
   *data =
      (struct debug_data){ .address = t->address + u->level[texel.level].offset_B +
                                      (uint64_t)texel.layer * u->level[texel.level].layer_pitch_B,
                           .x_px = texel.x_px,
                           .y_px = texel.y_px };
   return true;
}

bool
debug_data_parse(const struct debug_view *view, const char *text, struct debug_data *data,
                 char *error, size_t error_B)
{
   unsigned long long address;
   unsigned x, y;
   int end = 0;
   *data = (struct debug_data){ 0 };
   if (!strncmp(text, "texel ", 6))
      return parse_texel(view, text, data, error, error_B);
   if (sscanf(text, "byte 0x%llx %n", &address, &end) == 1 && end && !text[end]) {
      *data = (struct debug_data){ .is_byte = true, .address = address };
      return true;
   }
   const bool image = sscanf(text, "pixel %u,%u of 0x%llx %n", &x, &y, &address, &end) == 3;
   if (!image && (sscanf(text, "pixel %u,%u %n", &x, &y, &end) != 2 || text[end]))
      return look_fails(error, error_B, "'%s' is not understood; it may be: " DEBUG_DATA_FORMS,
                        text);
   *data = (struct debug_data){ .address = image ? address : 0, .x_px = x, .y_px = y };
   return true;
}

bool
debug_data_writer(const struct debug_question *question, const struct debug_data *data,
                  const struct debug_place *here, bool later, struct debug_writer *writer,
                  char *error, size_t error_B)
{
   memset(writer, 0, sizeof(*writer));
   return (data->is_byte ? find_byte_writer : find_pixel_writer)(question, data, here, later,
                                                                 writer, error, error_B);
}
