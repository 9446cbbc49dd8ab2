/* SPDX-License-Identifier: MIT */
/*
 * Heat maps: exact counts for each pixel of a target, and pictures of them.
 */
#ifndef REPORT_MAPS_H
#define REPORT_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heat/heat_scale.h"

#include "clipfree/interface/cf_observer.h"

/* Numbers for each pixel of a target. The sum of a map is that of the draws' counts of what stands
 * beside it; MAP_QUADS has no such sum. */
enum report_map {
   REPORT_MAP_OVERDRAW,     /* fragment.lanes */
   REPORT_MAP_INSTRUCTIONS, /* fragment.live */
   REPORT_MAP_TEXELS,       /* fragment.texels */
   REPORT_MAP_IDLE,         /* fragment.helper + killed + branched */
   REPORT_MAP_DIVERGENCE,   /* fragment.branched */
   REPORT_MAP_QUADS,        /* quads of the smallest primitive here; 0: there is none */
   REPORT_MAP_REJECTED,     /* fates but `written` */
   REPORT_MAP_FATES,        /* from here on, by fate: fates[...]; that of `written` is not used */
   REPORT_MAPS = REPORT_MAP_FATES + CF_FATES,
};

struct report_maps {
   uint32_t width_px, height_px;
   uint32_t *count[REPORT_MAPS]; /* row by row; NULL: all 0 */
};

/** Its name in JSON; NULL: the map is not used. */
const char *report_map_name(enum report_map map);

/** The map with this name; REPORT_MAPS: there is none. */
enum report_map report_map_named(const char *name);

/** Add to a pixel. Pixels outside (helpers at the border) are not counted. */
void report_map_add(struct report_maps *maps, enum report_map map, uint32_t x_px, uint32_t y_px,
                    uint32_t more);

/** Lower a pixel to `value`, unless it has less; 0 is nothing. */
void report_map_lower(struct report_maps *maps, enum report_map map, uint32_t x_px, uint32_t y_px,
                      uint32_t value);

void report_maps_free(struct report_maps *maps);

/** The scale of a map; of REPORT_MAP_QUADS powers of 2, the fewest brightest. */
void report_scale_of(const struct report_maps *maps, enum report_map map, struct heat_scale *scale);

#endif
