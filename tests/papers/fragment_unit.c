/* SPDX-License-Identifier: MIT
 *
 * Paper B's test pictures of the fragment unit, and the antialiasing and stipples of GL 2.1 that go
 * through it. What each pixel must be is derived from the GL 2.1 specification in the comment above
 * its check; sections are the specification's. Windows are 128 x 128 pixels and coordinates are
 * pixels: a power of two, so that vertices at multiples of 1/8 stay exact through the matrices and
 * the viewport.
 */
#include "gl_window.h"

#include <math.h>
#include <string.h>

#define SIZE_PX 128

/* Of a channel: what rounding to 8 bits leaves open. */
#define ROUNDING 0.51

typedef const double corners[3][2];

static corners triangle = { { 24.25, 20.25 }, { 103.75, 34.5 }, { 54.125, 108.375 } };

static void
draw_triangle(corners t)
{
   glBegin(GL_TRIANGLES);
   for (int i = 0; i < 3; i++)
      glVertex2dv(t[i]);
   glEnd();
}

/* The centre of a pixel is inside a triangle that turns to the left (3.5.1). No centre lies on an
 * edge of ours. */
static bool
is_inside(corners t, int x, int y)
{
   for (int i = 0; i < 3; i++) {
      const double *p = t[i], *q = t[(i + 1) % 3];
      if ((q[0] - p[0]) * (y + 0.5 - p[1]) - (q[1] - p[1]) * (x + 0.5 - p[0]) < 0)
         return false;
   }
   return true;
}

/* Checks all pixels against a function of their place. */
static void
check_pixels(const char *what, const uint8_t *pixels, void (*expected)(int x, int y, double rgb[3]),
             double lsb)
{
   for (int y = 0; y < SIZE_PX; y++)
      for (int x = 0; x < SIZE_PX; x++) {
         double rgb[3];
         expected(x, y, rgb);
         expect_rgb(pixel_at(pixels, SIZE_PX, x, y), what, x, y, rgb[0], rgb[1], rgb[2], lsb);
      }
}

static void
set(double rgb[3], double r, double g, double b)
{
   rgb[0] = r;
   rgb[1] = g;
   rgb[2] = b;
}

/* ---- clear ----
 * 4.2.3: the buffer is set to the clear colour; 2.14.9: 0.5 becomes 0.5 * 255 = 127.5, rounded either way. */

static void
draw_clear(void)
{
   glClearColor(0.5, 0.5, 0.5, 0.5);
   glClear(GL_COLOR_BUFFER_BIT);
}

static void
clear_rgb(int x, int y, double rgb[3])
{
   (void)x, (void)y;
   set(rgb, 127.5, 127.5, 127.5);
}

static void
check_clear(const uint8_t *pixels)
{
   check_pixels("clear", pixels, clear_rgb, ROUNDING);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
      if (pixels[4 * i + 3] != 127 && pixels[4 * i + 3] != 128)
         die("clear: alpha of pixel %d is %d", i, pixels[4 * i + 3]);
}

/* ---- accumulate ----
 * 4.2.4: ACCUM adds the buffer's colours, taken as numbers in [0, 1], times 3.5 to an accumulation buffer of zeros; RETURN
 * writes them times 1.0. (50, 20, 10) becomes (175, 70, 35), (16, 8, 64) becomes (56, 28, 224). The buffer's 16 bits
 * a channel add less than half a step of 8. */

static void
draw_accumulate(void)
{
   window_in_pixels(SIZE_PX, SIZE_PX);
   glClearColor(16 / 255.0, 8 / 255.0, 64 / 255.0, 1);
   glClearAccum(0, 0, 0, 0);
   glClear(GL_COLOR_BUFFER_BIT | GL_ACCUM_BUFFER_BIT);
   glColor3ub(50, 20, 10);
   draw_triangle(triangle);
   glAccum(GL_ACCUM, 3.5);
   glClear(GL_COLOR_BUFFER_BIT);
   glAccum(GL_RETURN, 1.0);
}

static void
accumulate_rgb(int x, int y, double rgb[3])
{
   if (is_inside(triangle, x, y))
      set(rgb, 175, 70, 35);
   else
      set(rgb, 56, 28, 224);
}

static void
check_accumulate(const uint8_t *pixels)
{
   check_pixels("accumulate", pixels, accumulate_rgb, 1);
}

/* ---- scissor ----
 * 4.1.2: with the rectangle (32, 24), 64 x 80, fragments pass where 32 <= x < 96 and 24 <= y < 104. The triangle inside it
 * is drawn whole; one rectangle lies outside, another half outside. */

static corners inside_scissor = { { 40.25, 30.25 }, { 86.5, 41.75 }, { 50.125, 98.5 } };

static void
draw_scissor(void)
{
   window_in_pixels(SIZE_PX, SIZE_PX);
   glScissor(32, 24, 64, 80);
   glEnable(GL_SCISSOR_TEST);
   glColor3f(0, 1, 0);
   glRectf(100, 10, 124, 120);
   glColor3f(0, 0, 1);
   glRectf(80, 90, 120, 120);
   glColor3f(1, 0, 0);
   draw_triangle(inside_scissor);
}

static void
scissor_rgb(int x, int y, double rgb[3])
{
   const bool blue = x >= 80 && x < 96 && y >= 90 && y < 104;
   const bool red = is_inside(inside_scissor, x, y);
   set(rgb, red ? 255 : 0, 0, blue && !red ? 255 : 0);
}

static void
check_scissor(const uint8_t *pixels)
{
   check_pixels("scissor", pixels, scissor_rgb, 0);
}

/* ---- alpha test ----
 * Alpha runs from 0.1 at x = 8 to 0.8 at x = 120: at the centre of pixel x, 0.1 + 0.7 (x + 0.5 - 8) / 112. 4.1.4 with
 * GREATER 0.4 keeps it where x + 0.5 - 8 > 48, which is x >= 56. What is drawn is alpha as red, and green. */

static double
gradient(int x)
{
   return 0.1 + 0.7 * (x + 0.5 - 8) / 112;
}

static void
draw_alpha(void)
{
   window_in_pixels(SIZE_PX, SIZE_PX);
   glAlphaFunc(GL_GREATER, 0.4);
   glEnable(GL_ALPHA_TEST);
   glBegin(GL_QUADS);
   glColor4f(0.1, 1, 0, 0.1);
   glVertex2f(8, 16);
   glColor4f(0.8, 1, 0, 0.8);
   glVertex2f(120, 16);
   glVertex2f(120, 112);
   glColor4f(0.1, 1, 0, 0.1);
   glVertex2f(8, 112);
   glEnd();
}

static void
alpha_rgb(int x, int y, double rgb[3])
{
   if (x >= 56 && x < 120 && y >= 16 && y < 112)
      set(rgb, 255 * gradient(x), 255, 0);
   else
      set(rgb, 0, 0, 0);
}

static void
check_alpha(const uint8_t *pixels)
{
   check_pixels("alpha", pixels, alpha_rgb, ROUNDING);
}

/* ---- stencil ----
 * 4.1.5: the triangle leaves 1 in the stencil buffer and, masked (4.2.2), nothing in the colours; then NOTEQUAL 1 keeps
 * the rectangle only outside of it. */

static void
draw_stencil(void)
{
   window_in_pixels(SIZE_PX, SIZE_PX);
   glClear(GL_STENCIL_BUFFER_BIT);
   glEnable(GL_STENCIL_TEST);
   glStencilFunc(GL_ALWAYS, 1, ~0u);
   glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
   glColorMask(0, 0, 0, 0);
   draw_triangle(triangle);
   glColorMask(1, 1, 1, 1);
   glStencilFunc(GL_NOTEQUAL, 1, ~0u);
   glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
   glColor3f(1, 0.6, 0.2);
   glRectf(10, 10, 118, 118);
}

static void
stencil_rgb(int x, int y, double rgb[3])
{
   if (x >= 10 && x < 118 && y >= 10 && y < 118 && !is_inside(triangle, x, y))
      set(rgb, 255, 153, 51);
   else
      set(rgb, 0, 0, 0);
}

static void
check_stencil(const uint8_t *pixels)
{
   check_pixels("stencil", pixels, stencil_rgb, ROUNDING);
}

/* ---- logic op ----
 * 4.1.10: NOR writes ~(s | d). Yellow is ff ff 00; over black that gives 00 00 ff, blue; over the stripe of 0f 00 3c,
 * ~(ff | 0f), ~(ff | 00), ~(00 | 3c) = 00 00 c3. */

static void
draw_logic(void)
{
   window_in_pixels(SIZE_PX, SIZE_PX);
   glColor3ub(0x0f, 0x00, 0x3c);
   glRectf(0, 56, 128, 72);
   glLogicOp(GL_NOR);
   glEnable(GL_COLOR_LOGIC_OP);
   glColor3f(1, 1, 0);
   draw_triangle(triangle);
}

static void
logic_rgb(int x, int y, double rgb[3])
{
   const bool stripe = y >= 56 && y < 72;
   if (is_inside(triangle, x, y))
      set(rgb, 0, 0, stripe ? 0xc3 : 0xff);
   else
      set(rgb, stripe ? 0x0f : 0, 0, stripe ? 0x3c : 0);
}

static void
check_logic(const uint8_t *pixels)
{
   check_pixels("logic op", pixels, logic_rgb, 0);
}

/* ---- colour mask ----
 * 4.2.2: with (0, 1, 1) red keeps what it was: white over black is cyan, over the red rectangle white. Clearing is
 * masked too (4.2.3): the clear to (1, 0, 0.2) leaves red alone. */

static void
draw_mask(void)
{
   window_in_pixels(SIZE_PX, SIZE_PX);
   glClear(GL_COLOR_BUFFER_BIT);
   glColor3f(0.8, 0, 0);
   glRectf(0, 0, 64, 128);
   glColorMask(0, 1, 1, 1);
   glClearColor(1, 0, 0.2, 1);
   glClear(GL_COLOR_BUFFER_BIT);
   glColor3f(1, 1, 1);
   draw_triangle(triangle);
}

static void
mask_rgb(int x, int y, double rgb[3])
{
   const bool in = is_inside(triangle, x, y);
   set(rgb, x < 64 ? 204 : 0, in ? 255 : 0, in ? 255 : 51);
}

static void
check_mask(const uint8_t *pixels)
{
   check_pixels("colour mask", pixels, mask_rgb, ROUNDING);
}

/* ---- smooth points, lines, polygons ----
 * 3.3.1, 3.4.2, 3.5.3: a fragment's coverage is the area of its pixel inside the disc, the rectangle of the line's length
 * and width, or the polygon; 3.12: it multiplies alpha; 4.1.8: FUNC_ADD with SRC_ALPHA, ONE_MINUS_SRC_ALPHA gives
 * c * area + background * (1 - area). The area is counted here at 32 x 32 places of a pixel. Clipfree's discs are within
 * 1/256 (one step), counting within 1/32 at worst of a straight edge and far less on the whole. */

#define PLACES 32
#define SMOOTH_LSB 8

static const double points[][3] = { /* x, y, size */
   { 20.5, 100.5, 1 }, { 40.25, 100.75, 2.5 }, { 64, 100, 8 }, { 98.125, 92.625, 37.5 }, { 36.5, 48.25, 53 }
};

struct segment {
   double from[2], to[2], width;
};

static const struct segment segments[] = {
   { { 10.5, 10.25 }, { 117.25, 20.5 }, 1 },
   { { 12, 24 }, { 100.5, 64.75 }, 3 },
   { { 116.25, 40.5 }, { 20.125, 72.5 }, 5.5 },
   { { 24.5, 84.5 }, { 24.5, 120.5 }, 1 },
   { { 40, 84 }, { 40, 120 }, 4 },
   { { 60.25, 80.25 }, { 110.75, 118.5 }, 8 },
};

static bool
in_point(double x, double y)
{
   for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
      if (hypot(x - points[i][0], y - points[i][1]) < points[i][2] / 2)
         return true;
   return false;
}

static bool
in_segment(const struct segment *s, double x, double y)
{
   const double dx = s->to[0] - s->from[0], dy = s->to[1] - s->from[1], length = hypot(dx, dy);
   const double along = ((x - s->from[0]) * dx + (y - s->from[1]) * dy) / length,
                across = ((x - s->from[0]) * dy - (y - s->from[1]) * dx) / length;
   return along > 0 && along < length && fabs(across) < s->width / 2;
}

static bool
in_polygon(double x, double y)
{
   for (int i = 0; i < 3; i++) {
      const double *p = triangle[i], *q = triangle[(i + 1) % 3];
      if ((q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]) < 0)
         return false;
   }
   return true;
}

static double
share(int x, int y, bool (*inside)(double, double))
{
   int count = 0;
   for (int i = 0; i < PLACES * PLACES; i++)
      count += inside(x + (i % PLACES + 0.5) / PLACES, y + (i / PLACES + 0.5) / PLACES);
   return count / (double)(PLACES * PLACES);
}

static void
begin_smooth(void)
{
   window_in_pixels(SIZE_PX, SIZE_PX);
   glClearColor(0.2, 0, 0.4, 1);
   glClear(GL_COLOR_BUFFER_BIT);
   glBlendEquation(GL_FUNC_ADD);
   glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   glEnable(GL_BLEND);
   glColor3f(1, 0.8, 0);
}

static void
blended(double area, double rgb[3])
{
   set(rgb, 255 * area + 51 * (1 - area), 204 * area, 102 * (1 - area));
}

static void
draw_points(void)
{
   begin_smooth();
   glEnable(GL_POINT_SMOOTH);
   for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
      glPointSize(points[i][2]);
      glBegin(GL_POINTS);
      glVertex2dv(points[i]);
      glEnd();
   }
}

static void
points_rgb(int x, int y, double rgb[3])
{
   blended(share(x, y, in_point), rgb);
}

static void
check_points(const uint8_t *pixels)
{
   check_pixels("smooth points", pixels, points_rgb, SMOOTH_LSB);
}

static void
draw_lines(void)
{
   begin_smooth();
   glEnable(GL_LINE_SMOOTH);
   for (size_t i = 0; i < sizeof(segments) / sizeof(segments[0]); i++) {
      glLineWidth(segments[i].width);
      glBegin(GL_LINES);
      glVertex2dv(segments[i].from);
      glVertex2dv(segments[i].to);
      glEnd();
   }
}

/* Lines cross: each blends over those before it. */
static void
lines_rgb(int x, int y, double rgb[3])
{
   double left = 1;
   for (size_t i = 0; i < sizeof(segments) / sizeof(segments[0]); i++) {
      int count = 0;
      for (int k = 0; k < PLACES * PLACES; k++)
         count += in_segment(&segments[i], x + (k % PLACES + 0.5) / PLACES,
                             y + (k / PLACES + 0.5) / PLACES);
      left *= 1 - count / (double)(PLACES * PLACES);
   }
   blended(1 - left, rgb);
}

static void
check_lines(const uint8_t *pixels)
{
   check_pixels("smooth lines", pixels, lines_rgb, SMOOTH_LSB);
}

static void
draw_polygon(void)
{
   begin_smooth();
   glEnable(GL_POLYGON_SMOOTH);
   draw_triangle(triangle);
}

static void
polygon_rgb(int x, int y, double rgb[3])
{
   blended(share(x, y, in_polygon), rgb);
}

static void
check_polygon(const uint8_t *pixels)
{
   check_pixels("smooth polygon", pixels, polygon_rgb, SMOOTH_LSB);
}

/* ---- stipples ----
 * 3.4.2: a line's pixel number s (from 0) is drawn if bit floor(s / factor) mod 16 of the pattern is set; a strip goes on
 * counting. 3.5.2: a polygon's pixel (x, y) is drawn if in row y mod 32 of the pattern bit x mod 32 is set, counted from the
 * most significant one of the row's first byte. */

#define LINE_PATTERN 0x3f07
#define LINE_FACTOR 2

static const GLubyte *
polygon_pattern(void)
{
   static GLubyte pattern[128];
   for (int i = 0; i < 128; i++)
      pattern[i] = (GLubyte)(37 * i ^ i >> 2);
   return pattern;
}

static void
draw_stipples(void)
{
   window_in_pixels(SIZE_PX, SIZE_PX);
   glEnable(GL_LINE_STIPPLE);
   glLineStipple(LINE_FACTOR, LINE_PATTERN);
   glColor3f(1, 1, 0);
   glBegin(GL_LINE_STRIP);
   glVertex2f(10.5, 8.5);
   glVertex2f(60.5, 8.5);
   glVertex2f(118.5, 8.5);
   glEnd();
   glEnable(GL_POLYGON_STIPPLE);
   glPolygonStipple(polygon_pattern());
   glColor3f(0, 1, 1);
   draw_triangle(triangle);
}

static void
stipples_rgb(int x, int y, double rgb[3])
{
   const bool line =
      y == 8 && x >= 10 && x < 118 && (LINE_PATTERN >> (x - 10) / LINE_FACTOR % 16 & 1);
   const bool polygon =
      is_inside(triangle, x, y) && (polygon_pattern()[y % 32 * 4 + x % 32 / 8] >> (7 - x % 8) & 1);
   set(rgb, line ? 255 : 0, line || polygon ? 255 : 0, polygon ? 255 : 0);
}

static void
check_stipples(const uint8_t *pixels)
{
   check_pixels("stipples", pixels, stipples_rgb, 0);
}

int
main(int argc, char **argv)
{
#define PICTURE(name) { #name, SIZE_PX, SIZE_PX, draw_##name, check_##name, NULL }
   static const struct picture pictures[] = {
      PICTURE(clear),   PICTURE(accumulate), PICTURE(scissor),  PICTURE(alpha),
      PICTURE(stencil), PICTURE(points),     PICTURE(logic),    PICTURE(mask),
      PICTURE(lines),   PICTURE(polygon),    PICTURE(stipples),
   };
   return pictures_main(argc, argv, pictures, sizeof(pictures) / sizeof(pictures[0]));
}
