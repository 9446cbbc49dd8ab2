/* SPDX-License-Identifier: MIT */
/*
 * Slow paths: draws whose programs, texture sampling or pixel writes can have no compiled code, and
 * why. The reasons are permanent: code that is still being compiled is none.
 */
#ifndef CF_SLOW_H
#define CF_SLOW_H

#include <stdbool.h>
#include <stdint.h>

struct cf_cached_program;
struct cf_jit;

enum cf_slow {
   /* of programs */
   CF_SLOW_LONG,
   CF_SLOW_REFUSED,
   CF_SLOW_LEVELS,
   CF_SLOW_INPUTS,
   /* of textures */
   CF_SLOW_TEXTURE,
   /* of frames: no key describes how colours are written (cf_pixel_key_of) */
   CF_SLOW_LINEAR,
   /* of primitives */
   CF_SLOW_FACES,
   CF_SLOW_REASONS
};

/** A sentence for the reason, to follow "a draw is slow: ". */
const char *cf_slow_text(enum cf_slow reason);

/** The reasons of a program: bit per enum cf_slow. */
uint32_t cf_slow_program(const struct cf_jit *jit, const struct cf_cached_program *cached);

#define CF_SLOW_PROGRAMS 64

/* Reasons that were reported: each once per program, for the last CF_SLOW_PROGRAMS programs. */
struct cf_slow_reported {
   const void *program[CF_SLOW_PROGRAMS];
   uint32_t reasons[CF_SLOW_PROGRAMS];
   uint32_t count;
};

/** The subset of `reasons` that was not reported for the program yet; marks all as reported. */
uint32_t cf_slow_report(struct cf_slow_reported *reported, const void *program, uint32_t reasons);

#endif
