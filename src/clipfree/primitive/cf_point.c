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
#include "clipfree/primitive/cf_point.h"
#include "clipfree/primitive/cf_smooth.h"

#include <math.h>
#include <string.h>

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
 * clamped to +-CF_POINT_FAR_PX so that rounded_down() does not overflow. */
static double
window_centre(double window)
{
   const double near = smaller(larger(window, -CF_POINT_FAR_PX), CF_POINT_FAR_PX);
   return rounded_down(near * CF_POINT_SUBPIXELS + 0.5) / CF_POINT_SUBPIXELS;
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
   if (cf_points_are_plain(raster)) {
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
   const bool at_centres = cf_points_cover_centres(s->config);
   const double r = q->size / 2, low_px = at_centres ? s->half_px : s->low_px,
                high_px = at_centres ? s->half_px : s->high_px;
   const struct cf_limits_px *limits = cf_point_limits(s);
   return pixel_range(q->x - r - high_px, q->x + r - low_px, true, limits->min_x,
                      limits->max_x, &bounds->min_x_px, &bounds->max_x_px) &&
          pixel_range(q->y - r - high_px, q->y + r - low_px,
                      !s->config->raster.bottom_edge_rule, limits->min_y, limits->max_y,
                      &bounds->min_y_px, &bounds->max_y_px);
}

uint32_t
cf_prim_kind_B(const struct cf_primitive_config *config, enum cf_prim_kind prim)
{
   return prim == CF_PRIM_KIND_POINTS && config->samples <= 1 ? offsetof(struct cf_prim, a)
                                                              : sizeof(struct cf_prim);
}

/* The sides of the square as edges: with several samples, pixel bounds alone do not decide
 * coverage. Edges 0 and 1 are s and t, 2 and 3 are 1 - s and 1 - t. */
static void
point_edges(const struct cf_setup *s, struct cf_prim *prim)
{
   const struct cf_point_place *place = &prim->point;
   const double a[] = { place->s_per_px, 0.0, -place->s_per_px, -0.0 },
                b[] = { 0.0, place->t_per_px, -0.0, -place->t_per_px },
                c[] = { place->s_0, place->t_0, 1.0 - place->s_0, 1.0 - place->t_0 };
   memcpy(prim->a, a, sizeof a);
   memcpy(prim->b, b, sizeof b);
   memcpy(prim->c, c, sizeof c);
   memset(prim->error, 0, sizeof prim->error);
   prim->edges = 4;
   prim->inclusive = cf_setup_inclusive_edges(s, prim);
   prim->round = !s->config->raster.point_quad;
}

/* What raster and interpolation read of a point. */
static void
set_point(const struct cf_setup *s, const float *v, double inv_w, const struct cf_face *face,
          const struct square *q, struct cf_prim *prim)
{
   const double t_sign = cf_point_t_sign(&s->config->raster);
   prim->front = face->front;
   prim->point = (struct cf_point_place){
      .s_per_px = 1.0 / q->size,
      .s_0 = 0.5 + (s->half_px - q->x) / q->size,
      .t_per_px = t_sign / q->size,
      .t_0 = 0.5 + t_sign * ((s->half_px - q->y) / q->size),
   };
   if (s->config->samples > 1)
      point_edges(s, prim);
   prim->inv_scale = inv_w;
   prim->z_c = cf_setup_depth(s, v[2] * inv_w) + face->z_offset;
   cf_setup_depth_range(s, prim, prim->z_c, prim->z_c);
   memcpy(prim->point_vertex, v, sizeof prim->point_vertex);
}

void
cf_setup_point(const struct cf_setup *s, const float *v0, const float *provoking,
               const struct cf_face *face)
{
   static const struct cf_prim nothing = { .shape = CF_SHAPE_POINT };
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
   memcpy(prim, &nothing, offsetof(struct cf_prim, a)); /* all that a point is sure to have */
   prim->bounds = bounds;
   set_point(s, v0, inv_w, face, &q, prim);
   cf_setup_finish(s, prim, &v0, provoking, varyings);
}
