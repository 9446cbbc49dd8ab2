/* SPDX-License-Identifier: MIT
 *
 * Which pixels primitives have, OpenGL ES 2.0 sections 2.13 (clipping) and 3.3 to 3.5 (points, lines, polygons). Every
 * fragment adds one to its pixel, so that a pixel drawn twice is seen, too.
 */
#include "reference.h"
#include "rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_PX 64
#define PIXELS (SIZE_PX * SIZE_PX)
#define MOST_VERTICES 64

/* What is drawn, and to what. */
struct scene {
   struct target targets[2]; /* a framebuffer object, and a pbuffer */
   const struct target *target;
   struct ref_raster raster;
   struct ref_vertex reference[MOST_VERTICES];
   float vertices[MOST_VERTICES][8]; /* position, colour */
   uint8_t expected[4 * PIXELS];
};

static const char count_vertex[] =
   "attribute vec4 position, colour;\n"
   "void main() { gl_Position = position; gl_PointSize = colour.x; }\n";
static const char count_fragment[] = "void main() { gl_FragColor = vec4(1.0 / 255.0); }\n";

static void
add_one(void *user, const struct ref_fragment *f)
{
   struct scene *s = user;
   for (int c = 0; c < 4; c++)
      s->expected[4 * (f->y * SIZE_PX + f->x) + c]++;
}

static struct scene *
scene_create(const char *vertex, const char *fragment)
{
   struct scene *s = calloc(1, sizeof(*s));
   s->targets[1] = target_create_pbuffer(eglGetCurrentDisplay(), SIZE_PX, SIZE_PX);
   s->targets[0] = target_create(SIZE_PX, SIZE_PX);
   s->raster = (struct ref_raster){ .width_px = SIZE_PX, .height_px = SIZE_PX, .emit = add_one, .user = s };
   program_create(vertex, fragment);
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof(s->vertices[0]), s->vertices[0]);
   glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, sizeof(s->vertices[0]), s->vertices[0] + 4);
   glClearColor(0, 0, 0, 0);
   glBlendFunc(GL_ONE, GL_ONE);
   glEnable(GL_BLEND);
   glDisable(GL_DITHER);
   return s;
}

static void
set_viewport(struct scene *s, int x, int y, int width, int height)
{
   s->raster.viewport = (struct ref_viewport){ x, y, width, height, 0, 1 };
   glViewport(x, y, width, height);
}

/* Either target, cleared, nothing expected; the viewport is all of it. */
static void
scene_begin(struct rules *r, struct scene *s)
{
   s->target = &s->targets[rules_below(r, 2)];
   target_bind(s->target);
   set_viewport(s, 0, 0, SIZE_PX, SIZE_PX);
   glClear(GL_COLOR_BUFFER_BIT);
   memset(s->expected, 0, sizeof(s->expected));
}

static void
scene_end(struct rules *r, struct scene *s, const int lsb[4], const char *what)
{
   uint8_t *have = rules_read(r, SIZE_PX, SIZE_PX);
   rules_expect(r, SIZE_PX, SIZE_PX, have, s->expected, lsb, what);
   free(have);
}

static const int exactly[4];

/* A viewport whose sizes are powers of two, so that multiples of 1/16 pixel in it are exact. */
static void
random_viewport(struct rules *r, struct scene *s)
{
   if (rules_chance(r, 50))
      set_viewport(s, rules_between(r, -20, 50), rules_between(r, -20, 50), 8 << rules_below(r, 5), 8 << rules_below(r, 5));
}

static void
set_vertex(struct scene *s, int i, const int64_t clip[4])
{
   for (int c = 0; c < 4; c++) {
      s->reference[i].clip[c] = clip[c];
      s->vertices[i][c] = (float)clip[c];
   }
}

/* Vertex i at a point of the window in 1/16 pixels, z in 1/256 of the depth range, divided by a random w. */
static void
set_window_vertex(struct rules *r, struct scene *s, int i, int x16, int y16, int z)
{
   const struct ref_viewport *v = &s->raster.viewport;
   /* x_ndc = 2 (x16 / 16 - v.x) / width - 1, over a common denominator, a power of two. */
   const int64_t w = 4096 << rules_below(r, 3);
   set_vertex(s, i, (int64_t[4]){ (x16 - 16 * v->x) * (w / (8 * v->width)) - w,
                                  (y16 - 16 * v->y) * (w / (8 * v->height)) - w, z * (w / 256), w });
}

/* Random, or at or near a border of the target or the viewport, or at a pixel's centre or corner. */
static int
random_coordinate(struct rules *r, int begin_px, int size_px)
{
   const int near_viewport = rules_between(r, 16 * (begin_px - 4), 16 * (begin_px + size_px + 4));
   switch (rules_below(r, 6)) {
   case 0: return near_viewport / 16 * 16;
   case 1: return near_viewport / 16 * 16 + 8;
   case 2: return 16 * begin_px + rules_between(r, -20, 20);
   case 3: return 16 * (begin_px + size_px) + rules_between(r, -20, 20);
   default: return near_viewport;
   }
}

static void
random_window_vertex(struct rules *r, struct scene *s, int i)
{
   static const int depths[] = { 0, 256, -256, 257, -257, 100 };
   const struct ref_viewport *v = &s->raster.viewport;
   const int x16 = random_coordinate(r, v->x, v->width), y16 = random_coordinate(r, v->y, v->height);
   set_window_vertex(r, s, i, x16, y16, rules_pick(r, depths));
}

/* ------------------------------------------------------------------------------------------------ points */

static float
random_point_size(struct rules *r, float most)
{
   /* Sizes below the least are clamped to it: one pixel for all drivers of Mesa. */
   static const float special[] = { 1, 2, 3, 1.5f, 0.5f, 0.125f, 1.0625f, 7.5f, 63, 64 };
   if (r->n == 0)
      return most;
   if (r->n == 1)
      return most * 2;
   return rules_chance(r, 50) ? rules_pick(r, special) : rules_between(r, 8, 8 * 24) / 8.0f;
}

static void
points(struct rules *r)
{
   struct scene *s = scene_create(count_vertex, count_fragment);
   GLfloat range[2];
   glGetFloatv(GL_ALIASED_POINT_SIZE_RANGE, range);
   while (rules_next(r)) {
      scene_begin(r, s);
      random_viewport(r, s);
      const int count = rules_between(r, 1, 12);
      for (int i = 0; i < count; i++) {
         random_window_vertex(r, s, i);
         const float size_px = random_point_size(r, range[1]);
         s->vertices[i][4] = size_px;
         ref_point(&s->raster, &s->reference[i], fmin(fmax(size_px, range[0]), range[1]));
      }
      glDrawArrays(GL_POINTS, 0, count);
      scene_end(r, s, exactly, "points");
   }
   free(s);
}

static void
set_coordinates(void *user, const struct ref_fragment *f)
{
   struct scene *s = user;
   uint8_t *pixel = s->expected + 4 * (f->y * SIZE_PX + f->x);
   pixel[0] = (uint8_t)floor(f->point[0] * 255 + 0.5);
   pixel[1] = (uint8_t)floor(f->point[1] * 255 + 0.5);
   pixel[2] = pixel[3] = 255;
}

static void
point_coordinates(struct rules *r)
{
   struct scene *s = scene_create(count_vertex, "precision mediump float;\n"
                                                "void main() { gl_FragColor = vec4(gl_PointCoord, 1, 1); }\n");
   s->raster.emit = set_coordinates;
   glDisable(GL_BLEND);
   GLfloat range[2];
   glGetFloatv(GL_ALIASED_POINT_SIZE_RANGE, range);
   while (rules_next(r)) {
      scene_begin(r, s);
      random_viewport(r, s);
      random_window_vertex(r, s, 0);
      const float size_px = random_point_size(r, range[1]);
      s->vertices[0][4] = size_px;
      ref_point(&s->raster, &s->reference[0], fmin(fmax(size_px, range[0]), range[1]));
      glDrawArrays(GL_POINTS, 0, 1);
      /* A value in the middle of two bytes may become either. */
      scene_end(r, s, (const int[4]){ 1, 1, 0, 0 }, "gl_PointCoord");
   }
   free(s);
}

/* ------------------------------------------------------------------------------------------------ triangles */

static void
cull_triangle(struct scene *s, GLenum culled, int a, int b, int c)
{
   const struct ref_vertex v[3] = { s->reference[a], s->reference[b], s->reference[c] };
   const bool front = (ref_area_sign(v) > 0) != s->raster.front_is_cw;
   if (culled == GL_FRONT_AND_BACK || culled == (front ? GL_FRONT : GL_BACK))
      return;
   ref_triangle(&s->raster, v);
}

/* Section 2.6.1: the triangles of a mode, with their order of vertices, which facing follows from. */
static void
expect_triangles(struct scene *s, GLenum mode, GLenum culled, const uint16_t *index, int count)
{
   if (mode == GL_TRIANGLES) {
      for (int i = 0; i + 2 < count; i += 3)
         cull_triangle(s, culled, index[i], index[i + 1], index[i + 2]);
   } else if (mode == GL_TRIANGLE_STRIP) {
      for (int i = 0; i + 2 < count; i++)
         cull_triangle(s, culled, index[i + (i & 1)], index[i + !(i & 1)], index[i + 2]);
   } else {
      for (int i = 1; i + 1 < count; i++)
         cull_triangle(s, culled, index[0], index[i], index[i + 1]);
   }
}

/* Small whole numbers, where much happens on centres and corners, or large ones, far outside; any sign of w. */
static void
random_clip_vertex(struct rules *r, struct scene *s, int i)
{
   const int limit = rules_chance(r, 50) ? 4 : rules_chance(r, 80) ? 100 : 100000, most_z = rules_chance(r, 70) ? limit / 4 : limit;
   const int64_t w = rules_chance(r, 70) ? rules_between(r, 1, limit) : rules_between(r, -limit, limit);
   set_vertex(s, i, (int64_t[4]){ rules_between(r, -limit, limit), rules_between(r, -limit, limit),
                                  rules_between(r, -most_z, most_z), w });
}

/* Multiplies each vertex by a power of two of its own: it is the same point, so the same pixels are covered. */
static void
scale_vertices(struct rules *r, struct scene *s, int count, int most)
{
   for (int i = 0; i < count; i++) {
      const int exponent = rules_between(r, -most, most);
      for (int c = 0; c < 4; c++)
         s->vertices[i][c] = ldexpf(s->vertices[i][c], exponent);
   }
}

static void
random_scissor(struct rules *r, struct scene *s)
{
   static const int boxes[][4] = { { 0, 0, 0, 0 }, { 5, 5, 1, 1 }, { -30, -30, 60, 60 }, { 40, 40, INT32_MAX - 40, INT32_MAX - 40 },
                                   { 70, 0, 20, 20 }, { INT32_MIN / 2, INT32_MIN / 2, INT32_MAX, INT32_MAX } };
   int box[4] = { rules_between(r, -10, 60), rules_between(r, -10, 60), rules_between(r, 0, 70), rules_between(r, 0, 70) };
   if (rules_chance(r, 50)) {
      glDisable(GL_SCISSOR_TEST);
      return;
   }
   if (rules_chance(r, 40))
      memcpy(box, rules_pick(r, boxes), sizeof(box));
   glEnable(GL_SCISSOR_TEST);
   glScissor(box[0], box[1], box[2], box[3]);
   for (int i = 0; i < PIXELS; i++) {
      const int64_t x = i % SIZE_PX, y = i / SIZE_PX;
      if (x < box[0] || y < box[1] || x >= (int64_t)box[0] + box[2] || y >= (int64_t)box[1] + box[3])
         memset(s->expected + 4 * i, 0, 4);
   }
}

static void
triangles(struct rules *r)
{
   static const GLenum modes[] = { GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN };
   static const GLenum faces[] = { GL_FRONT, GL_BACK, GL_FRONT_AND_BACK, 0, 0, 0 };
   struct scene *s = scene_create(count_vertex, count_fragment);
   while (rules_next(r)) {
      glDisable(GL_SCISSOR_TEST);
      scene_begin(r, s);
      if (rules_chance(r, 30))
         set_viewport(s, rules_between(r, -99, 60), rules_between(r, -99, 60), rules_between(r, 0, 200),
                      rules_between(r, 0, 200));
      const int vertices = rules_between(r, 3, 12), count = rules_between(r, 0, 15);
      const GLenum mode = rules_pick(r, modes), culled = rules_pick(r, faces);
      uint16_t index[16];
      for (int i = 0; i < vertices; i++)
         random_clip_vertex(r, s, i);
      for (int i = 0; i < count; i++)
         index[i] = (uint16_t)rules_below(r, (uint32_t)vertices);
      s->raster.front_is_cw = rules_chance(r, 50);
      glFrontFace(s->raster.front_is_cw ? GL_CW : GL_CCW);
      (culled ? glEnable : glDisable)(GL_CULL_FACE);
      glCullFace(culled ? culled : GL_BACK);
      expect_triangles(s, mode, culled, index, count);
      random_scissor(r, s);
      if (rules_chance(r, 30))
         scale_vertices(r, s, vertices, rules_chance(r, 50) ? 20 : 90);
      glDrawElements(mode, count, GL_UNSIGNED_SHORT, index);
      scene_end(r, s, exactly, "triangles");
   }
   free(s);
}

/* Triangles with a vertex that is no number, or infinite, are not drawn (GL leaves their place open), others are. */
static void
not_finite(struct rules *r)
{
   static const float strange[] = { INFINITY, -INFINITY, NAN };
   static const GLenum modes[] = { GL_POINTS, GL_LINES, GL_LINE_STRIP, GL_LINE_LOOP, GL_TRIANGLES, GL_TRIANGLE_STRIP,
                                   GL_TRIANGLE_FAN };
   struct scene *s = scene_create(count_vertex, count_fragment);
   while (rules_next(r)) {
      scene_begin(r, s);
      for (int i = 0; i < 30; i++)
         random_clip_vertex(r, s, i);
      for (int i = 0; i < 30; i += 3) {
         if (rules_chance(r, 50))
            s->vertices[i + rules_below(r, 3)][rules_below(r, 4)] = rules_pick(r, strange);
         else
            ref_triangle(&s->raster, s->reference + i);
      }
      glDrawArrays(GL_TRIANGLES, 0, 30);
      scene_end(r, s, exactly, "triangles beside some that are not finite");

      /* All modes and sizes: nothing is promised but that it ends. */
      for (int i = 0; i < 30; i++) {
         s->vertices[i][rules_below(r, 5)] = rules_chance(r, 50) ? rules_pick(r, strange)
                                                                  : ldexpf(rules_float(r, -1, 1), rules_between(r, -149, 128));
      }
      glLineWidth(rules_float(r, 0.1f, 20));
      glDrawArrays(rules_pick(r, modes), 0, 30);
      uint8_t *pixels = rules_read(r, SIZE_PX, SIZE_PX);
      free(pixels);
   }
   free(s);
}

static void
set_shares(void *user, const struct ref_fragment *f)
{
   struct scene *s = user;
   uint8_t *pixel = s->expected + 4 * (f->y * SIZE_PX + f->x);
   for (int c = 0; c < 3; c++)
      pixel[c] = (uint8_t)floor(f->share[c] * 255 + 0.5);
   pixel[3] = 255;
}

/* Perspective-correct interpolation, section 3.5.1 equation 3.6, with vertices anywhere. */
static void
varyings(struct rules *r)
{
   struct scene *s = scene_create(plain_vertex, plain_fragment);
   s->raster.emit = set_shares;
   glDisable(GL_BLEND);
   while (rules_next(r)) {
      scene_begin(r, s);
      for (int i = 0; i < 3; i++) {
         random_clip_vertex(r, s, i);
         for (int c = 0; c < 4; c++)
            s->vertices[i][4 + c] = c == i || c == 3;
      }
      ref_triangle(&s->raster, s->reference);
      glDrawArrays(GL_TRIANGLES, 0, 3);
      scene_end(r, s, (const int[4]){ 1, 1, 1, 0 }, "varyings");
   }
   free(s);
}

/* ------------------------------------------------------------------------------------------------ lines */

/* Ends of a line in the window, in 1/256 pixels. */
struct line {
   int64_t end[2][2];
   bool x_major;
};

/* How often each pixel was drawn. */
typedef uint8_t counts[SIZE_PX][SIZE_PX];

static int
covered(const counts c)
{
   int sum = 0;
   for (int i = 0; i < PIXELS; i++)
      sum += c[i / SIZE_PX][i % SIZE_PX];
   return sum;
}

static void
read_counts(struct rules *r, counts c)
{
   uint8_t *pixels = rules_read(r, SIZE_PX, SIZE_PX);
   for (int i = 0; i < PIXELS; i++)
      c[i / SIZE_PX][i % SIZE_PX] = pixels[4 * i];
   free(pixels);
}

static struct line
line_of(const struct scene *s, int a, int b)
{
   struct line l;
   for (int i = 0; i < 2; i++) {
      const struct ref_window p = ref_window_position(&s->raster.viewport, &s->reference[i ? b : a]);
      l.end[i][0] = (int64_t)(p.x * 256);
      l.end[i][1] = (int64_t)(p.y * 256);
   }
   l.x_major = llabs(l.end[1][0] - l.end[0][0]) >= llabs(l.end[1][1] - l.end[0][1]);
   return l;
}

/* The line by the diamond-exit rule: section 3.4.1; wide ones are moved down (left) by (width - 1) / 2 and then drawn
 * `width` pixels high (wide). With `ends`, also the pixels of its ends: of the one fragment that another algorithm may have
 * more than this rule. */
static void
diamond_line(const struct line *l, int width, bool ends, counts c)
{
   const int along = l->x_major ? 0 : 1, across = 1 - along;
   int64_t p[2] = { l->end[0][0], l->end[0][1] }, q[2] = { l->end[1][0], l->end[1][1] };
   p[across] -= 128 * (width - 1);
   q[across] -= 128 * (width - 1);
   memset(c, 0, sizeof(counts));
   for (int i = 0; i < PIXELS; i++) {
      const int x = i % SIZE_PX, y = i / SIZE_PX;
      const bool end = (p[0] >> 8 == x && p[1] >> 8 == y) || (q[0] >> 8 == x && q[1] >> 8 == y);
      for (int k = 0; k < width && ((ends && end) || ref_line_exits_diamond(p, q, x, y)); k++)
         c[y + (along ? 0 : k)][x + (along ? k : 0)] = 1;
   }
}

static bool
near_one(const counts c, int x, int y)
{
   for (int dy = -1; dy <= 1; dy++) {
      for (int dx = -1; dx <= 1; dx++) {
         const int px = x + dx, py = y + dy;
         if (px < 0 || py < 0 || px >= SIZE_PX || py >= SIZE_PX || c[py][px])
            return true; /* beyond the border it could be */
      }
   }
   return false;
}

/* What section 3.4.1 asks of an algorithm other than the diamond-exit rule, for one line inside the target. */
static void
expect_line(struct rules *r, const struct line *l, int width, const counts have)
{
   static counts wanted, allowed;
   diamond_line(l, width, false, wanted);
   diamond_line(l, width, true, allowed);
   for (int i = 0; i < PIXELS; i++) {
      const int x = i % SIZE_PX, y = i / SIZE_PX;
      if (have[y][x] > 1)
         rules_fail(r, "pixel (%d, %d) is drawn %d times", x, y, have[y][x]);
      if ((have[y][x] && !near_one(allowed, x, y)) || (wanted[y][x] && !near_one(have, x, y)))
         rules_fail(r, "pixel (%d, %d) is%s drawn, more than a pixel from where it should be", x, y,
                    have[y][x] ? "" : " not");
   }
   if (abs(covered(have) - covered(wanted)) > width)
      rules_fail(r, "%d fragments, the diamond-exit rule has %d", covered(have), covered(wanted));
   for (int i = 0; i < SIZE_PX; i++) {
      int here = 0;
      for (int k = 0; k < SIZE_PX; k++)
         here += l->x_major ? have[k][i] : have[i][k];
      if (here != 0 && here != width)
         rules_fail(r, "%d fragments in %s %d of a line of width %d", here, l->x_major ? "column" : "row", i, width);
   }
}

/* A line of a width, inside the target with its whole width. */
static void
random_line(struct rules *r, struct scene *s, int width)
{
   const int margin = width / 2 + 2;
   for (int i = 0; i < 2; i++) {
      const int grid = rules_chance(r, 30) ? 8 : 1, low = 16 * margin / grid, high = 16 * (SIZE_PX - margin) / grid;
      set_window_vertex(r, s, i, rules_between(r, low, high) * grid, rules_between(r, low, high) * grid, 0);
   }
}

/* Aliased widths are rounded to whole pixels, at least 1. */
static float
random_line_width(struct rules *r, int *drawn_px)
{
   static const float widths[] = { 1, 1, 1, 2, 3, 4, 5, 8, 15, 16, 0.25f, 1.25f, 1.75f, 4.75f };
   GLfloat range[2];
   glGetFloatv(GL_ALIASED_LINE_WIDTH_RANGE, range);
   const float width = fminf(rules_pick(r, widths), range[1]);
   *drawn_px = (int)floorf(fmaxf(width, 1) + 0.5f);
   glLineWidth(width);
   return width;
}

static void
lines(struct rules *r)
{
   struct scene *s = scene_create(count_vertex, count_fragment);
   static counts have;
   while (rules_next(r)) {
      int width;
      scene_begin(r, s);
      random_line_width(r, &width);
      random_line(r, s, width);
      const struct line l = line_of(s, 0, 1);
      glDrawArrays(GL_LINES, 0, 2);
      read_counts(r, have);
      expect_line(r, &l, width, (const uint8_t(*)[SIZE_PX])have);
   }
   free(s);
}

/* The share of the line's second end at a point of the window, equation 3.5. */
static double
share_at(const struct line *l, double x, double y)
{
   const double px = (double)l->end[0][0] / 256, py = (double)l->end[0][1] / 256, dx = (double)l->end[1][0] / 256 - px,
                dy = (double)l->end[1][1] / 256 - py;
   return fmin(fmax(((x - px) * dx + (y - py) * dy) / (dx * dx + dy * dy), 0), 1);
}

/* The shares that a fragment of pixel (x, y) may have: of the pixel's centre. All of a wide line's column (row) have that of the
 * thin line's fragment there, moved down (left) as diamond_line does: two are possible where it passes between two. */
static void
line_shares(const struct line *l, int width, int x, int y, double share[2])
{
   const int along = l->x_major ? 0 : 1, across = 1 - along;
   struct line thin = *l;
   if (width == 1) {
      share[0] = share[1] = share_at(l, x + 0.5, y + 0.5);
      return;
   }
   thin.end[0][across] -= 128 * (width - 1);
   thin.end[1][across] -= 128 * (width - 1);
   const int64_t *p = thin.end[0], *q = thin.end[1];
   const double at = (along ? y : x) + 0.5, slope = (double)(q[across] - p[across]) / (double)(q[along] - p[along]);
   const double passes = (double)p[across] / 256 + (at - (double)p[along] / 256) * slope;
   for (int k = 0; k < 2; k++) {
      const double root = floor(passes + (k ? 1e-9 : -1e-9)) + 0.5;
      share[k] = along ? share_at(&thin, root, at) : share_at(&thin, at, root);
   }
}

/* Section 3.4.1, equation 3.5, with the ends' colours red and green. */
static void
line_varyings(struct rules *r)
{
   struct scene *s = scene_create(plain_vertex, plain_fragment);
   glDisable(GL_BLEND);
   while (rules_next(r)) {
      int width;
      scene_begin(r, s);
      random_line_width(r, &width);
      random_line(r, s, width);
      const struct line l = line_of(s, 0, 1);
      for (int i = 0; i < 2; i++) {
         for (int c = 0; c < 4; c++)
            s->vertices[i][4 + c] = c == i || c == 3;
      }
      glDrawArrays(GL_LINES, 0, 2);
      uint8_t *have = rules_read(r, SIZE_PX, SIZE_PX);
      for (int i = 0; i < PIXELS; i++) {
         const double wa = (double)s->reference[0].clip[3], wb = (double)s->reference[1].clip[3];
         double t[2], red[2];
         line_shares(&l, width, i % SIZE_PX, i / SIZE_PX, t);
         for (int k = 0; k < 2; k++)
            red[k] = 255 * ((1 - t[k]) / wa) / ((1 - t[k]) / wa + t[k] / wb);
         if (have[4 * i + 3] && (have[4 * i] < fmin(red[0], red[1]) - 1 || have[4 * i] > fmax(red[0], red[1]) + 1 ||
                                 abs(have[4 * i] + have[4 * i + 1] - 255) > 1))
            rules_fail(r, "pixel (%d, %d) is %d %d, not %.2f to %.2f red and else green", i % SIZE_PX, i / SIZE_PX, have[4 * i],
                       have[4 * i + 1], red[0], red[1]);
      }
      free(have);
   }
   free(s);
}

/* The widest line there is, and wider ones, which are clamped: a line along the middle covers the target whose sides are
 * not longer. */
static void
widest_line(struct rules *r)
{
   struct scene *s = scene_create(count_vertex, count_fragment);
   GLfloat range[2];
   glGetFloatv(GL_ALIASED_LINE_WIDTH_RANGE, range);
   while (rules_next(r)) {
      scene_begin(r, s);
      glLineWidth(range[1] * (float)(1 + r->n));
      set_window_vertex(r, s, 0, 0, 16 * SIZE_PX / 2, 0);
      set_window_vertex(r, s, 1, 16 * SIZE_PX, 16 * SIZE_PX / 2, 0);
      glDrawArrays(GL_LINES, 0, 2);
      for (int i = 0; i < PIXELS; i++) {
         const double above = i / SIZE_PX + 0.5 - SIZE_PX / 2;
         memset(s->expected + 4 * i, fabs(above) <= floor(range[1] + 0.5) / 2, 4);
      }
      scene_end(r, s, exactly, "the widest line");
   }
   free(s);
}

/* Section 3.4.1, rule 4: of segments that share an end, both with the same major axis and direction, neither a fragment
 * twice, nor one left out: each column (row) from the first to the last has `width` fragments. */
static void
line_strips(struct rules *r)
{
   enum { VERTICES = 8 };
   struct scene *s = scene_create(count_vertex, count_fragment);
   static counts have;
   while (rules_next(r)) {
      int width, at[2];
      scene_begin(r, s);
      random_line_width(r, &width);
      const int margin = 16 * (width / 2 + 2), step = (16 * SIZE_PX - 2 * margin) / VERTICES;
      const bool x_major = rules_chance(r, 50), back = rules_chance(r, 50);
      at[0] = margin, at[1] = rules_between(r, margin, 16 * SIZE_PX - margin);
      for (int i = 0; i < VERTICES; i++) {
         set_window_vertex(r, s, back ? VERTICES - 1 - i : i, at[!x_major], at[x_major], 0);
         const int along = rules_between(r, 1, step), across = rules_between(r, 1 - along, along - 1); /* slope 1 is x-major */
         at[0] += along;
         at[1] += at[1] + across < margin || at[1] + across > 16 * SIZE_PX - margin ? 0 : across;
      }
      glDrawArrays(GL_LINE_STRIP, 0, VERTICES);
      read_counts(r, have);
      bool begun = false, ended = false;
      for (int i = 0; i < SIZE_PX; i++) {
         int here = 0;
         for (int k = 0; k < SIZE_PX; k++)
            here += x_major ? have[k][i] : have[i][k];
         if (here && (here != width || ended))
            rules_fail(r, "%d fragments in %s %d of a strip of width %d%s", here, x_major ? "column" : "row", i, width,
                       ended ? ", after a gap" : "");
         ended = begun && !here;
         begun = begun || here;
      }
   }
   free(s);
}

/* A loop is a strip and a line from its last to its first vertex; a strip is lines. */
static void
line_loops(struct rules *r)
{
   struct scene *s = scene_create(count_vertex, count_fragment);
   while (rules_next(r)) {
      int width;
      scene_begin(r, s);
      random_line_width(r, &width);
      const int count = rules_between(r, 0, 8);
      uint16_t pairs[2 * 8];
      for (int i = 0; i < count; i++) {
         random_window_vertex(r, s, i);
         pairs[2 * i] = (uint16_t)i;
         pairs[2 * i + 1] = (uint16_t)((i + 1) % count);
      }
      const bool loop = rules_chance(r, 50);
      const int segments = count < 2 ? 0 : loop ? count : count - 1;
      glDrawElements(GL_LINES, 2 * segments, GL_UNSIGNED_SHORT, pairs);
      uint8_t *drawn = rules_read(r, SIZE_PX, SIZE_PX);
      memcpy(s->expected, drawn, sizeof(s->expected));
      free(drawn);
      glClear(GL_COLOR_BUFFER_BIT);
      glDrawArrays(loop ? GL_LINE_LOOP : GL_LINE_STRIP, 0, count);
      scene_end(r, s, exactly, loop ? "a loop against its lines" : "a strip against its lines");
   }
   free(s);
}

/* Clipping changes no fragment of a line that is inside the viewport, and draws none outside: the same as of a large
 * viewport with a scissor box. Section 2.13 clips lines by the near and far planes only; what is outside the viewport is cut
 * off, as all of Mesa's drivers do for OpenGL ES and the conformance tests ask for. */
static void
lines_cut_by_the_viewport(struct rules *r)
{
   struct scene *s = scene_create(count_vertex, count_fragment);
   while (rules_next(r)) {
      int width;
      scene_begin(r, s);
      random_line_width(r, &width);
      const int x = rules_between(r, 0, 32), y = rules_between(r, 0, 32), size_px = 16 << rules_below(r, 2);
      const int window[4] = { random_coordinate(r, x, size_px), random_coordinate(r, y, size_px),
                              random_coordinate(r, x, size_px), random_coordinate(r, y, size_px) };
      for (int pass = 0; pass < 2; pass++) {
         glClear(GL_COLOR_BUFFER_BIT);
         if (pass == 0)
            set_viewport(s, -96, -96, 256, 256);
         else
            set_viewport(s, x, y, size_px, size_px);
         (pass == 0 ? glEnable : glDisable)(GL_SCISSOR_TEST);
         glScissor(x, y, size_px, size_px);
         for (int i = 0; i < 2; i++)
            set_window_vertex(r, s, i, window[2 * i], window[2 * i + 1], 0);
         glDrawArrays(GL_LINES, 0, 2);
         if (pass == 0) {
            uint8_t *drawn = rules_read(r, SIZE_PX, SIZE_PX);
            memcpy(s->expected, drawn, sizeof(s->expected));
            free(drawn);
            glDisable(GL_SCISSOR_TEST);
         }
      }
      scene_end(r, s, exactly, "a line cut by the viewport against one cut by the scissor");
   }
   free(s);
}

/* The part of a segment in clip space with z from -w to w, in [t[0], t[1]] of its length; false: nothing. */
static bool
clip_depth(const int64_t p[4], const int64_t q[4], double t[2])
{
   t[0] = 0, t[1] = 1;
   for (int plane = -1; plane <= 1; plane += 2) {
      const double dp = (double)(p[3] + plane * p[2]), dq = (double)(q[3] + plane * q[2]);
      if (dp < 0 && dq < 0)
         return false;
      if (dp < 0)
         t[0] = fmax(t[0], dp / (dp - dq));
      if (dq < 0)
         t[1] = fmin(t[1], dp / (dp - dq));
   }
   return t[0] < t[1];
}

/* The window position at t of a segment in clip space. False: behind the eye, or far outside. */
static bool
segment_point(const int64_t p[4], const int64_t q[4], double t, double at[2])
{
   const double w = (double)p[3] + (double)(q[3] - p[3]) * t;
   for (int i = 0; i < 2; i++)
      at[i] = (((double)p[i] + (double)(q[i] - p[i]) * t) / w + 1) * SIZE_PX / 2;
   return w > 0 && fabs(at[0]) < 2 * SIZE_PX && fabs(at[1]) < 2 * SIZE_PX;
}

/* Whether two points are at least a pixel apart along their line's major axis. */
static bool
apart(const double a[2], const double b[2])
{
   return fmax(fabs(a[0] - b[0]), fabs(a[1] - b[1])) >= 1;
}

/* Fragments lie within a pixel of the segment, and all along it, except perhaps in the last pixel at its ends. False:
 * steps along it are too long to tell. */
static bool
expect_segment(struct rules *r, const int64_t p[4], const int64_t q[4], const double t[2], const counts have, counts close)
{
   enum { STEPS = 20000 };
   double last[2] = { NAN, NAN }, ends[2][2], at[2];
   const bool has_end[2] = { segment_point(p, q, t[0], ends[0]), segment_point(p, q, t[1], ends[1]) };
   for (int i = 0; i <= STEPS; i++) {
      if (!segment_point(p, q, t[0] + (t[1] - t[0]) * i / STEPS, at))
         continue;
      if (fabs(at[0] - last[0]) > 0.5 || fabs(at[1] - last[1]) > 0.5)
         return false;
      last[0] = at[0], last[1] = at[1];
      const int x = (int)floor(at[0]), y = (int)floor(at[1]);
      for (int k = 0; k < 9; k++) {
         const int px = x + k % 3 - 1, py = y + k / 3 - 1;
         if (px >= 0 && py >= 0 && px < SIZE_PX && py < SIZE_PX)
            close[py][px] = 1;
      }
      const bool inner = x >= 1 && y >= 1 && x < SIZE_PX - 1 && y < SIZE_PX - 1 &&
                         (!has_end[0] || apart(at, ends[0])) && (!has_end[1] || apart(at, ends[1]));
      if (inner && !near_one(have, x, y))
         rules_fail(r, "no fragment near (%.2f, %.2f)", at[0], at[1]);
   }
   return true;
}

/* Lines with ends behind the eye and outside the view volume. */
static void
lines_behind_the_eye(struct rules *r)
{
   struct scene *s = scene_create(count_vertex, count_fragment);
   static counts have, close;
   int drawn = 0;
   glLineWidth(1);
   while (rules_next(r)) {
      scene_begin(r, s);
      random_clip_vertex(r, s, 0);
      random_clip_vertex(r, s, 1);
      const int64_t *p = s->reference[0].clip, *q = s->reference[1].clip;
      double t[2];
      memset(close, 0, sizeof(close));
      glDrawArrays(GL_LINES, 0, 2);
      read_counts(r, have);
      if (clip_depth(p, q, t) && !expect_segment(r, p, q, t, (const uint8_t(*)[SIZE_PX])have, close))
         continue;
      for (int i = 0; i < PIXELS; i++) {
         const int x = i % SIZE_PX, y = i / SIZE_PX;
         if (have[y][x] > 1 || (have[y][x] && !close[y][x]))
            rules_fail(r, "pixel (%d, %d) is drawn %d times, the line comes %snear", x, y, have[y][x],
                       close[y][x] ? "" : "not ");
      }
      drawn += covered((const uint8_t(*)[SIZE_PX])have);
   }
   if (r->end > 100 && !drawn)
      die("no line was drawn");
   free(s);
}

/* At the far end of the largest framebuffer primitives have the pixels that they have at its beginning. */
static void
far_away(struct rules *r)
{
   static const GLenum modes[] = { GL_POINTS, GL_LINES, GL_LINE_STRIP, GL_TRIANGLES, GL_TRIANGLE_STRIP };
   enum { FAR_PX = 8192, MOST = 9, W = 8 * FAR_PX };
   struct scene *s = scene_create(count_vertex, count_fragment);
   GLint most_px;
   glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &most_px);
   if (most_px < FAR_PX)
      rules_skip("no framebuffer is that large");
   struct target target = target_create(FAR_PX, SIZE_PX);
   uint8_t *near = malloc(4 * PIXELS), *far = malloc(4 * PIXELS);
   while (rules_next(r)) {
      const GLenum mode = rules_pick(r, modes);
      int width, at[MOST][2];
      random_line_width(r, &width);
      for (int i = 0; i < MOST; i++) {
         at[i][0] = random_coordinate(r, 0, SIZE_PX);
         at[i][1] = random_coordinate(r, 0, SIZE_PX);
         s->vertices[i][4] = rules_float(r, 1, 20);
      }
      for (int pass = 0; pass < 2; pass++) {
         const int offset_px = pass ? FAR_PX - SIZE_PX : 0;
         for (int i = 0; i < MOST; i++)
            set_vertex(s, i, (int64_t[4]){ at[i][0] + 16 * offset_px - W, (at[i][1] - 8 * SIZE_PX) * (FAR_PX / SIZE_PX), 0, W });
         glEnable(GL_SCISSOR_TEST);
         glScissor(offset_px, 0, SIZE_PX, SIZE_PX);
         glClear(GL_COLOR_BUFFER_BIT);
         glDrawArrays(mode, 0, MOST);
         glReadPixels(offset_px, 0, SIZE_PX, SIZE_PX, GL_RGBA, GL_UNSIGNED_BYTE, pass ? far : near);
      }
      rules_hash(r, far, 4 * PIXELS);
      rules_expect(r, SIZE_PX, SIZE_PX, far, near, exactly, "far from the origin, and near");
   }
   free(near);
   free(far);
   target_delete(&target);
   free(s);
}

static const struct rule table[] = {
   { "points", RULE_ES2, 300, points },
   { "point-coordinates", RULE_ES2, 200, point_coordinates },
   { "lines", RULE_ES2, 400, lines },
   { "line-varyings", RULE_ES2, 200, line_varyings },
   { "widest-line", RULE_ES2, 3, widest_line },
   { "line-strips", RULE_ES2, 200, line_strips },
   { "line-loops", RULE_ES2, 200, line_loops },
   { "lines-cut-by-the-viewport", RULE_ES2, 300, lines_cut_by_the_viewport },
   { "lines-behind-the-eye", RULE_ES2, 200, lines_behind_the_eye },
   { "triangles", RULE_ES2, 400, triangles },
   { "varyings", RULE_ES2, 200, varyings },
   { "far-away", RULE_ES2, 100, far_away },
   { "not-finite", RULE_ES2, 200, not_finite },
};

int
main(int argc, char **argv)
{
   return rules_main(argc, argv, table, sizeof(table) / sizeof(table[0]));
}
