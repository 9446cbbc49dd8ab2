/* SPDX-License-Identifier: MIT */
/*
 * Set-up of four triangles at once, a triangle a lane, of the usual kind that culling has left
 * (cf_triangle_cull.h). Part of cf_triangle_lanes.c. Invariant: the same operations in the same
 * order as in its functions for one triangle (named in parentheses below), so the same bits. Lanes
 * are transposed into primitives at the end.
 */
#ifndef CF_TRIANGLE_WIDE_H
#define CF_TRIANGLE_WIDE_H

#include "clipfree/base/cf_for.h"
#include "clipfree/primitive/cf_triangle_cull.h"
#include "clipfree/primitive/cf_wide_rows.h"

#include <math.h>
#include <stddef.h>

/* Triangles during their set-up; bits: a set of lanes. */
struct cf_wide {
   struct cf_wide_vertex v[3];
   cf_f64x4 c[3], det;   /* eq. 1: edge i is V(i+1) x V(i+2) */
   cf_f64x4 factor;      /* a power of two, negative for back faces */
   uint32_t left;        /* bit per triangle that may touch a pixel; the rest is about these */
   cf_i64x4 near, far;   /* some vertex is outside */
   cf_f64x4 z_min, z_max; /* window depths of the vertices */
   cf_i64x4 bounds;       /* struct cf_prim_bounds */
};

/* Primitives are written in rows (cf_wide_rows.h). */
_Static_assert(offsetof(struct cf_prim, inv_scale) ==
                  offsetof(struct cf_prim, z_a) + 3 * sizeof(double),
               "a row");
_Static_assert(offsetof(struct cf_prim, z_a) == offsetof(struct cf_prim, z_min) + 32, "a row");
_Static_assert(offsetof(struct cf_prim, stipple_origin_px) == offsetof(struct cf_prim, shape) + 8,
               "shape .. planes");

/* Shift of a one-byte member within the 8 bytes from `shape` on. */
#define CF_WIDE_SHIFT(field)                                                                       \
   (8 * (offsetof(struct cf_prim, field) - offsetof(struct cf_prim, shape)))
#define CF_WIDE_BYTE(field, value) ((int64_t)(value) << CF_WIDE_SHIFT(field))

/* ---- culling ---- */

/* Pixel bounds on one axis (cf_setup_bounds): low .. high - 1. */
struct cf_wide_range {
   cf_i64x4 low, high;
};

/* Returns the lanes that have pixels. */
static inline cf_i64x4
cf_wide_bounds(const struct cf_setup *s, cf_f64x4 min, cf_f64x4 max, double limit_min,
               double limit_max, struct cf_wide_range *range)
{
   const double slack_px = 0x1p-12;
   const cf_f64x4 lowest = CF_SPLAT(cf_f64x4, limit_min),
                  highest = CF_SPLAT(cf_f64x4, limit_max - 1);
   const cf_f64x4 a = cf_vec_larger(min - (s->high_px + slack_px), lowest);
   const cf_f64x4 b = cf_vec_smaller(max - (s->low_px - slack_px), highest);
   /* the conversion must not overflow in lanes without pixels either */
   const cf_i32x4 ia = __builtin_convertvector(cf_vec_smaller(a, highest), cf_i32x4);
   const cf_i32x4 ib = __builtin_convertvector(cf_vec_larger(b, lowest), cf_i32x4);
   const cf_i64x4 up = __builtin_convertvector(ia, cf_f64x4) < a; /* -1: the next pixel */
   range->low = __builtin_convertvector(ia, cf_i64x4) - up;
   range->high = __builtin_convertvector(ib, cf_i64x4) + 1;
   return (a <= b) & (range->low < range->high);
}

/* The triangles' bounds and ranges of depth. Returns those that may touch a pixel. */
static inline cf_i64x4
cf_wide_project(const struct cf_setup *s, struct cf_wide *o)
{
   struct cf_wide_range range_x, range_y;
   cf_f64x4 x[3], y[3], z[3];
   for (uint32_t k = 0; k < 3; k++) {
      const cf_f64x4 inv_w = 1.0 / o->v[k].w;
      x[k] = o->v[k].x * inv_w * (double)s->viewport.sx + (double)s->viewport.tx;
      y[k] = o->v[k].y * inv_w * (double)s->viewport.sy + (double)s->viewport.ty;
      z[k] = o->v[k].z * inv_w * s->z_scale + s->z_translate;
   }
#define SMALLEST(p) cf_vec_smaller(cf_vec_smaller((p)[0], (p)[1]), (p)[2])
#define LARGEST(p) cf_vec_larger(cf_vec_larger((p)[0], (p)[1]), (p)[2])
   o->z_min = SMALLEST(z);
   o->z_max = LARGEST(z);
   const cf_i64x4 any =
      cf_wide_bounds(s, SMALLEST(x), LARGEST(x), s->visible.min_x, s->visible.max_x, &range_x) &
      cf_wide_bounds(s, SMALLEST(y), LARGEST(y), s->visible.min_y, s->visible.max_y, &range_y);
#undef SMALLEST
#undef LARGEST
   o->bounds = range_x.low | range_y.low << 16 | range_x.high << 32 | range_y.high << 48;
   return any;
}

/* Which triangles the near and far planes cut. Returns those wholly outside one of them. */
static inline cf_i64x4
cf_wide_planes(const struct cf_setup *s, struct cf_wide *o)
{
   const struct cf_raster *raster = &s->config->raster;
   cf_i64x4 near[3], far[3];
   for (uint32_t k = 0; k < 3; k++) {
      const struct cf_wide_vertex *v = &o->v[k];
      near[k] =
         ((raster->clip_halfz ? v->z : v->z + v->w) < 0.0) & -(int64_t)raster->depth_clip_near;
      far[k] = (v->w - v->z < 0.0) & -(int64_t)raster->depth_clip_far;
   }
   o->near = near[0] | near[1] | near[2];
   o->far = far[0] | far[1] | far[2];
   return (near[0] & near[1] & near[2]) | (far[0] & far[1] & far[2]);
}

/* ---- edges ---- */

/* The minors c of the edges, and from them the determinants. */
static inline void
cf_wide_minors(struct cf_wide *o)
{
   const struct cf_wide_vertex *v = o->v;
   cf_f64x4 term[3];
   for (uint32_t i = 0; i < 3; i++) {
      const struct cf_wide_vertex *j = &v[(i + 1) % 3], *k = &v[(i + 2) % 3];
      o->c[i] = j->x * k->y - j->y * k->x;
      term[i] = o->c[i] * v[i].w;
   }
   o->det = (term[0] + term[1]) + term[2];
}

/* Lanes where p - q is exact in f64 (exact_differences). */
static inline uint32_t
cf_wide_exact_differences(cf_f64x4 p, cf_f64x4 q)
{
   const cf_f64x4 difference = p - q, minus_q = difference - p, p_again = difference - minus_q;
   return cf_vec_mask((p - p_again) + (-q - minus_q) == 0.0);
}

/* An edge of each triangle, eq. 1: a, b, c. */
struct cf_wide_edge {
   cf_f64x4 a, b, c;
};

/* Lanes where the edge from vertex j to k has no rounding error (exact_edges). Not inline, as most
 * triangles have no such edge. */
static __attribute__((noinline)) uint32_t
cf_wide_exact(const struct cf_setup *s, const struct cf_wide_vertex *j,
              const struct cf_wide_vertex *k, const struct cf_wide_edge *e,
              const cf_f64x4 *magnitude)
{
   const cf_f64x4 term[5] = { s->grid_px * s->ya * e->a, s->grid_px * s->xb * e->b, s->xyc * e->c,
                              s->yta * e->a, s->xtb * e->b };
   const cf_f64x4 anchor = 6.0 * (cf_f64x4)((cf_i64x4)*magnitude & (INT64_C(0x7ff) << 52));
   uint32_t exact = s->map_short ? UINT32_MAX : 0;
   exact &= cf_wide_exact_differences(j->y * k->w, j->w * k->y);
   exact &= cf_wide_exact_differences(j->w * k->x, j->x * k->w);
   exact &= cf_wide_exact_differences(j->x * k->y, j->y * k->x);
   for (uint32_t i = 0; i < 5; i++)
      exact &= cf_vec_mask((term[i] + anchor) - anchor == term[i]);
   return exact;
}

/* Error bound of an edge; 0 where it is proven exact (prove_exact). */
static inline cf_f64x4
cf_wide_error(const struct cf_setup *s, const struct cf_wide *o, const struct cf_wide_vertex *j,
              const struct cf_wide_vertex *k, const struct cf_wide_edge *e, cf_f64x4 magnitude)
{
   cf_f64x4 error = 32 * CF_UNIT * magnitude;
   const cf_i64x4 bits = (cf_i64x4)e->a | (cf_i64x4)e->b | (cf_i64x4)e->c;
   const uint32_t few = cf_vec_mask((bits & CF_SHORT_EDGE_BITS) == 0) & o->left;
   if (__builtin_expect(few == 0, 1))
      return error;
   const cf_f64x4 not_scaled = magnitude / cf_vec_abs(o->factor);
   const uint32_t exact = few & cf_wide_exact(s, j, k, e, &not_scaled);
   for (uint32_t i = 0; i < CF_CULL_LANES; i++)
      error[i] = exact >> i & 1 ? 0.0 : error[i];
   return error;
}

/* Edge i, eqs. 1 and 4 (map_edges). *error: bound of the error of its value at any pixel. */
static inline struct cf_wide_edge
cf_wide_map(const struct cf_setup *s, const struct cf_wide *o, uint32_t i, cf_f64x4 *error)
{
   const struct cf_wide_vertex *j = &o->v[(i + 1) % 3], *k = &o->v[(i + 2) % 3];
   const cf_f64x4 factor = o->factor;
   const struct cf_wide_edge e = { j->y * k->w - j->w * k->y, j->w * k->x - j->x * k->w, o->c[i] };
   const cf_f64x4 a = s->ya * factor * e.a, b = s->xb * factor * e.b;
   const cf_f64x4 ca = s->yta * factor * e.a, cb = s->xtb * factor * e.b,
                  cc = s->xyc * factor * e.c;
   const cf_f64x4 magnitude = s->reach_px * (cf_vec_abs(a) + cf_vec_abs(b)) +
                              (cf_vec_abs(ca) + cf_vec_abs(cb) + cf_vec_abs(cc));
   *error = cf_wide_error(s, o, j, k, &e, magnitude);
   return (struct cf_wide_edge){ a, b, ((cc - ca) - cb) + s->half_px * (a + b) };
}

/* Bit i: edge i is inclusive (inclusive_edges). */
static inline cf_i64x4
cf_wide_inclusive(const struct cf_setup *s, const struct cf_wide_edge e[3])
{
   const double down = s->config->raster.bottom_edge_rule ? -1.0 : 1.0;
   cf_i64x4 inclusive = { 0 };
   for (uint32_t i = 0; i < 3; i++)
      inclusive |= ((e[i].a > 0.0) | ((e[i].a == 0.0) & (e[i].b * down > 0.0))) & (INT64_C(1) << i);
   return inclusive;
}

/* ---- primitives ---- */

/* Eq. 3 (depth_plane): a coefficient of the depth plane from that of the three edges. */
static inline cf_f64x4
cf_wide_depth(const struct cf_wide *o, cf_f64x4 e0, cf_f64x4 e1, cf_f64x4 e2, cf_f64x4 scale)
{
   return ((e0 * o->v[0].z + e1 * o->v[1].z) + e2 * o->v[2].z) * scale;
}

/* Polygon offset, one triangle after the other. */
static __attribute__((noinline)) void
cf_wide_offset(const struct cf_setup *s, const struct cf_wide *o, const cf_f64x4 *z_a,
               const cf_f64x4 *z_b, cf_f64x4 *offset)
{
   for (uint32_t i = 0; i < CF_CULL_LANES; i++)
      (*offset)[i] =
         cf_setup_depth_offset(s, larger(fabs((*z_a)[i]), fabs((*z_b)[i])), o->z_max[i]);
}

/* Depth plane, depth range and bounds. config and varyings, which follow, are set at the end. */
static inline void
cf_wide_store_depth(const struct cf_setup *s, const struct cf_wide *o,
                    const struct cf_wide_edge e[3], cf_f64x4 inv_scale,
                    struct cf_prim *const prim[CF_CULL_LANES])
{
   const cf_f64x4 scale = s->z_scale * inv_scale, zero = { 0 };
   const cf_f64x4 z_a = cf_wide_depth(o, e[0].a, e[1].a, e[2].a, scale);
   const cf_f64x4 z_b = cf_wide_depth(o, e[0].b, e[1].b, e[2].b, scale);
   const cf_f64x4 z_c = cf_wide_depth(o, e[0].c, e[1].c, e[2].c, scale) + s->z_translate;
   cf_f64x4 offset = zero;
   if (s->config->raster.offset_fill)
      cf_wide_offset(s, o, &z_a, &z_b, &offset);
   cf_wide_store(prim, offsetof(struct cf_prim, z_a), z_a, z_b, z_c + offset, inv_scale);
   const cf_i64x4 z_min = cf_wide_clamp(o->z_min + offset, s->z_low, s->z_high);
   const cf_i64x4 z_max = cf_wide_clamp(o->z_max + offset, s->z_low, s->z_high);
   cf_wide_store(prim, offsetof(struct cf_prim, z_min), (cf_f64x4)(z_min | z_max << 32),
                 (cf_f64x4)o->bounds, zero, zero);
}

/* shape .. planes */
static inline void
cf_wide_store_flags(const struct cf_setup *s, const struct cf_wide *o,
                    const struct cf_wide_edge e[3], struct cf_prim *const prim[CF_CULL_LANES])
{
   const cf_i64x4 negative = o->det < 0.0;
   const cf_i64x4 front = s->mirrored == s->config->raster.front_ccw ? ~negative : negative;
   const cf_i64x4 flags = cf_wide_inclusive(s, e) << CF_WIDE_SHIFT(inclusive) |
                          (front & CF_WIDE_BYTE(front, 1)) | (negative & CF_WIDE_BYTE(flipped, 1)) |
                          (o->near & CF_WIDE_BYTE(planes, 1 << CF_PLANE_NEAR)) |
                          (o->far & CF_WIDE_BYTE(planes, 1 << CF_PLANE_FAR)) |
                          CF_WIDE_BYTE(shape, CF_SHAPE_TRIANGLE) | CF_WIDE_BYTE(edges, 3);
   for (uint32_t i = 0; i < CF_CULL_LANES; i++) {
      const int64_t bytes = flags[i];
      memcpy((uint8_t *)prim[i] + offsetof(struct cf_prim, shape), &bytes, sizeof bytes);
      prim[i]->first_edge = 0;
      prim[i]->replicated = false;
   }
}

/* Edges, depths and flags, as in fill() and finish(). */
static inline void
cf_wide_fill(const struct cf_setup *s, struct cf_wide *o, struct cf_prim *const prim[CF_CULL_LANES])
{
   const cf_f64x4 zero = { 0 }, weight = cf_vec_abs(o->det * s->xyc),
                  scale = cf_wide_scale_to_one(weight);
   struct cf_wide_edge e[3];
   cf_f64x4 error[3];
   o->factor = (cf_f64x4)((cf_i64x4)scale | ((cf_i64x4)o->det & INT64_MIN));
   for (uint32_t i = 0; i < 3; i++)
      e[i] = cf_wide_map(s, o, i, &error[i]);
   cf_wide_store(prim, offsetof(struct cf_prim, error), error[0], error[1], error[2], zero);
   cf_wide_store(prim, offsetof(struct cf_prim, a), e[0].a, e[1].a, e[2].a, zero);
   cf_wide_store(prim, offsetof(struct cf_prim, b), e[0].b, e[1].b, e[2].b, zero);
   cf_wide_store(prim, offsetof(struct cf_prim, c), e[0].c, e[1].c, e[2].c, zero);
   cf_wide_store_depth(s, o, e, 1.0 / (weight * scale), prim);
   cf_wide_store_flags(s, o, e, prim);
}

/** Set up the first `count` of the triangles, of the usual kind, in order. t: their vertex records.
 */
static inline void
cf_wide_setup(const struct cf_setup *s, const float *const *const t[CF_CULL_LANES],
              const float *const provoking[CF_CULL_LANES], uint32_t count)
{
   struct cf_wide o;
   struct cf_prim nowhere, *reserved[CF_CULL_LANES], *prim[CF_CULL_LANES];
   float(*varyings[CF_CULL_LANES])[3];
   for (uint32_t k = 0; k < 3; k++)
      o.v[k] = cf_wide_load(t, k);
   o.left = cf_vec_mask(cf_wide_project(s, &o) & ~cf_wide_planes(s, &o)) & ((1u << count) - 1);
   const uint32_t drawn = __builtin_popcount(o.left);
   if (drawn == 0 || !s->sink->reserve(s->sink->user, drawn, reserved, varyings))
      return;
   for (uint32_t i = 0, n = 0; i < CF_CULL_LANES; n += o.left >> i++ & 1)
      prim[i] = o.left >> i & 1 ? reserved[n] : &nowhere;
   cf_wide_minors(&o);
   cf_wide_fill(s, &o, prim);
   uint32_t n = 0;
   CF_FOR_BITS (i, o.left) {
      for (uint32_t k = 0; k < 3; k++)
         memcpy(reserved[n]->vertex[k], t[i][k], sizeof reserved[n]->vertex[k]);
      cf_setup_finish(s, reserved[n], t[i], provoking[i], varyings[n]);
      n++;
   }
}

#endif
