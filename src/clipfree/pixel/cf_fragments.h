/* SPDX-License-Identifier: MIT */
/*
 * The fragments of a task, from quads to pixels, unit by unit. The tile walk draws this way where
 * no compiled code does all of it at once; verification and tests hold such code to this.
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
   /* [CF_TASK_QUADS]: those after the first `count` are copies of quad 0, without a lane */
   const struct cf_quad *quads;
   uint32_t count;
   uint32_t lanes;        /* lanes to be shaded: pixels that early tests let pass */
   uint32_t varmodes;     /* as cf_primitive_ops.interpolate has them */
   /* of smooth primitives, by lane: it multiplies the alpha of every colour; NULL for others */
   const float *coverage;
   const struct cf_program *program;    /* the fragment program */
   const struct cf_pixel_config *pixel; /* an array: for each sample of the frame */
};

/** The exec mask of the program: the lanes to be shaded, or whole quads if it needs helpers. */
static inline uint32_t
cf_fragments_exec(const struct cf_fragments *f)
{
   return f->program->needs_helpers ? UINT32_MAX >> (CF_TASK_LANES - 4 * f->count) : f->lanes;
}

/** Interpolate the inputs of the program, and of tests after it. Outputs that it does not write
 * will be 0, also an alpha that it does not have. */
void cf_fragments_begin(const struct cf_fragments *f, struct cf_task *task);

/** Test and write the outputs that the program left in the task; `alive`: lanes that it did not
 * kill. written: the lanes that passed all tests, by sample (in a frame of one sample written[0]),
 * whatever colour masks say. */
void cf_fragments_end(const struct cf_fragments *f, struct cf_task *task, uint32_t alive,
                      uint32_t written[CF_SAMPLES]);

/* The observer of fragments, and the draw and primitives that they belong to. */
struct cf_fragments_seen {
   const struct cf_observer *observer;
   uint64_t draw;                     /* GPU address of the draw's packet */
   uint32_t primitive[CF_TASK_QUADS]; /* number in the draw, of each quad */
};

/** cf_fragments_end, and tell the observer of each fragment. */
void cf_fragments_end_observed(const struct cf_fragments *f, struct cf_task *task, uint32_t alive,
                               uint32_t written[CF_SAMPLES], const struct cf_fragments_seen *seen);

/** The two halves of cf_fragments_end: multiply alpha by coverage (GL 2.1 section 3.12); test and
 * write. */
void cf_fragments_cover(const struct cf_fragments *f, struct cf_task *task);
void cf_fragments_write(const struct cf_fragments *f, struct cf_task *task, uint32_t alive,
                        uint32_t written[CF_SAMPLES]);

#endif
