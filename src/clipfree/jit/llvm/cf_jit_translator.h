/* SPDX-License-Identifier: MIT */
/*
 * Inside the translation of programs: what its parts share. Instructions and control flow are cf_jit_translate.c, computed addresses
 * cf_jit_arrays_ir.c, samples cf_jit_translate_tex.c, and what is around a program from quads to pixels cf_jit_quads_ir.c and cf_jit_pixels_ir.c.
 */
#ifndef CF_JIT_TRANSLATOR_H
#define CF_JIT_TRANSLATOR_H

#include "clipfree/jit/llvm/cf_jit_ir.h"
#include "clipfree/jit/llvm/cf_jit_plan.h"
#include "clipfree/jit/llvm/cf_jit_sample_ir.h"
#include "clipfree/shader/cf_engine.h"

#define ROW_ALIGN_B 64

/* Most varying dwords interpolated at the beginning. */
#define MAX_VARYINGS 64

struct varying {
   unsigned index, mode;
   LLVMValueRef value;
};

/* Of a sample whose texels were fetched together with those of an earlier one. */
struct fetched {
   bool valid;
   struct cf_jit_short sample;
};

struct translator {
   struct cf_jit_ir j;
   const struct cf_decoded *program;
   const struct cf_sample_key *units; /* states of texture units, or NULL */
   const struct cf_pixel_key *pixel;  /* the task goes from quads to pixels, or NULL */
   bool watched;                      /* each instruction calls run->watch */
   struct cf_jit_plan plan;
   LLVMValueRef function;
   LLVMValueRef run, task, constants, steps, handlers; /* pointers */
   LLVMValueRef one_primitive;
   LLVMValueRef varyings[CF_TASK_QUADS]; /* pointers */
   /* from quads to pixels: */
   LLVMValueRef prims[CF_TASK_QUADS], quad_px[2]; /* pointers; positions of the quads, */
   LLVMValueRef sets;                             /* of the quads (CF_QUAD_*), by lane, of frames of several samples */
   LLVMValueRef place_px[2][2];                   /* the columns' x and the rows' y of their pixels, in f64 */
   LLVMValueRef bary[2], weight_sum[4];           /* by lane; by pixel of the quads */
   LLVMValueRef linear[2];                        /* the same linear in the window, if the program asks for it */
   LLVMValueRef place[2];                         /* of points: bary where they are not cut to the point */
   LLVMValueRef out[CF_QUADS_OUTPUTS];            /* slots; NULL: the program has no such output */
   LLVMValueRef v[CF_MAX_VECTOR_REGS], s[CF_MAX_SCALAR_REGS],
      scratch[CF_JIT_SCRATCH_REGS]; /* slots */
   LLVMValueRef exec, alive, looped, zero;
   LLVMValueRef strq, rgba; /* memory for a sample's operands, gradients after coordinates, and results */
   struct {
      LLVMValueRef waiting, continued; /* as in struct cf_run */
   } mask[CF_MAX_NESTING];
   struct varying varying[MAX_VARYINGS]; /* interpolated at the beginning */
   unsigned varying_count;
   LLVMBasicBlockRef *block; /* [count]: where control flow goes to an instruction, or NULL */
   LLVMBasicBlockRef gave_up;
   unsigned at; /* instruction being translated */
   struct fetched *fetched; /* [count] */
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

/** Source k of the instruction t->at as bits, of j.lanes lanes. */
LLVMValueRef cf_jit_source_bits(struct translator *t, unsigned k);

/** The same of a register: what it holds where the builder is. */
LLVMValueRef cf_jit_register_bits(struct translator *t, struct cf_reg reg);

/** What arithmetic, the instruction t->at, makes of its sources, of j.lanes lanes. */
LLVMValueRef cf_jit_operation(struct translator *t, const LLVMValueRef src[3]);

/** Write component c of the destination of t->at. */
void cf_jit_write(struct translator *t, unsigned c, LLVMValueRef value);

/** Let the interpreter's handler do the instruction t->at. */
void cf_jit_call_handler(struct translator *t);

/** p[k] of a varying dword (struct cf_task), of every quad. */
LLVMValueRef cf_jit_varying_by_quad(struct translator *t, unsigned index, unsigned k);

/** Replace values of smooth varyings in lanes that are shared, if the task has any. */
void cf_jit_interpolate_shared(struct translator *t, struct varying *varying, unsigned count);

/** Barycentrics, varyings and positions, from run->work. */
void cf_jit_begin_quads(struct translator *t);

/** What barycentrics lack from rounding, as store_rests (cf_interpolate_lanes.c):
 * cf_task.bary_rest[i] of t->bary[i], both by pixel (cf_jit_shared_ir.c). */
LLVMValueRef cf_jit_quads_rest(struct translator *t, unsigned i, LLVMValueRef bary);

/** cf_task.shared, of frames of several samples. */
LLVMValueRef cf_jit_quads_shared(struct translator *t);

/** A system value of CF_QUAD_SYSVALS, as bits. */
LLVMValueRef cf_jit_quads_sysval(struct translator *t, enum cf_sysval value);

/** Write the colours of the lanes in t->alive that pass the tests after the shader to memory; those that do not leave t->alive. */
void cf_jit_end_quads(struct translator *t);

/** Translate the load of uniforms t->at. */
void cf_jit_translate_ldu(struct translator *t);

/** Translate the access t->at to scratch, which is no registers. */
void cf_jit_translate_scratch(struct translator *t);

/** Translate the sample t->at. */
void cf_jit_translate_tex(struct translator *t);

#endif
