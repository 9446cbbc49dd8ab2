/* SPDX-License-Identifier: MIT */
/*
 * An arena: memory that is freed all at once, as that of a pass is when the pass has been rendered.
 * The arena keeps its blocks for the next pass, so a steady stream of frames allocates nothing. One
 * thread at a time.
 */
#ifndef CF_ARENA_H
#define CF_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clipfree/base/cf_cache.h"

#define CF_ARENA_ALIGN_B CF_CACHE_LINE_B
#define CF_ARENA_BLOCK_B (256u << 10)

struct cf_arena_block;

/* All zero: empty. */
struct cf_arena {
   struct cf_arena_block *first, *current;
   uint8_t *at, *end; /* what is left of the current block */
   size_t used_B;     /* in the blocks up to the current one */
   size_t held_B;     /* in all blocks */
   size_t wanted_B;   /* bytes used lately: the most of one use, less an eighth at each reset */
};

void *cf_arena_alloc_slow(struct cf_arena *arena, size_t size_B);

/** Allocate size_B bytes, not initialised, aligned to 64. NULL: out of memory. */
static inline void *
cf_arena_alloc(struct cf_arena *arena, size_t size_B)
{
   size_B = (size_B + CF_ARENA_ALIGN_B - 1) & ~(size_t)(CF_ARENA_ALIGN_B - 1);
   if ((size_t)(arena->end - arena->at) < size_B)
      return cf_arena_alloc_slow(arena, size_B);
   void *start = arena->at;
   arena->at += size_B;
   return start;
}

/** Free all allocations. The arena keeps blocks of keep_B bytes, or of wanted_B if that is more:
 * large passes do not fault in their memory again and again, and after one large pass the blocks go
 * back to the host little by little. */
void cf_arena_reset(struct cf_arena *arena, size_t keep_B);

void cf_arena_free(struct cf_arena *arena);

#endif
