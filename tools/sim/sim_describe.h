/* SPDX-License-Identifier: MIT */
#ifndef SIM_DESCRIBE_H
#define SIM_DESCRIBE_H

#include "look/look_state.h"

#include "clipfree/timing/cf_sim_recorder.h"

/* What packets have set so far. */
struct sim_describe {
   const struct look_player *player;
   uint64_t submission;
   struct look_state state;
};

/** cf_sim_recorder_config.describe; user: a struct sim_describe. */
uint32_t sim_describe(void *user, struct cf_sim_recorder *recorder,
                      const struct cf_packet_event *packet, struct cf_sim_op op[2]);

#endif
