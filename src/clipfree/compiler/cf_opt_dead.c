/* SPDX-License-Identifier: MIT */
/*
 * Dead code elimination: remove instructions whose results are not read, and texture components
 * that are not needed.
 */
#include "cf_ir.h"

#include "util/ralloc.h"

static void
count_reads(const struct cf_ir_instr *instr, uint32_t *reads, int by)
{
   for (unsigned s = 0; s < 4; s++) {
      if (instr->src[s].kind == CF_SRC_VREG)
         reads[instr->src[s].value] += by;
   }
}

/* Mask of the written registers that are read. */
static unsigned
live_components(const struct cf_ir_instr *instr, const uint32_t *reads)
{
   unsigned mask = 0;
   for (unsigned c = 0; c < cf_ir_defs(instr); c++)
      mask |= (reads[instr->dst + c] != 0) << c;
   return mask;
}

/* One walk from the end removes chains; registers written several times (phis) may need more. */
static bool
pass(struct cf_ir *ir, uint32_t *reads, bool *dead)
{
   bool progress = false;
   for (unsigned i = ir->count; i-- > 0;) {
      struct cf_ir_instr *instr = &ir->instrs[i];
      if (dead[i] || instr->dst == CF_NO_VREG || !cf_ir_removable(instr))
         continue;
      unsigned mask = live_components(instr, reads);
      if (mask && instr->op == CF_OP_TEX)
         instr->mask &= mask;
      if (!mask) {
         dead[i] = progress = true;
         count_reads(instr, reads, -1);
      }
   }
   return progress;
}

void
cf_opt_dead(struct cf_ir *ir)
{
   uint32_t *reads = rzalloc_array(ir->mem_ctx, uint32_t, ir->vreg_count + 4);
   bool *dead = rzalloc_array(ir->mem_ctx, bool, ir->count);
   for (unsigned i = 0; i < ir->count; i++)
      count_reads(&ir->instrs[i], reads, 1);
   while (pass(ir, reads, dead))
      ;

   struct cf_ir out = cf_ir_rewriter(ir);
   for (unsigned i = 0; i < ir->count; i++) {
      if (!dead[i])
         cf_ir_append_copy(&out, &ir->instrs[i]);
   }
   cf_ir_take_instrs(ir, &out);
   ralloc_free(reads);
   ralloc_free(dead);
}
