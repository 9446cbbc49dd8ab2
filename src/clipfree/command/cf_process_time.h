/* SPDX-License-Identifier: MIT */
/*
 * The processor time that a submission may take of each worker, and what is said of a pass that
 * took too long. While it is on pace (cf_time_limit.h) a submission may
 * take CF_TIME_MOST times as much.
 */
#ifndef CF_PROCESS_TIME_H
#define CF_PROCESS_TIME_H

#include "clipfree/base/cf_time_limit.h"
#include "clipfree/command/cf_fault.h"
#include "clipfree/schedule/cf_pass.h"

struct cf_process_time {
   uint32_t workers;
   struct cf_time_limit *worker; /* [workers] */
   uint64_t limit_ns;            /* of each; 0: none */
};

/** False: out of memory. */
bool cf_process_time_init(struct cf_process_time *time, uint32_t workers);
void cf_process_time_free(struct cf_process_time *time);

/** A submission begins, with this limit. */
void cf_process_time_begin(struct cf_process_time *time, uint64_t limit_ns);

/** The limits of the submission's passes (cf_pass_begin). */
struct cf_time_limit *cf_process_time_limits(const struct cf_process_time *time);

/** Say in `fault` what a pass of the submission failed by, if it did. */
void cf_process_time_note(const struct cf_process_time *time, uint64_t max_task_instrs,
                          const struct cf_pass_report *report, struct cf_fault *fault);

#endif
