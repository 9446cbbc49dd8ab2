/* SPDX-License-Identifier: MIT */
/*
 * Decoding of S3TC texels for all lanes, bit-exact with the specification, memory/cf_s3tc.h.
 * Selections by code become digits of a constant, divisions become multiplications that are exact
 * for all operands that occur.
 */
#include "clipfree/jit/llvm/cf_jit_sampler.h"
#include "clipfree/memory/cf_format.h"

/* Weight of color 0, in sixths, by code: four bits each; those of color 1 in the upper half. */
#define FOUR_COLORS 0x42602406u
#define THREE_COLORS 0x03600306u

static LLVMValueRef
shr_lanes(const struct sampler *s, LLVMValueRef a, LLVMValueRef bits)
{
   return LLVMBuildLShr(s->j->ir, a, bits, "");
}

static LLVMValueRef
digit(const struct sampler *s, LLVMValueRef a, unsigned first_bit, unsigned bits)
{
   return and(s, shr(s, a, first_bit), u32_of(s, (1u << bits) - 1));
}

/* (n + half) / divisor, as (n + half) * reciprocal >> bits. */
static LLVMValueRef
divide(const struct sampler *s, LLVMValueRef n, uint32_t half, uint32_t reciprocal, unsigned bits)
{
   return shr(s, mul(s, add(s, n, u32_of(s, half)), u32_of(s, reciprocal)), bits);
}

/* Red, green and blue in the lower bytes. */
static LLVMValueRef
color_of(const struct sampler *s, LLVMValueRef colors, LLVMValueRef sixths)
{
   LLVMValueRef a = digit(s, sixths, 0, 3), b = digit(s, sixths, 16, 3), part[3];
   static const struct {
      unsigned bit, bits;
      uint32_t half, reciprocal;
      unsigned shift;
   } channel[3] = {
      { 11, 5, 62, 33826, 22 }, /* n / 124, n up to 31 * 6 * 170 + 62 */
      { 5, 6, 126, 66577, 24 }, /* n / 252, n up to 63 * 6 * 170 + 126 */
      { 0, 5, 62, 33826, 22 },
   };
   for (unsigned c = 0; c < 3; c++) {
      LLVMValueRef first = mul(s, digit(s, colors, channel[c].bit, channel[c].bits), a);
      LLVMValueRef second = mul(s, digit(s, colors, channel[c].bit + 16, channel[c].bits), b);
      LLVMValueRef n = mul(s, add(s, first, second), u32_of(s, 170));
      part[c] = shl(s, divide(s, n, channel[c].half, channel[c].reciprocal, channel[c].shift), 8 * c);
   }
   return or(s, or(s, part[0], part[1]), part[2]);
}

/* DXT3: four bits a texel. index: of the texel in the block. */
static LLVMValueRef
alpha_of_bits(const struct sampler *s, const LLVMValueRef alpha[2], LLVMValueRef index)
{
   LLVMValueRef upper = compare_ints(s, LLVMIntUGE, index, u32_of(s, 8));
   LLVMValueRef word = choose(s->j, upper, alpha[1], alpha[0]);
   LLVMValueRef bits = digit(s, shr_lanes(s, word, shl(s, digit(s, index, 0, 3), 2)), 0, 4);
   return mul(s, bits, u32_of(s, 17));
}

/* DXT5: three bits a texel, eight texels in 24 bits, behind two values of eight. */
static LLVMValueRef
alpha_of_codes(const struct sampler *s, const LLVMValueRef alpha[2], LLVMValueRef index)
{
   struct cf_jit_ir *j = s->j;
   LLVMValueRef upper = compare_ints(s, LLVMIntUGE, index, u32_of(s, 8)), one = u32_of(s, 1), zero = u32_of(s, 0);
   LLVMValueRef low_codes = or(s, shr(s, alpha[0], 16), shl(s, digit(s, alpha[1], 0, 8), 16));
   LLVMValueRef codes = choose(j, upper, shr(s, alpha[1], 8), low_codes);
   LLVMValueRef code = digit(s, shr_lanes(s, codes, mul(s, digit(s, index, 0, 3), u32_of(s, 3))), 0, 3);
   LLVMValueRef value[2] = { digit(s, alpha[0], 0, 8), digit(s, alpha[0], 8, 8) };
   LLVMValueRef seven = compare_ints(s, LLVMIntUGT, value[0], value[1]);
   LLVMValueRef steps = choose(j, seven, u32_of(s, 7), u32_of(s, 5));
   LLVMValueRef second = choose(j, compare_ints(s, LLVMIntEQ, code, one), steps, sub(s, code, one));
   second = choose(j, compare_ints(s, LLVMIntEQ, code, zero), zero, second);
   LLVMValueRef sum = add(s, mul(s, value[0], sub(s, steps, second)), mul(s, value[1], second));
   LLVMValueRef mixed = choose(j, seven, divide(s, sum, 3, 9363, 16), divide(s, sum, 2, 13108, 16));
   LLVMValueRef constant = choose(j, compare_ints(s, LLVMIntEQ, code, u32_of(s, 6)), zero, u32_of(s, 255));
   LLVMValueRef is_constant = compare_ints(s, LLVMIntUGE, code, u32_of(s, 6));
   is_constant = and(s, is_constant, LLVMBuildNot(j->ir, seven, ""));
   return choose(j, is_constant, constant, mixed);
}

LLVMValueRef
cf_jit_load_s3tc(const struct sampler *s, LLVMValueRef block_B, LLVMValueRef x, LLVMValueRef y)
{
   const enum cf_compression compression = s->key->compression;
   const bool dxt1 = compression <= CF_COMPRESSION_DXT1_RGBA;
   LLVMValueRef index = or(s, and(s, x, u32_of(s, 3)), shl(s, and(s, y, u32_of(s, 3)), 2));
   LLVMValueRef word[4];
   for (unsigned n = dxt1 ? 2 : 0; n < 4; n++)
      word[n] = cf_jit_load_words(s, s->data, add(s, block_B, u32_of(s, 4 * n - (dxt1 ? 8 : 0))));
   LLVMValueRef code = digit(s, shr_lanes(s, word[3], shl(s, index, 1)), 0, 2);
   LLVMValueRef table = u32_of(s, FOUR_COLORS), opaque = u32_of(s, 255), alpha = opaque;
   if (dxt1) {
      LLVMValueRef four = compare_ints(s, LLVMIntUGT, digit(s, word[2], 0, 16), shr(s, word[2], 16));
      table = choose(s->j, four, table, u32_of(s, THREE_COLORS));
      LLVMValueRef clear = compare_ints(s, LLVMIntEQ, code, u32_of(s, 3));
      if (compression == CF_COMPRESSION_DXT1_RGBA)
         alpha = choose(s->j, and(s, clear, LLVMBuildNot(s->j->ir, four, "")), u32_of(s, 0), opaque);
   } else {
      alpha = compression == CF_COMPRESSION_DXT3 ? alpha_of_bits(s, word, index) : alpha_of_codes(s, word, index);
   }
   return or(s, color_of(s, word[2], shr_lanes(s, table, shl(s, code, 2))), shl(s, alpha, 24));
}
