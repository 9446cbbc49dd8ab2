/* SPDX-License-Identifier: MIT */
#include "clipfree/jit/llvm/cf_jit_alu.h"

#include "clipfree/jit/cf_jit_alu.inc" /* generated: ir_alu, ir_cf_* */

LLVMValueRef
cf_jit_alu(struct cf_jit_ir *j, enum cf_op op, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
   return ir_alu(j, op, a, b, c);
}

LLVMValueRef
cf_jit_canon(struct cf_jit_ir *j, LLVMValueRef x)
{
   return ir_cf_canon(j, x);
}

LLVMValueRef
cf_jit_floor(struct cf_jit_ir *j, LLVMValueRef x)
{
   return ir_cf_floor(j, x);
}

LLVMValueRef
cf_jit_ceil(struct cf_jit_ir *j, LLVMValueRef x)
{
   return ir_cf_ceil(j, x);
}

LLVMValueRef
cf_jit_fabs(struct cf_jit_ir *j, LLVMValueRef x)
{
   return ir_cf_fabs(j, x);
}

LLVMValueRef
cf_jit_sqrt(struct cf_jit_ir *j, LLVMValueRef x)
{
   return ir_cf_sqrt(j, x);
}

LLVMValueRef
cf_jit_log2(struct cf_jit_ir *j, LLVMValueRef x)
{
   return ir_cf_log2(j, x);
}

LLVMValueRef
cf_jit_fmin(struct cf_jit_ir *j, LLVMValueRef a, LLVMValueRef b)
{
   return ir_cf_fmin(j, a, b);
}

LLVMValueRef
cf_jit_fmax(struct cf_jit_ir *j, LLVMValueRef a, LLVMValueRef b)
{
   return ir_cf_fmax(j, a, b);
}

LLVMValueRef
cf_jit_to_half(struct cf_jit_ir *j, LLVMValueRef x)
{
   return ir_cf_f32_to_f16(j, x);
}

LLVMValueRef
cf_jit_from_half(struct cf_jit_ir *j, LLVMValueRef h)
{
   if (!j->half_instrs)
      return ir_cf_f16_to_f32(j, h);
   LLVMTypeRef i16 = lanes_of(j, LLVMInt16TypeInContext(j->context)), half = lanes_of(j, LLVMHalfTypeInContext(j->context));
   h = LLVMBuildBitCast(j->ir, LLVMBuildTrunc(j->ir, h, i16, ""), half, "");
   return LLVMBuildFPExt(j->ir, h, lanes_of(j, j->f32), "");
}
