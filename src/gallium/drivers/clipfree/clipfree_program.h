/* SPDX-License-Identifier: MIT */
/*
 * Shaders: compiled when created, and the link that tells the GPU where the fragment program's
 * inputs come from.
 */
#ifndef CLIPFREE_PROGRAM_H
#define CLIPFREE_PROGRAM_H

#include "util/simple_mtx.h"

#include "clipfree/compiler/cf_compiler.h"

struct cf_context;
struct cf_raster_object;
struct nir_shader;

/* One compilation of a shader. */
struct cf_variant {
   struct cf_variant *next;
   struct cf_compile_options options; /* what makes it different from others */
   struct cf_binary *binary;
   struct cf_buffer *buffer; /* descriptor, then code */
};

struct cf_shader_object {
   struct nir_shader *nir;
   bool fragment;
   bool reads_colors; /* flat shading makes a difference */
   bool reads_vertex_id; /* the vertex' number, other than to fetch attributes */
   bool pure; /* it has no effect but its outputs (cf_program_is_pure) */
   simple_mtx_t lock; /* shaders are shared between contexts */
   struct cf_variant *variants;
};

/** The variant for this way of shading (of fragment shaders), compiled if it is new. NULL: it cannot be compiled (reported). */
const struct cf_variant *cf_shader_variant(struct cf_context *context, struct cf_shader_object *shader, bool flat_shade);

/** Where each varying slot of the fragment program comes from, and, where user clip planes are enabled and look at it, a
 * slot more for gl_ClipVertex. Fills link[CF_MAX_VARYING_SLOTS]; returns how many. */
unsigned cf_link_programs(const struct cf_binary *vertex, const struct cf_binary *fragment,
                          const struct cf_raster_object *raster, struct cf_link *link);

#endif
