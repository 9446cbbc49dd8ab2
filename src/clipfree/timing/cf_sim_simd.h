/* SPDX-License-Identifier: MIT */
/*
 * Programs of the trace as paper C's vertex shader has them. clipfree's instructions are scalar;
 * those of paper C do one operation for up to `width` components. So the operations of a block,
 * which has no control flow, are gathered by list scheduling: of those whose operands come before,
 * the one with the longest path to the end is next, and others that do the same go with it. A
 * multiply-add is a multiplication and an addition; paper C has no other way to do it.
 */
#ifndef CF_SIM_SIMD_H
#define CF_SIM_SIMD_H

#include "clipfree/isa/cf_isa.h"
#include "clipfree/timing/cf_sim_machine.h"
#include "clipfree/timing/cf_sim_trace.h"

#define CF_SIM_SIMD_WIDTH 4 /* most components of an instruction */
#define CF_SIM_SIMD_READS 12
/* Registers: v0 to v127, s0 to s127, then those of values that do not outlive their block. */
#define CF_SIM_SIMD_REGISTERS 256

/* Units of the stage of execution. */
enum cf_sim_simd_unit {
   CF_SIM_SIMD_FIXED,    /* moves and integers */
   CF_SIM_SIMD_SCALAR,   /* floats that are the same for all vertices */
   CF_SIM_SIMD_ADD,      /* the vector unit's adders: all floats but products */
   CF_SIM_SIMD_MULTIPLY, /* its multipliers */
   CF_SIM_SIMD_SPECIAL,  /* CORDIC */
   CF_SIM_SIMD_DATA,     /* loads and stores of the data memory */
   CF_SIM_SIMD_UNITS
};

struct cf_sim_simd_instr {
   enum cf_sim_simd_unit unit;
   bool multiplies; /* what a scalar unit does */
   uint8_t lanes;   /* components */
   uint8_t reads, writes;
   uint32_t key; /* instructions of one key do the same; 0: nothing joins it */
   uint32_t read[CF_SIM_SIMD_READS], write[CF_SIM_SIMD_WIDTH];
};

/* A block: instructions from `first` of cf_sim_simd.instr on. */
struct cf_sim_simd_block {
   uint32_t first, count;
   uint32_t end; /* the instruction of the trace's program after it */
};

struct cf_sim_simd {
   struct cf_sim_simd_instr *instr;
   uint32_t instrs;
   struct cf_sim_simd_block *block; /* by the trace's instruction that it begins with */
   uint32_t count;                  /* of the trace's instructions */
   uint32_t registers;
   uint64_t address_B; /* where its instructions lie: set by who keeps programs */
};

/** Gather a program, which cf_sim_check has checked. False: out of memory. Ends with
 * cf_sim_simd_free, in any case. */
bool cf_sim_simd_init(struct cf_sim_simd *simd, const uint64_t *code, uint32_t count,
                      const struct cf_sim_machine *machine);
void cf_sim_simd_free(struct cf_sim_simd *simd);

/** Cycles of an instruction in its unit. */
uint32_t cf_sim_simd_cycles(const struct cf_sim_machine *machine,
                            const struct cf_sim_simd_instr *instr);

#endif
