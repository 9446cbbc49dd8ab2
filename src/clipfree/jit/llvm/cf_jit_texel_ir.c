/* SPDX-License-Identifier: MIT */
/*
 * Sampling of one level: wrap modes -> texels -> (shadow comparison) -> filter -> rows of floats.
 * All lanes are computed; the caller selects. Wrap modes put every lane inside the texture, so that
 * loads need no mask. The two slices of a linear filter in a 3D texture are fetched and filtered as
 * images, one after the other.
 */
#include <stddef.h>

#include "clipfree/arith/cf_compare.h"
#include "clipfree/arith/cf_fp.h"
#include "clipfree/base/cf_for.h"
#include "clipfree/jit/llvm/cf_jit_alu.h"
#include "clipfree/jit/llvm/cf_jit_sampler.h"
#include "clipfree/texture/cf_texture.h"

/* ---- wrap modes ---- */

/* Whether images are filtered in integers: not if border colours, which are floats, may take
 * part. */
static bool
is_integer(const struct sampler *s)
{
   return s->key->integer && (s->key->seamless || !cf_sample_key_has_border(s->key, true));
}

static bool
mirrors_at_zero(unsigned wrap)
{
   return wrap == CF_WRAP_MIRROR_CLAMP || wrap == CF_WRAP_MIRROR_CLAMP_TO_EDGE || wrap == CF_WRAP_MIRROR_CLAMP_TO_BORDER;
}

/* Coordinates that are held at the edge, after mirroring. Where both texels are the last of their
 * side the weight does not matter, so coordinates are clamped to the texels' centres first; that
 * makes them positive, and a NaN 0. But in f32 a texel of weight 0 matters if it is not finite:
 * before the first texel, the next one is none of the two. */
static struct axis
clamp_axis(const struct sampler *s, bool linear, LLVMValueRef u, LLVMValueRef last)
{
   struct axis axis = { { NULL } };
   LLVMValueRef inside = fmax_or(s, u, f32_of(s, 0.0f));
   inside = fmin_or(s, inside, i32_to_float(s->j, last));
   axis.index[0] = float_to_i32(s->j, inside);
   if (linear) {
      axis.index[1] = imin(s, add(s, axis.index[0], u32_of(s, 1)), last);
      if (!is_integer(s))
         axis.index[1] = choose(s->j, compare_floats(s, LLVMRealOGE, u, f32_of(s, 0.0f)), axis.index[1], u32_of(s, 0));
      axis.weight = fsub(s, inside, i32_to_float(s->j, axis.index[0]));
   }
   return axis;
}

/* Repeat: u in [0, size], minus half a texel if linear; NaN selects the last texel. */
static struct axis
repeat_axis(const struct sampler *s, bool linear, LLVMValueRef u, LLVMValueRef last)
{
   struct axis axis = { { NULL } };
   if (!linear) {
      axis.index[0] = float_to_i32(s->j, fmin_or(s, u, i32_to_float(s->j, last)));
      return axis;
   }
   LLVMValueRef inside = fmax_or(s, u, f32_of(s, -1.0f)), whole = cf_jit_floor(s->j, inside);
   LLVMValueRef i = float_to_i32(s->j, whole);
   /* -1 wraps to the last */
   axis.index[0] = choose(s->j, compare_ints(s, LLVMIntULT, i, last), i, last);
   axis.index[1] = choose(s->j, compare_ints(s, LLVMIntEQ, i, last), u32_of(s, 0), add(s, i, u32_of(s, 1)));
   axis.weight = fsub(s, inside, whole);
   return axis;
}

/* All other modes: u in texels, mirrored at 0, minus half a texel if linear; indices are clamped to
 * the edge. NaN lies before the first texel. */
static struct axis
border_axis(const struct sampler *s, unsigned wrap, bool linear, LLVMValueRef u, LLVMValueRef size, LLVMValueRef last)
{
   struct axis axis = { { NULL } };
   LLVMValueRef first =
      u32_of(s, mirrors_at_zero(wrap) ? UINT32_MAX : 0); /* texel -1 is texel 0, mirrored */
   LLVMValueRef inside = cf_jit_near_texture(s->j, u, size);
   LLVMValueRef whole = cf_jit_floor(s->j, inside), i = float_to_i32(s->j, whole);
   for (unsigned n = 0; n < (linear ? 2 : 1); n++, i = add(s, i, u32_of(s, 1))) {
      if (cf_wrap_has_border((uint8_t)wrap, linear))
         axis.outside[n] = or(s, compare_ints(s, LLVMIntSLT, i, first), compare_ints(s, LLVMIntSGT, i, last));
      axis.index[n] = imin(s, imax(s, i, u32_of(s, 0)), last);
   }
   if (linear)
      axis.weight = fsub(s, inside, whole);
   return axis;
}

struct axis
cf_jit_unbounded_axis(const struct sampler *s, LLVMValueRef coord, LLVMValueRef size_px)
{
   LLVMValueRef size = i32_to_float(s->j, size_px),
                u = cf_jit_wrapped_texels(s->j, CF_WRAP_CLAMP_TO_EDGE, coord, size);
   LLVMValueRef inside = cf_jit_near_texture(s->j, fsub(s, u, f32_of(s, 0.5f)), size);
   LLVMValueRef whole = cf_jit_floor(s->j, inside), first = float_to_i32(s->j, whole);
   return (struct axis){ .index = { first, add(s, first, u32_of(s, 1)) }, .weight = fsub(s, inside, whole) };
}

/* Texel indices and weight of a coordinate. */
static struct axis
wrap_axis(const struct sampler *s, unsigned wrap, bool linear, LLVMValueRef coord, LLVMValueRef size_px)
{
   LLVMValueRef size = i32_to_float(s->j, size_px), last = sub(s, size_px, u32_of(s, 1));
   LLVMValueRef u = s->key->unnormalized ? coord : cf_jit_wrapped_texels(s->j, wrap, coord, size),
                zero = f32_of(s, 0.0f);
   if (wrap == CF_WRAP_CLAMP || wrap == CF_WRAP_MIRROR_CLAMP)
      u = choose(s->j, compare_floats(s, LLVMRealOGT, u, zero), fmin_or(s, u, size), zero);
   u = linear ? fsub(s, u, f32_of(s, 0.5f)) : u;
   switch (wrap) {
   case CF_WRAP_REPEAT:
      return repeat_axis(s, linear, u, last);
   case CF_WRAP_CLAMP_TO_EDGE:
   case CF_WRAP_MIRROR_REPEAT:
      return clamp_axis(s, linear, u, last);
   default:
      return border_axis(s, wrap, linear, u, size, last);
   }
}

/* ---- texels ---- */

/* Where in a block a column or row of texels begins, by bits 0 and 1 of its number: in a block's
 * order the bits of x and y take turns. axis: 0 or 1. */
static LLVMValueRef
in_block_offset(const struct sampler *s, LLVMValueRef texel, unsigned axis)
{
   const unsigned pixel_B = s->key->pixel_B, first_B = pixel_B << axis;
   const uint32_t table[4] = { 0, first_B, 4 * first_B, 5 * first_B };
   if (s->j->permutes && !s->j->gathers)
      return cf_jit_look_up(s, table, texel);
   LLVMValueRef low = shl(s, and(s, texel, u32_of(s, 1)), axis);
   LLVMValueRef high = shl(s, and(s, texel, u32_of(s, 2)), axis + 1);
   return mul(s, add(s, low, high), u32_of(s, pixel_B));
}

static LLVMValueRef
x_offset(const struct sampler *s, LLVMValueRef x)
{
   const unsigned pixel_B = s->key->pixel_B;
   if (s->key->compression)
      return shl(s, shr(s, x, 2), s->key->compression <= CF_COMPRESSION_DXT1_RGBA ? 3 : 4);
   if (!s->key->blocks)
      return mul(s, x, u32_of(s, pixel_B));
   LLVMValueRef block_B = mul(s, shr(s, x, 2), u32_of(s, 16 * pixel_B));
   return add(s, block_B, in_block_offset(s, x, 0));
}

static LLVMValueRef
y_offset(const struct sampler *s, LLVMValueRef y, const struct level *level)
{
   if (!s->key->blocks)
      return add(s, mul(s, s->key->compression ? shr(s, y, 2) : y, level->row_B), level->base_B);
   LLVMValueRef rows = add(s, mul(s, shr(s, y, 2), level->row_B), level->base_B);
   return add(s, rows, in_block_offset(s, y, 1));
}

/* Gather a dword per lane at base + offset. */
static LLVMValueRef
gather_row(const struct sampler *s, LLVMValueRef base, LLVMValueRef offset_B)
{
   return gather_dwords(s->j, base, offset_B, LLVMConstAllOnes(lanes_of(s->j, s->j->i1)));
}

/* Value `lane` at base + its offset. offsets: memory that has them, or NULL. */
static LLVMValueRef
load_lane(const struct sampler *s, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef offset_B,
          LLVMValueRef offsets, unsigned lane)
{
   LLVMBuilderRef ir = s->j->ir;
   if (offsets)
      return load_at_offset(s, type, base, offsets, 4 * lane);
   LLVMValueRef at = LLVMBuildExtractElement(ir, offset_B, LLVMConstInt(s->j->i32, lane, 0), "");
   at = LLVMBuildZExt(ir, at, s->j->i64, "");
   return LLVMBuildLoad2(ir, type, LLVMBuildGEP2(ir, s->j->i8, base, &at, 1, ""), "");
}

/* Hosts with gathers come here for rare tasks only, and memory for them makes the usual ones
 * slower. */
LLVMValueRef
cf_jit_load_dwords(const struct sampler *s, LLVMValueRef base, LLVMValueRef offset_B, unsigned load_B)
{
   LLVMBuilderRef ir = s->j->ir;
   LLVMTypeRef type = LLVMIntTypeInContext(s->j->context, 8 * load_B);
   LLVMValueRef row = LLVMGetUndef(row_type(s, s->j->i32)), offsets = NULL;
   if (!s->j->gathers) {
      offsets = allocate(s, LLVMTypeOf(offset_B));
      store_offsets(s, offset_B, offsets, 0);
   }
   for (unsigned l = 0; l < s->lanes; l++) {
      LLVMValueRef value = load_lane(s, type, base, offset_B, offsets, l);
      LLVMSetAlignment(value, 1);
      value = load_B == 4 ? value : LLVMBuildZExt(ir, value, s->j->i32, "");
      row = LLVMBuildInsertElement(ir, row, value, LLVMConstInt(s->j->i32, l, 0), "");
   }
   return row;
}

/* Load a dword per lane at base + offset, by gathers if the host has them. */
static LLVMValueRef
load_words(const struct sampler *s, LLVMValueRef base, LLVMValueRef offset_B)
{
   return s->j->gathers ? gather_row(s, base, offset_B) : cf_jit_load_dwords(s, base, offset_B, 4);
}

/* Load texels into the low bits of dwords. Textures begin at a dword boundary, so the aligned dword
 * around a texel is inside them. */
static LLVMValueRef
load_texels(const struct sampler *s, LLVMValueRef offset_B)
{
   const unsigned pixel_B = s->key->pixel_B;
   if (!s->j->gathers)
      return cf_jit_load_dwords(s, s->data, offset_B, pixel_B);
   if (pixel_B == 4)
      return gather_row(s, s->data, offset_B);
   LLVMValueRef dwords = gather_row(s, s->data, and(s, offset_B, u32_of(s, ~3u)));
   LLVMValueRef bits = shl(s, and(s, offset_B, u32_of(s, 3)), 3);
   return LLVMBuildLShr(s->j->ir, dwords, bits, "");
}

/* In each group of four elements, interleave the first two (upper: last two) of a and b, `each`
 * elements at a time. */
static LLVMValueRef
interleave(const struct sampler *s, LLVMValueRef a, LLVMValueRef b, bool upper, unsigned each)
{
   LLVMValueRef index[CF_TASK_LANES];
   const unsigned count = LLVMGetVectorSize(LLVMTypeOf(a));
   for (unsigned n = 0; n < count; n++) {
      const unsigned of_b = n / each % 2, element = each == 2 ? n % 2 : n / 2 % 2;
      index[n] = LLVMConstInt(s->j->i32, (n & ~3u) + 2 * upper + element + of_b * count, 0);
   }
   return LLVMBuildShuffleVector(s->j->ir, a, b, LLVMConstVector(index, count), "");
}

/* A vector with `count` elements; those that it lacks are undefined. */
static LLVMValueRef
widened(const struct sampler *s, LLVMValueRef vector, unsigned count)
{
   LLVMValueRef index[CF_TEXEL_DWORDS];
   for (unsigned n = 0; n < count; n++)
      index[n] = LLVMConstInt(s->j->i32, n, 0);
   return LLVMBuildShuffleVector(s->j->ir, vector, LLVMGetUndef(LLVMTypeOf(vector)),
                                 LLVMConstVector(index, count), "");
}

/* Whether texels are four half floats, which are decoded when they are loaded, all channels of two
 * lanes by one instruction: fewer than to take dwords of 32 lanes apart. Not where windows of
 * dwords are loaded. */
static bool
decodes_halves(const struct sampler *s)
{
   bool halves = s->j->half_instrs && !s->j->gathers && s->key->pixel_B == 4 * sizeof(uint16_t) &&
                 cf_jit_texel_dwords(s) == 3;
   for (unsigned n = 0; n < 4; n++) {
      const struct cf_sample_component *c = &s->key->component[n];
      halves = halves &&
               (c->source != CF_SAMPLE_CHANNEL || (c->type == CF_CHANNEL_FLOAT && c->bits == 16));
   }
   return halves;
}

/* Lanes whose texels are transposed together, as 4x4 dwords. */
#define TRANSPOSED 16

/* Load the dwords of lanes first_lane + 4g into group g, for four groups of four elements; missing
 * dwords are undefined. */
static LLVMValueRef
load_every_fourth(const struct sampler *s, LLVMValueRef base, LLVMValueRef offsets,
                  unsigned first_lane, unsigned count)
{
   LLVMValueRef group[4];
   for (unsigned g = 0; g < 4; g++) {
      group[g] = load_at_offset(s, LLVMVectorType(s->j->i32, count), base, offsets, 4 * (first_lane + 4 * g));
      if (count < CF_TEXEL_DWORDS)
         group[g] = widened(s, group[g], CF_TEXEL_DWORDS);
   }
   return join(s, group, 4);
}

/* The same of texels of four half floats: as floats. */
static LLVMValueRef
load_every_fourth_half(const struct sampler *s, LLVMValueRef base, LLVMValueRef offsets,
                       unsigned first_lane)
{
   LLVMTypeRef half = LLVMHalfTypeInContext(s->j->context);
   LLVMValueRef group = LLVMGetUndef(LLVMVectorType(s->j->i64, 4));
   for (unsigned g = 0; g < 4; g++)
      group = LLVMBuildInsertElement(
         s->j->ir, group, load_at_offset(s, s->j->i64, base, offsets, 4 * (first_lane + 4 * g)),
         LLVMConstInt(s->j->i32, g, 0), "");
   group = LLVMBuildBitCast(s->j->ir, group, LLVMVectorType(half, TRANSPOSED), "");
   group = LLVMBuildFPExt(s->j->ir, group, LLVMVectorType(s->j->f32, TRANSPOSED), "");
   return LLVMBuildBitCast(s->j->ir, group, LLVMVectorType(s->j->i32, TRANSPOSED), "");
}

/* `count` dwords from base + offset of every lane on, which are 2 to 4: one load a lane. Of two
 * that are half floats these become four floats. */
static void
load_dword_runs(const struct sampler *s, LLVMValueRef base, LLVMValueRef offset_B, unsigned count,
                LLVMValueRef dword[CF_TEXEL_DWORDS])
{
   const bool halves = decodes_halves(s);
   const unsigned pieces = s->lanes / TRANSPOSED;
   LLVMValueRef offsets = allocate(s, LLVMTypeOf(offset_B)),
                piece[CF_TEXEL_DWORDS][CF_TASK_LANES / TRANSPOSED];
   assert(pieces * TRANSPOSED == s->lanes);
   store_offsets(s, offset_B, offsets, 0);
   for (unsigned p = 0; p < pieces; p++) {
      LLVMValueRef lane[4];
      for (unsigned n = 0; n < 4; n++)
         lane[n] = halves ? load_every_fourth_half(s, base, offsets, TRANSPOSED * p + n)
                          : load_every_fourth(s, base, offsets, TRANSPOSED * p + n, count);
      for (unsigned pair = 0; pair < 2; pair++) {
         LLVMValueRef first = interleave(s, lane[0], lane[1], pair, 1), second = interleave(s, lane[2], lane[3], pair, 1);
         piece[2 * pair][p] = interleave(s, first, second, false, 2);
         piece[2 * pair + 1][p] = interleave(s, first, second, true, 2);
      }
   }
   for (unsigned d = 0; d < (halves ? CF_TEXEL_DWORDS : count); d++)
      dword[d] = join(s, piece[d], pieces);
}

/* Texels x, y, decoded, of a compressed texture whose blocks with them begin at these offsets. Of
 * DXT1 blocks are half as long. */
static LLVMValueRef
load_s3tc(const struct sampler *s, LLVMValueRef block_B, LLVMValueRef x, LLVMValueRef y)
{
   const bool dxt1 = s->key->compression <= CF_COMPRESSION_DXT1_RGBA;
   LLVMValueRef index = or (s, and(s, x, u32_of(s, 3)), shl(s, and(s, y, u32_of(s, 3)), 2)),
                word[4] = { NULL };
   for (unsigned n = dxt1 ? 2 : 0; n < 4; n++)
      word[n] = load_words(s, s->data, add(s, block_B, u32_of(s, 4 * n - (dxt1 ? 8 : 0))));
   return cf_jit_s3tc_decode(s->j, s->key->compression, word[2], word[3], word[0], word[1], index);
}

unsigned
cf_jit_texel_dwords(const struct sampler *s)
{
   unsigned wanted = 0;
   for (unsigned c = 0; c < 4; c++) {
      if (s->key->component[c].source == CF_SAMPLE_CHANNEL)
         wanted |= 1u << s->key->component[c].offset_bits / 32;
   }
   return wanted;
}

/* The texels' dwords that have channels: all, or the only one. */
static void
load_dwords_of_texels(const struct sampler *s, LLVMValueRef offset_B,
                      LLVMValueRef dword[CF_TEXEL_DWORDS])
{
   const unsigned wanted = cf_jit_texel_dwords(s);
   const unsigned only = wanted ? (unsigned)__builtin_ctz(wanted) : 0;
   if (s->key->pixel_B <= 4)
      dword[0] = load_texels(s, offset_B);
   else if (wanted & (wanted - 1))
      load_dword_runs(s, s->data, offset_B, s->key->pixel_B / 4, dword);
   else if (wanted)
      dword[only] = load_words(s, s->data, add(s, offset_B, u32_of(s, 4 * only)));
}

/* ---- channels ---- */

static LLVMValueRef
channel_bits(const struct sampler *s, LLVMValueRef texel, const struct cf_sample_component *c)
{
   return and(s, shr(s, texel, c->offset_bits), u32_of(s, cf_channel_max(c->bits)));
}

static LLVMValueRef
decode_channel(const struct sampler *s, const LLVMValueRef texel[CF_TEXEL_DWORDS], const struct cf_sample_component *component)
{
   struct cf_sample_component c = *component;
   if (decodes_halves(s))
      return LLVMBuildBitCast(s->j->ir, texel[c.offset_bits / 16], lanes_of(s->j, s->j->f32), "");
   LLVMValueRef dword = texel[c.offset_bits / 32];
   c.offset_bits %= 32;
   if (c.type == CF_CHANNEL_SRGB && s->j->permutes_bytes)
      return cf_jit_srgb_channel(s->j, dword, c.offset_bits);
   return cf_jit_channel_decode(s->j, c.type, c.bits, channel_bits(s, dword, &c));
}

/* ---- depth comparison ---- */

/* 1 where the reference has the relation to depth d, else 0; as compare_depth (cf_sample_lanes.c).
 */
static LLVMValueRef
compare_depth(const struct sampler *s, const struct cf_sample_component *c, LLVMValueRef d)
{
   LLVMValueRef r = c->type == CF_CHANNEL_UNORM ? cf_jit_fsat(s->j, s->reference) : s->reference,
                mask[3];
   for (unsigned i = 0; i < 3; i++)
      mask[i] = u32_of(s, CF_COMPARE_MASK(s->key->compare_func, i));
   LLVMValueRef unordered = u32_of(s, s->key->compare_func == CF_COMPARE_ALWAYS ? UINT32_MAX : 0);
   LLVMValueRef passes = cf_jit_compare_floats(s->j, r, d, mask[0], mask[1], mask[2], unordered);
   return choose(s->j, compare_ints(s, LLVMIntNE, passes, u32_of(s, 0)), f32_of(s, 1.0f),
                 f32_of(s, 0.0f));
}

/* ---- filters in f32 ---- */

/* A channel of texel `corner` (bit a: the second of axis a); the border colour, or the result of
 * the comparison, where that replaces it. */
static LLVMValueRef
float_texel(const struct sampler *s, const struct taps *taps, unsigned corner, const struct cf_sample_component *c)
{
   LLVMValueRef value = decode_channel(s, taps->texel[corner], c);
   for (unsigned a = 0; a < s->key->dims; a++) {
      const size_t border_B = offsetof(struct cf_texture_unit, sampler.border) + c->border * sizeof(float);
      LLVMValueRef outside = taps->axis[a].outside[corner >> a & 1];
      if (outside)
         value = choose(s->j, outside, splat(s->j, load_input(s->j, s->j->f32, s->unit, (int64_t)border_B, 4)), value);
   }
   return s->key->compare ? compare_depth(s, c, value) : value;
}

/* The same, where that texel is missing the mean of the three others. */
static LLVMValueRef
float_corner(const struct sampler *s, const struct taps *taps, unsigned corner, const struct cf_sample_component *c)
{
   LLVMValueRef value = float_texel(s, taps, corner, c);
   if (!taps->missing)
      return value;
   LLVMValueRef others = fadd(s, float_texel(s, taps, corner ^ 1, c), float_texel(s, taps, corner ^ 2, c));
   others = fadd(s, others, float_texel(s, taps, corner ^ 3, c));
   LLVMValueRef here = compare_ints(s, LLVMIntEQ, taps->missing, u32_of(s, corner));
   return choose(s->j, here, fdiv(s, others, f32_of(s, 3.0f)), value);
}

/* Filter texels from `corner` on along the first `axes` axes. */
static LLVMValueRef
linear_float_channel(const struct sampler *s, const struct taps *taps, const struct cf_sample_component *c, unsigned corner,
                     unsigned axes)
{
   if (axes == 0)
      return float_corner(s, taps, corner, c);
   LLVMValueRef first = linear_float_channel(s, taps, c, corner, axes - 1);
   LLVMValueRef second = linear_float_channel(s, taps, c, corner + (1u << (axes - 1)), axes - 1);
   return cf_jit_lerp(s->j, first, second, taps->axis[axes - 1].weight);
}

/* ---- integer filter ---- */

/* Of an image, whose texels these are: in 1/65536. */
static LLVMValueRef
filter_image(const struct sampler *s, const struct taps *taps,
             const LLVMValueRef texel[CF_IMAGE_TEXELS][CF_TEXEL_DWORDS],
             const struct cf_sample_component *c)
{
   LLVMValueRef row[2], x_weight = cf_jit_integer_weight(s->j, taps->axis[0].weight);
   if (s->key->dims > 1 && c->bits == 8) {
      const LLVMValueRef dwords[CF_IMAGE_TEXELS] = { texel[0][0], texel[1][0], texel[2][0],
                                                     texel[3][0] };
      return cf_jit_filter_bytes(s, dwords, x_weight,
                                 cf_jit_integer_weight(s->j, taps->axis[1].weight), c->offset_bits);
   }
   for (unsigned n = 0; n < (s->key->dims == 1 ? 1 : 2); n++)
      row[n] = cf_jit_integer_mix(s->j, channel_bits(s, texel[2 * n][0], c),
                                  channel_bits(s, texel[2 * n + 1][0], c), x_weight);
   return s->key->dims == 1 ? shl(s, row[0], 8)
                            : cf_jit_integer_mix(s->j, row[0], row[1],
                                                 cf_jit_integer_weight(s->j, taps->axis[1].weight));
}

/* The channel's value of a sum in 1/65536. */
static LLVMValueRef
of_sum(const struct sampler *s, const struct cf_sample_component *c, LLVMValueRef sum)
{
   const float scale = 1.0f / ((float)((1 << c->bits) - 1) * 65536.0f);
   return fmul(s, i32_to_float(s->j, sum), f32_of(s, scale));
}

static LLVMValueRef
linear_image_channel(const struct sampler *s, const struct taps *taps, const LLVMValueRef texel[CF_IMAGE_TEXELS][CF_TEXEL_DWORDS],
                     const struct cf_sample_component *c)
{
   return of_sum(s, c, filter_image(s, taps, texel, c));
}

static LLVMValueRef
linear_channel(const struct sampler *s, const struct taps *taps, const struct cf_sample_component *c)
{
   LLVMValueRef first = linear_image_channel(s, taps, taps->texel, c);
   if (s->key->dims < 3)
      return first;
   return cf_jit_lerp(s->j, first, linear_image_channel(s, taps, taps->texel + CF_IMAGE_TEXELS, c),
                      taps->axis[2].weight);
}

/* Fill a channel of the missing texel with the rounded mean of the three others. */
static void
fill_missing_channel(const struct sampler *s, struct taps *taps, const struct cf_sample_component *c)
{
   LLVMValueRef channel[CF_IMAGE_TEXELS], others[CF_IMAGE_TEXELS];
   LLVMValueRef rest = u32_of(s, ~(((1u << c->bits) - 1) << c->offset_bits));
   for (unsigned n = 0; n < CF_IMAGE_TEXELS; n++)
      channel[n] = channel_bits(s, taps->texel[n][0], c);
   for (unsigned n = 0; n < CF_IMAGE_TEXELS; n++)
      others[n] = add(s, add(s, channel[n ^ 1], channel[n ^ 2]), channel[n ^ 3]);
   for (unsigned n = 0; n < CF_IMAGE_TEXELS; n++) {
      LLVMValueRef mean = LLVMBuildUDiv(s->j->ir, add(s, others[n], u32_of(s, 1)), u32_of(s, 3), "");
      LLVMValueRef filled = or(s, and(s, taps->texel[n][0], rest), shl(s, mean, c->offset_bits));
      LLVMValueRef here = compare_ints(s, LLVMIntEQ, taps->missing, u32_of(s, n));
      taps->texel[n][0] = choose(s->j, here, filled, taps->texel[n][0]);
   }
}

static void
fill_missing(const struct sampler *s, struct taps *taps)
{
   /* bits of the texel that were done: several components may read one channel */
   uint64_t done = 0;
   for (unsigned n = 0; n < 4; n++) {
      const struct cf_sample_component *c = &s->key->component[n];
      if (c->source == CF_SAMPLE_CHANNEL && !(done >> c->offset_bits & 1)) {
         fill_missing_channel(s, taps, c);
         done |= 1ull << c->offset_bits;
      }
   }
}

/* ---- samples ---- */

/* The coordinate along an axis, moved by the texel offsets if there are any. */
static LLVMValueRef
moved_coordinate(const struct sampler *s, const struct level *level, unsigned axis)
{
   LLVMValueRef offsets = s->operand[CF_OPERAND_OFFSETS], size_px = level->size_px[axis];
   if (!offsets || s->key->cube) /* cube maps have none */
      return s->coord[axis];
   LLVMValueRef one = repeated_bits(s->j, offsets), one_size = repeated_bits(s->j, size_px);
   if (one && one_size) { /* in all lanes the same offset: a single division */
      s->j->lanes = 1;
      offsets = one;
      size_px = one_size;
   }
   LLVMValueRef unit = s->key->unnormalized ? f32_of(s, 1.0f) : i32_to_float(s->j, size_px);
   LLVMValueRef step = cf_jit_texel_offset(s->j, offsets, axis, unit);
   s->j->lanes = s->lanes;
   return fadd(s, s->coord[axis], to_lanes(s, step));
}

/* Whether texels are fetched from windows in slices. */
static bool
is_through_slices(const struct sampler *s, bool linear)
{
   return linear && s->key->dims == 3 && cf_jit_has_windows(s, CF_WINDOW_OF_HALF);
}

/* Lanes not in exec get the coordinate of one that is: those of rays that have ended are far from
 * the others, and need no texels. */
static LLVMValueRef
gathered_around(const struct sampler *s, LLVMValueRef coord)
{
   LLVMValueRef first = LLVMBuildExtractElement(s->j->ir, coord, first_of(s, s->exec), "");
   return choose(s->j, in_exec(s), coord, splat(s->j, first));
}

void
cf_jit_place_taps(const struct sampler *s, const struct level *level, bool linear, struct taps *taps)
{
   for (unsigned a = 0; a < s->key->dims; a++) {
      const unsigned wrap = s->key->seamless && linear ? CF_WRAP_CLAMP_TO_EDGE : s->key->wrap[a];
      LLVMValueRef coord = moved_coordinate(s, level, a);
      if (is_through_slices(s, linear))
         coord = gathered_around(s, coord);
      taps->axis[a] = wrap_axis(s, wrap, linear, coord, level->size_px[a]);
   }
   taps->missing = taps->inside = NULL;
}

void
cf_jit_fetch_texel(const struct sampler *s, const struct level *image, LLVMValueRef x, LLVMValueRef y,
                   LLVMValueRef texel[CF_TEXEL_DWORDS])
{
   LLVMValueRef offset_B = add(s, x_offset(s, x), s->key->dims > 1 ? y_offset(s, y, image) : image->base_B);
   if (s->key->compression)
      texel[0] = load_s3tc(s, offset_B, x, y);
   else
      load_dwords_of_texels(s, offset_B, texel);
}

/* Fetch texel by texel; LLVM shares the common terms of rows and columns. */
static void
fetch_each(const struct sampler *s, const struct level *level, bool linear, struct taps *taps, unsigned count)
{
   for (struct taps *tap = taps; tap < taps + count; tap++) {
      const unsigned columns = linear ? 2 : 1, rows = s->key->dims == 1 ? 1 : columns;
      for (unsigned n = 0; n < columns * rows; n++)
         cf_jit_fetch_texel(s, level, tap->axis[0].index[n & 1], tap->axis[1].index[n >> 1], tap->texel[n]);
   }
}

/* Whether texels of bilinear samples are fetched from windows of units, which are so small that
 * they hold those of a quad where texels are at least as large as pixels: not of the first level of
 * minified textures, where looking for them would be in vain. The second level of trilinear filters
 * gains nothing either, but for anisotropic ones. */
static bool
is_through_units(const struct sampler *s, const struct level *level)
{
   return cf_jit_has_windows(s, CF_WINDOW_OF_UNITS) &&
          (s->key->mip == CF_MIP_NONE || (level->coarse && s->key->anisotropic));
}

/* Fetch through a window per quad: worth it for more than two texels per lane, of one bilinear or
 * several nearest samples. */
static void
fetch_quads(const struct sampler *s, const struct level *level, bool linear, struct taps *taps, unsigned count)
{
   if (linear && count == 1 && is_through_units(s, level))
      cf_jit_fetch_windows(s, level, linear, taps, count, CF_WINDOW_OF_UNITS, fetch_each);
   else if ((linear || count > 2) && cf_jit_has_windows(s, CF_WINDOW_OF_QUAD))
      cf_jit_fetch_windows(s, level, linear, taps, count, CF_WINDOW_OF_QUAD, fetch_each);
   else
      fetch_each(s, level, linear, taps, count);
}

/* Whether windows of sixteen lanes are looked for: of single samples in images, of image filters,
 * whose neighbouring samples share them, and of the second level of mipmaps. They are in vain for
 * most probes of anisotropic filters, and of nearest texels of sixteen bytes a window has so many
 * vectors that a load for each lane is faster. */
static bool
is_through_halves(const struct sampler *s, const struct level *level, bool linear, unsigned count)
{
   const bool single = count == 1 && s->key->dims == 2 && !s->key->anisotropic;
   const bool large = s->key->is_filter || level->coarse || s->key->pixel_B > 4;
   return cf_jit_has_windows(s, CF_WINDOW_OF_HALF) &&
          (linear ? single || large : single && s->key->pixel_B <= 8);
}

static void
fetch_image(const struct sampler *s, const struct level *level, bool linear, struct taps *taps, unsigned count)
{
   if (is_through_halves(s, level, linear, count))
      cf_jit_fetch_windows(s, level, linear, taps, count, CF_WINDOW_OF_HALF, fetch_quads);
   else
      fetch_quads(s, level, linear, taps, count);
}

/* Fetch each texel of a sample in a 3D texture. */
static void
fetch_volume(const struct sampler *s, const struct level *level, bool linear, struct taps *taps)
{
   for (unsigned n = 0; n < (linear ? 2 : 1); n++) {
      struct taps in_slice = *taps;
      struct level slice = *level;
      slice.base_B = add(s, level->base_B, mul(s, taps->axis[2].index[n], level->layer_B));
      fetch_each(s, &slice, linear, &in_slice, 1);
      memcpy(taps->texel + CF_IMAGE_TEXELS * n, in_slice.texel, CF_IMAGE_TEXELS * sizeof(in_slice.texel[0]));
   }
}

/* Whether it is looked for that bilinear samples are at texels' centres in all lanes, as of images
 * drawn pixel by pixel: then the filter's integer weights are 0 or 256. Not in the second level of
 * trilinear filters, whose texels are larger than pixels. */
static bool
may_be_centred(const struct sampler *s, const struct level *level, bool linear)
{
   return linear && s->key->dims == 2 && !s->key->cube && is_integer(s) && !level->coarse;
}

void
cf_jit_fetch_taps(const struct sampler *s, const struct level *level, bool linear,
                  struct taps *taps, unsigned count)
{
   if (s->key->dims < 3)
      fetch_image(s, level, linear, taps, count);
   else if (is_through_slices(s, linear))
      cf_jit_fetch_slices(s, level, taps, fetch_volume);
   else
      fetch_volume(s, level, linear, taps);
}

/* A channel of a sample at a texel's centre: what the integer filter gives. */
static LLVMValueRef
centred_channel(const struct sampler *s, const struct taps *taps,
                const struct cf_sample_component *c)
{
   return of_sum(s, c, shl(s, channel_bits(s, taps->texel[0][0], c), 16));
}

static void
filter_components(const struct sampler *s, bool linear, const struct taps *taps, bool centred,
                  LLVMValueRef result[4])
{
   const float constant[] = {
      [CF_SAMPLE_ZERO] = 0.0f, [CF_SAMPLE_ONE] = 1.0f, [CF_SAMPLE_INTEGER_ONE] = cf_float(1)
   };
   for (unsigned c = 0; c < 4; c++) {
      const struct cf_sample_component *component = &s->key->component[c];
      if (component->source != CF_SAMPLE_CHANNEL)
         result[c] = f32_of(s, constant[component->source]);
      else if (!linear)
         result[c] = float_texel(s, taps, 0, component);
      else if (centred)
         result[c] = centred_channel(s, taps, component);
      else if (is_integer(s))
         result[c] = linear_channel(s, taps, component);
      else
         result[c] = linear_float_channel(s, taps, component, 0, s->key->dims);
      if (taps->inside)
         result[c] = choose(s->j, taps->inside, result[c], f32_of(s, 0.0f));
   }
}

void
cf_jit_filter_taps(const struct sampler *s, bool linear, const struct taps *from,
                   LLVMValueRef result[4])
{
   struct taps taps = *from;
   if (from->missing && is_integer(s))
      fill_missing(s, &taps);
   filter_components(s, linear, &taps, false, result);
}

/* Find the only texel of each sample, if all samples are at centres. Returns whether they are. */
static LLVMValueRef
find_centres(const struct sampler *s, const struct taps *taps, struct taps *centre)
{
   LLVMValueRef rests = u32_of(s, 0);
   *centre = *taps;
   for (unsigned a = 0; a < 2; a++) {
      LLVMValueRef weight = cf_jit_integer_weight(s->j, taps->axis[a].weight);
      rests = or (s, rests, and(s, weight, u32_of(s, 255)));
      centre->axis[a].index[0] = choose(s->j, compare_ints(s, LLVMIntEQ, weight, u32_of(s, 0)),
                                        taps->axis[a].index[0], taps->axis[a].index[1]);
   }
   return none_in(s, rests);
}

/* Fetch one texel a lane if all samples are at centres, else all of them. */
static void
sample_centred(const struct sampler *s, const struct level *level, struct taps *taps,
               LLVMValueRef result[4])
{
   LLVMBuilderRef ir = s->j->ir;
   LLVMBasicBlockRef way[2] = { new_block(s), new_block(s) }, meet = new_block(s);
   LLVMValueRef value[2][4];
   struct taps centre;
   LLVMBuildCondBr(ir, find_centres(s, taps, &centre), way[0], way[1]);
   for (unsigned w = 0; w < 2; w++) {
      LLVMPositionBuilderAtEnd(ir, way[w]);
      (w == 0 ? fetch_each : fetch_image)(s, level, w == 1, w == 0 ? &centre : taps, 1);
      filter_components(s, true, w == 0 ? &centre : taps, w == 0, value[w]);
      way[w] = LLVMGetInsertBlock(ir);
      LLVMBuildBr(ir, meet);
   }
   LLVMMoveBasicBlockAfter(meet, LLVMGetLastBasicBlock(s->function));
   LLVMPositionBuilderAtEnd(ir, meet);
   for (unsigned c = 0; c < 4; c++)
      result[c] = by_way(s, way, value[0][c], value[1][c]);
}

void
cf_jit_sample_taps(const struct sampler *s, const struct level *level, bool linear,
                   struct taps *taps, LLVMValueRef result[4])
{
   if (may_be_centred(s, level, linear)) {
      sample_centred(s, level, taps, result);
      return;
   }
   cf_jit_fetch_taps(s, level, linear, taps, 1);
   cf_jit_filter_taps(s, linear, taps, result);
}
