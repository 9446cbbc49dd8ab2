/* SPDX-License-Identifier: MIT */
/*
 * A task beside a task: a copy of its inputs that runs the same program without its roundings.
 */
#ifndef MEDIUMP_SHADOW_H
#define MEDIUMP_SHADOW_H

#include "clipfree/interface/cf_observer.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/shader/cf_program.h"
#include "clipfree/shader/cf_run.h"

struct mediump_shadow {
   struct cf_task task;
   struct cf_run run;
   struct cf_stage stage;
   size_t scratch_B;
};

/** The program without its roundings: moves are in their place. NULL: out of memory. The caller
 * frees it. */
struct cf_decoded *mediump_without_rounding(const struct cf_decoded *program);

/** Begin it at the program's start. False: out of memory. `shadow` begins as { 0 }. */
bool mediump_shadow_begin(struct mediump_shadow *shadow, const struct cf_decoded *program,
                          const struct cf_task_event *event);
void mediump_shadow_free(struct mediump_shadow *shadow);

/** Run it up to instruction `at` of the task that it stands beside, which has branched by itself.
 * False: it is elsewhere, in another round of a loop or at its end. */
bool mediump_shadow_follow(struct mediump_shadow *shadow, uint32_t at);

#endif
