/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: which submissions are captured.
 */
#ifndef CF_CAPTURE_TRIGGER_H
#define CF_CAPTURE_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>

#include "clipfree/capture/cf_capture_recorder.h"

/* Submissions that are captured beyond `count`, from the first one on, as long as they may all be
 * of a frame that is not presented yet. */
#define CF_TRIGGER_MAX_FIRST_FRAME 64

/* What follows from an event. */
enum cf_trigger_verdict {
   CF_TRIGGER_GO_ON,
   CF_TRIGGER_MARK,    /* if nothing is presented, the capture is complete here */
   CF_TRIGGER_RESTART, /* drop what was captured so far: it is not wanted */
   CF_TRIGGER_DONE,    /* the capture is complete */
};

struct cf_capture_trigger {
   const struct cf_capture_config *config;
   unsigned submissions, frames; /* so far */
   unsigned taken;               /* of config->count */
   unsigned signals;             /* so far: SIGUSR2 */
   unsigned depth;               /* of debug groups inside the marked one, with it; 0: a marker */
   bool active;                  /* signal, marker: capturing */
};

/** Whether the next submission is captured. */
bool cf_trigger_takes(struct cf_capture_trigger *trigger);
/** Whether a frame that is presented now is captured, or its end. */
bool cf_trigger_takes_frame(const struct cf_capture_trigger *trigger);
/** A submission was made; `took`: it was captured. */
enum cf_trigger_verdict cf_trigger_submitted(struct cf_capture_trigger *trigger, bool took);
/** A frame was presented. */
enum cf_trigger_verdict cf_trigger_presented(struct cf_capture_trigger *trigger);
enum cf_trigger_verdict cf_trigger_marked(struct cf_capture_trigger *trigger, enum cf_gpu_mark mark,
                                          const char *text);
/** Whether the capture ends at its mark, since nothing was presented. */
bool cf_trigger_ends_at_mark(const struct cf_capture_trigger *trigger);
/** What was waited for in vain. */
void cf_trigger_describe(const struct cf_capture_trigger *trigger, char *text, size_t text_B);

/** Count SIGUSR2 from now on. A handler that the process has is still called. */
void cf_capture_watch_signal(void);
unsigned cf_capture_signals(void);

#endif
