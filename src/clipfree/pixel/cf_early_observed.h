/* SPDX-License-Identifier: MIT */
/* Early tests with an observer: the results of cf_pixel_ops, and an event for each fragment
 * (cf_observer.early_test). */
#ifndef CF_EARLY_OBSERVED_H
#define CF_EARLY_OBSERVED_H

#include "clipfree/interface/cf_observer.h"
#include "clipfree/pixel/cf_pixel_samples.h"

/* The observer of a primitive's fragments, with draw and primitive. */
struct cf_early_event_sink {
   const struct cf_observer *observer; /* with early_test */
   uint64_t draw;                      /* GPU address of the draw's packet */
   uint32_t primitive;                 /* number in the draw */
};

/** cf_pixel_ops.test_blocks at pixel centres, in frames with one sample per pixel. */
void cf_early_blocks_observed(const struct cf_sample_units *units,
                              const struct cf_pixel_config *config, const struct cf_prim *prim,
                              struct cf_raster_block *blocks, uint32_t count,
                              const struct cf_early_event_sink *sink);

/** cf_pixel_ops.test_samples; config: an array, one for each sample. */
void cf_early_samples_observed(const struct cf_sample_units *units,
                               const struct cf_pixel_config *config, const struct cf_prim *prim,
                               struct cf_raster_samples *blocks, uint32_t count,
                               const struct cf_early_event_sink *sink);

#endif
