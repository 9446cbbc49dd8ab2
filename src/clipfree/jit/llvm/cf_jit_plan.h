/* SPDX-License-Identifier: MIT */
/*
 * Analysis of a program before translation: which register writes must preserve the old value in
 * lanes outside the exec mask. Needs no LLVM.
 *
 * A lane that waits at an else, endif or endloop needs a register only if the register is live
 * there, since each lane follows the program as if it ran alone. All other writes may clobber the
 * register in all lanes, which saves a select and, more important, keeps the old value from being
 * live. Operations across lanes never read lanes outside exec, either.
 */
#ifndef CF_JIT_PLAN_H
#define CF_JIT_PLAN_H

#include "clipfree/shader/cf_decoded.h"

/* The plan of one instruction. */
struct cf_jit_instr_plan {
   /* bit c: lanes outside exec must preserve destination register c (of one or four) */
   uint8_t preserve;
   bool outside; /* outside of all constructs: lanes outside exec have ended, and need nothing */
};

struct cf_jit_plan {
   struct cf_jit_instr_plan *instr; /* [count] */
   /* scratch has only few, constant addresses: each dword is a register */
   bool scratch_in_registers;
};

/** Scratch dwords that may become registers, at most. */
#define CF_JIT_SCRATCH_REGS 256

/** Make the plan; free it with cf_jit_plan_free. False: out of memory. */
bool cf_jit_plan_make(struct cf_jit_plan *plan, const struct cf_decoded *program);
void cf_jit_plan_free(struct cf_jit_plan *plan);

#endif
