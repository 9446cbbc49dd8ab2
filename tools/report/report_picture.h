/* SPDX-License-Identifier: MIT */
#ifndef REPORT_PICTURE_H
#define REPORT_PICTURE_H

#include "heat/heat_picture.h"
#include "look/look_image.h"

/** An image as PNG, without alpha, at most `max_width_px` wide; 0: as it is. Depth is grey. */
void report_image_png(const struct look_image *image, uint32_t max_width_px,
                      struct heat_bytes *png);

#endif
