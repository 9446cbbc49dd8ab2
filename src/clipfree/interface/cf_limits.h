/* SPDX-License-Identifier: MIT */
/*
 * Limits, which both sides of the seam agree on beside packets: how many of each thing the GPU has;
 * and the tile states that a driver allocates. Units and drivers include it; it includes nothing of
 * either.
 */
#ifndef CF_LIMITS_H
#define CF_LIMITS_H

#include <stdint.h>

#define CF_TILE_PX 64
#define CF_BLOCK_PX 4
#define CF_STAGES 3 /* enum shader_stage */
#define CF_MAX_COLOR_TARGETS 8
#define CF_FEEDBACK_BUFFERS 4
#define CF_MAX_CONSTANT_BANKS 16
#define CF_MAX_TEXTURE_UNITS 16 /* per stage */
#define CF_MAX_TEXTURE_LEVELS 15
#define CF_MAX_BUFFER_TEXELS (1 << 27)
/* Further operands of a tex, which grad sets: gradients, which are the derivatives of s, t, r along
 * x, then along y; the level of detail or bias where q is the reference; and texel offsets. */
#define CF_GRADIENTS 6
#define CF_OPERAND_LEVEL 6
#define CF_OPERAND_OFFSETS 7
#define CF_TEX_OPERANDS 8
#define CF_MAX_VERTEX_ELEMENTS 32
#define CF_MAX_VARYING_DWORDS 160 /* 32 varyings of four, colours, clip distances */
#define CF_MAX_VECTOR_REGS 128 /* per program */
#define CF_MAX_SCALAR_REGS 128

/* Outputs by number. Of vertex programs, which makes them the dwords of a vertex record: 0 to 3 the
 * clip position, then these, then varyings. Of fragment programs: 4 r + c is component c of colour r,
 * and after the last colour the depth. */
#define CF_OUTPUT_POINT_SIZE 4
#define CF_OUTPUT_EDGE_FLAG 5
#define CF_OUTPUT_LAYER 6      /* of geometry programs: an integer */
#define CF_OUTPUT_ENDS_STRIP 7 /* the same: not 0: the vertex ends its strip */
#define CF_OUTPUT_VARYINGS 8
#define CF_OUTPUT_DEPTH (4 * CF_MAX_COLOR_TARGETS)

#define CF_MIN_SIZE_PX 1.0f /* sizes of points and widths of lines */
#define CF_MAX_SIZE_PX 255.0f

/* Multisampling: surfaces and frame buffers have 1 or CF_SAMPLES samples a pixel. The samples lie on a rotated grid: no two
 * share a row or column, so nearly horizontal and nearly vertical edges have four steps a pixel. Positions (x, y) in units of
 * 1/CF_SAMPLE_UNITS pixel from the pixel's upper left corner; none is farther than CF_SAMPLE_REACH_PX from its centre in x or y. */
#define CF_SAMPLES 4
#define CF_SAMPLE_UNITS 16
#define CF_SAMPLE_REACH_PX 0.375
static const uint8_t cf_sample_position[CF_SAMPLES][2] = {{6, 2}, {14, 6}, {2, 10}, {10, 14}};

/* State of a tile of a surface; an array in GPU memory, in row order, 64 bytes a tile. It covers
 * all samples, and each bit of a pixel by itself: depth and stencil, or single channels, may
 * differ. All zero: memory holds the pixels, nothing is known of them. */
struct cf_tile_state {
   uint32_t value[4];   /* a cleared pixel's bytes, as in memory (pixel_B of them are used) */
   uint32_t known[4];   /* mask: these bits of every pixel and sample are those of `value` */
   uint32_t pending[4]; /* mask, part of `known`: these bits are not in memory yet */
   uint32_t reserved[4];
};

#endif
