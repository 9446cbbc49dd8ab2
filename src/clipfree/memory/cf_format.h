/* SPDX-License-Identifier: MIT */
/*
 * Pixel, texel and vertex formats: their descriptions from formats.toml, and the slow, general
 * conversion of one pixel. Units that convert many pixels have vector paths for common formats,
 * tested against these.
 */
#ifndef CF_FORMAT_H
#define CF_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree/interface/cf_packets.h" /* generated: enum cf_format */
#include "clipfree/memory/cf_channel.h"

/* Textures in blocks of 4x4 texels that are decoded when they are read. */
enum cf_compression {
   CF_COMPRESSION_NONE,
   CF_COMPRESSION_DXT1_RGB,
   CF_COMPRESSION_DXT1_RGBA,
   CF_COMPRESSION_DXT3,
   CF_COMPRESSION_DXT5,
};

enum cf_format_use {
   CF_USE_TEXTURE = 1 << 0,
   CF_USE_FILTER = 1 << 1,
   CF_USE_COLOR = 1 << 2,
   CF_USE_BLEND = 1 << 3,
   CF_USE_DEPTH_STENCIL = 1 << 4,
   CF_USE_VERTEX = 1 << 5,
};

/* Values of cf_format_info.view other than channels. */
#define CF_VIEW_ZERO 8
#define CF_VIEW_ONE 9

struct cf_format_channel {
   char letter; /* r g b a, z depth, s stencil */
   uint8_t type; /* enum cf_channel_type */
   uint8_t offset_bits, bits;
};

struct cf_format_info {
   const char *name;
   uint32_t code;    /* enum cf_format */
   uint32_t pixel_B; /* 0: no such format */
   uint32_t channels;
   struct cf_format_channel channel[4];
   uint8_t view[4]; /* the channel that r, g, b, a read, or CF_VIEW_* */
   uint32_t uses;   /* enum cf_format_use */
   /* enum cf_compression; if not none, pixel_B and channels are those of decoded texels */
   uint32_t compression;
   uint32_t block_B;     /* of 4x4 pixels, compressed or in block layout */
};

extern const struct cf_format_info cf_format_table[CF_FORMAT_COUNT];

/** The format's description; that of `none` (pixel_B 0) if there is none. */
static inline const struct cf_format_info *
cf_format_info_of(enum cf_format format)
{
   return &cf_format_table[(uint32_t)format < CF_FORMAT_COUNT ? format : 0];
}

/** Channels are integers, whose values are their bits. */
static inline bool
cf_format_is_integer(const struct cf_format_info *format)
{
   return format->channel[0].type == CF_CHANNEL_UINT || format->channel[0].type == CF_CHANNEL_SINT;
}

/** What a component is that reads CF_VIEW_ONE. */
static inline float
cf_format_one(const struct cf_format_info *format)
{
   return cf_format_is_integer(format) ? cf_float(1) : 1.0f;
}

/** One pixel, texel or vertex element as r, g, b, a (missing components 0, 0, 0, 1: GL ES 2.0
 * section 2.8). Integer types give their bits; a missing alpha of an integer format is integer 1.
 */
void
cf_format_fetch(const struct cf_format_info *format, const uint8_t *pixel, float rgba[4]);

/** Encode r, g, b, a to a pixel: normalised channels are clamped and rounded to nearest even, NaN
 * gives 0; unused bits become 0. Depth: rgba[0]; stencil: bits of rgba[1]. */
void
cf_format_store(const struct cf_format_info *format, uint8_t *pixel, const float rgba[4]);

/** OR the low bits of `value` into the channel with this letter of a pixel, as dwords. False: the
 * format has no such channel. */
bool
cf_format_or_channel(const struct cf_format_info *format, char letter, uint32_t value, uint32_t pixel[4]);

/** Whether pixels of this format can be averaged for mipmaps: not depth, stencil, integers,
 * compressed. */
bool
cf_format_has_mean(const struct cf_format_info *format);

#endif
