/* SPDX-License-Identifier: MIT
 *
 * What OpenGL ES 3.0 tells about formats (section 6.1.15), and programs that are saved and loaded
 * (2.11.5).
 */
#include "es3_rules.h"

#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------------- formats */

enum { MOST_COUNTS = 16 };

/* Formats that must be renderable, the first ten not of integers: table 3.13. */
static const GLenum internal_formats[] = {
   GL_RGBA8,
   GL_RGB8,
   GL_RGB565,
   GL_RGBA4,
   GL_RGB5_A1,
   GL_RGB10_A2,
   GL_R8,
   GL_RG8,
   GL_SRGB8_ALPHA8,
   GL_DEPTH_COMPONENT16,
   GL_DEPTH24_STENCIL8,
   GL_STENCIL_INDEX8,
   GL_R8UI,
   GL_R8I,
   GL_RG32UI,
   GL_RGBA32I,
   GL_RGB10_A2UI,
   GL_RGBA16UI,
};
enum { FIRST_INTEGER = 12 };

/* Whether a renderbuffer can be made with so many samples, and says that it has as many. */
static bool
makes_samples(GLenum format, int samples)
{
   GLuint name;
   GLint have = -1;
   glGenRenderbuffers(1, &name);
   glBindRenderbuffer(GL_RENDERBUFFER, name);
   glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, 8, 8);
   const bool made = glGetError() == GL_NO_ERROR;
   glGetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_SAMPLES, &have);
   glDeleteRenderbuffers(1, &name);
   return made && have == samples;
}

/* Counts go down, each can be made, one more than the first cannot. */
static void
expect_counts(const struct rules *r, GLenum format, const GLint *counts, int count)
{
   for (int i = 0; i < count; i++) {
      if (counts[i] < 1 || (i && counts[i] >= counts[i - 1]))
         rules_fail(r, "format 0x%04x: count %d of samples is %d", format, i, counts[i]);
      if (!makes_samples(format, counts[i]))
         rules_fail(r, "format 0x%04x: no renderbuffer of %d samples", format, counts[i]);
   }
   if (makes_samples(format, (count ? counts[0] : 0) + 1))
      rules_fail(r, "format 0x%04x: more samples than it may have", format);
}

void
es3_internal_formats(struct rules *r)
{
   GLint most;
   glGetIntegerv(GL_MAX_SAMPLES, &most);
   while (rules_next(r)) {
      const size_t f = (size_t)r->n % COUNT(internal_formats);
      const GLenum format = internal_formats[f];
      GLint count = -1, counts[MOST_COUNTS];
      glGetInternalformativ(GL_RENDERBUFFER, format, GL_NUM_SAMPLE_COUNTS, 1, &count);
      no_error("asking for the number of counts");
      if (f < FIRST_INTEGER ? count < 1 || count > MOST_COUNTS : count != 0)
         rules_fail(r, "format 0x%04x: %d counts of samples", format, count);
      memset(counts, 0x55, sizeof(counts));
      const int asked = rules_between(r, 0, MOST_COUNTS);
      glGetInternalformativ(GL_RENDERBUFFER, format, GL_SAMPLES, asked, counts);
      no_error("asking for counts");
      for (int i = asked < count ? asked : count; i < MOST_COUNTS; i++) {
         if (counts[i] != 0x55555555)
            rules_fail(r, "format 0x%04x: count %d of %d is written", format, i, asked);
      }
      glGetInternalformativ(GL_RENDERBUFFER, format, GL_SAMPLES, MOST_COUNTS, counts);
      if (count && counts[0] < most)
         rules_fail(r, "format 0x%04x: %d samples of %d", format, counts[0], most);
      expect_counts(r, format, counts, count);
      rules_hash(r, counts, sizeof(counts[0]) * (size_t)count);
   }
   glGetInternalformativ(GL_TEXTURE_2D, GL_RGBA8, GL_SAMPLES, 1, &most);
   if (glGetError() != GL_INVALID_ENUM)
      rules_fail(r, "a target that is no renderbuffer is accepted");
   glGetInternalformativ(GL_RENDERBUFFER, GL_RGB9_E5, GL_SAMPLES, 1, &most);
   if (glGetError() != GL_INVALID_ENUM)
      rules_fail(r, "a format that cannot be rendered is accepted");
}

/* ------------------------------------------------------------------------------------- binaries */

enum { SIZE_PX = 8, PIXELS = SIZE_PX * SIZE_PX };

/* A program of random operations on the place of a pixel, a uniform, and one that is never set. */
static char *
random_fragment(struct rules *r)
{
   static const char *const steps[] = {
      "v = v * 1664525u + uvec4(p, 7, a);\n",
      "v ^= v >> 13;\n",
      "if (p.x > a % 8) v += uvec4(3u);\n",
      "for (int i = 0; i < p.y; i++) v = v.yzwx + 1u;\n",
      "v = uvec4(floatBitsToUint(float(a)));\n",
      "v += uvec4(unset);\n",
      "v.xy = uvec2(p) & v.zw;\n",
      "v = uvec4(table[a & 3]) + v;\n",
   };
   struct text t;
   text_begin(&t);
   add(t, "uniform int a, unset; out uvec4 v;\n"
          "void main() { ivec2 p = ivec2(gl_FragCoord.xy);\n"
          "   int table[4] = int[4](5, 7, 11, a); v = uvec4(table[p.x & 3]);\n");
   for (int i = rules_between(r, 1, 12); i > 0; i--)
      add(t, "   %s", rules_pick(r, steps));
   add(t, "}\n");
   return text_end(&t);
}

static uint32_t *
draw_with(struct rules *r, GLuint program, int a)
{
   glUseProgram(program);
   es3_uniform(program, "a", a);
   es3_draw_whole();
   return es3_read_uint(r, SIZE_PX, SIZE_PX);
}

static GLuint
load_binary(GLenum format, const void *bytes, GLsizei size_B, GLint *linked)
{
   GLuint program = glCreateProgram();
   glProgramBinary(program, format, bytes, size_B);
   glGetProgramiv(program, GL_LINK_STATUS, linked);
   while (glGetError() != GL_NO_ERROR) {
   }
   return program;
}

/* Damaged in one to four bytes or cut, it does not link, or (where the damage meant nothing) draws
 * the same. */
static void
load_damaged(struct rules *r, GLenum format, uint8_t *bytes, GLsizei size_B, int a,
             const uint32_t *wanted)
{
   GLint linked;
   const bool cut = rules_chance(r, 20);
   const GLsizei loaded_B = cut ? rules_between(r, 0, size_B - 1) : size_B;
   for (int i = rules_between(r, 1, 4); i > 0 && !cut; i--)
      bytes[rules_below(r, (uint32_t)size_B)] ^= (uint8_t)(1 << rules_below(r, 8));
   GLuint program = load_binary(format, bytes, loaded_B, &linked);
   if (linked) {
      uint32_t *have = draw_with(r, program, a);
      if (memcmp(have, wanted, PIXELS * 4 * sizeof(*have)) != 0)
         rules_fail(r, "a damaged binary of %d of %d bytes links, and draws something else",
                    loaded_B, size_B);
      free(have);
   }
   glDeleteProgram(program);
}

void
es3_binaries(struct rules *r)
{
   GLint formats = 0;
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIZE_PX, SIZE_PX);
   glGetIntegerv(GL_NUM_PROGRAM_BINARY_FORMATS, &formats);
   if (!formats)
      rules_skip("no formats of binaries");
   while (rules_next(r)) {
      const int a = rules_between(r, -20, 20);
      GLint size_B = 0, linked;
      GLsizei saved_B = 0;
      GLenum format;
      char *fragment = random_fragment(r);
      GLuint program = es3_program(r, es3_vertex_whole, fragment);
      uint32_t *wanted = draw_with(r, program, a);
      glGetProgramiv(program, GL_PROGRAM_BINARY_LENGTH, &size_B);
      uint8_t *bytes = malloc((size_t)size_B);
      glGetProgramBinary(program, size_B, &saved_B, &format, bytes);
      no_error("saving a program");
      glDeleteProgram(program);
      GLuint loaded = load_binary(format, bytes, saved_B, &linked);
      if (!linked || saved_B != size_B)
         rules_fail(r, "%d of %d bytes do not link:\n%s", saved_B, size_B, fragment);
      uint32_t *have = draw_with(r, loaded, a);
      for (int i = 0; i < 4 * PIXELS; i++) {
         if (have[i] != wanted[i])
            rules_fail(r,
                       "channel %d of pixel %d is 0x%08x, not 0x%08x as before it was saved:\n%s",
                       i % 4, i / 4, have[i], wanted[i], fragment);
      }
      load_damaged(r, format, bytes, saved_B, a, wanted);
      glDeleteProgram(loaded);
      free(have);
      free(wanted);
      free(bytes);
      free(fragment);
   }
   es3_target_delete(&target);
}
