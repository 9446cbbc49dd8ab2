/* SPDX-License-Identifier: MIT */
#include "report_picture.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/memory/cf_format.h"

#include "report_alloc.h"

/* ------------------------------------------------------------------ PNG in memory */

static void
append(png_structp png, png_bytep data, size_t size_B)
{
   struct report_bytes *bytes = png_get_io_ptr(png);
   uint8_t *grown = realloc(bytes->data, bytes->size_B + size_B);
   if (!grown)
      png_error(png, "out of memory");
   memcpy(grown + bytes->size_B, data, size_B);
   bytes->data = grown;
   bytes->size_B += size_B;
}

static void
flush(png_structp png)
{
   (void)png;
}

/* Only memory can be missing. */
_Noreturn static void
leave(png_structp png, png_const_charp message)
{
   (void)png;
   fprintf(stderr, "clipfree report: no picture: %s\n", message);
   exit(1);
}

/* Write rows of RGB, or of steps of a scale from 1 on, with 0 for what is transparent. */
static void
write_png(struct report_bytes *bytes, uint32_t width_px, uint32_t height_px, const uint8_t *rows,
          const struct report_scale *scale)
{
   png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, leave, NULL);
   png_infop info = png ? png_create_info_struct(png) : NULL;
   png_color palette[1 + REPORT_LEVELS] = { { 0 } };
   if (!info)
      leave(png, "out of memory");
   png_set_write_fn(png, bytes, append, flush);
   png_set_IHDR(png, info, width_px, height_px, 8,
                scale ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
   for (uint32_t i = 0; scale && i < scale->levels; i++)
      palette[1 + i] = (png_color){ scale->rgb[i][0], scale->rgb[i][1], scale->rgb[i][2] };
   if (scale) {
      png_set_PLTE(png, info, palette, (int)scale->levels + 1);
      png_set_tRNS(png, info, &(png_byte){ 0 }, 1, NULL);
   }
   png_write_info(png, info);
   for (uint32_t y = 0; y < height_px; y++)
      png_write_row(png, rows + (size_t)y * width_px * (scale ? 1 : 3));
   png_write_end(png, info);
   png_destroy_write_struct(&png, &info);
}

/* ------------------------------------------------------------------ heat maps */

void
report_map_png(const struct report_maps *maps, enum report_map map,
               const struct report_scale *scale, struct report_bytes *png)
{
   const size_t pixels = (size_t)maps->width_px * maps->height_px;
   uint8_t *rows = report_alloc(pixels, 1);
   for (size_t i = 0; maps->count[map] && i < pixels; i++) {
      const uint32_t count = maps->count[map][i];
      rows[i] = count ? (uint8_t)(1 + report_scale_step(scale, count)) : 0;
   }
   write_png(png, maps->width_px, maps->height_px, rows, scale);
   free(rows);
}

/* ------------------------------------------------------------------ images */

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
report_image_png(const struct look_image *image, uint32_t max_width_px, struct report_bytes *png)
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
   write_png(png, width, height, rows, NULL);
   free(rows);
}

/* ------------------------------------------------------------------ base64 */

json_t *
report_data_url(const struct report_bytes *png)
{
   static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
   static const char head[] = "data:image/png;base64,";
   const size_t groups = (png->size_B + 2) / 3, length = sizeof(head) - 1 + 4 * groups;
   char *text = report_alloc(length + 1, 1), *to = text + sizeof(head) - 1;
   memcpy(text, head, sizeof(head) - 1);
   for (size_t i = 0; i < png->size_B; i += 3, to += 4) {
      const size_t left = png->size_B - i;
      const uint32_t bits = (uint32_t)png->data[i] << 16 |
                            (left > 1 ? (uint32_t)png->data[i + 1] << 8 : 0) |
                            (left > 2 ? png->data[i + 2] : 0);
      for (uint32_t k = 0; k < 4; k++)
         to[k] = k <= left ? digits[bits >> (18 - 6 * k) & 63] : '=';
   }
   json_t *json = json_stringn(text, length);
   free(text);
   return json;
}
