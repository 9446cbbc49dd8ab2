/* SPDX-License-Identifier: MIT */
/*
 * The geometry shader of draws that have none, and whose fragments read the primitive's number
 * (gl_PrimitiveID): it passes primitives through, and adds their numbers. Quads and polygons pass
 * as their triangles, which have the number of the quad or polygon.
 */
#ifndef CLIPFREE_PASSTHROUGH_H
#define CLIPFREE_PASSTHROUGH_H

#include <stdbool.h>

#include "util/u_prim.h"

struct cf_context;
struct cf_shader_object;
struct nir_shader;

/* Kinds of primitives, of which each has a shader of its own. */
enum cf_passthrough_kind {
   CF_PASSTHROUGH_POINTS,
   CF_PASSTHROUGH_LINES,
   CF_PASSTHROUGH_TRIANGLES,
   CF_PASSTHROUGH_LINES_ADJACENCY,
   CF_PASSTHROUGH_TRIANGLES_ADJACENCY,
   CF_PASSTHROUGH_KINDS
};

/** Whether it is a fragment shader that reads the primitive's number. */
bool cf_reads_primitive_id(const struct nir_shader *nir);

/** The geometry shader for draws of this kind with the bound vertex shader, which keeps it. NULL:
 * it could not be made. */
struct cf_shader_object *cf_passthrough_shader(struct cf_context *context, enum mesa_prim mode);

#endif
