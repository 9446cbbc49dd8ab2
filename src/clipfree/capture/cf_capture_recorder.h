/* SPDX-License-Identifier: MIT */
/*
 * A GPU that records another one.
 */
#ifndef CF_CAPTURE_RECORDER_H
#define CF_CAPTURE_RECORDER_H

#include "clipfree/interface/cf_gpu.h"

/** A GPU that passes all work to `gpu`, which it then owns, and records submissions first .. first
 * + count - 1 in file `path`. Missing submissions are reported on stderr when it is destroyed or
 * the process exits; a file without any submission is removed. NULL: the file cannot be written,
 * errno says why. */
struct cf_gpu *cf_capture_create(struct cf_gpu *gpu, const char *path, unsigned first,
                                 unsigned count);

#endif
