/* SPDX-License-Identifier: MIT */
/*
 * Pixel engine (paper B's fragment operation unit): alpha, stencil and depth test, blending, logic
 * op, masks, writing to surfaces. Works on 4x4 blocks before the shader (early tests) or on tasks
 * of eight 2x2 quads after it. Scissor and coverage come in as masks. Tiles must have been resolved
 * (cf_image_resolve_tile, of depth and stencil zs_bits) by the caller.
 *
 * Data flow: draw state -> cf_pixel_configure (once per draw) -> test_blocks / test_quads ->
 * write_quads -> surfaces.
 *
 * Rules where GL leaves a choice:
 * - Depth is clamped to [0, 1] (NaN gives 0) and stored as round(z * (2^n - 1)), exact before
 *   rounding. It is compared as stored.
 * - Colors are blended in f32 for all formats: source * factor and destination * factor are each
 *   rounded, then their sum. A factor of ZERO drops its term whatever it would multiply (so
 *   destination * ONE keeps the destination, except that -0 becomes 0). Unorm targets clamp the
 *   source, the constant and the result to [0, 1], and are packed by cf_unorm_encode
 *   (memory/cf_channel.h). sRGB targets are blended in linear light.
 * - Integers (formats that cannot blend) are written as they are: the lower bits of the program's
 *   output, without blending.
 * - Logic ops act on the stored bits of unorm and integer targets; on sRGB and float targets they
 *   only turn blending off (GL 4.5 section 17.3.11).
 * - Unused (x) bits of a pixel become 0 when all its channels are written, else they are kept.
 * - Alpha test: alpha is clamped as target 0 clamps it; comparisons with NaN are false (notequal:
 *   true).
 * - Dithering: none (GL allows it to be the identity).
 * - Alpha to coverage: with one sample it does nothing (GL 2.1 section 4.1.3). With n samples,
 *   sample s is covered where clamped alpha > (s + 1/2) / n: round(n alpha) samples, the same ones
 *   in every pixel; NaN covers none. alpha_to_one is obeyed with any number of samples, also by the
 *   alpha test.
 * - Samples: a surface has one sample a pixel. A frame buffer of n samples has n configurations,
 *   which differ in the images alone (cf_image_sample). The engine is called once for each covered
 *   sample; write_all_samples writes a pixel whose samples all get the same.
 * - Dual-source blending: src1 factors read color 1, which alpha_to_one and coverage change as they
 *   change color 0. If a program writes no color 1, which GL leaves undefined, it is color 0.
 */
#ifndef CF_PIXEL_H
#define CF_PIXEL_H

#include "clipfree/base/cf_lanes.h"
#include "clipfree/interface/cf_limits.h"
#include "clipfree/interface/cf_packets.h"
#include "clipfree/memory/cf_surface.h"
#include "clipfree/primitive/cf_primitive.h"

/* Where the bits of a depth/stencil pixel are. */
enum cf_zs_layout {
   CF_ZS_NONE,
   CF_ZS_Z16,
   CF_ZS_Z24, /* z 23:0; bits 31:24 are not touched by depth: z24x8 and z24s8 */
   CF_ZS_Z32F,
   CF_ZS_Z32F_S8, /* two dwords: z; s 7:0 */
   CF_ZS_S8,
};

/* Bounds of the stored depths of a tile: no depth is farther (nearer). Bits of a set. */
enum cf_depth_side {
   CF_DEPTH_NONE = 0,
   CF_DEPTH_FARTHEST = 1,
   CF_DEPTH_NEAREST = 2,
};

/* A stencil operation as operands of cf_stencil_result, the same code for all operations. */
struct cf_stencil_update {
   int32_t and_bits, xor_bits, add, min, max;
};

struct cf_stencil_face {
   uint32_t func; /* enum cf_compare */
   uint32_t ref;  /* already masked */
   uint32_t value_mask, write_mask;
   struct cf_stencil_update fail, zfail, zpass;
};

enum cf_blend_source {
   CF_BLEND_FROM_NONE,
   CF_BLEND_FROM_SRC,
   CF_BLEND_FROM_SRC_ALPHA,
   CF_BLEND_FROM_DST,
   CF_BLEND_FROM_DST_ALPHA,
   CF_BLEND_FROM_CONST,
   CF_BLEND_FROM_CONST_ALPHA,
   CF_BLEND_FROM_SATURATE, /* min(source alpha, 1 - destination alpha); alpha: 1 */
   CF_BLEND_FROM_SRC1,
   CF_BLEND_FROM_SRC1_ALPHA,
};

/* One of the two terms of a blend equation: numbers of cf_blend_factor and cf_blend_term. */
struct cf_blend_term {
   uint32_t source; /* enum cf_blend_source */
   float offset, scale;
   uint32_t mask, sign; /* bits */
};

struct cf_blend_equation {
   uint32_t func; /* enum cf_blend_func: min, max; for the others the terms' signs say all */
   struct cf_blend_term src, dst;
};

/* How one color target is written. Arrays of 4: by component r, g, b, a, or by dword of a pixel. */
struct cf_pixel_target {
   bool writes;              /* false: nothing in the target can change */
   uint32_t present;         /* bit per component the format has */
   uint32_t words;           /* dwords of a pixel: 1 (also for pixels of 1 and 2 bytes), 2 or 4 */
   uint8_t type[4], bits[4]; /* of the channels; enum cf_channel_type */
   uint32_t word[4], shift[4], max[4]; /* a channel is word >> shift & max */
   float scale[4];                     /* max */
   float reciprocal[4][2];             /* all_unorm: cf_unorm_reciprocal of the bits */
   uint32_t channel_bits[4];           /* bits of a pixel that belong to channels */
   uint32_t write_bits[4];             /* bits of a pixel that are written */
   bool all_unorm;                     /* one dword of unorm channels */
   bool clamp;                         /* source and result are clamped to [0, 1]: unorm, srgb */
   bool blend, logic;
   /* blending or logic op reads the old pixel, or a mask keeps bits of it, even where the pixel is
    * covered */
   bool reads;
   bool merges; /* because of a logic op or a write mask */
   bool alpha_to_one;
   bool dual_source; /* some factor reads src1 */
   uint32_t logicop; /* enum cf_logicop: its bits are the truth table at index source << 1 |
                        destination */
   struct cf_blend_equation color, alpha;
   float constant[4];
   /* blend by source alpha: color * (offset + scale * source alpha) for both terms, by component;
    * all_unorm only */
   bool blend_by_alpha;
   /* the usual case has a path of its own (cf_pixel_words.c): unorm channels of a whole dword in
    * blocks, opaque or blended by source alpha, no logic op */
   bool in_words;
   uint32_t word_bias; /* sum of the bits of 2^23 as a float, shifted to all channels: what rounding
                          by adding 2^23 leaves */
   float src_offset[4], src_scale[4], dst_offset[4], dst_scale[4];
   /* bit per component present: its factors differ from those of the component before */
   uint32_t other_factors;
};

/* Configuration of the pixel engine during one draw. The command processor fills the first part,
 * cf_pixel_configure derives the rest. */
struct cf_pixel_config {
   struct cf_depth_stencil depth_stencil;
   struct cf_stencil_ref stencil_ref;
   struct cf_blend blend[CF_MAX_COLOR_TARGETS];
   struct cf_blend_color blend_color;
   struct cf_image color[CF_MAX_COLOR_TARGETS];
   struct cf_image zs;
   uint32_t color_count;
   uint32_t samples; /* samples of a pixel of the frame buffer; 0 is 1 */
   /* with several samples: bit per sample that may be written; the caller obeys it */
   uint32_t sample_mask;
   /* no shortcuts: all covered fragments are shaded, and tested afterwards unless the program
    * demands early tests */
   bool plain;
   bool program_kills, program_writes_depth, program_early_tests, program_color0_to_all;
   uint32_t program_color_outputs; /* bit per color the program writes */
   /* derived */
   bool early_tests; /* test_blocks before the shader does the depth and stencil tests */
   /* test_quads after the shader does the alpha test, and depth and stencil tests unless they were
    * early */
   bool late_tests;
   bool tests_needed; /* a depth or stencil test or write is on */
   bool draws_nothing; /* no fragment passes the tests, and those that fail change nothing */
   /* the shader can have an effect: a color, a kill, a depth, or an alpha to test */
   bool shading_needed;
   uint32_t reads_color;  /* bit per target whose destination is read */
   uint32_t color_writes; /* bit per target that is written */
   uint32_t zs_bits[2];   /* bits of a depth/stencil pixel that tests read or write */
   /* Hierarchical Z: sets of depth bounds, bit per enum cf_depth_side.
    * usable: a fragment beyond such a bound fails the depth test, and its failure has no effect. */
   uint8_t hiz_usable;
   /* the same on the normal path; on the plain path hiz_usable is 0, and an observer's verdicts of
    * hierarchical Z need it */
   uint8_t hiz_allowed;
   /* preserved: the bound holds whatever this draw writes */
   uint8_t hiz_preserved;
   /* derived, for the engine itself */
   enum cf_zs_layout zs_layout;
   bool depth_test, depth_write, stencil_test, alpha_test;
   bool alpha_to_coverage; /* call alpha_coverage after the shader */
   bool alpha_to_one;      /* of target 0, for the alpha test */
   bool two_sided;         /* stencil[1] (back faces) differs from stencil[0] (front faces) */
   bool alpha_clamp;
   struct cf_stencil_face stencil[2];
   /* the last, since draws of frames of one sample have room for `color_count` of them only, but
    * for one at least */
   struct cf_pixel_target target[CF_MAX_COLOR_TARGETS];
};

/** Derive the second part of the configuration from the first. Of arrays only the first color_count
 * elements, and blend[0], are read. Early tests are on if the program demands them, or if the
 * program writes no depth and nothing after the shader (kill, alpha test) can remove a fragment
 * whose depth or stencil would already be written. */
void cf_pixel_configure(struct cf_pixel_config *config);

struct cf_pixel_ops {
   /** Depth and stencil tests and writes for a 4x4 block: mask and depth by element
    * (cf_block_element). Returns the mask of pixels that pass. */
   uint32_t (*test_block)(const struct cf_pixel_config *config, uint32_t x_px, uint32_t y_px,
                          uint32_t mask, const float depth[16], bool front);
   /** Depths of `count` blocks of a primitive, and test_block for each: their masks lose the pixels
    * that do not pass. place: the sample depth is taken at, or CF_SAMPLE_CENTRE. Returns the number
    * of blocks without a pixel left. */
   uint32_t (*test_blocks)(const struct cf_pixel_config *config, const struct cf_prim *prim,
                           uint32_t place, struct cf_raster_block *blocks, uint32_t count);
   /** test_blocks at pixels' centres where nothing is written: for draws with late tests, of a
    * state with `hiz_usable`, in which a fragment that fails now fails later, too. */
   uint32_t (*look_at_blocks)(const struct cf_pixel_config *config, const struct cf_prim *prim,
                              struct cf_raster_block *blocks, uint32_t count);
   /** test_blocks for blocks of several primitives, in order, with depth at pixels' centres. Blocks
    * with a pixel left move to the front; returns their number. */
   uint32_t (*test_prims)(const struct cf_pixel_config *config, struct cf_prim_block *blocks,
                          uint32_t count);
   /** test_blocks for all samples of blocks; config: an array, by sample. at_samples: depth is
    * taken at the samples, else at pixels' centres. Returns the number of blocks without a sample
    * left. */
   uint32_t (*test_samples)(const struct cf_pixel_config *config, const struct cf_prim *prim,
                            bool at_samples, struct cf_raster_samples *blocks, uint32_t count);
   /** Merge the farthest (or nearest) stored depth of each 4x4 block of the tile at (x_px, y_px)
    * into bounds[row][column], as integers with the bits of floats. Block layout, formats with
    * depth. */
   void (*depth_bounds)(const struct cf_pixel_config *config, enum cf_depth_side side,
                        uint32_t x_px, uint32_t y_px, int32_t bounds[16][16]);
   /** Alpha to coverage: the lanes that keep sample number `sample`, by the alpha of color 0. */
   uint32_t (*alpha_coverage)(const struct cf_pixel_config *config, const float *color0_alpha,
                              uint32_t sample);
   /** Alpha test (on color 0), and depth and stencil tests unless they were early, for a task: lane
    * masks. depth by lane (may be NULL without late depth test, as color0_alpha without alpha
    * test). front: lanes of front faces. Returns the lanes that pass. */
   uint32_t (*test_quads)(const struct cf_pixel_config *config, const struct cf_quad *quads,
                          uint32_t count, uint32_t mask, const float *depth,
                          const float *color0_alpha, uint32_t front);
   /** Blend and write the lanes in mask: color[4 * target + component][lane] for the targets in
    * color_writes (only target 0 if the program writes color 0 to all). */
   void (*write_quads)(const struct cf_pixel_config *config, const struct cf_quad *quads,
                       uint32_t count, uint32_t mask, const float (*color)[CF_TASK_LANES]);
   /** write_quads for eight quads whose lanes in mask are covered by all CF_SAMPLES samples;
    * config: an array, by sample. */
   void (*write_all_samples)(const struct cf_pixel_config *config, const struct cf_quad *quads,
                             uint32_t mask, const float (*color)[CF_TASK_LANES]);
};
CF_LANES_DECLARE(struct cf_pixel_ops, cf_pixel_ops)

#endif
