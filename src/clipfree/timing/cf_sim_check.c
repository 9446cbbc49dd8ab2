/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_check.h"

#define MAX_PX 16384
#define MAX_LAYERS 65536

static bool
good_op(const struct cf_sim_chunk *c, const struct cf_sim_op *op)
{
   bool good = op->width_px <= MAX_PX && op->height_px <= MAX_PX && op->samples >= 1 &&
               op->samples <= CF_SAMPLES && op->colors <= CF_MAX_COLOR_TARGETS;
   for (uint32_t i = 0; i < CF_SIM_UNITS; i++)
      good &= (op->texture[i] == CF_SIM_NONE || op->texture[i] < c->textures) &&
              (op->vertex_texture[i] == CF_SIM_NONE || op->vertex_texture[i] < c->textures);
   for (uint32_t i = 0; i < CF_MAX_COLOR_TARGETS; i++)
      good &= op->color_image[i] == CF_SIM_NONE || op->color_image[i] < MAX_PX;
   return good && (op->zs_image == CF_SIM_NONE || op->zs_image < MAX_PX);
}

static bool
good_texture(const struct cf_sim_texture *t)
{
   return t->width_px >= 1 && t->width_px <= MAX_PX && t->height_px >= 1 &&
          t->height_px <= MAX_PX && t->layers >= 1 && t->layers <= MAX_LAYERS && t->levels >= 1 &&
          t->levels <= CF_MAX_TEXTURE_LEVELS && t->texel_bits >= 1 && t->texel_bits <= 256;
}

/* Whether a place lies in the tile. */
static bool
in_tile(uint32_t place, uint32_t tile)
{
   return (place & 0xffff) / CF_TILE_PX == tile % CF_SIM_TILES_ACROSS &&
          (place >> 16) / CF_TILE_PX == tile / CF_SIM_TILES_ACROSS;
}

/* Quads of a task, or 0: it is damaged. */
static uint32_t
task_quads(const struct cf_sim_chunk *c, const uint32_t *dw, uint32_t dwords, uint32_t tile)
{
   const uint32_t quads = dw[0] >> 16;
   if (quads < 1 || quads > CF_SIM_QUADS || dwords != CF_SIM_TASK_DW + 2 * quads || dw[1] >= c->ops)
      return 0;
   for (uint32_t q = 0; q < quads; q++) {
      if (!in_tile(dw[CF_SIM_TASK_DW + 2 * q + 1], tile))
         return 0;
   }
   return quads;
}

static bool
good_tile(const struct cf_sim_chunk *c, const struct cf_sim_tile *t, uint32_t number)
{
   uint32_t quads = 0;
   for (size_t at = 0; at < t->count;) {
      const uint32_t *dw = t->dw + at, dwords = cf_sim_dwords(dw[0]);
      bool good = dwords > 0 && dwords <= t->count - at;
      switch (good ? cf_sim_kind(dw[0]) : 0) {
      case CF_SIM_TASK:
         good = dwords > CF_SIM_TASK_DW && (quads = task_quads(c, dw, dwords, number)) > 0;
         break;
      case CF_SIM_SAMPLE:
         good = quads > 0 && dwords == CF_SIM_SAMPLE_DW + 4 * quads &&
                (dw[0] >> 21 & 15) < CF_MAX_TEXTURE_LEVELS && dw[1] != 0 &&
                ((uint64_t)dw[1] >> 4 * quads) == 0;
         break;
      case CF_SIM_TEXEL:
         good = quads > 0 && dwords == 3 && (dw[1] & 255) < 4 * quads &&
                (dw[0] >> 21 & 15) < CF_MAX_TEXTURE_LEVELS;
         break;
      case CF_SIM_EARLY_TEST:
         good = dwords == 4 && dw[1] < c->ops && in_tile(dw[3], number);
         break;
      case CF_SIM_CLEARED:
         good = dwords == 4 && dw[1] < c->ops && in_tile(dw[2], number);
         break;
      default:
         good = false;
      }
      if (!good)
         return false;
      at += dwords;
   }
   return true;
}

const char *
cf_sim_check(const struct cf_sim_chunk *c)
{
   bool good = true;
   for (size_t i = 0; i < c->textures; i++)
      good &= good_texture(&c->texture[i]);
   for (size_t i = 0; i < c->ops; i++)
      good &= good_op(c, &c->op[i]);
   for (size_t i = 0; i < c->vertices; i++)
      good &= c->vertex[i].op < c->ops;
   for (size_t i = 0; i < c->vertex_texels; i++)
      good &= c->vertex_texel[i].op < c->ops && c->vertex_texel[i].texture_unit < CF_SIM_UNITS &&
              c->vertex_texel[i].level < CF_MAX_TEXTURE_LEVELS;
   for (size_t i = 0; i < c->primitives; i++)
      good &= c->primitive[i].op < c->ops;
   if (!good)
      return "a draw, texture, vertex or primitive has numbers that are not possible";
   for (uint32_t i = 0; i < CF_SIM_TILES; i++) {
      if (!good_tile(c, &c->tile[i], i))
         return "a tile has a record that is not possible";
   }
   return NULL;
}
