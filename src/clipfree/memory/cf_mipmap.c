/* SPDX-License-Identifier: MIT */
#include "clipfree/memory/cf_mipmap.h"

#include <string.h>

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

/* ------------------------------------------------------------------ any texel */

/* Of one texel: the areas it covers along both axes, in one or two slices. */
struct area {
   const struct cf_image *slice[2];
   uint32_t slices;
   struct taps x, y;
};

static uint64_t
round_to_even(uint64_t sum, uint64_t total)
{
   const uint64_t quotient = sum / total, rest = sum % total;
   return quotient + (2 * rest > total || (2 * rest == total && (quotient & 1)));
}

static void
reduce_unorm(const struct area *area, uint8_t *pixel)
{
   const struct cf_format_info *format = area->slice[0]->format;
   const uint64_t total = (uint64_t)area->x.total * area->y.total * area->slices;
   uint64_t sum[4] = {0}, result = 0;
   for (uint32_t z = 0; z < area->slices; z++)
      for (uint32_t j = 0; j < area->y.count; j++)
         for (uint32_t i = 0; i < area->x.count; i++) {
            const uint64_t weight = (uint64_t)area->x.weight[i] * area->y.weight[j];
            uint64_t word = 0;
            memcpy(&word, area->slice[z]->data + cf_image_offset_B(area->slice[z], area->x.first + i, area->y.first + j),
                   format->pixel_B);
            for (uint32_t c = 0; c < format->channels; c++)
               sum[c] += weight * (word >> format->channel[c].offset_bits & ((1u << format->channel[c].bits) - 1));
         }
   for (uint32_t c = 0; c < format->channels; c++)
      result |= round_to_even(sum[c], total) << format->channel[c].offset_bits;
   memcpy(pixel, &result, format->pixel_B);
}

static void
reduce_float(const struct area *area, uint8_t *pixel)
{
   const struct cf_format_info *format = area->slice[0]->format;
   const double total = (double)area->x.total * area->y.total * area->slices;
   double sum[4] = {0};
   float rgba[4];
   for (uint32_t z = 0; z < area->slices; z++)
      for (uint32_t j = 0; j < area->y.count; j++)
         for (uint32_t i = 0; i < area->x.count; i++) {
            const double weight = (double)area->x.weight[i] * area->y.weight[j];
            cf_format_fetch(
               format, area->slice[z]->data + cf_image_offset_B(area->slice[z], area->x.first + i, area->y.first + j),
               rgba);
            for (uint32_t c = 0; c < 4; c++)
               sum[c] += weight * (double)rgba[c];
         }
   for (uint32_t c = 0; c < 4; c++)
      rgba[c] = (float)(sum[c] / total);
   cf_format_store(format, pixel, rgba);
}

/* ------------------------------------------------------------------ four texels each */

/* reduce_unorm for a row of texels that cover four others in one slice; inlined with pixel_B constant. */
static inline __attribute__((always_inline)) void
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

/* ------------------------------------------------------------------ images */

static bool
is_unorm16(const struct cf_format_info *format)
{
   bool unorm = format->pixel_B <= 8;
   for (uint32_t c = 0; c < format->channels; c++)
      unorm = unorm && format->channel[c].type == CF_CHANNEL_UNORM && format->channel[c].bits <= 16;
   return unorm;
}

void
cf_mipmap_reduce(const struct cf_image *source, const struct cf_image *second, const struct cf_image *destination,
                 uint32_t first_px, uint32_t end_px)
{
   const bool unorm = is_unorm16(source->format);
   const uint32_t pixel_B = source->format->pixel_B;
   const bool fours = !second && unorm && (pixel_B & (pixel_B - 1)) == 0 && source->width_px == 2 * destination->width_px &&
                      source->height_px == 2 * destination->height_px;
   const bool quads = fours && source->blocks && destination->blocks && is_bytes(source->format);
   struct area area = {.slice = {source, second}, .slices = second ? 2 : 1};
   for (uint32_t y_px = first_px; y_px < end_px; y_px++) {
      if (quads) {
         reduce_quads(source, destination, y_px);
         continue;
      }
      if (fours) {
         reduce_unorm_fours(source, destination, y_px);
         continue;
      }
      area.y = taps_of(y_px, destination->height_px, source->height_px);
      for (uint32_t x_px = 0; x_px < destination->width_px; x_px++) {
         uint8_t *pixel = destination->data + cf_image_offset_B(destination, x_px, y_px);
         area.x = taps_of(x_px, destination->width_px, source->width_px);
         if (unorm)
            reduce_unorm(&area, pixel);
         else
            reduce_float(&area, pixel);
      }
   }
}
