/* SPDX-License-Identifier: MIT */
/* Rasterisation with CF_SAMPLES samples a pixel. */
#define CF_WALK_SAMPLES CF_SAMPLES
#include "clipfree/primitive/cf_raster_walk.h"

uint32_t
CF_LANES(cf_raster_samples)(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, struct cf_raster_samples *blocks)
{
   return raster_tile(prim, x_px, y_px, blocks);
}
