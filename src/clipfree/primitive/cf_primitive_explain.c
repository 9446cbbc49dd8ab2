/* SPDX-License-Identifier: MIT */
#include "clipfree/primitive/cf_primitive_explain.h"

#include <stddef.h>
#include <string.h>

#include "clipfree/primitive/cf_prim.h"
#include "clipfree/primitive/cf_triangle.h"

/* Twice the area in clip space (paper A eq. 3), as set-up has it. */
static double
determinant(const struct cf_setup *setup, const float *const v[3])
{
   struct cf_triangle t = { .v = { v[0], v[1], v[2] } };
   if (setup->config->policy == CF_SETUP_EXACT)
      return cf_triangle_exact_det(&t);
   cf_triangle_rounded_minors(setup->config->policy, &t);
   return t.det;
}

/* CF_DROP_NONE: its face is drawn. */
static enum cf_drop
explain_face(const struct cf_setup *setup, const float *const v[3])
{
   const struct cf_raster *raster = &setup->config->raster;
   const double det = determinant(setup, v);
   if (!(det < 0.0 || det > 0.0))
      return CF_DROP_NO_AREA;
   const bool front = ((det > 0.0) == setup->mirrored) == raster->front_ccw;
   if (front && raster->cull_front)
      return CF_DROP_FRONT;
   return !front && raster->cull_back ? CF_DROP_BACK : CF_DROP_NONE;
}

enum cf_drop
cf_primitive_explain(const struct cf_setup *setup, uint32_t vertices, const float *const v[3])
{
   uint32_t behind = 0;
   uint16_t planes;
   for (uint32_t i = 0; i < vertices; i++) {
      if (!cf_vertex_is_finite(v[i]))
         return CF_DROP_NOT_FINITE;
      behind += !(v[i][3] > 0.0f);
   }
   if (behind == vertices)
      return CF_DROP_BEHIND;
   const enum cf_drop face = vertices == 3 ? explain_face(setup, v) : CF_DROP_NONE;
   if (face != CF_DROP_NONE)
      return face;
   return cf_setup_planes(setup, v, vertices, &planes) ? CF_DROP_OUTSIDE : CF_DROP_PLANE;
}

bool
cf_primitive_is_stippled(const struct cf_prim *prim)
{
   const struct cf_raster *raster = &prim->config->raster;
   return (prim->shape == CF_SHAPE_TRIANGLE && raster->poly_stipple) ||
          (prim->shape == CF_SHAPE_LINE && raster->line_stipple);
}

/* Draws have room for as many links as they use, so no link is copied. */
void
cf_primitive_unstipple(const struct cf_prim *prim, struct cf_prim *whole,
                       struct cf_primitive_config *config)
{
   memcpy(config, prim->config, offsetof(struct cf_primitive_config, link));
   config->raster.poly_stipple = config->raster.line_stipple = false;
   *whole = *prim;
   whole->config = config;
}
