/* SPDX-License-Identifier: MIT */
/* Rectangles of pixels; for cf_surface.c, cf_surface_fill.c, cf_surface_copy.c and cf_average.c. */
#ifndef CF_SURFACE_RECT_H
#define CF_SURFACE_RECT_H

#include "clipfree/arith/cf_minmax.h"
#include "clipfree/base/cf_inline.h"
#include "clipfree/interface/cf_observer.h"
#include "clipfree/memory/cf_surface.h"

/* Functions with a pixel_B are always inlined with a constant, so that a pixel moves by one load
 * and one store. */

/* Calls f(pixel_B, ...) with pixel_B a constant. */
#define CF_WITH_PIXEL_B(pixel_B, f, ...)                                                                                \
   switch (pixel_B) {                                                                                                   \
   case 1: f(1, __VA_ARGS__); break;                                                                                    \
   case 2: f(2, __VA_ARGS__); break;                                                                                    \
   case 4: f(4, __VA_ARGS__); break;                                                                                    \
   case 8: f(8, __VA_ARGS__); break;                                                                                    \
   case 16: f(16, __VA_ARGS__); break;                                                                                  \
   default: break;                                                                                                      \
   }

static inline uint32_t
cf_align_px(uint32_t px, uint32_t unit_px)
{
   return (px + unit_px - 1) / unit_px * unit_px;
}

static inline struct cf_rect
cf_rect_intersect(const struct cf_rect *a, const struct cf_rect *b)
{
   return (struct cf_rect){cf_max_u32(a->min_x_px, b->min_x_px), cf_max_u32(a->min_y_px, b->min_y_px),
                           cf_min_u32(a->max_x_px, b->max_x_px), cf_min_u32(a->max_y_px, b->max_y_px)};
}

static inline bool
cf_rect_is_empty(const struct cf_rect *r)
{
   return r->min_x_px >= r->max_x_px || r->min_y_px >= r->max_y_px;
}

static inline bool
cf_rect_contains(const struct cf_rect *outer, const struct cf_rect *inner)
{
   return outer->min_x_px <= inner->min_x_px && outer->min_y_px <= inner->min_y_px && outer->max_x_px >= inner->max_x_px &&
          outer->max_y_px >= inner->max_y_px;
}

static inline struct cf_rect
cf_rect_moved(const struct cf_rect *r, uint32_t dx_px, uint32_t dy_px)
{
   return (struct cf_rect){r->min_x_px + dx_px, r->min_y_px + dy_px, r->max_x_px + dx_px, r->max_y_px + dy_px};
}

/* The pixels of a tile that lie inside the image. */
static inline struct cf_rect
cf_tile_rect(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y)
{
   return (struct cf_rect){tile_x * CF_TILE_PX, tile_y * CF_TILE_PX, cf_min_u32((tile_x + 1) * CF_TILE_PX, image->width_px),
                           cf_min_u32((tile_y + 1) * CF_TILE_PX, image->height_px)};
}

/* Offset of pixel (x, y), as cf_image_offset_B but with constant pixel size. */
CF_INLINE size_t
cf_pixel_offset_B(uint32_t pixel_B, const struct cf_image *image, uint32_t x_px, uint32_t y_px)
{
   if (!image->blocks)
      return (size_t)y_px * image->row_pitch_B + (size_t)x_px * pixel_B;
   return (size_t)(y_px / 4) * image->row_pitch_B + (size_t)((x_px / 4) * 16 + cf_block_element(x_px, y_px)) * pixel_B;
}

/** Fill a non-empty rectangle of an image of one sample with the pixel bytes `value`, in the bits
 * of `mask`; tile states are ignored. Where the rectangle reaches the image's edge, the padding of
 * its last 4x4 blocks is filled, too. */
void
cf_rect_fill(const struct cf_image *image, const uint32_t value[4], const uint32_t mask[4], const struct cf_rect *r);

#endif
