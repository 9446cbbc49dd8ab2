/* SPDX-License-Identifier: MIT */
/*
 * Shared declarations of the translation of programs: instructions and control flow
 * (cf_jit_translate.c), computed addresses (cf_jit_arrays_ir.c), samples (cf_jit_translate_tex.c),
 * and from quads to pixels the code before (cf_jit_quads_ir.c) and after the program
 * (cf_jit_pixels_ir.c).
 */
#ifndef CF_JIT_TRANSLATOR_H
#define CF_JIT_TRANSLATOR_H

#include "clipfree/jit/llvm/cf_jit_ir.h"
#include "clipfree/jit/llvm/cf_jit_plan.h"
#include "clipfree/jit/llvm/cf_jit_sample_ir.h"
#include "clipfree/shader/cf_engine.h"

#define ROW_ALIGN_B 64

/* Varying dwords interpolated at the beginning, at most. */
#define MAX_VARYINGS 64

struct varying {
   unsigned index, mode;
   LLVMValueRef value;
};

/* A sample whose texels were fetched together with those of an earlier one. */
struct fetched {
   bool valid;
   struct cf_jit_short sample;
};

struct translator {
   struct cf_jit_ir j;
   const struct cf_decoded *program;
   const struct cf_sample_key *units; /* states of texture units, or NULL */
   const struct cf_pixel_key *pixel;  /* for tasks from quads to pixels, else NULL */
   bool watched;                      /* each instruction calls run->watch */
   struct cf_jit_plan plan;
   LLVMValueRef function;
   LLVMValueRef run, task, constants, steps, handlers; /* pointers */
   LLVMValueRef one_primitive;
   /* from quads to pixels: */
   LLVMValueRef prims[CF_TASK_QUADS], quad_px[2]; /* pointers; positions of the quads */
   /* pixel masks of the quads (CF_QUAD_*), by lane; several samples */
   LLVMValueRef quad_masks;
   /* the columns' x and the rows' y of their pixels, in f64 */
   LLVMValueRef place_px[2];
   LLVMValueRef bary[2], weight_sum[4];           /* by lane; by pixel of the quads */
   LLVMValueRef frag_z, frag_w; /* system values, by lane, if something reads them; else NULL */
   /* linear in the window, if the program uses that */
   LLVMValueRef linear[2];
   LLVMValueRef place[2];                         /* of points: bary, not clamped to the point */
   LLVMValueRef out[CF_QUADS_OUTPUTS];            /* slots; NULL: the program has no such output */
   LLVMValueRef v[CF_MAX_VECTOR_REGS], s[CF_MAX_SCALAR_REGS],
      scratch[CF_JIT_SCRATCH_REGS]; /* slots */
   LLVMValueRef exec, alive, looped, zero;
   /* memory for a sample's operands, gradients after coordinates, and results */
   LLVMValueRef strq, rgba;
   struct {
      LLVMValueRef waiting, continued; /* as in struct cf_run */
   } mask[CF_MAX_NESTING];
   struct varying varying[MAX_VARYINGS]; /* interpolated at the beginning */
   unsigned varying_count;
   LLVMBasicBlockRef *block; /* [count]: the block that begins at an instruction, or NULL */
   LLVMBasicBlockRef timed_out;
   unsigned at; /* instruction being translated */
   struct fetched *fetched; /* [count] */
   /* what grad set since the last control flow, for tex; rows of bits */
   LLVMValueRef operand[CF_TEX_OPERANDS];
   /* [count]: what a load of uniforms that was translated with an earlier one gives, else NULL */
   LLVMValueRef *uniforms;
};

static inline LLVMTypeRef
row_type(const struct translator *t)
{
   return LLVMVectorType(t->j.i32, CF_TASK_LANES);
}

static inline LLVMValueRef
load_slot(struct translator *t, LLVMValueRef at)
{
   return LLVMBuildLoad2(t->j.ir, LLVMGetAllocatedType(at), at, "");
}

static inline LLVMValueRef
mask_constant(const struct translator *t, uint32_t mask)
{
   return LLVMConstInt(t->j.i32, mask, 0);
}

static inline LLVMBasicBlockRef
cf_jit_new_block(const struct translator *t)
{
   return LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
}

/** Whether an instruction writes the register. */
static inline bool
cf_jit_writes(const struct cf_instr *instr, struct cf_reg reg)
{
   const struct cf_op_info *op = cf_op_info(instr->op);
   const unsigned count = op->form == CF_FORM_TEX || op->form == CF_FORM_LDF ? 4 : 1;
   return op->has_dst && instr->dst.kind == reg.kind && reg.index >= instr->dst.index &&
          reg.index < instr->dst.index + count;
}

/** Whether the next instruction follows in all lanes. */
static inline bool
cf_jit_is_straight_line(enum cf_op op)
{
   const enum cf_form form = cf_op_info(op)->form;
   return form != CF_FORM_FLOW && form != CF_FORM_FLOW_TARGET && form != CF_FORM_FLOW_NONE;
}

/** Bits of source k of the instruction t->at, in j.lanes lanes. */
LLVMValueRef cf_jit_source_bits(struct translator *t, unsigned k);

/** Bits of a register at the builder's position. */
LLVMValueRef cf_jit_register_bits(struct translator *t, struct cf_reg reg);

/** Result of the ALU instruction t->at for these sources, in j.lanes lanes. */
LLVMValueRef cf_jit_operation(struct translator *t, const LLVMValueRef src[3]);

/** Write component c of the destination of t->at. */
void cf_jit_write(struct translator *t, unsigned c, LLVMValueRef value);

/** Call the interpreter's handler for the instruction t->at. */
void cf_jit_call_handler(struct translator *t);

/** p[k] of a varying dword (struct cf_task), by quad. */
LLVMValueRef cf_jit_varying_by_quad(struct translator *t, unsigned index, unsigned k);

/** Replace values of smooth varyings in shared lanes, if the task has any. */
void cf_jit_interpolate_shared(struct translator *t, struct varying *varying, unsigned count);

/** Compute barycentrics, varyings and positions from run->work. */
void cf_jit_begin_quads(struct translator *t);

/** Rounding errors of barycentrics, as store_rests (cf_interpolate_lanes.c): cf_task.bary_rest[i]
 * of t->bary[i], both by pixel (cf_jit_shared_ir.c). */
LLVMValueRef cf_jit_quads_rest(struct translator *t, unsigned i, LLVMValueRef bary);

/** cf_task.shared, for frames of several samples. */
LLVMValueRef cf_jit_quads_shared(struct translator *t);

/** A system value of CF_QUAD_SYSVALS, as bits. */
LLVMValueRef cf_jit_quads_sysval(struct translator *t, enum cf_sysval value);

/** Run late tests and write the pixels of lanes in t->alive; lanes that fail are removed from
 * t->alive. */
void cf_jit_end_quads(struct translator *t);

/** Translate the load of uniforms t->at. */
void cf_jit_translate_ldu(struct translator *t);

/** Translate the access t->at to scratch in memory. */
void cf_jit_translate_scratch(struct translator *t);

/** Translate the sample t->at. */
void cf_jit_translate_tex(struct translator *t);

#endif
