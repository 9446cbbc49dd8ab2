/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: what the pixel engine's lane files share: lane masks, and moving quads between
 * surfaces and lanes. All functions are always inlined (no copy of one host level can reach another).
 *
 * Lanes: quad q of a task is lanes 4 q .. 4 q + 3, in the order of a block's elements; so in block layout a quad is four
 * consecutive pixels, and a 4x4 block is four quads in a row.
 */
#ifndef CF_PIXEL_LANES_H
#define CF_PIXEL_LANES_H

#include <string.h>

#include "clipfree/arith/cf_fp.h"
#include "clipfree/base/cf_inline.h"
#include "clipfree/pixel/cf_depth_stored.h"
#include "clipfree/pixel/cf_pixel.h"

uint32_t
CF_LANES(cf_pixel_test_block)(const struct cf_pixel_config *config, uint32_t x_px, uint32_t y_px, uint32_t mask,
                              const float depth[16], bool front);
uint32_t
CF_LANES(cf_pixel_test_blocks)(const struct cf_pixel_config *config, const struct cf_prim *prim, uint32_t place,
                               struct cf_raster_block *blocks, uint32_t count);
uint32_t CF_LANES(cf_pixel_look_at_blocks)(const struct cf_pixel_config *config,
                                           const struct cf_prim *prim,
                                           struct cf_raster_block *blocks, uint32_t count);
uint32_t CF_LANES(cf_pixel_test_prims)(const struct cf_pixel_config *config,
                                       struct cf_prim_block *blocks, uint32_t count);
uint32_t
CF_LANES(cf_pixel_test_samples)(const struct cf_pixel_config *config, const struct cf_prim *prim, bool at_samples,
                                struct cf_raster_samples *blocks, uint32_t count);
void
CF_LANES(cf_pixel_depth_bounds)(const struct cf_pixel_config *config, enum cf_depth_side side, uint32_t x_px, uint32_t y_px,
                                int32_t bounds[16][16]);
uint32_t
CF_LANES(cf_pixel_test_quads)(const struct cf_pixel_config *config, const struct cf_quad *quads, uint32_t count, uint32_t mask,
                              const float *depth, const float *color0_alpha, uint32_t front);

/** Blend and write a task's colours to one target that has `in_words` set. */
void
CF_LANES(cf_pixel_write_words)(const struct cf_pixel_target *target, const struct cf_image *image, const struct cf_quad *quads,
                               uint32_t count, uint32_t mask, const float (*src)[CF_TASK_LANES]);

/** The same of eight quads to all samples, opaque: `target` does not blend. */
void
CF_LANES(cf_pixel_write_words_of_samples)(const struct cf_pixel_target *target, const struct cf_image *const images[CF_SAMPLES],
                                          const struct cf_quad *quads, uint32_t mask, const float (*src)[CF_TASK_LANES]);

uint32_t
CF_LANES(cf_pixel_alpha_coverage)(const struct cf_pixel_config *config, const float *color0_alpha, uint32_t sample);

/* A table, because SSE2 has no shift by a count per lane. */
static const uint32_t cf_lane_bit[CF_TASK_LANES] = {
   1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
   1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
   1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

/* All ones if the lane is in the mask. */
CF_INLINE uint32_t
lane_in(uint32_t mask, uint32_t lane)
{
   return mask & cf_lane_bit[lane] ? ~0u : 0;
}

/* The lanes of the first count quads. */
CF_INLINE uint32_t
lanes_of_quads(uint32_t count)
{
   return count >= CF_TASK_QUADS ? ~0u : (1u << 4 * count) - 1;
}

/* Position of a lane's pixel. */
CF_INLINE uint8_t *
lane_pixel(const struct cf_image *image, const struct cf_quad *quads, uint32_t lane)
{
   const struct cf_quad *quad = &quads[lane / 4];
   return image->data + cf_image_offset_B(image, quad->x_px + (lane & 1), quad->y_px + (lane >> 1 & 1));
}

/* Byte offset of a quad's four pixels, in block layout. */
CF_INLINE uint32_t
quad_offset_B(const struct cf_quad *quad, uint32_t row_pitch_B, uint32_t pixel_B)
{
   const uint32_t x = quad->x_px, y = quad->y_px;
   return y / 4 * row_pitch_B + (x / 4 * 16 + (x & 2) * 2 + (y & 2) * 4) * pixel_B;
}

/* Where the quads' pixels are, in block layout. Quads beyond count lie at `spare` (4 pixels), so that loops run over all eight. */
CF_INLINE void
locate_quads(const struct cf_image *image, const struct cf_quad *quads, uint32_t count, uint32_t pixel_B, uint8_t *spare,
             uint8_t *at[CF_TASK_QUADS])
{
   uint8_t *const data = image->data;
   const uint32_t row_pitch_B = image->row_pitch_B;
   if (count == CF_TASK_QUADS) { /* the usual case, in vectors */
      for (uint32_t q = 0; q < CF_TASK_QUADS; q++)
         at[q] = data + quad_offset_B(&quads[q], row_pitch_B, pixel_B);
      return;
   }
   for (uint32_t q = 0; q < CF_TASK_QUADS; q++)
      at[q] = q < count ? data + quad_offset_B(&quads[q], row_pitch_B, pixel_B) : spare;
}

/* Pixels of located quads, by lane. */
CF_INLINE void
gather_quads(uint8_t *const at[CF_TASK_QUADS], uint32_t pixel_B, uint8_t *lanes)
{
   for (uint32_t q = 0; q < CF_TASK_QUADS; q++)
      memcpy(lanes + q * 4 * pixel_B, at[q], 4 * pixel_B);
}

/* The reverse. Whole quads are written: lanes outside the mask must hold what was gathered. */
CF_INLINE void
scatter_quads(uint8_t *const at[CF_TASK_QUADS], uint32_t pixel_B, const uint8_t *lanes)
{
   for (uint32_t q = 0; q < CF_TASK_QUADS; q++)
      memcpy(at[q], lanes + q * 4 * pixel_B, 4 * pixel_B);
}

#endif
