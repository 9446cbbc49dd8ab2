/* SPDX-License-Identifier: MIT */
/*
 * Helpers for vectors of lanes and of quads, shared by cf_jit_quads_ir.c and cf_jit_pixels_ir.c:
 * the code before and after a program in tasks from quads to pixels.
 */
#ifndef CF_JIT_QUADS_IR_H
#define CF_JIT_QUADS_IR_H

#include "clipfree/arith/cf_fp.h"
#include "clipfree/jit/cf_quad_work.h"
#include "clipfree/jit/llvm/cf_jit_translator.h"

/* of a vector, at most: the dwords of a block's pixels */
#define MAX_ELEMENTS (CF_TASK_LANES / 2 * 4)

/* Elements index[i] of the concatenation of two vectors. */
static inline LLVMValueRef
shuffle(struct translator *t, LLVMValueRef a, LLVMValueRef b, const unsigned *index, unsigned count)
{
   LLVMValueRef mask[MAX_ELEMENTS];
   for (unsigned i = 0; i < count; i++)
      mask[i] = LLVMConstInt(t->j.i32, index[i], 0);
   return LLVMBuildShuffleVector(t->j.ir, a, b ? b : LLVMGetUndef(LLVMTypeOf(a)), LLVMConstVector(mask, count), "");
}

/* Elements first, first + step, ... */
static inline LLVMValueRef
slice(struct translator *t, LLVMValueRef v, unsigned first, unsigned step, unsigned count)
{
   unsigned index[MAX_ELEMENTS];
   for (unsigned i = 0; i < count; i++)
      index[i] = first + i * step;
   return shuffle(t, v, NULL, index, count);
}

static inline LLVMValueRef
concatenate(struct translator *t, LLVMValueRef a, LLVMValueRef b, unsigned count)
{
   unsigned index[MAX_ELEMENTS];
   for (unsigned i = 0; i < count; i++)
      index[i] = i;
   return shuffle(t, a, b, index, count);
}

/* Broadcast each quad's element to its four lanes. */
static inline LLVMValueRef
quads_to_lanes(struct translator *t, LLVMValueRef quads)
{
   unsigned index[CF_TASK_LANES];
   for (unsigned lane = 0; lane < CF_TASK_LANES; lane++)
      index[lane] = lane / 4;
   return shuffle(t, quads, NULL, index, CF_TASK_LANES);
}

/* A constant vector of i32. */
static inline LLVMValueRef
constants(struct translator *t, const uint32_t *values, unsigned count)
{
   LLVMValueRef element[CF_TASK_LANES];
   for (unsigned i = 0; i < count; i++)
      element[i] = LLVMConstInt(t->j.i32, values[i], 0);
   return LLVMConstVector(element, count);
}

static inline LLVMValueRef
same(struct translator *t, uint32_t value, unsigned count)
{
   LLVMValueRef element[CF_TASK_LANES];
   for (unsigned i = 0; i < count; i++)
      element[i] = LLVMConstInt(t->j.i32, value, 0);
   return LLVMConstVector(element, count);
}

/* Whether all elements of a vector of booleans are true. */
static inline LLVMValueRef
all_of(struct translator *t, LLVMValueRef booleans, unsigned count)
{
   LLVMTypeRef type = LLVMIntTypeInContext(t->j.context, count);
   return LLVMBuildICmp(t->j.ir, LLVMIntEQ, LLVMBuildBitCast(t->j.ir, booleans, type, ""), LLVMConstAllOnes(type), "");
}

static inline LLVMValueRef
float_constant(struct translator *t, float value)
{
   return constant_f32(&t->j, cf_bits(value));
}

/* Clamp to [low, high]: v > low ? v : low, then the minimum with high. NaN gives low. */
static inline LLVMValueRef
clamp(struct translator *t, LLVMValueRef v, LLVMValueRef low, LLVMValueRef high)
{
   v = choose(&t->j, compare_f(&t->j, LLVMRealOGT, v, low), v, low);
   return choose(&t->j, compare_f(&t->j, LLVMRealOLT, v, high), v, high);
}

static inline LLVMValueRef
load_work(struct translator *t, LLVMTypeRef type, size_t offset_B, unsigned align_B)
{
   LLVMValueRef work = load_input(&t->j, t->j.pointer, t->run, offsetof(struct cf_run, work), 8);
   return load_input(&t->j, type, work, (int64_t)offset_B, align_B);
}

/** Booleans of the lanes in a sample set of their quads (CF_QUAD_*); for frames of several
 * samples. */
LLVMValueRef cf_jit_lanes_in_mask(struct translator *t, uint32_t mask);

#endif
