/* SPDX-License-Identifier: MIT */
/*
 * Cache of compiled objects on disk: one file for each source (cf_jit_source.h), host level and
 * version of the compiler. A file holds its whole key and a hash of all, so that a hash collision
 * or a damaged file is a miss, never wrong code.
 *
 * Files are written under a temporary name and renamed, so that other processes see complete files
 * only, and whoever is killed leaves none that is damaged. Before a file would go beyond the limit,
 * those used longest ago are deleted, down to half of it. Several processes that write at once may
 * go beyond it, each by an eighth.
 */
#ifndef CF_JIT_CACHE_H
#define CF_JIT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clipfree/base/cf_lanes.h"

#define CF_JIT_CACHE_B (256ull << 20) /* the limit, if none is given */

struct cf_jit_source;
struct cf_jit_cache;

/** Open the folder, creating it if missing; its files take at most `limit_B`, 0: CF_JIT_CACHE_B.
 * NULL: it belongs to another user or others may write to it, which is printed once in a process;
 * it cannot be made; or out of memory. */
struct cf_jit_cache *cf_jit_cache_open(const char *folder, uint64_t limit_B);
void cf_jit_cache_close(struct cf_jit_cache *cache);

/** Look up the object of a source; free() *object. False: a miss. */
bool cf_jit_cache_get(struct cf_jit_cache *cache, const struct cf_jit_source *source,
                      enum cf_host_level level, uint8_t **object, size_t *size_B);

/** Store an object. Failure to write is not an error: later lookups miss. */
void cf_jit_cache_put(struct cf_jit_cache *cache, const struct cf_jit_source *source,
                      enum cf_host_level level, const uint8_t *object, size_t size_B);

#endif
