/* SPDX-License-Identifier: MIT */
/*
 * Texture unit: addressing, level of detail, filtering for one task of 32 lanes. Configured from a
 * texture and a sampler descriptor; reads texels in place (linear or 4x4-block layout, so a
 * rendered surface is sampled where it lies). Memory of render targets must have been resolved
 * before.
 */
#ifndef CF_TEXTURE_H
#define CF_TEXTURE_H

#include <stdbool.h>

#include "clipfree/base/cf_lanes.h"
#include "clipfree/interface/cf_limits.h"
#include "clipfree/interface/cf_observer.h"
#include "clipfree/interface/cf_packets.h" /* generated: struct cf_texture, struct cf_sampler */
#include "clipfree/memory/cf_format.h"

/* Compiled sampling of one task. `strq`: 32 lanes of each coordinate, followed by the
 * CF_TEX_OPERANDS other operands, as far as the mode has them. rgba[c] is written for the
 * components in the variant's mask, in all lanes; lanes outside `exec` get undefined values.
 * `variant`: the index under which the function is called. */
struct cf_texture_unit;
typedef void (*cf_sample_function)(const struct cf_texture_unit *unit,
                                   const float (*strq)[CF_TASK_LANES], uint32_t exec,
                                   uint32_t variant, float (*rgba)[CF_TASK_LANES]);

/* Number of variants: a request's mode (implicit to proj, or grad), mask and `quads`, as one
 * number. */
#define CF_SAMPLE_VARIANTS 512

static inline uint32_t
cf_sample_variant(uint32_t mode, uint32_t mask, bool quads)
{
   return mode << 5 | (uint32_t)quads << 4 | mask;
}

/* Sample functions of a unit state, by variant. A function may be replaced by a faster one at any
 * time. */
struct cf_sample_functions {
   _Atomic(cf_sample_function) function[CF_SAMPLE_VARIANTS];
};

/* Callbacks for texels that samples read (interface/cf_observer.h; the events' unit is left 0). */
struct cf_texel_watch {
   void *user;
   void (*texel)(void *user, const struct cf_texel *texel);
   /* NULL: all texels are reported one by one */
   void (*footprint)(void *user, const struct cf_footprint *footprint);
};

/* A bound texture unit. Made by cf_texture_unit_init; everything that can be decided once per
 * binding is decided there. */
struct cf_texture_unit {
   struct cf_texture texture;
   struct cf_sampler sampler;
   const uint8_t *data; /* host address of texture.address; texture.size_B bytes */
   const struct cf_format_info *format;
   struct cf_texture_level {
      uint32_t width_px, height_px, depth_px; /* of the level; depth of 3D textures, else layers */
      uint32_t offset_B, row_pitch_B, layer_pitch_B; /* row: of pixels, or blocks of all samples */
   } level[CF_MAX_TEXTURE_LEVELS];
   uint32_t dims; /* number of filtered coordinates: 1, 2 or 3 */
   bool cube, array;
   bool empty;          /* a buffer without a texel: all that is read is 0 */
   bool seamless;       /* the linear filter crosses the edges of faces */
   bool needs_lod;      /* level or filter depends on the level of detail */
   bool anisotropic;    /* long footprints take several probes */
   bool compare;        /* shadow texture: the sampler compares and the format has depth */
   bool unorm8;         /* all channels are unorm of at most 8 bits: integer filter */
   bool rgba8;          /* fast path of cf_sample_rgba8.h */
   uint8_t source[4];   /* r, g, b, a of the result: a channel of the format, or CF_VIEW_* */
   /* for compiled programs; NULL: they call the texture unit, as the interpreter does */
   const struct cf_sample_functions *functions;
   const struct cf_texel_watch *watch; /* of cf_texture_unit_watched; else NULL */
};

/** Check the descriptors against size_B and derive the rest. NULL, or the name of the descriptor
 * field that is wrong. */
const char *cf_texture_unit_init(struct cf_texture_unit *unit, const struct cf_texture *texture,
                                 const struct cf_sampler *sampler, const uint8_t *data);

/** A copy of the unit whose samples report the texels that they would read to `watch`. They give no
 * result: their requests have mask 0. It does not use the fast path of RGBA8 textures, which
 * reports nothing. */
static inline struct cf_texture_unit
cf_texture_unit_watched(const struct cf_texture_unit *unit, const struct cf_texel_watch *watch)
{
   struct cf_texture_unit watched = *unit;
   watched.watch = watch;
   watched.rgba8 = false;
   return watched;
}

/** The size of level 0. A buffer is one row of as many texels as it holds. */
struct cf_texture_extent {
   uint32_t width_px, height_px;
};
struct cf_texture_extent cf_texture_extent(const struct cf_texture *texture);

/** The texel that a lane fetches (mode fetch): integer coordinates, and in strq[3] a level, or the
 * sample of a texture of several. False: the texture has none there; `texel` then has no meaning.
 */
bool cf_texture_fetched(const struct cf_texture_unit *unit, const uint32_t strq[4], uint32_t lane,
                        struct cf_texel *texel);

/** The highest level of detail that is magnification: c of GL ES 2.0 section 3.7.8. */
static inline float
cf_most_magnified(bool magnify_to_half)
{
   return magnify_to_half ? 0.5f : 0.0f;
}

/* One tex instruction. */
struct cf_texture_request {
   const float *s, *t, *r, *q; /* [32] each (integer bits for fetch and size) */
   uint32_t exec; /* lanes whose result is needed; derivatives use only these */
   uint32_t mode; /* enum cf_texmode, alone */
   uint32_t mask; /* components needed */
   bool quads; /* lanes form quads (fragment task), which have implicit derivatives; else level 0 */
   const float (*operand)[CF_TASK_LANES]; /* [CF_TEX_OPERANDS], as far as they are needed */
   bool offsets; /* with the operands CF_OPERAND_LEVEL and CF_OPERAND_OFFSETS */
};

struct cf_texture_ops {
   /** Sample. Writes rgba[c][lane] only for components in mask and lanes in exec. */
   void (*sample)(const struct cf_texture_unit *unit, const struct cf_texture_request *request,
                  float (*rgba)[CF_TASK_LANES]);
};
CF_LANES_DECLARE(struct cf_texture_ops, cf_texture_ops)

#endif
