/* SPDX-License-Identifier: MIT */
/* Inside the primitive engine: raster and coverage of smooth primitives. See cf_smooth.c. */
#ifndef CF_SMOOTH_H
#define CF_SMOOTH_H

#include "clipfree/primitive/cf_prim.h"

/* As far as a smooth primitive reaches beyond the centres it covers. */
#define CF_SMOOTH_REACH_PX 0.5

/** True if primitives of this shape are smooth in a draw: their switch is on, and multisampling, which takes its
 * place (GL 2.1 section 3.2.1), is off. Sprites never are (section 3.3). */
static inline bool
cf_shape_is_smooth(const struct cf_primitive_config *config, enum cf_prim_shape shape)
{
   const struct cf_raster *raster = &config->raster;
   if (raster->multisample)
      return false;
   return shape == CF_SHAPE_POINT  ? raster->point_smooth && !raster->point_quad
          : shape == CF_SHAPE_LINE ? raster->line_smooth
                                   : raster->poly_smooth;
}

/** The area of pixel (x, y) inside a smooth primitive, 0 .. 1. Of lines and triangles up to rounding, of points within
 * 1/256. */
double cf_smooth_area(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px);

/** raster_tile of struct cf_primitive_ops. */
typedef uint32_t (*cf_smooth_walk)(const struct cf_prim *, uint32_t, uint32_t, struct cf_raster_block *);

/** That function for a smooth primitive: the pixels of which an area is inside. `raster` is it for others. */
uint32_t cf_smooth_raster(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px,
                          struct cf_raster_block *blocks, cf_smooth_walk raster);

#endif
