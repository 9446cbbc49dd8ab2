/* SPDX-License-Identifier: MIT */
#include "replay_png.h"

#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "look/look_file.h"

#include "clipfree/memory/cf_format.h"

/* What the file has of a pixel. */
struct layout {
   uint32_t channels; /* 1: grey; 3: r, g, b; 4: and a */
   uint32_t bits;     /* of each: 8 or 16 */
};

/* ------------------------------------------------------------------ pixels */

static struct layout
layout_of(const struct replay_found *found)
{
   const struct cf_format_info *format = found->image.image.format;
   struct layout layout = { .channels = format->view[3] == CF_VIEW_ONE ? 3 : 4, .bits = 8 };
   if (found->aspect != REPLAY_COLOR)
      return (struct layout){ .channels = 1, .bits = found->aspect == REPLAY_DEPTH ? 16 : 8 };
   for (uint32_t c = 0; c < format->channels; c++) {
      if (format->channel[c].bits > 8)
         layout.bits = 16;
   }
   return layout;
}

static uint32_t
code_of(const struct cf_format_channel *channel, const uint32_t pixel[4])
{
   const uint32_t dw = channel->offset_bits / 32;
   const uint64_t word = pixel[dw] | (dw < 3 ? (uint64_t)pixel[dw + 1] << 32 : 0);
   return (uint32_t)(word >> channel->offset_bits % 32) & cf_channel_max(channel->bits);
}

/* A number in [0, 1], clamped; NaN is 0. */
static uint32_t
scaled(double value, uint32_t max)
{
   return value > 0 ? (uint32_t)lrint(fmin(value, 1) * max) : 0;
}

/* A channel as the file has it: fractions scaled, integers clamped, sRGB codes as they are. */
static uint32_t
sample_of(const struct cf_format_channel *channel, const uint32_t pixel[4], uint32_t max)
{
   const uint32_t code = code_of(channel, pixel);
   switch (channel->type) {
   case CF_CHANNEL_UNORM:
   case CF_CHANNEL_SRGB: return scaled(code / (double)cf_channel_max(channel->bits), max);
   case CF_CHANNEL_UINT: return code < max ? code : max;
   case CF_CHANNEL_SINT: {
      const int32_t value = cf_sign_extend(code, channel->bits);
      return value < 0 ? 0 : (uint32_t)value < max ? (uint32_t)value : max;
   }
   default: return scaled((double)cf_channel_decode(channel->type, channel->bits, code), max);
   }
}

/* The channel with this letter; NULL: there is none. */
static const struct cf_format_channel *
channel_of(const struct cf_format_info *format, char letter)
{
   for (uint32_t c = 0; c < format->channels; c++) {
      if (format->channel[c].letter == letter)
         return &format->channel[c];
   }
   return NULL;
}

/* Channel i of the file, of a pixel. */
static uint32_t
file_sample(const struct replay_found *found, const struct layout *layout,
            const uint32_t pixel[4], uint32_t i)
{
   const struct cf_format_info *format = found->image.image.format;
   const uint32_t max = layout->bits == 16 ? 65535 : 255, view = format->view[i];
   if (found->aspect != REPLAY_COLOR)
      return sample_of(channel_of(format, found->aspect == REPLAY_DEPTH ? 'z' : 's'), pixel, max);
   if (view == CF_VIEW_ZERO || view == CF_VIEW_ONE)
      return view == CF_VIEW_ONE ? max : 0;
   return sample_of(&format->channel[view], pixel, max);
}

static void
fill_row(const struct replay_found *found, const struct layout *layout, uint32_t y_px, uint8_t *row)
{
   uint32_t pixel[4];
   for (uint32_t x = 0; x < found->image.image.width_px; x++) {
      look_image_pixel(&found->image, x, y_px, found->sample, pixel);
      for (uint32_t i = 0; i < layout->channels; i++) {
         const uint32_t sample = file_sample(found, layout, pixel, i);
         if (layout->bits == 16)
            *row++ = (uint8_t)(sample >> 8);
         *row++ = (uint8_t)sample;
      }
   }
}

/* ------------------------------------------------------------------ files */

/* libpng leaves it through longjmp, so nothing here is kept in a variable that it changes. */
static bool
write_rows(png_structp png, png_infop info, const struct replay_found *found,
           const struct layout *layout, uint8_t *row)
{
   static const int color_type[] = { [1] = PNG_COLOR_TYPE_GRAY,
                                     [3] = PNG_COLOR_TYPE_RGB,
                                     [4] = PNG_COLOR_TYPE_RGB_ALPHA };
   const struct cf_image *image = &found->image.image;
   if (setjmp(png_jmpbuf(png)))
      return false;
   png_set_IHDR(png, info, image->width_px, image->height_px, (int)layout->bits,
                color_type[layout->channels], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                PNG_FILTER_TYPE_DEFAULT);
   png_write_info(png, info);
   for (uint32_t y = 0; y < image->height_px; y++) {
      fill_row(found, layout, y, row);
      png_write_row(png, row);
   }
   png_write_end(png, info);
   return true;
}

/* The stream's error, which stays, says why writes failed; libpng's text does not. */
static void
leave(png_structp png, png_const_charp message)
{
   (void)message;
   png_longjmp(png, 1);
}

static bool
write_png(FILE *file, const struct replay_found *found)
{
   const struct layout layout = layout_of(found);
   uint8_t *row = malloc((size_t)found->image.image.width_px * layout.channels * layout.bits / 8);
   png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, leave, NULL);
   png_infop info = png ? png_create_info_struct(png) : NULL;
   bool ok = row && info;
   if (ok) {
      png_init_io(png, file);
      ok = write_rows(png, info, found, &layout, row);
   }
   png_destroy_write_struct(&png, &info);
   free(row);
   return ok;
}

bool
replay_png(const struct replay_found *found, const char *path, char *error, size_t error_B)
{
   struct look_file file;
   if (!look_file_begin(&file, path, error, error_B))
      return false;
   const bool ok = write_png(file.file, found);
   if (!ok)
      snprintf(error, error_B, "cannot write %s: out of memory", path); /* or what comes next */
   return look_file_end(&file, ok, error, error_B) && ok;
}

bool
replay_raw(const struct replay_found *found, const char *path, char *error, size_t error_B)
{
   const struct cf_image *image = &found->image.image;
   struct look_file file;
   uint32_t pixel[4];
   if (!look_file_begin(&file, path, error, error_B))
      return false;
   for (uint32_t y = 0; y < image->height_px; y++) {
      for (uint32_t x = 0; x < image->width_px; x++) {
         look_image_pixel(&found->image, x, y, found->sample, pixel);
         fwrite(pixel, 1, image->format->pixel_B, file.file);
      }
   }
   return look_file_end(&file, true, error, error_B);
}
