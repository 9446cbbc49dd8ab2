/* SPDX-License-Identifier: MIT */
/* The shaders that targets of GLSL begin with: tests/fuzz/shaders/. */
#ifndef FUZZ_SHADERS_H
#define FUZZ_SHADERS_H

#include <stdbool.h>
#include <stdint.h>

struct fuzz_shader {
   char *name; /* of the file */
   char *text;
   bool fragment;
};

/** All shaders of GLSL ES 1.00, in the order of their names. They are never freed. */
const struct fuzz_shader *fuzz_shaders(uint32_t *count);

#endif
