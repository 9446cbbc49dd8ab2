/* SPDX-License-Identifier: MIT */
/*
 * Runs: a capture is recorded, or a recording is read; each submission's trace goes to machines, or
 * to a file.
 */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "clipfree/timing/cf_sim_cycles.h"
#include "clipfree/timing/cf_sim_fragments.h"
#include "clipfree/timing/cf_sim_gpu.h"
#include "clipfree/timing/cf_sim_hits.h"
#include "clipfree/timing/cf_sim_machine.h"
#include "clipfree/timing/cf_sim_vertices.h"

#include "sim_frames.h"
#include "sim_watch.h"

struct sim_machine {
   char *name;
   struct cf_sim_machine machine;
   struct cf_sim_hits hits;
   /* if sim_run.timed: one of these, by gpu.model; `cycles` is the memory of pixels */
   struct cf_sim_cycles cycles;
   struct cf_sim_gpu *gpu;
   struct cf_sim_vertices *vertices;
   struct cf_sim_fragments *fragments;
   struct sim_watch *watch; /* NULL: none */
};

struct sim_run {
   const char *path; /* of a capture or a recording */
   int threads;      /* that replay a capture */
   bool timed;       /* mode cycles */
   bool stacks;      /* stack distances are asked for */
   FILE *record;     /* NULL: none is written */
   bool watched;     /* machines are, for what `watch` asks */
   struct sim_watch_config watch;
   struct sim_frames frames;
   struct sim_machine *machine;
   size_t machines;
   bool replayed;        /* a capture */
   uint64_t memory_hash; /* after it */
};

/** False: `error` says why not. Ends with sim_run_free, in any case. */
bool sim_run(struct sim_run *run, char *error, size_t error_B);
void sim_run_free(struct sim_run *run);

#endif
