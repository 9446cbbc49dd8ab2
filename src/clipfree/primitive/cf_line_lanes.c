/* SPDX-License-Identifier: MIT */
/*
 * Set-up of four lines at once, a line a lane, of the usual kind: both ends are in front of the eye
 * and finite. Other lines are left to cf_setup_line. Compiled once per host vector level.
 * Invariant: the same operations in the same order as there (functions named in parentheses below),
 * so the same bits. Lanes are transposed into primitives at the end.
 */
#include "clipfree/primitive/cf_line.h"
#if defined(__AVX__)
#include "clipfree/base/cf_for.h"
#include "clipfree/primitive/cf_wide_rows.h"
#endif

static const struct cf_face no_face = { .front = true };

static void
setup_each(const struct cf_setup *s, const float *const v[][2], const float *const *provoking,
           uint32_t count)
{
   uint32_t stipple = 0;
   for (uint32_t i = 0; i < count; i++)
      cf_setup_line(s, v[i][0], v[i][1], provoking[i], &no_face, &stipple);
}

#if defined(__AVX__)

_Static_assert(CF_LINE_BATCH == CF_WIDE_LANES, "a line a lane");

/* An end of each line: x and y in the window, homogeneous. */
struct wide_ends {
   cf_f64x4 x, y, z, w, x_px, y_px;
};

/* The lines a x + b y + c = 0 (struct equation, struct line). */
struct wide_lines {
   struct wide_ends e[2];
   cf_f64x4 a, b, c, det;
   cf_i64x4 x_major;
   cf_f64x4 direction_x, direction_y;
   cf_f64x4 length_px; /* where `itself` */
   double half_width_px;
   bool rectangle, itself;
   cf_i64x4 near, far; /* some vertex is outside */
   cf_i64x4 bounds;    /* struct cf_prim_bounds */
};

/* An edge function of each line. */
struct edges {
   cf_f64x4 a, b, c;
};

/* Lines of the usual kind. */
static inline uint32_t
usual(const struct cf_wide_vertex v[2])
{
   cf_i64x4 usual = (v[0].w > 0.0) & (v[1].w > 0.0);
   for (uint32_t k = 0; k < 2; k++)
      usual &= ((v[k].x - v[k].x) + (v[k].y - v[k].y)) + ((v[k].z - v[k].z) + (v[k].w - v[k].w)) ==
               0.0; /* inf - inf is NaN */
   return cf_vec_mask(usual);
}

/* (window_end) */
static inline struct wide_ends
window_ends(const struct cf_setup *s, const struct cf_wide_vertex *v)
{
   struct wide_ends e = { .x = (double)s->viewport.sx * v->x + (double)s->viewport.tx * v->w,
                          .y = (double)s->viewport.sy * v->y + (double)s->viewport.ty * v->w,
                          .z = v->z,
                          .w = v->w };
   e.x_px = cf_wide_floor(e.x / e.w * (double)CF_SUBPIXELS + 0.5) * (1.0 / CF_SUBPIXELS);
   e.y_px = cf_wide_floor(e.y / e.w * (double)CF_SUBPIXELS + 0.5) * (1.0 / CF_SUBPIXELS);
   e.x = e.x_px * e.w;
   e.y = e.y_px * e.w;
   return e;
}

/* (line_equation) */
static inline void
find_equations(struct wide_lines *l)
{
   const struct wide_ends *p = &l->e[0], *q = &l->e[1];
   l->a = p->y_px - q->y_px;
   l->b = q->x_px - p->x_px;
   l->c = p->x_px * q->y_px - p->y_px * q->x_px;
   l->x_major = cf_vec_abs(l->b) >= cf_vec_abs(l->a);
   l->det = cf_vec_choose(l->x_major, p->w * q->x - p->x * q->w, p->w * q->y - p->y * q->w);
}

/* ---- bounds ---- */

/* (diamond_end) */
static inline cf_f64x4
diamond_ends(const struct cf_setup *s, const struct wide_lines *l, const struct wide_ends *p)
{
   const cf_f64x4 along = cf_vec_choose(l->x_major, p->x_px, p->y_px) - s->half_px,
                  across = cf_vec_choose(l->x_major, p->y_px, p->x_px) - s->half_px -
                           (l->half_width_px - 0.5);
   const cf_f64x4 centre = cf_wide_floor(along + 0.5);
   const cf_i64x4 inside =
      cf_vec_abs(along - centre) + cf_vec_abs(across - cf_wide_floor(across + 0.5)) < 0.5;
   return cf_vec_choose(inside, centre, along);
}

/* Pixels on one axis (cf_setup_bounds), inside limits: low .. high - 1. Returns the lanes that have
 * any. */
static inline cf_i64x4
find_range(const struct cf_setup *s, cf_f64x4 min, cf_f64x4 max, cf_f64x4 limit_min,
           cf_f64x4 limit_max, cf_i64x4 *low, cf_i64x4 *high)
{
   const double slack_px = 0x1p-12;
   const cf_f64x4 zero = { 0 }, most = CF_SPLAT(cf_f64x4, 65535.0);
   const cf_f64x4 first = cf_vec_larger(min - (s->high_px + slack_px), limit_min);
   const cf_f64x4 last = cf_vec_smaller(max - (s->low_px - slack_px), limit_max - 1);
   /* the conversion must not overflow in lanes without pixels either */
   const cf_f64x4 a = cf_vec_smaller(cf_vec_larger(first, zero), most),
                  b = cf_vec_smaller(cf_vec_larger(last, zero), most);
   *low = __builtin_convertvector(__builtin_convertvector(cf_wide_ceil(a), cf_i32x4), cf_i64x4);
   *high = __builtin_convertvector(__builtin_convertvector(b, cf_i32x4), cf_i64x4) + 1;
   return (first <= last) & (*low < *high);
}

/* Pixels that the lines may cover (line_limits). */
struct limits {
   cf_f64x4 min_x, min_y, max_x, max_y;
};

static inline struct limits
find_limits(const struct cf_setup *s, const struct wide_lines *l)
{
   const double margin_px =
      s->config->raster.cut_to_viewport ? 0.0 : cf_ceil_near(l->half_width_px);
   const cf_f64x4 zero = { 0 }, margin = CF_SPLAT(cf_f64x4, margin_px);
   const cf_f64x4 none = l->rectangle ? margin : zero,
                  margin_x = cf_vec_choose(l->x_major, none, margin),
                  margin_y = cf_vec_choose(l->x_major, margin, none);
   const struct cf_limits_px *v = &s->viewport_px, *scissor = &s->scissor;
   return (struct limits){
      cf_vec_larger(CF_SPLAT(cf_f64x4, scissor->min_x), v->min_x - margin_x),
      cf_vec_larger(CF_SPLAT(cf_f64x4, scissor->min_y), v->min_y - margin_y),
      cf_vec_smaller(CF_SPLAT(cf_f64x4, scissor->max_x), v->max_x + margin_x),
      cf_vec_smaller(CF_SPLAT(cf_f64x4, scissor->max_y), v->max_y + margin_y),
   };
}

/* Limits along the major axis by the diamond-exit rule (diamond_span). */
static inline void
exit_diamonds(const struct cf_setup *s, const struct wide_lines *l, struct limits *limits)
{
   const cf_f64x4 from = diamond_ends(s, l, &l->e[0]), to = diamond_ends(s, l, &l->e[1]);
   const cf_i64x4 back = l->det < 0.0;
   const cf_f64x4 min = cf_vec_choose(back, cf_wide_floor(to) + 1.0, cf_wide_ceil(from)),
                  max = cf_vec_choose(back, cf_wide_floor(from) + 1.0, cf_wide_ceil(to));
   limits->min_x = cf_vec_choose(l->x_major, cf_vec_larger(limits->min_x, min), limits->min_x);
   limits->max_x = cf_vec_choose(l->x_major, cf_vec_smaller(limits->max_x, max), limits->max_x);
   limits->min_y = cf_vec_choose(l->x_major, limits->min_y, cf_vec_larger(limits->min_y, min));
   limits->max_y = cf_vec_choose(l->x_major, limits->max_y, cf_vec_smaller(limits->max_y, max));
}

/* (line_bounds) Returns the lines that have pixels. */
static inline cf_i64x4
find_bounds(const struct cf_setup *s, struct wide_lines *l)
{
   const struct wide_ends *p = &l->e[0], *q = &l->e[1];
   struct limits limits = find_limits(s, l);
   if (!l->rectangle)
      exit_diamonds(s, l, &limits);
   const double half_px = l->half_width_px;
   cf_i64x4 low_x, high_x, low_y, high_y;
   const cf_i64x4 any = find_range(s, cf_vec_smaller(p->x_px, q->x_px) - half_px,
                                   cf_vec_larger(p->x_px, q->x_px) + half_px, limits.min_x,
                                   limits.max_x, &low_x, &high_x) &
                        find_range(s, cf_vec_smaller(p->y_px, q->y_px) - half_px,
                                   cf_vec_larger(p->y_px, q->y_px) + half_px, limits.min_y,
                                   limits.max_y, &low_y, &high_y);
   l->bounds = low_x | low_y << 16 | high_x << 32 | high_y << 48;
   return any;
}

/* (cf_setup_planes) Returns the lines that are wholly outside. */
static inline cf_i64x4
find_planes(const struct cf_setup *s, struct wide_lines *l)
{
   const struct cf_raster *raster = &s->config->raster;
   cf_i64x4 near[2], far[2];
   for (uint32_t k = 0; k < 2; k++) {
      const struct wide_ends *e = &l->e[k];
      near[k] =
         ((raster->clip_halfz ? e->z : e->z + e->w) < 0.0) & -(int64_t)raster->depth_clip_near;
      far[k] = (e->w - e->z < 0.0) & -(int64_t)raster->depth_clip_far;
   }
   l->near = near[0] | near[1];
   l->far = far[0] | far[1];
   return (near[0] & near[1]) | (far[0] & far[1]);
}

static inline cf_f64x4
along(const struct wide_lines *l, const struct wide_ends *e)
{
   return l->direction_x * e->x + l->direction_y * e->y;
}

/* (line_direction, find_line) Returns the lines that have a direction and a finite determinant. */
static inline cf_i64x4
find_directions(struct wide_lines *l)
{
   const cf_f64x4 one = CF_SPLAT(cf_f64x4, 1.0), zero = { 0 };
   l->direction_x = cf_vec_choose(l->x_major, one, zero);
   l->direction_y = cf_vec_choose(l->x_major, zero, one);
   if (l->itself) {
      l->length_px = (cf_f64x4)_mm256_sqrt_pd((__m256d)(l->a * l->a + l->b * l->b));
      l->direction_x = l->b / l->length_px;
      l->direction_y = -l->a / l->length_px;
      l->det = l->e[0].w * along(l, &l->e[1]) - along(l, &l->e[0]) * l->e[1].w;
   }
   return (cf_vec_abs(l->det) > 0.0) & (l->det - l->det == 0.0); /* inf - inf is NaN */
}

/* ---- primitives ---- */

/* (set_edge) */
static inline struct edges
edges_of(const struct cf_setup *s, cf_f64x4 factor, cf_f64x4 a, cf_f64x4 b, cf_f64x4 c)
{
   return (struct edges){ factor * a, factor * b, factor * (c + s->half_px * (a + b)) };
}

/* (line_edges) */
static inline void
find_edges(const struct cf_setup *s, const struct wide_lines *l, cf_f64x4 factor,
           struct edges edge[4])
{
   const struct wide_ends *e = l->e;
   const cf_f64x4 turn = cf_vec_choose(l->det < 0.0, -factor, factor);
   const cf_f64x4 across = cf_vec_abs(cf_vec_choose(l->x_major, l->b, l->a)),
                  reach = l->half_width_px * (l->rectangle ? l->length_px : across);
   const cf_f64x4 dx = l->direction_x, dy = l->direction_y;
   edge[0] = edges_of(s, turn, -e[1].w * dx, -e[1].w * dy, along(l, &e[1]));
   edge[1] = edges_of(s, turn, e[0].w * dx, e[0].w * dy, -along(l, &e[0]));
   edge[2] = edges_of(s, factor, l->a, l->b, l->c + reach);
   edge[3] = edges_of(s, factor, -l->a, -l->b, reach - l->c);
}

/* (line_depth) */
static inline void
store_depth(const struct cf_setup *s, const struct wide_lines *l, const struct edges edge[4],
            cf_f64x4 inv_scale, struct cf_prim *const prim[CF_WIDE_LANES])
{
   const struct wide_ends *e = l->e;
   const cf_f64x4 scale = s->z_scale * inv_scale;
   const cf_f64x4 z_a = (edge[0].a * e[0].z + edge[1].a * e[1].z) * scale,
                  z_b = (edge[0].b * e[0].z + edge[1].b * e[1].z) * scale,
                  z_c = (edge[0].c * e[0].z + edge[1].c * e[1].z) * scale + s->z_translate +
                        no_face.z_offset;
   const cf_f64x4 z0 = e[0].z / e[0].w * s->z_scale + s->z_translate + no_face.z_offset,
                  z1 = e[1].z / e[1].w * s->z_scale + s->z_translate + no_face.z_offset;
   const cf_f64x4 low = cf_vec_smaller(z0, z1), high = cf_vec_larger(z0, z1);
   cf_wide_store(prim, offsetof(struct cf_prim, z_a), z_a, z_b, z_c, inv_scale);
   for (uint32_t i = 0; i < CF_WIDE_LANES; i++)
      cf_setup_depth_range(s, prim[i], low[i], high[i]);
}

/* Inclusive edges of each line (cf_setup_inclusive_edges, line_edges). */
static inline cf_i64x4
inclusive_edges(const struct cf_setup *s, const struct edges edge[4])
{
   const double down = s->config->raster.bottom_edge_rule ? -1.0 : 1.0;
   cf_i64x4 inclusive = { 1 << 1, 1 << 1, 1 << 1, 1 << 1 };
   for (uint32_t i = 2; i < 4; i++)
      inclusive |= ((edge[i].a > 0.0) | ((edge[i].a == 0.0) & (edge[i].b * down > 0.0))) & 1 << i;
   return inclusive;
}

static inline void
store_flags(const struct wide_lines *l, cf_i64x4 inclusive,
            struct cf_prim *const prim[CF_WIDE_LANES])
{
   const cf_i64x4 planes = (l->near & 1 << CF_PLANE_NEAR) | (l->far & 1 << CF_PLANE_FAR);
   for (uint32_t i = 0; i < CF_WIDE_LANES; i++) {
      struct cf_prim *p = prim[i];
      const int64_t bounds = l->bounds[i];
      memcpy(&p->bounds, &bounds, sizeof bounds);
      memset(p->vertex[2], 0, sizeof p->vertex[2]);
      p->shape = CF_SHAPE_LINE;
      p->edges = 4;
      p->inclusive = (uint8_t)inclusive[i];
      p->front = no_face.front;
      p->flipped = p->round = false;
      p->planes = (uint16_t)planes[i];
      p->stipple_origin_px = 0;
      p->stipple_start = 0;
      p->first_edge = l->rectangle ? 0 : 2;
      p->replicated = !l->itself;
   }
}

static inline void
fill(const struct cf_setup *s, const struct wide_lines *l,
     struct cf_prim *const prim[CF_WIDE_LANES])
{
   const cf_f64x4 zero = { 0 }, size = cf_vec_abs(l->det), factor = cf_wide_scale_to_one(size);
   struct edges edge[4];
   find_edges(s, l, factor, edge);
   cf_wide_store(prim, offsetof(struct cf_prim, a), edge[0].a, edge[1].a, edge[2].a, edge[3].a);
   cf_wide_store(prim, offsetof(struct cf_prim, b), edge[0].b, edge[1].b, edge[2].b, edge[3].b);
   cf_wide_store(prim, offsetof(struct cf_prim, c), edge[0].c, edge[1].c, edge[2].c, edge[3].c);
   cf_wide_store(prim, offsetof(struct cf_prim, error), zero, zero, zero, zero);
   store_depth(s, l, edge, 1.0 / (size * factor), prim);
   store_flags(l, inclusive_edges(s, edge), prim);
}

/* Commit the lines in `drawn`. t: their vertex records. */
static inline void
commit(const struct cf_setup *s, const struct wide_lines *l, uint32_t drawn,
       const float *const *const t[CF_WIDE_LANES], const float *const *provoking)
{
   struct cf_wide_prims prims;
   if (!cf_wide_reserve(s, drawn, &prims))
      return;
   fill(s, l, prims.of_lane);
   CF_FOR_BITS(i, drawn) {
      struct cf_prim *prim = prims.of_lane[i];
      for (uint32_t k = 0; k < 2; k++)
         memcpy(prim->vertex[k], t[i][k], sizeof prim->vertex[k]);
      cf_setup_finish(s, prim, t[i], provoking[i], prims.varyings[i]);
   }
}

static void
setup(const struct cf_setup *s, const float *const v[][2], const float *const *provoking,
      uint32_t count)
{
   const float *const *t[CF_WIDE_LANES];
   for (uint32_t i = 0; i < CF_WIDE_LANES; i++)
      t[i] = v[i < count ? i : 0];
   const struct cf_wide_vertex vertex[2] = { cf_wide_load(t, 0), cf_wide_load(t, 1) };
   if (count == 1 || usual(vertex) != (1 << CF_WIDE_LANES) - 1) {
      setup_each(s, v, provoking, count);
      return;
   }
   struct wide_lines l = { .e = { window_ends(s, &vertex[0]), window_ends(s, &vertex[1]) } };
   l.half_width_px = cf_line_width_px(&s->config->raster) / 2;
   l.rectangle = cf_lines_are_rectangles(s->config);
   l.itself = l.rectangle || l.half_width_px <= 0.5;
   find_equations(&l);
   const cf_i64x4 covers = find_bounds(s, &l), outside = find_planes(s, &l);
   const cf_i64x4 drawn = covers & ~outside & find_directions(&l);
   commit(s, &l, cf_vec_mask(drawn) & ((1u << count) - 1), t, provoking);
}

#else

static void
setup(const struct cf_setup *s, const float *const v[][2], const float *const *provoking,
      uint32_t count)
{
   setup_each(s, v, provoking, count);
}

#endif

const struct cf_line_ops CF_LANES(cf_line_ops) = { .setup = setup };
