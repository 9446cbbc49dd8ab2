/* SPDX-License-Identifier: MIT
 *
 * Arithmetic of random programs of GLSL ES 3.00, written from its sections 4.1.3, 5.4.1, 5.9 and 8.
 */
#ifndef GLSL3_EVALUATE_H
#define GLSL3_EVALUATE_H

#include "glsl3_program.h"

/* One component from one base to another. */
uint32_t g3_convert(enum g3_base to, enum g3_base from, uint32_t word);

/* Operators and functions of values; arguments of one component go with all of another's. */
void g3_compute(const struct g3_expr *e, uint32_t arg[3][G3_MAX_WORDS], uint32_t *out);

#endif
