/* SPDX-License-Identifier: MIT */
/*
 * Rasterisation of one 64x64 tile (paper A, 2.3): hierarchical traversal, compiled once per host
 * vector level and number of samples a pixel (cf_raster_lanes.c, cf_raster_samples_lanes.c). The
 * including file defines CF_WALK_SAMPLES, 1 or CF_SAMPLES, and enters raster_tile() in its
 * cf_primitive_ops.
 *
 * Each node of the hierarchy has 4x4 children of equal size (cf_raster_children.h): the tile has
 * 16x16-pixel regions, a region has 4x4-pixel blocks, a block has pixels. Planes are edge functions
 * and clip planes (near, far, user). classify() finds, for a plane and a node, the children outside
 * and the children that the plane cuts. A plane is tested only in children that it cuts: regions
 * inside all planes need no tests.
 *
 * Three precisions; each decides what the one before leaves open. f32 relative to the tile, with an
 * error bound, decides all but about one pixel in thousands. f64 evaluates the plane at the pixel.
 * Exact arithmetic (cf_prim_covers_exactly) decides for triangles under policy exact. The result
 * does not depend on which of them decided, nor on the path of the traversal.
 *
 * Samples: planes are given at pixel centres. For regions and blocks a plane's error bound is
 * widened by the largest difference between a centre and its samples, so that a child counts as
 * inside or outside only with all its samples. A block that a plane cuts is classified once per
 * sample. Bounds (which include the scissor) and stipple apply to whole pixels.
 */
#ifndef CF_RASTER_WALK_H
#define CF_RASTER_WALK_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "clipfree/arith/cf_eft.h"
#include "clipfree/base/cf_for.h"
#include "clipfree/base/cf_vec.h"
#include "clipfree/memory/cf_surface.h"
#include "clipfree/primitive/cf_interpolate.h"
#include "clipfree/primitive/cf_prim.h"
#include "clipfree/primitive/cf_raster.h"
#include "clipfree/primitive/cf_raster_children.h"

#if CF_WALK_SAMPLES > 1
typedef struct cf_raster_samples walk_block;
#else
typedef struct cf_raster_block walk_block;
#endif

#define CF_MAX_PLANES (CF_PRIM_MAX_EDGES + CF_PLANES)
#define CF_ALL 0xffffu
#define CF_SMALL_PX 16 /* primitives whose bounds touch at most 4x4 blocks skip the regions */

/* Nonzero edge values are far larger, so "> -CF_TINY" tests for ">= 0". */
#define CF_TINY 1e-300

/* ---- traversal ---- */

/* A plane in f32, for one tile: a linear function, positive inside, scaled such that |a| + |b| is
 * about 1. value > error: inside; value <= -error: outside; else f64 decides. */
struct plane {
   struct vec16 offset; /* value at pixel k of a block less the value at its first pixel */
   float a, b, origin;  /* origin: the value at the walk's origin */
   /* In a square of n x n pixels whose first pixel has value e, values lie in e + (n - 1) low ..
    * e + (n - 1) high. */
   float high, low;
   float error; /* error bound of a value at a pixel or sample */
   /* Several samples: a sample's value less the centre's; error plus the largest magnitude of
    * these. */
   float sample[CF_SAMPLES], margin;
};

/* The error bound for regions and blocks, widened to hold for all samples. */
static inline float
region_margin(const struct plane *p)
{
   return CF_WALK_SAMPLES > 1 ? p->margin : p->error;
}

/* A plane in f64, unscaled. value > in: inside; value <= out: outside; else exact arithmetic
 * decides. */
struct precise_plane {
   double a, b, c, in, out;
};

struct walk {
   const struct cf_prim *prim;
   int32_t x_px, y_px;         /* position of the tile */
   int32_t origin_x, origin_y; /* origin of `planes`, relative to the tile */
   /* bounds of the primitive, clipped to the tile and relative to it; max exclusive */
   int32_t min_x, min_y, max_x, max_y;
   /* emit() must remove pixels: polygon or line stipple, or with several samples a round point */
   bool stippled;
   uint32_t count; /* of the blocks found so far */
   walk_block *blocks;
   struct plane planes[CF_MAX_PLANES];
};

/* Value of a plane at pixel (x, y) of the tile. */
static inline float
value_at(const struct walk *w, const struct plane *p, int32_t x, int32_t y)
{
   return p->origin + (p->a * (float)(x - w->origin_x) + p->b * (float)(y - w->origin_y));
}

/* Test a plane against the children, of size_px > 1, of the node at (x, y). Children outside are
 * removed from *alive. Returns the children not certainly inside. *value: the plane's values at the
 * first pixels of the children. */
static inline uint32_t
classify(const struct walk *w, const struct plane *p, int32_t x, int32_t y, int32_t size_px,
         uint32_t *alive, struct vec16 *value)
{
   const float e = value_at(w, p, x, y), size = size_px;
   const float high = (size - 1) * p->high, low = (size - 1) * p->low;
   struct vec16 most, least;
   for (uint32_t k = 0; k < 16 / CF_WIDTH; k++) {
      value->part[k] = e + size * p->offset.part[k];
      most.part[k] = value->part[k] + high;
      least.part[k] = value->part[k] + low;
   }
   *alive &= mask_above(most, -region_margin(p));
   return ~mask_above(least, region_margin(p));
}

/* classify() for the pixels of a block. e: the plane's value at the first pixel. */
static inline uint32_t
classify_pixels(const struct plane *p, float e, uint32_t *alive)
{
   struct vec16 v;
   for (uint32_t k = 0; k < 16 / CF_WIDTH; k++)
      v.part[k] = e + p->offset.part[k];
   *alive &= mask_above(v, -p->error);
   return ~mask_above(v, p->error);
}

static inline int32_t
clamp_0_4(int32_t v)
{
   return v < 0 ? 0 : v > 4 ? 4 : v;
}

/* The children of the node at (x, y), of size 1 << log2_px, that the bounds touch. */
static inline uint32_t
bounds_mask(const struct walk *w, int32_t x, int32_t y, int32_t log2_px)
{
   const int32_t round = (1 << log2_px) - 1;
   const int32_t x0 = clamp_0_4((w->min_x - x) >> log2_px),
                 x1 = clamp_0_4((w->max_x - x + round) >> log2_px);
   const int32_t y0 = clamp_0_4((w->min_y - y) >> log2_px),
                 y1 = clamp_0_4((w->max_y - y + round) >> log2_px);
   return below_x[x1] & ~below_x[x0] & below_y[y1] & ~below_y[y0];
}

static uint32_t
polygon_stipple_mask(const struct cf_primitive_config *config, uint32_t x_px, uint32_t y_px)
{
   uint32_t mask = 0;
   for (uint32_t y = 0; y < 4; y++)
      for (uint32_t x = 0; x < 4; x++)
         mask |= (config->stipple.pattern[(y_px + y) % 32] >> (31 - (x_px + x) % 32) & 1)
                 << cf_block_element(x, y);
   return mask;
}

/* The major axis has the larger coefficient of edge 1, a weight that grows along the line. */
static uint32_t
line_stipple_mask(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px)
{
   const struct cf_raster *raster = &prim->config->raster;
   const bool x_major = fabs(prim->a[1]) >= fabs(prim->b[1]), forward = (x_major ? prim->a[1] : prim->b[1]) > 0.0;
   uint32_t mask = 0;
   for (uint32_t y = 0; y < 4; y++)
      for (uint32_t x = 0; x < 4; x++) {
         const int32_t step = (int32_t)(x_major ? x_px + x : y_px + y) - prim->stipple_origin_px;
         const uint32_t s = prim->stipple_start + (uint32_t)(forward ? step : -step);
         mask |= (raster->stipple_pattern >> (s / (raster->stipple_factor + 1) % 16) & 1)
                 << cf_block_element(x, y);
      }
   return mask;
}

static bool
is_stippled(const struct cf_prim *prim)
{
   const struct cf_raster *raster = &prim->config->raster;
   return (prim->shape == CF_SHAPE_TRIANGLE && raster->poly_stipple) ||
          (prim->shape == CF_SHAPE_LINE && raster->line_stipple) || (CF_WALK_SAMPLES > 1 && prim->round);
}

static uint32_t
stipple_mask(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px)
{
   return prim->shape == CF_SHAPE_LINE ? line_stipple_mask(prim, x_px, y_px)
                                       : polygon_stipple_mask(prim->config, x_px, y_px);
}

#if CF_WALK_SAMPLES > 1

/* The pixels of a block whose sample number `sample` is inside the disc of a round point. */
static uint32_t
round_mask(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, uint32_t sample)
{
   const struct cf_point_place *place = &prim->point;
   uint32_t mask = 0;
   for (uint32_t k = 0; k < 16; k++) {
      const double x = x_px + child_col(k) + cf_sample_offset_px(sample, 0),
                   y = y_px + child_row(k) + cf_sample_offset_px(sample, 1);
      const double s = (place->s_per_px * x + place->s_0) - 0.5,
                   t = (place->t_per_px * y + place->t_0) - 0.5;
      mask |= (uint32_t)(s * s + t * t <= 0.25) << k;
   }
   return mask;
}

static void
stipple(const struct cf_prim *prim, walk_block *block)
{
   const uint32_t kept = prim->shape == CF_SHAPE_POINT ? CF_ALL : stipple_mask(prim, block->x_px, block->y_px);
   for (uint32_t s = 0; s < CF_WALK_SAMPLES; s++)
      block->mask[s] &= prim->round ? round_mask(prim, block->x_px, block->y_px, s) : kept;
}

/* Add the block at (x, y) of the tile with the samples in `mask`, less those that stipple removes,
 * if any is left. */
static inline void
emit_samples(struct walk *w, int32_t x, int32_t y, const uint32_t mask[CF_WALK_SAMPLES])
{
   walk_block *block = &w->blocks[w->count];
   block->x_px = w->x_px + x;
   block->y_px = w->y_px + y;
   for (uint32_t s = 0; s < CF_WALK_SAMPLES; s++)
      block->mask[s] = mask[s];
   if (__builtin_expect(w->stippled, 0)) {
      stipple(w->prim, block);
      w->count += (block->mask[0] | block->mask[1] | block->mask[2] | block->mask[3]) != 0;
      return;
   }
   w->count += (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
}

/* emit_samples() of pixels with all their samples. */
static inline void
emit(struct walk *w, int32_t x, int32_t y, uint32_t mask)
{
   emit_samples(w, x, y, (const uint32_t[CF_WALK_SAMPLES]){ mask, mask, mask, mask });
}

static inline void
emit_region(struct walk *w, int32_t x, int32_t y)
{
   for (uint32_t k = 0; k < 16; k++)
      emit(w, x + 4 * child_col(k), y + 4 * child_row(k), CF_ALL);
}

#else

/* Add the block at (x, y) of the tile with the pixels in `mask`, less those that stipple removes,
 * if any is left. */
static inline void
emit(struct walk *w, int32_t x, int32_t y, uint32_t mask)
{
   const uint32_t x_px = w->x_px + x, y_px = w->y_px + y;
   if (__builtin_expect(w->stippled, 0))
      mask &= stipple_mask(w->prim, x_px, y_px);
   w->blocks[w->count] = (struct cf_raster_block){ x_px, y_px, mask, mask };
   w->count += mask != 0;
}

static inline void
emit_samples(struct walk *w, int32_t x, int32_t y, const uint32_t mask[CF_WALK_SAMPLES])
{
   emit(w, x, y, mask[0]);
}

/* The 16 blocks of a fully covered 16x16 region at (0, 0): x, y, mask, covered of each. */
#define CF_BLOCK(k) 4 * (((k)&1) | ((k) >> 1 & 2)), 4 * (((k) >> 1 & 1) | ((k) >> 2 & 2)), CF_ALL, CF_ALL
#define CF_4_BLOCKS(k) CF_BLOCK(k), CF_BLOCK((k) + 1), CF_BLOCK((k) + 2), CF_BLOCK((k) + 3)
#define CF_16_TIMES(...)                                                                           \
   {                                                                                               \
      __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__,   \
         __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__,             \
         __VA_ARGS__, __VA_ARGS__, __VA_ARGS__                                                     \
   }
static const uint16_t region_blocks[64] = { CF_4_BLOCKS(0), CF_4_BLOCKS(4), CF_4_BLOCKS(8),
                                            CF_4_BLOCKS(12) };
static const uint16_t region_is_x[64] = CF_16_TIMES(CF_ALL, 0, 0, 0);
static const uint16_t region_is_y[64] = CF_16_TIMES(0, CF_ALL, 0, 0);

_Static_assert(sizeof(struct cf_raster_block) == 4 * sizeof(uint16_t), "x, y, mask, covered");

static inline void
emit_region(struct walk *w, int32_t x, int32_t y)
{
   const uint16_t x_px = w->x_px + x, y_px = w->y_px + y;
   uint16_t out[64];
   for (uint32_t i = 0; i < 64; i++)
      out[i] = region_blocks[i] + ((x_px & region_is_x[i]) | (y_px & region_is_y[i]));
   memcpy(&w->blocks[w->count], out, sizeof out);
   w->count += 16;
}

#endif

static inline void
precise_edge(const struct cf_prim *prim, uint32_t i, struct precise_plane *p)
{
   const double zero = prim->inclusive >> i & 1 ? -CF_TINY : 0.0, error = prim->error[i];
   *p = (struct precise_plane){ prim->a[i], prim->b[i], prim->c[i], error > 0.0 ? error : zero,
                                error > 0.0 ? -error : zero };
}

/* Set the limits of a user plane's f64 value. Exact arithmetic decides within the error bound, as
 * for an edge, if the primitive has it. Otherwise the value's sign decides, and for 0 the sign of
 * a, then of b. If the error bound is not finite, as with NaN distances, all is outside. */
static void
set_user_plane(const struct cf_prim *prim, uint32_t plane, struct precise_plane *p)
{
   const double error = cf_prim_plane_error(prim, plane);
   const bool inclusive = p->a > 0.0 || (p->a == 0.0 && p->b >= 0.0);
   if (!(error <= DBL_MAX))
      p->in = p->out = INFINITY;
   else if (cf_prim_has_exact_planes(prim))
      p->in = error, p->out = -error;
   else
      p->in = p->out = inclusive ? -CF_TINY : 0.0;
}

/* Set up plane i in f64. Planes are the edge functions, then the clip planes of prim->planes:
 * sum(weight_k d_k), with d_k the distances of the vertices. */
static void
precise_plane(const struct cf_prim *prim, uint32_t i, struct precise_plane *p)
{
   const uint32_t weights = prim->shape == CF_SHAPE_TRIANGLE ? 3 : 2;
   if (i < prim->edges) {
      precise_edge(prim, i, p);
      return;
   }
   const uint32_t plane = cf_prim_plane(prim, i);
   *p = (struct precise_plane){ .in = -CF_TINY, .out = -CF_TINY };
   for (uint32_t k = 0; k < weights; k++) {
      const double d = cf_prim_plane_distance(prim, plane, k);
      p->a += prim->a[k] * d;
      p->b += prim->b[k] * d;
      p->c += prim->c[k] * d;
   }
   if (plane >= CF_PLANE_USER)
      set_user_plane(prim, plane, p);
}

/* Decide by f64 and exact arithmetic, for plane i and one sample, the pixels `open` of the block at
 * (x, y) that f32 leaves open. Returns those inside. */
static __attribute__((noinline)) uint32_t
resolve(const struct walk *w, uint32_t i, uint32_t open, int32_t x, int32_t y, uint32_t sample)
{
   uint32_t mask = 0;
   struct precise_plane p;
   precise_plane(w->prim, i, &p);
   CF_FOR_BITS (k, open) {
      double x_px = w->x_px + x + child_col(k), y_px = w->y_px + y + child_row(k);
      if (CF_WALK_SAMPLES > 1) {
         x_px += cf_sample_offset_px(sample, 0);
         y_px += cf_sample_offset_px(sample, 1);
      }
      const double e = (p.a * x_px + p.b * y_px) + p.c;
      const bool inside = e > p.in || (e > p.out && cf_prim_covers_exactly(w->prim, i, x_px, y_px));
      mask |= (uint32_t)inside << k;
   }
   return mask;
}

/* A plane's value at a sample of the pixel whose centre has value e. */
static inline float
sample_value(const struct plane *p, float e, uint32_t sample)
{
   return CF_WALK_SAMPLES > 1 ? e + p->sample[sample] : e;
}

/* The children of a node, classified against the planes that cut the node (a bit each in `cut`). */
struct children {
   uint32_t alive, cut;               /* outside no plane; and cut by some plane */
   uint32_t by_plane[CF_MAX_PLANES];  /* the children that plane i cuts */
   struct vec16 value[CF_MAX_PLANES]; /* values of plane i at the children's first pixels */
};

/* Classify the children of the node at (x, y). On entry children->alive has those in the bounds. */
static inline void
split(const struct walk *w, int32_t x, int32_t y, int32_t log2_px, uint32_t cut,
      struct children *children)
{
   children->cut = 0;
   CF_FOR_BITS (i, cut) {
      children->by_plane[i] =
         classify(w, &w->planes[i], x, y, 1 << log2_px, &children->alive, &children->value[i]);
      children->cut |= children->by_plane[i];
   }
   children->cut &= children->alive;
}

/* The planes of `cut` that cut child k. */
static inline uint32_t
planes_cutting(uint32_t cut, const struct children *children, uint32_t k)
{
   uint32_t planes = 0;
   CF_FOR_BITS (i, cut) {
      planes |= (children->by_plane[i] >> k & 1) << i;
   }
   return planes;
}

/* Rasterise block k of a region, at (x, y): of the pixels in `mask`, those inside all planes. */
static inline void
raster_block(struct walk *w, int32_t x, int32_t y, uint32_t cut, const struct children *blocks,
             uint32_t k, uint32_t mask)
{
   uint32_t masks[CF_WALK_SAMPLES];
   for (uint32_t sample = 0; sample < CF_WALK_SAMPLES; sample++)
      masks[sample] = mask;
   CF_FOR_BITS (i, cut) {
      if (!(blocks->by_plane[i] >> k & 1))
         continue;
      float e;
      memcpy(&e, (const float *)&blocks->value[i] + k, sizeof e);
      for (uint32_t sample = 0; sample < CF_WALK_SAMPLES; sample++) {
         uint32_t *m = &masks[sample];
         uint32_t open = classify_pixels(&w->planes[i], sample_value(&w->planes[i], e, sample), m);
         open &= *m;
         if (__builtin_expect(open != 0, 0))
            *m = (*m & ~open) | resolve(w, i, open, x, y, sample);
      }
   }
   emit_samples(w, x, y, masks);
}

/* Rasterise the 16x16 region at (x, y), which the planes in `cut` cut. */
static inline void
raster_region(struct walk *w, int32_t x, int32_t y, uint32_t cut)
{
   const bool whole = x >= w->min_x && y >= w->min_y && x + 16 <= w->max_x && y + 16 <= w->max_y;
   struct children blocks;
   if (whole && cut == 0 && !w->stippled) {
      emit_region(w, x, y);
      return;
   }
   blocks.alive = whole ? CF_ALL : bounds_mask(w, x, y, 2);
   split(w, x, y, 2, cut, &blocks);
   CF_FOR_BITS (k, blocks.alive & ~blocks.cut) {
      const int32_t bx = x + 4 * child_col(k), by = y + 4 * child_row(k);
      emit(w, bx, by, whole ? CF_ALL : bounds_mask(w, bx, by, 0));
   }
   CF_FOR_BITS (k, blocks.cut) {
      const int32_t bx = x + 4 * child_col(k), by = y + 4 * child_row(k);
      raster_block(w, bx, by, cut, &blocks, k, whole ? CF_ALL : bounds_mask(w, bx, by, 0));
   }
}

/* Rasterise the tile, which the planes in `cut` cut. */
static void
raster_regions(struct walk *w, uint32_t cut)
{
   struct children regions;
   regions.alive = bounds_mask(w, 0, 0, 4);
   split(w, 0, 0, 4, cut, &regions);
   CF_FOR_BITS (k, regions.alive) {
      raster_region(w, 16 * child_col(k), 16 * child_row(k), planes_cutting(cut, &regions, k));
   }
}

/* ---- planes of a primitive ---- */

static inline float
positive_part(float v)
{
   return v > 0.0f ? v : 0.0f;
}

static inline float
negative_part(float v)
{
   return v < 0.0f ? v : 0.0f;
}

static inline double
positive_part64(double v)
{
   return v > 0.0 ? v : 0.0;
}

/* Set `offset`, which only planes that cut a node need. */
static inline void
set_offsets(struct plane *p)
{
   for (uint32_t k = 0; k < 16 / CF_WIDTH; k++) {
      f32xn x, y;
      memcpy(&x, child_x + k * CF_WIDTH, sizeof x);
      memcpy(&y, child_y + k * CF_WIDTH, sizeof y);
      p->offset.part[k] = p->a * x + p->b * y;
   }
}

/* Set `sample` and `margin`. Samples s and 3 - s lie opposite each other about the centre, so two
 * of them give the margin. */
static inline void
set_samples(struct plane *p)
{
   for (uint32_t s = 0; s < CF_WALK_SAMPLES; s++)
      p->sample[s] = p->a * (float)cf_sample_offset_px(s, 0) + p->b * (float)cf_sample_offset_px(s, 1);
   const float r0 = fabsf(p->sample[0]), r1 = fabsf(p->sample[1]);
   p->margin = p->error + (r0 > r1 ? r0 : r1);
}

/* Four planes in f32, as in struct plane: plane i in element i. */
struct rounded_planes {
   cf_f32x4 a, b, origin, error;
};

/* Round four planes to f32, with pixel (x_px, y_px) as origin. Error bound: a value at a pixel has
 * at most 12 roundings, each of at most 2^-24 (|origin| + 64 (|a| + |b|)); a value at a sample has
 * one more and three small ones. An origin beyond f32's range becomes infinite, with its sign. */
static inline struct rounded_planes
round_planes(const double a[4], const double b[4], const double c[4], const double error[4], double x_px, double y_px)
{
   cf_f64x4 va, vb, vc, verror;
   memcpy(&va, a, sizeof va);
   memcpy(&vb, b, sizeof vb);
   memcpy(&vc, c, sizeof vc);
   memcpy(&verror, error, sizeof verror);
   const cf_f64x4 slope = cf_vec_abs(va) + cf_vec_abs(vb);
   const cf_f64x4 scale = (cf_f64x4)((2046 - ((cf_i64x4)slope >> 52)) << 52); /* cf_scale_to_one */
   const cf_f64x4 e = ((va * x_px + vb * y_px) + vc) * scale;
   const cf_f64x4 bound = 0x1p-20 * (cf_vec_abs(e) + 64 * (slope * scale)) + verror * scale;
   return (struct rounded_planes){ __builtin_convertvector(va * scale, cf_f32x4),
                                   __builtin_convertvector(vb * scale, cf_f32x4),
                                   __builtin_convertvector(e, cf_f32x4),
                                   __builtin_convertvector(bound, cf_f32x4) };
}

/* Set up `count` planes, at most four. */
static inline void
set_planes(const struct walk *w, const double a[4], const double b[4], const double c[4],
           const double error[4], uint32_t count, struct plane *planes)
{
   const struct rounded_planes rounded =
      round_planes(a, b, c, error, w->x_px + w->origin_x, w->y_px + w->origin_y);
   for (uint32_t i = 0; i < count; i++) {
      struct plane *p = &planes[i];
      p->a = rounded.a[i];
      p->b = rounded.b[i];
      p->origin = rounded.origin[i];
      p->error = rounded.error[i];
      p->high = positive_part(p->a) + positive_part(p->b);
      p->low = negative_part(p->a) + negative_part(p->b);
      if (CF_WALK_SAMPLES > 1)
         set_samples(p);
   }
}

/* Set up plane i in f32, a clip plane. */
static void
set_plane(const struct walk *w, uint32_t i, struct plane *p)
{
   struct precise_plane precise;
   precise_plane(w->prim, i, &precise);
   const double a[4] = { precise.a }, b[4] = { precise.b }, c[4] = { precise.c }, error[4] = { positive_part64(precise.in) };
   set_planes(w, a, b, c, error, 1, p);
}

/* Set up all planes in f32. *cut: bit per plane that cuts the part of the tile inside the bounds.
 * False: all of that part is outside some plane. */
static inline bool
begin_planes(struct walk *w, uint32_t *cut)
{
   const uint32_t planes = w->prim->edges + __builtin_popcount(w->prim->planes);
   const float width = w->max_x - w->min_x - 1, height = w->max_y - w->min_y - 1;
   *cut = 0;
   set_planes(w, w->prim->a, w->prim->b, w->prim->c, w->prim->error, CF_PRIM_MAX_EDGES, w->planes);
   for (uint32_t i = w->prim->edges; i < planes; i++)
      set_plane(w, i, &w->planes[i]);
   for (uint32_t i = w->prim->first_edge; i < planes; i++) {
      struct plane *p = &w->planes[i];
      const float e = value_at(w, p, w->min_x, w->min_y), across = p->a * width,
                  down = p->b * height;
      if (!(e + (positive_part(across) + positive_part(down)) > -region_margin(p)))
         return false;
      if (e + (negative_part(across) + negative_part(down)) > region_margin(p))
         continue;
      set_offsets(p);
      *cut |= 1u << i;
   }
   return true;
}

/*
 * Triangles without clip planes, the most frequent primitives. All three edges are tested at each
 * level, without a branch per edge: mispredicted branches would cost more than the arithmetic.
 * Long lines whose ends are bounds are tested so, too: by their long sides, of which the second
 * counts as two edges.
 */

/* The number of edge i, of three, in the primitive. */
static inline uint32_t
edge_number(const struct cf_prim *prim, uint32_t i)
{
   return prim->shape == CF_SHAPE_LINE ? cf_min_u32(i + 2, 3) : i;
}

/* raster_block() for a triangle. e0, e1, e2: values of its edges at the block's first pixel. */
static inline void
raster_triangle_block(struct walk *w, const struct plane edge[3], int32_t x, int32_t y, float e0,
                      float e1, float e2, uint32_t mask)
{
   const float e[3] = { e0, e1, e2 };
   const float in[3] = { edge[0].error, edge[1].error, edge[2].error }, out[3] = { -in[0], -in[1], -in[2] };
   uint32_t masks[CF_WALK_SAMPLES];
   for (uint32_t sample = 0; sample < CF_WALK_SAMPLES; sample++) {
      struct vec16 v[3];
      for (uint32_t i = 0; i < 3; i++)
         for (uint32_t k = 0; k < 16 / CF_WIDTH; k++)
            v[i].part[k] = sample_value(&edge[i], e[i], sample) + edge[i].offset.part[k];
      uint32_t m = mask & mask_all_above(v, out);
      const uint32_t open = m & ~mask_all_above(v, in);
      for (uint32_t i = 0; __builtin_expect(open != 0, 0) && i < 3; i++) {
         const uint32_t open_to_edge = m & ~mask_above(v[i], in[i]);
         m = (m & ~open_to_edge) | resolve(w, edge_number(w->prim, i), open_to_edge, x, y, sample);
      }
      masks[sample] = m;
   }
   emit_samples(w, x, y, masks);
}

/* The pixels of a block inside the bounds: by row, and by column. Their intersection is the mask of
 * a block at (x, y). */
static inline uint32_t
bounds_rows(const struct walk *w, int32_t y)
{
   return below_y[clamp_0_4(w->max_y - y)] & ~below_y[clamp_0_4(w->min_y - y)];
}

static inline uint32_t
bounds_columns(const struct walk *w, int32_t x)
{
   return below_x[clamp_0_4(w->max_x - x)] & ~below_x[clamp_0_4(w->min_x - x)];
}

/* Rasterise a point of one sample: all pixels in its bounds. */
static inline void
raster_rectangle(struct walk *w)
{
   for (int32_t y = w->min_y & ~3; y < w->max_y; y += 4) {
      const uint32_t rows = bounds_rows(w, y);
      for (int32_t x = w->min_x & ~3; x < w->max_x; x += 4)
         emit(w, x, y, rows & bounds_columns(w, x));
   }
}

/* Rasterise a triangle by testing each block that its bounds touch. `edge` is a local variable, so
 * that it stays in registers. */
static inline void
raster_small_triangle(struct walk *w)
{
   struct plane edge[3];
   set_planes(w, w->prim->a, w->prim->b, w->prim->c, w->prim->error, 3, edge);
   for (uint32_t i = 0; i < 3; i++)
      set_offsets(&edge[i]);
   for (int32_t y = w->min_y & ~3; y < w->max_y; y += 4) {
      const uint32_t rows = bounds_rows(w, y);
      for (int32_t x = w->min_x & ~3; x < w->max_x; x += 4)
         raster_triangle_block(w, edge, x, y, value_at(w, &edge[0], x, y), value_at(w, &edge[1], x, y),
                               value_at(w, &edge[2], x, y), rows & bounds_columns(w, x));
   }
}

static inline uint32_t
classify_triangle(const struct walk *w, int32_t x, int32_t y, int32_t size_px, uint32_t *alive,
                  struct vec16 value[3])
{
   uint32_t cut = classify(w, &w->planes[0], x, y, size_px, alive, &value[0]);
   cut |= classify(w, &w->planes[1], x, y, size_px, alive, &value[1]);
   cut |= classify(w, &w->planes[2], x, y, size_px, alive, &value[2]);
   return cut & *alive;
}

/* raster_region() for a triangle, of a region that some edge cuts. */
static inline void
raster_triangle_region(struct walk *w, int32_t x, int32_t y)
{
   const bool whole = x >= w->min_x && y >= w->min_y && x + 16 <= w->max_x && y + 16 <= w->max_y;
   uint32_t alive = whole ? CF_ALL : bounds_mask(w, x, y, 2);
   struct vec16 value[3];
   float e[3][16];
   const uint32_t cut = classify_triangle(w, x, y, 4, &alive, value);
   memcpy(e, value, sizeof e);
   CF_FOR_BITS (k, alive & ~cut) {
      const int32_t bx = x + 4 * child_col(k), by = y + 4 * child_row(k);
      emit(w, bx, by, whole ? CF_ALL : bounds_mask(w, bx, by, 0));
   }
   CF_FOR_BITS (k, cut) {
      const int32_t bx = x + 4 * child_col(k), by = y + 4 * child_row(k);
      raster_triangle_block(w, w->planes, bx, by, e[0][k], e[1][k], e[2][k],
                            whole ? CF_ALL : bounds_mask(w, bx, by, 0));
   }
}

static inline void
raster_large_triangle(struct walk *w)
{
   for (uint32_t i = 0; i < 3; i++)
      set_offsets(&w->planes[i]);
   uint32_t alive = bounds_mask(w, 0, 0, 4);
   struct vec16 value[3];
   const uint32_t cut = classify_triangle(w, 0, 0, 16, &alive, value);
   CF_FOR_BITS (k, alive) {
      if (cut >> k & 1)
         raster_triangle_region(w, 16 * child_col(k), 16 * child_row(k));
      else
         raster_region(w, 16 * child_col(k), 16 * child_row(k), 0);
   }
}

/* Whether the bounds touch at most 4x4 blocks; then these are the origin of planes. */
static inline bool
is_small(struct walk *w)
{
   const int32_t x = w->min_x & ~3, y = w->min_y & ~3;
   const bool small = w->max_x - x <= CF_SMALL_PX && w->max_y - y <= CF_SMALL_PX;
   w->origin_x = small ? x : 0;
   w->origin_y = small ? y : 0;
   return small;
}

static inline void
raster_triangle(struct walk *w)
{
   uint32_t cut;
   if (is_small(w))
      raster_small_triangle(w);
   else if (begin_planes(w, &cut)) {
      if ((cut & (cut - 1)) == 0)
         raster_regions(w, cut); /* one edge at most: no branch per edge to mispredict */
      else
         raster_large_triangle(w);
   }
}

/* Rasterise a line, or any primitive that clip planes cut. A small one is a region of its own,
 * whose blocks its bounds touch. Not inlined: triangles and points need less of the stack. */
static __attribute__((noinline)) void
raster_cut(struct walk *w)
{
   const bool small = is_small(w), long_sides = w->prim->first_edge && w->prim->planes == 0;
   uint32_t cut;
   if (!begin_planes(w, &cut))
      return;
   if (small) {
      raster_region(w, w->origin_x, w->origin_y, cut);
   } else if (long_sides && cut & (cut - 1)) { /* both cut the tile */
      w->planes[0] = w->planes[2];
      w->planes[1] = w->planes[2] = w->planes[3];
      raster_large_triangle(w);
   } else {
      raster_regions(w, cut);
   }
}

static inline int32_t
clamp_0_64(int32_t v)
{
   return v < 0 ? 0 : v > 64 ? 64 : v;
}

static uint32_t
raster_tile(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, walk_block *blocks)
{
   const struct cf_prim_bounds *b = &prim->bounds;
   struct walk w;
   w.prim = prim;
   w.x_px = x_px;
   w.y_px = y_px;
   w.min_x = clamp_0_64(b->min_x_px - w.x_px);
   w.min_y = clamp_0_64(b->min_y_px - w.y_px);
   w.max_x = clamp_0_64(b->max_x_px - w.x_px);
   w.max_y = clamp_0_64(b->max_y_px - w.y_px);
   w.origin_x = w.origin_y = 0;
   w.stippled = is_stippled(prim);
   w.count = 0;
   w.blocks = blocks;
   if (w.min_x >= w.max_x || w.min_y >= w.max_y)
      return 0;
   if (prim->shape == CF_SHAPE_TRIANGLE && prim->planes == 0)
      raster_triangle(&w);
   else if (prim->edges == 0 && prim->planes == 0)
      raster_rectangle(&w);
   else
      raster_cut(&w);
   return w.count;
}

#endif
