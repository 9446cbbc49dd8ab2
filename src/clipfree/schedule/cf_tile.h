/* SPDX-License-Identifier: MIT */
/*
 * The tile walk: renders one 64x64 tile, all draws in order: hierarchical Z -> raster -> early
 * tests -> quad packing -> interpolation -> shader -> late tests -> colour write. One walker per
 * thread; tiles are independent of each other.
 *
 * In frames of several samples a pixel, coverage, depth and stencil tests, blending and writing are
 * done for each sample, as if it were a frame of its own. A pixel is shaded once, if any of its
 * samples passes the early tests.
 */
#ifndef CF_TILE_H
#define CF_TILE_H

#include <stdatomic.h>

#include "clipfree/interface/cf_observer.h"
#include "clipfree/jit/cf_quad_work.h"
#include "clipfree/pixel/cf_hiz.h"
#include "clipfree/pixel/cf_pixel_samples.h"
#include "clipfree/primitive/cf_bins.h"
#include "clipfree/primitive/cf_quad_pack.h"
#include "clipfree/profile/cf_stats.h"
#include "clipfree/schedule/cf_draw.h"

/* The units' functions at this host's vector level, and the observer. */
struct cf_units {
   const struct cf_shader_ops *shader;
   const struct cf_primitive_ops *primitive;
   const struct cf_quad_pack_ops *pack;
   const struct cf_pixel_ops *pixel;
   const struct cf_observer *observer; /* NULL: none */
};

/* The input of all tiles of a pass. Read only while tiles are walked. */
struct cf_tile_input {
   const struct cf_frame *frame;
   const struct cf_draw_state *draws;
   const struct cf_bins *chunks; /* in drawing order */
   uint32_t chunk_count;
   /* 1 + the draw whose task the watchdog ended, set by the walker; from then on nothing is
    * shaded */
   _Atomic uint32_t *timed_out_draw;
   struct cf_stats_row *counts; /* by draw: what is done for it is added; NULL: not counted */
};

struct cf_tile_stats {
   uint64_t tasks, quads, fragments;
   /* tasks that ran unit by unit because their code from quads to pixels was not compiled yet */
   uint64_t waiting;
   /* primitives, counted per tile, that hierarchical Z found hidden, wholly or in part */
   uint64_t hidden;
   uint64_t shaded; /* lanes of tasks; counted only if draws are */
};

struct cf_tile_walker {
   const struct cf_units *units;
   struct cf_task *task;
   struct cf_tile_stats stats; /* summed over all tiles walked */
   /* those of them, and of the task's interpreted runs, that are counted for a draw */
   struct cf_tile_stats counted;
   uint64_t counted_interpreted;
   /* the tile being walked */
   const struct cf_tile_input *input;
   uint32_t tile_x, tile_y;
   const struct cf_observer *observer; /* NULL: none, or it does not want the tile */
   /* how its tasks run: cf_quad_pack.run, but for counting */
   void (*run)(void *user, const struct cf_quad *quads, uint32_t count, const uint32_t *lanes,
               const float *coverage);
   uint32_t chunk, entry; /* the entry being drawn: number `entry` of the tile in chunks[chunk] */
   const struct cf_draw_state *draw;
   uint32_t draw_index;
   /* color targets that are resolved: memory is valid, and the tile's state knows nothing */
   uint32_t resolved;
   uint32_t resolved_zs[2]; /* bits of depth and stencil that are resolved */
   uint64_t samples;  /* samples that have passed in this draw and tile */
   struct cf_hiz hiz;
   /* of the last primitive, if the draw is smooth: by block and element
    * (cf_primitive_ops.raster_smooth) */
   float coverage[CF_TILE_BLOCKS][16];
   struct cf_quad_pack pack;
   /* runs by compiled code, of the draw and of those before it that share its tasks; each run sets
    * its quads, lanes and coverage */
   struct cf_quad_work work;
   struct cf_sample_units sample_units;
   uint32_t written[CF_WORK_TASKS][CF_SAMPLES]; /* cf_quad_work.written */
   /* Small primitives that wait to be rasterised together: of the draw, and of draws before it that
    * share its tasks. */
   const struct cf_prim *small[CF_SMALL_PRIMS];
   uint32_t small_count;
   bool collects_small; /* the draw may have small primitives */
   uint32_t prefetched_B; /* of each of the draw's primitives, and of those of the next draws */
   union {
      struct cf_raster_block blocks[256];
      struct cf_raster_samples samples[256];
      struct cf_prim_block small[4 * CF_SMALL_PRIMS];
   } raster;
};

void cf_tile_walker_init(struct cf_tile_walker *walker, const struct cf_units *units,
                         struct cf_task *task);

void cf_tile_walk(struct cf_tile_walker *walker, const struct cf_tile_input *input, uint32_t tile_x,
                  uint32_t tile_y);

#endif
