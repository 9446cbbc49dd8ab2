/* SPDX-License-Identifier: MIT */
/*
 * What transform feedback writes of a vertex, where its task stands.
 */
#ifndef DEBUG_FEEDBACK_H
#define DEBUG_FEEDBACK_H

#include <stdio.h>

#include "debug_values.h"

/** Print each component that the draw feeds back, in the order of buffers and bytes: where it lies
 * in the vertex's element, and its value so far. */
void debug_feedback_print(FILE *file, const struct debug_view *view);

#endif
