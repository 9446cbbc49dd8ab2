/* SPDX-License-Identifier: MIT */
/* Private to the room: the path of coverage that is not in the inner loops. */
#ifndef CF_RASTER_H
#define CF_RASTER_H

#include "clipfree/primitive/cf_prim.h"

/** Whether pixel (x, y), or a sample of it (cf_prim.h), is on the covered side of a triangle's edge or user plane, by its number
 * in the walk, decided in real arithmetic on the clip-space vertices; a point on it by ownership (top-left rule; cf_prim.h). */
bool cf_prim_covers_exactly(const struct cf_prim *prim, uint32_t edge, double x_px, double y_px);

/** Distance of vertex i from plane number `plane`. */
double cf_prim_plane_distance(const struct cf_prim *prim, uint32_t plane, uint32_t i);

/** |computed - real value| of user plane number `plane`, computed in f64, at every pixel and sample of the frame buffer. No
 * number, or infinite, if a distance is. */
double cf_prim_plane_error(const struct cf_prim *prim, uint32_t plane);

/** Whether cf_prim_covers_exactly knows the primitive's user planes: triangles under policy exact. */
bool cf_prim_has_exact_planes(const struct cf_prim *prim);

#endif
