/* SPDX-License-Identifier: MIT */
/*
 * For fuzzing: a random program (test_random_program.h) through the compiler and the interpreter,
 * compared with a walk through its NIR. Knows no type of Mesa's.
 */
#ifndef TEST_RANDOM_CHECK_H
#define TEST_RANDOM_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct random_case {
   bool fragment;
   unsigned kind;        /* enum random_kind */
   uint32_t passes_off;  /* enum cf_pass: compiled without these, too; 0: not */
   uint64_t seed;        /* not 0 */
   const uint8_t *bytes; /* the first random numbers, 4 bytes each */
   size_t size_B;
   void (*reach)(uint64_t what); /* is told of each two instructions that follow one another */
};

enum random_verdict { RANDOM_RIGHT, RANDOM_REFUSED, RANDOM_WRONG };

/** What became of it. Refused: it needs more of something than there is. Wrong: `why` says what is.
 */
enum random_verdict random_check(const struct random_case *c, char *why, size_t why_B);

#endif
