/* SPDX-License-Identifier: MIT */
/*
 * Programs of the trace, decoded for the vector cores: by instruction its unit and time (isa.toml),
 * and the registers that it reads and writes, for the scoreboard.
 */
#ifndef CF_SIM_CODE_H
#define CF_SIM_CODE_H

#include "clipfree/isa/cf_isa.h"
#include "clipfree/timing/cf_sim_trace.h"

/* Registers, a bit each: v0 to v127, s0 to s127. */
struct cf_sim_registers {
   uint64_t bit[4];
};

struct cf_sim_instr {
   enum cf_op op;
   enum cf_op_unit unit;
   uint8_t passes, latency;
   uint8_t operands; /* that lie in vector registers */
   uint8_t slot;     /* control flow: of its construct, by nesting depth */
   uint8_t texture_unit;
   bool fetches;      /* tex that reads texels; the others ask for sizes or levels */
   uint16_t target;   /* of control flow */
   uint16_t element;  /* ldf */
   uint16_t constant; /* dword + 1 of constant bank 0 that an operand, or ldu, names; 0: none */
   struct cf_sim_registers written, used; /* used: read or written */
};

struct cf_sim_code {
   uint32_t count, vector_regs;
   struct cf_sim_instr *instr;
};

/** Decode a program, which cf_sim_check has checked. False: out of memory. */
bool cf_sim_code_init(struct cf_sim_code *code, const struct cf_sim_chunk *chunk,
                      const struct cf_sim_program *program);
void cf_sim_code_free(struct cf_sim_code *code);

/** Whether two sets have a register in common. */
static inline bool
cf_sim_registers_meet(const struct cf_sim_registers *a, const struct cf_sim_registers *b)
{
   return ((a->bit[0] & b->bit[0]) | (a->bit[1] & b->bit[1]) | (a->bit[2] & b->bit[2]) |
           (a->bit[3] & b->bit[3])) != 0;
}

#endif
