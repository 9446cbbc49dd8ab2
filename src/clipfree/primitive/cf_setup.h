/* SPDX-License-Identifier: MIT */
/*
 * Set-up of primitives: state derived once per configuration (schedule/ keeps it between draws),
 * and set-up by shape.
 */
#ifndef CF_SETUP_H
#define CF_SETUP_H

#include "clipfree/arith/cf_eft.h"
#include "clipfree/arith/cf_exact.h"
#include "clipfree/primitive/cf_prim.h"

/* Minimum and maximum of numbers that are not NaN. fmin and fmax would be calls, too slow for small
 * draws. */
static inline double
smaller(double a, double b)
{
   return a < b ? a : b;
}

static inline double
larger(double a, double b)
{
   return a > b ? a : b;
}

/* floor and ceil of |v| < 2^31, which would be calls, too. */
static inline double
rounded_down(double v)
{
   const double truncated = (int32_t)v;
   return truncated - (truncated > v);
}

static inline double
rounded_up(double v)
{
   const double truncated = (int32_t)v;
   return truncated + (truncated < v);
}

/* Rectangle of whole pixels, max exclusive. */
struct cf_limits_px {
   double min_x, min_y, max_x, max_y;
};

static inline bool
cf_limits_are_empty(const struct cf_limits_px *r)
{
   return !(r->min_x < r->max_x && r->min_y < r->max_y);
}

struct cf_triangle_ops; /* cf_triangle.h */
struct cf_line_ops;     /* cf_line.h */
struct cf_point_ops;    /* cf_point.h */

/* What set-up derives from a configuration. */
struct cf_setup {
   const struct cf_primitive_config *config;
   const struct cf_prim_sink *sink;
   /* set-up of triangles, lines and points at the configuration's vector level */
   const struct cf_triangle_ops *triangle;
   const struct cf_line_ops *line;
   const struct cf_point_ops *point;
   struct cf_viewport_xy viewport;
   /* eq. 4, times sign(sx sy): a' = ya a, b' = xb b, c' = xyc c - yta a - xtb b */
   double ya, xb, xyc, yta, xtb;
   bool map_short;             /* xyc, yta, xtb have at most 24 significant bits */
   bool mirrored;              /* sx sy < 0 */
   double half_px;             /* offset of a pixel's centre from its upper left corner */
   /* least and greatest offset of a sample in its pixel, in x and in y; for smooth primitives those
    * of the pixel's area */
   double low_px, high_px;
   /* grid of sample positions: distances between samples are multiples of it */
   double grid_px;
   double reach_px;            /* bound of pixel coordinates in error bounds */
   struct cf_limits_px scissor;     /* the scissor: bounds of points */
   /* the scissor inside the viewport, which is the view volume: bounds of triangles */
   struct cf_limits_px visible;
   struct cf_limits_px viewport_px; /* pixels of the viewport */
   double z_scale, z_translate;
   float z_low, z_high; /* final clamp of window depth */
};

/* What a line or point inherits from the polygon that it outlines. Other lines and points are
 * front-facing, without offset. */
struct cf_face {
   bool front;
   double z_offset; /* polygon offset */
};

/** False: nothing can be drawn (empty scissor, viewport without area or not finite). */
bool cf_setup_init(struct cf_setup *setup, const struct cf_primitive_config *config,
                   const struct cf_prim_sink *sink);

/** Set up and commit a line. *stipple: pixels of the strip before it, modulo the pattern's length;
 * those of the line are added. */
void cf_setup_line(const struct cf_setup *setup, const float *v0, const float *v1,
                   const float *provoking, const struct cf_face *face, uint32_t *stipple);

/** Add a line's pixels to *stipple. */
void cf_line_advance_stipple(const struct cf_setup *setup, const float *v0, const float *v1,
                             uint32_t *stipple);

void cf_setup_point(const struct cf_setup *setup, const float *v0, const float *provoking,
                    const struct cf_face *face);

/* ---- shared by all shapes ---- */

/** True if x, y, z and w of a record are finite. */
static inline bool
cf_vertex_is_finite(const float *v)
{
   const float zero = (v[0] - v[0]) + (v[1] - v[1]) + (v[2] - v[2]) + (v[3] - v[3]);
   return zero == 0.0f; /* inf - inf is NaN */
}

/** The planes of the view volume (depth) and the user's clip planes that some of the `count`
 * vertices are outside of, into *planes. False: all of them are outside of one plane, nothing is
 * visible. */
bool cf_setup_planes(const struct cf_setup *setup, const float *const *v, uint32_t count,
                     uint16_t *planes);

/** Pixel bounds of a window rectangle: all pixels with a sample inside it, sides included, inside
 * `limits` (0 .. 65535). Conservative: the rectangle is widened by 2^-12 pixel. False: none. */
static inline bool
cf_setup_bounds(const struct cf_setup *setup, const struct cf_limits_px *limits, double min_x,
                double min_y, double max_x, double max_y, struct cf_prim_bounds *bounds)
{
   const double slack_px = 0x1p-12; /* far above the rounding errors of projection */
   min_x -= setup->high_px + slack_px;
   min_y -= setup->high_px + slack_px;
   max_x -= setup->low_px - slack_px;
   max_y -= setup->low_px - slack_px;
   const double x0 = min_x > limits->min_x ? min_x : limits->min_x,
                x1 = max_x < limits->max_x - 1 ? max_x : limits->max_x - 1;
   const double y0 = min_y > limits->min_y ? min_y : limits->min_y,
                y1 = max_y < limits->max_y - 1 ? max_y : limits->max_y - 1;
   if (!(x0 <= x1 && y0 <= y1))
      return false;
   /* truncation is floor here */
   const int32_t ix0 = (int32_t)x0, iy0 = (int32_t)y0;
   bounds->min_x_px = ix0 + (ix0 < x0);
   bounds->min_y_px = iy0 + (iy0 < y0);
   bounds->max_x_px = (int32_t)x1 + 1;
   bounds->max_y_px = (int32_t)y1 + 1;
   return bounds->min_x_px < bounds->max_x_px && bounds->min_y_px < bounds->max_y_px;
}

/** All pixels of a rectangle that is not empty. */
static inline struct cf_prim_bounds
cf_setup_all(const struct cf_limits_px *rect)
{
   return (struct cf_prim_bounds){ (uint16_t)rect->min_x, (uint16_t)rect->min_y,
                                   (uint16_t)rect->max_x, (uint16_t)rect->max_y };
}

/** Window depth of clip-space depth z / w. */
static inline double
cf_setup_depth(const struct cf_setup *setup, double z_ndc)
{
   return z_ndc * setup->z_scale + setup->z_translate;
}

/** Set the range depth is clamped to: that of the vertices (z_min .. z_max) and of the frame
 * buffer. */
static inline void
cf_setup_depth_range(const struct cf_setup *setup, struct cf_prim *prim, double z_min, double z_max)
{
   /* rounding is monotonic: a depth between the vertices' rounds to one between theirs, rounded */
   const float low = (float)z_min > setup->z_low ? (float)z_min : setup->z_low;
   const float high = (float)z_max > setup->z_low ? (float)z_max : setup->z_low;
   prim->z_min = low < setup->z_high ? low : setup->z_high;
   prim->z_max = high < setup->z_high ? high : setup->z_high;
}

/** Room for a primitive and its varyings. NULL: out of memory. */
static inline struct cf_prim *
cf_setup_reserve(const struct cf_setup *setup, float (**varyings)[3])
{
   struct cf_prim *prim;
   return setup->sink->reserve(setup->sink->user, 1, &prim, varyings) ? prim : NULL;
}

/** Fill the varyings of the primitive reserved last from the records of its vertices (v: as many as
 * the shape has), which are completed before, and commit it. */
void cf_setup_finish(const struct cf_setup *setup, struct cf_prim *prim, const float *const *v,
                     const float *provoking, float (*varyings)[3]);

/** The inclusive edges of a primitive, a bit each: those that cover samples exactly on them.
 * Top-left rule: an edge is inclusive if the primitive lies to the right of it (a > 0) or, for a
 * horizontal edge, below it (b > 0: y points down); with bottom_edge_rule above it. Coefficients
 * are rounded, but their signs are exact. */
static inline uint8_t
cf_setup_inclusive_edges(const struct cf_setup *setup, const struct cf_prim *prim)
{
   const double down = setup->config->raster.bottom_edge_rule ? -1.0 : 1.0;
   uint32_t inclusive = 0;
   for (uint32_t i = 0; i < CF_PRIM_MAX_EDGES; i++)
      inclusive |= ((prim->a[i] > 0.0) | ((prim->a[i] == 0.0) & (prim->b[i] * down > 0.0))) << i;
   return inclusive & ((1u << prim->edges) - 1);
}

/** Polygon offset (GL 2.1 section 3.5.5) for the depth plane, largest slope `slope` and largest
 * window depth z_max. */
double cf_setup_depth_offset(const struct cf_setup *setup, double slope, double z_max);

#endif
