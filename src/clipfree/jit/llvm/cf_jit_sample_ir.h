/* SPDX-License-Identifier: MIT */
#ifndef CF_JIT_SAMPLE_IR_H
#define CF_JIT_SAMPLE_IR_H

#include "clipfree/jit/cf_jit_source.h"
#include "clipfree/jit/llvm/cf_jit_ir.h"

/** Add the function CF_JIT_ENTRY, a cf_sample_function for textures and samplers of one state, to j->module. */
void cf_jit_translate_sample(struct cf_jit_ir *j, const struct cf_sample_key *key);

/** Sample where the builder is, all lanes; the state is short (cf_sample_key_is_short). `unit`: address of the unit. strq,
 * rgba: floats; components outside of the request are 0. */
void cf_jit_sample_short(struct cf_jit_ir *j, const struct cf_sample_key *key, LLVMValueRef unit,
                         const LLVMValueRef strq[4], LLVMValueRef rgba[4]);

#endif
