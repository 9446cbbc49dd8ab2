/* SPDX-License-Identifier: MIT */
/*
 * Multisample resolve: four samples a pixel become one.
 *
 * Data flow: the four 4x4 blocks of the samples -> average, by channel -> a block of pixels -> the
 * destination, in either layout. Formats of 8-bit unorm channels are averaged byte by byte; all
 * others channel by channel, driven by the format's description (cf_average_lanes.c).
 */
#include <string.h>

#include "clipfree/memory/cf_average.h"
#include "clipfree/memory/cf_surface_rect.h"

#define MAX_BLOCK_B (CF_BLOCK_PIXELS * 16)

/* ------------------------------------------------------------------ blocks */

/* Whether each byte of a pixel is a unorm channel, or unused and 0 in every sample. */
static bool
is_unorm8(const struct cf_format_info *format)
{
   bool unorm8 = true;
   for (uint32_t c = 0; c < format->channels; c++)
      unorm8 &= format->channel[c].type == CF_CHANNEL_UNORM && format->channel[c].bits == 8 && format->channel[c].letter != 'z';
   return unorm8 && format->channels == format->pixel_B;
}

static void
average_bytes(const uint8_t *restrict s0, const uint8_t *restrict s1, const uint8_t *restrict s2, const uint8_t *restrict s3,
              uint32_t size_B, uint8_t *restrict out)
{
   for (uint32_t i = 0; i < size_B; i++)
      out[i] = (uint8_t)((s0[i] + s1[i] + s2[i] + s3[i] + 2) >> 2);
}

void
cf_average_equal(const struct cf_format_info *format, const uint32_t sample[4], uint32_t average[4])
{
   _Alignas(64) uint8_t block[MAX_BLOCK_B] = { 0 }, result[MAX_BLOCK_B];
   const uint8_t *const samples[CF_SAMPLES] = { block, block, block, block };
   memcpy(block, sample, format->pixel_B);
   cf_average_ops_at(cf_host_level())->block(format, samples, result);
   memset(average, 0, 4 * sizeof(average[0]));
   memcpy(average, result, format->pixel_B);
}

/* The block at offset_B in every sample. `ops`: NULL, if the format is_unorm8. */
static void
average_block(const struct cf_format_info *format, const struct cf_image plane[CF_SAMPLES],
              size_t offset_B, const struct cf_average_ops *ops, uint8_t *out)
{
   const uint8_t *sample[CF_SAMPLES];
   for (uint32_t s = 0; s < CF_SAMPLES; s++)
      sample[s] = plane[s].data + offset_B;
   if (ops)
      ops->block(format, sample, out);
   else
      average_bytes(sample[0], sample[1], sample[2], sample[3], CF_BLOCK_PIXELS * format->pixel_B,
                    out);
}

/* ------------------------------------------------------------------ rectangles */

/* Store the pixels of a block at (x, y) of the source that lie in the rectangle. The destination
 * pixel is moved by (dx, dy), modulo 2^32. */
static void
store_pixels(const struct cf_image *destination, const uint8_t *block, uint32_t x_px, uint32_t y_px,
             const struct cf_rect *r, uint32_t dx_px, uint32_t dy_px)
{
   const uint32_t pixel_B = destination->format->pixel_B;
   for (uint32_t y = cf_max_u32(r->min_y_px, y_px); y < r->max_y_px && y < y_px + CF_BLOCK_PX;
        y++) {
      for (uint32_t x = cf_max_u32(r->min_x_px, x_px); x < r->max_x_px && x < x_px + CF_BLOCK_PX;
           x++)
         memcpy(destination->data + cf_image_offset_B(destination, x + dx_px, y + dy_px), block + cf_block_element(x, y) * pixel_B,
                pixel_B);
   }
}

void
cf_image_average(struct cf_image_at from, struct cf_image_at to, uint32_t width_px,
                 uint32_t height_px)
{
   _Alignas(64) uint8_t block[MAX_BLOCK_B];
   struct cf_image plane[CF_SAMPLES];
   const struct cf_image *destination = to.image;
   const struct cf_format_info *format = from.image->format;
   const struct cf_rect r = { from.x_px, from.y_px, from.x_px + width_px, from.y_px + height_px };
   const uint32_t dx_px = to.x_px - from.x_px, dy_px = to.y_px - from.y_px;
   const struct cf_average_ops *ops = is_unorm8(format) ? NULL : cf_average_ops_at(cf_host_level());
   const bool aligned = destination->blocks && dx_px % CF_BLOCK_PX == 0 && dy_px % CF_BLOCK_PX == 0;
   for (uint32_t s = 0; s < CF_SAMPLES; s++)
      plane[s] = cf_image_sample(from.image, s);
   for (uint32_t y = r.min_y_px / CF_BLOCK_PX * CF_BLOCK_PX; y < r.max_y_px; y += CF_BLOCK_PX) {
      for (uint32_t x = r.min_x_px / CF_BLOCK_PX * CF_BLOCK_PX; x < r.max_x_px; x += CF_BLOCK_PX) {
         const struct cf_rect whole = { x, y, x + CF_BLOCK_PX, y + CF_BLOCK_PX };
         average_block(format, plane, cf_image_offset_B(&plane[0], x, y), ops, block);
         if (aligned && cf_rect_contains(&r, &whole))
            memcpy(destination->data + cf_image_offset_B(destination, x + dx_px, y + dy_px), block,
                   CF_BLOCK_PIXELS * format->pixel_B);
         else
            store_pixels(destination, block, x, y, &r, dx_px, dy_px);
      }
   }
}
