/* SPDX-License-Identifier: MIT */
/*
 * ISA programs to LLVM IR, instruction by instruction: void cf_jit_task(struct cf_run *).
 *
 * One ISA register is one vector value of all 32 lanes, which LLVM splits into host registers.
 * Control flow is that of the interpreter: branches are taken by the whole task, and a write under
 * a partial mask is a select with the old value (if that is needed: cf_jit_plan.h). Registers are
 * stack slots, which the first pass turns into values; masks are 32-bit integers. A loop over
 * sub-waves of the host's width was measured, too: lit fragment shaders took 1.3 (AVX2) to 2.6
 * times (SSE2) as long, since independent halves hide each other's latency.
 *
 * Rare loads and stores call the interpreter's handler: sources are stored to the task's registers
 * in memory, the handler runs, the result is loaded.
 *
 * Constants, system values, barycentrics and varyings are inputs: the function never stores to
 * them.
 */
#include "clipfree/jit/llvm/cf_jit_translate.h"

#include <stdlib.h>

#include "clipfree/jit/cf_jit_llvm.h"
#include "clipfree/jit/llvm/cf_jit_alu.h"
#include "clipfree/jit/llvm/cf_jit_translator.h"
#include "clipfree/primitive/cf_prim_layout.h"
#include "clipfree/memory/cf_format.h"
#include "clipfree/primitive/cf_primitive.h"

/* ---- slots ---- */

static LLVMValueRef
slot(struct translator *t, LLVMTypeRef type)
{
   LLVMBasicBlockRef here = LLVMGetInsertBlock(t->j.ir);
   LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(t->function);
   LLVMValueRef first = LLVMGetFirstInstruction(entry);
   if (first)
      LLVMPositionBuilderBefore(t->j.ir, first);
   else
      LLVMPositionBuilderAtEnd(t->j.ir, entry);
   LLVMValueRef result = LLVMBuildAlloca(t->j.ir, type, "");
   LLVMSetAlignment(result, ROW_ALIGN_B);
   /* an unwritten register may hold anything, but a branch must not depend on LLVM's `undef` */
   LLVMValueRef terminator = LLVMGetBasicBlockTerminator(entry);
   LLVMValueRef zero = LLVMConstNull(type);
   if (terminator)
      LLVMPositionBuilderBefore(t->j.ir, terminator);
   else
      LLVMPositionBuilderAtEnd(t->j.ir, entry);
   LLVMBuildStore(t->j.ir, zero, result);
   LLVMPositionBuilderAtEnd(t->j.ir, here);
   return result;
}

/* Stack memory that is not promoted to values. */
static LLVMValueRef
rows(struct translator *t, unsigned count)
{
   LLVMValueRef result = LLVMBuildAlloca(t->j.ir, LLVMArrayType(row_type(t), count), "");
   LLVMSetAlignment(result, ROW_ALIGN_B);
   return result;
}

static void
store_slot(struct translator *t, LLVMValueRef at, LLVMValueRef value)
{
   LLVMBuildStore(t->j.ir, value, at);
}

static LLVMValueRef
v_slot(struct translator *t, unsigned reg)
{
   if (!t->v[reg])
      t->v[reg] = slot(t, row_type(t));
   return t->v[reg];
}

static LLVMValueRef
s_slot(struct translator *t, unsigned reg)
{
   if (!t->s[reg])
      t->s[reg] = slot(t, t->j.i32);
   return t->s[reg];
}

/* ---- masks ---- */

static LLVMValueRef
mask_of(struct translator *t, LLVMValueRef lanes)
{
   return LLVMBuildBitCast(t->j.ir, lanes, t->j.i32, "");
}

/* ---- operands ---- */

/* A uniform or literal: all lanes of its broadcast row are equal. */
static LLVMValueRef
broadcast_value(struct translator *t, unsigned k)
{
   const struct cf_reg reg = t->program->instrs[t->at].src[k];
   if (reg.kind == CF_KIND_INLINE)
      return LLVMConstInt(t->j.i32, cf_inline_value(reg.index), 0);
   return load_input(&t->j, t->j.i32, t->constants, t->program->steps[t->at].src[k], ROW_ALIGN_B);
}

LLVMValueRef
cf_jit_register_bits(struct translator *t, struct cf_reg reg)
{
   if (reg.kind == CF_KIND_V)
      return load_slot(t, v_slot(t, reg.index));
   return splat(&t->j, load_slot(t, s_slot(t, reg.index)));
}

LLVMValueRef
cf_jit_source_bits(struct translator *t, unsigned k)
{
   const struct cf_reg reg = t->program->instrs[t->at].src[k];
   if (reg.kind == CF_KIND_V || reg.kind == CF_KIND_S)
      return cf_jit_register_bits(t, reg);
   return splat(&t->j, broadcast_value(t, k));
}

static void
write_row(struct translator *t, LLVMValueRef at, LLVMValueRef value, bool preserve)
{
   if (preserve)
      value = choose(&t->j, lanes_in(&t->j, load_slot(t, t->exec)), value, load_slot(t, at));
   store_slot(t, at, value);
}

void
cf_jit_write(struct translator *t, unsigned c, LLVMValueRef value)
{
   const struct cf_reg dst = t->program->instrs[t->at].dst;
   if (dst.kind == CF_KIND_S)
      store_slot(t, s_slot(t, dst.index), value);
   else
      write_row(t, v_slot(t, dst.index + c), value, t->plan.instr[t->at].preserve >> c & 1);
}

/* ---- control flow ---- */

static LLVMBasicBlockRef
block_of(struct translator *t, unsigned at)
{
   if (!t->block[at])
      t->block[at] = LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
   return t->block[at];
}

/* Set the exec mask and branch: to the next instruction, or to the target if no lane is left. */
static void
branch_with(struct translator *t, LLVMValueRef exec)
{
   store_slot(t, t->exec, exec);
   LLVMValueRef any = LLVMBuildICmp(t->j.ir, LLVMIntNE, exec, mask_constant(t, 0), "");
   LLVMBuildCondBr(t->j.ir, any, block_of(t, t->at + 1),
                   block_of(t, t->program->instrs[t->at].target));
}

/* Lanes of exec whose condition is true. */
static LLVMValueRef
condition(struct translator *t)
{
   LLVMValueRef value = cf_jit_source_bits(t, 0);
   LLVMValueRef lanes =
      LLVMBuildICmp(t->j.ir, LLVMIntNE, value, LLVMConstNull(LLVMTypeOf(value)), "");
   return LLVMBuildAnd(t->j.ir, mask_of(t, lanes), load_slot(t, t->exec), "");
}

static LLVMValueRef
without(struct translator *t, LLVMValueRef mask, LLVMValueRef lanes)
{
   return LLVMBuildAnd(t->j.ir, mask, LLVMBuildNot(t->j.ir, lanes, ""), "");
}

/* All four lanes of every quad that has a lane in `mask`. */
static LLVMValueRef
whole_quads(struct translator *t, LLVMValueRef mask)
{
   LLVMBuilderRef ir = t->j.ir;
   mask = LLVMBuildOr(ir, mask, LLVMBuildLShr(ir, mask, mask_constant(t, 1), ""), "");
   mask = LLVMBuildOr(ir, mask, LLVMBuildLShr(ir, mask, mask_constant(t, 2), ""), "");
   mask = LLVMBuildAnd(ir, mask, mask_constant(t, 0x11111111), "");
   return LLVMBuildMul(ir, mask, mask_constant(t, 15), "");
}

static void
add_lanes(struct translator *t, LLVMValueRef at, LLVMValueRef lanes)
{
   store_slot(t, at, LLVMBuildOr(t->j.ir, load_slot(t, at), lanes, ""));
}

/* Take the back edge or leave the loop; the watchdog counts the loop's instructions at each back
 * edge. */
static void
translate_endloop(struct translator *t, LLVMValueRef waiting, LLVMValueRef continued)
{
   LLVMBuilderRef ir = t->j.ir;
   const uint32_t start = t->program->instrs[t->at].target;
   LLVMValueRef again = LLVMBuildOr(ir, load_slot(t, t->exec), load_slot(t, continued), "");
   LLVMValueRef any = LLVMBuildICmp(ir, LLVMIntNE, again, mask_constant(t, 0), "");
   store_slot(t, continued, mask_constant(t, 0));
   store_slot(t, t->exec, choose(&t->j, any, again, load_slot(t, waiting)));
   LLVMBasicBlockRef back = LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
   LLVMBuildCondBr(ir, any, back, block_of(t, t->at + 1));

   LLVMPositionBuilderAtEnd(ir, back);
   const uint64_t counted = (uint64_t)t->program->steps[t->at].src[0];
   LLVMValueRef looped =
      LLVMBuildAdd(ir, load_slot(t, t->looped), LLVMConstInt(t->j.i64, counted, 0), "");
   store_slot(t, t->looped, looped);
   LLVMValueRef stage = load_input(&t->j, t->j.pointer, t->run, offsetof(struct cf_run, stage), 8);
   LLVMValueRef limit =
      load_input(&t->j, t->j.i64, stage, offsetof(struct cf_stage, max_instrs), 8);
   LLVMBuildCondBr(ir, LLVMBuildICmp(ir, LLVMIntUGT, looped, limit, ""), t->timed_out,
                   block_of(t, start));
}

static void
translate_flow(struct translator *t)
{
   const unsigned depth = t->program->steps[t->at].mode;
   LLVMValueRef *waiting = &t->mask[depth].waiting, *continued = &t->mask[depth].continued;
   LLVMValueRef lanes, exec = load_slot(t, t->exec);
   if (!*waiting) {
      *waiting = slot(t, t->j.i32);
      *continued = slot(t, t->j.i32);
   }
   switch (t->program->instrs[t->at].op) {
   case CF_OP_IF:
      lanes = condition(t);
      store_slot(t, *waiting, without(t, exec, lanes));
      branch_with(t, lanes);
      break;
   case CF_OP_ELSE:
      lanes = load_slot(t, *waiting);
      store_slot(t, *waiting, exec);
      branch_with(t, lanes);
      break;
   case CF_OP_ENDIF:
      lanes = LLVMBuildOr(t->j.ir, exec, load_slot(t, *waiting), "");
      store_slot(t, t->exec, lanes);
      break;
   case CF_OP_LOOP:
      store_slot(t, *waiting, mask_constant(t, 0));
      store_slot(t, *continued, mask_constant(t, 0));
      LLVMBuildBr(t->j.ir, block_of(t, t->at + 1));
      break;
   case CF_OP_BRK:
   case CF_OP_CONT:
      lanes = condition(t);
      add_lanes(t, t->program->instrs[t->at].op == CF_OP_BRK ? *waiting : *continued, lanes);
      branch_with(t, without(t, exec, lanes));
      break;
   case CF_OP_ENDLOOP:
      translate_endloop(t, *waiting, *continued);
      break;
   case CF_OP_KILL:
      lanes = condition(t);
      store_slot(t, t->alive, without(t, load_slot(t, t->alive), lanes));
      branch_with(t, without(t, exec, lanes));
      break;
   case CF_OP_DEMOTE:
      lanes = without(t, load_slot(t, t->alive), condition(t));
      store_slot(t, t->alive, lanes);
      branch_with(t, LLVMBuildAnd(t->j.ir, exec, whole_quads(t, lanes), ""));
      break;
   default: /* end */
      if (t->pixel)
         cf_jit_end_quads(t);
      store_at(&t->j, load_slot(t, t->alive), t->run, offsetof(struct cf_run, alive), 4);
      LLVMBuildRetVoid(t->j.ir);
      break;
   }
}

/* ---- the interpreter's handlers ---- */

void
cf_jit_call_handler(struct translator *t)
{
   const struct cf_instr *instr = &t->program->instrs[t->at];
   const struct cf_step *step = &t->program->steps[t->at];
   const struct cf_op_info *op = cf_op_info(instr->op);
   for (unsigned k = 0; k < op->sources; k++) {
      if (step->src[k] >= 0)
         store_at(&t->j, cf_jit_source_bits(t, k), t->task, step->src[k], ROW_ALIGN_B);
   }
   /* the handler sees exec as all lanes, so it may write whole rows or only lanes of exec */
   LLVMValueRef exec = load_slot(t, t->exec);
   store_at(&t->j, exec, t->run, offsetof(struct cf_run, exec), 4);
   store_at(&t->j, exec, t->run, offsetof(struct cf_run, first_exec), 4);
   LLVMValueRef arguments[2] = {
      t->run,
      byte_offset(&t->j, t->steps, (int64_t)(t->at * sizeof(struct cf_step))),
   };
   LLVMTypeRef types[2] = { t->j.pointer, t->j.pointer };
   LLVMValueRef handler =
      load_input(&t->j, t->j.pointer, t->handlers, (int64_t)(step->handler * sizeof(cf_handler)),
                 sizeof(cf_handler));
   LLVMBuildCall2(t->j.ir, LLVMFunctionType(t->j.pointer, types, 2, 0), handler, arguments, 2, "");

   for (unsigned c = 0; c < 4; c++) {
      if (cf_written_rows(instr) >> c & 1)
         cf_jit_write(
            t, c,
            load_at(&t->j, row_type(t), t->task, step->dst + (int64_t)c * CF_ROW_B, ROW_ALIGN_B));
   }
}

/* ---- scratch ---- */

static void
translate_scratch(struct translator *t)
{
   const struct cf_instr *instr = &t->program->instrs[t->at];
   uint32_t dword = 0;
   if (!t->plan.scratch_in_registers) {
      cf_jit_translate_scratch(t);
      return;
   }
   cf_scratch_dword(instr, &dword);
   const bool inside = dword < t->program->info.scratch_dwords;
   if (inside && !t->scratch[dword])
      t->scratch[dword] = slot(t, row_type(t));
   if (instr->op == CF_OP_LDS)
      cf_jit_write(t, 0, inside ? load_slot(t, t->scratch[dword]) : LLVMConstNull(row_type(t)));
   else if (inside)
      write_row(t, t->scratch[dword], cf_jit_source_bits(t, 1), !t->plan.instr[t->at].outside);
}

/* ---- inputs and outputs ---- */

static LLVMValueRef
load_float_row(struct translator *t, size_t offset_B)
{
   return load_input(&t->j, lanes_of(&t->j, t->j.f32), t->task, (int64_t)offset_B, ROW_ALIGN_B);
}

/* p[k] of a varying dword (struct cf_task) of a quad's primitive. The pointer is loaded here, so
 * that tasks of one primitive load one. */
static LLVMValueRef
varying_of(struct translator *t, unsigned quad, unsigned index, unsigned k)
{
   LLVMValueRef varyings =
      t->pixel
         ? load_input(&t->j, t->j.pointer, t->prims[quad], CF_PRIM_VARYINGS_B, 8)
         : load_input(&t->j, t->j.pointer, t->run,
                      (int64_t)(offsetof(struct cf_run, varyings) + quad * sizeof(void *)), 8);
   return load_input(&t->j, t->j.f32, varyings, (int64_t)(index * 3 + k) * 4, 4);
}

LLVMValueRef
cf_jit_varying_by_quad(struct translator *t, unsigned index, unsigned k)
{
   LLVMValueRef quads = LLVMGetUndef(LLVMVectorType(t->j.f32, CF_TASK_QUADS));
   for (unsigned quad = 0; quad < CF_TASK_QUADS; quad++) {
      quads = LLVMBuildInsertElement(t->j.ir, quads, varying_of(t, quad, index, k),
                                     LLVMConstInt(t->j.i32, quad, 0), "");
   }
   return quads;
}

/* The same if each quad has its own primitive. */
static LLVMValueRef
varying_of_quads(struct translator *t, unsigned index, unsigned k)
{
   LLVMValueRef quads = cf_jit_varying_by_quad(t, index, k), lane[CF_TASK_LANES];
   for (unsigned i = 0; i < CF_TASK_LANES; i++)
      lane[i] = LLVMConstInt(t->j.i32, i / 4, 0);
   return LLVMBuildShuffleVector(t->j.ir, quads, quads, LLVMConstVector(lane, CF_TASK_LANES), "");
}

/* Varyings of points without sprites: p[1] and p[2] are 0. */
static bool
is_constant(const struct translator *t)
{
   return t->pixel && t->pixel->shape == CF_SHAPE_POINT && !t->pixel->sprites;
}

/* p[0] + b0 p[1] + b1 p[2], each operation rounded (paper A eq. 5); flat: p[0]. `one`: all quads
 * have the same p. */
static LLVMValueRef
interpolate(struct translator *t, const struct varying *varying, bool one)
{
   const size_t bary = varying->mode == CF_VARMODE_LINEAR     ? offsetof(struct cf_task, linear)
                       : varying->mode == CF_VARMODE_CENTROID ? offsetof(struct cf_task, centroid)
                                                              : offsetof(struct cf_task, bary);
   /* from quads to pixels; one sample has no centroid */
   const LLVMValueRef *weights = varying->mode == CF_VARMODE_LINEAR ? t->linear : t->bary;
   const unsigned terms = varying->mode == CF_VARMODE_FLAT ? 1 : 3;
   LLVMValueRef value = NULL;
   for (unsigned k = 0; k < terms; k++) {
      LLVMValueRef p = k && is_constant(t) ? constant_f32(&t->j, 0)
                       : one               ? splat(&t->j, varying_of(t, 0, varying->index, k))
                                           : varying_of_quads(t, varying->index, k);
      if (k)
         p = LLVMBuildFMul(t->j.ir,
                           t->pixel ? weights[k - 1] : load_float_row(t, bary + (k - 1) * CF_ROW_B),
                           p, "");
      value = k ? LLVMBuildFAdd(t->j.ir, value, p, "") : p;
   }
   return bits_of(&t->j, value);
}

/* Interpolate varyings, by one of two paths: for tasks of a single primitive, or of several. */
static void
interpolate_all(struct translator *t, struct varying *varying, unsigned count)
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMBasicBlockRef way[2], meet;
   for (unsigned i = 0; i < 2; i++)
      way[i] = LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
   meet = LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
   LLVMBuildCondBr(ir, t->one_primitive, way[1], way[0]);
   for (unsigned n = 0; n < count; n++) {
      LLVMPositionBuilderAtEnd(ir, meet);
      varying[n].value = LLVMBuildPhi(ir, row_type(t), "");
   }
   for (unsigned i = 0; i < 2; i++) {
      LLVMPositionBuilderAtEnd(ir, way[i]);
      for (unsigned n = 0; n < count; n++) {
         LLVMValueRef value = interpolate(t, &varying[n], i == 1);
         LLVMAddIncoming(varying[n].value, &value, &way[i], 1);
      }
      LLVMBuildBr(ir, meet);
   }
   LLVMPositionBuilderAtEnd(ir, meet);
   cf_jit_interpolate_shared(t, varying, count);
}

/* Interpolate all varyings that are loaded outside of constructs at once: a single branch for
 * all. */
static void
interpolate_first(struct translator *t)
{
   for (unsigned i = 0; i < t->program->count; i++) {
      const struct cf_instr *instr = &t->program->instrs[i];
      unsigned n = 0;
      if (instr->op != CF_OP_LDVAR || !t->plan.instr[i].outside)
         continue;
      while (n < t->varying_count &&
             (t->varying[n].index != instr->index || t->varying[n].mode != instr->mode))
         n++;
      if (n == t->varying_count && n < MAX_VARYINGS)
         t->varying[t->varying_count++] = (struct varying){ instr->index, instr->mode, NULL };
   }
   if (t->varying_count)
      interpolate_all(t, t->varying, t->varying_count);
}

static void
translate_ldvar(struct translator *t)
{
   const struct cf_instr *instr = &t->program->instrs[t->at];
   struct varying varying = { instr->index, instr->mode, NULL };
   for (unsigned n = 0; n < t->varying_count; n++) {
      if (t->varying[n].index == varying.index && t->varying[n].mode == varying.mode)
         varying = t->varying[n];
   }
   if (!varying.value)
      interpolate_all(t, &varying, 1);
   cf_jit_write(t, 0, varying.value);
}

static void
translate_sys(struct translator *t)
{
   const unsigned value = t->program->instrs[t->at].value;
   if (value == CF_SYSVAL_HELPER) {
      LLVMValueRef helpers = lanes_in(&t->j, LLVMBuildNot(t->j.ir, load_slot(t, t->alive), ""));
      cf_jit_write(t, 0, LLVMBuildSExt(t->j.ir, helpers, row_type(t), ""));
      return;
   }
   if (t->pixel) {
      cf_jit_write(t, 0, cf_jit_quads_sysval(t, (enum cf_sysval)value));
      return;
   }
   const size_t offset_B = offsetof(struct cf_task, sys) + value * CF_ROW_B;
   cf_jit_write(t, 0, load_input(&t->j, row_type(t), t->task, (int64_t)offset_B, ROW_ALIGN_B));
}

/* Store to a row of the task; lanes outside exec preserve their values. Outside of constructs these
 * lanes have ended, so the whole row is stored. */
static void
store_task_row(struct translator *t, size_t rows_B, LLVMValueRef value)
{
   const int64_t offset_B = (int64_t)(rows_B + t->program->instrs[t->at].index * CF_ROW_B);
   if (!t->plan.instr[t->at].outside) {
      LLVMValueRef old = load_at(&t->j, row_type(t), t->task, offset_B, ROW_ALIGN_B);
      value = choose(&t->j, lanes_in(&t->j, load_slot(t, t->exec)), value, old);
   }
   store_at(&t->j, value, t->task, offset_B, ROW_ALIGN_B);
}

/* Where the bits of a NaN matter: pixels have canonical ones, if they are no integers. */
static bool
shows_nans(const struct translator *t)
{
   bool shows = !t->pixel;
   for (unsigned i = 0; t->pixel && i < t->pixel->targets; i++)
      shows = shows || cf_format_is_integer(cf_format_info_of(t->pixel->target[i].format));
   return shows;
}

static void
translate_out(struct translator *t)
{
   const struct cf_instr *instr = &t->program->instrs[t->at];
   LLVMValueRef value = cf_jit_source_bits(t, 0);
   if (instr->op == CF_OP_OUTF && shows_nans(t))
      value = bits_of(&t->j, cf_jit_canon(&t->j, float_of(&t->j, value)));
   if (t->pixel)
      write_row(t, t->out[instr->index], value, !t->plan.instr[t->at].outside);
   else
      store_task_row(t, offsetof(struct cf_task, out), value);
}

/* ---- programs ---- */

LLVMValueRef
cf_jit_operation(struct translator *t, const LLVMValueRef src[3])
{
   const struct cf_instr *instr = &t->program->instrs[t->at];
   return instr->op == CF_OP_MOVI ? constant_i32(&t->j, instr->imm)
                                  : cf_jit_alu(&t->j, instr->op, src[0], src[1], src[2]);
}

static void
translate_alu(struct translator *t)
{
   const struct cf_instr *instr = &t->program->instrs[t->at];
   LLVMValueRef src[3] = { NULL };
   t->j.lanes = instr->dst.kind == CF_KIND_S ? 1 : CF_TASK_LANES;
   t->j.exec = cf_op_info(instr->op)->cross_lane ? load_slot(t, t->exec) : NULL;
   for (unsigned k = 0; k < cf_op_info(instr->op)->sources; k++)
      src[k] = cf_jit_source_bits(t, k);
   cf_jit_write(t, 0, cf_jit_operation(t, src));
   t->j.lanes = CF_TASK_LANES;
}

static void
translate_instr(struct translator *t)
{
   const enum cf_op op = t->program->instrs[t->at].op;
   switch (cf_op_info(op)->form) {
   case CF_FORM_FLOW:
   case CF_FORM_FLOW_TARGET:
   case CF_FORM_FLOW_NONE:
      translate_flow(t);
      break;
   case CF_FORM_LDU:
      cf_jit_translate_ldu(t);
      break;
   case CF_FORM_LDS:
   case CF_FORM_STS:
      translate_scratch(t);
      break;
   case CF_FORM_LDF:
      cf_jit_call_handler(t);
      break;
   case CF_FORM_TEX:
      cf_jit_translate_tex(t);
      break;
   case CF_FORM_LDVAR:
      translate_ldvar(t);
      break;
   case CF_FORM_SYS:
      translate_sys(t);
      break;
   case CF_FORM_OUT:
      translate_out(t);
      break;
   case CF_FORM_GRAD:
      t->operand[t->program->instrs[t->at].index] = cf_jit_source_bits(t, 0);
      break;
   default:
      translate_alu(t);
      break;
   }
}

/* ---- watched programs ---- */

/* Store the registers and operands that t->at wrote to the task; outputs are stored already, except
 * from quads to pixels. */
static void
store_written(struct translator *t)
{
   const struct cf_instr *instr = &t->program->instrs[t->at];
   const struct cf_op_info *op = cf_op_info(instr->op);
   const int64_t offset_B = t->program->steps[t->at].dst;
   if (t->pixel && op->form == CF_FORM_OUT)
      store_at(&t->j, load_slot(t, t->out[instr->index]), t->task, offset_B, ROW_ALIGN_B);
   if (op->form == CF_FORM_GRAD)
      store_task_row(t, offsetof(struct cf_task, tex_operand), t->operand[instr->index]);
   for (unsigned c = 0; c < 4 && op->has_dst; c++) {
      const struct cf_reg reg = { .kind = instr->dst.kind,
                                  .index = (uint8_t)(instr->dst.index + c) };
      if (cf_written_rows(instr) >> c & 1)
         store_at(&t->j, cf_jit_register_bits(t, reg), t->task, offset_B + (int64_t)c * CF_ROW_B,
                  ROW_ALIGN_B);
   }
}

/* Call run->watch for the instruction t->at. */
static void
call_watch(struct translator *t)
{
   LLVMTypeRef types[2] = { t->j.pointer, t->j.i32 };
   LLVMValueRef arguments[2] = { t->run, mask_constant(t, t->at) };
   LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(t->j.context), types, 2, 0);
   store_at(&t->j, load_slot(t, t->exec), t->run, offsetof(struct cf_run, exec), 4);
   LLVMValueRef watch =
      load_input(&t->j, t->j.pointer, t->run, offsetof(struct cf_run, watch), sizeof(void *));
   LLVMBuildCall2(t->j.ir, type, watch, arguments, 2, "");
}

static void
translate_watched(struct translator *t)
{
   const bool flow = cf_is_flow(t->program->instrs[t->at].op);
   if (flow)
      call_watch(t);
   translate_instr(t);
   if (!flow) {
      store_written(t);
      call_watch(t);
   }
}

/* ---- whole programs ---- */

/* Load the task's inputs that depend on its primitives. */
static void
begin_inputs(struct translator *t)
{
   struct cf_jit_ir *j = &t->j;
   LLVMValueRef one = load_input(j, j->i8, t->task, offsetof(struct cf_task, one_primitive), 1);
   t->one_primitive = LLVMBuildICmp(j->ir, LLVMIntNE, one, LLVMConstNull(j->i8), "");
}

/* The function's entry: values that are constant in the task. */
static void
begin(struct translator *t)
{
   struct cf_jit_ir *j = &t->j;
   LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(j->context), &j->pointer, 1, 0);
   t->function = LLVMAddFunction(j->module, CF_JIT_ENTRY, type);
   t->run = LLVMGetParam(t->function, 0);
   LLVMPositionBuilderAtEnd(j->ir, LLVMAppendBasicBlockInContext(j->context, t->function, ""));
   t->exec = slot(t, j->i32);
   t->alive = slot(t, j->i32);
   t->looped = slot(t, j->i64);
   t->zero = slot(t, j->i32); /* for loads outside a constant bank */
   t->strq = rows(t, 4 + CF_TEX_OPERANDS);
   t->rgba = rows(t, 4);
   t->task = load_input(j, j->pointer, t->run, offsetof(struct cf_run, task), 8);
   t->constants = load_input(j, j->pointer, t->run, offsetof(struct cf_run, constants), 8);
   t->steps = load_input(j, j->pointer, t->run, offsetof(struct cf_run, steps), 8);
   t->handlers = load_input(j, j->pointer, t->run, offsetof(struct cf_run, table), 8);
   store_slot(t, t->exec, load_at(j, j->i32, t->run, offsetof(struct cf_run, exec), 4));
   store_slot(t, t->alive, load_at(j, j->i32, t->run, offsetof(struct cf_run, alive), 4));
   if (t->pixel)
      cf_jit_begin_quads(t);
   else
      begin_inputs(t);
   for (unsigned i = 0; t->pixel && i < CF_QUADS_OUTPUTS && (i < 4 || i < t->program->info.outputs);
        i++)
      t->out[i] = slot(t, row_type(t)); /* 0 */
   interpolate_first(t);
   LLVMBuildBr(j->ir, block_of(t, 0));
   /* a task that the watchdog ends exports nothing */
   t->timed_out = LLVMAppendBasicBlockInContext(j->context, t->function, "");
   LLVMPositionBuilderAtEnd(j->ir, t->timed_out);
   store_at(j, LLVMConstInt(j->i8, 1, 0), t->task, offsetof(struct cf_task, timed_out), 1);
   store_at(j, mask_constant(t, 0), t->run, offsetof(struct cf_run, alive), 4);
   LLVMBuildRetVoid(j->ir);
}

static void
translate_instrs(struct translator *t)
{
   for (t->at = 0; t->at < t->program->count; t->at++) {
      LLVMBasicBlockRef here = LLVMGetInsertBlock(t->j.ir);
      const enum cf_op op = t->program->instrs[t->at].op;
      /* instructions that a task with an empty mask may branch to begin a block */
      if (op == CF_OP_ELSE || op == CF_OP_ENDIF || op == CF_OP_ENDLOOP || op == CF_OP_END)
         block_of(t, t->at);
      if (t->block[t->at]) {
         if (!LLVMGetBasicBlockTerminator(here))
            LLVMBuildBr(t->j.ir, t->block[t->at]);
         LLVMMoveBasicBlockAfter(t->block[t->at], LLVMGetLastBasicBlock(t->function));
         LLVMPositionBuilderAtEnd(t->j.ir, t->block[t->at]);
      }
      if (t->watched)
         translate_watched(t);
      else
         translate_instr(t);
   }
}

bool
cf_jit_translate(struct cf_jit_ir *j, const struct cf_jit_source *source)
{
   struct translator *t = calloc(1, sizeof(*t));
   const struct cf_decoded *program = source->program;
   if (t) {
      t->block = calloc(program->count + 1, sizeof(*t->block));
      t->fetched = calloc(program->count, sizeof(*t->fetched));
      t->uniforms = calloc(program->count, sizeof(*t->uniforms));
   }
   const bool ok =
      t && t->block && t->fetched && t->uniforms && cf_jit_plan_make(&t->plan, program);
   if (ok) {
      t->j = *j;
      t->j.lanes = CF_TASK_LANES;
      t->program = program;
      t->units = source->units;
      t->pixel = source->pixel;
      t->watched = source->watched;
      begin(t);
      translate_instrs(t);
      cf_jit_plan_free(&t->plan);
   }
   if (t) {
      free(t->block);
      free(t->fetched);
      free(t->uniforms);
   }
   free(t);
   return ok;
}
