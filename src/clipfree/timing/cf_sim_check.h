/* SPDX-License-Identifier: MIT */
#ifndef CF_SIM_CHECK_H
#define CF_SIM_CHECK_H

#include "clipfree/timing/cf_sim_trace.h"

/** Whether a chunk is as cf_sim_trace.h says, so that it can be used without further checks. NULL,
 * or what is wrong. */
const char *cf_sim_check(const struct cf_sim_chunk *chunk);

#endif
