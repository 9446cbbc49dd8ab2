/* SPDX-License-Identifier: MIT */
#ifndef CF_JIT_TRANSLATE_H
#define CF_JIT_TRANSLATE_H

#include "clipfree/shader/cf_decoded.h"
#include "clipfree/jit/llvm/cf_jit_ir.h"

/** Add the function cf_jit_task of a program to j->module. `level` decides about instructions only,
 * never about values. False: out of memory. */
bool cf_jit_translate(struct cf_jit_ir *j, const struct cf_decoded *program,
                      enum cf_host_level level);

#endif
