/* SPDX-License-Identifier: MIT */
/*
 * What hierarchical Z would say of a block, written out for one: by the stored depths of all its
 * samples, as they are, and by the primitive's depth at the block's corners. Slow; what finds
 * hidden primitives on the normal path is cf_hiz.h.
 */
#ifndef CF_HIZ_EXPLAIN_H
#define CF_HIZ_EXPLAIN_H

#include "clipfree/interface/cf_observer.h"
#include "clipfree/pixel/cf_pixel.h"

/** Fills nearest, farthest and hiz of an event whose block is set, of one of the primitive's draw.
 * config: of each sample. Changes nothing else. */
void cf_hiz_explain(const struct cf_pixel_config *config, const struct cf_prim *prim,
                    struct cf_block_event *event);

#endif
