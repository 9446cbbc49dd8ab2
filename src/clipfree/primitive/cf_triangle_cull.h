/* SPDX-License-Identifier: MIT */
/*
 * Culling of several triangles at once, a triangle a lane: facing, bounds and the near and far planes, for the usual kind,
 * which has all w > 0 and an area that rounding cannot hide. Part of cf_triangle_lanes.c, whose functions for one triangle
 * say the same, operation by operation; half of all triangles end here. For hosts with vectors of four f64 or more: with two
 * there is nothing to gain.
 */
#ifndef CF_TRIANGLE_CULL_H
#define CF_TRIANGLE_CULL_H

#include "clipfree/primitive/cf_triangle.h"

#include <immintrin.h>
#include <string.h>

#if defined(__AVX512DQ__)
#define CF_CULL_LANES 8
#else
#define CF_CULL_LANES 4
#endif

#define CF_CULL_MIN 3 /* fewer triangles are faster one by one */

_Static_assert(CF_TRIANGLE_BATCH % CF_CULL_LANES == 0, "a full batch leaves no lane idle");

typedef double cf_cull_vec __attribute__((vector_size(8 * CF_CULL_LANES)));
typedef int64_t cf_cull_bits __attribute__((vector_size(8 * CF_CULL_LANES)));
typedef float cf_cull_f32 __attribute__((vector_size(4 * CF_CULL_LANES)));
typedef int32_t cf_cull_i32 __attribute__((vector_size(4 * CF_CULL_LANES)));
typedef float cf_cull_row __attribute__((vector_size(16)));

/* What is known of the triangles; sets are bit per triangle. */
struct cf_culled {
   uint32_t drawn; /* of the usual kind and not culled; the rest is about these */
   uint32_t other; /* of another kind: nothing is known of them */
   uint32_t front;
   uint32_t near, far; /* some vertex is outside */
   double det[CF_CULL_LANES];
   double z_min[CF_CULL_LANES], z_max[CF_CULL_LANES]; /* window depths of the vertices */
   int32_t min_x_px[CF_CULL_LANES], min_y_px[CF_CULL_LANES], max_x_px[CF_CULL_LANES], max_y_px[CF_CULL_LANES];
};

/* Of a vertex of each triangle. */
struct cf_cull_vertex {
   cf_cull_vec x, y, z, w;
};

static inline uint32_t
cf_cull_set(cf_cull_bits lanes)
{
#if defined(__AVX512DQ__)
   return _mm512_movepi64_mask((__m512i)lanes);
#else
   return (uint32_t)_mm256_movemask_pd((__m256d)lanes);
#endif
}

/* As smaller() and larger(): a < b ? a : b, and so b if one of them is NaN, or both are zeros; that is what the instructions say,
 * too. */
static inline cf_cull_vec
cf_cull_smaller(cf_cull_vec a, cf_cull_vec b)
{
#if CF_CULL_LANES == 8
   return (cf_cull_vec)_mm512_min_pd((__m512d)a, (__m512d)b);
#else
   return (cf_cull_vec)_mm256_min_pd((__m256d)a, (__m256d)b);
#endif
}

static inline cf_cull_vec
cf_cull_larger(cf_cull_vec a, cf_cull_vec b)
{
#if CF_CULL_LANES == 8
   return (cf_cull_vec)_mm512_max_pd((__m512d)a, (__m512d)b);
#else
   return (cf_cull_vec)_mm256_max_pd((__m256d)a, (__m256d)b);
#endif
}

static inline cf_cull_vec
cf_cull_absolute(cf_cull_vec v)
{
   return (cf_cull_vec)((cf_cull_bits)v & INT64_MAX);
}

static inline cf_cull_vec
cf_cull_all(double value)
{
   return value - (cf_cull_vec){ 0 };
}

/* x, y, z and w of four records. */
static inline void
cf_cull_transpose(const float *const records[4], cf_cull_row out[4])
{
   cf_cull_row r[4];
   for (uint32_t i = 0; i < 4; i++)
      memcpy(&r[i], records[i], sizeof r[i]);
   const cf_cull_row xy01 = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5), zw01 = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
   const cf_cull_row xy23 = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5), zw23 = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
   out[0] = __builtin_shufflevector(xy01, xy23, 0, 1, 4, 5);
   out[1] = __builtin_shufflevector(xy01, xy23, 2, 3, 6, 7);
   out[2] = __builtin_shufflevector(zw01, zw23, 0, 1, 4, 5);
   out[3] = __builtin_shufflevector(zw01, zw23, 2, 3, 6, 7);
}

/* Vertex k of the triangles. */
static inline struct cf_cull_vertex
cf_cull_load(const float *const v[][3], uint32_t count, uint32_t k)
{
   const float *records[CF_CULL_LANES];
   cf_cull_vec component[4];
   for (uint32_t i = 0; i < CF_CULL_LANES; i++)
      records[i] = v[i < count ? i : 0][k];
   cf_cull_row low[4];
   cf_cull_transpose(records, low);
#if CF_CULL_LANES == 8
   cf_cull_row high[4];
   cf_cull_transpose(records + 4, high);
   for (uint32_t c = 0; c < 4; c++) {
      const cf_cull_f32 both = __builtin_shufflevector(low[c], high[c], 0, 1, 2, 3, 4, 5, 6, 7);
      component[c] = __builtin_convertvector(both, cf_cull_vec);
   }
#else
   for (uint32_t c = 0; c < 4; c++)
      component[c] = __builtin_convertvector(low[c], cf_cull_vec);
#endif
   return (struct cf_cull_vertex){ component[0], component[1], component[2], component[3] };
}

/* Twice the areas, in clip space. Returns the lanes where the sign is certain, which are finite in x, y and w. */
static inline cf_cull_bits
cf_cull_determinant(const struct cf_cull_vertex v[3], cf_cull_vec *det)
{
   const cf_cull_vec t0 = (v[1].x * v[2].y - v[1].y * v[2].x) * v[0].w;
   const cf_cull_vec t1 = (v[2].x * v[0].y - v[2].y * v[0].x) * v[1].w;
   const cf_cull_vec t2 = (v[0].x * v[1].y - v[0].y * v[1].x) * v[2].w;
   *det = (t0 + t1) + t2;
   return cf_cull_absolute(*det) > 16 * CF_UNIT * ((cf_cull_absolute(t0) + cf_cull_absolute(t1)) + cf_cull_absolute(t2));
}

static inline cf_cull_bits
cf_cull_same(const struct cf_cull_vertex *u, const struct cf_cull_vertex *v)
{
   return (u->x == v->x) & (u->y == v->y) & (u->w == v->w);
}

/* Triangles of which two vertices are one: without area, as at the poles of spheres that are drawn in strips. Worth a look before
 * real arithmetic finds it out for one triangle after the other. */
static inline uint32_t
cf_cull_collapsed(const struct cf_cull_vertex v[3])
{
   return cf_cull_set(cf_cull_same(&v[0], &v[1]) | cf_cull_same(&v[1], &v[2]) | cf_cull_same(&v[2], &v[0]));
}

/* One axis of the bounds (cf_setup_bounds): pixels first .. end - 1. Returns the lanes that have any. */
static inline uint32_t
cf_cull_bounds(const struct cf_setup *s, cf_cull_vec min, cf_cull_vec max, double limit_min, double limit_max,
               int32_t *first, int32_t *end)
{
   const double slack_px = 0x1p-12;
   const cf_cull_vec lowest = cf_cull_all(limit_min), highest = cf_cull_all(limit_max - 1);
   const cf_cull_vec a = cf_cull_larger(min - (s->high_px + slack_px), lowest);
   const cf_cull_vec b = cf_cull_smaller(max - (s->low_px - slack_px), highest);
   const uint32_t inside = cf_cull_set(a <= b);
   /* what is not inside has to be representable too */
   const cf_cull_i32 ia = __builtin_convertvector(cf_cull_smaller(a, highest), cf_cull_i32);
   const cf_cull_i32 ib = __builtin_convertvector(cf_cull_larger(b, lowest), cf_cull_i32);
   const cf_cull_bits up = __builtin_convertvector(ia, cf_cull_vec) < a; /* -1: the next pixel */
   const cf_cull_i32 from = ia - __builtin_convertvector(up, cf_cull_i32), to = ib + 1;
   const cf_cull_i32 some = from < to;
   memcpy(first, &from, sizeof from);
   memcpy(end, &to, sizeof to);
   return inside & cf_cull_set(__builtin_convertvector(some, cf_cull_bits));
}

/* The triangles' bounds and ranges of depth. Returns those that may touch a pixel. */
static inline uint32_t
cf_cull_project(const struct cf_setup *s, const struct cf_cull_vertex v[3], struct cf_culled *o)
{
   cf_cull_vec x[3], y[3], z[3];
   for (uint32_t k = 0; k < 3; k++) {
      x[k] = v[k].x / v[k].w * (double)s->viewport.sx + (double)s->viewport.tx;
      y[k] = v[k].y / v[k].w * (double)s->viewport.sy + (double)s->viewport.ty;
      z[k] = v[k].z / v[k].w * s->z_scale + s->z_translate;
   }
#define SMALLEST(p) cf_cull_smaller(cf_cull_smaller((p)[0], (p)[1]), (p)[2])
#define LARGEST(p) cf_cull_larger(cf_cull_larger((p)[0], (p)[1]), (p)[2])
   const cf_cull_vec z_min = SMALLEST(z), z_max = LARGEST(z);
   memcpy(o->z_min, &z_min, sizeof z_min);
   memcpy(o->z_max, &z_max, sizeof z_max);
   return cf_cull_bounds(s, SMALLEST(x), LARGEST(x), s->visible.min_x, s->visible.max_x, o->min_x_px, o->max_x_px) &
          cf_cull_bounds(s, SMALLEST(y), LARGEST(y), s->visible.min_y, s->visible.max_y, o->min_y_px, o->max_y_px);
#undef SMALLEST
#undef LARGEST
}

/* The near and far planes. Returns the triangles that are not outside of one of them as a whole. */
static inline uint32_t
cf_cull_planes(const struct cf_setup *s, const struct cf_cull_vertex v[3], struct cf_culled *o)
{
   const struct cf_raster *raster = &s->config->raster;
   uint32_t all_near = raster->depth_clip_near ? UINT32_MAX : 0, all_far = raster->depth_clip_far ? UINT32_MAX : 0;
   for (uint32_t k = 0; k < 3; k++) {
      const uint32_t near = cf_cull_set((raster->clip_halfz ? v[k].z : v[k].z + v[k].w) < 0.0);
      const uint32_t far = cf_cull_set(v[k].w - v[k].z < 0.0);
      o->near |= raster->depth_clip_near ? near : 0;
      o->far |= raster->depth_clip_far ? far : 0;
      all_near &= near;
      all_far &= far;
   }
   return ~(all_near | all_far);
}

/** Cull `count` triangles, at most CF_CULL_LANES, of policy exact and without user clip planes. */
static inline void
cf_cull(const struct cf_setup *s, const float *const v[][3], uint32_t count, struct cf_culled *o)
{
   const struct cf_raster *raster = &s->config->raster;
   const uint32_t all = (1u << count) - 1;
   const struct cf_cull_vertex p[3] = { cf_cull_load(v, count, 0), cf_cull_load(v, count, 1), cf_cull_load(v, count, 2) };
   cf_cull_vec det;
   const cf_cull_bits certain = cf_cull_determinant(p, &det);
   const cf_cull_bits finite_z = ((p[0].z - p[0].z) + (p[1].z - p[1].z)) + (p[2].z - p[2].z) == 0.0;
   const cf_cull_bits w0 = p[0].w > 0.0, w1 = p[1].w > 0.0, w2 = p[2].w > 0.0;
   const uint32_t usual = cf_cull_set(certain & finite_z & w0 & w1 & w2) & all;
   const uint32_t positive = cf_cull_set(det > 0.0);
   o->other = cf_cull_set(w0 | w1 | w2) & ~usual & all;
   o->other &= o->other != 0 ? ~cf_cull_collapsed(p) : 0;
   o->front = s->mirrored == raster->front_ccw ? positive : ~positive;
   o->drawn = usual & ~((raster->cull_front ? o->front : 0) | (raster->cull_back ? ~o->front : 0));
   o->near = o->far = 0;
   if (o->drawn == 0)
      return;
   memcpy(o->det, &det, sizeof det);
   o->drawn &= cf_cull_project(s, p, o);
   o->drawn &= cf_cull_planes(s, p, o);
}

#endif
