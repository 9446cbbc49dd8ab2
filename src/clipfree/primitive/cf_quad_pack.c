/* SPDX-License-Identifier: MIT */
#include "clipfree/primitive/cf_quad_pack.h"

#include <string.h>

static inline uint32_t *
row_of(struct cf_quad_pack *pack, uint32_t y_px)
{
   return &pack->occupied[y_px / 2 % 32];
}

static inline uint32_t
column_of(uint32_t x_px)
{
   return x_px / 2 % 32;
}

/* Run the first `count` quads, all or CF_TASK_QUADS; those after them, at most three and all of
 * pack->prim, move up. */
static void
run(struct cf_quad_pack *pack, uint32_t count)
{
   pack->run(pack->user, pack->quads, count);
   for (uint32_t i = 0; i < pack->marked; i++)
      *row_of(pack, pack->quads[i].y_px) = 0;
   pack->marked = 0;
   pack->count -= count;
   memcpy(pack->quads, pack->quads + CF_TASK_QUADS, 3 * sizeof(pack->quads[0]));
}

void
cf_quad_pack_flush(struct cf_quad_pack *pack)
{
   pack->prim = NULL;
   if (pack->count)
      run(pack, pack->count);
}

static void
next_prim(struct cf_quad_pack *pack, const struct cf_prim *prim)
{
   pack->prim = prim;
   for (; pack->marked < pack->count; pack->marked++) {
      const struct cf_quad *quad = &pack->quads[pack->marked];
      *row_of(pack, quad->y_px) |= 1u << column_of(quad->x_px);
   }
}

/* Bit per quad of the block whose position is marked. */
static inline uint32_t
marked_quads(struct cf_quad_pack *pack, uint32_t x_px, uint32_t y_px)
{
   const uint32_t column = column_of(x_px);
   return (*row_of(pack, y_px) >> column & 3) | (*row_of(pack, y_px + 2) >> column & 3) << 2;
}

/* Bit per quad with a pixel in `mask`. */
static inline uint32_t
quads_of_mask(uint32_t mask)
{
   mask |= mask >> 2;
   mask |= mask >> 1;
   return (mask & 1) | (mask >> 3 & 2) | (mask >> 6 & 4) | (mask >> 9 & 8);
}

/* Before quads of a block are added: run what may not share a task with them. */
static inline void
make_way(struct cf_quad_pack *pack, const struct cf_prim *prim, uint32_t x_px, uint32_t y_px,
         uint32_t mask)
{
   if (prim != pack->prim)
      next_prim(pack, prim);
   if (pack->marked && marked_quads(pack, x_px, y_px) & quads_of_mask(mask))
      run(pack, pack->count);
}

void
cf_quad_pack_block(struct cf_quad_pack *pack, const struct cf_prim *prim, uint32_t x_px,
                   uint32_t y_px, uint32_t mask)
{
   make_way(pack, prim, x_px, y_px, mask);
   /* Without branches: which quads are covered is hard to guess for small triangles. */
   for (uint32_t quad = 0; quad < 4; quad++) {
      const uint32_t quad_mask = mask >> 4 * quad & 0xf;
      pack->quads[pack->count] = (struct cf_quad){
         .prim = prim,
         .x_px = (uint16_t)(x_px + 2 * (quad & 1)),
         .y_px = (uint16_t)(y_px + (quad & 2)),
         .sets = quad_mask * CF_QUAD_COVERED,
      };
      pack->count += quad_mask != 0;
   }
   if (pack->count >= CF_TASK_QUADS)
      run(pack, CF_TASK_QUADS);
}

void
cf_quad_pack_samples(struct cf_quad_pack *pack, const struct cf_prim *prim, uint32_t x_px,
                     uint32_t y_px, const uint32_t mask[CF_SAMPLES], uint32_t centre)
{
   const uint32_t any = mask[0] | mask[1] | mask[2] | mask[3];
   make_way(pack, prim, x_px, y_px, any);
   for (uint32_t quad = 0; quad < 4; quad++) {
      const uint32_t quad_mask = any >> 4 * quad & 0xf;
      uint32_t sets = quad_mask * CF_QUAD_COVERED | (~centre >> 4 * quad & 0xf) * CF_QUAD_UNSURE;
      for (uint32_t s = 0; s < CF_SAMPLES; s++)
         sets |= (mask[s] >> 4 * quad & 0xf) * CF_QUAD_SAMPLE(s);
      pack->quads[pack->count] = (struct cf_quad){
         .prim = prim,
         .x_px = (uint16_t)(x_px + 2 * (quad & 1)),
         .y_px = (uint16_t)(y_px + (quad & 2)),
         .sets = sets,
      };
      pack->count += quad_mask != 0;
   }
   if (pack->count >= CF_TASK_QUADS)
      run(pack, CF_TASK_QUADS);
}
