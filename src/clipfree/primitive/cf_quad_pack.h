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

/* Quads that wait for a complete task, or for others of their primitive. No position is twice in all lists of a pack. */
struct cf_quad_list {
   struct cf_quad quads[CF_WORK_TASKS * CF_TASK_QUADS + 4]; /* fewer than CF_TASK_QUADS between calls */
   float coverage[CF_TASK_QUADS + 4][4]; /* of their pixels, if the pack has one: then whole blocks do not wait for others, either */
   uint64_t covered; /* their CF_QUAD_COVERED, four bits each; of whole blocks not kept, they are all covered */
   uint32_t count;
   /* Quads of one primitive never meet, so only those of earlier primitives are looked at: the
    * first `marked` ones. */
   uint32_t marked;
};

/* All zero except run and user: empty. */
struct cf_quad_pack {
   struct cf_quad_list parts, whole; /* of blocks covered in part, wholly */
   const struct cf_prim *prim;       /* of the last quads added */
   uint32_t occupied[32];            /* per row of quads of the tile: the marked quads' columns */
   /* Of a draw whose primitives may be smooth: where raster leaves the coverage of the blocks that are added
    * (cf_primitive_ops.raster_smooth); NULL of others. Changed while the pack is empty. */
   const float (*coverage)[16];
   /** Shade quads[0 .. count - 1]; covered: their lanes. Those after them, up to CF_TASK_QUADS, are copies of quad 0. More than
    * CF_TASK_QUADS are so many complete tasks, at most CF_WORK_TASKS, all of whose lanes are covered; with `coverage`, of
    * CF_TASK_LANES, if the pack has one, there is one task. The caller empties the pack afterwards. */
   void (*run)(void *user, const struct cf_quad *quads, uint32_t count, uint32_t covered, const float *coverage);
   void *user;
};

/** Add the quads of a primitive's blocks that have a pixel in their masks. */
void cf_quad_pack_blocks(struct cf_quad_pack *pack, const struct cf_prim *prim,
                         const struct cf_raster_block *blocks, uint32_t count);

/** The same of blocks with coverage per sample. centre[i]: pixels of block i whose centre is sure to be inside the primitive. */
void cf_quad_pack_samples(struct cf_quad_pack *pack, const struct cf_prim *prim, const struct cf_raster_samples *blocks,
                          const uint16_t *centre, uint32_t count);

/** Run what is pending: before the state changes, and at the end of a tile. */
void cf_quad_pack_flush(struct cf_quad_pack *pack);

#endif
