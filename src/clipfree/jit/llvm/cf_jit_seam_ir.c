/* SPDX-License-Identifier: MIT */
/*
 * Seamless cubes: the linear filter takes texels beyond an edge of a face from the adjacent face.
 * Bit-exact with texture/cf_sample_seams.h, which explains it. This code runs only for the few
 * tasks in which a sample crosses an edge.
 */
#include "clipfree/jit/llvm/cf_jit_sampler.h"

#define NO_CORNER 4

static LLVMValueRef
outside(const struct sampler *s, LLVMValueRef index, LLVMValueRef size)
{
   return compare_ints(s, LLVMIntUGE, index, size); /* or negative */
}

static void
find_axes(const struct sampler *s, const struct level *level, struct axis axis[2])
{
   for (unsigned a = 0; a < 2; a++)
      axis[a] = cf_jit_unbounded_axis(s, s->coord[a], level->size_px[0]);
}

LLVMValueRef
cf_jit_crosses_seams(const struct sampler *s, const struct level *level, LLVMValueRef lanes)
{
   LLVMValueRef crossing = NULL;
   struct axis axis[2];
   find_axes(s, level, axis);
   for (unsigned n = 0; n < 4; n++) {
      LLVMValueRef beyond = outside(s, axis[n >> 1].index[n & 1], level->size_px[0]);
      crossing = crossing ? or(s, crossing, beyond) : beyond;
   }
   return any(s, mask_in(s, crossing, lanes));
}

/* ---- texels on their faces ---- */

struct on_cube {
   LLVMValueRef x, y, face;
};

static LLVMValueRef
negate(const struct sampler *s, LLVMValueRef value)
{
   return LLVMBuildNeg(s->j->ir, value, "");
}

/* value, or -value if `negative`. */
static LLVMValueRef
signed_as(const struct sampler *s, LLVMValueRef negative, LLVMValueRef value)
{
   return choose(s->j, negative, negate(s, value), value);
}

/* Convert a position on a face to one in the cube, in half texels; at most one coordinate is beyond
 * an edge. */
static void
to_cube(const struct sampler *s, LLVMValueRef size, const struct on_cube *at, LLVMValueRef p[3])
{
   struct cf_jit_ir *j = s->j;
   LLVMValueRef one = u32_of(s, 1), zero = u32_of(s, 0), coord[2], beyond[2];
   for (unsigned a = 0; a < 2; a++) {
      LLVMValueRef i = a ? at->y : at->x, below = compare_ints(s, LLVMIntSLT, i, zero);
      beyond[a] = outside(s, i, size);
      coord[a] = choose(j, beyond[a], signed_as(s, below, size), sub(s, add(s, shl(s, i, 1), one), size));
   }
   LLVMValueRef negative = compare_ints(s, LLVMIntNE, and(s, at->face, one), zero), axis = shr(s, at->face, 1);
   LLVMValueRef is_x = compare_ints(s, LLVMIntEQ, axis, zero), is_y = compare_ints(s, LLVMIntEQ, axis, one);
   LLVMValueRef ma = signed_as(s, negative, choose(j, or(s, beyond[0], beyond[1]), sub(s, size, one), size));
   LLVMValueRef sc = coord[0], tc = coord[1], turned = signed_as(s, negative, sc);
   p[0] = choose(j, is_x, ma, choose(j, is_y, sc, turned));
   p[1] = choose(j, is_y, ma, negate(s, tc));
   p[2] = choose(j, is_x, negate(s, turned), choose(j, is_y, signed_as(s, negative, tc), ma));
}

/* Convert a position in the cube to the face where it lies. */
static struct on_cube
from_cube(const struct sampler *s, LLVMValueRef size, const LLVMValueRef p[3])
{
   struct cf_jit_ir *j = s->j;
   LLVMValueRef least = negate(s, size), last = sub(s, size, u32_of(s, 1)), at_edge[2];
   for (unsigned a = 0; a < 2; a++)
      at_edge[a] = or(s, compare_ints(s, LLVMIntEQ, p[a], size), compare_ints(s, LLVMIntEQ, p[a], least));
   LLVMValueRef is_x = at_edge[0], is_y = and(s, at_edge[1], LLVMBuildNot(j->ir, is_x, ""));
   LLVMValueRef m = choose(j, is_x, p[0], choose(j, is_y, p[1], p[2]));
   LLVMValueRef negative = compare_ints(s, LLVMIntSLT, m, u32_of(s, 0));
   LLVMValueRef sc = choose(j, is_x, negate(s, signed_as(s, negative, p[2])), choose(j, is_y, p[0], signed_as(s, negative, p[0])));
   LLVMValueRef tc = choose(j, is_y, signed_as(s, negative, p[2]), negate(s, p[1]));
   LLVMValueRef face = choose(j, is_x, u32_of(s, 0), choose(j, is_y, u32_of(s, 2), u32_of(s, 4)));
   return (struct on_cube){ /* none is negative */
      .x = shr(s, add(s, sc, last), 1),
      .y = shr(s, add(s, tc, last), 1),
      .face = add(s, face, bool_to_int(j, negative)),
   };
}

static void
fetch_corner(const struct sampler *s, const struct level *level, LLVMValueRef x, LLVMValueRef y, LLVMValueRef texel[CF_TEXEL_DWORDS])
{
   LLVMValueRef size = level->size_px[0], p[3];
   /* the missing texel at a vertex: any other will do */
   LLVMValueRef both = and(s, outside(s, x, size), outside(s, y, size));
   to_cube(s, size, &(struct on_cube){ choose(s->j, both, u32_of(s, 0), x), y, s->layer }, p);
   const struct on_cube at = from_cube(s, size, p);
   struct level image = *level;
   image.base_B = add(s, level->base_B, mul(s, at.face, level->layer_B));
   cf_jit_fetch_texel(s, &image, at.x, at.y, texel);
}

/* ---- corners of the cube ---- */

/* The number of the texel beyond two edges, or NO_CORNER. */
static LLVMValueRef
missing_corner(const struct sampler *s, const struct axis axis[2], LLVMValueRef size)
{
   LLVMValueRef beyond[2], corner = NULL;
   for (unsigned a = 0; a < 2; a++) {
      LLVMValueRef below = compare_ints(s, LLVMIntSLT, axis[a].index[0], u32_of(s, 0));
      LLVMValueRef above = compare_ints(s, LLVMIntSGE, axis[a].index[1], size);
      LLVMValueRef bit = choose(s->j, below, u32_of(s, 0), u32_of(s, 1u << a));
      beyond[a] = or(s, below, above);
      corner = corner ? or(s, corner, bit) : bit;
   }
   return choose(s->j, and(s, beyond[0], beyond[1]), corner, u32_of(s, NO_CORNER));
}

void
cf_jit_sample_over_seams(const struct sampler *s, const struct level *level, LLVMValueRef result[4])
{
   struct taps taps = { 0 };
   find_axes(s, level, taps.axis);
   taps.missing = missing_corner(s, taps.axis, level->size_px[0]);
   for (unsigned n = 0; n < CF_IMAGE_TEXELS; n++)
      fetch_corner(s, level, taps.axis[0].index[n & 1], taps.axis[1].index[n >> 1], taps.texel[n]);
   cf_jit_filter_taps(s, true, &taps, result);
}
