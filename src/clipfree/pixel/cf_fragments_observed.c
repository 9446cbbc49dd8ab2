/* SPDX-License-Identifier: MIT */
/*
 * cf_fragments_end with an observer. The pixel engine is not changed for it: pixels are read before
 * and after it writes, and each fragment's fate at each sample is computed from the pixels before,
 * by GL's rules (cf_pixel_explain.h). Tests compare the fates with what the pixel engine did.
 */
#include <stddef.h>
#include <string.h>

#include "clipfree/base/cf_for.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/pixel/cf_fragments.h"
#include "clipfree/pixel/cf_pixel_explain.h"

/* The fragments of a task at one sample. */
struct view {
   const struct cf_fragments *fragments;
   const struct cf_pixel_config *pixel; /* of the sample */
   const struct cf_task *task;
   uint32_t sample, alive, alpha_covers, front;
   float depth[CF_TASK_LANES];
};

static uint32_t
sample_count(const struct cf_fragments *f)
{
   return f->pixel->samples > 1 ? CF_SAMPLES : 1;
}

/* Depths of the fragments: the program's output, else interpolated where the sample is tested. */
static void
find_depth(struct view *v)
{
   const struct cf_fragments *f = v->fragments;
   const uint32_t place = f->pixel->samples > 1
                             ? cf_sample_depth_place(f->units->at_samples, v->sample)
                             : CF_SAMPLE_CENTRE;
   if (f->program->writes_depth)
      memcpy(v->depth, v->task->out[CF_OUTPUT_DEPTH], sizeof(v->depth));
   else
      f->units->primitive->depth_quads(f->quads, f->count, place, v->depth);
}

static struct view
view_sample(const struct cf_fragments *f, const struct cf_task *task, uint32_t alive,
            uint32_t sample)
{
   struct view v = { .fragments = f,
                     .pixel = &f->pixel[sample],
                     .task = task,
                     .sample = sample,
                     .alive = alive,
                     .alpha_covers = UINT32_MAX,
                     .front = cf_quads_front_facing(f->quads, f->count) };
   if (v.pixel->alpha_to_coverage)
      v.alpha_covers =
         f->units->pixel->alpha_coverage(v.pixel, (const float *)task->out[3], sample);
   find_depth(&v);
   return v;
}

static uint8_t
pixel_B(const struct cf_image *image)
{
   return image->data ? (uint8_t)image->format->pixel_B : 0;
}

static void
read_pixel(const struct cf_image *image, const struct cf_fragment_event *event, void *pixel)
{
   if (image->data)
      memcpy(pixel, image->data + cf_image_offset_B(image, event->x_px, event->y_px),
             image->format->pixel_B);
}

static void
read_images(const struct cf_pixel_config *pixel, const struct cf_fragment_event *event,
            uint32_t color[CF_MAX_COLOR_TARGETS][4], uint32_t zs[2])
{
   for (uint32_t i = 0; i < pixel->color_count; i++)
      read_pixel(&pixel->color[i], event, color[i]);
   read_pixel(&pixel->zs, event, zs);
}

static enum cf_fate
fate_of(const struct view *v, uint32_t lane, const struct cf_fragment_event *event)
{
   uint32_t zs[2] = { 0 };
   float alpha;
   if (!(v->alive >> lane & 1))
      return CF_FATE_KILLED;
   if (!(v->alpha_covers >> lane & 1))
      return CF_FATE_COVERAGE;
   read_pixel(&v->pixel->zs, event, zs);
   memcpy(&alpha, &v->task->out[3][lane], sizeof(alpha));
   return cf_pixel_explain(v->pixel, zs, event->depth, alpha, event->front);
}

/* Fill the event up to its colours: before the task is written. */
static void
begin_place(const struct view *v, uint32_t lane, const struct cf_fragments_event_sink *sink,
            struct cf_fragment_event *event)
{
   const struct cf_quad *quad = &v->fragments->quads[lane / 4];
   event->draw = sink->draw;
   event->primitive = sink->primitive[lane / 4];
   event->x_px = (uint16_t)(quad->x_px + (lane & 1));
   event->y_px = (uint16_t)(quad->y_px + (lane >> 1 & 1));
   event->sample = (uint8_t)v->sample;
   event->front = v->front >> lane & 1;
   event->depth = v->depth[lane];
   event->fate = fate_of(v, lane, event);
}

static void
copy_color(const struct cf_task *task, uint32_t first, uint32_t lane, float color[4])
{
   for (uint32_t c = 0; c < 4; c++)
      memcpy(&color[c], &task->out[first + c][lane], sizeof(float));
}

/* Fill the rest, but for the pixels after. */
static void
begin_pixels(const struct view *v, uint32_t lane, struct cf_fragment_event *event)
{
   const size_t filled_B = offsetof(struct cf_fragment_event, color);
   memset((uint8_t *)event + filled_B, 0, sizeof(*event) - filled_B);
   event->color_count = v->pixel->color_count;
   copy_color(v->task, 0, lane, event->color);
   const struct cf_pixel_target *target = &v->pixel->target[0];
   event->blends_second = v->pixel->color_writes & 1 && target->blend && target->dual_source;
   if (event->blends_second)
      copy_color(v->task, v->pixel->program_color_outputs & 2 ? 4 : 0, lane, event->second_color);
   for (uint32_t i = 0; i < event->color_count; i++)
      event->color_B[i] = pixel_B(&v->pixel->color[i]);
   event->zs_B = pixel_B(&v->pixel->zs);
   read_images(v->pixel, event, event->color_before, event->zs_before);
}

/* The lanes that are fragments, by sample: shaded, and covered at the sample. */
static void
find_lanes(const struct cf_fragments *f, uint32_t lanes[CF_SAMPLES])
{
   memset(lanes, 0, CF_SAMPLES * sizeof(lanes[0]));
   lanes[0] = UINT32_MAX;
   if (f->pixel->samples > 1)
      cf_samples_covered(f->quads, f->count, lanes);
   for (uint32_t s = 0; s < CF_SAMPLES; s++)
      lanes[s] &= f->lanes;
}

/* Leave those that the observer wants. */
static void
choose_lanes(const struct cf_observer *observer, uint32_t lanes[CF_SAMPLES])
{
   for (uint32_t s = 0; observer->fragment_pixels && s < CF_SAMPLES; s++)
      lanes[s] &= observer->fragment_pixels * 0x11111111u;
}

/* The lanes that alpha to coverage and the alpha test leave at a sample. */
static uint32_t
alpha_passes(const struct cf_fragments *f, const struct cf_task *task, uint32_t sample)
{
   const struct cf_pixel_config *pixel = &f->pixel[sample];
   const float *alpha = (const float *)task->out[3];
   uint32_t lanes =
      pixel->alpha_to_coverage ? f->units->pixel->alpha_coverage(pixel, alpha, sample) : UINT32_MAX;
   for (uint32_t lane = 0; pixel->alpha_test && lane < CF_TASK_LANES; lane++) {
      if (!cf_pixel_explain_alpha(pixel, alpha[lane]))
         lanes &= ~(1u << lane);
   }
   return lanes;
}

void
cf_fragments_reached(const struct cf_fragments *f, const struct cf_task *task, uint32_t alive,
                     uint32_t covered[CF_SAMPLES], uint32_t tested[CF_SAMPLES])
{
   find_lanes(f, covered);
   memset(tested, 0, CF_SAMPLES * sizeof(tested[0]));
   for (uint32_t s = 0; s < sample_count(f); s++)
      tested[s] = covered[s] & alive & alpha_passes(f, task, s);
   for (uint32_t s = sample_count(f); s < CF_SAMPLES; s++)
      covered[s] = 0;
}

void
cf_fragments_end_observed(const struct cf_fragments *f, struct cf_task *task, uint32_t alive,
                          uint32_t written[CF_SAMPLES], const struct cf_fragments_event_sink *sink)
{
   struct cf_fragment_event event[CF_SAMPLES][CF_TASK_LANES];
   uint32_t lanes[CF_SAMPLES];
   const bool pixels = !sink->observer->fragment_depths;
   find_lanes(f, lanes);
   choose_lanes(sink->observer, lanes);
   cf_fragments_cover(f, task);
   for (uint32_t s = 0; s < sample_count(f); s++) {
      const struct view v = view_sample(f, task, alive, s);
      CF_FOR_BITS(lane, lanes[s]) {
         begin_place(&v, lane, sink, &event[s][lane]);
         if (pixels)
            begin_pixels(&v, lane, &event[s][lane]);
      }
   }
   cf_fragments_write(f, task, alive, written);
   for (uint32_t lane = 0; lane < CF_TASK_LANES; lane++) {
      for (uint32_t s = 0; s < sample_count(f); s++) {
         if (!(lanes[s] >> lane & 1))
            continue;
         if (pixels)
            read_images(&f->pixel[s], &event[s][lane], event[s][lane].color_after,
                        event[s][lane].zs_after);
         sink->observer->fragment(sink->observer->user, &event[s][lane]);
      }
   }
}
