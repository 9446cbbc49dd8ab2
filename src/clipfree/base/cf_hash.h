/* SPDX-License-Identifier: MIT */
/*
 * A hash of memory: FNV-1a over words of 64 bits, whose high bits are mixed in. Different contents
 * may have the same hash; who relies on it compares them.
 */
#ifndef CF_HASH_H
#define CF_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CF_HASH_NOTHING 0xcbf29ce484222325u

/** Go on with `hash`, which begins as CF_HASH_NOTHING, over words of any alignment. */
static inline uint64_t
cf_hash_words(uint64_t hash, const void *data, size_t words)
{
   for (size_t i = 0; i < words; i++) {
      uint64_t word;
      memcpy(&word, (const uint8_t *)data + 8 * i, 8);
      hash = (hash ^ word) * 0x100000001b3u;
      hash ^= hash >> 29;
   }
   return hash;
}

#endif
