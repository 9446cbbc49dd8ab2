/* SPDX-License-Identifier: MIT */
#include "clipfree/memory/cf_mipmap.h"

#include <string.h>

#include "clipfree/arith/cf_minmax.h"

#define MAX_TAPS 3

/* The texels of the larger image along one axis that a texel covers, and what each counts. */
struct taps {
   uint32_t first, count, weight[MAX_TAPS];
   uint32_t total;
};

/* Of 2n + 1 texels, n texels cover 2 + 1/n each: shares of the first, second and third in n-ths. */
static struct taps
taps_of(uint32_t at, uint32_t size, uint32_t larger_size)
{
   if (larger_size == size)
      return (struct taps){at, 1, {1}, 1};
   if (larger_size == 2 * size)
      return (struct taps){2 * at, 2, {1, 1}, 2};
   return (struct taps){2 * at, 3, {size - at, size, at + 1}, larger_size};
}

/* ------------------------------------------------------------------ channels */

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* The bits of a channel as what is summed. Types and sizes are constants where it is inlined into rows. */
static ALWAYS_INLINE double
value_of(enum cf_channel_type type, uint32_t bits, uint32_t word)
{
   const int32_t max = INT32_MAX >> (32 - bits), value = (int32_t)(word << (32 - bits)) >> (32 - bits);
   switch (type) {
   case CF_CHANNEL_UNORM:
      return (double)word;
   case CF_CHANNEL_SNORM: /* there are two codes for -1 */
      return (double)(value < -max ? -max : value);
   case CF_CHANNEL_SRGB:
      return (double)cf_srgb_to_linear[word];
   default:
      return (double)(bits == 16 ? cf_f16_to_f32((uint16_t)word) : cf_float(word));
   }
}

/* The bits of a channel whose mean is `mean`. */
static ALWAYS_INLINE uint32_t
bits_of(enum cf_channel_type type, uint32_t bits, double mean)
{
   const double magic = 6755399441055744.0; /* 1.5 * 2^52: adding it rounds to an integer, ties to even */
   switch (type) {
   case CF_CHANNEL_UNORM:
   case CF_CHANNEL_SNORM:
      return (uint32_t)(int64_t)((mean + magic) - magic) & UINT32_MAX >> (32 - bits);
   case CF_CHANNEL_SRGB:
      return cf_linear_to_srgb8((float)mean);
   default:
      return bits == 16 ? cf_f32_to_f16((float)mean) : cf_bits(cf_canon((float)mean));
   }
}

/* ------------------------------------------------------------------ any texel */

/* Of one texel: the areas it covers along both axes, in one or two slices. */
struct area {
   const struct cf_image *slice[2];
   uint32_t slices;
   struct taps x, y;
};

/* The sum of a channel, which does not cross a dword, over the area. */
static double
sum_channel(const struct area *area, const struct cf_format_channel *channel)
{
   const uint32_t size_B = area->slice[0]->format->pixel_B, first_B = channel->offset_bits / 32 * 4;
   const uint32_t shift = channel->offset_bits % 32, max = UINT32_MAX >> (32 - channel->bits);
   double sum = 0;
   for (uint32_t z = 0; z < area->slices; z++)
      for (uint32_t j = 0; j < area->y.count; j++)
         for (uint32_t i = 0; i < area->x.count; i++) {
            const double weight = (double)area->x.weight[i] * area->y.weight[j];
            const uint8_t *texel =
               area->slice[z]->data + cf_image_offset_B(area->slice[z], area->x.first + i, area->y.first + j);
            uint32_t word = 0;
            memcpy(&word, texel + first_B, cf_min_u32(size_B - first_B, 4));
            sum += weight * value_of(channel->type, channel->bits, word >> shift & max);
         }
   return sum;
}

static void
reduce_area(const struct area *area, uint8_t *pixel)
{
   const struct cf_format_info *format = area->slice[0]->format;
   const double total = (double)area->x.total * area->y.total * area->slices;
   uint32_t result[4] = {0};
   for (uint32_t c = 0; c < format->channels; c++) {
      const struct cf_format_channel *channel = &format->channel[c];
      result[channel->offset_bits / 32] |= bits_of(channel->type, channel->bits, sum_channel(area, channel) / total)
                                           << channel->offset_bits % 32;
   }
   memcpy(pixel, result, format->pixel_B);
}

/* ------------------------------------------------------------------ four texels each */

/* reduce_area for a row of texels that cover four others in one slice, of unorm channels; inlined with pixel_B constant. */
static ALWAYS_INLINE void
reduce_unorm_row(uint32_t pixel_B, const struct cf_image *source, const struct cf_image *destination, uint32_t y_px)
{
   const struct cf_format_info *format = source->format;
   for (uint32_t x_px = 0; x_px < destination->width_px; x_px++) {
      uint64_t word[4] = {0}, result = 0;
      for (uint32_t i = 0; i < 4; i++)
         memcpy(&word[i], source->data + cf_image_offset_B(source, 2 * x_px + (i & 1), 2 * y_px + (i >> 1)), pixel_B);
      for (uint32_t c = 0; c < format->channels; c++) {
         const uint32_t shift = format->channel[c].offset_bits, max = (1u << format->channel[c].bits) - 1;
         uint32_t sum = 0;
         for (uint32_t i = 0; i < 4; i++)
            sum += (uint32_t)(word[i] >> shift) & max;
         result |= (uint64_t)((sum + 1 + (sum >> 2 & 1)) >> 2) << shift;
      }
      memcpy(destination->data + cf_image_offset_B(destination, x_px, y_px), &result, pixel_B);
   }
}

static void
reduce_unorm_fours(const struct cf_image *source, const struct cf_image *destination, uint32_t y_px)
{
   switch (source->format->pixel_B) {
   case 1:
      reduce_unorm_row(1, source, destination, y_px);
      break;
   case 2:
      reduce_unorm_row(2, source, destination, y_px);
      break;
   case 4:
      reduce_unorm_row(4, source, destination, y_px);
      break;
   default:
      reduce_unorm_row(8, source, destination, y_px);
   }
}

/* ------------------------------------------------------------------ four bytes a texel */

static bool
is_bytes(const struct cf_format_info *format)
{
   bool bytes = format->pixel_B == 4;
   for (uint32_t c = 0; c < format->channels; c++)
      bytes = bytes && format->channel[c].type == CF_CHANNEL_UNORM && format->channel[c].bits == 8;
   return bytes;
}

/* Sums of two bytes each, in 16 bits, to their quarters: nearest, ties to even. */
static inline uint32_t
quarters(uint32_t sums)
{
   return (sums + 0x00010001 + (sums >> 2 & 0x00010001)) >> 2 & 0x00ff00ff;
}

/* A row of 2x2 texels each, four bytes a texel: in block layout these lie one after the other. */
static void
reduce_quads(const struct cf_image *source, const struct cf_image *destination, uint32_t y_px)
{
   for (uint32_t x_px = 0; x_px < destination->width_px; x_px++) {
      uint32_t even = 0, odd = 0, quad[4];
      memcpy(quad, source->data + cf_image_offset_B(source, 2 * x_px, 2 * y_px), sizeof(quad));
      for (uint32_t i = 0; i < 4; i++) {
         even += quad[i] & 0x00ff00ff;
         odd += quad[i] >> 8 & 0x00ff00ff;
      }
      const uint32_t pixel = quarters(even) | quarters(odd) << 8;
      memcpy(destination->data + cf_image_offset_B(destination, x_px, y_px), &pixel, sizeof(pixel));
   }
}

/* ------------------------------------------------------------------ four texels each, of equal channels */

/* Pixels that are arrays of channels of one type and size, or three and an unused fourth; the alpha of sRGB is unorm. */
static bool
is_array(const struct cf_format_info *format)
{
   const struct cf_format_channel *first = &format->channel[0];
   const uint32_t elements = format->channels == 3 ? 4 : format->channels;
   bool array = format->pixel_B == elements * first->bits / 8 && (first->type != CF_CHANNEL_SRGB || format->channels >= 3);
   for (uint32_t c = 0; c < format->channels; c++) {
      const struct cf_format_channel *channel = &format->channel[c];
      array = array && channel->bits == first->bits && channel->offset_bits == c * first->bits &&
              channel->type == (first->type == CF_CHANNEL_SRGB && c == 3 ? CF_CHANNEL_UNORM : first->type);
   }
   return array;
}

#define ROW_QUADS 16

/* An element of a pixel; of constant size, so that loops over elements become vectors. */
static ALWAYS_INLINE uint32_t
load_element(uint32_t bits, const uint8_t *at)
{
   uint16_t half;
   uint32_t word;
   if (bits == 8)
      return *at;
   if (bits == 16) {
      memcpy(&half, at, sizeof(half));
      return half;
   }
   memcpy(&word, at, sizeof(word));
   return word;
}

static ALWAYS_INLINE void
store_element(uint32_t bits, uint8_t *at, uint32_t word)
{
   const uint16_t half = (uint16_t)word;
   if (bits == 8)
      *at = (uint8_t)word;
   else if (bits == 16)
      memcpy(at, &half, sizeof(half));
   else
      memcpy(at, &word, sizeof(word));
}

/* What is summed of some elements of pixels, of `channels` (a constant), and the means back; both are exact in f32. */
static ALWAYS_INLINE void
decode_elements(enum cf_channel_type type, uint32_t bits, uint32_t channels, const uint8_t *restrict raw, uint32_t count,
                float *restrict value)
{
   for (uint32_t i = 0; i < count; i++) {
      const uint32_t word = load_element(bits, raw + i * (bits / 8));
      value[i] = (float)value_of(type == CF_CHANNEL_SRGB && i % channels == 3 ? CF_CHANNEL_UNORM : type, bits, word);
   }
}

static ALWAYS_INLINE void
encode_elements(enum cf_channel_type type, uint32_t bits, uint32_t channels, const float *restrict mean, uint32_t count,
                uint8_t *restrict raw)
{
   for (uint32_t i = 0; i < count; i++) {
      const uint32_t word = bits_of(type == CF_CHANNEL_SRGB && i % channels == 3 ? CF_CHANNEL_UNORM : type, bits, (double)mean[i]);
      store_element(bits, raw + i * (bits / 8), word);
   }
}

/* reduce_area for a row of texels that cover four others in one slice, in block layout, where these lie one after the other; inlined
 * with the constants of the pixels. */
static ALWAYS_INLINE void
reduce_array_row(enum cf_channel_type type, uint32_t bits, uint32_t channels, const struct cf_image *source,
                 const struct cf_image *destination, uint32_t y_px)
{
   const uint32_t pixel_B = channels * bits / 8;
   uint8_t raw[ROW_QUADS * 4 * 16] = {0};
   float value[ROW_QUADS * 4 * 4], mean[ROW_QUADS * 4];
   for (uint32_t x_px = 0; x_px < destination->width_px; x_px += ROW_QUADS) {
      const uint32_t quads = cf_min_u32(ROW_QUADS, destination->width_px - x_px);
      for (uint32_t q = 0; q < quads; q++)
         memcpy(raw + q * 4 * pixel_B, source->data + cf_image_offset_B(source, 2 * (x_px + q), 2 * y_px), 4 * pixel_B);
      decode_elements(type, bits, channels, raw, ROW_QUADS * 4 * channels, value);
      for (uint32_t q = 0; q < ROW_QUADS; q++) {
         const float *texel = value + q * 4 * channels;
         for (uint32_t c = 0; c < channels; c++) {
            const double sum = 0.0 + (double)texel[c] + (double)texel[channels + c] + (double)texel[2 * channels + c] +
                               (double)texel[3 * channels + c];
            mean[q * channels + c] = (float)(sum * 0.25);
         }
      }
      encode_elements(type, bits, channels, mean, ROW_QUADS * channels, raw);
      for (uint32_t q = 0; q < quads; q++)
         memcpy(destination->data + cf_image_offset_B(destination, x_px + q, y_px), raw + q * pixel_B, pixel_B);
   }
}

static ALWAYS_INLINE void
reduce_channels(enum cf_channel_type type, uint32_t bits, const struct cf_image *source, const struct cf_image *destination,
                uint32_t y_px)
{
   switch (source->format->channels) {
   case 1:
      reduce_array_row(type, bits, 1, source, destination, y_px);
      break;
   case 2:
      reduce_array_row(type, bits, 2, source, destination, y_px);
      break;
   default:
      reduce_array_row(type, bits, 4, source, destination, y_px);
   }
}

static void
reduce_array_fours(const struct cf_image *source, const struct cf_image *destination, uint32_t y_px)
{
   const struct cf_format_channel *channel = &source->format->channel[0];
   if (channel->type == CF_CHANNEL_SRGB)
      reduce_channels(CF_CHANNEL_SRGB, 8, source, destination, y_px);
   else if (channel->type == CF_CHANNEL_FLOAT && channel->bits == 16)
      reduce_channels(CF_CHANNEL_FLOAT, 16, source, destination, y_px);
   else if (channel->type == CF_CHANNEL_FLOAT)
      reduce_channels(CF_CHANNEL_FLOAT, 32, source, destination, y_px);
   else if (channel->bits == 16)
      reduce_channels(CF_CHANNEL_SNORM, 16, source, destination, y_px);
   else
      reduce_channels(CF_CHANNEL_SNORM, 8, source, destination, y_px);
}

/* ------------------------------------------------------------------ images */

static bool
is_unorm16(const struct cf_format_info *format)
{
   bool unorm = format->pixel_B <= 8;
   for (uint32_t c = 0; c < format->channels; c++)
      unorm = unorm && format->channel[c].type == CF_CHANNEL_UNORM && format->channel[c].bits <= 16;
   return unorm;
}

/* How a row of texels that cover four others in one slice is made; NULL: there is nothing faster than reduce_area. */
typedef void (*reduce_row)(const struct cf_image *source, const struct cf_image *destination, uint32_t y_px);

static reduce_row
fastest_row(const struct cf_image *source, const struct cf_image *destination)
{
   const struct cf_format_info *format = source->format;
   if (is_unorm16(format) && (format->pixel_B & (format->pixel_B - 1)) == 0)
      return source->blocks && destination->blocks && is_bytes(format) ? reduce_quads : reduce_unorm_fours;
   return source->blocks && destination->blocks && is_array(format) ? reduce_array_fours : NULL;
}

static void
reduce_rows(const struct cf_image *source, const struct cf_image *second, const struct cf_image *destination, uint32_t first_px,
            uint32_t end_px)
{
   const bool fours = !second && source->width_px == 2 * destination->width_px && source->height_px == 2 * destination->height_px;
   const reduce_row reduce = fours ? fastest_row(source, destination) : NULL;
   struct area area = {.slice = {source, second}, .slices = second ? 2 : 1};
   for (uint32_t y_px = first_px; y_px < end_px; y_px++) {
      if (reduce) {
         reduce(source, destination, y_px);
         continue;
      }
      area.y = taps_of(y_px, destination->height_px, source->height_px);
      for (uint32_t x_px = 0; x_px < destination->width_px; x_px++) {
         area.x = taps_of(x_px, destination->width_px, source->width_px);
         reduce_area(&area, destination->data + cf_image_offset_B(destination, x_px, y_px));
      }
   }
}

const struct cf_mipmap_ops CF_LANES(cf_mipmap_ops) = { .reduce = reduce_rows };
