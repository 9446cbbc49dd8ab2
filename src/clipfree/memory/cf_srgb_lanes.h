/* SPDX-License-Identifier: MIT */
/* sRGB codes of a pixel's colours at once. */
#ifndef CF_SRGB_LANES_H
#define CF_SRGB_LANES_H

#include "clipfree/base/cf_vec.h"
#include "clipfree/memory/cf_channel.h"

/** cf_linear_to_srgb8 of the first three lanes; the fourth is undefined. */
CF_INLINE cf_u32x4
cf_linear_to_srgb8_lanes(cf_f32x4 linear)
{
   const cf_f32x4 inside =
      cf_vec_clamp(linear, CF_SPLAT(cf_f32x4, 0x1p-13f), CF_SPLAT(cf_f32x4, 1.0f));
   const cf_u32x4 place = (cf_u32x4)inside - cf_bits(0x1p-13f), at = place >> 16;
   const cf_u32x4 bucket = { cf_linear_to_srgb[at[0]], cf_linear_to_srgb[at[1]],
                             cf_linear_to_srgb[at[2]] };
   const cf_u32x4 next = bucket & ((1u << CF_SRGB_CODE_SHIFT) - 1);
   return (bucket >> CF_SRGB_CODE_SHIFT) - (cf_u32x4)((place & 0xffff) >= next);
}

#endif
