/* SPDX-License-Identifier: MIT */
#include "clipfree/base/cf_inline.h"
#include "clipfree/base/cf_vec.h"
#include "clipfree/primitive/cf_quad_pack.h"

#include <stddef.h>
#include <string.h>

#include "clipfree/memory/cf_surface.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define CF_ALL 0xffffu /* pixels of a block */

/* ---- positions ---- */

/* Index of a block's four bits, one for each quad, in cf_quad_list.occupied. */
struct occupied_place {
   uint32_t row, shift;
};

CF_INLINE struct occupied_place
place_of(uint32_t x_px, uint32_t y_px)
{
   return (struct occupied_place){ y_px % CF_TILE_PX / 4, x_px % CF_TILE_PX / 4 * 4 };
}

CF_INLINE uint32_t
occupied_quads(const struct cf_quad_list *list, struct occupied_place at)
{
   return list->occupied[at.row] >> at.shift & 0xf;
}

CF_INLINE void
occupy(struct cf_quad_list *list, struct occupied_place at, uint32_t quads)
{
   list->occupied[at.row] |= (uint64_t)quads << at.shift;
}

/* Bit per quad with a pixel in `mask`. */
static inline uint32_t
quads_of_mask(uint32_t mask)
{
   mask |= mask >> 2;
   mask |= mask >> 1;
#if defined(__BMI2__)
   return _pext_u32(mask, 0x1111);
#else
   return (mask & 1) | (mask >> 3 & 2) | (mask >> 6 & 4) | (mask >> 9 & 8);
#endif
}

/* ---- lists ---- */

static inline struct cf_quad_list *
younger(struct cf_quad_pack *pack)
{
   return &pack->parts[pack->younger];
}

static inline struct cf_quad_list *
older(struct cf_quad_pack *pack)
{
   return &pack->parts[pack->younger ^ 1];
}

/* Run the first `count` quads: complete tasks, or all quads of a list shorter than a task. */
static inline void
run(struct cf_quad_pack *pack, struct cf_quad_list *list, uint32_t count, uint32_t covered)
{
   pack->run(pack->user, list->quads, count, covered, list->coverage[0]);
   list->count -= count;
}

/* Swap the lists after a task of the older one was run. The quads left in it, at most three, all of
 * the block added last, are appended to the younger list first. This is branchless: whether there
 * are any is hard to predict. */
static inline void
swap_lists(struct cf_quad_pack *pack)
{
   struct cf_quad_list *from = older(pack), *to = younger(pack);
   const struct cf_quad *left = from->quads + CF_TASK_QUADS;
   memcpy(to->quads + to->count, left, 3 * sizeof(*left));
   to->covered |= from->covered >> CF_TASK_LANES << 4 * to->count;
   if (pack->coverage)
      memcpy(to->coverage + to->count, from->coverage + CF_TASK_QUADS, 3 * sizeof(from->coverage[0]));
#pragma GCC unroll 3
   for (uint32_t i = 0; i < 3; i++)
      occupy(to, place_of(left[i].x_px, left[i].y_px),
             (uint32_t)(i < from->count) << cf_block_element(left[i].x_px, left[i].y_px) / 4);
   to->count += from->count;
   from->count = 0;
   from->covered = 0;
   memset(from->occupied, 0, sizeof(from->occupied));
   pack->younger ^= 1;
}

static inline void
run_complete_parts(struct cf_quad_pack *pack)
{
   while (older(pack)->count >= CF_TASK_QUADS) {
      run(pack, older(pack), CF_TASK_QUADS, (uint32_t)older(pack)->covered);
      swap_lists(pack);
   }
}

static inline void
run_complete_blocks(struct cf_quad_pack *pack)
{
   struct cf_quad_list *list = &pack->whole;
   const uint32_t count = list->count / CF_TASK_QUADS * CF_TASK_QUADS;
   if (count == 0)
      return;
   run(pack, list, count, UINT32_MAX);
   memcpy(list->quads, list->quads + count, 4 * sizeof(list->quads[0])); /* a rest of 0 or 4 */
}

/* Run all quads of a list, fewer than CF_TASK_QUADS; copies of quad 0 fill the task up. */
static void
run_incomplete(struct cf_quad_pack *pack, struct cf_quad_list *list, uint64_t covered)
{
   if (list->count == 0)
      return;
   for (uint32_t i = list->count; i < CF_TASK_QUADS; i++)
      list->quads[i] = list->quads[0];
   run(pack, list, list->count, (uint32_t)covered & UINT32_MAX >> (CF_TASK_LANES - 4 * list->count));
}

static void
run_older(struct cf_quad_pack *pack)
{
   run_incomplete(pack, older(pack), older(pack)->covered);
   swap_lists(pack);
}

static void
pack_flush(struct cf_quad_pack *pack)
{
   run_older(pack);
   run_older(pack);
   run_complete_blocks(pack);
   run_incomplete(pack, &pack->whole, UINT32_MAX);
}

/* ---- the quads of a block ---- */

#if defined(__AVX512F__)

struct block_quads {
   __m512i quads;
};

/* The four quads of a block, with pixel masks (cf_quad.masks) of 0. */
CF_INLINE __m512i
places(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px)
{
   const __m512i beside = _mm512_set_epi64(2 | 2 << 16, 0, 2 << 16, 0, 2, 0, 0, 0);
   const __m128i first = _mm_set_epi64x((int64_t)(x_px | y_px << 16), (int64_t)(uintptr_t)prim);
   return _mm512_or_si512(_mm512_broadcast_i32x4(first), beside);
}

/* The four quads of a block, with their pixel masks (cf_quad.masks). */
CF_INLINE struct block_quads
block_quads(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, const uint32_t masks[4])
{
   const __m512i high = _mm512_set_epi32((int32_t)masks[3], 0, 0, 0, (int32_t)masks[2], 0, 0, 0,
                                         (int32_t)masks[1], 0, 0, 0, (int32_t)masks[0], 0, 0, 0);
   return (struct block_quads){ _mm512_or_si512(places(prim, x_px, y_px), high) };
}

/* block_quads with one sample a pixel: the only pixel mask is CF_QUAD_COVERED. */
CF_INLINE struct block_quads
block_quads_of_covered(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, uint32_t covered)
{
   const __m512i shift = _mm512_set_epi64(12, 0, 8, 0, 4, 0, 0, 0);
   const __m512i nibble = _mm512_set_epi64(0xfll << 32, 0, 0xfll << 32, 0, 0xfll << 32, 0, 0xfll << 32, 0);
   const __m512i moved = _mm512_srlv_epi64(_mm512_set1_epi64((int64_t)covered << 32), shift);
   const __m512i masks = _mm512_and_si512(moved, nibble);
   return (struct block_quads){ _mm512_or_si512(places(prim, x_px, y_px), masks) };
}

/* Store the quads in `which` one after the other; returns their number. There must be room for
 * four. */
CF_INLINE uint32_t
store_quads(struct cf_quad *to, const struct block_quads *from, uint32_t which)
{
   _mm512_storeu_si512(to, _mm512_maskz_compress_epi64((__mmask8)(_pdep_u32(which, 0x55) * 3), from->quads));
   return (uint32_t)__builtin_popcount(which);
}

#else

/* Each quad is stored as one vector: a wide load soon after then forwards from one store. */
struct block_quads {
   cf_u64x2 quads[4];
};

CF_INLINE cf_u64x2
quad_of(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, uint32_t masks)
{
   _Static_assert(sizeof(cf_u64x2) == sizeof(struct cf_quad) &&
                     offsetof(struct cf_quad, x_px) == 8 && offsetof(struct cf_quad, y_px) == 10 &&
                     offsetof(struct cf_quad, masks) == 12,
                  "prim, x, y, masks");
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
   return (cf_u64x2){ (uintptr_t)prim, (uint64_t)(x_px | y_px << 16) | (uint64_t)masks << 32 };
#else
   const struct cf_quad quad = { prim, (uint16_t)x_px, (uint16_t)y_px, masks };
   cf_u64x2 whole;
   memcpy(&whole, &quad, sizeof whole);
   return whole;
#endif
}

CF_INLINE struct block_quads
block_quads(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, const uint32_t masks[4])
{
   return (struct block_quads){
      { quad_of(prim, x_px, y_px, masks[0]), quad_of(prim, x_px + 2, y_px, masks[1]),
        quad_of(prim, x_px, y_px + 2, masks[2]), quad_of(prim, x_px + 2, y_px + 2, masks[3]) }
   };
}

CF_INLINE struct block_quads
block_quads_of_covered(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, uint32_t covered)
{
   uint32_t masks[4];
#pragma GCC unroll 4
   for (uint32_t k = 0; k < 4; k++)
      masks[k] = (covered >> 4 * k & 0xf) * CF_QUAD_COVERED;
   return block_quads(prim, x_px, y_px, masks);
}

CF_INLINE uint32_t
store_quads(struct cf_quad *to, const struct block_quads *from, uint32_t which)
{
   uint32_t count = 0;
#pragma GCC unroll 4
   for (uint32_t k = 0; k < 4; k++) {
      memcpy(&to[count], &from->quads[k], sizeof to[0]);
      count += which >> k & 1;
   }
   return count;
}

#endif

/* The four bits of each quad in `which`, one after the other. */
CF_INLINE uint32_t
nibbles(uint32_t bits, uint32_t which)
{
#if defined(__BMI2__)
   return _pext_u32(bits, _pdep_u32(which, 0x1111) * 0xf);
#else
   uint32_t result = 0, count = 0;
#pragma GCC unroll 4
   for (uint32_t k = 0; k < 4; k++) {
      const uint32_t in = which >> k & 1;
      result |= (bits >> 4 * k & 0xf & -in) << 4 * count;
      count += in;
   }
   return result;
#endif
}

/* ---- blocks ---- */

/* Flush if the fully covered block that waits is at this position: drawing order is kept. */
CF_INLINE void
run_whole_at(struct cf_quad_pack *pack, uint32_t x_px, uint32_t y_px)
{
   const struct cf_quad *first = &pack->whole.quads[0];
   if (pack->whole.count && first->x_px == x_px && first->y_px == y_px)
      pack_flush(pack);
}

/* The quads of a block, among `which`, whose positions are in the older list: they must wait in the
 * younger. If that holds one of these positions too, the older list is run first. */
CF_INLINE uint32_t
conflicting_quads(struct cf_quad_pack *pack, struct occupied_place at, uint32_t which)
{
   const uint32_t again = occupied_quads(older(pack), at) & which;
   if (!(occupied_quads(younger(pack), at) & again))
      return again;
   run_older(pack);
   return occupied_quads(older(pack), at) & which;
}

/* Copy the coverage of the quads from `first` on, before that of another primitive overwrites
 * it. */
static void
take_coverage(struct cf_quad_pack *pack, struct cf_quad_list *list, uint32_t first)
{
   for (uint32_t i = first; i < list->count; i++) {
      const uint32_t x_px = list->quads[i].x_px, y_px = list->quads[i].y_px;
      memcpy(list->coverage[i],
             &pack->coverage[cf_tile_block(x_px, y_px)][cf_block_element(x_px, y_px)],
             sizeof(list->coverage[i]));
   }
}

/* Add a fully covered block. */
CF_INLINE void
add_whole(struct cf_quad_pack *pack, uint32_t x_px, uint32_t y_px, const struct block_quads *quads)
{
   struct cf_quad_list *list = &pack->whole;
   if (occupied_quads(older(pack), place_of(x_px, y_px)))
      pack_flush(pack);
   run_whole_at(pack, x_px, y_px);
   list->count += store_quads(&list->quads[list->count], quads, 0xf);
   if (pack->coverage)
      take_coverage(pack, list, list->count - 4);
   if (list->count == (pack->coverage ? 1 : CF_WORK_TASKS) * CF_TASK_QUADS)
      run_complete_blocks(pack);
}

/* Append the quads in `which` of a block; `any`: pixels with a sample to be shaded. Branchless:
 * which quads small triangles cover is hard to predict. */
CF_INLINE void
append(struct cf_quad_pack *pack, struct cf_quad_list *list, struct occupied_place at,
       const struct block_quads *quads, uint32_t any, uint32_t which)
{
   const uint32_t first = list->count;
   list->count += store_quads(&list->quads[first], quads, which);
   list->covered |= (uint64_t)nibbles(any, which) << 4 * first;
   occupy(list, at, which);
   if (pack->coverage)
      take_coverage(pack, list, first);
}

/* Add the quads of a block with a pixel in `any`. */
CF_INLINE void
add_parts(struct cf_quad_pack *pack, uint32_t x_px, uint32_t y_px, const struct block_quads *quads, uint32_t any)
{
   const uint32_t which = quads_of_mask(any);
   const struct occupied_place at = place_of(x_px, y_px);
   run_whole_at(pack, x_px, y_px);
   const uint32_t again = conflicting_quads(pack, at, which);
   append(pack, older(pack), at, quads, any, which & ~again);
   if (again)
      append(pack, younger(pack), at, quads, any, again);
   run_complete_parts(pack);
}

/* Whether fully covered blocks of a primitive are simply listed: it has many, and nothing waits
 * that they could meet. (Of smaller primitives the host could not predict whether anything waits.)
 */
CF_INLINE bool
lists_whole_blocks(struct cf_quad_pack *pack, uint32_t count)
{
   return count >= CF_TILE_BLOCKS / 4 && older(pack)->count == 0 && pack->whole.count == 0 &&
          !pack->coverage;
}

/* Append a fully covered block to `quads` quads of them that wait; returns how many wait then. They
 * are not counted in memory meanwhile, where each block would wait for the one before. `masks`: of
 * each quad (cf_quad.masks). */
CF_INLINE uint32_t
append_whole(struct cf_quad_pack *pack, uint32_t quads, const struct cf_prim *prim, uint32_t x_px,
             uint32_t y_px, uint32_t masks)
{
   const struct block_quads block =
      block_quads(prim, x_px, y_px, (const uint32_t[]){ masks, masks, masks, masks });
   quads += store_quads(&pack->whole.quads[quads], &block, 0xf);
   if (quads < CF_WORK_TASKS * CF_TASK_QUADS)
      return quads;
   pack->whole.count = quads;
   run_complete_blocks(pack);
   return 0;
}

/* Add the fully covered blocks that a primitive's `blocks` begin with; returns how many. Nothing
 * waited before the primitive, and its blocks do not meet each other. */
CF_INLINE uint32_t
add_whole_blocks(struct cf_quad_pack *pack, const struct cf_prim *prim,
                 const struct cf_raster_block *blocks, uint32_t count)
{
   uint32_t i = 0, quads = pack->whole.count;
   for (; i < count && blocks[i].mask == CF_ALL; i++)
      quads =
         append_whole(pack, quads, prim, blocks[i].x_px, blocks[i].y_px, 0xf * CF_QUAD_COVERED);
   pack->whole.count = quads;
   return i;
}

static void
pack_blocks(struct cf_quad_pack *pack, const struct cf_prim *prim, const struct cf_raster_block *blocks, uint32_t count)
{
   const bool lists_whole = lists_whole_blocks(pack, count);
   for (uint32_t i = 0; i < count; i++) {
      if (lists_whole) {
         i += add_whole_blocks(pack, prim, &blocks[i], count - i);
         if (i == count)
            break;
      }
      const uint32_t x_px = blocks[i].x_px, y_px = blocks[i].y_px, mask = blocks[i].mask;
      const struct block_quads quads = block_quads_of_covered(prim, x_px, y_px, blocks[i].covered);
      if (mask == CF_ALL)
         add_whole(pack, x_px, y_px, &quads);
      else if (mask)
         add_parts(pack, x_px, y_px, &quads, mask);
   }
   run_complete_blocks(pack);
}

static void
pack_prims(struct cf_quad_pack *pack, const struct cf_prim_block *blocks, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++) {
      const uint32_t x_px = blocks[i].x_px, y_px = blocks[i].y_px, mask = blocks[i].mask;
      const struct block_quads quads = block_quads_of_covered(blocks[i].prim, x_px, y_px, blocks[i].covered);
      if (mask != CF_ALL) {
         add_parts(pack, x_px, y_px, &quads, mask);
         continue;
      }
      add_whole(pack, x_px, y_px, &quads);
      run_complete_blocks(pack);
   }
}

/* The pixels of a block with any sample. */
static inline uint32_t
any_sample(const uint16_t mask[CF_SAMPLES])
{
   return mask[0] | mask[1] | mask[2] | mask[3];
}

CF_INLINE struct block_quads
block_quads_of_samples(const struct cf_prim *prim, const struct cf_raster_samples *block)
{
   const uint32_t unsure = ~(uint32_t)block->centre;
   uint32_t masks[4];
#pragma GCC unroll 4
   for (uint32_t quad = 0; quad < 4; quad++) {
      masks[quad] = ((uint32_t)block->covered >> 4 * quad & 0xf) * CF_QUAD_COVERED |
                    (unsure >> 4 * quad & 0xf) * CF_QUAD_UNSURE |
                    ((uint32_t)block->first[0] >> 4 * quad & 0xf) * CF_QUAD_FIRST(0) |
                    ((uint32_t)block->first[1] >> 4 * quad & 0xf) * CF_QUAD_FIRST(1);
      for (uint32_t s = 0; s < CF_SAMPLES; s++)
         masks[quad] |= ((uint32_t)block->mask[s] >> 4 * quad & 0xf) * CF_QUAD_SAMPLE(s);
   }
   return block_quads(prim, block->x_px, block->y_px, masks);
}

/* Whether all samples of the block are to be shaded. */
CF_INLINE bool
is_whole(const struct cf_raster_samples *b)
{
   return (b->mask[0] & b->mask[1] & b->mask[2] & b->mask[3] & b->centre) == CF_ALL;
}

/* add_whole_blocks of blocks of several samples. */
CF_INLINE uint32_t
add_whole_samples(struct cf_quad_pack *pack, const struct cf_prim *prim,
                  const struct cf_raster_samples *blocks, uint32_t count)
{
   const uint32_t masks = 0xf * (CF_QUAD_COVERED | CF_QUAD_SAMPLE(0) | CF_QUAD_SAMPLE(1) |
                                 CF_QUAD_SAMPLE(2) | CF_QUAD_SAMPLE(3));
   _Static_assert(CF_SAMPLES == 4, "all samples");
   uint32_t i = 0, quads = pack->whole.count;
   for (; i < count && is_whole(&blocks[i]); i++)
      quads = append_whole(pack, quads, prim, blocks[i].x_px, blocks[i].y_px, masks);
   pack->whole.count = quads;
   return i;
}

static void
pack_samples(struct cf_quad_pack *pack, const struct cf_prim *prim, const struct cf_raster_samples *blocks,
             uint32_t count)
{
   const bool lists_whole = lists_whole_blocks(pack, count);
   for (uint32_t i = 0; i < count; i++) {
      if (lists_whole) {
         i += add_whole_samples(pack, prim, &blocks[i], count - i);
         if (i == count)
            break;
      }
      const struct cf_raster_samples *b = &blocks[i];
      const struct block_quads quads = block_quads_of_samples(prim, b);
      if (is_whole(b))
         add_whole(pack, b->x_px, b->y_px, &quads);
      else if (any_sample(b->mask))
         add_parts(pack, b->x_px, b->y_px, &quads, any_sample(b->mask));
   }
   run_complete_blocks(pack);
}

const struct cf_quad_pack_ops CF_LANES(cf_quad_pack_ops) = {
   .blocks = pack_blocks,
   .prims = pack_prims,
   .samples = pack_samples,
   .flush = pack_flush,
};
