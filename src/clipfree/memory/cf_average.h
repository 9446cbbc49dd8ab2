/* SPDX-License-Identifier: MIT */
/* Averages of the four samples of a block's pixels, by channel, for cf_image_average. */
#ifndef CF_AVERAGE_H
#define CF_AVERAGE_H

#include "clipfree/base/cf_lanes.h"
#include "clipfree/memory/cf_format.h"

#define CF_BLOCK_PIXELS 16

struct cf_average_ops {
   /** The averages of the pixels of a block, as cf_image_average defines them. sample: of each
    * sample the block's 16 * pixel_B bytes; out: as many. */
   void (*block)(const struct cf_format_info *format, const uint8_t *const sample[4], uint8_t *out);
};
CF_LANES_DECLARE(struct cf_average_ops, cf_average_ops)

#endif
