/* SPDX-License-Identifier: MIT */
#include "clipfree/jit/llvm/cf_jit_plan.h"

#include <stdlib.h>

#define NONE UINT32_MAX

struct reg_set {
   uint64_t bits[CF_MAX_VECTOR_REGS / 64];
};

/* An if or a loop. */
struct planned_construct {
   bool is_loop;
   uint32_t start, middle, end; /* middle: its else, or NONE */
   uint32_t parent;             /* or NONE */
};

struct analysis {
   const struct cf_decoded *program;
   struct planned_construct *constructs;
   uint32_t *inside;     /* [count]: innermost construct around an instruction (of an if or loop:
                            itself), or NONE */
   struct reg_set *live; /* [count + 1]: before each instruction */
};

/* ---- sets of registers ---- */

static bool
has(const struct reg_set *set, unsigned reg)
{
   return set->bits[reg / 64] >> reg % 64 & 1;
}

static void
add(struct reg_set *set, unsigned reg)
{
   set->bits[reg / 64] |= 1ull << reg % 64;
}

static void
unite(struct reg_set *set, const struct reg_set *other)
{
   for (unsigned i = 0; i < CF_MAX_VECTOR_REGS / 64; i++)
      set->bits[i] |= other->bits[i];
}

/* ---- instructions ---- */

/* Destination components that an instruction writes: bit c is vector register dst + c. */
static unsigned
written(const struct cf_instr *instr)
{
   const struct cf_op_info *op = cf_op_info(instr->op);
   if (!op->has_dst || instr->dst.kind != CF_KIND_V)
      return 0;
   return op->form == CF_FORM_TEX ? instr->mask : op->form == CF_FORM_LDF ? 15 : 1;
}

static void
use_sources(struct reg_set *live, const struct cf_instr *instr)
{
   for (unsigned k = 0; k < cf_op_info(instr->op)->sources; k++) {
      if (instr->src[k].kind == CF_KIND_V)
         add(live, instr->src[k].index);
   }
}

/* ---- structure ---- */

static void
find_constructs(struct analysis *a)
{
   uint32_t count = 0, open = NONE;
   for (uint32_t i = 0; i < a->program->count; i++) {
      const enum cf_op op = a->program->instrs[i].op;
      if (op == CF_OP_IF || op == CF_OP_LOOP) {
         a->constructs[count] = (struct planned_construct){ op == CF_OP_LOOP, i, NONE, NONE, open };
         open = count++;
      }
      a->inside[i] = open;
      if (op == CF_OP_ELSE)
         a->constructs[open].middle = i;
      if (op == CF_OP_ENDIF || op == CF_OP_ENDLOOP) {
         a->constructs[open].end = i;
         open = a->constructs[open].parent;
      }
   }
}

static const struct planned_construct *
innermost_loop(const struct analysis *a, uint32_t at)
{
   const struct planned_construct *c = &a->constructs[a->inside[at]];
   while (!c->is_loop)
      c = &a->constructs[c->parent];
   return c;
}

/* Registers that are live after an instruction, for a lane that executes it. */
static struct reg_set
live_after(const struct analysis *a, uint32_t at)
{
   const enum cf_op op = a->program->instrs[at].op;
   const struct planned_construct *c = a->inside[at] == NONE ? NULL : &a->constructs[a->inside[at]];
   struct reg_set live = { { 0 } };
   switch (op) {
   case CF_OP_END:
      return live;
   case CF_OP_ENDLOOP: /* a lane in exec takes the back edge */
      return a->live[c->start + 1];
   case CF_OP_ELSE: /* a lane in exec comes from the other branch */
      return a->live[c->end];
   case CF_OP_IF:
      live = a->live[c->middle == NONE ? c->end : c->middle + 1];
      break;
   case CF_OP_BRK:
      live = a->live[innermost_loop(a, at)->end + 1];
      break;
   case CF_OP_CONT:
      live = a->live[innermost_loop(a, at)->end];
      break;
   default:
      break;
   }
   unite(&live, &a->live[at + 1]);
   return live;
}

static void
find_live(struct analysis *a)
{
   bool changed = true;
   while (changed) {
      changed = false;
      for (uint32_t i = a->program->count; i-- > 0;) {
         const struct cf_instr *instr = &a->program->instrs[i];
         struct reg_set live = live_after(a, i);
         for (unsigned c = 0; c < 4; c++) {
            if (written(instr) >> c & 1)
               live.bits[(instr->dst.index + c) / 64] &= ~(1ull << (instr->dst.index + c) % 64);
         }
         use_sources(&live, instr);
         for (unsigned w = 0; w < CF_MAX_VECTOR_REGS / 64; w++)
            changed |= live.bits[w] != a->live[i].bits[w];
         a->live[i] = live;
      }
   }
}

/* Registers that lanes outside exec at an instruction need later. */
static struct reg_set
needed_by_waiting(const struct analysis *a, uint32_t at)
{
   struct reg_set needed = { { 0 } };
   for (uint32_t n = a->inside[at]; n != NONE; n = a->constructs[n].parent) {
      const struct planned_construct *c = &a->constructs[n];
      if (c->is_loop) {
         unite(&needed, &a->live[c->end]);
         unite(&needed, &a->live[c->end + 1]);
      } else if (c->middle != NONE && at < c->middle) {
         unite(&needed, &a->live[c->middle + 1]);
      } else {
         unite(&needed, &a->live[c->end]);
      }
   }
   return needed;
}

/* ---- plans ---- */

static void
make_instr_plans(const struct analysis *a, struct cf_jit_plan *plan)
{
   for (uint32_t i = 0; i < a->program->count; i++) {
      const struct cf_instr *instr = &a->program->instrs[i];
      struct cf_jit_instr_plan *p = &plan->instr[i];
      p->outside = a->inside[i] == NONE;
      if (!p->outside && written(instr)) {
         const struct reg_set needed = needed_by_waiting(a, i);
         for (unsigned c = 0; c < 4; c++) {
            if (written(instr) >> c & 1)
               p->preserve |= (uint8_t)(has(&needed, instr->dst.index + c) << c);
         }
      }
   }
}

static bool
scratch_fits_registers(const struct cf_decoded *program)
{
   /* a geometry program's inputs and outputs lie in scratch */
   if (program->info.scratch_dwords > CF_JIT_SCRATCH_REGS ||
       program->info.stage == CF_SHADER_STAGE_GEOMETRY)
      return false;
   for (uint32_t i = 0; i < program->count; i++) {
      const enum cf_op op = program->instrs[i].op;
      uint32_t dword;
      if ((op == CF_OP_LDS || op == CF_OP_STS) && !cf_scratch_dword(&program->instrs[i], &dword))
         return false;
   }
   return true;
}

bool
cf_jit_plan_make(struct cf_jit_plan *plan, const struct cf_decoded *program)
{
   struct analysis a = { .program = program };
   a.constructs = calloc(program->count, sizeof(*a.constructs));
   a.inside = calloc(program->count, sizeof(*a.inside));
   a.live = calloc(program->count + 1, sizeof(*a.live));
   plan->instr = calloc(program->count, sizeof(*plan->instr));
   const bool ok = a.constructs && a.inside && a.live && plan->instr;
   if (ok) {
      find_constructs(&a);
      find_live(&a);
      make_instr_plans(&a, plan);
      plan->scratch_in_registers = scratch_fits_registers(program);
   } else {
      cf_jit_plan_free(plan);
   }
   free(a.constructs);
   free(a.inside);
   free(a.live);
   return ok;
}

void
cf_jit_plan_free(struct cf_jit_plan *plan)
{
   free(plan->instr);
   plan->instr = NULL;
}
