/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: inside a render pass (cf_pass.h). cf_pass.c collects draws, cuts them into
 * chunks and launches two loops: cf_pass_chunks.c renders a chunk, cf_pass_tiles.c a tile.
 */
#ifndef CF_PASS_LOOPS_H
#define CF_PASS_LOOPS_H

#include "clipfree/base/cf_cache.h"
#include "clipfree/base/cf_time_limit.h"
#include "clipfree/schedule/cf_pass.h"

#include <stdatomic.h>

#define CF_LOAD_CLASSES 33 /* classes of tiles by load: powers of two of their entries, from 1 on */

/* A piece: primitives begin .. end - 1 of one run of a draw. A run is what restart elements divide
 * a draw into; each instance has its own. A clear is a piece without primitives. */
struct cf_piece {
   _Alignas(16) uint32_t draw; /* cf_stream_copy's alignment */
   uint32_t run_count; /* elements */
   uint32_t begin, end; /* of the run's primitives */
   uint32_t first;      /* number of primitive `begin`, counted in the draw */
   /* the same, counted in the instance; of a polygon's triangles the number of the polygon */
   uint32_t first_of_instance;
   struct cf_vertex_range range; /* the vertices that these primitives use */
};

/* A chunk: consecutive pieces, of one or several draws. */
struct cf_chunk {
   uint32_t first_piece, end_piece;
};

/* A worker's share of the pass. */
struct cf_pass_share {
   /* the worker's own tiles: tile_order[next_tile .. end_tile - 1]; any worker that takes one
    * advances next_tile */
   CF_OWN_CACHE_LINE _Atomic uint32_t next_tile;
   uint32_t end_tile;
   /* working storage of ordering tiles: their number, then the next free place */
   uint32_t tiles_of_class[CF_LOAD_CLASSES];
   struct cf_arena arena;      /* primitives and bins that the worker wrote */
   struct cf_pass_stats stats; /* of chunks and tiles that it did */
};

enum cf_pass_loop { CF_PASS_CHUNKS, CF_PASS_TILES };

struct cf_pass {
   CF_OWN_CACHE_LINE struct cf_engine_pool *pool; /* another pass is filled while this one is read */
   struct cf_pass_share *share; /* per worker */
   struct cf_pass_config config;
   uint64_t number; /* of this pass, unique among all */
   struct cf_arena arena;
   struct cf_frame frame;
   struct cf_time_limit *limits; /* per worker; NULL: none */
   uint32_t tiles_x, tiles_y;
   /* What workers read of each other, and of the parsing thread, is streamed to memory: there are
    * several, and they are not near. The same for all of the pass. */
   bool streams;
   struct cf_draw_state next_draw; /* draw being filled, if it is streamed to `draws` */
   struct cf_draw_state *draws;
   struct cf_piece *pieces;
   struct cf_chunk *chunks;
   struct cf_bins *bins; /* per chunk */
   uint32_t draw_count, draw_capacity;
   uint32_t draw_prims; /* primitives of the draw being added, so far */
   uint32_t instance_first; /* of them, those of instances before the current one */
   uint32_t instance_runs;  /* runs of the current instance that have primitives */
   uint32_t piece_count, piece_capacity;
   uint32_t chunk_count, chunk_capacity, bins_capacity;
   /* chunk being filled */
   uint32_t chunk_prims, chunk_vertices;
   /* memory of the primitives of all chunks, estimated; bins of large ones take more */
   uint64_t estimate_B;
   uint32_t scratch_dwords;
   _Atomic uint32_t *tile_load; /* entries per tile */
   uint32_t *tile_order;
   uint32_t tile_capacity;
   uint32_t tile_count; /* in tile_order */
   bool in_parts;       /* parts of it were rendered, and there may be more */
   _Atomic bool out_of_memory;
   _Atomic uint32_t timed_out_draw; /* 1 + the draw whose task the watchdog ended; 0: none */
   _Atomic bool outside_taken; /* the worker that sets this owns `outside` */
   struct cf_pass_outside outside;
   struct cf_pass_stats stats; /* of the draws added */
   struct cf_stats_row *counts; /* by draw, if draws are counted and there are any; else NULL */
   uint32_t counts_capacity;
};

/** A worker begins a chunk or tile, `item` of `items` of the pass's loop: from now on its time
 * counts. Ended by cf_time_limit_end of the task's limit, which is returned. */
static inline struct cf_time_limit *
cf_pass_begin_time(const struct cf_pass *pass, uint32_t worker, enum cf_pass_loop loop,
                   uint32_t item, uint32_t items)
{
   struct cf_time_limit *limit = pass->limits ? &pass->limits[worker] : NULL;
   pass->pool->worker[worker].task->limit = limit;
   cf_time_limit_begin(limit, 2 * pass->number + loop,
                       pass->in_parts ? CF_TIME_ITEMS_UNKNOWN
                                      : (items - item - 1) / pass->pool->count + 1);
   return limit;
}

/** Whether the draw's pieces are rendered one after the other: what each feeds back is known when
 * those before it are done. */
static inline bool
cf_draw_is_in_order(const struct cf_draw_state *draw)
{
   return draw->feedback && draw->feedback->emitted;
}

/** Size of a primitive of the draw with its varyings: a multiple of CF_ARENA_ALIGN_B. */
static inline size_t
cf_pass_prim_B(const struct cf_draw_state *draw)
{
   const struct cf_primitive_config *config = draw->primitive;
   const size_t size_B = cf_prim_kind_B(config, draw->output_prim) +
                         (size_t)config->varying_slots * 4 * sizeof(float[3]);
   return (size_B + CF_ARENA_ALIGN_B - 1) & ~(size_t)(CF_ARENA_ALIGN_B - 1);
}

/** Loop 1, an item per chunk: shade its vertices; assemble, set up and bin its primitives. `user`:
 * the pass. */
void cf_pass_run_chunk(void *user, uint32_t worker, uint32_t item);

/** Between the loops, when all chunks are done: order the tiles that have entries. Returns their
 * number. */
uint32_t cf_pass_open_tiles(void *user);

/** Loop 2, an item per ordered tile: render one of the tiles, the worker's own ones first. */
void cf_pass_run_tile(void *user, uint32_t worker, uint32_t item);

#endif
