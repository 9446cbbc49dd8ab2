/* SPDX-License-Identifier: MIT */
/*
 * Conversion between 4x4 blocks (cf_surface.h) and linear rows of pixels: runs of whole blocks, as
 * bytes.
 *
 * The first half of a block interleaves pairs of pixels of its rows 0 and 1, the second half those
 * of rows 2 and 3. So interleaving vectors of two rows pair by pair gives halves of adjacent
 * blocks.
 *
 * Everything is inlined, with pixel_B and the direction constant.
 */
#ifndef CF_BLOCK_ROWS_H
#define CF_BLOCK_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "clipfree/base/cf_inline.h"
#include "clipfree/base/cf_vec.h"
#include "clipfree/memory/cf_surface.h"

#define CF_ROW_VECTOR_B 16u
#define CF_ROW_UNROLLED _Pragma("GCC unroll 4") /* rolled loops would keep vectors in memory */

CF_INLINE cf_u64x2
cf_row_load(const uint8_t *from)
{
   cf_u64x2 v;
   memcpy(&v, from, sizeof(v));
   return v;
}

CF_INLINE void
cf_row_store(uint8_t *to, cf_u64x2 v)
{
   memcpy(to, &v, sizeof(v));
}

/* Interleave units of unit_B bytes of a and b: out[0] has their first halves, out[1] their
 * second. */
CF_INLINE void
cf_row_interleave(uint32_t unit_B, cf_u64x2 a, cf_u64x2 b, cf_u64x2 out[2])
{
   if (unit_B == 2) {
      out[0] = (cf_u64x2)__builtin_shufflevector((cf_u16x8)a, (cf_u16x8)b, 0, 8, 1, 9, 2, 10, 3, 11);
      out[1] = (cf_u64x2)__builtin_shufflevector((cf_u16x8)a, (cf_u16x8)b, 4, 12, 5, 13, 6, 14, 7, 15);
   } else if (unit_B == 4) {
      out[0] = (cf_u64x2)__builtin_shufflevector((cf_u32x4)a, (cf_u32x4)b, 0, 4, 1, 5);
      out[1] = (cf_u64x2)__builtin_shufflevector((cf_u32x4)a, (cf_u32x4)b, 2, 6, 3, 7);
   } else {
      out[0] = __builtin_shufflevector(a, b, 0, 2);
      out[1] = __builtin_shufflevector(a, b, 1, 3);
   }
}

/* The inverse: units with even numbers to out[0], with odd numbers to out[1]. */
CF_INLINE void
cf_row_deinterleave(uint32_t unit_B, cf_u64x2 a, cf_u64x2 b, cf_u64x2 out[2])
{
   if (unit_B == 2) {
      out[0] = (cf_u64x2)__builtin_shufflevector((cf_u16x8)a, (cf_u16x8)b, 0, 2, 4, 6, 8, 10, 12, 14);
      out[1] = (cf_u64x2)__builtin_shufflevector((cf_u16x8)a, (cf_u16x8)b, 1, 3, 5, 7, 9, 11, 13, 15);
   } else if (unit_B == 4) {
      out[0] = (cf_u64x2)__builtin_shufflevector((cf_u32x4)a, (cf_u32x4)b, 0, 2, 4, 6);
      out[1] = (cf_u64x2)__builtin_shufflevector((cf_u32x4)a, (cf_u32x4)b, 1, 3, 5, 7);
   } else {
      cf_row_interleave(unit_B, a, b, out);
   }
}

/* Load the blocks that vectors of their rows belong to, for pixels of at most 4 bytes: half[2 * h +
 * i] is vector i of all first (h = 0) or second halves. */
CF_INLINE void
cf_blocks_load(uint32_t pixel_B, const uint8_t *blocks, cf_u64x2 half[4])
{
   cf_u64x2 v[4];
   CF_ROW_UNROLLED for (uint32_t i = 0; i < 4; i++)
      v[i] = cf_row_load(blocks + i * CF_ROW_VECTOR_B);
   CF_ROW_UNROLLED for (uint32_t i = 0; i < 2; i++) {
      cf_u64x2 both[2] = {v[2 * i], v[2 * i + 1]};
      if (pixel_B == 1)
         cf_row_interleave(8, v[2 * i], v[2 * i + 1], both);
      CF_ROW_UNROLLED for (uint32_t h = 0; h < 2; h++)
         half[2 * h + i] = pixel_B == 4 ? v[2 * h + i] : both[h];
   }
}

CF_INLINE void
cf_blocks_store(uint32_t pixel_B, uint8_t *blocks, const cf_u64x2 half[4])
{
   CF_ROW_UNROLLED for (uint32_t i = 0; i < 2; i++) {
      cf_u64x2 both[2] = {half[i], half[2 + i]};
      if (pixel_B == 1)
         cf_row_interleave(8, half[i], half[2 + i], both);
      CF_ROW_UNROLLED for (uint32_t h = 0; h < 2; h++)
         cf_row_store(blocks + (pixel_B == 4 ? 2 * h + i : 2 * i + h) * CF_ROW_VECTOR_B, both[h]);
   }
}

/* Copy the blocks that CF_ROW_VECTOR_B bytes of a row belong to. */
CF_INLINE void
cf_blocks_copy_vectors(uint32_t pixel_B, uint8_t *blocks, uint8_t *rows, size_t row_pitch_B, bool to_rows)
{
   cf_u64x2 half[4], row[4];
   if (to_rows) {
      cf_blocks_load(pixel_B, blocks, half);
      CF_ROW_UNROLLED for (uint32_t h = 0; h < 2; h++)
         cf_row_deinterleave(2 * pixel_B, half[2 * h], half[2 * h + 1], row + 2 * h);
      CF_ROW_UNROLLED for (uint32_t y = 0; y < 4; y++)
         cf_row_store(rows + y * row_pitch_B, row[y]);
   } else {
      CF_ROW_UNROLLED for (uint32_t y = 0; y < 4; y++)
         row[y] = cf_row_load(rows + y * row_pitch_B);
      CF_ROW_UNROLLED for (uint32_t h = 0; h < 2; h++)
         cf_row_interleave(2 * pixel_B, row[2 * h], row[2 * h + 1], half + 2 * h);
      cf_blocks_store(pixel_B, blocks, half);
   }
}

/* Copy one block: eight pairs of pixels. */
CF_INLINE void
cf_block_copy_pairs(uint32_t pixel_B, uint8_t *block, uint8_t *rows, size_t row_pitch_B, bool to_rows)
{
   const size_t pair_B = 2 * (size_t)pixel_B;
   CF_ROW_UNROLLED for (uint32_t y_px = 0; y_px < 4; y_px++) {
      CF_ROW_UNROLLED for (uint32_t x_px = 0; x_px < 4; x_px += 2) {
         uint8_t *in_block = block + cf_block_element(x_px, y_px) * pixel_B;
         uint8_t *in_row = rows + y_px * row_pitch_B + x_px * pixel_B;
         memcpy(to_rows ? in_row : in_block, to_rows ? in_block : in_row, pair_B);
      }
   }
}

/** Copy `count` consecutive blocks from or to four linear rows of pixels. pixel_B: 1, 2, 4, 8 or
 * 16. */
CF_INLINE void
cf_blocks_copy_rows(uint32_t pixel_B, uint8_t *blocks, uint8_t *rows, size_t row_pitch_B, uint32_t count, bool to_rows)
{
   /* blocks per vector; 0: pixels are too large for that */
   const uint32_t together = pixel_B <= 4 ? 4 / pixel_B : 0;
   uint32_t i = 0;
   for (; together && i + together <= count; i += together)
      cf_blocks_copy_vectors(pixel_B, blocks + (size_t)i * 16 * pixel_B, rows + (size_t)i * 4 * pixel_B, row_pitch_B, to_rows);
   for (; i < count; i++)
      cf_block_copy_pairs(pixel_B, blocks + (size_t)i * 16 * pixel_B, rows + (size_t)i * 4 * pixel_B, row_pitch_B, to_rows);
}

#endif
