/* SPDX-License-Identifier: MIT */
#ifndef LOOK_ERROR_H
#define LOOK_ERROR_H

#include <stdbool.h>
#include <stddef.h>

/** Write a message to `error`. Returns false, so that a function which fails can return it. */
bool __attribute__((format(printf, 3, 4)))
look_fails(char *error, size_t error_B, const char *format, ...);

#endif
