/* SPDX-License-Identifier: MIT */
/*
 * Surfaces: pending clears, fills and copies. Everything moves whole pixels as bytes; formats are not looked into.
 *
 * Data flow: cf_image_clear -> tile states (and memory, for partly covered tiles) -> cf_image_resolve_tile -> memory.
 * Limitations: one thread per tile at a time; pixels of 1, 2, 4, 8 or 16 bytes.
 */
#include "clipfree/memory/cf_surface.h"

#include <stddef.h>
#include <string.h>

#include "clipfree/arith/cf_minmax.h"
#include "clipfree/memory/cf_block_rows.h"

/* A rectangle of pixels, max exclusive. */
struct rect {
   uint32_t min_x_px, min_y_px, max_x_px, max_y_px;
};

/* Inlined with pixel_B constant, so that a pixel moves as one load and one store. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Calls f(pixel_B, ...) with pixel_B a constant. */
#define WITH_PIXEL_B(pixel_B, f, ...)                                                                                   \
   switch (pixel_B) {                                                                                                   \
   case 1: f(1, __VA_ARGS__); break;                                                                                    \
   case 2: f(2, __VA_ARGS__); break;                                                                                    \
   case 4: f(4, __VA_ARGS__); break;                                                                                    \
   case 8: f(8, __VA_ARGS__); break;                                                                                    \
   case 16: f(16, __VA_ARGS__); break;                                                                                  \
   default: break;                                                                                                      \
   }

static uint32_t
align_px(uint32_t px, uint32_t unit_px)
{
   return (px + unit_px - 1) / unit_px * unit_px;
}

static struct rect
intersect(const struct rect *a, const struct rect *b)
{
   return (struct rect){cf_max_u32(a->min_x_px, b->min_x_px), cf_max_u32(a->min_y_px, b->min_y_px),
                        cf_min_u32(a->max_x_px, b->max_x_px), cf_min_u32(a->max_y_px, b->max_y_px)};
}

static bool
is_empty(const struct rect *r)
{
   return r->min_x_px >= r->max_x_px || r->min_y_px >= r->max_y_px;
}

static bool
contains(const struct rect *outer, const struct rect *inner)
{
   return outer->min_x_px <= inner->min_x_px && outer->min_y_px <= inner->min_y_px && outer->max_x_px >= inner->max_x_px &&
          outer->max_y_px >= inner->max_y_px;
}

/* The pixels of a tile that exist. */
static struct rect
tile_rect(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y)
{
   return (struct rect){tile_x * CF_TILE_PX, tile_y * CF_TILE_PX, cf_min_u32((tile_x + 1) * CF_TILE_PX, image->width_px),
                        cf_min_u32((tile_y + 1) * CF_TILE_PX, image->height_px)};
}

/* Offset of pixel (x, y), as cf_image_offset_B but with constant pixel size. */
ALWAYS_INLINE size_t
offset_of(uint32_t pixel_B, const struct cf_image *image, uint32_t x_px, uint32_t y_px)
{
   if (!image->blocks)
      return (size_t)y_px * image->row_pitch_B + (size_t)x_px * pixel_B;
   return (size_t)(y_px / 4) * image->row_pitch_B + (size_t)((x_px / 4) * 16 + cf_block_element(x_px, y_px)) * pixel_B;
}

/* ------------------------------------------------------------------ fill */

/* Fill size_B bytes, a multiple of pixel_B, with the pixel: what is filled is copied behind itself. */
static void
fill_run(uint32_t pixel_B, uint8_t *data, size_t size_B, const uint32_t value[4])
{
   memcpy(data, value, pixel_B);
   for (size_t done_B = pixel_B; done_B < size_B; done_B *= 2)
      memcpy(data + done_B, data, done_B < size_B - done_B ? done_B : size_B - done_B);
}

ALWAYS_INLINE void
fill_pixels(uint32_t pixel_B, const struct cf_image *image, const uint32_t value[4], const uint32_t mask[4],
            const struct rect *r)
{
   const uint8_t *v = (const uint8_t *)value, *m = (const uint8_t *)mask;
   for (uint32_t y_px = r->min_y_px; y_px < r->max_y_px; y_px++) {
      for (uint32_t x_px = r->min_x_px; x_px < r->max_x_px; x_px++) {
         uint8_t *pixel = image->data + offset_of(pixel_B, image, x_px, y_px);
         for (uint32_t i = 0; i < pixel_B; i++)
            pixel[i] = (uint8_t)((pixel[i] & ~m[i]) | (v[i] & m[i]));
      }
   }
}

static void
fill_pixels_of_image(const struct cf_image *image, const uint32_t value[4], const uint32_t mask[4], const struct rect *r)
{
   if (!is_empty(r))
      WITH_PIXEL_B(image->format->pixel_B, fill_pixels, image, value, mask, r);
}

/* Whole rows (linear) or whole blocks: bounds are multiples of 4 in block layout. */
static void
fill_runs(const struct cf_image *image, const uint32_t value[4], const struct rect *r)
{
   const uint32_t pixel_B = image->format->pixel_B;
   const uint32_t rows_px = image->blocks ? CF_BLOCK_PX : 1;
   const size_t run_B = (size_t)(r->max_x_px - r->min_x_px) * rows_px * pixel_B;
   uint8_t *const first = image->data + offset_of(pixel_B, image, r->min_x_px, r->min_y_px);
   fill_run(pixel_B, first, run_B, value);
   for (uint32_t y_px = r->min_y_px + rows_px; y_px < r->max_y_px; y_px += rows_px)
      memcpy(image->data + offset_of(pixel_B, image, r->min_x_px, y_px), first, run_B);
}

/* The part of r that fill_runs can do: all of it in linear layout, whole blocks in block layout, where a block that only the
 * image's edge cuts is whole (its memory exists). Empty rectangles come out empty. */
static struct rect
runs_in(const struct cf_image *image, const struct rect *r)
{
   if (!image->blocks)
      return *r;
   struct rect inner = {align_px(r->min_x_px, 4), align_px(r->min_y_px, 4), r->max_x_px / 4 * 4, r->max_y_px / 4 * 4};
   if (r->max_x_px == image->width_px)
      inner.max_x_px = align_px(r->max_x_px, 4);
   if (r->max_y_px == image->height_px)
      inner.max_y_px = align_px(r->max_y_px, 4);
   return inner;
}

/* r without `inner`, as four rectangles: above, below, left, right. */
static void
around(const struct rect *r, const struct rect *inner, struct rect out[4])
{
   const struct rect middle = intersect(r, inner);
   out[0] = (struct rect){r->min_x_px, r->min_y_px, r->max_x_px, middle.min_y_px};
   out[1] = (struct rect){r->min_x_px, middle.max_y_px, r->max_x_px, r->max_y_px};
   out[2] = (struct rect){r->min_x_px, middle.min_y_px, middle.min_x_px, middle.max_y_px};
   out[3] = (struct rect){middle.max_x_px, middle.min_y_px, r->max_x_px, middle.max_y_px};
}

static void
fill_rect(const struct cf_image *image, const uint32_t value[4], const uint32_t mask[4], bool mask_full,
          const struct rect *r)
{
   const struct rect inner = runs_in(image, r);
   if (!mask_full || is_empty(&inner)) {
      fill_pixels_of_image(image, value, mask, r);
      return;
   }
   struct rect edges[4];
   around(r, &inner, edges);
   for (uint32_t i = 0; i < 4; i++)
      fill_pixels_of_image(image, value, mask, &edges[i]);
   fill_runs(image, value, &inner);
}

static struct cf_tile_state *
tile_state(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y)
{
   return &image->tiles[(size_t)tile_y * image->tiles_per_row + tile_x];
}

/* Write a pending clear. */
static void
write_clear(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y)
{
   const struct cf_tile_state *state = tile_state(image, tile_x, tile_y);
   struct rect r = tile_rect(image, tile_x, tile_y);
   if (is_empty(&r))
      return;
   r = runs_in(image, &r);
   for (uint32_t sample = 0; sample < cf_image_samples(image); sample++) {
      const struct cf_image plane = cf_image_sample(image, sample);
      fill_runs(&plane, state->value, &r);
   }
}

void
cf_image_resolve_tile(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y)
{
   if (!image->tiles)
      return;
   struct cf_tile_state *state = tile_state(image, tile_x, tile_y);
   if (!state->cleared && !state->filled)
      return;
   if (state->cleared)
      write_clear(image, tile_x, tile_y);
   state->cleared = state->filled = 0;
}

void
cf_image_resolve_tile_to_read(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y)
{
   if (!image->tiles)
      return;
   struct cf_tile_state *state = tile_state(image, tile_x, tile_y);
   if (!state->cleared)
      return;
   write_clear(image, tile_x, tile_y);
   state->cleared = 0;
   state->filled = 1;
}

void
cf_image_discard(const struct cf_image *image)
{
   if (!image->tiles)
      return;
   const size_t rows = (image->height_px + CF_TILE_PX - 1) / CF_TILE_PX;
   memset(image->tiles, 0, rows * image->tiles_per_row * sizeof(*image->tiles));
}

/* To read. */
static void
resolve_rect(const struct cf_image *image, const struct rect *r)
{
   if (!image->tiles || is_empty(r))
      return;
   for (uint32_t y = r->min_y_px / CF_TILE_PX; y <= (r->max_y_px - 1) / CF_TILE_PX; y++) {
      for (uint32_t x = r->min_x_px / CF_TILE_PX; x <= (r->max_x_px - 1) / CF_TILE_PX; x++)
         cf_image_resolve_tile_to_read(image, x, y);
   }
}

void
cf_image_resolve(const struct cf_image *image)
{
   const struct rect all = {0, 0, image->width_px, image->height_px};
   resolve_rect(image, &all);
}

/* ------------------------------------------------------------------ clear */

static bool
is_mask_full(uint32_t pixel_B, const uint32_t mask[4])
{
   const uint8_t *m = (const uint8_t *)mask;
   for (uint32_t i = 0; i < pixel_B; i++) {
      if (m[i] != 0xff)
         return false;
   }
   return true;
}

/* Clear all of a tile, if its state can say so. Where memory holds those pixels already, it goes on doing so. */
static bool
clear_state(struct cf_tile_state *state, const uint32_t value[4], const uint32_t mask[4], bool mask_full)
{
   const bool known = state->cleared || state->filled;
   bool same = known;
   if (!known && !mask_full)
      return false;
   for (uint32_t i = 0; i < 4; i++) {
      const uint32_t before = state->value[i], after = ((known ? before : 0) & ~mask[i]) | (value[i] & mask[i]);
      same &= before == after;
      state->value[i] = after;
   }
   if (!same) {
      state->cleared = 1;
      state->filled = 0;
   }
   return true;
}

/* Clear `part` of one tile; covers: it is all of the tile's pixels. */
static void
clear_tile(const struct cf_image *image, uint32_t tile_x, uint32_t tile_y, const uint32_t value[4], const uint32_t mask[4],
           bool mask_full, const struct rect *part, bool covers)
{
   if (image->tiles) {
      if (covers && clear_state(tile_state(image, tile_x, tile_y), value, mask, mask_full))
         return;
      cf_image_resolve_tile(image, tile_x, tile_y);
   }
   for (uint32_t sample = 0; sample < cf_image_samples(image); sample++) {
      const struct cf_image plane = cf_image_sample(image, sample);
      fill_rect(&plane, value, mask, mask_full, part);
   }
}

void
cf_image_clear(const struct cf_image *image, const uint32_t value[4], const uint32_t mask[4], uint32_t min_x_px,
               uint32_t min_y_px, uint32_t max_x_px, uint32_t max_y_px)
{
   const struct rect all = {0, 0, image->width_px, image->height_px};
   const struct rect asked = {min_x_px, min_y_px, max_x_px, max_y_px};
   const struct rect r = intersect(&all, &asked);
   if (is_empty(&r))
      return;
   const bool mask_full = is_mask_full(image->format->pixel_B, mask);
   for (uint32_t y = r.min_y_px / CF_TILE_PX; y <= (r.max_y_px - 1) / CF_TILE_PX; y++) {
      for (uint32_t x = r.min_x_px / CF_TILE_PX; x <= (r.max_x_px - 1) / CF_TILE_PX; x++) {
         const struct rect tile = tile_rect(image, x, y);
         const struct rect part = intersect(&r, &tile);
         clear_tile(image, x, y, value, mask, mask_full, &part, contains(&r, &tile));
      }
   }
}

/* ------------------------------------------------------------------ copy */

/* One copy: the rectangle is in the destination's pixels; the source pixel of (x, y) is (x + dx, y + dy), modulo 2^32. */
struct copy {
   const struct cf_image *source, *destination;
   uint32_t dx_px, dy_px;
   struct rect r;
   const uint32_t *mask; /* bits of a pixel that are copied; NULL: all */
};

ALWAYS_INLINE void
copy_pixel(uint32_t pixel_B, const struct copy *c, uint32_t x_px, uint32_t y_px)
{
   memcpy(c->destination->data + offset_of(pixel_B, c->destination, x_px, y_px),
          c->source->data + offset_of(pixel_B, c->source, x_px + c->dx_px, y_px + c->dy_px), pixel_B);
}

ALWAYS_INLINE void
copy_pixels(uint32_t pixel_B, const struct copy *c, const struct rect *r)
{
   for (uint32_t y_px = r->min_y_px; y_px < r->max_y_px; y_px++) {
      for (uint32_t x_px = r->min_x_px; x_px < r->max_x_px; x_px++)
         copy_pixel(pixel_B, c, x_px, y_px);
   }
}

ALWAYS_INLINE void
copy_bits(uint32_t pixel_B, const struct copy *c, uint32_t x_px, uint32_t y_px)
{
   uint8_t *to = c->destination->data + offset_of(pixel_B, c->destination, x_px, y_px);
   const uint8_t *from = c->source->data + offset_of(pixel_B, c->source, x_px + c->dx_px, y_px + c->dy_px);
   const uint8_t *mask = (const uint8_t *)c->mask;
   for (uint32_t i = 0; i < pixel_B; i++)
      to[i] = (uint8_t)((to[i] & ~mask[i]) | (from[i] & mask[i]));
}

/* In an order in which no source pixel is overwritten before it is read (source and destination are one image). */
ALWAYS_INLINE void
copy_overlapping(uint32_t pixel_B, const struct copy *c)
{
   const uint32_t width_px = c->r.max_x_px - c->r.min_x_px, height_px = c->r.max_y_px - c->r.min_y_px;
   const bool up = (int32_t)c->dy_px < 0, left = c->dy_px == 0 && (int32_t)c->dx_px < 0;
   for (uint32_t j = 0; j < height_px; j++) {
      const uint32_t y_px = c->r.min_y_px + (up ? height_px - 1 - j : j);
      for (uint32_t i = 0; i < width_px; i++) {
         const uint32_t x_px = c->r.min_x_px + (left ? width_px - 1 - i : i);
         if (c->mask)
            copy_bits(pixel_B, c, x_px, y_px);
         else
            copy_pixel(pixel_B, c, x_px, y_px);
      }
   }
}

/* Whole blocks of one image from or to rows of the other. */
ALWAYS_INLINE void
copy_blocks_rows(uint32_t pixel_B, const struct copy *c, const struct rect *r, bool to_rows)
{
   const struct cf_image *rows = to_rows ? c->destination : c->source;
   const uint32_t count = (r->max_x_px - r->min_x_px) / CF_BLOCK_PX;
   for (uint32_t y_px = r->min_y_px; y_px < r->max_y_px; y_px += CF_BLOCK_PX) {
      uint8_t *d = c->destination->data + offset_of(pixel_B, c->destination, r->min_x_px, y_px);
      uint8_t *s = c->source->data + offset_of(pixel_B, c->source, r->min_x_px + c->dx_px, y_px + c->dy_px);
      cf_blocks_copy_rows(pixel_B, to_rows ? s : d, to_rows ? d : s, rows->row_pitch_B, count, to_rows);
   }
}

/* Rows, or rows of blocks, as they are: both images have the same layout (and alignment, in block layout). */
static void
copy_runs(const struct copy *c, const struct rect *r)
{
   const uint32_t pixel_B = c->source->format->pixel_B;
   const uint32_t rows_px = c->source->blocks ? CF_BLOCK_PX : 1;
   const size_t run_B = (size_t)(r->max_x_px - r->min_x_px) * rows_px * pixel_B;
   for (uint32_t y_px = r->min_y_px; y_px < r->max_y_px; y_px += rows_px) {
      memcpy(c->destination->data + offset_of(pixel_B, c->destination, r->min_x_px, y_px),
             c->source->data + offset_of(pixel_B, c->source, r->min_x_px + c->dx_px, y_px + c->dy_px), run_B);
   }
}

/* The part of the rectangle made of whole blocks of every image in block layout; empty if the two images' blocks lie askew. */
static struct rect
whole_blocks(const struct copy *c)
{
   const bool s = c->source->blocks, d = c->destination->blocks;
   if (!s && !d)
      return c->r;
   if (s && d && (c->dx_px % 4 || c->dy_px % 4))
      return (struct rect){0, 0, 0, 0};
   /* distance of the blocks' grid from the destination's pixel grid */
   const uint32_t x = d ? 0 : c->dx_px % 4, y = d ? 0 : c->dy_px % 4;
   struct rect r = {align_px(c->r.min_x_px + x, 4), align_px(c->r.min_y_px + y, 4), (c->r.max_x_px + x) / 4 * 4,
                    (c->r.max_y_px + y) / 4 * 4};
   if (is_empty(&r))
      return (struct rect){0, 0, 0, 0};
   return (struct rect){r.min_x_px - x, r.min_y_px - y, r.max_x_px - x, r.max_y_px - y};
}

ALWAYS_INLINE void
copy_rect(uint32_t pixel_B, const struct copy *c)
{
   const struct rect inner = whole_blocks(c);
   if (is_empty(&inner)) {
      copy_pixels(pixel_B, c, &c->r);
      return;
   }
   struct rect edges[4];
   around(&c->r, &inner, edges);
   for (uint32_t i = 0; i < 4; i++)
      copy_pixels(pixel_B, c, &edges[i]);
   if (c->source->blocks == c->destination->blocks)
      copy_runs(c, &inner);
   else if (c->source->blocks)
      copy_blocks_rows(pixel_B, c, &inner, true);
   else
      copy_blocks_rows(pixel_B, c, &inner, false);
}

/* Before a copy writes r: tiles it covers forget their state, unless something of their pixels is kept; the others get their
 * memory. */
static void
prepare_destination(const struct cf_image *image, const struct rect *r, bool keeps)
{
   if (!image->tiles)
      return;
   for (uint32_t y = r->min_y_px / CF_TILE_PX; y <= (r->max_y_px - 1) / CF_TILE_PX; y++) {
      for (uint32_t x = r->min_x_px / CF_TILE_PX; x <= (r->max_x_px - 1) / CF_TILE_PX; x++) {
         const struct rect tile = tile_rect(image, x, y);
         if (keeps || !contains(r, &tile))
            cf_image_resolve_tile(image, x, y);
         *tile_state(image, x, y) = (struct cf_tile_state){0};
      }
   }
}

/* Every sample of the destination: from the source's, or from its only one. c: with the whole images. */
static void
copy_samples(const struct copy *c)
{
   const struct rect from = {c->r.min_x_px + c->dx_px, c->r.min_y_px + c->dy_px, c->r.max_x_px + c->dx_px, c->r.max_y_px + c->dy_px};
   const struct rect both = intersect(&from, &c->r);
   const bool overlaps = c->source->data == c->destination->data && !is_empty(&both);
   const uint32_t samples = cf_image_samples(c->source);
   for (uint32_t sample = 0; sample < cf_image_samples(c->destination); sample++) {
      const struct cf_image source = cf_image_sample(c->source, sample % samples);
      const struct cf_image destination = cf_image_sample(c->destination, sample);
      struct copy plane = *c;
      plane.source = &source;
      plane.destination = &destination;
      if (overlaps || c->mask) {
         WITH_PIXEL_B(source.format->pixel_B, copy_overlapping, &plane);
      } else {
         WITH_PIXEL_B(source.format->pixel_B, copy_rect, &plane);
      }
   }
}

static void
copy(const struct cf_image *source, uint32_t source_x_px, uint32_t source_y_px, const struct cf_image *destination,
     uint32_t destination_x_px, uint32_t destination_y_px, uint32_t width_px, uint32_t height_px, const uint32_t *mask)
{
   if (width_px == 0 || height_px == 0)
      return;
   const struct rect from = {source_x_px, source_y_px, source_x_px + width_px, source_y_px + height_px};
   const struct copy c = {
      .source = source,
      .destination = destination,
      .dx_px = source_x_px - destination_x_px,
      .dy_px = source_y_px - destination_y_px,
      .r = {destination_x_px, destination_y_px, destination_x_px + width_px, destination_y_px + height_px},
      .mask = mask,
   };
   resolve_rect(source, &from);
   prepare_destination(destination, &c.r, mask != NULL);
   if (cf_image_samples(source) > cf_image_samples(destination) && !mask)
      cf_image_average(source, source_x_px, source_y_px, destination, destination_x_px, destination_y_px, width_px, height_px);
   else
      copy_samples(&c);
}

void
cf_image_copy(const struct cf_image *source, uint32_t source_x_px, uint32_t source_y_px, const struct cf_image *destination,
              uint32_t destination_x_px, uint32_t destination_y_px, uint32_t width_px, uint32_t height_px)
{
   copy(source, source_x_px, source_y_px, destination, destination_x_px, destination_y_px, width_px, height_px, NULL);
}

void
cf_image_copy_bits(const struct cf_image *source, uint32_t source_x_px, uint32_t source_y_px, const struct cf_image *destination,
                   uint32_t destination_x_px, uint32_t destination_y_px, uint32_t width_px, uint32_t height_px,
                   const uint32_t mask[4])
{
   copy(source, source_x_px, source_y_px, destination, destination_x_px, destination_y_px, width_px, height_px, mask);
}

/* ------------------------------------------------------------------ gather */

struct gather {
   const struct cf_image *source, *destination;
   const uint32_t *columns, *rows, *mask;
   struct rect r; /* in the destination's pixels */
};

ALWAYS_INLINE void
gather_pixels(uint32_t pixel_B, const struct gather *g)
{
   const uint8_t *mask = (const uint8_t *)g->mask;
   for (uint32_t y_px = g->r.min_y_px; y_px < g->r.max_y_px; y_px++) {
      const uint32_t row_px = g->rows[y_px - g->r.min_y_px];
      for (uint32_t x_px = g->r.min_x_px; x_px < g->r.max_x_px; x_px++) {
         const uint32_t column_px = g->columns[x_px - g->r.min_x_px];
         uint8_t *to = g->destination->data + offset_of(pixel_B, g->destination, x_px, y_px);
         const uint8_t *from = g->source->data + offset_of(pixel_B, g->source, column_px, row_px);
         if (!mask)
            memmove(to, from, pixel_B);
         for (uint32_t i = 0; mask && i < pixel_B; i++)
            to[i] = (uint8_t)((to[i] & ~mask[i]) | (from[i] & mask[i]));
      }
   }
}

void
cf_image_gather(const struct cf_image *source, const uint32_t *columns, const uint32_t *rows, const struct cf_image *destination,
                uint32_t destination_x_px, uint32_t destination_y_px, uint32_t width_px, uint32_t height_px, const uint32_t *mask)
{
   struct gather g = {
      .source = source,
      .columns = columns,
      .rows = rows,
      .mask = mask,
      .r = {destination_x_px, destination_y_px, destination_x_px + width_px, destination_y_px + height_px},
   };
   if (is_empty(&g.r))
      return;
   prepare_destination(destination, &g.r, mask != NULL);
   for (uint32_t sample = 0; sample < cf_image_samples(destination); sample++) {
      const struct cf_image plane = cf_image_sample(destination, sample);
      g.destination = &plane;
      WITH_PIXEL_B(source->format->pixel_B, gather_pixels, &g);
   }
}
