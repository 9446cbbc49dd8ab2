/* SPDX-License-Identifier: MIT */
/*
 * Constants without an inline encoding get a scalar register, loaded once at the start of the
 * program. A program with very many of them loads each constant again at every use, so that they
 * cannot fill the register file.
 */
#include "cf_ir.h"

#include "util/hash_table.h"
#include "util/ralloc.h"

#define CF_MAX_RESIDENT_CONSTANTS 64

static bool
needs_register(struct cf_src src)
{
   return src.kind == CF_SRC_CONST && cf_inline_index(src.value) < 0;
}

static uint32_t
append_constant(struct cf_ir *ir, struct cf_ir *out, uint32_t value)
{
   uint32_t vreg = cf_ir_vreg(ir, true);
   cf_ir_append(out, CF_OP_MOVI, vreg, 0, NULL)->imm = value;
   return vreg;
}

/* Distinct constants, value -> vreg + 1; loads for all of them are appended to out. */
static struct hash_table_u64 *
load_all(struct cf_ir *ir, struct cf_ir *out, unsigned *count)
{
   struct hash_table_u64 *table = _mesa_hash_table_u64_create(ir->mem_ctx);
   *count = 0;
   for (unsigned i = 0; i < ir->count; i++) {
      for (unsigned s = 0; s < 4; s++) {
         struct cf_src src = ir->instrs[i].src[s];
         if (ir->instrs[i].op == CF_OP_MOV || !needs_register(src) ||
             _mesa_hash_table_u64_search(table, src.value))
            continue;
         out->from = ir->instrs[i].from;
         uintptr_t vreg = append_constant(ir, out, src.value);
         _mesa_hash_table_u64_insert(table, src.value, (void *)(vreg + 1));
         (*count)++;
      }
   }
   return table;
}

/* A move of a constant is a movi; other reads go to a register. */
static void
lower_instr(struct cf_ir *ir, struct cf_ir *out, const struct cf_ir_instr *old,
            struct hash_table_u64 *resident)
{
   struct cf_ir_instr instr = *old;
   out->from = old->from;
   if (instr.op == CF_OP_MOV && needs_register(instr.src[0])) {
      instr.op = CF_OP_MOVI;
      instr.imm = instr.src[0].value;
      instr.src[0] = cf_src_none();
   }
   for (unsigned s = 0; s < 4; s++) {
      if (!needs_register(instr.src[s]))
         continue;
      uint32_t value = instr.src[s].value;
      uint32_t vreg = resident
                         ? (uint32_t)(uintptr_t)_mesa_hash_table_u64_search(resident, value) - 1
                         : append_constant(ir, out, value);
      instr.src[s] = cf_src_vreg(vreg);
   }
   cf_ir_append_copy(out, &instr);
}

void
cf_lower_constants(struct cf_ir *ir)
{
   struct cf_ir out = cf_ir_rewriter(ir);
   unsigned count;
   struct hash_table_u64 *table = load_all(ir, &out, &count);
   bool resident = count <= CF_MAX_RESIDENT_CONSTANTS;
   if (!resident)
      out.count = 0;
   for (unsigned i = 0; i < ir->count; i++)
      lower_instr(ir, &out, &ir->instrs[i], resident ? table : NULL);
   cf_ir_take_instrs(ir, &out);
}
