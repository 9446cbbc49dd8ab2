/* SPDX-License-Identifier: MIT */
#include "clipfree/command/cf_transfer.h"

#include <stdlib.h>
#include <string.h>

#include "clipfree/base/cf_host.h"
#include "clipfree/command/cf_model.h"
#include "clipfree/command/cf_transfer_told.h"
#include "clipfree/interface/cf_packets.h"

#define TRANSFERS 16 /* in flight at most; launching another one waits */
#define STEPS 6      /* loops of a transfer, at most: three, and three that tell its observer */
#define SLICE_B (256u << 10)
#define SMALL_B (32u << 10) /* moving this takes less time than waking a worker */

static bool
bad_packet(struct cf_fault *fault, const char *bad_field)
{
   return cf_fault_set(fault, bad_field, "reserved bits are set, or there is no such value");
}

struct transfer_copy {
   struct cf_image source, destination;
   struct cf_copy packet;
   uint32_t mask[4]; /* bits of a pixel, unless all of it is copied */
   struct cf_transfer_told *told; /* NULL: nobody watches */
   const struct cf_workers *workers;
   uint32_t bands;
   /* by worker: its next band that is not claimed */
   _Atomic uint32_t next_band[CF_MODEL_MAX_THREADS];
};

struct transfer_gather {
   struct cf_image source, destination;
   struct cf_gather packet;
   uint32_t *columns, *rows; /* copies, since the destination may overlap the packet's tables */
   uint32_t mask[4]; /* bits of a pixel, unless all of it is copied */
};

struct transfer_reduction {
   const struct cf_mipmap_ops *ops;
   struct cf_image source, second, destination;
   bool has_second;
};

struct buffer_copy {
   const uint8_t *source;
   uint8_t *destination;
   uint32_t size_B;
};

struct buffer_fill {
   uint32_t *destination;
   uint32_t size_B, value;
};

/* A loop of a transfer. */
struct step {
   cf_work_item work;
   uint32_t (*open)(void *user); /* as in struct cf_loop; may be NULL */
   void *user;
   _Atomic uint64_t *ns;
};

/* A packet whose loops are in flight. */
struct transfer {
   uint64_t loop; /* the last one */
   struct step step[STEPS];
   uint32_t steps;
   struct cf_transfer_told told;
   struct cf_transfer_pending pending[2]; /* of the images it reads */
   union {
      struct transfer_copy copy;
      struct transfer_gather gather;
      struct transfer_reduction reduction;
      struct buffer_copy buffer_copy;
      struct buffer_fill buffer_fill;
      struct cf_image image;
   };
};

struct cf_transfers {
   struct cf_transfer_config config;
   struct transfer transfer[TRANSFERS]; /* ring, by number */
   uint32_t *table[TRANSFERS];          /* memory for gathers' tables; grows, and is reused */
   uint32_t table_entries[TRANSFERS];
   uint64_t launched;
   /* valid while a packet is launched */
   _Atomic uint64_t *ns;
   struct cf_fault *fault;
};

struct cf_transfers *
cf_transfers_create(const struct cf_transfer_config *config)
{
   struct cf_transfers *transfers = calloc(1, sizeof(*transfers));
   if (transfers)
      transfers->config = *config;
   return transfers;
}

void
cf_transfers_destroy(struct cf_transfers *transfers)
{
   for (uint32_t i = 0; transfers && i < TRANSFERS; i++)
      free(transfers->table[i]);
   free(transfers);
}

/* ------------------------------------------------------------------ loops */

static struct transfer *
next_transfer(struct cf_transfers *transfers)
{
   return &transfers->transfer[transfers->launched % TRANSFERS];
}

static void
run_step(void *user, uint32_t worker, uint32_t item)
{
   const struct step *step = user;
   const uint64_t start_ns = step->ns ? cf_time_ns() : 0;
   step->work(step->user, worker, item);
   if (step->ns)
      atomic_fetch_add_explicit(step->ns, cf_time_ns() - start_ns, memory_order_relaxed);
}

static uint32_t
open_step(void *user)
{
   const struct step *step = user;
   return step->open(step->user);
}

/* Add a loop to the next transfer and launch it. `small`: as in struct cf_loop. */
static void
launch_step(struct cf_transfers *transfers, const struct step *step, uint32_t items, bool small)
{
   struct transfer *transfer = next_transfer(transfers);
   struct step *kept = &transfer->step[transfer->steps++];
   *kept = *step;
   kept->ns = transfers->ns;
   transfer->loop = cf_workers_launch(transfers->config.workers,
                                      &(struct cf_loop){ .work = run_step,
                                                         .user = kept,
                                                         .items = items,
                                                         .open = step->open ? open_step : NULL,
                                                         .after = cf_workers_launched(transfers->config.workers),
                                                         .small = small });
}

/* The loop launched last writes this image. */
static void
note_written(struct cf_transfers *transfers, const struct cf_image *image)
{
   cf_written_add_image(transfers->config.written, image);
}

/* Whether a rectangle of the image is too small to be worth waking a worker. */
static bool
is_small(const struct cf_image *image, uint32_t width_px, uint32_t height_px)
{
   return (uint64_t)width_px * height_px * image->format->pixel_B * cf_image_samples(image) <= SMALL_B;
}

/* ------------------------------------------------------------------ who watches */

/* What is told of the next transfer, whose packet has been checked. NULL: nobody watches. */
static struct cf_transfer_told *
begin_told(struct cf_transfers *transfers, enum cf_opcode kind)
{
   struct cf_transfer_told *told = &next_transfer(transfers)->told;
   if (!transfers->config.observer)
      return NULL;
   *told =
      (struct cf_transfer_told){ .observer = transfers->config.observer,
                                 .memory = transfers->config.resolver->memory,
                                 .event = { .packet = transfers->fault->address, .kind = kind } };
   return told;
}

/* It is told before what the transfer does. */
static void
launch_told(struct cf_transfers *transfers, struct cf_transfer_told *told)
{
   if (told)
      launch_step(transfers, &(struct step){ .work = cf_transfer_tell, .user = told }, 1, true);
}

/* Of a transfer of one image. */
static void
launch_told_image(struct cf_transfers *transfers, enum cf_opcode kind, const struct cf_image *image,
                  uint64_t surface)
{
   struct cf_transfer_told *told = begin_told(transfers, kind);
   if (told)
      cf_transfer_told_image(told, image, 0, 0, surface);
   launch_told(transfers, told);
}

/* An image's pending clears are going to be written. */
static void
launch_told_pending(struct cf_transfers *transfers, const struct cf_image *image, bool to_copy)
{
   struct transfer *transfer = next_transfer(transfers);
   struct cf_transfer_pending *pending = &transfer->pending[transfer->pending[0].image != NULL];
   if (!transfers->config.observer)
      return;
   *pending =
      (struct cf_transfer_pending){ .told = &transfer->told, .image = image, .to_copy = to_copy };
   launch_step(transfers, &(struct step){ .work = cf_transfer_tell_pending, .user = pending }, 1,
               true);
}

/* ------------------------------------------------------------------ resolves */

static uint32_t
tile_rows(const struct cf_image *image)
{
   return (image->height_px + CF_TILE_PX - 1) / CF_TILE_PX;
}

/* Number of rows of tiles to resolve: all if any tile has a pending clear, else 0. */
static uint32_t
pending_rows(void *user)
{
   const struct cf_image *image = user;
   const size_t tiles = (size_t)tile_rows(image) * image->tiles_per_row;
   for (size_t i = 0; i < tiles; i++) {
      if (cf_tile_is_pending(&image->tiles[i]))
         return tile_rows(image);
   }
   return 0;
}

static void
resolve_tile_row(void *user, uint32_t worker, uint32_t item)
{
   const struct cf_image *image = user;
   (void)worker;
   for (uint32_t x = 0; x < image->tiles_per_row; x++)
      cf_image_resolve_tile_to_read(image, x, item);
}

/* The same for tiles that are pending in part, which a copy cannot take from the tile state. */
static uint32_t
partly_pending_rows(void *user)
{
   const struct cf_image *image = user;
   const uint32_t rows = tile_rows(image);
   for (uint32_t i = 0; i < rows * image->tiles_per_row; i++) {
      if (cf_image_must_resolve_to_copy(image, i % image->tiles_per_row, i / image->tiles_per_row))
         return rows;
   }
   return 0;
}

static void
resolve_partly_pending(void *user, uint32_t worker, uint32_t item)
{
   const struct cf_image *image = user;
   (void)worker;
   for (uint32_t x = 0; x < image->tiles_per_row; x++) {
      if (cf_image_must_resolve_to_copy(image, x, item))
         cf_image_resolve_tile_to_read(image, x, item);
   }
}

/* Launch a loop over the image's rows of tiles. `image` must be a member of the transfer. */
static void
launch_rows(struct cf_transfers *transfers, struct cf_image *image, cf_work_item work, uint32_t (*open)(void *user))
{
   if (!image->tiles)
      return;
   launch_told_pending(transfers, image, open == partly_pending_rows);
   launch_step(transfers, &(struct step){ .work = work, .open = open, .user = image }, 0,
               is_small(image, image->width_px, image->height_px));
   note_written(transfers, image);
}

static void
launch_resolve(struct cf_transfers *transfers, struct cf_image *image)
{
   launch_rows(transfers, image, resolve_tile_row, pending_rows);
}

static bool
resolve(struct cf_transfers *transfers, const uint32_t *dw)
{
   struct cf_resolve packet;
   struct cf_image *image = &next_transfer(transfers)->image;
   const char *bad_field;
   if (!cf_resolve_unpack(dw, &packet, &bad_field))
      return bad_packet(transfers->fault, bad_field);
   if (!cf_resolve_surface(transfers->config.resolver, packet.surface, 0, image, "surface", transfers->fault))
      return false;
   launch_told_image(transfers, CF_OPCODE_RESOLVE, image, packet.surface);
   launch_resolve(transfers, image);
   return true;
}

static void
discard_image(void *user, uint32_t worker, uint32_t item)
{
   (void)worker;
   (void)item;
   cf_image_discard(user);
}

/* The image's contents become undefined: pending clears are dropped. */
static bool
invalidate(struct cf_transfers *transfers, const uint32_t *dw)
{
   struct cf_invalidate packet;
   struct cf_image *image = &next_transfer(transfers)->image;
   const char *bad_field;
   if (!cf_invalidate_unpack(dw, &packet, &bad_field))
      return bad_packet(transfers->fault, bad_field);
   if (!cf_resolve_surface(transfers->config.resolver, packet.surface, 0, image, "surface", transfers->fault))
      return false;
   launch_told_image(transfers, CF_OPCODE_INVALIDATE, image, packet.surface);
   if (image->tiles) {
      launch_step(transfers, &(struct step){ .work = discard_image, .user = image }, 1, true);
      note_written(transfers, image);
   }
   return true;
}

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
   const uint32_t end_px = first_px + height_px, row_px = (first_px / CF_TILE_PX + item) * CF_TILE_PX;
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
   return a_begin < b_begin + (uint64_t)b_rows * b->row_pitch_B && b_begin < a_begin + (uint64_t)a_rows * a->row_pitch_B;
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
   const uint32_t first_row = copy->packet.source_y_px / CF_TILE_PX, count = cf_workers_count(workers);
   copy->workers = workers;
   copy->bands = bands(copy->packet.destination_y_px, copy->packet.height_px);
   for (uint32_t band = 0; band < count; band++)
      atomic_store_explicit(&copy->next_band[cf_workers_home(workers, first_row + band)], band, memory_order_relaxed);
}

/* Claim a band for a worker: the next of its own, else of another worker's. Called once per band,
 * so one is always left. */
static uint32_t
take_band(struct transfer_copy *copy, uint32_t worker)
{
   const uint32_t count = cf_workers_count(copy->workers);
   for (uint32_t i = worker;; i = i + 1 < count ? i + 1 : 0) {
      const uint32_t band = atomic_fetch_add_explicit(&copy->next_band[i], count, memory_order_relaxed);
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
   if (copy->told)
      cf_transfer_told_copy(copy->told, &copy->source, &copy->destination);
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

static bool
copy(struct cf_transfers *transfers, const uint32_t *dw)
{
   struct transfer_copy *copy = &next_transfer(transfers)->copy;
   const struct cf_copy *packet = &copy->packet;
   const struct cf_resolver *resolver = transfers->config.resolver;
   struct cf_fault *fault = transfers->fault;
   const char *bad_field;
   if (!cf_copy_unpack(dw, &copy->packet, &bad_field))
      return bad_packet(fault, bad_field);
   if (!cf_resolve_surface(resolver, packet->source, 0, &copy->source, "source", fault) ||
       !cf_resolve_surface(resolver, packet->destination, 0, &copy->destination, "destination", fault) ||
       !check_copy(copy, fault) || !find_part(&copy->source, &copy->destination, packet->part, copy->mask, fault))
      return false;
   if (packet->width_px == 0 || packet->height_px == 0)
      return true;
   copy->told = begin_told(transfers, CF_OPCODE_COPY);
   if (copy->told)
      cf_transfer_told_begin_copy(copy->told, packet, &copy->destination, copy->mask);
   launch_told(transfers, copy->told);
   /* before the copy, so that two bands never resolve the same source tile at once */
   launch_rows(transfers, &copy->source, resolve_partly_pending, partly_pending_rows);
   share_bands(copy, transfers->config.workers);
   const bool in_one = copy->told || images_overlap(&copy->source, &copy->destination);
   launch_step(transfers, &(struct step){ .work = in_one ? copy_all : copy_band, .user = copy },
               in_one ? 1 : copy->bands,
               is_small(&copy->destination, packet->width_px, packet->height_px));
   note_written(transfers, &copy->destination);
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
         return cf_fault_set(fault, field, "number %u is %u, the source ends at %u", i, table[i], limit_px);
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
   const uint32_t slot = (uint32_t)(transfers->launched % TRANSFERS), entries = packet->width_px + packet->height_px;
   if (entries > transfers->table_entries[slot]) {
      free(transfers->table[slot]);
      transfers->table[slot] = malloc(entries * sizeof(uint32_t));
      transfers->table_entries[slot] = transfers->table[slot] ? entries : 0;
   }
   gather->columns = transfers->table[slot];
   if (!gather->columns)
      return cf_fault_set(fault, "columns", "out of host memory");
   gather->rows = gather->columns + packet->width_px;
   return copy_table(resolver, packet->columns, packet->width_px, gather->source.width_px, gather->columns, "columns", fault) &&
          copy_table(resolver, packet->rows, packet->height_px, gather->source.height_px, gather->rows, "rows", fault);
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

static bool
gather(struct cf_transfers *transfers, const uint32_t *dw)
{
   struct transfer_gather *gather = &next_transfer(transfers)->gather;
   const struct cf_gather *packet = &gather->packet;
   const struct cf_resolver *resolver = transfers->config.resolver;
   struct cf_fault *fault = transfers->fault;
   const char *bad_field;
   if (!cf_gather_unpack(dw, &gather->packet, &bad_field))
      return bad_packet(fault, bad_field);
   if (!cf_resolve_surface(resolver, packet->source, 0, &gather->source, "source", fault) ||
       !cf_resolve_surface(resolver, packet->destination, 0, &gather->destination, "destination", fault) ||
       !check_gather(gather, fault) ||
       !find_part(&gather->source, &gather->destination, packet->part, gather->mask, fault))
      return false;
   if (packet->width_px == 0 || packet->height_px == 0)
      return true;
   if (!copy_tables(transfers, gather))
      return false;
   struct cf_transfer_told *told = begin_told(transfers, CF_OPCODE_GATHER);
   if (told)
      cf_transfer_told_gather(told, packet, gather->columns, gather->rows, &gather->destination,
                              gather->mask);
   launch_told(transfers, told);
   launch_resolve(transfers, &gather->source);
   const bool overlap = images_overlap(&gather->source, &gather->destination);
   launch_step(transfers, &(struct step){ .work = overlap ? gather_all : gather_band, .user = gather },
               overlap ? 1 : bands(packet->destination_y_px, packet->height_px),
               is_small(&gather->destination, packet->width_px, packet->height_px));
   note_written(transfers, &gather->destination);
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
   reduction->ops->reduce(&reduction->source, reduction->has_second ? &reduction->second : NULL, to, first_px,
                          last_px < to->height_px ? last_px : to->height_px);
}

static void
reduce_all(void *user, uint32_t worker, uint32_t item)
{
   const struct transfer_reduction *reduction = user;
   (void)item;
   for (uint32_t i = 0; i < tile_rows(&reduction->destination); i++)
      reduce_band(user, worker, i);
}

static bool
reduce(struct cf_transfers *transfers, const uint32_t *dw)
{
   struct transfer_reduction *reduction = &next_transfer(transfers)->reduction;
   struct cf_image *destination = &reduction->destination;
   const struct cf_resolver *resolver = transfers->config.resolver;
   struct cf_fault *fault = transfers->fault;
   struct cf_reduce packet;
   const char *bad_field;
   if (!cf_reduce_unpack(dw, &packet, &bad_field))
      return bad_packet(fault, bad_field);
   reduction->ops = transfers->config.mipmap;
   reduction->has_second = packet.second != 0;
   if (!cf_resolve_surface(resolver, packet.source, 0, &reduction->source, "source", fault) ||
       (reduction->has_second && !cf_resolve_surface(resolver, packet.second, 0, &reduction->second, "second", fault)) ||
       !cf_resolve_surface(resolver, packet.destination, 0, destination, "destination", fault) ||
       !check_reduction(reduction, fault))
      return false;
   struct cf_transfer_told *told = begin_told(transfers, CF_OPCODE_REDUCE);
   if (told)
      cf_transfer_told_image(told, destination, packet.source, packet.second, packet.destination);
   launch_told(transfers, told);
   bool overlap = images_overlap(&reduction->source, destination);
   launch_resolve(transfers, &reduction->source);
   if (reduction->has_second) {
      launch_resolve(transfers, &reduction->second);
      overlap = overlap || images_overlap(&reduction->second, destination);
   }
   launch_step(transfers, &(struct step){ .work = overlap ? reduce_all : reduce_band, .user = reduction },
               overlap ? 1 : tile_rows(destination), is_small(destination, destination->width_px, destination->height_px));
   note_written(transfers, destination);
   return true;
}

/* ------------------------------------------------------------------ buffers */

static void
launch_told_buffers(struct cf_transfers *transfers, enum cf_opcode kind, uint64_t source,
                    uint32_t value, uint64_t destination, uint32_t size_B)
{
   struct cf_transfer_told *told = begin_told(transfers, kind);
   if (told)
      cf_transfer_told_buffers(told, source, value, destination, size_B);
   launch_told(transfers, told);
}

static uint32_t
slices(uint32_t size_B)
{
   return size_B / SLICE_B + (size_B % SLICE_B != 0);
}

static uint32_t
slice_size_B(uint32_t size_B, uint32_t item)
{
   const uint32_t left_B = size_B - item * SLICE_B;
   return left_B < SLICE_B ? left_B : SLICE_B;
}

static void
copy_slice(void *user, uint32_t worker, uint32_t item)
{
   const struct buffer_copy *copy = user;
   const size_t at_B = (size_t)item * SLICE_B;
   (void)worker;
   memcpy(copy->destination + at_B, copy->source + at_B, slice_size_B(copy->size_B, item));
}

static void
move_buffer(void *user, uint32_t worker, uint32_t item)
{
   const struct buffer_copy *copy = user;
   (void)worker;
   (void)item;
   memmove(copy->destination, copy->source, copy->size_B);
}

static bool
copy_buffer(struct cf_transfers *transfers, const uint32_t *dw)
{
   struct buffer_copy *copy = &next_transfer(transfers)->buffer_copy;
   const struct cf_resolver *resolver = transfers->config.resolver;
   struct cf_copy_buffer packet;
   const char *bad_field;
   if (!cf_copy_buffer_unpack(dw, &packet, &bad_field))
      return bad_packet(transfers->fault, bad_field);
   copy->size_B = packet.size_B;
   copy->source = cf_resolve_memory(resolver, packet.source, packet.size_B, 1, "source", transfers->fault);
   copy->destination =
      (uint8_t *)cf_resolve_memory(resolver, packet.destination, packet.size_B, 1, "destination", transfers->fault);
   if (!copy->source || !copy->destination)
      return false;
   launch_told_buffers(transfers, CF_OPCODE_COPY_BUFFER, packet.source, 0, packet.destination,
                       packet.size_B);
   const bool overlap = copy->source < copy->destination + copy->size_B && copy->destination < copy->source + copy->size_B;
   launch_step(transfers, &(struct step){ .work = overlap ? move_buffer : copy_slice, .user = copy },
               overlap ? 1 : slices(copy->size_B), copy->size_B <= SMALL_B);
   cf_written_add(transfers->config.written, copy->destination, copy->size_B);
   return true;
}

static void
fill_slice(void *user, uint32_t worker, uint32_t item)
{
   const struct buffer_fill *fill = user;
   uint32_t *to = fill->destination + (size_t)item * (SLICE_B / 4);
   const uint32_t count = slice_size_B(fill->size_B, item) / 4;
   (void)worker;
   for (uint32_t i = 0; i < count; i++)
      to[i] = fill->value;
}

static bool
fill_buffer(struct cf_transfers *transfers, const uint32_t *dw)
{
   struct buffer_fill *fill = &next_transfer(transfers)->buffer_fill;
   struct cf_fill_buffer packet;
   const char *bad_field;
   if (!cf_fill_buffer_unpack(dw, &packet, &bad_field))
      return bad_packet(transfers->fault, bad_field);
   if (packet.size_B % 4)
      return cf_fault_set(transfers->fault, "size_B", "%u is not a multiple of 4", packet.size_B);
   *fill = (struct buffer_fill){ .size_B = packet.size_B, .value = packet.value };
   fill->destination = (uint32_t *)cf_resolve_memory(transfers->config.resolver, packet.destination, packet.size_B, 4,
                                                     "destination", transfers->fault);
   if (!fill->destination)
      return false;
   launch_told_buffers(transfers, CF_OPCODE_FILL_BUFFER, 0, packet.value, packet.destination,
                       packet.size_B);
   launch_step(transfers, &(struct step){ .work = fill_slice, .user = fill }, slices(fill->size_B), fill->size_B <= SMALL_B);
   cf_written_add(transfers->config.written, fill->destination, fill->size_B);
   return true;
}

/* ------------------------------------------------------------------ packets */

static bool
launch(struct cf_transfers *transfers, const uint32_t *dw)
{
   switch ((enum cf_opcode)(dw[0] & 0xff)) {
   case CF_OPCODE_COPY:
      return copy(transfers, dw);
   case CF_OPCODE_GATHER:
      return gather(transfers, dw);
   case CF_OPCODE_REDUCE:
      return reduce(transfers, dw);
   case CF_OPCODE_COPY_BUFFER:
      return copy_buffer(transfers, dw);
   case CF_OPCODE_FILL_BUFFER:
      return fill_buffer(transfers, dw);
   case CF_OPCODE_RESOLVE:
      return resolve(transfers, dw);
   case CF_OPCODE_INVALIDATE:
      return invalidate(transfers, dw);
   default:
      return true;
   }
}

bool
cf_transfers_launch(struct cf_transfers *transfers, const uint32_t *dw, _Atomic uint64_t *ns, struct cf_fault *fault)
{
   struct transfer *transfer = next_transfer(transfers);
   cf_workers_finish(transfers->config.workers, transfer->loop);
   transfer->steps = 0;
   transfer->pending[0].image = NULL;
   transfers->ns = ns;
   transfers->fault = fault;
   const bool ok = launch(transfers, dw);
   transfers->launched += transfer->steps > 0;
   return ok;
}
