/* SPDX-License-Identifier: MIT */
/*
 * Surfaces: tile states and memory under clears and resolves. Pixels are plain bytes and bits;
 * formats do not matter.
 *
 * Data flow: cf_image_clear -> tile states (and memory, for partly covered tiles) ->
 * cf_image_resolve_tile -> memory. Invariant of a tile state: bits in `known` equal `value` in
 * every pixel of the tile; those of them in `pending` are not written to memory yet. Limitations:
 * one thread per tile at a time; pixels of 1, 2, 4, 8 or 16 bytes.
 */
#include "clipfree/memory/cf_surface.h"

#include <string.h>

#include "clipfree/memory/cf_surface_rect.h"
#include "clipfree/memory/cf_surface_states.h"

static const uint32_t all_bits[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};

/* Fill a rectangle of every sample, under a mask. */
static void
fill(const struct cf_image *image, const uint32_t value[4], const uint32_t mask[4], const struct cf_rect *r)
{
   for (uint32_t sample = 0; sample < cf_image_samples(image); sample++) {
      const struct cf_image plane = cf_image_sample(image, sample);
      cf_rect_fill(&plane, value, mask, r);
   }
}

/* ------------------------------------------------------------------ resolve */

/* Write pending bits to memory. If all bits are known, whole pixels are written, which is faster
 * than writing under a mask. */
static void
write_pending(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y)
{
   struct cf_tile_state *state = cf_tile_state(image, tile_x, tile_y);
   const struct cf_rect r = cf_tile_rect(image, tile_x, tile_y);
   if (!cf_tile_is_pending(state))
      return;
   if (!cf_rect_is_empty(&r))
      fill(image, state->value, cf_tile_knows(state, cf_pixel_bits(image).bits) ? all_bits : state->pending, &r);
   memset(state->pending, 0, sizeof(state->pending));
}

void
cf_image_resolve_tile_bits(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y, const uint32_t bits[4])
{
   if (!image->tiles)
      return;
   struct cf_tile_state *state = cf_tile_state(image, tile_x, tile_y);
   uint32_t wanted = 0;
   for (uint32_t i = 0; i < 4; i++)
      wanted |= state->pending[i] & bits[i];
   if (wanted)
      write_pending(image, tile_x, tile_y);
   for (uint32_t i = 0; i < 4; i++)
      state->known[i] &= ~bits[i];
}

void
cf_image_resolve_tile(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y)
{
   cf_image_resolve_tile_bits(image, tile_x, tile_y, all_bits);
}

void
cf_image_resolve_tile_to_read(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y)
{
   if (image->tiles)
      write_pending(image, tile_x, tile_y);
}

bool
cf_image_must_resolve_to_copy(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y)
{
   const struct cf_tile_state *state = cf_tile_state(image, tile_x, tile_y);
   return cf_tile_is_pending(state) && !cf_tile_knows(state, cf_pixel_bits(image).bits);
}

void
cf_image_discard(const struct cf_image *image)
{
   const uint32_t rows = image->tiles ? (image->height_px + CF_TILE_PX - 1) / CF_TILE_PX : 0;
   for (struct cf_tile_state *state = image->tiles; state < image->tiles + rows * image->tiles_per_row; state++) {
      for (uint32_t i = 0; i < 4; i++)
         state->known[i] &= ~state->pending[i];
      memset(state->pending, 0, sizeof(state->pending));
   }
}

/* ------------------------------------------------------------------ clear */

/* Clear a whole tile by its state. Bits that are known to have this value keep their pending
 * bit. */
static void
clear_state(struct cf_tile_state *state, const uint32_t value[4], const uint32_t mask[4])
{
   for (uint32_t i = 0; i < 4; i++) {
      state->pending[i] |= mask[i] & (~state->known[i] | (state->value[i] ^ value[i]));
      state->known[i] |= mask[i];
      state->value[i] = (state->value[i] & ~mask[i]) | (value[i] & mask[i]);
   }
}

void
cf_image_clear_tile(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y, const uint32_t value[4], const uint32_t mask[4],
                    const struct cf_rect *part)
{
   if (image->tiles) {
      struct cf_tile_state *state = cf_tile_state(image, tile_x, tile_y);
      const struct cf_rect tile = cf_tile_rect(image, tile_x, tile_y);
      if (cf_tile_holds(state, value, mask))
         return;
      if (cf_rect_contains(part, &tile)) {
         clear_state(state, value, mask);
         return;
      }
      cf_image_resolve_tile_bits(image, tile_x, tile_y, mask);
   }
   fill(image, value, mask, part);
}

void
cf_image_clear(const struct cf_image *image, const uint32_t value[4], const uint32_t mask[4], uint32_t min_x_px,
               uint32_t min_y_px, uint32_t max_x_px, uint32_t max_y_px)
{
   const struct cf_rect all = {0, 0, image->width_px, image->height_px};
   const struct cf_rect asked = {min_x_px, min_y_px, max_x_px, max_y_px};
   const struct cf_rect r = cf_rect_intersect(&all, &asked);
   if (cf_rect_is_empty(&r))
      return;
   struct cf_pixel_bits bits = cf_pixel_bits(image);
   for (uint32_t i = 0; i < 4; i++)
      bits.bits[i] &= mask[i];
   for (uint32_t y = r.min_y_px / CF_TILE_PX; y <= (r.max_y_px - 1) / CF_TILE_PX; y++) {
      for (uint32_t x = r.min_x_px / CF_TILE_PX; x <= (r.max_x_px - 1) / CF_TILE_PX; x++) {
         const struct cf_rect tile = cf_tile_rect(image, x, y);
         const struct cf_rect part = cf_rect_intersect(&r, &tile);
         cf_image_clear_tile(image, x, y, value, bits.bits, &part);
      }
   }
}
