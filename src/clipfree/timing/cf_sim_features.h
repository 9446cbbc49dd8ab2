/* SPDX-License-Identifier: MIT */
/*
 * Features of a chunk, which do not depend on the machine. Frames with similar features are
 * represented by one of them (sample.py).
 */
#ifndef CF_SIM_FEATURES_H
#define CF_SIM_FEATURES_H

#include "clipfree/timing/cf_sim_trace.h"

/* Counts that have the names of counters are the same; records are counted as the recorder cut
 * them. */
enum cf_sim_feature {
   CF_SIM_FEATURE_DRAWS,
   CF_SIM_FEATURE_CLEARS,
   CF_SIM_FEATURE_VERTICES,
   CF_SIM_FEATURE_PRIMITIVES,
   CF_SIM_FEATURE_SET_UP,
   CF_SIM_FEATURE_TASKS,
   CF_SIM_FEATURE_QUADS,
   CF_SIM_FEATURE_SAMPLES,
   CF_SIM_FEATURE_EARLY,
   CF_SIM_FEATURES
};

/* A chunk's. */
struct cf_sim_features {
   uint32_t frame; /* of its operations; CF_SIM_NONE: it has none */
   uint32_t zero;
   uint64_t count[CF_SIM_FEATURES];
};

/** "draws", ...: names in JSON. */
const char *cf_sim_feature_name(enum cf_sim_feature feature);

/** Costs a look at the heads of records, not at what they hold. */
struct cf_sim_features cf_sim_features_of(const struct cf_sim_chunk *chunk);

#endif
