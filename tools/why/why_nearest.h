/* SPDX-License-Identifier: MIT */
/*
 * For a pixel that no primitive covers, even with all rules lifted: why the primitives missed it.
 * Positions are those of the vertex program, primitive by primitive as the draw assembles them.
 */
#ifndef WHY_NEAREST_H
#define WHY_NEAREST_H

#include <jansson.h>

#include "why_plan.h"

/** An array, an object for each draw: {"draw", "primitives" (how many), "reasons": {"outside": 10,
 * ...}, "nearest": [{"primitive", "reason", "distance_px", "vertices": [{"element", "vertex",
 * "position", "window"}]}]}: at most three, those whose position is not finite first. Of draw
 * `question->draw`, or of all that draw to a watched image. NULL: `error`. */
json_t *why_nearest(const struct why_question *question, const struct why_plan *plan, char *error,
                    size_t error_B);

#endif
