/* SPDX-License-Identifier: MIT */
#include "clipfree/pixel/cf_hiz.h"

#include "clipfree/arith/cf_minmax.h"
#include "clipfree/base/cf_inline.h"
#include "clipfree/pixel/cf_depth_stored.h"
#include "clipfree/primitive/cf_prim.h"

#define BLOCKS 16         /* of a tile, per axis */
#define REGIONS 4         /* of a tile, per axis */
#define REGION_BLOCKS 4   /* of a region, per axis */
#define REGION_PX CF_HIZ_REGION_PX
/* Early tests of so many blocks cost about as much as reading all depths of the tile, whatever the
 * number of samples. */
#define ENOUGH_BLOCKS 128

/* A rectangle in a tile, in pixels, blocks or regions; max exclusive. */
struct rect {
   uint32_t min_x, min_y, max_x, max_y;
};

void
cf_hiz_begin(struct cf_hiz *hiz)
{
   hiz->side = CF_DEPTH_NONE;
   hiz->hidden_blocks = 0;
   hiz->enough_blocks = ENOUGH_BLOCKS;
   hiz->looked_blocks = hiz->found_blocks = 0;
}

/* ------------------------------------------------------------------ tests before shading */

#define LOOKS 64 /* blocks of a tile that are looked at in any case */

/* Whether to look, before fragments with late tests are shaded, which of them are hidden: at the
 * tile's first blocks, and as long as every eighth is. */
static bool
looks(const struct cf_hiz *hiz, const struct cf_pixel_config *config)
{
   return config->hiz_usable && hiz->looked_blocks <= 8 * hiz->found_blocks + LOOKS;
}

void
cf_hiz_test_blocks(struct cf_hiz *hiz, const struct cf_pixel_ops *ops,
                   const struct cf_pixel_config *config, const struct cf_prim *prim,
                   struct cf_raster_block *blocks, uint32_t count)
{
   uint32_t hidden = 0;
   if (config->early_tests) {
      hidden = ops->test_blocks(config, prim, CF_SAMPLE_CENTRE, blocks, count);
   } else if (looks(hiz, config)) {
      hidden = ops->look_at_blocks(config, prim, blocks, count);
      hiz->looked_blocks += count;
      hiz->found_blocks += hidden;
   }
   cf_hiz_count(hiz, config, hidden);
}

/* ------------------------------------------------------------------ bounds of what is stored */

CF_INLINE int32_t
merge(bool farthest, int32_t a, int32_t b)
{
   return farthest == (a > b) ? a : b;
}

/* The start of a merge, which any stored depth may replace. 0 for the farthest depth: draws store
 * no less, and lower values in memory, as negative floats, must not lower the bound. */
CF_INLINE int32_t
weakest(bool farthest)
{
   return farthest ? 0 : INT32_MAX;
}

/* The bound of a rectangle of blocks. */
static int32_t
bound_of(const struct cf_hiz *hiz, const struct rect *blocks)
{
   const bool farthest = hiz->side == CF_DEPTH_FARTHEST;
   int32_t bound = weakest(farthest);
   for (uint32_t row = blocks->min_y; row < blocks->max_y; row++)
      for (uint32_t column = blocks->min_x; column < blocks->max_x; column++)
         bound = merge(farthest, hiz->block[row][column], bound);
   return bound;
}

void
cf_hiz_take(struct cf_hiz *hiz, const struct cf_pixel_ops *ops, const struct cf_pixel_config *config, uint32_t x_px, uint32_t y_px)
{
   const bool farthest = config->hiz_usable & CF_DEPTH_FARTHEST;
   hiz->side = farthest ? CF_DEPTH_FARTHEST : CF_DEPTH_NEAREST;
   hiz->hidden_blocks = 0;
   hiz->enough_blocks *= 2;
   for (uint32_t i = 0; i < BLOCKS * BLOCKS; i++)
      hiz->block[i / BLOCKS][i % BLOCKS] = weakest(farthest);
   for (uint32_t sample = 0; sample < cf_max_u32(config->samples, 1); sample++)
      ops->depth_bounds(&config[sample], hiz->side, x_px, y_px, hiz->block);
   for (uint32_t i = 0; i < REGIONS * REGIONS; i++) {
      const uint32_t row = i / REGIONS * REGION_BLOCKS, column = i % REGIONS * REGION_BLOCKS;
      const struct rect blocks = { column, row, column + REGION_BLOCKS, row + REGION_BLOCKS };
      hiz->region[i / REGIONS][i % REGIONS] = bound_of(hiz, &blocks);
   }
}

/* ------------------------------------------------------------------ bounds of primitives */

/* A bound of a primitive's depth in a rectangle of pixels, as it is stored: no fragment there is
 * nearer, or farther. (x_px, y_px): upper left pixel of the tile. A plane is extreme at a corner of
 * the rectangle. If its value there is not finite, the bound is an end of the depth range. */
static int32_t
depth_end(const struct cf_pixel_config *config, const struct cf_prim *prim, const struct rect *r, uint32_t x_px, uint32_t y_px,
          bool nearest)
{
   const struct cf_depth_plane plane = cf_prim_depth_plane(prim);
   const double reach_px = config->samples > 1 ? 0.5 : 0.0;
   const double x = (plane.a < 0.0) == nearest ? x_px + (r->max_x - 1) + reach_px : x_px + r->min_x - reach_px;
   const double y = (plane.b < 0.0) == nearest ? y_px + (r->max_y - 1) + reach_px : y_px + r->min_y - reach_px;
   const double z = (plane.a * x + plane.b * y) + plane.c;
   const bool is_number = z - z == 0.0;
   const float rounded = is_number ? (float)z : nearest ? plane.low : plane.high;
   const float above = rounded > plane.low ? rounded : plane.low;
   return (int32_t)depth_to_stored(config->zs_layout, above < plane.high ? above : plane.high);
}

static bool
is_hidden(const struct cf_hiz *hiz, const struct cf_pixel_config *config, const struct cf_prim *prim, const struct rect *r,
          uint32_t x_px, uint32_t y_px, int32_t bound)
{
   const bool farthest = hiz->side == CF_DEPTH_FARTHEST, equal_passes = config->depth_stencil.depth_func & CF_COMPARE_EQUAL;
   const int32_t end = depth_end(config, prim, r, x_px, y_px, farthest);
   return farthest ? end > bound || (end == bound && !equal_passes) : end < bound || (end == bound && !equal_passes);
}

/* Of a small primitive, at most a region wide and high: hidden everywhere or nowhere. */
static uint32_t
hidden_in_blocks(const struct cf_hiz *hiz, const struct cf_pixel_config *config, const struct cf_prim *prim, const struct rect *r,
                 uint32_t x_px, uint32_t y_px)
{
   const struct rect blocks = { r->min_x / 4, r->min_y / 4, (r->max_x + 3) / 4, (r->max_y + 3) / 4 };
   return is_hidden(hiz, config, prim, r, x_px, y_px, bound_of(hiz, &blocks)) ? CF_HIZ_EVERYWHERE : 0;
}

/* The regions that a rectangle touches. */
static struct rect
regions_of(const struct rect *r)
{
   return (struct rect){ r->min_x / REGION_PX, r->min_y / REGION_PX, (r->max_x - 1) / REGION_PX + 1, (r->max_y - 1) / REGION_PX + 1 };
}

static int32_t
bound_of_regions(const struct cf_hiz *hiz, const struct rect *regions)
{
   const bool farthest = hiz->side == CF_DEPTH_FARTHEST;
   int32_t bound = weakest(farthest);
   for (uint32_t row = regions->min_y; row < regions->max_y; row++)
      for (uint32_t column = regions->min_x; column < regions->max_x; column++)
         bound = merge(farthest, hiz->region[row][column], bound);
   return bound;
}

/* The regions where a primitive is hidden. All of them together are tried first: usually all hide
 * it or none does. */
static uint32_t
hidden_in_regions(const struct cf_hiz *hiz, const struct cf_pixel_config *config, const struct cf_prim *prim, const struct rect *r,
                  uint32_t x_px, uint32_t y_px)
{
   const struct rect regions = regions_of(r);
   uint32_t touched = 0, hidden = 0;
   if (is_hidden(hiz, config, prim, r, x_px, y_px, bound_of_regions(hiz, &regions)))
      return CF_HIZ_EVERYWHERE;
   for (uint32_t row = regions.min_y; row < regions.max_y; row++) {
      for (uint32_t column = regions.min_x; column < regions.max_x; column++) {
         const struct rect part = {
            cf_max_u32(r->min_x, column * REGION_PX), cf_max_u32(r->min_y, row * REGION_PX),
            cf_min_u32(r->max_x, (column + 1) * REGION_PX), cf_min_u32(r->max_y, (row + 1) * REGION_PX),
         };
         const uint32_t bit = 1u << (REGIONS * row + column);
         touched |= bit;
         hidden |= is_hidden(hiz, config, prim, &part, x_px, y_px, hiz->region[row][column]) ? bit : 0;
      }
   }
   return hidden == touched ? CF_HIZ_EVERYWHERE : hidden;
}

uint32_t
cf_hiz_hidden(const struct cf_hiz *hiz, const struct cf_pixel_config *config, const struct cf_prim *prim, uint32_t x_px,
              uint32_t y_px)
{
   if (!(hiz->side & config->hiz_usable))
      return 0;
   const struct cf_prim_bounds b = cf_prim_bounds_in_tile(prim, x_px, y_px);
   const struct rect r = { b.min_x_px - x_px, b.min_y_px - y_px, b.max_x_px - x_px,
                           b.max_y_px - y_px };
   const bool is_small = r.max_x - r.min_x <= REGION_PX && r.max_y - r.min_y <= REGION_PX;
   return is_small ? hidden_in_blocks(hiz, config, prim, &r, x_px, y_px) : hidden_in_regions(hiz, config, prim, &r, x_px, y_px);
}

uint32_t
cf_hiz_visible_blocks(uint32_t hidden, struct cf_raster_block *blocks, uint32_t count)
{
   uint32_t visible = 0;
   for (uint32_t i = 0; i < count; i++) {
      const struct cf_raster_block block = blocks[i];
      blocks[visible] = block;
      visible += !cf_hiz_hides_block(hidden, block.x_px, block.y_px);
   }
   return visible;
}
