/* SPDX-License-Identifier: MIT */
/*
 * Pictures of heat maps and of images, as PNG in memory, and as JSON has them. Where there is no
 * memory for them the program says so and ends.
 */
#ifndef HEAT_PICTURE_H
#define HEAT_PICTURE_H

#include <jansson.h>

#include "heat/heat_scale.h"

/* A file in memory. Begins as { 0 }. */
struct heat_bytes {
   uint8_t *data;
   size_t size_B;
};

/** Counts in the colours of their scale, row by row; where they are 0 the picture is transparent.
 * NULL: all are 0. */
void heat_png(const uint32_t *count, uint32_t width_px, uint32_t height_px,
              const struct heat_scale *scale, struct heat_bytes *png);

/** A picture of three bytes for each pixel. */
void heat_rgb_png(const uint8_t *rgb, uint32_t width_px, uint32_t height_px,
                  struct heat_bytes *png);

/** "data:image/png;base64,...". */
json_t *heat_data_url(const struct heat_bytes *png);

/** Some steps of a scale: [{"from": the least count, "color": "#rrggbb"}]. */
json_t *heat_legend(const struct heat_scale *scale);

#endif
