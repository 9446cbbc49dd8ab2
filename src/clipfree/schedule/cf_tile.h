/* SPDX-License-Identifier: MIT */
/*
 * Tile walker: renders one 64x64 tile, all draws in order: hierarchical Z -> raster -> early tests -> quad packing ->
 * interpolation -> shader -> late tests -> colour write. One walker per thread; tiles are
 * independent of each other.
 *
 * Frames of several samples a pixel: coverage, depth and stencil tests, blending and writing are done
 * for each sample, as if it were a frame of its own; shading once a pixel, if any sample of it is
 * left.
 */
#ifndef CF_TILE_H
#define CF_TILE_H

#include <stdatomic.h>

#include "clipfree/interface/cf_observer.h"
#include "clipfree/pixel/cf_hiz.h"
#include "clipfree/primitive/cf_bins.h"
#include "clipfree/primitive/cf_quad_pack.h"
#include "clipfree/schedule/cf_draw.h"

/* The units' tables at this host's vector level, and who watches them. */
struct cf_units {
   const struct cf_shader_ops *shader;
   const struct cf_primitive_ops *primitive;
   const struct cf_quad_pack_ops *pack;
   const struct cf_pixel_ops *pixel;
   const struct cf_observer *observer; /* NULL: nobody watches */
};

/* What is rendered. Read only while tiles are walked. */
struct cf_tile_input {
   const struct cf_frame *frame;
   const struct cf_draw_state *draws;
   const struct cf_bins *chunks; /* in drawing order */
   uint32_t chunk_count;
   /* 1 + the draw of the task that the watchdog ended, set by its walker; nothing is shaded from then on */
   _Atomic uint32_t *gave_up;
};

struct cf_tile_stats {
   uint64_t tasks, quads, fragments;
   uint64_t waiting; /* tasks for which code from quads to pixels was not there yet */
   uint64_t hidden; /* primitives of tiles that hierarchical Z found hidden, wholly or in part */
};

struct cf_tile_walker {
   const struct cf_units *units;
   struct cf_task *task;
   struct cf_tile_stats stats; /* summed over all tiles walked */
   /* the tile being walked */
   const struct cf_tile_input *input;
   uint32_t tile_x, tile_y;
   uint32_t chunk, entry; /* the one being drawn: chunks[chunk], its entry number in the tile */
   const struct cf_draw_state *draw;
   uint32_t draw_index;
   uint32_t resolved;  /* color targets whose memory is valid and of which nothing is known */
   uint32_t resolved_zs[2]; /* bits of depth/stencil pixels of which the same holds */
   uint64_t samples;  /* passed in this draw and tile */
   struct cf_hiz hiz;
   float coverage[CF_TILE_BLOCKS][16]; /* of the last primitive's blocks, if the draw is smooth (cf_primitive_ops.raster_smooth) */
   struct cf_quad_pack pack;
   /* Small triangles of the draw, and of those before it that share its tasks, which wait to be rasterised together. */
   const struct cf_prim *small[CF_SMALL_PRIMS];
   uint32_t small_count;
   bool collects_small; /* the draw, of a frame of one sample, may have some */
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
