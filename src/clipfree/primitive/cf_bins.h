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
#include "clipfree/base/cf_vec.h"
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
      uint32_t tile, prim; /* tile: x | y << 16 */
   } * pairs; /* a primitive may cover a tile; unsorted */
   uint32_t pair_count, pair_capacity;
   /* Bounding rectangle of these tiles: least x and y, and of their complements, -1 - x and -1 - y,
    * so that one operation keeps all four. */
   cf_i16x4 least;
   bool out_of_memory;
};

/** Begin a chunk: forget all primitives, keep the memory. */
void cf_binner_begin(struct cf_binner *binner);

/** cf_binner_add for any primitive and clear, out of line. */
void cf_binner_add_any(struct cf_binner *binner, const struct cf_prim *prim,
                       const struct cf_prim *stored, uint32_t draw, uint32_t primitive,
                       const struct cf_prim_bounds *bounds);

/** The tile of a pixel, both as x | y << 16. */
static inline uint32_t
cf_bin_tile(uint32_t pixel_px)
{
   _Static_assert(CF_TILE_PX == 64, "six bits of each");
   return pixel_px >> 6 & 0x03ff03ff;
}

/** Add the pair of primitive number `prim` and tile x | y << 16. There must be room. */
static inline void
cf_binner_touch(struct cf_binner *binner, uint32_t prim, uint32_t tile)
{
   const cf_i16x4 corner = (cf_i16x4)(tile | (uint64_t)~tile << 32);
   const cf_i16x4 less = corner < binner->least;
   binner->pairs[binner->pair_count++] = (struct cf_bin_pair){ .tile = tile, .prim = prim };
   binner->least = (corner & less) | (binner->least & ~less);
}

/* A member of the list, as cf_binner_add is told of it. A pass has fewer than 2^31 draws. */
static inline struct cf_bin_prim
cf_bin_prim(const struct cf_prim *prim, const struct cf_prim *stored, uint32_t draw,
            uint32_t primitive, struct cf_prim_corners corners)
{
   return (struct cf_bin_prim){ .prim = stored,
                                .draw = draw & INT32_MAX,
                                .primitive = primitive,
                                .is_small = prim && cf_prim_corners_are_small(corners) &&
                                            cf_prim_may_be_small(prim) };
}

/** Add a primitive, or with NULL a clear, in drawing order. At most CF_BINS_MAX_PRIMS per chunk;
 * one more sets out_of_memory. stored: the address that goes to the bins, where the primitive will
 * lie when they are read; `prim` is read now and may lie elsewhere. */
static inline void
cf_binner_add(struct cf_binner *binner, const struct cf_prim *prim, const struct cf_prim *stored,
              uint32_t draw, uint32_t primitive, const struct cf_prim_bounds *bounds)
{
   const struct cf_prim_corners corners = cf_prim_corners(bounds);
   const uint32_t tile = cf_bin_tile(corners.min_px), last_px = corners.max_px - 0x00010001;
   const bool room = binner->prim_count < binner->prim_capacity &&
                     binner->pair_count < binner->pair_capacity && !binner->out_of_memory;
   if (prim == NULL || cf_bin_tile(last_px) != tile ||
       !room) { /* of a primitive they have a pixel */
      cf_binner_add_any(binner, prim, stored, draw, primitive, bounds);
      return;
   }
   cf_binner_touch(binner, binner->prim_count, tile);
   binner->prims[binner->prim_count++] = cf_bin_prim(prim, stored, draw, primitive, corners);
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
