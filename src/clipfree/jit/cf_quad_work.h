/* SPDX-License-Identifier: MIT */
/*
 * Fragment tasks from quads to pixels: one compiled function interpolates inputs, runs the program,
 * and tests, blends and writes pixels, without the task's memory in between. It is equivalent, bit
 * for bit, to cf_fragments_begin (with system values of CF_QUAD_SYSVALS), a run of the program, and
 * cf_fragments_end. This is its interface.
 */
#ifndef CF_QUAD_WORK_H
#define CF_QUAD_WORK_H

#include "clipfree/isa/cf_isa.h"
#include "clipfree/pixel/cf_fragments.h"
#include "clipfree/primitive/cf_quad_pack.h"

struct cf_pixel_key; /* cf_jit_source.h */

/* System values available in tasks from quads to pixels. */
#define CF_QUAD_SYSVALS                                                                            \
   (1u << CF_SYSVAL_FRAG_X | 1u << CF_SYSVAL_FRAG_Y | 1u << CF_SYSVAL_FRAG_Z |                     \
    1u << CF_SYSVAL_FRAG_W | 1u << CF_SYSVAL_FRONT_FACE | 1u << CF_SYSVAL_HELPER |                 \
    1u << CF_SYSVAL_POINT_X | 1u << CF_SYSVAL_POINT_Y)

/* Inputs and results of tasks from quads to pixels, beside the program. */
struct cf_quad_work {
   /* Primitives have key->shape; coverage is set if key->coverage, and then there is one task. If
    * there are several (at most CF_WORK_TASKS), all have all quads; the code runs once per task,
    * and `fragments` and `lanes` advance to the next one's quads. */
   struct cf_fragments fragments;
   const uint32_t *lanes; /* by task: lanes to be shaded */
   uint32_t tasks;
   uint32_t alive[CF_WORK_TASKS]; /* result, by task: lanes whose pixels were written */
   /* With several samples (key->samples), else NULL. Result, by task and sample: lanes that were
    * written; zero at first. Advances like `fragments`. */
   uint32_t (*written)[CF_SAMPLES];
   /* lanes that primitives cover, before early tests; may be those alive if the program needs no
    * helper lanes */
   uint32_t covered;
   uint32_t shared; /* lanes that belong to cf_task.shared if their pixels are partly covered */
   float centre_px; /* offset of a pixel's centre in x and y, for frag_x and frag_y */
   /* the state of fragments.pixel that the code is specialised for */
   const struct cf_pixel_key *key;
   /* The engine's: what it found for key and stage. NULL at first; kept by who runs the same key
    * and stage again in a pass, so that it need not be looked for. */
   void *found;
   /* cf_pixel_ops.test_quads, for late stencil tests and the depth tests with them */
   uint32_t (*test_quads)(const struct cf_pixel_config *config, const struct cf_quad *quads,
                          uint32_t count, uint32_t mask, const float *depth,
                          const float *color0_alpha, uint32_t front);
   /* The same for all samples: cf_samples_test */
   void (*test_samples)(const struct cf_sample_units *units, const struct cf_pixel_config *config,
                        const struct cf_quad *quads, uint32_t count,
                        const float (*out)[CF_TASK_LANES], uint32_t lanes[CF_SAMPLES]);
};

/** Begin the task that the work is at: its lanes, also where its program runs (cf_task.exec). */
static inline void
cf_quad_work_begin(struct cf_quad_work *work, struct cf_task *task)
{
   struct cf_fragments *f = &work->fragments;
   f->lanes = *work->lanes;
   /* Lanes that early tests took out matter only to derivatives. */
   work->covered = f->program->needs_helpers && f->lanes != UINT32_MAX
                      ? cf_quads_covered(f->quads, f->count)
                      : f->lanes;
   task->exec = cf_fragments_exec(f);
   task->alive = f->lanes;
}

#endif
