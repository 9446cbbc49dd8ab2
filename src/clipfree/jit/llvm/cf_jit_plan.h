/* SPDX-License-Identifier: MIT */
/*
 * What the JIT finds out about a program before it translates it: which register writes must keep
 * the old value in lanes outside the exec mask. Needs no LLVM.
 *
 * A lane that waits at an else, endif or endloop needs a register only if the register is live
 * there, for lanes take the program's paths one by one as if they were alone. Everywhere else a
 * write may destroy the register in all lanes, which saves a select and, more important, the old
 * value's registers. Operations between lanes read no lane outside exec, either.
 */
#ifndef CF_JIT_PLAN_H
#define CF_JIT_PLAN_H

#include "clipfree/shader/cf_decoded.h"

/* Of one instruction. */
struct cf_jit_instr_plan {
   uint8_t keep; /* bit c: lanes outside exec keep destination register c (of one or four) */
   bool outside; /* of all constructs: lanes outside exec have ended, they need nothing */
};

struct cf_jit_plan {
   struct cf_jit_instr_plan *instr; /* [count] */
   bool scratch_in_registers; /* scratch is accessed at constant addresses only, few of them: each
                                 dword is a register */
};

/** Most scratch dwords that become registers. */
#define CF_JIT_SCRATCH_REGS 256

/** False: out of memory. Free with cf_jit_plan_free. */
bool cf_jit_plan_make(struct cf_jit_plan *plan, const struct cf_decoded *program);
void cf_jit_plan_free(struct cf_jit_plan *plan);

/** The dword of scratch that an lds or sts accesses, if its address is a constant. */
static inline bool
cf_jit_scratch_dword(const struct cf_instr *instr, uint32_t *dword)
{
   if (instr->src[0].kind != CF_KIND_INLINE)
      return false;
   const uint64_t at = (uint64_t)cf_inline_value(instr->src[0].index) + instr->offset;
   *dword = (uint32_t)at;
   return at < CF_MAX_SCRATCH_DWORDS;
}

#endif
