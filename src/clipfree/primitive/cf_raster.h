/* SPDX-License-Identifier: MIT */
/* Inside the primitive engine: the path of coverage that is not in the inner loops. */
#ifndef CF_RASTER_H
#define CF_RASTER_H

#include "clipfree/primitive/cf_prim.h"

/** Whether pixel (x, y), or a sample of it (cf_prim.h), is on the covered side of a triangle's edge,
 * decided in real arithmetic on its clip-space vertices; a point on the edge by ownership (top-left
 * rule). */
bool cf_prim_covers_exactly(const struct cf_prim *prim, uint32_t edge, double x_px, double y_px);

#endif
