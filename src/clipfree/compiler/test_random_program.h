/* SPDX-License-Identifier: MIT */
/*
 * For tests: random programs as NIR, with inputs, and what they compute, evaluated for one lane at
 * a time.
 */
#ifndef TEST_RANDOM_PROGRAM_H
#define TEST_RANDOM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clipfree/shader/cf_program.h"
#include "nir_builder.h"

#define LANES CF_TASK_LANES
#define UNIFORMS 160 /* more than can be operands */
#define ATTRIBUTES 2
#define SMOOTH 1   /* of a fragment program's inputs: the one that is not flat */
#define OUTPUTS 12 /* varyings: ints, then floats; then the position; or three colours */
#define VARYINGS 8
#define VARIABLES 6

struct inputs {
   uint32_t uniforms[UNIFORMS];
   uint32_t attributes[ATTRIBUTES][LANES][4];
   /* of fragment programs; attributes are interpolated from these */
   float varyings[CF_TASK_QUADS][ATTRIBUTES][4][3], bary[2][LANES];
};

/** Random numbers are those that follow from this seed. */
void random_begin(uint64_t seed);

/** The next random numbers are these bytes, which stay until they are used up. */
void random_feed(const uint8_t *bytes, size_t size_B);

/** What a program has beside the usual. */
enum random_kind {
   RANDOM_USUAL,
   RANDOM_PRESSURE, /* more live values than there are registers */
   RANDOM_CHAINS,   /* chains of 50 to 250 conditions */
};

nir_shader *random_program(gl_shader_stage stage, enum random_kind kind);

/** Inputs, interesting and random; a fragment program's attributes are interpolated. */
void random_inputs(gl_shader_stage stage, struct inputs *inputs);

/** What a lane of the program gives. False: it was discarded. */
bool evaluate_lane(nir_shader *nir, const struct inputs *inputs, unsigned lane,
                   uint32_t outputs[OUTPUTS]);

struct cf_binary; /* cf_compiler.h */

/** Run a compiled program, in the interpreter. binary: of a fragment program, else NULL. Returns
 * the lanes that were not discarded. */
uint32_t random_run(const struct cf_decoded *program, const struct inputs *inputs,
                    const struct cf_binary *binary, uint32_t outputs[OUTPUTS][LANES]);

/** Whether floats are equal, where the reference's minimum and maximum do not order zeros, and NaN
 * has no sign. */
bool random_same_float(uint32_t a, uint32_t b);

#endif
