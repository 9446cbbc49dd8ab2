/* SPDX-License-Identifier: MIT */
/*
 * Smooth varyings of pixels that several triangles of one plane may share (struct cf_task: shared):
 * in f64, rounded once, as interpolate_shared (shader/cf_interp_memory_lanes.c) does.
 *
 * Vectors of f64 are ordered by pixel: element 8 k + q is pixel k of quad q, so that values per
 * quad need no permutation.
 */
#include "clipfree/isa/cf_isa.h"
#include "clipfree/jit/llvm/cf_jit_translator.h"

static LLVMValueRef
shuffled(struct translator *t, LLVMValueRef v, bool to_pixels)
{
   LLVMValueRef index[CF_TASK_LANES];
   for (unsigned i = 0; i < CF_TASK_LANES; i++) {
      const unsigned lane = i % CF_TASK_QUADS * 4 + i / CF_TASK_QUADS;
      const unsigned pixel = i % 4 * CF_TASK_QUADS + i / 4;
      index[i] = LLVMConstInt(t->j.i32, to_pixels ? lane : pixel, 0);
   }
   return LLVMBuildShuffleVector(t->j.ir, v, LLVMGetUndef(LLVMTypeOf(v)),
                                 LLVMConstVector(index, CF_TASK_LANES), "");
}

/* Reorder a row by pixel. */
static LLVMValueRef
to_pixels(struct translator *t, LLVMValueRef row)
{
   return shuffled(t, row, true);
}

static LLVMValueRef
to_lanes(struct translator *t, LLVMValueRef by_pixel)
{
   return shuffled(t, by_pixel, false);
}

/* p[k] of a varying, by pixel. */
static LLVMValueRef
varying_f64(struct translator *t, unsigned index, unsigned k)
{
   LLVMValueRef quad[CF_TASK_LANES], p = cf_jit_varying_by_quad(t, index, k);
   for (unsigned i = 0; i < CF_TASK_LANES; i++)
      quad[i] = LLVMConstInt(t->j.i32, i % CF_TASK_QUADS, 0);
   p = LLVMBuildFPExt(t->j.ir, p, LLVMVectorType(t->j.f64, CF_TASK_QUADS), "");
   return LLVMBuildShuffleVector(t->j.ir, p, p, LLVMConstVector(quad, CF_TASK_LANES), "");
}

/* p[0] + b0 p[1] + b1 p[2], as bits of f32; b by pixel. */
static LLVMValueRef
interpolate_f64(struct translator *t, unsigned index, const LLVMValueRef b[2])
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMValueRef value = varying_f64(t, index, 0);
   for (unsigned k = 1; k < 3; k++)
      value =
         LLVMBuildFAdd(ir, value, LLVMBuildFMul(ir, b[k - 1], varying_f64(t, index, k), ""), "");
   return bits_of(&t->j, to_lanes(t, LLVMBuildFPTrunc(ir, value, lanes_of(&t->j, t->j.f32), "")));
}

static LLVMValueRef
task_row(struct translator *t, size_t rows_B, unsigned i)
{
   const int64_t offset_B = (int64_t)(rows_B + i * CF_TASK_LANES * sizeof(float));
   return load_input(&t->j, lanes_of(&t->j, t->j.f32), t->task, offset_B, ROW_ALIGN_B);
}

/* Barycentric i in f64, by pixel: bary and bary_rest of struct cf_task. */
static LLVMValueRef
barycentric_f64(struct translator *t, unsigned i)
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMTypeRef wide = lanes_of(&t->j, t->j.f64);
   LLVMValueRef bary, rest;
   if (t->pixel) {
      bary = to_pixels(t, t->bary[i]);
      rest = cf_jit_quads_rest(t, i, bary);
   } else {
      bary = to_pixels(t, task_row(t, offsetof(struct cf_task, bary), i));
      rest = to_pixels(t, task_row(t, offsetof(struct cf_task, bary_rest), i));
   }
   return LLVMBuildFAdd(ir, LLVMBuildFPExt(ir, bary, wide, ""), LLVMBuildFPExt(ir, rest, wide, ""),
                        "");
}

/* Mask of the shared lanes. */
static LLVMValueRef
shared_lanes(struct translator *t)
{
   if (t->pixel)
      return cf_jit_quads_shared(t);
   return load_input(&t->j, t->j.i32, t->task, offsetof(struct cf_task, shared), 4);
}

/* Replace the values of smooth varyings in `lanes`. */
static void
replace_values(struct translator *t, LLVMValueRef lanes, const struct varying *varying,
               unsigned count, LLVMValueRef value[MAX_VARYINGS])
{
   const LLVMValueRef b[2] = { barycentric_f64(t, 0), barycentric_f64(t, 1) };
   lanes = lanes_in(&t->j, lanes);
   for (unsigned n = 0; n < count; n++) {
      value[n] = varying[n].value;
      if (varying[n].mode == CF_VARMODE_SMOOTH)
         value[n] = choose(&t->j, lanes, interpolate_f64(t, varying[n].index, b), value[n]);
   }
}

void
cf_jit_interpolate_shared(struct translator *t, struct varying *varying, unsigned count)
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMValueRef value[MAX_VARYINGS];
   if (t->pixel && !t->pixel->samples)
      return;
   LLVMValueRef shared = shared_lanes(t);
   LLVMBasicBlockRef way[2] = { LLVMGetInsertBlock(ir) }, meet;
   way[1] = LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
   meet = LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
   LLVMBuildCondBr(ir, LLVMBuildICmp(ir, LLVMIntNE, shared, mask_constant(t, 0), ""), way[1], meet);
   LLVMPositionBuilderAtEnd(ir, way[1]);
   replace_values(t, shared, varying, count, value);
   LLVMBuildBr(ir, meet);
   LLVMPositionBuilderAtEnd(ir, meet);
   for (unsigned n = 0; n < count; n++) {
      if (value[n] == varying[n].value)
         continue;
      LLVMValueRef both = LLVMBuildPhi(ir, row_type(t), "");
      LLVMAddIncoming(both, (LLVMValueRef[]){ varying[n].value, value[n] }, way, 2);
      varying[n].value = both;
   }
}
