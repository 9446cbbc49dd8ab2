/* SPDX-License-Identifier: MIT */
#ifndef CF_SANE_LANES_H
#define CF_SANE_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree/base/cf_lanes.h"

#define CF_SANE_FINITE 0x7f7fffffu /* the bits of FLT_MAX */

struct cf_task_event;

struct cf_sane_ops {
   /** A callback of the observer, before each instruction. */
   void (*instruction)(void *user, const struct cf_task_event *event);
   /** Whether the magnitude of a float of the row is larger than `most`, in any lane: as bits, so
    * that infinities and NaNs are. */
   bool (*has_larger)(const uint32_t row[CF_TASK_LANES], uint32_t most);
};
CF_LANES_DECLARE(struct cf_sane_ops, cf_sane_ops)

#endif
