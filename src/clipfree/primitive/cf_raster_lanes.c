/* SPDX-License-Identifier: MIT */
/* Rasterisation with one sample a pixel; the primitive engine's table at this host level. */
#define CF_WALK_SAMPLES 1
#include "clipfree/primitive/cf_raster_walk.h"
#include "clipfree/primitive/cf_smooth.h"

static uint32_t
raster_smooth(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, struct cf_raster_block *blocks,
              float coverage[CF_TILE_BLOCKS][16])
{
   if (cf_shape_is_smooth(prim->config, prim->shape))
      return CF_LANES(cf_smooth_raster)(prim, x_px, y_px, blocks, coverage, raster_tile);
   const uint32_t count = raster_tile(prim, x_px, y_px, blocks);
   for (uint32_t i = 0; i < count; i++)
      for (uint32_t k = 0; k < 16; k++)
         coverage[cf_tile_block(blocks[i].x_px, blocks[i].y_px)][k] = 1.0f;
   return count;
}

/* raster_smooth for callers that need no coverage. Not inlined: its array is large. */
static __attribute__((noinline)) uint32_t
raster_touched(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, struct cf_raster_block *blocks)
{
   float coverage[CF_TILE_BLOCKS][16];
   return CF_LANES(cf_smooth_raster)(prim, x_px, y_px, blocks, coverage, raster_tile);
}

static uint32_t
raster_any(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, struct cf_raster_block *blocks)
{
   if (__builtin_expect(cf_shape_is_smooth(prim->config, prim->shape), 0))
      return raster_touched(prim, x_px, y_px, blocks);
   return raster_tile(prim, x_px, y_px, blocks);
}

/*
 * Small primitives (cf_prim_is_small), up to CF_SMALL_PRIMS at once, in three loops: round their
 * edge functions, list the blocks that their bounds touch, classify these blocks. The number of
 * blocks that one touches or covers is hard to predict, so no branch depends on it. Each is tested
 * as a triangle: lines by their long sides, points, which are their bounds, by functions that
 * are 1.
 */

/* A block that a small primitive's bounds touch: one of 2x2 blocks, of which the first has the
 * first pixel of the bounds. */
struct small_block {
   /* 31:0 x | y << 16 of its corner, 47:32 mask of pixels inside the bounds, 55:48 number in
    * `prims` of raster_small(), 63:56 x | y << 1 among the 2x2 blocks */
   uint64_t word;
};

static inline uint32_t
small_corner(const struct small_block *b)
{
   return (uint32_t)b->word;
}

static inline uint32_t
small_mask(const struct small_block *b)
{
   return b->word >> 32 & 0xffff;
}

static inline uint32_t
small_prim(const struct small_block *b)
{
   return b->word >> 48 & 0xff;
}

static inline uint32_t
small_number(const struct small_block *b)
{
   return (uint32_t)(b->word >> 56);
}

/* The pixels of a block in columns (rows) i with bit i of a set. */
#define CF_UNION(set, m0, m1, m2, m3)                                                              \
   (((set) & 1 ? m0 : 0) | ((set) & 2 ? m1 : 0) | ((set) & 4 ? m2 : 0) | ((set) & 8 ? m3 : 0))
#define CF_COLUMNS(set) CF_UNION(set, 0x0505, 0x0a0a, 0x5050, 0xa0a0)
#define CF_ROWS(set) CF_UNION(set, 0x0033, 0x00cc, 0x3300, 0xcc00)
#define CF_16_SETS(f)                                                                              \
   { f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7), f(8), f(9), f(10), f(11), f(12), f(13), f(14), f(15) }
static const uint16_t columns_of[16] = CF_16_SETS(CF_COLUMNS), rows_of[16] = CF_16_SETS(CF_ROWS);

/* List the blocks that the bounds of prims[prim] touch. Returns their number, 1 .. 4; `blocks`
 * needs room for four in any case. */
static inline uint32_t
list_blocks(const struct cf_prim *p, uint32_t prim, uint32_t x_px, uint32_t y_px, struct small_block *blocks)
{
   const struct cf_prim_bounds b = cf_prim_bounds_in_tile(p, x_px, y_px);
   const uint32_t first_x = b.min_x_px & ~3u, first_y = b.min_y_px & ~3u;
   const uint32_t columns = (1u << (b.max_x_px - first_x)) - (1u << (b.min_x_px - first_x));
   const uint32_t rows = (1u << (b.max_y_px - first_y)) - (1u << (b.min_y_px - first_y));
   const uint64_t first = first_x | first_y << 16 | (uint64_t)prim << 48;
   uint32_t count = 0;
#pragma GCC unroll 4
   for (uint64_t k = 0; k < 4; k++) {
      const uint64_t x = k & 1, y = k >> 1;
      const uint64_t mask = columns_of[columns >> 4 * x & 0xf] & rows_of[rows >> 4 * y & 0xf];
      blocks[count].word = first + (4 * x | 4 * y << 16 | k << 56) + (mask << 32);
      count += mask != 0;
   }
   return count;
}

/* The three edge functions in f32, as in struct plane, with one error bound: the largest of theirs,
 * which differ little. */
struct small_planes {
   cf_f32x4 a, b, origin;
   float error;
};

/* The edge functions of a primitive, with the pixel (x_px, y_px) as origin; the second long side of
 * a line counts as two. */
static inline struct small_planes
small_planes(const struct cf_prim *p, double x_px, double y_px)
{
   const cf_f32x4 zero = { 0 }, one = { 1.0f, 1.0f, 1.0f, 1.0f };
   if (p->edges == 0)
      return (struct small_planes){ zero, zero, one, 0.0f };
   struct rounded_planes r = round_planes(p->a, p->b, p->c, p->error, x_px, y_px);
   if (p->first_edge) {
      r.a = __builtin_shufflevector(r.a, r.a, 2, 3, 3, 3);
      r.b = __builtin_shufflevector(r.b, r.b, 2, 3, 3, 3);
      r.origin = __builtin_shufflevector(r.origin, r.origin, 2, 3, 3, 3);
      r.error = __builtin_shufflevector(r.error, r.error, 2, 3, 3, 3);
   }
   const float error = r.error[0] > r.error[1] ? r.error[0] : r.error[1];
   return (struct small_planes){ r.a, r.b, r.origin, error > r.error[2] ? error : r.error[2] };
}

/* Values of edge function i at the pixels of block `number`, one of the 2x2. */
static inline struct vec16
small_values(const struct small_planes *planes, uint32_t i, uint32_t number)
{
   static const float columns[2][16] = { CF_CHILD_COLUMNS(0), CF_CHILD_COLUMNS(4) },
                      rows[2][16] = { CF_CHILD_ROWS(0), CF_CHILD_ROWS(4) };
   struct vec16 v;
   for (uint32_t k = 0; k < 16 / CF_WIDTH; k++) {
      const uint32_t first = k * CF_WIDTH % 8; /* the last eight columns are those of the first */
      f32xn x, y;
      memcpy(&x, &columns[number & 1][first], sizeof x);
      memcpy(&y, &rows[number >> 1][k * CF_WIDTH], sizeof y);
      v.part[k] = planes->origin[i] + (planes->a[i] * x + planes->b[i] * y);
   }
   return v;
}

/* The pixels of `mask` inside the primitive, in a block where f32 leaves some of them open. */
static __attribute__((noinline)) uint32_t
resolve_small(const struct cf_prim *prim, const struct small_planes *planes,
              const struct small_block *block, uint32_t mask)
{
   struct walk w;
   w.prim = prim;
   w.x_px = (int32_t)(small_corner(block) & 0xffff);
   w.y_px = (int32_t)(small_corner(block) >> 16);
   for (uint32_t i = 0; i < 3; i++) {
      const struct vec16 v = small_values(planes, i, small_number(block));
      const uint32_t open = mask & ~mask_above(v, planes->error);
      mask = (mask & ~open) | resolve(&w, edge_number(prim, i), open, 0, 0, 0);
   }
   return mask;
}

/* The pixels of a block inside the primitive: those where the least of the three edge functions is
 * positive. No value is a NaN, since set-up drops primitives whose vertices are not finite. */
static inline uint32_t
classify_small(const struct cf_prim *prim, const struct small_planes *planes,
               const struct small_block *block)
{
   const uint32_t number = small_number(block);
   const struct vec16 v0 = small_values(planes, 0, number), v1 = small_values(planes, 1, number),
                      v2 = small_values(planes, 2, number);
   struct vec16 least;
   for (uint32_t k = 0; k < 16 / CF_WIDTH; k++)
      least.part[k] = cf_vec_smaller(cf_vec_smaller(v0.part[k], v1.part[k]), v2.part[k]);
   const uint32_t mask = small_mask(block) & mask_above(least, -planes->error);
   if (__builtin_expect((mask & ~mask_above(least, planes->error)) != 0, 0))
      return resolve_small(prim, planes, block, mask);
   return mask;
}

_Static_assert(sizeof(struct cf_prim_block) - offsetof(struct cf_prim_block, x_px) == 8,
               "x, y, mask, covered");

/* A block of a primitive that covers the pixels in `mask`. */
static inline struct cf_prim_block
covered_block(const struct cf_prim *prim, const struct small_block *b, uint32_t mask)
{
   const uint32_t corner = small_corner(b);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
   struct cf_prim_block block = { .prim = prim };
   const uint64_t word = corner | (uint64_t)(mask | mask << 16) << 32; /* one store, not four */
   memcpy(&block.x_px, &word, sizeof(word));
   return block;
#else
   return (struct cf_prim_block){ prim, (uint16_t)corner, (uint16_t)(corner >> 16), (uint16_t)mask,
                                  (uint16_t)mask };
#endif
}

/* Whether the bounds of all these primitives are their coverage: points. */
static inline bool
are_points(const struct cf_prim *const *prims, uint32_t count)
{
   uint32_t edges = 0;
   for (uint32_t i = 0; i < count; i++)
      edges |= prims[i]->edges;
   return edges == 0;
}

/* raster_small of points: the blocks that their bounds touch. */
static uint32_t
raster_small_points(const struct cf_prim *const *prims, uint32_t count, uint32_t x_px,
                    uint32_t y_px, struct cf_prim_block *blocks)
{
   uint32_t covered = 0;
   for (uint32_t i = 0; i < count; i++) {
      struct small_block listed[4];
      const uint32_t touched = list_blocks(prims[i], 0, x_px, y_px, listed);
      for (uint32_t k = 0; k < touched; k++)
         blocks[covered++] = covered_block(prims[i], &listed[k], small_mask(&listed[k]));
   }
   return covered;
}

static uint32_t
raster_small(const struct cf_prim *const *prims, uint32_t count, uint32_t x_px, uint32_t y_px,
             struct cf_prim_block *blocks)
{
   if (are_points(prims, count))
      return raster_small_points(prims, count, x_px, y_px, blocks);
   struct small_planes planes[CF_SMALL_PRIMS];
   struct small_block listed[4 * CF_SMALL_PRIMS];
   uint32_t listed_count = 0, covered = 0;
   for (uint32_t i = 0; i < count; i++) {
      const struct cf_prim *p = prims[i];
      const struct small_block *first = &listed[listed_count];
      listed_count += list_blocks(p, i, x_px, y_px, &listed[listed_count]);
      planes[i] = small_planes(p, small_corner(first) & 0xffff, small_corner(first) >> 16);
   }
   for (uint32_t i = 0; i < listed_count; i++) {
      const struct small_block *b = &listed[i];
      const struct cf_prim *prim = prims[small_prim(b)];
      const uint32_t mask = classify_small(prim, &planes[small_prim(b)], b);
      blocks[covered] = covered_block(prim, b, mask);
      covered += mask != 0;
   }
   return covered;
}

const struct cf_primitive_ops CF_LANES(cf_primitive_ops) = {
   .raster_tile = raster_any,
   .raster_small = raster_small,
   .raster_smooth = raster_smooth,
   .raster_samples = CF_LANES(cf_raster_samples),
   .depth_quads = CF_LANES(cf_depth_quads),
   .interpolate = CF_LANES(cf_interpolate),
};
