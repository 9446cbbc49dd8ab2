/* SPDX-License-Identifier: MIT */
/* Detection of the host's vector level. */
#include "clipfree/base/cf_lanes.h"

enum cf_host_level
cf_host_level(void)
{
#if defined(__x86_64__)
   __builtin_cpu_init();
   if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
       __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
       __builtin_cpu_supports("avx512vl"))
      return __builtin_cpu_supports("avx512vbmi") ? CF_HOST_V4_BYTES : CF_HOST_V4;
   if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
       __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"))
      return CF_HOST_V3;
#endif
   return CF_HOST_BASE;
}
