/* SPDX-License-Identifier: MIT */
/*
 * The compiler's intermediate representation: ISA instructions over virtual registers, in one
 * linear array, with the ISA's own structured control flow markers (if, else, endif, loop, brk,
 * cont, endloop).
 *
 * Data flow: cf_from_nir makes it; cf_opt_* rewrite it; cf_lower_constants leaves only operands the
 * ISA has; cf_ra gives every virtual register a number; cf_pack encodes.
 *
 * A virtual register holds one dword per lane (vector) or per task (scalar). A register may have
 * several definitions (those made for phis). Four consecutive virtual registers can form a group,
 * which tex and ldf write as a whole.
 */
#ifndef CF_IR_H
#define CF_IR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "clipfree/compiler/cf_compiler.h"
#include "clipfree/interface/cf_limits.h"
#include "clipfree/interface/cf_packets.h"
#include "clipfree/isa/cf_isa.h"

#define CF_NO_VREG UINT32_MAX
#define CF_TRUE UINT32_MAX
#define CF_MAX_NESTING 60
#define CF_UNIFORM_OPERANDS 128

/* Registers of each of the two files, vector and scalar. */
#define CF_MAX_REGS CF_MAX_VECTOR_REGS
_Static_assert(CF_MAX_VECTOR_REGS == CF_MAX_SCALAR_REGS, "both files are allocated alike");

enum cf_src_kind {
   CF_SRC_NONE,
   CF_SRC_VREG,    /* value: virtual register */
   CF_SRC_UNIFORM, /* value: dword of constant bank 0, < CF_UNIFORM_OPERANDS */
   CF_SRC_CONST,   /* value: the 32 bits */
};

struct cf_src {
   enum cf_src_kind kind;
   uint32_t value;
};

struct cf_vreg {
   bool scalar;
   bool grouped;      /* member of a group */
   bool no_spill;     /* created by spilling: its live range cannot get shorter */
   uint8_t component; /* in the group; the leader is this register minus component */
};

/* What an instruction is made from. */
struct cf_origin {
   uint32_t lines; /* of the source, as in NIR (nir_instr); 0: none */
   uint32_t nir; /* line of the instruction in cf_nir_text; 0: none. Means nothing without a text */
};

struct cf_ir_instr {
   enum cf_op op;
   uint32_t dst; /* virtual register; of a group the leader; or CF_NO_VREG */
   struct cf_src src[4];
   /* immediate fields, as in struct cf_instr */
   uint32_t imm;
   uint16_t offset;
   uint8_t bank, slot, index, mode, value, unit, mask;
   struct cf_origin from;
   struct {
      uint32_t first_dw, end_dw; /* of the bank */
   } array;                      /* ldu with an index: what is indexed; both 0: not known */
};

struct cf_ir {
   void *mem_ctx; /* ralloc parent of everything below */
   struct cf_ir_instr *instrs;
   unsigned count, capacity;
   struct cf_origin from; /* of instructions that are appended */
   struct cf_vreg *vregs;
   unsigned vreg_count, vreg_capacity;
   unsigned scratch_dwords;
   unsigned spills;   /* registers that live in scratch */
   uint32_t passes_off; /* bits of enum cf_pass */
   const char *error; /* first reason why the shader cannot be compiled */
   bool out_of_memory; /* that is the error */
};

/* What register allocation decides. */
struct cf_ra_result {
   uint8_t *reg; /* per virtual register, in its file */
   unsigned vector_regs, scalar_regs;
};

static inline struct cf_src
cf_src_none(void)
{
   return (struct cf_src){ CF_SRC_NONE, 0 };
}

static inline struct cf_src
cf_src_vreg(uint32_t vreg)
{
   return (struct cf_src){ CF_SRC_VREG, vreg };
}

static inline struct cf_src
cf_src_const(uint32_t bits)
{
   return (struct cf_src){ CF_SRC_CONST, bits };
}

static inline struct cf_src
cf_src_uniform(uint32_t dword)
{
   return (struct cf_src){ CF_SRC_UNIFORM, dword };
}

static inline bool
cf_src_equal(struct cf_src a, struct cf_src b)
{
   return a.kind == b.kind && a.value == b.value;
}

/** A new IR without instructions, child of mem_ctx. */
struct cf_ir *cf_ir_create(void *mem_ctx);

/** Remember the first error (a static or mem_ctx-owned string). */
void cf_ir_fail(struct cf_ir *ir, const char *reason);
/** Fails, naming the count, if there are more than `most` instructions. */
bool cf_ir_check_size(struct cf_ir *ir, unsigned most);

uint32_t cf_ir_vreg(struct cf_ir *ir, bool scalar);

/** Four vector registers in a group; returns the leader. */
uint32_t cf_ir_group(struct cf_ir *ir);

/** Append an instruction with `count` sources, made from ir->from; the returned pointer is
 * valid until the next append. */
struct cf_ir_instr *cf_ir_append(struct cf_ir *ir, enum cf_op op, uint32_t dst, unsigned count,
                                 const struct cf_src *src);

/** Replace all instructions by those of `with`, whose array is moved. */
void cf_ir_take_instrs(struct cf_ir *ir, struct cf_ir *with);

/** A copy of the container that shares mem_ctx but has no instructions. Passes append to it, then
 * call cf_ir_take_instrs. */
struct cf_ir cf_ir_rewriter(const struct cf_ir *ir);

void cf_ir_append_copy(struct cf_ir *ir, const struct cf_ir_instr *instr);

/** Number of virtual registers written: 0, 1 or 4 from dst on. */
unsigned cf_ir_defs(const struct cf_ir_instr *instr);

/** True if the instruction may be removed when nothing reads its result. */
bool cf_ir_removable(const struct cf_ir_instr *instr);

bool cf_ir_is_flow(enum cf_op op);

bool cf_ir_src_is_vector(const struct cf_ir *ir, struct cf_src src);

/** Targets of control flow: for every instruction with a target its index, e.g. of `else` for `if`;
 * for `endloop` the matching loop; UINT32_MAX for all others. ralloc'd under mem_ctx. NULL (and
 * ir->error) if markers are unbalanced. */
uint32_t *cf_ir_targets(struct cf_ir *ir);

/** Print, with lines of the source behind the instructions that have some. With `regs` (may be
 * NULL) numbers are allocated registers. */
void cf_ir_print(FILE *file, const struct cf_ir *ir, const struct cf_ra_result *regs);

/* Passes. Each is described at the head of its file. */

struct nir_shader;

/** NIR (lowered by cf_nir_lower) to IR; fills the program description and varying tables of binary.
 */
struct cf_ir *cf_from_nir(void *mem_ctx, struct nir_shader *nir,
                          const struct cf_compile_options *options, struct cf_binary *binary);

void cf_opt_flow(struct cf_ir *ir);
void cf_opt_dead(struct cf_ir *ir);
void cf_schedule(struct cf_ir *ir);
void cf_lower_constants(struct cf_ir *ir);

/** Abort with the reason and the whole program if a rule of the IR is broken. */
void cf_validate_ir(const struct cf_ir *ir, const char *after);
void cf_validate_ra(const struct cf_ir *ir, const struct cf_ra_result *regs);

/** Allocate registers, spilling where needed (which rewrites ir). False: ir->error. */
bool cf_ra(struct cf_ir *ir, struct cf_ra_result *result);

/** Rewrite: vector registers in the set go to scratch, scalar ones become vector registers. */
void cf_spill(struct cf_ir *ir, const uint32_t *spill_slot);

/** Describe which precisions of GLSL ES results have; after cf_pack. */
void cf_describe_precisions(const struct cf_ir *ir, struct cf_binary *binary);

/** Describe which lines of its sources the code is made from; after cf_pack. */
void cf_describe_lines(const struct cf_ir *ir, const struct nir_shader *nir,
                       struct cf_binary *binary);

/** Describe which instructions of the binary's NIR the code is made from; after cf_pack. */
void cf_describe_nir(const struct cf_ir *ir, struct cf_binary *binary);

/** Describe which uniform arrays it loads from; after cf_pack. */
void cf_describe_arrays(const struct cf_ir *ir, struct cf_binary *binary);

/** Encode; program.code_instrs and register counts are filled. False: binary->error. */
bool cf_pack(struct cf_ir *ir, const struct cf_ra_result *regs, struct cf_binary *binary);

#endif
