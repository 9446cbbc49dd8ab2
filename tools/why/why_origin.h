/* SPDX-License-Identifier: MIT */
/*
 * Where values that are not finite come from: the registers of one lane are followed while its task
 * runs, and of each such value the instruction is known that made the first one it comes from.
 */
#ifndef WHY_ORIGIN_H
#define WHY_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree/interface/cf_limits.h"
#include "clipfree/interface/cf_observer.h"
#include "clipfree/shader/cf_task.h"

#define WHY_FINITE UINT32_MAX

struct why_origin {
   uint32_t lane;
   /* by output dword: the number of the instruction, or WHY_FINITE */
   uint32_t output[CF_MAX_OUTPUTS];
   /* while it runs: the same of registers, and of scratch as a whole */
   uint32_t vector[CF_MAX_VECTOR_REGS], scalar[CF_MAX_SCALAR_REGS], scratch;
   struct why_result {
      uint32_t count, reg, maker; /* registers from reg on; 0: none */
      bool scalar;
   } result; /* of the instruction before: looked at when the next one comes */
};

/** Begin to follow a lane of a task. */
void why_origin_begin(struct why_origin *origin, uint32_t lane);

/** Follow the instruction that comes next. */
void why_origin_instruction(struct why_origin *origin, const struct cf_task_event *event);

#endif
