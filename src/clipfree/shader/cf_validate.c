/* SPDX-License-Identifier: MIT */
/*
 * Validation of a program whose instructions decode: operands are inside what the program declares,
 * and control flow is structured. After it, a task cannot reach outside its registers, stack or
 * code.
 */
#include "clipfree/shader/cf_decode.h"
#include "clipfree/shader/cf_run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "clipfree/isa/cf_asm.h"

struct validator {
   const struct cf_decoded *decoded;
   unsigned at; /* instruction being checked */
   char *error;
   size_t error_size;
};

static bool __attribute__((format(printf, 2, 3))) fail(struct validator *v, const char *format, ...)
{
   char text[96], reason[160];
   va_list args;
   va_start(args, format);
   vsnprintf(reason, sizeof(reason), format, args);
   va_end(args);
   cf_disassemble_instr(&v->decoded->instrs[v->at], text, sizeof(text));
   snprintf(v->error, v->error_size, "instruction %u '%s': %s", v->at, text, reason);
   return false;
}

static bool
check_reg(struct validator *v, struct cf_reg reg, unsigned registers)
{
   const struct cf_program *info = &v->decoded->info;
   if (reg.kind == CF_KIND_V && reg.index + registers > info->vector_regs)
      return fail(v, "v%u: the program declares %u vector registers", reg.index + registers - 1,
                  info->vector_regs);
   if (reg.kind == CF_KIND_S && reg.index >= info->scalar_regs)
      return fail(v, "s%u: the program declares %u scalar registers", reg.index, info->scalar_regs);
   return true;
}

static bool
check_registers(struct validator *v, const struct cf_instr *instr)
{
   const struct cf_op_info *op = cf_op_info(instr->op);
   const unsigned written = op->form == CF_FORM_TEX || op->form == CF_FORM_LDF ? 4 : 1;
   if (op->has_dst && !check_reg(v, instr->dst, written))
      return false;
   for (unsigned i = 0; i < op->sources; i++) {
      if (!check_reg(v, instr->src[i], 1))
         return false;
   }
   return true;
}

/* Bit per system value that a stage has. */
static const uint32_t stage_sysvals[] = {
   [CF_SHADER_STAGE_VERTEX] = 1u << CF_SYSVAL_VERTEX_ID | 1u << CF_SYSVAL_INSTANCE_ID |
                              1u << CF_SYSVAL_BASE_INSTANCE | 1u << CF_SYSVAL_BASE_VERTEX |
                              1u << CF_SYSVAL_LANE,
   [CF_SHADER_STAGE_FRAGMENT] =
      1u << CF_SYSVAL_FRAG_X | 1u << CF_SYSVAL_FRAG_Y | 1u << CF_SYSVAL_FRAG_Z |
      1u << CF_SYSVAL_FRAG_W | 1u << CF_SYSVAL_FRONT_FACE | 1u << CF_SYSVAL_POINT_X |
      1u << CF_SYSVAL_POINT_Y | 1u << CF_SYSVAL_HELPER | 1u << CF_SYSVAL_LANE,
   [CF_SHADER_STAGE_GEOMETRY] = 1u << CF_SYSVAL_PRIMITIVE | 1u << CF_SYSVAL_LANE,
};

static bool
check_interface(struct validator *v, const struct cf_instr *instr)
{
   const struct cf_program *info = &v->decoded->info;
   const bool fragment = info->stage == CF_SHADER_STAGE_FRAGMENT;
   switch (instr->op) {
   case CF_OP_OUT:
   case CF_OP_OUTF:
      if (info->stage == CF_SHADER_STAGE_GEOMETRY)
         return fail(v, "geometry programs have their outputs in scratch");
      return instr->index < info->outputs ||
             fail(v, "the program declares %u output dwords", info->outputs);
   case CF_OP_LDVAR:
      if (!fragment)
         return fail(v, "only fragment programs have varyings to load");
      return instr->index < info->inputs ||
             fail(v, "the program declares %u input dwords", info->inputs);
   case CF_OP_LDF:
      return info->stage == CF_SHADER_STAGE_VERTEX ||
             fail(v, "only vertex programs have vertex elements");
   case CF_OP_SYS:
      if (!(stage_sysvals[info->stage] >> instr->value & 1))
         return fail(v, "this stage has no such value");
      return info->sysvals >> instr->value & 1 ||
             fail(v, "the program does not declare this value in sysvals");
   case CF_OP_KILL:
   case CF_OP_DEMOTE:
      if (!fragment)
         return fail(v, "only fragment programs end lanes");
      return info->uses_kill || fail(v, "the program does not declare uses_kill");
   default:
      return true;
   }
}

static bool
check_operands(struct validator *v)
{
   for (v->at = 0; v->at < v->decoded->count; v->at++) {
      const struct cf_instr *instr = &v->decoded->instrs[v->at];
      if (!check_registers(v, instr) || !check_interface(v, instr))
         return false;
      if ((instr->op == CF_OP_END) != (v->at == v->decoded->count - 1))
         return fail(v, "the end instruction must be the last one, and only that");
   }
   return true;
}

/* Constructs open and close in pairs, at most CF_MAX_NESTING deep; brk and cont stand in a loop. */
static bool
check_nesting(struct validator *v)
{
   enum cf_op open[CF_MAX_NESTING]; /* if, else (after it was seen) or loop */
   unsigned depth = 0, loops = 0;
   for (v->at = 0; v->at < v->decoded->count; v->at++) {
      const enum cf_op op = v->decoded->instrs[v->at].op;
      const enum cf_op top = depth ? open[depth - 1] : CF_OP_END;
      switch (op) {
      case CF_OP_IF:
      case CF_OP_LOOP:
         if (depth == CF_MAX_NESTING)
            return fail(v, "nested more than %u deep", CF_MAX_NESTING);
         open[depth++] = op;
         loops += op == CF_OP_LOOP;
         break;
      case CF_OP_ELSE:
         if (top != CF_OP_IF)
            return fail(v, "no if is open");
         open[depth - 1] = CF_OP_ELSE;
         break;
      case CF_OP_ENDIF:
         if (top != CF_OP_IF && top != CF_OP_ELSE)
            return fail(v, "no if is open");
         depth--;
         break;
      case CF_OP_ENDLOOP:
         if (top != CF_OP_LOOP)
            return fail(v, "no loop is open");
         depth--;
         loops--;
         break;
      case CF_OP_BRK:
      case CF_OP_CONT:
         if (!loops)
            return fail(v, "outside a loop");
         break;
      case CF_OP_END:
         if (depth)
            return fail(v, "%u constructs are still open", depth);
         break;
      default:
         break;
      }
   }
   return true;
}

static bool
is_flow(enum cf_op op)
{
   const enum cf_form form = cf_op_info(op)->form;
   return form == CF_FORM_FLOW || form == CF_FORM_FLOW_TARGET || form == CF_FORM_FLOW_NONE;
}

/* What grad sets for a tex, all of it is set on the only way there. */
static bool
check_tex_operands(struct validator *v)
{
   unsigned set = 0;
   for (v->at = 0; v->at < v->decoded->count; v->at++) {
      const struct cf_instr *instr = &v->decoded->instrs[v->at];
      if (is_flow(instr->op))
         set = 0;
      else if (instr->op == CF_OP_GRAD)
         set |= 1u << instr->index;
      else if (instr->op == CF_OP_TEX && cf_tex_operands(instr->mode) & ~set)
         return fail(v, "operand %u is not set since the last control flow",
                     (unsigned)__builtin_ctz(cf_tex_operands(instr->mode) & ~set));
   }
   return true;
}

static bool
check_target(struct validator *v, unsigned expected)
{
   const unsigned target = v->decoded->instrs[v->at].target;
   return target == expected || fail(v, "the target must be %u", expected);
}

/* Targets, walking backwards: `next` is where an empty exec mask goes on, at each open depth; the
 * outermost is the end. */
static bool
check_targets(struct validator *v)
{
   unsigned next[CF_MAX_NESTING + 1];
   unsigned loop_start[CF_MAX_NESTING + 1]; /* what the open endloops say of their loops */
   unsigned depth = 0;
   next[0] = v->decoded->count - 1;
   for (v->at = v->decoded->count; v->at-- > 0;) {
      const struct cf_instr *instr = &v->decoded->instrs[v->at];
      switch (instr->op) {
      case CF_OP_ENDIF:
      case CF_OP_ENDLOOP:
         next[++depth] = v->at;
         loop_start[depth] = instr->target;
         break;
      case CF_OP_ELSE:
         if (!check_target(v, next[depth]))
            return false;
         next[depth] = v->at;
         break;
      case CF_OP_LOOP:
         if (loop_start[depth] != v->at + 1)
            return fail(v, "its endloop, %u, must go to %u", next[depth], v->at + 1);
         depth--;
         break;
      case CF_OP_IF:
      case CF_OP_BRK:
      case CF_OP_CONT:
      case CF_OP_KILL:
      case CF_OP_DEMOTE:
         if (!check_target(v, next[depth]))
            return false;
         depth -= instr->op == CF_OP_IF;
         break;
      default:
         break;
      }
   }
   return true;
}

bool
cf_program_validate(const struct cf_decoded *decoded, char *error, size_t error_size)
{
   struct validator v = { decoded, 0, error, error_size };
   return check_operands(&v) && check_nesting(&v) && check_tex_operands(&v) && check_targets(&v);
}
