/* SPDX-License-Identifier: MIT */
/*
 * Tame programs: any words made into a program that every engine must run with the same bits, since
 * it keeps docs/isa.md's rules: nothing is read that was not written, no bits of a NaN that
 * arithmetic made are seen, constructs nest, loops end.
 */
#ifndef FUZZ_TAME_H
#define FUZZ_TAME_H

#include "clipfree/isa/cf_isa.h"
#include "clipfree/shader/cf_program.h"

#define TAME_REGS 16       /* v0 to v15, of programs */
#define TAME_SCALARS 8     /* s0 to s7 */
#define TAME_OUTPUTS 32    /* registers in the first half, in the end; `out` writes the others */
#define TAME_INPUTS 8      /* of fragment programs */
#define TAME_SCRATCH_DW 16 /* dwords of scratch; addresses may be others */
#define TAME_NESTING 4
#define TAME_VECTOR_REGS (TAME_REGS + 2 + TAME_NESTING)
#define TAME_SCALAR_REGS (TAME_SCALARS + 2)
#define TAME_MOST_INSTRS 2048

/** Make a program of this stage (vertex or fragment) from `count` words; those that are no
 * instructions, or that the stage does not have, are left out. Returns the number of instructions.
 */
unsigned fuzz_tame(const uint64_t *words, unsigned count, enum cf_shader_stage stage,
                   uint64_t code[TAME_MOST_INSTRS]);

#endif
