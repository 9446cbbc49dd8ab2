/* SPDX-License-Identifier: MIT
 *
 * Selection and feedback (GL 2.1 sections 5.2 and 5.3) and the raster position (2.13): vertices
 * that no fragments come of. The vertex program is the fixed function's, lit, or one of GLSL; both
 * have decisions, and give the same colours.
 */
#include "desktop_checks.h"

#include <math.h>

#define VALUES 256
#define FRONT 1
#define BEHIND -1

static const GLfloat front_colour[4] = { 0.75f, 0.25f, 1, 1 }, behind_colour[4] = { 0, 0, 0, 1 };

/* A light shines along z: what faces it has the sum of the diffuse and the
 * specular colour, all else is black. */
static void
use_light(void)
{
   static const GLfloat diffuse[4] = { 0.5f, 0.25f, 1, 1 }, specular[4] = { 0.25f, 0, 0, 1 },
                        black[4] = { 0, 0, 0, 1 };
   glEnable(GL_LIGHTING);
   glEnable(GL_LIGHT0);
   glMaterialfv(GL_FRONT_AND_BACK, GL_AMBIENT, black);
   glMaterialfv(GL_FRONT_AND_BACK, GL_DIFFUSE, diffuse);
   glMaterialfv(GL_FRONT_AND_BACK, GL_SPECULAR, specular);
   glMaterialf(GL_FRONT_AND_BACK, GL_SHININESS, 2);
}

static void
use_program(void)
{
   const GLuint program =
      use_shaders("uniform vec4 front_colour, behind_colour;\n"
                  "void main() {\n"
                  "   bool front = gl_Normal.z > 0.0, near = gl_Vertex.x < 4.0;\n"
                  "   gl_FrontColor = front && near ? front_colour : behind_colour;\n"
                  "   gl_Position = ftransform();\n"
                  "}\n",
                  NULL);
   glUniform4fv(glGetUniformLocation(program, "front_colour"), 1, front_colour);
   glUniform4fv(glGetUniformLocation(program, "behind_colour"), 1, behind_colour);
}

static const struct way {
   const char *name;
   void (*use)(void);
} ways[] = { { "fixed function", use_light }, { "GLSL", use_program } };

/* A triangle round (x, 0, 0) whose normal shows to the `side`; its corners have depths of -0.5, 0
 * and 0.5. */
static void
draw_triangle(GLfloat x, GLfloat side)
{
   glNormal3f(0, 0, side);
   glBegin(GL_TRIANGLES);
   glVertex3f(x - 0.25f, -0.5f, 0.5f);
   glVertex3f(x + 0.25f, -0.5f, 0);
   glVertex3f(x, 0.5f, -0.5f);
   glEnd();
}

/* Of a depth that a hit has. */
static void
expect_depth(const char *way, GLuint value, double depth)
{
   if (fabs(value / 4294967295.0 - depth) > 1e-6)
      die("%s: a hit at the depth %g, expected %g", way, value / 4294967295.0, depth);
}

/* Names of what is in the clip volume, and the depths that it is between; in the order of drawing.
 */
static void
select_triangles(const char *way)
{
   GLuint values[VALUES];
   glSelectBuffer(VALUES, values);
   glRenderMode(GL_SELECT);
   glInitNames();
   glPushName(7);
   draw_triangle(0.5f, FRONT);
   glLoadName(8);
   draw_triangle(3, FRONT); /* outside */
   glLoadName(9);
   glPushName(10);
   draw_triangle(-0.5f, BEHIND);
   const GLint hits = glRenderMode(GL_RENDER);
   if (hits != 2 || values[0] != 1 || values[3] != 7 || values[4] != 2 || values[7] != 9 ||
       values[8] != 10)
      die("%s: %d hits; %u names: %u; %u names: %u %u", way, hits, values[0], values[3], values[4],
          values[7], values[8]);
   for (int i = 0; i < 2; i++) {
      expect_depth(way, values[4 * i + 1], 0.25);
      expect_depth(way, values[4 * i + 2], 0.75);
   }
}

static void
expect_values(const char *way, const char *what, const GLfloat *values, const GLfloat *expected,
              int count, double tolerance)
{
   for (int i = 0; i < count; i++)
      if (!(fabs(values[i] - expected[i]) <= tolerance))
         die("%s, %s: value %d is %g, expected %g", way, what, i, values[i], expected[i]);
}

static void
expect_fed_back(const char *way, const GLfloat *values, const GLfloat colour[4])
{
   static const GLfloat corners[3][3] = { { 24, 16, 0.75f }, { 40, 16, 0.5f }, { 32, 48, 0.25f } };
   if (values[0] != GL_POLYGON_TOKEN || values[1] != 3)
      die("%s: feedback begins with %g, %g", way, values[0], values[1]);
   for (int i = 0; i < 3; i++) {
      expect_values(way, "feedback of a corner", &values[2 + 7 * i], corners[i], 3, 1e-4);
      expect_values(way, "feedback of a colour", &values[5 + 7 * i], colour, 4, 1e-4);
   }
}

/* Corners in the window and colours of what faces the light, and of what does not. */
static void
feed_back_triangles(const char *way)
{
   enum { POLYGON_VALUES = 2 + 3 * 7 };
   GLfloat values[VALUES];
   glFeedbackBuffer(VALUES, GL_3D_COLOR, values);
   glRenderMode(GL_FEEDBACK);
   draw_triangle(0, FRONT);
   draw_triangle(3, FRONT); /* outside */
   draw_triangle(0, BEHIND);
   const GLint count = glRenderMode(GL_RENDER);
   if (count != 2 * POLYGON_VALUES)
      die("%s: %d values are fed back, expected %d", way, count, 2 * POLYGON_VALUES);
   expect_fed_back(way, values, front_colour);
   expect_fed_back(way, values + POLYGON_VALUES, behind_colour);
}

static void
place_raster_position(const char *way, GLfloat side, const GLfloat colour[4])
{
   static const GLfloat place[3] = { 48, 16, 0.375f };
   GLfloat values[4];
   GLboolean valid;
   glNormal3f(0, 0, side);
   glRasterPos3f(0.5f, -0.5f, -0.25f);
   glGetBooleanv(GL_CURRENT_RASTER_POSITION_VALID, &valid);
   if (!valid)
      die("%s: the raster position is not valid", way);
   glGetFloatv(GL_CURRENT_RASTER_POSITION, values);
   expect_values(way, "raster position", values, place, 3, 1e-4);
   glGetFloatv(GL_CURRENT_RASTER_COLOR, values);
   expect_values(way, "its colour", values, colour, 4, 1e-4);
   glRasterPos3f(3, 0, 0);
   glGetBooleanv(GL_CURRENT_RASTER_POSITION_VALID, &valid);
   if (valid)
      die("%s: a raster position outside is valid", way);
}

static void
for_each_way(void (*check)(const char *way))
{
   for (int way = 0; way < 2; way++) {
      ways[way].use();
      check(ways[way].name);
   }
}

static void
place_raster_positions(const char *way)
{
   place_raster_position(way, FRONT, front_colour);
   place_raster_position(way, BEHIND, behind_colour);
}

void
check_selection(void)
{
   for_each_way(select_triangles);
}

void
check_feedback(void)
{
   for_each_way(feed_back_triangles);
}

void
check_raster_position(void)
{
   for_each_way(place_raster_positions);
}
