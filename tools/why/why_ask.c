/* SPDX-License-Identifier: MIT */
#include "why_ask.h"

#include <stdlib.h>

#include "look/look_error.h"

#include "why_nearest.h"
#include "why_verdict.h"

/* What a question needs until it is answered. */
struct asking {
   struct why_plan plan;
   struct why_candidates candidates;
   struct why_events events;
};

static bool
see_all(const struct asking *asking, why_see see, void *user, char *error, size_t error_B)
{
   for (uint32_t i = 0; see && i < asking->events.count; i++) {
      if (!see(user, &asking->plan, &asking->events.event[i]))
         return look_fails(error, error_B, "out of memory");
   }
   return true;
}

static json_t *
ask(const struct why_question *question, struct asking *asking, why_see see, void *user,
    char *error, size_t error_B)
{
   json_t *misses = NULL;
   if (!why_plan_make(question, &asking->plan, error, error_B) ||
       !why_candidates_find(question, &asking->plan, &asking->candidates, error, error_B) ||
       !why_run(question, &asking->plan, &asking->candidates, &asking->events, error, error_B) ||
       !see_all(asking, see, user, error, error_B))
      return NULL;
   if (why_is_missed(question, &asking->plan, &asking->events) &&
       !(misses = why_nearest(question, &asking->plan, error, error_B)))
      return NULL;
   return why_answer(question, &asking->plan, &asking->events, misses);
}

json_t *
why_ask(const struct why_question *question, why_see see, void *user, char *error, size_t error_B)
{
   struct why_question open = *question;
   struct asking *asking = calloc(1, sizeof(*asking));
   if (!asking)
      look_fails(error, error_B, "out of memory");
   else
      open.reader = cf_capture_open(question->path, error, error_B);
   if (!open.reader) {
      free(asking);
      return NULL;
   }
   json_t *answer = ask(&open, asking, see, user, error, error_B);
   cf_capture_close(open.reader);
   why_events_free(&asking->events);
   free(asking->candidates.entry);
   why_plan_free(&asking->plan);
   free(asking);
   return answer;
}
