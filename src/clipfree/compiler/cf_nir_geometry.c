/* SPDX-License-Identifier: MIT */
/*
 * Geometry shaders: inputs, outputs and EmitVertex become loads and stores of scratch, in the
 * layout of struct program (interface/packets.toml; shader/cf_geometry_layout.h). So they need no
 * instruction of their own, and all that runs or watches programs knows them.
 *
 * Vertices are counted in a variable, which stays at most max_vertices: what is emitted beyond is
 * written to the room behind the last vertex, without a branch.
 */
#include "cf_nir.h"

#include "clipfree/shader/cf_geometry_layout.h"
#include "nir_builder.h"
#include "util/bitscan.h"
#include "util/u_math.h"

/* Outputs that take no varying slot. */
#define HEAD_OUTPUTS (VARYING_BIT_POS | VARYING_BIT_PSIZ | VARYING_BIT_LAYER)
/* Outputs that are left out: there is one viewport. */
#define DROPPED_OUTPUTS VARYING_BIT_VIEWPORT

struct lowering {
   struct cf_binary *binary;
   uint8_t input_slot[64], output_slot[64]; /* by location */
   nir_variable *emitted, *layer; /* emitted: vertices so far */
   const char *error; /* NULL: none */
};

/* The location's bits, of all that the access may reach. */
static uint64_t
locations_of(nir_intrinsic_instr *io)
{
   const nir_io_semantics sem = nir_intrinsic_io_semantics(io);
   nir_src *offset = nir_get_io_offset_src(io);
   if (nir_src_is_const(*offset))
      return BITFIELD64_BIT(sem.location + nir_src_as_uint(*offset));
   return BITFIELD64_RANGE(sem.location, sem.num_slots);
}

/* Number the slots of these locations by increasing location. Returns how many there are. */
static unsigned
number_slots(struct lowering *l, uint64_t locations, uint8_t slot_of[64], uint8_t *location_of)
{
   unsigned count = 0;
   u_foreach_bit64(location, locations) {
      if (count == CF_MAX_VARYING_SLOTS) {
         l->error = "more varying slots than there are";
         break;
      }
      slot_of[location] = count;
      location_of[count++] = location;
   }
   return count;
}

/* Which inputs and outputs the shader has; their slots. */
static void
describe_io(struct lowering *l, nir_shader *nir)
{
   struct cf_binary *binary = l->binary;
   uint64_t inputs = 0, outputs = 0;
   nir_foreach_block(block, nir_shader_get_entrypoint(nir)) {
      nir_foreach_instr(instr, block) {
         if (instr->type != nir_instr_type_intrinsic)
            continue;
         nir_intrinsic_instr *io = nir_instr_as_intrinsic(instr);
         if (io->intrinsic == nir_intrinsic_load_per_vertex_input)
            inputs |= locations_of(io);
         else if (io->intrinsic == nir_intrinsic_store_output)
            outputs |= locations_of(io);
      }
   }
   binary->writes_point_size = outputs & VARYING_BIT_PSIZ;
   binary->writes_layer = outputs & VARYING_BIT_LAYER;
   binary->input_slots =
      number_slots(l, inputs & ~HEAD_OUTPUTS, l->input_slot, binary->input_location);
   binary->varying_slots =
      number_slots(l, outputs & ~(HEAD_OUTPUTS | DROPPED_OUTPUTS), l->output_slot,
                   binary->location);
}

static void
describe_program(struct cf_binary *binary, const nir_shader *nir)
{
   struct cf_program *program = &binary->program;
   program->stage = CF_SHADER_STAGE_GEOMETRY;
   program->inputs = 4 * binary->input_slots;
   program->outputs = CF_OUTPUT_VARYINGS + 4 * binary->varying_slots;
   program->input_vertices = nir->info.gs.vertices_in;
   program->max_vertices = nir->info.gs.vertices_out;
   program->provoking_order = nir->info.internal; /* the driver's, which pass primitives through */
   program->raster_point_size = !binary->writes_point_size;
   program->output_prim = nir->info.gs.output_primitive == MESA_PRIM_POINTS ? CF_PRIM_KIND_POINTS
                          : nir->info.gs.output_primitive == MESA_PRIM_LINE_STRIP
                             ? CF_PRIM_KIND_LINE_STRIP
                             : CF_PRIM_KIND_TRIANGLE_STRIP;
}

/* The dword of a vertex where a location begins. */
static unsigned
dword_of(const uint8_t slot_of[64], unsigned location)
{
   return location == VARYING_SLOT_POS    ? 0
          : location == VARYING_SLOT_PSIZ ? CF_OUTPUT_POINT_SIZE
                                          : CF_OUTPUT_VARYINGS + 4 * slot_of[location];
}

static void
store_dwords(nir_builder *b, nir_def *value, nir_def *address_B, unsigned mask)
{
   nir_store_scratch(b, value, address_B, .align_mul = 4, .write_mask = mask);
}

/* The address of a dword of emitted vertex `number`. */
static nir_def *
output_address(nir_builder *b, const struct lowering *l, nir_def *number, unsigned dword)
{
   const struct cf_program *program = &l->binary->program;
   nir_def *first_B = nir_imul_imm(b, number, 4 * cf_record_dwords(program));
   return nir_iadd_imm(b, first_B, 4 * (cf_geometry_outputs(program) + dword));
}

static void
lower_load(nir_builder *b, struct lowering *l, nir_intrinsic_instr *load)
{
   const struct cf_program *program = &l->binary->program;
   nir_src *offset = nir_get_io_offset_src(load);
   const bool constant = nir_src_is_const(*offset);
   const unsigned location = nir_intrinsic_io_semantics(load).location +
                             (constant ? nir_src_as_uint(*offset) : 0),
                  dword = dword_of(l->input_slot, location) + nir_intrinsic_component(load);
   nir_def *at_B =
      nir_imul_imm(b, load->src[0].ssa, 4 * cf_geometry_input_dwords(program));
   if (!constant)
      at_B = nir_iadd(b, at_B, nir_imul_imm(b, offset->ssa, 16));
   at_B = nir_iadd_imm(b, at_B, 4 * (CF_GEOMETRY_INPUTS + dword));
   nir_def_replace(&load->def,
                   nir_load_scratch(b, load->def.num_components, 32, at_B, .align_mul = 4));
}

/* The component with any NaN made the canonical one, as exports of floats do; integers, which the
 * linker calls floats too, keep their bits. */
static nir_def *
exported(nir_builder *b, const nir_intrinsic_instr *store, unsigned c)
{
   nir_def *value = nir_channel(b, store->src[0].ssa, c);
   const bool own = nir_intrinsic_io_semantics(store).location >= VARYING_SLOT_VAR0;
   if (nir_alu_type_get_base_type(nir_intrinsic_src_type(store)) != nir_type_float ||
       (own && !cf_computes_float(b->impl, nir_get_scalar(store->src[0].ssa, c))))
      return value;
   return nir_bcsel(b, nir_fneu(b, value, value), nir_imm_int(b, 0x7fc00000), value);
}

static void
lower_store(nir_builder *b, struct lowering *l, nir_intrinsic_instr *store)
{
   const unsigned location = nir_intrinsic_io_semantics(store).location +
                             nir_src_as_uint(*nir_get_io_offset_src(store));
   if (location == VARYING_SLOT_LAYER) {
      nir_store_var(b, l->layer, nir_channel(b, store->src[0].ssa, 0), 1);
   } else if (!(BITFIELD64_BIT(location) & DROPPED_OUTPUTS)) {
      const unsigned dword = dword_of(l->output_slot, location) + nir_intrinsic_component(store);
      nir_def *number = nir_load_var(b, l->emitted);
      u_foreach_bit(c, nir_intrinsic_write_mask(store))
         store_dwords(b, exported(b, store, c), output_address(b, l, number, dword + c), 1);
   }
   nir_instr_remove(&store->instr);
}

/* The outputs are a vertex: set what of it no shader writes, and count it. */
static void
lower_emit(nir_builder *b, struct lowering *l, nir_intrinsic_instr *emit)
{
   const struct cf_binary *binary = l->binary;
   nir_def *number = nir_load_var(b, l->emitted);
   if (!binary->writes_point_size)
      store_dwords(b, nir_imm_float(b, 1.0f),
                   output_address(b, l, number, CF_OUTPUT_POINT_SIZE), 1);
   store_dwords(b, nir_imm_float(b, 1.0f), output_address(b, l, number, CF_OUTPUT_EDGE_FLAG), 1);
   store_dwords(b, nir_load_var(b, l->layer), output_address(b, l, number, CF_OUTPUT_LAYER), 1);
   store_dwords(b, nir_imm_int(b, 0), output_address(b, l, number, CF_OUTPUT_ENDS_STRIP), 1);
   nir_def *next = nir_iadd_imm(b, number, 1);
   nir_store_var(b, l->emitted, nir_umin(b, next, nir_imm_int(b, binary->program.max_vertices)), 1);
   nir_instr_remove(&emit->instr);
}

/* The last vertex ends its strip. Before the first one this marks the first, which is written
 * later. */
static void
lower_end(nir_builder *b, struct lowering *l, nir_intrinsic_instr *end)
{
   nir_def *number = nir_umax(b, nir_load_var(b, l->emitted), nir_imm_int(b, 1));
   store_dwords(b, nir_imm_int(b, 1),
                output_address(b, l, nir_iadd_imm(b, number, -1), CF_OUTPUT_ENDS_STRIP), 1);
   nir_instr_remove(&end->instr);
}

static bool
lower_intrinsic(nir_builder *b, nir_intrinsic_instr *instr, void *data)
{
   b->cursor = nir_before_instr(&instr->instr);
   switch (instr->intrinsic) {
   case nir_intrinsic_load_per_vertex_input:
      lower_load(b, data, instr);
      return true;
   case nir_intrinsic_store_output:
      lower_store(b, data, instr);
      return true;
   case nir_intrinsic_emit_vertex:
      lower_emit(b, data, instr);
      return true;
   case nir_intrinsic_end_primitive:
      lower_end(b, data, instr);
      return true;
   case nir_intrinsic_load_invocation_id:
      nir_def_replace(&instr->def, nir_imm_int(b, 0));
      return true;
   default:
      return false;
   }
}

void
cf_nir_reserve_geometry(nir_shader *nir, struct cf_binary *binary)
{
   struct lowering l = { .binary = binary };
   describe_io(&l, nir);
   describe_program(binary, nir);
   nir->scratch_size += 4 * cf_geometry_scratch_dwords(&binary->program);
}

const char *
cf_nir_lower_geometry(nir_shader *nir, struct cf_binary *binary)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   struct lowering l = { .binary = binary };
   describe_io(&l, nir);
   if (l.error)
      return l.error;
   l.emitted = nir_local_variable_create(impl, glsl_uint_type(), "emitted");
   l.layer = nir_local_variable_create(impl, glsl_uint_type(), "layer");
   nir_shader_intrinsics_pass(nir, lower_intrinsic, nir_metadata_control_flow, &l);
   nir_builder b = nir_builder_at(nir_before_impl(impl));
   nir_store_var(&b, l.emitted, nir_imm_int(&b, 0), 1);
   nir_store_var(&b, l.layer, nir_imm_int(&b, 0), 1);
   b.cursor = nir_after_impl(impl);
   store_dwords(&b, nir_load_var(&b, l.emitted), nir_imm_int(&b, 4 * CF_GEOMETRY_EMITTED), 1);
   return NULL;
}
