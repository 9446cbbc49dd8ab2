/* SPDX-License-Identifier: MIT */
/*
 * Plays a capture to the tasks of a scope, on the plain path, interpreted. While a task is visited
 * the GPU stands still: memory is what the task reads.
 */
#ifndef DEBUG_PLAY_H
#define DEBUG_PLAY_H

#include "look/look_ops.h"

#include "debug_scope.h"

#include "clipfree/base/cf_lanes.h"

/* A task that is visited. */
struct debug_visit {
   uint32_t number; /* in the scope, from 0 */
   uint32_t lane;   /* of the pixel or vertex; of draws the first that is no helper */
   const struct debug_place *place;
   const struct cf_task_event *event;
   const struct look_player *player;
   const struct look_state *state; /* of the draw */
   const uint32_t *packet;         /* the draw's */
};

/** False: end. */
typedef bool (*debug_visit_fn)(void *user, const struct debug_visit *visit);

/** Visit tasks, from the first. Returns the number of the last one, plus 1; UINT32_MAX: `error`. */
uint32_t debug_play(const struct debug_scope *scope, debug_visit_fn visit, void *user, char *error,
                    size_t error_B);

#endif
