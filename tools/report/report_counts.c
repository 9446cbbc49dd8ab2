/* SPDX-License-Identifier: MIT */
#include "report_counts.h"

/* The members of a stage, as entries of a table: `from` is where the stage is in `type`. */
#define STAGE_COUNTS(type, group, from)                                                            \
   { group, "tasks", offsetof(type, from tasks) }, { group, "lanes", offsetof(type, from lanes) }, \
      { group, "instructions", offsetof(type, from instructions) },                                \
      { group, "live", offsetof(type, from live) },                                                \
      { group, "helper", offsetof(type, from helper) },                                            \
      { group, "killed", offsetof(type, from killed) },                                            \
      { group, "branched", offsetof(type, from branched) },                                        \
      { group, "empty", offsetof(type, from empty) },                                              \
      { group, "divergent", offsetof(type, from divergent) },                                      \
      { group, "fetches", offsetof(type, from fetches) },                                          \
      { group, "texels", offsetof(type, from texels) },                                            \
      { group, "scattered", offsetof(type, from scattered) },                                      \
   {                                                                                               \
      group, "scratch", offsetof(type, from scratch)                                               \
   }

#define COUNT(group, name, member)                                                                 \
   {                                                                                               \
      group, name, offsetof(struct report_counts, member)                                          \
   }
#define EMPTY

const struct report_count_name report_counts_table[] = {
   STAGE_COUNTS(struct report_counts, "vertex", vertex.),
   COUNT(NULL, "primitives", primitives),
   COUNT(NULL, "set_up", set_up),
   COUNT(NULL, "fed", fed),
   COUNT("drops", "not_finite", drops[CF_DROP_NOT_FINITE]),
   COUNT("drops", "behind_the_eye", drops[CF_DROP_BEHIND]),
   COUNT("drops", "no_area", drops[CF_DROP_NO_AREA]),
   COUNT("drops", "front_facing", drops[CF_DROP_FRONT]),
   COUNT("drops", "back_facing", drops[CF_DROP_BACK]),
   COUNT("drops", "plane", drops[CF_DROP_PLANE]),
   COUNT("drops", "outside", drops[CF_DROP_OUTSIDE]),
   COUNT(NULL, "blocks", blocks),
   COUNT("hiz", "none", hiz[CF_HIZ_NONE]),
   COUNT("hiz", "kept", hiz[CF_HIZ_KEPT]),
   COUNT("hiz", "hidden_block", hiz[CF_HIZ_HIDDEN_BLOCK]),
   COUNT("hiz", "hidden_region", hiz[CF_HIZ_HIDDEN_REGION]),
   COUNT(NULL, "quads", quads),
   STAGE_COUNTS(struct report_counts, "fragment", fragment.),
   COUNT(NULL, "covered", covered),
   COUNT("fates", "written", fates[CF_FATE_WRITTEN]),
   COUNT("fates", "killed", fates[CF_FATE_KILLED]),
   COUNT("fates", "coverage", fates[CF_FATE_COVERAGE]),
   COUNT("fates", "alpha", fates[CF_FATE_ALPHA]),
   COUNT("fates", "stencil", fates[CF_FATE_STENCIL]),
   COUNT("fates", "depth", fates[CF_FATE_DEPTH]),
   COUNT("hidden", "quads", hidden_quads),
   COUNT("hidden", "fragments", hidden_fragments),
   COUNT("hidden", "slots", hidden_slots),
};
const size_t report_counts_count = sizeof(report_counts_table) / sizeof(report_counts_table[0]);

const struct report_count_name report_stage_table[] = { STAGE_COUNTS(struct report_stage, NULL,
                                                                     EMPTY) };
const size_t report_stage_count = sizeof(report_stage_table) / sizeof(report_stage_table[0]);

static void
add(uint64_t *sum, const uint64_t *more, size_t size_B)
{
   for (size_t i = 0; i < size_B / sizeof(*sum); i++)
      sum[i] += more[i];
}

void
report_stage_add(struct report_stage *sum, const struct report_stage *stage)
{
   add((uint64_t *)sum, (const uint64_t *)stage, sizeof(*sum));
}

void
report_counts_add(struct report_counts *sum, const struct report_counts *counts)
{
   add((uint64_t *)sum, (const uint64_t *)counts, sizeof(*sum));
}

static uint64_t
occupied(const struct report_stage *stage)
{
   return 32 * stage->instructions - stage->empty;
}

uint64_t
report_cost(const struct report_counts *counts, bool early)
{
   return occupied(&counts->vertex) + occupied(&counts->fragment) -
          (early ? counts->hidden_slots : 0);
}
