/* SPDX-License-Identifier: MIT */
/*
 * Cache of decoded programs. Keyed by the contents of descriptor and code, not by address: memory
 * may be reused for another program, and the same program may be uploaded twice. Inside one
 * submission each address is read only once.
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
   struct cf_decoded *decoded; /* its info has the address at which the code was first found */
   uint32_t varmodes; /* interpolation modes that it uses: bit per enum cf_varmode */
   uint32_t texmodes; /* texture instructions that it uses: bit per enum cf_texmode */
   uint32_t slow;     /* why it is not compiled: bit per enum cf_slow; 0 without the JIT */
   /* resources that it may read: the highest index + 1 */
   uint32_t fetches; /* vertex elements */
   uint32_t banks;   /* constant banks */
   uint32_t units;   /* texture units */
};

/** `jit`: compiles programs, must outlive the cache; NULL: programs are interpreted.
 * `cordic_iterations`: of special functions, if not 0 (then `jit` is NULL). `vertices`: which
 * vertex programs get a position slice (cf_program_positions). NULL: out of memory. */
struct cf_program_cache *cf_program_cache_create(struct cf_jit *jit, unsigned cordic_iterations,
                                                 enum cf_vertex_order vertices);
void cf_program_cache_destroy(struct cf_program_cache *cache);

/** Memory may have changed since the last lookup. With `trim` no cached program may be in use: if
 * there are very many, the least recently used ones are evicted. */
void cf_program_cache_refresh(struct cf_program_cache *cache, bool trim);

/** Whether there are so many programs that cf_program_cache_refresh should be called with
 * `trim`. */
bool cf_program_cache_is_large(const struct cf_program_cache *cache);

/** The program whose descriptor is at `address`. NULL: a fault of the field `program`. */
const struct cf_cached_program *cf_program_cache_get(struct cf_program_cache *cache,
                                                     const struct cf_resolver *resolver,
                                                     uint64_t address, enum cf_shader_stage stage,
                                                     struct cf_fault *fault);

#endif
