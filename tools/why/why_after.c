/* SPDX-License-Identifier: MIT */
#include "why_after.h"

#define NONE UINT32_MAX

bool
why_is_resolve(const struct cf_surface *source, const struct cf_surface *destination)
{
   return source->samples > 1 && destination->samples <= 1;
}

static bool
is_fragment(const struct why_event *event)
{
   return event->kind == WHY_FRAGMENT;
}

/* The next event that replaces what this one left at a sample. */
static uint32_t
replaced_sample_at(const struct why_events *events, uint32_t index, uint32_t sample)
{
   for (uint32_t i = index + 1; i < events->count; i++) {
      const struct why_event *event = &events->event[i];
      if (event->watch == events->event[index].watch && event->replaces &&
          (!is_fragment(event) || event->fragment.sample == sample))
         return i;
   }
   return NONE;
}

/* The event with which nothing is left of this one: of all samples, if it is no fragment. */
static uint32_t
replaced_at(const struct why_plan *plan, const struct why_events *events, uint32_t index)
{
   const struct why_event *event = &events->event[index];
   const struct cf_surface *image = &plan->watch[event->watch].image;
   uint32_t last = 0;
   if (is_fragment(event))
      return replaced_sample_at(events, index, event->fragment.sample);
   for (uint32_t sample = 0; sample < (image->samples > 1 ? image->samples : 1); sample++) {
      const uint32_t at = replaced_sample_at(events, index, sample);
      last = at > last ? at : last;
   }
   return last;
}

/* The transfer that took the watched pixel's samples into a mean. */
static uint32_t
resolved_at(const struct why_plan *plan, const struct why_events *events, uint32_t index)
{
   const struct why_watch *watch = &plan->watch[events->event[index].watch];
   for (uint32_t i = index + 1; i < events->count; i++) {
      const struct why_event *event = &events->event[i];
      if (event->kind == WHY_TRANSFER && event->watch == watch->copied_to &&
          event->op == watch->last &&
          why_is_resolve(&watch->image, &plan->op[event->op].destination))
         return i;
   }
   return NONE;
}

void
why_tell_after(const struct why_plan *plan, const struct why_events *events, uint32_t first)
{
   for (uint32_t i = first; i < events->count; i++) {
      const struct why_event *event = &events->event[i];
      if (!event->changed || !event->json)
         continue;
      const uint32_t replaced = replaced_at(plan, events, i),
                     resolved = resolved_at(plan, events, i);
      if (replaced != NONE)
         json_object_set_new(event->json, "overwritten", json_integer(replaced - first));
      else if (resolved != NONE)
         json_object_set_new(event->json, "resolved", json_integer(resolved - first));
   }
}
