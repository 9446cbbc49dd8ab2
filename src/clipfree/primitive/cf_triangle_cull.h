/* SPDX-License-Identifier: MIT */
/*
 * Face culling of four triangles at once, a triangle a lane. The usual kind has finite coordinates,
 * all w > 0, and a determinant larger than its error bound; other triangles are left to the
 * functions for one triangle in cf_triangle_lanes.c. These do the same operations in the same
 * order. About half of all triangles end here. For hosts with vectors of four f64: neither two nor
 * eight lanes are faster.
 */
#ifndef CF_TRIANGLE_CULL_H
#define CF_TRIANGLE_CULL_H

#include "clipfree/primitive/cf_triangle.h"
#include "clipfree/primitive/cf_wide_rows.h"

#define CF_CULL_LANES CF_WIDE_LANES

#define CF_CULL_MIN 3 /* fewer triangles are faster one by one */

_Static_assert(CF_TRIANGLE_BATCH % CF_CULL_LANES == 0, "a full batch leaves no lane idle");
_Static_assert(CF_TRIANGLE_BATCH <= 64, "sets");

/* Result of culling, a bit per triangle. */
struct cf_culled {
   uint32_t drawn; /* of the usual kind, and its face is not culled */
   uint32_t other; /* of another kind: not decided here */
};

/* Determinants of the triangles' (x, y, w). Returns the lanes where the value exceeds its error
 * bound, so that its sign is certain; x, y and w are finite there. */
static inline cf_i64x4
cf_cull_determinant(const struct cf_wide_vertex v[3], cf_f64x4 *det)
{
   const cf_f64x4 t0 = (v[1].x * v[2].y - v[1].y * v[2].x) * v[0].w;
   const cf_f64x4 t1 = (v[2].x * v[0].y - v[2].y * v[0].x) * v[1].w;
   const cf_f64x4 t2 = (v[0].x * v[1].y - v[0].y * v[1].x) * v[2].w;
   *det = (t0 + t1) + t2;
   return cf_vec_abs(*det) > 16 * CF_UNIT * ((cf_vec_abs(t0) + cf_vec_abs(t1)) + cf_vec_abs(t2));
}

static inline cf_i64x4
cf_cull_same(const struct cf_wide_vertex *u, const struct cf_wide_vertex *v)
{
   return (u->x == v->x) & (u->y == v->y) & (u->w == v->w);
}

/* Triangles with two equal vertices, which have no area: e.g. at the poles of spheres drawn as
 * strips. The test saves the exact determinant, which is computed for one triangle at a time. */
static inline uint32_t
cf_cull_collapsed(const struct cf_wide_vertex v[3])
{
   return cf_vec_mask(cf_cull_same(&v[0], &v[1]) | cf_cull_same(&v[1], &v[2]) |
                      cf_cull_same(&v[2], &v[0]));
}

/** Cull the first `count` of the triangles, of policy exact. t: their vertex records. */
static inline void
cf_cull(const struct cf_setup *s, const float *const *const t[CF_CULL_LANES], uint32_t count,
        struct cf_culled *o)
{
   const struct cf_raster *raster = &s->config->raster;
   const uint32_t all = (1u << count) - 1;
   const struct cf_wide_vertex p[3] = { cf_wide_load(t, 0), cf_wide_load(t, 1),
                                        cf_wide_load(t, 2) };
   cf_f64x4 det;
   const cf_i64x4 certain = cf_cull_determinant(p, &det);
   const cf_i64x4 finite_z = ((p[0].z - p[0].z) + (p[1].z - p[1].z)) + (p[2].z - p[2].z) == 0.0;
   const cf_i64x4 w0 = p[0].w > 0.0, w1 = p[1].w > 0.0, w2 = p[2].w > 0.0;
   const uint32_t usual = cf_vec_mask(certain & finite_z & w0 & w1 & w2) & all;
   const uint32_t positive = cf_vec_mask(det > 0.0);
   o->other = cf_vec_mask(w0 | w1 | w2) & ~usual & all;
   o->other &= o->other != 0 ? ~cf_cull_collapsed(p) : 0;
   const uint32_t front = s->mirrored == raster->front_ccw ? positive : ~positive;
   o->drawn = usual & ~((raster->cull_front ? front : 0) | (raster->cull_back ? ~front : 0));
}

#endif
