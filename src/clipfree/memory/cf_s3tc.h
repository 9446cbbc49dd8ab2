/* SPDX-License-Identifier: MIT */
/*
 * Texels of S3TC blocks, DXT1, DXT3 and DXT5 (EXT_texture_compression_s3tc): 4x4 texels in 8 bytes
 * of color, before them 8 bytes of alpha but in DXT1.
 *
 * A texel's color is the exact mix of the two 5:6:5 colors as numbers in [0, 1], rounded once to 8
 * bits, ties up. Other decoders differ in the last bit; this is the definition's value.
 */
#ifndef CF_S3TC_H
#define CF_S3TC_H

#include <stdint.h>
#include <string.h>

#include "clipfree/memory/cf_format.h"

/* Sixths of the two colors in the texels of a code, by code; with three colors and black, with four. */
static const uint8_t cf_s3tc_sixths[2][4][2] = {
   { { 6, 0 }, { 0, 6 }, { 3, 3 }, { 0, 0 } },
   { { 6, 0 }, { 0, 6 }, { 4, 2 }, { 2, 4 } },
};

/* Red, green, blue in bits 7:0, 15:8, 23:16. `code`: 0..3. */
static inline uint32_t
cf_s3tc_color(uint32_t color0, uint32_t color1, uint32_t four, uint32_t code)
{
   const uint32_t a = cf_s3tc_sixths[four][code][0], b = cf_s3tc_sixths[four][code][1];
   const uint32_t red = (color0 >> 11) * a + (color1 >> 11) * b; /* of 31 * 6 */
   const uint32_t green = (color0 >> 5 & 63) * a + (color1 >> 5 & 63) * b; /* of 63 * 6 */
   const uint32_t blue = (color0 & 31) * a + (color1 & 31) * b;
   return (red * 170 + 62) / 124 | (green * 170 + 126) / 252 << 8 | (blue * 170 + 62) / 124 << 16;
}

/* DXT5: alpha of texel `index`. Eight values from alpha0 to alpha1, or six, 0 and 255. */
static inline uint32_t
cf_s3tc_alpha(const uint8_t *block, uint32_t index)
{
   uint64_t bits;
   memcpy(&bits, block, 8);
   const uint32_t alpha0 = bits & 255, alpha1 = bits >> 8 & 255;
   const uint32_t code = bits >> (16 + 3 * index) & 7;
   const uint32_t steps = alpha0 > alpha1 ? 7 : 5;
   if (steps == 5 && code >= 6)
      return code == 6 ? 0 : 255;
   const uint32_t second = code == 0 ? 0 : code == 1 ? steps : code - 1;
   return (alpha0 * (steps - second) + alpha1 * second + steps / 2) / steps;
}

/** A texel of a block as R8G8B8A8. `index`: column + 4 * row. `block` must have the format's block_B
 * bytes. */
static inline uint32_t
cf_s3tc_texel(enum cf_compression compression, const uint8_t *block, uint32_t index)
{
   const uint8_t *color = compression <= CF_COMPRESSION_DXT1_RGBA ? block : block + 8;
   uint16_t color0, color1;
   uint32_t codes;
   memcpy(&color0, color, 2);
   memcpy(&color1, color + 2, 2);
   memcpy(&codes, color + 4, 4);
   const uint32_t code = codes >> 2 * index & 3;
   if (compression <= CF_COMPRESSION_DXT1_RGBA) {
      const uint32_t four = color0 > color1;
      const uint32_t clear = compression == CF_COMPRESSION_DXT1_RGBA && !four && code == 3;
      return cf_s3tc_color(color0, color1, four, code) | (clear ? 0 : 0xff000000);
   }
   const uint32_t alpha = compression == CF_COMPRESSION_DXT3
                             ? (block[index / 2] >> 4 * (index % 2) & 15) * 17
                             : cf_s3tc_alpha(block, index);
   return cf_s3tc_color(color0, color1, 1, code) | alpha << 24;
}

#endif
