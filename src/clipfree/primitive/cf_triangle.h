/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: a triangle during its set-up. cf_triangle_lanes.c does the usual work, with
 * three edges in the lanes of vectors; cf_triangle.c what is rare: the exact determinant, the
 * papers' rounding policies, polygon modes.
 */
#ifndef CF_TRIANGLE_H
#define CF_TRIANGLE_H

#include "clipfree/base/cf_lanes.h"
#include "clipfree/base/cf_vec.h"
#include "clipfree/primitive/cf_setup.h"

#define CF_UNIT 0x1p-53 /* largest relative error of one f64 operation */

/* Lane i: vertex i, or edge i of eq. 1 (V(i+1) x V(i+2)). Lane 3 of vertices repeats vertex 2; of
 * edges it is 0. */
struct cf_triangle {
   cf_f64x4 x, y, z, w; /* clip space */
   cf_f64x4 a, b, c;    /* eq. 1 */
   double det;
   const float *v[3]; /* vertex records */
};

/** The determinant sum(c_i w_i) of the real triangle, rounded once; 0 only if there is no area. */
double cf_triangle_exact_det(const struct cf_triangle *t);

/** Policies dp3 and fma: eq. 1 and det, every result rounded to f32. */
void cf_triangle_rounded_minors(enum cf_setup_policy policy, struct cf_triangle *t);

/** Policies dp3 and fma: eqs. 4 and 3, every result rounded to f32 (then scaled by `factor`). */
void cf_triangle_rounded_edges(const struct cf_setup *setup, const struct cf_triangle *t,
                               double factor, struct cf_prim *prim);
void cf_triangle_rounded_depth(const struct cf_setup *setup, const struct cf_triangle *t,
                               struct cf_prim *prim);

/* Low mantissa bits of an f64 coefficient. If they are 0, it has at most 29 significant bits, and
 * its products with factors of 24 bits are exact. */
#define CF_SHORT_EDGE_BITS 0xffffff

/** Members that are the same for all triangles. */
static inline void
cf_triangle_constants(struct cf_prim *prim)
{
   prim->shape = CF_SHAPE_TRIANGLE;
   prim->edges = 3;
   prim->first_edge = 0;
   prim->round = false;
   prim->replicated = false;
}

/** Polygon mode line or point: the marked edges of the triangle, or the vertices they begin at. */
void cf_triangle_outline(const struct cf_setup *setup, enum cf_polygon_mode mode,
                         const float *const v[3], const float *provoking, uint32_t edge_flags,
                         const struct cf_face *face);

#define CF_EDGES_ALL 7      /* every side of a triangle is an edge of the polygon */
#define CF_TRIANGLE_BATCH 64 /* filled triangles that assembly sets up with one call */

/* The table of a host level. setup: cull, set up and commit a triangle of vertex records;
 * `provoking` gives flat varyings. edge_flags: bit i: the side from vertex i to the next is an edge
 * of the polygon (polygon modes line and point draw only these). */
struct cf_triangle_ops {
   void (*setup)(const struct cf_setup *setup, const float *const v[3], const float *provoking,
                 uint32_t edge_flags);
   /** The same for `count` triangles, at most CF_TRIANGLE_BATCH, in order, where
    * cf_triangle_all_filled. Triangle i has provoking[i * stride]. */
   void (*setup_filled)(const struct cf_setup *setup, const float *const v[][3],
                        const float *const *provoking, uint32_t stride, uint32_t count);
};

/** Whether all triangles may be set up in batches (setup_filled): both faces filled, no user clip
 * planes, policy exact. */
static inline bool
cf_triangle_all_filled(const struct cf_primitive_config *config)
{
   const struct cf_raster *raster = &config->raster;
   return raster->fill_front == CF_POLYGON_MODE_FILL && raster->fill_back == CF_POLYGON_MODE_FILL &&
          raster->clip_planes == 0 && config->policy == CF_SETUP_EXACT;
}
CF_LANES_DECLARE(struct cf_triangle_ops, cf_triangle_ops)

#endif
