/* SPDX-License-Identifier: MIT */
#ifndef SIM_JSON_H
#define SIM_JSON_H

#include <jansson.h>

#include "sim_run.h"

/** The counters of a machine: "counters", and "timed" of mode cycles. */
json_t *sim_json_counters(const struct sim_machine *machine, bool stacks, bool timed);

/** "timed", of a machine of mode cycles. */
json_t *sim_json_timed(const struct sim_machine *machine);

/** What was counted (docs/timing.md). `mode`: its name. */
json_t *sim_json(const struct sim_run *run, const char *mode);

#endif
