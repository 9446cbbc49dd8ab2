/* SPDX-License-Identifier: MIT */
/* Lines: OpenGL ES 2.0 section 3.4, and 2.13 for those that leave the view volume. */
#include "raster_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
      const struct ref_window p =
         ref_window_position(&s->raster.viewport, &s->reference[i ? b : a]);
      l.end[i][0] = (int64_t)(p.x * 256);
      l.end[i][1] = (int64_t)(p.y * 256);
   }
   l.x_major = llabs(l.end[1][0] - l.end[0][0]) >= llabs(l.end[1][1] - l.end[0][1]);
   return l;
}

/* The line by the diamond-exit rule: section 3.4.1; wide ones are moved down (left) by (width - 1)
 * / 2 and then drawn `width` pixels high (wide). With `ends`, also the pixels of its ends: of the
 * one fragment that another algorithm may have more than this rule. */
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

/* What section 3.4.1 asks of an algorithm other than the diamond-exit rule, for one line inside the
 * target. */
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
         rules_fail(r, "%d fragments in %s %d of a line of width %d", here,
                    l->x_major ? "column" : "row", i, width);
   }
}

/* A line of a width, inside the target with its whole width. */
static void
random_line(struct rules *r, struct scene *s, int width)
{
   const int margin = width / 2 + 2;
   for (int i = 0; i < 2; i++) {
      const int grid = rules_chance(r, 30) ? 8 : 1, low = 16 * margin / grid,
                high = 16 * (SIZE_PX - margin) / grid;
      set_window_vertex(r, s, i, rules_between(r, low, high) * grid,
                        rules_between(r, low, high) * grid, 0);
   }
}

void
rule_lines(struct rules *r)
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
   const double px = (double)l->end[0][0] / 256, py = (double)l->end[0][1] / 256,
                dx = (double)l->end[1][0] / 256 - px, dy = (double)l->end[1][1] / 256 - py;
   return fmin(fmax(((x - px) * dx + (y - py) * dy) / (dx * dx + dy * dy), 0), 1);
}

/* The shares that a fragment of pixel (x, y) may have: of the pixel's centre. All of a wide line's
 * column (row) have that of the thin line's fragment there, moved down (left) as diamond_line does:
 * two are possible where it passes between two. */
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
   const double at = (along ? y : x) + 0.5,
                slope = (double)(q[across] - p[across]) / (double)(q[along] - p[along]);
   const double passes = (double)p[across] / 256 + (at - (double)p[along] / 256) * slope;
   for (int k = 0; k < 2; k++) {
      const double root = floor(passes + (k ? 1e-9 : -1e-9)) + 0.5;
      share[k] = along ? share_at(&thin, root, at) : share_at(&thin, at, root);
   }
}

/* Section 3.4.1, equation 3.5, with the ends' colours red and green. */
void
rule_line_varyings(struct rules *r)
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
         if (have[4 * i + 3] &&
             (have[4 * i] < fmin(red[0], red[1]) - 1 || have[4 * i] > fmax(red[0], red[1]) + 1 ||
              abs(have[4 * i] + have[4 * i + 1] - 255) > 1))
            rules_fail(r, "pixel (%d, %d) is %d %d, not %.2f to %.2f red and else green",
                       i % SIZE_PX, i / SIZE_PX, have[4 * i], have[4 * i + 1], red[0], red[1]);
      }
      free(have);
   }
   free(s);
}

/* The widest line there is, and wider ones, which are clamped: a line along the middle covers the
 * target whose sides are not longer. */
void
rule_widest_line(struct rules *r)
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

/* Section 3.4.1, rule 4: of segments that share an end, both with the same major axis and
 * direction, neither a fragment twice, nor one left out: each column (row) from the first to the
 * last has `width` fragments. */
void
rule_line_strips(struct rules *r)
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
         /* slope 1 is x-major */
         const int along = rules_between(r, 1, step),
                   across = rules_between(r, 1 - along, along - 1);
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
            rules_fail(r, "%d fragments in %s %d of a strip of width %d%s", here,
                       x_major ? "column" : "row", i, width, ended ? ", after a gap" : "");
         ended = begun && !here;
         begun = begun || here;
      }
   }
   free(s);
}

/* A loop is a strip and a line from its last to its first vertex; a strip is lines. */
void
rule_line_loops(struct rules *r)
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
      expect_what_is_drawn(r, s);
      glClear(GL_COLOR_BUFFER_BIT);
      glDrawArrays(loop ? GL_LINE_LOOP : GL_LINE_STRIP, 0, count);
      scene_end(r, s, exactly, loop ? "a loop against its lines" : "a strip against its lines");
   }
   free(s);
}

/* Clipping changes no fragment of a line that is inside the viewport, and draws none outside: the
 * same as of a large viewport with a scissor box. Section 2.13 clips lines by the near and far
 * planes only; what is outside the viewport is cut off, as all of Mesa's drivers do for OpenGL ES
 * and the conformance tests ask for. */
void
rule_lines_cut_by_the_viewport(struct rules *r)
{
   struct scene *s = scene_create(count_vertex, count_fragment);
   while (rules_next(r)) {
      int width;
      scene_begin(r, s);
      random_line_width(r, &width);
      const int x = rules_between(r, 0, 32), y = rules_between(r, 0, 32),
                size_px = 16 << rules_below(r, 2);
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
            expect_what_is_drawn(r, s);
            glDisable(GL_SCISSOR_TEST);
         }
      }
      scene_end(r, s, exactly, "a line cut by the viewport against one cut by the scissor");
   }
   free(s);
}

/* The part of a segment in clip space with z from -w to w, in [t[0], t[1]] of its length; false:
 * nothing. */
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

/* Fragments lie within a pixel of the segment, and all along it, except perhaps in the last pixel
 * at its ends. False: steps along it are too long to tell. */
static bool
expect_segment(struct rules *r, const int64_t p[4], const int64_t q[4], const double t[2],
               const counts have, counts close)
{
   enum { STEPS = 20000 };
   double last[2] = { NAN, NAN }, ends[2][2], at[2];
   const bool has_end[2] = { segment_point(p, q, t[0], ends[0]),
                             segment_point(p, q, t[1], ends[1]) };
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
void
rule_lines_behind_the_eye(struct rules *r)
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
      if (clip_depth(p, q, t) &&
          !expect_segment(r, p, q, t, (const uint8_t(*)[SIZE_PX])have, close))
         continue;
      for (int i = 0; i < PIXELS; i++) {
         const int x = i % SIZE_PX, y = i / SIZE_PX;
         if (have[y][x] > 1 || (have[y][x] && !close[y][x]))
            rules_fail(r, "pixel (%d, %d) is drawn %d times, the line comes %snear", x, y,
                       have[y][x], close[y][x] ? "" : "not ");
      }
      drawn += covered((const uint8_t(*)[SIZE_PX])have);
   }
   if (r->end > 100 && !drawn)
      die("no line was drawn");
   free(s);
}
