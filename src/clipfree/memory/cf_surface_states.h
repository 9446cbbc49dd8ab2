/* SPDX-License-Identifier: MIT */
/* Queries of tile states (struct cf_tile_state), for the files that work on surfaces. */
#ifndef CF_SURFACE_STATES_H
#define CF_SURFACE_STATES_H

#include "clipfree/memory/cf_surface_rect.h"

/* A mask of bits of a pixel. */
struct cf_pixel_bits {
   uint32_t bits[4];
};

/* All bits of an image's pixels. */
static inline struct cf_pixel_bits
cf_pixel_bits(const struct cf_image *image)
{
   struct cf_pixel_bits all;
   const int32_t bits = (int32_t)image->format->pixel_B * 8;
   for (int32_t i = 0; i < 4; i++)
      all.bits[i] = bits >= 32 * (i + 1) ? UINT32_MAX : bits <= 32 * i ? 0 : UINT32_MAX >> (32 * (i + 1) - bits);
   return all;
}

static inline struct cf_tile_state *
cf_tile_state(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y)
{
   return &image->tiles[(size_t)tile_y * image->tiles_per_row + tile_x];
}

/* Whether all these bits are known. */
static inline bool
cf_tile_knows(const struct cf_tile_state *state, const uint32_t bits[4])
{
   uint32_t unknown = 0;
   for (uint32_t i = 0; i < 4; i++)
      unknown |= bits[i] & ~state->known[i];
   return unknown == 0;
}

/* Whether these bits are known to be those of `value` in all of the tile. */
static inline bool
cf_tile_holds(const struct cf_tile_state *state, const uint32_t value[4], const uint32_t bits[4])
{
   uint32_t other = 0;
   for (uint32_t i = 0; i < 4; i++)
      other |= bits[i] & (~state->known[i] | (state->value[i] ^ value[i]));
   return other == 0;
}

/** cf_image_clear of `part` of one tile, with a mask inside cf_pixel_bits. If the image has no tile
 * states, `part` may be anywhere in it. */
void
cf_image_clear_tile(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y, const uint32_t value[4], const uint32_t mask[4],
                    const struct cf_rect *part);

#endif
