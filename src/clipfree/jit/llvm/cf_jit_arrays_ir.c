/* SPDX-License-Identifier: MIT */
/*
 * Loads and stores at computed addresses: uniforms, and scratch that is not kept in registers.
 *
 * Lanes with equal addresses, frequent in neighbouring pixels, share one load or store; so do
 * groups of lanes, up to four, when they load uniforms. Divergent addresses use gathers and
 * scatters with AVX-512, else the interpreter's handler. Out of bounds, loads give 0 and stores are
 * dropped.
 */
#include "clipfree/jit/llvm/cf_jit_translator.h"

/* An access by all lanes of exec at `index`: a scalar if uniform, a row if divergent. */
typedef void (*access_at)(struct translator *t, LLVMValueRef index);

static LLVMValueRef
exec_lanes(struct translator *t)
{
   return lanes_in(&t->j, load_slot(t, t->exec));
}

/* The value of the first lane in a mask; if that is empty, of some lane. */
static LLVMValueRef
of_first_lane(struct translator *t, LLVMValueRef row, LLVMValueRef mask)
{
   static const char name[] = "llvm.cttz";
   LLVMBuilderRef ir = t->j.ir;
   const unsigned id = LLVMLookupIntrinsicID(name, sizeof(name) - 1);
   LLVMValueRef arguments[2] = { mask, LLVMConstInt(t->j.i1, 0, 0) };
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
   LLVMValueRef row = cf_jit_source_bits(t, 0),
                first = of_first_lane(t, row, load_slot(t, t->exec));
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

/* The same for each lane of exec. */
static LLVMValueRef
gather_uniforms(struct translator *t, LLVMValueRef index)
{
   const struct bank bank = bank_of(t);
   LLVMValueRef lanes = LLVMBuildAnd(t->j.ir, is_inside(t, index, bank.dwords), exec_lanes(t), "");
   LLVMValueRef base = byte_offset(&t->j, bank.data, 4 * (int64_t)t->program->instrs[t->at].offset);
   return gather_dwords(&t->j, base, LLVMBuildShl(t->j.ir, index, constant_i32(&t->j, 2), ""),
                        lanes);
}

/* Loads whose indices are the same but for their constant offsets, of a row: members of a structure
 * or a vector. They are translated together, with the first of them. */
#define MAX_LOADS 8
/* Different indices of a task that are loaded one by one; a few are frequent, of objects and of
 * neighbouring pixels. */
#define MAX_VALUES 4

struct loads {
   unsigned at[MAX_LOADS], count;
   LLVMValueRef row;
   LLVMValueRef value[MAX_VALUES], lanes[MAX_VALUES]; /* indices, scalars; lanes that have them */
};

/* Without gathers, loads of many indices are handlers, and each load is alone. */
static void
list_loads(struct translator *t, struct loads *loads)
{
   const struct cf_instr *instrs = t->program->instrs, *first = &instrs[t->at];
   const unsigned most = t->j.gathers ? MAX_LOADS : 1;
   for (unsigned i = t->at; loads->count < most && cf_jit_is_straight_line(instrs[i].op); i++) {
      const struct cf_instr *load = &instrs[i];
      if (cf_op_info(load->op)->form == CF_FORM_LDU && load->dst.kind == CF_KIND_V &&
          load->bank == first->bank && load->src[0].kind == first->src[0].kind &&
          load->src[0].index == first->src[0].index)
         loads->at[loads->count++] = i;
      if (cf_jit_writes(load, first->src[0]))
         break;
   }
}

/* Find the distinct indices number `first` to `count` - 1 of the lanes in `left`. Returns the lanes
 * that have none of them. */
static LLVMValueRef
find_values(struct translator *t, struct loads *loads, unsigned first, unsigned count,
            LLVMValueRef left)
{
   LLVMBuilderRef ir = t->j.ir;
   for (unsigned n = first; n < count; n++) {
      loads->value[n] = of_first_lane(t, loads->row, left);
      loads->lanes[n] = LLVMBuildICmp(ir, LLVMIntEQ, loads->row, splat(&t->j, loads->value[n]), "");
      LLVMValueRef others =
         LLVMBuildNot(ir, LLVMBuildBitCast(ir, loads->lanes[n], t->j.i32, ""), "");
      left = LLVMBuildAnd(ir, left, others, "");
   }
   return left;
}

/* The load t->at, of lanes with at most `count` distinct indices. */
static LLVMValueRef
load_values(struct translator *t, const struct loads *loads, unsigned count)
{
   LLVMValueRef result = NULL;
   for (unsigned n = 0; n < count; n++) {
      t->j.lanes = 1;
      LLVMValueRef value = load_uniform(t, loads->value[n]);
      t->j.lanes = CF_TASK_LANES;
      result =
         n ? choose(&t->j, loads->lanes[n], splat(&t->j, value), result) : splat(&t->j, value);
   }
   return result;
}

/* The load t->at, of lanes with any indices. */
static LLVMValueRef
load_any(struct translator *t, const struct loads *loads)
{
   if (t->j.gathers)
      return gather_uniforms(t, loads->row);
   cf_jit_call_handler(t);
   return cf_jit_register_bits(t, t->program->instrs[t->at].dst);
}

enum { LOAD_SAME, LOAD_FEW, LOAD_ANY, LOAD_WAYS };

/* Translate all loads three times: for one distinct index, for up to MAX_VALUES, for any. Result:
 * each load's value on each way. */
static void
load_each_way(struct translator *t, struct loads *loads, LLVMBasicBlockRef way[LOAD_WAYS],
              LLVMValueRef result[LOAD_WAYS][MAX_LOADS])
{
   const unsigned values[LOAD_WAYS] = { [LOAD_SAME] = 1, [LOAD_FEW] = MAX_VALUES }, here = t->at;
   for (unsigned w = 0; w < LOAD_WAYS; w++) {
      LLVMPositionBuilderAtEnd(t->j.ir, way[w]);
      for (unsigned n = 0; n < loads->count; n++) {
         t->at = loads->at[n];
         result[w][n] = w == LOAD_ANY ? load_any(t, loads) : load_values(t, loads, values[w]);
      }
      way[w] = LLVMGetInsertBlock(t->j.ir);
   }
   t->at = here;
}

static LLVMValueRef
is_empty(struct translator *t, LLVMValueRef mask)
{
   return LLVMBuildICmp(t->j.ir, LLVMIntEQ, mask, mask_constant(t, 0), "");
}

/* Translate the load t->at, whose index is a row, and those that go with it. */
static void
load_together(struct translator *t)
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMBasicBlockRef way[LOAD_WAYS], several = cf_jit_new_block(t), meet;
   LLVMValueRef result[LOAD_WAYS][MAX_LOADS], left;
   struct loads loads = { .row = cf_jit_source_bits(t, 0) };
   list_loads(t, &loads);
   for (unsigned w = 0; w < LOAD_WAYS; w++)
      way[w] = cf_jit_new_block(t);
   left = find_values(t, &loads, 0, 1, load_slot(t, t->exec));
   LLVMBuildCondBr(ir, is_empty(t, left), way[LOAD_SAME], several);
   LLVMPositionBuilderAtEnd(ir, several);
   left = find_values(t, &loads, 1, MAX_VALUES, left);
   LLVMBuildCondBr(ir, is_empty(t, left), way[LOAD_FEW], way[LOAD_ANY]);
   load_each_way(t, &loads, way, result);
   meet = cf_jit_new_block(t);
   for (unsigned w = 0; w < LOAD_WAYS; w++) {
      LLVMPositionBuilderAtEnd(ir, way[w]);
      LLVMBuildBr(ir, meet);
   }
   LLVMPositionBuilderAtEnd(ir, meet);
   for (unsigned n = 0; n < loads.count; n++) {
      t->uniforms[loads.at[n]] = LLVMBuildPhi(ir, row_type(t), "");
      for (unsigned w = 0; w < LOAD_WAYS; w++)
         LLVMAddIncoming(t->uniforms[loads.at[n]], &result[w][n], &way[w], 1);
   }
}

void
cf_jit_translate_ldu(struct translator *t)
{
   const struct cf_instr *instr = &t->program->instrs[t->at];
   if (instr->src[0].kind == CF_KIND_V) {
      if (!t->uniforms[t->at])
         load_together(t);
      cf_jit_write(t, 0, t->uniforms[t->at]);
      return;
   }
   t->j.lanes = 1;
   LLVMValueRef value = load_uniform(t, cf_jit_source_bits(t, 0));
   t->j.lanes = CF_TASK_LANES;
   cf_jit_write(t, 0, instr->dst.kind == CF_KIND_V ? splat(&t->j, value) : value);
}

/* ---- scratch ---- */

static LLVMValueRef
scratch_count(struct translator *t)
{
   return mask_constant(t, t->program->info.scratch_dwords);
}

/* The instruction's offset, or 0 if no dword is beyond it. */
static unsigned
scratch_offset(const struct translator *t)
{
   const unsigned offset = t->program->instrs[t->at].offset;
   return offset < t->program->info.scratch_dwords ? offset : 0;
}

/* Address of dword 0 + the instruction's offset. */
static LLVMValueRef
scratch_base(struct translator *t)
{
   LLVMValueRef scratch = load_input(&t->j, t->j.pointer, t->task, offsetof(struct cf_task, scratch), 8);
   return byte_offset(&t->j, scratch, CF_ROW_B * (int64_t)scratch_offset(t));
}

/* unseen() of a row, in vectors of the host. */
static LLVMValueRef
unseen_row(struct translator *t, LLVMValueRef row)
{
   LLVMValueRef index[CF_TASK_LANES], half[2];
   for (unsigned lane = 0; lane < CF_TASK_LANES; lane++)
      index[lane] = mask_constant(t, lane);
   for (unsigned h = 0; h < 2; h++)
      half[h] = unseen(&t->j, half_of(&t->j, row, h));
   return LLVMBuildShuffleVector(t->j.ir, half[0], half[1], LLVMConstVector(index, CF_TASK_LANES),
                                 "");
}

/* An index, scalar or row, or the last one there is. All addresses are made of such indices, also
 * of lanes that access nothing: that they lie inside is proven of the code before it runs
 * (jit/proof/). */
static LLVMValueRef
bounded_index(struct translator *t, LLVMValueRef index)
{
   static const char name[] = "llvm.umin";
   const uint32_t last = t->program->info.scratch_dwords - scratch_offset(t) - 1;
   const bool row = LLVMGetTypeKind(LLVMTypeOf(index)) == LLVMVectorTypeKind;
   LLVMValueRef arguments[2] = { row ? unseen_row(t, index) : unseen(&t->j, index),
                                 row ? splat(&t->j, mask_constant(t, last))
                                     : mask_constant(t, last) };
   LLVMTypeRef type = LLVMTypeOf(index);
   const unsigned id = LLVMLookupIntrinsicID(name, sizeof(name) - 1);
   return LLVMBuildCall2(t->j.ir, LLVMIntrinsicGetType(t->j.context, id, &type, 1),
                         LLVMGetIntrinsicDeclaration(t->j.module, id, &type, 1), arguments, 2, "");
}

/* Address of the row of dword `index` + offset. Out of bounds it is that of some row, which exists
 * since the program has scratch. */
static LLVMValueRef
scratch_row(struct translator *t, LLVMValueRef index)
{
   LLVMValueRef offset_B = LLVMBuildMul(t->j.ir, widen_unsigned(&t->j, bounded_index(t, index)),
                                        LLVMConstInt(t->j.i64, CF_ROW_B, 0), "");
   return LLVMBuildGEP2(t->j.ir, t->j.i8, scratch_base(t), &offset_B, 1, "");
}

/* Offset of each lane's own dword, in bytes from scratch_base. */
static LLVMValueRef
scratch_offsets(struct translator *t, LLVMValueRef index)
{
   index = bounded_index(t, index);
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
   LLVMValueRef inside = is_inside(t, index, scratch_count(t)), row = scratch_row(t, index);
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
   LLVMValueRef inside = is_inside(t, index, scratch_count(t)), row = scratch_row(t, index);
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
