/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: lines during their set-up. cf_line.c explains them and sets up one at a
 * time; cf_line_lanes.c the usual kind, four at a time.
 */
#ifndef CF_LINE_H
#define CF_LINE_H

#include "clipfree/base/cf_lanes.h"
#include "clipfree/primitive/cf_setup.h"

#include <math.h>

#define CF_SUBPIXELS 256

/* floor and ceil, without a call for what lies near the window. */
static inline double
cf_floor_near(double v)
{
   return fabs(v) < 0x1p30 ? rounded_down(v) : floor(v);
}

static inline double
cf_ceil_near(double v)
{
   return fabs(v) < 0x1p30 ? rounded_up(v) : ceil(v);
}

/* Their width, rounded as GL says. */
static inline double
cf_line_width_px(const struct cf_raster *raster)
{
   const double width = smaller(raster->line_width_px, CF_MAX_SIZE_PX);
   if (raster->line_smooth || raster->multisample)
      return width > 0.0 ? width : 1.0;
   return width > 1.0 ? cf_floor_near(width + 0.5) : 1.0;
}

/* Aliased lines begin and end by the diamond-exit rule (GL 2.1 section 3.4.1). */
static inline bool
cf_lines_exit_diamonds(const struct cf_primitive_config *config)
{
   return !config->raster.line_smooth && !config->raster.multisample && config->samples <= 1;
}

/* Multisampled and smooth lines are rectangles (GL 2.1 sections 3.4.4 and 3.4.2). */
static inline bool
cf_lines_are_rectangles(const struct cf_primitive_config *config)
{
   return config->samples > 1 || cf_shape_is_smooth(config, CF_SHAPE_LINE);
}

/** Whether lines may be set up in batches (cf_line_ops): aliased ones and rectangles, without
 * stipple or user clip planes. */
static inline bool
cf_lines_are_plain(const struct cf_primitive_config *config)
{
   return (cf_lines_exit_diamonds(config) || cf_lines_are_rectangles(config)) &&
          !config->raster.line_stipple && config->raster.clip_planes == 0;
}

#define CF_LINE_BATCH 4 /* lines that assembly sets up with one call */

/* The table of a host level. setup: cull, set up and commit `count` lines, at most CF_LINE_BATCH,
 * in order, where cf_lines_are_plain; lines of polygons they are not. */
struct cf_line_ops {
   void (*setup)(const struct cf_setup *setup, const float *const v[][2],
                 const float *const *provoking, uint32_t count);
};
CF_LANES_DECLARE(struct cf_line_ops, cf_line_ops)

#endif
