/* SPDX-License-Identifier: MIT */
/*
 * Mipmaps whose texels cover 2x2 texels of the larger image, both in block layout, where the four
 * are consecutive: a quad. Part of cf_mipmap.c, which defines the results (cf_mipmap.h); all sums
 * here are exact, so that they are the same in any order.
 */
#ifndef CF_MIPMAP_QUADS_H
#define CF_MIPMAP_QUADS_H

#include <string.h>

#include "clipfree/arith/cf_half_lanes.h"
#include "clipfree/base/cf_inline.h"
#include "clipfree/memory/cf_srgb_lanes.h"
#include "clipfree/memory/cf_surface.h"

/* Computes row y_px of the destination. */
typedef void (*cf_quads_reduction)(const struct cf_image *source,
                                   const struct cf_image *destination, uint32_t y_px);

/* Reduces the two quads of half a block to two adjacent texels; the second of each may be padding
 * of a block. */
typedef void (*cf_pair_reduction)(const struct cf_format_info *format, const uint8_t *quads,
                                  uint8_t *texels);

/* Reduce a row by pairs; inlined with constant pixel_B and `reduce`. A row of quads is the first or
 * the second half of each block in a row of blocks, two quads in each. A row of texels has two of
 * four consecutive elements in a block, and two of the next four (cf_block_element): in row 0 of a
 * block elements 0, 1, 4 and 5. */
CF_INLINE void
cf_quads_row(uint32_t pixel_B, const struct cf_image *source, const struct cf_image *destination,
             uint32_t y_px, cf_pair_reduction reduce)
{
   const uint8_t *from = source->data + cf_image_offset_B(source, 0, 2 * y_px);
   uint8_t *to = destination->data + cf_image_offset_B(destination, 0, y_px);
   for (uint32_t x_px = 0; x_px < destination->width_px; x_px += 4) {
      reduce(source->format, from, to);
      if (x_px + 2 < destination->width_px)
         reduce(source->format, from + (size_t)16 * pixel_B, to + (size_t)4 * pixel_B);
      from += (size_t)32 * pixel_B;
      to += (size_t)16 * pixel_B;
   }
}

/* Sums of four integers divided by four, to nearest, ties to even. */
CF_INLINE uint32_t
cf_quad_quarter(uint32_t sum)
{
   return (sum + 1 + (sum >> 2 & 1)) >> 2;
}

/* ------------------------------------------------------------------ four bytes */

/* Texels of four unorm bytes. Sums of bytes 0 and 2 are in the halves of one dword, those of bytes
 * 1 and 3 in another. */
CF_INLINE void
cf_pair_of_bytes(const struct cf_format_info *format, const uint8_t *quads, uint8_t *texels)
{
   cf_u32x8 quad;
   (void)format;
   memcpy(&quad, quads, sizeof(quad));
   cf_u32x8 even = quad & 0x00ff00ff, odd = quad >> 8 & 0x00ff00ff;
   even += __builtin_shufflevector(even, even, 2, 3, 0, 1, 6, 7, 4, 5);
   odd += __builtin_shufflevector(odd, odd, 2, 3, 0, 1, 6, 7, 4, 5);
   cf_u32x8 sum = __builtin_shufflevector(even, odd, 0, 1, 8, 9, 4, 5, 12, 13);
   sum += __builtin_shufflevector(sum, sum, 1, 0, 3, 2, 5, 4, 7, 6);
   sum = (sum + 0x00010001 + (sum >> 2 & 0x00010001)) >> 2 & 0x00ff00ff;
   sum |= __builtin_shufflevector(sum, sum, 2, 3, 0, 1, 6, 7, 4, 5) << 8;
   const uint32_t texel[2] = { sum[0], sum[4] };
   memcpy(texels, texel, sizeof(texel));
}

/* A quad where all bytes but the last are sRGB. Linear values are 0 or floats from 2^-12 to 1, so
 * that the sum of four is exact in f64. */
CF_INLINE uint32_t
cf_quad_of_srgb(const uint8_t *quad)
{
   cf_f64x4 sum = { 0.0 };
   uint32_t alpha = 0;
   for (uint32_t i = 0; i < 4; i++) {
      const cf_f32x4 linear = { cf_srgb_to_linear[quad[4 * i]], cf_srgb_to_linear[quad[4 * i + 1]],
                                cf_srgb_to_linear[quad[4 * i + 2]] };
      sum += __builtin_convertvector(linear, cf_f64x4);
      alpha += quad[4 * i + 3];
   }
   const cf_u32x4 code = cf_linear_to_srgb8_lanes(__builtin_convertvector(sum * 0.25, cf_f32x4));
   return code[0] | code[1] << 8 | code[2] << 16 | cf_quad_quarter(alpha) << 24;
}

CF_INLINE void
cf_pair_of_srgb(const struct cf_format_info *format, const uint8_t *quads, uint8_t *texels)
{
   const uint32_t texel[2] = { cf_quad_of_srgb(quads), cf_quad_of_srgb(quads + 16) };
   (void)format;
   memcpy(texels, texel, sizeof(texel));
}

/* ------------------------------------------------------------------ two bytes, half floats */

/* Texels of two bytes, whose channels are unorm. In a product with 2^48 + 2^32 + 2^16 + 1 the upper
 * 16 bits are the sum of four words: of a channel of up to 14 bits. */
CF_INLINE void
cf_pair_of_words(const struct cf_format_info *format, const uint8_t *quads, uint8_t *texels)
{
   const uint64_t each = 0x0001000100010001;
   uint64_t quad[2];
   uint16_t texel[2] = { 0, 0 };
   memcpy(quad, quads, sizeof(quad));
   for (uint32_t c = 0; c < format->channels; c++) {
      const uint32_t shift = format->channel[c].offset_bits;
      const uint64_t codes = cf_channel_max(format->channel[c].bits) * each;
      for (uint32_t i = 0; i < 2; i++) {
         const uint64_t sum = (quad[i] >> shift & codes) * each >> 48;
         texel[i] |= (uint16_t)(cf_quad_quarter((uint32_t)sum) << shift);
      }
   }
   memcpy(texels, texel, sizeof(texel));
}

/* Texels of four half floats. Sums are exact in f64: halves are multiples of 2^-24 below 2^16. */
CF_INLINE void
cf_pair_of_halves(const struct cf_format_info *format, const uint8_t *quads, uint8_t *texels)
{
   (void)format;
   for (uint32_t i = 0; i < 2; i++) {
      cf_f64x4 sum = { 0.0 };
      for (uint32_t row = 0; row < 2; row++) {
         const cf_f32x8 two = cf_halves_load(quads + (2 * i + row) * sizeof(cf_u16x8));
         sum += __builtin_convertvector(__builtin_shufflevector(two, two, 0, 1, 2, 3), cf_f64x4);
         sum += __builtin_convertvector(__builtin_shufflevector(two, two, 4, 5, 6, 7), cf_f64x4);
      }
      cf_halves_store(texels + i * 4 * sizeof(uint16_t),
                      __builtin_convertvector(sum * 0.25, cf_f32x4));
   }
}

/* ------------------------------------------------------------------ rows, by format */

/* The reduction `name` of rows, by pairs of texels of pixel_B bytes. */
#define CF_QUADS_OF(name, pixel_B, reduce_pair)                                                    \
   static void name(const struct cf_image *source, const struct cf_image *destination,             \
                    uint32_t y_px)                                                                 \
   {                                                                                               \
      cf_quads_row(pixel_B, source, destination, y_px, reduce_pair);                               \
   }
CF_QUADS_OF(cf_quads_of_bytes, 4, cf_pair_of_bytes)
CF_QUADS_OF(cf_quads_of_srgb, 4, cf_pair_of_srgb)
CF_QUADS_OF(cf_quads_of_words, 2, cf_pair_of_words)
CF_QUADS_OF(cf_quads_of_halves, 8, cf_pair_of_halves)
#undef CF_QUADS_OF

/* Whether the format has four channels of so many bits and this type. */
static bool
cf_quads_are(const struct cf_format_info *format, enum cf_channel_type type, uint32_t bits)
{
   bool all = format->pixel_B == bits / 2;
   for (uint32_t c = 0; c < format->channels; c++)
      all = all && format->channel[c].type == type && format->channel[c].bits == bits;
   return all;
}

/* Whether the texels are two bytes of unorm channels of up to 14 bits. */
static bool
cf_quads_are_words(const struct cf_format_info *format)
{
   bool all = format->pixel_B == sizeof(uint16_t);
   for (uint32_t c = 0; c < format->channels; c++)
      all = all && format->channel[c].type == CF_CHANNEL_UNORM && format->channel[c].bits <= 14;
   return all;
}

static bool
cf_quads_are_srgb(const struct cf_format_info *format)
{
   bool all = format->pixel_B == 4;
   for (uint32_t c = 0; c < format->channels; c++)
      all = all && format->channel[c].bits == 8 && format->channel[c].offset_bits == 8 * c &&
            format->channel[c].type == (c < 3 ? CF_CHANNEL_SRGB : CF_CHANNEL_UNORM);
   return all;
}

/* NULL: none. */
static cf_quads_reduction
cf_quads_reduction_of(const struct cf_format_info *format)
{
   if (cf_quads_are(format, CF_CHANNEL_UNORM, 8))
      return cf_quads_of_bytes;
   if (cf_quads_are(format, CF_CHANNEL_FLOAT, 16))
      return cf_quads_of_halves;
   if (cf_quads_are_words(format))
      return cf_quads_of_words;
   return cf_quads_are_srgb(format) ? cf_quads_of_srgb : NULL;
}

#endif
