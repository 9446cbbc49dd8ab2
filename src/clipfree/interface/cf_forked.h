/* SPDX-License-Identifier: MIT */
/*
 * Processes that fork. The child has no thread of the GPU's, and finds locks as they were. So there
 * a GPU that is watched does nothing any more: it refuses memory, drops submissions, and says once
 * why. In the parent it goes on.
 *
 * Forks are the process', and so is the list of GPUs that are watched.
 */
#ifndef CF_FORKED_H
#define CF_FORKED_H

#include <stdbool.h>

#include "clipfree/interface/cf_gpu.h"

/** Watch a GPU, until it is forgotten, which it must be before it is destroyed. */
void cf_forked_watch(struct cf_gpu *gpu);
void cf_forked_forget(struct cf_gpu *gpu);

/** Whether this is a child, and the GPU its parent's, which is said once. */
bool cf_forked_is_lost(const struct cf_gpu *gpu);

#endif
