/* SPDX-License-Identifier: MIT */
/* Raster of one sample a pixel, and the table of the primitive engine at this host level. */
#define CF_WALK_SAMPLES 1
#include "clipfree/primitive/cf_raster_walk.h"
#include "clipfree/primitive/cf_smooth.h"

static uint32_t
raster_hard_or_smooth(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, struct cf_raster_block *blocks)
{
   if (__builtin_expect(cf_shape_is_smooth(prim->config, prim->shape), 0))
      return CF_LANES(cf_smooth_raster)(prim, x_px, y_px, blocks, raster_tile);
   return raster_tile(prim, x_px, y_px, blocks);
}

const struct cf_primitive_ops CF_LANES(cf_primitive_ops) = {
   .raster_tile = raster_hard_or_smooth,
   .raster_samples = CF_LANES(cf_raster_samples),
   .depth_quads = CF_LANES(cf_depth_quads),
   .interpolate = CF_LANES(cf_interpolate),
   .coverage = CF_LANES(cf_smooth_coverage),
};
