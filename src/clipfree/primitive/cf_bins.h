/* SPDX-License-Identifier: MIT */
/*
 * Binning: which primitives of a chunk touch which 64x64-pixel tiles, in order. One binner per
 * thread; what it makes lies in an arena and is compact: a table over the rectangle of tiles the
 * chunk touches at all, and 16 bits per primitive and tile.
 */
#ifndef CF_BINS_H
#define CF_BINS_H

#include "clipfree/base/cf_arena.h"
#include "clipfree/interface/cf_limits.h"
#include "clipfree/primitive/cf_primitive.h"

#define CF_BINS_MAX_PRIMS 65535

struct cf_bin_prim {
   const struct cf_prim *prim; /* NULL: no primitive, but a clear at this place in the order */
   uint32_t draw, primitive;   /* as given to cf_binner_add */
};

/* The bins of one chunk. */
struct cf_bins {
   const struct cf_bin_prim *prims;
   const uint32_t
      *first; /* per tile of the rectangle, in row order, and one more: where its entries start */
   const uint16_t *entries;              /* indices into prims, ascending within a tile */
   uint16_t min_x, min_y, width, height; /* in tiles */
};

/* All zero: ready. */
struct cf_binner {
   struct cf_bin_prim *prims;
   uint32_t prim_count, prim_capacity; /* capacity: at most CF_BINS_MAX_PRIMS */
   struct cf_bin_pair {
      uint16_t tile_x, tile_y, prim;
   } * pairs;
   uint32_t pair_count, pair_capacity;
   uint16_t min_x, min_y, max_x, max_y; /* tiles touched, inclusive */
   bool out_of_memory;
};

void cf_binner_begin(struct cf_binner *binner);

/** cf_binner_add, out of line: for any primitive. */
void cf_binner_add_any(struct cf_binner *binner, const struct cf_prim *prim,
                       const struct cf_prim *kept, uint32_t draw, uint32_t primitive,
                       const struct cf_prim_bounds *bounds);

/** Add a tile to those that a primitive touches. There must be room. */
static inline void
cf_binner_touch(struct cf_binner *binner, uint32_t prim, uint32_t x, uint32_t y)
{
   binner->pairs[binner->pair_count++] =
      (struct cf_bin_pair){ .tile_x = (uint16_t)x, .tile_y = (uint16_t)y, .prim = (uint16_t)prim };
   binner->min_x = x < binner->min_x ? x : binner->min_x;
   binner->min_y = y < binner->min_y ? y : binner->min_y;
   binner->max_x = x > binner->max_x ? x : binner->max_x;
   binner->max_y = y > binner->max_y ? y : binner->max_y;
}

/** Add a primitive, or with NULL a clear, in drawing order; at most CF_BINS_MAX_PRIMS per chunk.
 * kept: its address when the bins are read. */
static inline void
cf_binner_add(struct cf_binner *binner, const struct cf_prim *prim, const struct cf_prim *kept,
              uint32_t draw, uint32_t primitive, const struct cf_prim_bounds *bounds)
{
   const uint32_t x = bounds->min_x_px / CF_TILE_PX, y = bounds->min_y_px / CF_TILE_PX;
   const bool one_tile =
      (bounds->max_x_px - 1u) / CF_TILE_PX == x && (bounds->max_y_px - 1u) / CF_TILE_PX == y;
   const bool room = binner->prim_count < binner->prim_capacity &&
                     binner->pair_count < binner->pair_capacity && !binner->out_of_memory;
   if (prim == NULL || !one_tile || !room) { /* bounds of a primitive are not empty */
      cf_binner_add_any(binner, prim, kept, draw, primitive, bounds);
      return;
   }
   cf_binner_touch(binner, binner->prim_count, x, y);
   binner->prims[binner->prim_count++] = (struct cf_bin_prim){ .prim = kept, .draw = draw, .primitive = primitive };
}

/** Sort what was added since begin into bins. False: out of memory. */
bool cf_binner_finish(struct cf_binner *binner, struct cf_arena *arena, struct cf_bins *bins);

void cf_binner_free(struct cf_binner *binner);

/** Entries of tile (x, y): their number and the first. */
static inline uint32_t
cf_bins_tile(const struct cf_bins *bins, uint32_t tile_x, uint32_t tile_y, const uint16_t **entries)
{
   const uint32_t x = tile_x - bins->min_x, y = tile_y - bins->min_y;
   if (x >= bins->width || y >= bins->height)
      return 0;
   const uint32_t *first = &bins->first[y * bins->width + x];
   *entries = bins->entries + first[0];
   return first[1] - first[0];
}

#endif
