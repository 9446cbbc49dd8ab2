/* SPDX-License-Identifier: MIT */
#ifndef SIM_MACHINES_H
#define SIM_MACHINES_H

#include "sim_run.h"

/** Read machines: lines "machine NAME", each followed by lines "PARAMETER VALUE" of those that are
 * not defaults. tools/sim/machines.py makes them of TOML. `timed`: they run in mode cycles. False:
 * `error` says what is wrong. */
bool sim_machines_read(FILE *file, bool timed, struct sim_machine **machine, size_t *machines,
                       char *error, size_t error_B);
void sim_machines_free(struct sim_machine *machine, size_t machines);

#endif
