/* SPDX-License-Identifier: MIT */
/*
 * Chains of conditions, as a switch of many cases becomes one in NIR, may be nested deeper than the
 * GPU allows. They are cut into pieces that stand one behind the other:
 *
 *    if a { A } else { if b { B } else { ... } }
 * becomes
 *    rest = false
 *    if a { A } else { if b { B } else { rest = true } }
 *    if rest { ... }
 *
 * A link of a chain is the last if of its side of the link before, with nothing but phis behind it:
 * so what is cut off is also what the lanes that reach it do last. Any other nesting stays.
 */
#include "cf_nir.h"

#include "cf_ir.h"
#include "nir_builder.h"

/* A piece has a quarter of the levels that are left, at least two: so chains in chains fit, too. */
#define CF_PIECE_SHARE 4
#define CF_MIN_PIECE 2

static unsigned deepest(const struct exec_list *list);

/* The levels of an if with all that it contains. */
static unsigned
deepest_of_if(const nir_if *nif)
{
   const unsigned then_levels = deepest(&nif->then_list), else_levels = deepest(&nif->else_list);
   return 1 + MAX2(then_levels, else_levels);
}

static unsigned
deepest(const struct exec_list *list)
{
   unsigned most = 0;
   foreach_list_typed(nir_cf_node, node, node, list) {
      unsigned levels = 0;
      if (node->type == nir_cf_node_if)
         levels = deepest_of_if(nir_cf_node_as_if(node));
      else if (node->type == nir_cf_node_loop)
         levels = 1 + deepest(&nir_cf_node_as_loop(node)->body);
      most = MAX2(most, levels);
   }
   return most;
}

/* The if before a block that has only phis. NULL: it is another block. */
static nir_if *
joined_if(nir_block *block)
{
   nir_cf_node *before = nir_cf_node_prev(&block->cf_node);
   nir_instr *last = nir_block_last_instr(block);
   if (!before || before->type != nir_cf_node_if || (last && last->type != nir_instr_type_phi))
      return NULL;
   return nir_cf_node_as_if(before);
}

static nir_block *
last_block(struct exec_list *list)
{
   return nir_cf_node_as_block(exec_node_data(nir_cf_node, exec_list_get_tail(list), node));
}

static nir_block *
block_behind(nir_if *nif)
{
   return nir_cf_node_as_block(nir_cf_node_next(&nif->cf_node));
}

/* Store a value that leaves a block where it comes from: through the phis of a chain. */
static void
store_leaving(nir_builder *b, nir_block *block, nir_def *value, nir_def *reg)
{
   nir_if *nif = joined_if(block);
   nir_instr *parent = value->parent_instr;
   if (!nif) {
      b->cursor = nir_after_block_before_jump(block);
      if (parent->type != nir_instr_type_undef)
         nir_store_reg(b, value, reg);
      return;
   }
   nir_block *sides[2] = { nir_if_last_then_block(nif), nir_if_last_else_block(nif) };
   for (unsigned i = 0; i < 2; i++) {
      if (nir_block_ends_in_jump(sides[i]))
         continue;
      nir_def *from = value;
      if (parent->type == nir_instr_type_phi && parent->block == block)
         from = nir_phi_get_src_from_block(nir_instr_as_phi(parent), sides[i])->src.ssa;
      store_leaving(b, sides[i], from, reg);
   }
}

/* What the phis of a block choose becomes registers, read behind the whole chain. Phis of links
 * that those of the links before have chosen from are not used any more; others still are, where
 * all other ways end in jumps. */
static void
phis_to_registers(nir_builder *b, nir_block *block, nir_block *behind)
{
   nir_foreach_phi_safe(phi, block) {
      if (!nir_def_is_unused(&phi->def)) {
         nir_def *reg = nir_decl_reg(b, phi->def.num_components, phi->def.bit_size, 0);
         nir_foreach_phi_src(src, phi)
            store_leaving(b, src->pred, src->src.ssa, reg);
         b->cursor = nir_after_phis(behind);
         nir_def_rewrite_uses(&phi->def, nir_load_reg(b, reg));
      }
      nir_instr_remove(&phi->instr);
   }
}

/* The deeper side of an if. */
static struct exec_list *
deeper_side(nir_if *nif)
{
   return deepest(&nif->then_list) > deepest(&nif->else_list) ? &nif->then_list : &nif->else_list;
}

/* The side to cut off, at most `most` links down; they get no phis. NULL: no chain. */
static struct exec_list *
end_of_piece(nir_builder *b, nir_if *top, unsigned most)
{
   struct exec_list *side = deeper_side(top);
   if (most < CF_MIN_PIECE || !joined_if(last_block(side)))
      return NULL;
   phis_to_registers(b, block_behind(top), block_behind(top));
   for (unsigned links = 1; links < most; links++) {
      nir_block *last = last_block(side);
      nir_if *link = joined_if(last);
      if (!link)
         break;
      phis_to_registers(b, last, block_behind(top));
      side = deeper_side(link);
   }
   return side;
}

/* Cut a chain once. False: it is none. */
static bool
cut(nir_builder *b, nir_if *top, unsigned most)
{
   struct exec_list *side = end_of_piece(b, top, most);
   if (!side)
      return false;
   nir_def *rest = nir_decl_reg(b, 1, 1, 0);
   b->cursor = nir_before_cf_node(&top->cf_node);
   nir_store_reg(b, nir_imm_false(b), rest);

   nir_cf_list moved;
   nir_cf_list_extract(&moved, side);
   b->cursor = nir_before_cf_list(side);
   nir_store_reg(b, nir_imm_true(b), rest);

   b->cursor = nir_after_cf_node(&top->cf_node);
   nir_if *nif = nir_push_if(b, nir_load_reg(b, rest));
   nir_pop_if(b, nif);
   nir_cf_reinsert(&moved, nir_before_cf_list(&nif->then_list));
   return true;
}

/* depth: constructs around the list. A piece that is cut off is visited next. */
static bool
flatten_list(nir_builder *b, struct exec_list *list, unsigned depth)
{
   bool progress = false;
   foreach_list_typed(nir_cf_node, node, node, list) {
      if (node->type == nir_cf_node_loop)
         progress |= flatten_list(b, &nir_cf_node_as_loop(node)->body, depth + 1);
      if (node->type != nir_cf_node_if)
         continue;
      nir_if *nif = nir_cf_node_as_if(node);
      if (depth + deepest_of_if(nif) <= CF_MAX_NESTING)
         continue;
      const unsigned left = CF_MAX_NESTING - MIN2(depth, CF_MAX_NESTING);
      progress |= cut(b, nif, MAX2(left / CF_PIECE_SHARE, CF_MIN_PIECE));
      progress |= flatten_list(b, &nif->then_list, depth + 1);
      progress |= flatten_list(b, &nif->else_list, depth + 1);
   }
   return progress;
}

unsigned
cf_nir_depth(nir_shader *nir)
{
   return deepest(&nir_shader_get_entrypoint(nir)->body);
}

bool
cf_nir_flatten(nir_shader *nir)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   nir_builder b = nir_builder_create(impl);
   if (!flatten_list(&b, &impl->body, 0)) {
      nir_metadata_preserve(impl, nir_metadata_all);
      return false;
   }
   nir_metadata_preserve(impl, nir_metadata_none);
   nir_repair_ssa_impl(impl);
   nir_lower_reg_intrinsics_to_ssa_impl(impl);
   return true;
}
