/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: machine code, decoded. Only what the proof looks at is kept of an
 * instruction; mask registers are not.
 */
#ifndef CF_PROOF_INSN_H
#define CF_PROOF_INSN_H

#include "clipfree/jit/proof/cf_proof.h"

#define CF_PROOF_GPRS 16
#define CF_PROOF_NO_REG 0xff
#define CF_PROOF_RIP 0x10 /* as base of an address */

enum {
   CF_PROOF_RAX,
   CF_PROOF_RCX,
   CF_PROOF_RDX,
   CF_PROOF_RBX,
   CF_PROOF_RSP,
   CF_PROOF_RBP,
   CF_PROOF_RSI,
   CF_PROOF_RDI
};

#define CF_PROOF_VECTORS 32

/* What an instruction does to general registers, or to the dwords of a vector. */
enum cf_proof_op {
   CF_MC_OTHER, /* registers in `clobbers` get anything that their width holds */
   CF_MC_MOV,
   CF_MC_MOVSX,
   CF_MC_LEA,
   CF_MC_ADD,
   CF_MC_SUB,
   CF_MC_AND,
   CF_MC_OR,
   CF_MC_XOR,
   CF_MC_SHL,
   CF_MC_SHR,
   CF_MC_SAR,
   CF_MC_IMUL,
   CF_MC_CMOV,
   CF_MC_SET,
   CF_MC_BYTE,     /* mov of 8 bits: the rest of the destination is kept */
   CF_MC_BYTE_AND, /* the same of and */
   CF_MC_BYTE_OR,  /* the same of or, xor */
   CF_MC_LANE,     /* vmovd, vpextrd, vextractps: a dword of a vector, to a general register */
   CF_MC_MIN,
   CF_MC_TERNARY_LOGIC, /* vpternlogd: any function of three bits */
   CF_MC_SHUFFLE,       /* vpshufb: each byte is one of the source, or 0 where its mask has bit 7 */
   CF_MC_ZERO_EXTEND,   /* bytes or 16-bit words to dwords */
   CF_MC_SIGN_EXTEND,
   CF_MC_MADD,  /* vpmaddwd: products of signed 16-bit halves, the two of a dword added */
   CF_MC_BLEND, /* vpblendmd: each dword is that of one source or of the other */
   CF_MC_CLEAR, /* vzeroupper, vzeroall: of all vectors, a part or all gets 0 */
   CF_MC_CMP,
   CF_MC_PUSH,
   CF_MC_POP,
   CF_MC_CALL,
   CF_MC_RET,
   CF_MC_JMP,
   CF_MC_JCC,
};

/* Conditions that the proof learns from; of all others it learns nothing. */
enum cf_proof_condition {
   CF_IF_UNKNOWN,
   CF_IF_BELOW,
   CF_IF_NOT_BELOW,
   CF_IF_ABOVE,
   CF_IF_NOT_ABOVE,
   CF_IF_EQUAL,
   CF_IF_NOT_EQUAL,
};

enum { CF_MEM_NONE, CF_MEM_READ = 1, CF_MEM_WRITE = 2 };

struct cf_proof_insn {
   uint32_t at_B;   /* from the begin of the code's memory */
   uint32_t target; /* of jumps: offset in memory; later the number of an instruction */
   int64_t imm;     /* source, if src is no register and there is no memory */
   int64_t disp;
   uint16_t clobbers; /* general registers that are written with something unknown */
   uint16_t access_B; /* of memory */
   uint8_t length_B, op, condition;
   uint8_t width_B;        /* of the operation */
   uint8_t from_B;         /* of the source of mov (zero extended) and movsx */
   uint8_t dst, src, left; /* registers; left: first source, where it is not dst */
   uint8_t memory;         /* how it is accessed */
   uint8_t base, index, scale;
   bool vector_index; /* of dwords */
   /* vectors: what is written (with `lanes`, in part), the sources that are vectors, and what it
    * does to dwords */
   uint8_t vector_dst, vector_left, vector_src, vector_op;
   uint8_t also;   /* another vector that is written */
   uint8_t number; /* a general register that is the first source of a vector */
   bool lanes;
   bool wide;        /* of AVX, which sees vectors beyond the 128 bits of SSE */
   uint8_t vector_B; /* size of its largest vector operand */
   bool whole;       /* it writes the widest vectors of the function; narrower ones zero the rest */
   bool flags;       /* it may change flags */
};

struct cf_proof_insns {
   struct cf_proof_insn *insn;
   unsigned count;
   uint32_t *number_at; /* [end - begin]: 1 + number of the instruction that begins there, or 0 */
};

/** Decode all of the code, and look up what jumps jump to. False: it is not of the allowed kinds;
 * the verdict says why. */
bool cf_proof_decode(struct cf_proof_insns *insns, const struct cf_proof_code *code,
                     struct cf_proof_verdict *verdict);
void cf_proof_insns_free(struct cf_proof_insns *insns);

#endif
