/* SPDX-License-Identifier: MIT */
/* Multisample resolve: four samples a pixel become one (GL 4.5 section 18.3.1). */
#ifndef CF_AVERAGE_H
#define CF_AVERAGE_H

#include "clipfree/base/cf_lanes.h"
#include "clipfree/memory/cf_surface.h"

struct cf_average_ops {
   /** From four samples a pixel to one, with equal pixel_B. By channel of the source's format:
    * normalised channels are averaged as integers, halves up; sRGB in linear light, in f32; floats
    * in f32 as ((s0 + s1) + (s2 + s3)) / 4; depth, stencil and integers take sample 0. Unused bits
    * become 0. The source's memory must be valid; the destination's tile states are ignored. */
   void (*image)(struct cf_image_at source, struct cf_image_at destination, uint32_t width_px,
                 uint32_t height_px);
   /** The result for a pixel whose samples are all equal, as bytes of a pixel. */
   void (*equal)(const struct cf_format_info *format, const uint32_t sample[4],
                 uint32_t average[4]);
};
CF_LANES_DECLARE(struct cf_average_ops, cf_average_ops)

#endif
