/* SPDX-License-Identifier: MIT */
/*
 * The integer filter of images whose channels are bytes: the sums of cf_integer_mix
 * (texture/cf_texture_formulas.h), in vectors of 16 bits, for which hosts have fast
 * multiplications.
 *
 * Along x two channels of a texel, bytes 0 and 2 or 1 and 3, are filtered at once: a sum is below
 * 2^16, so it may be computed modulo that. Less 2^15 it fits a signed number, and along y one
 * instruction multiplies two of them with their weights and adds.
 */
#include <string.h>

#include "clipfree/jit/llvm/cf_jit_sampler.h"

#define BYTE_PAIRS 0xff00ff /* bytes 0 and 2 */
#define HALF_SIGNS 0x80008000

/* ---- rows as vectors of 16 bits, two a lane ---- */

static LLVMValueRef
as_halves(const struct sampler *s, LLVMValueRef row)
{
   LLVMTypeRef type = LLVMVectorType(LLVMIntTypeInContext(s->j->context, 16), 2 * s->lanes);
   return LLVMBuildBitCast(s->j->ir, row, type, "");
}

static LLVMValueRef
as_row(const struct sampler *s, LLVMValueRef halves)
{
   return LLVMBuildBitCast(s->j->ir, halves, row_type(s, s->j->i32), "");
}

/* Elements first to first + count - 1. */
static LLVMValueRef
part_of(const struct sampler *s, LLVMValueRef vector, unsigned first, unsigned count)
{
   LLVMValueRef index[2 * CF_TASK_LANES];
   for (unsigned n = 0; n < count; n++)
      index[n] = LLVMConstInt(s->j->i32, first + n, 0);
   return LLVMBuildShuffleVector(s->j->ir, vector, vector, LLVMConstVector(index, count), "");
}

/* The signed halves of a and b, multiplied: the lower or the upper ones. */
static LLVMValueRef
multiply_halves(const struct sampler *s, LLVMValueRef a, LLVMValueRef b, bool upper)
{
   LLVMBuilderRef ir = s->j->ir;
   LLVMValueRef by = u32_of(s, 16);
   if (!upper) {
      a = LLVMBuildShl(ir, a, by, "");
      b = LLVMBuildShl(ir, b, by, "");
   }
   return mul(s, LLVMBuildAShr(ir, a, by, ""), LLVMBuildAShr(ir, b, by, ""));
}

/* In every lane: of the two signed halves of a and b, the sum of the products. */
static LLVMValueRef
multiply_and_add(const struct sampler *s, LLVMValueRef a, LLVMValueRef b)
{
   const char *name = s->j->gathers    ? "llvm.x86.avx512.pmaddw.d.512"
                      : s->j->permutes ? "llvm.x86.avx2.pmadd.wd"
                                       : "llvm.x86.sse2.pmadd.wd";
   const unsigned halves = s->j->gathers ? 32 : s->j->permutes ? 16 : 8;
   LLVMValueRef part[CF_TASK_LANES];
   if (!s->j->x86)
      return add(s, multiply_halves(s, a, b, false), multiply_halves(s, a, b, true));
   for (unsigned n = 0; n < 2 * s->lanes / halves; n++) {
      LLVMValueRef arguments[2] = { part_of(s, as_halves(s, a), n * halves, halves),
                                    part_of(s, as_halves(s, b), n * halves, halves) };
      part[n] = call_intrinsic(s->j, name, arguments, 2);
   }
   return join(s, part, 2 * s->lanes / halves);
}

/* ---- the filter ---- */

/* t0 256 + (t1 - t0) weight - 2^15 of two channels, signed halves; odd: of bytes 1 and 3. */
static LLVMValueRef
filter_pair(const struct sampler *s, LLVMValueRef t0, LLVMValueRef t1, LLVMValueRef weight,
            bool odd)
{
   LLVMBuilderRef ir = s->j->ir;
   LLVMValueRef pairs = u32_of(s, BYTE_PAIRS), signs = u32_of(s, HALF_SIGNS);
   LLVMValueRef pair0 = and(s, odd ? shr(s, t0, 8) : t0, pairs),
                pair1 = and(s, odd ? shr(s, t1, 8) : t1, pairs);
   LLVMValueRef high = odd ? and(s, t0, u32_of(s, ~BYTE_PAIRS)) : shl(s, pair0, 8);
   LLVMValueRef weights = or(s, weight, shl(s, weight, 16));
   LLVMValueRef way = LLVMBuildSub(ir, as_halves(s, pair1), as_halves(s, pair0), "");
   LLVMValueRef product = LLVMBuildMul(ir, way, as_halves(s, weights), "");
   return as_row(s, LLVMBuildAdd(ir, as_halves(s, LLVMBuildXor(ir, high, signs, "")), product, ""));
}

LLVMValueRef
cf_jit_filter_bytes(const struct sampler *s, const LLVMValueRef texel[4], LLVMValueRef x_weight,
                    LLVMValueRef y_weight, unsigned offset_bits)
{
   const bool odd = offset_bits & 8, upper = offset_bits & 16;
   LLVMValueRef low = u32_of(s, 0xffff), row[2];
   for (unsigned n = 0; n < 2; n++)
      row[n] = filter_pair(s, texel[2 * n], texel[2 * n + 1], x_weight, odd);
   LLVMValueRef pair = upper ? or(s, shr(s, row[0], 16), and(s, row[1], u32_of(s, ~0xffffu)))
                             : or(s, and(s, row[0], low), shl(s, row[1], 16));
   LLVMValueRef weights =
      add(s, u32_of(s, 256), sub(s, shl(s, y_weight, 16), y_weight)); /* 256 - y_weight; y_weight */
   return add(s, multiply_and_add(s, pair, weights), u32_of(s, 1u << 23)); /* 2^15 256 */
}
