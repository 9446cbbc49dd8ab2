/* SPDX-License-Identifier: MIT */
/*
 * Smooth points, lines and polygons (GL 2.1 sections 3.3.1, 3.4.2 and 3.5.3): a fragment for every pixel whose square the
 * primitive touches, and the touched area as coverage, which multiplies the fragment's alpha (section 3.12). Compiled once
 * per host vector level.
 *
 * The primitive is the one set-up made: a triangle's three edges, the four of a line's rectangle, a point's disc. Raster
 * runs on a copy whose edges are moved outwards until they hold the centres of all touched pixels, and drops the pixels
 * that have no area; what is outside the depth range, a clip plane or the stipple pattern is decided at the centre as ever,
 * the planes by a second run on the primitive's own weights. Areas are measured once, block by block, and go with the block's
 * pixels to their fragments.
 *
 * The area under edges is that of the pixel's square cut by half-planes, so the triangles of a mesh share each pixel
 * without rest: 1 less what is outside of each edge, which has a closed form, as long as nothing is outside of two of
 * them; else the square is cut, one edge after the other (cf_smooth.c). Limitation: edges are the f64 values, none is
 * decided exactly here: an area does not jump.
 */
#include "clipfree/primitive/cf_interpolate.h"
#include "clipfree/primitive/cf_smooth.h"

#include <math.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#pragma GCC diagnostic ignored "-Wpsabi" /* vectors never leave this file: what passes them is always inlined */

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Strips that a pixel is cut into to measure a disc. */
#define DISC_STRIPS 32

#define TILE_BLOCKS (CF_TILE_PX / 4) /* in a row */

/* Pixels of a block at once. */
#if defined(__AVX512F__)
#define LANES 8
#else
#define LANES 4
#endif

/* Edges as steep as that are taken as parallel to an axis. */
#define LEAST_SLOPE 1e-9

typedef uint32_t (*raster_function)(const struct cf_prim *, uint32_t, uint32_t, struct cf_raster_block *);

#define MAX_PAIRS (CF_PRIM_MAX_EDGES * (CF_PRIM_MAX_EDGES - 1) / 2)

/* Pixels that follow one another in a block; and masks of them. */
typedef double vec_f64 __attribute__((vector_size(8 * LANES)));
typedef int64_t vec_mask __attribute__((vector_size(8 * LANES)));

/* Places of a block's pixels, by cf_block_element */
static const double block_x[16] = { 0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3 };
static const double block_y[16] = { 0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3 };

ALWAYS_INLINE vec_f64
choose(vec_mask mask, vec_f64 yes, vec_f64 no)
{
   return (vec_f64)(((vec_mask)yes & mask) | ((vec_mask)no & ~mask));
}

/* Bit per lane. */
ALWAYS_INLINE uint32_t
lanes_of(vec_mask mask)
{
#if defined(__AVX512F__)
   return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask);
#elif defined(__AVX__)
   return (uint32_t)_mm256_movemask_pd((__m256d)mask);
#else
   return (uint32_t)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
#endif
}

/* ---- edges ---- */

/* What a primitive's areas are made of. Distances from an edge are in pixels along the axis that it is steeper against:
 * the edge's function by the larger of its |a| and |b|. */
struct outline {
   const struct cf_prim *prim;
   double per_major[CF_PRIM_MAX_EDGES];  /* 1 / that */
   double slope[CF_PRIM_MAX_EDGES];      /* the smaller by the larger: 0 .. 1 */
   double per_corner[CF_PRIM_MAX_EDGES]; /* 1 / (2 slope) */
   double apart[MAX_PAIRS];              /* see outside_of_both() */
   bool has_edges; /* false: some edge has no direction, and no distance */
};

static inline void
begin_outline(struct outline *o, const struct cf_prim *prim)
{
   double a[CF_PRIM_MAX_EDGES], b[CF_PRIM_MAX_EDGES];
   uint32_t pair = 0;
   o->prim = prim;
   o->has_edges = true;
   for (uint32_t i = 0; i < prim->edges; i++) {
      const double x = fabs(prim->a[i]), y = fabs(prim->b[i]), major = x > y ? x : y;
      o->has_edges &= major > 0.0;
      o->per_major[i] = 1.0 / major;
      o->slope[i] = (x > y ? y : x) * o->per_major[i];
      o->per_corner[i] = o->slope[i] > LEAST_SLOPE ? 0.5 / o->slope[i] : 0.0;
      a[i] = prim->a[i] * o->per_major[i];
      b[i] = prim->b[i] * o->per_major[i];
      for (uint32_t j = 0; j < i; j++)
         o->apart[pair++] = CF_SMOOTH_REACH_PX * (fabs(a[i] + a[j]) + fabs(b[i] + b[j]));
   }
}

/* The area of a unit square on the far side of an edge, from the distance of its centre: of the lesser part, a triangle or
 * a trapezium. */
ALWAYS_INLINE vec_f64
area_outside(const struct outline *o, uint32_t edge, vec_f64 distance)
{
   const vec_f64 size = (vec_f64)((vec_mask)distance & INT64_MAX), none = { 0 };
   const double slope = o->slope[edge];
   vec_f64 rest = 0.5 * (1.0 + slope) - size; /* from the edge to the last corner */
   rest = choose(rest > 0.0, rest, none);
   const vec_f64 lesser = choose(rest > slope, 0.5 - size, rest * rest * o->per_corner[edge]);
   return choose(distance >= 0.0, lesser, 1.0 - lesser);
}

/* Pixels of which some part may be outside of both edges: where the sum of the two distances is at least 0 in the whole
 * pixel, one of them is. */
ALWAYS_INLINE vec_mask
outside_of_both(vec_f64 outside_i, vec_f64 outside_j, vec_f64 distances, double apart)
{
   return (outside_i > 0.0) & (outside_j > 0.0) & (distances < apart);
}

/* The areas of pixels first .. first + LANES - 1 of the block at (x, y) inside the edges. */
ALWAYS_INLINE vec_f64
area_inside_edges(const struct outline *o, uint32_t edges, uint32_t x_px, uint32_t y_px, uint32_t first)
{
   const struct cf_prim *prim = o->prim;
   vec_f64 x, y;
   memcpy(&x, block_x + first, sizeof x);
   memcpy(&y, block_y + first, sizeof y);
   x += (double)x_px;
   y += (double)y_px;
   const vec_f64 none = { 0 };
   vec_f64 distance[CF_PRIM_MAX_EDGES], outside[CF_PRIM_MAX_EDGES], area = 1.0 + none;
   vec_mask shared = (vec_mask){ 0 } - !o->has_edges, gone = { 0 };
   uint32_t pair = 0;
   for (uint32_t i = 0; i < edges; i++) {
      distance[i] = ((prim->a[i] * x + prim->b[i] * y) + prim->c[i]) * o->per_major[i];
      outside[i] = area_outside(o, i, distance[i]);
      area -= outside[i];
      gone |= outside[i] >= 1.0;
      for (uint32_t j = 0; j < i; j++)
         shared |= outside_of_both(outside[i], outside[j], distance[i] + distance[j], o->apart[pair++]);
   }
   area = choose(gone | (area < 0.0), none, area);
   for (uint32_t cut = lanes_of(shared & ~gone); cut != 0; cut &= cut - 1) {
      const uint32_t lane = __builtin_ctz(cut);
      area[lane] = cf_smooth_cut_area(prim, (uint32_t)x[lane], (uint32_t)y[lane]);
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

/* Of a unit square whose centre is (along, across) from the disc's: by strips along the axis that the centre is further away
 * on, where the circle crosses them steeply; each is as long as the disc in its middle. */
static double
area_by_strips(float along, float across, float radius)
{
   _Alignas(64) float length[DISC_STRIPS];
   for (uint32_t i = 0; i < DISC_STRIPS; i++) {
      const float at = across - 0.5f + ((float)(int32_t)i + 0.5f) / DISC_STRIPS;
      const float half = sqrtf(greatest((radius - at) * (radius + at), 0.0f));
      length[i] = greatest(least(along + 0.5f, half) - greatest(along - 0.5f, -half), 0.0f);
   }
#pragma GCC unroll 5
   for (uint32_t rest = DISC_STRIPS / 2; rest > 0; rest /= 2)
#pragma GCC unroll 16
      for (uint32_t i = 0; i < rest; i++)
         length[i] += length[i + rest];
   return length[0] / DISC_STRIPS;
}

/* A pixel seen from a disc's centre: how far its own is on each axis. Centre and radius are those of the point coordinates. */
struct seen {
   double x_px, y_px, radius_px;
};

ALWAYS_INLINE struct seen
seen_from_disc(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px)
{
   return (struct seen){ fabs((prim->a[0] * x_px + prim->c[0] - 0.5) / prim->a[0]),
                         fabs((prim->b[1] * y_px + prim->c[1] - 0.5) / prim->b[1]), 0.5 / prim->a[0] };
}

/* Whether some part of the pixel is inside. */
ALWAYS_INLINE bool
disc_touches(const struct seen *p)
{
   const double x = p->x_px > 0.5 ? p->x_px - 0.5 : 0.0, y = p->y_px > 0.5 ? p->y_px - 0.5 : 0.0;
   return x * x + y * y < p->radius_px * p->radius_px;
}

static double
area_inside_disc(const struct seen *p)
{
   const double far_x = p->x_px + 0.5, far_y = p->y_px + 0.5;
   if (!disc_touches(p))
      return 0.0;
   if (far_x * far_x + far_y * far_y <= p->radius_px * p->radius_px)
      return 1.0;
   const bool along_x = p->x_px > p->y_px;
   return area_by_strips((float)(along_x ? p->x_px : p->y_px), (float)(along_x ? p->y_px : p->x_px), (float)p->radius_px);
}

/* ---- both ---- */

/* The areas of a block's pixels inside the primitive, 0 .. 1: of lines and triangles up to rounding, of points within 1/256.
 * Returns those of which some part is inside. */
ALWAYS_INLINE uint32_t
measure_block(const struct outline *o, uint32_t edges, const struct cf_raster_block *block, float area[16])
{
   uint32_t some = 0;
   for (uint32_t first = 0; first < 16; first += LANES) {
      if (!(block->mask >> first & ((1u << LANES) - 1)))
         continue;
      const vec_f64 areas = area_inside_edges(o, edges, block->x_px, block->y_px, first);
      some |= lanes_of(areas > 0.0) << first;
      for (uint32_t lane = 0; lane < LANES; lane++)
         area[first + lane] = (float)areas[lane];
   }
   return block->mask & some;
}

static uint32_t
measure_disc(const struct cf_prim *prim, const struct cf_raster_block *block, float area[16])
{
   uint32_t some = 0;
   for (uint32_t left = block->mask; left != 0; left &= left - 1) {
      const uint32_t k = __builtin_ctz(left), x_px = block->x_px + (uint32_t)block_x[k], y_px = block->y_px + (uint32_t)block_y[k];
      const struct seen p = seen_from_disc(prim, x_px, y_px);
      some |= (uint32_t)disc_touches(&p) << k;
      area[k] = (float)area_inside_disc(&p);
   }
   return some;
}

static uint32_t
measure(const struct outline *o, const struct cf_raster_block *block, float area[16])
{
   if (o->prim->shape == CF_SHAPE_LINE)
      return measure_block(o, 4, block, area);
   if (o->prim->shape == CF_SHAPE_TRIANGLE)
      return measure_block(o, 3, block, area);
   return measure_disc(o->prim, block, area);
}

/* The pixels of the tile whose centres are inside the planes, by block. */
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

uint32_t
CF_LANES(cf_smooth_raster)(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, struct cf_raster_block *blocks,
                           float coverage[CF_TILE_BLOCKS][16], raster_function raster)
{
   struct cf_prim outset = *prim;
   struct outline outline;
   uint16_t inside[TILE_BLOCKS][TILE_BLOCKS];
   uint32_t kept = 0;
   for (uint32_t i = 0; i < prim->edges; i++) {
      outset.c[i] += cf_smooth_edge_reach(prim, i);
      outset.error[i] = 0.0;
   }
   outset.planes = 0; /* they are made of the weights, which are not those of the copy */
   if (prim->planes)
      inside_planes(prim, x_px, y_px, raster, inside);
   begin_outline(&outline, prim);
   const uint32_t count = raster(&outset, x_px, y_px, blocks);
   for (uint32_t i = 0; i < count; i++) {
      struct cf_raster_block block = blocks[i];
      if (prim->planes)
         block.mask &= inside[block.y_px / 4 % TILE_BLOCKS][block.x_px / 4 % TILE_BLOCKS];
      block.mask = (uint16_t)measure(&outline, &block, coverage[cf_tile_block(block.x_px, block.y_px)]);
      blocks[kept] = block;
      kept += block.mask != 0;
   }
   return kept;
}
