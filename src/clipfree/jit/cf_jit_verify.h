/* SPDX-License-Identifier: MIT */
#ifndef CF_JIT_VERIFY_H
#define CF_JIT_VERIFY_H

#include <stdatomic.h>

#include "clipfree/jit/cf_jit.h"

struct cf_jit_job;

/** Have the counts of verified tasks printed to stderr when the process exits. */
void cf_jit_verify_begin(void);

/** Run a task in both engines; the interpreter's results are kept. A difference is printed to
 * stderr, with the first instruction that differs and the program, and aborts the process; if the
 * JIT of the job has a verify_report, that is told instead. All NaNs are equal. `job`: the job of
 * `function`; NULL: the instruction is not searched for. `counted`: the program's flag, set once a
 * task of it was counted. Tasks that could not be copied for lack of memory are counted separately.
 */
void cf_jit_verify(cf_jit_function function, struct cf_run *run, const struct cf_jit_job *job,
                   atomic_flag *counted);

/** The same for a task from quads to pixels (run->work), with cf_fragments_begin and
 * cf_fragments_end around the interpreter. */
void cf_jit_verify_quads(cf_jit_function function, struct cf_run *run, const struct cf_jit_job *job,
                         atomic_flag *counted);

/** Run a task again from `begun`, whose task has the inputs, in lock step: `watched` code
 * (cf_jit_source.h) and the interpreter. The first instruction that differs is printed and aborts
 * the process. `begun` does not change, but pixels do (begun->work). False: out of memory. */
bool cf_jit_verify_steps(cf_jit_function watched, const struct cf_run *begun);

#endif
