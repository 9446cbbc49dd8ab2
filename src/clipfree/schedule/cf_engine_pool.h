/* SPDX-License-Identifier: MIT */
/*
 * A pool of engines: each worker has one of every kind, to shade, set up and rasterise. All passes
 * share them, since a worker works on one chunk or tile at a time. What depends on worker and pass
 * lies in the pass (cf_pass_share).
 */
#ifndef CF_ENGINE_POOL_H
#define CF_ENGINE_POOL_H

#include "clipfree/base/cf_cache.h"
#include "clipfree/base/cf_unit_clock.h"
#include "clipfree/primitive/cf_setup.h"
#include "clipfree/profile/cf_trace.h"
#include "clipfree/schedule/cf_tile.h"
#include "clipfree/schedule/cf_workers.h"
#include "clipfree/vertex/cf_geometry.h"

/* What a worker's engines had done when they were last asked for a draw (cf_count_pieces). */
struct cf_counted {
   struct cf_vertex_stats vertex;
   uint32_t prims;
   uint64_t interpreted;
};

struct cf_worker_engines {
   CF_OWN_CACHE_LINE struct cf_task *task;
   /* the task's profiler, if the pool is timed; it runs during chunks and tiles */
   struct cf_unit_clock clock;
   struct cf_vertex_engine *vertex;
   struct cf_geometry_engine *geometry;
   struct cf_binner binner;
   struct cf_tile_walker walker;
   uint64_t pass; /* number of the pass that it last worked for */
   /* set-up, derived from this configuration of the pass; NULL: none yet */
   const struct cf_primitive_config *set_up_for;
   struct cf_setup setup;
   bool visible; /* the configuration can draw something */
   struct cf_counted counted; /* unused unless draws are counted */
};

struct cf_engine_pool {
   struct cf_units units;
   struct cf_workers *workers;
   uint32_t count;
   struct cf_worker_engines *worker; /* [count] */
   uint64_t passes; /* passes so far: the last one's number */
   /* profiler of the parsing thread outside of its work as a worker; NULL: the pool is not timed */
   struct cf_unit_clock *parser;
   struct cf_unit_clock parser_clock;
   struct cf_trace *trace; /* of chunks and tiles; NULL: none */
};

/** Create the engines of all workers, for chunks of `chunk_vertices`. `timed`: units' times are
 * measured. NULL: out of memory. */
struct cf_engine_pool *cf_engine_pool_create(const struct cf_units *units, struct cf_workers *workers, uint32_t chunk_vertices,
                                             bool timed);
void cf_engine_pool_destroy(struct cf_engine_pool *pool);

/** Make a worker's engines ready for a pass, whose programs ask for scratch_dwords. False: out of
 * memory. */
bool cf_worker_engines_enter(struct cf_worker_engines *engines, uint64_t pass, uint32_t scratch_dwords);

/** Make a worker's set-up ready for a configuration, which must live as long as the pass. */
void cf_worker_engines_set_up(struct cf_worker_engines *engines, const struct cf_primitive_config *config,
                              const struct cf_prim_sink *sink);

#endif
