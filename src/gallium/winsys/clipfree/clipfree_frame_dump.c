/* SPDX-License-Identifier: MIT */
/*
 * Writes pictures to PNG files.
 */
#include "clipfree_frame_dump.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/format/u_format.h"
#include "util/mesa-sha1.h"

#include "clipfree_winsys.h"

/* rgb: rows from the top without padding, three bytes a pixel. False: image->message says why. */
static bool
cf_png_write(const char *path, png_image *image, const uint8_t *rgb,
             const struct cf_picture *picture)
{
   *image = (png_image){
      .version = PNG_IMAGE_VERSION,
      .width = picture->width_px,
      .height = picture->height_px,
      .format = PNG_FORMAT_RGB,
      .flags = PNG_IMAGE_FLAG_FAST,
   };
   return png_image_write_to_file(image, path, 0, rgb, 0, NULL);
}

/* Convert a picture for cf_png_write; NULL: out of memory. */
static uint8_t *
cf_rgb_of_picture(const struct cf_picture *picture)
{
   const size_t row_B = 3 * (size_t)picture->width_px;
   uint8_t *rgb = malloc(row_B * picture->height_px);
   uint8_t *rgba = malloc(4 * (size_t)picture->width_px);

   if (!rgb || !rgba) {
      free(rgb);
      free(rgba);
      return NULL;
   }
   for (uint32_t y = 0; y < picture->height_px; y++) {
      const uint8_t *from = (const uint8_t *)picture->pixels + (size_t)y * picture->row_pitch_B;
      uint8_t *to = rgb + y * row_B;
      util_format_unpack_rgba_8unorm_rect(picture->format, rgba, 0, from, 0, picture->width_px, 1);
      for (uint32_t x = 0; x < picture->width_px; x++)
         memcpy(to + 3 * x, rgba + 4 * x, 3);
   }
   free(rgba);
   return rgb;
}

void
cf_frame_dump(const char *prefix, unsigned frame, const struct cf_picture *picture)
{
   char path[4096], hex[41];
   uint8_t digest[20];
   png_image image;
   uint8_t *rgb = cf_rgb_of_picture(picture);

   if (!rgb) {
      fprintf(stderr, "clipfree: frame %u: out of memory\n", frame);
      return;
   }
   snprintf(path, sizeof(path), "%s%04u.png", prefix, frame);
   _mesa_sha1_compute(rgb, 3 * (size_t)picture->width_px * picture->height_px, digest);
   _mesa_sha1_format(hex, digest);
   fprintf(stderr, "clipfree: frame %u %ux%u sha1 %s", frame, picture->width_px, picture->height_px,
           hex);
   if (cf_png_write(path, &image, rgb, picture))
      fprintf(stderr, "\n");
   else
      fprintf(stderr, " cannot write %s: %s\n", path, image.message);
   free(rgb);
}
