/* SPDX-License-Identifier: MIT
 *
 * From vertices to pixels, beyond OpenGL ES 2.0: what the fixed function adds to colours, which
 * fragments there are, and what is done with the buffer as a whole. Sections are those of the GL
 * 2.1 specification.
 */
#include "desktop_checks.h"

#include <math.h>
#include <string.h>

static void
set(double rgb[3], double r, double g, double b)
{
   rgb[0] = r;
   rgb[1] = g;
   rgb[2] = b;
}

static void
draw_rectangle(float x0, float y0, float x1, float y1, float z)
{
   glBegin(GL_QUADS);
   glVertex3f(x0, y0, z);
   glVertex3f(x1, y0, z);
   glVertex3f(x1, y1, z);
   glVertex3f(x0, y1, z);
   glEnd();
}

/* ---- depth clamp (ARB_depth_clamp) ----
 * Rectangles in front of the near and behind the far plane are drawn, at the depths 0 and 1: over what has depth 0.5 the
 * near one is seen and the far one is not. */

static void
depth_clamp_rgb(int x, int y, double rgb[3])
{
   const bool near = x >= 8 && x < 24, far = x >= 40 && x < 56, middle = y < 32;
   set(rgb, near ? 255 : 0, far && !middle ? 255 : 0, middle && !near ? 255 : 0);
}

void
check_depth_clamp(void)
{
   window_in_pixels(SIZE_PX, SIZE_PX);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   glEnable(GL_DEPTH_TEST);
   glDepthFunc(GL_LEQUAL);
   glEnable(GL_DEPTH_CLAMP);
   glColor3f(0, 0, 1);
   draw_rectangle(0, 0, SIZE_PX, 32, 0);
   glColor3f(1, 0, 0);
   draw_rectangle(8, 0, 24, SIZE_PX, -3);
   glColor3f(0, 1, 0);
   draw_rectangle(40, 0, 56, SIZE_PX, 3);
   check_window("depth clamp", depth_clamp_rgb, 0);
   glDisable(GL_DEPTH_CLAMP);
   glClear(GL_COLOR_BUFFER_BIT);
   draw_rectangle(8, 0, 24, SIZE_PX, -3);
   draw_rectangle(40, 0, 56, SIZE_PX, 3);
   uint8_t *pixels = window_read(SIZE_PX, SIZE_PX);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
      expect_rgb(pixels + 4 * i, "without depth clamp", i % SIZE_PX, i / SIZE_PX, 0, 0, 0, 0);
   free(pixels);
}

/* ---- fog (3.10) ----
 * The fog coordinate runs from 0 at x = 0 to 4 at x = 64: c = (x + 0.5) / 16. LINEAR from 1 to 3: f = (3 - c) / 2; EXP with density
 * 0.5: exp(-c / 2); EXP2: exp(-(c / 2)^2); red is f, green, the fog's colour, 1 - f. */

static GLenum fog_mode;

static void
fog_rgb(int x, int y, double rgb[3])
{
   const double c = (x + 0.5) / 16;
   double f = fog_mode == GL_LINEAR ? (3 - c) / 2
              : fog_mode == GL_EXP  ? exp(-c / 2)
                                    : exp(-c * c / 4);
   (void)y;
   f = f < 0 ? 0 : f > 1 ? 1 : f;
   set(rgb, 255 * f, 255 * (1 - f), 0);
}

void
check_fog(void)
{
   static const GLenum modes[] = { GL_LINEAR, GL_EXP, GL_EXP2 };
   window_in_pixels(SIZE_PX, SIZE_PX);
   glEnable(GL_FOG);
   glFogi(GL_FOG_COORD_SRC, GL_FOG_COORD);
   glFogfv(GL_FOG_COLOR, (float[4]){ 0, 1, 0, 1 });
   glFogf(GL_FOG_START, 1);
   glFogf(GL_FOG_END, 3);
   glFogf(GL_FOG_DENSITY, 0.5f);
   glColor3f(1, 0, 0);
   for (int i = 0; i < 3; i++) {
      fog_mode = modes[i];
      glFogi(GL_FOG_MODE, (GLint)fog_mode);
      glBegin(GL_QUADS);
      glFogCoordf(0);
      glVertex2f(0, 0);
      glFogCoordf(4);
      glVertex2f(SIZE_PX, 0);
      glVertex2f(SIZE_PX, SIZE_PX);
      glFogCoordf(0);
      glVertex2f(0, SIZE_PX);
      glEnd();
      check_window("fog", fog_rgb, 1);
   }
}

/* ---- colour sum (3.9) ----
 * (0.8, 0.2, 0) + (0.4, 0.4, 0.6) = (1.2, 0.6, 0.6), clamped to (1, 0.6, 0.6). */

static void
colour_sum_rgb(int x, int y, double rgb[3])
{
   (void)y;
   if (x < 32)
      set(rgb, 255, 153, 153);
   else
      set(rgb, 204, 51, 0);
}

void
check_colour_sum(void)
{
   window_in_pixels(SIZE_PX, SIZE_PX);
   glColor3f(0.8f, 0.2f, 0);
   glSecondaryColor3f(0.4f, 0.4f, 0.6f);
   glEnable(GL_COLOR_SUM);
   draw_rectangle(0, 0, 32, SIZE_PX, 0);
   glDisable(GL_COLOR_SUM);
   draw_rectangle(32, 0, SIZE_PX, SIZE_PX, 0);
   check_window("colour sum", colour_sum_rgb, 0.51);
}

/* ---- two sides (2.14.1), flat shading (2.14.7) ----
 * The left triangle is seen from its front, the right one from its back: its colour is the back material's, with the normal
 * reversed. Below, flat: a triangle has its last vertex's colour. */

static void
two_sides_rgb(int x, int y, double rgb[3])
{
   const int in_cell = x % 32;
   if (y >= 32 && in_cell + (y - 32) < 31)
      set(rgb, x < 32 ? 255 : 0, 0, x < 32 ? 0 : 255);
   else if (y < 32 && in_cell + y < 31)
      set(rgb, 0, x < 32 ? 255 : 102, x < 32 ? 0 : 102);
   else
      set(rgb, 0, 0, 0);
}

static void
draw_corner(float x, float y, bool front, const float colours[3][3])
{
   /* The diagonal keeps clear of pixel centres. */
   const float points[3][2] = { { x, y }, { x + 31.5f, y }, { x, y + 31.5f } };
   glBegin(GL_TRIANGLES);
   for (int i = 0; i < 3; i++) {
      const int k = front ? i : 2 - i;
      if (colours)
         glColor3fv(colours[i]);
      glVertex2fv(points[k]);
   }
   glEnd();
}

void
check_two_sides(void)
{
   static const float colours[2][3][3] = { { { 1, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 } },
                                           { { 1, 1, 1 }, { 1, 0, 0 }, { 0, 0.4f, 0.4f } } };
   window_in_pixels(SIZE_PX, SIZE_PX);
   glShadeModel(GL_FLAT);
   for (int i = 0; i < 2; i++)
      draw_corner(32.0f * i, 0, i == 0, colours[i]);
   glShadeModel(GL_SMOOTH);
   glEnable(GL_LIGHTING);
   glEnable(GL_LIGHT0);
   glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, 1);
   glLightModelfv(GL_LIGHT_MODEL_AMBIENT, (float[4]){ 0, 0, 0, 1 });
   glMaterialfv(GL_FRONT, GL_DIFFUSE, (float[4]){ 1, 0, 0, 1 });
   glMaterialfv(GL_BACK, GL_DIFFUSE, (float[4]){ 0, 0, 1, 1 });
   for (int i = 0; i < 2; i++) {
      /* each light on the side that is seen: a wrong normal gives black */
      glLightfv(GL_LIGHT0, GL_POSITION, (float[4]){ 0, 0, i == 0 ? 1 : -1, 0 });
      glNormal3f(0, 0, 1);
      draw_corner(32.0f * i, 32, i == 0, NULL);
   }
   check_window("two sides", two_sides_rgb, 0.51);
}

/* ---- a shininess of 0 (2.14.1) ----
 * Of a back, whose front shines. The half vector lies behind the back's normal, (0.8, 0, -1), that the light (1, 0, 0) is before: 0 to
 * the power of 0, which is 1, times a black specular colour, in the right half a red one. Before that come the ambient 0.2 * 0.2 and
 * 0.8 times the cosine. */

static void
shininess_rgb(int x, int y, double rgb[3])
{
   const double grey = 255 * (0.04 + 0.8 * 0.8 / sqrt(1.64));
   (void)y;
   set(rgb, x < 32 ? grey : 255, grey, grey);
}

void
check_shininess_zero(void)
{
   window_in_pixels(SIZE_PX, SIZE_PX);
   glEnable(GL_LIGHTING);
   glEnable(GL_LIGHT0);
   glEnable(GL_NORMALIZE);
   glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, 1);
   glLightfv(GL_LIGHT0, GL_POSITION, (float[4]){ 1, 0, 0, 0 });
   glMaterialf(GL_FRONT, GL_SHININESS, 8);
   glFrontFace(GL_CW);
   glNormal3f(-0.8f, 0, 1);
   draw_rectangle(0, 0, 32, SIZE_PX, 0);
   glMaterialfv(GL_BACK, GL_SPECULAR, (float[4]){ 1, 0, 0, 1 });
   draw_rectangle(32, 0, SIZE_PX, SIZE_PX, 0);
   check_window("shininess 0", shininess_rgb, 0.51);
}

/* ---- polygon modes (3.5.4), edge flags (2.6.2) ----
 * Front faces are points, back faces lines. The front square has a point on the pixel of each corner; the back square the
 * lines round it but for the one whose edge flag is off; a line has the pixel that it begins at and not that it ends at (3.4.1). */

static void
polygon_modes_rgb(int x, int y, double rgb[3])
{
   const bool corner = (x == 4 || x == 20) && (y == 4 || y == 20);
   const bool bottom = y == 4 && x >= 36 && x <= 52, top = y == 20 && x >= 36 && x <= 52,
              right = x == 52 && y >= 4 && y <= 20;
   set(rgb, corner ? 255 : 0, bottom || top || right ? 255 : 0, 0);
}

void
check_polygon_modes(void)
{
   window_in_pixels(SIZE_PX, SIZE_PX);
   glPolygonMode(GL_FRONT, GL_POINT);
   glPolygonMode(GL_BACK, GL_LINE);
   glColor3f(1, 0, 0);
   draw_rectangle(4.5f, 4.5f, 20.5f, 20.5f, 0);
   glColor3f(0, 1, 0);
   /* from the upper left corner to the right, down, to the left; not back up */
   glBegin(GL_POLYGON);
   glEdgeFlag(GL_TRUE);
   glVertex2f(36.5f, 20.5f);
   glVertex2f(52.5f, 20.5f);
   glVertex2f(52.5f, 4.5f);
   glEdgeFlag(GL_FALSE);
   glVertex2f(36.5f, 4.5f);
   glEnd();
   /* the last pixel of the last line is its end: it belongs to the edge that is not drawn */
   uint8_t *pixels = window_read(SIZE_PX, SIZE_PX);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
      double rgb[3];
      const int x = i % SIZE_PX, y = i / SIZE_PX;
      polygon_modes_rgb(x, y, rgb);
      if (!(x == 36 && y == 4))
         expect_rgb(pixels + 4 * i, "polygon modes", x, y, rgb[0], rgb[1], rgb[2], 0);
   }
   free(pixels);
}

/* ---- point parameters (3.3) ----
 * size / sqrt(a + b d + c d^2), d the distance from the eye: 24 / sqrt(1 + 3) = 12 at d = 1 (a = 1, b = 3), at least 4 by the minimum at d = 85.
 * Squares of 12 and 4 pixels about the centres. */

static void
point_parameters_rgb(int x, int y, double rgb[3])
{
   const bool near = x >= 10 && x < 22 && y >= 26 && y < 38,
              far = x >= 46 && x < 50 && y >= 30 && y < 34;
   set(rgb, near || far ? 255 : 0, near || far ? 255 : 0, near || far ? 255 : 0);
}

void
check_point_parameters(void)
{
   glMatrixMode(GL_PROJECTION);
   glLoadIdentity();
   /* x, y as they are; z of the eye from 0 to -100 */
   glOrtho(-1, 1, -1, 1, 0, 100);
   glPointSize(24);
   glPointParameterfv(GL_POINT_DISTANCE_ATTENUATION, (float[3]){ 1, 3, 0 });
   glPointParameterf(GL_POINT_SIZE_MIN, 4);
   /* on the axis: Mesa takes the distance from the plane of the eye for that from the eye */
   glViewport(-16, 0, SIZE_PX, SIZE_PX);
   glBegin(GL_POINTS);
   glVertex3f(0, 0, -1);
   glEnd();
   glViewport(16, 0, SIZE_PX, SIZE_PX);
   glBegin(GL_POINTS);
   glVertex3f(0, 0, -85);
   glEnd();
   check_window("point parameters", point_parameters_rgb, 0);
}

/* ---- program point size (3.3) ----
 * A vertex shader that leaves gl_PointSize alone, though it should write it: the size is then undefined, and programs count on
 * glPointSize's, as other drivers take it. */

static void
program_point_size_rgb(int x, int y, double rgb[3])
{
   const double level = x >= 22 && x < 42 && y >= 22 && y < 42 ? 255 : 0;
   set(rgb, level, level, level);
}

void
check_program_point_size(void)
{
   use_shaders("void main() { gl_Position = gl_Vertex; gl_FrontColor = gl_Color; }\n",
               "void main() { gl_FragColor = gl_Color; }\n");
   glPointSize(20);
   glEnable(GL_VERTEX_PROGRAM_POINT_SIZE);
   glBegin(GL_POINTS);
   glVertex2f(0, 0);
   glEnd();
   check_window("program point size", program_point_size_rgb, 0);
}

/* ---- accumulation (4.2.4) ----
 * LOAD 0.5 of (200, 100, 40): (100, 50, 20); ACCUM 0.25 of (80, 40, 200): (120, 60, 70); MULT 0.5: (60, 30, 35); ADD 0.2: + 51; RETURN
 * 1 inside the scissor's left half. */

static void
accumulation_rgb(int x, int y, double rgb[3])
{
   (void)y;
   if (x < 32)
      set(rgb, 111, 81, 86);
   else
      set(rgb, 80, 40, 200);
}

void
check_accumulation(void)
{
   glClearColor(200 / 255.0f, 100 / 255.0f, 40 / 255.0f, 1);
   glClear(GL_COLOR_BUFFER_BIT);
   glAccum(GL_LOAD, 0.5f);
   glClearColor(80 / 255.0f, 40 / 255.0f, 200 / 255.0f, 1);
   glClear(GL_COLOR_BUFFER_BIT);
   glAccum(GL_ACCUM, 0.25f);
   glAccum(GL_MULT, 0.5f);
   glAccum(GL_ADD, 0.2f);
   glScissor(0, 0, 32, SIZE_PX);
   glEnable(GL_SCISSOR_TEST);
   glAccum(GL_RETURN, 1);
   check_window("accumulation", accumulation_rgb, 1);
}

/* ---- occlusion queries (4.1.7), conditional rendering (NV_conditional_render) ----
 * Of a rectangle of 20 x 10 pixels, half is hidden: 100 samples pass. What hangs on a query that has counted none is not drawn. */

static GLuint
count_samples(float x0, float x1)
{
   GLuint query;
   glGenQueries(1, &query);
   glBeginQuery(GL_SAMPLES_PASSED, query);
   draw_rectangle(x0, 10, x1, 20, 0.5f);
   glEndQuery(GL_SAMPLES_PASSED);
   return query;
}

static void
begin_occlusion(void)
{
   window_in_pixels(SIZE_PX, SIZE_PX);
   glClear(GL_DEPTH_BUFFER_BIT | GL_COLOR_BUFFER_BIT);
   glEnable(GL_DEPTH_TEST);
   glColorMask(0, 0, 0, 0);
   draw_rectangle(0, 0, 32, SIZE_PX, -0.5f);
}

void
check_occlusion_count(void)
{
   static const struct {
      float x0, x1;
      GLuint count;
   } cases[] = { { 22, 42, 100 }, { 2, 22, 0 }, { 40, 60, 200 } };
   begin_occlusion();
   for (int i = 0; i < 3; i++) {
      GLuint passed = 0;
      glGetQueryObjectuiv(count_samples(cases[i].x0, cases[i].x1), GL_QUERY_RESULT, &passed);
      if (passed != cases[i].count)
         die("rectangle %d: %u samples passed, not %u", i, passed, cases[i].count);
      glClear(GL_DEPTH_BUFFER_BIT);
      draw_rectangle(0, 0, 32, SIZE_PX, -0.5f);
   }
}

static void
conditional_rgb(int x, int y, double rgb[3])
{
   const bool drawn = x >= 8 && x < 16 && y < 8;
   set(rgb, drawn ? 255 : 0, drawn ? 255 : 0, drawn ? 255 : 0);
}

void
check_conditional_rendering(void)
{
   begin_occlusion();
   const GLuint some = count_samples(22, 42), none = count_samples(2, 22);
   glDisable(GL_DEPTH_TEST);
   glColorMask(1, 1, 1, 1);
   glBeginConditionalRenderNV(some, GL_QUERY_WAIT_NV);
   draw_rectangle(8, 0, 16, 8, 0);
   glEndConditionalRenderNV();
   glBeginConditionalRenderNV(none, GL_QUERY_WAIT_NV);
   draw_rectangle(24, 0, 32, 8, 0);
   glEndConditionalRenderNV();
   check_window("conditional rendering", conditional_rgb, 0);
}
