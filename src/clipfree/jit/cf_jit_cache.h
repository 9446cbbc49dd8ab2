/* SPDX-License-Identifier: MIT */
/*
 * Compiled objects on disk: one file for each source (cf_jit_source.h), host level and version of the compiler. A
 * file holds its whole key, so a hash collision or a damaged file is a miss, never wrong code.
 *
 * Files are written beside and renamed, so readers and other processes see all of a file or none.
 * When the folder has grown past CF_JIT_CACHE_FILES, the least recently used half goes.
 */
#ifndef CF_JIT_CACHE_H
#define CF_JIT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clipfree/base/cf_lanes.h"

#define CF_JIT_CACHE_FILES 4096

struct cf_jit_source;
struct cf_jit_cache;

/** Make the folder if need be. NULL: it cannot be used (not ours, or others may write to it), or no
 * memory. */
struct cf_jit_cache *cf_jit_cache_open(const char *folder);
void cf_jit_cache_close(struct cf_jit_cache *cache);

/** The object of a source; free() *object. False: there is none. */
bool cf_jit_cache_get(struct cf_jit_cache *cache, const struct cf_jit_source *source,
                      enum cf_host_level level, uint8_t **object, size_t *size_B);

/** Keep an object. Failure to write is no error: there will be a miss. */
void cf_jit_cache_put(struct cf_jit_cache *cache, const struct cf_jit_source *source,
                      enum cf_host_level level, const uint8_t *object, size_t size_B);

#endif
