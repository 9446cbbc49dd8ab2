/* SPDX-License-Identifier: MIT */
#ifndef CF_JIT_TRANSLATE_H
#define CF_JIT_TRANSLATE_H

#include "clipfree/shader/cf_decoded.h"
#include "clipfree/jit/cf_jit_source.h"
#include "clipfree/jit/llvm/cf_jit_ir.h"

/** Add the function CF_JIT_ENTRY of a program to j->module. False: out of memory. */
bool cf_jit_translate(struct cf_jit_ir *j, const struct cf_jit_source *source);

#endif
