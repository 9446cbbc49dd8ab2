/* SPDX-License-Identifier: MIT */
/* A run under an observer: interpreted, step by step, with the results of any other run. */
#ifndef CF_RUN_WATCHED_H
#define CF_RUN_WATCHED_H

#include "clipfree/interface/cf_observer.h"
#include "clipfree/shader/cf_program.h"

/** cf_shader_ops.run, with task_begin, instruction, vertex_load, texel and task_end of the
 * observer. `event` says whose task it is; its run is set here. Vertices of one draw: the task has
 * no parts. */
void cf_run_watched(const struct cf_shader_ops *ops, const struct cf_stage *stage,
                    struct cf_task *task, const struct cf_observer *observer,
                    struct cf_task_event *event);

#endif
