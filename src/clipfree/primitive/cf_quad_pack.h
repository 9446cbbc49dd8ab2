/* SPDX-License-Identifier: MIT */
/*
 * Quad packing (paper A): covered 2x2 quads, of one or many primitives of a draw, eight to a
 * fragment task. No pixel position is twice in a task, so that a task's fragments may be tested and
 * written in any order. Blocks that are covered wholly go in pairs, so that what follows finds
 * them as they lie in memory, and several tasks at once.
 *
 * Data: blocks (4x4 pixels with a mask) of one tile, in drawing order -> quads -> `run` whenever a
 * task is complete. Quads of one position are run in drawing order, others in any.
 */
#ifndef CF_QUAD_PACK_H
#define CF_QUAD_PACK_H

#include "clipfree/primitive/cf_primitive.h"

#define CF_WORK_TASKS 8 /* that are run at once, at most */

/* Quads that wait for a complete task, or for others of their primitive: no position twice. */
struct cf_quad_list {
   struct cf_quad quads[CF_WORK_TASKS * CF_TASK_QUADS + 4]; /* fewer than CF_TASK_QUADS between calls */
   float coverage[CF_TASK_QUADS + 4][4]; /* of their pixels, if the pack has one: then whole blocks do not wait for others, either */
   uint64_t covered; /* their lanes that are to be shaded, four bits each; of whole blocks not kept, they all are */
   uint64_t occupied[CF_TILE_PX / 4]; /* their positions: per row of blocks, four bits a block; of
                                         whole blocks not kept */
   uint32_t count;
};

/* All zero except run and user: empty. */
struct cf_quad_pack {
   /* Quads of blocks covered in part. Those whose position is in the older list, where triangles of
    * a few pixels often share quads with their neighbours, wait in the younger one, which is run
    * later. All its positions are in the older one. */
   struct cf_quad_list parts[2];
   uint32_t younger;          /* which of them */
   struct cf_quad_list whole; /* of blocks covered wholly; at most one block between calls */
   /* Of a draw whose primitives may be smooth: where raster leaves the coverage of the blocks that are added
    * (cf_primitive_ops.raster_smooth); NULL of others. Changed while the pack is empty. */
   const float (*coverage)[16];
   /** Shade quads[0 .. count - 1]; covered: their lanes. Those after them, up to CF_TASK_QUADS, are copies of quad 0. More than
    * CF_TASK_QUADS are so many complete tasks, at most CF_WORK_TASKS, all of whose lanes are covered; with `coverage`, of
    * CF_TASK_LANES, if the pack has one, there is one task. The caller empties the pack afterwards. */
   void (*run)(void *user, const struct cf_quad *quads, uint32_t count, uint32_t covered, const float *coverage);
   void *user;
};

struct cf_quad_pack_ops {
   /** Add the quads of a primitive's blocks that have a pixel in their masks. */
   void (*blocks)(struct cf_quad_pack *pack, const struct cf_prim *prim,
                  const struct cf_raster_block *blocks, uint32_t count);
   /** The same of blocks of any primitives, each with a pixel in its mask. */
   void (*prims)(struct cf_quad_pack *pack, const struct cf_prim_block *blocks, uint32_t count);
   /** The same of blocks with coverage per sample, that cf_raster_samples_note_coverage has seen. */
   void (*samples)(struct cf_quad_pack *pack, const struct cf_prim *prim, const struct cf_raster_samples *blocks,
                   uint32_t count);
   /** Run what is pending: before the state changes, and at the end of a tile. */
   void (*flush)(struct cf_quad_pack *pack);
};
CF_LANES_DECLARE(struct cf_quad_pack_ops, cf_quad_pack_ops)

#endif
