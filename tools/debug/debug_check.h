/* SPDX-License-Identifier: MIT */
/*
 * Whether what is stepped is what made the pixels. Random pixels of the image that the last draw of
 * the capture renders to: the task of each fragment there is stepped to its end, back to a random
 * position, and to its end again. Its outputs must be those of the task itself, in all lanes; the
 * fragment's colour must be its outputs; and the frame buffer must hold what the last fragment
 * left.
 */
#ifndef DEBUG_CHECK_H
#define DEBUG_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Check, and print what was checked and how long a step back takes. False: `error` names the first
 * difference. */
bool debug_check(const char *path, uint32_t pixels, uint64_t seed, char *error, size_t error_B);

#endif
