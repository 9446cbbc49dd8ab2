/* SPDX-License-Identifier: MIT */
/* Changes of GLSL that know its grammar, and need not leave it. */
#ifndef FUZZ_GRAMMAR_H
#define FUZZ_GRAMMAR_H

#include <stdint.h>

/** The text after one change: parts left out, moved, repeated, exchanged, or taken from `other`,
 * another text; numbers at boundaries; words, marks and lines of the preprocessor that GLSL has.
 * Free it. */
char *fuzz_grammar_change(const char *text, const char *other, uint64_t *random);

#endif
