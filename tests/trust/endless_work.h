/* SPDX-License-Identifier: MIT */
/* Work without an end, for trust_trials: loops in each stage, far too many vertices or instances.
 */
#ifndef ENDLESS_WORK_H
#define ENDLESS_WORK_H

#include <stdbool.h>
#include <stdint.h>

/* What is drawn, and how. */
struct endless_work {
   unsigned stage, loop, shape; /* of the tables in endless_work.c */
   unsigned mode;               /* of GL's primitives */
   int size_px;                 /* of the target, which is a square */
   bool blends, tests_depth;
};

/* Work by chance, from `seed`, which moves on. */
struct endless_work endless_work_random(uint64_t *seed);

/* Whether it needs OpenGL 3.3, or is of OpenGL ES 3.0, which has no geometry shaders and refuses
 * draws whose feedback does not fit. */
bool endless_work_is_desktop(const struct endless_work *work);

/* Make what it needs in the current context, which is new, and draw it. Nothing is waited for. */
void endless_work_draw(const struct endless_work *work);

/* What it is, in words. */
void endless_work_print(const struct endless_work *work, char *text, int size);

#endif
