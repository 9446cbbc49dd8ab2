/* SPDX-License-Identifier: MIT */
/*
 * Quad packing (paper A): covered 2x2 quads, of one or many primitives of a draw, eight to a
 * fragment task. No pixel position is twice in a task, so that a task's fragments may be tested and
 * written in any order. Fully covered blocks are kept apart and go in pairs, two blocks a task and
 * several tasks a call, so that the stages that follow can access memory by whole blocks.
 *
 * Data: blocks (4x4 pixels with a mask) of one tile, in drawing order -> quads -> `run` whenever a
 * task is complete. Quads of one position are run in drawing order, others in any.
 */
#ifndef CF_QUAD_PACK_H
#define CF_QUAD_PACK_H

#include "clipfree/primitive/cf_primitive.h"

#define CF_WORK_TASKS 8 /* tasks that are run at once, at most */
/* Quads of that many tasks, and those that wait for one more. */
#define CF_LIST_QUADS (CF_WORK_TASKS * CF_TASK_QUADS + CF_TASK_QUADS)

/* A list of quads that wait for a complete task, no position twice. */
struct cf_quad_list {
   struct cf_quad quads[CF_LIST_QUADS]; /* fewer than CF_TASK_QUADS between calls */
   /* by pixel, if the pack has coverage; then fully covered blocks are run task by task */
   float coverage[CF_TASK_QUADS + 4][4];
   /* by quad: its four pixels that are to be shaded; not kept for fully covered blocks, where all
    * are */
   uint8_t pixels[CF_LIST_QUADS];
   /* quad positions in the list: per row of blocks, four bits a block; not kept for fully covered
    * blocks */
   uint64_t occupied[CF_TILE_PX / 4];
   uint32_t count;
};

/* The pack. All zero except run and user: empty. */
struct cf_quad_pack {
   /* Quads of partly covered blocks, an older and a younger list. A quad whose position is in the
    * older list already waits in the younger, which is run later: triangles of a few pixels often
    * share quads with their neighbours. Invariant: every position of the younger list is in the
    * older list too. */
   struct cf_quad_list parts[2];
   uint32_t younger;          /* index of the younger list */
   struct cf_quad_list whole; /* quads of fully covered blocks; at most one block between calls */
   /* Coverage of the blocks being added, where raster left it (cf_primitive_ops.raster_smooth);
    * NULL for draws that are not smooth. Changes only while the pack is empty. */
   const float (*coverage)[16];
   /** Shade quads[0 .. count - 1], in these lanes of each task. Up to CF_TASK_QUADS quads are one
    * task, filled up with copies of quad 0; `coverage`, by lane, is NULL without smooth primitives.
    * More quads are several complete tasks, at most CF_WORK_TASKS, without coverage. The caller
    * empties the pack afterwards. */
   void (*run)(void *user, const struct cf_quad *quads, uint32_t count, const uint32_t *lanes,
               const float *coverage);
   void *user;
};

struct cf_quad_pack_ops {
   /** Add the quads of a primitive's blocks that have a pixel in their masks. */
   void (*blocks)(struct cf_quad_pack *pack, const struct cf_prim *prim,
                  const struct cf_raster_block *blocks, uint32_t count);
   /** Add the quads of blocks of several primitives, each with a pixel in its mask. */
   void (*prims)(struct cf_quad_pack *pack, const struct cf_prim_block *blocks, uint32_t count);
   /** Add the quads of blocks with several samples, after cf_raster_samples_note_coverage. */
   void (*samples)(struct cf_quad_pack *pack, const struct cf_prim *prim, const struct cf_raster_samples *blocks,
                   uint32_t count);
   /** Run all quads that wait: before the state changes, and at the end of a tile. */
   void (*flush)(struct cf_quad_pack *pack);
};
CF_LANES_DECLARE(struct cf_quad_pack_ops, cf_quad_pack_ops)

#endif
