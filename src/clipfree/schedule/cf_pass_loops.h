/* SPDX-License-Identifier: MIT */
/*
 * What a render pass (cf_pass.h) is made of. cf_pass.c collects draws, cuts them into chunks and launches two loops:
 * cf_pass_chunks.c is what a chunk's worker does, cf_pass_tiles.c what a tile's does. No one else looks inside.
 */
#ifndef CF_PASS_LOOPS_H
#define CF_PASS_LOOPS_H

#include "clipfree/base/cf_cache.h"
#include "clipfree/schedule/cf_pass.h"

#include <stdatomic.h>

#define CF_LOAD_CLASSES 33 /* powers of two of a tile's entries; 0: none */

/* Primitives begin .. end - 1 of one run of a draw. */
struct cf_piece {
   _Alignas(16) uint32_t draw; /* copied so */
   uint32_t run_count; /* elements */
   uint32_t begin, end; /* of the run's primitives */
   uint32_t first;      /* the number in the draw of `begin` */
   struct cf_vertex_range range; /* what they use */
};

struct cf_chunk {
   uint32_t first_piece, end_piece;
};

/* What a worker keeps of this pass. */
struct cf_pass_share {
   /* the tiles that are its own: tile_order[next_tile .. end_tile - 1]; whoever takes one advances */
   CF_OWN_CACHE_LINE _Atomic uint32_t next_tile;
   uint32_t end_tile;
   uint32_t tiles_of_class[CF_LOAD_CLASSES]; /* while tiles are ordered: their number, then the next place */
   struct cf_arena arena;                    /* the primitives and bins that it made */
   struct cf_pass_stats stats;               /* of what it rendered */
};

struct cf_pass {
   CF_OWN_CACHE_LINE struct cf_engine_pool *pool; /* another pass is filled while this one is read */
   struct cf_pass_share *share; /* per worker */
   uint32_t print;              /* enum cf_print_flag */
   enum cf_vertex_order vertices;
   uint64_t number; /* of this pass, among all */
   struct cf_arena arena;
   struct cf_frame frame;
   uint32_t tiles_x, tiles_y;
   struct cf_draw_state made; /* the next draw, if other threads read `draws`: it is copied there */
   struct cf_draw_state *draws;
   struct cf_piece *pieces;
   struct cf_chunk *chunks;
   struct cf_bins *bins; /* per chunk */
   uint32_t draw_count, draw_capacity;
   uint32_t draw_prims; /* of the draw that is being added, so far */
   uint32_t piece_count, piece_capacity;
   uint32_t chunk_count, chunk_capacity, bins_capacity;
   /* the chunk being filled */
   uint32_t chunk_prims, chunk_vertices;
   uint64_t estimate_B; /* estimate of what the primitives of all chunks need; bins of large ones take more */
   uint32_t scratch_dwords;
   _Atomic uint32_t *tile_load; /* entries per tile */
   uint32_t *tile_order;
   uint32_t tile_capacity;
   _Atomic bool out_of_memory;
   _Atomic uint32_t gave_up; /* 1 + the draw of the task that the watchdog ended; 0: none */
   _Atomic bool outside_taken; /* `outside` belongs to whoever set this */
   struct cf_pass_outside outside;
   struct cf_pass_stats stats; /* of what was added */
};

/** A primitive of a draw with its varyings, in bytes: a multiple of CF_ARENA_ALIGN_B. */
static inline size_t
cf_pass_prim_B(const struct cf_primitive_config *config)
{
   const size_t size_B = cf_prim_size_B + (size_t)config->varying_slots * 4 * sizeof(float[3]);
   return (size_B + CF_ARENA_ALIGN_B - 1) & ~(size_t)(CF_ARENA_ALIGN_B - 1);
}

/** Loop 1, an item a chunk: shade its vertices, assemble, set up and bin its primitives. `user`: the pass. */
void cf_pass_run_chunk(void *user, uint32_t worker, uint32_t item);

/** Between the loops, when all chunks are done: the number of tiles that have anything, in order of what is to be done. */
uint32_t cf_pass_open_tiles(void *user);

/** Loop 2, as many items as cf_pass_open_tiles says: render one of the tiles, the worker's own ones first. */
void cf_pass_run_tile(void *user, uint32_t worker, uint32_t item);

#endif
