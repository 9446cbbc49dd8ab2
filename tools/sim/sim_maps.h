/* SPDX-License-Identifier: MIT */
/*
 * What pixels cost a machine: maps of the images that are drawn to. What belongs to no pixel is
 * counted beside them, so that both together are a counter.
 */
#ifndef SIM_MAPS_H
#define SIM_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "clipfree/timing/cf_sim_machine.h"
#include "clipfree/timing/cf_sim_order.h"

enum sim_map {
   SIM_MAP_CYCLES,       /* cycles */
   SIM_MAP_Z_MISSES,     /* z_misses */
   SIM_MAP_Z_LATENCY,    /* z_latency_cycles */
   SIM_MAP_COLOR_MISSES, /* color_misses */
   SIM_MAP_COLOR_LATENCY,
   SIM_MAP_DATA_MISSES, /* gpu.data_misses */
   SIM_MAPS
};

#define SIM_TARGETS 16 /* images that have maps; what goes to others is counted elsewhere */

struct sim_target {
   uint32_t image, width_px, height_px;
   uint32_t *count[SIM_MAPS]; /* by cell, row by row; NULL: all 0 */
};

struct sim_maps {
   uint32_t x_shift[SIM_MAPS], y_shift[SIM_MAPS]; /* a cell has 1 << x_shift by 1 << y_shift px */
   struct sim_target target[SIM_TARGETS];
   uint32_t targets;
   uint64_t elsewhere[SIM_MAPS];
   bool failed; /* out of memory */
};

void sim_maps_init(struct sim_maps *maps, const struct cf_sim_machine *machine);
void sim_maps_free(struct sim_maps *maps);

/** Count for the pixel of an item of a chunk, in the first image of its operation; items of clears
 * have no pixel. */
void sim_maps_add_item(struct sim_maps *maps, const struct cf_sim_chunk *chunk,
                       const struct cf_sim_item *item, enum sim_map map, uint64_t more);

/** Spread a count over the covered pixels of items, evenly. */
void sim_maps_spread(struct sim_maps *maps, const struct cf_sim_chunk *chunk,
                     const struct cf_sim_item *item, size_t items, enum sim_map map, uint64_t more);

/** Maps of all images, and what is elsewhere. */
json_t *sim_maps_json(const struct sim_maps *maps);
json_t *sim_maps_elsewhere(const struct sim_maps *maps);

#endif
