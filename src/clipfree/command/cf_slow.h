/* SPDX-License-Identifier: MIT */
/*
 * Slow paths: draws whose programs, samples or pixels have no compiled code, and why. Code that is still being made is no reason, it is a
 * matter of time; what is named here stays so. The one place that lists the reasons.
 */
#ifndef CF_SLOW_H
#define CF_SLOW_H

#include <stdbool.h>
#include <stdint.h>

struct cf_cached_program;
struct cf_jit;

enum cf_slow {
   CF_SLOW_LONG,       /* programs */
   CF_SLOW_REFUSED,
   CF_SLOW_FETCHES,
   CF_SLOW_INPUTS,
   CF_SLOW_TEXTURE,    /* textures */
   CF_SLOW_LINEAR,     /* frames: there is no key for how colours are written (cf_pixel_key_of) */
   CF_SLOW_FACES,      /* primitives */
   CF_SLOW_REASONS
};

/** A reason, as what is said after "a draw is slow: "; what does not depend on the draw. */
const char *cf_slow_text(enum cf_slow reason);

/** Reasons as a bit each: those of a program. */
uint32_t cf_slow_program(const struct cf_jit *jit, const struct cf_cached_program *cached);

#define CF_SLOW_TOLD 64

/* What was said already: each reason once for each program, as far as is remembered. */
struct cf_slow_told {
   const void *program[CF_SLOW_TOLD];
   uint32_t reasons[CF_SLOW_TOLD];
   uint32_t count;
};

/** The reasons that have not been told of a program; from now on they have. */
uint32_t cf_slow_tell(struct cf_slow_told *told, const void *program, uint32_t reasons);

#endif
