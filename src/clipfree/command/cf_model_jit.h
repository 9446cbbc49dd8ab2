/* SPDX-License-Identifier: MIT */
/*
 * The compiler of a model, as its configuration wants it.
 */
#ifndef CF_MODEL_JIT_H
#define CF_MODEL_JIT_H

#include "clipfree/base/cf_lanes.h"

struct cf_jit;
struct cf_model_config;
struct cf_trace;

/** NULL, so that programs are interpreted: the configuration wants that, or there is no memory. */
struct cf_jit *cf_model_jit(const struct cf_model_config *config, enum cf_host_level level,
                            struct cf_trace *trace);

#endif
