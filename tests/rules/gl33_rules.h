/* SPDX-License-Identifier: MIT
 *
 * Rules of what OpenGL 3.1 to 3.3 add; gl33_rules.c has their table.
 */
#ifndef GL33_RULES_H
#define GL33_RULES_H

#include <GLES3/gl32.h>

#include "es3_draw.h"

/* What OpenGL ES lacks, of the current context. */
typedef void gl33_image_2d(GLenum target, GLsizei samples, GLenum format, GLsizei width,
                           GLsizei height, GLboolean fixed);
typedef void gl33_image_3d(GLenum target, GLsizei samples, GLenum format, GLsizei width,
                           GLsizei height, GLsizei depth, GLboolean fixed);
struct gl33_calls {
   gl33_image_2d *image_2d; /* glTexImage2DMultisample */
   gl33_image_3d *image_3d;
   PFNGLSAMPLEMASKIPROC sample_mask;
   PFNGLGETMULTISAMPLEFVPROC get_multisample;
   PFNGLGETTEXLEVELPARAMETERIVPROC get_level;
};

/* Ends the rule as skipped in a context without ARB_texture_multisample. */
struct gl33_calls gl33_calls(void);

/* gl33_samples.c: multisample textures: each sample as it was drawn; where the samples are */
void gl33_samples(struct rules *r);
void gl33_sample_positions(struct rules *r);

/* gl33_errors.c: wrong calls, limits, what textures say of themselves */
void gl33_sample_errors(struct rules *r);

/* A program of GLSL 3.30, made current; ends the rule with the log if it does not link. */
struct gl33_stages {
   const char *vertex, *geometry, *fragment; /* the last two may be NULL */
   const char *const *captured; /* names that are fed back, interleaved, up to NULL; or NULL */
};
GLuint gl33_program(const struct rules *r, const struct gl33_stages *stages);

/* Begins and ends feedback of points, of which nothing is drawn, to the bound range 0. */
void gl33_begin_capture(void);
void gl33_end_capture(void);

/* gl33_geometry.c: what geometry shaders get of each primitive; what they emit */
void gl33_inputs(struct rules *r);
void gl33_outputs(struct rules *r);

/* gl33_layers.c: layers; targets of which one has fewer; which vertex flat outputs and
 * gl_PrimitiveID come from */
void gl33_layers(struct rules *r);
void gl33_fewer_layers(struct rules *r);
void gl33_flat(struct rules *r);

/* gl33_queries.c: conditional rendering, timers */
void gl33_conditional(struct rules *r);
void gl33_timers(struct rules *r);

/* gl33_buffers.c: draws of what was fed back, indirect draws, buffers that stay mapped */
void gl33_draw_feedback(struct rules *r);
void gl33_indirect(struct rules *r);
void gl33_persistent(struct rules *r);

/* gl33_ranges.c: parts of buffers as textures */
void gl33_buffer_range(struct rules *r);

#endif
