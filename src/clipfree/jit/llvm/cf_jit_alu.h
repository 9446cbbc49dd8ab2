/* SPDX-License-Identifier: MIT */
/*
 * The ISA's arithmetic as IR: cf_jit_alu.c wraps the code that gen_jit_alu.py generates from
 * isa.toml and arith/. Values have j->lanes lanes.
 */
#ifndef CF_JIT_ALU_H
#define CF_JIT_ALU_H

#include "clipfree/isa/cf_isa.h"
#include "clipfree/jit/llvm/cf_jit_ir.h"

/** Result bits of an ALU operation on the operands' bits. NULL: not an ALU operation. */
LLVMValueRef cf_jit_alu(struct cf_jit_ir *j, enum cf_op op, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c);

/** cf_canon, cf_floor, cf_ceil, cf_fabs, cf_sqrt and cf_log2 of floats. */
LLVMValueRef cf_jit_canon(struct cf_jit_ir *j, LLVMValueRef x);
LLVMValueRef cf_jit_floor(struct cf_jit_ir *j, LLVMValueRef x);
LLVMValueRef cf_jit_ceil(struct cf_jit_ir *j, LLVMValueRef x);
LLVMValueRef cf_jit_fabs(struct cf_jit_ir *j, LLVMValueRef x);
LLVMValueRef cf_jit_sqrt(struct cf_jit_ir *j, LLVMValueRef x);
LLVMValueRef cf_jit_log2(struct cf_jit_ir *j, LLVMValueRef x);

/** cf_fmin and cf_fmax. */
LLVMValueRef cf_jit_fmin(struct cf_jit_ir *j, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef cf_jit_fmax(struct cf_jit_ir *j, LLVMValueRef a, LLVMValueRef b);

/** cf_f32_to_f16 and cf_f16_to_f32, for which a NaN gives any NaN; binary16 bits are the low half
 * of an i32, whose upper half is 0. */
LLVMValueRef cf_jit_to_half(struct cf_jit_ir *j, LLVMValueRef x);
LLVMValueRef cf_jit_from_half(struct cf_jit_ir *j, LLVMValueRef h);

#endif
