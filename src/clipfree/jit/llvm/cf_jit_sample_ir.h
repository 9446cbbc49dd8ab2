/* SPDX-License-Identifier: MIT */
#ifndef CF_JIT_SAMPLE_IR_H
#define CF_JIT_SAMPLE_IR_H

#include "clipfree/jit/cf_jit_source.h"
#include "clipfree/jit/llvm/cf_jit_ir.h"

/** Add the function CF_JIT_ENTRY, a cf_sample_function for textures and samplers of one state, to j->module. */
void cf_jit_translate_sample(struct cf_jit_ir *j, const struct cf_sample_key *key);

/* Samples of a short state (cf_sample_key_is_short) as part of a program, where the builder is; all lanes. */

#define CF_JIT_TOGETHER 32

/* What a sample is filtered from. */
struct cf_jit_short {
   LLVMValueRef texel[4], weight[2], reference;
};

/** How many samples of one unit it pays to fetch together, at most. */
unsigned cf_jit_short_together(struct cf_jit_ir *j, const struct cf_sample_key *key);

/** Fetch for `count` samples of one unit and mode, at most CF_JIT_TOGETHER. `unit`: address of the unit. strq: floats. */
void cf_jit_fetch_short(struct cf_jit_ir *j, const struct cf_sample_key *key, LLVMValueRef unit, unsigned count,
                        const LLVMValueRef (*strq)[4], struct cf_jit_short *fetched);

/** rgba: floats; components outside of the key's request are 0. `unit` as in cf_jit_fetch_short. */
void cf_jit_filter_short(struct cf_jit_ir *j, const struct cf_sample_key *key, LLVMValueRef unit,
                         const struct cf_jit_short *fetched, LLVMValueRef rgba[4]);

#endif
