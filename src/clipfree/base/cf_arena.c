/* SPDX-License-Identifier: MIT */
#include "clipfree/base/cf_arena.h"

#include <stdlib.h>

struct cf_arena_block {
   _Alignas(CF_ARENA_ALIGN_B) struct cf_arena_block *next;
   size_t size_B; /* of the block, this header included */
};

static void
enter(struct cf_arena *arena, struct cf_arena_block *block)
{
   arena->current = block;
   arena->used_B += block->size_B;
   arena->at = (uint8_t *)(block + 1);
   arena->end = (uint8_t *)block + block->size_B;
}

void *
cf_arena_alloc_slow(struct cf_arena *arena, size_t size_B)
{
   struct cf_arena_block *next = arena->current ? arena->current->next : arena->first;
   if (!next || next->size_B - sizeof(*next) < size_B) {
      const size_t want_B = size_B + sizeof(*next);
      const size_t block_B = want_B > CF_ARENA_BLOCK_B ? want_B : CF_ARENA_BLOCK_B;
      struct cf_arena_block *block = aligned_alloc(CF_ARENA_ALIGN_B, block_B);
      if (!block)
         return NULL;
      *block = (struct cf_arena_block){ .next = next, .size_B = block_B };
      *(arena->current ? &arena->current->next : &arena->first) = block;
      arena->held_B += block_B;
      next = block;
   }
   enter(arena, next);
   void *start = arena->at;
   arena->at += size_B;
   return start;
}

static void
give_back(struct cf_arena *arena, size_t keep_B)
{
   struct cf_arena_block **link = &arena->first;
   size_t kept_B = 0;
   while (*link) {
      struct cf_arena_block *block = *link;
      if (kept_B + block->size_B <= keep_B) {
         kept_B += block->size_B;
         link = &block->next;
      } else {
         *link = block->next;
         free(block);
      }
   }
   arena->held_B = kept_B;
}

void
cf_arena_reset(struct cf_arena *arena, size_t keep_B)
{
   const size_t fewer_B = arena->wanted_B - arena->wanted_B / 8;
   arena->wanted_B = arena->used_B > fewer_B ? arena->used_B : fewer_B;
   give_back(arena, arena->wanted_B > keep_B ? arena->wanted_B : keep_B);
   arena->used_B = 0;
   arena->current = NULL;
   arena->at = arena->end = NULL;
}

void
cf_arena_free(struct cf_arena *arena)
{
   give_back(arena, 0);
   *arena = (struct cf_arena){ 0 };
}
