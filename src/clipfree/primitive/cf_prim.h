/* SPDX-License-Identifier: MIT */
/*
 * A set-up primitive, as bins hold it: linear functions a x + b y + c of the window position.
 *
 * Integers (x, y) stand for the centre of pixel (x, y): the offset of centres (1/2, or 0 if the
 * draw has centres at integers) is folded into c. A sample of the pixel is at (x, y) +
 * cf_sample_offset_px. All functions of a primitive are scaled by one positive power of two, such
 * that sum(weight_i w_i) lies in [1, 2): signs stay those of paper A's eq. 4, and values fit f32.
 *
 * - Edge functions: the primitive covers P iff each edge(P) > 0, or = 0 and that edge is inclusive.
 *   A triangle has the three edges of eq. 1. A line has four: two across its ends, two along it. A
 *   point has none, since its bounds are its coverage; with several samples it has the four sides
 *   of its square.
 *
 * - Weights are homogeneous barycentrics: P = sum(weight_i V_i) up to scale. Edge functions 0 .. 2
 *   of a triangle and 0 .. 1 of a line are its weights. A point has its coordinates (s, t) instead
 *   (struct cf_point_place).
 *
 * - Clip planes (near, far, user): P is inside iff sum(weight_i d_i) >= 0, with d_i the distances
 *   of the vertices. These functions are not stored; rasterisation derives them for the planes in
 *   `planes`. A point on a user plane is resolved as if it were moved by an infinitesimal (d, d^2):
 *   a plane and its opposite then leave complementary parts of a primitive.
 */
#ifndef CF_PRIM_H
#define CF_PRIM_H

#include <stddef.h>

#include "clipfree/arith/cf_eft.h"
#include "clipfree/arith/cf_minmax.h"
#include "clipfree/interface/cf_limits.h"
#include "clipfree/primitive/cf_primitive.h"

/* Clip planes: bits of cf_prim.planes, which has those with a vertex outside (of a user plane:
 * outside or on it). Other planes do not cut the primitive. */
#define CF_PLANE_NEAR 0
#define CF_PLANE_FAR 1
#define CF_PLANE_USER 2
#define CF_PLANES (CF_PLANE_USER + 8)

#define CF_PRIM_MAX_EDGES 4

/* The coordinates of a point, 0 to 1 across its square: s = s_per_px x + s_0, t likewise. */
struct cf_point_place {
   double s_per_px, s_0, t_per_px, t_0;
};

/* In rows of 32 bytes, which set-up writes at once (cf_wide_rows.h). Points of one sample a pixel
 * end after two cache lines, in memory too (cf_prim_kind_B): they have no edge functions. */
struct cf_prim {
   _Alignas(64) float z_min;
   float z_max; /* window depth is clamped to z_min .. z_max */
   struct cf_prim_bounds bounds;
   const struct cf_primitive_config *config;
   const float (*varyings)[3];
   /* depth plane: window depth before clamping, with viewport and polygon offset */
   double z_a, z_b, z_c;
   double inv_scale;     /* 1 / sum(weight_i w_i): 1 / w_clip = sum(weight_i) inv_scale */
   uint8_t shape, edges; /* enum cf_prim_shape; number of edge functions */
   uint8_t inclusive;    /* bit per edge: it covers points on it (top-left rule) */
   bool front;           /* front-facing */
   bool flipped;    /* edge functions are those of eq. 1 negated: the determinant is negative */
   bool round;      /* a point that is a disc inside its square; only with several samples */
   uint16_t planes; /* bit per clip plane (CF_PLANE_*) that cuts the primitive */
   union {
      int32_t stipple_origin_px; /* line stipple: the first pixel on the major axis */
      float weight_sum;          /* of a triangle: cf_prim_weight_sum */
   };
   union {
      uint16_t stipple_start; /* the position of that pixel in the pattern */
      bool short_weights;     /* of a triangle: cf_prim_weights_are_short */
   };
   /* Number of the first edge function that decides coverage. Those before it are weights alone:
    * the ends of a line whose bounds end there. */
   uint8_t first_edge;
   /* Wide lines (GL 2.1 section 3.4.2): all pixels of a column (of x-major lines; else row) have
    * the depth and varyings of its lowest (leftmost) pixel. */
   bool replicated;
   union {
      float vertex[3][4]; /* clip space x, y, z, w; of lines the last is 0 */
      struct {
         float point_vertex[4];
         struct cf_point_place point;
      };
   };
   /* edge functions */
   double a[CF_PRIM_MAX_EDGES], b[CF_PRIM_MAX_EDGES], c[CF_PRIM_MAX_EDGES];
   /* error bound of an edge function, |computed - real value|, at every pixel and sample of the
    * frame buffer; 0: values are exact */
   double error[CF_PRIM_MAX_EDGES];
};

_Static_assert(sizeof(struct cf_prim) == 256, "four cache lines");
_Static_assert(offsetof(struct cf_prim, a) == 128, "a point is two");
_Static_assert(sizeof(struct cf_prim) <= CF_PRIM_LIMIT_B, "CF_PRIM_LIMIT_B is an upper limit");

/* Window depth of a primitive: (a x + b y) + c at pixel (x, y), in f64, rounded to f32 and clamped to
 * low .. high. */
struct cf_depth_plane {
   double a, b, c;
   float low, high;
};

static inline struct cf_depth_plane
cf_prim_depth_plane(const struct cf_prim *prim)
{
   return (struct cf_depth_plane){ prim->z_a, prim->z_b, prim->z_c, prim->z_min, prim->z_max };
}

/** Whether the primitive is front-facing. Points and lines of a polygon mode take the face of their
 * polygon. */
static inline bool
cf_prim_front_facing(const struct cf_prim *prim)
{
   return prim->front;
}

/** The part of a primitive's bounds inside the 64x64 tile at (x_px, y_px). They must overlap. */
static inline struct cf_prim_bounds
cf_prim_bounds_in_tile(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px)
{
   const struct cf_prim_bounds *b = &prim->bounds;
   return (struct cf_prim_bounds){
      (uint16_t)cf_max_u32(b->min_x_px, x_px),
      (uint16_t)cf_max_u32(b->min_y_px, y_px),
      (uint16_t)cf_min_u32(b->max_x_px, x_px + CF_TILE_PX),
      (uint16_t)cf_min_u32(b->max_y_px, y_px + CF_TILE_PX),
   };
}

/* The corners of bounds, x | y << 16 each, so that one operation does for both axes; max exclusive.
 */
struct cf_prim_corners {
   uint32_t min_px, max_px;
};

static inline struct cf_prim_corners
cf_prim_corners(const struct cf_prim_bounds *b)
{
   return (struct cf_prim_corners){ b->min_x_px | (uint32_t)b->min_y_px << 16,
                                    b->max_x_px | (uint32_t)b->max_y_px << 16 };
}

/** cf_prim_bounds_are_small for bounds that are not empty: measured from the corner of the first
 * block, width and height are 1 to 8 pixels. Less 1 they have bits 2:0 alone; neither half borrows
 * from the other. */
static inline bool
cf_prim_corners_are_small(struct cf_prim_corners corners)
{
   const uint32_t sizes_px = corners.max_px - (corners.min_px & 0xfffcfffc);
   return ((sizes_px - 0x00010001) & 0xfff8fff8) == 0;
}

/** Whether these bounds touch at most 2x2 blocks, and any pixel. */
static inline bool
cf_prim_bounds_are_small(const struct cf_prim_bounds *b)
{
   return b->min_x_px < b->max_x_px && b->min_y_px < b->max_y_px &&
          cf_prim_corners_are_small(cf_prim_corners(b));
}

/** Whether a primitive of small bounds is small: no clip plane cuts it, and at most three edges
 * decide coverage. */
static inline bool
cf_prim_may_be_small(const struct cf_prim *prim)
{
   return prim->edges - prim->first_edge <= 3 && prim->planes == 0;
}

/** Whether the primitive is small in the tile. */
static inline bool
cf_prim_is_small(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px)
{
   const struct cf_prim_bounds b = cf_prim_bounds_in_tile(prim, x_px, y_px);
   return cf_prim_may_be_small(prim) && cf_prim_bounds_are_small(&b);
}

/** Offset of a sample from its pixel's centre, x (axis 0) or y: a multiple of 1/16, exact. */
static inline double
cf_sample_offset_px(uint32_t sample, uint32_t axis)
{
   return cf_sample_position[sample][axis] * (1.0 / CF_SAMPLE_UNITS) - 0.5;
}

/** The sum of a triangle's weights, rounded to f32, if it is the same at all pixels of its bounds,
 * and of blocks that these touch; 0: not known to be. Vertices of such a triangle have one w, as
 * those of all that is drawn flat. Then also, at all these pixels, weights 0 and 1 are 0 (never -0)
 * or, rounded to f32, between 2^-88 and 2^60 in magnitude; the sum is between 2^-16 and 2^16. */
float cf_prim_weight_sum(const struct cf_prim *prim);

/** Whether f32 computes weights 0 and 1 of a triangle exactly, each product and each sum, at all
 * pixels of its bounds and of blocks that these touch. So it is of rectangles of whole pixels that
 * fill the viewport, or a part of it of 2^-n. */
bool cf_prim_weights_are_short(const struct cf_prim *prim);

/** The power of two that scales a normal v > 0 to [1, 2); for v = 0 a large power of two. */
static inline double
cf_scale_to_one(double v)
{
   const uint64_t exponent = cf_bits64(v) >> 52;
   return cf_double((2046 - exponent) << 52);
}

/** Whether plane number `plane` (CF_PLANE_*) cuts what a varying has (gl_ClipVertex,
 * gl_ClipDistance) instead of the clip-space position. */
static inline bool
cf_plane_has_vertex(const struct cf_primitive_config *config, uint32_t plane)
{
   return plane >= CF_PLANE_USER && config->clip_planes.has_vertex;
}

/** The varying slot of such a plane. */
static inline uint32_t
cf_plane_varying(const struct cf_primitive_config *config, uint32_t plane)
{
   const struct cf_clip_planes *planes = &config->clip_planes;
   return planes->distances && plane >= CF_PLANE_USER + 4 ? planes->second_varying
                                                          : planes->vertex_varying;
}

/** The clip plane (CF_PLANE_*) of function i of rasterisation, i >= prim->edges: the edge functions
 * come first, then the planes of prim->planes in order. */
static inline uint32_t
cf_prim_plane(const struct cf_prim *prim, uint32_t i)
{
   uint32_t planes = prim->planes;
   for (; i > prim->edges; i--)
      planes &= planes - 1;
   return __builtin_ctz(planes);
}

/** Signed distance of a vertex (x, y, z, w) from a plane; negative is outside. Of gl_ClipDistance v
 * has the distances themselves. The distance from a user plane is rounded to f32, as a vertex
 * program would compute it: a vertex that is on the plane up to the rounding of coefficients gets
 * 0, not noise. */
static inline double
cf_plane_distance(const struct cf_primitive_config *config, uint32_t plane, const float *v)
{
   const double x = v[0], y = v[1], z = v[2], w = v[3];
   if (plane == CF_PLANE_NEAR)
      return config->raster.clip_halfz ? z : z + w;
   if (plane == CF_PLANE_FAR)
      return w - z;
   if (config->clip_planes.distances)
      return v[(plane - CF_PLANE_USER) % 4];
   const float *p = &config->clip_planes.plane[4 * (plane - CF_PLANE_USER)];
   return (float)(p[0] * x + p[1] * y + p[2] * z + p[3] * w);
}

#endif
