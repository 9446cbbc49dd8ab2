/* SPDX-License-Identifier: MIT */
/*
 * Parts of a task. Without AVX-512 a row of 32 lanes takes four of the host's sixteen vector
 * registers, and a linear filter has a dozen rows at a time: most would go through memory. So such
 * a sample is a loop over the halves of the task. (A loop over quarters is slower: its operations
 * depend on each other, and the host has too few others to do meanwhile.) The level of detail is
 * computed for all quads of the task at once, before the loop, and kept in memory for it.
 */
#include "clipfree/isa/cf_isa.h"
#include "clipfree/jit/llvm/cf_jit_sampler.h"

#define PART_LANES 16
#define PART_B (PART_LANES * 4) /* of a row */

_Static_assert(PART_B % ROW_ALIGN_B == 0, "parts are aligned as rows");

/* Not nearest filters and fetches, which have few rows at a time. */
bool
cf_jit_has_parts(const struct sampler *s)
{
   const bool filters = s->key->mode != CF_TEXMODE_FETCH && s->key->mode != CF_TEXMODE_SIZE;
   return !s->j->gathers && filters && (s->key->min_linear || s->key->mag_linear);
}

/* ---- the loop ---- */

/* The bits of the part's lanes in exec; part_B: where it begins in a row, four bytes a lane. */
static LLVMValueRef
exec_of_part(const struct sampler *s, LLVMValueRef part_B)
{
   LLVMBuilderRef ir = s->j->ir;
   LLVMValueRef first = LLVMBuildLShr(ir, LLVMBuildTrunc(ir, part_B, s->j->i32, ""),
                                      LLVMConstInt(s->j->i32, 2, 0), "");
   return LLVMBuildAnd(ir, LLVMBuildLShr(ir, s->exec, first, ""),
                       LLVMConstInt(s->j->i32, (1u << PART_LANES) - 1, 0), "");
}

bool
cf_jit_begin_parts(const struct sampler *s, struct sample_parts *parts)
{
   LLVMBuilderRef ir = s->j->ir;
   LLVMTypeRef i64 = s->j->i64;
   *parts = (struct sample_parts){ .sampler = *s };
   if (s->part_B || !cf_jit_has_parts(s))
      return false;
   LLVMBasicBlockRef before = LLVMGetInsertBlock(ir), loop = new_block(s), inside = new_block(s);
   LLVMValueRef zero = LLVMConstNull(i64);
   parts->next = new_block(s);
   LLVMBuildBr(ir, loop);
   LLVMPositionBuilderAtEnd(ir, loop);
   parts->first_B = LLVMBuildPhi(ir, i64, "");
   LLVMAddIncoming(parts->first_B, &zero, &before, 1);
   /* a mask, so that the proof of the machine code (jit/proof/) sees that the part is in the row */
   LLVMValueRef part_B =
      LLVMBuildAnd(ir, unseen(s->j, parts->first_B), LLVMConstInt(i64, ROW_B - PART_B, 0), "");
   struct sampler *part = &parts->sampler;
   part->lanes = s->j->lanes = PART_LANES;
   part->part_B = part_B;
   part->exec = exec_of_part(s, part_B);
   LLVMBuildCondBr(ir, any(s, part->exec), inside, parts->next);
   LLVMPositionBuilderAtEnd(ir, inside);
   return true;
}

void
cf_jit_end_parts(const struct sample_parts *parts)
{
   const struct sampler *s = &parts->sampler;
   LLVMBuilderRef ir = s->j->ir;
   if (!parts->next)
      return;
   LLVMBasicBlockRef loop = LLVMGetInstructionParent(parts->first_B), after = new_block(s),
                     end = parts->next;
   end_if(s, end);
   LLVMValueRef next_B = LLVMBuildAdd(ir, parts->first_B, LLVMConstInt(s->j->i64, PART_B, 0), "");
   LLVMAddIncoming(parts->first_B, &next_B, &end, 1);
   LLVMBuildCondBr(ir, compare_ints(s, LLVMIntULT, next_B, LLVMConstInt(s->j->i64, ROW_B, 0)), loop,
                   after);
   LLVMMoveBasicBlockAfter(after, LLVMGetLastBasicBlock(s->function));
   LLVMPositionBuilderAtEnd(ir, after);
   s->j->lanes = CF_TASK_LANES;
}

/* ---- memory ---- */

LLVMValueRef
cf_jit_part_of_row(const struct sampler *s, LLVMValueRef row)
{
   LLVMValueRef at = s->part_B;
   return at ? LLVMBuildGEP2(s->j->ir, s->j->i8, row, &at, 1, "") : row;
}

LLVMValueRef
cf_jit_keep(const struct sampler *s, LLVMValueRef value)
{
   if (!value || s->part_B || !cf_jit_has_parts(s) ||
       LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMVectorTypeKind)
      return value;
   LLVMValueRef memory = allocate(s, LLVMTypeOf(value));
   LLVMBuildStore(s->j->ir, value, memory);
   return memory;
}

static bool
is_in_memory(LLVMValueRef kept)
{
   return LLVMGetTypeKind(LLVMTypeOf(kept)) == LLVMPointerTypeKind;
}

/* Load this part's elements of a vector that was kept, one for each lane or quad; or the first of
 * them. */
static LLVMValueRef
load_kept(const struct sampler *s, LLVMValueRef kept, bool all)
{
   LLVMTypeRef type = LLVMGetAllocatedType(kept), element = LLVMGetElementType(type);
   const unsigned parts = CF_TASK_LANES / s->lanes, each = LLVMGetVectorSize(type) / parts;
   LLVMValueRef at =
      LLVMBuildUDiv(s->j->ir, s->part_B, LLVMConstInt(s->j->i64, s->lanes / each, 0), "");
   at = LLVMBuildGEP2(s->j->ir, s->j->i8, kept, &at, 1, "");
   return load_at(s->j, all ? LLVMVectorType(element, each) : element, at, 0, 4);
}

LLVMValueRef
cf_jit_of_lanes(const struct sampler *s, LLVMValueRef kept)
{
   return to_lanes(s, is_in_memory(kept) ? load_kept(s, kept, true) : kept);
}

LLVMValueRef
cf_jit_first_kept(const struct sampler *s, LLVMValueRef kept)
{
   return is_in_memory(kept)
             ? load_kept(s, kept, false)
             : LLVMBuildExtractElement(s->j->ir, kept, LLVMConstInt(s->j->i32, 0, 0), "");
}
