/* SPDX-License-Identifier: MIT */
/*
 * Frames of a trace one by one, for sampling (sample.py): what each has, before any machine; which
 * of them run; and the counters of machines after each that ran.
 */
#ifndef SIM_FRAMES_H
#define SIM_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "clipfree/timing/cf_sim_features.h"

struct sim_run;

struct sim_frames {
   bool features; /* count what each frame has, into `found` */
   json_t *found; /* a list; NULL before the first frame */
   bool chosen;   /* frames of `only` run, and no others */
   uint32_t *only;
   size_t count;
   json_t
      *ran; /* {"frame", "machines": [counters so far]} of each of them; NULL before the first */
   bool running;
   uint32_t at; /* the frame that is running */
};

/** Read a list of frames as "3,4,17", each above the one before. False: it is none, or out of
 * memory. */
bool sim_frames_parse(struct sim_frames *frames, const char *text);

/** What a chunk has goes to its frame, whose chunks come together. */
void sim_frames_add(struct sim_frames *frames, const struct cf_sim_features *features);

/** Whether machines shall run a frame. */
bool sim_frames_wants(const struct sim_frames *frames, uint32_t number);

/** Take a chunk, before machines do. Whether they shall run it. */
bool sim_frames_chunk(struct sim_run *run, const struct cf_sim_chunk *chunk);

/** The trace is over. */
void sim_frames_end(struct sim_run *run);
void sim_frames_free(struct sim_frames *frames);

#endif
