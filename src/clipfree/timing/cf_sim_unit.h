/* SPDX-License-Identifier: MIT */
/*
 * What all units of the simulated GPU share: when a unit has work next, and what each of its cycles
 * was for. A unit is asked only in cycles in which it may have work; the cause that it names holds
 * until it is asked again, so that each cycle has exactly one.
 */
#ifndef CF_SIM_UNIT_H
#define CF_SIM_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree/timing/cf_sim_dram.h" /* CF_SIM_NEVER */

/* What a cycle of a unit is for. */
enum cf_sim_why {
   CF_SIM_WHY_EMPTY,      /* nothing is there to do */
   CF_SIM_WHY_BUSY,       /* it works */
   CF_SIM_WHY_FULL,       /* the unit after it takes no more */
   CF_SIM_WHY_MEMORY,     /* it waits for a cache or memory */
   CF_SIM_WHY_CONFLICT,   /* words that are read lie in the same SRAM, or are too many */
   CF_SIM_WHY_ALU,        /* cores: instructions are ready, and the vector ALU is busy */
   CF_SIM_WHY_DEPENDENCY, /* cores: all tasks wait for results of units of the core */
   CF_SIM_WHY_LOAD,       /* cores: for textures, vertices or scratch */
   CF_SIM_WHY_FETCH,      /* cores: for instructions, branches or constants */
   CF_SIM_WHY_ORDER,      /* for what was submitted before */
   CF_SIM_WHY_TASKS,      /* scheduler: no core has a place for a task */
   CF_SIM_WHY_REGISTERS,  /* scheduler: no core has registers for it */
   CF_SIM_WHYS
};

/** "empty", ... */
const char *cf_sim_why_name(enum cf_sim_why why);

#define CF_SIM_AHEAD 64

/* Time, and whose work is when, a bit for each unit; so a cycle costs those that act in it. Bits of
 * units that have been woken before that time stay: a unit acts when `wake` says so, too. */
struct cf_sim_clock {
   uint64_t time;
   uint64_t now;              /* units that wake up to now */
   uint64_t at[CF_SIM_AHEAD]; /* that wake in the next cycles: at[time % CF_SIM_AHEAD] */
   uint64_t filled;           /* of at[], a bit each: those with a unit */
   uint64_t later;            /* no other unit wakes before; CF_SIM_NEVER: none does */
};

struct cf_sim_unit {
   uint64_t wake;  /* the next cycle in which it may have work */
   uint64_t bit;
   struct cf_sim_clock *clock;
   uint64_t since; /* up to here cycles are counted; from here on the cause is `why` */
   enum cf_sim_why why;
   uint64_t *cycles; /* [CF_SIM_WHYS] */
};

/** It may have work at a time. */
static inline void
cf_sim_wake(struct cf_sim_unit *unit, uint64_t time)
{
   struct cf_sim_clock *clock = unit->clock;
   if (time >= unit->wake)
      return;
   unit->wake = time;
   if (time > clock->time && time - clock->time < CF_SIM_AHEAD) {
      clock->at[time % CF_SIM_AHEAD] |= unit->bit;
      clock->filled |= 1ull << time % CF_SIM_AHEAD;
   } else if (time <= clock->time) {
      clock->now |= unit->bit;
   } else if (time < clock->later) {
      clock->later = time;
   }
}

/** From this time on its cycles are for this. */
static inline void
cf_sim_because(struct cf_sim_unit *unit, uint64_t time, enum cf_sim_why why)
{
   unit->cycles[unit->why] += time - unit->since;
   unit->since = time;
   unit->why = why;
}

/* What goes through a part of the GPU. Little's law: `inside` = `waited`, if nothing is left. */
struct cf_sim_flow_counts {
   uint64_t in, out;
   uint64_t inside; /* sum over cycles of the items inside */
   uint64_t waited; /* sum over items of the cycles that they were inside */
   uint64_t since;
};

/* Count those inside up to a time. */
static inline void
cf_sim_flow_settle(struct cf_sim_flow_counts *flow, uint64_t time)
{
   flow->inside += (flow->in - flow->out) * (time - flow->since);
   flow->since = time;
}

static inline void
cf_sim_flow_in(struct cf_sim_flow_counts *flow, uint64_t time)
{
   cf_sim_flow_settle(flow, time);
   flow->in++;
}

/* An item leaves that entered at `begun`. */
static inline void
cf_sim_flow_out(struct cf_sim_flow_counts *flow, uint64_t time, uint64_t begun)
{
   cf_sim_flow_settle(flow, time);
   flow->out++;
   flow->waited += time - begun;
}

#endif
