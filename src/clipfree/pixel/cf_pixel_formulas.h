/* SPDX-License-Identifier: MIT */
/*
 * The pixel engine's formulas, of one value each: the engine calls them in loops over lanes, and
 * the JIT's IR is generated from them (jit/llvm/gen_jit_formulas.py says which C that is). State is
 * given as numbers, which a loop reads once and IR has as constants, so that operations that a
 * number makes idle (a factor of 1, a mask of all bits) are nowhere in compiled code.
 */
#ifndef CF_PIXEL_FORMULAS_H
#define CF_PIXEL_FORMULAS_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree/arith/cf_compare.h"
#include "clipfree/arith/cf_fp.h"

/* ---- tests ---- */

/** Depth as surfaces store it: bits of the format. Clamped, exact, then rounded to nearest (a tie
 * only at 0.5: up). Monotone, also as int32_t. scale: what a depth of 1 is stored as, in formats
 * that are not float. */
static inline uint32_t
cf_depth_stored(float depth, bool is_float, double scale)
{
   const float z = cf_fsat(depth);
   if (is_float)
      return cf_bits(z);
   return (uint32_t)(int32_t)((double)z * scale + 0.5);
}

/** GL 2.1 section 4.1.5: a stencil operation as numbers (struct cf_stencil_update). */
static inline uint32_t
cf_stencil_result(uint32_t stencil, int32_t and_bits, int32_t xor_bits, int32_t add, int32_t min,
                  int32_t max)
{
   int32_t s = (((int32_t)stencil & and_bits) ^ xor_bits) + add;
   s = s > min ? s : min;
   s = s < max ? s : max;
   return (uint32_t)s & 255;
}

/* ---- blending: GL 2.1 section 4.1.8 ---- */

/** What the value of a term is multiplied by: the source of its factor, or 1 less it (offset 1,
 * scale -1), or 1 (source 0). */
static inline float
cf_blend_factor(float source, float offset, float scale)
{
   return offset + scale * source;
}

/** `mask`: ~0; 0 drops the term, whatever its value is. `sign`: 0; the sign bit subtracts it. */
static inline float
cf_blend_term(float value, float factor, uint32_t mask, uint32_t sign)
{
   return cf_float((cf_bits(value * factor) & mask) ^ sign);
}

/** clamped: there is neither a NaN nor -0, so that a comparison says all. */
static inline float
cf_blend_min(float src, float dst, bool clamped)
{
   return clamped ? (src < dst ? src : dst) : cf_fmin(src, dst);
}

static inline float
cf_blend_max(float src, float dst, bool clamped)
{
   return clamped ? (src > dst ? src : dst) : cf_fmax(src, dst);
}

/** The source of the factor SRC_ALPHA_SATURATE, of components that are not alpha. */
static inline float
cf_blend_saturate(float src_alpha, float dst_alpha, bool clamped)
{
   return cf_blend_min(src_alpha, 1.0f - dst_alpha, clamped);
}

/* ---- logic op and masks: GL 2.1 sections 4.1.10 and 4.2.2 ---- */

/** Bitwise, by the op's truth table: bit s << 1 | d of it (enum cf_logicop). */
static inline uint32_t
cf_logic_op(uint32_t op, uint32_t s, uint32_t d)
{
   uint32_t without = (d & -(op >> 1 & 1)) | (~d & -(op & 1)),
            with = (d & -(op >> 3 & 1)) | (~d & -(op >> 2 & 1));
   return (s & with) | (~s & without);
}

/** `after` in the bits that are written, else `before`. */
static inline uint32_t
cf_masked_bits(uint32_t before, uint32_t after, uint32_t written)
{
   return before ^ ((after ^ before) & written);
}

#endif
