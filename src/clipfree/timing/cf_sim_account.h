/* SPDX-License-Identifier: MIT */
/*
 * Cycle accounting: each cycle of each unit and cache has exactly one cause. Checked at the end of
 * each run, so that no counters are given that do not add up. A fault that is found here is one of
 * the model, whatever was given to it.
 */
#ifndef CF_SIM_ACCOUNT_H
#define CF_SIM_ACCOUNT_H

#include "clipfree/timing/cf_sim_fragments.h"
#include "clipfree/timing/cf_sim_gpu.h"
#include "clipfree/timing/cf_sim_vertices.h"

#define CF_SIM_ACCOUNT_B 128 /* of what is wrong */

/** Whether the cycles of each unit, by cause, add up to all cycles of the run, which must be
 * finished. False: `error` names the first unit for which they do not, and the difference. */
bool cf_sim_account_gpu(const struct cf_sim_gpu *gpu, char error[CF_SIM_ACCOUNT_B]);
bool cf_sim_account_cycles(const struct cf_sim_cycles *cycles, char error[CF_SIM_ACCOUNT_B]);
bool cf_sim_account_vertices(const struct cf_sim_vertices *vertices, char error[CF_SIM_ACCOUNT_B]);
bool cf_sim_account_fragments(const struct cf_sim_fragments *fragments,
                              char error[CF_SIM_ACCOUNT_B]);

#endif
