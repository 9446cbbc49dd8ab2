/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: the ring of transfers, and what cf_transfer*.c share.
 *
 * A packet is checked into the ring's next transfer (cf_transfer_next), then its loops are launched
 * (cf_transfer_launch_step). They read the transfer, so it is reused only when they are finished.
 */
#ifndef CF_TRANSFER_LOOPS_H
#define CF_TRANSFER_LOOPS_H

#include "clipfree/command/cf_model.h"
#include "clipfree/command/cf_transfer.h"
#include "clipfree/command/cf_transfer_report.h"
#include "clipfree/interface/cf_packets.h"

#define CF_TRANSFERS 16 /* transfers in flight, at most; launching another one waits */
/* loops of a transfer, at most: three that do it, and three that report to an observer */
#define CF_TRANSFER_STEPS 6
#define CF_TRANSFER_SMALL_B (32u << 10) /* copying this takes less time than waking a worker */

struct transfer_copy {
   struct cf_image source, destination;
   struct cf_copy packet;
   uint32_t mask[4];                  /* bits of a pixel to be copied; not set if all are */
   struct cf_transfer_report *report; /* NULL: no observer */
   const struct cf_average_ops *average;
   const struct cf_workers *workers;
   uint32_t bands;
   /* by worker: its next band that is not claimed */
   _Atomic uint32_t next_band[CF_MODEL_MAX_THREADS];
};

struct transfer_gather {
   struct cf_image source, destination;
   struct cf_gather packet;
   uint32_t *columns, *rows; /* copies, since the destination may overlap the packet's tables */
   uint32_t mask[4];         /* as in struct transfer_copy */
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
   /* set when it is launched; `packet`: its name and address */
   struct cf_transfer_counts *counts; /* NULL: not counted */
   struct cf_trace *trace;
   const char *packet;
   uint64_t address;
};

/* A packet whose loops are in flight. */
struct transfer {
   uint64_t loop; /* number of the last loop */
   struct step step[CF_TRANSFER_STEPS];
   uint32_t steps;
   struct cf_transfer_report report;
   struct cf_transfer_pending pending[2]; /* reports of the images that it reads */
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
   struct transfer transfer[CF_TRANSFERS]; /* ring, by number */
   uint32_t *table[CF_TRANSFERS];          /* memory for gathers' tables; grows, and is reused */
   uint32_t table_entries[CF_TRANSFERS];
   uint64_t launched; /* number of transfers so far */
   /* while a packet is checked and launched: arguments of cf_transfers_launch */
   struct cf_transfer_counts *counts;
   struct cf_fault *fault;
};

/** The transfer of the packet that is being checked and launched. */
static inline struct transfer *
cf_transfer_next(struct cf_transfers *transfers)
{
   return &transfers->transfer[transfers->launched % CF_TRANSFERS];
}

/** Set the fault of a packet that cannot be unpacked. Returns false. */
static inline bool
cf_transfer_bad_packet(struct cf_fault *fault, const char *bad_field)
{
   return cf_fault_set(fault, bad_field, "reserved bits are set, or there is no such value");
}

/** Number of rows of 64x64 tiles of an image. */
static inline uint32_t
cf_transfer_tile_rows(const struct cf_image *image)
{
   return (image->height_px + CF_TILE_PX - 1) / CF_TILE_PX;
}

/** Note that the loop launched last writes this image. */
static inline void
cf_transfer_note_written(struct cf_transfers *transfers, const struct cf_image *image)
{
   cf_written_add_image(transfers->config.written, image);
}

/** Count bytes that the transfer writes to a buffer. */
static inline void
cf_transfer_count_B(const struct cf_transfers *transfers, uint64_t size_B)
{
   if (transfers->counts)
      transfers->counts->size_B += size_B;
}

/** Count pixels that the transfer writes. */
static inline void
cf_transfer_count_pixels(const struct cf_transfers *transfers, const struct cf_image *image,
                         uint32_t width_px, uint32_t height_px)
{
   const uint64_t pixels = (uint64_t)width_px * height_px;
   if (transfers->counts)
      transfers->counts->pixels += pixels;
   cf_transfer_count_B(transfers, pixels * image->format->pixel_B * cf_image_samples(image));
}

/** Whether a rectangle of the image is too small to be worth waking a worker. */
static inline bool
cf_transfer_is_small(const struct cf_image *image, uint32_t width_px, uint32_t height_px)
{
   return (uint64_t)width_px * height_px * image->format->pixel_B * cf_image_samples(image) <=
          CF_TRANSFER_SMALL_B;
}

/** Add a loop to the next transfer and launch it. `small`: as in struct cf_loop. */
void cf_transfer_launch_step(struct cf_transfers *transfers, const struct step *step,
                             uint32_t items, bool small);

/** The report of the next transfer, whose packet has been checked. NULL: there is no observer. */
struct cf_transfer_report *cf_transfer_begin_report(struct cf_transfers *transfers,
                                                    enum cf_opcode kind);

/** Launch the loop that reports the transfer, before those that do it. */
void cf_transfer_launch_report(struct cf_transfers *transfers, struct cf_transfer_report *report);

/** Launch a loop that writes an image's pending clears, for transfers that read its memory. `image`
 * must be a member of the next transfer. */
void cf_transfer_launch_resolve(struct cf_transfers *transfers, struct cf_image *image);

/** The same for tiles that are pending in part alone, which a copy cannot take from the tile
 * state. */
void cf_transfer_launch_partial_resolve(struct cf_transfers *transfers, struct cf_image *image);

/* Packets: check one and launch its loops. False: a fault, nothing was launched. */
bool cf_transfer_copy(struct cf_transfers *transfers, const uint32_t *dw);
bool cf_transfer_gather(struct cf_transfers *transfers, const uint32_t *dw);
bool cf_transfer_reduce(struct cf_transfers *transfers, const uint32_t *dw);
bool cf_transfer_copy_buffer(struct cf_transfers *transfers, const uint32_t *dw);
bool cf_transfer_fill_buffer(struct cf_transfers *transfers, const uint32_t *dw);

#endif
