/* SPDX-License-Identifier: MIT */
/* A program's run with an observer: interpreted step by step, with the same results as any run. */
#ifndef CF_RUN_WATCHED_H
#define CF_RUN_WATCHED_H

#include "clipfree/interface/cf_observer.h"
#include "clipfree/shader/cf_program.h"

/** cf_shader_ops.run, with calls of the observer's task_begin, instruction, vertex_load, texel,
 * footprint, branch, reference and task_end. event: describes the task; its `run` and `kept` are
 * set here. A vertex task must be of one draw: it has no parts. */
void cf_run_watched(const struct cf_shader_ops *ops, const struct cf_stage *stage,
                    struct cf_task *task, const struct cf_observer *observer,
                    struct cf_task_event *event);

#endif
