/* SPDX-License-Identifier: MIT */
/*
 * Simplify control flow:
 *
 *    if c; else; endif                  ->
 *    if c; X; else; endif               -> if c; X; endif
 *    if c; else; X; endif               -> if !c; X; endif
 *    if c; movs; brk; else; X; endif    -> movs; brk c; X
 *    if c; X; else; movs; brk; endif    -> movs; brk !c; X
 *    cont; endloop                      -> endloop
 *
 * The rules with brk apply to cont, too.
 *
 * The moves before a jump write registers of phis of the block it goes to. A lane that does not
 * jump writes them again before it gets there, so they may be written early.
 */
#include "cf_ir.h"

#include "nir.h"
#include "util/macros.h"
#include "util/ralloc.h"

#define CF_MAX_EARLY_MOVES 4

struct region {
   unsigned begin, end; /* instructions begin .. end - 1 */
};

struct branch {
   struct region then_part, else_part;
   unsigned endif;
};

/* The parts of the `if` at instruction i. */
static struct branch
find_branch(const struct cf_ir *ir, unsigned i)
{
   struct branch b = { .then_part.begin = i + 1 };
   unsigned depth = 0;
   bool has_else = false;
   for (unsigned j = i + 1;; j++) {
      enum cf_op op = ir->instrs[j].op;
      if (op == CF_OP_IF)
         depth++;
      if (op == CF_OP_ELSE && depth == 0) {
         b.then_part.end = j;
         b.else_part.begin = j + 1;
         has_else = true;
      }
      if (op == CF_OP_ENDIF && depth-- == 0) {
         *(has_else ? &b.else_part.end : &b.then_part.end) = j;
         b.endif = j;
         return b;
      }
   }
}

static bool
is_empty(struct region r)
{
   return r.begin >= r.end;
}

static bool
is_always(const struct cf_ir_instr *jump)
{
   return jump->src[0].kind == CF_SRC_CONST && jump->src[0].value;
}

/* Some moves and an unconditional brk or cont. */
static bool
is_jump(const struct cf_ir *ir, struct region r)
{
   if (is_empty(r) || r.end - r.begin > CF_MAX_EARLY_MOVES + 1)
      return false;
   for (unsigned i = r.begin; i < r.end - 1; i++) {
      if (ir->instrs[i].op != CF_OP_MOV)
         return false;
   }
   const struct cf_ir_instr *last = &ir->instrs[r.end - 1];
   return (last->op == CF_OP_BRK || last->op == CF_OP_CONT) && is_always(last);
}

static void
copy_region(struct cf_ir *out, const struct cf_ir *ir, struct region r)
{
   for (unsigned i = r.begin; i < r.end; i++)
      cf_ir_append_copy(out, &ir->instrs[i]);
}

static struct cf_src
inverse(struct cf_ir *ir, struct cf_ir *out, struct cf_src condition)
{
   uint32_t dst = cf_ir_vreg(ir, !cf_ir_src_is_vector(ir, condition));
   cf_ir_append(out, CF_OP_NOT, dst, 1, &condition);
   return cf_src_vreg(dst);
}

/* Booleans are 0 and ~0 here, so `not` inverts them. Returns the next instruction to process; i if
 * nothing was rewritten. */
static unsigned
rewrite_if(struct cf_ir *ir, struct cf_ir *out, unsigned i)
{
   struct branch b = find_branch(ir, i);
   struct cf_src c = ir->instrs[i].src[0];
   out->from = ir->instrs[i].from;

   if (is_empty(b.then_part) && is_empty(b.else_part))
      return b.endif + 1;
   if (is_jump(ir, b.then_part) || is_jump(ir, b.else_part)) {
      bool in_then = is_jump(ir, b.then_part);
      struct region jump = in_then ? b.then_part : b.else_part;
      if (!in_then)
         c = inverse(ir, out, c);
      copy_region(out, ir, jump);
      struct cf_ir_instr *taken = &out->instrs[out->count - 1];
      taken->src[0] = c;
      taken->from.lines = nir_lines_merge(taken->from.lines, out->from.lines);
      copy_region(out, ir, in_then ? b.else_part : b.then_part);
      return b.endif + 1;
   }
   if (is_empty(b.then_part)) {
      c = inverse(ir, out, c);
      cf_ir_append(out, CF_OP_IF, CF_NO_VREG, 1, &c);
      copy_region(out, ir, b.else_part);
      cf_ir_append(out, CF_OP_ENDIF, CF_NO_VREG, 0, NULL);
      return b.endif + 1;
   }
   if (b.else_part.begin && is_empty(b.else_part)) {
      cf_ir_append(out, CF_OP_IF, CF_NO_VREG, 1, &c);
      copy_region(out, ir, b.then_part);
      cf_ir_append(out, CF_OP_ENDIF, CF_NO_VREG, 0, NULL);
      return b.endif + 1;
   }
   return i;
}

static bool
pass(struct cf_ir *ir)
{
   struct cf_ir out = cf_ir_rewriter(ir);
   bool progress = false;
   for (unsigned i = 0; i < ir->count;) {
      const struct cf_ir_instr *instr = &ir->instrs[i];
      unsigned next = i;
      if (instr->op == CF_OP_IF)
         next = rewrite_if(ir, &out, i);
      else if (instr->op == CF_OP_CONT && ir->instrs[i + 1].op == CF_OP_ENDLOOP)
         next = i + 1;
      if (next == i)
         cf_ir_append_copy(&out, &ir->instrs[i++]);
      else
         progress = true, i = next;
   }
   cf_ir_take_instrs(ir, &out);
   return progress;
}

void
cf_opt_flow(struct cf_ir *ir)
{
   while (pass(ir))
      ;
}
