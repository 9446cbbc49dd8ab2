/* SPDX-License-Identifier: MIT */
/*
 * Pixels that the host writes to a surface by itself, without a submission
 * (cf_gpu_ops.write_pixels).
 */
#ifndef CF_HOST_COPY_H
#define CF_HOST_COPY_H

#include <stdbool.h>

#include "clipfree/interface/cf_gpu.h"
#include "clipfree/memory/cf_memory.h"

/** cf_gpu_ops.write_pixels for surfaces in this memory. */
bool cf_host_copy(const struct cf_memory *memory, const struct cf_host_pixels *pixels);

#endif
