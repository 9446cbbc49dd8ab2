/* SPDX-License-Identifier: MIT */
/*
 * Raster: regions of a primitive on a stack, one of which is popped a cycle and makes four; blocks
 * of 4x4 pixels that they end in join a queue. Pixel-level raster takes blocks, and packs their
 * quads into tasks. Which blocks and quads there are, the trace says; regions without a covered
 * pixel are not in it, so they take no time.
 */
#ifndef CF_SIM_RASTER_H
#define CF_SIM_RASTER_H

#include "clipfree/timing/cf_sim_setup.h"

#define CF_SIM_BLOCK_QUEUE 1024

/* A block's quads in the order of the chunk, or the end of an operation. */
struct cf_sim_block {
   size_t first_item, end_item;
   bool end;
};

struct cf_sim_raster {
   struct cf_sim_primitive_queue queue;           /* before it */
   bool active;                                   /* on the first primitive */
   size_t item, end_item;                         /* of it: the next block's first */
   uint32_t pops;                                 /* until the next block is found */
   uint64_t popped;                               /* regions */
   struct cf_sim_block block[CF_SIM_BLOCK_QUEUE]; /* ring */
   uint32_t first_block, blocks;
   uint64_t blocks_in, blocks_out;
   /* pixel-level raster */
   uint64_t block_free; /* when the next block is taken */
   bool taken;          /* the first block: its quads are packed, up to `quad` */
   size_t quad;
   struct cf_sim_task *packing;
   uint32_t covered;  /* pixels of it */
   size_t range_item; /* items before it belong to tasks */
};

void cf_sim_raster_begin_chunk(struct cf_sim_gpu *gpu);
void cf_sim_raster_tick(struct cf_sim_gpu *gpu);
void cf_sim_blocks_tick(struct cf_sim_gpu *gpu);
bool cf_sim_raster_idle(const struct cf_sim_raster *raster);

/** Regions that are popped between two blocks of a primitive, by their numbers in Z order, until
 * the second one is found: those of size 8x8 and up that hold it and not the first one. */
uint32_t cf_sim_raster_pops(uint32_t block, uint32_t next);

#endif
