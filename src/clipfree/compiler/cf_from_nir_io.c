/* SPDX-License-Identifier: MIT */
/*
 * NIR's intrinsics: inputs, outputs, system values, constant buffers, scratch, derivatives,
 * discard.
 *
 * Varying slots are numbered by increasing VARYING_SLOT_*; the numbers and locations go to the
 * binary for linking. Vertex attributes are loaded once, at the start.
 */
#include "cf_from_nir.h"
#include "cf_nir.h"

#include "util/bitscan.h"
#include "util/bitset.h"
#include "util/ralloc.h"
#include "util/u_math.h"

/* ---- varying slots */

static unsigned
io_location(const nir_intrinsic_instr *io)
{
   nir_src *offset = nir_get_io_offset_src((nir_intrinsic_instr *)io);
   return nir_intrinsic_io_semantics(io).location +
          (nir_src_is_const(*offset) ? nir_src_as_uint(*offset) : 0);
}

static bool
is_io(const nir_instr *instr, gl_shader_stage stage)
{
   if (instr->type != nir_instr_type_intrinsic)
      return false;
   nir_intrinsic_op op = nir_instr_as_intrinsic(instr)->intrinsic;
   if (stage == MESA_SHADER_VERTEX)
      return op == nir_intrinsic_store_output;
   return op == nir_intrinsic_load_input || op == nir_intrinsic_load_interpolated_input;
}

/* Locations that the rasteriser would have to take into account, or to generate, and does not. */
#define UNKNOWN_LOCATIONS                                                                          \
   (VARYING_BIT_LAYER | VARYING_BIT_VIEWPORT | VARYING_BIT_VIEWPORT_MASK |                         \
    VARYING_BIT_PRIMITIVE_SHADING_RATE | VARYING_BIT_CULL_DIST0 | VARYING_BIT_CULL_DIST1)

/* Locations that do not take a varying slot. */
static uint64_t
special_locations(gl_shader_stage stage)
{
   if (stage == MESA_SHADER_VERTEX)
      return VARYING_BIT_POS | VARYING_BIT_PSIZ | VARYING_BIT_EDGE;
   return VARYING_BIT_POS | VARYING_BIT_FACE | VARYING_BIT_PNTC;
}

static void
number_varyings(struct cf_select *s)
{
   struct cf_binary *binary = s->binary;
   gl_shader_stage stage = s->nir->info.stage;
   uint64_t used = 0;

   nir_foreach_block(block, nir_shader_get_entrypoint(s->nir)) {
      nir_foreach_instr(instr, block) {
         if (is_io(instr, stage) && io_location(nir_instr_as_intrinsic(instr)) < 64)
            used |= BITFIELD64_BIT(io_location(nir_instr_as_intrinsic(instr)));
      }
   }
   u_foreach_bit64(location, used & ~special_locations(stage)) {
      if (binary->varying_slots == CF_MAX_VARYING_SLOTS) {
         cf_ir_fail(s->ir, "more varying slots than there are");
         return;
      }
      s->slot_of_location[location] = binary->varying_slots;
      binary->location[binary->varying_slots++] = location;
   }
}

/* A system value, in a vector register. */
static struct cf_src
emit_sysval(struct cf_select *s, enum cf_sysval value)
{
   s->binary->uses_point_coord |= value == CF_SYSVAL_POINT_X || value == CF_SYSVAL_POINT_Y;
   struct cf_src src = cf_emit(s, CF_OP_SYS, true, 0, NULL);
   s->ir->instrs[s->ir->count - 1].value = value;
   return src;
}

static void
load_attribute(struct cf_select *s, unsigned n, struct cf_src index)
{
   s->attributes[n] = cf_ir_group(s->ir);
   cf_ir_append(s->ir, CF_OP_LDF, s->attributes[n], 1, &index)->slot = n;
}

static void
load_attributes(struct cf_select *s)
{
   struct cf_src index = emit_sysval(s, CF_SYSVAL_VERTEX_ID);
   nir_foreach_block(block, nir_shader_get_entrypoint(s->nir)) {
      nir_foreach_instr(instr, block) {
         if (instr->type != nir_instr_type_intrinsic)
            continue;
         nir_intrinsic_instr *load = nir_instr_as_intrinsic(instr);
         if (load->intrinsic != nir_intrinsic_load_input)
            continue;
         unsigned n = nir_intrinsic_base(load);
         s->ir->from = (struct cf_origin){ instr->lines, instr->index };
         if (n >= CF_MAX_ATTRIBUTES)
            cf_select_fail(s, instr, "more than 32 vertex attributes");
         else if (s->attributes[n] == CF_NO_VREG)
            load_attribute(s, n, index);
      }
   }
}

/* ---- system values */

/* Intrinsics that are system values; component c of `count` is first + c. Helper invocations
 * include demoted ones. The base vertex is the index bias or, without indices, the first vertex:
 * that is NIR's first_vertex. NIR's base_vertex is 0 without indices, so it is not in the table.
 * Intrinsics without a system value are errors. */
static const struct {
   nir_intrinsic_op intrinsic;
   enum cf_sysval first;
   unsigned count;
} sysval_intrinsics[] = {
   { nir_intrinsic_load_frag_coord, CF_SYSVAL_FRAG_X, 4 },
   { nir_intrinsic_load_point_coord, CF_SYSVAL_POINT_X, 2 },
   { nir_intrinsic_load_front_face, CF_SYSVAL_FRONT_FACE, 1 },
   { nir_intrinsic_load_helper_invocation, CF_SYSVAL_HELPER, 1 },
   { nir_intrinsic_is_helper_invocation, CF_SYSVAL_HELPER, 1 },
   { nir_intrinsic_load_primitive_id, CF_SYSVAL_PRIMITIVE, 1 },
   { nir_intrinsic_load_vertex_id, CF_SYSVAL_VERTEX_ID, 1 },
   { nir_intrinsic_load_instance_id, CF_SYSVAL_INSTANCE_ID, 1 },
   { nir_intrinsic_load_base_instance, CF_SYSVAL_BASE_INSTANCE, 1 },
   { nir_intrinsic_load_first_vertex, CF_SYSVAL_BASE_VERTEX, 1 },
};

/* False if the intrinsic is not in the table. */
static bool
select_sysval_intrinsic(struct cf_select *s, nir_intrinsic_instr *instr)
{
   for (unsigned n = 0; n < ARRAY_SIZE(sysval_intrinsics); n++) {
      if (sysval_intrinsics[n].intrinsic != instr->intrinsic)
         continue;
      for (unsigned c = 0; c < sysval_intrinsics[n].count; c++)
         cf_set_value(s, &instr->def, c, emit_sysval(s, sysval_intrinsics[n].first + c));
      return true;
   }
   return false;
}

/* ---- fragment inputs */

static enum cf_varmode
varying_mode(const struct cf_select *s, const nir_intrinsic_instr *load, unsigned location)
{
   if (load->intrinsic == nir_intrinsic_load_input)
      return CF_VARMODE_FLAT;
   const nir_intrinsic_instr *place = nir_src_as_intrinsic(load->src[0]);
   enum glsl_interp_mode mode = nir_intrinsic_interp_mode(place);
   bool color = BITFIELD64_BIT(location) &
                (VARYING_BIT_COL0 | VARYING_BIT_COL1 | VARYING_BIT_BFC0 | VARYING_BIT_BFC1);
   if (mode == INTERP_MODE_FLAT ||
       (mode == INTERP_MODE_NONE && color && s->options->flat_shade_colors))
      return CF_VARMODE_FLAT;
   if (mode == INTERP_MODE_NOPERSPECTIVE)
      return CF_VARMODE_LINEAR;
   return place->intrinsic == nir_intrinsic_load_barycentric_centroid ? CF_VARMODE_CENTROID : CF_VARMODE_SMOOTH;
}

static struct cf_src
load_varying(struct cf_select *s, unsigned index, enum cf_varmode mode)
{
   struct cf_src value = cf_emit(s, CF_OP_LDVAR, true, 0, NULL);
   struct cf_ir_instr *instr = &s->ir->instrs[s->ir->count - 1];
   instr->index = index;
   instr->mode = mode;
   return value;
}

/* Component c of the point coordinates as Gallium has them: (x, y, 0, 1). */
static struct cf_src
point_coordinate(struct cf_select *s, unsigned c)
{
   if (c < 2)
      return emit_sysval(s, CF_SYSVAL_POINT_X + c);
   return cf_src_const(c == 3 ? fui(1.0f) : 0);
}

/* Values of the rasteriser that some shaders read as inputs, not as system values. */
static bool
select_special_input(struct cf_select *s, nir_intrinsic_instr *load, unsigned location,
                     unsigned first)
{
   nir_def *def = &load->def;
   for (unsigned c = 0; c < def->num_components; c++) {
      struct cf_src value;
      if (location == VARYING_SLOT_POS) {
         value = emit_sysval(s, CF_SYSVAL_FRAG_X + first + c);
      } else if (location == VARYING_SLOT_PNTC) {
         value = point_coordinate(s, first + c);
      } else if (location == VARYING_SLOT_FACE) {
         struct cf_src sel[3] = { emit_sysval(s, CF_SYSVAL_FRONT_FACE), cf_src_const(fui(1.0f)),
                                  cf_src_const(fui(-1.0f)) };
         value = cf_emit(s, CF_OP_SEL, true, 3, sel);
      } else {
         return false;
      }
      cf_set_value(s, def, c, value);
   }
   return true;
}

static void
select_fragment_input(struct cf_select *s, nir_intrinsic_instr *load)
{
   unsigned location = io_location(load), first = nir_intrinsic_component(load);
   /* a face has the number that is the shading rate of an output */
   if (location >= 64 || BITFIELD64_BIT(location) & UNKNOWN_LOCATIONS & ~VARYING_BIT_FACE ||
       !nir_src_is_const(*nir_get_io_offset_src(load))) {
      cf_select_fail(s, &load->instr, "this input is not supported");
      return;
   }
   if (select_special_input(s, load, location, first))
      return;

   unsigned slot = s->slot_of_location[location];
   enum cf_varmode mode = varying_mode(s, load, location);
   s->binary->flat[slot] |= mode == CF_VARMODE_FLAT;
   for (unsigned c = 0; c < load->def.num_components; c++)
      cf_set_value(s, &load->def, c, load_varying(s, 4 * slot + first + c, mode));
}

static void
select_vertex_input(struct cf_select *s, nir_intrinsic_instr *load)
{
   unsigned n = nir_intrinsic_base(load), first = nir_intrinsic_component(load);
   if (!nir_src_is_const(*nir_get_io_offset_src(load)) ||
       nir_src_as_uint(*nir_get_io_offset_src(load)) != 0) {
      cf_select_fail(s, &load->instr, "inputs cannot be indexed at run time");
      return;
   }
   if (n >= CF_MAX_ATTRIBUTES)
      return; /* reported by load_attributes */
   for (unsigned c = 0; c < load->def.num_components; c++)
      cf_set_value(s, &load->def, c, cf_src_vreg(s->attributes[n] + first + c));
}

/* ---- outputs */

/* First output dword of a colour. All four components are declared; unwritten ones are 0. */
static int
color_output(struct cf_program *program, unsigned color)
{
   program->color_outputs |= 1u << color;
   program->outputs = MAX2(program->outputs, 4 * color + 4);
   return 4 * color;
}

/* First output dword of a location below 64; -1: there is none. */
static int
output_index(struct cf_select *s, nir_intrinsic_instr *store, unsigned location)
{
   struct cf_program *program = &s->binary->program;
   if (s->nir->info.stage == MESA_SHADER_VERTEX) {
      if (BITFIELD64_BIT(location) & UNKNOWN_LOCATIONS)
         return -1;
      switch (location) {
      case VARYING_SLOT_POS:
         return 0;
      case VARYING_SLOT_PSIZ:
         s->binary->writes_point_size = true;
         return CF_OUTPUT_POINT_SIZE;
      case VARYING_SLOT_EDGE:
         return CF_OUTPUT_EDGE_FLAG;
      default:
         return CF_OUTPUT_VARYINGS + 4 * s->slot_of_location[location];
      }
   }
   if (nir_intrinsic_io_semantics(store).dual_source_blend_index)
      return color_output(program, 1); /* there is one draw buffer then */
   if (location == FRAG_RESULT_COLOR) {
      program->color0_to_all = true;
      return color_output(program, 0);
   }
   if (location == FRAG_RESULT_DEPTH) {
      program->writes_depth = true;
      return CF_OUTPUT_DEPTH;
   }
   if (location >= FRAG_RESULT_DATA0 && location < FRAG_RESULT_DATA0 + 8) {
      return color_output(program, location - FRAG_RESULT_DATA0);
   }
   return -1;
}

/* Whether the result is bits of memory or an integer of the system: no arithmetic in floats. */
static bool
is_copy_or_integer(nir_intrinsic_op op)
{
   switch (op) {
   case nir_intrinsic_load_ubo:
   case nir_intrinsic_load_input:
   case nir_intrinsic_load_per_vertex_input:
   case nir_intrinsic_load_scratch:
   case nir_intrinsic_load_vertex_id:
   case nir_intrinsic_load_vertex_id_zero_base:
   case nir_intrinsic_load_first_vertex:
   case nir_intrinsic_load_instance_id:
   case nir_intrinsic_load_base_instance:
   case nir_intrinsic_load_primitive_id:
      return true;
   default:
      return false;
   }
}

static bool computes_float(const nir_def *def, BITSET_WORD *seen);

static bool
alu_computes_float(const nir_alu_instr *alu, BITSET_WORD *seen)
{
   const nir_op_info *info = &nir_op_infos[alu->op];
   const bool selects = alu->op == nir_op_bcsel || alu->op == nir_op_b32csel;
   if (!selects && !nir_op_is_vec_or_mov(alu->op))
      return nir_alu_type_get_base_type(info->output_type) == nir_type_float;
   for (unsigned i = selects; i < info->num_inputs; i++) {
      if (computes_float(alu->src[i].src.ssa, seen))
         return true;
   }
   return false;
}

static bool
phi_computes_float(nir_phi_instr *phi, BITSET_WORD *seen)
{
   nir_foreach_phi_src(src, phi)
   {
      if (computes_float(src->src.ssa, seen))
         return true;
   }
   return false;
}

/* Whether the value may be the result of arithmetic in floats, so that it may be a NaN whose bits
 * the engine chose. Varyings do not say: the linker calls all of them floats. What comes from
 * memory has its bits. `seen`: values that were looked at. */
static bool
computes_float(const nir_def *def, BITSET_WORD *seen)
{
   nir_instr *instr = def->parent_instr;
   if (BITSET_TEST(seen, def->index))
      return false;
   BITSET_SET(seen, def->index);
   switch (instr->type) {
   case nir_instr_type_alu:
      return alu_computes_float(nir_instr_as_alu(instr), seen);
   case nir_instr_type_phi:
      return phi_computes_float(nir_instr_as_phi(instr), seen);
   case nir_instr_type_tex:
      return nir_alu_type_get_base_type(nir_instr_as_tex(instr)->dest_type) == nir_type_float;
   case nir_instr_type_intrinsic:
      return !is_copy_or_integer(nir_instr_as_intrinsic(instr)->intrinsic);
   default:
      return false;
   }
}

bool
cf_computes_float(const nir_function_impl *impl, nir_scalar value)
{
   BITSET_WORD *seen = rzalloc_array(NULL, BITSET_WORD, BITSET_WORDS(impl->ssa_alloc));
   const bool is_float = computes_float(nir_scalar_chase_movs(value).def, seen);
   ralloc_free(seen);
   return is_float;
}

/* Whether the value is a component of an integer texel. Mesa's blitter copies integers by programs
 * of TGSI, where all outputs are floats: their bits may be those of a NaN, and have to stay. */
static bool
is_integer_texel(nir_scalar value)
{
   nir_instr *instr = nir_scalar_chase_movs(value).def->parent_instr;
   return instr->type == nir_instr_type_tex &&
          nir_alu_type_get_base_type(nir_instr_as_tex(instr)->dest_type) != nir_type_float;
}

/* Whether the export of component `c` makes NaNs canonical. Each for itself: the linker packs
 * integers and floats in one vector. */
static bool
exports_float(struct cf_select *s, nir_intrinsic_instr *store, unsigned c)
{
   if (nir_alu_type_get_base_type(nir_intrinsic_src_type(store)) != nir_type_float)
      return false;
   /* what a geometry shader reads, the linker packs in the position, too */
   const bool packed =
      io_location(store) >= VARYING_SLOT_VAR0 || s->nir->info.next_stage == MESA_SHADER_GEOMETRY;
   if (s->nir->info.stage == MESA_SHADER_FRAGMENT)
      return !is_integer_texel(nir_get_scalar(store->src[0].ssa, c));
   if (!packed)
      return true;
   return cf_computes_float(nir_shader_get_entrypoint(s->nir),
                            nir_get_scalar(store->src[0].ssa, c));
}

static void
select_output(struct cf_select *s, nir_intrinsic_instr *store)
{
   unsigned location = io_location(store);
   int base = location < 64 && nir_src_is_const(*nir_get_io_offset_src(store)) ? output_index(s, store, location) : -1;
   if (base < 0) {
      cf_select_fail(s, &store->instr, "this output is not supported");
      return;
   }
   u_foreach_bit(c, nir_intrinsic_write_mask(store)) {
      struct cf_src value = cf_nir_src(s, &store->src[0], c);
      unsigned index = base + nir_intrinsic_component(store) + c;
      const unsigned op = exports_float(s, store, c) ? CF_OP_OUTF : CF_OP_OUT;
      cf_ir_append(s->ir, op, CF_NO_VREG, 1, &value)->index = index;
      s->binary->program.outputs = MAX2(s->binary->program.outputs, index + 1);
   }
}

/* ---- memory */

/* A byte address as a dword operand plus a constant number of dwords. The sum does not wrap: the
 * operand must not be negative where the sum is not. */
struct address {
   struct cf_src base;
   uint32_t offset_dwords;
};

/* Find x and k with bytes = x * k, k a multiple of 4. Returns k; 0: there is none. */
static uint32_t
factor_of(nir_scalar bytes, nir_scalar *x)
{
   if (!nir_scalar_is_alu(bytes))
      return 0;
   nir_op op = nir_scalar_alu_op(bytes);
   if (op != nir_op_imul && op != nir_op_amul && op != nir_op_ishl)
      return 0;
   nir_scalar k = nir_scalar_chase_alu_src(bytes, 1);
   if (!nir_scalar_is_const(k))
      return 0;
   uint32_t value = nir_scalar_as_uint(k);
   uint32_t factor = op == nir_op_ishl ? 1u << (value & 31) : value;
   *x = nir_scalar_chase_alu_src(bytes, 0);
   return factor % 4 == 0 && factor <= UINT16_MAX ? factor : 0;
}

/* x * factor / 4 + rest / 4; factor 0 means x / 4. x may be negative where the sum is not, so its
 * shift keeps the sign: byte 152 - 96 is dword (-96 >> 2) + 38. */
static struct cf_src
emit_dwords(struct cf_select *s, nir_scalar x, uint32_t factor, int32_t rest_B)
{
   bool vector = s->vector[x.def->index];
   struct cf_src value = cf_value(s, x.def, x.comp);
   if (factor == 0)
      value = cf_emit2(s, CF_OP_ASR, vector, value, cf_src_const(2));
   else if (util_is_power_of_two_nonzero(factor) && factor > 4)
      value = cf_emit2(s, CF_OP_SHL, vector, value, cf_src_const(util_logbase2(factor) - 2));
   else if (factor > 4)
      value = cf_emit2(s, CF_OP_IMUL, vector, value, cf_src_const(factor / 4));
   if (rest_B)
      value = cf_emit2(s, CF_OP_IADD, vector, value, cf_src_const(rest_B / 4));
   return value;
}

/* The same, reusing an equal address computed before in this block. */
static struct cf_src
dwords_of(struct cf_select *s, nir_scalar x, uint32_t factor, int32_t rest_B)
{
   for (unsigned i = 0; i < CF_ADDRESS_CACHE; i++) {
      const struct cf_cached_address *c = &s->addresses[i];
      if (c->def == x.def && c->component == x.comp && c->factor == factor && c->rest_B == rest_B)
         return c->value;
   }
   struct cf_src value = emit_dwords(s, x, factor, rest_B);
   s->addresses[s->next_address++ % CF_ADDRESS_CACHE] =
      (struct cf_cached_address){ x.def, x.comp, factor, rest_B, value };
   return value;
}

static struct address
split_address(struct cf_select *s, nir_src *src)
{
   nir_scalar bytes = nir_scalar_resolved(src->ssa, 0);
   int32_t constant_B = 0;

   while (nir_scalar_is_alu(bytes) && nir_scalar_alu_op(bytes) == nir_op_iadd) {
      nir_scalar a = nir_scalar_chase_alu_src(bytes, 0), b = nir_scalar_chase_alu_src(bytes, 1);
      if (nir_scalar_is_const(a)) {
         nir_scalar t = a;
         a = b;
         b = t;
      }
      if (!nir_scalar_is_const(b) || nir_scalar_as_uint(b) % 4)
         break;
      constant_B = (uint32_t)constant_B + nir_scalar_as_uint(b);
      bytes = a;
   }
   if (nir_scalar_is_const(bytes))
      return (struct address){ cf_src_const(0),
                               ((uint32_t)constant_B + (uint32_t)nir_scalar_as_uint(bytes)) / 4 };

   /* an index may be negative before its constant is added, an offset inside an element may not */
   nir_scalar x = bytes;
   uint32_t factor = factor_of(bytes, &x);
   int32_t element_B = factor ? factor : 4;
   int32_t inside_B = ((constant_B % element_B) + element_B) % element_B;
   return (struct address){ dwords_of(s, x, factor, constant_B - inside_B), inside_B / 4 };
}

static struct address
checked_address(struct cf_select *s, nir_intrinsic_instr *instr, nir_src *src)
{
   struct address address = split_address(s, src);
   if (address.offset_dwords >
       UINT16_MAX - 64) /* constant and far out of bounds: reads 0, writes are dropped */
      address = (struct address){ cf_src_const(address.offset_dwords), 0 };
   return address;
}

static void
set_array(struct cf_ir_instr *instr, const nir_intrinsic_instr *load)
{
   const uint32_t first_B = nir_intrinsic_range_base(load), size_B = nir_intrinsic_range(load);
   if (size_B == 0 || size_B > UINT32_MAX - first_B)
      return; /* not known */
   instr->array.first_dw = first_B / 4;
   instr->array.end_dw = (first_B + size_B) / 4;
}

static void
select_ubo(struct cf_select *s, nir_intrinsic_instr *load)
{
   if (!nir_src_is_const(load->src[0]) || nir_src_as_uint(load->src[0]) >= 16) {
      cf_select_fail(s, &load->instr,
                     "uniform blocks cannot be indexed at run time, and there are 16");
      return;
   }
   unsigned bank = nir_src_as_uint(load->src[0]);
   struct address address = checked_address(s, load, &load->src[1]);
   bool direct = address.base.kind == CF_SRC_CONST && address.base.value == 0;

   for (unsigned c = 0; c < load->def.num_components; c++) {
      uint32_t dword = address.offset_dwords + c;
      if (bank == 0 && direct && dword < CF_UNIFORM_OPERANDS) {
         cf_set_value(s, &load->def, c, cf_src_uniform(dword));
         continue;
      }
      cf_set_value(s, &load->def, c,
                   cf_emit1(s, CF_OP_LDU, s->vector[load->def.index], address.base));
      struct cf_ir_instr *instr = &s->ir->instrs[s->ir->count - 1];
      instr->bank = bank;
      instr->offset = dword;
      if (!direct)
         set_array(instr, load);
   }
}

static void
select_scratch_load(struct cf_select *s, nir_intrinsic_instr *load)
{
   struct address address = checked_address(s, load, &load->src[0]);
   for (unsigned c = 0; c < load->def.num_components; c++) {
      cf_set_value(s, &load->def, c, cf_emit1(s, CF_OP_LDS, true, address.base));
      s->ir->instrs[s->ir->count - 1].offset = address.offset_dwords + c;
   }
}

static void
select_scratch_store(struct cf_select *s, nir_intrinsic_instr *store)
{
   struct address address = checked_address(s, store, &store->src[1]);
   u_foreach_bit(c, nir_intrinsic_write_mask(store)) {
      struct cf_src src[2] = { address.base, cf_nir_src(s, &store->src[0], c) };
      cf_ir_append(s->ir, CF_OP_STS, CF_NO_VREG, 2, src)->offset = address.offset_dwords + c;
   }
}

/* ---- the rest */

static void
select_derivative(struct cf_select *s, nir_intrinsic_instr *instr, enum cf_op op)
{
   s->binary->program.needs_helpers = true;
   for (unsigned c = 0; c < instr->def.num_components; c++)
      cf_set_value(s, &instr->def, c, cf_emit1(s, op, true, cf_nir_src(s, &instr->src[0], c)));
}

static bool
is_gradient_of_lookup(const nir_src *src)
{
   const nir_tex_src_type type = container_of(src, nir_tex_src, src)->src_type;
   return type == nir_tex_src_ddx || type == nir_tex_src_ddy;
}

/* Whether the value is read only as a gradient of texture lookups, directly or as part of a vector.
 * Derivatives of this kind are coarse, like the texture unit's implicit ones. All others are fine,
 * at the same cost; GL's derivative hint is not passed on. */
static bool
is_gradient(nir_def *def)
{
   nir_foreach_use_including_if(src, def) {
      nir_instr *user = nir_src_is_if(src) ? NULL : nir_src_parent_instr(src);
      const bool in_vector = user && user->type == nir_instr_type_alu &&
                             nir_op_is_vec_or_mov(nir_instr_as_alu(user)->op);
      if (in_vector ? !is_gradient(&nir_instr_as_alu(user)->def)
                    : !(user && user->type == nir_instr_type_tex && is_gradient_of_lookup(src)))
         return false;
   }
   return !nir_def_is_unused(def);
}

/* choose_discard later decides whether lanes end or become helpers, once all derivatives are
 * known. */
static void
select_discard(struct cf_select *s, struct cf_src condition)
{
   cf_ir_append(s->ir, CF_OP_KILL, CF_NO_VREG, 1, &condition);
   s->binary->program.uses_kill = true;
}

void
cf_select_inputs(struct cf_select *s)
{
   if (s->nir->info.stage == MESA_SHADER_GEOMETRY)
      return; /* its inputs and outputs are scratch */
   number_varyings(s);
   if (s->nir->info.stage == MESA_SHADER_VERTEX)
      load_attributes(s);
}

/* Inputs, outputs, uniforms and scratch. False: the intrinsic is another one. */
static bool
select_access(struct cf_select *s, nir_intrinsic_instr *instr)
{
   switch (instr->intrinsic) {
   case nir_intrinsic_load_input:
      if (s->nir->info.stage == MESA_SHADER_VERTEX)
         select_vertex_input(s, instr);
      else
         select_fragment_input(s, instr);
      break;
   case nir_intrinsic_load_interpolated_input:
      select_fragment_input(s, instr);
      break;
   case nir_intrinsic_load_barycentric_pixel:
   case nir_intrinsic_load_barycentric_centroid:
      break; /* folded into its users */
   case nir_intrinsic_store_output:
      select_output(s, instr);
      break;
   case nir_intrinsic_load_ubo:
      select_ubo(s, instr);
      break;
   case nir_intrinsic_load_scratch:
      select_scratch_load(s, instr);
      break;
   case nir_intrinsic_store_scratch:
      select_scratch_store(s, instr);
      break;

   case nir_intrinsic_load_vertex_id_zero_base:
      cf_set_value(s, &instr->def, 0,
                   cf_emit2(s, CF_OP_ISUB, true, emit_sysval(s, CF_SYSVAL_VERTEX_ID),
                            emit_sysval(s, CF_SYSVAL_BASE_VERTEX)));
      break;
   default:
      return false;
   }
   return true;
}

void
cf_select_intrinsic(struct cf_select *s, nir_intrinsic_instr *instr)
{
   nir_def *def = &instr->def;
   if (select_sysval_intrinsic(s, instr) || select_access(s, instr))
      return;

   switch (instr->intrinsic) {
   case nir_intrinsic_ddx:
      select_derivative(s, instr, is_gradient(def) ? CF_OP_FDDXC : CF_OP_FDDX);
      break;
   case nir_intrinsic_ddy:
      select_derivative(s, instr, is_gradient(def) ? CF_OP_FDDYC : CF_OP_FDDY);
      break;
   case nir_intrinsic_ddx_fine:
      select_derivative(s, instr, CF_OP_FDDX);
      break;
   case nir_intrinsic_ddy_fine:
      select_derivative(s, instr, CF_OP_FDDY);
      break;
   case nir_intrinsic_ddx_coarse:
      select_derivative(s, instr, CF_OP_FDDXC);
      break;
   case nir_intrinsic_ddy_coarse:
      select_derivative(s, instr, CF_OP_FDDYC);
      break;

   case nir_intrinsic_demote:
   case nir_intrinsic_terminate:
      select_discard(s, cf_src_const(CF_TRUE));
      break;
   case nir_intrinsic_demote_if:
   case nir_intrinsic_terminate_if:
      select_discard(s, cf_nir_src(s, &instr->src[0], 0));
      break;
   default:
      cf_select_fail(s, &instr->instr, "this intrinsic is not supported");
      break;
   }
}
