/* SPDX-License-Identifier: MIT */
/*
 * A machine that is watched while it runs: counters by interval and by draw, maps, and a timeline.
 */
#ifndef SIM_WATCH_H
#define SIM_WATCH_H

#include <stdio.h>

#include <jansson.h>

#include "clipfree/timing/cf_sim_order.h"

struct sim_machine;
struct sim_watch;

/* What is asked for. */
struct sim_watch_config {
   bool report;       /* rows and maps */
   uint64_t interval; /* cycles of a row; 0: as many as make SIM_INTERVALS rows at most */
   FILE *requests;    /* of memory, a line each; NULL: none */
   FILE *timeline;    /* NULL: none */
   uint64_t from, to; /* cycles of it */
};

#define SIM_INTERVALS 1024

/** Watch a machine that has not begun. NULL: out of memory. The machine must outlive it. */
struct sim_watch *sim_watch_create(struct sim_machine *machine,
                                   const struct sim_watch_config *config);
void sim_watch_destroy(struct sim_watch *watch);

/** The machine runs a chunk next; it has run it. */
void sim_watch_begin_chunk(struct sim_watch *watch, const struct cf_sim_chunk *chunk,
                           const struct cf_sim_order *order);
void sim_watch_end_chunk(struct sim_watch *watch);

/** The machine is finished. Writes the timeline. False: `error` says why not. */
bool sim_watch_end(struct sim_watch *watch, const char *path, char *error, size_t error_B);

/** What was seen, of a watch that ended. */
json_t *sim_watch_json(const struct sim_watch *watch);

#endif
