/* SPDX-License-Identifier: MIT
 *
 * Copies of OpenGL ES 3.0: between buffers (section 2.9.5), from a frame buffer to layers of
 * textures (3.8.5), and floats that are read back as halves (4.3.2).
 */
#include "es3_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------------- buffers */

enum { BUFFER_B = 4096 };

static GLuint
filled_buffer(struct rules *r, GLenum target, uint8_t bytes[BUFFER_B])
{
   GLuint name;
   for (int i = 0; i < BUFFER_B; i++)
      bytes[i] = (uint8_t)rules_below(r, 256);
   glGenBuffers(1, &name);
   glBindBuffer(target, name);
   glBufferData(target, BUFFER_B, bytes, GL_DYNAMIC_COPY);
   return name;
}

static void
expect_buffer(struct rules *r, GLenum target, const uint8_t wanted[BUFFER_B], const char *which)
{
   const uint8_t *have = glMapBufferRange(target, 0, BUFFER_B, GL_MAP_READ_BIT);
   no_error("mapping a buffer");
   for (int i = 0; i < BUFFER_B; i++) {
      if (have[i] != wanted[i])
         rules_fail(r, "byte %d of the %s is %d, not %d", i, which, have[i], wanted[i]);
   }
   rules_hash(r, have, BUFFER_B);
   glUnmapBuffer(target);
}

/* The copy is refused with this error, and changes nothing. */
static void
expect_refused(const struct rules *r, const int range[3], GLenum error, const char *why)
{
   glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, range[0], range[1], range[2]);
   const GLenum have = glGetError();
   if (have != error)
      rules_fail(r, "%d bytes from %d to %d, %s: error 0x%04x, not 0x%04x", range[2], range[0],
                 range[1], why, have, error);
}

static void
refuse_copies(struct rules *r, bool same)
{
   expect_refused(r, (const int[]){ BUFFER_B - 3, 0, 4 }, GL_INVALID_VALUE, "beyond the source");
   expect_refused(r, (const int[]){ 0, BUFFER_B - 3, 4 }, GL_INVALID_VALUE,
                  "beyond the destination");
   expect_refused(r, (const int[]){ -1, 0, 4 }, GL_INVALID_VALUE, "before the source");
   expect_refused(r, (const int[]){ 0, 8, -4 }, GL_INVALID_VALUE, "backwards");
   const int first = rules_between(r, 0, BUFFER_B / 2), size_B = rules_between(r, 1, 500);
   if (same)
      expect_refused(r, (const int[]){ first, first + rules_between(r, 0, size_B - 1), size_B },
                     GL_INVALID_VALUE, "ranges that overlap");
   glMapBufferRange(GL_COPY_READ_BUFFER, 0, BUFFER_B, GL_MAP_READ_BIT);
   expect_refused(r, (const int[]){ 0, BUFFER_B / 2, 4 }, GL_INVALID_OPERATION, "a mapped buffer");
   glUnmapBuffer(GL_COPY_READ_BUFFER);
}

/* Two ranges of as many bytes. In one buffer they do not overlap. */
static void
random_ranges(struct rules *r, bool same, int range[3])
{
   range[2] = rules_chance(r, 10) ? 0 : rules_between(r, 1, BUFFER_B / 2);
   range[0] = rules_between(r, 0, (same ? BUFFER_B / 2 : BUFFER_B) - range[2]);
   range[1] = rules_between(r, same ? range[0] + range[2] : 0, BUFFER_B - range[2]);
   if (same && rules_chance(r, 50)) {
      const int first = range[0];
      range[0] = range[1], range[1] = first;
   }
}

void
es3_copy_buffers(struct rules *r)
{
   while (rules_next(r)) {
      const bool same = r->n % 2;
      uint8_t source[BUFFER_B], other[BUFFER_B];
      uint8_t *destination = same ? source : other;
      GLuint names[2] = { filled_buffer(r, GL_COPY_READ_BUFFER, source), 0 };
      if (same)
         glBindBuffer(GL_COPY_WRITE_BUFFER, names[0]);
      else
         names[1] = filled_buffer(r, GL_COPY_WRITE_BUFFER, other);
      for (int i = rules_between(r, 1, 6); i > 0; i--) {
         int range[3];
         random_ranges(r, same, range);
         glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, range[0], range[1],
                             range[2]);
         no_error("copying a part of a buffer");
         memcpy(destination + range[1], source + range[0], (size_t)range[2]);
      }
      refuse_copies(r, same);
      expect_buffer(r, GL_COPY_READ_BUFFER, source, "source");
      expect_buffer(r, GL_COPY_WRITE_BUFFER, destination, "destination");
      glDeleteBuffers(2, names);
   }
}

/* --------------------------------------------------------------------------------------- layers */

enum { SIDE_PX = 16, DEPTH = 5, LEVELS = 3 };

struct layers {
   GLenum target;
   uint32_t pixel[LEVELS][6][SIDE_PX * SIDE_PX]; /* as it must be; in each channel the same */
};

static int
side_px(int level)
{
   return SIDE_PX >> level;
}

static int
layers_of(const struct layers *t, int level)
{
   return t->target == GL_TEXTURE_CUBE_MAP ? 6
          : t->target == GL_TEXTURE_3D     ? DEPTH >> level
                                           : DEPTH;
}

static GLuint
layers_create(const struct layers *t)
{
   GLuint name;
   const uint32_t zeros[4 * SIDE_PX * SIDE_PX] = { 0 };
   glGenTextures(1, &name);
   glBindTexture(t->target, name);
   if (t->target == GL_TEXTURE_CUBE_MAP)
      glTexStorage2D(t->target, LEVELS, GL_RGBA32UI, SIDE_PX, SIDE_PX);
   else
      glTexStorage3D(t->target, LEVELS, GL_RGBA32UI, SIDE_PX, SIDE_PX, DEPTH);
   for (int level = 0; level < LEVELS; level++) {
      for (int z = 0; z < layers_of(t, level); z++) {
         if (t->target == GL_TEXTURE_CUBE_MAP)
            glTexSubImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)z, level, 0, 0, side_px(level),
                            side_px(level), GL_RGBA_INTEGER, GL_UNSIGNED_INT, zeros);
         else
            glTexSubImage3D(t->target, level, 0, 0, z, side_px(level), side_px(level), 1,
                            GL_RGBA_INTEGER, GL_UNSIGNED_INT, zeros);
      }
   }
   no_error("making a texture of layers");
   return name;
}

/* A part of the bound frame buffer, `source`, into a part of a layer. */
static void
copy_part(struct rules *r, struct layers *t, const uint32_t *source)
{
   const int level = rules_between(r, 0, LEVELS - 1), side = side_px(level),
             z = rules_between(r, 0, layers_of(t, level) - 1), x = rules_between(r, 0, side - 1),
             y = rules_between(r, 0, side - 1), w = rules_between(r, 1, side - x),
             h = rules_between(r, 1, side - y), from_x = rules_between(r, 0, SIDE_PX - w),
             from_y = rules_between(r, 0, SIDE_PX - h);
   if (t->target == GL_TEXTURE_CUBE_MAP)
      glCopyTexSubImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)z, level, x, y, from_x, from_y,
                          w, h);
   else
      glCopyTexSubImage3D(t->target, level, x, y, z, from_x, from_y, w, h);
   no_error("copying to a layer");
   for (int i = 0; i < w * h; i++)
      t->pixel[level][z][x + i % w + (y + i / w) * side] =
         source[from_x + i % w + (from_y + i / w) * SIDE_PX];
}

static void
expect_layers(struct rules *r, const struct layers *t, GLuint texture)
{
   GLuint framebuffer;
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
   for (int i = 0; i < LEVELS * 6; i++) {
      const int level = i / 6, z = i % 6, side = side_px(level);
      if (z >= layers_of(t, level))
         continue;
      if (t->target == GL_TEXTURE_CUBE_MAP)
         glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)z, texture, level);
      else
         glFramebufferTextureLayer(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, level, z);
      uint32_t *have = es3_read_uint(r, side, side);
      for (int k = 0; k < 4 * side * side; k++) {
         if (have[k] != t->pixel[level][z][k / 4])
            rules_fail(r, "level %d, layer %d of 0x%04x: pixel (%d, %d) is %u, not %u", level, z,
                       t->target, k / 4 % side, k / 4 / side, have[k], t->pixel[level][z][k / 4]);
      }
      free(have);
   }
   glDeleteFramebuffers(1, &framebuffer);
}

void
es3_copy_layers(struct rules *r)
{
   static const GLenum targets[] = { GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP };
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIDE_PX, SIDE_PX);
   GLuint program = es3_program(r, es3_vertex_whole,
                                "uniform uint first; out uvec4 v;\n"
                                "void main() { uvec2 p = uvec2(gl_FragCoord.xy);\n"
                                "   v = uvec4(first + p.x + 16u * p.y); }");
   while (rules_next(r)) {
      struct layers *t = calloc(1, sizeof(*t));
      t->target = targets[r->n % 3];
      GLuint texture = layers_create(t);
      for (int i = rules_between(r, 1, 12); i > 0; i--) {
         const uint32_t first = 1000 * (uint32_t)i;
         uint32_t source[SIDE_PX * SIDE_PX];
         es3_target_bind(&target);
         glUniform1ui(glGetUniformLocation(program, "first"), first);
         es3_draw_whole();
         for (uint32_t k = 0; k < SIDE_PX * SIDE_PX; k++)
            source[k] = first + k;
         copy_part(r, t, source);
      }
      expect_layers(r, t, texture);
      glDeleteTextures(1, &texture);
      free(t);
   }
   glDeleteProgram(program);
   es3_target_delete(&target);
}

/* --------------------------------------------------------------------------------------- halves */

/* Section 2.1.2. */
static double
half_value(uint16_t half)
{
   const int exponent = half >> 10 & 31, mantissa = half & 1023;
   const double size = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
   return half >> 15 ? -size : size;
}

/* The distance of the halves around a value. */
static double
half_step(double value)
{
   const double size = fabs(value);
   return ldexp(1, (size < ldexp(1, -14) ? -14 : ilogb(size)) - 10);
}

/* What is a half stays as it is, with its sign; anything else is one of the two halves around it,
 * as the section does not say how it is rounded. */
static bool
may_be_half(uint16_t have, float value)
{
   return (have >> 15 != 0) == (signbit(value) != 0) && (have >> 10 & 31) != 31 &&
          fabs(half_value(have) - value) < half_step(value);
}

/* A float that no rounding takes out of a half's range: halves, ties between two of them, floats
 * near zero, others. */
static float
random_half_range(struct rules *r)
{
   const float half = (float)rules_between(r, 1024, 2047) * exp2f((float)rules_between(r, -24, 5));
   const float tie = half * (1 + 1.0f / 4096); /* of 1024: a quarter of a step */
   static const float boundaries[] = { 0,          -0.0f,      0x1p-14f,    0x1p-24f,
                                       0x1p-25f,   0x1.8p-24f, 65504,       1,
                                       0x1.002p0f, 0x1.006p0f, -0x1.002p0f, 0x1.ffcp-15f };
   const float values[] = { half, -half, tie, rules_float(r, -2, 2), rules_pick(r, boundaries) };
   return rules_pick(r, values);
}

static const struct half_format {
   GLenum internal, format;
   int channels;
} half_formats[] = {
   { GL_RGBA16F, GL_RGBA, 4 },
   { GL_RG16F, GL_RG, 2 },
   { GL_R16F, GL_RED, 1 },
};

/* With the format that the implementation prefers, which for these has halves. */
static void
expect_halves(struct rules *r, const struct half_format *f, const float *values, int pixels)
{
   uint16_t have[4 * SIDE_PX * SIDE_PX];
   GLint format, type;
   glGetIntegerv(GL_IMPLEMENTATION_COLOR_READ_FORMAT, &format);
   glGetIntegerv(GL_IMPLEMENTATION_COLOR_READ_TYPE, &type);
   if (type != GL_HALF_FLOAT || (format != GL_RGBA && (GLenum)format != f->format))
      rules_fail(r, "format 0x%04x is read as 0x%04x of 0x%04x", f->internal, format, type);
   const int channels = format == GL_RGBA ? 4 : f->channels;
   glPixelStorei(GL_PACK_ALIGNMENT, 1);
   glReadPixels(0, 0, pixels / SIDE_PX, SIDE_PX, (GLenum)format, GL_HALF_FLOAT, have);
   no_error("reading halves");
   rules_hash(r, have, (size_t)pixels * channels * sizeof(have[0]));
   for (int i = 0; i < channels * pixels; i++) {
      const int c = i % channels, pixel = i / channels;
      const float value = c < f->channels ? values[pixel * f->channels + c] : c == 3;
      if (!may_be_half(have[i], value))
         rules_fail(r, "format 0x%04x: channel %d of pixel %d is 0x%04x (%a), not %a", f->internal,
                    c, pixel, have[i], half_value(have[i]), value);
   }
}

void
es3_read_halves(struct rules *r)
{
   while (rules_next(r)) {
      const struct half_format *f = &half_formats[(size_t)r->n % COUNT(half_formats)];
      const int w = rules_between(r, 1, SIDE_PX);
      struct es3_target target = es3_target_create(f->internal, w, SIDE_PX);
      float values[4 * SIDE_PX * SIDE_PX];
      for (int i = 0; i < f->channels * w * SIDE_PX; i++)
         values[i] = random_half_range(r);
      glBindTexture(GL_TEXTURE_2D, target.texture);
      glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
      glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, w, SIDE_PX, f->format, GL_FLOAT, values);
      expect_halves(r, f, values, w * SIDE_PX);
      es3_target_delete(&target);
   }
}
