/* SPDX-License-Identifier: MIT */
/*
 * A capture as a program in C that draws its picture with OpenGL ES 2.0: what the draws to the last
 * image do. Textures are as they are at each draw, whatever made them.
 */
#ifndef REDUCE_GLES_H
#define REDUCE_GLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

/** Write the program. `lost`, an array, gets a sentence for each thing that OpenGL ES 2.0 cannot
 * express or that is not known, which are comments in the program, too. False: `error` says why
 * there is no program: one that draws something else is of no use. */
bool reduce_gles_write(const char *capture, FILE *file, json_t *lost, char *error, size_t error_B);

#endif
