/* SPDX-License-Identifier: MIT */
/* Raster of one sample a pixel, and the table of the primitive engine at this host level. */
#define CF_WALK_SAMPLES 1
#include "clipfree/primitive/cf_raster_walk.h"
#include "clipfree/primitive/cf_smooth.h"

static uint32_t
raster_smooth(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, struct cf_raster_block *blocks,
              float coverage[CF_TILE_BLOCKS][16])
{
   if (cf_shape_is_smooth(prim->config, prim->shape))
      return CF_LANES(cf_smooth_raster)(prim, x_px, y_px, blocks, coverage, raster_tile);
   const uint32_t count = raster_tile(prim, x_px, y_px, blocks);
   for (uint32_t i = 0; i < count; i++)
      for (uint32_t k = 0; k < 16; k++)
         coverage[cf_tile_block(blocks[i].x_px, blocks[i].y_px)][k] = 1.0f;
   return count;
}

/* Coverage is measured, and lost. */
static __attribute__((noinline)) uint32_t
raster_touched(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, struct cf_raster_block *blocks)
{
   float coverage[CF_TILE_BLOCKS][16];
   return CF_LANES(cf_smooth_raster)(prim, x_px, y_px, blocks, coverage, raster_tile);
}

static uint32_t
raster_any(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, struct cf_raster_block *blocks)
{
   if (__builtin_expect(cf_shape_is_smooth(prim->config, prim->shape), 0))
      return raster_touched(prim, x_px, y_px, blocks);
   return raster_tile(prim, x_px, y_px, blocks);
}

const struct cf_primitive_ops CF_LANES(cf_primitive_ops) = {
   .raster_tile = raster_any,
   .raster_smooth = raster_smooth,
   .raster_samples = CF_LANES(cf_raster_samples),
   .depth_quads = CF_LANES(cf_depth_quads),
   .interpolate = CF_LANES(cf_interpolate),
};
