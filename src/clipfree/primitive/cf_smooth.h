/* SPDX-License-Identifier: MIT */
/* Private to the room: raster and coverage of smooth primitives. See cf_smooth_lanes.c. */
#ifndef CF_SMOOTH_H
#define CF_SMOOTH_H

#include "clipfree/primitive/cf_prim.h"

#include <math.h>

/* Distance along an axis from a pixel's centre to its sides: a smooth primitive covers pixels whose
 * squares it touches. */
#define CF_SMOOTH_REACH_PX 0.5

/** The most by which an edge's value at a corner of a pixel differs from that at its centre. */
static inline double
cf_smooth_edge_reach(const struct cf_prim *prim, uint32_t edge)
{
   return CF_SMOOTH_REACH_PX * (fabs(prim->a[edge]) + fabs(prim->b[edge]));
}

/** Area of pixel (x, y) inside all edges of a smooth line or triangle, 0 .. 1, up to rounding. */
double cf_smooth_cut_area(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px);

#endif
