/* SPDX-License-Identifier: MIT */
/*
 * Building LLVM IR over lanes: what the translator and the generated formulas (cf_jit_formulas.inc)
 * are written in.
 *
 * A value has `lanes` lanes: 1 (scalar registers), or all lanes of the task. So the same functions
 * build scalar and vector code. No fast-math flag is ever set, nothing is contracted.
 *
 * Included by sources that have LLVM.
 */
#ifndef CF_JIT_IR_H
#define CF_JIT_IR_H

#include <assert.h>

#include <llvm-c/Core.h>
#include <llvm/Config/llvm-config.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/cf_lanes.h"

struct cf_jit_ir {
   LLVMContextRef context;
   LLVMModuleRef module;
   LLVMBuilderRef ir;
   unsigned lanes;       /* of the values being built */
   LLVMValueRef exec;    /* i32, bit per lane; valid for operations across lanes */
   bool x86;             /* the host has SSE2, else NEON */
   bool rounding_instrs; /* the host has instructions that round to integers (SSE4.1) */
   bool half_instrs;     /* the host converts vectors to half floats and back (F16C), and has FMA */
   /* the host has gathers of 16 dwords (AVX-512), slightly faster than single loads */
   bool gathers;
   bool permutes; /* the host permutes eight dwords (AVX2) */
   bool permutes_bytes; /* it permutes 128 bytes (AVX-512 VBMI), and has gathers */
   LLVMTypeRef i1, i8, i32, i64, f32, f64, pointer;
};

/* ---- types and constants ---- */

static inline LLVMTypeRef
lanes_of(const struct cf_jit_ir *j, LLVMTypeRef element)
{
   return j->lanes == 1 ? element : LLVMVectorType(element, j->lanes);
}

/* Broadcast a scalar to all lanes. */
static inline LLVMValueRef
splat(const struct cf_jit_ir *j, LLVMValueRef scalar)
{
   if (j->lanes == 1)
      return scalar;
   if (LLVMIsConstant(scalar)) {
      LLVMValueRef values[CF_TASK_LANES];
      for (unsigned lane = 0; lane < j->lanes; lane++)
         values[lane] = scalar;
      return LLVMConstVector(values, j->lanes);
   }
   LLVMValueRef none = LLVMGetUndef(LLVMVectorType(LLVMTypeOf(scalar), j->lanes));
   LLVMValueRef first = LLVMBuildInsertElement(j->ir, none, scalar, LLVMConstInt(j->i32, 0, 0), "");
   return LLVMBuildShuffleVector(j->ir, first, none,
                                 LLVMConstNull(LLVMVectorType(j->i32, j->lanes)), "");
}

/* Call an intrinsic of LLVM whose name says its types: an instruction of the host. */
static inline LLVMValueRef
call_intrinsic(const struct cf_jit_ir *j, const char *name, LLVMValueRef *arguments, unsigned count)
{
   const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
   return LLVMBuildCall2(j->ir, LLVMIntrinsicGetType(j->context, id, NULL, 0),
                         LLVMGetIntrinsicDeclaration(j->module, id, NULL, 0), arguments, count, "");
}

/* Element 0 of a vector, where a constant or an insertion shows it; else NULL. */
static inline LLVMValueRef
first_element(LLVMValueRef vector)
{
   if (LLVMIsAConstant(vector))
      return LLVMGetAggregateElement(vector, 0);
   const bool shows =
      LLVMIsAInsertElementInst(vector) && LLVMIsNull(LLVMGetOperand(vector, 2)); /* at index 0 */
   return shows ? LLVMGetOperand(vector, 1) : NULL;
}

/* The bits, an i32, that all lanes of a row have, if it is a constant or came from splat; else
 * NULL. */
static inline LLVMValueRef
repeated_bits(const struct cf_jit_ir *j, LLVMValueRef row)
{
   while (LLVMIsABitCastInst(row))
      row = LLVMGetOperand(row, 0);
   const bool shuffled = LLVMIsAShuffleVectorInst(row);
   const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(row));
   LLVMValueRef first = first_element(shuffled ? LLVMGetOperand(row, 0) : row);
   bool same = first && (shuffled || LLVMIsAConstant(row));
   for (unsigned lane = 0; same && lane < lanes; lane++)
      same =
         shuffled ? LLVMGetMaskValue(row, lane) == 0 : LLVMGetAggregateElement(row, lane) == first;
   return same ? LLVMBuildBitCast(j->ir, first, j->i32, "") : NULL;
}

static inline LLVMValueRef
constant_i32(const struct cf_jit_ir *j, uint32_t value)
{
   return splat(j, LLVMConstInt(j->i32, value, 0));
}

static inline LLVMValueRef
constant_f32(const struct cf_jit_ir *j, uint32_t bits)
{
   return splat(j, LLVMConstBitCast(LLVMConstInt(j->i32, bits, 0), j->f32));
}

static inline LLVMValueRef
constant_i64(const struct cf_jit_ir *j, uint64_t value)
{
   return splat(j, LLVMConstInt(j->i64, value, 0));
}

static inline LLVMValueRef
constant_f64(const struct cf_jit_ir *j, double value)
{
   return splat(j, LLVMConstReal(j->f64, value));
}

static inline LLVMValueRef
constant_bool(const struct cf_jit_ir *j, bool value)
{
   return splat(j, LLVMConstInt(j->i1, value, 0));
}

/* ---- conversions ---- */

static inline LLVMValueRef
bits_of(const struct cf_jit_ir *j, LLVMValueRef x)
{
   return LLVMBuildBitCast(j->ir, x, lanes_of(j, j->i32), "");
}

static inline LLVMValueRef
float_of(const struct cf_jit_ir *j, LLVMValueRef bits)
{
   return LLVMBuildBitCast(j->ir, bits, lanes_of(j, j->f32), "");
}

static inline LLVMValueRef
bool_to_int(const struct cf_jit_ir *j, LLVMValueRef b)
{
   return LLVMBuildZExt(j->ir, b, lanes_of(j, j->i32), "");
}

/* Rounded towards zero; the value must be in range. */
static inline LLVMValueRef
float_to_i32(const struct cf_jit_ir *j, LLVMValueRef x)
{
   return LLVMBuildFPToSI(j->ir, x, lanes_of(j, j->i32), "");
}

static inline LLVMValueRef
float_to_u32(const struct cf_jit_ir *j, LLVMValueRef x)
{
   return LLVMBuildFPToUI(j->ir, x, lanes_of(j, j->i32), "");
}

static inline LLVMValueRef
i32_to_float(const struct cf_jit_ir *j, LLVMValueRef n)
{
   return LLVMBuildSIToFP(j->ir, n, lanes_of(j, j->f32), "");
}

static inline LLVMValueRef
u32_to_float(const struct cf_jit_ir *j, LLVMValueRef n)
{
   return LLVMBuildUIToFP(j->ir, n, lanes_of(j, j->f32), "");
}

static inline LLVMValueRef
float_to_double(const struct cf_jit_ir *j, LLVMValueRef x)
{
   return LLVMBuildFPExt(j->ir, x, lanes_of(j, j->f64), "");
}

static inline LLVMValueRef
double_to_float(const struct cf_jit_ir *j, LLVMValueRef x)
{
   return LLVMBuildFPTrunc(j->ir, x, lanes_of(j, j->f32), "");
}

/* Towards zero; the value must be in range. */
static inline LLVMValueRef
double_to_i32(const struct cf_jit_ir *j, LLVMValueRef x)
{
   return LLVMBuildFPToSI(j->ir, x, lanes_of(j, j->i32), "");
}

static inline LLVMValueRef
double_to_i64(const struct cf_jit_ir *j, LLVMValueRef x)
{
   return LLVMBuildFPToSI(j->ir, x, lanes_of(j, j->i64), "");
}

static inline LLVMValueRef
i32_to_double(const struct cf_jit_ir *j, LLVMValueRef n)
{
   return LLVMBuildSIToFP(j->ir, n, lanes_of(j, j->f64), "");
}

static inline LLVMValueRef
u32_to_double(const struct cf_jit_ir *j, LLVMValueRef n)
{
   return LLVMBuildUIToFP(j->ir, n, lanes_of(j, j->f64), "");
}

static inline LLVMValueRef
low_half(const struct cf_jit_ir *j, LLVMValueRef n)
{
   return LLVMBuildTrunc(j->ir, n, lanes_of(j, j->i32), "");
}

static inline LLVMValueRef
widen_signed(const struct cf_jit_ir *j, LLVMValueRef n)
{
   return LLVMBuildSExt(j->ir, n, lanes_of(j, j->i64), "");
}

static inline LLVMValueRef
widen_unsigned(const struct cf_jit_ir *j, LLVMValueRef n)
{
   return LLVMBuildZExt(j->ir, n, lanes_of(j, j->i64), "");
}

/* ---- operations ---- */

static inline LLVMValueRef
choose(const struct cf_jit_ir *j, LLVMValueRef condition, LLVMValueRef yes, LLVMValueRef no)
{
   return LLVMBuildSelect(j->ir, condition, yes, no, "");
}

/* LLVM 19 does not come to an end where a basic block has two masks and their union as booleans:
 * its selection of instructions of AVX-512 has them be either in turns, for ever. Of 15 to 18 and
 * of 22 it comes to an end, and up to 17 no inline asm takes booleans. Example: lanes of two
 * writes of the same value, one after the other (docs/fuzzing.md). */
#define HIDES_MASKS (LLVM_VERSION_MAJOR >= 19)

/* Convert a mask, an i32 of one bit a lane, to one boolean a lane. With AVX-512 it passes through
 * an empty asm, so that LLVM does not know which mask it was. */
static inline LLVMValueRef
lanes_in(const struct cf_jit_ir *j, LLVMValueRef mask)
{
   char nothing[] = "", itself[] = "=k,0";
   LLVMTypeRef lanes = lanes_of(j, j->i1), type = LLVMFunctionType(lanes, &lanes, 1, 0);
   mask = LLVMBuildBitCast(j->ir, mask, lanes, "");
   if (!HIDES_MASKS || !j->gathers)
      return mask;
   LLVMValueRef identity = LLVMGetInlineAsm(type, nothing, 0, itself, sizeof(itself) - 1, 0, 0,
                                            LLVMInlineAsmDialectATT, 0);
   return LLVMBuildCall2(j->ir, type, identity, &mask, 1, "");
}

/* An intrinsic of one operand, overloaded on its type. */
static inline LLVMValueRef
intrinsic(const struct cf_jit_ir *j, const char *name, LLVMValueRef x)
{
   LLVMTypeRef type = LLVMTypeOf(x);
   const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
   LLVMValueRef function = LLVMGetIntrinsicDeclaration(j->module, id, &type, 1);
   return LLVMBuildCall2(j->ir, LLVMIntrinsicGetType(j->context, id, &type, 1), function, &x, 1,
                         "");
}

/* A comparison of floats. Of the greater or lesser of two, selected by a comparison, LLVM makes an
 * instruction of AArch64 that gives a signalling NaN where the selection does not. The fence hides
 * from it that what is compared is what is selected. */
static inline LLVMValueRef
compare_f(const struct cf_jit_ir *j, LLVMRealPredicate how, LLVMValueRef a, LLVMValueRef b)
{
   return LLVMBuildFCmp(j->ir, how, j->x86 ? a : intrinsic(j, "llvm.arithmetic.fence", a), b, "");
}

/* cf_fsat: v > 0 ? v : 0, then less than 1, an instruction of the host each. */
static inline LLVMValueRef
saturate_float(const struct cf_jit_ir *j, LLVMValueRef v)
{
   LLVMValueRef zero = constant_f32(j, 0), one = constant_f32(j, 0x3f800000);
   v = choose(j, compare_f(j, LLVMRealOGT, v, zero), v, zero);
   return choose(j, compare_f(j, LLVMRealOLT, v, one), v, one);
}

/* cf_f32_to_f16, of hosts with half_instrs: a NaN is 0x7e00. */
static inline LLVMValueRef
float_to_half(const struct cf_jit_ir *j, LLVMValueRef x)
{
   LLVMTypeRef i16 = lanes_of(j, LLVMInt16TypeInContext(j->context)),
               half = lanes_of(j, LLVMHalfTypeInContext(j->context));
   LLVMValueRef value = LLVMBuildBitCast(j->ir, LLVMBuildFPTrunc(j->ir, x, half, ""), i16, "");
   value = LLVMBuildZExt(j->ir, value, lanes_of(j, j->i32), "");
   return choose(j, compare_f(j, LLVMRealUNO, x, x), constant_i32(j, 0x7e00), value);
}

/* cf_f16_to_f32, of hosts with half_instrs; any NaN for a NaN. */
static inline LLVMValueRef
half_to_float(const struct cf_jit_ir *j, LLVMValueRef h)
{
   LLVMTypeRef i16 = lanes_of(j, LLVMInt16TypeInContext(j->context)),
               half = lanes_of(j, LLVMHalfTypeInContext(j->context));
   h = LLVMBuildBitCast(j->ir, LLVMBuildTrunc(j->ir, h, i16, ""), half, "");
   return LLVMBuildFPExt(j->ir, h, lanes_of(j, j->f32), "");
}

static inline LLVMValueRef
square_root(const struct cf_jit_ir *j, LLVMValueRef x)
{
   return intrinsic(j, "llvm.sqrt", x);
}

/* a b + c of floats, rounded once; for hosts with half_instrs. */
static inline LLVMValueRef
fused(const struct cf_jit_ir *j, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
   LLVMTypeRef type = LLVMTypeOf(a);
   const unsigned id = LLVMLookupIntrinsicID("llvm.fma", 8);
   LLVMValueRef arguments[3] = { a, b, c };
   return LLVMBuildCall2(j->ir, LLVMIntrinsicGetType(j->context, id, &type, 1),
                         LLVMGetIntrinsicDeclaration(j->module, id, &type, 1), arguments, 3, "");
}

/* a / b, b not 0, in double precision, since hosts have no integer division of vectors. Exact: a
 * non-integer quotient never rounds up to an integer, since it is at least 1 / b below it, a
 * relative distance of more than 2^-33. */
static inline LLVMValueRef
divide_u32(const struct cf_jit_ir *j, LLVMValueRef a, LLVMValueRef b)
{
   if (j->lanes == 1)
      return LLVMBuildUDiv(j->ir, a, b, "");
   LLVMTypeRef wide = lanes_of(j, j->f64);
   LLVMValueRef quotient = LLVMBuildFDiv(j->ir, LLVMBuildUIToFP(j->ir, a, wide, ""),
                                         LLVMBuildUIToFP(j->ir, b, wide, ""), "");
   return LLVMBuildFPToUI(j->ir, quotient, lanes_of(j, j->i32), "");
}

/* The same of the same number in all lanes, which the compiler knows ways to divide by. */
static inline LLVMValueRef
divide_by_known(const struct cf_jit_ir *j, LLVMValueRef a, LLVMValueRef b)
{
   return LLVMBuildUDiv(j->ir, a, b, "");
}

/* For each lane of a quad one of its lanes. */
struct quad_order {
   unsigned lane[4];
};

/* Lane 4q + i of the result is lane 4q + order[i] of x. */
static inline LLVMValueRef
permute_quads(const struct cf_jit_ir *j, LLVMValueRef x, const unsigned order[4])
{
   LLVMValueRef mask[CF_TASK_LANES];
   for (unsigned lane = 0; lane < j->lanes; lane++)
      mask[lane] = LLVMConstInt(j->i32, (lane & ~3u) + order[lane & 3], 0);
   return LLVMBuildShuffleVector(j->ir, x, LLVMGetUndef(LLVMTypeOf(x)),
                                 LLVMConstVector(mask, j->lanes), "");
}

/* Bit 4q + i of the result is bit 4q + order[i] of an i32. */
static inline LLVMValueRef
permute_quads_of_mask(const struct cf_jit_ir *j, LLVMValueRef mask, const unsigned order[4])
{
   LLVMValueRef result = LLVMConstNull(j->i32);
   for (int shift = -3; shift <= 3; shift++) { /* to the left */
      uint32_t moved = 0;
      for (int i = 0; i < 4; i++)
         moved |= i - (int)order[i] == shift ? 0x11111111u << i : 0;
      if (!moved)
         continue;
      LLVMValueRef count = LLVMConstInt(j->i32, (uint32_t)(shift < 0 ? -shift : shift), 0);
      LLVMValueRef bits = shift < 0 ? LLVMBuildLShr(j->ir, mask, count, "")
                                    : LLVMBuildShl(j->ir, mask, count, "");
      bits = LLVMBuildAnd(j->ir, bits, LLVMConstInt(j->i32, moved, 0), "");
      result = LLVMBuildOr(j->ir, result, bits, "");
   }
   return result;
}

/* Derivatives: lane 4q + i is x of lane 4q + m[i] minus x of lane 4q + n[i], if both are in exec;
 * else +0. */
static inline LLVMValueRef
difference(const struct cf_jit_ir *j, LLVMValueRef x, struct quad_order m, struct quad_order n)
{
   LLVMValueRef both = LLVMBuildAnd(j->ir, permute_quads_of_mask(j, j->exec, m.lane),
                                    permute_quads_of_mask(j, j->exec, n.lane), "");
   LLVMValueRef value =
      LLVMBuildFSub(j->ir, permute_quads(j, x, m.lane), permute_quads(j, x, n.lane), "");
   return choose(j, lanes_in(j, both), value, LLVMConstNull(LLVMTypeOf(x)));
}

/* ---- memory ---- */

static inline LLVMValueRef
byte_offset(const struct cf_jit_ir *j, LLVMValueRef pointer, int64_t offset_B)
{
   LLVMValueRef index = LLVMConstInt(j->i64, (uint64_t)offset_B, 1);
   return LLVMBuildGEP2(j->ir, j->i8, pointer, &index, 1, "");
}

static inline LLVMValueRef
load_at(const struct cf_jit_ir *j, LLVMTypeRef type, LLVMValueRef pointer, int64_t offset_B,
        unsigned align_B)
{
   LLVMValueRef value = LLVMBuildLoad2(j->ir, type, byte_offset(j, pointer, offset_B), "");
   LLVMSetAlignment(value, align_B);
   return value;
}

/* Load memory that is constant while the task runs. */
static inline LLVMValueRef
load_input(const struct cf_jit_ir *j, LLVMTypeRef type, LLVMValueRef pointer, int64_t offset_B,
           unsigned align_B)
{
   LLVMValueRef value = load_at(j, type, pointer, offset_B, align_B);
   static const char name[] = "invariant.load";
   LLVMSetMetadata(value, LLVMGetMDKindIDInContext(j->context, name, sizeof(name) - 1),
                   LLVMMetadataAsValue(j->context, LLVMMDNodeInContext2(j->context, NULL, 0)));
   return value;
}

/* The same value, of which LLVM does not know where it comes from: it leaves out no bound that is
 * put on it then, which the proof of the machine code needs (jit/proof/). Empty assembly: it takes
 * no time. */
static inline LLVMValueRef
unseen(const struct cf_jit_ir *j, LLVMValueRef value)
{
   LLVMTypeRef type = LLVMTypeOf(value);
   const bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
   LLVMTypeRef function = LLVMFunctionType(type, &type, 1, 0);
   char nothing[] = "", constraint[] = "=r,0";
   if (!j->x86) /* where nothing is proven */
      return value;
   constraint[1] = vector ? 'v' : 'r';
   LLVMValueRef code = LLVMGetInlineAsm(function, nothing, 0, constraint, sizeof(constraint) - 1, 0,
                                        0, LLVMInlineAsmDialectATT, 0);
   return LLVMBuildCall2(j->ir, function, code, &value, 1, "");
}

/* The lower or upper sixteen elements of a row. */
static inline LLVMValueRef
half_of(const struct cf_jit_ir *j, LLVMValueRef row, unsigned half)
{
   LLVMValueRef index[CF_TASK_LANES / 2];
   for (unsigned i = 0; i < CF_TASK_LANES / 2; i++)
      index[i] = LLVMConstInt(j->i32, half * CF_TASK_LANES / 2 + i, 0);
   return LLVMBuildShuffleVector(j->ir, row, LLVMGetUndef(LLVMTypeOf(row)), LLVMConstVector(index, CF_TASK_LANES / 2), "");
}

static inline LLVMValueRef
call_avx512(const struct cf_jit_ir *j, const char *name, LLVMValueRef arguments[5])
{
   const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
   return LLVMBuildCall2(j->ir, LLVMIntrinsicGetType(j->context, id, NULL, 0),
                         LLVMGetIntrinsicDeclaration(j->module, id, NULL, 0), arguments, 5, "");
}

/* Gather dwords at base + offset_B (below 2^31) in lanes whose boolean is true; others get 0. For
 * hosts with `gathers`. */
static inline LLVMValueRef
gather_dwords(const struct cf_jit_ir *j, LLVMValueRef base, LLVMValueRef offset_B, LLVMValueRef lanes)
{
   LLVMValueRef index[CF_TASK_LANES], half[2];
   for (unsigned lane = 0; lane < CF_TASK_LANES; lane++)
      index[lane] = LLVMConstInt(j->i32, lane, 0);
   for (unsigned h = 0; h < 2; h++) {
      LLVMValueRef none = LLVMConstNull(LLVMVectorType(j->i32, CF_TASK_LANES / 2));
      LLVMValueRef arguments[5] = { none, base, half_of(j, offset_B, h), half_of(j, lanes, h), LLVMConstInt(j->i32, 1, 0) };
      half[h] = call_avx512(j, "llvm.x86.avx512.mask.gather.dpi.512", arguments);
   }
   return LLVMBuildShuffleVector(j->ir, half[0], half[1], LLVMConstVector(index, CF_TASK_LANES), "");
}

/* Scatter dwords; no two of these lanes may have the same offset. */
static inline void
scatter_dwords(const struct cf_jit_ir *j, LLVMValueRef base, LLVMValueRef offset_B, LLVMValueRef value, LLVMValueRef lanes)
{
   for (unsigned h = 0; h < 2; h++) {
      LLVMValueRef arguments[5] = { base, half_of(j, lanes, h), half_of(j, offset_B, h), half_of(j, value, h),
                                    LLVMConstInt(j->i32, 1, 0) };
      call_avx512(j, "llvm.x86.avx512.mask.scatter.dpi.512", arguments);
   }
}

/* ---- tables ---- */

/* A constant array of the module, as bytes: those need no list of values, for which there might be
 * no memory. `values`: of i32. */
static inline LLVMValueRef
constant_table(const struct cf_jit_ir *j, const char *name, const uint32_t *values, unsigned count)
{
   LLVMValueRef array = LLVMGetNamedGlobal(j->module, name);
   if (array)
      return array;
   LLVMValueRef bytes = LLVMConstStringInContext(j->context, (const char *)values, 4 * count, 1);
   array = LLVMAddGlobal(j->module, LLVMTypeOf(bytes), name);
   LLVMSetInitializer(array, bytes);
   LLVMSetAlignment(array, 4);
   LLVMSetGlobalConstant(array, 1);
   LLVMSetLinkage(array, LLVMPrivateLinkage);
   return array;
}

/* Elements of a table of the sources, of a power of two of them, one for each lane. No index is
 * beyond it, which a mask shows once more: it is proven of the code that it reads its constants
 * (jit/proof/). */
static inline LLVMValueRef
look_up_i32(const struct cf_jit_ir *j, const char *name, const uint32_t *values, unsigned count,
            LLVMValueRef index)
{
   LLVMValueRef array = constant_table(j, name, values, count),
                row = LLVMGetUndef(lanes_of(j, j->i32));
   assert(count && !(count & (count - 1)));
   index = LLVMBuildAnd(j->ir, index, constant_i32(j, count - 1), "");
   if (j->gathers && j->lanes == CF_TASK_LANES) {
      LLVMValueRef offset_B = LLVMBuildShl(j->ir, index, constant_i32(j, 2), "");
      return gather_dwords(j, array, offset_B, LLVMConstAllOnes(lanes_of(j, j->i1)));
   }
   for (unsigned l = 0; l < j->lanes; l++) {
      LLVMValueRef lane = LLVMConstInt(j->i32, l, 0),
                   at = j->lanes == 1 ? index : LLVMBuildExtractElement(j->ir, index, lane, "");
      at = LLVMBuildZExt(j->ir, at, j->i64, "");
      LLVMValueRef value =
         LLVMBuildLoad2(j->ir, j->i32, LLVMBuildGEP2(j->ir, j->i32, array, &at, 1, ""), "");
      row = j->lanes == 1 ? value : LLVMBuildInsertElement(j->ir, row, value, lane, "");
   }
   return row;
}

static inline LLVMValueRef
look_up_f32(const struct cf_jit_ir *j, const char *name, const float *values, unsigned count,
            LLVMValueRef index)
{
   return float_of(j, look_up_i32(j, name, (const uint32_t *)values, count, index));
}

static inline void
store_at(const struct cf_jit_ir *j, LLVMValueRef value, LLVMValueRef pointer, int64_t offset_B,
         unsigned align_B)
{
   LLVMSetAlignment(LLVMBuildStore(j->ir, value, byte_offset(j, pointer, offset_B)), align_B);
}

#endif
