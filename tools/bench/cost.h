/* SPDX-License-Identifier: MIT
 *
 * Shared by the programs that measure costs: a context without a window, programs, clocks and
 * medians.
 */
#ifndef COST_H
#define COST_H

#include <GLES2/gl2.h>
#include <stdint.h>
#include <time.h>

/* Print an error and exit. */
void cost_fail(const char *what);

/* Number of repetitions: the first argument, 1 to `most`, else the process exits; `usual` without
 * one. */
int cost_repeats(int argc, char **argv, int usual, int most);

enum cost_api {
   COST_DESKTOP,
   COST_ES2,
   COST_ES3,
   COST_CORE33, /* OpenGL 3.3, core profile */
};

/* Create a context and make it current, in place of the one before. */
void cost_context(enum cost_api api);

/* Link a program whose attribute 0 is `position`. */
GLuint cost_program(const char *vertex, const char *fragment);

/* Create a unit sphere of `across` by `down` cells: (across + 1) (down + 1) positions, also written
 * to `positions`, and 6 across down 16-bit indices of triangles, each in a buffer that stays bound.
 * Returns the buffer of positions. */
GLuint cost_sphere(uint32_t across, uint32_t down, float (*positions)[3]);

/* A kind of frame: name, number of draws, and a function that makes one. `what`: data of the
 * kind. */
struct cost_kind {
   const char *name;
   int draws;
   void (*draw)(const struct cost_kind *kind, const void *scene);
   const void *what;
};

/* Measure the cost of a draw: draw as many frames as the first argument says, of each kind or of
 * the one named by the second argument (exits if it is unknown). Prints for each kind medians in
 * nanoseconds per draw: CPU time of this thread until its last call, CPU time of the process, and
 * wall time, until all work is finished. `changed`: heading of the names. */
void cost_draws(int argc, char **argv, const char *changed, const struct cost_kind *kinds,
                unsigned count, const void *scene);

/* Create and bind a square render target with depth. */
void cost_target(int size_px);

uint64_t cost_ns(clockid_t clock);

/* Processor time of the process in ns: what all of its threads have used until now, about 5 us for
 * the question itself included. CLOCK_PROCESS_CPUTIME_ID does not know what a thread that runs on
 * another processor has used since the system's last tick (4 ms at 250 Hz), so that of many short
 * frames the cheapest would be one that its helpers drew unseen. */
uint64_t cost_process_ns(void);

/* Sort `values` and return their median. */
double cost_median(double *values, int count);

#endif
