/* SPDX-License-Identifier: MIT */
/*
 * Decoding of S3TC blocks, DXT1, DXT3 and DXT5 (EXT_texture_compression_s3tc): 4x4 texels in 8
 * bytes of color, preceded by 8 bytes of alpha except in DXT1.
 *
 * A texel's color is the exact mix of the two 5:6:5 colors in [0, 1], rounded once to 8 bits, ties
 * up, as the extension defines it. Other decoders differ in the last bit.
 *
 * Loading and decoding are separate; decoding has no branches or tables, so that it can be
 * vectorised over texels.
 */
#ifndef CF_S3TC_H
#define CF_S3TC_H

#include <stdint.h>
#include <string.h>

#include "clipfree/memory/cf_format.h"

/* The words of a block. */
struct cf_s3tc_words {
   uint32_t colors; /* color0 in the lower half */
   uint32_t codes;  /* two bits a texel */
   uint64_t alpha;  /* DXT3, DXT5 */
};

static inline struct cf_s3tc_words
cf_s3tc_load(enum cf_compression compression, const uint8_t *block)
{
   struct cf_s3tc_words words = { 0, 0, 0 };
   if (compression >= CF_COMPRESSION_DXT3) {
      memcpy(&words.alpha, block, 8);
      block += 8;
   }
   memcpy(&words.colors, block, 4);
   memcpy(&words.codes, block + 4, 4);
   return words;
}

/* Red, green, blue in bits 7:0, 15:8, 23:16. `code`: 0..3; four: four colors, else three and
 * black. */
static inline uint32_t
cf_s3tc_color(uint32_t color0, uint32_t color1, uint32_t four, uint32_t code)
{
   /* sixths of the two colors */
   const uint32_t third = four ? 4 : 3, fourth = four ? 2 : 0;
   const uint32_t a = code == 0 ? 6 : code == 1 ? 0 : code == 2 ? third : fourth;
   const uint32_t b = code == 3 ? 2 * fourth : 6 - a;
   const uint32_t red = (color0 >> 11) * a + (color1 >> 11) * b; /* of 31 * 6 */
   const uint32_t green = (color0 >> 5 & 63) * a + (color1 >> 5 & 63) * b; /* of 63 * 6 */
   const uint32_t blue = (color0 & 31) * a + (color1 & 31) * b;
   return (red * 170 + 62) / 124 | (green * 170 + 126) / 252 << 8 | (blue * 170 + 62) / 124 << 16;
}

/* DXT5: alpha of texel `index`. Eight values from alpha0 to alpha1, or six, 0 and 255. */
static inline uint32_t
cf_s3tc_alpha(uint64_t words, uint32_t index)
{
   const uint32_t alpha0 = (uint32_t)words & 255, alpha1 = (uint32_t)words >> 8 & 255;
   const uint32_t code = (uint32_t)(words >> (16 + 3 * index)) & 7;
   const uint32_t seven = alpha0 > alpha1, steps = seven ? 7 : 5;
   const uint32_t second = code == 0 ? 0 : code == 1 ? steps : code - 1;
   const uint32_t sum = alpha0 * (steps - second) + alpha1 * second;
   const uint32_t mixed = seven ? (sum + 3) / 7 : (sum + 2) / 5;
   const uint32_t constant = code == 6 ? 0 : 255;
   return !seven && code >= 6 ? constant : mixed;
}

static inline uint32_t
cf_s3tc_decode(enum cf_compression compression, uint32_t colors, uint32_t codes, uint64_t alpha,
               uint32_t index)
{
   const uint32_t color0 = colors & 0xffff, color1 = colors >> 16, code = codes >> 2 * index & 3;
   if (compression <= CF_COMPRESSION_DXT1_RGBA) {
      const uint32_t four = color0 > color1;
      const uint32_t clear = compression == CF_COMPRESSION_DXT1_RGBA && !four && code == 3;
      return cf_s3tc_color(color0, color1, four, code) | (clear ? 0 : 0xff000000);
   }
   const uint32_t opacity = compression == CF_COMPRESSION_DXT3
                               ? ((uint32_t)(alpha >> 4 * index) & 15) * 17
                               : cf_s3tc_alpha(alpha, index);
   return cf_s3tc_color(color0, color1, 1, code) | opacity << 24;
}

/** A texel of a block as R8G8B8A8. `index`: column + 4 * row. `block` must have the format's
 * block_B bytes. */
static inline uint32_t
cf_s3tc_texel(enum cf_compression compression, const uint8_t *block, uint32_t index)
{
   const struct cf_s3tc_words words = cf_s3tc_load(compression, block);
   return cf_s3tc_decode(compression, words.colors, words.codes, words.alpha, index);
}

#endif
