/* SPDX-License-Identifier: MIT */
#include "clipfree/command/cf_transfer.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/command/cf_packets.h"
#include "clipfree/command/cf_resolve.h"

static bool
bad_packet(struct cf_fault *fault, const char *bad_field)
{
   return cf_fault_set(fault, bad_field, "reserved bits are set, or there is no such value");
}

/* ------------------------------------------------------------------ items of work */

struct timed {
   cf_work_item work;
   void *user;
   _Atomic uint64_t ns; /* of all items */
};

static void
run_timed(void *user, uint32_t worker, uint32_t item)
{
   struct timed *timed = user;
   const uint64_t start_ns = cf_time_ns();
   timed->work(timed->user, worker, item);
   atomic_fetch_add_explicit(&timed->ns, cf_time_ns() - start_ns, memory_order_relaxed);
}

/* cf_workers_run; if time is measured, the items' and not that of the thread which waits for them. */
static void
run_items(struct cf_transfer *transfer, cf_work_item work, void *user, uint32_t items)
{
   struct cf_unit_clock *clock = transfer->clock;
   if (!clock) {
      cf_workers_run(transfer->workers, work, user, items);
      return;
   }
   struct timed timed = { .work = work, .user = user };
   const enum cf_unit unit = cf_unit_begin(clock, CF_UNIT_NONE);
   cf_workers_run(transfer->workers, run_timed, &timed, items);
   cf_unit_begin(clock, unit);
   clock->ns[unit] += timed.ns;
}

/* ------------------------------------------------------------------ copies */

static void
resolve_tile_row(void *user, uint32_t worker, uint32_t item)
{
   const struct cf_image *image = user;
   (void)worker;
   for (uint32_t x = 0; x < image->tiles_per_row; x++)
      cf_image_resolve_tile_to_read(image, x, item);
}

static void
resolve_image(struct cf_transfer *transfer, struct cf_image *image)
{
   if (image->tiles)
      run_items(transfer, resolve_tile_row, image,
                     (image->height_px + CF_TILE_PX - 1) / CF_TILE_PX);
}

struct copy {
   struct cf_image source, destination;
   struct cf_copy packet;
   uint32_t mask[4]; /* bits of a pixel, unless all of it is copied */
};

/* Rows min .. max - 1 of the destination. */
static void
copy_rows(const struct copy *copy, uint32_t min_px, uint32_t max_px)
{
   const struct cf_copy *packet = &copy->packet;
   const uint32_t source_y_px = packet->source_y_px + (min_px - packet->destination_y_px);
   if (packet->part == CF_COPY_PART_ALL)
      cf_image_copy(&copy->source, packet->source_x_px, source_y_px, &copy->destination,
                    packet->destination_x_px, min_px, packet->width_px, max_px - min_px);
   else
      cf_image_copy_bits(&copy->source, packet->source_x_px, source_y_px, &copy->destination,
                         packet->destination_x_px, min_px, packet->width_px, max_px - min_px,
                         copy->mask);
}

/* Rows of one row of the destination's tiles. */
static void
copy_band(void *user, uint32_t worker, uint32_t item)
{
   const struct copy *copy = user;
   const struct cf_copy *packet = &copy->packet;
   (void)worker;
   const uint32_t end_px = packet->destination_y_px + packet->height_px;
   const uint32_t row_px = (packet->destination_y_px / CF_TILE_PX + item) * CF_TILE_PX;
   const uint32_t min_px = row_px > packet->destination_y_px ? row_px : packet->destination_y_px;
   const uint32_t max_px = row_px + CF_TILE_PX < end_px ? row_px + CF_TILE_PX : end_px;
   copy_rows(copy, min_px, max_px);
}

/* The bits of a part of the pixels. */
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
check_copy(const struct copy *copy, struct cf_fault *fault)
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

static bool
copy(struct cf_transfer *transfer, const uint32_t *dw)
{
   struct copy copy;
   const char *bad_field;
   struct cf_fault *fault = transfer->fault;
   if (!cf_copy_unpack(dw, &copy.packet, &bad_field))
      return bad_packet(transfer->fault, bad_field);
   const struct cf_memory *memory = transfer->memory;
   if (!cf_resolve_surface(memory, copy.packet.source, 0, &copy.source, "source", fault) ||
       !cf_resolve_surface(memory, copy.packet.destination, 0, &copy.destination, "destination",
                           fault) ||
       !check_copy(&copy, fault) ||
       !find_part(&copy.source, &copy.destination, copy.packet.part, copy.mask, fault))
      return false;
   if (copy.packet.width_px == 0 || copy.packet.height_px == 0)
      return true;
   if (copy.source.data == copy.destination.data) {
      copy_rows(&copy, copy.packet.destination_y_px,
                copy.packet.destination_y_px + copy.packet.height_px);
   } else {
      /* First, so that bands never resolve a tile of the source at the same time. */
      resolve_image(transfer, &copy.source);
      const uint32_t first = copy.packet.destination_y_px / CF_TILE_PX;
      const uint32_t last = (copy.packet.destination_y_px + copy.packet.height_px - 1) / CF_TILE_PX;
      run_items(transfer, copy_band, &copy, last - first + 1);
   }
   return true;
}

/* ------------------------------------------------------------------ gathers */

struct gather {
   struct cf_image source, destination;
   struct cf_gather packet;
   uint32_t *columns, *rows; /* copies: the tables may lie in what is written */
   uint32_t mask[4]; /* bits of a pixel, unless all of it is copied */
};

/* Rows of one row of the destination's tiles. */
static void
gather_band(void *user, uint32_t worker, uint32_t item)
{
   const struct gather *gather = user;
   const struct cf_gather *packet = &gather->packet;
   (void)worker;
   const uint32_t first_px = packet->destination_y_px, end_px = first_px + packet->height_px;
   const uint32_t row_px = (first_px / CF_TILE_PX + item) * CF_TILE_PX;
   const uint32_t min_px = row_px > first_px ? row_px : first_px;
   const uint32_t max_px = row_px + CF_TILE_PX < end_px ? row_px + CF_TILE_PX : end_px;
   cf_image_gather(&gather->source, gather->columns, gather->rows + (min_px - first_px),
                   &gather->destination, packet->destination_x_px, min_px, packet->width_px,
                   max_px - min_px, packet->part == CF_COPY_PART_ALL ? NULL : gather->mask);
}

/* Copy a table of a gather, all of whose entries must be inside the source. */
static bool
copy_table(const struct cf_memory *memory, uint64_t address, uint32_t count, uint32_t limit_px,
           uint32_t *table, const char *field, struct cf_fault *fault)
{
   const uint32_t *from = cf_resolve_memory(memory, address, count * sizeof(uint32_t),
                                            sizeof(uint32_t), field, fault);
   if (!from)
      return false;
   memcpy(table, from, count * sizeof(uint32_t));
   for (uint32_t i = 0; i < count; i++) {
      if (table[i] >= limit_px)
         return cf_fault_set(fault, field, "number %u is %u, the source ends at %u", i, table[i], limit_px);
   }
   return true;
}

static bool
copy_tables(struct gather *gather, const struct cf_memory *memory, struct cf_fault *fault)
{
   const struct cf_gather *packet = &gather->packet;
   gather->columns = malloc((packet->width_px + packet->height_px) * sizeof(uint32_t));
   if (!gather->columns)
      return cf_fault_set(fault, "columns", "out of host memory");
   gather->rows = gather->columns + packet->width_px;
   return copy_table(memory, packet->columns, packet->width_px, gather->source.width_px, gather->columns, "columns", fault) &&
          copy_table(memory, packet->rows, packet->height_px, gather->source.height_px, gather->rows, "rows", fault);
}

static void
run_gather(struct cf_transfer *transfer, struct gather *gather)
{
   const struct cf_gather *packet = &gather->packet;
   resolve_image(transfer, &gather->source);
   const uint32_t first = packet->destination_y_px / CF_TILE_PX;
   const uint32_t last = (packet->destination_y_px + packet->height_px - 1) / CF_TILE_PX;
   if (gather->source.data == gather->destination.data) {
      /* of one image what comes later may read what came before: always in the same order */
      for (uint32_t i = first; i <= last; i++)
         gather_band(gather, 0, i - first);
   } else {
      run_items(transfer, gather_band, gather, last - first + 1);
   }
}

static bool
check_gather(const struct gather *gather, struct cf_fault *fault)
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

static bool
gather(struct cf_transfer *transfer, const uint32_t *dw)
{
   struct gather gather;
   const char *bad_field;
   struct cf_fault *fault = transfer->fault;
   if (!cf_gather_unpack(dw, &gather.packet, &bad_field))
      return bad_packet(fault, bad_field);
   const struct cf_gather *packet = &gather.packet;
   const struct cf_memory *memory = transfer->memory;
   if (!cf_resolve_surface(memory, packet->source, 0, &gather.source, "source", fault) ||
       !cf_resolve_surface(memory, packet->destination, 0, &gather.destination, "destination", fault) ||
       !check_gather(&gather, fault) ||
       !find_part(&gather.source, &gather.destination, packet->part, gather.mask, fault))
      return false;
   if (packet->width_px == 0 || packet->height_px == 0)
      return true;
   const bool ok = copy_tables(&gather, memory, fault);
   if (ok)
      run_gather(transfer, &gather);
   free(gather.columns);
   return ok;
}

/* ------------------------------------------------------------------ mipmaps */

struct reduction {
   const struct cf_mipmap_ops *ops;
   struct cf_image source, second, destination;
   bool has_second;
};

static bool
is_next_smaller(const struct cf_image *image, const struct cf_image *smaller)
{
   return cf_mipmap_size_px(image->width_px) == smaller->width_px &&
          cf_mipmap_size_px(image->height_px) == smaller->height_px &&
          image->format == smaller->format && cf_image_samples(image) == 1;
}

static bool
check_reduction(const struct reduction *reduction, struct cf_fault *fault)
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

/* One row of the destination's tiles, which are written whole. */
static void
reduce_band(void *user, uint32_t worker, uint32_t item)
{
   const struct reduction *reduction = user;
   const struct cf_image *to = &reduction->destination;
   const uint32_t first_px = item * CF_TILE_PX, last_px = first_px + CF_TILE_PX;
   (void)worker;
   for (uint32_t x = 0; to->tiles && x < to->tiles_per_row; x++)
      to->tiles[item * to->tiles_per_row + x] = (struct cf_tile_state){ 0 };
   reduction->ops->reduce(&reduction->source, reduction->has_second ? &reduction->second : NULL, to, first_px,
                          last_px < to->height_px ? last_px : to->height_px);
}

static bool
reduce(struct cf_transfer *transfer, const uint32_t *dw)
{
   struct reduction reduction = { .ops = transfer->mipmap };
   struct cf_reduce packet;
   const char *bad_field;
   struct cf_fault *fault = transfer->fault;
   if (!cf_reduce_unpack(dw, &packet, &bad_field))
      return bad_packet(transfer->fault, bad_field);
   const struct cf_memory *memory = transfer->memory;
   reduction.has_second = packet.second != 0;
   if (!cf_resolve_surface(memory, packet.source, 0, &reduction.source, "source", fault) ||
       (reduction.has_second &&
        !cf_resolve_surface(memory, packet.second, 0, &reduction.second, "second", fault)) ||
       !cf_resolve_surface(memory, packet.destination, 0, &reduction.destination, "destination",
                           fault) ||
       !check_reduction(&reduction, fault))
      return false;
   resolve_image(transfer, &reduction.source);
   if (reduction.has_second)
      resolve_image(transfer, &reduction.second);
   run_items(transfer, reduce_band, &reduction,
                  (reduction.destination.height_px + CF_TILE_PX - 1) / CF_TILE_PX);
   return true;
}

/* ------------------------------------------------------------------ buffers */

static bool
copy_buffer(struct cf_transfer *transfer, const uint32_t *dw)
{
   struct cf_copy_buffer packet;
   const char *bad_field;
   struct cf_fault *fault = transfer->fault;
   if (!cf_copy_buffer_unpack(dw, &packet, &bad_field))
      return bad_packet(transfer->fault, bad_field);
   const struct cf_memory *memory = transfer->memory;
   const void *source = cf_resolve_memory(memory, packet.source, packet.size_B, 1, "source", fault);
   void *destination =
      (void *)cf_resolve_memory(memory, packet.destination, packet.size_B, 1, "destination", fault);
   if (!source || !destination)
      return false;
   memmove(destination, source, packet.size_B);
   return true;
}

static bool
fill_buffer(struct cf_transfer *transfer, const uint32_t *dw)
{
   struct cf_fill_buffer packet;
   const char *bad_field;
   struct cf_fault *fault = transfer->fault;
   if (!cf_fill_buffer_unpack(dw, &packet, &bad_field))
      return bad_packet(transfer->fault, bad_field);
   if (packet.size_B % 4)
      return cf_fault_set(fault, "size_B", "%u is not a multiple of 4", packet.size_B);
   uint32_t *destination = (uint32_t *)cf_resolve_memory(
      transfer->memory, packet.destination, packet.size_B, 4, "destination", fault);
   if (!destination)
      return false;
   for (uint32_t i = 0; i < packet.size_B / 4; i++)
      destination[i] = packet.value;
   return true;
}

static bool
resolve(struct cf_transfer *transfer, const uint32_t *dw)
{
   struct cf_resolve packet;
   struct cf_image image;
   const char *bad_field;
   if (!cf_resolve_unpack(dw, &packet, &bad_field))
      return bad_packet(transfer->fault, bad_field);
   if (!cf_resolve_surface(transfer->memory, packet.surface, 0, &image, "surface", transfer->fault))
      return false;
   resolve_image(transfer, &image);
   return true;
}

/* Contents may be lost; pending clears need not be written. */
static bool
invalidate(struct cf_transfer *transfer, const uint32_t *dw)
{
   struct cf_invalidate packet;
   struct cf_image image;
   const char *bad_field;
   if (!cf_invalidate_unpack(dw, &packet, &bad_field))
      return bad_packet(transfer->fault, bad_field);
   if (!cf_resolve_surface(transfer->memory, packet.surface, 0, &image, "surface", transfer->fault))
      return false;
   cf_image_discard(&image);
   return true;
}

bool
cf_transfer_run(struct cf_transfer *transfer, const uint32_t *dw)
{
   switch ((enum cf_opcode)(dw[0] & 0xff)) {
   case CF_OPCODE_COPY:
      return copy(transfer, dw);
   case CF_OPCODE_GATHER:
      return gather(transfer, dw);
   case CF_OPCODE_REDUCE:
      return reduce(transfer, dw);
   case CF_OPCODE_COPY_BUFFER:
      return copy_buffer(transfer, dw);
   case CF_OPCODE_FILL_BUFFER:
      return fill_buffer(transfer, dw);
   case CF_OPCODE_RESOLVE:
      return resolve(transfer, dw);
   case CF_OPCODE_INVALIDATE:
      return invalidate(transfer, dw);
   default:
      return true;
   }
}
