/* SPDX-License-Identifier: MIT */
/*
 * Memory that is given back all at once: what a pass makes of its draws. Blocks stay for the next
 * pass, so that a steady stream of frames allocates nothing. One thread at a time.
 */
#ifndef CF_ARENA_H
#define CF_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define CF_ARENA_ALIGN_B 64
#define CF_ARENA_BLOCK_B (256u << 10)

struct cf_arena_block;

/* All zero: empty. */
struct cf_arena {
   struct cf_arena_block *first, *current;
   uint8_t *at, *end; /* what is left of the current block */
   size_t used_B;     /* in the blocks up to the current one */
   size_t held_B;     /* in all blocks */
   size_t wanted_B;   /* what was used last, or an eighth less each time since */
};

void *cf_arena_alloc_slow(struct cf_arena *arena, size_t size_B);

/** size_B bytes with garbage in them, 64-byte aligned. NULL: out of memory. */
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

/** Copy to memory that another thread is going to read: size_B bytes, a multiple of 16, `to` aligned
 * to that. The caches are passed by: to get back a line that another processor has read in the last
 * frame takes ten times as long as to write it to memory. cf_stream_end orders the copies before
 * what this thread stores next. */
static inline void
cf_stream_copy(void *to, const void *from, size_t size_B)
{
#if defined(__SSE2__)
   for (size_t i = 0; i < size_B; i += 16)
      _mm_stream_si128((__m128i *)((uint8_t *)to + i),
                       _mm_loadu_si128((const __m128i *)((const uint8_t *)from + i)));
#else
   memcpy(to, from, size_B);
#endif
}

static inline void
cf_stream_end(void)
{
#if defined(__SSE2__)
   _mm_sfence();
#endif
}

/** Give back everything. Of blocks the arena keeps keep_B bytes, or what it held when more was used than now, an eighth less each time:
 * large passes do not fault in their memory again and again. The others go back to the host. */
void cf_arena_reset(struct cf_arena *arena, size_t keep_B);

void cf_arena_free(struct cf_arena *arena);

#endif
