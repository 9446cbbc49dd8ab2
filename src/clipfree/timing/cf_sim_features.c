/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_features.h"

const char *
cf_sim_feature_name(enum cf_sim_feature feature)
{
   static const char *const name[CF_SIM_FEATURES] = {
      [CF_SIM_FEATURE_DRAWS] = "draws",
      [CF_SIM_FEATURE_CLEARS] = "clears",
      [CF_SIM_FEATURE_VERTICES] = "vertices",
      [CF_SIM_FEATURE_PRIMITIVES] = "primitives",
      [CF_SIM_FEATURE_SET_UP] = "primitives_set_up",
      [CF_SIM_FEATURE_TASKS] = "task_records",
      [CF_SIM_FEATURE_QUADS] = "quads",
      [CF_SIM_FEATURE_SAMPLES] = "sample_records",
      [CF_SIM_FEATURE_EARLY] = "early_records",
   };
   return name[feature];
}

static void
count_records(uint64_t *count, const struct cf_sim_tile *tile)
{
   for (size_t i = 0; i < tile->count; i += cf_sim_dwords(tile->dw[i])) {
      const enum cf_sim_record kind = cf_sim_kind(tile->dw[i]);
      count[CF_SIM_FEATURE_TASKS] += kind == CF_SIM_TASK;
      count[CF_SIM_FEATURE_QUADS] += kind == CF_SIM_TASK ? tile->dw[i] >> 16 & 15 : 0;
      count[CF_SIM_FEATURE_SAMPLES] += kind == CF_SIM_SAMPLE || kind == CF_SIM_TEXEL;
      count[CF_SIM_FEATURE_EARLY] += kind == CF_SIM_EARLY_TEST;
   }
}

struct cf_sim_features
cf_sim_features_of(const struct cf_sim_chunk *chunk)
{
   struct cf_sim_features f = { .frame = chunk->ops ? chunk->op[0].frame : CF_SIM_NONE };
   f.count[CF_SIM_FEATURE_VERTICES] = chunk->vertices - cf_sim_chunk_geometry(chunk);
   f.count[CF_SIM_FEATURE_PRIMITIVES] = chunk->primitives;
   for (size_t i = 0; i < chunk->ops; i++) {
      const uint32_t flags = chunk->op[i].flags;
      f.count[CF_SIM_FEATURE_CLEARS] += (flags & CF_SIM_CLEAR) != 0;
      f.count[CF_SIM_FEATURE_DRAWS] += !(flags & (CF_SIM_CLEAR | CF_SIM_GEOMETRY));
   }
   for (size_t i = 0; i < chunk->primitives; i++)
      f.count[CF_SIM_FEATURE_SET_UP] += chunk->primitive[i].set_up;
   for (size_t i = 0; i < chunk->tiles; i++)
      count_records(f.count, &chunk->tile[i]);
   return f;
}
