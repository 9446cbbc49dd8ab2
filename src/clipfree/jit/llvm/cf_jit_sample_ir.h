/* SPDX-License-Identifier: MIT */
#ifndef CF_JIT_SAMPLE_IR_H
#define CF_JIT_SAMPLE_IR_H

#include "clipfree/jit/cf_jit_source.h"
#include "clipfree/jit/llvm/cf_jit_ir.h"

/** Add the function CF_JIT_ENTRY, a cf_sample_function for textures and samplers of one state, to j->module. `level`
 * decides about instructions only, never about values. */
void cf_jit_translate_sample(struct cf_jit_ir *j, const struct cf_sample_key *key, enum cf_host_level level);

#endif
