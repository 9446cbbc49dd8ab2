/* SPDX-License-Identifier: MIT */
/* Private to the room: raster and coverage of smooth primitives. See cf_smooth_lanes.c. */
#ifndef CF_SMOOTH_H
#define CF_SMOOTH_H

#include "clipfree/primitive/cf_prim.h"

#include <math.h>

/* As far as a smooth primitive reaches beyond the centres it covers. */
#define CF_SMOOTH_REACH_PX 0.5

/** The most by which an edge's value at a corner of a pixel differs from that at its centre. */
static inline double
cf_smooth_edge_reach(const struct cf_prim *prim, uint32_t edge)
{
   return CF_SMOOTH_REACH_PX * (fabs(prim->a[edge]) + fabs(prim->b[edge]));
}

/** The area of pixel (x, y) inside all edges of a smooth line or triangle, 0 .. 1, up to rounding. */
double cf_smooth_cut_area(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px);

#endif
