/* SPDX-License-Identifier: MIT */
/*
 * What is asked about a set-up primitive outside the inner loops: binning, and the exact path of
 * coverage.
 */
#include "clipfree/primitive/cf_raster.h"

#include "clipfree/arith/cf_exact.h"
#include "clipfree/primitive/cf_smooth.h"

const uint32_t cf_prim_size_B = sizeof(struct cf_prim);

bool
cf_prim_front_facing(const struct cf_prim *prim)
{
   return prim->front;
}

bool
cf_prim_is_point(const struct cf_prim *prim)
{
   return prim->shape == CF_SHAPE_POINT;
}

const float (*cf_prim_varyings(const struct cf_prim *prim))[3]
{
   return prim->varyings;
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
      /* at the place in the tile where the edge is largest */
      const double x = x_px + (prim->a[i] > 0.0 ? 63.0 + reach_px : -reach_px),
                   y = y_px + (prim->b[i] > 0.0 ? 63.0 + reach_px : -reach_px);
      if ((prim->a[i] * x + prim->b[i] * y) + prim->c[i] < -prim->error[i])
         return false;
   }
   return true;
}

bool
cf_prim_covers_exactly(const struct cf_prim *prim, uint32_t edge, double x_px, double y_px)
{
   const float *u = prim->vertex[edge == 2 ? 0 : edge + 1],
               *v = prim->vertex[edge == 0 ? 2 : edge - 1];
   const struct cf_viewport *vp = &prim->config->viewport;
   const struct cf_viewport_xy xy = { vp->scale_x, vp->scale_y, vp->translate_x, vp->translate_y };
   const double half_px = prim->config->raster.half_pixel_center ? 0.5 : 0.0;
   int sign = cf_exact_edge_sign((float[3]){ u[0], u[1], u[3] }, (float[3]){ v[0], v[1], v[3] },
                                 &xy, x_px + half_px, y_px + half_px);
   sign = prim->flipped ? -sign : sign;
   return sign > 0 || (sign == 0 && (prim->inclusive >> edge & 1));
}
