/* SPDX-License-Identifier: MIT */
#ifndef CF_JIT_VERIFY_H
#define CF_JIT_VERIFY_H

#include "clipfree/jit/cf_jit.h"

/** Run a task in both engines: the interpreter's results are the task's. The first difference is
 * printed to stderr, with the program, and ends the process. NaNs are equal to each other. */
void cf_jit_verify(cf_jit_function function, struct cf_run *run);

/** The same of a task from quads to pixels (run->work), with the primitive and the pixel engine around the interpreter. */
void cf_jit_verify_quads(cf_jit_function function, struct cf_run *run);

#endif
