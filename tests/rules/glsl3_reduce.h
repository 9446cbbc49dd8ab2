/* SPDX-License-Identifier: MIT */
#ifndef GLSL3_REDUCE_H
#define GLSL3_REDUCE_H

#include "glsl3_program.h"

/* Leaves out of a program what is not needed for shows(context), which is true of it; of values it
 * takes those at a pixel. */
void g3_reduce(struct g3_program *p, int x, int y, bool (*shows)(void *context), void *context);

#endif
