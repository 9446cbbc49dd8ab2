/* SPDX-License-Identifier: MIT */
/*
 * Compiled once per host vector level.
 *
 * Data flow: the four 4x4 blocks of the samples -> average, by channel -> a block of pixels -> the
 * destination, in either layout. Formats of 8-bit unorm channels are averaged byte by byte, those
 * of halves and floats number by number; all others channel by channel, driven by the format's
 * description, in loops over a block's pixels.
 */
#include "clipfree/memory/cf_average.h"

#include <string.h>

#include "clipfree/arith/cf_fp.h"
#include "clipfree/base/cf_inline.h"
#include "clipfree/memory/cf_surface_rect.h"

#define BLOCK_PIXELS (CF_BLOCK_PX * CF_BLOCK_PX)
#define MAX_BLOCK_B (BLOCK_PIXELS * 16)

_Static_assert(CF_SAMPLES == 4, "the averages below are of four");

/* ------------------------------------------------------------------ one channel */

static float
average_float(float s0, float s1, float s2, float s3)
{
   return ((s0 + s1) + (s2 + s3)) * 0.25f;
}

/* The codes of a channel in each sample. Inlined into loops with constant type and size. */
CF_INLINE uint32_t
average_codes(enum cf_channel_type type, uint32_t bits, uint32_t s0, uint32_t s1, uint32_t s2,
              uint32_t s3)
{
   if (type == CF_CHANNEL_UNORM && bits <= 16)
      return (s0 + s1 + s2 + s3 + 2) / 4;
   if (type == CF_CHANNEL_UNORM)
      return (uint32_t)(((uint64_t)s0 + s1 + s2 + s3 + 2) / 4);
   if (type != CF_CHANNEL_SRGB && type != CF_CHANNEL_FLOAT)
      return s0;
   return cf_channel_encode(
      type, bits,
      average_float(cf_channel_decode(type, bits, s0), cf_channel_decode(type, bits, s1),
                    cf_channel_decode(type, bits, s2), cf_channel_decode(type, bits, s3)));
}

/* ------------------------------------------------------------------ blocks */

/* How the pixels of a format are averaged. */
enum way {
   BYTES,  /* each byte is a unorm channel, or unused and 0 in every sample */
   HALVES, /* each 16 bits are a float */
   FLOATS, /* each dword is one */
   CHANNELS,
};

/* Whether a pixel is nothing but channels of this type and size. */
static bool
is_array(const struct cf_format_info *format, enum cf_channel_type type, uint32_t bits)
{
   bool array = format->channels * bits == format->pixel_B * 8u;
   for (uint32_t c = 0; c < format->channels; c++) {
      const struct cf_format_channel *channel = &format->channel[c];
      array &= channel->type == type && channel->bits == bits && channel->letter != 'z';
   }
   return array;
}

static enum way
way_of(const struct cf_format_info *format)
{
   if (is_array(format, CF_CHANNEL_UNORM, 8))
      return BYTES;
   if (is_array(format, CF_CHANNEL_FLOAT, 16))
      return HALVES;
   return is_array(format, CF_CHANNEL_FLOAT, 32) ? FLOATS : CHANNELS;
}

static void
average_bytes(const uint8_t *restrict s0, const uint8_t *restrict s1, const uint8_t *restrict s2, const uint8_t *restrict s3,
              uint32_t size_B, uint8_t *restrict out)
{
   for (uint32_t i = 0; i < size_B; i++)
      out[i] = (uint8_t)((s0[i] + s1[i] + s2[i] + s3[i] + 2) >> 2);
}

static void
average_halves(const uint16_t *restrict s0, const uint16_t *restrict s1,
               const uint16_t *restrict s2, const uint16_t *restrict s3, uint32_t count,
               uint16_t *restrict out)
{
   for (uint32_t i = 0; i < count; i++)
      out[i] = (uint16_t)average_codes(CF_CHANNEL_FLOAT, 16, s0[i], s1[i], s2[i], s3[i]);
}

static void
average_floats(const float *restrict s0, const float *restrict s1, const float *restrict s2,
               const float *restrict s3, uint32_t count, float *restrict out)
{
   for (uint32_t i = 0; i < count; i++)
      out[i] = cf_canon(average_float(s0[i], s1[i], s2[i], s3[i]));
}

static void
average_pixel(const struct cf_format_info *format, const uint8_t *const sample[CF_SAMPLES], uint8_t *out)
{
   uint32_t word[CF_SAMPLES][4] = {{0}}, result[4] = {0};
   for (uint32_t s = 0; s < CF_SAMPLES; s++)
      memcpy(word[s], sample[s], format->pixel_B);
   for (uint32_t c = 0; c < format->channels; c++) {
      const struct cf_format_channel *channel = &format->channel[c];
      const uint32_t w = channel->offset_bits / 32, shift = channel->offset_bits % 32, max = UINT32_MAX >> (32 - channel->bits);
      uint32_t bits[CF_SAMPLES];
      for (uint32_t s = 0; s < CF_SAMPLES; s++)
         bits[s] = word[s][w] >> shift & max;
      result[w] |= average_codes(channel->type, channel->bits, bits[0], bits[1], bits[2], bits[3])
                   << shift;
   }
   memcpy(out, result, format->pixel_B);
}

static void
average_equal(const struct cf_format_info *format, const uint32_t sample[4], uint32_t average[4])
{
   const uint8_t *const pixel = (const uint8_t *)sample, *const samples[CF_SAMPLES] = {pixel, pixel, pixel, pixel};
   memset(average, 0, 4 * sizeof(average[0]));
   average_pixel(format, samples, (uint8_t *)average);
}

/* Word w of the pixels of a block; smaller pixels are extended to one. */
static void
load_words(uint32_t pixel_B, const uint8_t *block, uint32_t w, uint32_t word[BLOCK_PIXELS])
{
   uint16_t half;
   for (uint32_t i = 0; i < BLOCK_PIXELS; i++) {
      if (pixel_B == 1) {
         word[i] = block[i];
      } else if (pixel_B == 2) {
         memcpy(&half, block + 2 * i, sizeof(half));
         word[i] = half;
      } else {
         memcpy(&word[i], block + i * pixel_B + 4 * w, sizeof(word[i]));
      }
   }
}

static void
store_words(uint32_t pixel_B, const uint32_t word[BLOCK_PIXELS], uint32_t w, uint8_t *block)
{
   for (uint32_t i = 0; i < BLOCK_PIXELS; i++) {
      const uint16_t half = (uint16_t)word[i];
      if (pixel_B == 1)
         block[i] = (uint8_t)word[i];
      else if (pixel_B == 2)
         memcpy(block + 2 * i, &half, sizeof(half));
      else
         memcpy(block + i * pixel_B + 4 * w, &word[i], sizeof(word[i]));
   }
}

/* The averages of a channel, at their place in `out`. */
static void
average_channel(const struct cf_format_channel *channel, uint32_t (*restrict word)[BLOCK_PIXELS],
                uint32_t *restrict out)
{
   const uint32_t shift = channel->offset_bits % 32, max = cf_channel_max(channel->bits);
#define LOOP(type, bits)                                                                           \
   for (uint32_t i = 0; i < BLOCK_PIXELS; i++)                                                     \
   out[i] |= average_codes(type, bits, word[0][i] >> shift & max, word[1][i] >> shift & max,       \
                           word[2][i] >> shift & max, word[3][i] >> shift & max)                   \
             << shift
   CF_CHANNEL_LOOPS(channel->type, channel->bits, LOOP)
#undef LOOP
}

static void
average_channels(const struct cf_format_info *format, const uint8_t *const sample[CF_SAMPLES],
                 uint8_t *out)
{
   uint32_t word[CF_SAMPLES][BLOCK_PIXELS];
   for (uint32_t w = 0; 4 * w < format->pixel_B; w++) {
      uint32_t average[BLOCK_PIXELS] = { 0 };
      for (uint32_t s = 0; s < CF_SAMPLES; s++)
         load_words(format->pixel_B, sample[s], w, word[s]);
      for (uint32_t c = 0; c < format->channels; c++) {
         if (format->channel[c].offset_bits / 32 == w)
            average_channel(&format->channel[c], word, average);
      }
      store_words(format->pixel_B, average, w, out);
   }
}

/* The block at offset_B in every sample. */
static void
average_block(const struct cf_format_info *format, const struct cf_image plane[CF_SAMPLES],
              size_t offset_B, enum way way, uint8_t *out)
{
   const uint8_t *sample[CF_SAMPLES];
   for (uint32_t s = 0; s < CF_SAMPLES; s++)
      sample[s] = plane[s].data + offset_B;
#define AVERAGE(average, type, elements)                                                           \
   average((const type *)sample[0], (const type *)sample[1], (const type *)sample[2],              \
           (const type *)sample[3], BLOCK_PIXELS *(elements), (type *)out)
   switch (way) {
   case BYTES:
      AVERAGE(average_bytes, uint8_t, format->pixel_B);
      break;
   case HALVES:
      AVERAGE(average_halves, uint16_t, format->channels);
      break;
   case FLOATS:
      AVERAGE(average_floats, float, format->channels);
      break;
   case CHANNELS:
      average_channels(format, sample, out);
      break;
   }
#undef AVERAGE
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

static void
average_image(struct cf_image_at from, struct cf_image_at to, uint32_t width_px, uint32_t height_px)
{
   _Alignas(64) uint8_t block[MAX_BLOCK_B];
   struct cf_image plane[CF_SAMPLES];
   const struct cf_image *destination = to.image;
   const struct cf_format_info *format = from.image->format;
   const struct cf_rect r = { from.x_px, from.y_px, from.x_px + width_px, from.y_px + height_px };
   const uint32_t dx_px = to.x_px - from.x_px, dy_px = to.y_px - from.y_px;
   const enum way way = way_of(format);
   const bool aligned = destination->blocks && dx_px % CF_BLOCK_PX == 0 && dy_px % CF_BLOCK_PX == 0;
   for (uint32_t s = 0; s < CF_SAMPLES; s++)
      plane[s] = cf_image_sample(from.image, s);
   for (uint32_t y = r.min_y_px / CF_BLOCK_PX * CF_BLOCK_PX; y < r.max_y_px; y += CF_BLOCK_PX) {
      for (uint32_t x = r.min_x_px / CF_BLOCK_PX * CF_BLOCK_PX; x < r.max_x_px; x += CF_BLOCK_PX) {
         const struct cf_rect whole = { x, y, x + CF_BLOCK_PX, y + CF_BLOCK_PX };
         average_block(format, plane, cf_image_offset_B(&plane[0], x, y), way, block);
         if (aligned && cf_rect_contains(&r, &whole))
            memcpy(destination->data + cf_image_offset_B(destination, x + dx_px, y + dy_px), block,
                   BLOCK_PIXELS * format->pixel_B);
         else
            store_pixels(destination, block, x, y, &r, dx_px, dy_px);
      }
   }
}

const struct cf_average_ops CF_LANES(cf_average_ops) = { .image = average_image,
                                                         .equal = average_equal };
