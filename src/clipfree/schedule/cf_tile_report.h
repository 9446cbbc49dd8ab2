/* SPDX-License-Identifier: MIT */
/* Events of a tile: of a primitive's blocks (struct cf_block_event), and of clears. */
#ifndef CF_TILE_REPORT_H
#define CF_TILE_REPORT_H

#include "clipfree/schedule/cf_tile.h"

/** Report the blocks of a primitive as raster found them, before tests and sample mask. primitive:
 * its number in the walker's draw. In frames of one sample only mask[0] of a block counts. */
void cf_tile_report_blocks(const struct cf_tile_walker *walker, const struct cf_prim *prim,
                           uint32_t primitive, const struct cf_raster_samples *blocks,
                           uint32_t count);

/** Report a clear in the tile; of `event` pixel_B is set here. */
void cf_tile_report_clear(const struct cf_tile_walker *walker, struct cf_clear_event *event);

#endif
