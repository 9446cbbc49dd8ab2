/* SPDX-License-Identifier: MIT */
/*
 * The verdict of hierarchical Z on one block, for observers of the plain path, which has no
 * hierarchical Z: from the depths stored now, of all samples, and the primitive's depths at the
 * block's corners. Slow. The normal path finds hidden primitives by cf_hiz.h.
 */
#ifndef CF_HIZ_EXPLAIN_H
#define CF_HIZ_EXPLAIN_H

#include "clipfree/interface/cf_observer.h"
#include "clipfree/pixel/cf_pixel.h"

/** Fills nearest, farthest and hiz of a block's event; its x_px and y_px are set. config: an array,
 * one for each sample, of the primitive's draw. Changes nothing else. */
void cf_hiz_explain(const struct cf_pixel_config *config, const struct cf_prim *prim,
                    struct cf_block_event *event);

#endif
