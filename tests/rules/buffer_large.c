/* SPDX-License-Identifier: MIT
 *
 * Many vertices, indices far apart, and programs that come back from their binaries: each vertex is
 * a point of its own pixel.
 */
#include "texture_rules.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE_PX = 320, MOST_VERTICES = SIDE_PX * SIDE_PX };

static const char vertex_source[] =
   "attribute highp vec2 position; attribute vec4 coordinate; varying vec4 v;\n"
   "void main() {\n"
   "   v = coordinate; gl_PointSize = 1.0;\n"
   "   gl_Position = vec4((position + 0.5) / 160.0 - 1.0, 0.0, 1.0);\n"
   "}\n";
static const char fragment_source[] = "precision mediump float; varying vec4 v;\n"
                                      "void main() { gl_FragColor = v; }\n";

/* The colour of a vertex follows from its number and the case. */
struct vertex {
   uint16_t at[2];
   uint8_t colour[4];
};

static struct vertex *
create_vertices(struct rules *r, int count)
{
   struct vertex *vertices = malloc((size_t)count * sizeof(*vertices));
   for (int i = 0; i < count; i++) {
      vertices[i].at[0] = (uint16_t)(i % SIDE_PX), vertices[i].at[1] = (uint16_t)(i / SIDE_PX);
      for (int c = 0; c < 4; c++)
         vertices[i].colour[c] = (uint8_t)rules_below(r, 256);
   }
   return vertices;
}

/* Draws by indices, of which some are few and far apart, or by number; notes which vertices. */
static void
draw_vertices_of(struct rules *r, int vertices, bool *drawn)
{
   const GLenum type =
      vertices <= 65536 && rules_chance(r, 50) ? GL_UNSIGNED_SHORT : GL_UNSIGNED_INT;
   const int index_B = type == GL_UNSIGNED_SHORT ? 2 : 4;
   const int few = vertices < 40 ? vertices : 40;
   const int count = rules_between(r, 1, rules_chance(r, 30) ? few : vertices);
   if (rules_chance(r, 30) ||
       (type == GL_UNSIGNED_INT && !has_extension("GL_OES_element_index_uint"))) {
      const int first = rules_between(r, 0, vertices - count);
      glDrawArrays(GL_POINTS, first, count);
      memset(drawn + first, true, (size_t)count * sizeof(*drawn));
      return;
   }
   uint8_t *indices = malloc((size_t)count * index_B);
   for (int i = 0; i < count; i++) {
      const uint32_t index = rules_below(r, (uint32_t)vertices);
      memcpy(indices + (size_t)i * index_B, &index, (size_t)index_B);
      drawn[index] = true;
   }
   GLuint buffer = 0;
   const bool in_buffer = rules_chance(r, 50);
   if (in_buffer) {
      glGenBuffers(1, &buffer);
      glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer);
      glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)count * index_B, indices, GL_STREAM_DRAW);
   }
   glDrawElements(GL_POINTS, count, type, in_buffer ? NULL : indices);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
   glDeleteBuffers(1, &buffer);
   free(indices);
}

void
buffer_large(struct rules *r)
{
   static const int exactly[4];
   static bool drawn[MOST_VERTICES];
   static uint8_t expected[MOST_VERTICES][4];
   struct tex_canvas canvas = tex_canvas_create(SIDE_PX, SIDE_PX);
   program_link(vertex_source, fragment_source);
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
   while (rules_next(r)) {
      static const int boundaries[] = { 31, 32, 33, 65535, 65536, 65537, MOST_VERTICES };
      const int count = r->n < 7 ? boundaries[r->n] : rules_between(r, 1, MOST_VERTICES);
      struct vertex *vertices = create_vertices(r, count);
      GLuint buffer = 0;
      const bool in_buffer = rules_chance(r, 60);
      if (in_buffer) {
         glGenBuffers(1, &buffer);
         glBindBuffer(GL_ARRAY_BUFFER, buffer);
         glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)count * sizeof(*vertices)), vertices,
                      GL_STATIC_DRAW);
      } else {
         glBindBuffer(GL_ARRAY_BUFFER, 0);
      }
      const uint8_t *base = in_buffer ? NULL : (const uint8_t *)vertices;
      glVertexAttribPointer(0, 2, GL_UNSIGNED_SHORT, GL_FALSE, sizeof(*vertices),
                            base + offsetof(struct vertex, at));
      glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(*vertices),
                            base + offsetof(struct vertex, colour));
      memset(drawn, 0, sizeof(drawn));
      memset(expected, 0, sizeof(expected));
      glClear(GL_COLOR_BUFFER_BIT);
      for (int n = rules_between(r, 1, 3); n > 0; n--)
         draw_vertices_of(r, count, drawn);
      for (int i = 0; i < count; i++)
         if (drawn[i])
            memcpy(expected[i], vertices[i].colour, 4);
      uint8_t *pixels = rules_read(r, SIDE_PX, SIDE_PX);
      rules_expect(r, SIDE_PX, SIDE_PX, pixels, expected[0], exactly,
                   "each vertex is drawn at its pixel");
      free(pixels);
      glDeleteBuffers(1, &buffer);
      free(vertices);
   }
   tex_canvas_delete(&canvas);
}

/* ----------------------------------------------------------------------------- program binaries */

static const char binary_vertex[] =
   "attribute vec4 position, coordinate; varying vec4 v; uniform mat4 turn; uniform vec4 add[3];\n"
   "void main() { gl_Position = position; v = turn * coordinate + add[1] + add[2]; }\n";
static const char binary_fragment[] =
   "precision highp float; varying vec4 v; uniform sampler2D image; uniform vec2 scale; uniform bool invert;\n"
   "void main() { vec4 t = texture2D(image, v.xy * scale); gl_FragColor = invert ? vec4(1.0) - t : t; }\n";

static void
set_uniforms(const GLuint program, const float *value)
{
   glUseProgram(program);
   glUniformMatrix4fv(glGetUniformLocation(program, "turn"), 1, GL_FALSE, value);
   glUniform4fv(glGetUniformLocation(program, "add"), 3, value + 16);
   glUniform2fv(glGetUniformLocation(program, "scale"), 1, value + 28);
   glUniform1i(glGetUniformLocation(program, "invert"), value[30] > 0);
}

static uint8_t *
draw_program(struct rules *r, int side_px)
{
   glClear(GL_COLOR_BUFFER_BIT);
   draw_whole_texture();
   return rules_read(r, side_px, side_px);
}

/* OES_get_program_binary: a program from a binary draws what the linked one does, bit for bit; its
 * uniforms are 0 at first. */
void
buffer_program_binary(struct rules *r)
{
   enum { BINARY_SIDE_PX = 32 };
   GLint formats = 0;
   if (has_extension("GL_OES_get_program_binary"))
      glGetIntegerv(GL_NUM_PROGRAM_BINARY_FORMATS_OES, &formats);
   if (!formats)
      rules_skip("no program binaries");
   struct tex_canvas canvas = tex_canvas_create(BINARY_SIDE_PX, BINARY_SIDE_PX);
   const GLuint program = program_link(binary_vertex, binary_fragment);
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
   while (rules_next(r)) {
      struct ref_level level;
      float value[31];
      uint8_t *bytes = random_level(r, &image_formats[0], &level, 16, 16, 1);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
      free(bytes);
      free(level.texel);
      for (int i = 0; i < 31; i++)
         value[i] = rules_float(r, -1, 1);
      set_uniforms(program, value);
      uint8_t *first = draw_program(r, BINARY_SIDE_PX);

      GLint size_B = 0, linked = 0;
      GLenum format;
      glGetProgramiv(program, GL_PROGRAM_BINARY_LENGTH_OES, &size_B);
      void *binary = malloc((size_t)size_B);
      gl_ext()->GetProgramBinaryOES(program, size_B, NULL, &format, binary);
      no_error("getting a program's binary");
      const GLuint again = glCreateProgram();
      gl_ext()->ProgramBinaryOES(again, format, binary, size_B);
      glGetProgramiv(again, GL_LINK_STATUS, &linked);
      if (!linked)
         rules_fail(r, "a program does not link from its own binary of %d bytes", size_B);
      set_uniforms(again, value);
      uint8_t *second = draw_program(r, BINARY_SIDE_PX);
      if (memcmp(first, second, 4 * BINARY_SIDE_PX * BINARY_SIDE_PX))
         rules_fail(r, "a program from a binary draws something else");
      glDeleteProgram(again);
      free(binary);
      free(first);
      free(second);
   }
   tex_canvas_delete(&canvas);
}
