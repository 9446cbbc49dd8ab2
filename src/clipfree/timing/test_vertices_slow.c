/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/test_vertices.h"

#include <string.h>

struct stage {
   uint32_t at; /* a step; MAX_RUN: it is empty */
   uint64_t since;
};

/* The slow model. */
struct slow {
   const struct cf_sim_machine *m;
   const struct step *step;
   uint32_t steps, next; /* to be fetched */
   uint64_t time, fetch_from;
   struct stage fetch, decode1, decode2;
   uint64_t ready[CF_SIM_SIMD_REGISTERS + 6 * (MAX_CODE + 1)], free[CF_SIM_SIMD_UNITS],
      until[CF_SIM_SIMD_UNITS];
   bool wrote[MAX_CYCLES];                            /* by cycle */
   uint64_t there[MAX_VERTICES], ended[MAX_VERTICES]; /* ended: so far, until it is finished */
   bool finished[MAX_VERTICES];                       /* its last instruction is decoded */
   struct slow_run run;
};

static struct slow slow;

static bool
slow_has_operands(const struct cf_sim_simd_instr *i)
{
   const uint32_t cycles = cf_sim_simd_cycles(slow.m, i);
   for (uint32_t k = 0; k < i->reads; k++) {
      if (slow.ready[i->read[k]] > slow.time)
         return false;
   }
   for (uint32_t k = 0; k < i->writes; k++) {
      if (slow.ready[i->write[k]] >= slow.time + cycles)
         return false;
   }
   return true;
}

static void
slow_ends(uint32_t vertex, uint64_t time)
{
   slow.ended[vertex] = time > slow.ended[vertex] ? time : slow.ended[vertex];
   slow.run.end = time > slow.run.end ? time : slow.run.end;
}

static void
slow_issue(const struct step *s)
{
   const struct cf_sim_simd_instr *i = s->instr;
   const uint64_t done = slow.time + cf_sim_simd_cycles(slow.m, i);
   const bool pipelined = slow.m->shader.pipelined && i->unit != CF_SIM_SIMD_SPECIAL;
   slow.free[i->unit] = pipelined ? slow.time + 1 : done;
   slow.until[i->unit] = done;
   for (uint32_t k = 0; k < i->writes; k++)
      slow.ready[i->write[k]] = done + (slow.m->shader.forwarding ? 0 : 3);
   slow.wrote[done] = true;
   slow_ends(s->vertex, done + 1);
}

/* The second stage of decoding, in a cycle. Returns what it is for. */
static enum cf_sim_why
slow_decode2(void)
{
   struct stage *d = &slow.decode2;
   if (d->at == MAX_RUN)
      return CF_SIM_WHY_EMPTY;
   const struct step *s = &slow.step[d->at];
   if (!s->instr) {
      if (s->has_condition && slow.ready[s->condition] > slow.time)
         return CF_SIM_WHY_DEPENDENCY;
      /* it leaves at the end of this cycle */
      if (s->jumps)
         slow.fetch_from = slow.time + 1;
      slow_ends(s->vertex, s->last ? slow.time + 1 : 0);
      slow.finished[s->vertex] = s->last;
      return CF_SIM_WHY_BUSY;
   }
   return slow.time == d->since          ? CF_SIM_WHY_BUSY
          : !slow_has_operands(s->instr) ? CF_SIM_WHY_DEPENDENCY
                                         : CF_SIM_WHY_FULL;
}

/* When the first instruction of a vertex may be fetched. */
static bool
slow_may_begin(uint32_t vertex)
{
   const uint32_t held = slow.m->shader.ahead + 1;
   if (vertex > 0 && !slow.m->shader.overlap &&
       (!slow.finished[vertex - 1] || slow.ended[vertex - 1] > slow.time))
      return false;
   if (vertex >= held && !slow.finished[vertex - held])
      return false;
   if (slow.there[vertex] == 0) { /* when it is put there: as soon as there is room */
      const uint64_t before = vertex ? slow.there[vertex - 1] - 1 : 0,
                     room = vertex >= held ? slow.ended[vertex - held] : 0;
      slow.there[vertex] =
         (before > room ? before : room) + 2 * slow.m->shader.distribute_cycles + 1;
   }
   return slow.there[vertex] - 1 <= slow.time;
}

static bool
slow_may_fetch(void)
{
   if (slow.next == slow.steps || slow.fetch_from > slow.time)
      return false;
   return !slow.step[slow.next].first || slow_may_begin(slow.step[slow.next].vertex);
}

/* A cycle. */
static void
slow_tick(void)
{
   const struct stage empty = { MAX_RUN, 0 };
   const struct step *s = slow.decode2.at < MAX_RUN ? &slow.step[slow.decode2.at] : NULL;
   if (s && s->instr && slow.time > slow.decode2.since && slow_has_operands(s->instr) &&
       slow.free[s->instr->unit] <= slow.time) {
      slow_issue(s);
      slow.decode2 = empty;
   }
   if (slow.decode1.at < MAX_RUN && slow.decode1.since < slow.time && slow.decode2.at == MAX_RUN) {
      slow.decode2 = (struct stage){ slow.decode1.at, slow.time };
      slow.decode1 = empty;
   }
   if (slow.fetch.at < MAX_RUN && slow.fetch.since < slow.time && slow.decode1.at == MAX_RUN) {
      slow.decode1 = (struct stage){ slow.fetch.at, slow.time };
      slow.fetch = empty;
   }
   if (slow.fetch.at == MAX_RUN && slow_may_fetch()) {
      slow.fetch = (struct stage){ slow.next, slow.time };
      if (slow.step[slow.next++].jumps)
         slow.fetch_from = UINT64_MAX; /* nothing until it is known where to */
   }
   const enum cf_sim_why why = slow_decode2();
   slow.run.cycles[CF_SIM_VERTICES_DECODE2][why]++;
   if (why == CF_SIM_WHY_BUSY && !slow.step[slow.decode2.at].instr)
      slow.decode2 = empty;
   slow.run.cycles[CF_SIM_VERTICES_DECODE1][slow.decode1.at == MAX_RUN        ? CF_SIM_WHY_EMPTY
                                            : slow.decode1.since == slow.time ? CF_SIM_WHY_BUSY
                                                                              : CF_SIM_WHY_FULL]++;
   for (uint32_t u = 0; u < CF_SIM_SIMD_UNITS; u++)
      slow.run.cycles[CF_SIM_VERTICES_EXECUTE + u]
                     [slow.until[u] > slow.time ? CF_SIM_WHY_BUSY : CF_SIM_WHY_EMPTY]++;
   slow.run.cycles[CF_SIM_VERTICES_WRITE_BACK]
                  [slow.wrote[slow.time] ? CF_SIM_WHY_BUSY : CF_SIM_WHY_EMPTY]++;
   if (slow.fetch.at < MAX_RUN)
      slow.run.cycles[CF_SIM_VERTICES_FETCH]
                     [slow.fetch.since == slow.time ? CF_SIM_WHY_BUSY : CF_SIM_WHY_FULL]++;
   slow.time++;
}

const struct slow_run *
run_slow(const struct cf_sim_machine *m, const struct step *step, uint32_t steps)
{
   memset(&slow, 0, sizeof(slow));
   slow.m = m;
   slow.step = step;
   slow.steps = steps;
   slow.fetch.at = slow.decode1.at = slow.decode2.at = MAX_RUN;
   while (slow.next < steps || slow.fetch.at < MAX_RUN || slow.decode1.at < MAX_RUN ||
          slow.decode2.at < MAX_RUN || slow.time < slow.run.end)
      slow_tick();
   return &slow.run;
}
