/* SPDX-License-Identifier: MIT */
/*
 * Binning: for each 64x64-pixel tile, the primitives of a chunk that may cover it, in drawing
 * order. A thread has one binner and uses it for one chunk after the other. The resulting bins lie
 * in an arena: a table over the bounding rectangle of the chunk's tiles, and 16 bits for each pair
 * of primitive and tile.
 */
#ifndef CF_BINS_H
#define CF_BINS_H

#include "clipfree/base/cf_arena.h"
#include "clipfree/interface/cf_limits.h"
#include "clipfree/primitive/cf_prim.h"

#define CF_BINS_MAX_PRIMS 65535

/* A member of a chunk's list, in drawing order: a primitive, or a clear between primitives. */
struct cf_bin_prim {
   const struct cf_prim *prim; /* NULL: a clear */
   /* It is small in each of its tiles (cf_prim_is_small): known here, so that who collects small
    * primitives need not wait for the primitive. */
   uint32_t is_small : 1;
   uint32_t draw : 31;
   uint32_t primitive; /* numbers that the caller of cf_binner_add gave */
};

/* The bins of one chunk. */
struct cf_bins {
   const struct cf_bin_prim *prims;
   /* index of each tile's first entry; tiles of the rectangle in row order, and one more */
   const uint32_t *first;
   const uint16_t *entries;              /* indices of `prims`, ascending within a tile */
   uint16_t min_x, min_y, width, height; /* the rectangle, in tiles */
};

/* Collects one chunk. All zero: initialised. */
struct cf_binner {
   struct cf_bin_prim *prims;          /* in drawing order */
   uint32_t prim_count, prim_capacity; /* capacity: at most CF_BINS_MAX_PRIMS */
   struct cf_bin_pair {
      uint16_t tile_x, tile_y, prim;
   } * pairs; /* a primitive may cover a tile; unsorted */
   uint32_t pair_count, pair_capacity;
   uint16_t min_x, min_y, max_x, max_y; /* bounding rectangle of these tiles, inclusive */
   bool out_of_memory;
};

/** Begin a chunk: forget all primitives, keep the memory. */
void cf_binner_begin(struct cf_binner *binner);

/** cf_binner_add for any primitive and clear, out of line. */
void cf_binner_add_any(struct cf_binner *binner, const struct cf_prim *prim,
                       const struct cf_prim *stored, uint32_t draw, uint32_t primitive,
                       const struct cf_prim_bounds *bounds);

/** Add the pair of primitive number `prim` and tile (x, y). There must be room. */
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

/* A member of the list, as cf_binner_add is told of it. A pass has fewer than 2^31 draws. */
static inline struct cf_bin_prim
cf_bin_prim(const struct cf_prim *prim, const struct cf_prim *stored, uint32_t draw,
            uint32_t primitive, const struct cf_prim_bounds *bounds)
{
   return (struct cf_bin_prim){ .prim = stored,
                                .draw = draw & INT32_MAX,
                                .primitive = primitive,
                                .is_small = prim && cf_prim_bounds_are_small(bounds) &&
                                            cf_prim_may_be_small(prim) };
}

/** Add a primitive, or with NULL a clear, in drawing order. At most CF_BINS_MAX_PRIMS per chunk;
 * one more sets out_of_memory. stored: the address that goes to the bins, where the primitive will
 * lie when they are read; `prim` is read now and may lie elsewhere. */
static inline void
cf_binner_add(struct cf_binner *binner, const struct cf_prim *prim, const struct cf_prim *stored,
              uint32_t draw, uint32_t primitive, const struct cf_prim_bounds *bounds)
{
   const uint32_t x = bounds->min_x_px / CF_TILE_PX, y = bounds->min_y_px / CF_TILE_PX;
   const bool one_tile =
      (bounds->max_x_px - 1u) / CF_TILE_PX == x && (bounds->max_y_px - 1u) / CF_TILE_PX == y;
   const bool room = binner->prim_count < binner->prim_capacity &&
                     binner->pair_count < binner->pair_capacity && !binner->out_of_memory;
   if (prim == NULL || !one_tile || !room) { /* bounds of a primitive are not empty */
      cf_binner_add_any(binner, prim, stored, draw, primitive, bounds);
      return;
   }
   cf_binner_touch(binner, binner->prim_count, x, y);
   binner->prims[binner->prim_count++] = cf_bin_prim(prim, stored, draw, primitive, bounds);
}

/** Sort the pairs by tile into bins. False: out of memory. */
bool cf_binner_finish(struct cf_binner *binner, struct cf_arena *arena, struct cf_bins *bins);

/** Free the binner's memory; bins stay. */
void cf_binner_free(struct cf_binner *binner);

/** The entries of a tile in *entries; returns their number. 0: *entries is not set. */
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
