/* SPDX-License-Identifier: MIT */
#ifndef SIM_JSON_H
#define SIM_JSON_H

#include <jansson.h>

#include "sim_run.h"

/** What was counted (docs/timing.md). `mode`: its name. */
json_t *sim_json(const struct sim_run *run, const char *mode);

#endif
