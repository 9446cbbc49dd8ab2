/* SPDX-License-Identifier: MIT */
/*
 * Events as JSON, with a sentence that says why: which test failed, with both of its values; which
 * rule took the primitive away; how a colour was blended. docs/why.md has the schema.
 */
#ifndef WHY_DESCRIBE_H
#define WHY_DESCRIBE_H

#include "why_run.h"

/* Where an event happened, while memory still has what its packets name. */
struct why_place {
   const struct why_plan *plan;
   const struct why_events *events; /* so far, and of this submission all */
   const struct look_player *player;
   const struct look_submission *submission;
};

/** The event as JSON. Sets event->rule of missed primitives, and event->changed. */
json_t *why_describe(const struct why_place *place, struct why_event *event);

#endif
