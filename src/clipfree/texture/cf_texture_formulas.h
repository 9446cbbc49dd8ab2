/* SPDX-License-Identifier: MIT */
/*
 * The texture unit's formulas, of one value each: the unit calls them in loops over lanes, and the
 * JIT's IR is generated from them (jit/llvm/gen_jit_formulas.py says which C that is).
 */
#ifndef CF_TEXTURE_FORMULAS_H
#define CF_TEXTURE_FORMULAS_H

#include "clipfree/arith/cf_special.h"
#include "clipfree/interface/cf_packets.h"

/* ---- level of detail: GL ES 2.0 section 3.7.7 ---- */

static inline float
cf_longer(float a, float b)
{
   return a > b ? a : b;
}

/** Of the squared length of a derivative in texels. */
static inline float
cf_lod_of_length(float squared)
{
   return 0.5f * cf_log2(squared);
}

/** Biased, then at most `high` and at least `low`; of a NaN `high`, at least. */
static inline float
cf_lod_clamped(float lod, float bias, float low, float high)
{
   const float biased = lod + bias, at_most = biased < high ? biased : high;
   return at_most > low ? at_most : low;
}

/** On the face of a cube, of two directions a and b with their components (sc, tc, ma): squared
 * length of the difference of their (sc / ma, tc / ma), times scale, which has the divisors ma_a
 * and another. */
static inline float
cf_face_length_squared(float sc_a, float tc_a, float ma_a, float sc_b, float tc_b, float ma_b,
                       float scale)
{
   const float du = (sc_b * ma_a - sc_a * ma_b) * scale, dv = (tc_b * ma_a - tc_a * ma_b) * scale;
   return du * du + dv * dv;
}

/** EXT_texture_filter_anisotropic, the example: as many probes as the footprint is longer than it
 * is wide, but none closer to the next than a texel of the base level. Of the squared lengths of
 * both derivatives. */
static inline float
cf_probe_count(float dx, float dy, float most)
{
   const float major = dx > dy ? dx : dy, minor = dx > dy ? dy : dx;
   const float ratio = cf_ceil(cf_sqrt(major / (minor > 1.0f ? minor : 1.0f)));
   return ratio > 1.0f ? (ratio < most ? ratio : most) : 1.0f;
}

/* ---- wrap modes: GL ES 2.0 section 3.7.7, GL 2.1 section 3.8.7 ---- */

/** MIRROR_REPEAT: the coordinate in [0, 1]. */
static inline float
cf_mirrored(float coord)
{
   const float m = coord - 2.0f * cf_floor(coord * 0.5f);
   return m > 1.0f ? 2.0f - m : m;
}

/** A coordinate in texels, not yet clamped. */
static inline float
cf_wrapped_texels(enum cf_wrap wrap, float coord, float size)
{
   switch (wrap) {
   case CF_WRAP_REPEAT:
      return (coord - cf_floor(coord)) * size;
   case CF_WRAP_MIRROR_REPEAT:
      return cf_mirrored(coord) * size;
   case CF_WRAP_MIRROR_CLAMP:
   case CF_WRAP_MIRROR_CLAMP_TO_EDGE:
   case CF_WRAP_MIRROR_CLAMP_TO_BORDER:
      return cf_fabs(coord) * size;
   default:
      return coord * size;
   }
}

/** The texel offset of an axis, a signed byte of `offsets`, as the coordinate that is added; unit:
 * texels from coordinate 0 to 1. */
static inline float
cf_texel_offset(uint32_t offsets, unsigned axis, float unit)
{
   return (float)((int32_t)(offsets << (24 - 8 * axis)) >> 24) / unit;
}

/** Within the texture and a texel before and after it; a NaN is before it. */
static inline float
cf_near_texture(float u, float size)
{
   return u > -1.0f ? (u < size ? u : size) : -1.0f;
}

/* ---- filters ---- */

static inline float
cf_lerp(float a, float b, float weight)
{
   return a + weight * (b - a);
}

/** A weight in 1/256. */
static inline int32_t
cf_integer_weight(float weight)
{
   return (int32_t)(weight * 256.0f + 0.5f);
}

/** 256 times what is between two numbers. */
static inline int32_t
cf_integer_mix(int32_t t0, int32_t t1, int32_t weight)
{
   return t0 * 256 + (t1 - t0) * weight;
}

#endif
