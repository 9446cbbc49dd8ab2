/* SPDX-License-Identifier: MIT */
/*
 * Private to reduce_fields.c and its test: what fields of packets and descriptors are by default.
 */
#ifndef REDUCE_FIELD_RULES_H
#define REDUCE_FIELD_RULES_H

#include <stddef.h>
#include <stdint.h>

#include "clipfree/interface/cf_packets.h"

#define ONE 0x3f800000 /* 1.0 */
#define ALL NULL       /* fields of the record that stand in no rule before */

/* A field and what it is by default. A record without rules stays as it is. */
struct reduce_field_rule {
   const char *record, *field;
   uint32_t bits;
};

static const struct reduce_field_rule reduce_field_rules[] = {
   { "scissor", "max_x_px", 0xffff },
   { "scissor", "max_y_px", 0xffff },
   { "scissor", ALL, 0 },
   { "raster", "half_pixel_center", 1 },
   { "raster", "depth_clip_near", 1 },
   { "raster", "depth_clip_far", 1 },
   { "raster", "line_width_px", ONE },
   { "raster", "point_size_px", ONE },
   { "raster", ALL, 0 },
   { "depth_stencil", ALL, 0 },
   { "stencil_ref", ALL, 0 },
   { "blend", "write_mask", 0xf },
   { "blend", ALL, 0 },
   { "blend_color", ALL, 0 },
   { "sample_mask", ALL, 0xffff },
   { "framebuffer", "depth_stencil", 0 },
   { "bind_texture", "texture", 0 },
   { "draw", "start_instance", 0 },
   { "draw", "restart", 0 },
   { "draw", "restart_index", 0 },
   { "clear", "depth", 0 },
   { "clear", "depth_value", ONE },
   { "clear", "stencil", 0 },
   { "clear", "stencil_value", 0 },
   { "clear", "color", 0 },
   { "clear", "color_preserved", 0 },
   { "sampler", ALL, 0 },
   { "texture", "swizzle_r", CF_SWIZZLE_X },
   { "texture", "swizzle_g", CF_SWIZZLE_Y },
   { "texture", "swizzle_b", CF_SWIZZLE_Z },
   { "texture", "swizzle_a", CF_SWIZZLE_W },
   { "texture", "last_level", 0 },
   { "link", "flat", 0 },
   { "link", "two_sided", 0 },
   { "link", "back_slot", 0 },
};

/* Fields of textures and samplers that no call of OpenGL ES 2.0 sets. */
static const char *const reduce_beyond_gles[] = { "min_lod", "max_lod", "last_level",
                                                  "magnify_to_half", "seamless" };

#undef ONE
#undef ALL

#endif
