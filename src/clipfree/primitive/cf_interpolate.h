/* SPDX-License-Identifier: MIT */
/* Private to the room: entries of cf_primitive_ops from other files than the table, at the
 * host level being compiled. */
#ifndef CF_INTERPOLATE_H
#define CF_INTERPOLATE_H

#include "clipfree/primitive/cf_primitive.h"

/** See struct cf_primitive_ops. */
uint32_t CF_LANES(cf_raster_samples)(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px,
                                     struct cf_raster_samples *blocks);
void CF_LANES(cf_depth_quads)(const struct cf_quad *quads, uint32_t count, uint32_t sample,
                              float depth[CF_TASK_LANES]);
void CF_LANES(cf_interpolate)(const struct cf_quad *quads, uint32_t count, uint32_t sysvals,
                              uint32_t varmodes, struct cf_task *task);

/** raster_smooth for a smooth primitive. `raster` is raster_tile for others. */
uint32_t CF_LANES(cf_smooth_raster)(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, struct cf_raster_block *blocks,
                                    float coverage[CF_TILE_BLOCKS][16],
                                    uint32_t (*raster)(const struct cf_prim *, uint32_t, uint32_t, struct cf_raster_block *));

#endif
