/* SPDX-License-Identifier: MIT */
/*
 * The fragments of a task, from quads to pixels, through the units one after the other. The tile
 * walk draws so where no code does all of it at once; verification and tests compare such code with
 * this.
 *
 * Data flow: quads -> cf_fragments_begin (interpolation) -> a run of the fragment program ->
 * cf_fragments_end (coverage of smooth primitives, tests after the shader, blending and writing) ->
 * surfaces.
 */
#ifndef CF_FRAGMENTS_H
#define CF_FRAGMENTS_H

#include "clipfree/interface/cf_observer.h"
#include "clipfree/pixel/cf_pixel_samples.h"

struct cf_fragments {
   const struct cf_sample_units *units;
   /* CF_TASK_QUADS; those after the first `count` are copies of quad 0, without a lane */
   const struct cf_quad *quads;
   uint32_t count;
   uint32_t lanes;        /* to be shaded */
   uint32_t varmodes;     /* as cf_primitive_ops.interpolate has them */
   const float *coverage; /* of smooth primitives: what multiplies the alpha of every colour, by
                             lane; NULL of others */
   const struct cf_program *program;    /* the fragment program */
   const struct cf_pixel_config *pixel; /* of each sample of the frame */
};

/** The lanes that the program runs for: with helpers, whole quads. */
static inline uint32_t
cf_fragments_exec(const struct cf_fragments *f)
{
   return f->program->needs_helpers ? UINT32_MAX >> (CF_TASK_LANES - 4 * f->count) : f->lanes;
}

/** Give the task the inputs of the program and of tests after it. Outputs that it leaves unwritten
 * are 0, also an alpha that it does not have. */
void cf_fragments_begin(const struct cf_fragments *f, struct cf_task *task);

/** Test and write what the program left in the task's outputs; `alive`: lanes that it did not kill.
 * written: the lanes of each sample that passed all tests, in a frame of one sample of written[0]
 * alone; masks of colours do not matter to it. */
void cf_fragments_end(const struct cf_fragments *f, struct cf_task *task, uint32_t alive,
                      uint32_t written[CF_SAMPLES]);

/* Who sees a task's fragments, and whose they are. */
struct cf_fragments_seen {
   const struct cf_observer *observer;
   uint64_t draw;                     /* GPU address of the draw's packet */
   uint32_t primitive[CF_TASK_QUADS]; /* number in the draw, of each quad */
};

/** cf_fragments_end, and tell the observer of each fragment. */
void cf_fragments_end_observed(const struct cf_fragments *f, struct cf_task *task, uint32_t alive,
                               uint32_t written[CF_SAMPLES], const struct cf_fragments_seen *seen);

/** The two halves of cf_fragments_end: coverage multiplies alpha (GL 2.1 section 3.12); tests and
 * writing. */
void cf_fragments_cover(const struct cf_fragments *f, struct cf_task *task);
void cf_fragments_write(const struct cf_fragments *f, struct cf_task *task, uint32_t alive,
                        uint32_t written[CF_SAMPLES]);

#endif
