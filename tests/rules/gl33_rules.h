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

#endif
