/* SPDX-License-Identifier: MIT */
#include "clipfree/command/cf_transfer_report.h"

#include <string.h>

#include "clipfree/arith/cf_minmax.h"

/* The descriptor at an address, which has been checked; all 0 if the address is 0. */
static struct cf_surface
surface_at(const struct cf_transfer_report *report, uint64_t descriptor)
{
   struct cf_surface surface = { 0 };
   const char *bad_field;
   if (descriptor)
      cf_surface_unpack(cf_memory_at(report->memory, descriptor, 4 * CF_SURFACE_DWORDS), &surface,
                        &bad_field);
   return surface;
}

static struct cf_rect
rectangle(uint32_t x_px, uint32_t y_px, uint32_t width_px, uint32_t height_px)
{
   return (struct cf_rect){ x_px, y_px, x_px + width_px, y_px + height_px };
}

void
cf_transfer_report_set_image(struct cf_transfer_report *report, const struct cf_image *to,
                             uint64_t source, uint64_t second, uint64_t destination)
{
   struct cf_transfer_event *event = &report->event;
   event->source = surface_at(report, source);
   event->second = surface_at(report, second);
   event->destination = surface_at(report, destination);
   event->to = rectangle(0, 0, to->width_px, to->height_px);
   memset(event->mask, 0xff, to->format->pixel_B);
}

void
cf_transfer_report_set_copy(struct cf_transfer_report *report, const struct cf_copy *packet,
                            const struct cf_image *to, const uint32_t mask[4])
{
   struct cf_transfer_event *event = &report->event;
   cf_transfer_report_set_image(report, to, packet->source, 0, packet->destination);
   event->from =
      rectangle(packet->source_x_px, packet->source_y_px, packet->width_px, packet->height_px);
   event->to = rectangle(packet->destination_x_px, packet->destination_y_px, packet->width_px,
                         packet->height_px);
   report->whole = packet->part == CF_COPY_PART_ALL;
   if (!report->whole)
      memcpy(event->mask, mask, sizeof(event->mask));
}

void
cf_transfer_report_set_gather(struct cf_transfer_report *report, const struct cf_gather *packet,
                              const uint32_t *columns, const uint32_t *rows,
                              const struct cf_image *to, const uint32_t mask[4])
{
   struct cf_transfer_event *event = &report->event;
   cf_transfer_report_set_image(report, to, packet->source, 0, packet->destination);
   event->to = rectangle(packet->destination_x_px, packet->destination_y_px, packet->width_px,
                         packet->height_px);
   event->columns = columns;
   event->rows = rows;
   if (packet->part != CF_COPY_PART_ALL)
      memcpy(event->mask, mask, sizeof(event->mask));
}

void
cf_transfer_report_set_buffers(struct cf_transfer_report *report, uint64_t source, uint32_t value,
                               uint64_t destination, uint32_t size_B)
{
   report->event.source_B = source;
   report->event.destination_B = destination;
   report->event.size_B = size_B;
   report->event.value = value;
}

void
cf_transfer_report_event(void *user, uint32_t worker, uint32_t item)
{
   const struct cf_transfer_report *report = user;
   (void)worker;
   (void)item;
   if (report->observer->transfer)
      report->observer->transfer(report->observer->user, &report->event);
}

/* Report a touch of the transfer `user`. */
static void
report_touch(void *user, const struct cf_image *image, enum cf_touch touch,
             const struct cf_rect *pixels)
{
   const struct cf_transfer_report *report = user;
   if (report->observer->touch)
      report->observer->touch(
         report->observer->user,
         &(struct cf_touch_event){ .packet = report->event.packet,
                                   .touch = touch,
                                   .surface = cf_memory_address(report->memory, image->data),
                                   .pixels = *pixels });
}

void
cf_transfer_copy_observed(struct cf_transfer_report *report, const struct cf_image *source,
                          const struct cf_image *destination)
{
   const struct cf_copy_watch watch = { .user = report, .touch = report_touch };
   const struct cf_rect *from = &report->event.from, *to = &report->event.to;
   cf_image_copy_watched((struct cf_image_at){ source, from->min_x_px, from->min_y_px },
                         (struct cf_image_at){ destination, to->min_x_px, to->min_y_px },
                         to->max_x_px - to->min_x_px, to->max_y_px - to->min_y_px,
                         report->whole ? NULL : report->event.mask, &watch);
}

void
cf_transfer_report_pending(void *user, uint32_t worker, uint32_t item)
{
   const struct cf_transfer_pending *pending = user;
   const struct cf_image *image = pending->image;
   const uint32_t rows = (image->height_px + CF_TILE_PX - 1) / CF_TILE_PX;
   uint64_t resolved = 0;
   (void)worker;
   (void)item;
   for (uint32_t i = 0; i < rows * image->tiles_per_row; i++) {
      const uint32_t x = i % image->tiles_per_row, y = i / image->tiles_per_row;
      const struct cf_rect tile = { x * CF_TILE_PX, y * CF_TILE_PX,
                                    cf_min_u32((x + 1) * CF_TILE_PX, image->width_px),
                                    cf_min_u32((y + 1) * CF_TILE_PX, image->height_px) };
      if (pending->to_copy ? !cf_image_must_resolve_to_copy(image, x, y)
                           : !cf_tile_is_pending(&image->tiles[i]))
         continue;
      resolved++;
      if (pending->report)
         report_touch(pending->report, image, CF_TOUCH_WRITTEN, &tile);
   }
   if (pending->counts)
      atomic_fetch_add_explicit(&pending->counts->resolved_tiles, resolved, memory_order_relaxed);
}
