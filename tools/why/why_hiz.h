/* SPDX-License-Identifier: MIT */
/*
 * What hierarchical Z would say of a primitive's block, with the depths that it would compare.
 */
#ifndef WHY_HIZ_H
#define WHY_HIZ_H

#include <jansson.h>

#include "look/look_player.h"

#include "clipfree/interface/cf_observer.h"

struct why_hiz {
   enum cf_hiz_fate fate;
   double nearest, farthest;               /* bounds of the primitive's depths in the block */
   double stored_nearest, stored_farthest; /* what is stored in the block, or in its region */
};

/** Of a block, while memory has the depths from before it. `zs`: the image of depth. */
struct why_hiz why_hiz_of(const struct look_player *player, const struct cf_surface *zs,
                          const struct cf_block_event *block);

/** Whether no fragment of the block passes. */
static inline bool
why_hiz_hides(const struct why_hiz *hiz)
{
   return hiz->fate == CF_HIZ_HIDDEN_BLOCK || hiz->fate == CF_HIZ_HIDDEN_REGION;
}

/** "hierarchical Z hides its block of 4x4 pixels (nearest 0.5, farthest stored 0.25)" */
json_t *why_hiz_sentence(const struct why_hiz *hiz);

/** {"hides", "nearest", "farthest", "stored_nearest", "stored_farthest"} */
json_t *why_hiz_json(const struct why_hiz *hiz);

#endif
