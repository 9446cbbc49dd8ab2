/* SPDX-License-Identifier: MIT */
/* Private to the room: coverage by exact arithmetic, which the inner loops call rarely. */
#ifndef CF_RASTER_H
#define CF_RASTER_H

#include "clipfree/primitive/cf_prim.h"

/** Whether a triangle's edge or user plane has the centre of pixel (x_px, y_px), or a sample of it
 * (cf_prim.h), on its inside. Decided without rounding, on the clip-space vertices. A point on an
 * edge is decided by the top-left rule, one on a plane as cf_prim.h says. edge: the number of the
 * edge function, or as in cf_prim_plane. */
bool cf_prim_covers_exactly(const struct cf_prim *prim, uint32_t edge, double x_px, double y_px);

/** Signed distance of vertex i from a clip plane (CF_PLANE_*). */
double cf_prim_plane_distance(const struct cf_prim *prim, uint32_t plane, uint32_t i);

/** Error bound of a user plane's function in f64, |computed - real value|, at every pixel and
 * sample of the frame buffer. NaN or infinite if a vertex's distance is. */
double cf_prim_plane_error(const struct cf_prim *prim, uint32_t plane);

/** Whether cf_prim_covers_exactly may be called for the primitive's user planes: it is a triangle
 * under policy exact. */
bool cf_prim_has_exact_planes(const struct cf_prim *prim);

#endif
