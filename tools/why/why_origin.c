/* SPDX-License-Identifier: MIT */
#include "why_origin.h"

#include <string.h>

#include "clipfree/isa/cf_isa.h"
#include "clipfree/shader/cf_run.h"

static bool
is_finite(uint32_t bits)
{
   return (bits & 0x7f800000) != 0x7f800000;
}

/* Look at what the instruction before left. */
static void
take_result(struct why_origin *origin, const struct cf_task *task)
{
   const struct why_result *r = &origin->result;
   for (uint32_t i = r->reg; i < r->reg + r->count; i++) {
      const uint32_t bits = (r->scalar ? task->s : task->v)[i][origin->lane];
      *(r->scalar ? &origin->scalar[i] : &origin->vector[i]) =
         is_finite(bits) ? WHY_FINITE : r->maker;
   }
   origin->result.count = 0;
}

/* Whether operand `i` of an instruction is a float that its result, or output, comes from. */
static bool
is_float(const struct cf_run *run, const struct cf_instr *instr, uint32_t i, uint32_t lane)
{
   switch (instr->op) {
   case CF_OP_MOV:
   case CF_OP_FNEG:
   case CF_OP_FABS:
   case CF_OP_OUT:
   case CF_OP_OUTF:
      return true;
   case CF_OP_SEL:
      return i == (cf_run_operand(run, 0)[lane] ? 1 : 2);
   case CF_OP_STS:
      return i == 1;
   case CF_OP_TEX:
      return instr->mode != CF_TEXMODE_FETCH && instr->mode != CF_TEXMODE_SIZE;
   default:
      return cf_ops[instr->op].alu && cf_ops[instr->op].types[1 + i] == 'f';
   }
}

/* The instruction that made what an instruction makes, if that is not finite. */
static uint32_t
maker_of(const struct why_origin *origin, const struct cf_run *run, const struct cf_instr *instr)
{
   for (uint32_t i = 0; i < cf_ops[instr->op].sources; i++) {
      const struct cf_reg reg = instr->src[i];
      const uint32_t of = reg.kind == CF_KIND_V   ? origin->vector[reg.index]
                          : reg.kind == CF_KIND_S ? origin->scalar[reg.index]
                                                  : WHY_FINITE;
      if (of != WHY_FINITE && is_float(run, instr, i, origin->lane) &&
          !is_finite(cf_run_operand(run, i)[origin->lane]))
         return of;
   }
   return instr->op == CF_OP_LDS && origin->scratch != WHY_FINITE ? origin->scratch
                                                                   : cf_run_at(run);
}

static void
set_result(struct why_origin *origin, const struct cf_instr *instr, uint32_t maker)
{
   const bool of_four = instr->op == CF_OP_TEX || instr->op == CF_OP_LDF;
   if (!cf_ops[instr->op].has_dst)
      return;
   origin->result = (struct why_result){ of_four ? 4 : 1, instr->dst.index,
                                         cf_instr_makes_float(instr) ? maker : WHY_FINITE,
                                         instr->dst.kind == CF_KIND_S };
}

void
why_origin_begin(struct why_origin *origin, uint32_t lane)
{
   memset(origin, 0xff, sizeof(*origin)); /* WHY_FINITE */
   origin->lane = lane;
   origin->result.count = 0;
}

void
why_origin_instruction(struct why_origin *origin, const struct cf_task_event *event)
{
   const struct cf_run *run = event->run;
   const struct cf_instr *instr = cf_run_instr(run);
   take_result(origin, run->task);
   if (!(run->exec >> origin->lane & 1) && instr->dst.kind != CF_KIND_S)
      return;
   const uint32_t maker = maker_of(origin, run, instr);
   const bool is_output = instr->op == CF_OP_OUT || instr->op == CF_OP_OUTF;
   if (is_output)
      origin->output[instr->index] =
         is_finite(cf_run_operand(run, 0)[origin->lane]) ? WHY_FINITE : maker;
   else if (instr->op == CF_OP_STS && !is_finite(cf_run_operand(run, 1)[origin->lane]))
      origin->scratch = maker;
   else
      set_result(origin, instr, maker);
}
