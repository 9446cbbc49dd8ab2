/* SPDX-License-Identifier: MIT */
/*
 * Early tests with an observer, block by block. The pixel engine is not changed for it: depth and
 * stencil are read before and after the tests, and each fragment's fate is computed from the values
 * before, by GL's rules (cf_pixel_explain.h).
 */
#include "clipfree/pixel/cf_early_observed.h"

#include <string.h>

#include "clipfree/pixel/cf_pixel_explain.h"
#include "clipfree/primitive/cf_prim.h"

#define BLOCK_PIXELS 16

/* A block during its early tests. Events by pixel, in block order (cf_block_element), and
 * sample. */
struct early_block {
   const struct cf_pixel_config *config; /* of each sample */
   const struct cf_early_event_sink *sink;
   uint32_t samples, x_px, y_px;
   uint32_t masks[CF_SAMPLES]; /* fragments to be tested */
   struct cf_fragment_event event[BLOCK_PIXELS][CF_SAMPLES];
};

/* Depths of a block's pixels at a sample. Lanes of its four quads have the order of pixels in a
 * block. */
static void
block_depths(const struct cf_sample_units *units, const struct cf_prim *prim,
             const struct early_block *e, uint32_t sample, float depth[CF_TASK_LANES])
{
   struct cf_quad quads[CF_TASK_QUADS];
   const uint32_t place =
      e->samples > 1 ? cf_sample_depth_place(units->at_samples, sample) : CF_SAMPLE_CENTRE;
   for (uint32_t q = 0; q < CF_TASK_QUADS; q++)
      quads[q] = (struct cf_quad){ .prim = prim,
                                   .x_px = (uint16_t)(e->x_px + 2 * (q & 1)),
                                   .y_px = (uint16_t)(e->y_px + (q & 2)) };
   units->primitive->depth_quads(quads, BLOCK_PIXELS / 4, place, depth);
}

static void
read_zs(const struct cf_image *zs, const struct cf_fragment_event *event, uint32_t pixel[2])
{
   memcpy(pixel, zs->data + cf_image_offset_B(zs, event->x_px, event->y_px), zs->format->pixel_B);
}

static void
begin_event(struct early_block *e, uint32_t element, uint32_t sample, float depth, bool front)
{
   struct cf_fragment_event *event = &e->event[element][sample];
   const struct cf_pixel_config *config = &e->config[sample];
   *event = (struct cf_fragment_event){
      .draw = e->sink->draw,
      .primitive = e->sink->primitive,
      .x_px = (uint16_t)(e->x_px + (element & 1) + (element >> 1 & 2)),
      .y_px = (uint16_t)(e->y_px + (element >> 1 & 1) + (element >> 2 & 2)),
      .sample = (uint8_t)sample,
      .front = front,
      .depth = depth,
      .zs_B = (uint8_t)config->zs.format->pixel_B,
   };
   read_zs(&config->zs, event, event->zs_before);
   event->fate = cf_pixel_explain_tests(config, event->zs_before, depth, front);
}

static void
begin_block(struct early_block *e, const struct cf_sample_units *units, const struct cf_prim *prim)
{
   for (uint32_t s = 0; s < e->samples; s++) {
      float depth[CF_TASK_LANES];
      block_depths(units, prim, e, s, depth);
      for (uint32_t left = e->masks[s]; left; left &= left - 1) {
         const uint32_t element = (uint32_t)__builtin_ctz(left);
         begin_event(e, element, s, depth[element], cf_prim_front_facing(prim));
      }
   }
}

static void
end_block(struct early_block *e)
{
   for (uint32_t i = 0; i < BLOCK_PIXELS; i++) {
      for (uint32_t s = 0; s < e->samples; s++) {
         struct cf_fragment_event *event = &e->event[i][s];
         if (!(e->masks[s] >> i & 1))
            continue;
         read_zs(&e->config[s].zs, event, event->zs_after);
         e->sink->observer->early_test(e->sink->observer->user, event);
      }
   }
}

void
cf_early_blocks_observed(const struct cf_sample_units *units, const struct cf_pixel_config *config,
                         const struct cf_prim *prim, struct cf_raster_block *blocks, uint32_t count,
                         const struct cf_early_event_sink *sink)
{
   for (uint32_t i = 0; i < count; i++) {
      struct early_block e = { .config = config,
                               .sink = sink,
                               .samples = 1,
                               .x_px = blocks[i].x_px,
                               .y_px = blocks[i].y_px,
                               .masks = { blocks[i].mask } };
      begin_block(&e, units, prim);
      units->pixel->test_blocks(config, prim, CF_SAMPLE_CENTRE, &blocks[i], 1);
      end_block(&e);
   }
}

void
cf_early_samples_observed(const struct cf_sample_units *units, const struct cf_pixel_config *config,
                          const struct cf_prim *prim, struct cf_raster_samples *blocks,
                          uint32_t count, const struct cf_early_event_sink *sink)
{
   for (uint32_t i = 0; i < count; i++) {
      struct early_block e = { .config = config,
                               .sink = sink,
                               .samples = CF_SAMPLES,
                               .x_px = blocks[i].x_px,
                               .y_px = blocks[i].y_px };
      for (uint32_t s = 0; s < CF_SAMPLES; s++)
         e.masks[s] = blocks[i].mask[s];
      begin_block(&e, units, prim);
      units->pixel->test_samples(config, prim, units->at_samples, &blocks[i], 1);
      end_block(&e);
   }
}
