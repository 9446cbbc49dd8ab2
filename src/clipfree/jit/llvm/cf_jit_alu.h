/* SPDX-License-Identifier: MIT */
/*
 * The ISA's arithmetic as IR: cf_jit_alu.c wraps what gen_jit_alu.py makes of isa.toml and arith/. All follow j->lanes.
 */
#ifndef CF_JIT_ALU_H
#define CF_JIT_ALU_H

#include "clipfree/isa/cf_isa.h"
#include "clipfree/jit/llvm/cf_jit_ir.h"

/** The result's bits of an ALU operation on the operands' bits. NULL: not an operation. */
LLVMValueRef cf_jit_alu(struct cf_jit_ir *j, enum cf_op op, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c);

/** cf_canon, cf_floor, cf_ceil, cf_fabs and cf_log2 of floats. */
LLVMValueRef cf_jit_canon(struct cf_jit_ir *j, LLVMValueRef x);
LLVMValueRef cf_jit_floor(struct cf_jit_ir *j, LLVMValueRef x);
LLVMValueRef cf_jit_ceil(struct cf_jit_ir *j, LLVMValueRef x);
LLVMValueRef cf_jit_fabs(struct cf_jit_ir *j, LLVMValueRef x);
LLVMValueRef cf_jit_log2(struct cf_jit_ir *j, LLVMValueRef x);

#endif
