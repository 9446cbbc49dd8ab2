/* SPDX-License-Identifier: MIT
 *
 * Texels of each format (OpenGL ES 3.0, section 3.8.2 and table 3.13), from memory or a buffer,
 * with random parameters of glPixelStorei and random swizzles; and pixels that are read into a
 * buffer.
 */
#include "es3_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_PX = 16, PIXELS = SIZE_PX * SIZE_PX, IMAGE_B = 1 << 16 };

/* n: fixed point, s: signed fixed point, f: float, u and i: integers, g: sRGB but for alpha */
static const struct format {
   GLenum internal, format, type;
   int pixel_B, channels;
   char kind;
} formats[] = {
   { GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1, 1, 'n' },
   { GL_RG8, GL_RG, GL_UNSIGNED_BYTE, 2, 2, 'n' },
   { GL_RGB8, GL_RGB, GL_UNSIGNED_BYTE, 3, 3, 'n' },
   { GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4, 4, 'n' },
   { GL_SRGB8, GL_RGB, GL_UNSIGNED_BYTE, 3, 3, 'g' },
   { GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE, 4, 4, 'g' },
   { GL_R8_SNORM, GL_RED, GL_BYTE, 1, 1, 's' },
   { GL_RG8_SNORM, GL_RG, GL_BYTE, 2, 2, 's' },
   { GL_RGB8_SNORM, GL_RGB, GL_BYTE, 3, 3, 's' },
   { GL_RGBA8_SNORM, GL_RGBA, GL_BYTE, 4, 4, 's' },
   { GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, 2, 3, 'n' },
   { GL_RGBA4, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, 2, 4, 'n' },
   { GL_RGB5_A1, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, 2, 4, 'n' },
   { GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, 4, 4, 'n' },
   { GL_RGB10_A2UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT_2_10_10_10_REV, 4, 4, 'u' },
   { GL_R11F_G11F_B10F, GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV, 4, 3, 'f' },
   { GL_RGB9_E5, GL_RGB, GL_UNSIGNED_INT_5_9_9_9_REV, 4, 3, 'f' },
   { GL_R16F, GL_RED, GL_HALF_FLOAT, 2, 1, 'f' },
   { GL_RG16F, GL_RG, GL_HALF_FLOAT, 4, 2, 'f' },
   { GL_RGB16F, GL_RGB, GL_HALF_FLOAT, 6, 3, 'f' },
   { GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, 8, 4, 'f' },
   { GL_R32F, GL_RED, GL_FLOAT, 4, 1, 'f' },
   { GL_RG32F, GL_RG, GL_FLOAT, 8, 2, 'f' },
   { GL_RGB32F, GL_RGB, GL_FLOAT, 12, 3, 'f' },
   { GL_RGBA32F, GL_RGBA, GL_FLOAT, 16, 4, 'f' },
   { GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE, 1, 1, 'u' },
   { GL_R8I, GL_RED_INTEGER, GL_BYTE, 1, 1, 'i' },
   { GL_RG8UI, GL_RG_INTEGER, GL_UNSIGNED_BYTE, 2, 2, 'u' },
   { GL_RGB8I, GL_RGB_INTEGER, GL_BYTE, 3, 3, 'i' },
   { GL_RGBA8UI, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, 4, 4, 'u' },
   { GL_RGBA8I, GL_RGBA_INTEGER, GL_BYTE, 4, 4, 'i' },
   { GL_R16I, GL_RED_INTEGER, GL_SHORT, 2, 1, 'i' },
   { GL_RG16UI, GL_RG_INTEGER, GL_UNSIGNED_SHORT, 4, 2, 'u' },
   { GL_RGB16UI, GL_RGB_INTEGER, GL_UNSIGNED_SHORT, 6, 3, 'u' },
   { GL_RGB16I, GL_RGB_INTEGER, GL_SHORT, 6, 3, 'i' },
   { GL_RGBA16UI, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT, 8, 4, 'u' },
   { GL_RGBA16I, GL_RGBA_INTEGER, GL_SHORT, 8, 4, 'i' },
   { GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, 4, 1, 'u' },
   { GL_RG32I, GL_RG_INTEGER, GL_INT, 8, 2, 'i' },
   { GL_RGB32UI, GL_RGB_INTEGER, GL_UNSIGNED_INT, 12, 3, 'u' },
   { GL_RGB32I, GL_RGB_INTEGER, GL_INT, 12, 3, 'i' },
   { GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16, 4, 'u' },
   { GL_RGBA32I, GL_RGBA_INTEGER, GL_INT, 16, 4, 'i' },
   { GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, 2, 1, 'n' },
   { GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, 4, 1, 'f' },
};

/* ------------------------------------------------------------------------------------- decoding */

/* A float of `bits` bits without sign, five of them the exponent: section 2.1.3 and 2.1.4. */
static double
small_float(uint32_t word, int bits)
{
   const int mantissa = bits - 5, exponent = (int)(word >> mantissa & 31);
   const double fraction = (double)(word & ((1u << mantissa) - 1)) / (1 << mantissa);
   return exponent ? ldexp(1 + fraction, exponent - 15) : ldexp(fraction, -14);
}

struct packed {
   GLenum type;
   int first[4], bits[4];
};

static const struct packed packed_types[] = {
   { GL_UNSIGNED_SHORT_5_6_5, { 11, 5, 0 }, { 5, 6, 5 } },
   { GL_UNSIGNED_SHORT_4_4_4_4, { 12, 8, 4, 0 }, { 4, 4, 4, 4 } },
   { GL_UNSIGNED_SHORT_5_5_5_1, { 11, 6, 1, 0 }, { 5, 5, 5, 1 } },
   { GL_UNSIGNED_INT_2_10_10_10_REV, { 0, 10, 20, 30 }, { 10, 10, 10, 2 } },
   { GL_UNSIGNED_INT_10F_11F_11F_REV, { 0, 11, 22 }, { 11, 11, 10 } },
   { GL_UNSIGNED_INT_5_9_9_9_REV, { 0, 9, 18 }, { 9, 9, 9 } },
};

static const struct packed *
find_packed(GLenum type)
{
   for (size_t i = 0; i < COUNT(packed_types); i++) {
      if (packed_types[i].type == type)
         return &packed_types[i];
   }
   return NULL;
}

static double
channel_packed(const struct format *f, const struct packed *p, const uint8_t *at, int c)
{
   uint32_t word = 0;
   memcpy(&word, at, (size_t)f->pixel_B);
   const uint32_t value = word >> p->first[c] & ((1u << p->bits[c]) - 1);
   if (f->type == GL_UNSIGNED_INT_10F_11F_11F_REV)
      return small_float(value, p->bits[c]);
   if (f->type == GL_UNSIGNED_INT_5_9_9_9_REV)
      return ldexp(value, (int)(word >> 27) - 24);
   return f->kind == 'u' ? value : (double)value / ((1u << p->bits[c]) - 1);
}

static double
to_linear(double x)
{
   return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

/* Channel c as sampled; integers as they are. */
static double
channel(const struct format *f, const uint8_t *at, int c)
{
   const struct packed *p = find_packed(f->type);
   if (p)
      return channel_packed(f, p, at, c);
   const int size_B = f->pixel_B / f->channels, bits = 8 * size_B;
   const bool has_sign = f->kind == 's' || f->kind == 'i';
   uint32_t word = 0;
   memcpy(&word, at + c * size_B, (size_t)size_B);
   if (f->kind == 'f')
      return f->type == GL_FLOAT ? es3_float(word)
                                 : (word >> 15 ? -1 : 1) * small_float(word & 0x7fff, 15);
   const double value = has_sign ? (int32_t)(word << (32 - bits)) >> (32 - bits) : (double)word;
   if (f->kind == 'u' || f->kind == 'i')
      return value;
   const double share = fmax(value / (double)((UINT64_C(1) << (bits - has_sign)) - 1), -1);
   return f->kind == 'g' && c < 3 ? to_linear(share) : share;
}

/* ------------------------------------------------------------------------------------ uploading */

struct image {
   const struct format *format;
   GLenum target;
   int size[3], alignment, row_length, image_height, skip[3], first_B;
   GLenum swizzle[4];
   uint8_t bytes[IMAGE_B];
};

/* Where texel (x, y, z) lies in the bytes: section 3.7.2, equation 3.9. */
static size_t
texel_offset(const struct image *m, int x, int y, int z)
{
   const int row_px = m->row_length ? m->row_length : m->size[0];
   const int rows = m->image_height ? m->image_height : m->size[1];
   const int row_B = (row_px * m->format->pixel_B + m->alignment - 1) / m->alignment * m->alignment;
   return (size_t)(m->first_B + ((z + m->skip[2]) * rows + y + m->skip[1]) * row_B +
                   (x + m->skip[0]) * m->format->pixel_B);
}

/* Random bits, but no infinities and NaNs. */
static void
random_bytes(struct rules *r, struct image *m)
{
   for (int i = 0; i < IMAGE_B; i += 4) {
      uint32_t bits = es3_random_bits(r);
      if (m->format->type == GL_FLOAT)
         bits = es3_bits(m->format->channels == 1 ? rules_float(r, 0, 1) : rules_float(r, -50, 50));
      else if (m->format->type == GL_HALF_FLOAT)
         bits &= 0xbfffbfff;
      else if (m->format->type == GL_UNSIGNED_INT_10F_11F_11F_REV)
         bits &= 0x7fdffbff;
      memcpy(m->bytes + i, &bits, sizeof(bits));
   }
}

static void
random_image(struct rules *r, struct image *m)
{
   static const GLenum targets[] = { GL_TEXTURE_2D, GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D };
   static const GLenum swizzles[] = { GL_RED, GL_GREEN, GL_BLUE, GL_ALPHA, GL_ZERO, GL_ONE };
   m->format = &formats[(size_t)r->n % COUNT(formats)];
   m->target = m->format->format == GL_DEPTH_COMPONENT ? targets[r->n % 2] : targets[r->n % 3];
   m->size[0] = rules_between(r, 1, SIZE_PX), m->size[1] = rules_between(r, 1, SIZE_PX / 2);
   m->size[2] = m->target == GL_TEXTURE_2D ? 1 : rules_between(r, 1, 2);
   m->alignment = 1 << rules_below(r, 4);
   m->row_length = rules_chance(r, 50) ? m->size[0] + rules_between(r, 0, 5) : 0;
   m->image_height =
      m->target != GL_TEXTURE_2D && rules_chance(r, 50) ? m->size[1] + rules_between(r, 0, 3) : 0;
   for (int i = 0; i < 3; i++)
      m->skip[i] = i < 2 || m->target != GL_TEXTURE_2D ? rules_between(r, 0, 2) : 0;
   m->first_B = 0;
   for (int c = 0; c < 4; c++) {
      const GLenum same = swizzles[c], other = rules_pick(r, swizzles);
      m->swizzle[c] = (size_t)r->n < COUNT(formats) ? same : other;
   }
   random_bytes(r, m);
}

static void
upload(const struct image *m, bool storage, const void *at)
{
   const struct format *f = m->format;
   const bool flat = m->target == GL_TEXTURE_2D;
   if (storage && flat)
      glTexStorage2D(m->target, 1, f->internal, m->size[0], m->size[1]);
   else if (storage)
      glTexStorage3D(m->target, 1, f->internal, m->size[0], m->size[1], m->size[2]);
   if (storage && flat)
      glTexSubImage2D(m->target, 0, 0, 0, m->size[0], m->size[1], f->format, f->type, at);
   else if (storage)
      glTexSubImage3D(m->target, 0, 0, 0, 0, m->size[0], m->size[1], m->size[2], f->format, f->type,
                      at);
   else if (flat)
      glTexImage2D(m->target, 0, (GLint)f->internal, m->size[0], m->size[1], 0, f->format, f->type,
                   at);
   else
      glTexImage3D(m->target, 0, (GLint)f->internal, m->size[0], m->size[1], m->size[2], 0,
                   f->format, f->type, at);
}

static GLuint
image_texture(struct rules *r, struct image *m)
{
   static const GLenum names[] = { GL_TEXTURE_SWIZZLE_R, GL_TEXTURE_SWIZZLE_G, GL_TEXTURE_SWIZZLE_B,
                                   GL_TEXTURE_SWIZZLE_A };
   const bool from_buffer = rules_chance(r, 50), storage = rules_chance(r, 50);
   GLuint texture, buffer;
   glGenTextures(1, &texture);
   glGenBuffers(1, &buffer);
   glBindTexture(m->target, texture);
   glPixelStorei(GL_UNPACK_ALIGNMENT, m->alignment);
   glPixelStorei(GL_UNPACK_ROW_LENGTH, m->row_length);
   glPixelStorei(GL_UNPACK_IMAGE_HEIGHT, m->image_height);
   glPixelStorei(GL_UNPACK_SKIP_PIXELS, m->skip[0]);
   glPixelStorei(GL_UNPACK_SKIP_ROWS, m->skip[1]);
   glPixelStorei(GL_UNPACK_SKIP_IMAGES, m->skip[2]);
   if (from_buffer) {
      m->first_B = 4 * rules_between(r, 0, 9);
      glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
      glBufferData(GL_PIXEL_UNPACK_BUFFER, IMAGE_B, m->bytes, GL_STREAM_DRAW);
   }
   upload(m, storage, from_buffer ? (const void *)(uintptr_t)m->first_B : m->bytes);
   glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
   glDeleteBuffers(1, &buffer);
   for (int i = 0; i < 4; i++)
      glTexParameteri(m->target, names[i], (GLint)m->swizzle[i]);
   glTexParameteri(m->target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(m->target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
   glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
   glPixelStorei(GL_UNPACK_IMAGE_HEIGHT, 0);
   glPixelStorei(GL_UNPACK_SKIP_PIXELS, 0);
   glPixelStorei(GL_UNPACK_SKIP_ROWS, 0);
   glPixelStorei(GL_UNPACK_SKIP_IMAGES, 0);
   no_error("uploading an image");
   return texture;
}

static void
draw_image(const struct rules *r, const struct image *m)
{
   const char *const prefix = m->format->kind == 'u' ? "u" : m->format->kind == 'i' ? "i" : "";
   const char *const sampler = m->target == GL_TEXTURE_2D   ? "sampler2D"
                               : m->target == GL_TEXTURE_3D ? "sampler3D"
                                                            : "sampler2DArray";
   char fragment[400];
   snprintf(fragment, sizeof(fragment),
            "uniform highp %s%s image; out uvec4 v;\n"
            "void main() { ivec2 p = ivec2(gl_FragCoord.xy);\n"
            "   v = %s(texelFetch(image, %s, 0)); }",
            prefix, sampler, prefix[0] ? "uvec4" : "floatBitsToUint",
            m->target == GL_TEXTURE_2D ? "p" : "ivec3(p.x, p.y % 8, p.y / 8)");
   GLuint program = es3_program(r, es3_vertex_whole, fragment);
   es3_draw_whole();
   glDeleteProgram(program);
}

static double
wanted_channel(const struct image *m, int x, int y, int z, int c)
{
   const GLenum from = m->swizzle[c];
   if (from == GL_ZERO || from == GL_ONE)
      return from == GL_ONE;
   const int i = from == GL_RED ? 0 : from == GL_GREEN ? 1 : from == GL_BLUE ? 2 : 3;
   if (i >= m->format->channels)
      return i == 3;
   return channel(m->format, m->bytes + texel_offset(m, x, y, z), i);
}

static void
expect_image(struct rules *r, const struct image *m)
{
   uint32_t *have = es3_read_uint(r, SIZE_PX, SIZE_PX);
   const bool whole = m->format->kind == 'u' || m->format->kind == 'i';
   for (int i = 0; i < m->size[0] * m->size[1] * m->size[2] * 4; i++) {
      const int c = i % 4, x = i / 4 % m->size[0], y = i / 4 / m->size[0] % m->size[1],
                z = i / 4 / m->size[0] / m->size[1];
      const uint32_t bits = have[4 * ((z * 8 + y) * SIZE_PX + x) + c];
      const double wanted = wanted_channel(m, x, y, z, c);
      /* what is sampled of sRGB may be off by the rounding of a table of 12 bits */
      const double off = m->format->kind == 'g' ? 2.5e-4 : 1e-7 + 2e-7 * fabs(wanted);
      if (whole ? bits != (uint32_t)(int64_t)wanted : !(fabs(es3_float(bits) - wanted) <= off))
         rules_fail(r,
                    "format 0x%04x, target 0x%04x, %d x %d x %d: channel %d of texel (%d, %d, %d) "
                    "is 0x%08x (%.9g), not %.9g",
                    m->format->internal, m->target, m->size[0], m->size[1], m->size[2], c, x, y, z,
                    bits, es3_float(bits), wanted);
   }
   free(have);
}

void
es3_formats(struct rules *r)
{
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIZE_PX, SIZE_PX);
   struct image *m = malloc(sizeof(*m));
   while (rules_next(r)) {
      random_image(r, m);
      GLuint texture = image_texture(r, m);
      draw_image(r, m);
      expect_image(r, m);
      glDeleteTextures(1, &texture);
   }
   free(m);
   es3_target_delete(&target);
}

/* -------------------------------------------------------------------------------------- reading */

struct reading {
   GLenum internal, format, type;
   int pixel_B, x, y, width, height;
   int row_px, skip_px, skip_rows, first_B; /* in the buffer */
   int size_B;                              /* of the buffer */
   bool is_empty;                           /* it had no contents before */
   int later_B; /* so many bytes of it, the first ones, are written after the reading */
};

static void
random_reading(struct rules *r, struct reading *d)
{
   static const struct reading formats[] = {
      { GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, .pixel_B = 16 },
      { GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, .pixel_B = 4 },
   };
   *d = formats[rules_between(r, 0, 1)];
   d->x = rules_between(r, 0, 7);
   d->y = rules_between(r, 0, 7);
   d->width = rules_between(r, 1, 9);
   d->height = rules_between(r, 1, 9);
   d->row_px = rules_chance(r, 50) ? d->width + rules_between(r, 0, 4) : 0;
   d->skip_px = rules_between(r, 0, 3);
   d->skip_rows = rules_between(r, 0, 3);
   d->first_B = rules_chance(r, 50) ? 16 * rules_between(r, 0, 4) : 4 * rules_between(r, 0, 16);
   const int row_px = d->row_px ? d->row_px : d->width;
   const int end_B =
      d->first_B + d->pixel_B * ((d->skip_rows + d->height - 1) * row_px + d->skip_px + d->width);
   d->size_B = rules_chance(r, 50) ? end_B : IMAGE_B;
   d->is_empty = rules_chance(r, 50);
   d->later_B = rules_chance(r, 50) ? rules_between(r, 1, end_B) : 0;
}

/* What the buffer then has: `pixels` of the target, and elsewhere the guard's bytes, which are also
 * what is written later. */
static void
expect_reading(struct rules *r, const struct reading *d, const uint8_t *pixels, uint8_t guard)
{
   const int row_px = d->row_px ? d->row_px : d->width;
   uint8_t *wanted = malloc(d->size_B), *read = calloc(1, d->size_B);
   memset(wanted, guard, d->size_B);
   for (int i = 0; i < d->width * d->height; i++) {
      const int x = i % d->width, y = i / d->width;
      const int at = d->first_B + d->pixel_B * ((y + d->skip_rows) * row_px + x + d->skip_px);
      memcpy(wanted + at, pixels + d->pixel_B * ((d->y + y) * SIZE_PX + d->x + x), d->pixel_B);
      memset(read + at, 1, d->pixel_B);
   }
   memset(wanted, guard, d->later_B);
   memset(read, 1, d->later_B);
   const uint8_t *have = glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, d->size_B, GL_MAP_READ_BIT);
   for (int i = 0; i < d->size_B; i++) {
      if (have[i] != wanted[i] && (read[i] || !d->is_empty))
         rules_fail(r,
                    "reading %d x %d of 0x%04x from (%d, %d), rows of %d, skipping %d and %d, to "
                    "%d of %d: byte %d is %d, not %d",
                    d->width, d->height, d->internal, d->x, d->y, row_px, d->skip_px, d->skip_rows,
                    d->first_B, d->size_B, i, have[i], wanted[i]);
      if (read[i])
         rules_hash(r, &have[i], 1);
   }
   glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
   free(wanted);
   free(read);
}

/* Move the buffer's contents to another one, which is bound then. */
static GLuint
moved_buffer(GLuint buffer, int size_B)
{
   GLuint other;
   glGenBuffers(1, &other);
   glBindBuffer(GL_COPY_READ_BUFFER, buffer);
   glBindBuffer(GL_PIXEL_PACK_BUFFER, other);
   glBufferData(GL_PIXEL_PACK_BUFFER, size_B, NULL, GL_STREAM_READ);
   glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_PIXEL_PACK_BUFFER, 0, 0, size_B);
   glDeleteBuffers(1, &buffer);
   return other;
}

/* A part of a target into a part of a buffer, whose other bytes stay. What is done to the target
 * then, before anyone looks at the buffer, comes too late; what is done with the buffer counts. */
void
es3_read_buffers(struct rules *r)
{
   static uint8_t guard[IMAGE_B];
   memset(guard, 0xa5, sizeof(guard));
   while (rules_next(r)) {
      uint32_t pixels[4 * PIXELS];
      struct reading d;
      GLuint buffer;
      random_reading(r, &d);
      struct es3_target target = es3_target_create(d.internal, SIZE_PX, SIZE_PX);
      for (int i = 0; i < 4 * PIXELS; i++)
         pixels[i] = es3_random_bits(r);
      glBindTexture(GL_TEXTURE_2D, target.texture);
      glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIZE_PX, SIZE_PX, d.format, d.type, pixels);
      glGenBuffers(1, &buffer);
      glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer);
      glBufferData(GL_PIXEL_PACK_BUFFER, d.size_B, d.is_empty ? NULL : guard, GL_STREAM_READ);
      glPixelStorei(GL_PACK_ROW_LENGTH, d.row_px);
      glPixelStorei(GL_PACK_SKIP_PIXELS, d.skip_px);
      glPixelStorei(GL_PACK_SKIP_ROWS, d.skip_rows);
      glReadPixels(d.x, d.y, d.width, d.height, d.format, d.type, (void *)(uintptr_t)d.first_B);
      if (rules_chance(r, 50))
         glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIZE_PX, SIZE_PX, d.format, d.type, guard);
      if (rules_chance(r, 50))
         es3_target_delete(&target);
      glBufferSubData(GL_PIXEL_PACK_BUFFER, 0, d.later_B, guard);
      if (rules_chance(r, 50))
         buffer = moved_buffer(buffer, d.size_B);
      expect_reading(r, &d, (const uint8_t *)pixels, guard[0]);
      glDeleteBuffers(1, &buffer);
      es3_target_delete(&target);
      no_error("reading into a buffer");
   }
}
