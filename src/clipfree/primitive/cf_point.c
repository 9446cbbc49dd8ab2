/* SPDX-License-Identifier: MIT */
/*
 * Set-up of points: a square of the window around the vertex. In OpenGL it is drawn whole if the
 * vertex is inside the view volume (GL 2.1 section 2.12), else not at all; in OpenGL ES only depth
 * decides (ES 2.0 section 2.13), and cut_to_viewport limits the square to the viewport. Sprites
 * cover the pixels whose centres are in the square; plain points are a square of round(size) pixels
 * aligned to the pixel grid (section 3.3). The left and the top side (bottom with bottom_edge_rule)
 * are inclusive. With several samples a pixel (section 3.3.3), a sprite covers the samples in its
 * square, a plain point those in the inscribed disc. A smooth point is the same disc; its coverage
 * is the area of the disc in each pixel (cf_smooth_lanes.c).
 */
#include "clipfree/base/cf_inline.h"
#include "clipfree/interface/cf_limits.h"
#include "clipfree/primitive/cf_setup.h"
#include "clipfree/primitive/cf_smooth.h"

#include <math.h>
#include <string.h>

#define CF_SUBPIXELS 256
#define CF_FAR_PX 0x1p20 /* from there the largest point reaches no frame buffer */

struct square {
   double x, y, size; /* window centre, side */
};

/* Near, far and user planes. A point has one vertex: it is drawn whole or not at all. */
static inline bool
inside_planes(const struct cf_setup *s, const float *v)
{
   const struct cf_raster *raster = &s->config->raster;
   const double z = v[2], w = v[3];
   uint16_t none;
   if (raster->clip_planes != 0)
      return cf_setup_planes(s, &v, 1, &none);
   return (!raster->depth_clip_near || (raster->clip_halfz ? z : z + w) >= 0.0) &&
          (!raster->depth_clip_far || w - z >= 0.0);
}

static inline bool
in_view_volume(const struct cf_setup *s, const float *v)
{
   const struct cf_raster *raster = &s->config->raster;
   const float w = v[3];
   return w > 0.0f && (raster->cut_to_viewport || (fabsf(v[0]) <= w && fabsf(v[1]) <= w)) &&
          inside_planes(s, v);
}

/* Centre of a plain point, aligned to the pixel grid: a pixel's centre if the size, a whole number,
 * is odd, else a pixel's corner. */
static double
grid_centre(double window, double size)
{
   return (int32_t)size & 1 ? rounded_down(window) + 0.5 : rounded_down(window + 0.5);
}

/* Window coordinate, rounded to a subpixel so that f32 noise of the vertex decides nothing, and
 * clamped to +-CF_FAR_PX so that rounded_down() does not overflow. */
static double
window_centre(double window)
{
   const double near = smaller(larger(window, -CF_FAR_PX), CF_FAR_PX);
   return rounded_down(near * CF_SUBPIXELS + 0.5) / CF_SUBPIXELS;
}

static inline bool
point_square(const struct cf_setup *s, const float *v, double inv_w, struct square *q)
{
   const struct cf_raster *raster = &s->config->raster;
   const double size = raster->point_size_per_vertex ? v[4] : raster->point_size_px;
   if (size != size || isinf(size))
      return false;
   q->size = smaller(larger(size, CF_MIN_SIZE_PX), CF_MAX_SIZE_PX);
   q->x = window_centre(v[0] * inv_w * s->viewport.sx + s->viewport.tx);
   q->y = window_centre(v[1] * inv_w * s->viewport.sy + s->viewport.ty);
   if (!raster->point_quad && !raster->point_smooth && !raster->multisample) {
      q->size = rounded_down(q->size + 0.5);
      q->x = grid_centre(q->x, q->size);
      q->y = grid_centre(q->y, q->size);
   }
   return true;
}

/* The integers in [low, high), or in (low, high] if not `low_owns`, and in begin .. end - 1: as
 * *min .. *max - 1. False: none. */
CF_INLINE bool
pixel_range(double low, double high, bool low_owns, double begin, double end, uint16_t *min,
            uint16_t *max)
{
   const double first = low_owns ? rounded_up(low) : rounded_down(low) + 1,
                last = low_owns ? rounded_up(high) : rounded_down(high) + 1;
   const double from = larger(first, begin), to = smaller(last, end);
   if (!(from < to))
      return false;
   *min = (uint16_t)(int32_t)from;
   *max = (uint16_t)(int32_t)to;
   return true;
}

static bool
point_bounds(const struct cf_setup *s, const struct square *q, struct cf_prim_bounds *bounds)
{
   const bool at_centres =
      s->config->samples <= 1 && !cf_shape_is_smooth(s->config, CF_SHAPE_POINT);
   const double r = q->size / 2, low_px = at_centres ? s->half_px : s->low_px,
                high_px = at_centres ? s->half_px : s->high_px;
   const struct cf_limits_px *limits = s->config->raster.cut_to_viewport ? &s->visible : &s->scissor;
   return pixel_range(q->x - r - high_px, q->x + r - low_px, true, limits->min_x,
                      limits->max_x, &bounds->min_x_px, &bounds->max_x_px) &&
          pixel_range(q->y - r - high_px, q->y + r - low_px,
                      !s->config->raster.bottom_edge_rule, limits->min_y, limits->max_y,
                      &bounds->min_y_px, &bounds->max_y_px);
}

/* The sides of the square as edges: with several samples, pixel bounds alone do not decide
 * coverage. Edges 0 and 1 are the point coordinates s and t, 0 to 1 across the square; edges 2 and
 * 3 are 1 - s and 1 - t. */
static void
point_edges(const struct cf_setup *s, struct cf_prim *prim)
{
   prim->edges = 4;
   for (uint32_t i = 0; i < 2; i++) {
      prim->a[2 + i] = -prim->a[i];
      prim->b[2 + i] = -prim->b[i];
      prim->c[2 + i] = 1.0 - prim->c[i];
   }
   prim->inclusive = cf_setup_inclusive_edges(s, prim);
   prim->round = !s->config->raster.point_quad;
}

/* What raster and interpolation read of a point. */
static void
set_point(const struct cf_setup *s, const float *v, double inv_w, const struct cf_face *face,
          const struct square *q, struct cf_prim *prim)
{
   const double t_sign = s->config->raster.sprite_origin_lower_left ? -1.0 : 1.0;
   prim->front = face->front;
   prim->a[0] = 1.0 / q->size;
   prim->c[0] = 0.5 + (s->half_px - q->x) / q->size;
   prim->b[1] = t_sign / q->size;
   prim->c[1] = 0.5 + t_sign * ((s->half_px - q->y) / q->size);
   if (s->config->samples > 1)
      point_edges(s, prim);
   prim->inv_scale = inv_w;
   prim->z_c = cf_setup_depth(s, v[2] * inv_w) + face->z_offset;
   cf_setup_depth_range(s, prim, prim->z_c, prim->z_c);
   memcpy(prim->vertex[0], v, sizeof prim->vertex[0]);
}

void
cf_setup_point(const struct cf_setup *s, const float *v0, const float *provoking,
               const struct cf_face *face)
{
   static const struct cf_prim nothing = { .shape = CF_SHAPE_POINT }; /* copied in vectors */
   struct cf_prim_bounds bounds;
   struct square q;
   float(*varyings)[3];
   const double inv_w = 1.0 / v0[3];
   if (!cf_vertex_is_finite(v0) || !in_view_volume(s, v0) || !point_square(s, v0, inv_w, &q) ||
       !point_bounds(s, &q, &bounds))
      return;
   struct cf_prim *prim = cf_setup_reserve(s, &varyings);
   if (!prim)
      return;
   *prim = nothing;
   prim->bounds = bounds;
   set_point(s, v0, inv_w, face, &q, prim);
   cf_setup_finish(s, prim, &v0, provoking, varyings);
}
