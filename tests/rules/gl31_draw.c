/* SPDX-License-Identifier: MIT
 *
 * What OpenGL 3.1 has beside buffer textures: rectangle textures (section 3.8.7), primitive restart
 * at any index (2.8.1), signed normalised textures (2.1.2), uniform blocks in GLSL 1.40 (2.11.3).
 */
#include "gl31_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RECTANGLE 0x84f5 /* GL_TEXTURE_RECTANGLE */
#define RESTART 0x8f9d   /* GL_PRIMITIVE_RESTART */
#define R16_SNORM 0x8f98 /* GL_R16_SNORM; RG, RGB and RGBA follow */

enum { SIDE = 16 };

/* -------------------------------------------------------------------------------- rectangles */

struct rectangle {
   GLuint texture;
   int width_px, height_px;
   uint32_t *texels;
};

static struct rectangle
random_rectangle(struct rules *r)
{
   struct rectangle t = { .width_px = rules_between(r, 1, 40),
                          .height_px = rules_between(r, 1, 40) };
   const int words = 4 * t.width_px * t.height_px;
   t.texels = malloc(sizeof(*t.texels) * (size_t)words);
   for (int i = 0; i < words; i++)
      t.texels[i] = es3_random_bits(r);
   glGenTextures(1, &t.texture);
   glBindTexture(RECTANGLE, t.texture);
   glTexImage2D(RECTANGLE, 0, GL_RGBA32UI, t.width_px, t.height_px, 0, GL_RGBA_INTEGER,
                GL_UNSIGNED_INT, t.texels);
   glTexParameteri(RECTANGLE, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(RECTANGLE, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glTexParameteri(RECTANGLE, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
   glTexParameteri(RECTANGLE, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
   no_error("making a rectangle texture");
   return t;
}

static int
clamped(int value, int size)
{
   return value < 0 ? 0 : value >= size ? size - 1 : value;
}

/* Texels by their numbers, and by coordinates in texels, clamped to the edge. */
void
gl31_rectangle(struct rules *r)
{
   static const char *const calls[] = { "texelFetch(s, clamp(p, ivec2(0), size - 1))",
                                        "texture(s, vec2(p) + 0.25)",
                                        "textureProj(s, vec3(vec2(p) * 2.0 + 0.5, 2.0))",
                                        "textureOffset(s, vec2(p) + 3.75, ivec2(-3))" };
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIDE, SIDE);
   while (rules_next(r)) {
      struct rectangle t = random_rectangle(r);
      const int x0 = rules_between(r, -5, t.width_px), y0 = rules_between(r, -5, t.height_px);
      char text[500];
      snprintf(
         text, sizeof(text),
         "uniform usampler2DRect s; uniform ivec2 first; out uvec4 v;\n"
         "void main() {\n   ivec2 size = textureSize(s), p = first + ivec2(gl_FragCoord.xy);\n"
         "   v = size == ivec2(%d, %d) ? %s : uvec4(7); }",
         t.width_px, t.height_px, calls[r->n % 4]);
      GLuint program = es3_program(r, es3_vertex_whole, text);
      glUniform2i(glGetUniformLocation(program, "first"), x0, y0);
      es3_draw_whole();
      uint32_t *have = es3_read_uint(r, SIDE, SIDE);
      for (int i = 0; i < SIDE * SIDE; i++) {
         const int x = clamped(x0 + i % SIDE, t.width_px), y = clamped(y0 + i / SIDE, t.height_px);
         if (memcmp(have + 4 * i, t.texels + 4 * (x + y * t.width_px), 16) != 0)
            rules_fail(r, "%s at (%d, %d) of %d x %d is another texel", calls[r->n % 4],
                       x0 + i % SIDE, y0 + i / SIDE, t.width_px, t.height_px);
      }
      free(have), free(t.texels);
      glDeleteProgram(program);
      glDeleteTextures(1, &t.texture);
   }
   es3_target_delete(&target);
}

/* ----------------------------------------------------------------------------------- restart */

enum { VERTICES = 40, INDICES = 120 };

static void
index_of_type(GLenum type, int at, uint32_t index, uint8_t *bytes)
{
   const size_t size_B = type == GL_UNSIGNED_BYTE ? 1 : type == GL_UNSIGNED_SHORT ? 2 : 4;
   memcpy(bytes + (size_t)at * size_B, &index, size_B);
}

/* Draws indices with restarts at once, or the pieces between them one by one. */
static uint32_t *
draw_strips(struct rules *r, GLenum mode, GLenum type, const uint32_t *indices, uint32_t restart,
            bool in_pieces)
{
   const int size_B = type == GL_UNSIGNED_BYTE ? 1 : type == GL_UNSIGNED_SHORT ? 2 : 4;
   uint8_t bytes[4 * INDICES];
   for (int i = 0; i < INDICES; i++)
      index_of_type(type, i, indices[i], bytes);
   glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof(bytes), bytes, GL_STREAM_DRAW);
   glClearBufferuiv(GL_COLOR, 0, (const GLuint[4]){ 0, 0, 0, 0 });
   if (!in_pieces) {
      glEnable(RESTART);
      glDrawElements(mode, INDICES, type, NULL);
      glDisable(RESTART);
      return es3_read_uint(r, SIDE, SIDE);
   }
   for (int begin = 0, end; begin < INDICES; begin = end + 1) {
      for (end = begin; end < INDICES && indices[end] != restart; end++)
         ;
      glDrawElements(mode, end - begin, type, (const void *)(intptr_t)(begin * size_B));
   }
   return es3_read_uint(r, SIDE, SIDE);
}

static GLuint
random_vertices(struct rules *r, GLuint buffers[2])
{
   float positions[VERTICES][2];
   for (int i = 0; i < 2 * VERTICES; i++)
      positions[i / 2][i % 2] = rules_float(r, -1.2f, 1.2f);
   GLuint program = es3_program(r,
                                "in vec2 position; flat out uint number;\n"
                                "void main() { number = uint(gl_VertexID) + 1u;\n"
                                "   gl_Position = vec4(position, 0.0, 1.0); }",
                                "flat in uint number; out uvec4 v;\n"
                                "void main() { v = uvec4(number); }");
   const GLint at = glGetAttribLocation(program, "position");
   glGenBuffers(2, buffers);
   glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
   glBufferData(GL_ARRAY_BUFFER, sizeof(positions), positions, GL_STATIC_DRAW);
   glVertexAttribPointer((GLuint)at, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glEnableVertexAttribArray((GLuint)at);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
   return program;
}

void
gl31_restart(struct rules *r)
{
   static const GLenum modes[] = { GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN, GL_LINE_STRIP, GL_LINE_LOOP,
                                   GL_TRIANGLES };
   static const GLenum types[] = { GL_UNSIGNED_BYTE, GL_UNSIGNED_SHORT, GL_UNSIGNED_INT };
   void (*restart_index)(GLuint) = (void (*)(GLuint))eglGetProcAddress("glPrimitiveRestartIndex");
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIDE, SIDE);
   while (rules_next(r)) {
      const GLenum mode = modes[r->n % 5], type = types[r->n / 5 % 3];
      /* one of the vertices, or what no index of less bits can be */
      const uint32_t restart = rules_chance(r, 70)         ? rules_below(r, VERTICES)
                               : type == GL_UNSIGNED_BYTE  ? 0xff
                               : type == GL_UNSIGNED_SHORT ? 0xffff
                                                           : UINT32_MAX;
      uint32_t indices[INDICES];
      GLuint buffers[2], program = random_vertices(r, buffers);
      for (int i = 0; i < INDICES; i++)
         indices[i] = rules_chance(r, 15) ? restart : rules_below(r, VERTICES);
      restart_index(restart);
      uint32_t *wanted = draw_strips(r, mode, type, indices, restart, true),
               *have = draw_strips(r, mode, type, indices, restart, false);
      no_error("drawing with restarts");
      if (memcmp(have, wanted, sizeof(*have) * 4 * SIDE * SIDE) != 0)
         rules_fail(r, "mode %u, indices of type 0x%04x, restart at %u: not as in pieces", mode,
                    type, restart);
      free(have), free(wanted);
      glDeleteBuffers(2, buffers);
      glDeleteProgram(program);
   }
   es3_target_delete(&target);
}

/* ------------------------------------------------------------------------- signed normalised */

void
gl31_snorm(struct rules *r)
{
   static const GLenum layouts[] = { GL_RED, GL_RG, GL_RGB, GL_RGBA };
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIDE, SIDE);
   GLuint program =
      es3_program(r, es3_vertex_whole,
                  "uniform sampler2D s; out uvec4 v;\n"
                  "void main() { v = floatBitsToUint(texelFetch(s, ivec2(gl_FragCoord.xy), 0)); }");
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   while (rules_next(r)) {
      const int channels = 1 + r->n % 4;
      const bool wide = r->n / 4 % 2;
      int16_t shorts[4 * SIDE * SIDE];
      int8_t bytes[4 * SIDE * SIDE];
      GLuint texture;
      for (int i = 0; i < channels * SIDE * SIDE; i++) {
         shorts[i] = (int16_t)(i < 4 ? -32768 + i : rules_between(r, -32768, 32767));
         bytes[i] = (int8_t)(i < 4 ? -128 + i : rules_between(r, -128, 127));
      }
      glGenTextures(1, &texture);
      glBindTexture(GL_TEXTURE_2D, texture);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
      glTexImage2D(GL_TEXTURE_2D, 0, (GLint)(wide ? R16_SNORM : GL_R8_SNORM) + channels - 1, SIDE,
                   SIDE, 0, layouts[channels - 1], wide ? GL_SHORT : GL_BYTE,
                   wide ? (void *)shorts : bytes);
      es3_draw_whole();
      uint32_t *have = es3_read_uint(r, SIDE, SIDE);
      for (int i = 0; i < 4 * SIDE * SIDE; i++) {
         const int at = i / 4 * channels + i % 4;
         const double wanted = i % 4 >= channels ? i % 4 == 3
                               : wide            ? fmax(shorts[at] / 32767.0, -1)
                                                 : fmax(bytes[at] / 127.0, -1);
         if (!(fabs(es3_float(have[i]) - wanted) <= 2e-7))
            rules_fail(r, "%d channels of %d bits, texel %d, channel %d: %.9g, not %.9g", channels,
                       wide ? 16 : 8, i / 4, i % 4, es3_float(have[i]), wanted);
      }
      free(have);
      glDeleteTextures(1, &texture);
   }
   glDeleteProgram(program);
   es3_target_delete(&target);
}

/* ------------------------------------------------------------------------------------ blocks */

/* An array of blocks' words in std140: at 16 bytes each. */
void
gl31_block(struct rules *r)
{
   enum { WORDS = SIDE * SIDE };
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIDE, SIDE);
   GLuint program =
      es3_program(r, es3_vertex_whole,
                  "layout(std140) uniform Words { uvec4 head; uint words[256]; };\n"
                  "out uvec4 v;\n"
                  "void main() { int i = int(gl_FragCoord.x) + 16 * int(gl_FragCoord.y);\n"
                  "   v = head + words[i]; }");
   glUniformBlockBinding(program, glGetUniformBlockIndex(program, "Words"), 3);
   while (rules_next(r)) {
      uint32_t data[64 + 4 + 4 * WORDS];
      const int first =
         64 * (int)rules_below(r, 2); /* dwords: an alignment of 256 bytes is enough */
      GLuint buffer;
      for (size_t i = 0; i < COUNT(data); i++)
         data[i] = es3_random_bits(r);
      glGenBuffers(1, &buffer);
      glBindBuffer(GL_UNIFORM_BUFFER, buffer);
      glBufferData(GL_UNIFORM_BUFFER, sizeof(data), data, GL_STATIC_DRAW);
      glBindBufferRange(GL_UNIFORM_BUFFER, 3, buffer, 4 * first, 4 * (4 + 4 * WORDS));
      es3_draw_whole();
      uint32_t *have = es3_read_uint(r, SIDE, SIDE);
      for (int i = 0; i < 4 * WORDS; i++) {
         const uint32_t wanted = data[first + i % 4] + data[first + 4 + 4 * (i / 4)];
         if (have[i] != wanted)
            rules_fail(r, "word %d, component %d: %u, not %u", i / 4, i % 4, have[i], wanted);
      }
      free(have);
      glDeleteBuffers(1, &buffer);
   }
   glDeleteProgram(program);
   es3_target_delete(&target);
}
