/* SPDX-License-Identifier: MIT */
/*
 * mediump and lowp as Mesa's front end lowers them, floats of 16 bits, to what the GPU has: floats
 * of 32 bits that hold the same numbers. An operation becomes that of 32 bits, with a rounding
 * after it, f2f32(f2f16(x)): of sums, products, quotients and square roots of binary16 numbers the
 * same as one rounding, since 24 bits are at least 2 * 11 + 2. There is no fused multiply-add.
 * What the rounding rounds to is chosen when instructions are selected.
 */
#include "cf_nir.h"

#include "clipfree/arith/cf_fp.h"
#include "nir_builder.h"
#include "util/half_float.h"

/* Exact, or Mesa would remove it as a conversion to and fro. */
static nir_def *
rounded(nir_builder *b, nir_def *x)
{
   b->exact = true;
   nir_def *value = nir_f2f32(b, nir_f2f16(b, x));
   b->exact = false;
   return value;
}

/* Operations whose results are numbers of the format if their operands are. */
static bool
is_exact(nir_op op)
{
   switch (op) {
   case nir_op_mov:
   case nir_op_bcsel:
   case nir_op_fneg:
   case nir_op_fabs:
   case nir_op_fmin:
   case nir_op_fmax:
   case nir_op_fsat:
   case nir_op_fsign:
   case nir_op_ffloor:
   case nir_op_fceil:
   case nir_op_ftrunc:
   case nir_op_fround_even:
      return true;
   default:
      return nir_op_is_vec(op);
   }
}

/* Conversions to 16 bits, by what they convert. */
static nir_def *
converted(nir_builder *b, nir_alu_instr *alu)
{
   nir_def *x = nir_ssa_for_alu_src(b, alu, 0);
   switch (alu->op) {
   case nir_op_f2f16:
   case nir_op_f2fmp:
      return rounded(b, x);
   case nir_op_i2f16:
   case nir_op_i2fmp:
      return rounded(b, nir_i2f32(b, x));
   case nir_op_u2f16:
   case nir_op_u2fmp:
      return rounded(b, nir_u2f32(b, x));
   case nir_op_b2f16:
      return nir_b2f32(b, x);
   default:
      return NULL;
   }
}

static bool
widen_alu(nir_builder *b, nir_alu_instr *alu)
{
   b->cursor = nir_before_instr(&alu->instr);
   b->lines = alu->instr.lines;
   if (alu->op == nir_op_f2f32 && alu->src[0].src.ssa->bit_size == 32) {
      alu->op = nir_op_mov; /* its operand was widened */
      return true;
   }
   if (alu->def.bit_size != 16)
      return false;
   nir_def *value = converted(b, alu);
   if (value) {
      nir_def_replace(&alu->def, value);
      return true;
   }
   alu->def.bit_size = 32;
   if (!is_exact(alu->op)) {
      b->cursor = nir_after_instr(&alu->instr);
      value = rounded(b, &alu->def);
      nir_def_rewrite_uses_after(&alu->def, value, value->parent_instr);
   }
   return true;
}

uint32_t
cf_round_format_of(enum cf_mediump mediump)
{
   static const uint8_t formats[] = {
      [CF_MEDIUMP_OFF] = CF_ROUND_HALF,
      [CF_MEDIUMP_FP16] = CF_ROUND_HALF,
      [CF_MEDIUMP_FP16_FLUSHED] = CF_ROUND_HALF_FLUSHED,
      [CF_MEDIUMP_FP10] = CF_ROUND_LEAST,
   };
   return formats[mediump];
}

static bool
widen_constant(nir_builder *b, nir_load_const_instr *load, enum cf_mediump mediump)
{
   nir_const_value value[NIR_MAX_VEC_COMPONENTS];
   if (load->def.bit_size != 16)
      return false;
   for (unsigned c = 0; c < load->def.num_components; c++) {
      const float half = _mesa_half_to_float(load->value[c].u16);
      value[c].u32 = cf_bits(cf_round_to(half, cf_round_format_of(mediump)));
   }
   b->cursor = nir_before_instr(&load->instr);
   b->lines = load->instr.lines;
   nir_def_replace(&load->def, nir_build_imm(b, load->def.num_components, 32, value));
   return true;
}

/* Derivatives are computed; what is loaded from a variable was rounded when it was stored. */
static bool
widen_intrinsic(nir_builder *b, nir_intrinsic_instr *intrinsic)
{
   if (!nir_intrinsic_infos[intrinsic->intrinsic].has_dest || intrinsic->def.bit_size != 16)
      return false;
   intrinsic->def.bit_size = 32;
   if (intrinsic->intrinsic != nir_intrinsic_load_deref) {
      b->cursor = nir_after_instr(&intrinsic->instr);
      b->lines = intrinsic->instr.lines;
      nir_def *value = rounded(b, &intrinsic->def);
      nir_def_rewrite_uses_after(&intrinsic->def, value, value->parent_instr);
   }
   return true;
}

static bool
widen(nir_builder *b, nir_instr *instr, void *data)
{
   const enum cf_mediump *mediump = data;
   nir_def *def = nir_instr_def(instr);
   switch (instr->type) {
   case nir_instr_type_alu:
      return widen_alu(b, nir_instr_as_alu(instr));
   case nir_instr_type_load_const:
      return widen_constant(b, nir_instr_as_load_const(instr), *mediump);
   case nir_instr_type_intrinsic:
      return widen_intrinsic(b, nir_instr_as_intrinsic(instr));
   case nir_instr_type_phi:
   case nir_instr_type_undef:
      if (def->bit_size != 16)
         return false;
      def->bit_size = 32;
      return true;
   default:
      return false;
   }
}

static const struct glsl_type *
widened_type(const struct glsl_type *type)
{
   if (glsl_type_is_array(type))
      return glsl_array_type(widened_type(glsl_get_array_element(type)), glsl_get_length(type),
                             glsl_get_explicit_stride(type));
   if (glsl_get_base_type(type) != GLSL_TYPE_FLOAT16)
      return type;
   return glsl_simple_type(GLSL_TYPE_FLOAT, glsl_get_vector_elements(type),
                           glsl_get_matrix_columns(type));
}

void
cf_nir_widen(nir_shader *nir, enum cf_mediump mediump)
{
   nir_foreach_function_impl(impl, nir)
   {
      nir_foreach_function_temp_variable(var, impl) var->type = widened_type(var->type);
   }
   nir_foreach_variable_with_modes(var, nir, nir_var_shader_temp) var->type =
      widened_type(var->type);
   nir_fixup_deref_types(nir);
   NIR_PASS(_, nir, nir_shader_instructions_pass, widen, nir_metadata_control_flow, &mediump);
}
