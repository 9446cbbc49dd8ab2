/* SPDX-License-Identifier: MIT */
#include "clipfree/command/cf_quick_clear.h"

#include "clipfree/base/cf_for.h"

static const struct cf_image *
image_of(const struct cf_frame *frame, uint32_t i)
{
   return i == CF_MAX_COLOR_TARGETS ? &frame->zs : &frame->color[i];
}

bool
cf_quick_clear_fits(const struct cf_clear_op *op, const struct cf_frame *frame)
{
   if (op->written || op->min_x_px || op->min_y_px)
      return false;
   CF_FOR_BITS (i, op->images) {
      const struct cf_image *image = image_of(frame, i);
      if (!image->tiles || op->max_x_px < image->width_px || op->max_y_px < image->height_px)
         return false;
   }
   return true;
}

void
cf_quick_clear(const struct cf_clear_op *op, const struct cf_frame *frame)
{
   CF_FOR_BITS (i, op->images) {
      cf_image_clear(image_of(frame, i), op->value[i], op->mask[i], op->min_x_px, op->min_y_px,
                     op->max_x_px, op->max_y_px);
   }
}
