/* SPDX-License-Identifier: MIT */
/*
 * Allocated IR to code: drop moves of a register to itself, resolve jump targets, encode.
 */
#include "cf_ir.h"

#include <stdlib.h>

#include "clipfree/shader/cf_task.h"

#include "util/macros.h"
#include "util/ralloc.h"

static struct cf_reg
pack_src(const struct cf_ir *ir, const struct cf_ra_result *regs, struct cf_src src)
{
   switch (src.kind) {
   case CF_SRC_VREG:
      return (ir->vregs[src.value].scalar ? cf_s : cf_v)(regs->reg[src.value]);
   case CF_SRC_UNIFORM:
      return cf_u(src.value);
   case CF_SRC_CONST:
      return cf_inline(cf_inline_index(src.value));
   default:
      return (struct cf_reg){ 0, 0 };
   }
}

static bool
is_identity(const struct cf_ir *ir, const struct cf_ra_result *regs,
            const struct cf_ir_instr *instr)
{
   return instr->op == CF_OP_MOV && instr->src[0].kind == CF_SRC_VREG &&
          ir->vregs[instr->src[0].value].scalar == ir->vregs[instr->dst].scalar &&
          regs->reg[instr->src[0].value] == regs->reg[instr->dst];
}

static void
drop_identities(struct cf_ir *ir, const struct cf_ra_result *regs)
{
   struct cf_ir out = cf_ir_rewriter(ir);
   for (unsigned i = 0; i < ir->count; i++) {
      if (!is_identity(ir, regs, &ir->instrs[i]))
         cf_ir_append_copy(&out, &ir->instrs[i]);
   }
   cf_ir_take_instrs(ir, &out);
}

static struct cf_instr
pack_instr(const struct cf_ir *ir, const struct cf_ra_result *regs, const struct cf_ir_instr *instr,
           uint32_t target)
{
   const struct cf_op_info *info = cf_op_info(instr->op);
   struct cf_instr packed = { .op = instr->op };
   if (instr->dst != CF_NO_VREG)
      packed.dst = (ir->vregs[instr->dst].scalar ? cf_s : cf_v)(regs->reg[instr->dst]);
   for (unsigned s = 0; s < info->sources; s++)
      packed.src[s] = pack_src(ir, regs, instr->src[s]);

   switch (instr->op) {
   case CF_OP_MOVI:
      packed.imm = instr->imm;
      break;
   case CF_OP_LDU:
      packed.bank = instr->bank;
      packed.offset = instr->offset;
      break;
   case CF_OP_LDS:
   case CF_OP_STS:
      packed.offset = instr->offset;
      break;
   case CF_OP_LDF:
      packed.slot = instr->slot;
      break;
   case CF_OP_LDVAR:
      packed.index = instr->index;
      packed.mode = instr->mode;
      break;
   case CF_OP_SYS:
      packed.value = instr->value;
      break;
   case CF_OP_OUT:
   case CF_OP_OUTF:
   case CF_OP_GRAD:
      packed.index = instr->index;
      break;
   case CF_OP_TEX:
      packed.unit = instr->unit;
      packed.mode = instr->mode;
      packed.mask = instr->mask;
      break;
   default:
      break;
   }
   if (info->form == CF_FORM_FLOW || info->form == CF_FORM_FLOW_TARGET)
      packed.target = target + (instr->op == CF_OP_ENDLOOP);
   return packed;
}

bool
cf_pack(struct cf_ir *ir, const struct cf_ra_result *regs, struct cf_binary *binary)
{
   struct cf_program *program = &binary->program;
   drop_identities(ir, regs);
   uint32_t *targets = cf_ir_targets(ir);
   if (!targets)
      return false;
   if (ir->scratch_dwords > CF_MAX_SCRATCH_DWORDS) {
      cf_ir_fail(ir, "it needs more than 65536 dwords of scratch");
      return false;
   }
   if (!cf_ir_check_size(ir, CF_MAX_PROGRAM_INSTRS))
      return false;
   binary->code = malloc(ir->count * sizeof(uint64_t));
   if (!binary->code) {
      ir->out_of_memory = true;
      cf_ir_fail(ir, "out of memory");
      return false;
   }
   for (unsigned i = 0; i < ir->count; i++) {
      struct cf_instr packed = pack_instr(ir, regs, &ir->instrs[i], targets[i]);
      binary->code[i] = cf_instr_encode(&packed);
      if (packed.op == CF_OP_SYS)
         program->sysvals |= 1u << packed.value;
   }
   program->code_instrs = ir->count;
   program->vector_regs = regs->vector_regs;
   program->scalar_regs = regs->scalar_regs;
   program->scratch_dwords = ir->scratch_dwords;
   return true;
}
