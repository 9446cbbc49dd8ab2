/* SPDX-License-Identifier: MIT */
#include "clipfree/base/cf_unit_clock.h"

#include "clipfree/base/cf_host.h"

/* A counter with a constant rate. */
static uint64_t
read_ticks(void)
{
#if defined(__x86_64__)
   return __builtin_ia32_rdtsc();
#else
   return cf_time_ns();
#endif
}

void
cf_unit_clock_start(struct cf_unit_clock *clock, uint64_t *ns, enum cf_unit unit)
{
   if (clock)
      *clock = (struct cf_unit_clock){ .ns = ns, .start_ns = cf_time_ns(), .since_ticks = read_ticks(), .unit = unit };
}

void
cf_unit_clock_stop(struct cf_unit_clock *clock)
{
   uint64_t all_ticks = 0;
   if (!clock)
      return;
   cf_unit_clock_switch(clock, CF_UNIT_NONE);
   const double all_ns = (double)(cf_time_ns() - clock->start_ns);
   for (unsigned i = 0; i < CF_UNITS; i++)
      all_ticks += clock->ticks[i];
   for (unsigned i = 0; all_ticks && i < CF_UNITS; i++)
      clock->ns[i] += (uint64_t)((double)clock->ticks[i] / (double)all_ticks * all_ns);
}

enum cf_unit
cf_unit_clock_switch(struct cf_unit_clock *clock, enum cf_unit unit)
{
   const enum cf_unit before = clock->unit;
   const uint64_t now_ticks = read_ticks();
   if (now_ticks > clock->since_ticks) /* counters of two processors may differ */
      clock->ticks[clock->unit] += now_ticks - clock->since_ticks;
   clock->since_ticks = now_ticks;
   clock->unit = unit;
   return before;
}

void
cf_unit_clock_split(struct cf_unit_clock *clock, uint64_t ticks[CF_UNITS])
{
   cf_unit_clock_switch(clock, clock->unit);
   for (unsigned i = 0; i < CF_UNITS; i++) {
      ticks[i] = clock->ticks[i] - clock->split_ticks[i];
      clock->split_ticks[i] = clock->ticks[i];
   }
}

struct cf_tick_rate
cf_tick_rate_begin(void)
{
   return (struct cf_tick_rate){ .start_ticks = read_ticks(), .start_ns = cf_time_ns() };
}

uint64_t
cf_ticks_to_ns(const struct cf_tick_rate *rate, uint64_t ticks)
{
   const uint64_t all_ticks = read_ticks() - rate->start_ticks;
   const double all_ns = (double)(cf_time_ns() - rate->start_ns);
   return all_ticks ? (uint64_t)((double)ticks / (double)all_ticks * all_ns) : 0;
}

const char *
cf_unit_name(enum cf_unit unit)
{
   static const char *const name[CF_UNITS] = {
      [CF_UNIT_NONE] = "none",
      [CF_UNIT_STATE] = "state",
      [CF_UNIT_VERTICES] = "vertices",
      [CF_UNIT_PRIMITIVES] = "primitives",
      [CF_UNIT_RASTER] = "raster",
      [CF_UNIT_SHADING] = "shading",
      [CF_UNIT_TEXTURES] = "textures",
      [CF_UNIT_PIXELS] = "pixels",
      [CF_UNIT_FUSED] = "quads-to-pixels",
      [CF_UNIT_CLEARS] = "clears",
      [CF_UNIT_COPIES] = "copies",
   };
   return name[unit];
}
