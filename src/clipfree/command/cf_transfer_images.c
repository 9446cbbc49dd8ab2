/* SPDX-License-Identifier: MIT */
/* Transfers between images: copies, gathers and mip levels, by rows of the destination's tiles. */
#include "clipfree/command/cf_transfer_loops.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ bands of a rectangle */

/* Number of bands: rows of the destination's tiles that height_px > 0 rows of pixels touch. */
static uint32_t
bands(uint32_t first_px, uint32_t height_px)
{
   return (first_px + height_px - 1) / CF_TILE_PX - first_px / CF_TILE_PX + 1;
}

struct rows {
   uint32_t min_px, max_px;
};

/* The rows of pixels in band `item`. */
static struct rows
rows_of_band(uint32_t first_px, uint32_t height_px, uint32_t item)
{
   const uint32_t end_px = first_px + height_px,
                  row_px = (first_px / CF_TILE_PX + item) * CF_TILE_PX;
   return (struct rows){ .min_px = row_px > first_px ? row_px : first_px,
                         .max_px = row_px + CF_TILE_PX < end_px ? row_px + CF_TILE_PX : end_px };
}

/* Whether source and destination may overlap: such a transfer is a single item, so that its order,
 * and result, is always the same. */
static bool
images_overlap(const struct cf_image *a, const struct cf_image *b)
{
   const uint32_t a_rows = a->blocks ? (a->height_px + 3) / 4 : a->height_px;
   const uint32_t b_rows = b->blocks ? (b->height_px + 3) / 4 : b->height_px;
   const uintptr_t a_begin = (uintptr_t)a->data, b_begin = (uintptr_t)b->data;
   return a_begin < b_begin + (uint64_t)b_rows * b->row_pitch_B &&
          b_begin < a_begin + (uint64_t)a_rows * a->row_pitch_B;
}

/* ------------------------------------------------------------------ copies */

/* Copy rows min_px .. max_px - 1 of the destination. */
static void
copy_rows(const struct transfer_copy *copy, uint32_t min_px, uint32_t max_px)
{
   const struct cf_copy *packet = &copy->packet;
   const struct cf_image_at from = { &copy->source, packet->source_x_px,
                                     packet->source_y_px + (min_px - packet->destination_y_px) };
   const struct cf_image_at to = { &copy->destination, packet->destination_x_px, min_px };
   if (packet->part == CF_COPY_PART_ALL)
      cf_image_copy(from, to, packet->width_px, max_px - min_px);
   else
      cf_image_copy_bits(from, to, packet->width_px, max_px - min_px, copy->mask);
}

/* Give each worker the bands whose source tiles are likely in its cache (cf_workers_home): every
 * `count`-th. */
static void
share_bands(struct transfer_copy *copy, const struct cf_workers *workers)
{
   const uint32_t first_row = copy->packet.source_y_px / CF_TILE_PX,
                  count = cf_workers_count(workers);
   copy->workers = workers;
   copy->bands = bands(copy->packet.destination_y_px, copy->packet.height_px);
   for (uint32_t band = 0; band < count; band++)
      atomic_store_explicit(&copy->next_band[cf_workers_home(workers, first_row + band)], band,
                            memory_order_relaxed);
}

/* Claim a band for a worker: the next of its own, else of another worker's. Called once per band,
 * so one is always left. */
static uint32_t
take_band(struct transfer_copy *copy, uint32_t worker)
{
   const uint32_t count = cf_workers_count(copy->workers);
   for (uint32_t i = worker;; i = i + 1 < count ? i + 1 : 0) {
      const uint32_t band =
         atomic_fetch_add_explicit(&copy->next_band[i], count, memory_order_relaxed);
      if (band < copy->bands)
         return band;
   }
}

static void
copy_band(void *user, uint32_t worker, uint32_t item)
{
   struct transfer_copy *copy = user;
   const struct rows rows =
      rows_of_band(copy->packet.destination_y_px, copy->packet.height_px, take_band(copy, worker));
   (void)item;
   copy_rows(copy, rows.min_px, rows.max_px);
}

static void
copy_all(void *user, uint32_t worker, uint32_t item)
{
   const struct transfer_copy *copy = user;
   (void)worker;
   (void)item;
   if (copy->report)
      cf_transfer_copy_observed(copy->report, &copy->source, &copy->destination);
   else
      copy_rows(copy, copy->packet.destination_y_px,
                copy->packet.destination_y_px + copy->packet.height_px);
}

/* The mask of the part of a pixel that is copied, e.g. depth alone. */
static bool
find_part(const struct cf_image *source, const struct cf_image *destination, enum cf_copy_part part,
          uint32_t mask[4], struct cf_fault *fault)
{
   const char letter = part == CF_COPY_PART_DEPTH ? 'z' : 's';
   uint32_t source_mask[4] = { 0 };
   memset(mask, 0, sizeof(source_mask));
   if (part == CF_COPY_PART_ALL)
      return true;
   return (cf_format_or_channel(source->format, letter, UINT32_MAX, source_mask) &&
           cf_format_or_channel(destination->format, letter, UINT32_MAX, mask) &&
           memcmp(mask, source_mask, sizeof(source_mask)) == 0) ||
          cf_fault_set(fault, "part", "%s and %s do not have %s in the same bits",
                       source->format->name, destination->format->name, cf_copy_part_name(part));
}

static bool
check_copy(const struct transfer_copy *copy, struct cf_fault *fault)
{
   const struct cf_copy *packet = &copy->packet;
   if (copy->source.format->pixel_B != copy->destination.format->pixel_B)
      return cf_fault_set(fault, "destination", "pixels of %u bytes, the source has %u",
                          copy->destination.format->pixel_B, copy->source.format->pixel_B);
   if (packet->source_x_px + packet->width_px > copy->source.width_px ||
       packet->source_y_px + packet->height_px > copy->source.height_px)
      return cf_fault_set(fault, "width_px", "the rectangle is not inside the source");
   if (packet->destination_x_px + packet->width_px > copy->destination.width_px ||
       packet->destination_y_px + packet->height_px > copy->destination.height_px)
      return cf_fault_set(fault, "width_px", "the rectangle is not inside the destination");
   return true;
}

bool
cf_transfer_copy(struct cf_transfers *transfers, const uint32_t *dw)
{
   struct transfer_copy *copy = &cf_transfer_next(transfers)->copy;
   const struct cf_copy *packet = &copy->packet;
   const struct cf_resolver *resolver = transfers->config.resolver;
   struct cf_fault *fault = transfers->fault;
   const char *bad_field;
   if (!cf_copy_unpack(dw, &copy->packet, &bad_field))
      return cf_transfer_bad_packet(fault, bad_field);
   if (!cf_resolve_surface(resolver, packet->source, 0, &copy->source, "source", fault) ||
       !cf_resolve_surface(resolver, packet->destination, 0, &copy->destination, "destination",
                           fault) ||
       !check_copy(copy, fault) ||
       !find_part(&copy->source, &copy->destination, packet->part, copy->mask, fault))
      return false;
   if (packet->width_px == 0 || packet->height_px == 0)
      return true;
   cf_transfer_count_pixels(transfers, &copy->destination, packet->width_px, packet->height_px);
   copy->report = cf_transfer_begin_report(transfers, CF_OPCODE_COPY);
   if (copy->report)
      cf_transfer_report_set_copy(copy->report, packet, &copy->destination, copy->mask);
   cf_transfer_launch_report(transfers, copy->report);
   /* before the copy, so that two bands never resolve the same source tile at once */
   cf_transfer_launch_partial_resolve(transfers, &copy->source);
   share_bands(copy, transfers->config.workers);
   /* one worker copies longer rows where bands are not cut */
   const bool in_one = copy->report || cf_workers_count(copy->workers) == 1 ||
                       images_overlap(&copy->source, &copy->destination);
   cf_transfer_launch_step(
      transfers, &(struct step){ .work = in_one ? copy_all : copy_band, .user = copy },
      in_one ? 1 : copy->bands,
      cf_transfer_is_small(&copy->destination, packet->width_px, packet->height_px));
   cf_transfer_note_written(transfers, &copy->destination);
   return true;
}

/* ------------------------------------------------------------------ gathers */

static void
gather_band(void *user, uint32_t worker, uint32_t item)
{
   const struct transfer_gather *gather = user;
   const struct cf_gather *packet = &gather->packet;
   const struct rows rows = rows_of_band(packet->destination_y_px, packet->height_px, item);
   (void)worker;
   cf_image_gather(
      &gather->source, gather->columns, gather->rows + (rows.min_px - packet->destination_y_px),
      (struct cf_image_at){ &gather->destination, packet->destination_x_px, rows.min_px },
      packet->width_px, rows.max_px - rows.min_px,
      packet->part == CF_COPY_PART_ALL ? NULL : gather->mask);
}

static void
gather_all(void *user, uint32_t worker, uint32_t item)
{
   const struct transfer_gather *gather = user;
   const uint32_t count = bands(gather->packet.destination_y_px, gather->packet.height_px);
   (void)item;
   for (uint32_t i = 0; i < count; i++)
      gather_band(user, worker, i);
}

/* Copy a gather's table, checking that all entries lie inside the source. */
static bool
copy_table(const struct cf_resolver *resolver, uint64_t address, uint32_t count, uint32_t limit_px,
           uint32_t *table, const char *field, struct cf_fault *fault)
{
   const uint32_t *from = cf_resolve_to_read(resolver, address, count * sizeof(uint32_t),
                                             sizeof(uint32_t), field, fault);
   if (!from)
      return false;
   memcpy(table, from, count * sizeof(uint32_t));
   for (uint32_t i = 0; i < count; i++) {
      if (table[i] >= limit_px)
         return cf_fault_set(fault, field, "number %u is %u, the source ends at %u", i, table[i],
                             limit_px);
   }
   return true;
}

/* Copy both tables into the next transfer's memory, which later transfers reuse. */
static bool
copy_tables(struct cf_transfers *transfers, struct transfer_gather *gather)
{
   const struct cf_gather *packet = &gather->packet;
   const struct cf_resolver *resolver = transfers->config.resolver;
   struct cf_fault *fault = transfers->fault;
   const uint32_t slot = (uint32_t)(transfers->launched % CF_TRANSFERS),
                  entries = packet->width_px + packet->height_px;
   if (entries > transfers->table_entries[slot]) {
      free(transfers->table[slot]);
      transfers->table[slot] = malloc(entries * sizeof(uint32_t));
      transfers->table_entries[slot] = transfers->table[slot] ? entries : 0;
   }
   gather->columns = transfers->table[slot];
   if (!gather->columns)
      return cf_fault_out_of_memory(fault, "columns");
   gather->rows = gather->columns + packet->width_px;
   return copy_table(resolver, packet->columns, packet->width_px, gather->source.width_px,
                     gather->columns, "columns", fault) &&
          copy_table(resolver, packet->rows, packet->height_px, gather->source.height_px,
                     gather->rows, "rows", fault);
}

static bool
check_gather(const struct transfer_gather *gather, struct cf_fault *fault)
{
   const struct cf_gather *packet = &gather->packet;
   if (gather->source.format->pixel_B != gather->destination.format->pixel_B)
      return cf_fault_set(fault, "destination", "pixels of %u bytes, the source has %u",
                          gather->destination.format->pixel_B, gather->source.format->pixel_B);
   if (cf_image_samples(&gather->source) > 1)
      return cf_fault_set(fault, "source", "more than one sample");
   if (packet->destination_x_px + packet->width_px > gather->destination.width_px ||
       packet->destination_y_px + packet->height_px > gather->destination.height_px)
      return cf_fault_set(fault, "width_px", "the rectangle is not inside the destination");
   return true;
}

bool
cf_transfer_gather(struct cf_transfers *transfers, const uint32_t *dw)
{
   struct transfer_gather *gather = &cf_transfer_next(transfers)->gather;
   const struct cf_gather *packet = &gather->packet;
   const struct cf_resolver *resolver = transfers->config.resolver;
   struct cf_fault *fault = transfers->fault;
   const char *bad_field;
   if (!cf_gather_unpack(dw, &gather->packet, &bad_field))
      return cf_transfer_bad_packet(fault, bad_field);
   if (!cf_resolve_surface(resolver, packet->source, 0, &gather->source, "source", fault) ||
       !cf_resolve_surface(resolver, packet->destination, 0, &gather->destination, "destination",
                           fault) ||
       !check_gather(gather, fault) ||
       !find_part(&gather->source, &gather->destination, packet->part, gather->mask, fault))
      return false;
   if (packet->width_px == 0 || packet->height_px == 0)
      return true;
   if (!copy_tables(transfers, gather))
      return false;
   cf_transfer_count_pixels(transfers, &gather->destination, packet->width_px, packet->height_px);
   struct cf_transfer_report *report = cf_transfer_begin_report(transfers, CF_OPCODE_GATHER);
   if (report)
      cf_transfer_report_set_gather(report, packet, gather->columns, gather->rows,
                                    &gather->destination, gather->mask);
   cf_transfer_launch_report(transfers, report);
   cf_transfer_launch_resolve(transfers, &gather->source);
   const bool overlap = images_overlap(&gather->source, &gather->destination);
   cf_transfer_launch_step(
      transfers, &(struct step){ .work = overlap ? gather_all : gather_band, .user = gather },
      overlap ? 1 : bands(packet->destination_y_px, packet->height_px),
      cf_transfer_is_small(&gather->destination, packet->width_px, packet->height_px));
   cf_transfer_note_written(transfers, &gather->destination);
   return true;
}

/* ------------------------------------------------------------------ mipmaps */

static bool
is_next_smaller(const struct cf_image *image, const struct cf_image *smaller)
{
   return cf_mipmap_size_px(image->width_px) == smaller->width_px &&
          cf_mipmap_size_px(image->height_px) == smaller->height_px &&
          image->format == smaller->format && cf_image_samples(image) == 1;
}

static bool
check_reduction(const struct transfer_reduction *reduction, struct cf_fault *fault)
{
   if (!cf_format_has_mean(reduction->source.format))
      return cf_fault_set(fault, "source", "%s has no mean", reduction->source.format->name);
   if (cf_image_samples(&reduction->destination) > 1)
      return cf_fault_set(fault, "destination", "more than one sample");
   if (!is_next_smaller(&reduction->source, &reduction->destination))
      return cf_fault_set(fault, "source", "not of the destination's format and twice its size");
   if (reduction->has_second && (!is_next_smaller(&reduction->second, &reduction->destination) ||
                                 reduction->second.width_px != reduction->source.width_px ||
                                 reduction->second.height_px != reduction->source.height_px))
      return cf_fault_set(fault, "second", "not of the source's format and size");
   return true;
}

/* Reduce one row of the destination's tiles, which are overwritten as a whole. */
static void
reduce_band(void *user, uint32_t worker, uint32_t item)
{
   const struct transfer_reduction *reduction = user;
   const struct cf_image *to = &reduction->destination;
   const uint32_t first_px = item * CF_TILE_PX, last_px = first_px + CF_TILE_PX;
   (void)worker;
   for (uint32_t x = 0; to->tiles && x < to->tiles_per_row; x++)
      to->tiles[item * to->tiles_per_row + x] = (struct cf_tile_state){ 0 };
   reduction->ops->reduce(&reduction->source, reduction->has_second ? &reduction->second : NULL, to,
                          first_px, last_px < to->height_px ? last_px : to->height_px);
}

static void
reduce_all(void *user, uint32_t worker, uint32_t item)
{
   const struct transfer_reduction *reduction = user;
   (void)item;
   for (uint32_t i = 0; i < cf_transfer_tile_rows(&reduction->destination); i++)
      reduce_band(user, worker, i);
}

bool
cf_transfer_reduce(struct cf_transfers *transfers, const uint32_t *dw)
{
   struct transfer_reduction *reduction = &cf_transfer_next(transfers)->reduction;
   struct cf_image *destination = &reduction->destination;
   const struct cf_resolver *resolver = transfers->config.resolver;
   struct cf_fault *fault = transfers->fault;
   struct cf_reduce packet;
   const char *bad_field;
   if (!cf_reduce_unpack(dw, &packet, &bad_field))
      return cf_transfer_bad_packet(fault, bad_field);
   reduction->ops = transfers->config.mipmap;
   reduction->has_second = packet.second != 0;
   if (!cf_resolve_surface(resolver, packet.source, 0, &reduction->source, "source", fault) ||
       (reduction->has_second &&
        !cf_resolve_surface(resolver, packet.second, 0, &reduction->second, "second", fault)) ||
       !cf_resolve_surface(resolver, packet.destination, 0, destination, "destination", fault) ||
       !check_reduction(reduction, fault))
      return false;
   cf_transfer_count_pixels(transfers, destination, destination->width_px, destination->height_px);
   struct cf_transfer_report *report = cf_transfer_begin_report(transfers, CF_OPCODE_REDUCE);
   if (report)
      cf_transfer_report_set_image(report, destination, packet.source, packet.second,
                                   packet.destination);
   cf_transfer_launch_report(transfers, report);
   bool overlap = images_overlap(&reduction->source, destination);
   cf_transfer_launch_resolve(transfers, &reduction->source);
   if (reduction->has_second) {
      cf_transfer_launch_resolve(transfers, &reduction->second);
      overlap = overlap || images_overlap(&reduction->second, destination);
   }
   cf_transfer_launch_step(
      transfers, &(struct step){ .work = overlap ? reduce_all : reduce_band, .user = reduction },
      overlap ? 1 : cf_transfer_tile_rows(destination),
      cf_transfer_is_small(destination, destination->width_px, destination->height_px));
   cf_transfer_note_written(transfers, destination);
   return true;
}
