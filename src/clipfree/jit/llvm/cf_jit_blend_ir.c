/* SPDX-License-Identifier: MIT */
/*
 * Blending: unpack channels of old pixels -> blend -> pack channels of new pixels -> logic op and
 * masks, all in registers. Bit-exact with the pixel engine (cf_pixel_write.c): the same operations
 * in the same order, except those that cannot change a bit. For formats without floats, values are
 * in [0, 1] and never -0 or NaN, so that adding 0 and multiplying by 1 are left out.
 */
#include "clipfree/jit/llvm/cf_jit_alu.h"
#include "clipfree/jit/llvm/cf_jit_pixels_ir.h"
#include "clipfree/pixel/cf_pixel.h"

/* Colours, as floats. */
struct inputs {
   LLVMValueRef src[4], dst[4], src1[4];
};

/* ---- channels ---- */

/* A component of old pixels. */
static LLVMValueRef
unpack_channel(struct translator *t, const struct target *target, unsigned c, const LLVMValueRef *old)
{
   const struct channel *channel = &target->channel[c];
   if (channel->type == CF_CHANNEL_NONE)
      return float_constant(t, c == 3 ? 1.0f : 0.0f);
   if (channel->type == CF_CHANNEL_SRGB && t->j.permutes_bytes)
      return cf_jit_srgb_channel(&t->j, old[channel->word], channel->shift);
   LLVMValueRef value = LLVMBuildLShr(t->j.ir, old[channel->word], constant_i32(&t->j, channel->shift), "");
   value = LLVMBuildAnd(t->j.ir, value, constant_i32(&t->j, cf_channel_max(channel->bits)), "");
   return cf_jit_channel_decode(&t->j, channel->type, channel->bits, value);
}

/*
 * Pixels of four bytes, three or four of them unorms: channels are rounded to integers, and packed
 * by instructions that clamp. Within 128 bits of a vector, four lanes, these give the lanes' first
 * bytes, then their second ones, and so on. A NaN, and a float below all integers, becomes the
 * least integer, which is clamped to 0. So would one above all integers: colours are clamped to 1
 * before. Blended ones need not be, since they are sums of two terms in [-1, 1]. Same codes as
 * cf_unorm_encode.
 */
enum { BYTES = 4 };

/* Finds the channel of each byte, -1: none. */
static bool
is_bytes(const struct translator *t, const struct target *target, int channel_of[BYTES])
{
   bool bytes = t->j.permutes && target->pixel_B == BYTES;
   unsigned channels = 0;
   for (unsigned b = 0; b < BYTES; b++)
      channel_of[b] = -1;
   for (unsigned c = 0; c < 4 && bytes; c++) {
      const struct channel *channel = &target->channel[c];
      if (channel->type == CF_CHANNEL_NONE)
         continue;
      bytes = channel->type == CF_CHANNEL_UNORM && channel->bits == 8 && channel->shift % 8 == 0;
      if (bytes)
         channel_of[channel->shift / 8] = (int)c;
      channels++;
   }
   return bytes && channels >= 3;
}

/* An instruction of the host, of 16 lanes with AVX-512 or of 8. */
static LLVMValueRef
host_instr(struct translator *t, const char *of_16, const char *of_8, LLVMValueRef *arguments,
           unsigned count)
{
   return call_intrinsic(&t->j, t->j.gathers ? of_16 : of_8, arguments, count);
}

/* The nearest integers, even ones in the middle. */
static LLVMValueRef
rounded(struct translator *t, LLVMValueRef floats)
{
   LLVMTypeRef i16 = LLVMInt16TypeInContext(t->j.context);
   LLVMValueRef arguments[4] = { floats, LLVMConstNull(LLVMVectorType(t->j.i32, 16)),
                                 LLVMConstAllOnes(i16), LLVMConstInt(t->j.i32, 4, 0) };
   return host_instr(t, "llvm.x86.avx512.mask.cvtps2dq.512", "llvm.x86.avx.cvt.ps2dq.256",
                     arguments, t->j.gathers ? 4 : 1);
}

/* Pixels of some lanes, of their bytes as integers. */
static LLVMValueRef
packed_bytes(struct translator *t, const LLVMValueRef byte[BYTES], unsigned lanes)
{
   LLVMValueRef pair[2], all;
   for (unsigned p = 0; p < 2; p++) {
      LLVMValueRef both[2] = { byte[2 * p], byte[2 * p + 1] };
      pair[p] = host_instr(t, "llvm.x86.avx512.packssdw.512", "llvm.x86.avx2.packssdw", both, 2);
   }
   all = host_instr(t, "llvm.x86.avx512.packuswb.512", "llvm.x86.avx2.packuswb", pair, 2);
   unsigned index[CF_TASK_LANES / 2 * BYTES];
   for (unsigned i = 0; i < lanes * BYTES; i++)
      index[i] = (i & ~15u) + i % BYTES * BYTES + i / BYTES % 4;
   return LLVMBuildBitCast(t->j.ir, shuffle(t, all, NULL, index, lanes * BYTES),
                           LLVMVectorType(t->j.i32, lanes), "");
}

static LLVMValueRef
pack_bytes(struct translator *t, const LLVMValueRef color[4], bool blended,
           const int channel_of[BYTES])
{
   const unsigned lanes = t->j.gathers ? 16 : 8, parts = CF_TASK_LANES / lanes;
   LLVMValueRef limit = float_constant(t, 255.0f), scaled[BYTES], part[CF_TASK_LANES / 8];
   for (unsigned b = 0; b < BYTES; b++) {
      if (channel_of[b] < 0)
         continue;
      LLVMValueRef x = LLVMBuildFMul(t->j.ir, color[channel_of[b]], limit, "");
      scaled[b] = blended ? x : choose(&t->j, compare_f(&t->j, LLVMRealOLT, limit, x), limit, x);
   }
   for (unsigned n = 0; n < parts; n++) {
      LLVMValueRef byte[BYTES];
      for (unsigned b = 0; b < BYTES; b++)
         byte[b] = channel_of[b] < 0 ? LLVMConstNull(LLVMVectorType(t->j.i32, lanes))
                                     : rounded(t, slice(t, scaled[b], n * lanes, 1, lanes));
      part[n] = packed_bytes(t, byte, lanes);
   }
   for (unsigned width = lanes; width < CF_TASK_LANES; width *= 2)
      for (unsigned n = 0; n < CF_TASK_LANES / width / 2; n++)
         part[n] = concatenate(t, part[2 * n], part[2 * n + 1], 2 * width);
   return part[0];
}

static LLVMValueRef
pack_srgb(struct translator *t, const struct target *target, const LLVMValueRef color[4])
{
   LLVMValueRef linear[3] = { NULL };
   unsigned offset_bits[3] = { 0 };
   for (unsigned c = 0; c < 3; c++) {
      if (target->channel[c].type != CF_CHANNEL_SRGB)
         continue;
      linear[c] = color[c];
      offset_bits[c] = target->channel[c].shift;
   }
   return cf_jit_srgb_pixels(&t->j, linear, offset_bits);
}

static void
pack_pixels(struct translator *t, const struct target *target, const LLVMValueRef color[4], LLVMValueRef pixels[MAX_WORDS])
{
   int channel_of[BYTES];
   if (is_bytes(t, target, channel_of)) {
      pixels[0] = pack_bytes(t, color, target->key->blend, channel_of);
      return;
   }
   const bool srgb_together = t->j.permutes_bytes && target->channel[0].type == CF_CHANNEL_SRGB;
   for (unsigned w = 0; w < target->words; w++)
      pixels[w] = constant_i32(&t->j, 0);
   if (srgb_together)
      pixels[0] = pack_srgb(t, target, color);
   for (unsigned c = 0; c < 4; c++) {
      const struct channel *channel = &target->channel[c];
      if (channel->type == CF_CHANNEL_NONE || (channel->type == CF_CHANNEL_SRGB && srgb_together))
         continue;
      LLVMValueRef code = cf_jit_channel_encode(&t->j, channel->type, channel->bits, color[c]);
      code = LLVMBuildShl(t->j.ir, code, constant_i32(&t->j, channel->shift), "");
      pixels[channel->word] = LLVMBuildAdd(t->j.ir, pixels[channel->word], code, "");
   }
}

/* ---- blend ---- */

static LLVMValueRef
target_constant(struct translator *t, const struct target *target, unsigned c)
{
   return cf_jit_target_state(t, target, t->j.f32, offsetof(struct cf_pixel_target, constant) + c * sizeof(float));
}

/* The source of a blend factor. */
static LLVMValueRef
factor_source(struct translator *t, const struct target *target, enum cf_blend_source source, unsigned c, const struct inputs *in)
{
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
      return c == 3 ? float_constant(t, 1.0f)
                    : cf_jit_blend_saturate(&t->j, in->src[3], in->dst[3], target->clamp);
   case CF_BLEND_FROM_SRC1:
      return in->src1[c];
   case CF_BLEND_FROM_SRC1_ALPHA:
      return in->src1[3];
   case CF_BLEND_FROM_NONE:
      break;
   }
   return float_constant(t, 0.0f);
}

/* A term of the equation. Without floats there is no -0, so that the neutral one can stand for a
 * sum's 0: nothing is added to it. */
static LLVMValueRef
blend_term(struct translator *t, const struct target *target, const struct cf_term_key *term, unsigned c, LLVMValueRef value,
           const struct inputs *in)
{
   const bool dropped = term->source == CF_BLEND_FROM_NONE && !term->inverse;
   const float nothing = target->clamp ? -0.0f : 0.0f;
   LLVMValueRef source = factor_source(t, target, (enum cf_blend_source)term->source, c, in);
   LLVMValueRef factor =
      cf_jit_blend_factor(&t->j, source, float_constant(t, term->inverse ? 1.0f : nothing),
                          float_constant(t, term->inverse ? -1.0f : 1.0f));
   return cf_jit_blend_term(&t->j, value, factor, constant_i32(&t->j, dropped ? 0 : UINT32_MAX),
                            constant_i32(&t->j, dropped          ? cf_bits(nothing)
                                                : term->negative ? CF_SIGN_BIT
                                                                 : 0));
}

static LLVMValueRef
blend_component(struct translator *t, const struct target *target, unsigned c, const struct inputs *in)
{
   const struct cf_blend_key *key = c == 3 ? &target->key->alpha : &target->key->rgb;
   if (key->func == CF_BLEND_FUNC_MIN)
      return cf_jit_blend_min(&t->j, in->src[c], in->dst[c], target->clamp);
   if (key->func == CF_BLEND_FUNC_MAX)
      return cf_jit_blend_max(&t->j, in->src[c], in->dst[c], target->clamp);
   return LLVMBuildFAdd(t->j.ir, blend_term(t, target, &key->src, c, in->src[c], in),
                        blend_term(t, target, &key->dst, c, in->dst[c], in), "");
}

/* ---- logic op and masks ---- */

static void
apply_logic_op(struct translator *t, const struct target *target, const LLVMValueRef *old, LLVMValueRef *pixels)
{
   LLVMValueRef op = cf_jit_target_state(t, target, t->j.i32, offsetof(struct cf_pixel_target, logicop));
   for (unsigned w = 0; w < target->words; w++) {
      uint32_t channel_bits = 0;
      for (unsigned c = 0; c < 4; c++) {
         const struct channel *channel = &target->channel[c];
         if (channel->type != CF_CHANNEL_NONE && channel->word == w)
            channel_bits |= cf_channel_max(channel->bits) << channel->shift;
      }
      pixels[w] = LLVMBuildAnd(t->j.ir, cf_jit_logic_op(&t->j, op, pixels[w], old[w]),
                               constant_i32(&t->j, channel_bits), "");
   }
}

static void
apply_mask(struct translator *t, const struct target *target, const LLVMValueRef *old, LLVMValueRef *pixels)
{
   for (unsigned w = 0; w < target->words; w++) {
      const size_t offset_B = offsetof(struct cf_pixel_target, write_bits) + w * sizeof(uint32_t);
      pixels[w] = cf_jit_masked_bits(&t->j, old[w], pixels[w],
                                     cf_jit_target_state(t, target, t->j.i32, offset_B));
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
      color[c] = clamped ? cf_jit_fsat(&t->j, color[c]) : color[c];
   }
}

static void
blend_pixels(struct translator *t, const struct target *target, const LLVMValueRef src[4], const LLVMValueRef *old,
             LLVMValueRef blended[4])
{
   struct inputs in;
   load_color(t, target->key->src1, target->clamp, in.src1);
   if (target->key->alpha_to_one)
      in.src1[3] = float_constant(t, 1.0f);
   for (unsigned c = 0; c < 4; c++) {
      in.src[c] = target->clamp ? cf_jit_fsat(&t->j, src[c]) : src[c];
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
