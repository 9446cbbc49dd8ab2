/* SPDX-License-Identifier: MIT */
#ifndef CF_SIM_OPTIMAL_H
#define CF_SIM_OPTIMAL_H

#include "clipfree/timing/cf_sim_cache.h"

/** Run requests (line << 1 | write) under the policy that replaces the line used last in future
 * (Belady 1966): no policy has fewer misses. Adds to hits, misses, compulsory, fills and
 * write_backs. False: out of memory. */
bool cf_sim_optimal(const uint32_t *request, size_t count, uint32_t sets, uint32_t ways,
                    struct cf_sim_cache_counts *counts);

#endif
