/* SPDX-License-Identifier: MIT */
/*
 * Decoded programs. A program is what its descriptor and code say, wherever they lie: memory may be
 * reused for another program, and the same program may be uploaded twice, so the cache is keyed by
 * contents. Inside one submission an address is only looked at once.
 */
#ifndef CF_PROGRAM_CACHE_H
#define CF_PROGRAM_CACHE_H

#include "clipfree/command/cf_fault.h"
#include "clipfree/interface/cf_choices.h"
#include "clipfree/shader/cf_program.h"

struct cf_jit;
struct cf_resolver;
struct cf_program_cache;

struct cf_cached_program {
   struct cf_program program; /* with code address 0 */
   struct cf_decoded *decoded; /* its info has the address at which the code was found first */
   uint32_t varmodes; /* ways in which varyings are interpolated: bit per enum cf_varmode */
   uint32_t texmodes; /* in which textures are sampled: bit per enum cf_texmode */
   uint32_t slow;     /* what keeps it from being compiled: bit per enum cf_slow; 0 without an engine */
   /* what it may read: the highest number + 1 */
   uint32_t fetches; /* vertex elements */
   uint32_t banks;   /* of constants */
   uint32_t units;   /* of textures */
};

/** `jit`: the engine that programs are given, NULL to interpret; it must live longer than the
 * cache. cordic_iterations: of special functions, if not 0 (then without `jit`). `vertices`: which vertex programs have a slice
 * (cf_program_positions). NULL: out of memory. */
struct cf_program_cache *cf_program_cache_create(struct cf_jit *jit, unsigned cordic_iterations, enum cf_vertex_order vertices);
void cf_program_cache_destroy(struct cf_program_cache *cache);

/** Memory may have changed since the last lookup. Nothing that was looked up before may be in use
 * any more if `trim` is set: then programs not used for long are dropped when there are very many.
 */
void cf_program_cache_refresh(struct cf_program_cache *cache, bool trim);

/** There are so many programs that cf_program_cache_refresh should be called with `trim` set. */
bool cf_program_cache_is_large(const struct cf_program_cache *cache);

/** The program whose descriptor is at `address`. NULL: a fault of the field `program`. */
const struct cf_cached_program *cf_program_cache_get(struct cf_program_cache *cache,
                                                     const struct cf_resolver *resolver,
                                                     uint64_t address, enum cf_shader_stage stage,
                                                     struct cf_fault *fault);

#endif
