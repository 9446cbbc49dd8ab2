/* SPDX-License-Identifier: MIT
 *
 * What the programs share that measure costs: a context without a window, programs, clocks and medians.
 */
#ifndef COST_H
#define COST_H

#include <GLES2/gl2.h>
#include <stdint.h>
#include <time.h>

/* Print what is wrong, and end. */
void cost_fail(const char *what);

/* How often to measure: the first argument, 1 to `most`, or the process ends; without one `usual`. */
int cost_repeats(int argc, char **argv, int usual, int most);

enum cost_api {
   COST_ES2,
   COST_DESKTOP,
};

/* Make a context current that lasts until the process ends or this is called again, which then is for the same API. */
void cost_context(enum cost_api api);

/* A linked program whose attribute 0 is `position`. */
GLuint cost_program(const char *vertex, const char *fragment);

/* A unit sphere of `across` by `down` cells: its positions, (across + 1) (down + 1), are written and lie in a buffer, and 6 across down
 * indices of 16 bits of triangles in another; both stay bound. Returns the first buffer. */
GLuint cost_sphere(uint32_t across, uint32_t down, float (*positions)[3]);

uint64_t cost_ns(clockid_t clock);

/* Afterwards `values` ascend. Returns their median. */
double cost_median(double *values, int count);

#endif
