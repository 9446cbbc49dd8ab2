/* SPDX-License-Identifier: MIT */
/*
 * Decoding of S3TC blocks, DXT1, DXT3 and DXT5 (EXT_texture_compression_s3tc): 4x4 texels in 8
 * bytes of color, preceded by 8 bytes of alpha except in DXT1.
 *
 * A texel's color is the exact mix of the two 5:6:5 colors in [0, 1], rounded once to 8 bits, ties
 * up, as the extension defines it. Other decoders differ in the last bit.
 *
 * Loading and decoding are apart, and decoding has no branches and no tables, so that units decode
 * many texels at once; the JIT's IR is generated from it (jit/llvm/gen_jit_formulas.py). Choices by
 * a code are digits of a constant, and divisions are multiplications that are exact for all numbers
 * that occur.
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
   uint32_t alpha[2]; /* DXT3, DXT5 */
};

static inline struct cf_s3tc_words
cf_s3tc_load(enum cf_compression compression, const uint8_t *block)
{
   struct cf_s3tc_words words = { 0, 0, { 0, 0 } };
   if (compression >= CF_COMPRESSION_DXT3) {
      memcpy(words.alpha, block, 8);
      block += 8;
   }
   memcpy(&words.colors, block, 4);
   memcpy(&words.codes, block + 4, 4);
   return words;
}

/* The sixths of color 0 by code, four bits each; above them those of color 1. */
#define CF_S3TC_FOUR_COLORS 0x42602406u
#define CF_S3TC_THREE_COLORS 0x03600306u

/* Red, green, blue in bits 7:0, 15:8, 23:16. `code`: 0..3; four: four colors, else three and black.
 */
static inline uint32_t
cf_s3tc_color(uint32_t color0, uint32_t color1, uint32_t four, uint32_t code)
{
   const uint32_t sixths = (four ? CF_S3TC_FOUR_COLORS : CF_S3TC_THREE_COLORS) >> (4 * code);
   const uint32_t a = sixths & 7, b = sixths >> 16 & 7;
   const uint32_t red = (color0 >> 11) * a + (color1 >> 11) * b; /* of 31 * 6 */
   const uint32_t green = (color0 >> 5 & 63) * a + (color1 >> 5 & 63) * b; /* of 63 * 6 */
   const uint32_t blue = (color0 & 31) * a + (color1 & 31) * b;
   const uint32_t r = (red * 170 + 62) * 33826 >> 22,
                  b8 = (blue * 170 + 62) * 33826 >> 22;          /* / 124 */
   return r | (green * 170 + 126) * 66577 >> 24 << 8 | b8 << 16; /* / 252 */
}

/* DXT3: alpha of texel `index`, four bits each. */
static inline uint32_t
cf_s3tc_alpha_bits(uint32_t low, uint32_t high, uint32_t index)
{
   const uint32_t word = index >= 8 ? high : low;
   return (word >> (4 * (index & 7)) & 15) * 17;
}

/* DXT5: alpha of texel `index`, three bits each, eight texels in 24 bits, behind two values of
 * eight. Eight values from the first to the second, or six, 0 and 255. */
static inline uint32_t
cf_s3tc_alpha(uint32_t low, uint32_t high, uint32_t index)
{
   const uint32_t alpha0 = low & 255, alpha1 = low >> 8 & 255;
   const uint32_t first_eight = low >> 16 | (high & 255) << 16,
                  codes = index >= 8 ? high >> 8 : first_eight;
   const uint32_t code = codes >> (3 * (index & 7)) & 7;
   const uint32_t seven = alpha0 > alpha1, steps = seven ? 7 : 5;
   const uint32_t second = code == 0 ? 0 : code == 1 ? steps : code - 1;
   const uint32_t sum = alpha0 * (steps - second) + alpha1 * second;
   const uint32_t mixed = seven ? (sum + 3) * 9363 >> 16 : (sum + 2) * 13108 >> 16; /* / 7, / 5 */
   const uint32_t constant = code == 6 ? 0 : 255;
   return (seven == 0) & (code >= 6) ? constant : mixed;
}

static inline uint32_t
cf_s3tc_decode(enum cf_compression compression, uint32_t colors, uint32_t codes, uint32_t alpha_low,
               uint32_t alpha_high, uint32_t index)
{
   const uint32_t color0 = colors & 0xffff, color1 = colors >> 16, code = codes >> (2 * index) & 3;
   if (compression == CF_COMPRESSION_DXT3)
      return cf_s3tc_color(color0, color1, 1, code) |
             cf_s3tc_alpha_bits(alpha_low, alpha_high, index) << 24;
   if (compression == CF_COMPRESSION_DXT5)
      return cf_s3tc_color(color0, color1, 1, code) | cf_s3tc_alpha(alpha_low, alpha_high, index)
                                                         << 24;
   const uint32_t four = color0 > color1, color = cf_s3tc_color(color0, color1, four, code);
   if (compression == CF_COMPRESSION_DXT1_RGB)
      return color | 0xff000000u;
   return color | ((four == 0) & (code == 3) ? 0 : 0xff000000u);
}

/** A texel of a block as R8G8B8A8. `index`: column + 4 * row. `block` must have the format's
 * block_B bytes. */
static inline uint32_t
cf_s3tc_texel(enum cf_compression compression, const uint8_t *block, uint32_t index)
{
   const struct cf_s3tc_words words = cf_s3tc_load(compression, block);
   return cf_s3tc_decode(compression, words.colors, words.codes, words.alpha[0], words.alpha[1],
                         index);
}

#endif
