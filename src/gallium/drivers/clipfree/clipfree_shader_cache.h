/* SPDX-License-Identifier: MIT */
/*
 * Disk cache of compiled shaders.
 */
#ifndef CLIPFREE_SHADER_CACHE_H
#define CLIPFREE_SHADER_CACHE_H

#include <stdbool.h>

#include "clipfree/compiler/cf_compiler.h"

struct cf_screen;
struct nir_shader;

/** Normalise a shader so that equal shaders have equal bytes: swizzles of unused components differ
 * between shaders from GLSL and from Mesa's own cache. Call once, before the first
 * cf_compile_cached. */
void cf_make_cacheable(struct nir_shader *nir);

/** cf_compile through the disk cache. *compiled: it was a miss. With dumps requested it always
 * compiles. */
struct cf_binary *cf_compile_cached(struct cf_screen *screen, const struct nir_shader *nir,
                                    const struct cf_compile_options *options, bool *compiled);

#endif
