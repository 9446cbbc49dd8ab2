/* SPDX-License-Identifier: MIT */
#include "clipfree/schedule/cf_tile_report.h"

#include <string.h>

#include "clipfree/arith/cf_minmax.h"
#include "clipfree/base/cf_for.h"
#include "clipfree/pixel/cf_hiz_explain.h"
#include "clipfree/primitive/cf_prim.h"
#include "clipfree/primitive/cf_primitive_explain.h"

/* Coverage of a tile's blocks, by block number (cf_tile_block) and sample. */
struct block_masks {
   uint16_t mask[CF_TILE_BLOCKS][CF_SAMPLES]; /* all 0: not covered */
};

static void
raster_samples(const struct cf_tile_walker *walker, const struct cf_prim *prim,
               struct block_masks *found)
{
   struct cf_raster_samples blocks[CF_TILE_BLOCKS];
   const uint32_t count = walker->units->primitive->raster_samples(
      prim, walker->tile_x * CF_TILE_PX, walker->tile_y * CF_TILE_PX, blocks);
   for (uint32_t i = 0; i < count; i++)
      memcpy(found->mask[cf_tile_block(blocks[i].x_px, blocks[i].y_px)], blocks[i].mask,
             sizeof(blocks[i].mask));
}

static void
raster_pixels(const struct cf_tile_walker *walker, const struct cf_prim *prim,
              struct block_masks *found)
{
   struct cf_raster_block blocks[CF_TILE_BLOCKS];
   float coverage[CF_TILE_BLOCKS][16];
   const struct cf_primitive_ops *ops = walker->units->primitive;
   const uint32_t x_px = walker->tile_x * CF_TILE_PX, y_px = walker->tile_y * CF_TILE_PX;
   const uint32_t count = walker->draw->smooth
                             ? ops->raster_smooth(prim, x_px, y_px, blocks, coverage)
                             : ops->raster_tile(prim, x_px, y_px, blocks);
   for (uint32_t i = 0; i < count; i++) {
      for (uint32_t s = 0; s < CF_SAMPLES; s++)
         found->mask[cf_tile_block(blocks[i].x_px, blocks[i].y_px)][s] = blocks[i].mask;
   }
}

/* Coverage of the primitive without stipple. */
static void
raster_unstippled(const struct cf_tile_walker *walker, const struct cf_prim *prim,
                  struct block_masks *found)
{
   struct cf_primitive_config config;
   struct cf_prim whole;
   cf_primitive_unstipple(prim, &whole, &config);
   memset(found, 0, sizeof(*found));
   if (config.samples > 1)
      raster_samples(walker, &whole, found);
   else
      raster_pixels(walker, &whole, found);
}

static void
report(const struct cf_tile_walker *walker, const struct cf_prim *prim,
       struct cf_block_event *event)
{
   const struct cf_observer *observer = walker->observer;
   cf_hiz_explain(walker->draw->pixel, prim, event);
   observer->block(observer->user, event);
}

/* Report a block, and remove it from `whole`, the coverage without stipple. */
static void
report_block(const struct cf_tile_walker *walker, const struct cf_prim *prim,
             const struct cf_block_event *of, const struct cf_raster_samples *block,
             struct block_masks *whole)
{
   struct cf_block_event event = *of;
   uint16_t *unstippled = whole->mask[cf_tile_block(block->x_px, block->y_px)];
   event.x_px = block->x_px;
   event.y_px = block->y_px;
   for (uint32_t s = 0; s < cf_max_u32(walker->input->frame->samples, 1); s++) {
      event.covered[s] = block->mask[s];
      event.stippled[s] = (uint16_t)(unstippled[s] & ~block->mask[s]);
      unstippled[s] = 0;
   }
   report(walker, prim, &event);
}

/* Report the blocks left in `whole`: stipple removed all of their coverage. */
static void
report_stippled(const struct cf_tile_walker *walker, const struct cf_prim *prim,
                const struct cf_block_event *of, struct block_masks *whole)
{
   const uint32_t x_px = walker->tile_x * CF_TILE_PX, y_px = walker->tile_y * CF_TILE_PX;
   for (uint32_t i = 0; i < CF_TILE_BLOCKS; i++) {
      const uint16_t *mask = whole->mask[i];
      const struct cf_raster_samples nothing = { .x_px = (uint16_t)(x_px + i % 16 * CF_BLOCK_PX),
                                                 .y_px = (uint16_t)(y_px + i / 16 * CF_BLOCK_PX) };
      if (mask[0] | mask[1] | mask[2] | mask[3])
         report_block(walker, prim, of, &nothing, whole);
   }
}

void
cf_tile_report_blocks(const struct cf_tile_walker *walker, const struct cf_prim *prim,
                      uint32_t primitive, const struct cf_raster_samples *blocks, uint32_t count)
{
   const uint32_t samples = cf_max_u32(walker->input->frame->samples, 1);
   const struct cf_block_event event = {
      .draw = walker->draw->packet,
      .primitive = primitive,
      .sample_mask = samples > 1 ? walker->draw->pixel->sample_mask & ((1u << samples) - 1) : 1,
   };
   struct block_masks whole = { 0 };
   const bool stippled = cf_primitive_is_stippled(prim);
   if (stippled)
      raster_unstippled(walker, prim, &whole);
   for (uint32_t i = 0; i < count; i++)
      report_block(walker, prim, &event, &blocks[i], &whole);
   if (stippled)
      report_stippled(walker, prim, &event, &whole);
}

void
cf_tile_report_clear(const struct cf_tile_walker *walker, struct cf_clear_event *event)
{
   const struct cf_frame *frame = walker->input->frame;
   uint8_t pixel_B[CF_MAX_COLOR_TARGETS + 1] = { 0 };
   CF_FOR_BITS(i, event->images) {
      pixel_B[i] =
         (uint8_t)(i == CF_MAX_COLOR_TARGETS ? &frame->zs : &frame->color[i])->format->pixel_B;
   }
   event->pixel_B = pixel_B;
   walker->observer->clear(walker->observer->user, event);
}
