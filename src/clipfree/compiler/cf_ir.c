/* SPDX-License-Identifier: MIT */
/*
 * The IR's container: append, rewrite, print, and the properties of instructions that every pass
 * needs.
 */
#include "cf_ir.h"

#include <string.h>

#include "clipfree/shader/cf_task.h"
#include "nir.h"
#include "util/macros.h"
#include "util/ralloc.h"

struct cf_ir *
cf_ir_create(void *mem_ctx)
{
   struct cf_ir *ir = rzalloc(mem_ctx, struct cf_ir);
   ir->mem_ctx = ir;
   return ir;
}

void
cf_ir_fail(struct cf_ir *ir, const char *reason)
{
   if (!ir->error)
      ir->error = reason;
}

bool
cf_ir_check_size(struct cf_ir *ir, unsigned most)
{
   if (ir->count <= most)
      return true;
   cf_ir_fail(ir, ralloc_asprintf(ir->mem_ctx, "it has %u instructions, more than %u", ir->count, CF_MAX_PROGRAM_INSTRS));
   return false;
}

uint32_t
cf_ir_vreg(struct cf_ir *ir, bool scalar)
{
   if (ir->vreg_count == ir->vreg_capacity) {
      ir->vreg_capacity = MAX2(64, ir->vreg_capacity * 2);
      ir->vregs = reralloc(ir->mem_ctx, ir->vregs, struct cf_vreg, ir->vreg_capacity);
   }
   ir->vregs[ir->vreg_count] = (struct cf_vreg){ .scalar = scalar };
   return ir->vreg_count++;
}

uint32_t
cf_ir_group(struct cf_ir *ir)
{
   uint32_t leader = ir->vreg_count;
   for (unsigned c = 0; c < 4; c++) {
      uint32_t vreg = cf_ir_vreg(ir, false);
      ir->vregs[vreg].grouped = true;
      ir->vregs[vreg].component = c;
   }
   return leader;
}

static struct cf_ir_instr *
grow(struct cf_ir *ir)
{
   if (ir->count == ir->capacity) {
      ir->capacity = MAX2(64, ir->capacity * 2);
      ir->instrs = reralloc(ir->mem_ctx, ir->instrs, struct cf_ir_instr, ir->capacity);
   }
   return &ir->instrs[ir->count++];
}

struct cf_ir_instr *
cf_ir_append(struct cf_ir *ir, enum cf_op op, uint32_t dst, unsigned count,
             const struct cf_src *src)
{
   struct cf_ir_instr *instr = grow(ir);
   *instr = (struct cf_ir_instr){ .op = op, .dst = dst, .from = ir->from };
   for (unsigned i = 0; i < count; i++)
      instr->src[i] = src[i];
   return instr;
}

void
cf_ir_append_copy(struct cf_ir *ir, const struct cf_ir_instr *instr)
{
   struct cf_ir_instr copy = *instr;
   *grow(ir) = copy;
}

struct cf_ir
cf_ir_rewriter(const struct cf_ir *ir)
{
   return (struct cf_ir){ .mem_ctx = ir->mem_ctx };
}

void
cf_ir_take_instrs(struct cf_ir *ir, struct cf_ir *with)
{
   ralloc_free(ir->instrs);
   ir->instrs = with->instrs;
   ir->count = with->count;
   ir->capacity = with->capacity;
   if (with->error)
      cf_ir_fail(ir, with->error);
}

unsigned
cf_ir_defs(const struct cf_ir_instr *instr)
{
   if (instr->dst == CF_NO_VREG)
      return 0;
   return instr->op == CF_OP_TEX || instr->op == CF_OP_LDF ? 4 : 1;
}

bool
cf_ir_is_flow(enum cf_op op)
{
   return op >= CF_OP_IF && op <= CF_OP_END;
}

bool
cf_ir_removable(const struct cf_ir_instr *instr)
{
   return !cf_ir_is_flow(instr->op) && instr->op != CF_OP_STS && instr->op != CF_OP_OUT &&
          instr->op != CF_OP_OUTF && instr->op != CF_OP_GRAD;
}

bool
cf_ir_src_is_vector(const struct cf_ir *ir, struct cf_src src)
{
   return src.kind == CF_SRC_VREG && !ir->vregs[src.value].scalar;
}

/* The open constructs while walking the program: the index of `if`, `else` or `loop`. */
struct nesting {
   uint32_t open[CF_MAX_NESTING];
   unsigned depth;
   uint32_t pending[CF_MAX_NESTING]; /* per construct: list of jumps waiting for its next marker,
                                        linked through targets */
};

/* Set the target of all jumps that wait for the innermost construct's next marker. */
static void
resolve(uint32_t *targets, uint32_t *pending, uint32_t marker)
{
   for (uint32_t i = *pending; i != UINT32_MAX;) {
      uint32_t next = targets[i];
      targets[i] = marker;
      i = next;
   }
   *pending = UINT32_MAX;
}

uint32_t *
cf_ir_targets(struct cf_ir *ir)
{
   uint32_t *targets = ralloc_array(ir->mem_ctx, uint32_t, ir->count);
   uint32_t top = UINT32_MAX; /* jumps outside of any construct target the end */
   struct nesting n = { .depth = 0 };

   for (uint32_t i = 0; i < ir->count; i++) {
      uint32_t *pending = n.depth ? &n.pending[n.depth - 1] : &top;
      enum cf_op op = ir->instrs[i].op;
      targets[i] = UINT32_MAX;

      if (op == CF_OP_IF || op == CF_OP_LOOP) {
         if (n.depth == CF_MAX_NESTING) {
            cf_ir_fail(ir, "control flow is nested more than 60 deep");
            return NULL;
         }
         n.open[n.depth] = i;
         n.pending[n.depth++] = op == CF_OP_IF ? i : UINT32_MAX;
      } else if (op == CF_OP_ELSE) {
         resolve(targets, pending, i);
         *pending = i;
      } else if (op == CF_OP_ENDIF) {
         resolve(targets, pending, i);
         n.depth--;
      } else if (op == CF_OP_ENDLOOP) {
         resolve(targets, pending, i);
         targets[i] = n.open[--n.depth];
      } else if (op == CF_OP_BRK || op == CF_OP_CONT || op == CF_OP_KILL || op == CF_OP_DEMOTE) {
         targets[i] = *pending;
         *pending = i;
      } else if (op == CF_OP_END) {
         resolve(targets, &top, i);
      }
   }
   return targets;
}

/* In a program that breaks a rule there may be no such register. */
static void
print_vreg(FILE *file, const struct cf_ir *ir, const struct cf_ra_result *regs, uint32_t vreg)
{
   const bool scalar = vreg < ir->vreg_count && ir->vregs[vreg].scalar;
   fprintf(file, "%s%c%u", regs ? "" : "%", scalar ? 's' : 'v', regs ? regs->reg[vreg] : vreg);
}

static void
print_src(FILE *file, const struct cf_ir *ir, const struct cf_ra_result *regs, struct cf_src src)
{
   float f;
   memcpy(&f, &src.value, 4);
   if (src.kind == CF_SRC_VREG)
      print_vreg(file, ir, regs, src.value);
   else if (src.kind == CF_SRC_UNIFORM)
      fprintf(file, "u%u", src.value);
   else if (src.kind == CF_SRC_CONST && (int32_t)src.value >= -4096 && (int32_t)src.value <= 4096)
      fprintf(file, "%d", (int32_t)src.value);
   else if (src.kind == CF_SRC_CONST)
      fprintf(file, "%#x(%g)", src.value, f);
   else
      fputs("_", file);
}

static void
print_fields(FILE *file, const struct cf_ir_instr *instr)
{
   switch (instr->op) {
   case CF_OP_MOVI:
      fprintf(file, ", %#x", instr->imm);
      break;
   case CF_OP_LDU:
      fprintf(file, ", bank %u + %u", instr->bank, instr->offset);
      break;
   case CF_OP_LDS:
   case CF_OP_STS:
      fprintf(file, ", + %u", instr->offset);
      break;
   case CF_OP_LDF:
      fprintf(file, ", slot %u", instr->slot);
      break;
   case CF_OP_LDVAR:
      fprintf(file, ", input %u mode %u", instr->index, instr->mode);
      break;
   case CF_OP_SYS:
      fprintf(file, ", sysval %u", instr->value);
      break;
   case CF_OP_OUT:
   case CF_OP_OUTF:
      fprintf(file, ", output %u", instr->index);
      break;
   case CF_OP_GRAD:
      fprintf(file, ", gradient %u", instr->index);
      break;
   case CF_OP_TEX:
      fprintf(file, ", unit %u mode %u mask %#x", instr->unit, instr->mode, instr->mask);
      break;
   default:
      break;
   }
}

/* As NIR prints them. */
static void
print_lines(FILE *file, uint32_t lines)
{
   const uint32_t first = lines & NIR_LINE_MASK, second = lines >> 16 & NIR_LINE_MASK;
   if (first)
      fprintf(file, "  // line %u", first);
   if (second && second != first)
      fprintf(file, ", %u", second);
}

void
cf_ir_print(FILE *file, const struct cf_ir *ir, const struct cf_ra_result *regs)
{
   unsigned indent = 1;
   for (unsigned i = 0; i < ir->count; i++) {
      const struct cf_ir_instr *instr = &ir->instrs[i];
      const struct cf_op_info *info = cf_op_info(instr->op);
      if (instr->op == CF_OP_ELSE || instr->op == CF_OP_ENDIF || instr->op == CF_OP_ENDLOOP)
         indent--;
      fprintf(file, "%4u:%*s%-7s", i, indent * 3, "", info ? info->name : "?");
      if (instr->op == CF_OP_IF || instr->op == CF_OP_ELSE || instr->op == CF_OP_LOOP)
         indent++;
      if (instr->dst != CF_NO_VREG) {
         fputc(' ', file);
         print_vreg(file, ir, regs, instr->dst);
      }
      for (unsigned s = 0; info && s < info->sources; s++) {
         fputs(s || instr->dst != CF_NO_VREG ? ", " : " ", file);
         print_src(file, ir, regs, instr->src[s]);
      }
      print_fields(file, instr);
      print_lines(file, instr->from.lines);
      fputc('\n', file);
   }
}
