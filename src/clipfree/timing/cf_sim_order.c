/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_order.h"

#include <stdlib.h>
#include <string.h>

/* Spread the lower 14 bits to the even ones. */
static uint32_t
spread(uint32_t v)
{
   v = (v | v << 8) & 0x00ff00ff;
   v = (v | v << 4) & 0x0f0f0f0f;
   v = (v | v << 2) & 0x33333333;
   return (v | v << 1) & 0x55555555;
}

/* Paper A halves regions: blocks come in Z order. Paper D scans rows of blocks. The quads of a
 * block are a Z always. */
static uint32_t
place_of(uint32_t x_px, uint32_t y_px, enum cf_sim_traversal traversal)
{
   const uint32_t x = x_px / 2, y = y_px / 2;
   if (traversal == CF_SIM_TRAVERSAL_RECURSIVE)
      return spread(x) | spread(y) << 1;
   return (x & 1) | (y & 1) << 1 | (x >> 1) << 2 | (y >> 1) << 16;
}

static bool
add(struct cf_sim_order *order, const struct cf_sim_item *item)
{
   void *grown = cf_sim_grow(order->item, order->items, 1, &order->room, sizeof(order->item[0]));
   if (!grown)
      return false;
   order->item = grown;
   order->item[order->items++] = *item;
   return true;
}

static bool
add_task(struct cf_sim_order *order, const uint32_t *dw, struct cf_sim_item *item,
         enum cf_sim_traversal traversal)
{
   bool ok = true;
   item->op = dw[1];
   for (uint32_t q = 0; ok && q < dw[0] >> 16; q++) {
      const uint32_t *quad = dw + CF_SIM_TASK_DW + 2 * q;
      item->primitive = quad[0];
      item->place = place_of(quad[1] & 0xffff, quad[1] >> 16, traversal);
      item->quad = q;
      ok = add(order, item);
   }
   return ok;
}

static bool
add_tile(struct cf_sim_order *order, const struct cf_sim_tile *tile, uint32_t number,
         enum cf_sim_traversal traversal)
{
   bool ok = true;
   for (size_t at = 0; ok && at < tile->count; at += cf_sim_dwords(tile->dw[at])) {
      const uint32_t *dw = tile->dw + at;
      struct cf_sim_item item = { .tile = number, .at = (uint32_t)at };
      const enum cf_sim_record kind = cf_sim_kind(dw[0]);
      if (kind == CF_SIM_TASK) {
         ok = add_task(order, dw, &item, traversal);
      } else if (kind == CF_SIM_EARLY_TEST || kind == CF_SIM_CLEARED) {
         const uint32_t place = dw[kind == CF_SIM_EARLY_TEST ? 3 : 2];
         item.op = dw[1];
         item.primitive = kind == CF_SIM_EARLY_TEST ? dw[2] : 0;
         item.place = place_of(place & 0xffff, place >> 16, traversal);
         ok = add(order, &item);
      }
   }
   return ok;
}

/* ------------------------------------------------------------------ stable radix sort */

#define DIGITS 12 /* bytes of place, primitive and op */

static uint32_t
digit_of(const struct cf_sim_item *item, uint32_t digit)
{
   const uint32_t key[3] = { item->place, item->primitive, item->op };
   return key[digit / 4] >> 8 * (digit % 4) & 255;
}

/* Sort by one byte, if it differs. */
static void
sort_digit(struct cf_sim_order *order, uint32_t digit)
{
   size_t begin[257] = { 0 };
   for (size_t i = 0; i < order->items; i++)
      begin[digit_of(&order->item[i], digit) + 1]++;
   for (uint32_t d = 0; d < 256; d++) {
      if (begin[d + 1] == order->items)
         return;
      begin[d + 1] += begin[d];
   }
   for (size_t i = 0; i < order->items; i++)
      order->spare[begin[digit_of(&order->item[i], digit)]++] = order->item[i];
   struct cf_sim_item *item = order->item;
   order->item = order->spare;
   order->spare = item;
}

bool
cf_sim_order_chunk(struct cf_sim_order *order, const struct cf_sim_chunk *chunk,
                   enum cf_sim_traversal traversal)
{
   order->items = 0;
   for (uint32_t i = 0; i < CF_SIM_TILES; i++) {
      if (!add_tile(order, &chunk->tile[i], i, traversal))
         return false;
   }
   if (order->spare_room < order->room) {
      free(order->spare);
      order->spare = malloc(order->room * sizeof(order->spare[0]));
      order->spare_room = order->spare ? order->room : 0;
      if (!order->spare)
         return false;
   }
   const size_t room = order->room;
   for (uint32_t digit = 0; digit < DIGITS; digit++)
      sort_digit(order, digit);
   order->room = order->spare_room = room;
   return true;
}

void
cf_sim_order_free(struct cf_sim_order *order)
{
   free(order->item);
   free(order->spare);
   *order = (struct cf_sim_order){ 0 };
}
