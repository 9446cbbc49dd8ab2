/* SPDX-License-Identifier: MIT */
/*
 * One sentence on the pixel, or on a draw there.
 */
#ifndef WHY_VERDICT_H
#define WHY_VERDICT_H

#include "why_run.h"

/** Whether nothing wanted the pixel, so that the answer is why primitives missed it (why_nearest).
 */
bool why_is_missed(const struct why_question *question, const struct why_plan *plan,
                   const struct why_events *events);

/** The answer: {"version", "capture", "pixel", "color", "verdict", "cause", "fragments", "misses"}.
 * misses: of why_nearest, taken over; NULL: none. */
json_t *why_answer(const struct why_question *question, const struct why_plan *plan,
                   const struct why_events *events, json_t *misses);

#endif
