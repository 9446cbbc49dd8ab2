/* SPDX-License-Identifier: MIT */
/*
 * Instruction selection, shared between its files: cf_from_nir.c (values, phis, control flow),
 * cf_from_nir_alu.c, cf_from_nir_io.c (intrinsics), cf_from_nir_tex.c.
 */
#ifndef CF_FROM_NIR_H
#define CF_FROM_NIR_H

#include "cf_ir.h"
#include "nir.h"

#define CF_MAX_ATTRIBUTES 32
#define CF_ADDRESS_CACHE 8

/* A dword address computed in the current block, for reuse (cf_from_nir_io.c). */
struct cf_cached_address {
   const nir_def *def;
   unsigned component;
   uint32_t factor;
   int32_t rest_B;
   struct cf_src value;
};

struct cf_select {
   struct cf_ir *ir;
   nir_shader *nir;
   const struct cf_compile_options *options;
   struct cf_binary *binary;
   struct cf_src *
      *values; /* by index of the SSA definition: a source per component; NULL until defined */
   uint32_t *phi_vregs; /* by index of the phi's definition: the register its predecessors write;
                           CF_NO_VREG until needed */
   /* by index of the SSA definition: whether it must live in vector registers */
   bool *vector;
   uint32_t attributes[CF_MAX_ATTRIBUTES]; /* group per vertex element; CF_NO_VREG */
   struct cf_cached_address addresses[CF_ADDRESS_CACHE];
   unsigned next_address;
   uint8_t slot_of_location[64]; /* varying slot of each VARYING_SLOT_* in use */
};

/** The operand that holds component c of a definition. */
struct cf_src cf_value(struct cf_select *s, nir_def *def, unsigned c);

/** The operand of component c of a NIR source. */
struct cf_src cf_nir_src(struct cf_select *s, nir_src *src, unsigned c);

/** Record the operand of component c of a definition. */
void cf_set_value(struct cf_select *s, nir_def *def, unsigned c, struct cf_src value);

/** Append an instruction with a fresh destination register in the file the sources (and `vector`)
 * ask for; returns it as a source. */
struct cf_src cf_emit(struct cf_select *s, enum cf_op op, bool vector, unsigned count,
                      const struct cf_src *src);

static inline struct cf_src
cf_emit1(struct cf_select *s, enum cf_op op, bool vector, struct cf_src a)
{
   return cf_emit(s, op, vector, 1, &a);
}

static inline struct cf_src
cf_emit2(struct cf_select *s, enum cf_op op, bool vector, struct cf_src a, struct cf_src b)
{
   return cf_emit(s, op, vector, 2, (struct cf_src[]){ a, b });
}

/** Give lines to instructions that have none: those of what they read, else of what reads them. */
void cf_fill_lines(nir_function_impl *impl);

/** The lines of the move of a phi's source to the phi. */
uint32_t cf_phi_source_lines(const nir_phi_instr *phi, const nir_phi_src *src);

/** The first reason why this shader cannot be compiled: "instruction xyz: reason". */
void cf_select_fail(struct cf_select *s, const nir_instr *instr, const char *reason);

void cf_select_alu(struct cf_select *s, nir_alu_instr *alu);
void cf_select_intrinsic(struct cf_select *s, nir_intrinsic_instr *intrinsic);
void cf_select_tex(struct cf_select *s, nir_tex_instr *tex);

/** Number the varying slots by what the shader reads or writes; load vertex attributes. Before any
 * other instruction. */
void cf_select_inputs(struct cf_select *s);

#endif
