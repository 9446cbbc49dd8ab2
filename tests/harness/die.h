/* SPDX-License-Identifier: MIT */
/* The end of a test program that cannot go on. */
#ifndef DIE_H
#define DIE_H

#include <stdio.h>
#include <stdlib.h>

/* Says what is wrong and ends the program. */
#define die(...)                                                                                   \
   do {                                                                                            \
      printf(__VA_ARGS__);                                                                         \
      printf("\n");                                                                                \
      exit(1);                                                                                     \
   } while (0)

#endif
