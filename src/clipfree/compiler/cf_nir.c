/* SPDX-License-Identifier: MIT */
/*
 * Lowering in NIR. cf_nir_options tells the state tracker and the linker which operations exist;
 * cf_finalize_nir does all that does not depend on state, once per shader; cf_nir_lower does the
 * rest, once per variant.
 *
 * Inputs and outputs arrive as intrinsics with semantics (nir_io_has_intrinsics), except from
 * internal shaders, whose variables are lowered here.
 */
#include "cf_nir.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "cf_compiler.h"
#include "cf_ir.h"
#include "nir_builder.h"

/* Arrays of temporaries up to this many elements are indexed with selects, longer ones live in
 * scratch. */
#define CF_MAX_SELECT_ARRAY 4

const struct nir_shader_compiler_options cf_nir_options = {
   .lower_ffma16 = true,
   .lower_ffma32 = true,
   .lower_ffma64 = true,
   .lower_flrp16 = true,
   .lower_flrp32 = true,
   .lower_flrp64 = true,
   .lower_fpow = true,
   .lower_fmod = true,
   .lower_bitfield_extract = true,
   .lower_bitfield_insert = true,
   .lower_bitfield_reverse = true,
   .lower_bit_count = true,
   .lower_ifind_msb = true,
   .lower_ufind_msb = true,
   .lower_find_lsb = true,
   .lower_uadd_carry = true,
   .lower_usub_borrow = true,
   .lower_fisnormal = true,
   .lower_scmp = true,
   .lower_vector_cmp = true,
   .lower_isign = true,
   .lower_fdph = true,
   .lower_ldexp = true,
   .lower_pack_half_2x16 = true,
   .lower_pack_unorm_2x16 = true,
   .lower_pack_snorm_2x16 = true,
   .lower_pack_unorm_4x8 = true,
   .lower_pack_snorm_4x8 = true,
   .lower_pack_split = true,
   .lower_unpack_half_2x16 = true,
   .lower_unpack_unorm_2x16 = true,
   .lower_unpack_snorm_2x16 = true,
   .lower_unpack_unorm_4x8 = true,
   .lower_unpack_snorm_4x8 = true,
   .lower_extract_byte = true,
   .lower_extract_word = true,
   .lower_insert_byte = true,
   .lower_insert_word = true,
   .lower_device_index_to_zero = true,
   .lower_hadd = true,
   .lower_uadd_sat = true,
   .lower_usub_sat = true,
   .lower_iadd_sat = true,
   .lower_mul_32x16 = true,
   .lower_mul_2x32_64 = true,
   .lower_to_scalar = true,
   .lower_interpolate_at = true,
   .lower_uniforms_to_ubo = true,
   .lower_int64_options = ~0,
   .lower_doubles_options = ~0,
   .has_fsub = true,
   .has_isub = true,
   .has_imad32 = true,
   .has_ddx_intrinsics = true,
   .scalarize_ddx = true,
   .max_unroll_iterations = 32,
   .force_indirect_unrolling_sampler = true,
   .support_indirect_inputs = BITFIELD_BIT(MESA_SHADER_GEOMETRY),
   .io_options = nir_io_has_intrinsics | nir_io_mediump_is_32bit,
};

/* Texel offsets of fetches, and of rectangles, become part of the coordinates. Other offsets,
 * projection and gradients stay: the texture unit has them. */
static void
lower_textures(nir_shader *nir)
{
   const nir_lower_tex_options options = {
      .lower_txf_offset = true,
      .lower_invalid_implicit_lod = true,
   };
   NIR_PASS(_, nir, nir_lower_samplers);
   NIR_PASS(_, nir, nir_lower_tex, &options);
}

/* A pass that may be left out (cf_passes.h). */
#define OPTIONAL(number, progress, nir, pass, ...)                                                 \
   do {                                                                                            \
      if (!(off & BITFIELD_BIT(number)))                                                           \
         NIR_PASS(progress, nir, pass, ##__VA_ARGS__);                                             \
   } while (0)

/* Without several of the passes the others may undo each other for ever. */
#define MAX_ROUNDS_WITHOUT 64

static void
optimize(nir_shader *nir, uint32_t off)
{
   bool progress;
   unsigned rounds = 0;
   do {
      progress = false;
      NIR_PASS(progress, nir, nir_lower_vars_to_ssa);
      OPTIONAL(CF_PASS_COPY_PROP_VARS, progress, nir, nir_opt_copy_prop_vars);
      OPTIONAL(CF_PASS_DEAD_WRITE_VARS, progress, nir, nir_opt_dead_write_vars);
      NIR_PASS(progress, nir, nir_lower_alu_to_scalar, NULL, NULL);
      NIR_PASS(progress, nir, nir_lower_phis_to_scalar, true);
      NIR_PASS(progress, nir, nir_copy_prop);
      NIR_PASS(progress, nir, nir_opt_remove_phis);
      NIR_PASS(progress, nir, nir_opt_dce);
      OPTIONAL(CF_PASS_DEAD_CF, progress, nir, nir_opt_dead_cf);
      OPTIONAL(CF_PASS_LOOP, progress, nir, nir_opt_loop);
      OPTIONAL(CF_PASS_IF, progress, nir, nir_opt_if, 0);
      OPTIONAL(CF_PASS_CSE, progress, nir, nir_opt_cse);
      OPTIONAL(CF_PASS_PEEPHOLE_SELECT, progress, nir, nir_opt_peephole_select, 12, true, true);
      OPTIONAL(CF_PASS_INTRINSICS, progress, nir, nir_opt_intrinsics);
      NIR_PASS(progress, nir, nir_opt_algebraic);
      NIR_PASS(progress, nir, nir_opt_constant_folding);
      OPTIONAL(CF_PASS_UNDEF, progress, nir, nir_opt_undef);
      OPTIONAL(CF_PASS_CONDITIONAL_DISCARD, progress, nir, nir_opt_conditional_discard);
      OPTIONAL(CF_PASS_LOOP_UNROLL, progress, nir, nir_opt_loop_unroll);
   } while (progress && (!off || ++rounds < MAX_ROUNDS_WITHOUT));
}

static void
lower_flrp(nir_shader *nir)
{
   if (!nir->info.flrp_lowered)
      NIR_PASS(_, nir, nir_lower_flrp, 16 | 32 | 64, false);
   nir->info.flrp_lowered = true;
}

/* The first passes of both entry points. Idempotent. */
static void
lower_early(nir_shader *nir)
{
   NIR_PASS(_, nir, nir_lower_returns);
   NIR_PASS(_, nir, nir_lower_global_vars_to_local);
   NIR_PASS(_, nir, nir_split_var_copies);
   NIR_PASS(_, nir, nir_lower_var_copies);
   if (!nir->info.io_lowered)
      nir_lower_io_passes(nir, false);
   NIR_PASS(_, nir, nir_lower_system_values);
   lower_textures(nir);
   NIR_PASS(_, nir, nir_lower_vars_to_ssa);
   NIR_PASS(_, nir, nir_lower_frexp);
   NIR_PASS(_, nir, nir_lower_pack);
   NIR_PASS(_, nir, nir_lower_alu_to_scalar, NULL, NULL);
   lower_flrp(nir);
}

void
cf_finalize_nir(struct nir_shader *nir, uint32_t passes_off, enum cf_mediump mediump)
{
   lower_early(nir);
   if (mediump != CF_MEDIUMP_OFF) {
      NIR_PASS(_, nir, nir_opt_algebraic); /* what it lowers is rounded step by step */
      cf_nir_widen(nir, mediump);
   }
   optimize(nir, passes_off);
   NIR_PASS(_, nir, nir_remove_dead_variables, nir_var_function_temp | nir_var_shader_temp, NULL);
   nir_sweep(nir);
}

static void
lower_arrays(nir_shader *nir, uint32_t off)
{
   NIR_PASS(_, nir, nir_lower_indirect_derefs, nir_var_function_temp, CF_MAX_SELECT_ARRAY);
   optimize(nir, off);
   NIR_PASS(_, nir, nir_lower_vars_to_scratch, nir_var_function_temp, 0,
            glsl_get_natural_size_align_bytes, glsl_get_natural_size_align_bytes);
   NIR_PASS(_, nir, nir_remove_dead_variables, nir_var_function_temp, NULL);
}

/* Ordered comparisons with zero flush denormals to zero, as GLSL allows for any operation, so that
 * an underflowed value is not above zero. It costs nothing: 0 < x becomes x >= FLT_MIN. */
static bool
lower_zero_comparison(nir_builder *b, nir_alu_instr *alu, UNUSED void *data)
{
   if ((alu->op != nir_op_flt && alu->op != nir_op_fge) || alu->src[0].src.ssa->bit_size != 32)
      return false;
   for (unsigned i = 0; i < 2; i++) {
      nir_scalar zero = nir_get_scalar(alu->src[i].src.ssa, alu->src[i].swizzle[0]);
      if (!nir_scalar_is_const(zero) || nir_scalar_as_float(zero) != 0.0)
         continue;
      b->cursor = nir_before_instr(&alu->instr);
      nir_def *x = nir_ssa_for_alu_src(b, alu, 1 - i);
      nir_def *bound = nir_imm_float(b, i == 0 ? FLT_MIN : -FLT_MIN);
      nir_op opposite = alu->op == nir_op_flt ? nir_op_fge : nir_op_flt;
      nir_def_replace(&alu->def, i == 0 ? nir_build_alu2(b, opposite, x, bound)
                                        : nir_build_alu2(b, opposite, bound, x));
      return true;
   }
   return false;
}

/* Division by a power of two becomes an exact multiplication. */
static bool
lower_exact_division(nir_builder *b, nir_alu_instr *alu, UNUSED void *data)
{
   if (alu->op != nir_op_fdiv || alu->def.bit_size != 32)
      return false;
   nir_scalar divisor = nir_get_scalar(alu->src[1].src.ssa, alu->src[1].swizzle[0]);
   int exponent;
   if (!nir_scalar_is_const(divisor) ||
       fabs(frexp(nir_scalar_as_float(divisor), &exponent)) != 0.5 || abs(exponent) > 100)
      return false;
   b->cursor = nir_before_instr(&alu->instr);
   nir_def *factor = nir_imm_float(b, (float)(1 / nir_scalar_as_float(divisor)));
   nir_def_replace(&alu->def, nir_fmul(b, nir_ssa_for_alu_src(b, alu, 0), factor));
   return true;
}

static void
optimize_late(nir_shader *nir, uint32_t off)
{
   bool progress;
   do {
      progress = false;
      NIR_PASS(progress, nir, nir_opt_algebraic_late);
      NIR_PASS(_, nir, nir_opt_constant_folding);
      NIR_PASS(_, nir, nir_lower_alu_to_scalar, NULL, NULL);
      NIR_PASS(_, nir, nir_copy_prop);
      NIR_PASS(_, nir, nir_opt_dce);
      OPTIONAL(CF_PASS_CSE, _, nir, nir_opt_cse);
   } while (progress);

   OPTIONAL(CF_PASS_EXACT_DIVISION, _, nir, nir_shader_alu_pass, lower_exact_division,
            nir_metadata_control_flow, NULL);
   OPTIONAL(CF_PASS_ZERO_COMPARISON, _, nir, nir_shader_alu_pass, lower_zero_comparison,
            nir_metadata_control_flow, NULL);
   NIR_PASS(_, nir, nir_lower_bool_to_int32);
   NIR_PASS(_, nir, nir_copy_prop);
   OPTIONAL(CF_PASS_CSE, _, nir, nir_opt_cse);
   NIR_PASS(_, nir, nir_opt_dce);
}

/* Values that become operands and cost no instruction: constants and uniforms. */
static bool
is_operand(nir_instr *instr)
{
   if (instr->type == nir_instr_type_load_const || instr->type == nir_instr_type_undef)
      return true;
   if (instr->type != nir_instr_type_intrinsic)
      return false;
   nir_intrinsic_instr *load = nir_instr_as_intrinsic(instr);
   return load->intrinsic == nir_intrinsic_load_ubo && nir_src_is_const(load->src[0]) &&
          nir_src_as_uint(load->src[0]) == 0 && nir_src_is_const(load->src[1]) &&
          nir_src_as_uint(load->src[1]) / 4 + load->def.num_components <= CF_UNIFORM_OPERANDS;
}

/* Move operands to the start: one defined in a loop would leave it through a phi. */
static void
hoist_operands(nir_shader *nir)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   nir_cursor cursor = nir_before_impl(impl);
   nir_foreach_block(block, impl) {
      nir_foreach_instr_safe(instr, block) {
         if (is_operand(instr)) {
            nir_instr_move(cursor, instr);
            cursor = nir_after_instr(instr);
         }
      }
   }
   nir_metadata_preserve(impl, nir_metadata_control_flow);
}

/* After this, no pass may make chains again. */
static void
flatten(nir_shader *nir)
{
   if (cf_nir_depth(nir) <= CF_MAX_NESTING)
      return;
   hoist_operands(nir); /* so that pieces share them */
   NIR_PASS(_, nir, cf_nir_flatten);
   NIR_PASS(_, nir, nir_opt_remove_phis);
   NIR_PASS(_, nir, nir_lower_phis_to_scalar, true);
}

const char *
cf_nir_lower(nir_shader *nir, uint32_t off, struct cf_binary *binary)
{
   const bool geometry = nir->info.stage == MESA_SHADER_GEOMETRY;
   const char *error = NULL;
   lower_early(nir);
   optimize(nir, off);
   if (geometry)
      cf_nir_reserve_geometry(nir, binary);
   lower_arrays(nir, off);
   optimize(nir, off);
   if (geometry) {
      error = cf_nir_lower_geometry(nir, binary);
      optimize(nir, off);
   }
   flatten(nir);
   OPTIONAL(CF_PASS_LICM, _, nir, nir_opt_licm);
   optimize_late(nir, off);

   /* Shorter live ranges. Inputs are not sunk into branches: the JIT interpolates those outside all
    * branches together. */
   const nir_move_options move = nir_move_comparisons | nir_move_copies;
   OPTIONAL(CF_PASS_SINK, _, nir, nir_opt_sink, move);
   OPTIONAL(CF_PASS_MOVE, _, nir, nir_opt_move, move | nir_move_load_input);
   hoist_operands(nir);

   /* Values that leave a loop do so through phis, invariant ones too: what cf_from_nir needs to put
    * values in scalar registers. */
   NIR_PASS(_, nir, nir_convert_to_lcssa, false, false);
   NIR_PASS(_, nir, nir_lower_phis_to_scalar, true);
   nir_divergence_analysis(nir);
   nir_index_ssa_defs(nir_shader_get_entrypoint(nir));
   return error;
}
