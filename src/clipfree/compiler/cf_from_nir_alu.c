/* SPDX-License-Identifier: MIT */
/*
 * NIR's ALU operations to those of the ISA. Nearly all have a counterpart. A multiplication whose
 * only readers are sums and differences is fused into them: fmad, fmsub and fsubm round twice, so
 * the result has the same bits.
 */
#include "cf_from_nir.h"

#include "cf_nir.h"
#include "clipfree/arith/cf_fp.h"
#include "util/u_math.h"

/* Operations with the same operands in the same order; 0 where there is none. */
static const uint8_t same_op[nir_num_opcodes] = {
   [nir_op_fadd] = CF_OP_FADD,
   [nir_op_fsub] = CF_OP_FSUB,
   [nir_op_fmul] = CF_OP_FMUL,
   [nir_op_fdiv] = CF_OP_FDIV,
   [nir_op_fmin] = CF_OP_FMIN,
   [nir_op_fmax] = CF_OP_FMAX,
   [nir_op_fneg] = CF_OP_FNEG,
   [nir_op_fabs] = CF_OP_FABS,
   [nir_op_fsat] = CF_OP_FSAT,
   [nir_op_ffloor] = CF_OP_FFLOOR,
   [nir_op_fceil] = CF_OP_FCEIL,
   [nir_op_ftrunc] = CF_OP_FTRUNC,
   [nir_op_fround_even] = CF_OP_FRNE,
   [nir_op_ffract] = CF_OP_FFRACT,
   [nir_op_fsign] = CF_OP_FSIGN,
   [nir_op_frcp] = CF_OP_FRCP,
   [nir_op_frsq] = CF_OP_FRSQ,
   [nir_op_fsqrt] = CF_OP_FSQRT,
   [nir_op_fexp2] = CF_OP_FEXP2,
   [nir_op_flog2] = CF_OP_FLOG2,
   [nir_op_fsin] = CF_OP_FSIN,
   [nir_op_fcos] = CF_OP_FCOS,
   [nir_op_flt32] = CF_OP_FLT,
   [nir_op_fge32] = CF_OP_FGE,
   [nir_op_feq32] = CF_OP_FEQ,
   [nir_op_fneu32] = CF_OP_FNE,
   [nir_op_ilt32] = CF_OP_ILT,
   [nir_op_ige32] = CF_OP_IGE,
   [nir_op_ieq32] = CF_OP_IEQ,
   [nir_op_ine32] = CF_OP_INE,
   [nir_op_ult32] = CF_OP_ULT,
   [nir_op_uge32] = CF_OP_UGE,
   [nir_op_iadd] = CF_OP_IADD,
   [nir_op_isub] = CF_OP_ISUB,
   [nir_op_imul] = CF_OP_IMUL,
   [nir_op_amul] = CF_OP_IMUL,
   [nir_op_imul_high] = CF_OP_IMULH,
   [nir_op_umul_high] = CF_OP_UMULH,
   [nir_op_imad] = CF_OP_IMAD,
   [nir_op_ineg] = CF_OP_INEG,
   [nir_op_iabs] = CF_OP_IABS,
   [nir_op_imin] = CF_OP_IMIN,
   [nir_op_imax] = CF_OP_IMAX,
   [nir_op_umin] = CF_OP_UMIN,
   [nir_op_umax] = CF_OP_UMAX,
   [nir_op_udiv] = CF_OP_UDIV,
   [nir_op_umod] = CF_OP_UMOD,
   [nir_op_idiv] = CF_OP_IDIV,
   [nir_op_irem] = CF_OP_IREM,
   [nir_op_imod] = CF_OP_IMOD,
   [nir_op_iand] = CF_OP_AND,
   [nir_op_ior] = CF_OP_OR,
   [nir_op_ixor] = CF_OP_XOR,
   [nir_op_inot] = CF_OP_NOT,
   [nir_op_ishl] = CF_OP_SHL,
   [nir_op_ushr] = CF_OP_SHR,
   [nir_op_ishr] = CF_OP_ASR,
   [nir_op_f2i32] = CF_OP_F2I,
   [nir_op_f2u32] = CF_OP_F2U,
   [nir_op_i2f32] = CF_OP_I2F,
   [nir_op_u2f32] = CF_OP_U2F,
   [nir_op_b2f32] = CF_OP_B2F,
   [nir_op_b2i32] = CF_OP_B2I,
   [nir_op_b32csel] = CF_OP_SEL,
   [nir_op_unpack_half_2x16_split_x] = CF_OP_H2F,
};

static struct cf_src
alu_src(struct cf_select *s, nir_alu_instr *alu, unsigned i)
{
   return cf_value(s, alu->src[i].src.ssa, alu->src[i].swizzle[0]);
}

static bool
adds_or_subtracts(const nir_src *use)
{
   if (nir_src_is_if(use))
      return false;
   nir_instr *reader = nir_src_parent_instr((nir_src *)use);
   if (reader->type != nir_instr_type_alu)
      return false;
   nir_op op = nir_instr_as_alu(reader)->op;
   return op == nir_op_fadd || op == nir_op_fsub;
}

/* The multiplication behind source i if it disappears by fusing it into all its readers. */
static nir_alu_instr *
fusable_mul(nir_alu_instr *alu, unsigned i)
{
   nir_alu_instr *mul = nir_src_as_alu_instr(alu->src[i].src);
   if (!mul || mul->op != nir_op_fmul)
      return NULL;
   nir_foreach_use_including_if(use, &mul->def) {
      if (!adds_or_subtracts(use))
         return NULL;
   }
   return mul;
}

/* a * b + c, a * b - c or c - a * b. */
static bool
select_fused(struct cf_select *s, nir_alu_instr *alu)
{
   for (unsigned i = 0; i < 2; i++) {
      nir_alu_instr *mul = fusable_mul(alu, i);
      if (mul) {
         enum cf_op op = alu->op == nir_op_fadd ? CF_OP_FMAD : i == 0 ? CF_OP_FMSUB : CF_OP_FSUBM;
         struct cf_src src[3] = { alu_src(s, mul, 0), alu_src(s, mul, 1), alu_src(s, alu, 1 - i) };
         cf_set_value(s, &alu->def, 0, cf_emit(s, op, s->vector[alu->def.index], 3, src));
         return true;
      }
   }
   return false;
}

/* Vectors and moves emit no code: their components are other names of their sources. */
static bool
select_rename(struct cf_select *s, nir_alu_instr *alu)
{
   if (alu->op == nir_op_mov) {
      for (unsigned c = 0; c < alu->def.num_components; c++)
         cf_set_value(s, &alu->def, c, cf_value(s, alu->src[0].src.ssa, alu->src[0].swizzle[c]));
      return true;
   }
   if (nir_op_is_vec(alu->op)) {
      for (unsigned c = 0; c < alu->def.num_components; c++)
         cf_set_value(s, &alu->def, c, alu_src(s, alu, c));
      return true;
   }
   return false;
}

/* Roundings of mediump and lowp (cf_nir_mediump.c). Registers hold 16-bit values as floats of 32
 * bits, so the way back is another name. */
static bool
select_rounding(struct cf_select *s, nir_alu_instr *alu)
{
   const bool low = alu->op == nir_op_fquantize2f16;
   struct cf_src value = alu_src(s, alu, 0);
   if (alu->op == nir_op_f2f16 || low)
      value = cf_emit2(s, CF_OP_FROUND, s->vector[alu->def.index], value,
                       cf_src_const(low ? CF_ROUND_LOW : cf_round_format_of(s->options->mediump)));
   else if (alu->op != nir_op_f2f32 || alu->src[0].src.ssa->bit_size != 16)
      return false;
   cf_set_value(s, &alu->def, 0, value);
   return true;
}

/* Operations that need two or three instructions. Half floats are kept in the low 16 bits. */
static bool
select_composed(struct cf_select *s, nir_alu_instr *alu)
{
   bool vector = s->vector[alu->def.index];
   struct cf_src a = alu_src(s, alu, 0), r;

   switch (alu->op) {
   case nir_op_unpack_half_2x16_split_y:
      r = cf_emit1(s, CF_OP_H2F, vector, cf_emit2(s, CF_OP_SHR, vector, a, cf_src_const(16)));
      break;
   case nir_op_pack_half_2x16_split: {
      struct cf_src high = cf_emit1(s, CF_OP_F2H, vector, alu_src(s, alu, 1));
      high = cf_emit2(s, CF_OP_SHL, vector, high, cf_src_const(16));
      r = cf_emit2(s, CF_OP_OR, vector, cf_emit1(s, CF_OP_F2H, vector, a), high);
      break;
   }
   case nir_op_fisfinite32:
      r = cf_emit2(s, CF_OP_FLT, vector, cf_emit1(s, CF_OP_FABS, vector, a),
                   cf_src_const(0x7f800000));
      break;
   default:
      return false;
   }
   cf_set_value(s, &alu->def, 0, r);
   return true;
}

void
cf_select_alu(struct cf_select *s, nir_alu_instr *alu)
{
   if (select_rename(s, alu))
      return;
   if (alu->def.num_components == 1 && select_rounding(s, alu))
      return;
   if (alu->def.num_components != 1 ||
       (alu->def.bit_size != 32 && alu->op != nir_op_unpack_half_2x16_split_x)) {
      cf_select_fail(s, &alu->instr, "only scalar operations of 32 bits are supported");
      return;
   }
   if ((alu->op == nir_op_fadd || alu->op == nir_op_fsub) && select_fused(s, alu))
      return;
   if (select_composed(s, alu))
      return;

   enum cf_op op = same_op[alu->op];
   if (!op) {
      cf_select_fail(s, &alu->instr, "this operation is not supported");
      return;
   }
   struct cf_src src[4];
   unsigned count = nir_op_infos[alu->op].num_inputs;
   for (unsigned i = 0; i < count; i++)
      src[i] = alu_src(s, alu, i);
   cf_set_value(s, &alu->def, 0, cf_emit(s, op, s->vector[alu->def.index], count, src));
}
