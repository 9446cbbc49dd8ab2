/* SPDX-License-Identifier: MIT */
/*
 * Spilling. A vector register goes to a dword of scratch: stored after every write, loaded into a
 * fresh register before every read. A scalar register becomes a vector register, and with it every
 * scalar computed from it: there are two register files before there is memory.
 */
#include "cf_ir.h"

#include "util/ralloc.h"

static bool
reads_vector(const struct cf_ir *ir, const struct cf_ir_instr *instr)
{
   for (unsigned s = 0; s < 4; s++) {
      if (cf_ir_src_is_vector(ir, instr->src[s]))
         return true;
   }
   return false;
}

static void
make_vectors(struct cf_ir *ir, const uint32_t *spill_slot)
{
   for (uint32_t v = 0; v < ir->vreg_count; v++) {
      if (spill_slot[v] != CF_NO_VREG)
         ir->vregs[v].scalar = false;
   }
   bool progress = true;
   while (progress) {
      progress = false;
      for (unsigned i = 0; i < ir->count; i++) {
         const struct cf_ir_instr *instr = &ir->instrs[i];
         if (instr->dst != CF_NO_VREG && ir->vregs[instr->dst].scalar && reads_vector(ir, instr)) {
            ir->vregs[instr->dst].scalar = false;
            progress = true;
         }
      }
   }
}

static uint32_t
spill_temporary(struct cf_ir *ir)
{
   uint32_t v = cf_ir_vreg(ir, false);
   ir->vregs[v].no_spill = true;
   return v;
}

static void
load_operands(struct cf_ir *ir, struct cf_ir *out, struct cf_ir_instr *instr, const uint32_t *slot)
{
   struct cf_src zero = cf_src_const(0), original[4];
   for (unsigned s = 0; s < 4; s++) {
      struct cf_src src = original[s] = instr->src[s];
      if (src.kind != CF_SRC_VREG || slot[src.value] == CF_NO_VREG)
         continue;
      unsigned same = 0;
      while (same < s && !cf_src_equal(original[same], src))
         same++;
      if (same < s) {
         instr->src[s] = instr->src[same];
         continue;
      }
      instr->src[s] = cf_src_vreg(spill_temporary(ir));
      cf_ir_append(out, CF_OP_LDS, instr->src[s].value, 1, &zero)->offset = slot[src.value];
   }
}

static void
store_results(struct cf_ir *ir, struct cf_ir *out, const struct cf_ir_instr *instr,
              const uint32_t *slot)
{
   for (unsigned c = 0; c < cf_ir_defs(instr); c++) {
      uint32_t v = instr->dst + c;
      if (slot[v] == CF_NO_VREG || (instr->op == CF_OP_TEX && !(instr->mask & (1u << c))))
         continue;
      struct cf_src src[2] = { cf_src_const(0), cf_src_vreg(v) };
      cf_ir_append(out, CF_OP_STS, CF_NO_VREG, 2, src)->offset = slot[v];
      ir->vregs[v].no_spill = true;
   }
}

void
cf_spill(struct cf_ir *ir, const uint32_t *spill_slot)
{
   unsigned old_count = ir->vreg_count;
   uint32_t *slot = ralloc_array(ir->mem_ctx, uint32_t, old_count); /* of vector registers */
   bool scalars = false;
   for (uint32_t v = 0; v < old_count; v++) {
      bool scalar = ir->vregs[v].scalar;
      scalars |= scalar && spill_slot[v] != CF_NO_VREG;
      slot[v] = scalar ? CF_NO_VREG : spill_slot[v];
   }
   if (scalars)
      make_vectors(ir, spill_slot);

   struct cf_ir out = cf_ir_rewriter(ir);
   for (unsigned i = 0; i < ir->count; i++) {
      struct cf_ir_instr instr = ir->instrs[i];
      out.from = instr.from;
      load_operands(ir, &out, &instr, slot);
      cf_ir_append_copy(&out, &instr);
      store_results(ir, &out, &instr, slot);
   }
   cf_ir_take_instrs(ir, &out);
   ralloc_free(slot);
}
