/* SPDX-License-Identifier: MIT */
/* What a tile's walker tells of a primitive's blocks (struct cf_block_event). */
#ifndef CF_TILE_TELL_H
#define CF_TILE_TELL_H

#include "clipfree/schedule/cf_tile.h"

/** Tell of the blocks that raster found of a primitive of the walker's draw, which is number
 * `primitive` of it, before tests and sample mask. In frames of one sample masks of sample 0 count.
 */
void cf_tile_tell_blocks(const struct cf_tile_walker *walker, const struct cf_prim *prim,
                         uint32_t primitive, const struct cf_raster_samples *blocks,
                         uint32_t count);

#endif
