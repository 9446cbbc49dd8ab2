/* SPDX-License-Identifier: MIT */
/*
 * What the JIT compiles: a program, or the sampling of textures of one state.
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

/* All that code for a sample depends on; what is not in here (sizes, pitches, bounds of the level of detail) it reads from
 * the unit. Equal bytes are equal states: no padding, and what a state does not use is 0. */
struct cf_sample_key {
   uint8_t mode, mask, quads; /* of the request */
   uint8_t is_filter;         /* it comes from a filter of an image: the pixels of a block sample neighbouring texels, mostly */
   uint8_t dims;            /* coordinates that are filtered: 1, 2 or 3 */
   uint8_t cube, array, blocks, pixel_B, unnormalized; /* array: of 1D or 2D images */
   uint8_t compression; /* enum cf_compression; if any, blocks is 0, and a pixel is a decoded one */
   uint8_t wrap[3];        /* of these coordinates, enum cf_wrap */
   uint8_t needs_lod;      /* else the first level is sampled with min_linear, and the rest is 0 */
   uint8_t min_linear, mag_linear;
   uint8_t mip; /* enum cf_mip */
   uint8_t magnify_to_half; /* as in struct cf_sampler */
   uint8_t anisotropic; /* pixels take several probes: needs_lod */
   uint8_t seamless;    /* cubes: linear filters cross the edges of faces */
   uint8_t integer; /* the filter: all channels are unorm of at most 8 bits. Else it is in f32 */
   uint8_t compare, compare_func; /* whether depth is compared, and enum cf_compare */
   struct cf_sample_component {
      uint8_t source; /* enum cf_sample_source */
      uint8_t type;   /* of the channel, enum cf_channel_type */
      uint8_t offset_bits, bits; /* of the channel in the texel */
      uint8_t border; /* the border's component that takes the channel's place, where a wrap mode has a border */
   } component[4];
};

enum cf_sample_source { CF_SAMPLE_ZERO, CF_SAMPLE_ONE, CF_SAMPLE_CHANNEL };

/** The state of a unit, without a request. False: there is no code for states of this kind. */
bool cf_sample_key_of(struct cf_sample_key *key, const struct cf_texture_unit *unit);

/** Add the request; components outside its mask are forgotten, as is a state that it does not look at. */
void cf_sample_key_request(struct cf_sample_key *key, uint32_t variant);

/** Whether a wrap mode (enum cf_wrap) samples the border, with a linear filter or the nearest texel. */
static inline bool
cf_wrap_has_border(uint8_t wrap, bool linear)
{
   return wrap == CF_WRAP_CLAMP_TO_BORDER || wrap == CF_WRAP_MIRROR_CLAMP_TO_BORDER ||
          (linear && (wrap == CF_WRAP_CLAMP || wrap == CF_WRAP_MIRROR_CLAMP));
}

/** The same of any of a state's wrap modes. */
static inline bool
cf_sample_key_has_border(const struct cf_sample_key *key, bool linear)
{
   bool has = false;
   for (unsigned axis = 0; axis < key->dims; axis++)
      has = has || cf_wrap_has_border(key->wrap[axis], linear);
   return has;
}

/** Is a sample of this state so short that it may be part of the program that wants it? */
static inline bool
cf_sample_key_is_short(const struct cf_sample_key *key)
{
   return key->pixel_B && key->pixel_B <= 4 && !key->needs_lod && key->dims <= 2 && !key->cube && !key->array &&
          !key->compression && !cf_sample_key_has_border(key, key->min_linear);
}

/* A term of a blend equation: value * (0 + source), or if inverse value * (1 - source), perhaps negated. */
struct cf_term_key {
   uint8_t source; /* enum cf_blend_source; none: 0 */
   uint8_t inverse, negative;
};

struct cf_blend_key {
   uint8_t func; /* enum cf_blend_func: add, min or max */
   struct cf_term_key src, dst;
};

/* What code depends on that writes colours to a target. Constants of the blend, the kind of logic op and the bits that a mask leaves are
 * read from the state (struct cf_pixel_target). */
struct cf_target_key {
   uint8_t format; /* enum cf_format; none: it is not written */
   uint8_t blend, logic, masked; /* booleans; masked: not all channels are written */
   uint8_t alpha_to_one;
   uint8_t color, src1; /* outputs of the program that are red of the colour, and of the second one where a factor reads it, else 0 */
   struct cf_blend_key rgb, alpha; /* of components that the format has */
};

/* All that code depends on which goes from quads of one shape to a frame's colours, all in 4x4 blocks. Equal bytes are equal states,
 * as above. */
struct cf_pixel_key {
   uint8_t shape;      /* of the primitives, enum cf_prim_shape */
   uint8_t replicated; /* lines: they are wide, and some may be cf_prim.replicated */
   uint8_t sprites;    /* points: some varying is the point coordinates */
   uint8_t coverage;   /* the primitives are smooth: cf_quad_work.coverage */
   uint8_t samples;    /* of a pixel, if there are several, else 0: depths are the pixel engine's, and alpha to coverage with them */
   uint8_t targets;    /* that follow */
   uint8_t alpha_func; /* of an alpha test that is not the pixel engine's, enum cf_compare; always: there is none */
   uint8_t alpha_clamp, alpha_to_one; /* of color 0, for the test */
   uint8_t late_tests;                /* depth or stencil tests follow the shader: */
   uint8_t depth_format;              /* depth alone is tested, and this is where, enum cf_format; else they, and the alpha test, are
                                         the pixel engine's, and this and what follows of depth is 0 */
   uint8_t depth_func, depth_write;   /* enum cf_compare; boolean */
   uint8_t writes_depth;              /* the program does, for late tests */
   struct cf_target_key target[CF_MAX_COLOR_TARGETS];
};

/* Outputs of programs that code from quads to pixels is made for: colours, four each, and depth, the last. */
#define CF_QUADS_OUTPUTS (CF_OUTPUT_DEPTH + 1)

/** Bytes of a key up to the last of its targets: all of it that says something. */
static inline size_t
cf_pixel_key_B(const struct cf_pixel_key *key)
{
   return offsetof(struct cf_pixel_key, target) + key->targets * sizeof(key->target[0]);
}

/** How a frame's colours are written, by triangles that are not smooth. False: there is no code for that. */
bool cf_pixel_key_of(struct cf_pixel_key *key, const struct cf_pixel_config *config);

/* A program or a sample. */
struct cf_jit_source {
   const struct cf_decoded *program;
   const struct cf_sample_key *units; /* of a program, [CF_MAX_TEXTURE_UNITS] without requests: its code is for stages
                                         whose units are in these states, and those that are short are part of it; the
                                         others may be anything. NULL: for all stages */
   const struct cf_pixel_key *pixel;  /* of a fragment program: its code is for tasks from quads to pixels (struct cf_quad_work) that
                                         are written so. NULL: for tasks with inputs and outputs */
   const struct cf_sample_key *sample;
   bool watched; /* a program's code calls run->watch for each instruction (struct cf_run), to be verified */
};

#endif
