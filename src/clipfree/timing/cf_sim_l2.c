/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_gpu.h"

#define DRAM_BASE (1ull << 40) /* far from the rows of pixels */

/* A request is answered: its reply is on its way for l2.latency cycles. */
static void
answered(void *user, const struct cf_sim_access *access)
{
   struct cf_sim_gpu *gpu = user;
   struct cf_sim_l2 *l2 = &gpu->l2;
   const uint64_t time = gpu->time + gpu->machine->l2.latency;
   l2->reply[(l2->first_reply + l2->replies++) % CF_SIM_L2_REPLIES] =
      (struct cf_sim_l2_reply){ time, access->value };
   cf_sim_wake(&gpu->unit[CF_SIM_PART_L2], time);
}

bool
cf_sim_l2_init(struct cf_sim_gpu *gpu)
{
   struct cf_sim_l2 *l2 = &gpu->l2;
   const struct cf_sim_machine *m = gpu->machine;
   struct cf_sim_cache like;
   *l2 = (struct cf_sim_l2){ .machine = *m };
   l2->machine.miss.kind = CF_SIM_MISS_KIND_LINKED;
   l2->machine.miss.entries = m->l2.entries;
   l2->machine.miss.ports = m->l2.ports;
   bool ok =
      cf_sim_cache_init(&like, m->l2.size_B, m->texture.line_B, m->l2.ways, CF_SIM_POLICY_LRU);
   ok = ok && cf_sim_misses_init(&l2->misses, &l2->machine, &like, &gpu->pixels.dram,
                                 CF_SIM_L2_NUMBER, 1);
   cf_sim_cache_free(&like);
   l2->misses.base = DRAM_BASE;
   l2->misses.tell = answered;
   l2->misses.user = gpu;
   return ok;
}

void
cf_sim_l2_free(struct cf_sim_l2 *l2)
{
   cf_sim_misses_free(&l2->misses);
}

bool
cf_sim_l2_idle(const struct cf_sim_l2 *l2)
{
   return l2->replies == 0 && cf_sim_misses_idle(&l2->misses);
}

bool
cf_sim_l2_request(struct cf_sim_gpu *gpu, uint32_t line, enum cf_sim_client client, uint32_t token)
{
   struct cf_sim_l2 *l2 = &gpu->l2;
   const struct cf_sim_access access = { .line = line, .value = (uint32_t)client << 28 | token };
   if (l2->misses.inputs >= CF_SIM_L2_QUEUE || l2->replies > CF_SIM_L2_REPLIES / 2)
      return false;
   cf_sim_misses_push(&l2->misses, &access);
   l2->requests[client]++;
   l2->asked++;
   cf_sim_gpu_wake(gpu, CF_SIM_PART_L2);
   return true;
}

/* Tell the client. */
static void
deliver(struct cf_sim_gpu *gpu, uint32_t what)
{
   const uint32_t token = what & 0x0fffffff;
   gpu->l2.given++;
   switch ((enum cf_sim_client)(what >> 28)) {
   case CF_SIM_CLIENT_INSTRUCTION:
      cf_sim_core_fetched(gpu, token >> 8, token & 255);
      break;
   case CF_SIM_CLIENT_CONSTANT:
      cf_sim_core_has_constant(gpu, token >> 8, token & 255);
      break;
   case CF_SIM_CLIENT_INDEX:
      cf_sim_vertex_has_indices(gpu, token);
      break;
   default:
      cf_sim_memory_filled(gpu, token);
   }
}

void
cf_sim_l2_tick(struct cf_sim_gpu *gpu)
{
   struct cf_sim_l2 *l2 = &gpu->l2;
   struct cf_sim_unit *unit = &gpu->unit[CF_SIM_PART_L2];
   enum cf_sim_cause cause;
   while (l2->replies > 0 && l2->reply[l2->first_reply].time <= gpu->time) {
      const uint32_t what = l2->reply[l2->first_reply].what;
      l2->first_reply = (l2->first_reply + 1) % CF_SIM_L2_REPLIES;
      l2->replies--;
      deliver(gpu, what);
   }
   cause = cf_sim_misses_tick(&l2->misses, gpu->time);
   const bool took = cause == CF_SIM_CAUSE_BUSY || cause == CF_SIM_CAUSE_REFILL;
   const bool waits = l2->misses.used_entries > 0 || l2->misses.inputs > 0;
   cf_sim_because(unit, gpu->time,
                  took    ? CF_SIM_WHY_BUSY
                  : waits ? CF_SIM_WHY_MEMORY
                          : CF_SIM_WHY_EMPTY);
   if (took || l2->misses.returns > 0)
      cf_sim_wake(unit, gpu->time + 1);
   else if (l2->misses.inputs > 0) /* memory, or an entry, may be free then */
      cf_sim_wake(unit, cf_sim_dram_next(&gpu->pixels.dram, gpu->time));
   if (l2->replies > 0)
      cf_sim_wake(unit, l2->reply[l2->first_reply].time > gpu->time
                           ? l2->reply[l2->first_reply].time
                           : gpu->time + 1);
   cf_sim_gpu_wake(gpu, CF_SIM_PART_DRAM);
   if (took) { /* there is room for those whose requests were refused */
      cf_sim_gpu_wake(gpu, CF_SIM_PART_VERTEX);
      cf_sim_gpu_wake(gpu, CF_SIM_PART_MEMORY);
   }
}

/* ------------------------------------------------------------------ caches of lines */

void
cf_sim_line_cache_fill(struct cf_sim_line_cache *c, uint32_t line)
{
   const uint32_t set = line & (c->tags.sets - 1);
   if (cf_sim_cache_way(&c->tags, set, line) != CF_SIM_NO_LINE)
      return;
   const uint64_t all = c->tags.ways >= 64 ? UINT64_MAX : (1ull << c->tags.ways) - 1;
   const uint32_t way = cf_sim_cache_victim(&c->tags, set, all);
   c->tags.way[set * c->tags.ways + way] = (struct cf_sim_way){ .line = line };
   cf_sim_cache_use(&c->tags, set, way);
}
