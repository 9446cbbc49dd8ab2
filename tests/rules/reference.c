/* SPDX-License-Identifier: MIT */
#include "reference.h"

#include <math.h>
#include <stdlib.h>

typedef __int128 wide;

static int
sign(wide x)
{
   return (x > 0) - (x < 0);
}

/* ------------------------------------------------------------------------------------ triangles */

/* The adjugate of the vertices' (x, y, w): the share of vertex i at the point (X, Y) of normalised
 * device coordinates is (a[i][0] X + a[i][1] Y + a[i][2]) / det. Returns det. */
static int64_t
adjugate(const struct ref_vertex v[3], int64_t a[3][3])
{
   for (int i = 0; i < 3; i++) {
      const int64_t *p = v[(i + 1) % 3].clip, *q = v[(i + 2) % 3].clip;
      a[i][0] = p[1] * q[3] - p[3] * q[1];
      a[i][1] = p[3] * q[0] - p[0] * q[3];
      a[i][2] = p[0] * q[1] - p[1] * q[0];
   }
   return (int64_t)((wide)v[0].clip[0] * a[0][0] + (wide)v[0].clip[1] * a[0][1] +
                    (wide)v[0].clip[3] * a[0][2]);
}

int
ref_area_sign(const struct ref_vertex v[3])
{
   int64_t a[3][3];
   return sign(adjugate(v, a));
}

/* The sign of a share at a pixel's centre; on the edge, that of a centre moved right by next to
 * nothing, and up by next to nothing of that. */
static int
side(const int64_t a[3], wide value, int turn)
{
   if (value)
      return sign(value) * turn;
   return (a[0] ? sign(a[0]) : sign(a[1])) * turn;
}

static bool
inside_viewport(const struct ref_viewport *viewport, int x, int y)
{
   return x >= viewport->x && x < viewport->x + viewport->width && y >= viewport->y &&
          y < viewport->y + viewport->height;
}

static double
window_depth(const struct ref_viewport *viewport, double z)
{
   return viewport->near + (viewport->far - viewport->near) * (z + 1) / 2;
}

/* One pixel of a triangle. */
static void
triangle_pixel(const struct ref_raster *r, const struct ref_vertex v[3], const int64_t a[3][3],
               int64_t det, int x, int y)
{
   const struct ref_viewport *viewport = &r->viewport;
   /* The centre, or sample, in device coordinates, times 8 times width and height of the
    * viewport. */
   const wide nx = (wide)(8 * (2 * (x - viewport->x) + 1 - viewport->width) + 2 * r->sample[0]) *
                   viewport->height;
   const wide ny = (wide)(8 * (2 * (y - viewport->y) + 1 - viewport->height) + 2 * r->sample[1]) *
                   viewport->width;
   const wide nw = (wide)8 * viewport->width * viewport->height;
   const int turn = det > 0 ? 1 : -1;
   wide share[3], z = 0, w = 0, all = 0;
   for (int i = 0; i < 3; i++) {
      share[i] = (a[i][0] * nx + a[i][1] * ny + a[i][2] * nw) * turn;
      if (side(a[i], share[i] * turn, turn) <= 0)
         return;
      z += share[i] * v[i].clip[2];
      w += share[i] * v[i].clip[3];
      all += share[i];
   }
   if (z > w || z < -w)
      return;
   struct ref_fragment fragment = { .x = x,
                                    .y = y,
                                    .z = window_depth(viewport, (double)z / (double)w),
                                    .front = (det > 0) != r->front_is_cw };
   for (int i = 0; i < 3; i++)
      fragment.share[i] = (double)share[i] / (double)all;
   r->emit(r->user, &fragment);
}

void
ref_triangle(const struct ref_raster *r, const struct ref_vertex v[3])
{
   int64_t a[3][3];
   const int64_t det = adjugate(v, a);
   if (!det)
      return;
   for (int y = 0; y < r->height_px; y++) {
      for (int x = 0; x < r->width_px; x++) {
         if (inside_viewport(&r->viewport, x, y))
            triangle_pixel(r, v, a, det, x, y);
      }
   }
}

/* -------------------------------------------------------------------------------- points, lines */

struct ref_window
ref_window_position(const struct ref_viewport *viewport, const struct ref_vertex *v)
{
   const double w = (double)v->clip[3];
   return (struct ref_window){ viewport->x + (v->clip[0] / w + 1) * viewport->width / 2,
                               viewport->y + (v->clip[1] / w + 1) * viewport->height / 2,
                               window_depth(viewport, v->clip[2] / w) };
}

void
ref_point(const struct ref_raster *r, const struct ref_vertex *v, double size_px)
{
   const int64_t w = v->clip[3];
   if (w <= 0 || llabs(v->clip[2]) > w)
      return;
   const struct ref_window p = ref_window_position(&r->viewport, v);
   for (int y = 0; y < r->height_px; y++) {
      for (int x = 0; x < r->width_px; x++) {
         const double dx = x + 0.5 - p.x, dy = y + 0.5 - p.y;
         if (dx < -size_px / 2 || dx >= size_px / 2 || dy < -size_px / 2 || dy >= size_px / 2 ||
             !inside_viewport(&r->viewport, x, y))
            continue;
         r->emit(r->user, &(struct ref_fragment){ .x = x, .y = y, .z = p.z, .share = { 1 }, .front = true,
                                                  .point = { 0.5 + dx / size_px, 0.5 - dy / size_px } });
      }
   }
}

/* Lengths of the diamond-exit rule: one step is 1/256 pixel. The rule moves the ends by (-e, -e^2),
 * e next to nothing, so that nothing lies on a diamond's border; here e = 2^-20 steps, less than
 * all that 1/256 pixel of 64 and more can make. */
#define STEP ((wide)1 << 40)
#define HALF_PIXEL (128 * STEP)

struct diamond_point {
   wide x, y; /* from the centre of the pixel */
};

static struct diamond_point
diamond_point(const int64_t p[2], int x, int y)
{
   return (struct diamond_point){ (p[0] - 256 * x - 128) * STEP - ((wide)1 << 20),
                                  (p[1] - 256 * y - 128) * STEP - 1 };
}

static wide
distance(wide x)
{
   return x < 0 ? -x : x;
}

/* |x| + |y| < 1/2 */
static bool
in_diamond(struct diamond_point p)
{
   return distance(p.x) + distance(p.y) < HALF_PIXEL;
}

/* Whether the segment p q has a point in the diamond: two convex sets, which have none in common if
 * and only if they lie on different sides of the line along one of the diamond's sides, or along
 * the segment. */
static bool
meets_diamond(struct diamond_point p, struct diamond_point q)
{
   for (int sx = -1; sx <= 1; sx += 2) {
      for (int sy = -1; sy <= 1; sy += 2) {
         if (sx * p.x + sy * p.y >= HALF_PIXEL && sx * q.x + sy * q.y >= HALF_PIXEL)
            return false;
      }
   }
   static const int corners[4][2] = { { -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 } };
   int least = 1, most = -1;
   for (int i = 0; i < 4; i++) {
      const int s = sign((q.x - p.x) * (corners[i][1] * HALF_PIXEL - p.y) -
                         (q.y - p.y) * (corners[i][0] * HALF_PIXEL - p.x));
      least = s < least ? s : least;
      most = s > most ? s : most;
   }
   return least < 0 && most > 0;
}

bool
ref_line_exits_diamond(const int64_t p[2], const int64_t q[2], int x, int y)
{
   const struct diamond_point from = diamond_point(p, x, y), to = diamond_point(q, x, y);
   return meets_diamond(from, to) && !in_diamond(to);
}
