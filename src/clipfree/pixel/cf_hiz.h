/* SPDX-License-Identifier: MIT */
/*
 * Hierarchical Z of the tile being walked: the farthest, or the nearest, stored depth of each 4x4
 * block and of each region of 16x16 pixels. It finds primitives, or parts of them, all of whose
 * fragments fail the depth test, before rasterisation.
 *
 * Data flow: early tests, or looks before late tests, that hide whole blocks -> cf_hiz_count ->
 * cf_hiz_is_due -> cf_hiz_take reads the tile's depths -> cf_hiz_hidden, for each primitive.
 *
 * - Bounds are built on demand, once early tests hid so many blocks that reading the tile's depths
 *   pays. Where nothing is hidden, the only cost is a counter.
 * - Bounds are never updated. A draw preserves them or drops them (cf_pixel_config.hiz_preserved):
 *   with depth test `less` stored depths only get nearer, so the farthest bound stays valid.
 * - The bound of a primitive is its depth at a corner of a rectangle, computed by the same
 *   operations as depths of pixels. These are monotone (cf_depth_lanes.h), so no margin is needed,
 *   and results keep every bit.
 *
 * Limitations: depth in block layout only; no stencil test; no depth from the program; bounds end
 * with the walk of their tile.
 */
#ifndef CF_HIZ_H
#define CF_HIZ_H

#include "clipfree/pixel/cf_pixel.h"

#define CF_HIZ_EVERYWHERE 0xffffu
#define CF_HIZ_REGION_PX 16

struct cf_hiz {
   uint32_t side;          /* enum cf_depth_side: which bounds are held */
   /* blocks that early tests hid since bounds were read, or since the tile began */
   uint32_t hidden_blocks;
   uint32_t enough_blocks; /* hidden blocks after which bounds are read; doubles each time */
   /* blocks of the tile that were looked at before late tests, and those of them that were
    * hidden */
   uint32_t looked_blocks, found_blocks;
   /* bounds by [row][column]: stored depths, floats by their bits */
   int32_t block[16][16], region[4][4];
};

/** Begin a tile, without bounds. */
void
cf_hiz_begin(struct cf_hiz *hiz);

/** Begin a draw, after all earlier draws wrote their depths. Bounds that it does not preserve are
 * dropped. */
static inline void
cf_hiz_enter_draw(struct cf_hiz *hiz, const struct cf_pixel_config *config)
{
   hiz->side &= config->hiz_preserved;
}

/** Drop the bounds, since depths were cleared. */
static inline void
cf_hiz_drop(struct cf_hiz *hiz)
{
   hiz->side = CF_DEPTH_NONE;
}

/** Count blocks of which early tests hid all samples, if bounds could have made the tests
 * needless. */
static inline void
cf_hiz_count(struct cf_hiz *hiz, const struct cf_pixel_config *config, uint32_t blocks)
{
   hiz->hidden_blocks += config->hiz_usable ? blocks : 0;
}

/** Early tests of the blocks of a primitive at pixels' centres (cf_pixel_ops.test_blocks), or of a
 * draw with late tests a look which fragments fail already: their masks lose these. */
void cf_hiz_test_blocks(struct cf_hiz *hiz, const struct cf_pixel_ops *ops,
                        const struct cf_pixel_config *config, const struct cf_prim *prim,
                        struct cf_raster_block *blocks, uint32_t count);

/** Whether bounds should be read now (cf_hiz_take). */
static inline bool
cf_hiz_is_due(const struct cf_hiz *hiz, const struct cf_pixel_config *config)
{
   return config->hiz_usable && hiz->hidden_blocks >= hiz->enough_blocks;
}

/** Read the bounds of the tile whose upper left pixel is (x_px, y_px), over all samples. config: an
 * array, one for each sample; with `hiz_usable`. The tile must have no pending clear. */
void
cf_hiz_take(struct cf_hiz *hiz, const struct cf_pixel_ops *ops, const struct cf_pixel_config *config, uint32_t x_px, uint32_t y_px);

/** The regions of the tile where all fragments of the primitive fail the depth test: bit
 * 4 row + column. CF_HIZ_EVERYWHERE: all that it touches. 0 without bounds that the draw can
 * use. */
uint32_t
cf_hiz_hidden(const struct cf_hiz *hiz, const struct cf_pixel_config *config, const struct cf_prim *prim, uint32_t x_px,
              uint32_t y_px);

/** Whether the block at (x_px, y_px) is in one of the hidden regions. */
static inline bool
cf_hiz_hides_block(uint32_t hidden, uint32_t x_px, uint32_t y_px)
{
   const uint32_t row = y_px % CF_TILE_PX / CF_HIZ_REGION_PX, column = x_px % CF_TILE_PX / CF_HIZ_REGION_PX;
   return hidden >> (4 * row + column) & 1;
}

/** Move the blocks of one tile that are outside of the hidden regions to the front, in order.
 * Returns their number. */
uint32_t
cf_hiz_visible_blocks(uint32_t hidden, struct cf_raster_block *blocks, uint32_t count);

#endif
