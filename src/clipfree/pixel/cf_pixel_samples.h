/* SPDX-License-Identifier: MIT */
/*
 * Tests and writing of fragment tasks in frames of several samples a pixel: the pixel engine is called for each sample, with the
 * lanes of the task that it is covered in.
 *
 * Data flow: quads -> cf_samples_covered -> shading -> cf_samples_test -> cf_samples_write -> surfaces.
 */
#ifndef CF_PIXEL_SAMPLES_H
#define CF_PIXEL_SAMPLES_H

#include "clipfree/pixel/cf_pixel.h"

/* The units that test samples. */
struct cf_sample_units {
   const struct cf_primitive_ops *primitive;
   const struct cf_pixel_ops *pixel;
   /* depth is taken at samples; else at pixels' centres, where primitives are rasterised with one
    * sample */
   bool at_samples;
};

/** The place that a sample's depth is taken at (cf_depth_place_px). */
static inline uint32_t
cf_sample_depth_place(bool at_samples, uint32_t sample)
{
   return at_samples ? sample : CF_SAMPLE_CENTRE;
}

/** The covered lanes of each sample. Those beyond `count` quads are undefined. */
void cf_samples_covered(const struct cf_quad *quads, uint32_t count, uint32_t lanes[CF_SAMPLES]);

/** All tests after the shader: the lanes of each sample lose those that fail. config: of each sample. out: the task's outputs, of which
 *  alpha and depth are read where a test needs them. */
void cf_samples_test(const struct cf_sample_units *units, const struct cf_pixel_config *config, const struct cf_quad *quads,
                     uint32_t count, const float (*out)[CF_TASK_LANES], uint32_t lanes[CF_SAMPLES]);

/** Blend and write colours to the lanes of each sample. */
void cf_samples_write(const struct cf_pixel_ops *ops, const struct cf_pixel_config *config, const struct cf_quad *quads,
                      uint32_t count, const float (*out)[CF_TASK_LANES], const uint32_t lanes[CF_SAMPLES]);

#endif
