/* SPDX-License-Identifier: MIT */
#include "pixel_history.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "look/look_pixel.h"

#include "clipfree/memory/cf_memory.h"

static bool
has_pixel(const struct pixel_history *history, const struct cf_rect *r)
{
   return history->x_px >= r->min_x_px && history->x_px < r->max_x_px &&
          history->y_px >= r->min_y_px && history->y_px < r->max_y_px;
}

/* ------------------------------------------------------------------ images of draws */

/* Make room for one more entry. Aborts if memory runs out. */
static void *
grow(void *entries, uint32_t count, uint32_t *capacity, size_t entry_B)
{
   if (count < *capacity)
      return entries;
   *capacity = *capacity ? 2 * *capacity : 64;
   entries = realloc(entries, *capacity * entry_B);
   if (!entries)
      abort();
   return entries;
}

/* The address of an image's pixels, from its descriptor; 0: no image, or a malformed one. */
static uint64_t
image_at(const struct cf_memory *memory, uint64_t descriptor)
{
   struct cf_surface surface;
   const char *bad_field;
   const uint32_t *dw =
      descriptor ? cf_memory_aligned(memory, descriptor, 4 * CF_SURFACE_DWORDS, 4) : NULL;
   return dw && cf_surface_unpack(dw, &surface, &bad_field) ? surface.address : 0;
}

static void
note_frame(struct pixel_history *history, const struct cf_packet_event *e)
{
   struct cf_framebuffer packet;
   const char *bad_field;
   struct pixel_history_frame frame = { { 0 } };
   if (!cf_framebuffer_unpack(e->dw, &packet, &bad_field))
      return;
   for (uint32_t i = 0; i < packet.color_count && i < CF_MAX_COLOR_TARGETS; i++)
      frame.image[i] = image_at(e->memory, packet.color[i]);
   frame.image[CF_MAX_COLOR_TARGETS] = image_at(e->memory, packet.depth_stencil);
   history->frame = grow(history->frame, history->frames, &history->frame_capacity, sizeof(frame));
   history->frame[history->frames++] = frame;
}

static void
note_packet(void *user, const struct cf_packet_event *e)
{
   struct pixel_history *history = user;
   const enum cf_opcode opcode = (enum cf_opcode)(e->dw[0] & 0xff);
   pthread_mutex_lock(&history->lock);
   if (opcode == CF_OPCODE_FRAMEBUFFER)
      note_frame(history, e);
   if ((opcode == CF_OPCODE_DRAW || opcode == CF_OPCODE_CLEAR) && history->frames > 0) {
      history->draw =
         grow(history->draw, history->draws, &history->draw_capacity, sizeof(*history->draw));
      history->draw[history->draws++] =
         (struct pixel_history_draw){ .packet = e->address, .frame = history->frames - 1 };
   }
   pthread_mutex_unlock(&history->lock);
}

/* Forget draws and frame buffers: state and addresses of packets hold for one submission. */
static void
forget_packets(void *user, const struct cf_submission_event *e)
{
   struct pixel_history *history = user;
   (void)e;
   history->draws = history->frames = 0;
}

static struct pixel_history_frame
frame_of(struct pixel_history *history, uint64_t packet)
{
   struct pixel_history_frame frame = { { 0 } };
   pthread_mutex_lock(&history->lock);
   for (uint32_t i = 0; i < history->draws; i++) {
      if (history->draw[i].packet == packet)
         frame = history->frame[history->draw[i].frame];
   }
   pthread_mutex_unlock(&history->lock);
   return frame;
}

/* ------------------------------------------------------------------ events */

static void
set(json_t *object, const char *name, json_t *value)
{
   json_object_set_new(object, name, value);
}

/* A pixel as one little-endian number, in hexadecimal: its first byte comes last. */
static json_t *
bits_json(const uint32_t *dw, uint32_t size_B)
{
   char text[2 * 16 + 1] = "";
   for (uint32_t i = size_B, at = 0; i-- > 0; at += 2)
      snprintf(text + at, sizeof(text) - at, "%02" PRIx32, dw[i / 4] >> 8 * (i % 4) & 0xff);
   return json_string(text);
}

/* An image of the frame buffer, and two values of its pixel. */
static void
add_image(json_t *images, const struct pixel_history_frame *frame, uint32_t target,
          const char *const names[2], const uint32_t *const dw[2], uint32_t size_B)
{
   json_t *image = json_object();
   set(image, "target", target < CF_MAX_COLOR_TARGETS ? json_integer(target) : json_null());
   set(image, "image", look_json_address(frame->image[target]));
   for (uint32_t i = 0; i < 2; i++)
      set(image, names[i], bits_json(dw[i], size_B));
   json_array_append_new(images, image);
}

static json_t *
images_json(struct pixel_history *history, const struct cf_fragment_event *e)
{
   static const char *const names[] = { "before", "after" };
   const struct pixel_history_frame frame = frame_of(history, e->draw);
   json_t *images = json_array();
   for (uint32_t i = 0; i < e->color_count; i++) {
      if (e->color_B[i] != 0)
         add_image(images, &frame, i, names,
                   (const uint32_t *const[]){ e->color_before[i], e->color_after[i] },
                   e->color_B[i]);
   }
   if (e->zs_B != 0)
      add_image(images, &frame, CF_MAX_COLOR_TARGETS, names,
                (const uint32_t *const[]){ e->zs_before, e->zs_after }, e->zs_B);
   return images;
}

static json_t *
draw_json(const char *what, uint64_t draw, uint32_t primitive, uint32_t sample)
{
   return json_pack("{s:s, s:o, s:I, s:I}", "what", what, "packet", look_json_address(draw),
                    "primitive", (json_int_t)primitive, "sample", (json_int_t)sample);
}

/* Append an event, or print it. */
static void tell(struct pixel_history *history, json_t *event);

static void
note_fragment(void *user, const struct cf_fragment_event *e)
{
   struct pixel_history *history = user;
   if (e->x_px != history->x_px || e->y_px != history->y_px)
      return;
   json_t *json = draw_json("fragment", e->draw, e->primitive, e->sample);
   set(json, "fate", json_string(cf_fate_name(e->fate)));
   set(json, "depth", look_json_float((double)e->depth));
   set(json, "color", look_json_floats(e->color, 4));
   if (e->blends_second)
      set(json, "second_color", look_json_floats(e->second_color, 4));
   set(json, "images", images_json(history, e));
   tell(history, json);
}

static void
note_early_test(void *user, const struct cf_fragment_event *e)
{
   struct pixel_history *history = user;
   if (e->x_px != history->x_px || e->y_px != history->y_px)
      return;
   json_t *json = draw_json("early test", e->draw, e->primitive, e->sample);
   set(json, "fate", json_string(e->fate == CF_FATE_WRITTEN ? "passed" : cf_fate_name(e->fate)));
   set(json, "depth", look_json_float((double)e->depth));
   set(json, "images", images_json(history, e));
   tell(history, json);
}

/* Coverage of the pixel that never became a fragment, by stipple or sample mask. */
static void
note_block(void *user, const struct cf_block_event *e)
{
   struct pixel_history *history = user;
   const struct cf_rect block = { e->x_px, e->y_px, e->x_px + 4u, e->y_px + 4u };
   const uint32_t x = history->x_px & 3, y = history->y_px & 3,
                  bit = (x & 1) | (y & 1) << 1 | (x & 2) << 1 | (y & 2) << 2;
   for (uint32_t s = 0; s < CF_SAMPLES && has_pixel(history, &block); s++) {
      const bool stippled = e->stippled[s] >> bit & 1, covered = e->covered[s] >> bit & 1;
      if (stippled || (covered && !(e->sample_mask >> s & 1)))
         tell(history, draw_json(stippled ? "stipple" : "sample mask", e->draw, e->primitive, s));
   }
}

static void
note_clear(void *user, const struct cf_clear_event *e)
{
   static const char *const names[] = { "value", "mask" };
   struct pixel_history *history = user;
   const struct pixel_history_frame frame = frame_of(history, e->draw);
   if (!has_pixel(history, &(struct cf_rect){ e->min_x_px, e->min_y_px, e->max_x_px, e->max_y_px }))
      return;
   json_t *images = json_array();
   for (uint32_t i = 0; i <= CF_MAX_COLOR_TARGETS; i++) {
      if (e->images >> i & 1)
         add_image(images, &frame, i, names, (const uint32_t *const[]){ e->value[i], e->mask[i] },
                   e->pixel_B[i]);
   }
   tell(history, json_pack("{s:s, s:o, s:o}", "what", "clear", "packet", look_json_address(e->draw),
                           "images", images));
}

/* The image that a transfer reads, and the pixel of it where it is one. */
static json_t *
source_json(const struct pixel_history *history, const struct cf_transfer_event *e)
{
   const uint32_t x = history->x_px - e->to.min_x_px, y = history->y_px - e->to.min_y_px;
   const bool copies = e->kind == CF_OPCODE_COPY;
   json_t *json = json_object();
   set(json, "image", look_json_address(e->source.address));
   if (!copies && e->kind != CF_OPCODE_GATHER)
      return json;
   set(json, "x", json_integer(copies ? e->from.min_x_px + x : e->columns[x]));
   set(json, "y", json_integer(copies ? e->from.min_y_px + y : e->rows[y]));
   return json;
}

/* A transfer between images that writes the pixel, with the pixel's source. */
static void
note_transfer(void *user, const struct cf_transfer_event *e)
{
   struct pixel_history *history = user;
   uint32_t dwords;
   if (!e->destination.address || e->kind == CF_OPCODE_RESOLVE || !has_pixel(history, &e->to))
      return;
   json_t *json =
      json_pack("{s:s, s:o, s:o}", "what", cf_packet_name(e->kind, &dwords), "packet",
                look_json_address(e->packet), "image", look_json_address(e->destination.address));
   if (e->kind == CF_OPCODE_COPY || e->kind == CF_OPCODE_GATHER || e->kind == CF_OPCODE_REDUCE)
      set(json, "from", source_json(history, e));
   tell(history, json);
}

/* ------------------------------------------------------------------ lines */

static void
print_number(FILE *file, const json_t *value)
{
   if (json_is_string(value))
      fputs(json_string_value(value), file);
   else
      fprintf(file, "%.9g", json_number_value(value));
}

static void
print_color(FILE *file, const char *name, const json_t *color)
{
   size_t i;
   json_t *value;
   if (color)
      fprintf(file, ", %s", name);
   json_array_foreach(color, i, value)
   {
      fputc(' ', file);
      print_number(file, value);
   }
}

static void
print_images(FILE *file, const json_t *images)
{
   size_t i;
   json_t *image;
   json_array_foreach(images, i, image)
   {
      if (json_is_integer(json_object_get(image, "target")))
         fprintf(file, "; target %lld", look_number(image, "target"));
      else
         fputs("; depth and stencil", file);
      const bool clears = json_object_get(image, "value");
      fprintf(file, ", image %s: %s %s %s", look_text(image, "image"),
              look_text(image, clears ? "value" : "before"), clears ? "under" : "->",
              look_text(image, clears ? "mask" : "after"));
   }
}

static void
print_draw(FILE *file, const json_t *event)
{
   const char *what = look_text(event, "what");
   const bool early = !strcmp(what, "early test");
   const json_t *depth = json_object_get(event, "depth");
   fprintf(file, "draw %s, primitive %lld, sample %lld: %s%s", look_text(event, "packet"),
           look_number(event, "primitive"), look_number(event, "sample"),
           depth ? look_text(event, "fate") : what, early ? " before the program" : "");
   if (depth) {
      fputs("; depth ", file);
      print_number(file, depth);
   }
   print_color(file, "colour", json_object_get(event, "color"));
   print_color(file, "second colour", json_object_get(event, "second_color"));
}

static void
print_event(FILE *file, const json_t *event)
{
   const json_t *from = json_object_get(event, "from");
   if (json_object_get(event, "primitive"))
      print_draw(file, event);
   else
      fprintf(file, "%s %s", look_text(event, "what"), look_text(event, "packet"));
   if (json_object_get(event, "image"))
      fprintf(file, "; image %s", look_text(event, "image"));
   if (json_object_get(from, "x"))
      fprintf(file, ": pixel %lld,%lld of image %s", look_number(from, "x"), look_number(from, "y"),
              look_text(from, "image"));
   else if (from)
      fprintf(file, ": mean of image %s", look_text(from, "image"));
   print_images(file, json_object_get(event, "images"));
   fputc('\n', file);
}

static void
tell(struct pixel_history *history, json_t *event)
{
   pthread_mutex_lock(&history->telling);
   if (history->events)
      json_array_append(history->events, event);
   else
      print_event(history->file, event);
   pthread_mutex_unlock(&history->telling);
   json_decref(event);
}

/* ------------------------------------------------------------------ the observer */

struct cf_observer
pixel_history_observer(struct pixel_history *history)
{
   pthread_mutex_init(&history->lock, NULL);
   pthread_mutex_init(&history->telling, NULL);
   return (struct cf_observer){ .user = history,
                                .submission_begin = forget_packets,
                                .packet = note_packet,
                                .clear = note_clear,
                                .transfer = note_transfer,
                                .block = note_block,
                                .early_test = note_early_test,
                                .fragment = note_fragment };
}

void
pixel_history_end(struct pixel_history *history)
{
   pthread_mutex_destroy(&history->lock);
   pthread_mutex_destroy(&history->telling);
   free(history->draw);
   free(history->frame);
   history->draw = NULL;
   history->frame = NULL;
}
