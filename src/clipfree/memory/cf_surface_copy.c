/* SPDX-License-Identifier: MIT */
/*
 * Copies between surfaces. Pixels, or bits of them, move as bytes; formats matter only where
 * samples are averaged.
 *
 * Data flow: a rectangle is cut at the tiles of both images. A part that the source's tile state
 * knows becomes a clear of the destination, which writes only tiles that did not know the value
 * before; all other parts are copied from memory to memory.
 */
#include "clipfree/base/cf_inline.h"
#include "clipfree/memory/cf_surface.h"

#include <string.h>

#include "clipfree/memory/cf_block_rows.h"
#include "clipfree/memory/cf_surface_rect.h"
#include "clipfree/memory/cf_surface_states.h"
#include "clipfree/memory/cf_surface_watch.h"

/* One copy: the rectangle is in the destination's pixels; the source pixel of (x, y) is (x + dx, y
 * + dy), modulo 2^32. */
struct copy {
   const struct cf_image *source, *destination;
   uint32_t dx_px, dy_px;
   struct cf_rect r;
   const uint32_t *mask;      /* bits of a pixel that are copied; NULL: all */
   struct cf_pixel_bits bits; /* the same; all of a pixel where `mask` is NULL */
   /* adjacent parts of r, collected to be copied from memory at once, since long rows are faster:
    * those beside each other, and above them as many rows of them */
   struct cf_rect run, above;
   const struct cf_copy_watch *watch; /* NULL: no observer */
};

/* ------------------------------------------------------------------ events */

static void
report(const struct copy *c, const struct cf_image *image, enum cf_touch touch,
       const struct cf_rect *r)
{
   c->watch->touch(c->watch->user, image, touch, r);
}

/* Report a part of the destination, and the pixels of the source that it comes from. */
static void
report_part(const struct copy *c, const struct cf_rect *r, enum cf_touch from, enum cf_touch to)
{
   const struct cf_rect source = cf_rect_moved(r, c->dx_px, c->dy_px);
   report(c, c->source, from, &source);
   report(c, c->destination, to, r);
}

/* Report the tile with these pixels as written if any of `bits` is pending there: its clear is
 * written before the copy. */
static void
report_pending(const struct copy *c, const struct cf_image *image, const struct cf_rect *r,
               const uint32_t bits[4])
{
   const uint32_t tile_x = r->min_x_px / CF_TILE_PX, tile_y = r->min_y_px / CF_TILE_PX;
   const struct cf_rect tile = cf_tile_rect(image, tile_x, tile_y);
   uint32_t pending = 0;
   for (uint32_t i = 0; i < 4; i++)
      pending |= cf_tile_state(image, tile_x, tile_y)->pending[i] & bits[i];
   if (pending)
      report(c, image, CF_TOUCH_WRITTEN, &tile);
}

/* Report a part of one tile of the destination whose value the source's tile state knows. Bits
 * pending in the destination are written as well: together with the part if it is the whole tile,
 * else before it, and then with an event of their own. */
static void
report_known_part(const struct copy *c, const struct cf_rect *r, const uint32_t value[4])
{
   const struct cf_image *image = c->destination;
   bool left = false;
   if (image->tiles) {
      const uint32_t tile_x = r->min_x_px / CF_TILE_PX, tile_y = r->min_y_px / CF_TILE_PX;
      const struct cf_rect tile = cf_tile_rect(image, tile_x, tile_y);
      left = cf_tile_holds(cf_tile_state(image, tile_x, tile_y), value, c->bits.bits);
      if (left || !cf_rect_contains(r, &tile))
         report_pending(c, image, r, cf_pixel_bits(image).bits);
   }
   report_part(c, r, CF_TOUCH_KNOWN, left ? CF_TOUCH_LEFT : CF_TOUCH_WRITTEN);
}

/* ------------------------------------------------------------------ memory to memory */

CF_INLINE void
copy_pixel(uint32_t pixel_B, const struct copy *c, uint32_t x_px, uint32_t y_px)
{
   memcpy(c->destination->data + cf_pixel_offset_B(pixel_B, c->destination, x_px, y_px),
          c->source->data + cf_pixel_offset_B(pixel_B, c->source, x_px + c->dx_px, y_px + c->dy_px), pixel_B);
}

CF_INLINE void
copy_pixels(uint32_t pixel_B, const struct copy *c, const struct cf_rect *r)
{
   for (uint32_t y_px = r->min_y_px; y_px < r->max_y_px; y_px++) {
      for (uint32_t x_px = r->min_x_px; x_px < r->max_x_px; x_px++)
         copy_pixel(pixel_B, c, x_px, y_px);
   }
}

CF_INLINE void
copy_bits(uint32_t pixel_B, const struct copy *c, uint32_t x_px, uint32_t y_px)
{
   uint8_t *to = c->destination->data + cf_pixel_offset_B(pixel_B, c->destination, x_px, y_px);
   const uint8_t *from = c->source->data + cf_pixel_offset_B(pixel_B, c->source, x_px + c->dx_px, y_px + c->dy_px);
   const uint8_t *mask = (const uint8_t *)c->mask;
   for (uint32_t i = 0; i < pixel_B; i++)
      to[i] = (uint8_t)((to[i] & ~mask[i]) | (from[i] & mask[i]));
}

/* Copy inside one image, in an order that reads every source pixel before it is overwritten. */
CF_INLINE void
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

/* Copy whole blocks of one image from or to linear rows of the other. */
CF_INLINE void
copy_blocks_rows(uint32_t pixel_B, const struct copy *c, const struct cf_rect *r, bool to_rows)
{
   const struct cf_image *rows = to_rows ? c->destination : c->source;
   const uint32_t count = (r->max_x_px - r->min_x_px) / CF_BLOCK_PX;
   for (uint32_t y_px = r->min_y_px; y_px < r->max_y_px; y_px += CF_BLOCK_PX) {
      uint8_t *d = c->destination->data + cf_pixel_offset_B(pixel_B, c->destination, r->min_x_px, y_px);
      uint8_t *s = c->source->data + cf_pixel_offset_B(pixel_B, c->source, r->min_x_px + c->dx_px, y_px + c->dy_px);
      cf_blocks_copy_rows(pixel_B, to_rows ? s : d, to_rows ? d : s, rows->row_pitch_B, count, to_rows);
   }
}

/* Copy rows, or rows of blocks, between images of the same layout (and alignment, in block
 * layout). Where each begins at the end of the one before, in both images, they are one. */
static void
copy_runs(const struct copy *c, const struct cf_rect *r)
{
   const uint32_t pixel_B = c->source->format->pixel_B;
   const uint32_t rows_px = c->source->blocks ? CF_BLOCK_PX : 1;
   const size_t row_B = (size_t)(r->max_x_px - r->min_x_px) * rows_px * pixel_B;
   const bool whole = row_B == c->source->row_pitch_B && row_B == c->destination->row_pitch_B;
   const uint32_t run_px = whole ? r->max_y_px - r->min_y_px : rows_px;
   const size_t run_B = row_B * (run_px / rows_px);
   for (uint32_t y_px = r->min_y_px; y_px < r->max_y_px; y_px += run_px) {
      memcpy(c->destination->data + cf_pixel_offset_B(pixel_B, c->destination, r->min_x_px, y_px),
             c->source->data + cf_pixel_offset_B(pixel_B, c->source, r->min_x_px + c->dx_px, y_px + c->dy_px), run_B);
   }
}

/* The part of the rectangle that consists of whole blocks, in each image with block layout; empty
 * if the blocks of the two images are not aligned to each other. */
static struct cf_rect
whole_blocks(const struct copy *c)
{
   const bool s = c->source->blocks, d = c->destination->blocks;
   if (!s && !d)
      return c->r;
   if (s && d && (c->dx_px % 4 || c->dy_px % 4))
      return (struct cf_rect){0, 0, 0, 0};
   /* offset of the block grid in the destination's pixels */
   const uint32_t x = d ? 0 : c->dx_px % 4, y = d ? 0 : c->dy_px % 4;
   struct cf_rect r = {cf_align_px(c->r.min_x_px + x, 4), cf_align_px(c->r.min_y_px + y, 4), (c->r.max_x_px + x) / 4 * 4,
                    (c->r.max_y_px + y) / 4 * 4};
   if (cf_rect_is_empty(&r))
      return (struct cf_rect){0, 0, 0, 0};
   return (struct cf_rect){r.min_x_px - x, r.min_y_px - y, r.max_x_px - x, r.max_y_px - y};
}

/* r without `inner`, as four rectangles: above, below, left, right. */
static void
rect_difference(const struct cf_rect *r, const struct cf_rect *inner, struct cf_rect out[4])
{
   const struct cf_rect middle = cf_rect_intersect(r, inner);
   out[0] = (struct cf_rect){r->min_x_px, r->min_y_px, r->max_x_px, middle.min_y_px};
   out[1] = (struct cf_rect){r->min_x_px, middle.max_y_px, r->max_x_px, r->max_y_px};
   out[2] = (struct cf_rect){r->min_x_px, middle.min_y_px, middle.min_x_px, middle.max_y_px};
   out[3] = (struct cf_rect){middle.max_x_px, middle.min_y_px, r->max_x_px, middle.max_y_px};
}

CF_INLINE void
copy_rect(uint32_t pixel_B, const struct copy *c)
{
   const struct cf_rect inner = whole_blocks(c);
   if (cf_rect_is_empty(&inner)) {
      copy_pixels(pixel_B, c, &c->r);
      return;
   }
   struct cf_rect edges[4];
   rect_difference(&c->r, &inner, edges);
   for (uint32_t i = 0; i < 4; i++)
      copy_pixels(pixel_B, c, &edges[i]);
   if (c->source->blocks == c->destination->blocks)
      copy_runs(c, &inner);
   else if (c->source->blocks)
      copy_blocks_rows(pixel_B, c, &inner, true);
   else
      copy_blocks_rows(pixel_B, c, &inner, false);
}

/* Copy every sample of the destination from the same sample of the source, or from its only one. */
static void
copy_samples(const struct copy *c)
{
   const struct cf_rect from = cf_rect_moved(&c->r, c->dx_px, c->dy_px);
   const struct cf_rect both = cf_rect_intersect(&from, &c->r);
   const bool overlaps = c->source->data == c->destination->data && !cf_rect_is_empty(&both);
   const uint32_t samples = cf_image_samples(c->source);
   for (uint32_t sample = 0; sample < cf_image_samples(c->destination); sample++) {
      const struct cf_image source = cf_image_sample(c->source, sample % samples);
      const struct cf_image destination = cf_image_sample(c->destination, sample);
      struct copy plane = *c;
      plane.source = &source;
      plane.destination = &destination;
      if (overlaps || c->mask) {
         CF_WITH_PIXEL_B(source.format->pixel_B, copy_overlapping, &plane);
      } else {
         CF_WITH_PIXEL_B(source.format->pixel_B, copy_rect, &plane);
      }
   }
}

static bool
averages(const struct copy *c)
{
   return cf_image_samples(c->source) > cf_image_samples(c->destination) && !c->mask;
}

/* Copy a part of the rectangle from memory, which is valid there. */
static void
copy_memory(const struct copy *c, const struct cf_rect *r)
{
   struct copy part = *c;
   part.r = *r;
   if (c->watch)
      report_part(c, r, CF_TOUCH_READ, CF_TOUCH_WRITTEN);
   if (averages(c))
      cf_image_average(
         (struct cf_image_at){ c->source, r->min_x_px + c->dx_px, r->min_y_px + c->dy_px },
         (struct cf_image_at){ c->destination, r->min_x_px, r->min_y_px },
         r->max_x_px - r->min_x_px, r->max_y_px - r->min_y_px);
   else
      copy_samples(&part);
}

static const struct cf_rect nothing = { 0, 0, 0, 0 };

static void
copy_above(struct copy *c)
{
   if (!cf_rect_is_empty(&c->above))
      copy_memory(c, &c->above);
   c->above = nothing;
}

/* The run is over: put it below the rows above, which are copied first where it does not fit. */
static void
end_run(struct copy *c)
{
   const struct cf_rect *run = &c->run;
   if (c->above.min_x_px == run->min_x_px && c->above.max_x_px == run->max_x_px &&
       c->above.max_y_px == run->min_y_px) {
      c->above.max_y_px = run->max_y_px;
   } else {
      copy_above(c);
      c->above = *run;
   }
   c->run = nothing;
}

/* Add a part to the run, which ends first if they are not adjacent. */
static void
add_to_run(struct copy *c, const struct cf_rect *r)
{
   if (c->run.max_x_px == r->min_x_px && c->run.min_y_px == r->min_y_px && c->run.max_y_px == r->max_y_px) {
      c->run.max_x_px = r->max_x_px;
      return;
   }
   end_run(c);
   c->run = *r;
}

/* ------------------------------------------------------------------ states */

/* Prepare a tile for writing `bits` in r: if r is the whole tile, pending ones are dropped, else
 * resolved. */
static void
forget_part(const struct cf_image *image, const struct cf_rect *r, const uint32_t bits[4])
{
   const uint32_t tile_x = r->min_x_px / CF_TILE_PX, tile_y = r->min_y_px / CF_TILE_PX;
   const struct cf_rect tile = cf_tile_rect(image, tile_x, tile_y);
   if (!image->tiles)
      return;
   if (!cf_rect_contains(r, &tile)) {
      cf_image_resolve_tile_bits(image, tile_x, tile_y, bits);
      return;
   }
   struct cf_tile_state *state = cf_tile_state(image, tile_x, tile_y);
   for (uint32_t i = 0; i < 4; i++) {
      state->known[i] &= ~bits[i];
      state->pending[i] &= ~bits[i];
   }
}

/* The same of the destination of a copy. */
static void
forget_destination(const struct copy *c, const struct cf_rect *r)
{
   const struct cf_image *image = c->destination;
   const struct cf_rect tile =
      cf_tile_rect(image, r->min_x_px / CF_TILE_PX, r->min_y_px / CF_TILE_PX);
   if (c->watch && image->tiles && !cf_rect_contains(r, &tile))
      report_pending(c, image, r, c->bits.bits);
   forget_part(image, r, c->bits.bits);
}

/* End of the tile that holds px, at most max_px; an image without tile states is one tile. */
static uint32_t
part_end(const struct cf_image *image, uint32_t px, uint32_t max_px)
{
   return image->tiles ? cf_min_u32((px / CF_TILE_PX + 1) * CF_TILE_PX, max_px) : max_px;
}

/* Advance to the next part of r, one per tile, starting at r's corner. False: there is none. */
static bool
next_part(const struct cf_image *image, const struct cf_rect *r, struct cf_rect *part)
{
   if (part->max_x_px == r->max_x_px) {
      if (part->max_y_px == r->max_y_px)
         return false;
      part->min_y_px = part->max_y_px;
      part->max_y_px = part_end(image, part->min_y_px, r->max_y_px);
      part->max_x_px = r->min_x_px;
   }
   part->min_x_px = part->max_x_px;
   part->max_x_px = part_end(image, part->min_x_px, r->max_x_px);
   return true;
}

/* The position before the first part. */
static struct cf_rect
no_part(const struct cf_image *image, const struct cf_rect *r)
{
   return (struct cf_rect){r->min_x_px, r->min_y_px, r->min_x_px, part_end(image, r->min_y_px, r->max_y_px)};
}

/* Whether the source's tile states know all bits that are copied to r, with a single value. */
static bool
is_one_value(const struct copy *c, const struct cf_rect *r, uint32_t value[4])
{
   const struct cf_image *source = c->source;
   const struct cf_rect from = cf_rect_moved(r, c->dx_px, c->dy_px);
   if (!source->tiles)
      return false;
   const struct cf_tile_state *first = cf_tile_state(source, from.min_x_px / CF_TILE_PX, from.min_y_px / CF_TILE_PX);
   struct cf_rect part = no_part(source, &from);
   while (next_part(source, &from, &part)) {
      const struct cf_tile_state *state = cf_tile_state(source, part.min_x_px / CF_TILE_PX, part.min_y_px / CF_TILE_PX);
      uint32_t other = 0;
      for (uint32_t i = 0; i < 4; i++)
         other |= c->bits.bits[i] & (~state->known[i] | (state->value[i] ^ first->value[i]));
      if (other)
         return false;
   }
   if (averages(c))
      cf_average_equal(source->format, first->value, value);
   else
      memcpy(value, first->value, sizeof(first->value));
   return true;
}

/* Clear r, in one tile of the destination. */
static void
clear_part(const struct copy *c, const struct cf_rect *r, const uint32_t value[4])
{
   const uint32_t tile_x = r->min_x_px / CF_TILE_PX, tile_y = r->min_y_px / CF_TILE_PX;
   if (c->watch)
      report_known_part(c, r, value);
   cf_image_clear_tile(c->destination, tile_x, tile_y, value, c->bits.bits, r);
   cf_image_resolve_tile_to_read(c->destination, tile_x, tile_y);
}

/* Copy to r, in one tile of the destination. */
static void
copy_part(struct copy *c, const struct cf_rect *r)
{
   uint32_t value[4];
   if (is_one_value(c, r, value)) {
      clear_part(c, r, value);
      return;
   }
   forget_destination(c, r);
   const struct cf_rect from = cf_rect_moved(r, c->dx_px, c->dy_px);
   struct cf_rect part = no_part(c->source, &from);
   while (next_part(c->source, &from, &part)) {
      const struct cf_rect to = cf_rect_moved(&part, 0u - c->dx_px, 0u - c->dy_px);
      if (is_one_value(c, &to, value))
         clear_part(c, &to, value);
      else
         add_to_run(c, &to);
   }
}

static void
copy(struct cf_image_at from_px, struct cf_image_at to_px, uint32_t width_px, uint32_t height_px,
     const uint32_t *mask, const struct cf_copy_watch *watch)
{
   const struct cf_image *source = from_px.image, *destination = to_px.image;
   if (width_px == 0 || height_px == 0)
      return;
   struct copy c = {
      .source = source,
      .destination = destination,
      .dx_px = from_px.x_px - to_px.x_px,
      .dy_px = from_px.y_px - to_px.y_px,
      .r = { to_px.x_px, to_px.y_px, to_px.x_px + width_px, to_px.y_px + height_px },
      .mask = mask,
      .bits = cf_pixel_bits(source),
      .watch = watch,
   };
   for (uint32_t i = 0; mask && i < 4; i++)
      c.bits.bits[i] &= mask[i];
   const struct cf_rect from = cf_rect_moved(&c.r, c.dx_px, c.dy_px), both = cf_rect_intersect(&from, &c.r);
   const bool overlaps = source->data == destination->data && !cf_rect_is_empty(&both);
   struct cf_rect part = no_part(source, &from);
   while (source->tiles && next_part(source, &from, &part)) {
      const uint32_t tile_x = part.min_x_px / CF_TILE_PX, tile_y = part.min_y_px / CF_TILE_PX;
      if (!overlaps && !cf_image_must_resolve_to_copy(source, tile_x, tile_y))
         continue;
      if (watch)
         report_pending(&c, source, &part, cf_pixel_bits(source).bits);
      cf_image_resolve_tile_to_read(source, tile_x, tile_y);
   }
   part = no_part(destination, &c.r);
   while (next_part(destination, &c.r, &part)) {
      if (overlaps)
         forget_destination(&c, &part);
      else
         copy_part(&c, &part);
   }
   if (overlaps)
      c.run = c.r;
   end_run(&c);
   copy_above(&c);
}

void
cf_image_copy(struct cf_image_at source, struct cf_image_at destination, uint32_t width_px,
              uint32_t height_px)
{
   copy(source, destination, width_px, height_px, NULL, NULL);
}

void
cf_image_copy_bits(struct cf_image_at source, struct cf_image_at destination, uint32_t width_px,
                   uint32_t height_px, const uint32_t mask[4])
{
   copy(source, destination, width_px, height_px, mask, NULL);
}

void
cf_image_copy_watched(struct cf_image_at source, struct cf_image_at destination, uint32_t width_px,
                      uint32_t height_px, const uint32_t *mask, const struct cf_copy_watch *watch)
{
   copy(source, destination, width_px, height_px, mask, watch);
}

/* ------------------------------------------------------------------ gather */

struct gather {
   const struct cf_image *source, *destination;
   const uint32_t *columns, *rows, *mask;
   struct cf_rect r; /* in the destination's pixels */
};

enum { GATHERED_PX = 256 }; /* columns whose offsets are found at once */

/* The bits of a pixel that are in the mask. */
CF_INLINE void
gather_bits(uint32_t pixel_B, uint8_t *to, const uint8_t *from, const uint8_t mask[16])
{
   uint8_t pixel[16];
   for (uint32_t i = 0; i < pixel_B; i++)
      pixel[i] = (uint8_t)((to[i] & ~mask[i]) | (from[i] & mask[i]));
   memcpy(to, pixel, pixel_B);
}

/* Gather `count` columns from x_px on. The offset of a pixel is that of its column in row 0 and that
 * of its row in column 0 together, in blocks as well: some bits of its number in a block are of x,
 * the others of y. */
CF_INLINE void
gather_columns(uint32_t pixel_B, const struct gather *g, uint32_t x_px, uint32_t count)
{
   size_t from_B[GATHERED_PX], to_B[GATHERED_PX];
   uint8_t mask[16] = { 0 }; /* a copy, which no pixel overwrites */
   if (g->mask)
      memcpy(mask, g->mask, sizeof(mask));
   for (uint32_t i = 0; i < count; i++) {
      const uint32_t column_px = g->columns[x_px - g->r.min_x_px + i];
      from_B[i] = cf_pixel_offset_B(pixel_B, g->source, column_px, 0);
      to_B[i] = cf_pixel_offset_B(pixel_B, g->destination, x_px + i, 0);
   }
   for (uint32_t y_px = g->r.min_y_px; y_px < g->r.max_y_px; y_px++) {
      const uint32_t row_px = g->rows[y_px - g->r.min_y_px];
      uint8_t *to = g->destination->data + cf_pixel_offset_B(pixel_B, g->destination, 0, y_px);
      const uint8_t *from = g->source->data + cf_pixel_offset_B(pixel_B, g->source, 0, row_px);
      for (uint32_t i = 0; g->mask && i < count; i++)
         gather_bits(pixel_B, to + to_B[i], from + from_B[i], mask);
      for (uint32_t i = 0; !g->mask && i < count; i++)
         memmove(to + to_B[i], from + from_B[i], pixel_B); /* it may be the same pixel */
   }
}

CF_INLINE void
gather_pixels(uint32_t pixel_B, const struct gather *g)
{
   for (uint32_t x_px = g->r.min_x_px; x_px < g->r.max_x_px; x_px += GATHERED_PX)
      gather_columns(pixel_B, g, x_px, cf_min_u32(GATHERED_PX, g->r.max_x_px - x_px));
}

void
cf_image_gather(const struct cf_image *source, const uint32_t *columns, const uint32_t *rows,
                struct cf_image_at to_px, uint32_t width_px, uint32_t height_px,
                const uint32_t *mask)
{
   const struct cf_image *destination = to_px.image;
   struct gather g = {
      .source = source,
      .columns = columns,
      .rows = rows,
      .mask = mask,
      .r = { to_px.x_px, to_px.y_px, to_px.x_px + width_px, to_px.y_px + height_px },
   };
   if (cf_rect_is_empty(&g.r))
      return;
   struct cf_pixel_bits bits = cf_pixel_bits(destination);
   for (uint32_t i = 0; mask && i < 4; i++)
      bits.bits[i] &= mask[i];
   struct cf_rect part = no_part(destination, &g.r);
   while (next_part(destination, &g.r, &part))
      forget_part(destination, &part, bits.bits);
   for (uint32_t sample = 0; sample < cf_image_samples(destination); sample++) {
      const struct cf_image plane = cf_image_sample(destination, sample);
      g.destination = &plane;
      CF_WITH_PIXEL_B(source->format->pixel_B, gather_pixels, &g);
   }
}
