/* SPDX-License-Identifier: MIT */
/* Private to the room: depth as surfaces store it. All functions are always inlined. */
#ifndef CF_DEPTH_STORED_H
#define CF_DEPTH_STORED_H

#include "clipfree/arith/cf_fp.h"
#include "clipfree/base/cf_inline.h"
#include "clipfree/pixel/cf_pixel.h"

/* cf_fsat, in integers: fewer operations in all vector instruction sets. */
CF_INLINE float
saturate(float x)
{
   const int32_t bits = (int32_t)cf_bits(x), positive = bits > 0 ? bits : 0;
   const int32_t one = (int32_t)cf_bits(1.0f), clamped = positive < one ? positive : one;
   return cf_float(positive > (int32_t)CF_INF_BITS ? 0 : (uint32_t)clamped);
}

/* What a depth of 1 is stored as in a unorm layout. */
CF_INLINE double
depth_scale(enum cf_zs_layout layout)
{
   return layout == CF_ZS_Z16 ? 65535.0 : 16777215.0;
}

/* Stored depth of a fragment: bits of the format. Clamped, exact, then rounded to nearest (a tie only at 0.5: up). Monotone, also
 * as int32_t. The vectors of cf_pixel_early.c do the same, clamped before. */
CF_INLINE uint32_t
depth_to_stored(enum cf_zs_layout layout, float depth)
{
   const float z = saturate(depth);
   if (layout == CF_ZS_Z32F || layout == CF_ZS_Z32F_S8)
      return cf_bits(z);
   return (uint32_t)(int32_t)((double)z * depth_scale(layout) + 0.5);
}

#endif
