/* SPDX-License-Identifier: MIT */
/*
 * Loads and stores at computed addresses: uniforms, and scratch that is not kept in registers.
 *
 * Lanes with equal addresses, frequent in neighbouring pixels, share one load or store. Divergent
 * addresses use gathers and scatters with AVX-512, else the interpreter's handler. Out of bounds,
 * loads give 0 and stores are dropped.
 */
#include "clipfree/jit/llvm/cf_jit_translator.h"

/* An access by all lanes of exec at `index`: a scalar if uniform, a row if divergent. */
typedef void (*access_at)(struct translator *t, LLVMValueRef index);

static LLVMValueRef
exec_lanes(struct translator *t)
{
   return LLVMBuildBitCast(t->j.ir, load_slot(t, t->exec), lanes_of(&t->j, t->j.i1), "");
}

/* The value of the first lane in exec; if exec is empty, of some lane. */
static LLVMValueRef
of_first_lane(struct translator *t, LLVMValueRef row)
{
   static const char name[] = "llvm.cttz";
   LLVMBuilderRef ir = t->j.ir;
   const unsigned id = LLVMLookupIntrinsicID(name, sizeof(name) - 1);
   LLVMValueRef arguments[2] = { load_slot(t, t->exec), LLVMConstInt(t->j.i1, 0, 0) };
   LLVMValueRef lane = LLVMBuildCall2(ir, LLVMIntrinsicGetType(t->j.context, id, &t->j.i32, 1),
                                      LLVMGetIntrinsicDeclaration(t->j.module, id, &t->j.i32, 1), arguments, 2, "");
   return LLVMBuildExtractElement(ir, row, LLVMBuildAnd(ir, lane, mask_constant(t, CF_TASK_LANES - 1), ""), "");
}

/* Boolean: all lanes of exec equal the scalar. */
static LLVMValueRef
all_have(struct translator *t, LLVMValueRef row, LLVMValueRef scalar)
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMValueRef equal = LLVMBuildICmp(ir, LLVMIntEQ, row, splat(&t->j, scalar), "");
   LLVMValueRef others = LLVMBuildNot(ir, load_slot(t, t->exec), "");
   LLVMValueRef fine = LLVMBuildOr(ir, LLVMBuildBitCast(ir, equal, t->j.i32, ""), others, "");
   return LLVMBuildICmp(ir, LLVMIntEQ, fine, mask_constant(t, UINT32_MAX), "");
}

/* Translate the access t->at, whose address is its first source. */
static void
access_lanes(struct translator *t, access_at same, access_at each)
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMBasicBlockRef way[2], meet;
   if (t->program->instrs[t->at].src[0].kind != CF_KIND_V) {
      t->j.lanes = 1;
      LLVMValueRef index = cf_jit_source_bits(t, 0);
      t->j.lanes = CF_TASK_LANES;
      same(t, index);
      return;
   }
   LLVMValueRef row = cf_jit_source_bits(t, 0), first = of_first_lane(t, row);
   for (unsigned i = 0; i < 2; i++)
      way[i] = LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
   meet = LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
   LLVMBuildCondBr(ir, all_have(t, row, first), way[0], way[1]);
   LLVMPositionBuilderAtEnd(ir, way[0]);
   same(t, first);
   LLVMBuildBr(ir, meet);
   LLVMPositionBuilderAtEnd(ir, way[1]);
   if (t->j.gathers)
      each(t, row);
   else
      cf_jit_call_handler(t);
   LLVMBuildBr(ir, meet);
   LLVMPositionBuilderAtEnd(ir, meet);
}

/* Boolean: index + the instruction's offset is below `count`, a scalar. */
static LLVMValueRef
is_inside(struct translator *t, LLVMValueRef index, LLVMValueRef count)
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMValueRef offset = mask_constant(t, t->program->instrs[t->at].offset);
   LLVMValueRef fits = LLVMBuildICmp(ir, LLVMIntUGT, count, offset, "");
   LLVMValueRef limit = choose(&t->j, fits, LLVMBuildSub(ir, count, offset, ""), mask_constant(t, 0));
   const bool row = LLVMGetTypeKind(LLVMTypeOf(index)) == LLVMVectorTypeKind;
   return LLVMBuildICmp(ir, LLVMIntULT, index, row ? splat(&t->j, limit) : limit, "");
}

/* ---- uniforms ---- */

struct bank {
   LLVMValueRef data, dwords;
};

static struct bank
bank_of(struct translator *t)
{
   const int64_t bank_B = (int64_t)(offsetof(struct cf_stage, constants) +
                                    t->program->instrs[t->at].bank * sizeof(((struct cf_stage *)0)->constants[0]));
   LLVMValueRef stage = load_input(&t->j, t->j.pointer, t->run, offsetof(struct cf_run, stage), 8);
   return (struct bank){ load_input(&t->j, t->j.pointer, stage, bank_B, 8), load_input(&t->j, t->j.i32, stage, bank_B + 8, 4) };
}

/* Load dword `index` + offset of the bank, a scalar. */
static LLVMValueRef
load_uniform(struct translator *t, LLVMValueRef index)
{
   const struct bank bank = bank_of(t);
   LLVMValueRef dword = LLVMBuildAdd(t->j.ir, widen_unsigned(&t->j, index),
                                     LLVMConstInt(t->j.i64, t->program->instrs[t->at].offset, 0), "");
   LLVMValueRef address = choose(&t->j, is_inside(t, index, bank.dwords),
                                 LLVMBuildGEP2(t->j.ir, t->j.i32, bank.data, &dword, 1, ""), t->zero);
   return load_at(&t->j, t->j.i32, address, 0, 4);
}

static void
load_same_uniform(struct translator *t, LLVMValueRef index)
{
   t->j.lanes = 1;
   LLVMValueRef value = load_uniform(t, index);
   t->j.lanes = CF_TASK_LANES;
   cf_jit_write(t, 0, splat(&t->j, value));
}

static void
load_each_uniform(struct translator *t, LLVMValueRef index)
{
   const struct bank bank = bank_of(t);
   LLVMValueRef lanes = LLVMBuildAnd(t->j.ir, is_inside(t, index, bank.dwords), exec_lanes(t), "");
   LLVMValueRef base = byte_offset(&t->j, bank.data, 4 * (int64_t)t->program->instrs[t->at].offset);
   cf_jit_write(t, 0, gather_dwords(&t->j, base, LLVMBuildShl(t->j.ir, index, constant_i32(&t->j, 2), ""), lanes));
}

void
cf_jit_translate_ldu(struct translator *t)
{
   if (t->program->instrs[t->at].dst.kind == CF_KIND_V) {
      access_lanes(t, load_same_uniform, load_each_uniform);
      return;
   }
   t->j.lanes = 1;
   cf_jit_write(t, 0, load_uniform(t, cf_jit_source_bits(t, 0)));
   t->j.lanes = CF_TASK_LANES;
}

/* ---- scratch ---- */

static LLVMValueRef
scratch_count(struct translator *t)
{
   return mask_constant(t, t->program->info.scratch_dwords);
}

/* Address of dword 0 + the instruction's offset. */
static LLVMValueRef
scratch_base(struct translator *t)
{
   LLVMValueRef scratch = load_input(&t->j, t->j.pointer, t->task, offsetof(struct cf_task, scratch), 8);
   return byte_offset(&t->j, scratch, CF_ROW_B * (int64_t)t->program->instrs[t->at].offset);
}

/* Address of the row of dword `index` + offset. Out of bounds it is that of some row, which exists
 * since the program has scratch. */
static LLVMValueRef
scratch_row(struct translator *t, LLVMValueRef index, LLVMValueRef inside)
{
   LLVMValueRef offset_B = LLVMBuildMul(t->j.ir, widen_unsigned(&t->j, index), LLVMConstInt(t->j.i64, CF_ROW_B, 0), "");
   LLVMValueRef scratch = load_input(&t->j, t->j.pointer, t->task, offsetof(struct cf_task, scratch), 8);
   return choose(&t->j, inside, LLVMBuildGEP2(t->j.ir, t->j.i8, scratch_base(t), &offset_B, 1, ""), scratch);
}

/* Offset of each lane's own dword, in bytes from scratch_base. */
static LLVMValueRef
scratch_offsets(struct translator *t, LLVMValueRef index)
{
   LLVMValueRef lane_B[CF_TASK_LANES];
   for (unsigned lane = 0; lane < CF_TASK_LANES; lane++)
      lane_B[lane] = LLVMConstInt(t->j.i32, 4 * lane, 0);
   LLVMValueRef row_B = LLVMBuildMul(t->j.ir, index, constant_i32(&t->j, CF_ROW_B), "");
   return LLVMBuildAdd(t->j.ir, row_B, LLVMConstVector(lane_B, CF_TASK_LANES), "");
}

static void
load_same_scratch(struct translator *t, LLVMValueRef index)
{
   t->j.lanes = 1;
   LLVMValueRef inside = is_inside(t, index, scratch_count(t)), row = scratch_row(t, index, inside);
   t->j.lanes = CF_TASK_LANES;
   cf_jit_write(t, 0, choose(&t->j, inside, load_at(&t->j, row_type(t), row, 0, 4), LLVMConstNull(row_type(t))));
}

static void
load_each_scratch(struct translator *t, LLVMValueRef index)
{
   LLVMValueRef lanes = LLVMBuildAnd(t->j.ir, is_inside(t, index, scratch_count(t)), exec_lanes(t), "");
   cf_jit_write(t, 0, gather_dwords(&t->j, scratch_base(t), scratch_offsets(t, index), lanes));
}

static void
store_same_scratch(struct translator *t, LLVMValueRef index)
{
   t->j.lanes = 1;
   LLVMValueRef inside = is_inside(t, index, scratch_count(t)), row = scratch_row(t, index, inside);
   t->j.lanes = CF_TASK_LANES;
   LLVMValueRef old = load_at(&t->j, row_type(t), row, 0, 4);
   LLVMValueRef lanes = choose(&t->j, inside, exec_lanes(t), LLVMConstNull(lanes_of(&t->j, t->j.i1)));
   store_at(&t->j, choose(&t->j, lanes, cf_jit_source_bits(t, 1), old), row, 0, 4);
}

static void
store_each_scratch(struct translator *t, LLVMValueRef index)
{
   LLVMValueRef lanes = LLVMBuildAnd(t->j.ir, is_inside(t, index, scratch_count(t)), exec_lanes(t), "");
   scatter_dwords(&t->j, scratch_base(t), scratch_offsets(t, index), cf_jit_source_bits(t, 1), lanes);
}

void
cf_jit_translate_scratch(struct translator *t)
{
   const bool load = t->program->instrs[t->at].op == CF_OP_LDS;
   if (t->program->info.scratch_dwords)
      access_lanes(t, load ? load_same_scratch : store_same_scratch, load ? load_each_scratch : store_each_scratch);
   else if (load)
      cf_jit_write(t, 0, LLVMConstNull(row_type(t)));
}
