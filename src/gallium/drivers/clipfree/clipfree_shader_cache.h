/* SPDX-License-Identifier: MIT */
/*
 * Compiled shaders on disk.
 */
#ifndef CLIPFREE_SHADER_CACHE_H
#define CLIPFREE_SHADER_CACHE_H

#include <stdbool.h>

#include "clipfree/compiler/cf_compiler.h"

struct cf_screen;
struct nir_shader;

/** Make equal shaders equal as bytes: swizzles of components that are not used depend on where the shader comes from,
 * GLSL or Mesa's own cache. To be done once, before the first cf_compile_cached. */
void cf_make_cacheable(struct nir_shader *nir);

/** cf_compile, or what it gave for an equal shader and equal options before, in this process or another. *compiled:
 * the compiler ran. What is compiled with dumps asked for is always compiled. */
struct cf_binary *cf_compile_cached(struct cf_screen *screen, const struct nir_shader *nir,
                                    const struct cf_compile_options *options, bool *compiled);

#endif
