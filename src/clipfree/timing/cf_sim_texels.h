/* SPDX-License-Identifier: MIT */
/*
 * Texture samples of tasks, as the simulated GPU runs them: eight quads a task in the order of
 * submission, each sample of the program for all quads before the next one.
 */
#ifndef CF_SIM_TEXELS_H
#define CF_SIM_TEXELS_H

#include "clipfree/timing/cf_sim_layout.h"
#include "clipfree/timing/cf_sim_order.h"

/* The lines that a sample of a quad touches, each once, in the order of its texels. */
struct cf_sim_sample_lines {
   uint32_t texels; /* read, with those of helper pixels */
   uint32_t lines;
   uint32_t line[4 * 8];
};

/* A walk through the samples of a quad. */
struct cf_sim_samples {
   const struct cf_sim_layout *layout;
   const struct cf_sim_op *op;
   const uint32_t *dw, *end; /* the next record of its task; where the tile ends */
   uint32_t quad;
};

/** Begin with a quad's first sample. */
struct cf_sim_samples cf_sim_samples_of(const struct cf_sim_layout *layout,
                                        const struct cf_sim_chunk *chunk,
                                        const struct cf_sim_item *item);

/** The next sample. False: there is none. */
bool cf_sim_samples_next(struct cf_sim_samples *samples, struct cf_sim_sample_lines *lines);

#endif
