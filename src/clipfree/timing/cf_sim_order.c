/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_order.h"

#include <stdlib.h>
#include <string.h>

/* The lower 14 bits of both, those of x in even places, those of y in odd ones. */
static uint32_t
interleave(uint32_t x, uint32_t y)
{
   uint64_t v = x | (uint64_t)y << 32;
   v = (v | v << 8) & 0x00ff00ff00ff00ff;
   v = (v | v << 4) & 0x0f0f0f0f0f0f0f0f;
   v = (v | v << 2) & 0x3333333333333333;
   v = (v | v << 1) & 0x5555555555555555;
   return (uint32_t)(v | v >> 31);
}

/* Paper A halves regions: blocks come in Z order. Paper D scans rows of blocks. The quads of a
 * block are a Z always. */
static uint32_t
place_of(uint32_t x_px, uint32_t y_px, enum cf_sim_traversal traversal)
{
   const uint32_t x = x_px / 2, y = y_px / 2;
   if (traversal == CF_SIM_TRAVERSAL_RECURSIVE)
      return interleave(x, y);
   return (x & 1) | (y & 1) << 1 | (x >> 1) << 2 | (y >> 1) << 16;
}

/* ------------------------------------------------------------------ stable radix sort */

#define DIGIT_BITS 11

/* What items are sorted by: their places, or operations above the lower bits of primitives. */
struct key {
   bool place;
   uint32_t primitive_bits;
};

static inline uint64_t
key_of(const struct cf_sim_item *item, struct key key)
{
   return key.place ? item->place
                    : (uint64_t)item->op << key.primitive_bits |
                         (item->primitive & ((1ull << key.primitive_bits) - 1));
}

/* Sort by a digit. */
static void
sort_digit(const struct cf_sim_item *item, size_t items, struct key key, uint32_t shift,
           struct cf_sim_item *sorted)
{
   const uint32_t mask = (1u << DIGIT_BITS) - 1;
   size_t begin[(1u << DIGIT_BITS) + 1] = { 0 };
   for (size_t i = 0; i < items; i++)
      begin[(key_of(&item[i], key) >> shift & mask) + 1]++;
   for (uint32_t d = 0; d < mask; d++)
      begin[d + 1] += begin[d];
   for (size_t i = 0; i < items; i++)
      sorted[begin[key_of(&item[i], key) >> shift & mask]++] = item[i];
}

static void
swap(struct cf_sim_order *order)
{
   struct cf_sim_item *item = order->item;
   order->item = order->spare;
   order->spare = item;
}

/* Sort by digits that begin where items differ. */
static void
sort_by(struct cf_sim_order *order, struct key key)
{
   uint64_t differ = 0;
   for (size_t i = 1; i < order->items; i++)
      differ |= key_of(&order->item[i], key) ^ key_of(&order->item[0], key);
   while (differ) {
      const uint32_t shift = (uint32_t)__builtin_ctzll(differ), next = shift + DIGIT_BITS;
      sort_digit(order->item, order->items, key, shift, order->spare);
      swap(order);
      differ = next < 64 ? differ >> next << next : 0;
   }
}

/* How many bits of primitives' numbers, from the lowest on, differ. */
static uint32_t
primitive_bits(const struct cf_sim_order *order)
{
   uint32_t differ = 0;
   for (size_t i = 1; i < order->items; i++)
      differ |= order->item[i].primitive ^ order->item[0].primitive;
   return differ ? 32 - (uint32_t)__builtin_clz(differ) : 0;
}

/* ------------------------------------------------------------------ items of tiles */

/* Room for items more in both arrays. */
static bool
make_room(struct cf_sim_order *order, size_t items)
{
   void *item = cf_sim_grow(order->item, order->items, items, &order->room, sizeof(order->item[0]));
   order->item = item ? item : order->item;
   void *spare =
      cf_sim_grow(order->spare, order->items, items, &order->spare_room, sizeof(order->spare[0]));
   order->spare = spare ? spare : order->spare;
   return item && spare;
}

static void
add_task(struct cf_sim_order *order, const uint32_t *dw, struct cf_sim_item *item,
         enum cf_sim_traversal traversal)
{
   item->op = dw[1];
   for (uint32_t q = 0; q < dw[0] >> 16; q++) {
      const uint32_t *quad = dw + CF_SIM_TASK_DW + 2 * q;
      item->primitive = quad[0];
      item->place = place_of(quad[1] & 0xffff, quad[1] >> 16, traversal);
      item->quad = (uint16_t)q;
      order->item[order->items++] = *item;
   }
}

/* Items of a tile; each takes two dwords of a record at least. */
static bool
add_records(struct cf_sim_order *order, const struct cf_sim_tile *tile, uint32_t number,
            enum cf_sim_traversal traversal)
{
   if (!make_room(order, tile->count / 2))
      return false;
   for (size_t at = 0; at < tile->count; at += cf_sim_dwords(tile->dw[at])) {
      const uint32_t *dw = tile->dw + at;
      struct cf_sim_item item = { .tile = (uint16_t)number, .at = (uint32_t)at };
      const enum cf_sim_record kind = cf_sim_kind(dw[0]);
      if (kind == CF_SIM_TASK) {
         add_task(order, dw, &item, traversal);
      } else if (kind == CF_SIM_EARLY_TEST || kind == CF_SIM_CLEARED) {
         const uint32_t place = dw[kind == CF_SIM_EARLY_TEST ? 3 : 2];
         item.op = dw[1];
         item.primitive = kind == CF_SIM_EARLY_TEST ? dw[2] : 0;
         item.place = place_of(place & 0xffff, place >> 16, traversal);
         order->item[order->items++] = item;
      }
   }
   return true;
}

/* Items of a tile, into the spare array, sorted by the place in the tile: where the traversal is
 * recursive, that is the lower bits. */
static bool
add_tile(struct cf_sim_order *order, const struct cf_sim_tile *tile, uint32_t number,
         enum cf_sim_traversal traversal)
{
   const size_t first = order->items;
   if (tile->count == 0)
      return true;
   if (!add_records(order, tile, number, traversal))
      return false;
   sort_digit(order->item + first, order->items - first, (struct key){ .place = true }, 0,
              order->spare + first);
   return true;
}

/* The tiles of a square in Z order, so that places of a primitive ascend from tile to tile where
 * the traversal is recursive. */
static bool
add_tiles(struct cf_sim_order *order, const struct cf_sim_chunk *chunk, uint32_t first,
          uint32_t side, enum cf_sim_traversal traversal)
{
   const uint32_t half = side / 2, down = half * CF_SIM_TILES_ACROSS;
   if (first >= chunk->tiles)
      return true;
   if (side == 1)
      return add_tile(order, &chunk->tile[first], first, traversal);
   return add_tiles(order, chunk, first, half, traversal) &&
          add_tiles(order, chunk, first + half, half, traversal) &&
          add_tiles(order, chunk, first + down, half, traversal) &&
          add_tiles(order, chunk, first + down + half, half, traversal);
}

bool
cf_sim_order_chunk(struct cf_sim_order *order, const struct cf_sim_chunk *chunk,
                   enum cf_sim_traversal traversal)
{
   order->items = 0;
   if (!add_tiles(order, chunk, 0, CF_SIM_TILES_ACROSS, traversal))
      return false;
   swap(order);
   if (traversal != CF_SIM_TRAVERSAL_RECURSIVE)
      sort_by(order, (struct key){ .place = true });
   sort_by(order, (struct key){ .primitive_bits = primitive_bits(order) });
   return true;
}

void
cf_sim_order_free(struct cf_sim_order *order)
{
   free(order->item);
   free(order->spare);
   *order = (struct cf_sim_order){ 0 };
}
