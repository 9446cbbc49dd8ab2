/* SPDX-License-Identifier: MIT */
/*
 * The source of a compilation: a program, or the sampling of textures in one state.
 */
#ifndef CF_JIT_SOURCE_H
#define CF_JIT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clipfree/interface/cf_limits.h"
#include "clipfree/interface/cf_packets.h"

struct cf_decoded;
struct cf_pixel_config;
struct cf_texture_unit;

/* All state that sample code is specialised for; other state (sizes, pitches, bounds of the level
 * of detail) is read from the unit at run time. Keys are compared as bytes: no padding, unused
 * members are 0. */
struct cf_sample_key {
   uint8_t mode, offsets, mask, quads; /* of the request */
   /* image filter: the pixels of a block mostly sample neighbouring texels */
   uint8_t is_filter;
   uint8_t dims;            /* number of filtered coordinates: 1, 2 or 3 */
   uint8_t cube, array, blocks, pixel_B, unnormalized; /* array: of 1D or 2D images */
   uint8_t samples; /* of a texel, 0 for one; fetches alone choose one */
   /* enum cf_compression; if not none, blocks is 0 and pixel_B is that of decoded texels */
   uint8_t compression;
   uint8_t wrap[3];        /* enum cf_wrap, by coordinate */
   /* false: the first level is sampled with min_linear; members about levels are 0 */
   uint8_t needs_lod;
   uint8_t min_linear, mag_linear;
   uint8_t mip; /* enum cf_mip */
   uint8_t magnify_to_half; /* as in struct cf_sampler */
   uint8_t anisotropic; /* several probes per pixel; implies needs_lod */
   uint8_t seamless;    /* cubes: the linear filter crosses the edges of faces */
   uint8_t integer; /* integer filter: all channels are unorm of at most 8 bits; else in f32 */
   uint8_t compare, compare_func; /* shadow comparison: boolean; enum cf_compare */
   struct cf_sample_component {
      uint8_t source; /* enum cf_sample_source */
      uint8_t type;   /* of the channel, enum cf_channel_type */
      uint8_t offset_bits, bits; /* of the channel in the texel */
      /* the border colour's component for this channel, if a wrap mode has a border */
      uint8_t border;
   } component[4];
};

enum cf_sample_source { CF_SAMPLE_ZERO, CF_SAMPLE_ONE, CF_SAMPLE_INTEGER_ONE, CF_SAMPLE_CHANNEL };

/** The key of a unit's state, without a request. False: this state is not compiled. */
bool cf_sample_key_of(struct cf_sample_key *key, const struct cf_texture_unit *unit);

/** Add a request; clears components outside its mask, and state that it does not use. */
void cf_sample_key_request(struct cf_sample_key *key, uint32_t variant);

/** Whether a wrap mode (enum cf_wrap) samples the border, with a linear filter or the nearest
 * texel. */
static inline bool
cf_wrap_has_border(uint8_t wrap, bool linear)
{
   return wrap == CF_WRAP_CLAMP_TO_BORDER || wrap == CF_WRAP_MIRROR_CLAMP_TO_BORDER ||
          (linear && (wrap == CF_WRAP_CLAMP || wrap == CF_WRAP_MIRROR_CLAMP));
}

/** The same for any wrap mode of a state. */
static inline bool
cf_sample_key_has_border(const struct cf_sample_key *key, bool linear)
{
   bool has = false;
   for (unsigned axis = 0; axis < key->dims; axis++)
      has = has || cf_wrap_has_border(key->wrap[axis], linear);
   return has;
}

/** Whether a sample of a unit in this state, without a request, is short enough to be inlined in
 * programs. */
bool cf_sample_is_inlined(const struct cf_sample_key *unit, uint32_t variant);

/* A term of a blend equation: value * source, or if `inverse` value * (1 - source); negated if
 * `negative`. */
struct cf_term_key {
   uint8_t source; /* enum cf_blend_source; none: 0 */
   uint8_t inverse, negative;
};

struct cf_blend_key {
   uint8_t func; /* enum cf_blend_func: add, min or max */
   struct cf_term_key src, dst;
};

/* All state that code which writes a color target is specialised for. Blend constants, the logic op
 * and the masks are read at run time (struct cf_pixel_target). */
struct cf_target_key {
   uint8_t format; /* enum cf_format; none: not written */
   uint8_t blend, logic, masked; /* booleans; masked: not all channels are written */
   uint8_t alpha_to_one;
   /* index of the program's output that is red of the colour; of the second source colour if a
    * factor reads it, else 0 */
   uint8_t color, src1;
   struct cf_blend_key rgb, alpha; /* 0 for components that the format lacks */
};

/* All state that code from quads to pixels is specialised for: one shape of primitives, all images
 * in 4x4 blocks. Compared as bytes, as above. */
struct cf_pixel_key {
   uint8_t shape;      /* of primitives, enum cf_prim_shape */
   uint8_t replicated; /* wide lines: some may be cf_prim.replicated */
   uint8_t sprites;    /* point sprites: some varying is the point coordinate */
   uint8_t coverage;   /* smooth primitives: coverage multiplies alpha (cf_fragments.coverage) */
   /* per pixel, 0 for one. With several the pixel engine does depth and alpha to coverage */
   uint8_t samples;
   uint8_t targets;    /* number of elements in `target` */
   /* enum cf_compare, of an alpha test in the code; always: none, or by the pixel engine */
   uint8_t alpha_func;
   uint8_t alpha_clamp, alpha_to_one; /* of color 0, for the alpha test */
   /* depth or stencil tests, or alpha to coverage, follow the shader */
   uint8_t late_tests;
   /* enum cf_format: depth alone is tested, in the code. 0: the pixel engine does all late tests,
    * with the alpha test, and depth_* below are 0 */
   uint8_t depth_format;
   uint8_t depth_func, depth_write;   /* enum cf_compare; boolean */
   uint8_t writes_depth;              /* the program writes depth, for late tests */
   struct cf_target_key target[CF_MAX_COLOR_TARGETS];
};

/* Outputs of programs with code from quads to pixels: colours, four components each, then depth. */
#define CF_QUADS_OUTPUTS (CF_OUTPUT_DEPTH + 1)

/** Size of a key up to its last target: the part that is compared. */
static inline size_t
cf_pixel_key_B(const struct cf_pixel_key *key)
{
   return offsetof(struct cf_pixel_key, target) + key->targets * sizeof(key->target[0]);
}

/** The key of a pixel engine's configuration, for triangles that are not smooth. False: not
 * compiled. */
bool cf_pixel_key_of(struct cf_pixel_key *key, const struct cf_pixel_config *config);

/* Exactly one of `program` and `sample` is set. */
struct cf_jit_source {
   const struct cf_decoded *program;
   /* Of a program, [CF_MAX_TEXTURE_UNITS], without requests: units with a short state are inlined,
    * so the code is only for stages whose units are in these states. NULL: for all stages. */
   const struct cf_sample_key *units;
   /* Of a fragment program: the code runs tasks from quads to pixels (struct cf_quad_work) with
    * this key. NULL: it runs tasks with inputs and outputs in memory. */
   const struct cf_pixel_key *pixel;
   const struct cf_sample_key *sample;
   /* the program's code calls run->watch for each instruction (struct cf_run); for verification */
   bool watched;
};

#endif
