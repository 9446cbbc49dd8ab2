/* SPDX-License-Identifier: MIT */
/*
 * What happens to the watched pixels when the capture is run: events, each with its description as
 * JSON, in order.
 */
#ifndef WHY_RUN_H
#define WHY_RUN_H

#include <jansson.h>

#include "why_candidates.h"
#include "why_inputs.h"

#include "why_plan.h"

enum why_kind {
   WHY_FRAGMENT,
   WHY_EARLY,   /* a fragment that failed tests which its program demands before itself */
   WHY_REMOVED, /* coverage that stipple or the sample mask removed */
   WHY_MISSED,  /* a primitive that a rule kept from covering the pixel */
   WHY_WATCHDOG, /* the watchdog ended a task, and with it the submission */
   WHY_CLEAR,
   WHY_TRANSFER,
};

/* The rule that kept a primitive from the pixel. */
enum why_rule {
   WHY_RULE_NONE,
   WHY_RULE_CULLED,  /* a face that is culled */
   WHY_RULE_DISCARD, /* rasterisation is off */
   WHY_RULE_SCISSOR,
   WHY_RULE_NEAR,
   WHY_RULE_FAR,
   WHY_RULE_CLIP_PLANE,
   WHY_RULE_STIPPLE,
   WHY_RULE_SAMPLE_MASK,
   WHY_RULE_NOT_RUN, /* the watchdog had ended the submission */
   WHY_RULE_UNKNOWN,
};

/** Its name in JSON: "culled", ... */
const char *why_rule_name(enum why_rule rule);

/* What ran in the task that the watchdog ended. */
struct why_ended {
   bool vertices;        /* else fragments */
   uint32_t instruction; /* the last one */
   uint32_t x_px, y_px;  /* of a fragment */
   uint32_t element, vertex, instance;
};

struct why_event {
   enum why_kind kind;
   enum why_rule rule;
   uint32_t op, watch, target, primitive;
   uint32_t order; /* of arrival */
   struct cf_fragment_event fragment;
   uint32_t value[4], mask[4]; /* clear: of the target */
   struct why_candidate missed;
   struct why_hiz hiz; /* of a fragment */
   struct why_ended ended;
   json_t *inputs;   /* of a fragment's colour, or of what killed it; NULL: not known */
   json_t *branches; /* what the program's branches looked at; NULL: nothing, or not known */
   uint32_t kill_at; /* instruction that killed it */
   enum why_end end; /* of its program */
   uint32_t not_finite_at; /* that made its colour not finite; WHY_FINITE: none did */
   bool changed; /* the target's pixel is another one afterwards, or was written with the same */
   bool replaces; /* nothing of the pixel, or of the fragment's sample, from before is left */
   json_t *json;
};

struct why_events {
   struct why_event *event;
   uint32_t count, capacity;
   uint32_t final[CF_SAMPLES][4]; /* the pixel that was asked for, at the end */
   bool has_final;
};

/** Run it. Marks candidates. False: `error`. Free `events` in any case. */
bool why_run(const struct why_question *question, const struct why_plan *plan,
             const struct why_candidates *candidates, struct why_events *events, char *error,
             size_t error_B);
void why_events_free(struct why_events *events);

/** The event of the watchdog's that ended the submission before the operation, or in its frame
 * buffer, so that the operation may not have been run; NULL: there is none. */
const struct why_event *why_ended_before(const struct why_plan *plan,
                                         const struct why_events *events, uint32_t op);

#endif
