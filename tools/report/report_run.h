/* SPDX-License-Identifier: MIT */
/*
 * Runs a capture on the plain path, draw by draw, and keeps what each of them did.
 */
#ifndef REPORT_RUN_H
#define REPORT_RUN_H

#include "report_maps.h"
#include "report_programs.h"

#define REPORT_NONE UINT32_MAX

struct report_draw {
   uint32_t frame, target; /* target: number in report.target, or REPORT_NONE */
   uint32_t program[2];    /* by stage: number in report.programs, or REPORT_NONE */
   const char *tests;      /* depth and stencil test on the normal path: none, early, late */
   const char *late;       /* why they are late; NULL: they are not */
   bool shaded;            /* its fragment program has an effect */
   struct report_counts counts;
   json_t *about;   /* what it is: draw, call, submission, packet, groups, labels */
   json_t *picture; /* of its target after it; NULL: it is not in the strip */
};

/* What is drawn to in a frame: a frame buffer, by its first image. Its maps are of all its
 * images. */
struct report_target {
   uint32_t frame;
   struct cf_surface surface;
   struct cf_surface other[CF_MAX_COLOR_TARGETS]; /* colours beside it */
   json_t *other_picture[CF_MAX_COLOR_TARGETS];   /* at the frame's end */
   uint32_t others;
   uint32_t width_px, height_px; /* of the frame buffer */
   bool lowest_first;            /* the first row in memory is the lowest in GL's window */
   uint32_t draws, last_draw;
   struct report_maps maps;
   json_t *picture; /* after its last draw */
};

struct report {
   struct report_draw *draw;
   struct report_target **target; /* they stay where they are */
   size_t draws, targets;
   uint32_t frames;
   struct report_programs programs;
};

/** Measure a capture. `strip`: most pictures in the strip of a frame. False: `error` says why. */
bool report_run(struct report *report, const char *path, uint32_t strip, char *error,
                size_t error_B);

void report_free(struct report *report);

/** The cost of a draw on the normal path, in slots. */
uint64_t report_draw_cost(const struct report_draw *draw);

#endif
