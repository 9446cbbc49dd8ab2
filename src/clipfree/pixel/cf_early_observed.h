/* SPDX-License-Identifier: MIT */
/* Early tests of blocks that somebody watches: what cf_pixel_ops does, and each fragment is told
 * of. */
#ifndef CF_EARLY_OBSERVED_H
#define CF_EARLY_OBSERVED_H

#include "clipfree/interface/cf_observer.h"
#include "clipfree/pixel/cf_pixel_samples.h"

/* Who sees a primitive's fragments, and whose they are. */
struct cf_early_seen {
   const struct cf_observer *observer; /* with early_test */
   uint64_t draw;                      /* GPU address of the draw's packet */
   uint32_t primitive;                 /* number in the draw */
};

/** cf_pixel_ops.test_blocks at pixels' centres, in a frame of one sample a pixel. */
void cf_early_blocks_observed(const struct cf_sample_units *units,
                              const struct cf_pixel_config *config, const struct cf_prim *prim,
                              struct cf_raster_block *blocks, uint32_t count,
                              const struct cf_early_seen *seen);

/** cf_pixel_ops.test_samples; config: of each sample. */
void cf_early_samples_observed(const struct cf_sample_units *units,
                               const struct cf_pixel_config *config, const struct cf_prim *prim,
                               struct cf_raster_samples *blocks, uint32_t count,
                               const struct cf_early_seen *seen);

#endif
