/* SPDX-License-Identifier: MIT */
#include "clipfree/capture/cf_capture_trigger.h"

#include <stdio.h>
#include <string.h>

static bool
is_in_range(const struct cf_capture_config *config, unsigned number)
{
   return number >= config->first && number - config->first < config->count;
}

/* Frames are captured, and none was presented: whether all submissions so far may be of frame 0,
 * which is wanted. */
static bool
may_be_first_frame(const struct cf_capture_trigger *trigger)
{
   const struct cf_capture_config *config = trigger->config;
   return config->first == 0 && trigger->submissions < config->count + CF_TRIGGER_MAX_FIRST_FRAME;
}

/* The signal starts a capture with the next frame, or submission if nothing was ever presented. */
static void
look_for_signal(struct cf_capture_trigger *trigger)
{
   const unsigned signals = cf_capture_signals();
   trigger->active = trigger->active || signals != trigger->signals;
   trigger->signals = signals;
}

bool
cf_trigger_takes(struct cf_capture_trigger *trigger)
{
   const struct cf_capture_config *config = trigger->config;
   switch (config->start) {
   case CF_CAPTURE_AT_SUBMISSION:
      return is_in_range(config, trigger->submissions);
   case CF_CAPTURE_AT_FRAME:
      if (trigger->frames > 0)
         return is_in_range(config, trigger->frames);
      return is_in_range(config, trigger->submissions) || may_be_first_frame(trigger);
   case CF_CAPTURE_AT_SIGNAL:
      if (trigger->frames == 0)
         look_for_signal(trigger);
      return trigger->active;
   case CF_CAPTURE_AT_MARKER:
      return trigger->active;
   }
   return false;
}

bool
cf_trigger_takes_frame(const struct cf_capture_trigger *trigger)
{
   const struct cf_capture_config *config = trigger->config;
   switch (config->start) {
   case CF_CAPTURE_AT_SUBMISSION:
      return trigger->taken > 0;
   case CF_CAPTURE_AT_FRAME:
      return is_in_range(config, trigger->frames);
   case CF_CAPTURE_AT_SIGNAL:
   case CF_CAPTURE_AT_MARKER:
      return trigger->active;
   }
   return false;
}

/* One of config->count is complete. */
static enum cf_trigger_verdict
take(struct cf_capture_trigger *trigger)
{
   return ++trigger->taken == trigger->config->count ? CF_TRIGGER_DONE : CF_TRIGGER_GO_ON;
}

enum cf_trigger_verdict
cf_trigger_submitted(struct cf_capture_trigger *trigger, bool took)
{
   const enum cf_capture_start start = trigger->config->start;
   trigger->submissions++;
   if (!took || start == CF_CAPTURE_AT_MARKER)
      return CF_TRIGGER_GO_ON;
   if (start == CF_CAPTURE_AT_SUBMISSION || (start == CF_CAPTURE_AT_SIGNAL && trigger->frames == 0))
      return take(trigger);
   if (start != CF_CAPTURE_AT_FRAME || trigger->frames > 0)
      return CF_TRIGGER_GO_ON;
   return take(trigger) == CF_TRIGGER_DONE ? CF_TRIGGER_MARK : CF_TRIGGER_GO_ON;
}

/* The first frame shows that submissions were counted in vain; frame 0 is what they are. */
static enum cf_trigger_verdict
first_presented(struct cf_capture_trigger *trigger)
{
   const bool captured = trigger->taken > 0, whole = may_be_first_frame(trigger);
   trigger->frames = 1;
   trigger->taken = 0;
   if (trigger->config->first == 0 && whole)
      return take(trigger);
   return captured ? CF_TRIGGER_RESTART : CF_TRIGGER_GO_ON;
}

enum cf_trigger_verdict
cf_trigger_presented(struct cf_capture_trigger *trigger)
{
   const enum cf_capture_start start = trigger->config->start;
   if (start == CF_CAPTURE_AT_FRAME && trigger->frames == 0)
      return first_presented(trigger);
   const bool counts = start == CF_CAPTURE_AT_FRAME
                          ? is_in_range(trigger->config, trigger->frames)
                          : start != CF_CAPTURE_AT_SUBMISSION && trigger->active;
   trigger->frames++;
   trigger->active = trigger->active && start != CF_CAPTURE_AT_MARKER;
   trigger->depth = 0;
   const enum cf_trigger_verdict verdict = counts ? take(trigger) : CF_TRIGGER_GO_ON;
   if (start == CF_CAPTURE_AT_SIGNAL)
      look_for_signal(trigger);
   return verdict;
}

enum cf_trigger_verdict
cf_trigger_marked(struct cf_capture_trigger *trigger, enum cf_gpu_mark mark, const char *text)
{
   if (trigger->config->start != CF_CAPTURE_AT_MARKER)
      return CF_TRIGGER_GO_ON;
   if (trigger->active) {
      if (trigger->depth == 0 || mark == CF_GPU_MARKER)
         return CF_TRIGGER_GO_ON;
      trigger->depth += mark == CF_GPU_GROUP_BEGIN ? 1 : -1;
      trigger->active = trigger->depth > 0;
      return trigger->active ? CF_TRIGGER_GO_ON : take(trigger);
   }
   if (mark != CF_GPU_GROUP_END && strstr(text, trigger->config->marker)) {
      trigger->active = true;
      trigger->depth = mark == CF_GPU_GROUP_BEGIN;
   }
   return CF_TRIGGER_GO_ON;
}

bool
cf_trigger_ends_at_mark(const struct cf_capture_trigger *trigger)
{
   return trigger->config->start == CF_CAPTURE_AT_FRAME && trigger->frames == 0 &&
          trigger->taken >= trigger->config->count;
}

void
cf_trigger_describe(const struct cf_capture_trigger *trigger, char *text, size_t text_B)
{
   const struct cf_capture_config *config = trigger->config;
   const unsigned missing = config->first + trigger->taken;
   switch (config->start) {
   case CF_CAPTURE_AT_FRAME:
      if (trigger->frames > 0 && missing == 0) {
         snprintf(text, text_B,
                  "frame 0 has more than %u submissions: a later frame or submission=0 can be had",
                  CF_TRIGGER_MAX_FIRST_FRAME);
         break;
      }
      if (trigger->frames > 0) {
         snprintf(text, text_B, "frame %u was never presented, there were %u", missing,
                  trigger->frames);
         break;
      }
      /* fall through */
   case CF_CAPTURE_AT_SUBMISSION:
      snprintf(text, text_B, "submission %u was never made, there were %u", missing,
               trigger->submissions);
      break;
   case CF_CAPTURE_AT_SIGNAL:
      snprintf(text, text_B, "signal SIGUSR2 %s",
               trigger->active ? "came too late: the frames after it were not presented"
                               : "did not come");
      break;
   case CF_CAPTURE_AT_MARKER:
      snprintf(text, text_B, "%u of %u markers or debug groups with \"%s\" were there",
               trigger->taken, config->count, config->marker);
      break;
   }
}
