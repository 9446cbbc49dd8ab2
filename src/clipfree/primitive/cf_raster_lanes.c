/* SPDX-License-Identifier: MIT */
/* Raster of one sample a pixel, and the table of the primitive engine at this host level. */
#define CF_WALK_SAMPLES 1
#include "clipfree/primitive/cf_raster_walk.h"

const struct cf_primitive_ops CF_LANES(cf_primitive_ops) = {
   .raster_tile = raster_tile,
   .raster_samples = CF_LANES(cf_raster_samples),
   .depth_block = CF_LANES(cf_depth_block),
   .depth_quads = CF_LANES(cf_depth_quads),
   .interpolate = CF_LANES(cf_interpolate),
};
