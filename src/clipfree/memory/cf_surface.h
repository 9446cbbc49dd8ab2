/* SPDX-License-Identifier: MIT */
/*
 * Surfaces: 2D images in GPU memory, linear or in 4x4-pixel blocks (a block of a 32-bit format is 64 bytes, a cache line
 * of papers D and E), with a state per 64x64-pixel tile (struct cf_tile_state) so that clears need not be written.
 *
 * Block layout: pixel (x, y) is element (x & 1) | (y & 1) << 1 | (x & 2) << 1 | (y & 2) << 2 of block (x / 4, y / 4); blocks
 * are in row order, row_pitch_B bytes a row of blocks. Width and height in memory are rounded up to whole blocks.
 *
 * Samples: an image of four samples a pixel (block layout only) is four images whose rows of blocks take turns: row_pitch_B holds
 * a row of blocks of sample 0, then that of sample 1, and so on. So each sample alone is an image of one sample with the same
 * pitch (cf_image_sample), and the units that draw know nothing but such images. Tile states are those of all samples.
 */
#ifndef CF_SURFACE_H
#define CF_SURFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clipfree/interface/cf_limits.h"
#include "clipfree/memory/cf_format.h"

/* A surface as units use it: host pointers, checked once by the command processor. data NULL: nothing bound. */
struct cf_image {
   uint8_t *data;
   const struct cf_format_info *format;
   uint32_t width_px, height_px;
   uint32_t row_pitch_B; /* of a row of pixels (linear) or a row of blocks of all samples */
   bool blocks;          /* layout: 4x4 blocks, else linear */
   uint32_t samples;     /* 0, 1: one; CF_SAMPLES: the functions below serve all of them, except where they say otherwise */
   struct cf_tile_state *tiles; /* NULL: memory always valid */
   uint32_t tiles_per_row;
};

/** Element of a pixel inside its 4x4 block. */
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

/** One sample of an image, as an image of one sample a pixel. Its tile states are still those of all samples: it is for reading
 *  and drawing where memory is valid, never to be cleared or resolved. */
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

/** Make the memory of one tile valid: writes its pending clear, if any, and forgets what was known. Whoever writes to a tile calls it
 *  first. */
void
cf_image_resolve_tile(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y);

/** The same for who reads and writes only these bits of pixels: what is known of others stays so. */
void
cf_image_resolve_tile_bits(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y, const uint32_t bits[4]);

/** The same for who only reads: what the tile holds stays known, and the next clear with the same value costs nothing. */
void
cf_image_resolve_tile_to_read(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y);

/** Whether memory does not show all of the tile. */
static inline bool
cf_tile_is_pending(const struct cf_tile_state *state)
{
   return (state->pending[0] | state->pending[1] | state->pending[2] | state->pending[3]) != 0;
}

/** Whether cf_image_copy from an image with tile states, called for parts of it at the same time, needs the tile's memory made valid
 *  before: a part of its pixels is pending. Where all of them are, it takes them from the state. */
bool
cf_image_must_resolve_to_copy(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y);

/** cf_image_resolve_tile_to_read for the whole surface. */
void
cf_image_resolve(const struct cf_image *image);

/** The contents are not needed any more: pending clears need not be written. */
void
cf_image_discard(const struct cf_image *image);

/** Fill rectangle (max exclusive) with the pixel bytes `value`; under `mask` (bytes of a pixel, all ones = plain). Tiles that are covered
 *  whole only change their state, whatever the mask. */
void
cf_image_clear(const struct cf_image *image, const uint32_t value[4], const uint32_t mask[4], uint32_t min_x_px,
               uint32_t min_y_px, uint32_t max_x_px, uint32_t max_y_px);

/** Copy a rectangle of pixels byte for byte between images of equal pixel_B; layouts may differ; overlap in one image is as
 *  if through a temporary copy. The rectangle must lie inside both. Where tile states
 *  of the source tell the pixels, the destination's know them, too, and are not written if they did before. Memory of the destination is
 *  valid afterwards. From one sample to four: each sample gets the pixel. From four
 *  to one: cf_image_average, by the source's format. */
void
cf_image_copy(const struct cf_image *source, uint32_t source_x_px, uint32_t source_y_px, const struct cf_image *destination,
              uint32_t destination_x_px, uint32_t destination_y_px, uint32_t width_px, uint32_t height_px);

/** cf_image_copy of the bits of a pixel in `mask` (bytes of a pixel), the others stay; from four samples to one: of sample 0. */
void
cf_image_copy_bits(const struct cf_image *source, uint32_t source_x_px, uint32_t source_y_px, const struct cf_image *destination,
                   uint32_t destination_x_px, uint32_t destination_y_px, uint32_t width_px, uint32_t height_px,
                   const uint32_t mask[4]);

/** Pixels of a rectangle of the destination, each from the source's pixel at columns[its column] and rows[its row], counted from the
 *  rectangle's corner; under `mask` as in cf_image_copy_bits, NULL: all of a pixel. Images of equal pixel_B, the source of one sample, its
 *  memory valid (cf_image_resolve) and with all that the tables name; each sample of the destination gets the pixel. */
void
cf_image_gather(const struct cf_image *source, const uint32_t *columns, const uint32_t *rows, const struct cf_image *destination,
                uint32_t destination_x_px, uint32_t destination_y_px, uint32_t width_px, uint32_t height_px, const uint32_t *mask);

/** Multisample resolve (GL 4.5 section 18.3.1): pixels of an image of four samples to one of one sample and equal pixel_B. Each
 *  channel of the source's format by itself: normalised ones are averaged as integers, halves up; sRGB ones in linear light, in f32;
 *  floats in f32 as ((s0 + s1) + (s2 + s3)) / 4; depth, stencil and integers are those of sample 0. Unused bits become 0. The
 *  source's memory must be valid; the destination's tile states are not looked at. */
void
cf_image_average(const struct cf_image *source, uint32_t source_x_px, uint32_t source_y_px, const struct cf_image *destination,
                 uint32_t destination_x_px, uint32_t destination_y_px, uint32_t width_px, uint32_t height_px);

/** What cf_image_average makes of a pixel whose samples are all equal; bytes of a pixel. */
void
cf_average_equal(const struct cf_format_info *format, const uint32_t sample[4], uint32_t average[4]);

#endif
