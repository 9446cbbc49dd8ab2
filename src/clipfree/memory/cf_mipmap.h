/* SPDX-License-Identifier: MIT */
/*
 * Mipmap generation: a level from the next larger one (GL ES 2.0 section 3.7.8).
 *
 * A box filter: a texel is the mean of the area of the larger image that it covers. Where a size is
 * odd, texels are covered in part and weighted by their share. Each channel is summed in f64, first
 * by columns, then along the row: normalised channels as integer codes (exact up to 16 bits),
 * rounded once to nearest, ties to even; floats as numbers; sRGB in linear light. Means of floats
 * and sRGB are rounded to f32, then to the format.
 */
#ifndef CF_MIPMAP_H
#define CF_MIPMAP_H

#include "clipfree/base/cf_lanes.h"
#include "clipfree/memory/cf_surface.h"

/** The size of the next smaller level. */
static inline uint32_t
cf_mipmap_size_px(uint32_t size_px)
{
   return size_px > 1 ? size_px / 2 : 1;
}

struct cf_mipmap_ops {
   /** Compute rows first_px .. end_px - 1 of the destination from `source`, and for 3D textures
    * also from the next slice `second` (else NULL). All have the same format, for which
    * cf_format_has_mean, one sample, and sizes as cf_mipmap_size_px says. The sources' memory must
    * be valid; the destination's tile states are ignored. */
   void (*reduce)(const struct cf_image *source, const struct cf_image *second, const struct cf_image *destination,
                  uint32_t first_px, uint32_t end_px);
};
CF_LANES_DECLARE(struct cf_mipmap_ops, cf_mipmap_ops)

#endif
