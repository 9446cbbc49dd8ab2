/* SPDX-License-Identifier: MIT */
#include "report_picture.h"

#include <math.h>
#include <stdlib.h>

#include "clipfree/memory/cf_format.h"

#include "report_alloc.h"

static bool
is_srgb(const struct cf_format_info *format)
{
   return format->channel[0].type == CF_CHANNEL_SRGB;
}

/* A pixel as it is shown: fractions, clamped. */
static void
shown(const struct look_image *image, uint32_t x_px, uint32_t y_px, float rgb[3])
{
   const struct cf_format_info *format = image->image.format;
   uint32_t pixel[4];
   float rgba[4];
   look_image_pixel(image, x_px, y_px, 0, pixel);
   cf_format_fetch(format, (const uint8_t *)pixel, rgba);
   const bool grey = format->channel[0].letter == 'z' || format->channel[0].letter == 's' ||
                     (format->channels > 1 && format->channel[1].letter == 'z');
   for (uint32_t c = 0; c < 3; c++) {
      const float value = grey ? rgba[0] : rgba[c];
      rgb[c] = value > 0 ? fminf(value, 1) : 0; /* NaN is 0 */
   }
}

/* Add the mean of a few pixels of the cell of a smaller picture. */
static void
cell_color(const struct look_image *image, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
           uint8_t rgb[3])
{
   const uint32_t w = image->image.width_px, h = image->image.height_px;
   const uint32_t steps = width < w ? 2 : 1;
   float sum[3] = { 0 }, one[3];
   for (uint32_t i = 0; i < steps * steps; i++) {
      const uint64_t column = steps * (uint64_t)x + i % steps,
                     row = steps * (uint64_t)y + i / steps;
      shown(image, (uint32_t)((2 * column + 1) * w / (2 * steps * (uint64_t)width)),
            (uint32_t)((2 * row + 1) * h / (2 * steps * (uint64_t)height)), one);
      for (uint32_t c = 0; c < 3; c++)
         sum[c] += one[c];
   }
   for (uint32_t c = 0; c < 3; c++) {
      const float mean = sum[c] / (float)(steps * steps);
      const float code = is_srgb(image->image.format) ? powf(mean, 1 / 2.2f) : mean;
      rgb[c] = (uint8_t)lrintf(255 * code);
   }
}

void
report_image_png(const struct look_image *image, uint32_t max_width_px, struct heat_bytes *png)
{
   const uint32_t w = image->image.width_px, h = image->image.height_px;
   const bool smaller = max_width_px && max_width_px < w;
   const uint32_t width = smaller ? max_width_px : w, scaled = (uint32_t)((uint64_t)h * width / w),
                  height = scaled ? scaled : 1;
   uint8_t *rows = report_alloc((size_t)width * height, 3), *at = rows;
   for (uint32_t y = 0; y < height; y++) {
      for (uint32_t x = 0; x < width; x++, at += 3)
         cell_color(image, x, y, width, height, at);
   }
   heat_rgb_png(rows, width, height, png);
   free(rows);
}
