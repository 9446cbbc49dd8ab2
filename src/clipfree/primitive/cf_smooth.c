/* SPDX-License-Identifier: MIT */
/*
 * Area of a pixel inside the edges of a smooth primitive, by polygon clipping. It is the reference
 * that cf_smooth_lanes.c is tested against, and the only method for edges without a direction
 * (a = b = 0).
 */
#include "clipfree/primitive/cf_smooth.h"

#include <math.h>

/* Corners of a square cut by four half-planes. */
#define CF_MAX_CORNERS 8

struct corner {
   double x, y;
};

struct polygon {
   struct corner corner[CF_MAX_CORNERS];
   uint32_t count;
};

/* Corners beyond CF_MAX_CORNERS are dropped. There are more only if rounding made the polygon
 * slightly concave, so that a half-plane crosses its outline more than twice. */
static void
add_corner(struct polygon *p, struct corner corner)
{
   if (p->count < CF_MAX_CORNERS)
      p->corner[p->count++] = corner;
}

/* Clip the polygon to a x + b y + e >= 0 (one step of Sutherland and Hodgman). */
static void
cut(struct polygon *p, double a, double b, double e)
{
   struct polygon inside = { .count = 0 };
   for (uint32_t i = 0; i < p->count; i++) {
      const struct corner u = p->corner[i], v = p->corner[i + 1 == p->count ? 0 : i + 1];
      const double at_u = a * u.x + b * u.y + e, at_v = a * v.x + b * v.y + e;
      if (at_u >= 0.0)
         add_corner(&inside, u);
      if ((at_u >= 0.0) != (at_v >= 0.0)) {
         const double t = at_u / (at_u - at_v);
         add_corner(&inside, (struct corner){ u.x + t * (v.x - u.x), u.y + t * (v.y - u.y) });
      }
   }
   *p = inside;
}

static double
area(const struct polygon *p)
{
   double twice = 0.0;
   for (uint32_t i = 0; i < p->count; i++) {
      const struct corner u = p->corner[i], v = p->corner[i + 1 == p->count ? 0 : i + 1];
      twice += u.x * v.y - u.y * v.x;
   }
   return twice / 2;
}

double
cf_smooth_cut_area(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px)
{
   struct polygon p = { { { -0.5, -0.5 }, { 0.5, -0.5 }, { 0.5, 0.5 }, { -0.5, 0.5 } }, 4 };
   for (uint32_t i = 0; i < prim->edges && p.count > 0; i++) {
      const double e = (prim->a[i] * x_px + prim->b[i] * y_px) + prim->c[i];
      if (e < cf_smooth_edge_reach(prim, i))
         cut(&p, prim->a[i], prim->b[i], e);
   }
   return fmin(fmax(area(&p), 0.0), 1.0);
}

bool
cf_primitive_is_smooth(const struct cf_primitive_config *config)
{
   return cf_shape_is_smooth(config, CF_SHAPE_POINT) || cf_shape_is_smooth(config, CF_SHAPE_LINE) ||
          cf_shape_is_smooth(config, CF_SHAPE_TRIANGLE);
}
