/* SPDX-License-Identifier: MIT */
/*
 * Texture instructions. Operands s, t, r, q as in isa.toml: the coordinates, then the layer of
 * array textures. The reference of shadow textures is r, or q where r is used. A free q holds the
 * mode's operand: level, sample, bias or projection.
 */
#include "cf_from_nir.h"

#include "clipfree/interface/cf_limits.h"

#include "util/u_math.h"

struct tex_operands {
   struct cf_src s, t, r, q;
   bool q_taken; /* q holds the reference */
   struct cf_src level; /* the level or bias, where q is taken */
};

static struct cf_src
tex_src(struct cf_select *s, nir_tex_instr *tex, nir_tex_src_type type, unsigned c)
{
   int i = nir_tex_instr_src_index(tex, type);
   return i < 0 ? cf_src_const(0) : cf_nir_src(s, &tex->src[i].src, c);
}

static bool
has_src(const nir_tex_instr *tex, nir_tex_src_type type)
{
   return nir_tex_instr_src_index(tex, type) >= 0;
}

static struct tex_operands
coordinates(struct cf_select *s, nir_tex_instr *tex)
{
   struct cf_src zero = cf_src_const(0);
   struct tex_operands o = { zero, zero, zero, zero, false, zero };
   if (!has_src(tex, nir_tex_src_coord))
      return o;

   unsigned axes = tex->coord_components - tex->is_array;
   o.s = tex_src(s, tex, nir_tex_src_coord, 0);
   if (axes > 1)
      o.t = tex_src(s, tex, nir_tex_src_coord, 1);
   if (axes > 2)
      o.r = tex_src(s, tex, nir_tex_src_coord, 2);
   if (tex->is_array && axes < 3)
      *(axes == 1 ? &o.t : &o.r) = tex_src(s, tex, nir_tex_src_coord, axes);
   if (has_src(tex, nir_tex_src_comparator)) {
      struct cf_src reference = tex_src(s, tex, nir_tex_src_comparator, 0);
      o.q_taken = tex->coord_components > 2;
      *(o.q_taken ? &o.q : &o.r) = reference;
   }
   return o;
}

/* Project in the program where q is already used. */
static void
divide(struct cf_select *s, nir_tex_instr *tex, struct tex_operands *o)
{
   struct cf_src projector = tex_src(s, tex, nir_tex_src_projector, 0);
   struct cf_src *operand[3] = { &o->s, &o->t, &o->r };
   for (unsigned i = 0; i < 3; i++) {
      bool constant_0 = operand[i]->kind == CF_SRC_CONST && operand[i]->value == 0;
      if (!constant_0)
         *operand[i] = cf_emit2(s, CF_OP_FDIV, true, *operand[i], projector);
   }
}

/* Choose the mode and set q. False: the ISA lacks this combination. */
static bool
mode_of(struct cf_select *s, nir_tex_instr *tex, struct tex_operands *o, enum cf_texmode *mode)
{
   bool project = has_src(tex, nir_tex_src_projector);
   nir_tex_src_type source = 0;

   switch (tex->op) {
   case nir_texop_tex:
      *mode = project && !o->q_taken ? CF_TEXMODE_PROJ : CF_TEXMODE_IMPLICIT;
      break;
   case nir_texop_txb:
      *mode = CF_TEXMODE_BIAS;
      source = nir_tex_src_bias;
      break;
   case nir_texop_txl:
      *mode = CF_TEXMODE_LOD;
      source = nir_tex_src_lod;
      break;
   case nir_texop_txd:
      *mode = CF_TEXMODE_GRAD;
      break;
   case nir_texop_txf:
      *mode = CF_TEXMODE_FETCH;
      source = nir_tex_src_lod;
      break;
   case nir_texop_txf_ms:
      *mode = CF_TEXMODE_FETCH;
      source = nir_tex_src_ms_index;
      break;
   case nir_texop_txs:
      *mode = CF_TEXMODE_SIZE;
      source = nir_tex_src_lod;
      break;
   case nir_texop_query_levels:
      *mode = CF_TEXMODE_SIZE;
      break;
   case nir_texop_lod:
      *mode = CF_TEXMODE_QUERY_LOD;
      break;
   default:
      return false;
   }
   if (*mode == CF_TEXMODE_PROJ) {
      o->q = tex_src(s, tex, nir_tex_src_projector, 0);
      return true;
   }
   if (project)
      divide(s, tex, o);
   if (source) {
      struct cf_src q = tex_src(s, tex, source, 0);
      *(o->q_taken ? &o->level : &o->q) = q;
   }
   return true;
}

/* The texel offsets as one dword, a byte for each axis. */
static struct cf_src
packed_offsets(struct cf_select *s, nir_tex_instr *tex)
{
   const int i = nir_tex_instr_src_index(tex, nir_tex_src_offset);
   struct cf_src packed = cf_src_const(0);
   if (i < 0)
      return packed;
   for (unsigned c = 0; c < nir_tex_instr_src_size(tex, i); c++) {
      const nir_scalar offset = nir_scalar_resolved(tex->src[i].src.ssa, c);
      if (!nir_scalar_is_const(offset)) {
         cf_select_fail(s, &tex->instr, "texel offsets must be constant");
         return packed;
      }
      packed.value |= (nir_scalar_as_uint(offset) & 0xff) << 8 * c;
   }
   return packed;
}

/* Set the further operands of a mode; of gradients those of missing coordinates to 0, since the
 * instruction does not know the texture's dimensions. */
static void
set_operands(struct cf_select *s, nir_tex_instr *tex, const struct tex_operands *o,
             enum cf_texmode mode)
{
   const unsigned axes = tex->coord_components - tex->is_array;
   u_foreach_bit(i, cf_tex_operands(mode)) {
      const nir_tex_src_type source = i < 3 ? nir_tex_src_ddx : nir_tex_src_ddy;
      struct cf_src value = cf_src_const(0);
      if (i == CF_OPERAND_LEVEL)
         value = o->level;
      else if (i == CF_OPERAND_OFFSETS)
         value = packed_offsets(s, tex);
      else if (i % 3 < axes)
         value = tex_src(s, tex, source, i % 3);
      cf_ir_append(s->ir, CF_OP_GRAD, CF_NO_VREG, 1, &value)->index = i;
   }
}

/* Whether the instruction needs a mode with offsets. */
static bool
is_mode_at(const nir_tex_instr *tex, const struct tex_operands *o)
{
   const bool level = tex->op == nir_texop_txb || tex->op == nir_texop_txl;
   return has_src(tex, nir_tex_src_offset) || (o->q_taken && level);
}

/* The component of the texture unit's result for NIR's component c. */
static unsigned
result_component(const nir_tex_instr *tex, unsigned c)
{
   if (tex->op == nir_texop_query_levels)
      return 3;
   if (tex->op == nir_texop_txs && tex->is_array && c + 1u == tex->def.num_components)
      return 2; /* layers */
   return c;
}

void
cf_select_tex(struct cf_select *s, nir_tex_instr *tex)
{
   for (unsigned i = 0; i < tex->num_srcs; i++) {
      nir_tex_src_type type = tex->src[i].src_type;
      if (type == nir_tex_src_texture_offset || type == nir_tex_src_sampler_offset ||
          type == nir_tex_src_texture_handle) {
         cf_select_fail(s, &tex->instr, "samplers cannot be indexed at run time");
         return;
      }
   }
   struct tex_operands o = coordinates(s, tex);
   enum cf_texmode mode;
   if (!mode_of(s, tex, &o, &mode) || tex->texture_index >= CF_MAX_TEXTURE_UNITS) {
      cf_select_fail(s, &tex->instr, "this texture instruction is not supported");
      return;
   }
   if (mode == CF_TEXMODE_IMPLICIT || mode == CF_TEXMODE_BIAS || mode == CF_TEXMODE_PROJ ||
       mode == CF_TEXMODE_QUERY_LOD)
      s->binary->program.needs_helpers |= s->nir->info.stage == MESA_SHADER_FRAGMENT;

   if (is_mode_at(tex, &o))
      mode |= 1;
   set_operands(s, tex, &o, mode);
   uint32_t group = cf_ir_group(s->ir);
   struct cf_src src[4] = { o.s, o.t, o.r, o.q };
   struct cf_ir_instr *instr = cf_ir_append(s->ir, CF_OP_TEX, group, 4, src);
   instr->unit = tex->texture_index;
   instr->mode = mode;
   for (unsigned c = 0; c < tex->def.num_components; c++) {
      instr->mask |= 1u << result_component(tex, c);
      cf_set_value(s, &tex->def, c, cf_src_vreg(group + result_component(tex, c)));
   }
}
