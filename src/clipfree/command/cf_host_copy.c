/* SPDX-License-Identifier: MIT */
#include "clipfree/command/cf_host_copy.h"

#include "clipfree/command/cf_resolve.h"

static bool
is_inside(uint32_t first_px, uint32_t count_px, uint32_t limit_px)
{
   return first_px <= limit_px && count_px <= limit_px - first_px;
}

bool
cf_host_copy(const struct cf_memory *memory, const struct cf_host_pixels *pixels)
{
   /* without `written`: the caller has made sure that no work in flight uses the surface */
   const struct cf_resolver resolver = { .memory = memory };
   struct cf_fault fault = { .text = "" };
   struct cf_image image;
   if (!cf_resolve_unpacked_surface(&resolver, pixels->surface, 0, &image, "surface", &fault) ||
       !is_inside(pixels->x_px, pixels->width_px, image.width_px) ||
       !is_inside(pixels->y_px, pixels->height_px, image.height_px))
      return false;
   const struct cf_image rows = {
      .data = (uint8_t *)pixels->rows,
      .format = image.format,
      .width_px = pixels->width_px,
      .height_px = pixels->height_px,
      .row_pitch_B = pixels->row_pitch_B,
      .samples = 1,
   };
   cf_image_copy((struct cf_image_at){ &rows, 0, 0 },
                 (struct cf_image_at){ &image, pixels->x_px, pixels->y_px }, pixels->width_px,
                 pixels->height_px, NULL);
   return true;
}
