/* SPDX-License-Identifier: MIT */
/*
 * What comes before a fragment program in tasks that go from quads to pixels (struct cf_quad_work): positions and barycentrics, in
 * registers. Bits are those of the primitive engine (cf_interpolate_lanes.c): the same operations in the same order.
 *
 * Limitations: frames of one sample, no wide lines (cf_prim.replicated).
 */
#include "clipfree/jit/llvm/cf_jit_quads_ir.h"
#include "clipfree/primitive/cf_prim.h"

/* ---- quads ---- */

/* The four pixels of every quad: [pixel], each a vector of CF_TASK_QUADS. */
struct quads {
   LLVMValueRef pixel[4];
};

/* The same value in all quads. */
static LLVMValueRef
in_quads(struct translator *t, LLVMValueRef scalar)
{
   LLVMValueRef none = LLVMGetUndef(LLVMVectorType(LLVMTypeOf(scalar), CF_TASK_QUADS));
   LLVMValueRef first = LLVMBuildInsertElement(t->j.ir, none, scalar, LLVMConstInt(t->j.i32, 0, 0), "");
   return LLVMBuildShuffleVector(t->j.ir, first, none, LLVMConstNull(LLVMVectorType(t->j.i32, CF_TASK_QUADS)), "");
}

/* Pixels of quads to lanes. */
static LLVMValueRef
to_lanes(struct translator *t, const struct quads *quads)
{
   unsigned index[CF_TASK_LANES];
   for (unsigned lane = 0; lane < CF_TASK_LANES; lane++)
      index[lane] = lane % 4 * CF_TASK_QUADS + lane / 4;
   LLVMValueRef top = concatenate(t, quads->pixel[0], quads->pixel[1], 2 * CF_TASK_QUADS);
   LLVMValueRef bottom = concatenate(t, quads->pixel[2], quads->pixel[3], 2 * CF_TASK_QUADS);
   return shuffle(t, top, bottom, index, CF_TASK_LANES);
}

/* A member of the quads' primitives. `one`: they are all the same. */
static LLVMValueRef
member(struct translator *t, bool one, LLVMTypeRef type, unsigned align_B, size_t offset_B)
{
   LLVMValueRef quads = LLVMGetUndef(LLVMVectorType(type, CF_TASK_QUADS));
   if (one)
      return in_quads(t, load_input(&t->j, type, t->prims[0], (int64_t)offset_B, align_B));
   for (unsigned q = 0; q < CF_TASK_QUADS; q++) {
      LLVMValueRef value = load_input(&t->j, type, t->prims[q], (int64_t)offset_B, align_B);
      quads = LLVMBuildInsertElement(t->j.ir, quads, value, LLVMConstInt(t->j.i32, q, 0), "");
   }
   return quads;
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
to_f32(struct translator *t, LLVMValueRef doubles)
{
   return LLVMBuildFPTrunc(t->j.ir, doubles, LLVMVectorType(t->j.f32, CF_TASK_QUADS), "");
}

/* a x + b y + c at the quads' pixels; where the coefficients are in a primitive. Pixels of a column share a x, those of a row b y. */
static struct quads
linear_function(struct translator *t, bool one, size_t a_B, size_t b_B, size_t c_B)
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMValueRef a = member(t, one, t->j.f64, 8, a_B), b = member(t, one, t->j.f64, 8, b_B), c = member(t, one, t->j.f64, 8, c_B);
   LLVMValueRef ax[2], by[2];
   struct quads result;
   for (unsigned i = 0; i < 2; i++) {
      ax[i] = LLVMBuildFMul(ir, a, t->place_px[0][i], "");
      by[i] = LLVMBuildFMul(ir, b, t->place_px[1][i], "");
   }
   for (unsigned k = 0; k < 4; k++)
      result.pixel[k] = LLVMBuildFAdd(ir, LLVMBuildFAdd(ir, ax[k & 1], by[k >> 1], ""), c, "");
   return result;
}

/* ---- barycentrics ---- */

/* Paper A eq. 5; of points, their coordinates. */
struct barycentrics {
   LLVMValueRef bary[2];  /* by lane */
   LLVMValueRef place[2]; /* of points: the same, also outside */
   struct quads sum;      /* of weights */
};

/* 1, the sum of a point's weights. */
static struct quads
unit_sum(struct translator *t)
{
   LLVMValueRef unit = in_quads(t, LLVMConstReal(t->j.f64, 1.0));
   return (struct quads){ { unit, unit, unit, unit } };
}

static struct quads
sum_of(struct translator *t, const struct quads *a, const struct quads *b)
{
   struct quads sum;
   for (unsigned k = 0; k < 4; k++)
      sum.pixel[k] = LLVMBuildFAdd(t->j.ir, a->pixel[k], b->pixel[k], "");
   return sum;
}

/* As store_barycentrics (cf_interpolate_lanes.c): all pixels of a frame of one sample that are covered are inside, of smooth
 * primitives at least in part. */
static struct barycentrics
barycentrics(struct translator *t, bool one)
{
   LLVMBuilderRef ir = t->j.ir;
   const unsigned weights = t->pixel->shape == CF_SHAPE_TRIANGLE ? 3 : 2;
   LLVMValueRef covered = LLVMBuildBitCast(ir, load_slot(t, t->alive), lanes_of(&t->j, t->j.i1), "");
   LLVMValueRef low = choose(&t->j, covered, float_constant(t, 0.0f), float_constant(t, -0x1p127f));
   LLVMValueRef high = choose(&t->j, covered, float_constant(t, 1.0f), float_constant(t, 0x1p127f));
   struct quads e[3], quotient;
   struct barycentrics result;
   for (unsigned i = 0; i < weights; i++) {
      const size_t at = i * sizeof(double);
      e[i] = linear_function(t, one, offsetof(struct cf_prim, a) + at, offsetof(struct cf_prim, b) + at,
                             offsetof(struct cf_prim, c) + at);
   }
   result.sum = t->pixel->shape == CF_SHAPE_POINT ? unit_sum(t) : sum_of(t, &e[0], &e[1]);
   if (weights == 3)
      result.sum = sum_of(t, &result.sum, &e[2]);
   for (unsigned i = 0; i < 2; i++) {
      for (unsigned k = 0; k < 4; k++)
         quotient.pixel[k] = LLVMBuildFDiv(ir, to_f32(t, e[i].pixel[k]), to_f32(t, result.sum.pixel[k]), "");
      result.place[i] = to_lanes(t, &quotient);
      result.bary[i] = clamp(t, result.place[i], low, high);
   }
   return result;
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

/* One value of the two ways; both end in a branch to where the builder is. */
static LLVMValueRef
join(struct translator *t, LLVMValueRef several, LLVMValueRef one, LLVMBasicBlockRef way[2])
{
   LLVMValueRef phi = LLVMBuildPhi(t->j.ir, LLVMTypeOf(one), "");
   LLVMAddIncoming(phi, &several, &way[0], 1);
   LLVMAddIncoming(phi, &one, &way[1], 1);
   return phi;
}

/* Columns (k = 0) and rows of the quads' pixels. */
static void
place_quads(struct translator *t)
{
   LLVMTypeRef wide = LLVMVectorType(t->j.f64, CF_TASK_QUADS);
   for (unsigned k = 0; k < 2; k++) {
      t->place_px[k][0] = LLVMBuildSIToFP(t->j.ir, t->quad_px[k], wide, "");
      t->place_px[k][1] = LLVMBuildFAdd(t->j.ir, t->place_px[k][0], in_quads(t, LLVMConstReal(t->j.f64, 1.0)), "");
   }
}

void
cf_jit_begin_quads(struct translator *t)
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMBasicBlockRef way[2], meet;
   struct barycentrics result[2];
   read_quads(t);
   place_quads(t);
   for (unsigned i = 0; i < 2; i++)
      way[i] = LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
   meet = LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
   LLVMBuildCondBr(ir, t->one_primitive, way[1], way[0]);
   for (unsigned i = 0; i < 2; i++) {
      LLVMPositionBuilderAtEnd(ir, way[i]);
      result[i] = barycentrics(t, i == 1);
      LLVMBuildBr(ir, meet);
   }
   LLVMPositionBuilderAtEnd(ir, meet);
   for (unsigned i = 0; i < 2; i++) {
      t->bary[i] = join(t, result[0].bary[i], result[1].bary[i], way);
      t->place[i] = join(t, result[0].place[i], result[1].place[i], way);
   }
   for (unsigned k = 0; k < 4; k++)
      t->weight_sum[k] = join(t, result[0].sum.pixel[k], result[1].sum.pixel[k], way);
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
   struct quads z =
      linear_function(t, false, offsetof(struct cf_prim, z_a), offsetof(struct cf_prim, z_b), offsetof(struct cf_prim, z_c));
   LLVMValueRef low = member(t, false, t->j.f32, 4, offsetof(struct cf_prim, z_min));
   LLVMValueRef high = member(t, false, t->j.f32, 4, offsetof(struct cf_prim, z_max));
   for (unsigned k = 0; k < 4; k++)
      z.pixel[k] = clamp(t, to_f32(t, z.pixel[k]), low, high);
   return to_lanes(t, &z);
}

static LLVMValueRef
fragment_w(struct translator *t)
{
   LLVMValueRef scale = member(t, false, t->j.f64, 8, offsetof(struct cf_prim, inv_scale));
   struct quads w;
   for (unsigned k = 0; k < 4; k++)
      w.pixel[k] = to_f32(t, LLVMBuildFMul(t->j.ir, t->weight_sum[k], scale, ""));
   return to_lanes(t, &w);
}

LLVMValueRef
cf_jit_quads_sysval(struct translator *t, enum cf_sysval value)
{
   LLVMValueRef front;
   switch (value) {
   case CF_SYSVAL_FRAG_X:
   case CF_SYSVAL_FRAG_Y:
      return bits_of(&t->j, fragment_position(t, value == CF_SYSVAL_FRAG_Y));
   case CF_SYSVAL_FRAG_Z:
      return bits_of(&t->j, fragment_depth(t));
   case CF_SYSVAL_FRAG_W:
      return bits_of(&t->j, fragment_w(t));
   case CF_SYSVAL_POINT_X:
   case CF_SYSVAL_POINT_Y:
      if (t->pixel->shape != CF_SHAPE_POINT)
         return constant_i32(&t->j, 0);
      return bits_of(&t->j, t->place[value == CF_SYSVAL_POINT_Y]);
   default: /* front_face */
      front = member(t, false, t->j.i8, 1, offsetof(struct cf_prim, front));
      front = LLVMBuildICmp(t->j.ir, LLVMIntNE, front, LLVMConstNull(LLVMTypeOf(front)), "");
      return LLVMBuildSExt(t->j.ir, quads_to_lanes(t, front), row_type(t), "");
   }
}
