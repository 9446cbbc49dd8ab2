/* SPDX-License-Identifier: MIT */
#include "clipfree/pixel/cf_hiz_explain.h"

#include <string.h>

#include "clipfree/arith/cf_minmax.h"
#include "clipfree/pixel/cf_depth_stored.h"
#include "clipfree/primitive/cf_prim.h"

#define REGION_PX 16

/* The plane's depth at a corner, clamped to the depth range. A value that is not finite bounds
 * nothing, so it is replaced by `otherwise`, an end of the range. */
static float
depth_at(const struct cf_depth_plane *plane, double x, double y, float otherwise)
{
   const double z = (plane->a * x + plane->b * y) + plane->c;
   const float depth = z - z == 0.0 ? (float)z : otherwise;
   return depth > plane->low ? (depth < plane->high ? depth : plane->high) : plane->low;
}

/* Bounds of the depths at all pixels, or samples, of a rectangle. */
static void
depth_range(const struct cf_pixel_config *config, const struct cf_depth_plane *plane,
            const struct cf_rect *r, float *nearest, float *farthest)
{
   const double reach_px = config->samples > 1 ? 0.5 : 0.0;
   *nearest = plane->high;
   *farthest = plane->low;
   for (uint32_t corner = 0; corner < 4; corner++) {
      const double x = corner & 1 ? r->max_x_px - 1 + reach_px : r->min_x_px - reach_px,
                   y = corner & 2 ? r->max_y_px - 1 + reach_px : r->min_y_px - reach_px;
      const float near = depth_at(plane, x, y, plane->low),
                  far = depth_at(plane, x, y, plane->high);
      *nearest = near < *nearest ? near : *nearest;
      *farthest = far > *farthest ? far : *farthest;
   }
}

/* A stored depth as an integer; a float by its bits. */
static int32_t
stored_at(const struct cf_pixel_config *config, uint32_t x_px, uint32_t y_px)
{
   uint32_t pixel = 0;
   const uint32_t size_B = cf_min_u32(config->zs.format->pixel_B, 4);
   memcpy(&pixel, config->zs.data + cf_image_offset_B(&config->zs, x_px, y_px), size_B);
   return (int32_t)(config->zs_layout == CF_ZS_Z24 ? pixel & 0xffffff : pixel);
}

/* The nearest and the farthest stored depth of a rectangle, over all samples. */
struct stored_range {
   int32_t nearest, farthest;
};

static struct stored_range
stored_range(const struct cf_pixel_config *config, const struct cf_rect *r)
{
   struct stored_range range = { INT32_MAX, INT32_MIN };
   for (uint32_t sample = 0; sample < (config->samples > 1 ? config->samples : 1); sample++) {
      for (uint32_t y = r->min_y_px; y < r->max_y_px; y++) {
         for (uint32_t x = r->min_x_px; x < r->max_x_px; x++) {
            const int32_t depth = stored_at(&config[sample], x, y);
            range.nearest = depth < range.nearest ? depth : range.nearest;
            range.farthest = depth > range.farthest ? depth : range.farthest;
         }
      }
   }
   return range;
}

/* Whether the depth test fails for every depth from `nearest` to `farthest` against every stored
 * depth. */
static bool
is_hidden(const struct cf_pixel_config *config, float nearest, float farthest,
          const struct stored_range *stored)
{
   const bool equal_passes = config->depth_stencil.depth_func & CF_COMPARE_EQUAL;
   const int32_t near = (int32_t)depth_to_stored(config->zs_layout, nearest),
                 far = (int32_t)depth_to_stored(config->zs_layout, farthest);
   const bool behind = near > stored->farthest || (near == stored->farthest && !equal_passes),
              before = far < stored->nearest || (far == stored->nearest && !equal_passes);
   return ((config->hiz_allowed & CF_DEPTH_FARTHEST) && behind) ||
          ((config->hiz_allowed & CF_DEPTH_NEAREST) && before);
}

/* The aligned square of this size that contains a pixel, cut to the image. */
static struct cf_rect
square_of(const struct cf_image *zs, uint32_t x_px, uint32_t y_px, uint32_t size_px)
{
   const uint32_t x = x_px / size_px * size_px, y = y_px / size_px * size_px;
   return (struct cf_rect){ x, y, cf_min_u32(x + size_px, zs->width_px),
                            cf_min_u32(y + size_px, zs->height_px) };
}

void
cf_hiz_explain(const struct cf_pixel_config *config, const struct cf_prim *prim,
               struct cf_block_event *event)
{
   const uint32_t x_px = event->x_px, y_px = event->y_px;
   const struct cf_rect block = { x_px, y_px, x_px + CF_BLOCK_PX, y_px + CF_BLOCK_PX };
   const struct cf_depth_plane plane = cf_prim_depth_plane(prim);
   depth_range(config, &plane, &block, &event->nearest, &event->farthest);
   event->hiz = CF_HIZ_NONE;
   if (!config->hiz_allowed)
      return;
   const struct cf_rect pixels = square_of(&config->zs, x_px, y_px, CF_BLOCK_PX),
                        region = square_of(&config->zs, x_px, y_px, REGION_PX);
   const struct stored_range of_block = stored_range(config, &pixels),
                             of_region = stored_range(config, &region);
   event->hiz =
      is_hidden(config, event->nearest, event->farthest, &of_region)  ? CF_HIZ_HIDDEN_REGION
      : is_hidden(config, event->nearest, event->farthest, &of_block) ? CF_HIZ_HIDDEN_BLOCK
                                                                      : CF_HIZ_KEPT;
}
