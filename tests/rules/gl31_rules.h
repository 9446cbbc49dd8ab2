/* SPDX-License-Identifier: MIT
 *
 * The rules of OpenGL 3.1 that OpenGL ES 3.0 has not; gl31_rules.c has their table.
 */
#ifndef GL31_RULES_H
#define GL31_RULES_H

#include <GLES3/gl32.h>

#include "es3_draw.h"

/* gl31_buffers.c: buffer textures (section 3.8.4) */
enum { GL31_BUFFER_FORMATS = 33 };
void gl31_buffer_formats(struct rules *r);
void gl31_buffer_range(struct rules *r);
void gl31_buffer_update(struct rules *r);

/* gl31_draw.c: rectangle textures, primitive restart at any index, signed normalised textures,
 * uniform blocks in GLSL 1.40 */
void gl31_rectangle(struct rules *r);
void gl31_restart(struct rules *r);
void gl31_snorm(struct rules *r);
void gl31_block(struct rules *r);

#endif
