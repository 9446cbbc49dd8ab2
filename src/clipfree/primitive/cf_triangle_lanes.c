/* SPDX-License-Identifier: MIT */
/*
 * Set-up of triangles in clip space (paper A, 2.1 and 2.2): edges, facing and culling, bounds,
 * viewport mapping of the coefficients, depth plane, varyings. Only the bounds and the range of
 * depths are divided by w; nothing is clipped. Compiled once per host vector level; the three
 * edges, or vertices, are the lanes of vectors of f64.
 *
 * Policy exact: edge coefficients are f64, off by a few roundings (2^-53), and come with an error
 * bound of the edge's value at any pixel. Raster decides exactly where the value is within the
 * bound. Policies dp3 and fma: coefficients are rounded to f32 as in the paper, with error bound 0.
 */
#include "clipfree/primitive/cf_triangle.h"
#if defined(__AVX__)
#include "clipfree/primitive/cf_triangle_wide.h"
#endif

#include <math.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define CF_VERTICES 7 /* mask of the three lanes of vertices or edges */

#if defined(__AVX__)
#define widen(v) ((cf_f64x4)_mm256_cvtps_pd((__m128)(v)))
#else
#define widen(v) __builtin_convertvector((v), cf_f64x4)
#endif
#define sum3(v) (((v)[0] + (v)[1]) + (v)[2])

static inline double
smallest(const cf_f64x4 *v)
{
   return smaller(smaller((*v)[0], (*v)[1]), (*v)[2]);
}

static inline double
largest(const cf_f64x4 *v)
{
   return larger(larger((*v)[0], (*v)[1]), (*v)[2]);
}

/* ---- vertices and minors ---- */

/* Coordinates of the other two vertices, for eq. 1: lane i of xj is x of vertex i + 1, lane i of xk
 * is x of vertex i + 2. */
struct corners {
   cf_f64x4 xj, yj, wj, xk, yk, wk;
};

/* Lane i from lane i + 1, i + 2, of three */
#define NEXT(v) __builtin_shufflevector(v, v, 1, 2, 0, 3)
#define NEXT_2(v) __builtin_shufflevector(v, v, 2, 0, 1, 3)

/* False: some coordinate is not finite, or all w <= 0 (then no point of the triangle has w > 0). */
static inline bool
load(struct cf_triangle *t, struct corners *n, const float *const v[3])
{
   cf_f32x4 r[3];
   for (uint32_t i = 0; i < 3; i++) {
      t->v[i] = v[i];
      memcpy(&r[i], v[i], sizeof r[i]);
   }
   const cf_f32x4 zero = ((r[0] - r[0]) + (r[1] - r[1])) + (r[2] - r[2]); /* inf - inf is NaN */
   const cf_i32x4 finite = zero == 0.0f;
   const cf_f32x4 xy01 = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5); /* x0 x1 y0 y1 */
   const cf_f32x4 zw01 = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
   const cf_f32x4 x = __builtin_shufflevector(xy01, r[2], 0, 1, 4, 4),
                  y = __builtin_shufflevector(xy01, r[2], 2, 3, 5, 5);
   const cf_f32x4 z = __builtin_shufflevector(zw01, r[2], 0, 1, 6, 6),
                  w = __builtin_shufflevector(zw01, r[2], 2, 3, 7, 7);
   t->x = widen(x);
   t->y = widen(y);
   t->z = widen(z);
   t->w = widen(w);
   n->xj = widen(NEXT(x));
   n->yj = widen(NEXT(y));
   n->wj = widen(NEXT(w));
   n->xk = widen(NEXT_2(x));
   n->yk = widen(NEXT_2(y));
   n->wk = widen(NEXT_2(w));
   return (finite[0] & finite[1] & finite[2] & finite[3]) != 0 &&
          (cf_vec_mask(t->w > 0.0) & CF_VERTICES) != 0;
}

/* Coefficients c of eq. 1. Products of f32 are exact in f64; their difference is rounded once. */
static inline void
minors(struct cf_triangle *t, const struct corners *n)
{
   t->c = n->xj * n->yk - n->yj * n->xk;
}

/* det = sum(c_i w_i) with the right sign: computed exactly if it is within its error bound. */
static inline void
determinant(struct cf_triangle *t)
{
   const cf_f64x4 terms = t->c * t->w, sizes = cf_vec_abs(terms);
   t->det = sum3(terms);
   if (__builtin_expect(!(fabs(t->det) > 16 * CF_UNIT * sum3(sizes)), 0))
      t->det = cf_triangle_exact_det(t);
}

/* ---- bounds ---- */

/* Range of window depths, for clamping and polygon offset. */
struct depth_range {
   double min, max;
};

/* Bounds of the projected vertices, all of which have w > 0. */
static inline bool
project(const struct cf_setup *s, const struct cf_triangle *t, struct cf_prim_bounds *bounds,
        struct depth_range *range)
{
   const cf_f64x4 inv_w = 1.0 / t->w;
   const cf_f64x4 x = t->x * inv_w * (double)s->viewport.sx + (double)s->viewport.tx;
   const cf_f64x4 y = t->y * inv_w * (double)s->viewport.sy + (double)s->viewport.ty;
   const cf_f64x4 z = t->z * inv_w * s->z_scale + s->z_translate;
   range->min = smallest(&z);
   range->max = largest(&z);
   return cf_setup_bounds(s, &s->visible, smallest(&x), smallest(&y), largest(&x),
                          largest(&y), bounds);
}

/* True if all vertices lie outside one side plane of the frustum through the visible rectangle.
 * Visible samples are at least 1/8 pixel away from the sides, so rounding does not matter. */
static bool
beside_visible(const struct cf_setup *s, const struct cf_triangle *t)
{
   const cf_f64x4 x = (double)s->viewport.sx * t->x, y = (double)s->viewport.sy * t->y;
   const double tx = s->viewport.tx, ty = s->viewport.ty;
   return (cf_vec_mask(x + (tx - s->visible.min_x) * t->w < 0.0) & CF_VERTICES) == CF_VERTICES ||
          (cf_vec_mask(x + (tx - s->visible.max_x) * t->w > 0.0) & CF_VERTICES) == CF_VERTICES ||
          (cf_vec_mask(y + (ty - s->visible.min_y) * t->w < 0.0) & CF_VERTICES) == CF_VERTICES ||
          (cf_vec_mask(y + (ty - s->visible.max_y) * t->w > 0.0) & CF_VERTICES) == CF_VERTICES;
}

/* Bounds and range of depth. False: no pixel. */
static inline bool
find_bounds(const struct cf_setup *s, const struct cf_triangle *t, struct cf_prim_bounds *bounds,
            struct depth_range *range)
{
   if ((cf_vec_mask(t->w > 0.0) & CF_VERTICES) == CF_VERTICES)
      return project(s, t, bounds, range);
   *range = (struct depth_range){ -INFINITY, INFINITY };
   if (cf_limits_are_empty(&s->visible))
      return false;
   *bounds = cf_setup_all(&s->visible);
   return !beside_visible(s, t);
}

/* Planes that some vertices are outside of. False: all are outside of one. */
static inline bool
find_planes(const struct cf_setup *s, const struct cf_triangle *t, uint16_t *planes)
{
   const struct cf_raster *raster = &s->config->raster;
   if (raster->clip_planes != 0)
      return cf_setup_planes(s, t->v, 3, planes);
   const uint32_t near =
      raster->depth_clip_near
         ? cf_vec_mask((raster->clip_halfz ? t->z : t->z + t->w) < 0.0) & CF_VERTICES
         : 0;
   const uint32_t far = raster->depth_clip_far ? cf_vec_mask(t->w - t->z < 0.0) & CF_VERTICES : 0;
   *planes = (near != 0) << CF_PLANE_NEAR | (far != 0) << CF_PLANE_FAR;
   return near != CF_VERTICES && far != CF_VERTICES;
}

/* ---- edges and depth ---- */

/* Lanes where p - q is exact in f64: its rounding error (as in cf_two_sum) is 0. `difference`:
 * p - q, rounded. */
static inline uint32_t
exact_differences(const cf_f64x4 *p, const cf_f64x4 *q, const cf_f64x4 *difference)
{
   const cf_f64x4 minus_q = *difference - *p, p_again = *difference - minus_q;
   return cf_vec_mask((*p - p_again) + (-*q - minus_q) == 0.0);
}

/* Lanes where v is a multiple of the last bit (ulp) of `anchor`. Requires |v| < anchor / 4. */
static inline uint32_t
multiples(const cf_f64x4 *v, const cf_f64x4 *anchor)
{
   return cf_vec_mask((*v + *anchor) - *anchor == *v);
}

/* Mask of edges that are exact: eqs. 1 and 4 and every evaluation inside the frame buffer have no
 * rounding error. Requires coefficients of at most 29 bits (CF_SHORT_EDGE_BITS). magnitude: bound
 * of the sum of absolute terms of an evaluation of the mapped edge, not scaled. Not inline, as most
 * triangles have no such edge. */
static __attribute__((noinline)) uint32_t
exact_edges(const struct cf_setup *s, const struct cf_triangle *t, const cf_f64x4 *magnitude)
{
   const cf_f64x4 xj = NEXT(t->x), yj = NEXT(t->y), wj = NEXT(t->w), xk = NEXT_2(t->x),
                  yk = NEXT_2(t->y), wk = NEXT_2(t->w);
   const cf_f64x4 minor[3][2] = { { yj * wk, wj * yk },
                                  { wj * xk, xj * wk },
                                  { xj * yk, yj * xk } };
   const cf_f64x4 term[5] = { s->grid_px * s->ya * t->a, s->grid_px * s->xb * t->b, s->xyc * t->c,
                              s->yta * t->a, s->xtb * t->b };
   /* exact if all terms are multiples of one quantum and all sums below 2^52 quanta */
   const cf_f64x4 anchor = 6.0 * (cf_f64x4)((cf_i64x4)*magnitude & (INT64_C(0x7ff) << 52));
   uint32_t exact = s->map_short ? CF_VERTICES : 0;
   exact &= exact_differences(&minor[0][0], &minor[0][1], &t->a);
   exact &= exact_differences(&minor[1][0], &minor[1][1], &t->b);
   exact &= exact_differences(&minor[2][0], &minor[2][1], &t->c);
   for (uint32_t i = 0; i < 5; i++)
      exact &= multiples(&term[i], &anchor);
   return exact;
}

/* Set the error bound of edges to 0 that are exact everywhere. Only edges whose coefficients have
 * few bits are examined. */
static inline void
prove_exact(const struct cf_setup *s, const struct cf_triangle *t, const cf_f64x4 *magnitude,
            double factor, cf_f64x4 *error)
{
   const cf_i64x4 bits = (cf_i64x4)t->a | (cf_i64x4)t->b | (cf_i64x4)t->c;
   const uint32_t few = cf_vec_mask((bits & CF_SHORT_EDGE_BITS) == 0) & CF_VERTICES;
   if (__builtin_expect(few == 0, 1))
      return;
   const cf_f64x4 not_scaled = *magnitude / fabs(factor);
   const uint32_t exact = few & exact_edges(s, t, &not_scaled);
   for (uint32_t i = 0; i < 3; i++)
      (*error)[i] = exact >> i & 1 ? 0.0 : (*error)[i];
}

/* Store three edges; the fourth becomes +0. */
static inline void
store_edges(double to[CF_PRIM_MAX_EDGES], const cf_f64x4 *v)
{
   const cf_i64x4 three = (cf_i64x4)*v & (cf_i64x4){ -1, -1, -1, 0 };
   memcpy(to, &three, sizeof three);
}

/* Eqs. 1 and 4. factor: a power of two, negative for back faces. */
static inline void
map_edges(const struct cf_setup *s, struct cf_triangle *t, const struct corners *n, double factor,
          struct cf_prim *prim)
{
   t->a = n->yj * n->wk - n->wj * n->yk;
   t->b = n->wj * n->xk - n->xj * n->wk;
   const cf_f64x4 a = s->ya * factor * t->a, b = s->xb * factor * t->b;
   const cf_f64x4 ca = s->yta * factor * t->a, cb = s->xtb * factor * t->b,
                  cc = s->xyc * factor * t->c;
   const cf_f64x4 c = ((cc - ca) - cb) + s->half_px * (a + b);
   /* an edge value has at most 16 roundings, here and in raster, of values bounded by this sum */
   const cf_f64x4 magnitude = s->reach_px * (cf_vec_abs(a) + cf_vec_abs(b)) +
                              (cf_vec_abs(ca) + cf_vec_abs(cb) + cf_vec_abs(cc));
   cf_f64x4 error = 32 * CF_UNIT * magnitude;
   prove_exact(s, t, &magnitude, factor, &error);
   store_edges(prim->a, &a);
   store_edges(prim->b, &b);
   store_edges(prim->c, &c);
   store_edges(prim->error, &error);
}

/* Eq. 3, viewport included: z(P) = sum(e_i z_i) / sum(e_i w_i). Relative error of each coefficient:
 * about 2^-50 of its largest term. */
static inline void
depth_plane(const struct cf_setup *s, const struct cf_triangle *t, struct cf_prim *prim)
{
   const double scale = s->z_scale * prim->inv_scale;
   cf_f64x4 a, b, c;
   memcpy(&a, prim->a, sizeof a);
   memcpy(&b, prim->b, sizeof b);
   memcpy(&c, prim->c, sizeof c);
   a *= t->z;
   b *= t->z;
   c *= t->z;
   prim->z_a = sum3(a) * scale;
   prim->z_b = sum3(b) * scale;
   prim->z_c = sum3(c) * scale + s->z_translate;
}

/* A triangle that is not culled; its bounds, depths and planes are those of a filled one. */
struct visible {
   struct cf_triangle t;
   struct corners corners;
   struct cf_prim_bounds bounds;
   struct depth_range range;
   uint16_t planes;
   bool front;
};

/* A triangle without area shows its back (GL 2.1 section 2.14.1); of it there is only an outline.
 * False: nothing can be drawn. */
static __attribute__((noinline)) bool
outlines_without_area(const struct cf_raster *raster, struct visible *o)
{
   o->front = false;
   return raster->fill_back != CF_POLYGON_MODE_FILL && !raster->cull_back;
}

/* False: culled, or nothing of it can be drawn in its polygon mode. */
static inline bool
find_face(const struct cf_setup *s, const float *const v[3], struct visible *o)
{
   const struct cf_raster *raster = &s->config->raster;
   if (!load(&o->t, &o->corners, v))
      return false;
   if (s->config->policy == CF_SETUP_EXACT) {
      minors(&o->t, &o->corners);
      determinant(&o->t);
   } else
      cf_triangle_rounded_minors(s->config->policy, &o->t);
   if (!(o->t.det < 0.0 || o->t.det > 0.0))
      return outlines_without_area(raster, o);
   o->front = ((o->t.det > 0.0) == s->mirrored) ==
              raster->front_ccw; /* window y points down: ccw is det < 0 there */
   return !(o->front ? raster->cull_front : raster->cull_back);
}

/* Mask of inclusive edges (cf_setup_inclusive_edges). */
static inline uint8_t
inclusive_edges(const struct cf_setup *s, const struct cf_prim *prim)
{
   const double down = s->config->raster.bottom_edge_rule ? -1.0 : 1.0;
   cf_f64x4 a, b;
   memcpy(&a, prim->a, sizeof a);
   memcpy(&b, prim->b, sizeof b);
   return cf_vec_mask((a > 0.0) | ((a == 0.0) & (b * down > 0.0))) & CF_VERTICES;
}

/* Fill in all of a primitive but polygon offset, depth range and varyings. */
static inline void
fill(const struct cf_setup *s, struct visible *o, struct cf_prim *prim)
{
   const double weight = fabs(o->t.det * s->xyc); /* sum(e_i w_i), e_i mapped */
   const double scale = cf_scale_to_one(weight), factor = o->t.det < 0.0 ? -scale : scale;
   prim->inv_scale = 1.0 / (weight * scale);
   if (s->config->policy == CF_SETUP_EXACT) {
      map_edges(s, &o->t, &o->corners, factor, prim);
      depth_plane(s, &o->t, prim);
   } else {
      cf_triangle_rounded_edges(s, &o->t, factor, prim);
      cf_triangle_rounded_depth(s, &o->t, prim);
   }
   for (uint32_t i = 0; i < 3; i++)
      memcpy(prim->vertex[i], o->t.v[i], sizeof prim->vertex[i]);
   prim->bounds = o->bounds;
   prim->inclusive = inclusive_edges(s, prim);
   prim->front = o->front;
   prim->flipped = factor < 0.0;
   prim->planes = o->planes;
   cf_triangle_constants(prim);
}

/* Add polygon offset, depth range and varyings to a filled primitive, and commit it. */
static inline void
finish(const struct cf_setup *s, const struct visible *o, double z_offset, struct cf_prim *prim,
       const float *provoking, float (*varyings)[3])
{
   prim->z_c += z_offset;
   cf_setup_depth_range(s, prim, o->range.min + z_offset, o->range.max + z_offset);
   cf_setup_finish(s, prim, o->t.v, provoking, varyings);
}

static inline double
depth_offset(const struct cf_setup *s, const struct visible *o, const struct cf_prim *prim)
{
   return cf_setup_depth_offset(s, larger(fabs(prim->z_a), fabs(prim->z_b)), o->range.max);
}

static inline void
setup_area(const struct cf_setup *s, struct visible *o, const float *provoking)
{
   float(*varyings)[3];
   if (!find_bounds(s, &o->t, &o->bounds, &o->range) || !find_planes(s, &o->t, &o->planes))
      return;
   struct cf_prim *prim = cf_setup_reserve(s, &varyings);
   if (prim == NULL)
      return;
   fill(s, o, prim);
   finish(s, o, s->config->raster.offset_fill ? depth_offset(s, o, prim) : 0.0, prim, provoking,
          varyings);
}

/* The outline's pixels are not the area's: it is drawn even where the area has none. */
static __attribute__((noinline)) void
setup_outline(const struct cf_setup *s, struct visible *o, enum cf_polygon_mode mode,
              const float *provoking, uint32_t edge_flags)
{
   const struct cf_raster *raster = &s->config->raster;
   struct cf_face face = { .front = o->front };
   if (mode == CF_POLYGON_MODE_LINE ? raster->offset_line : raster->offset_point) {
      struct cf_prim area = { 0 }; /* of a triangle without area: it has no slope */
      o->bounds = (struct cf_prim_bounds){ 0 };
      o->planes = 0;
      find_bounds(s, &o->t, &o->bounds, &o->range);
      if (o->t.det != 0.0)
         fill(s, o, &area);
      face.z_offset = depth_offset(s, o, &area);
   }
   cf_triangle_outline(s, mode, o->t.v, provoking, edge_flags, &face);
}

static void
setup(const struct cf_setup *s, const float *const v[3], const float *provoking,
      uint32_t edge_flags)
{
   const struct cf_raster *raster = &s->config->raster;
   struct visible o;
   if (!find_face(s, v, &o))
      return;
   const enum cf_polygon_mode mode = o.front ? raster->fill_front : raster->fill_back;
   if (mode == CF_POLYGON_MODE_FILL)
      setup_area(s, &o, provoking);
   else
      setup_outline(s, &o, mode, provoking, edge_flags);
}

/* ---- many triangles ---- */

#if defined(__AVX__)

/* Cull a batch of triangles. drawn, other: as in struct cf_culled. */
static inline void
cull(const struct cf_setup *s, const float *const v[][3], uint32_t count, uint64_t *drawn,
     uint64_t *other)
{
   *drawn = *other = 0;
   for (uint32_t begin = 0; begin < count; begin += CF_CULL_LANES) {
      const uint32_t n = count - begin < CF_CULL_LANES ? count - begin : CF_CULL_LANES;
      const float *const *t[CF_CULL_LANES];
      struct cf_culled culled;
      for (uint32_t i = 0; i < CF_CULL_LANES; i++)
         t[i] = v[begin + (i < n ? i : 0)];
      cf_cull(s, t, n, &culled);
      *drawn |= (uint64_t)culled.drawn << begin;
      *other |= (uint64_t)culled.other << begin;
   }
}

/* Set up the first triangles in *left together, one per lane, up to the first one in `other`, and
 * remove them from *left. Spare lanes repeat the first triangle. False: fewer than CF_CULL_MIN,
 * none is set up. */
static inline bool
setup_together(const struct cf_setup *s, const float *const v[][3], const float *const *provoking,
               uint32_t stride, uint64_t *left, uint64_t other)
{
   const float *const *t[CF_CULL_LANES], *from[CF_CULL_LANES];
   uint64_t rest = *left;
   uint32_t count = 0;
   for (; rest != 0 && count < CF_CULL_LANES; rest &= rest - 1) {
      const uint32_t i = __builtin_ctzll(rest);
      if (other >> i & 1)
         break;
      t[count] = v[i];
      from[count++] = provoking[i * stride];
   }
   if (count < CF_CULL_MIN)
      return false;
   for (uint32_t i = count; i < CF_CULL_LANES; i++)
      t[i] = t[0];
   cf_wide_setup(s, t, from, count);
   *left = rest;
   return true;
}

static void
setup_filled(const struct cf_setup *s, const float *const v[][3], const float *const *provoking,
             uint32_t stride, uint32_t count)
{
   uint64_t drawn = 0, other = UINT64_MAX >> (CF_TRIANGLE_BATCH - count), left;
   if (count >= CF_CULL_MIN)
      cull(s, v, count, &drawn, &other);
   for (left = drawn | other; left != 0;) {
      const uint32_t i = __builtin_ctzll(left);
      if (setup_together(s, v, provoking, stride, &left, other))
         continue;
      setup(s, v[i], provoking[i * stride], CF_EDGES_ALL);
      left &= left - 1;
   }
}

#else

static void
setup_filled(const struct cf_setup *s, const float *const v[][3], const float *const *provoking,
             uint32_t stride, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++)
      setup(s, v[i], provoking[i * stride], CF_EDGES_ALL);
}

#endif

const struct cf_triangle_ops CF_LANES(cf_triangle_ops) = {
   .setup = setup,
   .setup_filled = setup_filled,
};
