/* SPDX-License-Identifier: MIT */
/* The reference: NIR evaluated for one lane. */
#include "test_random_program.h"

#include <stdlib.h>
#include <string.h>

#include "nir_constant_expressions.h"

struct walker {
   const struct inputs *inputs;
   unsigned lane;
   nir_const_value (*values)[4];
   nir_block *previous;
   uint32_t *outputs;
   unsigned steps;
};

enum way { WAY_ON, WAY_BREAK, WAY_CONTINUE, WAY_DISCARDED };

/* In builds without assertions, too, and without cmocka. */
static void
require(bool so)
{
   if (!so)
      abort();
}

static void
walk_alu(struct walker *w, nir_alu_instr *alu)
{
   nir_const_value src[4][4], *pointers[4];
   for (unsigned i = 0; i < nir_op_infos[alu->op].num_inputs; i++) {
      for (unsigned c = 0; c < nir_ssa_alu_instr_src_components(alu, i); c++)
         src[i][c] = w->values[alu->src[i].src.ssa->index][alu->src[i].swizzle[c]];
      pointers[i] = src[i];
   }
   unsigned bits = nir_alu_type_get_type_size(nir_op_infos[alu->op].output_type);
   for (unsigned i = 0; i < nir_op_infos[alu->op].num_inputs && !bits; i++) {
      if (!nir_alu_type_get_type_size(nir_op_infos[alu->op].input_types[i]))
         bits = alu->src[i].src.ssa->bit_size;
   }
   if (bits == 0 || nir_alu_type_get_type_size(nir_op_infos[alu->op].output_type))
      bits = alu->src[0].src.ssa->bit_size;
   nir_eval_const_opcode(alu->op, w->values[alu->def.index], alu->def.num_components, bits,
                         pointers, 0);
}

static enum way
walk_discard(const struct walker *w, nir_intrinsic_instr *instr)
{
   return w->values[instr->src[0].ssa->index][0].u32 ? WAY_DISCARDED : WAY_ON;
}

static enum way
walk_intrinsic(struct walker *w, nir_intrinsic_instr *instr)
{
   if (instr->intrinsic == nir_intrinsic_terminate_if ||
       instr->intrinsic == nir_intrinsic_demote_if)
      return walk_discard(w, instr);
   if (instr->intrinsic == nir_intrinsic_terminate || instr->intrinsic == nir_intrinsic_demote)
      return WAY_DISCARDED;
   if (instr->intrinsic == nir_intrinsic_load_barycentric_pixel)
      return WAY_ON;
   nir_const_value *value =
      instr->intrinsic == nir_intrinsic_store_output ? NULL : w->values[instr->def.index];
   if (instr->intrinsic == nir_intrinsic_load_ubo) {
      uint32_t dword = w->values[instr->src[1].ssa->index][0].u32 / 4;
      value[0].u32 = dword < UNIFORMS ? w->inputs->uniforms[dword] : 0;
   } else if (instr->intrinsic == nir_intrinsic_load_input ||
              instr->intrinsic == nir_intrinsic_load_interpolated_input) {
      for (unsigned c = 0; c < instr->def.num_components; c++)
         value[c].u32 =
            w->inputs
               ->attributes[nir_intrinsic_base(instr)][w->lane][nir_intrinsic_component(instr) + c];
   } else {
      require(instr->intrinsic == nir_intrinsic_store_output);
      w->outputs[4 * nir_intrinsic_base(instr) + nir_intrinsic_component(instr)] =
         w->values[instr->src[0].ssa->index][0].u32;
   }
   return WAY_ON;
}

static void
walk_phis(struct walker *w, nir_block *block)
{
   nir_const_value taken[256];
   unsigned count = 0, i = 0;
   nir_foreach_phi(phi, block) {
      require(count < ARRAY_SIZE(taken));
      taken[count++] = w->values[nir_phi_get_src_from_block(phi, w->previous)->src.ssa->index][0];
   }
   nir_foreach_phi(phi, block)
      w->values[phi->def.index][0] = taken[i++];
}

static enum way
walk_block(struct walker *w, nir_block *block)
{
   enum way way = WAY_ON;
   walk_phis(w, block);
   nir_foreach_instr(instr, block) {
      if (way == WAY_DISCARDED)
         break;
      if (instr->type == nir_instr_type_alu)
         walk_alu(w, nir_instr_as_alu(instr));
      else if (instr->type == nir_instr_type_intrinsic)
         way = walk_intrinsic(w, nir_instr_as_intrinsic(instr));
      else if (instr->type == nir_instr_type_load_const)
         memcpy(w->values[nir_instr_as_load_const(instr)->def.index],
                nir_instr_as_load_const(instr)->value,
                nir_instr_as_load_const(instr)->def.num_components * sizeof(nir_const_value));
      else if (instr->type == nir_instr_type_undef)
         memset(w->values[nir_instr_as_undef(instr)->def.index], 0, sizeof(w->values[0]));
      else if (instr->type == nir_instr_type_jump)
         way = nir_instr_as_jump(instr)->type == nir_jump_break ? WAY_BREAK : WAY_CONTINUE;
   }
   w->previous = block;
   return way;
}

static enum way
walk_list(struct walker *w, struct exec_list *list)
{
   foreach_list_typed(nir_cf_node, node, node, list) {
      enum way way = WAY_ON;
      if (node->type == nir_cf_node_block) {
         way = walk_block(w, nir_cf_node_as_block(node));
      } else if (node->type == nir_cf_node_if) {
         nir_if *nif = nir_cf_node_as_if(node);
         way = walk_list(w, w->values[nif->condition.ssa->index][0].u32 ? &nif->then_list
                                                                        : &nif->else_list);
      } else {
         do {
            way = walk_list(w, &nir_cf_node_as_loop(node)->body);
            require(w->steps++ < 100000);
         } while (way != WAY_BREAK && way != WAY_DISCARDED);
         way = way == WAY_BREAK ? WAY_ON : way;
      }
      if (way != WAY_ON)
         return way;
   }
   return WAY_ON;
}

bool
evaluate_lane(nir_shader *nir, const struct inputs *inputs, unsigned lane,
              uint32_t outputs[OUTPUTS])
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   struct walker w = { .inputs = inputs, .lane = lane, .outputs = outputs };
   nir_index_ssa_defs(impl);
   w.values = calloc(impl->ssa_alloc, sizeof(*w.values));
   const enum way way = walk_list(&w, &impl->body);
   free(w.values);
   return way != WAY_DISCARDED;
}
