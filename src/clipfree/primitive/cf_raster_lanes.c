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
   uint16_t x_px, y_px;
   uint16_t mask; /* pixels inside the bounds */
   uint8_t prim;  /* number in `prims` of raster_small() */
   uint8_t place; /* x | y << 1 among the 2x2 blocks */
};

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
   uint32_t count = 0;
#pragma GCC unroll 4
   for (uint32_t place = 0; place < 4; place++) {
      const uint32_t x = place & 1, y = place >> 1;
      const uint32_t mask = columns_of[columns >> 4 * x & 0xf] & rows_of[rows >> 4 * y & 0xf];
      blocks[count] = (struct small_block){ (uint16_t)(first_x + 4 * x), (uint16_t)(first_y + 4 * y), (uint16_t)mask,
                                            (uint8_t)prim, (uint8_t)place };
      count += mask != 0;
   }
   return count;
}

/* The three edge functions, with the pixel (x_px, y_px) as origin; the second long side of a line
 * counts as two. */
static inline struct rounded_planes
small_planes(const struct cf_prim *p, double x_px, double y_px)
{
   const cf_f32x4 zero = { 0 }, one = { 1.0f, 1.0f, 1.0f, 1.0f };
   if (p->edges == 0)
      return (struct rounded_planes){ zero, zero, one, zero };
   struct rounded_planes r = round_planes(p->a, p->b, p->c, p->error, x_px, y_px);
   if (p->first_edge) {
      r.a = __builtin_shufflevector(r.a, r.a, 2, 3, 3, 3);
      r.b = __builtin_shufflevector(r.b, r.b, 2, 3, 3, 3);
      r.origin = __builtin_shufflevector(r.origin, r.origin, 2, 3, 3, 3);
      r.error = __builtin_shufflevector(r.error, r.error, 2, 3, 3, 3);
   }
   return r;
}

/* Values of the three edge functions at the pixels of the block at `place`. */
static inline void
small_values(const struct rounded_planes *planes, uint32_t place, struct vec16 v[3])
{
   for (uint32_t k = 0; k < 16 / CF_WIDTH; k++) {
      f32xn x, y;
      memcpy(&x, child_x + k * CF_WIDTH, sizeof x);
      memcpy(&y, child_y + k * CF_WIDTH, sizeof y);
      x += 4.0f * (float)(place & 1);
      y += 4.0f * (float)(place >> 1);
      for (uint32_t i = 0; i < 3; i++)
         v[i].part[k] = planes->origin[i] + (planes->a[i] * x + planes->b[i] * y);
   }
}

/* The pixels of `mask` inside the primitive, in a block where f32 leaves some of them open. */
static __attribute__((noinline)) uint32_t
resolve_small(const struct cf_prim *prim, const struct rounded_planes *planes,
              const struct small_block *block, uint32_t mask)
{
   struct walk w;
   struct vec16 v[3];
   w.prim = prim;
   w.x_px = block->x_px;
   w.y_px = block->y_px;
   small_values(planes, block->place, v);
   for (uint32_t i = 0; i < 3; i++) {
      const uint32_t open = mask & ~mask_above(v[i], planes->error[i]);
      mask = (mask & ~open) | resolve(&w, edge_number(prim, i), open, 0, 0, 0);
   }
   return mask;
}

static inline uint32_t
classify_small(const struct cf_prim *prim, const struct rounded_planes *planes, const struct small_block *block)
{
   const float in[3] = { planes->error[0], planes->error[1], planes->error[2] }, out[3] = { -in[0], -in[1], -in[2] };
   struct vec16 v[3];
   small_values(planes, block->place, v);
   const uint32_t mask = block->mask & mask_all_above(v, out);
   if (__builtin_expect((mask & ~mask_all_above(v, in)) != 0, 0))
      return resolve_small(prim, planes, block, mask);
   return mask;
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
      for (uint32_t k = 0; k < touched; k++) {
         const struct small_block *b = &listed[k];
         blocks[covered++] = (struct cf_prim_block){ prims[i], b->x_px, b->y_px, b->mask, b->mask };
      }
   }
   return covered;
}

static uint32_t
raster_small(const struct cf_prim *const *prims, uint32_t count, uint32_t x_px, uint32_t y_px,
             struct cf_prim_block *blocks)
{
   if (are_points(prims, count))
      return raster_small_points(prims, count, x_px, y_px, blocks);
   struct rounded_planes planes[CF_SMALL_PRIMS];
   struct small_block listed[4 * CF_SMALL_PRIMS];
   uint32_t listed_count = 0, covered = 0;
   for (uint32_t i = 0; i < count; i++) {
      const struct cf_prim *p = prims[i];
      const struct small_block *first = &listed[listed_count];
      listed_count += list_blocks(p, i, x_px, y_px, &listed[listed_count]);
      planes[i] = small_planes(p, first->x_px, first->y_px);
   }
   for (uint32_t i = 0; i < listed_count; i++) {
      const struct small_block *b = &listed[i];
      const uint32_t mask = classify_small(prims[b->prim], &planes[b->prim], b);
      blocks[covered] = (struct cf_prim_block){ prims[b->prim], b->x_px, b->y_px, (uint16_t)mask, (uint16_t)mask };
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
