/* SPDX-License-Identifier: MIT */
/*
 * One sentence on the pixel, or on a draw there.
 */
#ifndef WHY_VERDICT_H
#define WHY_VERDICT_H

#include "why_run.h"

/** The answer: {"version", "capture", "pixel", "color", "verdict", "cause", "fragments"}. */
json_t *why_answer(const struct why_question *question, const struct why_plan *plan,
                   const struct why_events *events);

#endif
