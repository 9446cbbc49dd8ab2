/* SPDX-License-Identifier: MIT */
#include "clipfree/interface/cf_observer.h"

const char *
cf_fate_name(enum cf_fate fate)
{
   static const char *const names[CF_FATES] = {
      [CF_FATE_WRITTEN] = "written", [CF_FATE_KILLED] = "killed",   [CF_FATE_COVERAGE] = "coverage",
      [CF_FATE_ALPHA] = "alpha",     [CF_FATE_STENCIL] = "stencil", [CF_FATE_DEPTH] = "depth",
   };
   return names[fate];
}
