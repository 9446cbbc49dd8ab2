/* SPDX-License-Identifier: MIT */
/*
 * A counting sort: pairs of tile and primitive are appended in drawing order, and sorted by tile at
 * the end of the chunk. The sort is stable, so a tile's entries stay in drawing order.
 */
#include "clipfree/primitive/cf_bins.h"

#include <stdlib.h>
#include <string.h>

void
cf_binner_begin(struct cf_binner *binner)
{
   binner->prim_count = binner->pair_count = 0;
   binner->least = CF_SPLAT(cf_i16x4, INT16_MAX);
   binner->out_of_memory = false;
}

/* Grow an array to `wanted` elements or more, never beyond `most`. False: out of memory. */
static bool
make_room(void **array, uint32_t *capacity, uint32_t wanted, uint32_t most, size_t element_B)
{
   if (wanted <= *capacity)
      return true;
   const uint32_t grown = wanted < most / 2 - 1024 ? wanted * 2 + 1024 : most;
   void *memory = realloc(*array, grown * element_B);
   if (!memory)
      return false;
   *array = memory;
   *capacity = grown;
   return true;
}

void
cf_binner_add_any(struct cf_binner *binner, const struct cf_prim *prim,
                  const struct cf_prim *stored, uint32_t draw, uint32_t primitive,
                  const struct cf_prim_bounds *bounds)
{
   if (bounds->min_x_px >= bounds->max_x_px || bounds->min_y_px >= bounds->max_y_px ||
       binner->out_of_memory)
      return;
   const uint32_t first_x = bounds->min_x_px / CF_TILE_PX,
                  last_x = (bounds->max_x_px - 1u) / CF_TILE_PX;
   const uint32_t first_y = bounds->min_y_px / CF_TILE_PX,
                  last_y = (bounds->max_y_px - 1u) / CF_TILE_PX;
   const uint32_t tiles = (last_x - first_x + 1) * (last_y - first_y + 1);
   if (binner->prim_count == CF_BINS_MAX_PRIMS ||
       !make_room((void **)&binner->prims, &binner->prim_capacity, binner->prim_count + 1,
                  CF_BINS_MAX_PRIMS, sizeof(*binner->prims)) ||
       !make_room((void **)&binner->pairs, &binner->pair_capacity, binner->pair_count + tiles,
                  UINT32_MAX, sizeof(*binner->pairs))) {
      binner->out_of_memory = true;
      return;
   }
   const uint32_t index = binner->prim_count++;
   binner->prims[index] = cf_bin_prim(prim, stored, draw, primitive, cf_prim_corners(bounds));
   for (uint32_t y = first_y; y <= last_y; y++) {
      for (uint32_t x = first_x; x <= last_x; x++) {
         if (tiles == 1 || !prim || cf_prim_touches_tile(prim, x * CF_TILE_PX, y * CF_TILE_PX))
            cf_binner_touch(binner, index, x | y << 16);
      }
   }
}

/* The number of a tile in rows of `width` tiles. */
static inline uint32_t
place_of(uint32_t tile, uint32_t width)
{
   return (tile >> 16) * width + (tile & 0xffff);
}

bool
cf_binner_finish(struct cf_binner *binner, struct cf_arena *arena, struct cf_bins *bins)
{
   *bins = (struct cf_bins){ 0 };
   if (binner->out_of_memory)
      return false;
   if (binner->pair_count == 0)
      return true;
   const uint32_t min_x = (uint16_t)binner->least[0], min_y = (uint16_t)binner->least[1];
   const uint32_t width = (uint16_t)~binner->least[2] - min_x + 1,
                  height = (uint16_t)~binner->least[3] - min_y + 1;
   struct cf_bin_prim *prims = cf_arena_alloc(arena, binner->prim_count * sizeof(*prims));
   uint32_t *first = cf_arena_alloc(arena, (width * height + 2) * sizeof(*first));
   uint16_t *entries = cf_arena_alloc(arena, binner->pair_count * sizeof(*entries));
   if (!prims || !first || !entries)
      return false;
   memcpy(prims, binner->prims, binner->prim_count * sizeof(*prims));
   /* Counts of tile i go to first[i + 2]; the prefix sum makes first[i + 1] the start of tile i.
    * Sorting advances first[i + 1] to the end of tile i, which is the start of tile i + 1. */
   memset(first, 0, (width * height + 2) * sizeof(*first));
   const uint32_t origin = place_of(min_x | min_y << 16, width);
   const struct cf_bin_pair *end = binner->pairs + binner->pair_count;
   for (const struct cf_bin_pair *pair = binner->pairs; pair < end; pair++)
      first[place_of(pair->tile, width) - origin + 2]++;
   for (uint32_t i = 2; i < width * height + 2; i++)
      first[i] += first[i - 1];
   for (const struct cf_bin_pair *pair = binner->pairs; pair < end; pair++)
      entries[first[place_of(pair->tile, width) - origin + 1]++] = (uint16_t)pair->prim;
   *bins = (struct cf_bins){
      .prims = prims,
      .first = first,
      .entries = entries,
      .min_x = (uint16_t)min_x,
      .min_y = (uint16_t)min_y,
      .width = (uint16_t)width,
      .height = (uint16_t)height,
   };
   return true;
}

void
cf_binner_free(struct cf_binner *binner)
{
   free(binner->prims);
   free(binner->pairs);
   *binner = (struct cf_binner){ 0 };
}
