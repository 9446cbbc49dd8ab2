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

/* ------------------------------------------------------------------------------------------------ triangles */

/* The adjugate of the vertices' (x, y, w): the share of vertex i at the point (X, Y) of normalised device coordinates is
 * (a[i][0] X + a[i][1] Y + a[i][2]) / det. Returns det. */
static int64_t
adjugate(const struct ref_vertex v[3], int64_t a[3][3])
{
   for (int i = 0; i < 3; i++) {
      const int64_t *p = v[(i + 1) % 3].clip, *q = v[(i + 2) % 3].clip;
      a[i][0] = p[1] * q[3] - p[3] * q[1];
      a[i][1] = p[3] * q[0] - p[0] * q[3];
      a[i][2] = p[0] * q[1] - p[1] * q[0];
   }
   return (int64_t)((wide)v[0].clip[0] * a[0][0] + (wide)v[0].clip[1] * a[0][1] + (wide)v[0].clip[3] * a[0][2]);
}

int
ref_area_sign(const struct ref_vertex v[3])
{
   int64_t a[3][3];
   return sign(adjugate(v, a));
}

/* The sign of a share at a pixel's centre; on the edge, that of a centre moved right by next to nothing, and up by next to
 * nothing of that. */
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
   return x >= viewport->x && x < viewport->x + viewport->width && y >= viewport->y && y < viewport->y + viewport->height;
}

static double
window_depth(const struct ref_viewport *viewport, double z)
{
   return viewport->near + (viewport->far - viewport->near) * (z + 1) / 2;
}

/* One pixel of a triangle. */
static void
triangle_pixel(const struct ref_raster *r, const struct ref_vertex v[3], const int64_t a[3][3], int64_t det, int x, int y)
{
   const struct ref_viewport *viewport = &r->viewport;
   /* The centre in device coordinates, times width and height of the viewport. */
   const wide nx = (wide)(2 * (x - viewport->x) + 1 - viewport->width) * viewport->height;
   const wide ny = (wide)(2 * (y - viewport->y) + 1 - viewport->height) * viewport->width;
   const wide nw = (wide)viewport->width * viewport->height;
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
   struct ref_fragment fragment = { .x = x, .y = y, .z = window_depth(viewport, (double)z / (double)w),
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

/* ------------------------------------------------------------------------------------------------ points, lines */

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

/* Whether a point lies in the diamond of pixel (0, 0), |x - 1/2| + |y - 1/2| < 1/2. */
static bool
in_diamond(const int64_t p[2])
{
   return llabs(p[0] - 128) + llabs(p[1] - 128) < 128;
}

/* Whether the segment p q has a point in the diamond: an open convex set, which it misses if and only if it lies on the
 * outer side (or on) one of the four sides' lines for its whole length, or if all corners lie on one side of its line. */
static bool
meets_diamond(const int64_t p[2], const int64_t q[2])
{
   for (int sx = -1; sx <= 1; sx += 2) {
      for (int sy = -1; sy <= 1; sy += 2) {
         if (sx * (p[0] - 128) + sy * (p[1] - 128) >= 128 && sx * (q[0] - 128) + sy * (q[1] - 128) >= 128)
            return false;
      }
   }
   static const int64_t corners[4][2] = { { 0, 128 }, { 256, 128 }, { 128, 0 }, { 128, 256 } };
   int least = 1, most = -1;
   for (int i = 0; i < 4; i++) {
      const int s = sign((wide)(q[0] - p[0]) * (corners[i][1] - p[1]) - (wide)(q[1] - p[1]) * (corners[i][0] - p[0]));
      least = s < least ? s : least;
      most = s > most ? s : most;
   }
   return least < 0 && most > 0;
}

bool
ref_line_exits_diamond(const int64_t p[2], const int64_t q[2], int x, int y)
{
   const int64_t from[2] = { p[0] - 256 * x, p[1] - 256 * y }, to[2] = { q[0] - 256 * x, q[1] - 256 * y };
   return meets_diamond(from, to) && !in_diamond(to);
}
