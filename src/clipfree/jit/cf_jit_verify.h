/* SPDX-License-Identifier: MIT */
#ifndef CF_JIT_VERIFY_H
#define CF_JIT_VERIFY_H

#include <stdatomic.h>

#include "clipfree/jit/cf_jit.h"

struct cf_jit_job;

/** The process says on stderr, when it ends, how much was verified. */
void cf_jit_verify_begin(void);

/** Run a task in both engines: the interpreter's results are the task's. A difference is printed to stderr, with the first
 * instruction that differs and the program, and ends the process. NaNs are equal to each other. `job`: what `function` is the
 * code of; NULL: the instruction is not looked for. `seen`: of the program, whether a task of it was counted before. A task
 * that there was no memory to compare counts as such. */
void cf_jit_verify(cf_jit_function function, struct cf_run *run, const struct cf_jit_job *job, atomic_flag *seen);

/** The same of a task from quads to pixels (run->work), with cf_fragments_begin and
 * cf_fragments_end around the interpreter. */
void cf_jit_verify_quads(cf_jit_function function, struct cf_run *run, const struct cf_jit_job *job, atomic_flag *seen);

/** Run a task again, from `begun` and with the inputs in its task, in step: `watched`, code compiled to be watched
 * (cf_jit_source.h), and the interpreter. The first instruction that differs is printed and ends the process. Nothing of `begun`
 * changes, but pixels do (begun->work). False: no memory. */
bool cf_jit_verify_steps(cf_jit_function watched, const struct cf_run *begun);

#endif
