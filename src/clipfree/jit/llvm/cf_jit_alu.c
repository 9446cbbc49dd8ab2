/* SPDX-License-Identifier: MIT */
#include "clipfree/jit/llvm/cf_jit_alu.h"

#include "clipfree/arith/cf_special.h"
#include "clipfree/memory/cf_channel.h"
#include "clipfree/memory/cf_s3tc.h"
#include "clipfree/pixel/cf_pixel_formulas.h"
#include "clipfree/texture/cf_texture_formulas.h"

#include "clipfree/jit/cf_jit_formulas.inc" /* generated: cf_jit_alu, cf_jit_* of cf_* */

LLVMValueRef
cf_jit_quotient(struct cf_jit_ir *j, LLVMValueRef value, LLVMValueRef divisor,
                LLVMValueRef reciprocal)
{
   LLVMValueRef quotient = LLVMBuildFMul(j->ir, value, reciprocal, ""),
                minus = LLVMBuildFNeg(j->ir, quotient, "");
   LLVMValueRef remainder = fused(j, minus, divisor, value);
   return fused(j, remainder, reciprocal, quotient);
}
