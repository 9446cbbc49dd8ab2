/* SPDX-License-Identifier: MIT */
/*
 * The order of submission: fragments of all tiles by operation, primitive, and place as a traversal
 * of the primitive's blocks finds it.
 */
#ifndef CF_SIM_ORDER_H
#define CF_SIM_ORDER_H

#include "clipfree/timing/cf_sim_machine.h"
#include "clipfree/timing/cf_sim_trace.h"

/* A quad, a fragment that failed an early test, or the clear of a part of a tile. */
struct cf_sim_item {
   uint32_t primitive, op;
   uint32_t place;      /* among those of the primitive */
   uint32_t at;         /* its record in the tile, in dwords */
   uint16_t tile, quad; /* the tile's number; of a TASK which quad of it */
};

/* The items of a chunk, in order. */
struct cf_sim_order {
   struct cf_sim_item *item, *spare;
   size_t items, room, spare_room;
};

/** Bring the chunk's items into order. False: out of memory. */
bool cf_sim_order_chunk(struct cf_sim_order *order, const struct cf_sim_chunk *chunk,
                        enum cf_sim_traversal traversal);
void cf_sim_order_free(struct cf_sim_order *order);

/** The record of an item. */
static inline const uint32_t *
cf_sim_item_record(const struct cf_sim_chunk *chunk, const struct cf_sim_item *item)
{
   return chunk->tile[item->tile].dw + item->at;
}

#endif
