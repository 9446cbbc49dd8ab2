/* SPDX-License-Identifier: MIT */
/*
 * The part before the fragment program in tasks from quads to pixels (struct cf_quad_work):
 * positions and barycentrics, in registers. Bit-exact with the primitive engine
 * (cf_interpolate_lanes.c): the same operations in the same order.
 *
 * Barycentrics are evaluated in one of two orders. By quads: for each of the four pixels of a quad
 * a vector over the task's eight quads, with the coefficients of each quad's primitive, or of the
 * only one; the results are transposed to lanes. By lanes: a task of two whole 4x4 blocks of one
 * triangle has its pixels in a fixed order, so that vectors over 16 lanes need no transposition;
 * and where the triangle has one sum of weights (cf_prim_weight_sum), that is not computed.
 *
 * Limitation: no centroid varyings in frames of several samples.
 */
#include "clipfree/jit/llvm/cf_jit_alu.h"
#include "clipfree/jit/llvm/cf_jit_quads_ir.h"
#include "clipfree/primitive/cf_prim_layout.h"

/* ---- quads ---- */

/* A value for every pixel, by pixel of the quad: each a vector over the CF_TASK_QUADS quads. */
struct quads {
   LLVMValueRef pixel[4];
};

/* Broadcast a scalar to all quads. */
static LLVMValueRef
in_quads(struct translator *t, LLVMValueRef scalar)
{
   LLVMValueRef none = LLVMGetUndef(LLVMVectorType(LLVMTypeOf(scalar), CF_TASK_QUADS));
   LLVMValueRef first = LLVMBuildInsertElement(t->j.ir, none, scalar, LLVMConstInt(t->j.i32, 0, 0), "");
   return LLVMBuildShuffleVector(t->j.ir, first, none, LLVMConstNull(LLVMVectorType(t->j.i32, CF_TASK_QUADS)), "");
}

/* Reorder from pixels of quads to lanes. */
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

/* Load a member of each quad's primitive. `one`: all quads have the same primitive. */
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

/* x (k = 0) or y of each lane's pixel, as integers. */
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

/* Positions of evaluation, in f64. */
struct quad_places {
   struct quads x, y;
};

/* The pixels' positions. The second column and row are computed here, where they are wanted. */
static struct quad_places
at_pixels(struct translator *t)
{
   struct quad_places places;
   LLVMValueRef one = in_quads(t, LLVMConstReal(t->j.f64, 1.0)), next[2];
   for (unsigned k = 0; k < 2; k++)
      next[k] = LLVMBuildFAdd(t->j.ir, t->place_px[k], one, "");
   for (unsigned k = 0; k < 4; k++) {
      places.x.pixel[k] = k & 1 ? next[0] : t->place_px[0];
      places.y.pixel[k] = k >> 1 ? next[1] : t->place_px[1];
   }
   return places;
}

/* a x + b y + c. LLVM shares the terms of pixels in a column or row. */
static struct quads
evaluate(struct translator *t, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c, const struct quad_places *at)
{
   LLVMBuilderRef ir = t->j.ir;
   struct quads result;
   for (unsigned k = 0; k < 4; k++) {
      LLVMValueRef ax = LLVMBuildFMul(ir, a, at->x.pixel[k], ""), by = LLVMBuildFMul(ir, b, at->y.pixel[k], "");
      result.pixel[k] = LLVMBuildFAdd(ir, LLVMBuildFAdd(ir, ax, by, ""), c, "");
   }
   return result;
}

/* The same with coefficients from the primitives. */
static struct quads
linear_function(struct translator *t, bool one, struct cf_function_layout f, const struct quad_places *at)
{
   return evaluate(t, member(t, one, t->j.f64, 8, f.a_B), member(t, one, t->j.f64, 8, f.b_B),
                   member(t, one, t->j.f64, 8, f.c_B), at);
}

/* Weight i of the primitives. Those of points are functions of x (s) or y (t) alone. */
static struct quads
weight(struct translator *t, bool one, unsigned i, const struct quad_places *at)
{
   struct quads result;
   if (t->pixel->shape != CF_SHAPE_POINT)
      return linear_function(t, one, cf_prim_edge_layout(i), at);
   const struct cf_function_layout f = cf_prim_point_layout(i);
   LLVMValueRef a = member(t, one, t->j.f64, 8, f.a_B), c = member(t, one, t->j.f64, 8, f.c_B);
   for (unsigned k = 0; k < 4; k++) {
      LLVMValueRef place = i == 0 ? at->x.pixel[k] : at->y.pixel[k];
      result.pixel[k] = LLVMBuildFAdd(t->j.ir, LLVMBuildFMul(t->j.ir, a, place, ""), c, "");
   }
   return result;
}

/* ---- wide lines ---- */

/* Boolean member of each quad's primitive. */
static LLVMValueRef
flag(struct translator *t, bool one, size_t offset_B)
{
   LLVMValueRef value = member(t, one, t->j.i8, 1, offset_B);
   return LLVMBuildICmp(t->j.ir, LLVMIntNE, value, LLVMConstNull(LLVMTypeOf(value)), "");
}

/* Whether y points down. All primitives of a task have one configuration. */
static LLVMValueRef
y_is_down(struct translator *t)
{
   LLVMValueRef config = load_input(&t->j, t->j.pointer, t->prims[0], CF_PRIM_CONFIG_B, 8);
   LLVMValueRef rule = load_input(&t->j, t->j.i8, config, offsetof(struct cf_primitive_config, raster.bottom_edge_rule), 1);
   return in_quads(t, LLVMBuildZExt(t->j.ir, rule, t->j.i32, ""));
}

/* Distance of pixels to the points of the line whose data they replicate, the same along x and y:
 * as move_to_replicated_point (cf_interpolate_lanes.c). */
static struct quads
offset_to_replicated(struct translator *t, bool one, const struct quad_places *pixels)
{
   const struct cf_function_layout side[2] = { cf_prim_edge_layout(2), cf_prim_edge_layout(3) };
   LLVMValueRef a = member(t, one, t->j.f64, 8, side[0].a_B), b = member(t, one, t->j.f64, 8, side[0].b_B);
   LLVMValueRef c = member(t, one, t->j.f64, 8, side[0].c_B),
                replicated = flag(t, one, CF_PRIM_REPLICATED_B);
   struct cf_jit_ir quads = t->j;
   quads.lanes = CF_TASK_QUADS;
   LLVMValueRef up = cf_jit_line_up(&quads, a, b, y_is_down(t)),
                across = cf_jit_line_across(&quads, a, b);
   LLVMValueRef along_per_up = cf_jit_line_along_per_up(&quads, a, b, up);
   LLVMValueRef first = cf_jit_line_is_lower(&quads, across, up),
                divisor = cf_jit_line_magnitude(&quads, across);
   struct quads way =
      evaluate(t, choose(&t->j, first, a, member(t, one, t->j.f64, 8, side[1].a_B)),
               choose(&t->j, first, b, member(t, one, t->j.f64, 8, side[1].b_B)),
               choose(&t->j, first, c, member(t, one, t->j.f64, 8, side[1].c_B)), pixels);
   for (unsigned k = 0; k < 4; k++) {
      LLVMValueRef rows = LLVMBuildFDiv(t->j.ir, way.pixel[k], divisor, "");
      way.pixel[k] = choose(&t->j, replicated, cf_jit_line_along(&quads, rows, along_per_up),
                            LLVMConstNull(LLVMTypeOf(rows)));
   }
   return way;
}

/* Positions at which weights are evaluated. */
static struct quad_places
places_of_weights(struct translator *t, bool one)
{
   struct quad_places at = at_pixels(t);
   if (!t->pixel->replicated)
      return at;
   const struct quads way = offset_to_replicated(t, one, &at);
   for (unsigned k = 0; k < 4; k++) {
      at.x.pixel[k] = LLVMBuildFAdd(t->j.ir, at.x.pixel[k], way.pixel[k], "");
      at.y.pixel[k] = LLVMBuildFAdd(t->j.ir, at.y.pixel[k], way.pixel[k], "");
   }
   return at;
}

/* ---- barycentrics ---- */

/* Barycentrics (paper A eq. 5); for points, their point coordinates. */
struct barycentrics {
   LLVMValueRef bary[2];  /* by lane */
   LLVMValueRef place[2]; /* of points: the same, not clamped to the point */
   LLVMValueRef linear[2]; /* by lane: linear in the window, if the program uses such varyings */
   struct quads sum;      /* of weights */
   /* by lane: window depth and 1 / w_clip, if something reads them; else NULL */
   LLVMValueRef depth, w;
};

/* 1: the sum of a point's weights. */
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

static bool
uses_varmode(const struct translator *t, enum cf_varmode mode)
{
   for (unsigned i = 0; i < t->program->count; i++) {
      if (t->program->instrs[i].op == CF_OP_LDVAR && t->program->instrs[i].mode == mode)
         return true;
   }
   return false;
}

/* Whether the program reads a system value, or late tests do. */
static bool
reads_sysval(const struct translator *t, enum cf_sysval value)
{
   for (unsigned i = 0; i < t->program->count; i++) {
      if (t->program->instrs[i].op == CF_OP_SYS && t->program->instrs[i].value == value)
         return true;
   }
   return value == CF_SYSVAL_FRAG_Z && t->pixel->late_tests;
}

/* Window depth, as depth_of_quad (cf_interpolate_lanes.c). */
static LLVMValueRef
depth_of_quads(struct translator *t, bool one)
{
   const struct quad_places at = at_pixels(t);
   struct quads z = linear_function(t, one, cf_prim_depth_layout(), &at);
   LLVMValueRef low = member(t, one, t->j.f32, 4, CF_PRIM_DEPTH_LOW_B);
   LLVMValueRef high = member(t, one, t->j.f32, 4, CF_PRIM_DEPTH_HIGH_B);
   for (unsigned k = 0; k < 4; k++)
      z.pixel[k] = clamp(t, to_f32(t, z.pixel[k]), low, high);
   return to_lanes(t, &z);
}

/* 1 / w_clip, of sums of weights. */
static LLVMValueRef
w_of_quads(struct translator *t, bool one, const struct quads *sum)
{
   LLVMValueRef scale = member(t, one, t->j.f64, 8, CF_PRIM_INV_SCALE_B);
   struct quads w;
   for (unsigned k = 0; k < 4; k++)
      w.pixel[k] = to_f32(t, LLVMBuildFMul(t->j.ir, sum->pixel[k], scale, ""));
   return to_lanes(t, &w);
}

/* A weight linear in the window, as store_linear (cf_interpolate_lanes.c). */
static LLVMValueRef
linear_weight(struct translator *t, bool one, unsigned i, const struct quads *e, LLVMValueRef low, LLVMValueRef high)
{
   LLVMValueRef factor = in_quads(t, LLVMConstReal(t->j.f64, 1.0));
   struct quads linear;
   if (t->pixel->shape != CF_SHAPE_POINT) {
      LLVMValueRef w = member(t, one, t->j.f32, 4, cf_prim_vertex_w_B(i));
      LLVMValueRef scale = member(t, one, t->j.f64, 8, CF_PRIM_INV_SCALE_B);
      factor = LLVMBuildFMul(t->j.ir, LLVMBuildFPExt(t->j.ir, w, LLVMTypeOf(scale), ""), scale, "");
   }
   for (unsigned k = 0; k < 4; k++)
      linear.pixel[k] = to_f32(t, LLVMBuildFMul(t->j.ir, e->pixel[k], factor, ""));
   return clamp(t, to_lanes(t, &linear), low, high);
}

/* Lanes whose pixel centre is inside the primitive; in a frame of one sample all covered lanes,
 * including those that a smooth primitive covers in part. */
static LLVMValueRef
inside(struct translator *t)
{
   LLVMValueRef covered, unsure;
   if (!t->pixel->samples) {
      covered = load_work(t, t->j.i32, offsetof(struct cf_quad_work, covered), 4);
      return lanes_in(&t->j, covered);
   }
   unsure = cf_jit_lanes_in_mask(t, CF_QUAD_UNSURE);
   return LLVMBuildAnd(t->j.ir, cf_jit_lanes_in_mask(t, CF_QUAD_COVERED),
                       LLVMBuildNot(t->j.ir, unsure, ""), "");
}

/* As store_barycentrics (cf_interpolate_lanes.c). */
static struct barycentrics
barycentrics(struct translator *t, bool one)
{
   LLVMBuilderRef ir = t->j.ir;
   const unsigned weights = t->pixel->shape == CF_SHAPE_TRIANGLE ? 3 : 2;
   LLVMValueRef in_range = inside(t);
   LLVMValueRef low = choose(&t->j, in_range, float_constant(t, 0.0f), float_constant(t, -0x1p127f));
   LLVMValueRef high = choose(&t->j, in_range, float_constant(t, 1.0f), float_constant(t, 0x1p127f));
   const struct quad_places at = places_of_weights(t, one);
   const bool linear = uses_varmode(t, CF_VARMODE_LINEAR);
   struct quads e[3], quotient;
   struct barycentrics result;
   for (unsigned i = 0; i < weights; i++)
      e[i] = weight(t, one, i, &at);
   result.sum = t->pixel->shape == CF_SHAPE_POINT ? unit_sum(t) : sum_of(t, &e[0], &e[1]);
   if (weights == 3)
      result.sum = sum_of(t, &result.sum, &e[2]);
   for (unsigned i = 0; i < 2; i++) {
      for (unsigned k = 0; k < 4; k++)
         quotient.pixel[k] = LLVMBuildFDiv(ir, to_f32(t, e[i].pixel[k]), to_f32(t, result.sum.pixel[k]), "");
      result.place[i] = to_lanes(t, &quotient);
      result.bary[i] = clamp(t, result.place[i], low, high);
      result.linear[i] = linear ? linear_weight(t, one, i, &e[i], low, high) : result.bary[i];
   }
   result.depth = reads_sysval(t, CF_SYSVAL_FRAG_Z) ? depth_of_quads(t, one) : NULL;
   result.w = reads_sysval(t, CF_SYSVAL_FRAG_W) ? w_of_quads(t, one, &result.sum) : NULL;
   return result;
}

/* Load the quads' primitives and positions, and whether all have the same primitive. By single
 * loads: a vector load would stall on the narrower stores that have just written the quads (store
 * forwarding). Returns the positions, x in the low halves and y in the high ones. */
static LLVMValueRef
read_quads(struct translator *t)
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMValueRef none = LLVMGetUndef(LLVMVectorType(t->j.i32, CF_TASK_QUADS / 2)),
                half[2] = { none, none }, differences = NULL, first = NULL;
   LLVMValueRef quads = load_work(t, t->j.pointer, offsetof(struct cf_quad_work, fragments.quads), 8);
   _Static_assert(offsetof(struct cf_quad, y_px) == offsetof(struct cf_quad, x_px) + 2, "they are one dword");
   for (unsigned q = 0; q < CF_TASK_QUADS; q++) {
      /* not load_input: the list of quads changes from task to task */
      const int64_t at = (int64_t)(q * sizeof(struct cf_quad));
      t->prims[q] = load_at(&t->j, t->j.pointer, quads, at, 8);
      LLVMValueRef position = load_at(&t->j, t->j.i32, quads, at + (int64_t)offsetof(struct cf_quad, x_px), 4);
      half[q / 4] =
         LLVMBuildInsertElement(ir, half[q / 4], position, LLVMConstInt(t->j.i32, q % 4, 0), "");
      LLVMValueRef prim = LLVMBuildPtrToInt(ir, t->prims[q], t->j.i64, "");
      first = first ? first : prim;
      prim = LLVMBuildXor(ir, prim, first, "");
      differences = differences ? LLVMBuildOr(ir, differences, prim, "") : prim;
   }
   LLVMValueRef xy = concatenate(t, half[0], half[1], CF_TASK_QUADS);
   t->quad_px[0] = LLVMBuildAnd(ir, xy, same(t, 0xffff, CF_TASK_QUADS), "");
   t->quad_px[1] = LLVMBuildLShr(ir, xy, same(t, 16, CF_TASK_QUADS), "");
   t->one_primitive = LLVMBuildICmp(ir, LLVMIntEQ, differences, LLVMConstNull(t->j.i64), "");
   return xy;
}

/* Load the pixel masks of each quad (CF_QUAD_*), for frames of several samples. */
static void
read_masks(struct translator *t)
{
   LLVMValueRef quads = load_work(t, t->j.pointer, offsetof(struct cf_quad_work, fragments.quads), 8);
   LLVMValueRef masks = LLVMGetUndef(LLVMVectorType(t->j.i32, CF_TASK_QUADS));
   for (unsigned q = 0; q < CF_TASK_QUADS; q++) {
      const int64_t at = (int64_t)(q * sizeof(struct cf_quad) + offsetof(struct cf_quad, masks));
      masks = LLVMBuildInsertElement(t->j.ir, masks, load_at(&t->j, t->j.i32, quads, at, 4),
                                     LLVMConstInt(t->j.i32, q, 0), "");
   }
   t->quad_masks = quads_to_lanes(t, masks);
}

LLVMValueRef
cf_jit_lanes_in_mask(struct translator *t, uint32_t mask)
{
   uint32_t bit[CF_TASK_LANES];
   for (unsigned lane = 0; lane < CF_TASK_LANES; lane++)
      bit[lane] = mask << lane % 4;
   LLVMValueRef in_mask =
      LLVMBuildAnd(t->j.ir, t->quad_masks, constants(t, bit, CF_TASK_LANES), "");
   return LLVMBuildICmp(t->j.ir, LLVMIntNE, in_mask, constant_i32(&t->j, 0), "");
}

/* ---- whole blocks ---- */

enum { BLOCK_LANES = CF_TASK_LANES / 2 };

/* Whether the quads are two whole blocks, whose pixels are all covered where a frame has one
 * sample. */
static LLVMValueRef
are_blocks(struct translator *t, LLVMValueRef xy)
{
   unsigned first[CF_TASK_QUADS];
   uint32_t place[CF_TASK_QUADS];
   for (unsigned q = 0; q < CF_TASK_QUADS; q++) {
      first[q] = q & 4;
      place[q] = 2 * (q & 1) | (q & 2) << 16;
   }
   LLVMValueRef in_blocks = LLVMBuildAdd(t->j.ir, shuffle(t, xy, NULL, first, CF_TASK_QUADS),
                                         constants(t, place, CF_TASK_QUADS), "");
   LLVMValueRef blocks =
      all_of(t, LLVMBuildICmp(t->j.ir, LLVMIntEQ, xy, in_blocks, ""), CF_TASK_QUADS);
   if (t->pixel->samples)
      return blocks;
   LLVMValueRef covered = load_work(t, t->j.i32, offsetof(struct cf_quad_work, covered), 4);
   covered = LLVMBuildICmp(t->j.ir, LLVMIntEQ, covered, LLVMConstAllOnes(t->j.i32), "");
   return LLVMBuildAnd(t->j.ir, blocks, covered, "");
}

/* Element `element` of a vector, or a scalar, in all lanes of a block. */
static LLVMValueRef
in_block(struct translator *t, LLVMValueRef value, unsigned element)
{
   unsigned index[BLOCK_LANES];
   for (unsigned lane = 0; lane < BLOCK_LANES; lane++)
      index[lane] = element;
   if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMVectorTypeKind)
      value = in_quads(t, value);
   return shuffle(t, value, NULL, index, BLOCK_LANES);
}

/* Columns (k = 0) or rows of a block's pixels, in the order of lanes, as floats of this type. Every
 * second row of quads has the same columns, and every second column the same rows: LLVM finds that
 * they are equal. */
static LLVMValueRef
places_in_block(struct translator *t, LLVMTypeRef type, unsigned block, unsigned k)
{
   LLVMTypeRef quads = LLVMVectorType(type, CF_TASK_QUADS);
   LLVMValueRef place[BLOCK_LANES], first = LLVMBuildSIToFP(t->j.ir, t->quad_px[k], quads, "");
   for (unsigned lane = 0; lane < BLOCK_LANES; lane++)
      place[lane] = LLVMConstReal(type, (lane >> k & 1) + 2 * (lane >> (2 + k) & 1));
   return LLVMBuildFAdd(t->j.ir, in_block(t, first, block * CF_TASK_QUADS / 2),
                        LLVMConstVector(place, BLOCK_LANES), "");
}

/* A linear function of a block's pixels: evaluate(), by lane, in the type of x and y. */
static LLVMValueRef
function_in_block(struct translator *t, struct cf_function_layout f, LLVMValueRef x, LLVMValueRef y)
{
   const size_t offset_B[3] = { f.a_B, f.b_B, f.c_B };
   LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(x));
   LLVMValueRef term[3];
   for (unsigned i = 0; i < 3; i++) {
      term[i] = load_input(&t->j, t->j.f64, t->prims[0], (int64_t)offset_B[i], 8);
      if (type != t->j.f64)
         term[i] = LLVMBuildFPTrunc(t->j.ir, term[i], type, "");
      term[i] = in_block(t, term[i], 0);
   }
   LLVMValueRef ax = LLVMBuildFMul(t->j.ir, term[0], x, ""),
                by = LLVMBuildFMul(t->j.ir, term[1], y, "");
   return LLVMBuildFAdd(t->j.ir, LLVMBuildFAdd(t->j.ir, ax, by, ""), term[2], "");
}

/* From both blocks to lanes. */
static LLVMValueRef
of_blocks(struct translator *t, const LLVMValueRef block[2])
{
   return concatenate(t, block[0], block[1], CF_TASK_LANES);
}

/* depth_of_quads() of whole blocks of one primitive. */
static LLVMValueRef
depth_of_blocks(struct translator *t)
{
   LLVMTypeRef f32 = LLVMVectorType(t->j.f32, BLOCK_LANES);
   LLVMValueRef z[2], low = load_input(&t->j, t->j.f32, t->prims[0], CF_PRIM_DEPTH_LOW_B, 4),
                      high = load_input(&t->j, t->j.f32, t->prims[0], CF_PRIM_DEPTH_HIGH_B, 4);
   for (unsigned block = 0; block < 2; block++) {
      LLVMValueRef x = places_in_block(t, t->j.f64, block, 0),
                   y = places_in_block(t, t->j.f64, block, 1);
      z[block] = function_in_block(t, cf_prim_depth_layout(), x, y);
      z[block] = LLVMBuildFPTrunc(t->j.ir, z[block], f32, "");
   }
   return clamp(t, of_blocks(t, z), splat(&t->j, low), splat(&t->j, high));
}

/* w_of_quads() of whole blocks of one primitive; sum: of each block. */
static LLVMValueRef
w_of_blocks(struct translator *t, LLVMValueRef sum[2])
{
   LLVMTypeRef f32 = LLVMVectorType(t->j.f32, BLOCK_LANES);
   LLVMValueRef w[2], scale = load_input(&t->j, t->j.f64, t->prims[0], CF_PRIM_INV_SCALE_B, 8);
   for (unsigned block = 0; block < 2; block++)
      w[block] = LLVMBuildFPTrunc(
         t->j.ir, LLVMBuildFMul(t->j.ir, sum[block], in_block(t, scale, 0), ""), f32, "");
   return of_blocks(t, w);
}

/* The one sum of weights of a triangle that has one, and its reciprocal, in all lanes of a block;
 * the latter is NULL on hosts that divide. */
struct one_sum {
   LLVMValueRef sum, reciprocal;
};

static struct one_sum
load_one_sum(struct translator *t)
{
   LLVMValueRef sum = load_input(&t->j, t->j.f32, t->prims[0], CF_PRIM_WEIGHT_SUM_B, 4);
   struct one_sum one = { .sum = in_block(t, sum, 0) };
   if (t->j.half_instrs)
      one.reciprocal =
         in_block(t, LLVMBuildFDiv(t->j.ir, LLVMConstReal(t->j.f32, 1.0), sum, ""), 0);
   return one;
}

/* weight / sum. */
static LLVMValueRef
by_one_sum(struct translator *t, LLVMValueRef weight, const struct one_sum *by)
{
   return by->reciprocal ? cf_jit_quotient(&t->j, weight, by->sum, by->reciprocal)
                         : LLVMBuildFDiv(t->j.ir, weight, by->sum, "");
}

/* Weights of a block's pixels, and their sum. */
struct block_weights {
   LLVMValueRef e[2]; /* rounded to f32 */
   LLVMValueRef sum;
};

/* `are_short`: f32 computes weights 0 and 1 exactly (cf_prim_weights_are_short). LLVM leaves the
 * sum out where nothing reads it. */
static struct block_weights
weights_of_block(struct translator *t, unsigned block, bool are_short)
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMTypeRef f32 = LLVMVectorType(t->j.f32, BLOCK_LANES);
   LLVMValueRef x[2], y[2], e[3];
   struct block_weights result;
   for (unsigned n = 0; n < 2; n++) {
      LLVMTypeRef type = n == 0 ? t->j.f64 : t->j.f32;
      x[n] = places_in_block(t, type, block, 0);
      y[n] = places_in_block(t, type, block, 1);
   }
   for (unsigned i = 0; i < 3; i++)
      e[i] = function_in_block(t, cf_prim_edge_layout(i), x[0], y[0]);
   for (unsigned i = 0; i < 2; i++)
      result.e[i] = are_short ? function_in_block(t, cf_prim_edge_layout(i), x[1], y[1])
                              : LLVMBuildFPTrunc(ir, e[i], f32, "");
   result.sum = LLVMBuildFAdd(ir, LLVMBuildFAdd(ir, e[0], e[1], ""), e[2], "");
   return result;
}

/* barycentrics() of whole blocks of one triangle, evaluated in the order of lanes. `one_sum`: the
 * triangle has one sum of weights; `are_short`: and short weights. */
static struct barycentrics
barycentrics_of_blocks(struct translator *t, bool one_sum, bool are_short)
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMTypeRef f32 = LLVMVectorType(t->j.f32, BLOCK_LANES);
   LLVMValueRef low = float_constant(t, 0.0f), high = float_constant(t, 1.0f);
   LLVMValueRef sums[2], quotients[2][2];
   const struct one_sum by = one_sum ? load_one_sum(t) : (struct one_sum){ NULL };
   /* exact weights of covered pixels: none is negative, nor more than their sum */
   const bool in_range = are_short && !t->pixel->samples && !t->pixel->coverage;
   struct barycentrics result;
   if (t->pixel->samples) {
      LLVMValueRef is_inside = inside(t);
      low = choose(&t->j, is_inside, low, float_constant(t, -0x1p127f));
      high = choose(&t->j, is_inside, high, float_constant(t, 0x1p127f));
   }
   for (unsigned block = 0; block < 2; block++) {
      const struct block_weights w = weights_of_block(t, block, are_short);
      sums[block] = w.sum;
      LLVMValueRef divisor = LLVMBuildFPTrunc(ir, w.sum, f32, "");
      for (unsigned i = 0; i < 2; i++)
         quotients[i][block] =
            one_sum ? by_one_sum(t, w.e[i], &by) : LLVMBuildFDiv(ir, w.e[i], divisor, "");
   }
   for (unsigned i = 0; i < 2; i++) {
      result.place[i] = of_blocks(t, quotients[i]);
      result.linear[i] = result.bary[i] =
         in_range ? result.place[i] : clamp(t, result.place[i], low, high);
   }
   LLVMValueRef sum = of_blocks(t, sums);
   for (unsigned k = 0; k < 4; k++)
      result.sum.pixel[k] = slice(t, sum, k, 4, CF_TASK_QUADS);
   result.depth = reads_sysval(t, CF_SYSVAL_FRAG_Z) ? depth_of_blocks(t) : NULL;
   result.w = reads_sysval(t, CF_SYSVAL_FRAG_W) ? w_of_blocks(t, sums) : NULL;
   return result;
}

/* ---- the five ways ---- */

enum { OF_SEVERAL, OF_ONE, OF_BLOCKS, OF_BLOCKS_OF_ONE_SUM, OF_BLOCKS_OF_SHORT_WEIGHTS, WAYS };

/* Join the values of the ways that there are, which all branch to the builder's position. */
static LLVMValueRef
join(struct translator *t, unsigned ways, LLVMValueRef *values, LLVMBasicBlockRef *way)
{
   LLVMValueRef phi = LLVMBuildPhi(t->j.ir, LLVMTypeOf(values[0]), "");
   LLVMAddIncoming(phi, values, way, ways);
   return phi;
}

/* Join the barycentrics of the ways into the translator's. */
static void
join_barycentrics(struct translator *t, unsigned ways, const struct barycentrics *of,
                  LLVMBasicBlockRef *way)
{
   LLVMValueRef bary[WAYS], place[WAYS], linear[WAYS], sum[WAYS], depth[WAYS], frag_w[WAYS];
   for (unsigned w = 0; w < ways; w++) {
      depth[w] = of[w].depth;
      frag_w[w] = of[w].w;
   }
   t->frag_z = depth[0] ? join(t, ways, depth, way) : NULL;
   t->frag_w = frag_w[0] ? join(t, ways, frag_w, way) : NULL;
   for (unsigned i = 0; i < 2; i++) {
      for (unsigned w = 0; w < ways; w++) {
         bary[w] = of[w].bary[i];
         place[w] = of[w].place[i];
         linear[w] = of[w].linear[i];
      }
      t->bary[i] = join(t, ways, bary, way);
      t->place[i] = join(t, ways, place, way);
      t->linear[i] = join(t, ways, linear, way);
   }
   for (unsigned k = 0; k < 4; k++) {
      for (unsigned w = 0; w < ways; w++)
         sum[w] = of[w].sum.pixel[k];
      t->weight_sum[k] = join(t, ways, sum, way);
   }
}

/* Set the first column (k = 0) and row of each quad. */
static void
place_quads(struct translator *t)
{
   LLVMTypeRef wide = LLVMVectorType(t->j.f64, CF_TASK_QUADS);
   for (unsigned k = 0; k < 2; k++)
      t->place_px[k] = LLVMBuildSIToFP(t->j.ir, t->quad_px[k], wide, "");
}

/* Branch to the way of the task's quads. Returns how many ways there are: whole blocks of wide
 * lines, of points, and of programs with varyings linear in the window go the way of one
 * primitive. */
static unsigned
branch_to_ways(struct translator *t, LLVMValueRef xy, LLVMBasicBlockRef way[WAYS])
{
   const bool blocks = t->pixel->shape == CF_SHAPE_TRIANGLE && !t->pixel->replicated &&
                       !uses_varmode(t, CF_VARMODE_LINEAR);
   const unsigned ways = blocks ? WAYS : OF_BLOCKS;
   for (unsigned w = 0; w < ways; w++)
      way[w] = LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
   if (!blocks) {
      LLVMBuildCondBr(t->j.ir, t->one_primitive, way[OF_ONE], way[OF_SEVERAL]);
      return ways;
   }
   LLVMBasicBlockRef one = LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
   LLVMBuildCondBr(t->j.ir, t->one_primitive, one, way[OF_SEVERAL]);
   LLVMBasicBlockRef whole = LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
   LLVMPositionBuilderAtEnd(t->j.ir, one);
   LLVMBuildCondBr(t->j.ir, are_blocks(t, xy), whole, way[OF_ONE]);
   LLVMPositionBuilderAtEnd(t->j.ir, whole);
   LLVMValueRef sum = load_input(&t->j, t->j.i32, t->prims[0], CF_PRIM_WEIGHT_SUM_B, 4);
   LLVMValueRef known = LLVMBuildICmp(t->j.ir, LLVMIntNE, sum, LLVMConstNull(t->j.i32), "");
   LLVMBasicBlockRef has_sum = LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
   LLVMBuildCondBr(t->j.ir, known, has_sum, way[OF_BLOCKS]);
   LLVMPositionBuilderAtEnd(t->j.ir, has_sum);
   LLVMValueRef are_short = load_input(&t->j, t->j.i8, t->prims[0], CF_PRIM_SHORT_WEIGHTS_B, 1);
   are_short = LLVMBuildICmp(t->j.ir, LLVMIntNE, are_short, LLVMConstNull(t->j.i8), "");
   LLVMBuildCondBr(t->j.ir, are_short, way[OF_BLOCKS_OF_SHORT_WEIGHTS], way[OF_BLOCKS_OF_ONE_SUM]);
   return ways;
}

void
cf_jit_begin_quads(struct translator *t)
{
   LLVMBasicBlockRef way[WAYS], meet;
   struct barycentrics of[WAYS];
   LLVMValueRef xy = read_quads(t);
   if (t->pixel->samples)
      read_masks(t);
   place_quads(t);
   const unsigned ways = branch_to_ways(t, xy, way);
   meet = LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
   for (unsigned w = 0; w < ways; w++) {
      LLVMPositionBuilderAtEnd(t->j.ir, way[w]);
      of[w] = w < OF_BLOCKS ? barycentrics(t, w == OF_ONE)
                            : barycentrics_of_blocks(t, w >= OF_BLOCKS_OF_ONE_SUM,
                                                     w == OF_BLOCKS_OF_SHORT_WEIGHTS);
      LLVMBuildBr(t->j.ir, meet);
   }
   LLVMPositionBuilderAtEnd(t->j.ir, meet);
   join_barycentrics(t, ways, of, way);
}

LLVMValueRef
cf_jit_quads_shared(struct translator *t)
{
   LLVMValueRef unsure = cf_jit_lanes_in_mask(t, CF_QUAD_UNSURE);
   LLVMValueRef mask = load_work(t, t->j.i32, offsetof(struct cf_quad_work, shared), 4);
   return LLVMBuildAnd(t->j.ir, LLVMBuildBitCast(t->j.ir, unsure, t->j.i32, ""), mask, "");
}

/* Concatenate the pixels of quads to a vector by pixel. */
static LLVMValueRef
to_pixels(struct translator *t, const struct quads *quads)
{
   LLVMValueRef top = concatenate(t, quads->pixel[0], quads->pixel[1], 2 * CF_TASK_QUADS);
   LLVMValueRef bottom = concatenate(t, quads->pixel[2], quads->pixel[3], 2 * CF_TASK_QUADS);
   return concatenate(t, top, bottom, CF_TASK_LANES);
}

LLVMValueRef
cf_jit_quads_rest(struct translator *t, unsigned i, LLVMValueRef bary)
{
   LLVMBuilderRef ir = t->j.ir;
   const struct quad_places at = places_of_weights(t, false);
   const struct quads e = weight(t, false, i, &at);
   struct quads quotient;
   for (unsigned k = 0; k < 4; k++) {
      LLVMValueRef b = slice(t, bary, k * CF_TASK_QUADS, 1, CF_TASK_QUADS), sum = t->weight_sum[k];
      LLVMValueRef wide = LLVMBuildFPExt(ir, b, LLVMTypeOf(sum), "");
      LLVMValueRef left = LLVMBuildFSub(ir, e.pixel[k], LLVMBuildFMul(ir, wide, sum, ""), "");
      quotient.pixel[k] = LLVMBuildFDiv(ir, to_f32(t, left), to_f32(t, sum), "");
   }
   return clamp(t, to_pixels(t, &quotient), float_constant(t, -1.0f), float_constant(t, 1.0f));
}

/* Window x (k = 0) or y. */
static LLVMValueRef
fragment_position(struct translator *t, unsigned k)
{
   LLVMValueRef centre = load_work(t, t->j.f32, offsetof(struct cf_quad_work, centre_px), 4);
   return LLVMBuildFAdd(t->j.ir, i32_to_float(&t->j, pixel_position(t, k)), splat(&t->j, centre), "");
}

LLVMValueRef
cf_jit_quads_sysval(struct translator *t, enum cf_sysval value)
{
   switch (value) {
   case CF_SYSVAL_FRAG_X:
   case CF_SYSVAL_FRAG_Y:
      return bits_of(&t->j, fragment_position(t, value == CF_SYSVAL_FRAG_Y));
   case CF_SYSVAL_FRAG_Z:
      return bits_of(&t->j, t->frag_z);
   case CF_SYSVAL_FRAG_W:
      return bits_of(&t->j, t->frag_w);
   case CF_SYSVAL_POINT_X:
   case CF_SYSVAL_POINT_Y:
      if (t->pixel->shape != CF_SHAPE_POINT)
         return constant_i32(&t->j, 0);
      return bits_of(&t->j, t->place[value == CF_SYSVAL_POINT_Y]);
   default: /* front_face */
      return LLVMBuildSExt(t->j.ir, quads_to_lanes(t, flag(t, false, CF_PRIM_FRONT_B)), row_type(t), "");
   }
}
