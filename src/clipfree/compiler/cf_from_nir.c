/* SPDX-License-Identifier: MIT */
/*
 * NIR to IR: values, phis and control flow.
 *
 * Every scalar SSA value maps to one source operand: a virtual register, a constant, or a dword of
 * the default uniform block, so that moves, vectors and swizzles cost nothing. A value lives in a
 * scalar register if it is the same in all lanes and every instruction that makes it can write one.
 *
 * Phis: each has a register of its own, written at the end of every predecessor and copied into the
 * phi's value at the start of its block. No copy reads another phi's register, so their order does
 * not matter; cf_ra coalesces them.
 *
 * Scalar registers are written whenever the instruction is reached, and it is reached with no lane
 * left too: after the last lane took a `brk` inside an `if`, the rest of the loop's body is still
 * walked through. Hence
 *  - liveness of scalar registers (cf_liveness) follows the physical order of the code;
 *  - no value is defined in a loop and read outside (loop-closed SSA), where that walk could have
 * changed it;
 *  - a phi is a vector if that walk could write its register a second time: one with several ways
 * out of a loop or back to its start.
 */
#include "cf_from_nir.h"

#include <string.h>

#include "util/ralloc.h"
#include "util/u_math.h"

void
cf_select_fail(struct cf_select *s, const nir_instr *instr, const char *reason)
{
   if (s->ir->error)
      return;
   char *text = nir_instr_as_str(instr, s->ir->mem_ctx);
   cf_ir_fail(s->ir, ralloc_asprintf(s->ir->mem_ctx, "\"%s\": %s", text ? text : "?", reason));
}

struct cf_src
cf_value(struct cf_select *s, nir_def *def, unsigned c)
{
   struct cf_src *values = s->values[def->index];
   if (c >= def->num_components) { /* a fault of Mesa's: nothing has checked the NIR */
      cf_select_fail(s, def->parent_instr, "components that it has not are not supported");
      return cf_src_const(0);
   }
   return values ? values[c] : cf_src_const(0);
}

struct cf_src
cf_nir_src(struct cf_select *s, nir_src *src, unsigned c)
{
   return cf_value(s, src->ssa, c);
}

void
cf_set_value(struct cf_select *s, nir_def *def, unsigned c, struct cf_src value)
{
   if (!s->values[def->index])
      s->values[def->index] = rzalloc_array(s->ir->mem_ctx, struct cf_src, def->num_components);
   s->values[def->index][c] = value;
}

struct cf_src
cf_emit(struct cf_select *s, enum cf_op op, bool vector, unsigned count, const struct cf_src *src)
{
   for (unsigned i = 0; i < count; i++)
      vector |= cf_ir_src_is_vector(s->ir, src[i]);
   uint32_t dst = cf_ir_vreg(s->ir, !vector);
   cf_ir_append(s->ir, op, dst, count, src);
   return cf_src_vreg(dst);
}

/* ---- which values are vectors */

static bool
any_src_vector(nir_src *src, void *data)
{
   const struct cf_select *s = data;
   return !s->vector[src->ssa->index]; /* false ends nir_foreach_src: found one */
}

/* Beyond divergence, some instructions can only write vector registers. */
static bool
writes_vector(const nir_instr *instr)
{
   if (instr->type == nir_instr_type_tex)
      return true;
   if (instr->type != nir_instr_type_intrinsic)
      return false;
   switch (nir_instr_as_intrinsic(instr)->intrinsic) {
   case nir_intrinsic_load_ubo:
      return false;
   default:
      return true;
   }
}

/* Whether a phi must be a vector: see the head of this file. */
static bool
is_unsafe_phi(const nir_instr *instr)
{
   if (instr->type != nir_instr_type_phi)
      return false;
   unsigned ways = exec_list_length(&nir_instr_as_phi((nir_instr *)instr)->srcs);
   nir_cf_node *before = nir_cf_node_prev(&instr->block->cf_node);
   if (before)
      return before->type == nir_cf_node_loop && ways > 1;
   return ways > 2; /* a loop's first block */
}

static bool
mark_vectors_once(struct cf_select *s)
{
   bool progress = false;
   nir_foreach_block(block, nir_shader_get_entrypoint(s->nir)) {
      nir_foreach_instr(instr, block) {
         nir_def *def = nir_instr_def(instr);
         if (!def || s->vector[def->index])
            continue;
         if (def->divergent || writes_vector(instr) || is_unsafe_phi(instr) ||
             !nir_foreach_src(instr, any_src_vector, s)) {
            s->vector[def->index] = true;
            progress = true;
         }
      }
   }
   return progress;
}

/* ---- phis */

static uint32_t
phi_vreg(struct cf_select *s, nir_phi_instr *phi)
{
   uint32_t *vreg = &s->phi_vregs[phi->def.index];
   if (*vreg == CF_NO_VREG)
      *vreg = cf_ir_vreg(s->ir, !s->vector[phi->def.index]);
   return *vreg;
}

static void
copy_to_phis(struct cf_select *s, nir_block *block)
{
   for (unsigned i = 0; i < 2; i++) {
      if (!block->successors[i])
         continue;
      nir_foreach_phi(phi, block->successors[i]) {
         nir_phi_src *src = nir_phi_get_src_from_block(phi, block);
         struct cf_src value = cf_nir_src(s, &src->src, 0);
         s->ir->from = (struct cf_origin){ cf_phi_source_lines(phi, src), phi->instr.index };
         cf_ir_append(s->ir, CF_OP_MOV, phi_vreg(s, phi), 1, &value);
      }
   }
}

/* Phis were scalarised: each has one component. */
static void
select_phi(struct cf_select *s, nir_phi_instr *phi)
{
   struct cf_src p = cf_src_vreg(phi_vreg(s, phi));
   cf_set_value(s, &phi->def, 0, cf_emit1(s, CF_OP_MOV, false, p));
}

/* ---- blocks */

static void
select_const(struct cf_select *s, nir_load_const_instr *load)
{
   for (unsigned c = 0; c < load->def.num_components; c++) {
      uint64_t value = nir_const_value_as_uint(load->value[c], load->def.bit_size);
      if (load->def.bit_size == 1)
         value = value ? CF_TRUE : 0;
      cf_set_value(s, &load->def, c, cf_src_const(value));
   }
}

static void
select_undef(struct cf_select *s, nir_undef_instr *undef)
{
   for (unsigned c = 0; c < undef->def.num_components; c++)
      cf_set_value(s, &undef->def, c, cf_src_const(0));
}

static void
select_jump(struct cf_select *s, nir_jump_instr *jump)
{
   struct cf_src always = cf_src_const(CF_TRUE);
   if (jump->type == nir_jump_break)
      cf_ir_append(s->ir, CF_OP_BRK, CF_NO_VREG, 1, &always);
   else if (jump->type == nir_jump_continue)
      cf_ir_append(s->ir, CF_OP_CONT, CF_NO_VREG, 1, &always);
   else
      cf_select_fail(s, &jump->instr, "this kind of jump is not known");
}

static void
select_instr(struct cf_select *s, nir_instr *instr)
{
   nir_def *def = nir_instr_def(instr);
   s->ir->from = (struct cf_origin){ instr->lines, instr->index };
   if (def && def->bit_size > 32) {
      cf_select_fail(s, instr, "values of 64 bits are not supported");
      return;
   }
   switch (instr->type) {
   case nir_instr_type_alu:
      cf_select_alu(s, nir_instr_as_alu(instr));
      break;
   case nir_instr_type_intrinsic:
      cf_select_intrinsic(s, nir_instr_as_intrinsic(instr));
      break;
   case nir_instr_type_tex:
      cf_select_tex(s, nir_instr_as_tex(instr));
      break;
   case nir_instr_type_load_const:
      select_const(s, nir_instr_as_load_const(instr));
      break;
   case nir_instr_type_undef:
      select_undef(s, nir_instr_as_undef(instr));
      break;
   case nir_instr_type_phi:
      select_phi(s, nir_instr_as_phi(instr));
      break;
   case nir_instr_type_jump:
      break; /* after the copies to phis */
   default:
      cf_select_fail(s, instr, "this kind of instruction is not supported");
      break;
   }
}

static void
select_block(struct cf_select *s, nir_block *block)
{
   memset(s->addresses, 0, sizeof(s->addresses));
   nir_foreach_instr(instr, block)
      select_instr(s, instr);
   copy_to_phis(s, block);
   nir_instr *last = nir_block_last_instr(block);
   if (last && last->type == nir_instr_type_jump) {
      s->ir->from = (struct cf_origin){ last->lines, last->index };
      select_jump(s, nir_instr_as_jump(last));
   }
}

static void select_list(struct cf_select *s, struct exec_list *list);

static void
select_if(struct cf_select *s, nir_if *nif)
{
   struct cf_src condition = cf_nir_src(s, &nif->condition, 0);
   s->ir->from = (struct cf_origin){ nif->lines, 0 };
   cf_ir_append(s->ir, CF_OP_IF, CF_NO_VREG, 1, &condition);
   select_list(s, &nif->then_list);
   s->ir->from = (struct cf_origin){ nif->lines, 0 };
   cf_ir_append(s->ir, CF_OP_ELSE, CF_NO_VREG, 0, NULL);
   select_list(s, &nif->else_list);
   s->ir->from = (struct cf_origin){ nif->lines, 0 };
   cf_ir_append(s->ir, CF_OP_ENDIF, CF_NO_VREG, 0, NULL);
}

static void
select_loop(struct cf_select *s, nir_loop *loop)
{
   s->ir->from = (struct cf_origin){ loop->lines, 0 };
   cf_ir_append(s->ir, CF_OP_LOOP, CF_NO_VREG, 0, NULL);
   select_list(s, &loop->body);
   s->ir->from = (struct cf_origin){ loop->lines, 0 };
   cf_ir_append(s->ir, CF_OP_ENDLOOP, CF_NO_VREG, 0, NULL);
}

static void
select_list(struct cf_select *s, struct exec_list *list)
{
   foreach_list_typed(nir_cf_node, node, node, list) {
      switch (node->type) {
      case nir_cf_node_block:
         select_block(s, nir_cf_node_as_block(node));
         break;
      case nir_cf_node_if:
         select_if(s, nir_cf_node_as_if(node));
         break;
      case nir_cf_node_loop:
         select_loop(s, nir_cf_node_as_loop(node));
         break;
      default:
         cf_ir_fail(s->ir, "functions must be inlined");
         break;
      }
   }
}

struct cf_ir *
cf_from_nir(void *mem_ctx, struct nir_shader *nir, const struct cf_compile_options *options,
            struct cf_binary *binary)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   struct cf_ir *ir = cf_ir_create(mem_ctx);
   struct cf_select s = { .ir = ir, .nir = nir, .options = options, .binary = binary };

   s.values = rzalloc_array(ir, struct cf_src *, impl->ssa_alloc);
   s.vector = rzalloc_array(ir, bool, impl->ssa_alloc);
   s.phi_vregs = ralloc_array(ir, uint32_t, impl->ssa_alloc);
   memset(s.phi_vregs, 0xff, impl->ssa_alloc * sizeof(uint32_t));
   memset(s.attributes, 0xff, sizeof(s.attributes));
   while (mark_vectors_once(&s))
      ;

   ir->scratch_dwords = DIV_ROUND_UP(nir->scratch_size, 4);
   cf_fill_lines(impl);
   cf_select_inputs(&s);
   select_list(&s, &impl->body);
   ir->from = (struct cf_origin){ 0 };
   cf_ir_append(ir, CF_OP_END, CF_NO_VREG, 0, NULL);
   return ir;
}
