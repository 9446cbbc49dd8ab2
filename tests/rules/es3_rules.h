/* SPDX-License-Identifier: MIT
 *
 * The rules of OpenGL ES 3.0; es3_rules.c has their table.
 */
#ifndef ES3_RULES_H
#define ES3_RULES_H

#include "es3_draw.h"

/* es3_integers.c: operations and packing functions; attributes; targets and samplers */
void es3_operations(struct rules *r);
void es3_attributes(struct rules *r);
void es3_integer_targets(struct rules *r);

/* Draws an expression of `U a, b, c`, four values of each a pixel, to a target of RGBA32UI of this
 * size. U, I, F and T are the types of `size` components, B() and FB() floats from bits and back, w
 * a variable of type F. */
enum { ES3_EVALUATED_PX = 16 };
void es3_evaluate(const struct rules *r, const char *expression, int size, bool vertex,
                  uint32_t *values[3]);

/* es3_built_ins.c: functions that are new in GLSL ES 3.00 */
void es3_built_ins(struct rules *r);

/* es3_inverses.c: the functions of matrices, on random floats */
void es3_inverses(struct rules *r);

/* es3_fetch.c: one texel, whatever function, offset and level asks for it; sizes; comparisons */
void es3_fetch(struct rules *r);
void es3_size(struct rules *r);
void es3_shadow(struct rules *r);
void es3_shadow_linear(struct rules *r);

/* es3_levels.c: which level is sampled, where minification begins; filters over the edges of cubes
 */
void es3_levels(struct rules *r);
void es3_switch_over(struct rules *r);
void es3_cube_edges(struct rules *r);

/* es3_formats.c, es3_etc2.c: what texels of each format are, from memory or a buffer */
void es3_formats(struct rules *r);
void es3_read_buffers(struct rules *r);
void es3_etc2(struct rules *r);

/* es3_feedback.c */
void es3_feedback(struct rules *r);
void es3_feedback_errors(struct rules *r);

/* es3_blocks.c: layout std140; as many and as large blocks as there may be */
void es3_block_layout(struct rules *r);
void es3_block_limits(struct rules *r);

/* es3_targets.c: draw buffers and their clears, layers, blits, invalidation */
void es3_draw_buffers(struct rules *r);
void es3_layers(struct rules *r);
void es3_blit(struct rules *r);

/* es3_blend.c: every format; draw buffers with functions and masks of their own */
void es3_blend(struct rules *r);

/* es3_depth.c: depth and stencil of each format after draws and blits; derivatives */
void es3_depth_stencil(struct rules *r);
void es3_derivatives(struct rules *r);

/* es3_multisample.c: four samples in every format; varyings inside of primitives */
void es3_samples(struct rules *r);
void es3_centroid(struct rules *r);

/* es3_geometry.c */
void es3_vertex_id(struct rules *r);
void es3_restart(struct rules *r);
void es3_flat(struct rules *r);
void es3_queries(struct rules *r);

/* es3_shaders.c */
enum { ES3_BAD_SHADERS = 83 }; /* a case each */
void es3_matrices(struct rules *r);
void es3_flow(struct rules *r);
void es3_bad_shaders(struct rules *r);

/* es3_copies.c: between buffers; from a frame buffer to layers; floats that are read as halves */
void es3_copy_buffers(struct rules *r);
void es3_copy_layers(struct rules *r);
void es3_read_halves(struct rules *r);

/* es3_objects.c: samples that formats may have; programs that are saved and loaded */
void es3_internal_formats(struct rules *r);
void es3_binaries(struct rules *r);

/* es3_errors.c, es3_errors_images.c: a topic is one case */
enum { ES3_ERROR_TOPICS = 35 };
void es3_errors(struct rules *r);

/* es3_state.c, es3_state_set.c: what is there at first; what was set */
void es3_state(struct rules *r);

/* es3_switch.c */
void es3_switch(struct rules *r);

/* es3_random.c: programs of random statements; es3_found.c: what they found, by itself */
void es3_random(struct rules *r);
void es3_found(struct rules *r);
void es3_probed(struct rules *r);

#endif
