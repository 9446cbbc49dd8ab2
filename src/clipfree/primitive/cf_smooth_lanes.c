/* SPDX-License-Identifier: MIT */
/*
 * Smooth points, lines and polygons (GL 2.1 sections 3.3.1, 3.4.2 and 3.5.3): a fragment for every
 * pixel whose square the primitive overlaps. Coverage is the overlapped area, 0 .. 1; it multiplies
 * the fragment's alpha (section 3.12). Compiled once per host vector level.
 *
 * Candidates: raster runs on a copy of the primitive with its edges moved outwards by half a pixel,
 * so that it covers the centres of all overlapped pixels. For a small primitive the candidates are
 * all pixels of its bounds. Pixels with area 0 are dropped. Depth range, clip planes and stipple
 * are tested at the pixel's centre, clip planes by a second run of raster with the primitive's own
 * weights. Areas are computed once, block by block, and passed on with the block's pixels.
 *
 * Area: that of the pixel's square inside all half-planes, so the areas of a mesh's triangles sum
 * to 1 in a pixel they fill. If no part of the pixel is outside two edges, it is 1 less the area
 * outside each edge, which has a closed form. Otherwise Green's theorem gives it from the parts of
 * the square's sides and of the edges that bound the overlap. Both are branchless, for several
 * pixels at once. Limit: edge values are f64, without exact decisions; area is continuous in them.
 */
#include "clipfree/base/cf_for.h"
#include "clipfree/base/cf_inline.h"
#include "clipfree/base/cf_vec.h"
#include "clipfree/primitive/cf_interpolate.h"
#include "clipfree/primitive/cf_smooth.h"

#include <math.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* A small disc has less than this radius. It touches at most 8 pixels in a row, which lie in blocks
 * of 12, and all its pixels are measured at once. Other discs are measured block by block. */
#define SMALL_DISC_RADIUS_PX 3.25
#define SMALL_DISC_PX 12

#define TILE_BLOCKS (CF_TILE_PX / 4) /* in a row */

/* Pixels of a block at once. */
#if defined(__AVX512F__)
#define LANES 8
#else
#define LANES 4
#endif

/* Primitives with bounds no larger than this skip raster: all blocks of the bounds are candidates.
 */
#define SMALL_PX 16

/* Slopes and sines below this are 0: the lines are taken as parallel. */
#define LEAST_SLOPE 1e-9

typedef uint32_t (*raster_function)(const struct cf_prim *, uint32_t, uint32_t, struct cf_raster_block *);

/* Pixels that follow one another in a block; and masks of them. */
typedef CF_VEC(f64, LANES) f64xn;
typedef CF_VEC(f32, LANES) f32xn;
typedef CF_VEC(i64, LANES) i64xn;

/* Offsets of a block's pixels, by cf_block_element */
static const double block_x[16] = { 0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3 };
static const double block_y[16] = { 0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3 };

/* ---- edges ---- */

/* Intersection of a line with another. cut_part() finds the place along the line (in pixels) where
 * the other's edge function is 0, from the values of both at the pixel's centre. */
struct crossing {
   double cosine;    /* between the two gradients */
   double per_sine;  /* 1 / the other's change per pixel along the line; 0: parallel */
};

/* Edge constants of a primitive. The distance from an edge is signed, in pixels along one axis: the
 * edge function divided by max(|a|, |b|). */
struct outline {
   const struct cf_prim *prim;
   double per_major[CF_PRIM_MAX_EDGES];  /* 1 / max(|a|, |b|) */
   double slope[CF_PRIM_MAX_EDGES];      /* min(|a|, |b|) / max(|a|, |b|): 0 .. 1 */
   double per_corner[CF_PRIM_MAX_EDGES]; /* 1 / (2 slope) */
   double apart[CF_PRIM_MAX_EDGES][CF_PRIM_MAX_EDGES]; /* [i][j], j < i: see outside_of_both() */
   bool has_edges; /* false: some edge has a = b = 0, so no direction and no distance */
   /* for cut_areas(), filled in when first needed: gradients (a, b) of length 1, the factor from
    * distance to Euclidean distance, 1 / a and 1 / b, intersections of edges */
   bool has_crossings;
   double a[CF_PRIM_MAX_EDGES], b[CF_PRIM_MAX_EDGES], per_length[CF_PRIM_MAX_EDGES];
   double per_a[CF_PRIM_MAX_EDGES], per_b[CF_PRIM_MAX_EDGES];
   struct crossing crossing[CF_PRIM_MAX_EDGES][CF_PRIM_MAX_EDGES];
};

static inline void
begin_outline(struct outline *o, const struct cf_prim *prim)
{
   double a[CF_PRIM_MAX_EDGES], b[CF_PRIM_MAX_EDGES];
   o->prim = prim;
   o->has_edges = true;
   o->has_crossings = false;
   for (uint32_t i = 0; i < prim->edges; i++) {
      const double x = fabs(prim->a[i]), y = fabs(prim->b[i]), major = x > y ? x : y;
      o->has_edges &= major > 0.0;
      o->per_major[i] = 1.0 / major;
      o->slope[i] = (x > y ? y : x) * o->per_major[i];
      o->per_corner[i] = o->slope[i] > LEAST_SLOPE ? 0.5 / o->slope[i] : 0.0;
      a[i] = prim->a[i] * o->per_major[i];
      b[i] = prim->b[i] * o->per_major[i];
      for (uint32_t j = 0; j < i; j++)
         o->apart[i][j] = CF_SMOOTH_REACH_PX * (fabs(a[i] + a[j]) + fabs(b[i] + b[j]));
   }
}

/* The edges that may cut a block, in ascending order. */
struct cutting_edges {
   uint32_t edges, edge[CF_PRIM_MAX_EDGES];
};

static inline double
reciprocal(double v)
{
   return fabs(v) > LEAST_SLOPE ? 1.0 / v : 0.0;
}

static __attribute__((noinline)) void
find_crossings(struct outline *o)
{
   const struct cf_prim *prim = o->prim;
   for (uint32_t i = 0; i < prim->edges; i++) {
      o->per_length[i] = 1.0 / sqrt(1.0 + o->slope[i] * o->slope[i]);
      o->a[i] = prim->a[i] * o->per_major[i] * o->per_length[i];
      o->b[i] = prim->b[i] * o->per_major[i] * o->per_length[i];
      o->per_a[i] = reciprocal(o->a[i]);
      o->per_b[i] = reciprocal(o->b[i]);
      for (uint32_t j = 0; j < i; j++) {
         const double per_sine = reciprocal(o->a[i] * o->b[j] - o->b[i] * o->a[j]), rounded = o->a[i] * o->a[j] + o->b[i] * o->b[j];
         /* parallel edges: exactly +-1, so that each is compared with the other alike */
         const double cosine = per_sine == 0.0 ? copysign(1.0, rounded) : rounded;
         o->crossing[i][j] = (struct crossing){ cosine, per_sine };
         o->crossing[j][i] = (struct crossing){ cosine, -per_sine };
      }
   }
   o->has_crossings = true;
}

/* Area of the pixel's square outside an edge, from the distance of its centre. The closed form is
 * for the smaller of the two parts, a triangle or a trapezium. */
CF_INLINE f64xn
area_outside(const struct outline *o, uint32_t edge, f64xn distance)
{
   const f64xn size = cf_vec_abs(distance), none = { 0 };
   const double slope = o->slope[edge];
   f64xn rest = 0.5 * (1.0 + slope) - size; /* distance of the farthest corner of that part */
   rest = cf_vec_choose(rest > 0.0, rest, none);
   const f64xn part = cf_vec_choose(rest > slope, 0.5 - size, rest * rest * o->per_corner[edge]);
   return cf_vec_choose(distance >= 0.0, part, 1.0 - part);
}

/* Pixels of which some part may be outside both edges. There is none where the sum of both
 * distances is at least 0 in the whole pixel: no point then has two negative distances. `apart`:
 * the most by which that sum differs between the centre and a corner. */
CF_INLINE i64xn
outside_of_both(f64xn outside_i, f64xn outside_j, f64xn distances, double apart)
{
   return (outside_i > 0.0) & (outside_j > 0.0) & (distances < apart);
}

/* ---- pixels that several edges cut ---- */

/* Interval of positions along a line, in pixels; empty if to < from. */
struct interval {
   f64xn from, to;
};

/* Clip the interval to where a linear function is not negative: its value is `at` at position 0 and
 * grows by 1 / per_step per pixel; per_step 0: it is constant. */
CF_INLINE void
cut_part(struct interval *p, f64xn at, double per_step)
{
   if (per_step == 0.0) {
      p->to = cf_vec_choose(at < 0.0, CF_SPLAT(f64xn, -INFINITY), p->to);
      return;
   }
   const f64xn zero = -at * per_step;
   if (per_step > 0.0)
      p->from = cf_vec_larger(p->from, zero);
   else
      p->to = cf_vec_smaller(p->to, zero);
}

CF_INLINE f64xn
part_length(const struct interval *p)
{
   return cf_vec_larger(p->to - p->from, CF_SPLAT(f64xn, 0.0));
}

/* Length of edge i inside the square and all other edges. Positions count from -e (a, b), the foot
 * of the perpendicular from the pixel's centre, along (-b, a). */
CF_INLINE f64xn
edge_length(const struct outline *o, const struct cutting_edges *cut, uint32_t i,
            const f64xn e[CF_PRIM_MAX_EDGES])
{
   const uint32_t edge = cut->edge[i];
   const f64xn x = -e[i] * o->a[edge], y = -e[i] * o->b[edge];
   struct interval p = { CF_SPLAT(f64xn, -1.0),
                         CF_SPLAT(f64xn, 1.0) }; /* holds all of the square */
   cut_part(&p, 0.5 + x, -o->per_b[edge]);
   cut_part(&p, 0.5 - x, o->per_b[edge]);
   cut_part(&p, 0.5 + y, o->per_a[edge]);
   cut_part(&p, 0.5 - y, -o->per_a[edge]);
   for (uint32_t j = 0; j < cut->edges; j++) {
      const struct crossing *c = &o->crossing[edge][cut->edge[j]];
      f64xn at = e[j] - e[i] * c->cosine;
      if (j < i && c->per_sine == 0.0 && c->cosine > 0.0)
         at = cf_vec_choose(at == 0.0, CF_SPLAT(f64xn, -1.0),
                            at); /* two edges on one line: it counts once */
      if (j != i)
         cut_part(&p, at, c->per_sine);
   }
   return part_length(&p);
}

/* Length of the square's side at x = side (or y = side) inside all edges. Positions count from the
 * side's middle along the other axis. */
CF_INLINE f64xn
side_length(const double across[CF_PRIM_MAX_EDGES], const double per_along[CF_PRIM_MAX_EDGES],
            const struct cutting_edges *cut, const f64xn e[CF_PRIM_MAX_EDGES], double side)
{
   struct interval p = { CF_SPLAT(f64xn, -0.5), CF_SPLAT(f64xn, 0.5) };
   for (uint32_t i = 0; i < cut->edges; i++)
      cut_part(&p, e[i] + across[cut->edge[i]] * side, per_along[cut->edge[i]]);
   return part_length(&p);
}

/*
 * Areas of squares inside all edges, from the distances of their centres. Green's theorem: the area
 * of a polygon is half the sum over its sides of length times signed distance from one point, here
 * the centre. Error bound: the end of a side is off by about 2^-52 / sine of the crossing angle;
 * lines that cross at a sine below LEAST_SLOPE are parallel within a pixel. So areas are within
 * 2^-20 of the real ones, apart from errors of the edges' coefficients.
 */
CF_INLINE f64xn
cut_areas(const struct outline *o, const struct cutting_edges *cut,
          const f64xn distance[CF_PRIM_MAX_EDGES])
{
   f64xn e[CF_PRIM_MAX_EDGES], twice = { 0 };
   for (uint32_t i = 0; i < cut->edges; i++)
      e[i] = distance[i] * o->per_length[cut->edge[i]];
   for (uint32_t i = 0; i < cut->edges; i++)
      twice += e[i] * edge_length(o, cut, i, e);
   const f64xn sides =
      (side_length(o->a, o->per_b, cut, e, -0.5) + side_length(o->a, o->per_b, cut, e, 0.5)) +
      (side_length(o->b, o->per_a, cut, e, -0.5) + side_length(o->b, o->per_a, cut, e, 0.5));
   return cf_vec_smaller(cf_vec_larger(0.5 * (twice + 0.5 * sides), CF_SPLAT(f64xn, 0.0)),
                         CF_SPLAT(f64xn, 1.0));
}

/* Areas inside all edges of pixels first .. first + LANES - 1 of the block at (x, y). The edges in
 * `cut` suffice: the block is entirely inside all others. */
CF_INLINE f64xn
area_inside_edges(struct outline *o, const struct cutting_edges *cut, uint32_t x_px, uint32_t y_px,
                  uint32_t first)
{
   const struct cf_prim *prim = o->prim;
   f64xn x, y;
   memcpy(&x, block_x + first, sizeof x);
   memcpy(&y, block_y + first, sizeof y);
   x += (double)x_px;
   y += (double)y_px;
   const f64xn none = { 0 };
   f64xn distance[CF_PRIM_MAX_EDGES], outside[CF_PRIM_MAX_EDGES], area = 1.0 + none;
   i64xn shared = { 0 }, fully_outside = { 0 };
   for (uint32_t i = 0; i < cut->edges; i++) {
      const uint32_t edge = cut->edge[i];
      distance[i] = ((prim->a[edge] * x + prim->b[edge] * y) + prim->c[edge]) * o->per_major[edge];
      outside[i] = area_outside(o, edge, distance[i]);
      area -= outside[i];
      fully_outside |= outside[i] >= 1.0;
      for (uint32_t j = 0; j < i; j++)
         shared |= outside_of_both(outside[i], outside[j], distance[i] + distance[j], o->apart[edge][cut->edge[j]]);
   }
   area = cf_vec_choose(fully_outside | (area < 0.0), none, area);
   if (cut->edges > 1 && cf_vec_mask(shared & ~fully_outside) != 0) {
      if (!o->has_crossings)
         find_crossings(o);
      area = cf_vec_choose(shared & ~fully_outside, cut_areas(o, cut, distance), area);
   }
   return area;
}

/* ---- discs ---- */

static inline float
least(float a, float b)
{
   return a < b ? a : b;
}

static inline float
greatest(float a, float b)
{
   return a > b ? a : b;
}

/* Half the length of the disc's chord at a distance from its centre. */
static inline float
half_chord(float at, float radius)
{
   return sqrtf(greatest((radius - at) * (radius + at), 0.0f));
}

/* ---- small discs ---- */

/* The pixels of a small disc's blocks on one axis. A pixel has its first corner here, and the next
 * pixel has its second: one more is needed. 16 floats fill vectors. */
#define SMALL_DISC_LANES (SMALL_DISC_PX + 4)
struct small_disc_axis {
   float sign[SMALL_DISC_LANES];   /* of the pixel's first corner: -1 before the disc's centre */
   float at[SMALL_DISC_LANES];     /* distance of that corner from the centre, at most the radius */
   float height[SMALL_DISC_LANES]; /* half the chord there */
   /* squared distances of the pixel's nearest and farthest points */
   float near_sq[SMALL_DISC_LANES], far_sq[SMALL_DISC_LANES];
};

/* slope, c: of the point coordinate along the axis; first_px: the first pixel. */
CF_INLINE void
find_small_disc_axis(struct small_disc_axis *axis, double slope, double c, uint32_t first_px,
                     float radius)
{
   const float first = (float)((slope * first_px + c - 0.5) / slope);
   for (uint32_t i = 0; i < SMALL_DISC_LANES; i++) {
      const float centre = first + (float)(int32_t)i, corner = centre - 0.5f,
                  distance = fabsf(centre);
      const float near = greatest(distance - 0.5f, 0.0f), far = distance + 0.5f;
      axis->sign[i] = corner < 0.0f ? -1.0f : 1.0f;
      axis->at[i] = least(fabsf(corner), radius);
      axis->height[i] = half_chord(axis->at[i], radius);
      axis->near_sq[i] = near * near;
      axis->far_sq[i] = far * far;
   }
}

/*
 * Area inside a disc of the rectangle between its centre and the corner (x, y), both 0 .. radius: a
 * rectangle up to where the circle crosses y, a trapezoid below the chord from there to where it
 * crosses x, and the segment between chord and arc. The segment has the formula of area_by_arc(),
 * with more terms, as the arc may be a quarter of the circle: those that are left out are below
 * 2^-15 of the square on the radius.
 */
static inline float
area_to_corner(float x, float width_at_y, float y, float height_at_x, float radius)
{
   static const float term[] = { 2.0f / 3,     1.0f / 5,       3.0f / 28,
                                 5.0f / 72,    35.0f / 704,    63.0f / 1664,
                                 77.0f / 2560, 429.0f / 17408, 6435.0f / 311296 };
   const float whole = least(x, width_at_y), low = least(y, height_at_x), width = x - whole,
               drop = y - low;
   const float chord_sq = width * width + drop * drop, u_sq = chord_sq / (4.0f * radius * radius);
   float series = 0.0f;
#pragma GCC unroll 16
   for (uint32_t i = sizeof term / sizeof *term; i-- > 0;)
      series = term[i] + u_sq * series;
   return whole * y + 0.5f * width * (y + low) + 0.25f * chord_sq * sqrtf(u_sq) * series;
}

/* Areas inside a small disc, 0 .. 1, by row and column of its pixels, from the block with its first
 * pixel on: sums and differences of the areas to the pixels' corners. A pixel that the circle does
 * not touch has exactly 0 or 1. */
struct small_disc {
   uint32_t x_px, y_px;
   float area[SMALL_DISC_PX][SMALL_DISC_LANES];
};

static __attribute__((noinline)) void
measure_small_disc(const struct cf_prim *prim, struct small_disc *small)
{
   const struct cf_point_place *place = &prim->point;
   const float radius = (float)(0.5 / place->s_per_px), radius_sq = radius * radius;
   struct small_disc_axis x, y;
   float above[SMALL_DISC_LANES + 1] = { 0 }, below[SMALL_DISC_LANES + 1] = { 0 };
   small->x_px = prim->bounds.min_x_px & ~3u;
   small->y_px = prim->bounds.min_y_px & ~3u;
   find_small_disc_axis(&x, place->s_per_px, place->s_0, small->x_px, radius);
   find_small_disc_axis(&y, place->t_per_px, place->t_0, small->y_px, radius);
   const uint32_t first = prim->bounds.min_y_px - small->y_px,
                  end = prim->bounds.max_y_px - small->y_px;
   for (uint32_t j = first; j <= end; j++) {
      for (uint32_t i = 0; i < SMALL_DISC_LANES; i++)
         below[i] = x.sign[i] * y.sign[j] *
                    area_to_corner(x.at[i], y.height[j], y.at[j], x.height[i], radius);
      for (uint32_t i = 0; i < SMALL_DISC_LANES && j > first; i++) {
         const float inside = (below[i + 1] - below[i]) - (above[i + 1] - above[i]);
         const float some = x.near_sq[i] + y.near_sq[j - 1] < radius_sq
                               ? least(greatest(inside, 0.0f), 1.0f)
                               : 0.0f;
         small->area[j - 1][i] = x.far_sq[i] + y.far_sq[j - 1] <= radius_sq ? 1.0f : some;
      }
      memcpy(above, below, sizeof above);
   }
}

/* ---- other discs ---- */

/*
 * Area inside a disc of a part of a unit square: 0 .. end across the disc's axis, and along it from
 * `side` one pixel on. Up to where the circle enters, the part is whole; from there until it leaves
 * it is what lies below the arc: a trapezoid below the chord, and the segment between chord and
 * arc. The segment is r^2 (d - sin d) / 2, with d the arc's angle: a series in
 * u = sin(d / 2) = chord / (2 r). No terms cancel, however large the disc is; those that are left
 * out are below 2^-11.
 */
static inline float
area_by_arc(float side, float end, float radius)
{
   const float top = least(side + 1.0f, radius), whole = least(end, half_chord(top, radius));
   const float out =
      greatest(least(end, half_chord(least(greatest(side, 0.0f), radius), radius)), whole);
   const float low = least(half_chord(out, radius), top), width = out - whole, drop = top - low;
   const float chord_sq = width * width + drop * drop, u_sq = chord_sq / (4.0f * radius * radius);
   const float series =
      2.0f / 3 + u_sq * (1.0f / 5 + u_sq * (3.0f / 28 + u_sq * (5.0f / 72 + u_sq * (35.0f / 704))));
   return whole + 0.5f * width * (top + low - 2.0f * side) +
          0.25f * chord_sq * sqrtf(u_sq) * series;
}

/* Area inside a disc of a unit square whose centre is (along, across) from the disc's; along is the
 * larger distance. Parts on both sides of the disc's axis add up; else one is taken from the other.
 */
static inline float
area_by_arcs(float along, float across, float radius)
{
   const float side = along - 0.5f, first = across - 0.5f;
   const float far = area_by_arc(side, across + 0.5f, radius),
               near = area_by_arc(side, fabsf(first), radius);
   return least(greatest(first < 0.0f ? far + near : far - near, 0.0f), 1.0f);
}

/* Distances from the disc's centre on one axis, by column or row of a block: of the pixels'
 * centres, and, squared, of their nearest and farthest points. */
struct disc_axis {
   float centre_px[4];
   double near_sq[4], far_sq[4];
};

/* slope, c: of the point coordinate along the axis; first_px: the block's position. */
CF_INLINE struct disc_axis
find_disc_axis(double slope, double c, uint32_t first_px)
{
   struct disc_axis axis;
   for (uint32_t i = 0; i < 4; i++) {
      const double distance_px = fabs((slope * (first_px + i) + c - 0.5) / slope);
      const double near_px = distance_px > 0.5 ? distance_px - 0.5 : 0.0,
                   far_px = distance_px + 0.5;
      axis.centre_px[i] = (float)distance_px;
      axis.near_sq[i] = near_px * near_px;
      axis.far_sq[i] = far_px * far_px;
   }
   return axis;
}

/* ---- blocks ---- */

/* Find the edges that may cut a block, by the distances of its middle: most edges are far from most
 * blocks. False: the whole block is outside one edge. */
CF_INLINE bool
find_cut(const struct outline *o, uint32_t edges, const struct cf_raster_block *block,
         struct cutting_edges *cut)
{
   const double slack_px = 0x1p-20; /* far above the errors of distances */
   cut->edges = 0;
   for (uint32_t i = 0; i < edges; i++) {
      const double e = (o->prim->a[i] * (block->x_px + 1.5) + o->prim->b[i] * (block->y_px + 1.5)) + o->prim->c[i];
      const double distance = e * o->per_major[i], reach_px = 2.0 * (1.0 + o->slope[i]) + slack_px;
      if (distance < -reach_px)
         return false;
      cut->edge[cut->edges] = i;
      cut->edges += !(distance > reach_px);
   }
   return true;
}

CF_INLINE uint32_t
measure_cut(struct outline *o, const struct cutting_edges *cut, const struct cf_raster_block *block,
            float area[16])
{
   uint32_t some = 0;
   for (uint32_t first = 0; first < 16; first += LANES) {
      if (!(block->mask >> first & ((1u << LANES) - 1)))
         continue;
      const f64xn areas = area_inside_edges(o, cut, block->x_px, block->y_px, first);
      const f32xn rounded = __builtin_convertvector(areas, f32xn);
      some |= cf_vec_mask(areas > 0.0) << first;
      memcpy(&area[first], &rounded, sizeof rounded);
   }
   return block->mask & some;
}

/* measure_block() for edges without a direction, which have no distances. */
static __attribute__((noinline)) uint32_t
measure_one_by_one(const struct cf_prim *prim, const struct cf_raster_block *block, float area[16])
{
   uint32_t some = 0;
   for (uint32_t k = 0; k < 16; k++) {
      const double inside = cf_smooth_cut_area(prim, block->x_px + (uint32_t)block_x[k], block->y_px + (uint32_t)block_y[k]);
      some |= (uint32_t)(inside > 0.0) << k;
      area[k] = (float)inside;
   }
   return block->mask & some;
}

/* Areas of a block's pixels inside a line or triangle, 0 .. 1, up to rounding (of points within
 * 1/1024: measure_disc). Returns the mask of pixels with area. The calls below pass the number of
 * edges as a constant, so that all edge values stay in registers. */
CF_INLINE uint32_t
measure_block(struct outline *o, uint32_t edges, const struct cf_raster_block *block, float area[16])
{
   struct cutting_edges cut;
   if (__builtin_expect(!o->has_edges, 0))
      return measure_one_by_one(o->prim, block, area);
   if (!find_cut(o, edges, block, &cut))
      return 0;
   if (cut.edges == 0) {
      for (uint32_t k = 0; k < 16; k++)
         area[k] = 1.0f;
      return block->mask;
   }
   if (cut.edges == 1)
      return measure_cut(o, &(const struct cutting_edges){ 1, { cut.edge[0] } }, block, area);
   if (cut.edges == 2)
      return measure_cut(o, &(const struct cutting_edges){ 2, { cut.edge[0], cut.edge[1] } }, block,
                         area);
   if (cut.edges == 3)
      return measure_cut(
         o, &(const struct cutting_edges){ 3, { cut.edge[0], cut.edge[1], cut.edge[2] } }, block,
         area);
   return measure_cut(o, &(const struct cutting_edges){ 4, { 0, 1, 2, 3 } }, block, area);
}

/* measure_block() of a disc that is not small. */
static uint32_t
measure_disc(const struct cf_prim *prim, const struct cf_raster_block *block, float area[16])
{
   const struct cf_point_place *place = &prim->point;
   const struct disc_axis x = find_disc_axis(place->s_per_px, place->s_0, block->x_px),
                          y = find_disc_axis(place->t_per_px, place->t_0, block->y_px);
   const double radius_px = 0.5 / place->s_per_px, radius_sq = radius_px * radius_px;
   float along[16], across[16];
   uint32_t some = 0, all = 0;
#pragma GCC unroll 16
   for (uint32_t k = 0; k < 16; k++) {
      const uint32_t column = (uint32_t)block_x[k], row = (uint32_t)block_y[k];
      some |= (uint32_t)(x.near_sq[column] + y.near_sq[row] < radius_sq) << k;
      all |= (uint32_t)(x.far_sq[column] + y.far_sq[row] <= radius_sq) << k;
      along[k] = greatest(x.centre_px[column], y.centre_px[row]);
      across[k] = least(x.centre_px[column], y.centre_px[row]);
   }
   some &= block->mask;
   for (uint32_t k = 0; k < 16 && (some & ~all); k++)
      area[k] = area_by_arcs(along[k], across[k], (float)radius_px);
   for (uint32_t k = 0; k < 16; k++)
      area[k] = all >> k & 1 ? 1.0f : some >> k & 1 ? area[k] : 0.0f;
   return some;
}

/* measure_block() of a small disc. */
static uint32_t
measure_small_block(const struct small_disc *small, const struct cf_raster_block *block,
                    float area[16])
{
   uint32_t some = 0;
   CF_FOR_BITS(k, block->mask) {
      const uint32_t row = block->y_px - small->y_px + (uint32_t)block_y[k];
      area[k] = small->area[row][block->x_px - small->x_px + (uint32_t)block_x[k]];
      some |= (uint32_t)(area[k] > 0.0f) << k;
   }
   return some;
}

static uint32_t
measure(struct outline *o, const struct small_disc *small, const struct cf_raster_block *block,
        float area[16])
{
   if (o->prim->shape == CF_SHAPE_LINE)
      return measure_block(o, 4, block, area);
   if (o->prim->shape == CF_SHAPE_TRIANGLE)
      return measure_block(o, 3, block, area);
   return small ? measure_small_block(small, block, area) : measure_disc(o->prim, block, area);
}

/* Masks, by block, of the tile's pixels whose centres are inside the near, far and user planes. */
static void
inside_planes(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, raster_function raster, uint16_t mask[TILE_BLOCKS][TILE_BLOCKS])
{
   struct cf_raster_block blocks[TILE_BLOCKS * TILE_BLOCKS];
   struct cf_prim planes = *prim;
   planes.first_edge = prim->edges;
   memset(mask, 0, sizeof(uint16_t[TILE_BLOCKS][TILE_BLOCKS]));
   const uint32_t count = raster(&planes, x_px, y_px, blocks);
   for (uint32_t i = 0; i < count; i++)
      mask[blocks[i].y_px / 4 % TILE_BLOCKS][blocks[i].x_px / 4 % TILE_BLOCKS] = blocks[i].mask;
}

static inline uint32_t
smaller_of(uint32_t a, uint32_t b)
{
   return a < b ? a : b;
}

static inline uint32_t
larger_of(uint32_t a, uint32_t b)
{
   return a > b ? a : b;
}

/* How many of the 4 pixels from `at` on lie before `end`. */
static inline uint32_t
pixels_before(uint32_t end, uint32_t at)
{
   return end > at ? smaller_of(end - at, 4) : 0;
}

/* For a small primitive, all blocks of the tile that its bounds touch, with the pixels inside the
 * bounds. Returns their number; 0: raster is needed, as the bounds are larger than SMALL_PX or a
 * stipple pattern drops pixels (or the bounds miss the tile). */
static uint32_t
blocks_of_bounds(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, struct cf_raster_block *blocks)
{
   /* pixels with x (y) below i, by cf_block_element */
   static const uint16_t left[5] = { 0x0000, 0x0505, 0x0f0f, 0x5f5f, 0xffff }, above[5] = { 0x0000, 0x0033, 0x00ff, 0x33ff, 0xffff };
   const struct cf_prim_bounds *b = &prim->bounds;
   const struct cf_raster *raster = &prim->config->raster;
   const uint32_t min_x = larger_of(b->min_x_px, x_px), max_x = smaller_of(b->max_x_px, x_px + CF_TILE_PX);
   const uint32_t min_y = larger_of(b->min_y_px, y_px), max_y = smaller_of(b->max_y_px, y_px + CF_TILE_PX);
   uint32_t count = 0;
   if (prim->shape == CF_SHAPE_LINE ? raster->line_stipple : prim->shape == CF_SHAPE_TRIANGLE && raster->poly_stipple)
      return 0;
   if (min_x >= max_x || min_y >= max_y || max_x - (min_x & ~3u) > SMALL_PX || max_y - (min_y & ~3u) > SMALL_PX)
      return 0;
   for (uint32_t y = min_y & ~3u; y < max_y; y += 4) {
      const uint32_t rows = above[pixels_before(max_y, y)] & ~above[pixels_before(min_y, y)];
      for (uint32_t x = min_x & ~3u; x < max_x; x += 4) {
         const uint32_t columns = left[pixels_before(max_x, x)] & ~left[pixels_before(min_x, x)];
         blocks[count++] = (struct cf_raster_block){ (uint16_t)x, (uint16_t)y, (uint16_t)(rows & columns), 0 };
      }
   }
   return count;
}

/* Blocks of the tile with all pixels that the primitive overlaps; some pixels may have no area. */
static inline uint32_t
touched_blocks(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, struct cf_raster_block *blocks, raster_function raster)
{
   const uint32_t few = blocks_of_bounds(prim, x_px, y_px, blocks);
   if (few != 0)
      return few;
   if (prim->edges == 0) /* a point: its bounds are those of its disc */
      return raster(prim, x_px, y_px, blocks);
   struct cf_prim outset = *prim;
   for (uint32_t i = 0; i < prim->edges; i++) {
      outset.c[i] += cf_smooth_edge_reach(prim, i);
      outset.error[i] = 0.0;
   }
   outset.planes = 0; /* planes are sums of the weights, and the copy's weights are moved edges */
   return raster(&outset, x_px, y_px, blocks);
}

uint32_t
CF_LANES(cf_smooth_raster)(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, struct cf_raster_block *blocks,
                           float coverage[CF_TILE_BLOCKS][16], raster_function raster)
{
   const bool is_small =
      prim->shape == CF_SHAPE_POINT && 0.5 / prim->point.s_per_px < SMALL_DISC_RADIUS_PX;
   struct outline outline;
   struct small_disc small;
   uint16_t inside[TILE_BLOCKS][TILE_BLOCKS];
   uint32_t kept = 0;
   if (prim->planes)
      inside_planes(prim, x_px, y_px, raster, inside);
   begin_outline(&outline, prim);
   if (is_small)
      measure_small_disc(prim, &small);
   const uint32_t count = touched_blocks(prim, x_px, y_px, blocks, raster);
   for (uint32_t i = 0; i < count; i++) {
      struct cf_raster_block block = blocks[i];
      if (prim->planes)
         block.mask &= inside[block.y_px / 4 % TILE_BLOCKS][block.x_px / 4 % TILE_BLOCKS];
      block.mask = block.covered =
         (uint16_t)measure(&outline, is_small ? &small : NULL, &block,
                           coverage[cf_tile_block(block.x_px, block.y_px)]);
      blocks[kept] = block;
      kept += block.mask != 0;
   }
   return kept;
}
