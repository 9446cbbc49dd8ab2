/* SPDX-License-Identifier: MIT */
#include "reduce_code.h"

#include <stdlib.h>
#include <string.h>

#include "reduce_case.h"

#define REGISTERS 256 /* v0.., then s0.. */
#define SCALARS 128
#define MOST_CONSTANTS 4 /* that an instruction becomes */

bool
reduce_code_decode(const uint64_t *words, uint32_t count, struct reduce_code *code)
{
   const char *error;
   code->instr = reduce_allocate(count * sizeof(*code->instr));
   code->count = count;
   for (uint32_t i = 0; i < count; i++) {
      if (!cf_instr_decode(words[i], &code->instr[i], &error))
         return false;
   }
   return count > 0;
}

struct reduce_code
reduce_code_copy(const struct reduce_code *code)
{
   struct reduce_code copy = { reduce_allocate(code->count * sizeof(*copy.instr)), code->count };
   memcpy(copy.instr, code->instr, code->count * sizeof(*copy.instr));
   return copy;
}

void
reduce_code_free(struct reduce_code *code)
{
   free(code->instr);
   *code = (struct reduce_code){ 0 };
}

bool
reduce_code_encode(const struct reduce_code *code, uint64_t *words)
{
   for (uint32_t i = 0; i < code->count; i++) {
      if (cf_instr_check(&code->instr[i]))
         return false;
      words[i] = cf_instr_encode(&code->instr[i]);
   }
   return true;
}

/* ------------------------------------------------------------------ structure */

/* By how much an instruction opens or closes constructs. */
static int
opens(const struct cf_instr *instr)
{
   return instr->op == CF_OP_IF || instr->op == CF_OP_LOOP         ? 1
          : instr->op == CF_OP_ENDIF || instr->op == CF_OP_ENDLOOP ? -1
                                                                   : 0;
}

/* The next else, endif or endloop of the construct that is open at an instruction; `end` if none
 * is. */
static uint32_t
next_closer(const struct reduce_code *code, uint32_t at)
{
   int depth = 0;
   for (uint32_t i = at; i < code->count; i++) {
      if (depth == 0 && (opens(&code->instr[i]) < 0 || code->instr[i].op == CF_OP_ELSE))
         return i;
      depth += opens(&code->instr[i]);
   }
   return code->count - 1;
}

/* The endif or endloop of the construct that an instruction opens. */
static uint32_t
end_of(const struct reduce_code *code, uint32_t at)
{
   uint32_t end = next_closer(code, at + 1);
   return code->instr[end].op == CF_OP_ELSE ? next_closer(code, end + 1) : end;
}

static uint32_t
loop_of(const struct reduce_code *code, uint32_t endloop)
{
   int depth = 0;
   uint32_t i = endloop;
   while (i-- > 0) {
      depth += opens(&code->instr[i]);
      if (depth == 1)
         break;
   }
   return i;
}

/* Targets follow from the structure. */
static void
set_targets(struct reduce_code *code)
{
   for (uint32_t i = 0; i < code->count; i++) {
      struct cf_instr *instr = &code->instr[i];
      const enum cf_form form = cf_op_info(instr->op)->form;
      if (instr->op == CF_OP_ENDLOOP)
         instr->target = loop_of(code, i) + 1;
      else if (form == CF_FORM_FLOW || form == CF_FORM_FLOW_TARGET)
         instr->target = next_closer(code, i + 1);
   }
}

static void
remove_marked(struct reduce_code *code, const bool *drop)
{
   uint32_t kept = 0;
   for (uint32_t i = 0; i < code->count; i++) {
      if (!drop[i])
         code->instr[kept++] = code->instr[i];
   }
   code->count = kept;
   set_targets(code);
}

/* ------------------------------------------------------------------ registers */

static uint32_t
number_of(struct cf_reg reg)
{
   return reg.kind == CF_KIND_S ? SCALARS + reg.index : reg.index;
}

/* The registers that an instruction writes. Returns how many. */
static uint32_t
written(const struct cf_instr *instr, uint32_t number[MOST_CONSTANTS])
{
   const struct cf_op_info *info = cf_op_info(instr->op);
   uint32_t count = 0;
   const bool four = info->form == CF_FORM_LDF || info->form == CF_FORM_TEX;
   for (uint32_t i = 0; info->has_dst && i < (four ? 4 : 1); i++) {
      if (info->form != CF_FORM_TEX || instr->mask >> i & 1)
         number[count++] = number_of(instr->dst) + i;
   }
   return count;
}

/* Whether an instruction reads a register. */
static bool
reads(const struct cf_instr *instr, uint32_t number)
{
   const struct cf_op_info *info = cf_op_info(instr->op);
   for (uint32_t i = 0; i < info->sources; i++) {
      const struct cf_reg *src = &instr->src[i];
      if ((src->kind == CF_KIND_V || src->kind == CF_KIND_S) && number_of(*src) == number)
         return true;
   }
   return false;
}

/* What is certainly written at each point, by construct. */
struct defined {
   bool now[REGISTERS], other[REGISTERS]; /* other: at the end of the part before else */
   bool before[REGISTERS];
   bool has_else;
};

static void
close_if(struct defined *outer, const struct defined *inner)
{
   for (uint32_t r = 0; r < REGISTERS; r++)
      outer->now[r] =
         inner->has_else ? inner->now[r] && inner->other[r] : inner->before[r] && inner->now[r];
}

/* Mark registers that may be read where not every way has written them. */
static void
find_undefined(const struct reduce_code *code, bool undefined[REGISTERS])
{
   struct defined *stack = reduce_allocate((code->count + 1) * sizeof(*stack)), *top = stack;
   uint32_t number[MOST_CONSTANTS];
   memset(undefined, 0, REGISTERS);
   for (uint32_t i = 0; i < code->count; i++) {
      const struct cf_instr *instr = &code->instr[i];
      for (uint32_t r = 0; r < REGISTERS; r++)
         undefined[r] |= !top->now[r] && reads(instr, r);
      for (uint32_t k = written(instr, number); k-- > 0;)
         top->now[number[k]] = true;
      if (opens(instr) > 0) {
         top[1] = *top;
         top++;
         memcpy(top->before, top->now, REGISTERS);
         top->has_else = false;
      } else if (instr->op == CF_OP_ELSE) {
         memcpy(top->other, top->now, REGISTERS);
         memcpy(top->now, top->before, REGISTERS);
         top->has_else = true;
      } else if (instr->op == CF_OP_ENDIF && top > stack) {
         close_if(top - 1, top);
         top--;
      } else if (instr->op == CF_OP_ENDLOOP && top > stack) {
         memcpy(top[-1].now, top->now, REGISTERS);
         top--;
      }
   }
   free(stack);
}

/* ------------------------------------------------------------------ constants */

bool
reduce_code_is_work(const struct cf_instr *instr)
{
   switch (instr->op) {
   case CF_OP_IF:
   case CF_OP_ELSE:
   case CF_OP_ENDIF:
   case CF_OP_LOOP:
   case CF_OP_ENDLOOP:
   case CF_OP_END:
   case CF_OP_MOVI:
      return false;
   case CF_OP_OUT:
   case CF_OP_OUTF:
   case CF_OP_GRAD:
      return instr->src[0].kind != CF_KIND_INLINE || instr->src[0].index != 0;
   default:
      return true;
   }
}

/* What remains of work that is replaced. Returns how many instructions. */
static uint32_t
replacement(const struct cf_instr *instr, uint32_t constant, struct cf_instr *to)
{
   uint32_t number[MOST_CONSTANTS];
   const uint32_t count = written(instr, number);
   for (uint32_t i = 0; i < count; i++) {
      const bool scalar = number[i] >= SCALARS;
      to[i] = (struct cf_instr){ .op = CF_OP_MOVI, .imm = constant };
      to[i].dst.kind = scalar ? CF_KIND_S : CF_KIND_V;
      to[i].dst.index = (uint8_t)(number[i] - (scalar ? SCALARS : 0));
   }
   if (count > 0 || (instr->op != CF_OP_OUT && instr->op != CF_OP_OUTF && instr->op != CF_OP_GRAD))
      return count;
   to[0] = *instr;
   to[0].src[0] = (struct cf_reg){ CF_KIND_INLINE, 0 };
   return 1;
}

void
reduce_code_replace(struct reduce_code *code, const bool *keep, uint32_t constant)
{
   struct cf_instr *instr = reduce_allocate(MOST_CONSTANTS * (size_t)code->count * sizeof(*instr));
   uint32_t count = 0;
   for (uint32_t i = 0; i < code->count; i++) {
      if (keep[i] || !reduce_code_is_work(&code->instr[i]))
         instr[count++] = code->instr[i];
      else
         count += replacement(&code->instr[i], constant, instr + count);
   }
   free(code->instr);
   code->instr = instr;
   code->count = count;
   set_targets(code);
}

/* ------------------------------------------------------------------ branches */

/* Mark what an if has beside the part that remains. */
static void
mark_if(const struct reduce_code *code, uint32_t at, enum reduce_branch branch, bool *drop)
{
   const uint32_t middle = next_closer(code, at + 1), end = end_of(code, at);
   const uint32_t first = branch == REDUCE_THEN ? middle : at,
                  last = branch == REDUCE_THEN ? end : middle;
   for (uint32_t i = first; i <= last; i++)
      drop[i] = true;
   drop[at] = drop[end] = true;
}

/* Mark a loop, and what leaves it. */
static void
mark_loop(const struct reduce_code *code, uint32_t at, bool *drop)
{
   const uint32_t end = end_of(code, at);
   uint32_t loops = 0;
   for (uint32_t i = at; i <= end; i++) {
      const enum cf_op op = code->instr[i].op;
      loops += op == CF_OP_LOOP;
      drop[i] |= i == at || i == end || (loops == 1 && (op == CF_OP_BRK || op == CF_OP_CONT));
      loops -= op == CF_OP_ENDLOOP;
   }
}

/* Write 0 at the beginning to registers that may be read before they are written. A program may
 * have had them, where two branches are always taken together; now they are not. */
static void
define(struct reduce_code *code)
{
   bool undefined[REGISTERS];
   struct cf_instr *instr = reduce_allocate((code->count + REGISTERS) * sizeof(*instr));
   uint32_t count = 0;
   find_undefined(code, undefined);
   for (uint32_t r = 0; r < REGISTERS; r++) {
      if (undefined[r]) {
         const struct cf_reg dst = { r < SCALARS ? CF_KIND_V : CF_KIND_S, (uint8_t)(r % SCALARS) };
         instr[count++] = (struct cf_instr){ .op = CF_OP_MOVI, .dst = dst };
      }
   }
   memcpy(instr + count, code->instr, code->count * sizeof(*instr));
   free(code->instr);
   code->instr = instr;
   code->count += count;
   set_targets(code);
}

void
reduce_code_straighten(struct reduce_code *code, const bool *keep, enum reduce_branch branch)
{
   bool *drop = reduce_allocate(code->count), any = false;
   for (uint32_t i = 0; i < code->count; i++) {
      if (keep[i])
         continue;
      any = true;
      if (code->instr[i].op == CF_OP_IF)
         mark_if(code, i, branch, drop);
      else if (code->instr[i].op == CF_OP_LOOP && branch == REDUCE_THEN)
         mark_loop(code, i, drop);
   }
   remove_marked(code, drop);
   if (any)
      define(code);
   free(drop);
}

/* ------------------------------------------------------------------ dead instructions */

static bool
is_straight(const struct reduce_code *code)
{
   for (uint32_t i = 0; i < code->count; i++) {
      if (opens(&code->instr[i]))
         return false;
   }
   return true;
}

/* Mark what nothing reads. Without branches a register is live from a write to the last read before
 * the next write; else wherever anything reads it. */
static bool
mark_dead(const struct reduce_code *code, bool *drop)
{
   const bool straight = is_straight(code);
   bool live[REGISTERS] = { 0 }, any = false;
   uint32_t number[MOST_CONSTANTS];
   for (uint32_t i = 0; i < code->count && !straight; i++) {
      for (uint32_t r = 0; r < REGISTERS; r++)
         live[r] |= reads(&code->instr[i], r);
   }
   for (uint32_t i = code->count; i-- > 0;) {
      const struct cf_instr *instr = &code->instr[i];
      const uint32_t count = written(instr, number);
      drop[i] = count > 0;
      for (uint32_t k = 0; k < count; k++)
         drop[i] &= !live[number[k]];
      for (uint32_t k = 0; k < count && straight; k++)
         live[number[k]] = false;
      for (uint32_t r = 0; r < REGISTERS && straight && !drop[i]; r++)
         live[r] |= reads(instr, r);
      any |= drop[i];
   }
   return any;
}

void
reduce_code_remove_dead(struct reduce_code *code)
{
   bool *drop = reduce_allocate(code->count);
   while (mark_dead(code, drop))
      remove_marked(code, drop);
   free(drop);
}
