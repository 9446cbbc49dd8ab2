/* SPDX-License-Identifier: MIT */
/*
 * Blending: unpack channels of old pixels -> blend -> pack channels of new pixels -> logic op and
 * masks, all in registers. Bit-exact with the pixel engine (cf_pixel_write.c): the same operations
 * in the same order, except those that cannot change a bit. For formats without floats, values are
 * in [0, 1] and never -0 or NaN, so that adding 0 and multiplying by 1 are left out.
 */
#include "clipfree/arith/cf_minmax.h"
#include "clipfree/jit/llvm/cf_jit_alu.h"
#include "clipfree/jit/llvm/cf_jit_pixels_ir.h"
#include "clipfree/pixel/cf_pixel.h"

/* Colours, as floats. */
struct inputs {
   LLVMValueRef src[4], dst[4], src1[4];
};

/* ---- tables ---- */

/* Add a constant array to the module. */
static LLVMValueRef
table(struct translator *t, const char *name, LLVMValueRef *values, unsigned count)
{
   LLVMValueRef known = LLVMGetNamedGlobal(t->j.module, name);
   if (known)
      return known;
   LLVMTypeRef type = LLVMTypeOf(values[0]);
   LLVMValueRef array = LLVMAddGlobal(t->j.module, LLVMArrayType(type, count), name);
   LLVMSetInitializer(array, LLVMConstArray(type, values, count));
   LLVMSetGlobalConstant(array, 1);
   LLVMSetLinkage(array, LLVMPrivateLinkage);
   return array;
}

static LLVMValueRef
float_table(struct translator *t, const char *name, const float *values, unsigned count)
{
   LLVMValueRef element[256];
   for (unsigned i = 0; i < count; i++)
      element[i] = LLVMConstBitCast(LLVMConstInt(t->j.i32, cf_bits(values[i]), 0), t->j.f32);
   return table(t, name, element, count);
}

/* For each bucket of cf_srgb_bucket: the code of its smallest value, shifted by SRGB_CODE_SHIFT,
 * and the distance, in units of the last place, at which the next code begins; larger than the
 * bucket if it begins beyond. */
#define SRGB_CODE_SHIFT 17

static LLVMValueRef
srgb_table(struct translator *t)
{
   LLVMValueRef element[sizeof(cf_srgb_bucket)];
   for (uint32_t i = 0; i < sizeof(cf_srgb_bucket); i++) {
      const uint32_t code = cf_srgb_bucket[i], start = cf_bits(0x1p-13f) + (i << 16), next = cf_bits(cf_srgb_threshold[code + 1]);
      const uint32_t distance = next < start ? 0 : cf_min_u32(next - start, 1u << 16);
      element[i] = LLVMConstInt(t->j.i32, code << SRGB_CODE_SHIFT | distance, 0);
   }
   return table(t, "linear_to_srgb", element, sizeof(cf_srgb_bucket));
}

/* Load an element of a table for each lane. */
static LLVMValueRef
look_up(struct translator *t, LLVMTypeRef type, LLVMValueRef array, LLVMValueRef index)
{
   LLVMValueRef row = LLVMGetUndef(lanes_of(&t->j, type));
   for (unsigned l = 0; l < CF_TASK_LANES; l++) {
      LLVMValueRef lane = LLVMConstInt(t->j.i32, l, 0);
      LLVMValueRef at = LLVMBuildZExt(t->j.ir, LLVMBuildExtractElement(t->j.ir, index, lane, ""), t->j.i64, "");
      LLVMValueRef value = LLVMBuildLoad2(t->j.ir, type, LLVMBuildGEP2(t->j.ir, type, array, &at, 1, ""), "");
      row = LLVMBuildInsertElement(t->j.ir, row, value, lane, "");
   }
   return row;
}

/* ---- channels ---- */

/* value / (2^bits - 1), rounded once, by multiplication. */
static LLVMValueRef
from_unorm(struct translator *t, LLVMValueRef value, unsigned bits)
{
   float reciprocal[2];
   cf_unorm_reciprocal(bits, reciprocal);
   LLVMValueRef u = i32_to_float(&t->j, value);
   return LLVMBuildFAdd(t->j.ir, LLVMBuildFMul(t->j.ir, u, float_constant(t, reciprocal[0]), ""),
                        LLVMBuildFMul(t->j.ir, u, float_constant(t, reciprocal[1]), ""), "");
}

/* Rounded to nearest even; a NaN becomes 0x7e00. */
static LLVMValueRef
to_half(struct translator *t, LLVMValueRef x)
{
   if (!t->j.half_instrs)
      return cf_jit_to_half(&t->j, x);
   LLVMTypeRef i16 = lanes_of(&t->j, LLVMInt16TypeInContext(t->j.context));
   LLVMTypeRef half = lanes_of(&t->j, LLVMHalfTypeInContext(t->j.context));
   LLVMValueRef value = LLVMBuildBitCast(t->j.ir, LLVMBuildFPTrunc(t->j.ir, x, half, ""), i16, "");
   value = LLVMBuildZExt(t->j.ir, value, row_type(t), "");
   return choose(&t->j, LLVMBuildFCmp(t->j.ir, LLVMRealUNO, x, x, ""), constant_i32(&t->j, 0x7e00), value);
}

/* cf_linear_to_srgb8. */
static LLVMValueRef
to_srgb8(struct translator *t, LLVMValueRef x)
{
   LLVMBuilderRef ir = t->j.ir;
   x = clamp(t, x, float_constant(t, 0x1p-13f), float_constant(t, 1.0f));
   LLVMValueRef place = LLVMBuildSub(ir, bits_of(&t->j, x), constant_i32(&t->j, cf_bits(0x1p-13f)), "");
   LLVMValueRef bucket = look_up(t, t->j.i32, srgb_table(t), LLVMBuildLShr(ir, place, constant_i32(&t->j, 16), ""));
   LLVMValueRef code = LLVMBuildLShr(ir, bucket, constant_i32(&t->j, SRGB_CODE_SHIFT), "");
   LLVMValueRef next = LLVMBuildAnd(ir, bucket, constant_i32(&t->j, (1u << SRGB_CODE_SHIFT) - 1), "");
   place = LLVMBuildAnd(ir, place, constant_i32(&t->j, 0xffff), "");
   LLVMValueRef above = LLVMBuildICmp(ir, LLVMIntUGE, place, next, "");
   return LLVMBuildAdd(ir, code, bool_to_int(&t->j, above), "");
}

/* Unpack a component of the old pixels. */
static LLVMValueRef
unpack_channel(struct translator *t, const struct target *target, unsigned c, const LLVMValueRef *old)
{
   const struct channel *channel = &target->channel[c];
   if (channel->type == CF_CHANNEL_NONE)
      return float_constant(t, c == 3 ? 1.0f : 0.0f);
   LLVMValueRef value = LLVMBuildLShr(t->j.ir, old[channel->word], constant_i32(&t->j, channel->shift), "");
   value = LLVMBuildAnd(t->j.ir, value, constant_i32(&t->j, UINT32_MAX >> (32 - channel->bits)), "");
   if (channel->type == CF_CHANNEL_UNORM)
      return from_unorm(t, value, channel->bits);
   if (channel->type == CF_CHANNEL_SRGB)
      return look_up(t, t->j.f32, float_table(t, "srgb_to_linear", cf_srgb_to_linear, 256), value);
   return channel->bits == 16 ? cf_jit_from_half(&t->j, value) : float_of(&t->j, value);
}

/* Pack a component. Unorms are rounded by adding 2^23, whose bits are then subtracted. */
static LLVMValueRef
channel_code(struct translator *t, const struct channel *channel, LLVMValueRef x)
{
   if (channel->type == CF_CHANNEL_SRGB)
      return to_srgb8(t, x);
   if (channel->type == CF_CHANNEL_FLOAT)
      return channel->bits == 16 ? to_half(t, x) : bits_of(&t->j, cf_jit_canon(&t->j, x));
   LLVMValueRef max = float_constant(t, (float)(UINT32_MAX >> (32 - channel->bits)));
   LLVMValueRef scaled = LLVMBuildFMul(t->j.ir, saturate(t, x), max, "");
   LLVMValueRef biased = bits_of(&t->j, LLVMBuildFAdd(t->j.ir, scaled, float_constant(t, 0x1p23f), ""));
   return LLVMBuildSub(t->j.ir, biased, constant_i32(&t->j, cf_bits(0x1p23f)), "");
}

static void
pack_pixels(struct translator *t, const struct target *target, const LLVMValueRef color[4], LLVMValueRef pixels[MAX_WORDS])
{
   for (unsigned w = 0; w < target->words; w++)
      pixels[w] = constant_i32(&t->j, 0);
   for (unsigned c = 0; c < 4; c++) {
      const struct channel *channel = &target->channel[c];
      if (channel->type == CF_CHANNEL_NONE)
         continue;
      LLVMValueRef code = LLVMBuildShl(t->j.ir, channel_code(t, channel, color[c]), constant_i32(&t->j, channel->shift), "");
      pixels[channel->word] = LLVMBuildAdd(t->j.ir, pixels[channel->word], code, "");
   }
}

/* ---- blend ---- */

static LLVMValueRef
least(struct translator *t, const struct target *target, LLVMValueRef a, LLVMValueRef b)
{
   return target->clamp ? choose(&t->j, LLVMBuildFCmp(t->j.ir, LLVMRealOLT, a, b, ""), a, b) : cf_jit_fmin(&t->j, a, b);
}

static LLVMValueRef
greatest(struct translator *t, const struct target *target, LLVMValueRef a, LLVMValueRef b)
{
   return target->clamp ? choose(&t->j, LLVMBuildFCmp(t->j.ir, LLVMRealOGT, a, b, ""), a, b) : cf_jit_fmax(&t->j, a, b);
}

static LLVMValueRef
target_constant(struct translator *t, const struct target *target, unsigned c)
{
   return cf_jit_target_state(t, target, t->j.f32, offsetof(struct cf_pixel_target, constant) + c * sizeof(float));
}

/* The source of a blend factor. */
static LLVMValueRef
factor_source(struct translator *t, const struct target *target, enum cf_blend_source source, unsigned c, const struct inputs *in)
{
   LLVMValueRef one = float_constant(t, 1.0f), rest;
   switch (source) {
   case CF_BLEND_FROM_SRC:
      return in->src[c];
   case CF_BLEND_FROM_SRC_ALPHA:
      return in->src[3];
   case CF_BLEND_FROM_DST:
      return in->dst[c];
   case CF_BLEND_FROM_DST_ALPHA:
      return in->dst[3];
   case CF_BLEND_FROM_CONST:
      return target_constant(t, target, c);
   case CF_BLEND_FROM_CONST_ALPHA:
      return target_constant(t, target, 3);
   case CF_BLEND_FROM_SATURATE:
      rest = LLVMBuildFSub(t->j.ir, one, in->dst[3], "");
      return c == 3 ? one : least(t, target, in->src[3], rest);
   case CF_BLEND_FROM_SRC1:
      return in->src1[c];
   case CF_BLEND_FROM_SRC1_ALPHA:
      return in->src1[3];
   case CF_BLEND_FROM_NONE:
      break;
   }
   return float_constant(t, 0.0f);
}

/* A term of the blend equation: value * source or value * (1 - source), with its sign; NULL: 0. */
static LLVMValueRef
blend_term(struct translator *t, const struct target *target, const struct cf_term_key *term, unsigned c, LLVMValueRef value,
           const struct inputs *in)
{
   if (term->source == CF_BLEND_FROM_NONE) {
      if (!term->inverse)
         return NULL;
   } else {
      LLVMValueRef factor = factor_source(t, target, (enum cf_blend_source)term->source, c, in);
      if (term->inverse)
         factor = LLVMBuildFSub(t->j.ir, float_constant(t, 1.0f), factor, "");
      else if (!target->clamp)
         factor = LLVMBuildFAdd(t->j.ir, float_constant(t, 0.0f), factor, "");
      value = LLVMBuildFMul(t->j.ir, value, factor, "");
   }
   return term->negative ? LLVMBuildFNeg(t->j.ir, value, "") : value;
}

/* The blend equation (GL 2.1 section 4.1.8). */
static LLVMValueRef
blend_component(struct translator *t, const struct target *target, unsigned c, const struct inputs *in)
{
   const struct cf_blend_key *key = c == 3 ? &target->key->alpha : &target->key->rgb;
   if (key->func == CF_BLEND_FUNC_MIN)
      return least(t, target, in->src[c], in->dst[c]);
   if (key->func == CF_BLEND_FUNC_MAX)
      return greatest(t, target, in->src[c], in->dst[c]);
   LLVMValueRef zero = float_constant(t, 0.0f);
   LLVMValueRef src = blend_term(t, target, &key->src, c, in->src[c], in), dst = blend_term(t, target, &key->dst, c, in->dst[c], in);
   if (target->clamp && (!src || !dst))
      return src ? src : dst ? dst : zero;
   return LLVMBuildFAdd(t->j.ir, src ? src : zero, dst ? dst : zero, "");
}

/* ---- logic op and masks ---- */

/* All ones in all lanes if bit `bit` of the op's truth table is set, else 0. */
static LLVMValueRef
truth(struct translator *t, LLVMValueRef op, unsigned bit)
{
   LLVMValueRef set = LLVMBuildAnd(t->j.ir, LLVMBuildLShr(t->j.ir, op, constant_i32(&t->j, bit), ""), constant_i32(&t->j, 1), "");
   return LLVMBuildNeg(t->j.ir, set, "");
}

/* Logic op, bitwise by the state's truth table: (d ? t3 : t2) where s, else (d ? t1 : t0). */
static void
apply_logic_op(struct translator *t, const struct target *target, const LLVMValueRef *old, LLVMValueRef *pixels)
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMValueRef op = cf_jit_target_state(t, target, t->j.i32, offsetof(struct cf_pixel_target, logicop));
   for (unsigned w = 0; w < target->words; w++) {
      LLVMValueRef s = pixels[w], d = old[w], by_source[2];
      for (unsigned k = 0; k < 2; k++) {
         LLVMValueRef set = LLVMBuildAnd(ir, d, truth(t, op, 2 * k + 1), "");
         by_source[k] = LLVMBuildOr(ir, set, LLVMBuildAnd(ir, LLVMBuildNot(ir, d, ""), truth(t, op, 2 * k), ""), "");
      }
      LLVMValueRef result = LLVMBuildOr(ir, LLVMBuildAnd(ir, s, by_source[1], ""),
                                        LLVMBuildAnd(ir, LLVMBuildNot(ir, s, ""), by_source[0], ""), "");
      uint32_t channel_bits = 0;
      for (unsigned c = 0; c < 4; c++) {
         const struct channel *channel = &target->channel[c];
         if (channel->type != CF_CHANNEL_NONE && channel->word == w)
            channel_bits |= UINT32_MAX >> (32 - channel->bits) << channel->shift;
      }
      pixels[w] = LLVMBuildAnd(ir, result, constant_i32(&t->j, channel_bits), "");
   }
}

static void
apply_mask(struct translator *t, const struct target *target, const LLVMValueRef *old, LLVMValueRef *pixels)
{
   LLVMBuilderRef ir = t->j.ir;
   for (unsigned w = 0; w < target->words; w++) {
      const size_t offset_B = offsetof(struct cf_pixel_target, write_bits) + w * sizeof(uint32_t);
      LLVMValueRef written = LLVMBuildAnd(ir, LLVMBuildXor(ir, pixels[w], old[w], ""),
                                          cf_jit_target_state(t, target, t->j.i32, offset_B), "");
      pixels[w] = LLVMBuildXor(ir, old[w], written, "");
   }
}

/* ---- colours to pixels ---- */

bool
cf_jit_target_reads(const struct target *target)
{
   return target->key->blend || target->key->logic || target->key->masked;
}

/* Load the program's outputs from `first` on; missing ones are 0. */
static void
load_color(struct translator *t, unsigned first, bool clamped, LLVMValueRef color[4])
{
   for (unsigned c = 0; c < 4; c++) {
      color[c] = t->out[first + c] ? float_of(&t->j, load_slot(t, t->out[first + c])) : float_constant(t, 0.0f);
      color[c] = clamped ? saturate(t, color[c]) : color[c];
   }
}

static void
blend_pixels(struct translator *t, const struct target *target, const LLVMValueRef src[4], const LLVMValueRef *old,
             LLVMValueRef blended[4])
{
   struct inputs in;
   load_color(t, target->key->src1, target->clamp, in.src1);
   for (unsigned c = 0; c < 4; c++) {
      in.src[c] = target->clamp ? saturate(t, src[c]) : src[c];
      in.dst[c] = unpack_channel(t, target, c, old);
   }
   for (unsigned c = 0; c < 4; c++)
      blended[c] = target->channel[c].type == CF_CHANNEL_NONE ? NULL : blend_component(t, target, c, &in);
}

void
cf_jit_new_pixels(struct translator *t, const struct target *target, const LLVMValueRef old[MAX_WORDS], LLVMValueRef pixels[MAX_WORDS])
{
   LLVMValueRef color[4], blended[4];
   load_color(t, target->key->color, false, color);
   if (target->key->alpha_to_one)
      color[3] = float_constant(t, 1.0f);
   if (target->key->blend)
      blend_pixels(t, target, color, old, blended);
   pack_pixels(t, target, target->key->blend ? blended : color, pixels);
   if (target->key->logic)
      apply_logic_op(t, target, old, pixels);
   if (target->key->masked)
      apply_mask(t, target, old, pixels);
}
