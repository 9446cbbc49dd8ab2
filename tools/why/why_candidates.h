/* SPDX-License-Identifier: MIT */
/*
 * Which primitives would cover the watched pixels if no rule took them away (why_lift.h).
 */
#ifndef WHY_CANDIDATES_H
#define WHY_CANDIDATES_H

#include "why_hiz.h"
#include "why_plan.h"

/* A primitive that would cover a watched pixel. */
struct why_candidate {
   uint32_t op, primitive;
   uint32_t watch, target;
   float z_ndc; /* z / w at the first covered sample, to 2^-20; beyond 8 it is 8 */
   bool front;
   uint32_t cut; /* clip planes that take it from the pixel, a bit each */
   /* what the run with all rules finds (why_run.h) */
   bool seen;         /* it covers the pixel there, too */
   enum cf_drop drop; /* if the primitive was dropped */
   struct why_hiz hiz; /* of its block at the pixel */
};

struct why_candidates {
   struct why_candidate *entry; /* sorted by op and primitive */
   uint32_t count, capacity;
};

/** Find them. False: `error`. Free `candidates` in any case. */
bool why_candidates_find(const struct why_question *question, const struct why_plan *plan,
                         struct why_candidates *candidates, char *error, size_t error_B);

/** The candidate of a primitive; NULL: it is none. */
struct why_candidate *why_candidate_of(const struct why_candidates *candidates, uint32_t op,
                                       uint32_t primitive);

#endif
