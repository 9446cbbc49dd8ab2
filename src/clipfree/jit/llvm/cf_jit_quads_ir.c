/* SPDX-License-Identifier: MIT */
/*
 * What comes before a fragment program in tasks that go from quads to pixels (struct cf_quad_work): positions and barycentrics, in
 * registers. Bits are those of the primitive engine (cf_interpolate_lanes.c): the same operations in the same order.
 *
 * Limitations: triangles in frames of one sample.
 */
#include "clipfree/jit/llvm/cf_jit_quads_ir.h"
#include "clipfree/primitive/cf_prim.h"

/* ---- before the program ---- */

/* A member of the primitives, in all lanes. `one`: they are all the same. */
static LLVMValueRef
member(struct translator *t, bool one, LLVMTypeRef type, unsigned align_B, size_t offset_B)
{
   LLVMValueRef quads = LLVMGetUndef(LLVMVectorType(type, CF_TASK_QUADS));
   if (one)
      return splat(&t->j, load_input(&t->j, type, t->prims[0], (int64_t)offset_B, align_B));
   for (unsigned q = 0; q < CF_TASK_QUADS; q++) {
      LLVMValueRef value = load_input(&t->j, type, t->prims[q], (int64_t)offset_B, align_B);
      quads = LLVMBuildInsertElement(t->j.ir, quads, value, LLVMConstInt(t->j.i32, q, 0), "");
   }
   return quads_to_lanes(t, quads);
}

/* x (k = 0) or y of the lanes' pixels, as integers. */
static LLVMValueRef
pixel_position(struct translator *t, unsigned k)
{
   uint32_t place[CF_TASK_LANES];
   for (unsigned lane = 0; lane < CF_TASK_LANES; lane++)
      place[lane] = lane >> k & 1;
   return LLVMBuildAdd(t->j.ir, quads_to_lanes(t, t->quad_px[k]), constants(t, place, CF_TASK_LANES), "");
}

static LLVMValueRef
to_f64(struct translator *t, LLVMValueRef integers)
{
   return LLVMBuildSIToFP(t->j.ir, integers, lanes_of(&t->j, t->j.f64), "");
}

static LLVMValueRef
to_f32(struct translator *t, LLVMValueRef doubles)
{
   return LLVMBuildFPTrunc(t->j.ir, doubles, lanes_of(&t->j, t->j.f32), "");
}

/* a x + b y + c at the lanes' pixels; where the coefficients are in a primitive. */
static LLVMValueRef
linear_function(struct translator *t, bool one, LLVMValueRef x, LLVMValueRef y, size_t a_B, size_t b_B, size_t c_B)
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMValueRef ax = LLVMBuildFMul(ir, member(t, one, t->j.f64, 8, a_B), x, "");
   LLVMValueRef by = LLVMBuildFMul(ir, member(t, one, t->j.f64, 8, b_B), y, "");
   return LLVMBuildFAdd(ir, LLVMBuildFAdd(ir, ax, by, ""), member(t, one, t->j.f64, 8, c_B), "");
}

/* Paper A eq. 5, as store_barycentrics (cf_interpolate_lanes.c): all pixels of a frame of one sample that are covered have their
 * centre inside. Results: barycentrics, sum of weights. */
static void
barycentrics(struct translator *t, bool one, LLVMValueRef x, LLVMValueRef y, LLVMValueRef result[3])
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMValueRef covered = LLVMBuildBitCast(ir, load_slot(t, t->alive), lanes_of(&t->j, t->j.i1), "");
   LLVMValueRef low = choose(&t->j, covered, float_constant(t, 0.0f), float_constant(t, -0x1p127f));
   LLVMValueRef high = choose(&t->j, covered, float_constant(t, 1.0f), float_constant(t, 0x1p127f));
   LLVMValueRef e[3];
   for (unsigned i = 0; i < 3; i++) {
      const size_t at = i * sizeof(double);
      e[i] = linear_function(t, one, x, y, offsetof(struct cf_prim, a) + at, offsetof(struct cf_prim, b) + at,
                             offsetof(struct cf_prim, c) + at);
   }
   result[2] = LLVMBuildFAdd(ir, LLVMBuildFAdd(ir, e[0], e[1], ""), e[2], "");
   for (unsigned i = 0; i < 2; i++)
      result[i] = clamp(t, LLVMBuildFDiv(ir, to_f32(t, e[i]), to_f32(t, result[2]), ""), low, high);
}

/* The quads' primitives and positions, and whether they are one primitive's. In single loads: a wide one would have to wait for
 * the stores of the quads before it, which have just been made. */
static void
read_quads(struct translator *t)
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMValueRef xy = LLVMGetUndef(LLVMVectorType(t->j.i32, CF_TASK_QUADS)), differences = NULL, first = NULL;
   LLVMValueRef quads = load_work(t, t->j.pointer, offsetof(struct cf_quad_work, quads), 8);
   _Static_assert(offsetof(struct cf_quad, y_px) == offsetof(struct cf_quad, x_px) + 2, "they are one dword");
   for (unsigned q = 0; q < CF_TASK_QUADS; q++) {
      /* no inputs: the list of quads changes from task to task */
      const int64_t at = (int64_t)(q * sizeof(struct cf_quad));
      t->prims[q] = load_at(&t->j, t->j.pointer, quads, at, 8);
      t->varyings[q] = load_input(&t->j, t->j.pointer, t->prims[q], offsetof(struct cf_prim, varyings), 8);
      LLVMValueRef position = load_at(&t->j, t->j.i32, quads, at + (int64_t)offsetof(struct cf_quad, x_px), 4);
      xy = LLVMBuildInsertElement(ir, xy, position, LLVMConstInt(t->j.i32, q, 0), "");
      LLVMValueRef prim = LLVMBuildPtrToInt(ir, t->prims[q], t->j.i64, "");
      first = first ? first : prim;
      prim = LLVMBuildXor(ir, prim, first, "");
      differences = differences ? LLVMBuildOr(ir, differences, prim, "") : prim;
   }
   t->quad_px[0] = LLVMBuildAnd(ir, xy, same(t, 0xffff, CF_TASK_QUADS), "");
   t->quad_px[1] = LLVMBuildLShr(ir, xy, same(t, 16, CF_TASK_QUADS), "");
   t->one_primitive = LLVMBuildICmp(ir, LLVMIntEQ, differences, LLVMConstNull(t->j.i64), "");
}

void
cf_jit_begin_quads(struct translator *t)
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMBasicBlockRef way[2], meet;
   LLVMValueRef phi[3];
   read_quads(t);
   LLVMValueRef x = to_f64(t, pixel_position(t, 0)), y = to_f64(t, pixel_position(t, 1));
   for (unsigned i = 0; i < 2; i++)
      way[i] = LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
   meet = LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
   LLVMBuildCondBr(ir, t->one_primitive, way[1], way[0]);
   LLVMPositionBuilderAtEnd(ir, meet);
   for (unsigned k = 0; k < 3; k++)
      phi[k] = LLVMBuildPhi(ir, lanes_of(&t->j, k < 2 ? t->j.f32 : t->j.f64), "");
   for (unsigned i = 0; i < 2; i++) {
      LLVMValueRef result[3];
      LLVMPositionBuilderAtEnd(ir, way[i]);
      barycentrics(t, i == 1, x, y, result);
      for (unsigned k = 0; k < 3; k++)
         LLVMAddIncoming(phi[k], &result[k], &way[i], 1);
      LLVMBuildBr(ir, meet);
   }
   LLVMPositionBuilderAtEnd(ir, meet);
   t->bary[0] = phi[0];
   t->bary[1] = phi[1];
   t->weight_sum = phi[2];
}

/* Window x (k = 0) or y. */
static LLVMValueRef
fragment_position(struct translator *t, unsigned k)
{
   LLVMValueRef centre = load_work(t, t->j.f32, offsetof(struct cf_quad_work, centre_px), 4);
   return LLVMBuildFAdd(t->j.ir, i32_to_float(&t->j, pixel_position(t, k)), splat(&t->j, centre), "");
}

/* Window depth, as depth_of_quad (cf_interpolate_lanes.c). */
static LLVMValueRef
fragment_depth(struct translator *t)
{
   LLVMValueRef x = to_f64(t, pixel_position(t, 0)), y = to_f64(t, pixel_position(t, 1));
   LLVMValueRef z = linear_function(t, false, x, y, offsetof(struct cf_prim, z_a), offsetof(struct cf_prim, z_b),
                                    offsetof(struct cf_prim, z_c));
   return clamp(t, to_f32(t, z), member(t, false, t->j.f32, 4, offsetof(struct cf_prim, z_min)),
                member(t, false, t->j.f32, 4, offsetof(struct cf_prim, z_max)));
}

LLVMValueRef
cf_jit_quads_sysval(struct translator *t, enum cf_sysval value)
{
   LLVMValueRef scale, front;
   switch (value) {
   case CF_SYSVAL_FRAG_X:
   case CF_SYSVAL_FRAG_Y:
      return bits_of(&t->j, fragment_position(t, value == CF_SYSVAL_FRAG_Y));
   case CF_SYSVAL_FRAG_Z:
      return bits_of(&t->j, fragment_depth(t));
   case CF_SYSVAL_FRAG_W:
      scale = member(t, false, t->j.f64, 8, offsetof(struct cf_prim, inv_scale));
      return bits_of(&t->j, to_f32(t, LLVMBuildFMul(t->j.ir, t->weight_sum, scale, "")));
   default: /* front_face */
      front = member(t, false, t->j.i8, 1, offsetof(struct cf_prim, front));
      front = LLVMBuildICmp(t->j.ir, LLVMIntNE, front, LLVMConstNull(LLVMTypeOf(front)), "");
      return LLVMBuildSExt(t->j.ir, front, row_type(t), "");
   }
}
