/* SPDX-License-Identifier: MIT */
/*
 * Layout of a set-up primitive (cf_prim.h) for compiled code: offsets in bytes of the members that
 * it reads. C code calls functions of cf_prim.h and cf_primitive.h instead.
 */
#ifndef CF_PRIM_LAYOUT_H
#define CF_PRIM_LAYOUT_H

#include <stddef.h>

#include "clipfree/primitive/cf_prim.h"

/* A linear function of the pixel, (a x + b y) + c: three doubles. */
struct cf_function_layout {
   size_t a_B, b_B, c_B;
};

/** Edge i, which is also weight i. */
static inline struct cf_function_layout
cf_prim_edge_layout(unsigned i)
{
   const size_t i_B = i * sizeof(double);
   return (struct cf_function_layout){ offsetof(struct cf_prim, a) + i_B,
                                       offsetof(struct cf_prim, b) + i_B,
                                       offsetof(struct cf_prim, c) + i_B };
}

/** Coordinate i of a point, 0 for s and 1 for t: a function of x, or y, alone, so that b is not
 * there. */
static inline struct cf_function_layout
cf_prim_point_layout(unsigned i)
{
   const size_t i_B = offsetof(struct cf_prim, point) + 2 * i * sizeof(double);
   return (struct cf_function_layout){ .a_B = i_B, .c_B = i_B + sizeof(double) };
}

static inline struct cf_function_layout
cf_prim_depth_layout(void)
{
   return (struct cf_function_layout){ offsetof(struct cf_prim, z_a), offsetof(struct cf_prim, z_b),
                                       offsetof(struct cf_prim, z_c) };
}

#define CF_PRIM_DEPTH_LOW_B offsetof(struct cf_prim, z_min)        /* float */
#define CF_PRIM_DEPTH_HIGH_B offsetof(struct cf_prim, z_max)       /* float */
#define CF_PRIM_INV_SCALE_B offsetof(struct cf_prim, inv_scale)    /* double */
#define CF_PRIM_CONFIG_B offsetof(struct cf_prim, config)          /* pointer */
#define CF_PRIM_VARYINGS_B offsetof(struct cf_prim, varyings)      /* pointer */
#define CF_PRIM_FRONT_B offsetof(struct cf_prim, front)            /* bool */
#define CF_PRIM_WEIGHT_SUM_B offsetof(struct cf_prim, weight_sum)  /* float */
#define CF_PRIM_SHORT_WEIGHTS_B offsetof(struct cf_prim, short_weights) /* bool */
#define CF_PRIM_REPLICATED_B offsetof(struct cf_prim, replicated)  /* bool */

/** Clip-space w of vertex i: a float. */
static inline size_t
cf_prim_vertex_w_B(unsigned i)
{
   return offsetof(struct cf_prim, vertex) + (i * 4 + 3) * sizeof(float);
}

#endif
