/* SPDX-License-Identifier: MIT */
/* Random programs of GLSL ES 1.00 for trust_soak, with loops, branches and textures. */
#ifndef SOAK_PROGRAM_H
#define SOAK_PROGRAM_H

#include "gles2_context.h"

/* The program of this number, which reads the attributes position and colour and a texture of unit
 * 0; made current. */
GLuint soak_program_create(uint32_t number);

#endif
