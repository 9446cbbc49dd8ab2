/* SPDX-License-Identifier: MIT */
/*
 * A render pass: draws and clears to one set of images, collected and then rendered sort-middle in
 * two parallel loops (cf_workers.h).
 *
 *    1. Chunks of at most CF_CHUNK_PRIMS primitives: vertices are shaded; primitives are assembled,
 *       set up and binned.
 *    2. Tiles, the fullest first: each walks all chunks in drawing order.
 *
 * Pictures do not depend on how the work is cut: primitives keep their order in every tile, and
 * tiles share nothing. So a pass may be rendered in parts, when its primitives need more than
 * CF_PASS_LIMIT_B, or its draws fill CF_PASS_STATE_B.
 *
 * Life of a pass; all but the rendering is done by the parsing thread:
 *
 *    cf_pass_begin    collecting: cf_pass_draw adds draws
 *    cf_pass_launch   launched: the workers render it, nothing of it changes
 *                     done: both loops are finished
 *    cf_pass_take     empty again
 *
 * Several passes may be in flight: while one is rendered, the next ones are collected. Tiles begin
 * when all loops before them are finished. Chunks begin earlier: after the last loop that writes
 * what they read, beside the loops launched since then.
 */
#ifndef CF_PASS_H
#define CF_PASS_H

#include "clipfree/base/cf_arena.h"
#include "clipfree/interface/cf_choices.h"
#include "clipfree/schedule/cf_draw.h"
#include "clipfree/schedule/cf_engine_pool.h"

/* Primitives of a chunk, at most. A chunk starts with an empty vertex cache, so it is no smaller than
 * the cache's reach where a draw has that many primitives. */
#define CF_CHUNK_PRIMS CF_VERTEX_REUSE_PRIMS
/* A primitive has at most six vertices, with those beside it, a fan one more in each piece. */
#define CF_CHUNK_VERTICES (6 * CF_CHUNK_PRIMS + 64)
#define CF_PASS_LIMIT_B (64ull << 20)
/* Limit of a pass's draws and their state: they should still be in the cache when they are
 * rendered. */
#define CF_PASS_STATE_B (768u << 10)

struct cf_pass;

struct cf_pass_stats {
   uint64_t draws, passes, chunks, vertex_tasks;
   uint64_t position_tasks; /* those of the vertex tasks that are run for positions alone */
   uint64_t interpreted; /* tasks that the interpreter ran, of vertices and of fragments */
   /* time by unit, summed over the workers; 0 unless the pool is `timed` */
   uint64_t unit_ns[CF_UNITS];
   struct cf_tile_stats tile;
};

/* What a pass does beside rendering, and how. */
struct cf_pass_config {
   uint32_t print; /* enum cf_print_flag */
   enum cf_vertex_order vertices;
   /* Count what is done for each draw; the pool must be timed. Draws then have tasks of their own,
    * and chunks do not depend on the number of workers. */
   bool counts_draws;
};

/** NULL: out of memory. */
struct cf_pass *cf_pass_create(struct cf_engine_pool *pool, const struct cf_pass_config *config);
void cf_pass_destroy(struct cf_pass *pass);

/** The arena for state of draws: allocations are valid until cf_pass_take. */
struct cf_arena *cf_pass_arena(struct cf_pass *pass);

/** Begin a pass that renders to these images. The pass is empty. `limits`: of the time of each
 * worker, valid until cf_pass_take; NULL: none. */
void cf_pass_begin(struct cf_pass *pass, const struct cf_frame *frame,
                   struct cf_time_limit *limits);

/** Memory for the next draw, to be filled and given to cf_pass_draw; not initialised. NULL: out of
 * memory. */
struct cf_draw_state *cf_pass_new_draw(struct cf_pass *pass);

/** Add a draw or a clear. False: out of memory, or an earlier part of the pass ran out of it. */
bool cf_pass_draw(struct cf_pass *pass, const struct cf_draw_state *draw);

/** True if nothing has been added. */
bool cf_pass_is_empty(const struct cf_pass *pass);

/** True if it should be launched before more is added. */
bool cf_pass_is_full(const struct cf_pass *pass);

/** Launch the rendering of the draws added. `after`: the last loop that writes what the pass's
 * chunks read; 0: none. The pass is done when the last loop that was launched is finished. */
void cf_pass_launch(struct cf_pass *pass, uint64_t after);

enum cf_pass_result {
   CF_PASS_DONE,
   CF_PASS_OUT_OF_MEMORY, /* some primitives are missing */
   /* the watchdog ended a task, or a limit is exceeded: what was not drawn by then is missing */
   CF_PASS_TIMED_OUT,
};

/* A vertex program's load outside of a vertex buffer, which gave 0. */
struct cf_pass_outside {
   bool found;
   uint64_t packet; /* of the draw */
   const struct cf_decoded *program;
   struct cf_vertex_outside load;
};

/* The result of a pass. */
struct cf_pass_report {
   enum cf_pass_result result;
   uint64_t timed_out_packet;      /* of CF_PASS_TIMED_OUT: the address of the draw packet */
   struct cf_pass_outside outside; /* one such load, if there was any */
   uint64_t number;                /* of the pass, among all */
   struct cf_pass_stats stats;
};

/** What was counted of draw number `draw`, the pass' first is 0, of a pass that is done or was never
 * launched; times are in ticks. *state is the draw, or the clear. NULL: there are no more draws, or
 * they are not counted. */
const struct cf_stats_row *cf_pass_counts(const struct cf_pass *pass, uint32_t draw,
                                          const struct cf_draw_state **state);

/** The same of the draw or clear that was added last, to add to it; NULL: none is counted. */
struct cf_stats_row *cf_pass_last_counts(struct cf_pass *pass);

/** Take the report of a pass that is done, or was never launched, and empty it with its arena. */
void cf_pass_take(struct cf_pass *pass, struct cf_pass_report *report);

#endif
