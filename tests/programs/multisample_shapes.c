/* SPDX-License-Identifier: MIT */
#include "multisample_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Each pixel is the average of its samples. */
void
check_edges(EGLDisplay display, enum place place)
{
   struct target target = place_create(display, place);
   uint64_t seed = 1;
   int partial = 0;
   for (int n = 0; n < 60; n++) {
      struct point t[3];
      float vertices[3][8];
      random_triangle(&seed, t);
      for (int i = 0; i < 3; i++)
         point_to_vertex(t[i], white, vertices[i]);
      glClear(GL_COLOR_BUFFER_BIT);
      draw_vertices((const float(*)[8])vertices, 3);
      uint8_t *pixels = place_read(&target, place);
      for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
         const int inside = samples_inside(t, i % SIZE_PX, i / SIZE_PX, place);
         if (inside >= 0 && pixels[4 * i] != (inside * 255 + 2) / 4)
            die("triangle %d: pixel (%d, %d) is %d with %d samples inside", n, i % SIZE_PX,
                i / SIZE_PX, pixels[4 * i], inside);
         partial += inside > 0 && inside < 4;
      }
      free(pixels);
   }
   if (partial < 1000)
      die("only %d pixels were covered in part", partial);
}

/* A rectangle in the window, any way round, in 1/64 pixel: the unit vector along it, half its
 * length and half its width. */
struct oblong {
   double x, y, along[2], half_length, half_width;
};

/* Samples of pixel (x, y) inside. -1: one lies so near to a side that rounding decides. */
static int
samples_in_oblong(const struct oblong *o, int x, int y, enum place place)
{
   static const double rounding = 0.01;
   int inside = 0;
   for (int s = 0; s < 4; s++) {
      const struct point p = sample_at(x, y, s, place);
      const double dx = (double)p.x - o->x, dy = (double)p.y - o->y;
      const double along = o->half_length - fabs(dx * o->along[0] + dy * o->along[1]),
                   across = o->half_width - fabs(dy * o->along[0] - dx * o->along[1]),
                   least = fmin(along, across);
      if (fabs(least) < rounding)
         return -1;
      inside += least > 0;
   }
   return inside;
}

static void
expect_oblong(const struct target *target, enum place place, const struct oblong *o, int n,
              const char *what)
{
   uint8_t *pixels = place_read(target, place);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
      const int inside = samples_in_oblong(o, i % SIZE_PX, i / SIZE_PX, place);
      if (inside >= 0 && pixels[4 * i] != (inside * 255 + 2) / 4)
         die("%s %d: pixel (%d, %d) is %d with %d samples inside", what, n, i % SIZE_PX,
             i / SIZE_PX, pixels[4 * i], inside);
   }
   free(pixels);
}

/* One line or point: the oblong. */
static void
draw_oblong(GLenum mode, const struct point *ends, int count)
{
   float vertices[2][8];
   for (int i = 0; i < count; i++)
      point_to_vertex(ends[i], white, vertices[i]);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof(vertices[0]), vertices[0]);
   glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, sizeof(vertices[0]), vertices[0] + 4);
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
   glClear(GL_COLOR_BUFFER_BIT);
   glDrawArrays(mode, 0, count);
}

/* With samples a line is a rectangle of its width and length, whatever its slope; its width is not
 * rounded: section 3.4.4. */
void
check_lines(EGLDisplay display, enum place place)
{
   static const float special_px[] = { 1, 1.5f, 2, 2.25f, 3, 7.75f };
   const struct target target = place_create(display, place);
   uint64_t seed = 11;
   for (int n = 0; n < 80; n++) {
      struct point ends[2];
      for (int i = 0; i < 2; i++)
         ends[i] = (struct point){ random_below(&seed, SIZE_PX * UNITS),
                                   random_below(&seed, SIZE_PX * UNITS) };
      if (n % 4 == 0) /* level or upright */
         *(n % 8 ? &ends[1].x : &ends[1].y) = n % 8 ? ends[0].x : ends[0].y;
      const double dx = (double)(ends[1].x - ends[0].x), dy = (double)(ends[1].y - ends[0].y),
                   length = hypot(dx, dy);
      if (length < UNITS)
         continue;
      const float width_px =
         n % 3 ? special_px[n % 6] : 1 + (float)random_below(&seed, 64 * 9) / 64;
      const struct oblong o = { (double)(ends[0].x + ends[1].x) / 2,
                                (double)(ends[0].y + ends[1].y) / 2,
                                { dx / length, dy / length },
                                length / 2,
                                width_px * UNITS / 2 };
      glLineWidth(width_px);
      draw_oblong(GL_LINES, ends, 2);
      expect_oblong(&target, place, &o, n, "line");
   }
   no_error("lines of four samples");
}

/* A sprite is the square of its size, which is not rounded: section 3.3.3. */
void
check_points(EGLDisplay display, enum place place)
{
   /* OpenGL's switches of what ES always does */
   enum { POINT_SPRITE = 0x8861, VERTEX_PROGRAM_POINT_SIZE = 0x8642 };
   const struct target target = place_create(display, place);
   uint64_t seed = 13;
   if (place == RENDERBUFFER) {
      glEnable(POINT_SPRITE);
      glEnable(VERTEX_PROGRAM_POINT_SIZE);
   }
   const GLuint program =
      program_create("attribute vec4 position, colour; varying vec4 v; uniform float size;\n"
                     "void main() { gl_Position = position; gl_PointSize = size; v = colour; }\n",
                     fragment_text);
   for (int n = 0; n < 80; n++) {
      const struct point centre = { random_below(&seed, SIZE_PX * UNITS),
                                    random_below(&seed, SIZE_PX * UNITS) };
      const float size_px =
         n % 3 ? 1 + (float)random_below(&seed, 64 * 20) / 64 : (float)(1 + n / 3);
      const struct oblong o = {
         (double)centre.x, (double)centre.y, { 1, 0 }, size_px * UNITS / 2, size_px * UNITS / 2
      };
      glUniform1f(glGetUniformLocation(program, "size"), size_px);
      draw_oblong(GL_POINTS, &centre, 1);
      expect_oblong(&target, place, &o, n, "point");
   }
   no_error("points of four samples");
}
