/* SPDX-License-Identifier: MIT */
/*
 * The whole way from a question to its answer.
 */
#ifndef WHY_ASK_H
#define WHY_ASK_H

#include "why_run.h"

/* Sees an event of the pixel. False: out of memory. */
typedef bool (*why_see)(void *user, const struct why_plan *plan, const struct why_event *event);

/** Run the capture and answer (why_verdict.h). see: called for each event, in order; NULL: nobody
 * looks. Returns the answer; NULL: `error` says why there is none. */
json_t *why_ask(const struct why_question *question, why_see see, void *user, char *error,
                size_t error_B);

#endif
