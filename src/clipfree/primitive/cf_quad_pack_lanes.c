/* SPDX-License-Identifier: MIT */
#include "clipfree/arith/cf_minmax.h"
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

/* The lanes to be shaded of a task, whose quads have these pixels. */
static inline uint32_t
lanes_of(const uint8_t pixels[CF_TASK_QUADS])
{
#if defined(__BMI2__)
   uint64_t bytes;
   memcpy(&bytes, pixels, sizeof(bytes));
   return (uint32_t)_pext_u64(bytes, 0x0f0f0f0f0f0f0f0f);
#else
   uint32_t lanes = 0;
   for (uint32_t i = 0; i < CF_TASK_QUADS; i++)
      lanes |= (uint32_t)(pixels[i] & 0xf) << 4 * i;
   return lanes;
#endif
}

/* Run the first `count` quads: complete tasks, or all quads of a list shorter than a task. */
static inline void
run(struct cf_quad_pack *pack, struct cf_quad_list *list, uint32_t count, const uint32_t *lanes)
{
   pack->run(pack->user, list->quads, count, lanes, list->coverage[0]);
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
   memcpy(to->pixels + to->count, from->pixels + CF_TASK_QUADS, 3);
   if (pack->coverage)
      memcpy(to->coverage + to->count, from->coverage + CF_TASK_QUADS, 3 * sizeof(from->coverage[0]));
#pragma GCC unroll 3
   for (uint32_t i = 0; i < 3; i++)
      occupy(to, place_of(left[i].x_px, left[i].y_px),
             (uint32_t)(i < from->count) << cf_block_element(left[i].x_px, left[i].y_px) / 4);
   to->count += from->count;
   from->count = 0;
   memset(from->occupied, 0, sizeof(from->occupied));
   pack->younger ^= 1;
}

static inline void
run_complete_parts(struct cf_quad_pack *pack)
{
   while (older(pack)->count >= CF_TASK_QUADS) {
      const uint32_t lanes = lanes_of(older(pack)->pixels);
      run(pack, older(pack), CF_TASK_QUADS, &lanes);
      swap_lists(pack);
   }
}

/* The lanes of tasks of fully covered blocks. */
static const uint32_t all_lanes[CF_WORK_TASKS] = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX,
                                                   UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };

static inline void
run_complete_blocks(struct cf_quad_pack *pack)
{
   struct cf_quad_list *list = &pack->whole;
   const uint32_t count = list->count / CF_TASK_QUADS * CF_TASK_QUADS;
   if (count == 0)
      return;
   run(pack, list, count, all_lanes);
   memcpy(list->quads, list->quads + count, 4 * sizeof(list->quads[0])); /* a rest of 0 or 4 */
}

/* Run all quads of a list, fewer than CF_TASK_QUADS; copies of quad 0 fill the task up. */
static void
run_incomplete(struct cf_quad_pack *pack, struct cf_quad_list *list, uint32_t lanes)
{
   if (list->count == 0)
      return;
   lanes &= UINT32_MAX >> (CF_TASK_LANES - 4 * list->count);
   for (uint32_t i = list->count; i < CF_TASK_QUADS; i++)
      list->quads[i] = list->quads[0];
   run(pack, list, list->count, &lanes);
}

static void
run_older(struct cf_quad_pack *pack)
{
   run_incomplete(pack, older(pack), lanes_of(older(pack)->pixels));
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

#elif defined(__AVX2__)

/* As above, in two rows of two quads. Each quad is stored as one vector: a wide load soon after
 * then forwards from one store. */
struct block_quads {
   __m256i row[2];
};

CF_INLINE struct block_quads
places(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px)
{
   const __m128i first = _mm_set_epi64x((int64_t)(x_px | y_px << 16), (int64_t)(uintptr_t)prim);
   const __m256i both = _mm256_broadcastsi128_si256(first);
   const __m256i second = _mm256_set_epi64x(2, 0, 0, 0),
                 below = _mm256_set_epi64x(2 | 2 << 16, 0, 2 << 16, 0);
   return (struct block_quads){ { _mm256_or_si256(both, second), _mm256_or_si256(both, below) } };
}

CF_INLINE struct block_quads
block_quads(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, const uint32_t masks[4])
{
   struct block_quads quads = places(prim, x_px, y_px);
   for (uint32_t i = 0; i < 2; i++) {
      const __m256i high =
         _mm256_set_epi32((int32_t)masks[2 * i + 1], 0, 0, 0, (int32_t)masks[2 * i], 0, 0, 0);
      quads.row[i] = _mm256_or_si256(quads.row[i], high);
   }
   return quads;
}

CF_INLINE struct block_quads
block_quads_of_covered(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, uint32_t covered)
{
   const __m256i nibble = _mm256_set_epi64x(0xfll << 32, 0, 0xfll << 32, 0);
   const __m256i all = _mm256_set1_epi64x((int64_t)covered << 32);
   const __m256i moved[2] = { _mm256_srlv_epi64(all, _mm256_set_epi64x(4, 0, 0, 0)),
                              _mm256_srlv_epi64(all, _mm256_set_epi64x(12, 0, 8, 0)) };
   struct block_quads quads = places(prim, x_px, y_px);
   for (uint32_t i = 0; i < 2; i++)
      quads.row[i] = _mm256_or_si256(quads.row[i], _mm256_and_si256(moved[i], nibble));
   return quads;
}

CF_INLINE uint32_t
store_quads(struct cf_quad *to, const struct block_quads *from, uint32_t which)
{
   __m128i *at = (__m128i *)to;
   for (uint32_t i = 0; i < 2; i++) {
      _mm_storeu_si128(at, _mm256_castsi256_si128(from->row[i]));
      at += which >> 2 * i & 1;
      _mm_storeu_si128(at, _mm256_extracti128_si256(from->row[i], 1));
      at += which >> (2 * i + 1) & 1;
   }
   return (uint32_t)__builtin_popcount(which);
}

#else

/* Each quad is stored as one vector, as above. */
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

/* Store the pixels of each quad in `which` (cf_quad_list.pixels), one after the other. There must
 * be room for four. */
CF_INLINE void
store_pixels(uint8_t *to, uint32_t pixels, uint32_t which)
{
#if defined(__BMI2__)
   const uint32_t chosen =
      _pext_u32(_pdep_u32(pixels, 0x0f0f0f0f), _pdep_u32(which, 0x01010101) * 0xff);
   memcpy(to, &chosen, sizeof(chosen));
#else
   uint32_t count = 0;
#pragma GCC unroll 4
   for (uint32_t k = 0; k < 4; k++) {
      to[count] = (uint8_t)(pixels >> 4 * k & 0xf);
      count += which >> k & 1;
   }
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

/* Where raster left the coverage of a block's pixels. NULL: the primitives are not smooth. */
CF_INLINE const float *
coverage_at(const struct cf_quad_pack *pack, uint32_t x_px, uint32_t y_px)
{
   return pack->coverage ? pack->coverage[cf_tile_block(x_px, y_px)] : NULL;
}

/* Store the coverage of each quad in `which` of a block, one after the other, before that of
 * another primitive overwrites it. There must be room for four. */
CF_INLINE void
store_coverage(float (*to)[4], const float block[16], uint32_t which)
{
   uint32_t count = 0;
#pragma GCC unroll 4
   for (uint32_t k = 0; k < 4; k++) {
      memcpy(to[count], &block[4 * k], sizeof(to[0]));
      count += which >> k & 1;
   }
}

/* Add a fully covered block. */
CF_INLINE void
add_whole(struct cf_quad_pack *pack, uint32_t x_px, uint32_t y_px, const struct block_quads *quads)
{
   struct cf_quad_list *list = &pack->whole;
   const float *coverage = coverage_at(pack, x_px, y_px);
   if (occupied_quads(older(pack), place_of(x_px, y_px)))
      pack_flush(pack);
   run_whole_at(pack, x_px, y_px);
   if (coverage)
      store_coverage(&list->coverage[list->count], coverage, 0xf);
   list->count += store_quads(&list->quads[list->count], quads, 0xf);
   if (list->count >= (pack->coverage ? 1 : CF_WORK_TASKS) * CF_TASK_QUADS)
      run_complete_blocks(pack);
}

/* Append the quads in `which` of a block; `any`: pixels with a sample to be shaded; `coverage`: as
 * coverage_at. Branchless: which quads small triangles cover is hard to predict. */
CF_INLINE void
append(struct cf_quad_list *list, struct occupied_place at, const struct block_quads *quads,
       uint32_t any, uint32_t which, const float *coverage)
{
   const uint32_t first = list->count;
   list->count += store_quads(&list->quads[first], quads, which);
   store_pixels(&list->pixels[first], any, which);
   occupy(list, at, which);
   if (coverage)
      store_coverage(&list->coverage[first], coverage, which);
}

/* Add the quads of a block with a pixel in `any`. */
CF_INLINE void
add_parts(struct cf_quad_pack *pack, uint32_t x_px, uint32_t y_px, const struct block_quads *quads, uint32_t any)
{
   const uint32_t which = quads_of_mask(any);
   const struct occupied_place at = place_of(x_px, y_px);
   run_whole_at(pack, x_px, y_px);
   const uint32_t again = conflicting_quads(pack, at, which);
   const float *coverage = coverage_at(pack, x_px, y_px);
   append(older(pack), at, quads, any, which & ~again, coverage);
   if (again)
      append(younger(pack), at, quads, any, again, coverage);
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

/* ---- blocks of one sample a pixel, and of several ---- */

/* A block of a primitive: struct cf_raster_block, or struct cf_raster_samples. */
struct packed_block {
   uint32_t x_px, y_px;
   uint32_t any;  /* pixels with a sample to be shaded */
   bool is_whole; /* all samples of all pixels are */
   struct block_quads quads;
};

CF_INLINE struct packed_block
block_of_one(const struct cf_prim *prim, const struct cf_raster_block *b)
{
   return (struct packed_block){ b->x_px, b->y_px, b->mask, b->mask == CF_ALL,
                                 block_quads_of_covered(prim, b->x_px, b->y_px, b->covered) };
}

/* The pixel masks (cf_quad.masks) of a quad of the block. */
CF_INLINE uint32_t
masks_of_samples(const struct cf_raster_samples *b, uint32_t quad)
{
   const uint32_t unsure = ~(uint32_t)b->centre;
   uint32_t masks = ((uint32_t)b->covered >> 4 * quad & 0xf) * CF_QUAD_COVERED |
                    (unsure >> 4 * quad & 0xf) * CF_QUAD_UNSURE |
                    ((uint32_t)b->first[0] >> 4 * quad & 0xf) * CF_QUAD_FIRST(0) |
                    ((uint32_t)b->first[1] >> 4 * quad & 0xf) * CF_QUAD_FIRST(1);
   for (uint32_t s = 0; s < CF_SAMPLES; s++)
      masks |= ((uint32_t)b->mask[s] >> 4 * quad & 0xf) * CF_QUAD_SAMPLE(s);
   return masks;
}

CF_INLINE bool
is_whole(const struct cf_raster_samples *b)
{
   return (b->mask[0] & b->mask[1] & b->mask[2] & b->mask[3] & b->centre) == CF_ALL;
}

CF_INLINE struct packed_block
block_of_samples(const struct cf_prim *prim, const struct cf_raster_samples *b)
{
   uint32_t masks[4];
#pragma GCC unroll 4
   for (uint32_t quad = 0; quad < 4; quad++)
      masks[quad] = masks_of_samples(b, quad);
   return (struct packed_block){ b->x_px, b->y_px,
                                 b->mask[0] | b->mask[1] | b->mask[2] | b->mask[3], is_whole(b),
                                 block_quads(prim, b->x_px, b->y_px, masks) };
}

/* Block i of `blocks`, which have several samples a pixel if `samples`, a constant. */
CF_INLINE struct packed_block
block_at(const struct cf_prim *prim, const void *blocks, uint32_t i, bool samples)
{
   return samples ? block_of_samples(prim, (const struct cf_raster_samples *)blocks + i)
                  : block_of_one(prim, (const struct cf_raster_block *)blocks + i);
}

CF_INLINE void
add_block(struct cf_quad_pack *pack, const struct packed_block *b)
{
   if (b->is_whole)
      add_whole(pack, b->x_px, b->y_px, &b->quads);
   else if (b->any)
      add_parts(pack, b->x_px, b->y_px, &b->quads, b->any);
}

CF_INLINE bool
is_whole_at(const void *blocks, uint32_t i, bool samples)
{
   return samples ? is_whole((const struct cf_raster_samples *)blocks + i)
                  : ((const struct cf_raster_block *)blocks)[i].mask == CF_ALL;
}

/* Append fully covered block i to `quads` quads of them that wait; returns how many wait then. They
 * are not counted in memory meanwhile, where each block would wait for the one before. */
CF_INLINE uint32_t
append_whole(struct cf_quad_pack *pack, uint32_t quads, const struct cf_prim *prim,
             const void *blocks, uint32_t i, bool samples)
{
   const struct cf_raster_block *one = (const struct cf_raster_block *)blocks + i;
   const struct cf_raster_samples *several = (const struct cf_raster_samples *)blocks + i;
   _Static_assert(CF_SAMPLES == 4, "all samples");
   const uint32_t all = 0xf * (CF_QUAD_COVERED | (samples ? CF_QUAD_SAMPLE(0) | CF_QUAD_SAMPLE(1) |
                                                               CF_QUAD_SAMPLE(2) | CF_QUAD_SAMPLE(3)
                                                          : 0));
   const struct block_quads block =
      block_quads(prim, samples ? several->x_px : one->x_px, samples ? several->y_px : one->y_px,
                  (const uint32_t[]){ all, all, all, all });
   quads += store_quads(&pack->whole.quads[quads], &block, 0xf);
   if (quads < CF_WORK_TASKS * CF_TASK_QUADS)
      return quads;
   pack->whole.count = quads;
   run_complete_blocks(pack);
   return pack->whole.count;
}

/* Add the fully covered blocks that a primitive's blocks from number i on begin with; returns the
 * end of these. Nothing waited before the primitive, and its blocks do not meet each other. */
CF_INLINE uint32_t
add_whole_blocks(struct cf_quad_pack *pack, const struct cf_prim *prim, const void *blocks,
                 uint32_t i, uint32_t count, bool samples)
{
   uint32_t quads = pack->whole.count;
   for (; i < count && is_whole_at(blocks, i, samples); i++)
      quads = append_whole(pack, quads, prim, blocks, i, samples);
   pack->whole.count = quads;
   return i;
}

/* ---- several blocks of a primitive ---- */

enum {
   /* At most so many are gathered. There is room beside waiting quads: fewer than CF_TASK_QUADS of
    * parts, and of fully covered blocks at most MANY_WHOLE, which are run before they are more. */
   GATHERED_BLOCKS = 12,
   MANY_WHOLE = 2 * CF_TASK_QUADS,
};
_Static_assert(4 * GATHERED_BLOCKS + CF_TASK_QUADS <= CF_LIST_QUADS &&
                  4 * GATHERED_BLOCKS + MANY_WHOLE <= CF_WORK_TASKS * CF_TASK_QUADS,
               "room for parts and whole blocks");

/* A block's position in one word, to compare. */
CF_INLINE uint32_t
place_px(uint32_t x_px, uint32_t y_px)
{
   return x_px | y_px << 16;
}

/* Whether a block must be added alone, which may run what waits there first: it lies on the fully
 * covered block that waits at `waiting_px`; or it is fully covered and lies on quads of the older
 * list (`again`); or some of these wait in the younger list, too. */
CF_INLINE bool
cannot_gather(const struct packed_block *b, uint32_t waiting_px, uint32_t again, uint32_t younger)
{
   return place_px(b->x_px, b->y_px) == waiting_px || (again && b->is_whole) || (younger & again);
}

/* Append blocks i .. end - 1 of a primitive, at most GATHERED_BLOCKS, to the lists, with one branch
 * for each, which is seldom taken: where it meets quads that wait. Returns the number of the first
 * that cannot be gathered, or `end`. Quads in the older list are not noted as occupied. */
CF_INLINE uint32_t
gather(struct cf_quad_pack *pack, const struct cf_prim *prim, const void *blocks, uint32_t i,
       uint32_t end, bool samples)
{
   struct cf_quad_list *parts = older(pack), *whole = &pack->whole;
   const struct cf_quad *first = &whole->quads[0];
   const uint32_t waiting_px = whole->count ? place_px(first->x_px, first->y_px) : UINT32_MAX;
   uint32_t in_parts = parts->count, in_whole = whole->count;
   for (; i < end; i++) {
      const struct packed_block b = block_at(prim, blocks, i, samples);
      const struct occupied_place at = place_of(b.x_px, b.y_px);
      uint32_t which = quads_of_mask(b.any);
      const uint32_t again = occupied_quads(parts, at) & which;
      if (__builtin_expect(again || place_px(b.x_px, b.y_px) == waiting_px, 0)) {
         if (cannot_gather(&b, waiting_px, again, occupied_quads(younger(pack), at)))
            break;
         append(younger(pack), at, &b.quads, b.any, again, NULL);
         which &= ~again;
      }
      const uint32_t stored = store_quads(
         b.is_whole ? &whole->quads[in_whole] : &parts->quads[in_parts], &b.quads, which);
      store_pixels(&parts->pixels[in_parts], b.any, which);
      in_whole += b.is_whole ? stored : 0;
      in_parts += b.is_whole ? 0 : stored;
   }
   parts->count = in_parts;
   whole->count = in_whole;
   return i;
}

/* Note the places of the older list's quads. */
static void
note_places(struct cf_quad_pack *pack)
{
   struct cf_quad_list *list = older(pack);
   for (uint32_t i = 0; i < list->count; i++) {
      const uint32_t x_px = list->quads[i].x_px, y_px = list->quads[i].y_px;
      occupy(list, place_of(x_px, y_px), 1u << cf_block_element(x_px, y_px) / 4);
   }
}

/* Run the complete tasks of the older list, all at once; what is left of it, fewer than
 * CF_TASK_QUADS, begins it then. */
static void
run_older_tasks(struct cf_quad_pack *pack)
{
   struct cf_quad_list *list = older(pack);
   uint32_t lanes[CF_WORK_TASKS];
   const uint32_t tasks = list->count / CF_TASK_QUADS, count = tasks * CF_TASK_QUADS;
   for (uint32_t i = 0; i < tasks; i++)
      lanes[i] = lanes_of(&list->pixels[i * CF_TASK_QUADS]);
   run(pack, list, count, lanes);
   memcpy(list->quads, list->quads + count, CF_TASK_QUADS * sizeof(list->quads[0]));
   memcpy(list->pixels, list->pixels + count, CF_TASK_QUADS);
   memset(list->occupied, 0, sizeof(list->occupied));
}

/* The younger list's quads join what is left of the older list, which they do not meet: quads that
 * met them were in the older list's first task. */
static void
join_lists(struct cf_quad_pack *pack)
{
   struct cf_quad_list *to = older(pack), *from = younger(pack);
   memcpy(to->quads + to->count, from->quads, from->count * sizeof(from->quads[0]));
   memcpy(to->pixels + to->count, from->pixels, from->count);
   to->count += from->count;
   from->count = 0;
   memset(from->occupied, 0, sizeof(from->occupied));
}

/* Run what is complete after blocks were gathered. True: the places of what is left must be noted
 * (note_places) before quads of another primitive come; blocks of this one do not meet them. */
static bool
run_gathered(struct cf_quad_pack *pack)
{
   if (older(pack)->count < CF_TASK_QUADS)
      return true;
   run_older_tasks(pack);
   if (younger(pack)->count == 0)
      return true;
   join_lists(pack);
   if (older(pack)->count >= CF_TASK_QUADS)
      run_older_tasks(pack);
   note_places(pack); /* some may be of other primitives */
   return false;
}

/* Add a primitive's blocks. */
CF_INLINE void
pack_primitive(struct cf_quad_pack *pack, const struct cf_prim *prim, const void *blocks,
               uint32_t count, bool samples)
{
   const bool lists_whole = lists_whole_blocks(pack, count);
   const bool gathers = count > 1 && !pack->coverage;
   bool unnoted = false;
   for (uint32_t i = 0; i < count;) {
      if (lists_whole)
         i = add_whole_blocks(pack, prim, blocks, i, count, samples);
      if (pack->whole.count > MANY_WHOLE)
         run_complete_blocks(pack);
      const uint32_t end = cf_min_u32(count, i + GATHERED_BLOCKS), begin = i;
      if (gathers)
         i = gather(pack, prim, blocks, i, end, samples);
      if (i > begin)
         unnoted = run_gathered(pack);
      if (i == end)
         continue;
      if (unnoted)
         note_places(pack);
      unnoted = false;
      const struct packed_block b = block_at(prim, blocks, i++, samples);
      add_block(pack, &b);
   }
   if (unnoted)
      note_places(pack);
   run_complete_blocks(pack);
}

static void
pack_blocks(struct cf_quad_pack *pack, const struct cf_prim *prim,
            const struct cf_raster_block *blocks, uint32_t count)
{
   pack_primitive(pack, prim, blocks, count, false);
}

static void
pack_samples(struct cf_quad_pack *pack, const struct cf_prim *prim,
             const struct cf_raster_samples *blocks, uint32_t count)
{
   pack_primitive(pack, prim, blocks, count, true);
}

static void
pack_prims(struct cf_quad_pack *pack, const struct cf_prim_block *blocks, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++) {
      const struct cf_prim_block *b = &blocks[i];
      const struct packed_block block = { b->x_px, b->y_px, b->mask, b->mask == CF_ALL,
                                          block_quads_of_covered(b->prim, b->x_px, b->y_px,
                                                                 b->covered) };
      add_block(pack, &block);
      if (block.is_whole)
         run_complete_blocks(pack);
   }
}

const struct cf_quad_pack_ops CF_LANES(cf_quad_pack_ops) = {
   .blocks = pack_blocks,
   .prims = pack_prims,
   .samples = pack_samples,
   .flush = pack_flush,
};
