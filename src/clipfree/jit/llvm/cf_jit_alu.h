/* SPDX-License-Identifier: MIT */
/*
 * The ISA's arithmetic and the units' formulas as IR: what gen_jit_formulas.py makes of isa.toml,
 * arith/ and the units' headers. cf_jit_NAME builds what cf_NAME computes; of its parameters those
 * that are known when code is made stay what they are in C. All follow j->lanes. With a NaN as
 * result, any NaN is: its bits are nobody's to look at, but for those of cf_canon.
 */
#ifndef CF_JIT_ALU_H
#define CF_JIT_ALU_H

#include "clipfree/isa/cf_isa.h"
#include "clipfree/jit/cf_jit_formulas.h" /* generated */
#include "clipfree/jit/llvm/cf_jit_ir.h"

/** Result bits of an ALU operation on the operands' bits. NULL: not an ALU operation. */
LLVMValueRef cf_jit_alu(struct cf_jit_ir *j, enum cf_op op, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c);

#endif
