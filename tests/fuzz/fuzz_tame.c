/* SPDX-License-Identifier: MIT */
#include "fuzz_tame.h"

#include <string.h>

#include "fuzz.h"

#define CANONICAL_NAN 0x7fc00000u
/* Registers that only this file writes: a condition, the canonical NaN, and counters of loops. */
#define CONDITION cf_v(TAME_REGS)
#define NAN_BITS cf_v(TAME_REGS + 1)
#define COUNTER(depth) cf_v(TAME_REGS + 2 + (depth))
#define SCALAR_CONDITION cf_s(TAME_SCALARS)
#define SCALAR_NAN_BITS cf_s(TAME_SCALARS + 1)
#define MOST_ITERATIONS 3
/* Room for what one word and the end of the program may become. */
#define SPARE_INSTRS 128

struct tame {
   enum cf_shader_stage stage;
   struct cf_instr instr[TAME_MOST_INSTRS];
   unsigned count;
   enum cf_op open[TAME_NESTING]; /* if, else (after it was seen) or loop */
   unsigned depth, loops;
   unsigned tex_operands; /* set since the last control flow, bit by number */
};

static void
put(struct tame *t, struct cf_instr instr)
{
   t->instr[t->count++] = instr;
}

static void
put_alu(struct tame *t, enum cf_op op, struct cf_reg dst, struct cf_reg a, struct cf_reg b)
{
   put(t, (struct cf_instr){ .op = op, .dst = dst, .src = { a, b } });
}

static void
put_movi(struct tame *t, struct cf_reg dst, uint32_t imm)
{
   put(t, (struct cf_instr){ .op = CF_OP_MOVI, .dst = dst, .imm = imm });
}

static struct cf_reg
number(unsigned n)
{
   return (struct cf_reg){ CF_KIND_INLINE, (uint8_t)n };
}

/* ---- the beginning and the end ---- */

static void
put_beginning(struct tame *t)
{
   put_movi(t, NAN_BITS, CANONICAL_NAN);
   put_movi(t, SCALAR_NAN_BITS, CANONICAL_NAN);
   for (unsigned i = 0; i < TAME_REGS; i++) {
      put(t, (struct cf_instr){ .op = CF_OP_SYS, .dst = cf_v(i), .value = CF_SYSVAL_LANE });
      put_alu(t, CF_OP_IADD, cf_v(i), cf_v(i), (struct cf_reg){ CF_KIND_U, (uint8_t)i });
      if (i % 2)
         put_alu(t, CF_OP_U2F, cf_v(i), cf_v(i), number(0));
   }
   for (unsigned i = 0; i < TAME_SCALARS; i++)
      put_alu(t, CF_OP_MOV, cf_s(i), (struct cf_reg){ CF_KIND_U, (uint8_t)(16 + i) }, number(0));
}

static void
put_end(struct tame *t)
{
   for (unsigned i = 0; i < TAME_REGS; i++)
      put(t, (struct cf_instr){ .op = CF_OP_OUT, .src = { cf_v(i) }, .index = (uint8_t)i });
   for (unsigned i = 0; i < TAME_SCALARS; i++)
      put(t, (struct cf_instr){
                .op = CF_OP_OUT, .src = { cf_s(i) }, .index = (uint8_t)(TAME_REGS + i) });
   put(t, (struct cf_instr){ .op = CF_OP_END });
}

/* ---- single instructions ---- */

static void
fix_reg(struct cf_reg *reg, unsigned written)
{
   if (reg->kind == CF_KIND_V)
      reg->index %= TAME_REGS + 1 - written;
   else if (reg->kind == CF_KIND_S)
      reg->index %= TAME_SCALARS;
}

static bool
is_of_four(const struct cf_instr *instr)
{
   const enum cf_form form = cf_op_info(instr->op)->form;
   return form == CF_FORM_TEX || form == CF_FORM_LDF;
}

/* Whether the stage has the operation. */
static bool
has(const struct tame *t, enum cf_op op)
{
   const bool fragment = t->stage == CF_SHADER_STAGE_FRAGMENT;
   if (op == CF_OP_LDVAR || op == CF_OP_KILL || op == CF_OP_DEMOTE)
      return fragment;
   return op == CF_OP_LDF ? !fragment : true;
}

static void
fix_sysval(const struct tame *t, struct cf_instr *instr)
{
   const bool fragment = t->stage == CF_SHADER_STAGE_FRAGMENT;
   const bool of_fragments = instr->value >= CF_SYSVAL_FRAG_X && instr->value <= CF_SYSVAL_HELPER;
   if (instr->value == CF_SYSVAL_PRIMITIVE || fragment != of_fragments)
      instr->value = CF_SYSVAL_LANE;
}

static void
fix_fields(struct tame *t, struct cf_instr *instr)
{
   const struct cf_op_info *op = cf_op_info(instr->op);
   if (op->has_dst)
      fix_reg(&instr->dst, is_of_four(instr) ? 4 : 1);
   for (unsigned i = 0; i < op->sources; i++)
      fix_reg(&instr->src[i], 1);
   if (instr->op == CF_OP_SYS)
      fix_sysval(t, instr);
   else if (instr->op == CF_OP_LDVAR)
      instr->index %= TAME_INPUTS;
   else if (op->form == CF_FORM_OUT)
      instr->index = (uint8_t)(TAME_REGS + TAME_SCALARS + instr->index % 8);
   else if (op->form == CF_FORM_GRAD)
      t->tex_operands |= 1u << instr->index;
   else if (op->form == CF_FORM_TEX && cf_tex_operands(instr->mode) & ~t->tex_operands)
      instr->mode = CF_TEXMODE_IMPLICIT;
}

/* A NaN in the register becomes the canonical one. */
static void
put_canonical(struct tame *t, struct cf_reg reg)
{
   const bool vector = reg.kind == CF_KIND_V;
   const struct cf_reg condition = vector ? CONDITION : SCALAR_CONDITION;
   put_alu(t, CF_OP_FEQ, condition, reg, reg);
   put(t, (struct cf_instr){ .op = CF_OP_SEL,
                             .dst = reg,
                             .src = { condition, reg, vector ? NAN_BITS : SCALAR_NAN_BITS } });
}

static void
put_fixed(struct tame *t, struct cf_instr instr)
{
   fix_fields(t, &instr);
   put(t, instr);
   if (is_of_four(&instr)) {
      for (unsigned i = 0; i < 4; i++)
         put_canonical(t, cf_v(instr.dst.index + i));
   } else if (cf_op_info(instr.op)->has_dst && cf_instr_makes_float(&instr)) {
      put_canonical(t, instr.dst);
   }
}

/* ---- control flow ---- */

static void
close_construct(struct tame *t)
{
   const bool loop = t->open[--t->depth] == CF_OP_LOOP;
   t->loops -= loop;
   put(t, (struct cf_instr){ .op = loop ? CF_OP_ENDLOOP : CF_OP_ENDIF });
}

/* A loop that is left after some iterations. */
static void
open_loop(struct tame *t)
{
   const struct cf_reg counter = COUNTER(t->depth);
   put_movi(t, counter, 0);
   t->open[t->depth++] = CF_OP_LOOP;
   t->loops++;
   put(t, (struct cf_instr){ .op = CF_OP_LOOP });
   put_alu(t, CF_OP_IADD, counter, counter, number(1));
   put_alu(t, CF_OP_ULT, CONDITION, number(MOST_ITERATIONS), counter);
   put(t, (struct cf_instr){ .op = CF_OP_BRK, .src = { CONDITION } });
}

static void
put_flow(struct tame *t, struct cf_instr instr)
{
   const enum cf_op top = t->depth ? t->open[t->depth - 1] : CF_OP_END;
   fix_reg(&instr.src[0], 1);
   switch (instr.op) {
   case CF_OP_IF:
      if (t->depth == TAME_NESTING)
         return;
      t->open[t->depth++] = CF_OP_IF;
      put(t, instr);
      break;
   case CF_OP_LOOP:
      if (t->depth < TAME_NESTING)
         open_loop(t);
      break;
   case CF_OP_ELSE:
      if (top != CF_OP_IF)
         return;
      t->open[t->depth - 1] = CF_OP_ELSE;
      put(t, instr);
      break;
   case CF_OP_ENDIF:
   case CF_OP_ENDLOOP:
      if (t->depth && (top == CF_OP_LOOP) == (instr.op == CF_OP_ENDLOOP))
         close_construct(t);
      break;
   case CF_OP_BRK:
   case CF_OP_CONT:
      if (t->loops)
         put(t, instr);
      break;
   default: /* kill, demote */
      put(t, instr);
   }
   t->tex_operands = 0;
}

/* Targets, walking backwards as shader/cf_validate.c does. */
static void
set_targets(struct tame *t)
{
   unsigned next[TAME_NESTING + 1] = { t->count - 1 }, depth = 0;
   for (unsigned at = t->count; at-- > 0;) {
      struct cf_instr *instr = &t->instr[at];
      switch (instr->op) {
      case CF_OP_ENDIF:
      case CF_OP_ENDLOOP:
         next[++depth] = at;
         break;
      case CF_OP_ELSE:
         instr->target = next[depth];
         next[depth] = at;
         break;
      case CF_OP_LOOP:
         t->instr[next[depth]].target = at + 1;
         depth--;
         break;
      case CF_OP_IF:
      case CF_OP_BRK:
      case CF_OP_CONT:
      case CF_OP_KILL:
      case CF_OP_DEMOTE:
         instr->target = next[depth];
         depth -= instr->op == CF_OP_IF;
         break;
      default:
         break;
      }
   }
}

static bool
is_flow(enum cf_op op)
{
   const enum cf_form form = cf_op_info(op)->form;
   return form == CF_FORM_FLOW || form == CF_FORM_FLOW_TARGET || form == CF_FORM_FLOW_NONE;
}

unsigned
fuzz_tame(const uint64_t *words, unsigned count, enum cf_shader_stage stage,
          uint64_t code[TAME_MOST_INSTRS])
{
   static struct tame t;
   const char *reason;
   memset(&t, 0, sizeof(t));
   t.stage = stage;
   put_beginning(&t);
   for (unsigned i = 0; i < count && t.count < TAME_MOST_INSTRS - SPARE_INSTRS; i++) {
      struct cf_instr instr;
      if (!cf_instr_decode(words[i], &instr, &reason) || !has(&t, instr.op) ||
          instr.op == CF_OP_END)
         continue;
      if (is_flow(instr.op))
         put_flow(&t, instr);
      else
         put_fixed(&t, instr);
   }
   while (t.depth)
      close_construct(&t);
   put_end(&t);
   set_targets(&t);
   for (unsigned i = 0; i < t.count; i++) {
      if ((reason = cf_instr_check(&t.instr[i])))
         fuzz_fail("tame instruction %u: %s", i, reason);
      code[i] = cf_instr_encode(&t.instr[i]);
   }
   return t.count;
}
