/* SPDX-License-Identifier: MIT */
/*
 * Set-up of four points at once, a point a lane, where cf_points_are_batched. Compiled once per
 * host vector level. Invariant: the same operations in the same order as in cf_point.c (functions
 * named in parentheses below), so the same bits. Lanes are transposed into primitives at the end.
 */
#include "clipfree/primitive/cf_point.h"
#if defined(__AVX__)
#include "clipfree/base/cf_for.h"
#include "clipfree/interface/cf_limits.h"
#include "clipfree/primitive/cf_wide_rows.h"
#endif

static const struct cf_face no_face = { .front = true };

static void
setup_each(const struct cf_setup *s, const float *const *v, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++)
      cf_setup_point(s, v[i], v[i], &no_face);
}

#if defined(__AVX__)

_Static_assert(CF_POINT_BATCH == CF_WIDE_LANES, "a point a lane");

/* Squares of the window around the vertices (struct square). */
struct wide_points {
   struct cf_wide_vertex v;
   cf_f64x4 inv_w, x, y, size;
   cf_i64x4 bounds; /* struct cf_prim_bounds */
};

/* (cf_vertex_is_finite, in_view_volume, inside_planes) */
static inline cf_i64x4
are_visible(const struct cf_setup *s, const struct cf_wide_vertex *v)
{
   const struct cf_raster *raster = &s->config->raster;
   const cf_f64x4 none = (v->x - v->x) + (v->y - v->y) + (v->z - v->z) + (v->w - v->w);
   cf_i64x4 visible = (none == 0.0) & (v->w > 0.0); /* inf - inf is NaN */
   if (!raster->cut_to_viewport)
      visible &= (cf_vec_abs(v->x) <= v->w) & (cf_vec_abs(v->y) <= v->w);
   if (raster->depth_clip_near)
      visible &= (raster->clip_halfz ? v->z : v->z + v->w) >= 0.0;
   if (raster->depth_clip_far)
      visible &= v->w - v->z >= 0.0;
   return visible;
}

/* (window_centre) */
static inline cf_f64x4
window_centres(cf_f64x4 window)
{
   const cf_f64x4 far = CF_SPLAT(cf_f64x4, CF_POINT_FAR_PX),
                  near = cf_vec_smaller(cf_vec_larger(window, -far), far);
   return cf_wide_floor(near * (double)CF_POINT_SUBPIXELS + 0.5) * (1.0 / CF_POINT_SUBPIXELS);
}

/* (grid_centre) */
static inline cf_f64x4
grid_centres(cf_f64x4 window, cf_i64x4 is_odd)
{
   return cf_vec_choose(is_odd, cf_wide_floor(window) + 0.5, cf_wide_floor(window + 0.5));
}

/* (point_square) t: the vertex records. Returns the points that have a size. */
static inline cf_i64x4
find_squares(const struct cf_setup *s, const float *const *t, struct wide_points *p)
{
   const struct cf_raster *raster = &s->config->raster;
   const cf_f64x4 least = CF_SPLAT(cf_f64x4, CF_MIN_SIZE_PX),
                  most = CF_SPLAT(cf_f64x4, CF_MAX_SIZE_PX);
   cf_f64x4 size = CF_SPLAT(cf_f64x4, (double)raster->point_size_px);
   if (raster->point_size_per_vertex)
      size = (cf_f64x4){ t[0][4], t[1][4], t[2][4], t[3][4] };
   const cf_i64x4 has_size = size - size == 0.0; /* inf - inf is NaN */
   p->size = cf_vec_smaller(cf_vec_larger(size, least), most);
   p->x = window_centres(p->v.x * p->inv_w * (double)s->viewport.sx + (double)s->viewport.tx);
   p->y = window_centres(p->v.y * p->inv_w * (double)s->viewport.sy + (double)s->viewport.ty);
   if (cf_points_are_plain(raster)) {
      p->size = cf_wide_floor(p->size + 0.5);
      const cf_i32x4 whole = __builtin_convertvector(p->size, cf_i32x4);
      const cf_i64x4 is_odd = (__builtin_convertvector(whole, cf_i64x4) & 1) == 1;
      p->x = grid_centres(p->x, is_odd);
      p->y = grid_centres(p->y, is_odd);
   }
   return has_size;
}

/* (pixel_range) As *min .. *max - 1. Returns the lanes that have any. */
static inline cf_i64x4
pixel_ranges(cf_f64x4 low, cf_f64x4 high, bool low_owns, double begin, double end, cf_i64x4 *min,
             cf_i64x4 *max)
{
   const cf_f64x4 first = low_owns ? cf_wide_ceil(low) : cf_wide_floor(low) + 1.0,
                  last = low_owns ? cf_wide_ceil(high) : cf_wide_floor(high) + 1.0;
   const cf_f64x4 from = cf_vec_larger(first, CF_SPLAT(cf_f64x4, begin)),
                  to = cf_vec_smaller(last, CF_SPLAT(cf_f64x4, end));
   *min = __builtin_convertvector(__builtin_convertvector(from, cf_i32x4), cf_i64x4);
   *max = __builtin_convertvector(__builtin_convertvector(to, cf_i32x4), cf_i64x4);
   return from < to;
}

/* (point_bounds) Returns the points that have pixels. */
static inline cf_i64x4
find_bounds(const struct cf_setup *s, struct wide_points *p)
{
   const bool at_centres = cf_points_cover_centres(s->config);
   const double low_px = at_centres ? s->half_px : s->low_px,
                high_px = at_centres ? s->half_px : s->high_px;
   const struct cf_limits_px *limits = cf_point_limits(s);
   const cf_f64x4 r = p->size / 2.0;
   cf_i64x4 min_x, max_x, min_y, max_y;
   const cf_i64x4 any =
      pixel_ranges(p->x - r - high_px, p->x + r - low_px, true, limits->min_x, limits->max_x,
                   &min_x, &max_x) &
      pixel_ranges(p->y - r - high_px, p->y + r - low_px, !s->config->raster.bottom_edge_rule,
                   limits->min_y, limits->max_y, &min_y, &max_y);
   p->bounds = min_x | min_y << 16 | max_x << 32 | max_y << 48;
   return any;
}

/* (set_point) But for the vertices. config and varyings are set at the end. */
static inline void
fill(const struct cf_setup *s, const struct wide_points *p,
     struct cf_prim *const prim[CF_WIDE_LANES])
{
   const double t_sign = cf_point_t_sign(&s->config->raster);
   const cf_f64x4 zero = { 0 }, one = CF_SPLAT(cf_f64x4, 1.0);
   const cf_f64x4 z_c = p->v.z * p->inv_w * s->z_scale + s->z_translate + no_face.z_offset;
   const cf_i64x4 z = cf_wide_clamp(z_c, s->z_low, s->z_high);
   cf_wide_store(prim, offsetof(struct cf_prim, z_min), (cf_f64x4)(z | z << 32),
                 (cf_f64x4)p->bounds, zero, zero);
   cf_wide_store(prim, offsetof(struct cf_prim, z_a), zero, zero, z_c, p->inv_w);
   cf_wide_store(prim, offsetof(struct cf_prim, point), one / p->size,
                 0.5 + (s->half_px - p->x) / p->size, t_sign / p->size,
                 0.5 + t_sign * ((s->half_px - p->y) / p->size));
}

/* Commit the points in `drawn`. */
static inline void
commit(const struct cf_setup *s, const struct wide_points *p, uint32_t drawn, const float *const *v)
{
   static const struct cf_prim usual = { .shape = CF_SHAPE_POINT, .front = true };
   const size_t flags_B = offsetof(struct cf_prim, shape);
   struct cf_wide_prims prims;
   if (!cf_wide_reserve(s, drawn, &prims))
      return;
   fill(s, p, prims.of_lane);
   CF_FOR_BITS(i, drawn) {
      struct cf_prim *prim = prims.of_lane[i];
      memcpy((uint8_t *)prim + flags_B, &usual.shape,
             offsetof(struct cf_prim, point_vertex) - flags_B);
      memcpy(prim->point_vertex, v[i], sizeof prim->point_vertex);
      cf_setup_finish(s, prim, &v[i], v[i], prims.varyings[i]);
   }
}

static void
setup(const struct cf_setup *s, const float *const *v, uint32_t count)
{
   const float *t[CF_WIDE_LANES];
   const float *const *record[CF_WIDE_LANES];
   if (count == 1) {
      setup_each(s, v, count);
      return;
   }
   for (uint32_t i = 0; i < CF_WIDE_LANES; i++) {
      t[i] = v[i < count ? i : 0];
      record[i] = &t[i];
   }
   struct wide_points p = { .v = cf_wide_load(record, 0) };
   p.inv_w = 1.0 / p.v.w;
   const cf_i64x4 visible = are_visible(s, &p.v), has_size = find_squares(s, t, &p);
   const cf_i64x4 drawn = visible & has_size & find_bounds(s, &p);
   commit(s, &p, cf_vec_mask(drawn) & ((1u << count) - 1), t);
}

#else

static void
setup(const struct cf_setup *s, const float *const *v, uint32_t count)
{
   setup_each(s, v, count);
}

#endif

const struct cf_point_ops CF_LANES(cf_point_ops) = { .setup = setup };
