/* SPDX-License-Identifier: MIT */
/*
 * Filling of rectangles, whole pixels or under a mask of bits, in vectors.
 *
 * In block layout a rectangle consists of at most nine pieces: its four corners, four edges and the
 * whole blocks inside. All blocks of a piece are covered alike, so that one block-sized pattern is
 * merged into each of them.
 */
#include <string.h>

#include "clipfree/base/cf_inline.h"
#include "clipfree/base/cf_vec.h"
#include "clipfree/memory/cf_surface_rect.h"

#define BLOCK_PIXELS (CF_BLOCK_PX * CF_BLOCK_PX)
#define VECTOR_B sizeof(cf_u64x2)
#define MAX_BLOCK_B (BLOCK_PIXELS * 16)

/* Bytes that are merged into memory repeatedly. */
struct pattern {
   _Alignas(64) uint8_t value[MAX_BLOCK_B]; /* 0 where `mask` is 0 */
   _Alignas(64) uint8_t mask[MAX_BLOCK_B];
};

/* Blocks begin .. end - 1 along one axis; in each, pixels from_px .. to_px - 1 are covered. */
struct span {
   uint32_t begin, end, from_px, to_px;
};

/* ------------------------------------------------------------------ runs of bytes */

/* Fill size_B bytes, a multiple of pixel_B, with the pixel, by doubling: the filled part is copied
 * behind itself. */
static void
fill_run(uint32_t pixel_B, uint8_t *data, size_t size_B, const uint32_t value[4])
{
   memcpy(data, value, pixel_B);
   for (size_t done_B = pixel_B; done_B < size_B; done_B *= 2)
      memcpy(data + done_B, data, done_B < size_B - done_B ? done_B : size_B - done_B);
}

CF_INLINE void
merge_vector(uint8_t *data, cf_u64x2 value, cf_u64x2 mask)
{
   cf_u64x2 v;
   memcpy(&v, data, sizeof(v));
   v = (v & ~mask) | value;
   memcpy(data, &v, sizeof(v));
}

/* Merge the pattern's first VECTOR_B bytes repeatedly. */
static void
merge_run(uint8_t *data, size_t size_B, const struct pattern *pattern)
{
   cf_u64x2 value, mask;
   size_t at_B = 0;
   memcpy(&value, pattern->value, sizeof(value));
   memcpy(&mask, pattern->mask, sizeof(mask));
   for (; at_B + VECTOR_B <= size_B; at_B += VECTOR_B)
      merge_vector(data + at_B, value, mask);
   for (uint32_t i = 0; at_B < size_B; at_B++, i++)
      data[at_B] = (uint8_t)((data[at_B] & ~pattern->mask[i]) | pattern->value[i]);
}

/* Merge the whole pattern into `count` blocks. */
CF_INLINE void
merge_blocks(uint32_t pixel_B, uint8_t *data, uint32_t count, const struct pattern *pattern)
{
   for (uint32_t i = 0; i < count; i++) {
      for (uint32_t at_B = 0; at_B < BLOCK_PIXELS * pixel_B; at_B += VECTOR_B) {
         cf_u64x2 value, mask;
         memcpy(&value, pattern->value + at_B, sizeof(value));
         memcpy(&mask, pattern->mask + at_B, sizeof(mask));
         merge_vector(data + (size_t)i * BLOCK_PIXELS * pixel_B + at_B, value, mask);
      }
   }
}

/* ------------------------------------------------------------------ rows of pixels */

static bool
is_full(uint32_t pixel_B, const uint32_t mask[4])
{
   const uint8_t *m = (const uint8_t *)mask;
   for (uint32_t i = 0; i < pixel_B; i++) {
      if (m[i] != 0xff)
         return false;
   }
   return true;
}

/* size_B: of the pattern, a multiple of pixel_B. */
static void
make_pattern(struct pattern *pattern, uint32_t pixel_B, uint32_t size_B, const uint32_t value[4], const uint32_t mask[4])
{
   uint32_t masked[4];
   for (uint32_t i = 0; i < 4; i++)
      masked[i] = value[i] & mask[i];
   fill_run(pixel_B, pattern->value, size_B, masked);
   fill_run(pixel_B, pattern->mask, size_B, mask);
}

static void
fill_rows(const struct cf_image *image, const uint32_t value[4], const uint32_t mask[4], const struct cf_rect *r)
{
   const uint32_t pixel_B = image->format->pixel_B;
   const size_t run_B = (size_t)(r->max_x_px - r->min_x_px) * pixel_B;
   uint8_t *const first = image->data + cf_pixel_offset_B(pixel_B, image, r->min_x_px, r->min_y_px);
   const bool full = is_full(pixel_B, mask);
   struct pattern pattern;
   if (full)
      fill_run(pixel_B, first, run_B, value);
   else
      make_pattern(&pattern, pixel_B, VECTOR_B, value, mask);
   for (uint32_t row = full ? 1 : 0; row < r->max_y_px - r->min_y_px; row++) {
      uint8_t *data = first + (size_t)row * image->row_pitch_B;
      if (full)
         memcpy(data, first, run_B);
      else
         merge_run(data, run_B, &pattern);
   }
}

/* ------------------------------------------------------------------ blocks */

/* Cut pixels min_px .. max_px - 1 of an axis into at most three spans; returns their number. */
static uint32_t
cut(uint32_t min_px, uint32_t max_px, struct span span[3])
{
   uint32_t first = min_px / CF_BLOCK_PX, count = 0;
   const uint32_t end = max_px / CF_BLOCK_PX;
   if (first == (max_px - 1) / CF_BLOCK_PX) {
      span[0] = (struct span){first, first + 1, min_px % CF_BLOCK_PX, max_px - first * CF_BLOCK_PX};
      return 1;
   }
   if (min_px % CF_BLOCK_PX) {
      span[count++] = (struct span){first, first + 1, min_px % CF_BLOCK_PX, CF_BLOCK_PX};
      first++;
   }
   if (first < end)
      span[count++] = (struct span){first, end, 0, CF_BLOCK_PX};
   if (max_px % CF_BLOCK_PX)
      span[count++] = (struct span){end, end + 1, 0, max_px % CF_BLOCK_PX};
   return count;
}

static bool
is_whole(const struct span *span)
{
   return span->to_px - span->from_px == CF_BLOCK_PX;
}

/* Make the pattern of a piece's blocks; pixels that it does not cover stay. */
static void
make_block_pattern(struct pattern *pattern, uint32_t pixel_B, const uint32_t value[4], const uint32_t mask[4], const struct span *columns,
                   const struct span *rows)
{
   make_pattern(pattern, pixel_B, BLOCK_PIXELS * pixel_B, value, mask);
   for (uint32_t y_px = 0; y_px < CF_BLOCK_PX; y_px++) {
      for (uint32_t x_px = 0; x_px < CF_BLOCK_PX; x_px++) {
         const uint32_t at_B = cf_block_element(x_px, y_px) * pixel_B;
         if (x_px >= columns->from_px && x_px < columns->to_px && y_px >= rows->from_px && y_px < rows->to_px)
            continue;
         memset(pattern->value + at_B, 0, pixel_B);
         memset(pattern->mask + at_B, 0, pixel_B);
      }
   }
}

/* Fill whole blocks with whole pixels. */
static void
fill_blocks(const struct cf_image *image, const uint32_t value[4], const struct span *columns, const struct span *rows)
{
   const uint32_t pixel_B = image->format->pixel_B;
   const size_t run_B = (size_t)(columns->end - columns->begin) * BLOCK_PIXELS * pixel_B;
   uint8_t *const first = image->data + cf_pixel_offset_B(pixel_B, image, columns->begin * CF_BLOCK_PX, rows->begin * CF_BLOCK_PX);
   fill_run(pixel_B, first, run_B, value);
   for (uint32_t row = 1; row < rows->end - rows->begin; row++)
      memcpy(first + (size_t)row * image->row_pitch_B, first, run_B);
}

static void
fill_piece(const struct cf_image *image, const uint32_t value[4], const uint32_t mask[4], const struct span *columns,
           const struct span *rows)
{
   const uint32_t pixel_B = image->format->pixel_B, count = columns->end - columns->begin;
   const bool whole = is_whole(columns) && is_whole(rows);
   struct pattern pattern;
   if (whole && is_full(pixel_B, mask)) {
      fill_blocks(image, value, columns, rows);
      return;
   }
   make_block_pattern(&pattern, pixel_B, value, mask, columns, rows);
   for (uint32_t row = rows->begin; row < rows->end; row++) {
      uint8_t *data = image->data + cf_pixel_offset_B(pixel_B, image, columns->begin * CF_BLOCK_PX, row * CF_BLOCK_PX);
      if (whole)
         merge_run(data, (size_t)count * BLOCK_PIXELS * pixel_B, &pattern);
      else
         CF_WITH_PIXEL_B(pixel_B, merge_blocks, data, count, &pattern);
   }
}

void
cf_rect_fill(const struct cf_image *image, const uint32_t value[4], const uint32_t mask[4], const struct cf_rect *r)
{
   struct span columns[3], rows[3];
   if (!image->blocks) {
      fill_rows(image, value, mask, r);
      return;
   }
   const uint32_t max_x_px = r->max_x_px == image->width_px ? cf_align_px(r->max_x_px, CF_BLOCK_PX) : r->max_x_px;
   const uint32_t max_y_px = r->max_y_px == image->height_px ? cf_align_px(r->max_y_px, CF_BLOCK_PX) : r->max_y_px;
   const uint32_t column_count = cut(r->min_x_px, max_x_px, columns), row_count = cut(r->min_y_px, max_y_px, rows);
   for (uint32_t y = 0; y < row_count; y++) {
      for (uint32_t x = 0; x < column_count; x++)
         fill_piece(image, value, mask, &columns[x], &rows[y]);
   }
}
