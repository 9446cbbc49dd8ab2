/* SPDX-License-Identifier: MIT
 *
 * gl_PrimitiveID in fragment shaders without a geometry shader (EXT_gpu_shader4; GL 3.2 section
 * 3.12.2): the number of the point, line, triangle, quad or polygon in its instance. The picture is
 * that of the same primitives drawn one by one, each with its number as a constant colour.
 */
#include "desktop_checks.h"

#include <string.h>

#define VERTICES 24
#define RESTART 0xffff

static const struct mode {
   GLenum mode, alone; /* alone: how one of its primitives is drawn by itself */
   const char *name;
} modes[] = {
   { GL_POINTS, GL_POINTS, "points" },
   { GL_LINES, GL_LINES, "lines" },
   { GL_LINE_STRIP, GL_LINES, "line strip" },
   { GL_LINE_LOOP, GL_LINES, "line loop" },
   { GL_TRIANGLES, GL_TRIANGLES, "triangles" },
   { GL_TRIANGLE_STRIP, GL_TRIANGLES, "triangle strip" },
   { GL_TRIANGLE_FAN, GL_TRIANGLES, "triangle fan" },
   { GL_QUADS, GL_QUADS, "quads" },
   { GL_QUAD_STRIP, GL_QUAD_STRIP, "quad strip" },
   { GL_POLYGON, GL_POLYGON, "polygon" },
};

/* Primitives of `count` vertices (GL 2.1 section 2.6.1). */
static int
primitives_of(GLenum mode, int count)
{
   switch (mode) {
   case GL_POINTS:
   case GL_LINE_LOOP:
      return count;
   case GL_LINES:
      return count / 2;
   case GL_LINE_STRIP:
      return count - 1;
   case GL_TRIANGLES:
      return count / 3;
   case GL_TRIANGLE_STRIP:
   case GL_TRIANGLE_FAN:
      return count - 2;
   case GL_QUADS:
      return count / 4;
   case GL_QUAD_STRIP:
      return count / 2 - 1;
   default:
      return 1;
   }
}

/* The vertices of primitive i of `count` vertices. Returns how many. */
static int
vertices_of(GLenum mode, int count, int i, GLushort vertex[VERTICES])
{
   const int each = mode == GL_POINTS                                                           ? 1
                    : mode == GL_LINES || mode == GL_LINE_STRIP || mode == GL_LINE_LOOP         ? 2
                    : mode == GL_QUADS || mode == GL_QUAD_STRIP                                 ? 4
                    : mode == GL_POLYGON                                                    ? count
                                                                                                : 3;
   const bool is_separate = mode == GL_LINES || mode == GL_TRIANGLES || mode == GL_QUADS;
   const int first = is_separate ? each * i : mode == GL_QUAD_STRIP ? 2 * i : i;
   for (int k = 0; k < each; k++)
      vertex[k] = (GLushort)((first + k) % count);
   if (mode == GL_TRIANGLE_FAN)
      vertex[0] = 0, vertex[1] = (GLushort)(i + 1), vertex[2] = (GLushort)(i + 2);
   return each;
}

/* Draw each primitive of a run of vertices by itself. Returns the number of the next one. */
static int
draw_alone(const struct mode *m, int first, int count, int number)
{
   for (int i = 0; i < primitives_of(m->mode, count); i++, number++) {
      GLushort vertex[VERTICES];
      const int vertices = vertices_of(m->mode, count, i, vertex);
      for (int k = 0; k < vertices; k++)
         vertex[k] = (GLushort)(vertex[k] + first);
      glColor4ub((GLubyte)(8 * number + 4), 0, 0, 255);
      glDrawElements(m->alone, vertices, GL_UNSIGNED_SHORT, vertex);
   }
   return number;
}

enum way { ARRAYS, INSTANCES, ELEMENTS, RESTARTED, WAYS };
static const char *const way_names[WAYS] = { "arrays", "two instances", "elements",
                                             "restarted elements" };

/* All primitives by one call. Restarted: in two runs of half the vertices, numbered on. */
static void
draw_together(const struct mode *m, enum way way)
{
   GLushort index[VERTICES + 1];
   int count = 0;
   for (int i = 0; i < VERTICES; i++) {
      if (way == RESTARTED && i == VERTICES / 2)
         index[count++] = RESTART;
      index[count++] = (GLushort)i;
   }
   if (way == ARRAYS)
      glDrawArrays(m->mode, 0, VERTICES);
   else if (way == INSTANCES)
      glDrawArraysInstanced(m->mode, 0, VERTICES, 2);
   else
      glDrawElements(m->mode, count, GL_UNSIGNED_SHORT, index);
}

static void
compare(const struct mode *m, enum way way, GLuint program)
{
   glUseProgram(0);
   glClear(GL_COLOR_BUFFER_BIT);
   if (way == RESTARTED)
      draw_alone(m, VERTICES / 2, VERTICES / 2, draw_alone(m, 0, VERTICES / 2, 0));
   else
      draw_alone(m, 0, VERTICES, 0);
   uint8_t *expected = window_read(SIZE_PX, SIZE_PX);
   glUseProgram(program);
   glClear(GL_COLOR_BUFFER_BIT);
   draw_together(m, way);
   uint8_t *pixels = window_read(SIZE_PX, SIZE_PX);
   int drawn = 0;
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
      drawn += expected[4 * i] != 0;
      if (pixels[4 * i] != expected[4 * i])
         die("%s, %s: pixel (%d, %d) is of number %d, not %d", m->name, way_names[way], i % SIZE_PX,
             i / SIZE_PX, pixels[4 * i] / 8, expected[4 * i] / 8);
   }
   if (drawn < VERTICES / 2)
      die("%s, %s: only %d pixels are drawn", m->name, way_names[way], drawn);
   free(expected);
   free(pixels);
}

void
check_primitive_numbers(void)
{
   float vertex[VERTICES][2];
   uint64_t seed = 1;
   const GLuint program =
      use_shaders("void main() { gl_Position = gl_Vertex; }",
                  "#extension GL_EXT_gpu_shader4 : require\n"
                  "void main() { gl_FragColor = vec4(float(8 * gl_PrimitiveID + 4) / 255.0); }");
   for (int i = 0; i < VERTICES; i++)
      for (int k = 0; k < 2; k++)
         vertex[i][k] = (float)((int)random_below(&seed, 129) - 64) / 64;
   glEnableClientState(GL_VERTEX_ARRAY);
   glVertexPointer(2, GL_FLOAT, 0, vertex);
   for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
      for (enum way way = ARRAYS; way < WAYS; way++) {
         glPrimitiveRestartIndex(RESTART);
         (way == RESTARTED ? glEnable : glDisable)(GL_PRIMITIVE_RESTART);
         compare(&modes[i], way, program);
      }
}
