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

/* A kind of frame: `name`, how many draws it has, and what makes them. `what`: the kind's own. */
struct cost_kind {
   const char *name;
   int draws;
   void (*draw)(const struct cost_kind *kind, const void *scene);
   const void *what;
};

/* What a draw costs: makes frames of each kind, or of the one that the second argument names (the process ends if there is none), as many
 * as the first argument says, and prints for each medians of nanoseconds a draw: CPU time of this thread until its last call, of the
 * process, and wall time, until all is done. `changed`: the heading of the names. */
void cost_draws(int argc, char **argv, const char *changed, const struct cost_kind *kinds, unsigned count, const void *scene);

/* Draw to a new square of so many pixels, with depth. */
void cost_target(int size_px);

uint64_t cost_ns(clockid_t clock);

/* Afterwards `values` ascend. Returns their median. */
double cost_median(double *values, int count);

#endif
