/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_unit.h"

const char *
cf_sim_why_name(enum cf_sim_why why)
{
   static const char *const name[CF_SIM_WHYS] = {
      [CF_SIM_WHY_EMPTY] = "empty",
      [CF_SIM_WHY_BUSY] = "busy",
      [CF_SIM_WHY_FULL] = "full",
      [CF_SIM_WHY_MEMORY] = "memory",
      [CF_SIM_WHY_CONFLICT] = "conflict",
      [CF_SIM_WHY_ALU] = "alu",
      [CF_SIM_WHY_DEPENDENCY] = "dependency",
      [CF_SIM_WHY_LOAD] = "load",
      [CF_SIM_WHY_FETCH] = "fetch",
      [CF_SIM_WHY_ORDER] = "order",
      [CF_SIM_WHY_TASKS] = "tasks",
      [CF_SIM_WHY_REGISTERS] = "registers",
   };
   return name[why];
}
