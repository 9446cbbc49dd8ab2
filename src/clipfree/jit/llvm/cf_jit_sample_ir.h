/* SPDX-License-Identifier: MIT */
#ifndef CF_JIT_SAMPLE_IR_H
#define CF_JIT_SAMPLE_IR_H

#include "clipfree/jit/cf_jit_source.h"
#include "clipfree/jit/llvm/cf_jit_ir.h"

/** Add the function CF_JIT_ENTRY, a cf_sample_function for textures and samplers of one state, to
 * j->module. */
void cf_jit_translate_sample(struct cf_jit_ir *j, const struct cf_sample_key *key);

/* Inlined samples: code for a short state (cf_sample_is_inlined), at the builder's position, for
 * all lanes. */

#define CF_JIT_TOGETHER 32

/* The operands of a sample; rows. */
struct cf_jit_request {
   LLVMValueRef strq[4]; /* floats */
   LLVMValueRef offsets; /* texel offsets (CF_OPERAND_OFFSETS); NULL: none */
};

/* The fetched inputs of a filter, or what it gives. */
struct cf_jit_short {
   LLVMValueRef rgba[4]; /* NULL: it is not filtered yet */
   LLVMValueRef texel[4], weight[2], reference;
   LLVMValueRef inside; /* as in struct taps */
};

/** Number of samples of one unit that are worth fetching together, at most. */
unsigned cf_jit_short_together(struct cf_jit_ir *j, const struct cf_sample_key *key);

/** Fetch the texels of `count` samples (at most CF_JIT_TOGETHER) of one unit and mode; in mode
 * fetch they have the same constant as q, if there are several. `unit`: address of the unit. */
void cf_jit_fetch_short(struct cf_jit_ir *j, const struct cf_sample_key *key, LLVMValueRef unit,
                        unsigned count, const struct cf_jit_request *requests,
                        struct cf_jit_short *fetched);

/** Filter a fetched sample. rgba: floats; components outside of the key's mask are 0. `unit`: as in
 * cf_jit_fetch_short. */
void cf_jit_filter_short(struct cf_jit_ir *j, const struct cf_sample_key *key, LLVMValueRef unit,
                         const struct cf_jit_short *fetched, LLVMValueRef rgba[4]);

#endif
