/* SPDX-License-Identifier: MIT
 *
 * Compressed textures: ETC1 and S3TC blocks of random bits, whole images and parts of them, all
 * levels, against decoders written from the extensions' texts. Immutable storage.
 */
#include "texture_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PX = 40 };

/* ------------------------------------------------------------------------------------- decoders */

/* Texel (x, y) of a block, from 0 to 1. */
typedef void decoder(const uint8_t *block, int x, int y, double rgba[4]);

static const int etc1_modifiers[8][2] = { { 2, 8 },   { 5, 17 },  { 9, 29 },   { 13, 42 },
                                          { 18, 60 }, { 24, 80 }, { 33, 106 }, { 47, 183 } };

/* OES_compressed_ETC1_RGB8_texture: a big-endian word of 64 bits; two halves with a colour and a
 * table each. */
static void
decode_etc1(const uint8_t *block, int x, int y, double rgba[4])
{
   const bool differential = block[3] & 2, flip = block[3] & 1;
   const int half = flip ? y / 2 : x / 2;
   const int table = half ? block[3] >> 2 & 7 : block[3] >> 5;
   const int pixel = 4 * x + y;
   const int high = (block[5 - pixel / 8] >> pixel % 8) & 1,
             low = (block[7 - pixel / 8] >> pixel % 8) & 1;
   const int modifier = (high ? -1 : 1) * etc1_modifiers[table][low];
   for (int c = 0; c < 3; c++) {
      int base;
      if (differential) {
         const int five = block[c] >> 3, delta = (block[c] & 7) - (block[c] & 4 ? 8 : 0);
         const int value = half ? five + delta : five;
         base = value << 3 | value >> 2;
      } else {
         base = 17 * (half ? block[c] & 15 : block[c] >> 4);
      }
      rgba[c] = fmin(fmax(base + modifier, 0), 255) / 255.0;
   }
   rgba[3] = 1;
}

static void
colour_565(uint32_t bits, double rgb[3])
{
   rgb[0] = (bits >> 11) / 31.0, rgb[1] = (bits >> 5 & 63) / 63.0, rgb[2] = (bits & 31) / 31.0;
}

/* EXT_texture_compression_s3tc: the eight bytes of colours. */
static void
decode_s3tc_colour(const uint8_t *block, int x, int y, bool always_four, bool transparent,
                   double rgba[4])
{
   const uint32_t bits[2] = { block[0] | block[1] << 8, block[2] | block[3] << 8 };
   const int code = block[4 + y] >> 2 * x & 3;
   double colour[2][3];
   colour_565(bits[0], colour[0]);
   colour_565(bits[1], colour[1]);
   static const double four[4] = { 0, 1, 1.0 / 3, 2.0 / 3 }, three[4] = { 0, 1, 0.5, 0 };
   const bool is_four = always_four || bits[0] > bits[1];
   const double weight = (is_four ? four : three)[code];
   const bool black = !is_four && code == 3;
   for (int c = 0; c < 3; c++)
      rgba[c] = black ? 0 : colour[0][c] + weight * (colour[1][c] - colour[0][c]);
   rgba[3] = black && transparent ? 0 : 1;
}

static void
decode_dxt1_rgb(const uint8_t *block, int x, int y, double rgba[4])
{
   decode_s3tc_colour(block, x, y, false, false, rgba);
}

static void
decode_dxt1_rgba(const uint8_t *block, int x, int y, double rgba[4])
{
   decode_s3tc_colour(block, x, y, false, true, rgba);
}

static void
decode_dxt3(const uint8_t *block, int x, int y, double rgba[4])
{
   decode_s3tc_colour(block + 8, x, y, true, false, rgba);
   rgba[3] = (block[2 * y + x / 2] >> 4 * (x % 2) & 15) / 15.0;
}

static void
decode_dxt5(const uint8_t *block, int x, int y, double rgba[4])
{
   uint64_t codes = 0;
   for (int i = 0; i < 6; i++)
      codes |= (uint64_t)block[2 + i] << 8 * i;
   const int code = (int)(codes >> 3 * (4 * y + x) & 7);
   const double a0 = block[0] / 255.0, a1 = block[1] / 255.0;
   decode_s3tc_colour(block + 8, x, y, true, false, rgba);
   if (code < 2)
      rgba[3] = code ? a1 : a0;
   else if (block[0] > block[1])
      rgba[3] = ((8 - code) * a0 + (code - 1) * a1) / 7;
   else
      rgba[3] = code == 6 ? 0 : code == 7 ? 1 : ((6 - code) * a0 + (code - 1) * a1) / 5;
}

static const struct compressed_format {
   const char *extension, *parts; /* of parts of images */
   GLenum format;
   int block_B;
   decoder *decode;
   double lsb; /* of 255: interpolated colours may be rounded twice, to 8 bits before and after */
} formats[] = {
   { "GL_OES_compressed_ETC1_RGB8_texture", "GL_EXT_compressed_ETC1_RGB8_sub_texture", GL_ETC1_RGB8_OES, 8, decode_etc1,
     0.51 },
   { "GL_EXT_texture_compression_dxt1", "", GL_COMPRESSED_RGB_S3TC_DXT1_EXT, 8, decode_dxt1_rgb, 1.51 },
   { "GL_EXT_texture_compression_dxt1", "", GL_COMPRESSED_RGBA_S3TC_DXT1_EXT, 8, decode_dxt1_rgba, 1.51 },
   { "GL_EXT_texture_compression_s3tc", "", GL_COMPRESSED_RGBA_S3TC_DXT3_EXT, 16, decode_dxt3, 1.51 },
   { "GL_EXT_texture_compression_s3tc", "", GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, 16, decode_dxt5, 1.51 },
};
enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };

/* --------------------------------------------------------------------------------------- images */

/* A differential block whose second colour would overflow means nothing: its deltas become 0. */
static void
random_block(struct rules *r, const struct compressed_format *f, uint8_t *block)
{
   for (int i = 0; i < f->block_B; i++)
      block[i] = (uint8_t)rules_below(r, 256);
   if (f->format == GL_ETC1_RGB8_OES && block[3] & 2)
      for (int c = 0; c < 3; c++) {
         const int second = (block[c] >> 3) + (block[c] & 7) - (block[c] & 4 ? 8 : 0);
         if (second < 0 || second > 31)
            block[c] &= 0xf8;
      }
   if (f->format != GL_ETC1_RGB8_OES && rules_chance(r, 10)) /* equal colours: the limit between the two codes */
      memcpy(block + f->block_B - 6, block + f->block_B - 8, 2);
}

/* Random blocks for a rectangle of the level, which become its texels. The caller frees them. */
static uint8_t *
random_blocks(struct rules *r, const struct compressed_format *f, struct ref_level *level, int x,
              int y, int width, int height)
{
   const int columns = (width + 3) / 4, rows = (height + 3) / 4;
   uint8_t *blocks = malloc((size_t)columns * rows * f->block_B);
   for (int i = 0; i < columns * rows; i++) {
      uint8_t *block = blocks + i * f->block_B;
      random_block(r, f, block);
      for (int p = 0; p < 16; p++) {
         const int at_x = x + i % columns * 4 + p % 4, at_y = y + i / columns * 4 + p / 4;
         if (at_x < level->size[0] && at_y < level->size[1])
            f->decode(block, p % 4, p / 4, level->texel[at_y * level->size[0] + at_x]);
      }
   }
   return blocks;
}

static int
blocks_B(const struct compressed_format *f, int width, int height)
{
   return (width + 3) / 4 * ((height + 3) / 4) * f->block_B;
}

/* A part begins at a block and ends at one or at the image's edge. */
static void
replace_part(struct rules *r, const struct compressed_format *f, struct ref_level *levels, int l)
{
   struct ref_level *level = &levels[l];
   const int columns = (level->size[0] + 3) / 4, rows = (level->size[1] + 3) / 4;
   const int x = 4 * rules_between(r, 0, columns - 1), y = 4 * rules_between(r, 0, rows - 1);
   int width = 4 * rules_between(r, 1, columns - x / 4),
       height = 4 * rules_between(r, 1, rows - y / 4);
   width = x + width > level->size[0] ? level->size[0] - x : width;
   height = y + height > level->size[1] ? level->size[1] - y : height;
   uint8_t *blocks = random_blocks(r, f, level, x, y, width, height);
   glCompressedTexSubImage2D(GL_TEXTURE_2D, l, x, y, width, height, f->format,
                             blocks_B(f, width, height), blocks);
   free(blocks);
}

void
tex_compressed(struct rules *r)
{
   struct tex_canvas canvas = tex_canvas_create(MOST_PX, MOST_PX);
   while (rules_next(r)) {
      const struct compressed_format *f = &formats[r->n % FORMATS];
      const int width = rules_between(r, 1, MOST_PX), height = rules_between(r, 1, MOST_PX);
      struct ref_texture texture = { .levels = 0 };
      GLuint name;
      if (!has_extension(f->extension))
         continue;
      glGenTextures(1, &name);
      glBindTexture(GL_TEXTURE_2D, name);
      for (int l = 0; (width > height ? width : height) >> l; l++) {
         const int w = width >> l ? width >> l : 1, h = height >> l ? height >> l : 1;
         ref_level_create(&texture.level[0][l], w, h, 1);
         uint8_t *blocks = random_blocks(r, f, &texture.level[0][l], 0, 0, w, h);
         glCompressedTexImage2D(GL_TEXTURE_2D, l, f->format, w, h, 0, blocks_B(f, w, h), blocks);
         free(blocks);
         texture.levels++;
      }
      if (!*f->parts || has_extension(f->parts))
         for (int n = rules_between(r, 0, 3); n > 0; n--)
            replace_part(r, f, texture.level[0], rules_between(r, 0, texture.levels - 1));
      for (int l = 0; l < texture.levels; l++) {
         struct ref_level *level = &texture.level[0][l];
         lookup_use(LOOKUP_2D_BIAS, TO_LAST_LEVEL);
         show_only_level(GL_TEXTURE_2D, l);
         glViewport(0, 0, level->size[0], level->size[1]);
         draw_whole_texture();
         char what[50];
         snprintf(what, sizeof(what), "format %x, level %d", f->format, l);
         expect_texels(r, level->size[0], level->size[1], level->texel, f->lsb, what);
      }
      ref_texture_free(&texture);
      glDeleteTextures(1, &name);
   }
   tex_canvas_delete(&canvas);
}

/* ---------------------------------------------------------------------------- immutable storage */

static const struct {
   GLenum internal;
   int format; /* of image_formats */
} storages[] = {
   { GL_RGBA8_OES, 0 },      { GL_RGB8_OES, 1 },   { GL_LUMINANCE8_ALPHA8_EXT, 2 },
   { GL_LUMINANCE8_EXT, 3 }, { GL_ALPHA8_EXT, 4 }, { GL_RGB565, 5 },
   { GL_RGBA4, 6 },          { GL_RGB5_A1, 7 },    { GL_BGRA8_EXT, 8 },
};
enum { STORAGES = sizeof(storages) / sizeof(storages[0]) };

/* EXT_texture_storage: all levels exist at once, may be filled in any order, and cannot be
 * specified again. */
void
tex_immutable(struct rules *r)
{
   struct tex_canvas canvas = tex_canvas_create(MOST_PX, MOST_PX);
   if (!has_extension("GL_EXT_texture_storage"))
      rules_skip("no GL_EXT_texture_storage");
   while (rules_next(r)) {
      const int which = r->n % STORAGES;
      const struct image_format *f = &image_formats[storages[which].format];
      const int width = rules_between(r, 1, MOST_PX), height = rules_between(r, 1, MOST_PX);
      struct ref_texture texture = { .levels = 1 };
      GLuint name;
      if (!format_supported(f))
         continue;
      while ((width > height ? width : height) >> texture.levels && rules_chance(r, 80))
         texture.levels++;
      glGenTextures(1, &name);
      glBindTexture(GL_TEXTURE_2D, name);
      gl_ext()->TexStorage2DEXT(GL_TEXTURE_2D, texture.levels, storages[which].internal, width,
                                height);
      no_error("making immutable storage");
      glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
      const int first = rules_between(r, 0, texture.levels - 1);
      for (int n = 0; n < texture.levels; n++) {
         const int l = (first + n) % texture.levels;
         const int w = width >> l ? width >> l : 1, h = height >> l ? height >> l : 1;
         uint8_t *bytes = random_level(r, f, &texture.level[0][l], w, h, 1);
         glTexSubImage2D(GL_TEXTURE_2D, l, 0, 0, w, h, f->format, f->type, bytes);
         free(bytes);
      }
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
      if (glGetError() != GL_INVALID_OPERATION)
         rules_fail(r, "immutable storage can be specified again");
      for (int l = 0; l < texture.levels; l++) {
         struct ref_level *level = &texture.level[0][l];
         lookup_use(LOOKUP_2D_BIAS, TO_LAST_LEVEL);
         show_only_level(GL_TEXTURE_2D, l);
         glViewport(0, 0, level->size[0], level->size[1]);
         draw_whole_texture();
         expect_texels(r, level->size[0], level->size[1], level->texel, 0.51, f->name);
      }
      ref_texture_free(&texture);
      glDeleteTextures(1, &name);
   }
   tex_canvas_delete(&canvas);
}
