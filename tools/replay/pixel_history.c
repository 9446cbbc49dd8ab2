/* SPDX-License-Identifier: MIT */
#include "pixel_history.h"

#include <inttypes.h>
#include <string.h>

#include "clipfree/interface/cf_options.h"

#define MAX_PX 65535

bool
pixel_history_parse(const char *text, struct pixel_history *history)
{
   char x[8] = "";
   const char *comma = strchr(text, ',');
   if (!comma || (size_t)(comma - text) >= sizeof(x))
      return false;
   memcpy(x, text, (size_t)(comma - text));
   return cf_parse_number(x, MAX_PX, &history->x_px) &&
          cf_parse_number(comma + 1, MAX_PX, &history->y_px);
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
print_fragment(void *user, const struct cf_fragment_event *e)
{
   const struct pixel_history *history = user;
   if (e->x_px != history->x_px || e->y_px != history->y_px)
      return;
   fprintf(history->file,
           "draw 0x%" PRIx64 ", primitive %" PRIu32 ", sample %u: %s; depth %.9g, colour %.9g %.9g "
           "%.9g %.9g",
           e->draw, e->primitive, e->sample, cf_fate_name(e->fate), (double)e->depth,
           (double)e->color[0], (double)e->color[1], (double)e->color[2], (double)e->color[3]);
   for (uint32_t i = 0; i < e->color_count; i++) {
      if (e->color_B[i] == 0)
         continue;
      fprintf(history->file, "; target %" PRIu32 ": ", i);
      print_change(history->file, e->color_before[i], e->color_after[i], e->color_B[i]);
   }
   if (e->zs_B != 0) {
      fprintf(history->file, "; depth and stencil: ");
      print_change(history->file, e->zs_before, e->zs_after, e->zs_B);
   }
   fputc('\n', history->file);
}

static void
print_clear(void *user, const struct cf_clear_event *e)
{
   const struct pixel_history *history = user;
   if (history->x_px < e->min_x_px || history->x_px >= e->max_x_px || history->y_px < e->min_y_px ||
       history->y_px >= e->max_y_px)
      return;
   fprintf(history->file, "clear 0x%" PRIx64, e->draw);
   for (uint32_t i = 0; i <= CF_MAX_COLOR_TARGETS; i++) {
      if (!(e->images >> i & 1))
         continue;
      if (i < CF_MAX_COLOR_TARGETS)
         fprintf(history->file, "; target %" PRIu32 ": ", i);
      else
         fprintf(history->file, "; depth and stencil: ");
      print_pixel(history->file, e->value[i], e->pixel_B[i]);
      fprintf(history->file, " under ");
      print_pixel(history->file, e->mask[i], e->pixel_B[i]);
   }
   fputc('\n', history->file);
}

struct cf_observer
pixel_history_observer(struct pixel_history *history)
{
   return (struct cf_observer){ .user = history, .clear = print_clear, .fragment = print_fragment };
}
