/* SPDX-License-Identifier: MIT */
/* The ring of transfers, their loops and events; resolves and invalidations. */
#include "clipfree/command/cf_transfer_loops.h"

#include <stdlib.h>

#include "clipfree/base/cf_host.h"

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
   for (uint32_t i = 0; transfers && i < CF_TRANSFERS; i++)
      free(transfers->table[i]);
   free(transfers);
}

/* ------------------------------------------------------------------ loops */

static void
run_step(void *user, uint32_t worker, uint32_t item)
{
   const struct step *step = user;
   const uint64_t start_ns = step->counts || step->trace ? cf_time_ns() : 0;
   step->work(step->user, worker, item);
   if (step->counts)
      atomic_fetch_add_explicit(&step->counts->ns, cf_time_ns() - start_ns,
                                memory_order_relaxed);
   cf_trace_slice(step->trace, start_ns, .name = step->packet,
                  .number = { { "packet", step->address }, { "part", item } });
}

static uint32_t
open_step(void *user)
{
   const struct step *step = user;
   return step->open(step->user);
}

void
cf_transfer_launch_step(struct cf_transfers *transfers, const struct step *step, uint32_t items,
                        bool small)
{
   struct transfer *transfer = cf_transfer_next(transfers);
   struct step *stored = &transfer->step[transfer->steps++];
   *stored = *step;
   stored->counts = transfers->counts;
   stored->trace = transfers->config.trace;
   stored->packet = transfers->fault->packet;
   stored->address = transfers->fault->address;
   transfer->loop =
      cf_workers_launch(transfers->config.workers,
                        &(struct cf_loop){ .work = run_step,
                                           .user = stored,
                                           .items = items,
                                           .open = step->open ? open_step : NULL,
                                           .after = cf_workers_launched(transfers->config.workers),
                                           .small = small });
}

/* ------------------------------------------------------------------ events */

struct cf_transfer_report *
cf_transfer_begin_report(struct cf_transfers *transfers, enum cf_opcode kind)
{
   struct cf_transfer_report *report = &cf_transfer_next(transfers)->report;
   if (!transfers->config.observer)
      return NULL;
   *report =
      (struct cf_transfer_report){ .observer = transfers->config.observer,
                                   .memory = transfers->config.resolver->memory,
                                   .event = { .packet = transfers->fault->address, .kind = kind } };
   return report;
}

void
cf_transfer_launch_report(struct cf_transfers *transfers, struct cf_transfer_report *report)
{
   if (report)
      cf_transfer_launch_step(
         transfers, &(struct step){ .work = cf_transfer_report_event, .user = report }, 1, true);
}

/* cf_transfer_launch_report() for a transfer of one image. */
static void
launch_image_report(struct cf_transfers *transfers, enum cf_opcode kind,
                    const struct cf_image *image, uint64_t surface)
{
   struct cf_transfer_report *report = cf_transfer_begin_report(transfers, kind);
   if (report)
      cf_transfer_report_set_image(report, image, 0, 0, surface);
   cf_transfer_launch_report(transfers, report);
}

/* Launch a loop that reports and counts the tiles of an image whose pending clears the next loop
 * writes. */
static void
launch_pending_report(struct cf_transfers *transfers, const struct cf_image *image, bool to_copy)
{
   struct transfer *transfer = cf_transfer_next(transfers);
   struct cf_transfer_pending *pending = &transfer->pending[transfer->pending[0].image != NULL];
   if (!transfers->config.observer && !transfers->counts)
      return;
   *pending = (struct cf_transfer_pending){ .report = transfers->config.observer
                                                         ? &transfer->report
                                                         : NULL,
                                            .counts = transfers->counts,
                                            .image = image,
                                            .to_copy = to_copy };
   cf_transfer_launch_step(
      transfers, &(struct step){ .work = cf_transfer_report_pending, .user = pending }, 1, true);
}

/* ------------------------------------------------------------------ resolves */

/* Number of rows of tiles to resolve: all if any tile has a pending clear, else 0. */
static uint32_t
pending_rows(void *user)
{
   const struct cf_image *image = user;
   const size_t tiles = (size_t)cf_transfer_tile_rows(image) * image->tiles_per_row;
   for (size_t i = 0; i < tiles; i++) {
      if (cf_tile_is_pending(&image->tiles[i]))
         return cf_transfer_tile_rows(image);
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
   const uint32_t rows = cf_transfer_tile_rows(image);
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
   launch_pending_report(transfers, image, open == partly_pending_rows);
   cf_transfer_launch_step(transfers, &(struct step){ .work = work, .open = open, .user = image },
                           0, cf_transfer_is_small(image, image->width_px, image->height_px));
   cf_transfer_note_written(transfers, image);
}

void
cf_transfer_launch_resolve(struct cf_transfers *transfers, struct cf_image *image)
{
   launch_rows(transfers, image, resolve_tile_row, pending_rows);
}

void
cf_transfer_launch_partial_resolve(struct cf_transfers *transfers, struct cf_image *image)
{
   launch_rows(transfers, image, resolve_partly_pending, partly_pending_rows);
}

static bool
resolve(struct cf_transfers *transfers, const uint32_t *dw)
{
   struct cf_resolve packet;
   struct cf_image *image = &cf_transfer_next(transfers)->image;
   const char *bad_field;
   if (!cf_resolve_unpack(dw, &packet, &bad_field))
      return cf_transfer_bad_packet(transfers->fault, bad_field);
   if (!cf_resolve_surface(transfers->config.resolver, packet.surface, 0, image, "surface", transfers->fault))
      return false;
   launch_image_report(transfers, CF_OPCODE_RESOLVE, image, packet.surface);
   cf_transfer_launch_resolve(transfers, image);
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
   struct cf_image *image = &cf_transfer_next(transfers)->image;
   const char *bad_field;
   if (!cf_invalidate_unpack(dw, &packet, &bad_field))
      return cf_transfer_bad_packet(transfers->fault, bad_field);
   if (!cf_resolve_surface(transfers->config.resolver, packet.surface, 0, image, "surface", transfers->fault))
      return false;
   launch_image_report(transfers, CF_OPCODE_INVALIDATE, image, packet.surface);
   if (image->tiles) {
      cf_transfer_launch_step(transfers, &(struct step){ .work = discard_image, .user = image }, 1,
                              true);
      cf_transfer_note_written(transfers, image);
   }
   return true;
}

/* ------------------------------------------------------------------ packets */

static bool
launch(struct cf_transfers *transfers, const uint32_t *dw)
{
   switch ((enum cf_opcode)(dw[0] & 0xff)) {
   case CF_OPCODE_COPY:
      return cf_transfer_copy(transfers, dw);
   case CF_OPCODE_GATHER:
      return cf_transfer_gather(transfers, dw);
   case CF_OPCODE_REDUCE:
      return cf_transfer_reduce(transfers, dw);
   case CF_OPCODE_COPY_BUFFER:
      return cf_transfer_copy_buffer(transfers, dw);
   case CF_OPCODE_FILL_BUFFER:
      return cf_transfer_fill_buffer(transfers, dw);
   case CF_OPCODE_RESOLVE:
      return resolve(transfers, dw);
   case CF_OPCODE_INVALIDATE:
      return invalidate(transfers, dw);
   default:
      return true;
   }
}

bool
cf_transfers_launch(struct cf_transfers *transfers, const uint32_t *dw,
                    struct cf_transfer_counts *counts, struct cf_fault *fault)
{
   struct transfer *transfer = cf_transfer_next(transfers);
   cf_workers_finish(transfers->config.workers, transfer->loop);
   transfer->steps = 0;
   transfer->pending[0].image = NULL;
   transfers->counts = counts;
   transfers->fault = fault;
   const bool ok = launch(transfers, dw);
   transfers->launched += transfer->steps > 0;
   return ok;
}
