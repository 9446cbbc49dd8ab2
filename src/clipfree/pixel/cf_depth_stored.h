/* SPDX-License-Identifier: MIT */
/* Private to the room: depth as surfaces store it. All functions are always inlined. */
#ifndef CF_DEPTH_STORED_H
#define CF_DEPTH_STORED_H

#include "clipfree/arith/cf_fp.h"
#include "clipfree/base/cf_inline.h"
#include "clipfree/pixel/cf_pixel.h"
#include "clipfree/pixel/cf_pixel_formulas.h"

/* What a depth of 1 is stored as in a unorm layout. */
CF_INLINE double
depth_scale(enum cf_zs_layout layout)
{
   return layout == CF_ZS_Z16 ? 65535.0 : 16777215.0;
}

/* cf_depth_stored of a layout. The vectors of cf_pixel_early.c do the same, clamped before. */
CF_INLINE uint32_t
depth_to_stored(enum cf_zs_layout layout, float depth)
{
   return cf_depth_stored(depth, layout == CF_ZS_Z32F || layout == CF_ZS_Z32F_S8,
                          depth_scale(layout));
}

#endif
