/* SPDX-License-Identifier: MIT */
/*
 * Random programs through the whole compiler and the interpreter, against a reference that
 * evaluates the lowered NIR for one lane at a time. They have branches and loops with uniform and
 * divergent conditions, breaks and continues anywhere, uniform and varying values, and some have
 * more live values than there are registers. Slices of vertex programs (cf_program_slice) give the
 * same positions. Fragment programs have flat and smooth inputs instead of attributes, and may
 * discard lanes.
 *
 * The reference starts after Mesa's passes, which may change results for NaN and infinity. Special
 * functions are left out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "cf_compiler.h"
#include "cf_nir.h"
#include "clipfree/base/cf_lanes.h"
#include "clipfree/base/test_random.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/memory/cf_format.h"
#include "clipfree/shader/cf_program.h"
#include "nir_builder.h"
#include "nir_constant_expressions.h"
#include "nir_serialize.h"
#include "util/blob.h"

#define LANES CF_TASK_LANES
#define UNIFORMS 160 /* more than can be operands */
#define ATTRIBUTES 2
#define SMOOTH 1   /* of a fragment program's inputs: the one that is not flat */
#define OUTPUTS 12 /* varyings: ints, then floats; then the position; or three colours */
#define VARYINGS 8
#define VARIABLES 6

/* ---- random numbers: xorshift64* */

static uint64_t random_state;

static uint32_t
random_u32(void)
{
   random_state ^= random_state >> 12;
   random_state ^= random_state << 25;
   random_state ^= random_state >> 27;
   return (uint32_t)(random_state * 0x2545f4914f6cdd1dull >> 32);
}

static unsigned
below(unsigned n)
{
   return random_u32() % n;
}

static uint32_t
interesting_bits(void)
{
   static const uint32_t values[] = { 0,          1,          2,          0xffffffff, 0x80000000,
                                      0x7fffffff, 0x3f800000, 0xbf800000, 0x3fc00000, 0x40490fdb };
   return below(3) ? below(16) : below(2) ? values[below(ARRAY_SIZE(values))] : random_u32();
}

/* ---- generating programs */

struct generator {
   nir_builder b;
   nir_variable *ints[VARIABLES], *floats[VARIABLES];
   unsigned loops;
   unsigned budget; /* statements left */
};

static nir_def *int_expression(struct generator *g, unsigned depth);
static nir_def *float_expression(struct generator *g, unsigned depth);

static nir_def *
condition(struct generator *g, unsigned depth)
{
   nir_builder *b = &g->b;
   switch (below(6)) {
   case 0:
      return nir_ilt(b, int_expression(g, depth), int_expression(g, depth));
   case 1:
      return nir_ieq(b, int_expression(g, depth), int_expression(g, depth));
   case 2:
      return nir_flt(b, float_expression(g, depth), float_expression(g, depth));
   case 3:
      return nir_fge(b, float_expression(g, depth), float_expression(g, depth));
   case 4:
      return nir_inot(b, nir_ult(b, int_expression(g, depth), int_expression(g, depth)));
   default:
      return nir_fneu(b, float_expression(g, depth), float_expression(g, depth));
   }
}

static nir_def *
uniform(struct generator *g)
{
   nir_builder *b = &g->b;
   nir_def *offset = nir_imm_int(b, 4 * below(UNIFORMS));
   if (!below(5)) { /* a run-time index, sometimes divergent, sometimes out of bounds */
      static const unsigned element_B[] = { 4, 16, 12, 64 };
      nir_def *index = nir_iand_imm(b, int_expression(g, 0), 63);
      offset = nir_imul_imm(b, nir_iadd_imm(b, index, (int)below(20) - 10), element_B[below(4)]);
      offset = nir_iadd_imm(b, offset, 4 * below(40));
   }
   return nir_load_ubo(b, 1, 32, nir_imm_int(b, 0), offset, .align_mul = 4, .range = ~0);
}

static nir_def *
fragment_input(struct generator *g)
{
   nir_builder *b = &g->b;
   const unsigned n = below(ATTRIBUTES);
   const nir_io_semantics semantics = { .location = VARYING_SLOT_VAR0 + n, .num_slots = 1 };
   nir_def *zero = nir_imm_int(b, 0), *load;
   if (n == SMOOTH)
      load = nir_load_interpolated_input(
         b, 4, 32, nir_load_barycentric_pixel(b, 32, .interp_mode = INTERP_MODE_SMOOTH), zero,
         .base = n, .dest_type = nir_type_float32, .io_semantics = semantics);
   else
      load = nir_load_input(b, 4, 32, zero, .base = n, .dest_type = nir_type_float32,
                            .io_semantics = semantics);
   return nir_channel(b, load, below(4));
}

static nir_def *
attribute(struct generator *g)
{
   nir_builder *b = &g->b;
   if (b->shader->info.stage == MESA_SHADER_FRAGMENT)
      return fragment_input(g);
   unsigned n = below(ATTRIBUTES);
   nir_io_semantics semantics = { .location = VERT_ATTRIB_GENERIC0 + n, .num_slots = 1 };
   nir_def *load = nir_load_input(b, 4, 32, nir_imm_int(b, 0), .base = n,
                                  .dest_type = nir_type_float32, .io_semantics = semantics);
   return nir_channel(b, load, below(4));
}

static nir_def *
int_expression(struct generator *g, unsigned depth)
{
   nir_builder *b = &g->b;
   if (depth == 0 || !below(4)) {
      switch (below(4)) {
      case 0:
         return nir_imm_int(b, interesting_bits());
      case 1:
         return depth ? uniform(g) : nir_imm_int(b, below(8));
      case 2:
         return attribute(g);
      default:
         return nir_load_var(b, g->ints[below(VARIABLES)]);
      }
   }
   nir_def *x = int_expression(g, depth - 1), *y = int_expression(g, depth - 1);
   switch (below(16)) {
   case 0:
      return nir_iadd(b, x, y);
   case 1:
      return nir_isub(b, x, y);
   case 2:
      return nir_imul(b, x, y);
   case 3:
      return nir_iand(b, x, y);
   case 4:
      return nir_ior(b, x, y);
   case 5:
      return nir_ixor(b, x, y);
   case 6:
      return nir_inot(b, x);
   case 7:
      return nir_ishl(b, x, y);
   case 8:
      return nir_ushr(b, x, y);
   case 9:
      return nir_ishr(b, x, y);
   case 10:
      return nir_imin(b, x, y);
   case 11:
      return nir_umax(b, x, y);
   case 12:
      return nir_bcsel(b, condition(g, depth - 1), x, y);
   case 13:
      return nir_iabs(b, x);
   case 14:
      return nir_b2i32(b, condition(g, depth - 1));
   default:
      return nir_ineg(b, x);
   }
}

static nir_def *
float_expression(struct generator *g, unsigned depth)
{
   nir_builder *b = &g->b;
   if (depth == 0 || !below(4)) {
      switch (below(4)) {
      case 0:
         return nir_imm_float(b, (int)below(33) * 0.25f - 4.0f);
      case 1:
         return depth ? nir_i2f32(b, uniform(g)) : nir_imm_float(b, 1.5f);
      case 2:
         return nir_i2f32(b, attribute(g));
      default:
         return nir_load_var(b, g->floats[below(VARIABLES)]);
      }
   }
   nir_def *x = float_expression(g, depth - 1), *y = float_expression(g, depth - 1);
   switch (below(14)) {
   case 0:
      return nir_fadd(b, x, y);
   case 1:
      return nir_fsub(b, x, y);
   case 2:
      return nir_fmul(b, x, y);
   case 3:
      return nir_fmin(b, x, y);
   case 4:
      return nir_fmax(b, x, y);
   case 5:
      return nir_fneg(b, x);
   case 6:
      return nir_fabs(b, x);
   case 7:
      return nir_ffloor(b, x);
   case 8:
      return nir_bcsel(b, condition(g, depth - 1), x, y);
   case 9:
      return nir_fadd(b, nir_fmul(b, x, y), x);
   case 10:
      return nir_fsub(b, x, nir_fmul_imm(b, y, 2.5));
   case 11:
      return nir_u2f32(b, int_expression(g, depth - 1));
   case 12:
      return nir_fsat(b, x);
   default:
      return nir_b2f32(b, condition(g, depth - 1));
   }
}

static void statements(struct generator *g, unsigned depth);

static void
assignment(struct generator *g)
{
   if (below(2))
      nir_store_var(&g->b, g->ints[below(VARIABLES)], int_expression(g, 3), 1);
   else
      nir_store_var(&g->b, g->floats[below(VARIABLES)], float_expression(g, 3), 1);
}

static void
branch(struct generator *g, unsigned depth)
{
   nir_builder *b = &g->b;
   nir_push_if(b, condition(g, 1));
   statements(g, depth);
   if (below(2)) {
      nir_push_else(b, NULL);
      statements(g, depth);
   }
   nir_pop_if(b, NULL);
}

/* At most seven iterations, uniform or by lane. */
static void
loop(struct generator *g, unsigned depth)
{
   nir_builder *b = &g->b;
   nir_variable *counter = nir_local_variable_create(b->impl, glsl_int_type(), NULL);
   nir_def *limit =
      below(2) ? nir_imm_int(b, 1 + below(7)) : nir_iand_imm(b, int_expression(g, 1), 7);
   nir_store_var(b, counter, nir_imm_int(b, 0), 1);
   nir_push_loop(b);
   g->loops++;
   nir_break_if(b, nir_ige(b, nir_load_var(b, counter), limit));
   nir_store_var(b, counter, nir_iadd_imm(b, nir_load_var(b, counter), 1), 1);
   statements(g, depth);
   if (!below(4))
      nir_store_var(b, g->ints[below(VARIABLES)], nir_load_var(b, counter), 1);
   g->loops--;
   nir_pop_loop(b, NULL);
}

static void
jump(struct generator *g)
{
   nir_builder *b = &g->b;
   nir_push_if(b, condition(g, 1));
   if (below(2))
      assignment(g);
   nir_jump(b, below(2) ? nir_jump_break : nir_jump_continue);
   nir_pop_if(b, NULL);
}

/* In fragment programs. */
static void
discard(struct generator *g)
{
   nir_def *rarely = nir_iand(&g->b, condition(g, 1), condition(g, 1));
   if (below(2))
      nir_terminate_if(&g->b, rarely);
   else
      nir_demote_if(&g->b, rarely);
}

static void
statements(struct generator *g, unsigned depth)
{
   for (unsigned n = 1 + below(4); n && g->budget; n--) {
      g->budget--;
      unsigned kind = below(10);
      if (depth && kind < 2)
         branch(g, depth - 1);
      else if (depth && kind < 4)
         loop(g, depth - 1);
      else if (g->loops && kind < 6)
         jump(g);
      else if (kind == 6 && g->b.shader->info.stage == MESA_SHADER_FRAGMENT && !below(3))
         discard(g);
      else
         assignment(g);
   }
}

static void
store(struct generator *g, unsigned index, nir_def *value, nir_alu_type type)
{
   const bool varying = index < VARYINGS,
              fragment = g->b.shader->info.stage == MESA_SHADER_FRAGMENT;
   nir_io_semantics semantics = { .location =
                                     varying ? VARYING_SLOT_VAR0 + index / 4 : VARYING_SLOT_POS,
                                  .num_slots = 1 };
   if (fragment)
      semantics.location = FRAG_RESULT_DATA0 + index / 4;
   nir_store_output(&g->b, value, nir_imm_int(&g->b, 0), .base = index / 4, .component = index % 4,
                    .write_mask = 1, .src_type = type, .io_semantics = semantics);
}

/* Many values that are all live until the end. */
static void
pressure(struct generator *g)
{
   nir_builder *b = &g->b;
   nir_def *values[320];
   for (unsigned i = 0; i < ARRAY_SIZE(values); i++)
      values[i] =
         nir_imul(b, attribute(g), nir_iadd_imm(b, i % 3 ? attribute(g) : uniform(g), 7 * i));
   nir_push_if(b, condition(g, 1));
   nir_store_var(b, g->ints[0], values[17], 1);
   nir_pop_if(b, NULL);
   nir_def *sum = nir_load_var(b, g->ints[0]);
   for (unsigned i = 0; i < ARRAY_SIZE(values); i++)
      sum = nir_ixor(b, nir_imul_imm(b, sum, 3), values[ARRAY_SIZE(values) - 1 - i]);
   nir_store_var(b, g->ints[1], sum, 1);
}

static nir_shader *
generate(gl_shader_stage stage, bool with_pressure)
{
   struct generator g = { .b = nir_builder_init_simple_shader(stage, &cf_nir_options, "random"),
                          .budget = 10 + below(60) };
   nir_builder *b = &g.b;
   b->exact = true;
   b->shader->info.io_lowered = true;
   for (unsigned i = 0; i < VARIABLES; i++) {
      g.ints[i] = nir_local_variable_create(b->impl, glsl_int_type(), NULL);
      g.floats[i] = nir_local_variable_create(b->impl, glsl_float_type(), NULL);
      nir_store_var(b, g.ints[i], below(2) ? attribute(&g) : nir_imm_int(b, interesting_bits()), 1);
      nir_store_var(b, g.floats[i], nir_i2f32(b, attribute(&g)), 1);
   }
   if (with_pressure)
      pressure(&g);
   statements(&g, 3);
   for (unsigned i = 0; i < VARYINGS / 2; i++) {
      store(&g, i, nir_load_var(b, g.ints[i]), nir_type_int32);
      store(&g, VARYINGS / 2 + i, nir_load_var(b, g.floats[i]), nir_type_float32);
      store(&g, VARYINGS + i, float_expression(&g, i % 2), nir_type_float32);
   }
   nir_lower_vars_to_ssa(b->shader);
   nir_opt_dce(b->shader);
   nir_validate_shader(b->shader, "generated");
   return b->shader;
}

/* ---- the reference: NIR evaluated for one lane */

struct inputs {
   uint32_t uniforms[UNIFORMS];
   uint32_t attributes[ATTRIBUTES][LANES][4];
   /* of fragment programs; attributes are interpolated from these */
   float varyings[CF_TASK_QUADS][ATTRIBUTES][4][3], bary[2][LANES];
};

struct walker {
   const struct inputs *inputs;
   unsigned lane;
   nir_const_value (*values)[4];
   nir_block *previous;
   uint32_t *outputs;
   unsigned steps;
};

enum way { WAY_ON, WAY_BREAK, WAY_CONTINUE, WAY_DISCARDED };

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
      assert_int_equal(instr->intrinsic, nir_intrinsic_store_output);
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
      assert_true(count < ARRAY_SIZE(taken));
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
            assert_true(w->steps++ < 100000);
         } while (way != WAY_BREAK && way != WAY_DISCARDED);
         way = way == WAY_BREAK ? WAY_ON : way;
      }
      if (way != WAY_ON)
         return way;
   }
   return WAY_ON;
}

/* False: the lane was discarded. */
static bool
walk(nir_shader *nir, const struct inputs *inputs, unsigned lane, uint32_t outputs[OUTPUTS])
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   struct walker w = { .inputs = inputs, .lane = lane, .outputs = outputs };
   nir_index_ssa_defs(impl);
   w.values = calloc(impl->ssa_alloc, sizeof(*w.values));
   const enum way way = walk_list(&w, &impl->body);
   free(w.values);
   return way != WAY_DISCARDED;
}

/* ---- running compiled programs */

static void
set_vertex_inputs(struct cf_stage *stage, struct cf_task *task, const struct inputs *inputs)
{
   for (unsigned n = 0; n < ATTRIBUTES; n++) {
      stage->fetch[n] =
         (struct cf_fetch){ .data = (const uint8_t *)inputs->attributes[n],
                            .size_B = sizeof(inputs->attributes[n]),
                            .stride_B = 16,
                            .format = cf_format_info_of(CF_FORMAT_R32G32B32A32_FLOAT) };
   }
   for (unsigned lane = 0; lane < LANES; lane++)
      task->sys[CF_SYSVAL_VERTEX_ID][lane] = lane;
   task->parts = 0;
}

/* `placed`: varyings in the binary's slots. */
static void
set_fragment_inputs(struct cf_task *task, const struct inputs *inputs,
                    const struct cf_binary *binary, float placed[CF_TASK_QUADS][4 * ATTRIBUTES][3])
{
   for (unsigned quad = 0; quad < CF_TASK_QUADS; quad++) {
      for (unsigned k = 0; k < binary->varying_slots; k++)
         memcpy(placed[quad][4 * k],
                inputs->varyings[quad][binary->location[k] - VARYING_SLOT_VAR0],
                sizeof(placed[quad][0]) * 4);
      task->varyings[quad] = (const float(*)[3])placed[quad];
   }
   memcpy(task->bary, inputs->bary, sizeof(task->bary));
   task->one_primitive = false;
   task->shared = 0;
}

/* Returns the lanes that were not discarded. binary: of a fragment program, else NULL. */
static uint32_t
run(const struct cf_decoded *program, const struct inputs *inputs, const struct cf_binary *binary,
    uint32_t outputs[OUTPUTS][LANES])
{
   float placed[CF_TASK_QUADS][4 * ATTRIBUTES][3];
   struct cf_stage stage = { .program = program, .max_instrs = 1000000 };
   const uint32_t scratch_dwords = cf_program_info(program)->scratch_dwords;
   stage.constants[0].data = inputs->uniforms;
   stage.constants[0].dwords = UNIFORMS;
   struct cf_task *task = aligned_alloc(64, sizeof(*task));
   memset(task, 0xa5, sizeof(*task)); /* registers hold garbage */
   task->clock = NULL;
   if (binary)
      set_fragment_inputs(task, inputs, binary, placed);
   else
      set_vertex_inputs(&stage, task, inputs);
   task->exec = task->alive = ~0u;
   task->scratch_dwords = scratch_dwords;
   task->scratch = calloc(task->scratch_dwords + 1, sizeof(*task->scratch));
   cf_shader_ops_base.prepare(&stage, task);
   cf_shader_ops_base.run(&stage, task);
   assert_false(task->timed_out);
   memcpy(outputs, task->out[binary ? 0 : 8], VARYINGS * sizeof(*outputs));
   memcpy(outputs + VARYINGS, task->out[binary ? VARYINGS : 0],
          (OUTPUTS - VARYINGS) * sizeof(*outputs));
   const uint32_t alive = task->alive;
   free(task->scratch);
   free(task);
   return alive;
}

static struct cf_decoded *
decode(const struct cf_binary *binary)
{
   char error[400];
   struct cf_decoded *program =
      cf_program_decode(&binary->program, binary->code, error, sizeof(error));
   if (!program)
      fail_msg("%s", error);
   return program;
}

static uint64_t whole_instrs, slice_instrs; /* of all programs */

/* The position slice gives the same positions as the whole program, whose results are `whole`. */
static void
check_slice(uint64_t seed, const struct cf_decoded *program, const struct inputs *inputs,
            uint32_t whole[OUTPUTS][LANES])
{
   uint32_t got[OUTPUTS][LANES];
   struct cf_decoded *slice = cf_program_slice(program);
   if (!slice)
      fail_msg("seed %#llx: no slice", (unsigned long long)seed);
   run(slice, inputs, NULL, got);
   for (unsigned i = VARYINGS; i < OUTPUTS; i++) {
      for (unsigned lane = 0; lane < LANES; lane++)
         if (got[i][lane] != whole[i][lane])
            fail_msg(
               "seed %#llx: lane %u position %u of the slice is %#x, of the whole program %#x",
               (unsigned long long)seed, lane, i - VARYINGS, got[i][lane], whole[i][lane]);
   }
   whole_instrs += cf_program_info(program)->code_instrs;
   slice_instrs += cf_program_info(slice)->code_instrs;
   cf_program_free(slice);
}

/* Equal, where the reference's minimum and maximum do not order zeros, and NaN has no sign. */
static bool
same_float(uint32_t a, uint32_t b)
{
   float x, y;
   memcpy(&x, &a, 4);
   memcpy(&y, &b, 4);
   return x == y || (x != x && y != y);
}

/* Of fragment programs, attribute SMOOTH is interpolated, and the others are the same in a quad. */
static void
interpolate_inputs(struct inputs *inputs)
{
   for (unsigned lane = 0; lane < LANES; lane++) {
      for (unsigned k = 0; k < 2; k++)
         inputs->bary[k][lane] = (float)below(65) / 64.0f;
      for (unsigned i = 0; i < ATTRIBUTES * 4; i++) {
         float *p = inputs->varyings[lane / 4][i / 4][i % 4];
         for (unsigned k = 0; k < 3 && lane % 4 == 0; k++)
            p[k] = (float)((int)below(2001) - 1000) * 0.25f;
         volatile float first = inputs->bary[0][lane] * p[1], second = inputs->bary[1][lane] * p[2],
                        sum = p[0] + first;
         const float value = i / 4 == SMOOTH ? sum + second : p[0];
         memcpy(&inputs->attributes[i / 4][lane][i % 4], &value, 4);
      }
   }
}

static void
random_inputs(gl_shader_stage stage, struct inputs *inputs)
{
   for (unsigned i = 0; i < UNIFORMS; i++)
      inputs->uniforms[i] = interesting_bits();
   for (unsigned i = 0; i < ATTRIBUTES * LANES * 4; i++)
      inputs->attributes[i / (LANES * 4)][i / 4 % LANES][i % 4] = interesting_bits();
   if (stage == MESA_SHADER_FRAGMENT)
      interpolate_inputs(inputs);
}

static uint64_t kept_lanes, discarded_lanes; /* of all fragment programs */

static void
check_lane(uint64_t seed, nir_shader *nir, const struct inputs *inputs, unsigned lane, bool alive,
           uint32_t got[OUTPUTS][LANES])
{
   uint32_t expected[OUTPUTS] = { 0 };
   const bool kept = walk(nir, inputs, lane, expected);
   if (kept != alive)
      fail_msg("seed %#llx: lane %u is %s", (unsigned long long)seed, lane,
               kept ? "discarded" : "not discarded");
   kept_lanes += kept;
   discarded_lanes += !kept;
   for (unsigned i = 0; i < OUTPUTS && kept; i++) {
      bool is_float = i >= VARYINGS / 2;
      if (is_float ? !same_float(got[i][lane], expected[i]) : got[i][lane] != expected[i])
         fail_msg("seed %#llx: lane %u output %u is %#x, expected %#x", (unsigned long long)seed,
                  lane, i, got[i][lane], expected[i]);
   }
}

/* ---- lines */

/* Give each instruction, if and loop a line of its own. */
static void
number_lines(nir_shader *nir)
{
   uint32_t line = 0;
   nir_foreach_block(block, nir_shader_get_entrypoint(nir)) {
      nir_foreach_instr(instr, block)
         instr->lines = ++line;
      nir_if *nif = nir_block_get_following_if(block);
      nir_loop *loop = nir_block_get_following_loop(block);
      if (nif)
         nif->lines = ++line;
      if (loop)
         loop->lines = ++line;
   }
   assert_in_range(line, 1, UINT16_MAX);
   nir->line_marks = rzalloc(nir, struct nir_line_mark);
   nir->line_marks[0] = (struct nir_line_mark){ 1, 0, 0, 1, 1 };
   nir->line_mark_count = 1;
   nir->line_positions = line;
}

static bool
is_of_no_line(uint64_t code)
{
   struct cf_instr instr;
   const char *error;
   assert_true(cf_instr_decode(code, &instr, &error));
   return instr.op == CF_OP_END || (instr.op == CF_OP_SYS && instr.value == CF_SYSVAL_VERTEX_ID);
}

/* Every instruction has one line or two, that there are, in order. */
static void
check_table(uint64_t seed, const struct cf_binary *binary, uint32_t most)
{
   uint32_t at = 0;
   for (uint32_t i = 0; i < binary->program.code_instrs; i++) {
      const uint32_t first = at;
      while (at < binary->line_count && binary->lines[at].instr == i)
         at++;
      if (at - first > 2 || (at == first && !is_of_no_line(binary->code[i])))
         fail_msg("seed %#llx: instruction %u of %u has %u lines", (unsigned long long)seed, i,
                  (unsigned)binary->program.code_instrs, at - first);
      for (uint32_t k = first; k < at; k++)
         assert_in_range(binary->lines[k].line, 1, most);
   }
   assert_int_equal(at, binary->line_count);
}

static struct cf_binary *
compile_with_lines(const nir_shader *nir)
{
   const struct cf_compile_options options = { .lines = true };
   struct cf_binary *binary = cf_compile(nir, &options);
   assert_null(binary->error);
   return binary;
}

/* A shader through NIR's serialisation. */
static nir_shader *
through_blob(const nir_shader *nir, bool strip)
{
   struct blob blob;
   struct blob_reader reader;
   blob_init(&blob);
   nir_serialize(&blob, nir, strip);
   blob_reader_init(&reader, blob.data, blob.size);
   nir_shader *read = nir_deserialize(NULL, nir->options, &reader);
   assert_false(reader.overrun);
   assert_ptr_equal(reader.current, reader.end);
   blob_finish(&blob);
   return read;
}

/* Lines leave the code as it is, and survive serialisation that does not strip them. */
static void
check_lines(uint64_t seed, nir_shader *nir, const struct cf_binary *without)
{
   const size_t code_B = without->program.code_instrs * sizeof(*without->code);
   assert_int_equal(without->line_count, 0);
   number_lines(nir);
   struct cf_binary *with = compile_with_lines(nir);
   assert_int_equal(with->program.code_instrs, without->program.code_instrs);
   assert_memory_equal(with->code, without->code, code_B);
   check_table(seed, with, nir->line_positions);
   for (unsigned strip = 0; strip < 2; strip++) {
      nir_shader *read = through_blob(nir, strip);
      struct cf_binary *again = compile_with_lines(read);
      assert_int_equal(again->program.code_instrs, without->program.code_instrs);
      assert_memory_equal(again->code, without->code, code_B);
      assert_int_equal(again->line_count, strip ? 0 : with->line_count);
      if (!strip)
         assert_memory_equal(again->lines, with->lines, with->line_count * sizeof(*with->lines));
      cf_binary_free(again);
      ralloc_free(read);
   }
   cf_binary_free(with);
}

/* The same results come without passes that may be left out: `off`, bits of enum cf_pass. */
static void
check_without(uint64_t seed, const nir_shader *nir, const struct inputs *inputs, uint32_t off,
              uint32_t alive, uint32_t wanted[OUTPUTS][LANES])
{
   const bool fragment = nir->info.stage == MESA_SHADER_FRAGMENT;
   const struct cf_compile_options options = { .passes_off = off };
   struct cf_binary *binary = cf_compile(nir, &options);
   uint32_t got[OUTPUTS][LANES];
   if (binary->error && !strstr(binary->error, "not supported") && util_bitcount(off) > 1) {
      cf_binary_free(binary); /* without several passes it may exceed a limit */
      return;
   }
   if (binary->error)
      fail_msg("seed %#llx, without %#x: %s", (unsigned long long)seed, off, binary->error);
   struct cf_decoded *program = decode(binary);
   const uint32_t found = run(program, inputs, fragment ? binary : NULL, got);
   assert_int_equal(found, alive);
   for (unsigned i = 0; i < OUTPUTS; i++) {
      for (unsigned lane = 0; lane < LANES; lane++) {
         if ((alive >> lane & 1) && got[i][lane] != wanted[i][lane])
            fail_msg("seed %#llx, without passes %#x: output %u, lane %u: %#x, not %#x",
                     (unsigned long long)seed, off, i, lane, got[i][lane], wanted[i][lane]);
      }
   }
   cf_program_free(program);
   cf_binary_free(binary);
}

static void
check(gl_shader_stage stage, uint64_t seed, bool with_pressure)
{
   const struct cf_compile_options options = { 0 };
   const bool fragment = stage == MESA_SHADER_FRAGMENT;
   random_state = seed;
   nir_shader *nir = generate(stage, with_pressure);
   struct inputs inputs;
   random_inputs(stage, &inputs);
   struct cf_binary *binary = cf_compile(nir, &options);
   if (binary->error)
      fail_msg("seed %#llx: %s", (unsigned long long)seed, binary->error);
   uint32_t got[OUTPUTS][LANES];
   struct cf_decoded *program = decode(binary);
   const uint32_t alive = run(program, &inputs, fragment ? binary : NULL, got);
   if (!fragment)
      check_slice(seed, program, &inputs, got);
   if (seed % 4 == 0)
      check_lines(seed, nir, binary);
   check_without(seed, nir, &inputs, 1u << seed % CF_PASS_COUNT, alive, got);
   check_without(seed, nir, &inputs, (uint32_t)(seed >> 32), alive, got);
   cf_nir_lower(nir, 0);
   for (unsigned lane = 0; lane < LANES; lane++)
      check_lane(seed, nir, &inputs, lane, alive >> lane & 1, got);
   cf_program_free(program);
   cf_binary_free(binary);
   ralloc_free(nir);
}

static uint64_t first_seed = 1;
static unsigned programs = 300;

static void
test_random_programs(void **state)
{
   for (unsigned i = 0; i < programs; i++)
      check(MESA_SHADER_VERTEX, (first_seed + i) * 0x9e3779b97f4a7c15ull, false);
   printf("slices have %llu of %llu instructions\n", (unsigned long long)slice_instrs,
          (unsigned long long)whole_instrs);
   assert_true(slice_instrs < whole_instrs);
}

static void
test_more_values_than_registers(void **state)
{
   for (unsigned i = 0; i < programs / 30; i++)
      check(MESA_SHADER_VERTEX, (first_seed + i) * 0x9e3779b97f4a7c15ull, true);
}

/* Programs of fixed seeds, whose discarded lanes are counted; then as many with new seeds. */
static void
test_random_fragment_programs(void **state)
{
   struct cf_random seeds = cf_random_seed("compiler-random fragment programs");
   kept_lanes = discarded_lanes = 0;
   for (unsigned i = 0; i < programs; i++)
      check(MESA_SHADER_FRAGMENT, (first_seed + i) * 0x9e3779b97f4a7c15ull, i % 30 == 29);
   printf("%llu lanes ended by a discard, %llu did not\n", (unsigned long long)discarded_lanes,
          (unsigned long long)kept_lanes);
   assert_true(discarded_lanes > programs && kept_lanes > programs);
   for (unsigned i = 0; i < programs; i++)
      check(MESA_SHADER_FRAGMENT, cf_random_u64(&seeds) | 1, i % 30 == 29);
}

/* Arguments: first seed, number of programs. */
int
main(int argc, char **argv)
{
   if (argc > 1)
      first_seed = strtoull(argv[1], NULL, 0);
   if (argc > 2)
      programs = strtoul(argv[2], NULL, 0);
   printf("seeds from %llu, %u programs\n", (unsigned long long)first_seed, programs);
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_programs),
      cmocka_unit_test(test_more_values_than_registers),
      cmocka_unit_test(test_random_fragment_programs),
   };
   glsl_type_singleton_init_or_ref();
   int result = cmocka_run_group_tests(tests, NULL, NULL);
   glsl_type_singleton_decref();
   return result;
}
