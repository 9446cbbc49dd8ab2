/* SPDX-License-Identifier: MIT */
/*
 * Rules of the IR, checked after each pass unless validation is off, and an independent check of
 * register allocation. A broken rule is a bug of the compiler: print the program and abort.
 */
#include "cf_ir.h"

#include <stdlib.h>
#include <string.h>

#include "cf_liveness.h"
#include "util/macros.h"
#include "util/ralloc.h"

static void
broken(const struct cf_ir *ir, const struct cf_ra_result *regs, unsigned i, const char *after,
       const char *rule)
{
   fprintf(stderr, "clipfree compiler: after %s: instruction %u: %s\n", after, i, rule);
   cf_ir_print(stderr, ir, regs);
   abort();
}

/* Exactly the operands of the operation's form are present. */
static const char *
check_operands(const struct cf_ir *ir, const struct cf_ir_instr *instr,
               const struct cf_op_info *info)
{
   for (unsigned s = 0; s < 4; s++) {
      struct cf_src src = instr->src[s];
      if ((src.kind == CF_SRC_NONE) != (s >= info->sources))
         return "wrong number of operands";
      if (src.kind == CF_SRC_VREG && src.value >= ir->vreg_count)
         return "operand does not exist";
      if (src.kind == CF_SRC_UNIFORM && src.value >= CF_UNIFORM_OPERANDS)
         return "uniform operand out of range";
   }
   return NULL;
}

static const char *
check_destination(const struct cf_ir *ir, const struct cf_ir_instr *instr,
                  const struct cf_op_info *info)
{
   if ((instr->dst != CF_NO_VREG) != info->has_dst)
      return "destination missing or not wanted";
   if (!info->has_dst)
      return NULL;
   unsigned defs = cf_ir_defs(instr);
   if (instr->dst + defs > ir->vreg_count)
      return "destination does not exist";
   if (defs == 4 && (!ir->vregs[instr->dst].grouped || ir->vregs[instr->dst].component))
      return "destination is not a group";
   if (!ir->vregs[instr->dst].scalar)
      return NULL;
   if (!info->scalar_dst)
      return "destination must be a vector register";
   for (unsigned s = 0; s < info->sources; s++) {
      if (cf_ir_src_is_vector(ir, instr->src[s]))
         return "scalar destination with a vector operand";
   }
   return NULL;
}

/* Less than 0 is not deep: check_nesting tells it. */
static int
deepest_nesting(const struct cf_ir *ir)
{
   int depth = 0, deepest = 0;
   for (unsigned i = 0; i < ir->count; i++) {
      enum cf_op op = ir->instrs[i].op;
      depth += op == CF_OP_IF || op == CF_OP_LOOP;
      depth -= op == CF_OP_ENDIF || op == CF_OP_ENDLOOP;
      deepest = MAX2(deepest, depth);
   }
   return deepest;
}

/* Markers balance: a stack of what is open. */
static const char *
check_nesting(enum cf_op op, enum cf_op *open, unsigned *depth)
{
   switch (op) {
   case CF_OP_IF:
   case CF_OP_LOOP:
      open[(*depth)++] = op;
      return NULL;
   case CF_OP_ELSE:
      if (!*depth || open[*depth - 1] != CF_OP_IF)
         return "else without if";
      open[*depth - 1] = CF_OP_ELSE;
      return NULL;
   case CF_OP_ENDIF:
      if (!*depth || open[--*depth] == CF_OP_LOOP)
         return "endif without if";
      return NULL;
   case CF_OP_ENDLOOP:
      if (!*depth || open[--*depth] != CF_OP_LOOP)
         return "endloop without loop";
      return NULL;
   default:
      return NULL;
   }
}

void
cf_validate_ir(const struct cf_ir *ir, const char *after)
{
   enum cf_op open[CF_MAX_NESTING];
   unsigned depth = 0;
   if (ir->error || deepest_nesting(ir) > CF_MAX_NESTING) /* too deep: not a bug; reported later */
      return;
   bool *written = rzalloc_array(ir->mem_ctx, bool, ir->vreg_count + 1);
   for (unsigned i = 0; i < ir->count; i++) {
      const struct cf_ir_instr *instr = &ir->instrs[i];
      const struct cf_op_info *info = cf_op_info(instr->op);
      const char *rule = info ? NULL : "no such operation";
      if (!rule)
         rule = check_operands(ir, instr, info);
      if (!rule)
         rule = check_destination(ir, instr, info);
      if (!rule)
         rule = check_nesting(instr->op, open, &depth);
      for (unsigned s = 0; s < 4 && !rule; s++) {
         if (instr->src[s].kind == CF_SRC_VREG && !written[instr->src[s].value])
            rule = "operand is read before it is written";
      }
      if (!rule && (instr->op == CF_OP_END) != (i == ir->count - 1))
         rule = "end is the last instruction and only that";
      if (rule)
         broken(ir, NULL, i, after, rule);
      for (unsigned c = 0; c < cf_ir_defs(instr); c++)
         written[instr->dst + c] = true;
   }
   if (depth)
      broken(ir, NULL, ir->count, after, "if or loop is not closed");
   ralloc_free(written);
}

/*
 * Allocation check: a forward data flow analysis of the virtual registers whose value each real
 * register holds, one bit per (register, virtual register). A write makes its register hold one
 * virtual register's value, a move adds its destination to the holders of its source. A read must
 * find its virtual register in its real register. Joins intersect.
 */
struct contents {
   /* [2][CF_MAX_REGS][words]: the virtual registers whose value each register holds */
   uint32_t *holds;
   bool reached;
};

struct checker {
   const struct cf_ir *ir;
   const struct cf_ra_result *regs;
   const uint32_t *targets;
   unsigned words;
   struct contents *at; /* state before each instruction, for the logical and the physical graph */
};

static uint32_t *
row(const struct checker *k, uint32_t *holds, bool scalar, unsigned reg)
{
   return holds + ((size_t)scalar * CF_MAX_REGS + reg) * k->words;
}

static size_t
state_words(const struct checker *k)
{
   return (size_t)2 * CF_MAX_REGS * k->words;
}

/* Intersect the state with that of another path. True if `into` changed. */
static bool
join(const struct checker *k, struct contents *into, const uint32_t *from, bool scalar)
{
   size_t half = (size_t)CF_MAX_REGS * k->words, offset = scalar ? half : 0;
   bool changed = false;
   for (size_t w = 0; w < half; w++) {
      uint32_t joined = into->holds[offset + w] & from[offset + w];
      changed |= joined != into->holds[offset + w];
      into->holds[offset + w] = joined;
   }
   return changed;
}

static void
step(const struct checker *k, const struct cf_ir_instr *instr, uint32_t *state)
{
   for (unsigned c = 0; c < cf_ir_defs(instr); c++) {
      uint32_t v = instr->dst + c;
      bool scalar = k->ir->vregs[v].scalar;
      for (unsigned f = 0; f < CF_MAX_REGS; f++) /* v has a new value: no other register holds it */
         row(k, state, scalar, f)[v / 32] &= ~(1u << (v % 32));
      uint32_t *to = row(k, state, scalar, k->regs->reg[v]);
      bool copy = instr->op == CF_OP_MOV && instr->src[0].kind == CF_SRC_VREG &&
                  k->ir->vregs[instr->src[0].value].scalar == scalar;
      if (copy)
         memmove(to, row(k, state, scalar, k->regs->reg[instr->src[0].value]), k->words * 4);
      else
         memset(to, 0, k->words * 4);
      to[v / 32] |= 1u << (v % 32);
   }
}

static bool
reads_what_it_names(const struct checker *k, const struct cf_ir_instr *instr, uint32_t *state)
{
   for (unsigned s = 0; s < 4; s++) {
      uint32_t v = instr->src[s].value;
      if (instr->src[s].kind == CF_SRC_VREG &&
          !(row(k, state, k->ir->vregs[v].scalar, k->regs->reg[v])[v / 32] & (1u << (v % 32))))
         return false;
   }
   return true;
}

/* Loop starts matching ends, for the logical graph. */
static void
enclosing_loops(const struct cf_ir *ir, const uint32_t *targets, uint32_t *loop, uint32_t *endloop)
{
   uint32_t open[CF_MAX_NESTING + 1], end_of[CF_MAX_NESTING + 1];
   unsigned depth = 0;
   for (unsigned i = ir->count; i-- > 0;) {
      if (ir->instrs[i].op == CF_OP_LOOP)
         depth--;
      loop[i] = depth ? open[depth - 1] : UINT32_MAX;
      endloop[i] = depth ? end_of[depth - 1] : UINT32_MAX;
      if (ir->instrs[i].op == CF_OP_ENDLOOP) {
         open[depth] = targets[i];
         end_of[depth++] = i;
      }
   }
}

static bool
flow_to(struct checker *k, unsigned to, const uint32_t *state, bool scalar)
{
   struct contents *c = &k->at[2 * to + scalar];
   if (c->reached)
      return join(k, c, state, scalar);
   c->reached = true;
   c->holds = ralloc_array(k->at, uint32_t, state_words(k));
   memcpy(c->holds, state, state_words(k) * 4);
   return true;
}

void
cf_validate_ra(const struct cf_ir *const_ir, const struct cf_ra_result *regs)
{
   struct cf_ir *ir =
      (struct cf_ir *)const_ir; /* targets are allocated under it, nothing else changes */
   struct checker k = { .ir = ir, .regs = regs, .words = (ir->vreg_count + 31) / 32 };
   if ((uint64_t)ir->count * k.words > 3000) /* quadratic: only small and medium programs */
      return;
   uint32_t *targets = cf_ir_targets(ir);
   uint32_t *loop = ralloc_array(ir->mem_ctx, uint32_t, ir->count),
            *endloop = ralloc_array(ir->mem_ctx, uint32_t, ir->count);
   k.targets = targets;
   k.at = rzalloc_array(ir->mem_ctx, struct contents, 2 * ir->count + 2);
   uint32_t *state = rzalloc_array(k.at, uint32_t, state_words(&k));
   enclosing_loops(ir, targets, loop, endloop);
   for (uint32_t v = 0; v < ir->vreg_count;
        v++) /* a virtual register that was never written may be read from any register */
      row(&k, state, ir->vregs[v].scalar, regs->reg[v])[v / 32] |= 1u << (v % 32);
   flow_to(&k, 0, state, false);
   flow_to(&k, 0, state, true);

   bool progress = true;
   while (progress) {
      progress = false;
      for (unsigned i = 0; i < ir->count; i++) {
         for (unsigned scalar = 0; scalar < 2; scalar++) {
            if (!k.at[2 * i + scalar].reached)
               continue;
            memcpy(state, k.at[2 * i + scalar].holds, state_words(&k) * 4);
            step(&k, &ir->instrs[i], state);
            unsigned next[2];
            unsigned n = cf_successors(ir, targets, i, loop[i], endloop[i], scalar, next);
            for (unsigned j = 0; j < n; j++)
               progress |= flow_to(&k, next[j], state, scalar);
         }
      }
   }
   for (unsigned i = 0; i < ir->count; i++) {
      const struct cf_ir_instr *instr = &ir->instrs[i];
      for (unsigned s = 0; s < 4; s++) {
         bool scalar = instr->src[s].kind == CF_SRC_VREG && ir->vregs[instr->src[s].value].scalar;
         struct contents *c = &k.at[2 * i + scalar];
         struct cf_ir_instr one = { .op = instr->op, .dst = CF_NO_VREG, .src = { instr->src[s] } };
         if (c->reached && !reads_what_it_names(&k, &one, c->holds))
            broken(ir, regs, i, "register allocation",
                   "an operand's register holds something else");
      }
   }
   ralloc_free(k.at);
   ralloc_free(targets);
   ralloc_free(loop);
   ralloc_free(endloop);
}
