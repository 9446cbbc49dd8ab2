/* SPDX-License-Identifier: MIT */
/*
 * A GPU that records another one, when it is asked to.
 */
#ifndef CF_CAPTURE_RECORDER_H
#define CF_CAPTURE_RECORDER_H

#include "clipfree/interface/cf_gpu.h"

enum cf_capture_start {
   /* Frame number `first`: what is submitted between two frames that are presented, or before the
    * first. Where nothing is presented, each submission is a frame. */
   CF_CAPTURE_AT_FRAME,
   CF_CAPTURE_AT_SUBMISSION, /* submission number `first` */
   CF_CAPTURE_AT_SIGNAL,     /* the frame after SIGUSR2 */
   /* where a marker or the text of a debug group contains `marker`, to the end of the group, or of
    * the frame */
   CF_CAPTURE_AT_MARKER,
};

/* What is captured: `count` frames, submissions, or groups. */
struct cf_capture_config {
   char path[4096];
   char marker[256];
   enum cf_capture_start start;
   unsigned first, count;
};

/** Parse file=PATH[,count=M][,frame=N|submission=N|signal|marker=TEXT]. PATH has no comma; TEXT is
 * all that follows. False: malformed, or too long. */
bool cf_capture_parse(const char *text, struct cf_capture_config *config);

/** A GPU that passes all work to `gpu`, which it then owns, and captures. What is missing is
 * reported on stderr when it is destroyed or the process exits; a file without any submission is
 * removed. NULL: the file cannot be written, errno says why. */
struct cf_gpu *cf_capture_create(struct cf_gpu *gpu, const struct cf_capture_config *config);

#endif
