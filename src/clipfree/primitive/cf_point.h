/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: points during their set-up. cf_point.c explains them and sets up one at a
 * time; cf_point_lanes.c the usual kind, four at a time.
 */
#ifndef CF_POINT_H
#define CF_POINT_H

#include "clipfree/base/cf_lanes.h"
#include "clipfree/primitive/cf_setup.h"

#define CF_POINT_SUBPIXELS 256
#define CF_POINT_FAR_PX 0x1p20 /* from there the largest point reaches no frame buffer */

/** Plain points are squares of whole pixels. */
static inline bool
cf_points_are_plain(const struct cf_raster *raster)
{
   return !raster->point_quad && !raster->point_smooth && !raster->multisample;
}

/** The pixels that points may cover. */
static inline const struct cf_limits_px *
cf_point_limits(const struct cf_setup *setup)
{
   return setup->config->raster.cut_to_viewport ? &setup->visible : &setup->scissor;
}

/** Whether a point covers the pixels whose centres are in its square, or all that it overlaps. */
static inline bool
cf_points_cover_centres(const struct cf_primitive_config *config)
{
   return config->samples <= 1 && !cf_shape_is_smooth(config, CF_SHAPE_POINT);
}

/** The sign of t in the window, where y points down. */
static inline double
cf_point_t_sign(const struct cf_raster *raster)
{
   return raster->sprite_origin_lower_left ? -1.0 : 1.0;
}

#define CF_POINT_BATCH 4 /* points that assembly sets up with one call */

/** Whether points may be set up in batches: in frames of one sample, without user clip planes. */
static inline bool
cf_points_are_batched(const struct cf_primitive_config *config)
{
   return config->samples <= 1 && config->raster.clip_planes == 0;
}

/* The table of a host level. setup: cull, set up and commit `count` points, at most CF_POINT_BATCH,
 * in order, where cf_points_are_batched; points of polygons they are not. */
struct cf_point_ops {
   void (*setup)(const struct cf_setup *setup, const float *const *v, uint32_t count);
};
CF_LANES_DECLARE(struct cf_point_ops, cf_point_ops)

#endif
