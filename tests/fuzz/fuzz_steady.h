/* SPDX-License-Identifier: MIT */
/*
 * For targets that compare two runs of one input: clocks of queries stand still, and it is known
 * whether a limit of work stopped a run, whose results may then be others each time. The target is
 * linked with fuzz_steady_link_args, which put the functions of this file around the GPU's.
 */
#ifndef FUZZ_STEADY_H
#define FUZZ_STEADY_H

#include <stdbool.h>

/** Whether a pass was stopped since the last call, of any GPU of the process. */
bool fuzz_steady_stopped(void);

#endif
