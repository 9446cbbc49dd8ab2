/* SPDX-License-Identifier: MIT */
#include "clipfree/pixel/cf_pixel_samples.h"

/* Most often that is all lanes for all of them. */
void
cf_samples_covered(const struct cf_quad *quads, uint32_t count, uint32_t lanes[CF_SAMPLES])
{
   const uint32_t every = CF_QUAD_SAMPLE(0) * 0xffffu;
   uint32_t masks = every;
   for (uint32_t i = 0; i < count; i++)
      masks &= quads[i].masks;
   for (uint32_t s = 0; s < CF_SAMPLES; s++) {
      lanes[s] = masks == every ? UINT32_MAX : 0;
      for (uint32_t i = 0; i < count && masks != every; i++)
         lanes[s] |= cf_quad_mask(&quads[i], CF_QUAD_SAMPLE(s)) << 4 * i;
   }
}

static uint32_t
test_sample(const struct cf_sample_units *units, const struct cf_pixel_config *config, uint32_t sample, const struct cf_quad *quads,
            uint32_t count, const float (*out)[CF_TASK_LANES], uint32_t lanes)
{
   _Alignas(64) float interpolated[CF_TASK_LANES];
   const float *depth = interpolated;
   if (config->alpha_to_coverage)
      lanes &= units->pixel->alpha_coverage(config, out[3], sample);
   if (!lanes || !config->late_tests)
      return lanes;
   if (config->program_writes_depth)
      depth = out[CF_OUTPUT_DEPTH];
   else
      units->primitive->depth_quads(quads, count, cf_sample_depth_place(units->at_samples, sample), interpolated);
   return units->pixel->test_quads(config, quads, count, lanes, depth, out[3], cf_quads_front_facing(quads, count));
}

void
cf_samples_test(const struct cf_sample_units *units, const struct cf_pixel_config *config, const struct cf_quad *quads, uint32_t count,
                const float (*out)[CF_TASK_LANES], uint32_t lanes[CF_SAMPLES])
{
   for (uint32_t s = 0; s < CF_SAMPLES; s++) {
      if (lanes[s])
         lanes[s] = test_sample(units, &config[s], s, quads, count, out, lanes[s]);
   }
}

void
cf_samples_write(const struct cf_pixel_ops *ops, const struct cf_pixel_config *config, const struct cf_quad *quads, uint32_t count,
                 const float (*out)[CF_TASK_LANES], const uint32_t lanes[CF_SAMPLES])
{
   const uint32_t some = lanes[0] | lanes[1] | lanes[2] | lanes[3], all = lanes[0] & lanes[1] & lanes[2] & lanes[3];
   if (!some || !config->color_writes)
      return;
   if (some == all && count == CF_TASK_QUADS) {
      ops->write_all_samples(config, quads, all, out);
      return;
   }
   for (uint32_t s = 0; s < CF_SAMPLES; s++) {
      if (lanes[s])
         ops->write_quads(&config[s], quads, count, lanes[s], out);
   }
}
