/* SPDX-License-Identifier: MIT */
/*
 * The host's caches. Cache lines that are read soon are prefetched; lines that another processor
 * reads next are streamed to memory; what two threads write lies in different lines. All of this
 * moves lines only: no value depends on it.
 */
#ifndef CF_CACHE_H
#define CF_CACHE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define CF_CACHE_LINE_B 64

/** Before a member of a structure: it begins a cache line. For what one thread writes while others
 * use its neighbours: a write takes the line out of their caches. */
#define CF_OWN_CACHE_LINE _Alignas(CF_CACHE_LINE_B)

/** Prefetch size_B bytes, a line at a time from `at` on. The address may be invalid.
 *
 * A prefetch pays where the host cannot guess the address (primitives of a tile, which lie in the
 * order they were set up in) and where the line is in another processor's cache (draws that the
 * parsing thread made). Between prefetch and use lies the prefetch distance, counted in elements of
 * the loop: long enough for the line to arrive, short enough for it to stay in the cache. Each loop
 * names its own: ..._PREFETCH_DISTANCE. */
static inline void
cf_prefetch(const void *at, size_t size_B)
{
   for (size_t i = 0; i < size_B; i += CF_CACHE_LINE_B)
      __builtin_prefetch((const void *)((uintptr_t)at + i));
}

/** Prefetch the line with the byte at offset_B from `base`, which may be outside of an object. */
static inline void
cf_prefetch_line(const void *base, size_t offset_B)
{
   __builtin_prefetch((const void *)((uintptr_t)base + offset_B));
}

/** Copy to memory past the caches: size_B bytes, a multiple of 16; `to` is aligned to 16.
 *
 * Streaming pays where another thread reads the copy and had read what lay there before, in the
 * last frame: to fetch such a line back from its processor takes ten times as long as to write it
 * to memory, if the processors do not share a cache. cf_stream_end orders the copies before what
 * this thread stores next. */
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

#endif
