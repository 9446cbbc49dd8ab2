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

const char *
cf_drop_name(enum cf_drop drop)
{
   static const char *const names[CF_DROPS] = {
      [CF_DROP_NONE] = "made",
      [CF_DROP_NOT_FINITE] = "not finite",
      [CF_DROP_BEHIND] = "behind the eye",
      [CF_DROP_NO_AREA] = "no area",
      [CF_DROP_FRONT] = "front face",
      [CF_DROP_BACK] = "back face",
      [CF_DROP_PLANE] = "clip plane",
      [CF_DROP_OUTSIDE] = "outside",
   };
   return names[drop];
}
