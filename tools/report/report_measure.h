/* SPDX-License-Identifier: MIT */
/*
 * Counts what a draw does, by an observer of the plain path. Without threads, and one draw at a
 * time: all events between two calls of report_measure_begin belong to that draw.
 */
#ifndef REPORT_MEASURE_H
#define REPORT_MEASURE_H

#include "report_maps.h"
#include "report_programs.h"

struct report_measure {
   /* set by report_measure_begin */
   struct report_counts *counts; /* NULL: nothing is counted */
   struct report_maps *maps;
   struct report_program *vertex, *fragment; /* NULL: there is none */
   /* the task that runs, or ran last */
   struct {
      bool fragments;
      uint32_t quads, lanes, in_quads; /* in_quads: lanes that have a pixel */
      struct cf_task_quad quad[8];
      uint32_t instructions, live[32], idle[32], branched[32], texels[32];
      uint32_t seen, open; /* lanes whose fate is known; those that no early test would leave out */
      struct report_instr *instr; /* that runs */
      struct cf_texel first[32];  /* texel that it reads, of lanes in `fetched` */
      uint32_t fetched;
   } task;
   struct report_instr no_instr; /* of programs that are not known */
   /* quads of the draw, to know how many each primitive has */
   struct cf_task_quad *quad;
   uint32_t *quad_lanes; /* its fragments: a bit for each of its lanes */
   size_t quads;
};

struct cf_observer report_measure_observer(struct report_measure *measure);

/** Count the next draw. */
void report_measure_begin(struct report_measure *measure, struct report_counts *counts,
                          struct report_maps *maps, struct report_program *vertex,
                          struct report_program *fragment);

/** The draw is done. */
void report_measure_end(struct report_measure *measure);

#endif
