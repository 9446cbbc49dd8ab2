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

/* Room for the items of a record. */
static bool
make_room(struct cf_sim_order *order)
{
   struct cf_sim_item *grown =
      cf_sim_grow(order->item, order->items, CF_SIM_QUADS, &order->room, sizeof(order->item[0]));
   order->item = grown ? grown : order->item;
   return grown != NULL;
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

static bool
add_tile(struct cf_sim_order *order, const struct cf_sim_tile *tile, uint32_t number,
         enum cf_sim_traversal traversal)
{
   for (size_t at = 0; at < tile->count; at += cf_sim_dwords(tile->dw[at])) {
      const uint32_t *dw = tile->dw + at;
      struct cf_sim_item item = { .tile = (uint16_t)number, .at = (uint32_t)at };
      const enum cf_sim_record kind = cf_sim_kind(dw[0]);
      if (kind != CF_SIM_TASK && kind != CF_SIM_EARLY_TEST && kind != CF_SIM_CLEARED)
         continue;
      if (!make_room(order))
         return false;
      if (kind == CF_SIM_TASK) {
         add_task(order, dw, &item, traversal);
         continue;
      }
      const uint32_t place = dw[kind == CF_SIM_EARLY_TEST ? 3 : 2];
      item.op = dw[1];
      item.primitive = kind == CF_SIM_EARLY_TEST ? dw[2] : 0;
      item.place = place_of(place & 0xffff, place >> 16, traversal);
      order->item[order->items++] = item;
   }
   return true;
}

/* ------------------------------------------------------------------ stable radix sort */

#define DIGIT_BITS 11
#define WORDS 3 /* of a key */

/* The words of an item's key, from the last one that counts to the first. */
static uint32_t
word_of(const struct cf_sim_item *item, uint32_t word)
{
   return word == 0 ? item->place : word == 1 ? item->primitive : item->op;
}

/* Sort by a digit of a word. */
static void
sort_digit(struct cf_sim_order *order, uint32_t word, uint32_t shift)
{
   const uint32_t mask = (1u << DIGIT_BITS) - 1;
   size_t begin[(1u << DIGIT_BITS) + 1] = { 0 };
   for (size_t i = 0; i < order->items; i++)
      begin[(word_of(&order->item[i], word) >> shift & mask) + 1]++;
   for (uint32_t d = 0; d < mask; d++)
      begin[d + 1] += begin[d];
   for (size_t i = 0; i < order->items; i++)
      order->spare[begin[word_of(&order->item[i], word) >> shift & mask]++] = order->item[i];
   struct cf_sim_item *item = order->item;
   order->item = order->spare;
   order->spare = item;
}

/* Bits of a word that are not the same in all items. */
static uint32_t
differing_bits(const struct cf_sim_order *order, uint32_t word)
{
   uint32_t differ = 0;
   for (size_t i = 1; i < order->items; i++)
      differ |= word_of(&order->item[i], word) ^ word_of(&order->item[0], word);
   return differ;
}

/* Sort by a word, by digits that begin where items differ. */
static void
sort_word(struct cf_sim_order *order, uint32_t word)
{
   uint32_t differ = differing_bits(order, word);
   while (differ) {
      const uint32_t shift = (uint32_t)__builtin_ctz(differ);
      sort_digit(order, word, shift);
      differ = shift + DIGIT_BITS < 32 ? differ >> (shift + DIGIT_BITS) << (shift + DIGIT_BITS) : 0;
   }
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
   for (uint32_t word = 0; word < WORDS; word++)
      sort_word(order, word);
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
