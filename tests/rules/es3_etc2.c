/* SPDX-License-Identifier: MIT
 *
 * ETC2 and EAC: blocks of random bits against decoders written from OpenGL ES 3.0, appendix C.
 */
#include "es3_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PX = 16 };

static int
clamped(int x, int low, int high)
{
   return x < low ? low : x > high ? high : x;
}

/* Table C.8: modifiers of individual and differential blocks. */
static const int modifiers[8][2] = { { 2, 8 },   { 5, 17 },  { 9, 29 },   { 13, 42 },
                                     { 18, 60 }, { 24, 80 }, { 33, 106 }, { 47, 183 } };
/* Table C.10: distances of T and H blocks. */
static const int distances[8] = { 3, 6, 11, 16, 23, 32, 41, 64 };

/* Table C.12: modifiers of alpha and of R11. */
static const int eac_modifiers[16][8] = {
   { -3, -6, -9, -15, 2, 5, 8, 14 }, { -3, -7, -10, -13, 2, 6, 9, 12 },
   { -2, -5, -8, -13, 1, 4, 7, 12 }, { -2, -4, -6, -13, 1, 3, 5, 12 },
   { -3, -6, -8, -12, 2, 5, 7, 11 }, { -3, -7, -9, -11, 2, 6, 8, 10 },
   { -4, -7, -8, -11, 3, 6, 7, 10 }, { -3, -5, -8, -11, 2, 4, 7, 10 },
   { -2, -6, -8, -10, 1, 5, 7, 9 },  { -2, -5, -8, -10, 1, 4, 7, 9 },
   { -2, -4, -8, -10, 1, 3, 7, 9 },  { -2, -5, -7, -10, 1, 4, 6, 9 },
   { -3, -4, -7, -10, 2, 3, 6, 9 },  { -1, -2, -3, -10, 0, 1, 2, 9 },
   { -4, -6, -8, -9, 3, 5, 7, 8 },   { -3, -5, -7, -9, 2, 4, 6, 8 },
};

/* A block's 64 bits, named as the appendix does: bit 63 is the first byte's highest. */
static uint64_t
word_of(const uint8_t *block)
{
   uint64_t word = 0;
   for (int i = 0; i < 8; i++)
      word = word << 8 | block[i];
   return word;
}

static int
bits(uint64_t word, int high, int low)
{
   return (int)(word >> low & ((UINT64_C(1) << (high - low + 1)) - 1));
}

/* Bits of one texel: the first of 2 is 16 places above the second. */
static int
index_of(uint64_t word, int x, int y)
{
   const int place = 4 * x + y;
   return bits(word, 16 + place, 16 + place) * 2 + bits(word, place, place);
}

enum mode { INDIVIDUAL, DIFFERENTIAL, T, H, PLANAR };

static int
five_and_delta(uint64_t word, int c)
{
   const int delta = bits(word, 58 - 8 * c, 56 - 8 * c);
   return bits(word, 63 - 8 * c, 59 - 8 * c) + (delta & 4 ? delta - 8 : delta);
}

/* Section C.1.1: sums that overflow choose a mode. */
static enum mode
mode_of(uint64_t word, bool punchthrough)
{
   static const enum mode overflows[] = { T, H, PLANAR };
   if (!punchthrough && !bits(word, 33, 33))
      return INDIVIDUAL;
   for (int c = 0; c < 3; c++) {
      if (five_and_delta(word, c) < 0 || five_and_delta(word, c) > 31)
         return overflows[c];
   }
   return DIFFERENTIAL;
}

/* Two halves with a colour and a table each. */
static void
decode_halves(uint64_t word, enum mode mode, bool clear, int x, int y, int rgb[4])
{
   const int half = bits(word, 32, 32) ? y / 2 : x / 2, index = index_of(word, x, y);
   const int table = half ? bits(word, 36, 34) : bits(word, 39, 37);
   int modifier = modifiers[table][index & 1] * (index & 2 ? -1 : 1);
   if (clear && !(index & 1))
      modifier = 0;
   for (int c = 0; c < 3; c++) {
      const int four =
         half ? bits(word, 59 - 8 * c, 56 - 8 * c) : bits(word, 63 - 8 * c, 60 - 8 * c);
      const int five = half ? five_and_delta(word, c) : bits(word, 63 - 8 * c, 59 - 8 * c);
      const int base = mode == INDIVIDUAL ? four * 17 : five << 3 | five >> 2;
      rgb[c] = clamped(base + modifier, 0, 255);
   }
}

static void
decode_t(uint64_t word, int index, int rgb[4])
{
   const int base[2][3] = { { bits(word, 60, 59) << 2 | bits(word, 57, 56), bits(word, 55, 52),
                              bits(word, 51, 48) },
                            { bits(word, 47, 44), bits(word, 43, 40), bits(word, 39, 36) } };
   const int distance = distances[bits(word, 35, 34) << 1 | bits(word, 32, 32)];
   static const int signs[4] = { 0, 1, 0, -1 };
   for (int c = 0; c < 3; c++)
      rgb[c] = clamped(base[index > 0][c] * 17 + signs[index] * distance, 0, 255);
}

static void
decode_h(uint64_t word, int index, int rgb[4])
{
   const int base[2][3] = { { bits(word, 62, 59), bits(word, 58, 56) << 1 | bits(word, 52, 52),
                              bits(word, 51, 51) << 3 | bits(word, 49, 47) },
                            { bits(word, 46, 43), bits(word, 42, 39), bits(word, 38, 35) } };
   const int number[2] = { base[0][0] << 8 | base[0][1] << 4 | base[0][2],
                           base[1][0] << 8 | base[1][1] << 4 | base[1][2] };
   const int distance =
      distances[bits(word, 34, 34) << 2 | bits(word, 32, 32) << 1 | (number[0] >= number[1])];
   for (int c = 0; c < 3; c++)
      rgb[c] = clamped(base[index >> 1][c] * 17 + (index & 1 ? -distance : distance), 0, 255);
}

/* Section C.1.5: a plane through three colours. */
static void
decode_planar(uint64_t word, int x, int y, int rgb[4])
{
   const int six[3][3] = {
      { bits(word, 62, 57), bits(word, 56, 56) << 6 | bits(word, 54, 49),
        bits(word, 48, 48) << 5 | bits(word, 44, 43) << 3 | bits(word, 41, 39) },
      { bits(word, 38, 34) << 1 | bits(word, 32, 32), bits(word, 31, 25), bits(word, 24, 19) },
      { bits(word, 18, 13), bits(word, 12, 6), bits(word, 5, 0) }
   };
   for (int c = 0; c < 3; c++) {
      int o[3];
      for (int i = 0; i < 3; i++)
         o[i] = c == 1 ? six[i][c] << 1 | six[i][c] >> 6 : six[i][c] << 2 | six[i][c] >> 4;
      rgb[c] = clamped((x * (o[1] - o[0]) + y * (o[2] - o[0]) + 4 * o[0] + 2) >> 2, 0, 255);
   }
}

/* Red, green, blue, and alpha of 255 or 0. */
static void
decode_colour(const uint8_t *block, bool punchthrough, int x, int y, int rgba[4])
{
   const uint64_t word = word_of(block);
   const enum mode mode = mode_of(word, punchthrough);
   const bool clear = punchthrough && !bits(word, 33, 33);
   const int index = index_of(word, x, y);
   rgba[3] = 255;
   if (mode == PLANAR)
      decode_planar(word, x, y, rgba);
   else if (mode == T)
      decode_t(word, index, rgba);
   else if (mode == H)
      decode_h(word, index, rgba);
   else
      decode_halves(word, mode, clear, x, y, rgba);
   if (clear && index == 2 && mode != PLANAR)
      memset(rgba, 0, 4 * sizeof(*rgba));
}

/* Section C.1.3: alpha of 8 bits. */
static double
decode_alpha(const uint8_t *block, int x, int y)
{
   const uint64_t word = word_of(block);
   const int place = 45 - 3 * (4 * x + y),
             modifier = eac_modifiers[bits(word, 51, 48)][bits(word, place + 2, place)];
   return clamped(bits(word, 63, 56) + modifier * bits(word, 55, 52), 0, 255) / 255.0;
}

/* Sections C.1.6 to C.1.9: 11 bits; a multiplier of 0 is 1/8. */
static double
decode_11(const uint8_t *block, bool is_signed, int x, int y)
{
   const uint64_t word = word_of(block);
   const int place = 45 - 3 * (4 * x + y),
             modifier = eac_modifiers[bits(word, 51, 48)][bits(word, place + 2, place)];
   const int multiplier = bits(word, 55, 52),
             step = multiplier ? modifier * multiplier * 8 : modifier;
   if (!is_signed)
      return clamped(bits(word, 63, 56) * 8 + 4 + step, 0, 2047) / 2047.0;
   const int base = (int8_t)bits(word, 63, 56);
   return clamped((base == -128 ? -127 : base) * 8 + step, -1023, 1023) / 1023.0;
}

/* ---------------------------------------------------------------------------------------- check */

static const struct compressed {
   GLenum format;
   int block_B;
   bool colour, punchthrough, srgb, is_signed;
} compressed_formats[] = {
   { GL_COMPRESSED_RGB8_ETC2, 8, true, false, false, false },
   { GL_COMPRESSED_SRGB8_ETC2, 8, true, false, true, false },
   { GL_COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2, 8, true, true, false, false },
   { GL_COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2, 8, true, true, true, false },
   { GL_COMPRESSED_RGBA8_ETC2_EAC, 16, true, false, false, false },
   { GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC, 16, true, false, true, false },
   { GL_COMPRESSED_R11_EAC, 8, false, false, false, false },
   { GL_COMPRESSED_SIGNED_R11_EAC, 8, false, false, false, true },
   { GL_COMPRESSED_RG11_EAC, 16, false, false, false, false },
   { GL_COMPRESSED_SIGNED_RG11_EAC, 16, false, false, false, true },
};

static void
decode(const struct compressed *f, const uint8_t *block, int x, int y, double rgba[4])
{
   const bool two = f->block_B == 16;
   if (!f->colour) {
      rgba[0] = decode_11(block, f->is_signed, x, y), rgba[2] = 0, rgba[3] = 1;
      rgba[1] = two ? decode_11(block + 8, f->is_signed, x, y) : 0;
      return;
   }
   int whole[4];
   decode_colour(two ? block + 8 : block, f->punchthrough, x, y, whole);
   for (int c = 0; c < 4; c++) {
      const double share = whole[c] / 255.0;
      rgba[c] = !f->srgb || c == 3 ? share
                : share <= 0.04045 ? share / 12.92
                                   : pow((share + 0.055) / 1.055, 2.4);
   }
   if (two)
      rgba[3] = decode_alpha(block, x, y);
}

/* Blocks of random bits, many of them with colours whose sums overflow; planar ones of
 * punchthrough formats are opaque. */
static void
random_blocks(struct rules *r, const struct compressed *f, uint8_t *bytes, int size_B)
{
   for (int i = 0; i < size_B; i++)
      bytes[i] = (uint8_t)rules_below(r, 256);
   for (int i = 0; i < size_B; i += f->block_B) {
      uint8_t *block = bytes + i + (f->block_B == 16 ? 8 : 0);
      const uint32_t wanted = rules_below(r, 5);
      if (f->colour &&
          wanted > 1) /* 31 and a positive delta overflow, in the channel of the mode */
         block[3] |= 2;
      for (uint32_t c = 0; f->colour && wanted > 1 && c < 3; c++)
         block[c] = c < wanted - 2 ? 0x7b : c == wanted - 2 ? 0xf9 : block[c];
      if (f->punchthrough && mode_of(word_of(block), true) == PLANAR)
         block[3] |= 2;
   }
}

static void
expect_blocks(struct rules *r, const struct compressed *f, const uint8_t *bytes, int w, int h)
{
   uint32_t *have = es3_read_uint(r, MOST_PX, MOST_PX);
   const int blocks = (w + 3) / 4;
   for (int i = 0; i < w * h; i++) {
      const int x = i % w, y = i / w;
      double wanted[4];
      decode(f, bytes + (y / 4 * blocks + x / 4) * f->block_B, x % 4, y % 4, wanted);
      for (int c = 0; c < 4; c++) {
         const float value = es3_float(have[4 * (y * MOST_PX + x) + c]);
         if (!(fabs(value - wanted[c]) <= (f->srgb ? 2.5e-4 : f->colour ? 1e-6 : 4e-5)))
            rules_fail(r, "format 0x%04x, %d x %d: channel %d of texel (%d, %d) is %.9g, not %.9g",
                       f->format, w, h, c, x, y, value, wanted[c]);
      }
   }
   free(have);
}

/* Pixels are not compressed (section 3.8.5), whatever their place. */
static void
refuse_pixels(const struct rules *r, int w, int h)
{
   static const uint8_t pixels[MOST_PX * MOST_PX * 4];
   const int width_px = r->n % 2 ? w : 1;
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width_px, h, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   if (glGetError() != GL_INVALID_OPERATION)
      rules_fail(r, "glTexSubImage2D of %d x %d compressed texels", width_px, h);
}

void
es3_etc2(struct rules *r)
{
   struct es3_target target = es3_target_create(GL_RGBA32UI, MOST_PX, MOST_PX);
   GLuint program =
      es3_program(r, es3_vertex_whole,
                  "uniform sampler2D image; out uvec4 v; void main() {\n"
                  "   v = floatBitsToUint(texelFetch(image, ivec2(gl_FragCoord.xy), 0)); }");
   glUseProgram(program);
   while (rules_next(r)) {
      const struct compressed *f = &compressed_formats[(size_t)r->n % COUNT(compressed_formats)];
      const int w = rules_between(r, 1, MOST_PX), h = rules_between(r, 1, MOST_PX);
      const int size_B = (w + 3) / 4 * ((h + 3) / 4) * f->block_B;
      uint8_t bytes[MOST_PX * MOST_PX];
      GLuint texture;
      random_blocks(r, f, bytes, size_B);
      glGenTextures(1, &texture);
      glBindTexture(GL_TEXTURE_2D, texture);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      if (rules_chance(r, 50)) {
         glTexStorage2D(GL_TEXTURE_2D, 1, f->format, w, h);
         glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, w, h, f->format, size_B, bytes);
      } else {
         glCompressedTexImage2D(GL_TEXTURE_2D, 0, f->format, w, h, 0, size_B, bytes);
      }
      es3_draw_whole();
      expect_blocks(r, f, bytes, w, h);
      refuse_pixels(r, w, h);
      glDeleteTextures(1, &texture);
   }
   glDeleteProgram(program);
   es3_target_delete(&target);
}
