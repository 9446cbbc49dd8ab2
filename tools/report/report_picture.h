/* SPDX-License-Identifier: MIT */
/*
 * Pictures of images and of heat maps, as PNG.
 */
#ifndef REPORT_PICTURE_H
#define REPORT_PICTURE_H

#include <jansson.h>

#include "look/look_image.h"

#include "report_maps.h"

/* A file in memory. Begins as { 0 }. */
struct report_bytes {
   uint8_t *data;
   size_t size_B;
};

/** A heat map in the colours of its scale; pixels whose count is 0 are transparent. */
void report_map_png(const struct report_maps *maps, enum report_map map,
                    const struct report_scale *scale, struct report_bytes *png);

/** An image, without alpha, at most `max_width_px` wide; 0: as it is. Depth is grey. */
void report_image_png(const struct look_image *image, uint32_t max_width_px,
                      struct report_bytes *png);

/** "data:image/png;base64,...". */
json_t *report_data_url(const struct report_bytes *png);

#endif
