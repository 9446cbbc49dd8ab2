/* SPDX-License-Identifier: MIT */
/*
 * Functions of a set-up primitive outside the inner loops: the test for binning, and coverage by
 * exact arithmetic.
 */
#include "clipfree/primitive/cf_raster.h"

#include "clipfree/arith/cf_exact.h"
#include "clipfree/primitive/cf_smooth.h"

#include <math.h>
#include <string.h>

/* Upper limit of a pixel's coordinates in any frame buffer (cf_exact.h). */
#define CF_MOST_PX 32768

uint32_t
cf_quads_front_facing(const struct cf_quad *quads, uint32_t count)
{
   uint32_t lanes = 0;
   for (uint32_t i = 0; i < count; i++)
      lanes |= cf_prim_front_facing(quads[i].prim) ? 0xfu << 4 * i : 0;
   return lanes;
}

void
cf_prim_set_varyings(struct cf_prim *prim, const float (*varyings)[3])
{
   prim->varyings = varyings;
}

bool
cf_prim_touches_tile(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px)
{
   const struct cf_prim_bounds *b = &prim->bounds;
   if (x_px >= b->max_x_px || y_px >= b->max_y_px || x_px + 64 <= b->min_x_px ||
       y_px + 64 <= b->min_y_px)
      return false;
   const double reach_px = prim->config->samples > 1                             ? CF_SAMPLE_REACH_PX
                           : cf_shape_is_smooth(prim->config, prim->shape) ? CF_SMOOTH_REACH_PX
                                                                           : 0.0;
   for (uint32_t i = prim->first_edge; i < prim->edges; i++) {
      /* the point of the tile where the edge function is largest */
      const double x = x_px + (prim->a[i] > 0.0 ? 63.0 + reach_px : -reach_px),
                   y = y_px + (prim->b[i] > 0.0 ? 63.0 + reach_px : -reach_px);
      if ((prim->a[i] * x + prim->b[i] * y) + prim->c[i] < -prim->error[i])
         return false;
   }
   return true;
}

double
cf_prim_plane_distance(const struct cf_prim *prim, uint32_t plane, uint32_t i)
{
   if (!cf_plane_has_vertex(prim->config, plane))
      return cf_plane_distance(prim->config, plane, prim->vertex[i]);
   const float(*corners)[3] = prim->varyings + 4 * cf_plane_varying(prim->config, plane);
   const float v[4] = { corners[0][i], corners[1][i], corners[2][i], corners[3][i] };
   return cf_plane_distance(prim->config, plane, v);
}

bool
cf_prim_has_exact_planes(const struct cf_prim *prim)
{
   return prim->shape == CF_SHAPE_TRIANGLE && prim->config->policy == CF_SETUP_EXACT;
}

/* With u = 2^-53: the product of distance and weight has one rounding, the sum of three products
 * two, and the value at a pixel three. So the error is at most 6 u of the sum of magnitudes, less
 * than 2^-50 of it. */
double
cf_prim_plane_error(const struct cf_prim *prim, uint32_t plane)
{
   const uint32_t weights = prim->shape == CF_SHAPE_TRIANGLE ? 3 : 2;
   double error = 0.0;
   for (uint32_t k = 0; k < weights; k++) {
      const double weight = (fabs(prim->a[k]) + fabs(prim->b[k])) * CF_MOST_PX + fabs(prim->c[k]);
      error += (prim->error[k] + weight * 0x1p-50) * fabs(cf_prim_plane_distance(prim, plane, k));
   }
   return error;
}

static int
exact_plane_sign(const struct cf_prim *prim, uint32_t plane, double x_px, double y_px)
{
   const struct cf_viewport *vp = &prim->config->viewport;
   const struct cf_viewport_xy xy = { vp->scale_x, vp->scale_y, vp->translate_x, vp->translate_y };
   float position[3][3], distance[3];
   for (uint32_t k = 0; k < 3; k++) {
      const float *v = prim->vertex[k];
      memcpy(position[k], (float[3]){ v[0], v[1], v[3] }, sizeof position[k]);
      distance[k] = (float)cf_prim_plane_distance(prim, plane, k);
   }
   const int sign = cf_exact_plane_sign(position, distance, &xy, x_px, y_px);
   return prim->flipped ? -sign : sign;
}

/* The plane's function is linear: where it is 0, its sign one step further is the sign of its
 * slope. A triangle that lies in the plane is inside. */
static bool
inside_plane_exactly(const struct cf_prim *prim, uint32_t plane, double x_px, double y_px)
{
   const double step_px = 1.0 / CF_SAMPLE_UNITS;
   int sign = exact_plane_sign(prim, plane, x_px, y_px);
   if (sign == 0)
      sign = exact_plane_sign(prim, plane, x_px + step_px, y_px);
   if (sign == 0)
      sign = exact_plane_sign(prim, plane, x_px, y_px + step_px);
   return sign >= 0;
}

bool
cf_prim_covers_exactly(const struct cf_prim *prim, uint32_t edge, double x_px, double y_px)
{
   const double half_px = prim->config->raster.half_pixel_center ? 0.5 : 0.0;
   if (edge >= prim->edges)
      return inside_plane_exactly(prim, cf_prim_plane(prim, edge), x_px + half_px, y_px + half_px);
   const float *u = prim->vertex[edge == 2 ? 0 : edge + 1],
               *v = prim->vertex[edge == 0 ? 2 : edge - 1];
   const struct cf_viewport *vp = &prim->config->viewport;
   const struct cf_viewport_xy xy = { vp->scale_x, vp->scale_y, vp->translate_x, vp->translate_y };
   int sign = cf_exact_edge_sign((float[3]){ u[0], u[1], u[3] }, (float[3]){ v[0], v[1], v[3] },
                                 &xy, x_px + half_px, y_px + half_px);
   sign = prim->flipped ? -sign : sign;
   return sign > 0 || (sign == 0 && (prim->inclusive >> edge & 1));
}
