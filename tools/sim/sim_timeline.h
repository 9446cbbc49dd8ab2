/* SPDX-License-Identifier: MIT */
/*
 * A timeline of a machine, in Chrome's trace event format (docs/trace.md): what units do, requests,
 * and flows from a block that raster finds over its prefetch to the request that needs it. Of a
 * range of cycles; all of it is kept until the end, then written in order.
 */
#ifndef SIM_TIMELINE_H
#define SIM_TIMELINE_H

#include <stdio.h>

#include "clipfree/timing/cf_sim_order.h"

#include "sim_rows.h"
#include "sim_run.h"

struct sim_timeline;

/** From cycle `from` up to `to`. NULL: out of memory. */
struct sim_timeline *sim_timeline_create(const struct sim_machine *machine, uint64_t from,
                                         uint64_t to);
void sim_timeline_destroy(struct sim_timeline *timeline);

/** Machines run a chunk next. */
void sim_timeline_chunk(struct sim_timeline *timeline, const struct cf_sim_chunk *chunk,
                        const struct cf_sim_order *order);

/** As struct cf_sim_watch has them. */
void sim_timeline_step(struct sim_timeline *timeline, uint64_t now, uint64_t next);
void sim_timeline_block(struct sim_timeline *timeline, uint32_t item, uint64_t time);
void sim_timeline_answered(struct sim_timeline *timeline, const struct cf_sim_misses *cache,
                           const struct cf_sim_access *access, enum cf_sim_outcome outcome,
                           uint64_t begin, uint64_t end);

/** Units do what they do until `time`, which is the end. */
void sim_timeline_end(struct sim_timeline *timeline, uint64_t time);

/** Write it, with counters of rows. False: it has too much in it, or there was no memory: `error`
 * says so. What cannot be written, the file tells. */
bool sim_timeline_write(struct sim_timeline *timeline, const char *title,
                        const struct sim_rows *rows, FILE *file, char *error, size_t error_B);

#endif
