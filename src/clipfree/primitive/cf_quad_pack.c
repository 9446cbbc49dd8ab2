/* SPDX-License-Identifier: MIT */
#include "clipfree/primitive/cf_quad_pack.h"

#include <stddef.h>
#include <string.h>

#include "clipfree/memory/cf_surface.h"

#define CF_ALL 0xffffu /* pixels of a block */
#define CF_ALL_SAMPLES (CF_QUAD_COVERED * 0xfu | CF_QUAD_SAMPLE(0) * 0xffffu)

_Static_assert(CF_SAMPLES == 4, "CF_ALL_SAMPLES has four");

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

/* ---- lists ---- */

/* Run the first `count` quads: complete tasks, or all that there are, fewer than one. */
static void
run(struct cf_quad_pack *pack, struct cf_quad_list *list, uint32_t count, uint32_t covered)
{
   pack->run(pack->user, list->quads, count, covered, list->coverage[0]);
   for (uint32_t i = 0; i < list->marked; i++)
      *row_of(pack, list->quads[i].y_px) &= ~(1u << column_of(list->quads[i].x_px));
   list->marked = 0;
   list->count -= count;
}

/* Those after the `count` that were run, at most `more` and all of pack->prim, move up: without asking whether there are any, which is
 * hard to guess. */
static inline void
move_up(struct cf_quad_list *list, uint32_t count, uint32_t more)
{
   memcpy(list->quads, list->quads + count, more * sizeof(list->quads[0]));
}

static inline void
run_complete_parts(struct cf_quad_pack *pack)
{
   struct cf_quad_list *list = &pack->parts;
   if (list->count < CF_TASK_QUADS)
      return;
   run(pack, list, CF_TASK_QUADS, (uint32_t)list->covered);
   move_up(list, CF_TASK_QUADS, 3);
   list->covered >>= CF_TASK_LANES;
   if (pack->coverage)
      memcpy(list->coverage, list->coverage + CF_TASK_QUADS, 3 * sizeof(list->coverage[0]));
}

static inline void
run_complete_blocks(struct cf_quad_pack *pack)
{
   struct cf_quad_list *list = &pack->whole;
   const uint32_t count = list->count / CF_TASK_QUADS * CF_TASK_QUADS;
   if (count == 0)
      return;
   run(pack, list, count, UINT32_MAX);
   move_up(list, count, 4);
}

/* Run all quads, fewer than CF_TASK_QUADS. */
static void
run_few(struct cf_quad_pack *pack, struct cf_quad_list *list, uint64_t covered)
{
   if (list->count == 0)
      return;
   for (uint32_t i = list->count; i < CF_TASK_QUADS; i++)
      list->quads[i] = list->quads[0];
   run(pack, list, list->count, (uint32_t)covered & UINT32_MAX >> (CF_TASK_LANES - 4 * list->count));
}

static void
run_all(struct cf_quad_pack *pack)
{
   run_few(pack, &pack->parts, pack->parts.covered);
   pack->parts.covered = 0;
   run_complete_blocks(pack);
   run_few(pack, &pack->whole, UINT32_MAX);
}

void
cf_quad_pack_flush(struct cf_quad_pack *pack)
{
   pack->prim = NULL;
   run_all(pack);
}

static inline void
mark(struct cf_quad_pack *pack, struct cf_quad_list *list)
{
   for (; list->marked < list->count; list->marked++) {
      const struct cf_quad *quad = &list->quads[list->marked];
      *row_of(pack, quad->y_px) |= 1u << column_of(quad->x_px);
   }
}

static inline void
begin_prim(struct cf_quad_pack *pack, const struct cf_prim *prim)
{
   if (prim == pack->prim)
      return;
   pack->prim = prim;
   mark(pack, &pack->parts);
   mark(pack, &pack->whole);
}

/* ---- blocks ---- */

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
make_way(struct cf_quad_pack *pack, uint32_t x_px, uint32_t y_px, uint32_t mask)
{
   if ((pack->parts.marked | pack->whole.marked) &&
       marked_quads(pack, x_px, y_px) & quads_of_mask(mask))
      run_all(pack);
}

static inline void
store_quad(struct cf_quad *quad, const struct cf_prim *prim, uint32_t x_px, uint32_t y_px,
           uint32_t sets)
{
#if defined(__x86_64__)
   /* in one store, which what reads quads in wide loads does not have to wait for */
   typedef uint64_t pair __attribute__((vector_size(16)));
   const pair v = { (uintptr_t)prim, (uint64_t)(x_px | y_px << 16) | (uint64_t)sets << 32 };
   _Static_assert(sizeof v == sizeof *quad && offsetof(struct cf_quad, x_px) == 8 &&
                     offsetof(struct cf_quad, y_px) == 10 && offsetof(struct cf_quad, sets) == 12,
                  "prim, x, y, sets");
   memcpy(quad, &v, sizeof v);
#else
   *quad = (struct cf_quad){ prim, (uint16_t)x_px, (uint16_t)y_px, sets };
#endif
}

/* Coverage of the quads from `first` on, before another primitive's takes its place. */
static void
take_coverage(struct cf_quad_pack *pack, struct cf_quad_list *list, uint32_t first)
{
   for (uint32_t i = first; i < list->count; i++) {
      const uint32_t x_px = list->quads[i].x_px, y_px = list->quads[i].y_px;
      memcpy(list->coverage[i], &pack->coverage[cf_tile_block(x_px, y_px)][cf_block_element(x_px, y_px)], sizeof(list->coverage[i]));
   }
}

/* All quads of a block, with the same sets. */
static inline void
add_whole(struct cf_quad_pack *pack, uint32_t x_px, uint32_t y_px, uint32_t sets)
{
   struct cf_quad_list *list = &pack->whole;
   struct cf_quad *quad = &list->quads[list->count];
#pragma GCC unroll 4
   for (uint32_t k = 0; k < 4; k++)
      store_quad(&quad[k], pack->prim, x_px + 2 * (k & 1), y_px + (k & 2), sets);
   list->count += 4;
   if (pack->coverage)
      take_coverage(pack, list, list->count - 4);
   if (list->count == (pack->coverage ? 1 : CF_WORK_TASKS) * CF_TASK_QUADS)
      run_complete_blocks(pack);
}

/* Add a quad of a block to those covered in part, if it is covered at all. Without branches: which
 * quads are is hard to guess for small triangles. */
static inline void
add_part(struct cf_quad_pack *pack, uint32_t x_px, uint32_t y_px, uint32_t quad, uint32_t sets)
{
   struct cf_quad_list *list = &pack->parts;
   const uint32_t covered = sets & 0xf;
   store_quad(&list->quads[list->count], pack->prim, x_px + 2 * (quad & 1), y_px + (quad & 2), sets);
   list->covered |= (uint64_t)covered << 4 * list->count;
   list->count += covered != 0;
}

/* After the quads from `first` on were added. */
static inline void
end_parts(struct cf_quad_pack *pack, uint32_t first)
{
   if (pack->coverage)
      take_coverage(pack, &pack->parts, first);
   run_complete_parts(pack);
}

void
cf_quad_pack_blocks(struct cf_quad_pack *pack, const struct cf_prim *prim,
                    const struct cf_raster_block *blocks, uint32_t count)
{
   begin_prim(pack, prim);
   for (uint32_t i = 0; i < count; i++) {
      const uint32_t x_px = blocks[i].x_px, y_px = blocks[i].y_px, mask = blocks[i].mask;
      if (mask == 0)
         continue;
      make_way(pack, x_px, y_px, mask);
      if (mask == CF_ALL) {
         add_whole(pack, x_px, y_px, 0xf * CF_QUAD_COVERED);
         continue;
      }
      const uint32_t first = pack->parts.count;
#pragma GCC unroll 4
      for (uint32_t quad = 0; quad < 4; quad++)
         add_part(pack, x_px, y_px, quad, (mask >> 4 * quad & 0xf) * CF_QUAD_COVERED);
      end_parts(pack, first);
   }
   run_complete_blocks(pack);
}

/* Pixels of a block with any sample. */
static inline uint32_t
any_sample(const uint16_t mask[CF_SAMPLES])
{
   return mask[0] | mask[1] | mask[2] | mask[3];
}

static inline void
add_parts_samples(struct cf_quad_pack *pack, const struct cf_raster_samples *block, uint32_t centre)
{
   const uint32_t first = pack->parts.count, any = any_sample(block->mask);
#pragma GCC unroll 4
   for (uint32_t quad = 0; quad < 4; quad++) {
      uint32_t sets = (any >> 4 * quad & 0xf) * CF_QUAD_COVERED |
                      (~centre >> 4 * quad & 0xf) * CF_QUAD_UNSURE;
      for (uint32_t s = 0; s < CF_SAMPLES; s++)
         sets |= ((uint32_t)block->mask[s] >> 4 * quad & 0xf) * CF_QUAD_SAMPLE(s);
      add_part(pack, block->x_px, block->y_px, quad, sets);
   }
   end_parts(pack, first);
}

void
cf_quad_pack_samples(struct cf_quad_pack *pack, const struct cf_prim *prim, const struct cf_raster_samples *blocks,
                     const uint16_t *centre, uint32_t count)
{
   begin_prim(pack, prim);
   for (uint32_t i = 0; i < count; i++) {
      const struct cf_raster_samples *b = &blocks[i];
      if (any_sample(b->mask) == 0)
         continue;
      make_way(pack, b->x_px, b->y_px, any_sample(b->mask));
      if ((b->mask[0] & b->mask[1] & b->mask[2] & b->mask[3] & centre[i]) == CF_ALL)
         add_whole(pack, b->x_px, b->y_px, CF_ALL_SAMPLES);
      else
         add_parts_samples(pack, b, centre[i]);
   }
   run_complete_blocks(pack);
}
