/* SPDX-License-Identifier: MIT */
/* Detection of the host's vector level. */
#include "clipfree/arith/cf_lanes.h"

#include <stdlib.h>
#include <string.h>

static enum cf_host_level
detect(void)
{
#if defined(__x86_64__)
   __builtin_cpu_init();
   if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
       __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
       __builtin_cpu_supports("avx512vl"))
      return CF_HOST_V4;
   if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
       __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"))
      return CF_HOST_V3;
#endif
   return CF_HOST_BASE;
}

enum cf_host_level
cf_host_level(void)
{
   const enum cf_host_level best = detect();
   const char *wanted = getenv("CLIPFREE_HOST_LEVEL");
   if (!wanted)
      return best;
   if (!strcmp(wanted, "base"))
      return CF_HOST_BASE;
   if (!strcmp(wanted, "v3") && best >= CF_HOST_V3)
      return CF_HOST_V3;
   return best;
}
