/* SPDX-License-Identifier: MIT */
/*
 * Binning: which primitives of a chunk touch which 64x64-pixel tiles, in order. One binner per
 * thread; what it makes lies in an arena and is compact: a table over the rectangle of tiles the
 * chunk touches at all, and 16 bits per primitive and tile.
 */
#ifndef CF_BINS_H
#define CF_BINS_H

#include "clipfree/command/cf_arena.h"
#include "clipfree/primitive/cf_primitive.h"

#define CF_BINS_MAX_PRIMS 65535

struct cf_bin_prim {
   const struct cf_prim *prim; /* NULL: something else of `draw` that is done at this place */
   uint32_t draw;              /* as given to cf_binner_add */
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
   uint32_t prim_count, prim_capacity;
   struct cf_bin_pair {
      uint16_t tile_x, tile_y, prim;
   } * pairs;
   uint32_t pair_count, pair_capacity;
   uint16_t min_x, min_y, max_x, max_y; /* tiles touched, inclusive */
   bool out_of_memory;
};

void cf_binner_begin(struct cf_binner *binner);

/** Add a primitive (NULL: everything in bounds) in drawing order. At most CF_BINS_MAX_PRIMS per
 * chunk. kept: where it will lie when the bins are read. */
void cf_binner_add(struct cf_binner *binner, const struct cf_prim *prim,
                   const struct cf_prim *kept, uint32_t draw, const struct cf_prim_bounds *bounds);

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
