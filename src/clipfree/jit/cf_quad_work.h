/* SPDX-License-Identifier: MIT */
/*
 * Fragment tasks that compiled code runs from their quads to the pixels: what goes in beside the
 * program, and what comes out. It does what cf_fragments_begin (with system values of
 * CF_QUAD_SYSVALS), a run of the program, and cf_fragments_end would do one after the other, with
 * the same bits.
 */
#ifndef CF_QUAD_WORK_H
#define CF_QUAD_WORK_H

#include "clipfree/isa/cf_isa.h"
#include "clipfree/pixel/cf_fragments.h"
#include "clipfree/primitive/cf_quad_pack.h"

struct cf_pixel_key; /* cf_jit_source.h */

/* System values that tasks from quads to pixels have. */
#define CF_QUAD_SYSVALS                                                                            \
   (1u << CF_SYSVAL_FRAG_X | 1u << CF_SYSVAL_FRAG_Y | 1u << CF_SYSVAL_FRAG_Z |                     \
    1u << CF_SYSVAL_FRAG_W | 1u << CF_SYSVAL_FRONT_FACE | 1u << CF_SYSVAL_HELPER |                 \
    1u << CF_SYSVAL_POINT_X | 1u << CF_SYSVAL_POINT_Y)

/* What an engine needs beside the program to run fragment tasks from their quads to the pixels in
 * one piece of code. */
struct cf_quad_work {
   /* Primitives are of key->shape, coverage is if key->coverage. Of several tasks, at most
    * CF_WORK_TASKS, all are complete; an engine's code is run for one after the other, and the
    * quads move on */
   struct cf_fragments fragments;
   uint32_t tasks;
   uint32_t alive[CF_WORK_TASKS]; /* results: lanes of each task whose pixels were written */
   /* Of a frame of several samples (key->samples), else NULL. Results: lanes of each task that each
    * sample was written of, zeros at first; moves on, too */
   uint32_t (*written)[CF_SAMPLES];
   uint32_t covered; /* lanes that primitives cover, whatever tests say; if no helpers are needed,
                        those alive will do */
   uint32_t shared; /* lanes that are in cf_task.shared if their pixels are covered in part */
   float centre_px; /* of a pixel, from its integer position, in x and y: what frag_x and frag_y add
                       to it */
   const struct cf_pixel_key *key; /* all of fragments.pixel that code is made for */
   /* cf_pixel_ops.test_quads, for stencil tests, and depth tests with them, that follow the shader
    */
   uint32_t (*test_quads)(const struct cf_pixel_config *config, const struct cf_quad *quads,
                          uint32_t count, uint32_t mask, const float *depth,
                          const float *color0_alpha, uint32_t front);
   /* The same for all samples: cf_samples_test */
   void (*test_samples)(const struct cf_sample_units *units, const struct cf_pixel_config *config,
                        const struct cf_quad *quads, uint32_t count,
                        const float (*out)[CF_TASK_LANES], uint32_t lanes[CF_SAMPLES]);
};

#endif
