/* SPDX-License-Identifier: MIT */
#ifndef CF_JIT_VERIFY_H
#define CF_JIT_VERIFY_H

#include <stdatomic.h>

#include "clipfree/jit/cf_jit.h"

/** The process says on stderr, when it ends, how much was verified. */
void cf_jit_verify_begin(void);

/** Count a task that is verified. `seen`: of its program, whether a task of it was counted before. */
void cf_jit_verify_count(atomic_flag *seen);

/** Run a task in both engines: the interpreter's results are the task's. The first difference is
 * printed to stderr, with the program, and ends the process. NaNs are equal to each other. */
void cf_jit_verify(cf_jit_function function, struct cf_run *run);

/** The same of a task from quads to pixels (run->work), with the primitive and the pixel engine of `level` around the
 * interpreter. */
void cf_jit_verify_quads(cf_jit_function function, struct cf_run *run, enum cf_host_level level);

#endif
