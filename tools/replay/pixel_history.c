/* SPDX-License-Identifier: MIT */
#include "pixel_history.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

/* ------------------------------------------------------------------ lines */

static void
print_image(FILE *file, const struct pixel_history_frame *frame, uint32_t i)
{
   if (i < CF_MAX_COLOR_TARGETS)
      fprintf(file, "; target %" PRIu32, i);
   else
      fprintf(file, "; depth and stencil");
   fprintf(file, ", image 0x%" PRIx64 ": ", frame->image[i]);
}

/* Print a pixel as one little-endian number: its first byte is printed last. */
static void
print_pixel(FILE *file, const uint32_t *dw, uint32_t size_B)
{
   for (uint32_t i = size_B; i-- > 0;)
      fprintf(file, "%02" PRIx32, dw[i / 4] >> 8 * (i % 4) & 0xff);
}

static void
print_change(FILE *file, const uint32_t *before, const uint32_t *after, uint32_t size_B)
{
   print_pixel(file, before, size_B);
   fprintf(file, " -> ");
   print_pixel(file, after, size_B);
}

static void
print_images(struct pixel_history *history, const struct cf_fragment_event *e)
{
   const struct pixel_history_frame frame = frame_of(history, e->draw);
   for (uint32_t i = 0; i < e->color_count; i++) {
      if (e->color_B[i] == 0)
         continue;
      print_image(history->file, &frame, i);
      print_change(history->file, e->color_before[i], e->color_after[i], e->color_B[i]);
   }
   if (e->zs_B != 0) {
      print_image(history->file, &frame, CF_MAX_COLOR_TARGETS);
      print_change(history->file, e->zs_before, e->zs_after, e->zs_B);
   }
   fputc('\n', history->file);
}

static void
print_draw(FILE *file, uint64_t draw, uint32_t primitive, uint32_t sample)
{
   fprintf(file, "draw 0x%" PRIx64 ", primitive %" PRIu32 ", sample %" PRIu32 ": ", draw, primitive,
           sample);
}

static void
print_color(FILE *file, const char *name, const float color[4])
{
   fprintf(file, ", %s %.9g %.9g %.9g %.9g", name, (double)color[0], (double)color[1],
           (double)color[2], (double)color[3]);
}

static void
print_fragment(void *user, const struct cf_fragment_event *e)
{
   struct pixel_history *history = user;
   if (e->x_px != history->x_px || e->y_px != history->y_px)
      return;
   flockfile(history->file);
   print_draw(history->file, e->draw, e->primitive, e->sample);
   fprintf(history->file, "%s; depth %.9g", cf_fate_name(e->fate), (double)e->depth);
   print_color(history->file, "colour", e->color);
   if (e->blends_second)
      print_color(history->file, "second colour", e->second_color);
   print_images(history, e);
   funlockfile(history->file);
}

static void
print_early_test(void *user, const struct cf_fragment_event *e)
{
   struct pixel_history *history = user;
   if (e->x_px != history->x_px || e->y_px != history->y_px)
      return;
   flockfile(history->file);
   print_draw(history->file, e->draw, e->primitive, e->sample);
   fprintf(history->file, "%s before the program; depth %.9g",
           e->fate == CF_FATE_WRITTEN ? "passed" : cf_fate_name(e->fate), (double)e->depth);
   print_images(history, e);
   funlockfile(history->file);
}

/* Print coverage of the pixel that never became a fragment, by stipple or sample mask. */
static void
print_block(void *user, const struct cf_block_event *e)
{
   struct pixel_history *history = user;
   const struct cf_rect block = { e->x_px, e->y_px, e->x_px + 4u, e->y_px + 4u };
   const uint32_t x = history->x_px & 3, y = history->y_px & 3,
                  bit = (x & 1) | (y & 1) << 1 | (x & 2) << 1 | (y & 2) << 2;
   for (uint32_t s = 0; s < CF_SAMPLES && has_pixel(history, &block); s++) {
      const bool stippled = e->stippled[s] >> bit & 1, covered = e->covered[s] >> bit & 1;
      if (!stippled && (!covered || e->sample_mask >> s & 1))
         continue;
      flockfile(history->file);
      print_draw(history->file, e->draw, e->primitive, s);
      fprintf(history->file, "%s\n", stippled ? "stipple" : "sample mask");
      funlockfile(history->file);
   }
}

static void
print_clear(void *user, const struct cf_clear_event *e)
{
   struct pixel_history *history = user;
   const struct pixel_history_frame frame = frame_of(history, e->draw);
   if (!has_pixel(history, &(struct cf_rect){ e->min_x_px, e->min_y_px, e->max_x_px, e->max_y_px }))
      return;
   flockfile(history->file);
   fprintf(history->file, "clear 0x%" PRIx64, e->draw);
   for (uint32_t i = 0; i <= CF_MAX_COLOR_TARGETS; i++) {
      if (!(e->images >> i & 1))
         continue;
      print_image(history->file, &frame, i);
      print_pixel(history->file, e->value[i], e->pixel_B[i]);
      fprintf(history->file, " under ");
      print_pixel(history->file, e->mask[i], e->pixel_B[i]);
   }
   fputc('\n', history->file);
   funlockfile(history->file);
}

/* Print a transfer between images that writes the pixel, with the pixel's source. */
static void
print_transfer(void *user, const struct cf_transfer_event *e)
{
   struct pixel_history *history = user;
   FILE *file = history->file;
   uint32_t dwords;
   if (!e->destination.address || e->kind == CF_OPCODE_RESOLVE || !has_pixel(history, &e->to))
      return;
   const uint64_t x = history->x_px - e->to.min_x_px, y = history->y_px - e->to.min_y_px;
   flockfile(file);
   fprintf(file, "%s 0x%" PRIx64 "; image 0x%" PRIx64, cf_packet_name(e->kind, &dwords), e->packet,
           e->destination.address);
   if (e->kind == CF_OPCODE_COPY)
      fprintf(file, ": pixel %" PRIu64 ",%" PRIu64 " of image 0x%" PRIx64, e->from.min_x_px + x,
              e->from.min_y_px + y, e->source.address);
   if (e->kind == CF_OPCODE_GATHER)
      fprintf(file, ": pixel %" PRIu32 ",%" PRIu32 " of image 0x%" PRIx64, e->columns[x],
              e->rows[y], e->source.address);
   if (e->kind == CF_OPCODE_REDUCE)
      fprintf(file, ": mean of image 0x%" PRIx64, e->source.address);
   fputc('\n', file);
   funlockfile(file);
}

struct cf_observer
pixel_history_observer(struct pixel_history *history)
{
   pthread_mutex_init(&history->lock, NULL);
   return (struct cf_observer){ .user = history,
                                .submission_begin = forget_packets,
                                .packet = note_packet,
                                .clear = print_clear,
                                .transfer = print_transfer,
                                .block = print_block,
                                .early_test = print_early_test,
                                .fragment = print_fragment };
}

void
pixel_history_end(struct pixel_history *history)
{
   pthread_mutex_destroy(&history->lock);
   free(history->draw);
   free(history->frame);
   history->draw = NULL;
   history->frame = NULL;
}
