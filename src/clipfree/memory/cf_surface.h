/* SPDX-License-Identifier: MIT */
/*
 * Surfaces: 2D images in GPU memory, linear or in 4x4-pixel blocks (a block of a 32-bit format is
 * 64 bytes, a cache line of papers D and E), with a state per 64x64-pixel tile (struct
 * cf_tile_state) so that clears need not be written.
 *
 * Block layout: pixel (x, y) is element (x & 1) | (y & 1) << 1 | (x & 2) << 1 | (y & 2) << 2 of
 * block (x / 4, y / 4); blocks are in row order, row_pitch_B bytes a row of blocks. Width and
 * height in memory are rounded up to whole blocks.
 *
 * Samples: an image of four samples a pixel (block layout only) is four images with interleaved
 * rows of blocks: row_pitch_B covers a row of blocks of sample 0, then that of sample 1, and so on.
 * So each sample is an image of one sample with the same pitch (cf_image_sample), and the units
 * that draw only ever see such images. A tile state holds for all samples.
 */
#ifndef CF_SURFACE_H
#define CF_SURFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clipfree/interface/cf_limits.h"
#include "clipfree/memory/cf_format.h"

/* A surface as the units use it, with host pointers; checked by the command processor when it is
 * bound. data NULL: nothing is bound. */
struct cf_image {
   uint8_t *data;
   const struct cf_format_info *format;
   uint32_t width_px, height_px;
   uint32_t row_pitch_B; /* of a row of pixels (linear) or a row of blocks of all samples */
   bool blocks;          /* layout: 4x4 blocks, else linear */
   /* 0 or 1: one; CF_SAMPLES: functions below apply to all samples unless they say otherwise */
   uint32_t samples;
   struct cf_tile_state *tiles; /* NULL: memory always valid */
   uint32_t tiles_per_row;
};

struct cf_average_ops;

/** A pixel of an image: where a rectangle that is copied begins. */
struct cf_image_at {
   const struct cf_image *image;
   uint32_t x_px, y_px;
};

/** Index of a pixel inside its 4x4 block. */
static inline uint32_t
cf_block_element(uint32_t x_px, uint32_t y_px)
{
   return (x_px & 1) | (y_px & 1) << 1 | (x_px & 2) << 1 | (y_px & 2) << 2;
}

static inline uint32_t
cf_image_samples(const struct cf_image *image)
{
   return image->samples > 1 ? image->samples : 1;
}

/** One sample of an image, as an image of one sample a pixel. Its tile states are still those of
 * all samples: read it and draw to it where memory is valid, but never clear or resolve it. */
static inline struct cf_image
cf_image_sample(const struct cf_image *image, uint32_t sample)
{
   struct cf_image plane = *image;
   plane.data += (size_t)sample * (image->row_pitch_B / cf_image_samples(image));
   plane.samples = 1;
   return plane;
}

/** Byte offset of pixel (x, y), of its sample 0, from image->data. */
static inline uint32_t
cf_image_offset_B(const struct cf_image *image, uint32_t x_px, uint32_t y_px)
{
   const uint32_t bpp_B = image->format->pixel_B;
   if (!image->blocks)
      return y_px * image->row_pitch_B + x_px * bpp_B;
   return (y_px / 4) * image->row_pitch_B + ((x_px / 4) * 16 + cf_block_element(x_px, y_px)) * bpp_B;
}

/** Make one tile's memory valid for writing: write its pending clear, if any, and mark all bits
 * unknown. Call it before writing to a tile. */
void
cf_image_resolve_tile(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y);

/** The same, for reading and writing only these bits of pixels: other bits stay known. */
void
cf_image_resolve_tile_bits(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y, const uint32_t bits[4]);

/** The same, for reading only: known bits stay known, and the next clear to the same value costs
 * nothing. */
void
cf_image_resolve_tile_to_read(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y);

/** Whether part of the tile's contents is not in memory yet. */
static inline bool
cf_tile_is_pending(const struct cf_tile_state *state)
{
   return (state->pending[0] | state->pending[1] | state->pending[2] | state->pending[3]) != 0;
}

/** Whether a source tile must be resolved before concurrent calls of cf_image_copy for parts of it:
 * only some bits of its pixels are known, and of these some are pending. A tile all of whose bits
 * are known is copied from its state. */
bool
cf_image_must_resolve_to_copy(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y);

/** Discard the contents: pending clears are dropped. */
void
cf_image_discard(const struct cf_image *image);

/** Clear a rectangle (max exclusive) to the pixel bytes `value`, in the bits of `mask` (bytes of a
 * pixel). Tiles that are covered wholly only change their state, whatever the mask. */
void
cf_image_clear(const struct cf_image *image, const uint32_t value[4], const uint32_t mask[4], uint32_t min_x_px,
               uint32_t min_y_px, uint32_t max_x_px, uint32_t max_y_px);

/** Copy a rectangle of pixels byte for byte between images of equal pixel_B; layouts may differ;
 * overlapping rectangles of one image are copied as if through a temporary. The rectangle must lie
 * inside both. Where the source's tile states know the pixels, those of the destination know them
 * afterwards, and tiles that knew them before are not written. The destination's memory is valid
 * afterwards. One sample to four: each sample gets the pixel. Four to one: by `average`
 * (memory/cf_average.h), which may be NULL for other copies. */
void cf_image_copy(struct cf_image_at source, struct cf_image_at destination, uint32_t width_px,
                   uint32_t height_px, const struct cf_average_ops *average);

/** cf_image_copy of the bits of a pixel in `mask` (bytes of a pixel); the others stay. Four samples
 * to one: copies sample 0. */
void cf_image_copy_bits(struct cf_image_at source, struct cf_image_at destination,
                        uint32_t width_px, uint32_t height_px, const uint32_t mask[4]);

/** Scaled copy with nearest sampling: pixel (x, y) of the destination's rectangle, from its corner,
 * gets the source's pixel (columns[x], rows[y]), in every sample; under `mask` as in
 * cf_image_copy_bits, NULL: whole pixels. pixel_B must be equal, the source has one sample, its
 * memory must be valid, and all table entries must lie inside it. */
void cf_image_gather(const struct cf_image *source, const uint32_t *columns, const uint32_t *rows,
                     struct cf_image_at destination, uint32_t width_px, uint32_t height_px,
                     const uint32_t *mask);

#endif
