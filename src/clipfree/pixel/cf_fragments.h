/* SPDX-License-Identifier: MIT */
/*
 * The fragments of a task, from quads to pixels, unit by unit. The tile walk draws this way where
 * no compiled code does all steps at once. Verification and tests use it as the reference of
 * compiled code.
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
   /* [CF_TASK_QUADS]: those from `count` on are copies of quad 0, with no lane in `lanes` */
   const struct cf_quad *quads;
   uint32_t count;
   uint32_t lanes;        /* lanes to be shaded: covered, and passed by early tests */
   uint32_t varmodes;     /* as cf_primitive_ops.interpolate takes them */
   /* of smooth (antialiased) primitives, by lane: factor of every color's alpha; else NULL */
   const float *coverage;
   const struct cf_program *program;    /* the fragment program */
   const struct cf_pixel_config *pixel; /* an array: for each sample of the frame */
};

/** The exec mask of the program: the lanes to be shaded; with their helper lanes, as whole quads,
 * if the program needs them. */
static inline uint32_t
cf_fragments_exec(const struct cf_fragments *f)
{
   return f->program->needs_helpers ? UINT32_MAX >> (CF_TASK_LANES - 4 * f->count) : f->lanes;
}

/** Interpolate the inputs of the program, and the depth for late tests. Outputs are set to 0, which
 * the program may leave, also the alpha of a color 0 that it does not write. */
void cf_fragments_begin(const struct cf_fragments *f, struct cf_task *task);

/** Apply coverage, test and write the outputs that the program left in the task. alive: lanes that
 * it did not kill. written: lanes that passed all tests, by sample (written[0] in frames of one
 * sample), also where write masks let nothing through. */
void cf_fragments_end(const struct cf_fragments *f, struct cf_task *task, uint32_t alive,
                      uint32_t written[CF_SAMPLES]);

/* The observer of a task's fragments, with their draw and primitives. */
struct cf_fragments_event_sink {
   const struct cf_observer *observer;
   uint64_t draw;                     /* GPU address of the draw's packet */
   uint32_t primitive[CF_TASK_QUADS]; /* number in the draw, of each quad */
};

/** cf_fragments_end, and an event to the observer for each fragment at each sample. */
void cf_fragments_end_observed(const struct cf_fragments *f, struct cf_task *task, uint32_t alive,
                               uint32_t written[CF_SAMPLES],
                               const struct cf_fragments_event_sink *sink);

/** The lanes that reach stencil and depth test, by sample: covered, not killed, not removed by
 * alpha to coverage or the alpha test. After cf_fragments_end. covered: the same, whatever program
 * and alpha say. */
void cf_fragments_reached(const struct cf_fragments *f, const struct cf_task *task, uint32_t alive,
                          uint32_t covered[CF_SAMPLES], uint32_t tested[CF_SAMPLES]);

/** The two steps of cf_fragments_end: multiply alpha by coverage (GL 2.1 section 3.12); test and
 * write. */
void cf_fragments_cover(const struct cf_fragments *f, struct cf_task *task);
void cf_fragments_write(const struct cf_fragments *f, struct cf_task *task, uint32_t alive,
                        uint32_t written[CF_SAMPLES]);

#endif
