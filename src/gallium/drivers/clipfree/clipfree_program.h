/* SPDX-License-Identifier: MIT */
/*
 * Shaders: compiled when created; and the link from outputs of the vertex program to inputs of the
 * fragment program.
 */
#ifndef CLIPFREE_PROGRAM_H
#define CLIPFREE_PROGRAM_H

#include "util/simple_mtx.h"

#include "clipfree/compiler/cf_compiler.h"

#include "clipfree_passthrough.h"

struct cf_context;
struct cf_raster_object;
struct nir_shader;

/* One compilation of a shader. */
struct cf_variant {
   struct cf_variant *next;
   struct cf_compile_options options; /* the key of the variant */
   struct cf_binary *binary;
   struct cf_buffer *buffer; /* descriptor, then code */
   uint32_t noted;           /* for which state of cf_screen.notes; 0: never */
};

struct cf_shader_object {
   struct nir_shader *nir;
   enum cf_shader_stage stage;
   bool reads_colors; /* depends on flat shading */
   bool reads_primitive_id; /* of a fragment shader */
   bool reads_vertex_id; /* other than to fetch attributes */
   bool writes_layer; /* of a geometry shader: gl_Layer */
   bool pure; /* no side effects (cf_program_is_pure) */
   uint8_t clip_distances; /* that a vertex or geometry shader writes: bit per plane */
   simple_mtx_t lock; /* shaders are shared between contexts */
   struct cf_variant *variants;
   /* of a vertex shader: geometry shaders that number primitives; NULL: not needed yet */
   struct cf_shader_object *passthrough[CF_PASSTHROUGH_KINDS];
};

/** The variant of a shader; flat_shade: for fragment shaders. Compiled if it is new. NULL:
 * compilation failed (reported). */
const struct cf_variant *cf_shader_variant(struct cf_context *context,
                                           struct cf_shader_object *shader, bool flat_shade);

/* What clip planes cut, as packet clip_planes has it: nothing is set for the position. */
struct cf_clip_link {
   bool has_vertex;
   uint8_t vertex_varying, second_varying, distances;
};

/** The last bound shader before rasterisation: the geometry shader or, without one, the vertex
 * shader. */
const struct cf_shader_object *cf_last_vertex_shader(const struct cf_context *context);

/** Link each varying slot that the geometry program reads to an output of the vertex program. Fills
 * link[CF_MAX_VARYING_SLOTS]; returns the number of slots. */
unsigned cf_link_geometry(const struct cf_binary *vertex, const struct cf_binary *geometry,
                          struct cf_link *link);

/** Link each varying slot of the fragment program to an output of `vertex`, the last program before
 * rasterisation. If user clip planes are enabled and `vertex` writes gl_ClipVertex or
 * gl_ClipDistance, slots are added for them. `distances`: bit per distance that it writes. Fills
 * link[CF_MAX_VARYING_SLOTS]; returns the number of slots. */
unsigned cf_link_programs(const struct cf_binary *vertex, const struct cf_binary *fragment,
                          const struct cf_raster_object *raster, uint8_t distances,
                          struct cf_link *link, struct cf_clip_link *clip);

#endif
