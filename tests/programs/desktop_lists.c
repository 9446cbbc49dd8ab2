/* SPDX-License-Identifier: MIT
 *
 * Primitives and display lists that are longer than Mesa's buffers, which draw as many fragments as
 * arrays do, and what is current before, in and after a display list or an evaluator (GL 2.1
 * sections 2.7, 5.1, 5.4).
 */
#include "desktop_checks.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* ---- long primitives ---- */

/* Corners in turn on the sides of a square: each edge is many pixels long, so that its fragments
 * are missed. */
static float *
corners(int vertices)
{
   float *xyzw = malloc(sizeof(float[4]) * (size_t)vertices);
   uint64_t seed = 1;
   for (int i = 0; i < vertices; i++) {
      const float along = 4.25f + 0.5f * (float)random_below(&seed, 111),
                  across = i & 2 ? 59.75f : 4.25f;
      memcpy(xyzw + 4 * i, (float[4]){ i & 1 ? along : across, i & 1 ? across : along, 0, 1 },
             sizeof(float[4]));
   }
   return xyzw;
}

static void
draw_arrays(GLenum mode, const float *xyzw, int vertices)
{
   glVertexPointer(4, GL_FLOAT, 0, xyzw);
   glEnableClientState(GL_VERTEX_ARRAY);
   glDrawArrays(mode, 0, vertices);
   glDisableClientState(GL_VERTEX_ARRAY);
}

/* With `units` texture coordinates, of which nothing is seen, vertices are so much larger. */
static void
draw_between(GLenum mode, const float *xyzw, int vertices, int units)
{
   glBegin(mode);
   for (int i = 0; i < units; i++)
      glMultiTexCoord4f(GL_TEXTURE0 + (GLenum)i, 0, 0, 0, 1);
   for (int i = 0; i < vertices; i++)
      glVertex4fv(xyzw + 4 * i);
   glEnd();
}

/* A primitive has the same fragments between glBegin and glEnd as from an array. */
static void
compare_long(GLenum mode, int vertices, int units)
{
   float *xyzw = corners(vertices);
   draw_arrays(mode, xyzw, vertices);
   uint8_t *expected = fragment_counts();
   for (enum list_use use = LIST_NONE; use <= LIST_WHILE_COMPILED; use++) {
      list_begin(use);
      draw_between(mode, xyzw, vertices, units);
      list_end(use);
      compare_counts(expected, "mode %u, %d vertices%s", mode, vertices, list_uses[use]);
   }
   free(expected);
   free(xyzw);
}

void
check_begin_long(void)
{
   static const GLenum modes[] = { GL_LINE_STRIP, GL_LINE_LOOP, GL_POLYGON };
   window_in_pixels(SIZE_PX, SIZE_PX);
   glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
   count_fragments();
   compare_long(GL_LINE_LOOP, 131200, 0);
   for (int stippled = 0; stippled < 2; stippled++) {
      for (int i = 0; i < COUNT(modes); i++)
         compare_long(modes[i], 15000, 8);
      glLineStipple(3, 0x3a5f);
      glEnable(GL_LINE_STIPPLE);
   }
}

/* Larger than what Mesa keeps as a whole, since lines are stippled: the pattern has no gaps, so
 * where it is cut is not seen. */
void
check_begin_huge(void)
{
   window_in_pixels(SIZE_PX, SIZE_PX);
   count_fragments();
   glLineStipple(1, 0xffff);
   glEnable(GL_LINE_STIPPLE);
   compare_long(GL_LINE_LOOP, 500000, 8); /* 500000 * 9 * 16 bytes */
}

/* ---- the end of memory: an error, after which the context still draws ---- */

/* Leaves the process so much address space beside what it has, or (0) all again. */
static void
limit_memory(rlim_t room_B)
{
   long pages = 0;
   struct rlimit limit;
   FILE *file = fopen("/proc/self/statm", "r");
   if (!file || fscanf(file, "%ld", &pages) != 1)
      die("/proc/self/statm cannot be read");
   fclose(file);
   getrlimit(RLIMIT_AS, &limit);
   limit.rlim_cur =
      room_B ? (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + room_B : limit.rlim_max;
   if (setrlimit(RLIMIT_AS, &limit) != 0)
      die("setrlimit fails");
}

void
check_begin_out_of_memory(void)
{
   enum { VERTICES = 400000, FEW = 1000, UNITS = 8 };
   float *xyzw = corners(VERTICES);
   window_in_pixels(SIZE_PX, SIZE_PX);
   glLineStipple(1, 0xffff);
   glEnable(GL_LINE_STIPPLE);
   count_fragments();
   draw_arrays(GL_LINE_LOOP, xyzw, FEW);
   uint8_t *expected = fragment_counts();
   for (enum list_use use = LIST_NONE; use <= LIST_WHILE_COMPILED; use++) {
      limit_memory((rlim_t)30 << 20);
      list_begin(use);
      draw_between(GL_LINE_LOOP, xyzw, VERTICES, UNITS);
      list_end(use);
      const GLenum error = glGetError();
      limit_memory(0);
      if (error != GL_OUT_OF_MEMORY)
         die("%d vertices in 30 MB of address space%s: 0x%x, not GL_OUT_OF_MEMORY", VERTICES,
             list_uses[use], error);
      free(fragment_counts());
      list_begin(use);
      draw_between(GL_LINE_LOOP, xyzw, FEW, 0);
      list_end(use);
      compare_counts(expected, "%d vertices after GL_OUT_OF_MEMORY%s", FEW, list_uses[use]);
   }
   free(expected);
   free(xyzw);
}

/* ---- arrays in a list: several draws, together larger than a buffer ---- */

void
check_list_arrays(void)
{
   enum { VERTICES = 30000, DRAWS = 5 };
   static const GLenum modes[] = { GL_POINTS,     GL_LINES,          GL_LINE_STRIP,   GL_LINE_LOOP,
                                   GL_TRIANGLES,  GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN, GL_QUADS,
                                   GL_QUAD_STRIP, GL_POLYGON };
   float *xyzw = corners(VERTICES);
   window_in_pixels(SIZE_PX, SIZE_PX);
   glPolygonMode(GL_FRONT_AND_BACK, GL_POINT);
   count_fragments();
   for (int m = 0; m < COUNT(modes); m++) {
      draw_arrays(modes[m], xyzw, VERTICES);
      uint8_t *expected = fragment_counts();
      for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
         expected[i] = (uint8_t)(DRAWS * expected[i]);
      for (enum list_use use = LIST_CALLED; use <= LIST_WHILE_COMPILED; use++) {
         list_begin(use);
         for (int k = 0; k < DRAWS; k++)
            draw_arrays(modes[m], xyzw, VERTICES);
         list_end(use);
         compare_counts(expected, "%d arrays of %d vertices, mode %u%s", DRAWS, VERTICES, modes[m],
                        list_uses[use]);
      }
      free(expected);
   }
   free(xyzw);
}

/* ---- what is current ---- */

static void
expect_current(const char *what, const char *where, const GLfloat expected[3])
{
   GLfloat color[4];
   glGetFloatv(GL_CURRENT_COLOR, color);
   if (memcmp(color, expected, sizeof(GLfloat[3])) != 0)
      die("after %s%s the current colour is (%g, %g, %g), not (%g, %g, %g)", what, where, color[0],
          color[1], color[2], expected[0], expected[1], expected[2]);
}

static const GLfloat red[3] = { 1, 0, 0 }, green[3] = { 0, 1, 0 }, blue[3] = { 0, 0, 1 };

/* Parts of lists. */

static void
nothing(void)
{
}

static void
red_at_once(void)
{
   glColor3fv(red);
}

static void
red_behind_a_vertex(void)
{
   glBegin(GL_POINTS);
   glColor3fv(green);
   glVertex2f(-9, -9);
   glColor3fv(red);
   glEnd();
}

static void
red_without_a_vertex(void)
{
   glBegin(GL_POINTS);
   glColor3fv(red);
   glEnd();
}

static void
red_before_arrays(void)
{
   static const float apart[4] = { -9, -9, 0, 1 };
   glBegin(GL_POINTS);
   glColor3fv(red);
   glVertex2f(-9, -9);
   glEnd();
   draw_arrays(GL_POINTS, apart, 1);
}

static void
red_again_by_attributes(void)
{
   glColor3fv(red);
   glPushAttrib(GL_CURRENT_BIT);
   glColor3fv(green);
   glPopAttrib();
}

static void
red_from_attributes_before(void)
{
   glColor3fv(green);
   glPopAttrib();
}

static void
red_by_another_list(void)
{
   glColor3fv(green);
   glCallList(2);
}

static void
red_after_a_rectangle(void)
{
   red_at_once();
   glRectf(-9, -9, -8, -8);
}

static const struct part {
   const char *name;
   void (*give)(void);
} parts[] = {
   { "nothing", nothing },
   { "glColor", red_at_once },
   { "glColor behind a vertex", red_behind_a_vertex },
   { "glColor without a vertex", red_without_a_vertex },
   { "glColor before arrays", red_before_arrays },
   { "glPushAttrib and glPopAttrib", red_again_by_attributes },
   { "glPopAttrib", red_from_attributes_before },
   { "glCallList", red_by_another_list },
   { "glColor and glRect", red_after_a_rectangle },
};

/* A segment of the current colour, and one of another that is given between them. */
static void
two_segments(void)
{
   glBegin(GL_LINE_STRIP);
   glVertex2f(4.5f, 20.5f);
   glVertex2f(30.5f, 20.5f);
   glColor3fv(blue);
   glVertex2f(30.5f, 50.5f);
   glEnd();
}

static void
expect_segments(const struct part *part, enum list_use use, const GLfloat first[3])
{
   uint8_t *pixels = window_read(SIZE_PX, SIZE_PX);
   char what[200];
   snprintf(what, sizeof(what), "a segment after %s%s", part->name, list_uses[use]);
   expect_rgb(pixel_at(pixels, SIZE_PX, 15, 20), what, 15, 20, 255 * first[0], 255 * first[1],
              255 * first[2], 0.5);
   expect_rgb(pixel_at(pixels, SIZE_PX, 30, 40), what, 30, 40, 0, 0, 255, 0.5);
   free(pixels);
}

/* Outside of the list red was current, and is alone on the attribute stack, before `outside`
 * becomes so. */
static void
set_outside(const GLfloat outside[3])
{
   GLint depth;
   for (glGetIntegerv(GL_ATTRIB_STACK_DEPTH, &depth); depth > 0; depth--)
      glPopAttrib();
   glColor3fv(red);
   glPushAttrib(GL_CURRENT_BIT);
   glColor3fv(outside);
   glClear(GL_COLOR_BUFFER_BIT);
}

void
check_list_current(void)
{
   window_in_pixels(SIZE_PX, SIZE_PX);
   glShadeModel(GL_FLAT);
   glNewList(2, GL_COMPILE);
   glColor3fv(red);
   glEndList();
   for (int i = 0; i < COUNT(parts); i++)
      for (enum list_use use = LIST_NONE; use <= LIST_WHILE_COMPILED; use++) {
         const GLfloat *expected = i == 0 ? green : red;
         set_outside(green);
         list_begin(use);
         parts[i].give();
         list_end(use);
         expect_current(parts[i].name, list_uses[use], expected);

         set_outside(green);
         list_begin(use);
         parts[i].give();
         two_segments();
         list_end(use);
         expect_segments(&parts[i], use, expected);
         expect_current(parts[i].name, " and two segments", blue);
         if (use == LIST_NONE)
            continue;
         set_outside(blue);
         glCallList(1);
         expect_segments(&parts[i], use, i == 0 ? blue : red);
      }
}

/* State that a list sets to what it set before, but that was changed by something else in
 * between. */

static void
shade_again(void)
{
   glShadeModel(GL_SMOOTH);
   glPushAttrib(GL_LIGHTING_BIT);
   glShadeModel(GL_FLAT);
   glPopAttrib();
   glPushAttrib(GL_LIGHTING_BIT);
   glPopAttrib();
   glShadeModel(GL_FLAT);
}

/* A material that becomes green by the current colour, and red again if it is set again. */
static void
color_a_material(bool again)
{
   static const GLfloat diffuse[4] = { 1, 0, 0, 1 };
   glMaterialfv(GL_FRONT_AND_BACK, GL_DIFFUSE, diffuse);
   glEnable(GL_COLOR_MATERIAL);
   glColor3fv(green);
   glDisable(GL_COLOR_MATERIAL);
   if (again)
      glMaterialfv(GL_FRONT_AND_BACK, GL_DIFFUSE, diffuse);
}

/* Each way twice: green is current before, or not. */
void
check_list_state(void)
{
   for (int i = 0; i < 12; i++) {
      const enum list_use use = (enum list_use)(i / 4);
      const GLfloat *expected = i % 4 < 2 ? green : red;
      GLint model;
      GLfloat diffuse[4];
      glColor3fv(i % 2 ? green : blue);
      list_begin(use);
      shade_again();
      color_a_material(expected == red);
      list_end(use);
      glGetIntegerv(GL_SHADE_MODEL, &model);
      if (model != GL_FLAT)
         die("the shade model%s is 0x%x", list_uses[use], (unsigned)model);
      glGetMaterialfv(GL_FRONT, GL_DIFFUSE, diffuse);
      if (memcmp(diffuse, expected, sizeof(red)) != 0)
         die("the diffuse colour%s is (%g, %g, %g)", list_uses[use], diffuse[0], diffuse[1],
             diffuse[2]);
   }
}

/* Lists that call themselves (5.4 limits how deep), each other, or what is no list, between glBegin
 * and glEnd. */
void
check_list_cycles(void)
{
   window_in_pixels(SIZE_PX, SIZE_PX);
   for (GLuint list = 1; list <= 2; list++) {
      glNewList(list, GL_COMPILE);
      glCallList(3 - list);
      glCallList(list);
      glCallList(99);
      glEndList();
   }
   glNewList(3, GL_COMPILE);
   glBegin(GL_POINTS);
   glCallList(99);
   glVertex2f(20.5f, 10.5f);
   glEnd();
   glEndList();
   glNewList(4, GL_COMPILE);
   glBegin(GL_LINES);
   glVertex2f(4, 20.5f);
   glColor3fv(red);
   glVertex2f(60, 20.5f);
   glEnd();
   glEndList();
   glClear(GL_COLOR_BUFFER_BIT);
   glCallList(3);
   glCallList(4);
   uint8_t *pixels = window_read(SIZE_PX, SIZE_PX);
   expect_rgb(pixel_at(pixels, SIZE_PX, 20, 10), "the point", 20, 10, 255, 255, 255, 0);
   free(pixels);
}

/* What an evaluator gives a vertex does not become current (5.1), wherever buffers end. */
void
check_evaluated_current(void)
{
   static const GLfloat ends[4][3] = { { 4, 4, 0 }, { 60, 4, 0 }, { 4, 60, 0 }, { 60, 60, 0 } };
   static const GLfloat colors[4][4] = {
      { 1, 0, 0, 1 }, { 1, 0, 0, 1 }, { 1, 0, 0, 1 }, { 1, 0, 0, 1 }
   };
   window_in_pixels(SIZE_PX, SIZE_PX);
   glMap1f(GL_MAP1_VERTEX_3, 0, 1, 3, 2, ends[0]);
   glMap1f(GL_MAP1_COLOR_4, 0, 1, 4, 2, colors[0]);
   glMap2f(GL_MAP2_VERTEX_3, 0, 1, 3, 2, 0, 1, 6, 2, ends[0]);
   glMap2f(GL_MAP2_COLOR_4, 0, 1, 4, 2, 0, 1, 8, 2, colors[0]);
   glEnable(GL_MAP1_VERTEX_3);
   glEnable(GL_MAP1_COLOR_4);
   glEnable(GL_MAP2_VERTEX_3);
   glEnable(GL_MAP2_COLOR_4);
   for (int dimensions = 1; dimensions <= 2; dimensions++) {
      glColor3fv(green);
      glBegin(GL_LINE_STRIP);
      for (int i = 0; i < 50000; i++)
         if (dimensions == 1)
            glEvalCoord1f((float)(i % 50) / 50);
         else
            glEvalCoord2f((float)(i % 50) / 50, (float)(i % 7) / 7);
      glEnd();
      expect_current(dimensions == 1 ? "glEvalCoord1" : "glEvalCoord2", "", green);
   }
}
