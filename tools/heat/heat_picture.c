/* SPDX-License-Identifier: MIT */
#include "heat/heat_picture.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ PNG in memory */

static void
append(png_structp png, png_bytep data, size_t size_B)
{
   struct heat_bytes *bytes = png_get_io_ptr(png);
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
   fprintf(stderr, "clipfree: no picture: %s\n", message);
   exit(1);
}

/* Write rows of RGB, or of steps of a scale from 1 on, with 0 for what is transparent. */
static void
write_png(struct heat_bytes *bytes, uint32_t width_px, uint32_t height_px, const uint8_t *rows,
          const struct heat_scale *scale)
{
   png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, leave, NULL);
   png_infop info = png ? png_create_info_struct(png) : NULL;
   png_color palette[1 + HEAT_LEVELS] = { { 0 } };
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

static void *
allocate(size_t size_B)
{
   void *memory = calloc(1, size_B);
   if (!memory)
      leave(NULL, "out of memory");
   return memory;
}

void
heat_rgb_png(const uint8_t *rgb, uint32_t width_px, uint32_t height_px, struct heat_bytes *png)
{
   write_png(png, width_px, height_px, rgb, NULL);
}

void
heat_png(const uint32_t *count, uint32_t width_px, uint32_t height_px,
         const struct heat_scale *scale, struct heat_bytes *png)
{
   const size_t pixels = (size_t)width_px * height_px;
   uint8_t *rows = allocate(pixels);
   for (size_t i = 0; count && i < pixels; i++)
      rows[i] = count[i] ? (uint8_t)(1 + heat_scale_step(scale, count[i])) : 0;
   write_png(png, width_px, height_px, rows, scale);
   free(rows);
}

json_t *
heat_legend(const struct heat_scale *scale)
{
   const uint32_t entries = scale->levels < 9 ? scale->levels : 9;
   json_t *legend = json_array();
   for (uint32_t i = 0; i < entries; i++) {
      const uint32_t step = entries > 1 ? i * (scale->levels - 1) / (entries - 1) : 0;
      const uint8_t *rgb = scale->rgb[step];
      json_t *entry = json_object();
      json_object_set_new(entry, "from", json_integer(scale->from[step]));
      json_object_set_new(entry, "color", json_sprintf("#%02x%02x%02x", rgb[0], rgb[1], rgb[2]));
      json_array_append_new(legend, entry);
   }
   return legend;
}

/* ------------------------------------------------------------------ base64 */

json_t *
heat_data_url(const struct heat_bytes *png)
{
   static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
   static const char head[] = "data:image/png;base64,";
   const size_t groups = (png->size_B + 2) / 3, length = sizeof(head) - 1 + 4 * groups;
   char *text = allocate(length + 1), *to = text + sizeof(head) - 1;
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
