/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_account.h"

#include <stdio.h>

static bool
adds_up(const char *unit, const uint64_t *cause, uint32_t causes, uint64_t cycles,
        char error[CF_SIM_ACCOUNT_B])
{
   uint64_t sum = 0;
   for (uint32_t i = 0; i < causes; i++)
      sum += cause[i];
   if (sum != cycles)
      snprintf(error, CF_SIM_ACCOUNT_B, "causes of %s add up to %llu of %llu cycles, %llu too %s",
               unit, (unsigned long long)sum, (unsigned long long)cycles,
               (unsigned long long)(sum > cycles ? sum - cycles : cycles - sum),
               sum > cycles ? "many" : "few");
   return sum == cycles;
}

static bool
unit_adds_up(const char *name, const struct cf_sim_unit *unit, uint64_t cycles,
             char error[CF_SIM_ACCOUNT_B])
{
   return adds_up(name, unit->cycles, CF_SIM_WHYS, cycles, error);
}

bool
cf_sim_account_cycles(const struct cf_sim_cycles *c, char error[CF_SIM_ACCOUNT_B])
{
   bool good = true;
   for (uint32_t i = 0; good && i < c->caches; i++) {
      char name[32];
      snprintf(name, sizeof(name), "%s cache %u", i % 2 ? "color" : "z", i / 2);
      good = adds_up(name, c->cache[i].counts.cause, CF_SIM_CAUSES, c->time, error);
   }
   return good;
}

bool
cf_sim_account_gpu(const struct cf_sim_gpu *gpu, char error[CF_SIM_ACCOUNT_B])
{
   bool good = cf_sim_account_cycles(&gpu->pixels, error);
   for (uint32_t part = 0; good && part < CF_SIM_PARTS; part++) {
      char name[CF_SIM_PART_NAME_B];
      cf_sim_part_name((enum cf_sim_part)part, name);
      good = unit_adds_up(name, &gpu->unit[part], gpu->time, error);
   }
   for (uint32_t core = 0; good && core < gpu->machine->core.count; core++) {
      char name[32];
      snprintf(name, sizeof(name), "alu%u", core);
      good = unit_adds_up(name, &gpu->core[core].alu, gpu->time, error);
   }
   return good;
}

bool
cf_sim_account_vertices(const struct cf_sim_vertices *v, char error[CF_SIM_ACCOUNT_B])
{
   bool good = true;
   for (uint32_t i = 0; good && i < CF_SIM_VERTICES_PARTS; i++)
      good = unit_adds_up(cf_sim_vertices_part_name((enum cf_sim_vertices_part)i), &v->unit[i],
                          v->time, error);
   return good;
}

bool
cf_sim_account_fragments(const struct cf_sim_fragments *f, char error[CF_SIM_ACCOUNT_B])
{
   bool good = true;
   for (uint32_t i = 0; good && i < CF_SIM_MODULES; i++)
      good = unit_adds_up(cf_sim_module_name((enum cf_sim_module)i), &f->unit[i], f->time, error);
   return good;
}
