/* SPDX-License-Identifier: MIT */
/*
 * Hierarchical Z of the tile being walked: what no stored depth is beyond, for each 4x4 block and each region of 16x16 pixels.
 * Primitives, or parts of them, that fail the depth test everywhere are found before they are rasterised.
 *
 * Data flow: blocks tested in vain -> cf_hiz_count -> cf_hiz_is_due -> cf_hiz_take reads the tile's depths -> cf_hiz_hidden,
 * for each primitive.
 *
 * - Bounds are taken when enough blocks have been tested in vain to pay for it; frames without anything hidden only count.
 * - Draws keep the bounds true or drop them (cf_pixel_config.hiz_preserved): with a test of less, stored depths only get nearer, so
 *   nothing has to be written back.
 * - A primitive's bound is the depth computed at a corner of a rectangle, by the operations of its pixels, all of which are
 *   monotone (cf_depth_lanes.h): no margin, and no bit of any result changes.
 *
 * Limitations: depth in block layout, no stencil test, no depth from the program; no depth kept nearer than a tile's walk.
 */
#ifndef CF_HIZ_H
#define CF_HIZ_H

#include "clipfree/pixel/cf_pixel.h"

#define CF_HIZ_EVERYWHERE 0xffffu
#define CF_HIZ_REGION_PX 16

struct cf_hiz {
   uint32_t side;          /* enum cf_depth_side: what the bounds are; none: there are none */
   uint32_t hidden_blocks; /* tested in vain since bounds were taken, or the tile began */
   uint32_t enough_blocks; /* to take them; twice as many each time */
   int32_t block[16][16], region[4][4]; /* [row][column]; stored depths, floats as the integers they are */
};

/** A tile begins: there are no bounds. */
void
cf_hiz_begin(struct cf_hiz *hiz);

/** A draw begins, all before it is in memory: bounds that it does not keep are dropped. */
static inline void
cf_hiz_enter_draw(struct cf_hiz *hiz, const struct cf_pixel_config *config)
{
   hiz->side &= config->hiz_preserved;
}

/** Depths were cleared. */
static inline void
cf_hiz_drop(struct cf_hiz *hiz)
{
   hiz->side = CF_DEPTH_NONE;
}

/** A draw tested so many blocks, with all their samples, in vain. Only those count that bounds might have spared it. */
static inline void
cf_hiz_count(struct cf_hiz *hiz, const struct cf_pixel_config *config, uint32_t blocks)
{
   hiz->hidden_blocks += config->hiz_usable ? blocks : 0;
}

/** Whether it is time for a draw to take bounds. */
static inline bool
cf_hiz_is_due(const struct cf_hiz *hiz, const struct cf_pixel_config *config)
{
   return config->hiz_usable && hiz->hidden_blocks >= hiz->enough_blocks;
}

/** Read the bounds of the tile whose upper left pixel is (x_px, y_px), of all samples; config: of each sample. For draws with
 *  `hiz_usable`. The tile's memory is valid. */
void
cf_hiz_take(struct cf_hiz *hiz, const struct cf_pixel_ops *ops, const struct cf_pixel_config *config, uint32_t x_px, uint32_t y_px);

/** Regions of the tile where no fragment of the primitive passes: bit 4 row + column; CF_HIZ_EVERYWHERE if there is none
 *  anywhere. Without bounds that the draw can use: 0. */
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

/** The blocks, of one tile, that are not in hidden regions: moved to the front, in order; returns their number. */
uint32_t
cf_hiz_visible_blocks(uint32_t hidden, struct cf_raster_block *blocks, uint32_t count);

#endif
