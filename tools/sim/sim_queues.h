/* SPDX-License-Identifier: MIT */
/*
 * What is in the queues of a machine: summed over cycles, so that a sum over a time divided by it
 * is the mean.
 */
#ifndef SIM_QUEUES_H
#define SIM_QUEUES_H

#include <jansson.h>

#include "sim_run.h"

#define SIM_QUEUES 32

struct sim_queues {
   uint64_t sum[SIM_QUEUES];
   uint64_t since;
};

/** Count up to a time, since when nothing happened. */
void sim_queues_count(struct sim_queues *queues, const struct sim_machine *machine, uint64_t time);

/** {name: sum}, of the queues that the machine has. */
json_t *sim_queues_json(const struct sim_queues *queues, const struct sim_machine *machine);

#endif
