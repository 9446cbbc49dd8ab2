/* SPDX-License-Identifier: MIT */
/* For tests: the descriptor of a simple texture. */
#ifndef TEST_LINEAR_TEXTURE_H
#define TEST_LINEAR_TEXTURE_H

#include "clipfree/interface/cf_packets.h"

/** The descriptor of one linear level of R8G8B8A8_UNORM texels without padding. */
static inline struct cf_texture
test_linear_texture(uint64_t address, uint32_t width_px, uint32_t height_px)
{
   return (struct cf_texture){ .address = address,
                               .size_B = 4 * width_px * height_px,
                               .format = CF_FORMAT_R8G8B8A8_UNORM,
                               .kind = CF_TEXTURE_KIND_T2D,
                               .swizzle_r = CF_SWIZZLE_X,
                               .swizzle_g = CF_SWIZZLE_Y,
                               .swizzle_b = CF_SWIZZLE_Z,
                               .swizzle_a = CF_SWIZZLE_W,
                               .layout = CF_LAYOUT_LINEAR,
                               .width_px = width_px,
                               .height_px = height_px,
                               .depth_px = 1,
                               .layers = 1,
                               .level_row_pitch_B = { 4 * width_px },
                               .level_layer_pitch_B = { 4 * width_px * height_px } };
}

#endif
