/* SPDX-License-Identifier: MIT */
/*
 * Mipmap generation: an image from the next larger one of its chain (GL ES 2.0 section 3.7.8).
 *
 * A box filter: a texel is the mean of the area of the larger image that it covers. Where a size is
 * odd, texels cover fractions of others, which count by their share. Channels are filtered each by
 * itself, as f64 sums of columns, and then of these: normalised ones in steps of the format (exact up to 16 bits), rounded once to
 * nearest, ties to even; floats as they are, and sRGB in linear light, rounded to f32 and then as they are stored.
 */
#ifndef CF_MIPMAP_H
#define CF_MIPMAP_H

#include "clipfree/base/cf_lanes.h"
#include "clipfree/memory/cf_surface.h"

/** The size of the next smaller image. */
static inline uint32_t
cf_mipmap_size_px(uint32_t size_px)
{
   return size_px > 1 ? size_px / 2 : 1;
}

struct cf_mipmap_ops {
   /** Rows first_px .. end_px - 1 of the destination from `source`, and for 3D textures from the next slice `second`, too (else
    *  NULL). All have one format, which cf_format_has_mean, one sample, sizes as cf_mipmap_size_px says. The sources' memory must be
    *  valid; the destination's tile states are not looked at. */
   void (*reduce)(const struct cf_image *source, const struct cf_image *second, const struct cf_image *destination,
                  uint32_t first_px, uint32_t end_px);
};
CF_LANES_DECLARE(struct cf_mipmap_ops, cf_mipmap_ops)

#endif
