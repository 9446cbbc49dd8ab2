/* SPDX-License-Identifier: MIT */
#include "report_maps.h"

#include <stdlib.h>
#include <string.h>

#include "report_alloc.h"

static const char *const names[REPORT_MAPS] = {
   [REPORT_MAP_OVERDRAW] = "overdraw",
   [REPORT_MAP_INSTRUCTIONS] = "instructions",
   [REPORT_MAP_TEXELS] = "texels",
   [REPORT_MAP_IDLE] = "idle",
   [REPORT_MAP_DIVERGENCE] = "divergence",
   [REPORT_MAP_QUADS] = "quads",
   [REPORT_MAP_REJECTED] = "rejected",
   [REPORT_MAP_FATES + CF_FATE_KILLED] = "rejected_killed",
   [REPORT_MAP_FATES + CF_FATE_COVERAGE] = "rejected_coverage",
   [REPORT_MAP_FATES + CF_FATE_ALPHA] = "rejected_alpha",
   [REPORT_MAP_FATES + CF_FATE_STENCIL] = "rejected_stencil",
   [REPORT_MAP_FATES + CF_FATE_DEPTH] = "rejected_depth",
};

const char *
report_map_name(enum report_map map)
{
   return names[map];
}

enum report_map
report_map_named(const char *name)
{
   for (uint32_t map = 0; map < REPORT_MAPS; map++) {
      if (names[map] && !strcmp(names[map], name))
         return (enum report_map)map;
   }
   return REPORT_MAPS;
}

/* The count of a pixel; NULL: outside. */
static uint32_t *
at(struct report_maps *maps, enum report_map map, uint32_t x_px, uint32_t y_px)
{
   if (x_px >= maps->width_px || y_px >= maps->height_px)
      return NULL;
   if (!maps->count[map])
      maps->count[map] = report_alloc((size_t)maps->width_px * maps->height_px, sizeof(uint32_t));
   return &maps->count[map][(size_t)y_px * maps->width_px + x_px];
}

void
report_map_add(struct report_maps *maps, enum report_map map, uint32_t x_px, uint32_t y_px,
               uint32_t more)
{
   uint32_t *count = more ? at(maps, map, x_px, y_px) : NULL;
   if (count)
      *count += more;
}

void
report_map_lower(struct report_maps *maps, enum report_map map, uint32_t x_px, uint32_t y_px,
                 uint32_t value)
{
   uint32_t *count = at(maps, map, x_px, y_px);
   if (count && (!*count || *count > value))
      *count = value;
}

void
report_maps_free(struct report_maps *maps)
{
   for (uint32_t map = 0; map < REPORT_MAPS; map++)
      free(maps->count[map]);
}

void
report_scale_of(const struct report_maps *maps, enum report_map map, struct heat_scale *scale)
{
   heat_scale_of(maps->count[map], (size_t)maps->width_px * maps->height_px,
                 map == REPORT_MAP_QUADS, scale);
}
