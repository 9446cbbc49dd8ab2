/* SPDX-License-Identifier: MIT
 *
 * Rules of OpenGL ES 2.0 and 3.0 and of OpenGL 3.1 to 3.3, each drawn many times in random states
 * and compared with a reference that is written from the specification. A program of rules has a
 * table of them and calls rules_main():
 *
 *    PROGRAM --list
 *    PROGRAM NAME [--seed S] [--case N | --eighth N] [--times K] [--pixels FILE]
 *
 * A rule consists of cases; everything random in one follows from the seed and the number of the
 * case, so a failure is repeated alone with the options that its message names. At its end a rule
 * prints the hash of all that it has read back, which must be the same for any number of threads,
 * any engine and any host. With --pixels these bytes are written to a file, too. --eighth N: only
 * the cases of one of eight parts, 0 to 7.
 */
#ifndef RULES_H
#define RULES_H

#include "gles2_context.h"

#include <stddef.h>

/* The filters of minification; the first two are also those of magnification. */
extern const GLenum rules_min_filters[6];

/* A running rule. */
struct rules {
   const char *name;
   uint64_t seed;
   int n;           /* the case; boundary values are taken from small ones */
   int end;         /* one behind the last case */
   uint64_t random; /* the state of the case's random numbers */
   uint64_t hash;   /* of all read-backs */
   FILE *pixels;    /* all read-backs; NULL: not wanted */
};

enum rule_api {
   RULE_ES2,
   RULE_ES2_SAMPLES, /* four in each pixel of a pbuffer */
   RULE_DESKTOP,
   RULE_ES3,
   RULE_GL31,
   RULE_GL33
};

struct rule {
   const char *name;
   enum rule_api api; /* the context that is current when `run` is called */
   int cases;         /* with --times 1 */
   void (*run)(struct rules *r);
};

/* Runs what the command line asks for. Returns main()'s status. */
int rules_main(int argc, char **argv, const struct rule *rules, size_t count);

/* Begins the next case: while (rules_next(r)) ... */
bool rules_next(struct rules *r);

/* Says what is wrong and how to repeat the case, and ends the program. */
void rules_fail(const struct rules *r, const char *format, ...)
   __attribute__((format(printf, 2, 3), noreturn));

/* Ends the program with the status of a skipped test. */
void rules_skip(const char *why) __attribute__((noreturn));

/* Random numbers: in [0, limit); in [low, high], both possible; a float of [low, high]; true in
 * `percent` of 100. */
uint32_t rules_below(struct rules *r, uint32_t limit);
int rules_between(struct rules *r, int low, int high);
float rules_float(struct rules *r, float low, float high);
bool rules_chance(struct rules *r, uint32_t percent);

/* One of the elements of an array. */
#define rules_pick(r, array) ((array)[rules_below(r, sizeof(array) / sizeof((array)[0]))])

/* Reads the bound framebuffer from (0, 0), bottom row first, four components a pixel, and adds them
 * to the hash. In OpenGL ES frame buffers of floats are read as floats, all others as bytes. The
 * caller frees them. */
uint8_t *rules_read(struct rules *r, int width_px, int height_px);
float *rules_read_float(struct rules *r, int width_px, int height_px);

/* Adds bytes that were read back otherwise to the hash. */
void rules_hash(struct rules *r, const void *data, size_t size_B);

/* Fails at the first pixel with a channel that is further than `lsb` from the expected one. */
void rules_expect(const struct rules *r, int width_px, int height_px, const uint8_t *have,
                  const uint8_t *expected, const int lsb[4], const char *what);

#endif
