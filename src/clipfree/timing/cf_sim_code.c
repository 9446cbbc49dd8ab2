/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_code.h"

#include <stdlib.h>
#include <string.h>

static void
add_register(struct cf_sim_registers *set, struct cf_reg reg, uint32_t count)
{
   for (uint32_t i = reg.index; i < reg.index + count && i < 128u; i++) {
      if (reg.kind == CF_KIND_V || reg.kind == CF_KIND_S)
         set->bit[(reg.kind == CF_KIND_S ? 2 : 0) + i / 64] |= 1ull << i % 64;
   }
}

/* Which registers it writes: tex those of its mask, ldf four. */
static void
find_written(struct cf_sim_instr *to, const struct cf_instr *instr, const struct cf_op_info *info)
{
   const uint32_t mask = info->form == CF_FORM_TEX   ? instr->mask
                         : info->form == CF_FORM_LDF ? 15u
                                                     : info->has_dst;
   for (uint32_t i = 0; i < 4; i++) {
      const struct cf_reg dst = { instr->dst.kind, (uint8_t)(instr->dst.index + i) };
      if (mask >> i & 1)
         add_register(&to->written, dst, 1);
   }
}

static struct cf_sim_instr
decode(const struct cf_instr *instr)
{
   const struct cf_op_info *info = cf_op_info(instr->op);
   const struct cf_op_class_info *cls = &cf_op_classes[info->op_class];
   struct cf_sim_instr to = { .op = instr->op,
                              .unit = cls->unit,
                              .passes = cls->passes,
                              .latency = cls->latency,
                              .texture_unit = (uint8_t)instr->unit,
                              .target = (uint16_t)instr->target,
                              .element = (uint16_t)instr->slot };
   to.fetches = instr->op == CF_OP_TEX && instr->mode != CF_TEXMODE_SIZE &&
                instr->mode != CF_TEXMODE_QUERY_LOD;
   find_written(&to, instr, info);
   to.used = to.written;
   for (uint32_t i = 0; i < info->sources; i++) {
      to.operands += instr->src[i].kind == CF_KIND_V;
      add_register(&to.used, instr->src[i], 1);
      if (instr->src[i].kind == CF_KIND_U)
         to.constant = instr->src[i].index + 1;
   }
   /* what has a scalar destination is one value for all lanes */
   if (info->has_dst && instr->dst.kind == CF_KIND_S && to.unit == CF_OP_UNIT_ALU)
      to.unit = CF_OP_UNIT_SCALAR;
   return to;
}

/* Number constructs by how deep they are nested; brk and cont belong to the innermost loop. */
static void
number_slots(struct cf_sim_code *code)
{
   uint8_t depth = 0;
   bool loop[64];
   for (uint32_t i = 0; i < code->count; i++) {
      struct cf_sim_instr *instr = &code->instr[i];
      if (instr->op == CF_OP_IF || instr->op == CF_OP_LOOP)
         loop[depth++] = instr->op == CF_OP_LOOP;
      uint8_t slot = depth ? depth - 1 : 0;
      if (instr->op == CF_OP_BRK || instr->op == CF_OP_CONT)
         while (slot > 0 && !loop[slot])
            slot--;
      instr->slot = slot;
      if (instr->op == CF_OP_ENDIF || instr->op == CF_OP_ENDLOOP)
         depth--;
   }
}

bool
cf_sim_code_init(struct cf_sim_code *code, const struct cf_sim_chunk *chunk,
                 const struct cf_sim_program *program)
{
   *code = (struct cf_sim_code){ .count = program->count,
                                 .vector_regs = program->vector_regs,
                                 .instr = calloc(program->count, sizeof(code->instr[0])) };
   for (uint32_t i = 0; code->instr && i < program->count; i++) {
      struct cf_instr instr = { 0 };
      const char *why;
      if (cf_instr_decode(chunk->code[program->first + i], &instr, &why))
         code->instr[i] = decode(&instr);
   }
   if (code->instr)
      number_slots(code);
   return code->instr != NULL;
}

void
cf_sim_code_free(struct cf_sim_code *code)
{
   free(code->instr);
   code->instr = NULL;
}
