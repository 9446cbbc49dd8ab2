/* SPDX-License-Identifier: MIT */
/*
 * DPRT in time (paper D): for each block that raster finds, its line of depth is asked for, while
 * the block is on its way through the cores. A block is asked for when it is at most `ahead` blocks
 * before the tests, and not at all when these have reached it. Raster is as far ahead as blocks
 * that are not finished have room, so this bounds prefetches, too. The cache's tags are for
 * requests on demand first (cf_sim_misses.h).
 *
 * adaptive: paper D's future work. Of each window of prefetches some come too late, since a test
 * waits for the line or came first; others too early, since the line was replaced before. Then
 * `ahead` grows or shrinks by a quarter, as the aggressiveness of Srinath et al. 2007 does.
 */
#ifndef CF_SIM_PREFETCH_H
#define CF_SIM_PREFETCH_H

#include "clipfree/timing/cf_sim_order.h"

struct cf_sim_gpu;

#define CF_SIM_PREFETCH_WINDOW 64 /* blocks */

struct cf_sim_prefetcher {
   size_t item;                             /* the first one that it has not passed */
   uint32_t sample;                         /* of its block, asked for next */
   const struct cf_sim_item *last, *tested; /* of the last block: passed; that tests have reached */
   uint64_t blocks, blocks_tested;          /* so far; blocks without depth count */
   uint32_t ahead;                          /* blocks */
   bool held;                               /* in this window `ahead` was in the way */
   uint64_t asked, overtaken;               /* blocks: asked for; reached by tests before that */
   uint64_t sum_ahead, distance;   /* sums over blocks asked for: of `ahead`, to the tests */
   uint64_t old_late, old_useless; /* up to this window */
};

void cf_sim_prefetch_init(struct cf_sim_gpu *gpu);
void cf_sim_prefetch_begin_chunk(struct cf_sim_gpu *gpu);
void cf_sim_prefetch_tick(struct cf_sim_gpu *gpu);

/** The tests have reached an item. */
void cf_sim_prefetch_tested(struct cf_sim_gpu *gpu, const struct cf_sim_item *item);

/** Raster has found blocks, or there is room before the tags. */
void cf_sim_prefetch_wake(struct cf_sim_gpu *gpu);

/** `ahead` after a window in which so many blocks were late and useless. */
uint32_t cf_sim_prefetch_adapt(uint32_t ahead, uint32_t most, bool held, uint64_t late,
                               uint64_t useless);

#endif
